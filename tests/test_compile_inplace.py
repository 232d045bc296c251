"""Arrays changed in place: what the function made may be assigned into, in constant time; all else is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
import ccc.compile.diagnostics

X = np.array([0.5, 0.6, 0.7, 0.8])


def recurrence(x: np.ndarray) -> float:
    a = np.zeros(4)
    a[0] = x[0]
    for i in range(1, 4):
        a[i] = a[i - 1] * x[i] + x[0]
    return np.sum(a * a)


def histogram(x: np.ndarray) -> float:
    a = np.ones(3)
    for i in range(len(x)):
        a[i % 3] += x[i] * math.sin(x[i])
    return a[0] * a[1] + a[2]


def table(x: np.ndarray, y: np.ndarray) -> float:
    n = len(x)
    m = len(y)
    D = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + min(D[i - 1, j], D[i - 1, j - 1]) * 0.5
    return D[n, m]


def slices(x: np.ndarray) -> float:
    a = x.copy()
    a[1:] = a[:-1] * x[1:]
    a[0] = 2.0
    b = a
    b[1] *= 3.0
    return np.sum(a * x)


def repeated_index(x: np.ndarray) -> float:
    a = np.zeros(3)
    a[np.array([0, 2, 0, 1])] = x
    return np.sum(a * a * np.array([1.0, 2.0, 3.0]))


def mask(x: np.ndarray) -> float:
    a = x * 1.0
    a[x > 0.65] = 0.0
    return np.sum(a * a)


def in_branches(x: np.ndarray) -> float:
    a = np.zeros(4)
    for i in range(4):
        if x[i] > 0.65:
            a[i] = x[i] ** 2
        else:
            a[i] = x[0]
    return np.dot(a, x)


def kept_versions(x: np.ndarray) -> float:
    a = np.zeros(4)
    total = 0.0
    for i in range(4):
        a[i] = x[i] * x[0]
        total += np.sum(a * a)
    return total


def rows(x: np.ndarray) -> float:
    A = np.zeros((2, 4))
    A[0] = x
    A[1, :] = A[0] * x
    A[:, 1] += 1.0
    return np.sum(A * A)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (recurrence, (X,)), (histogram, (X,)), (table, (X, np.array([0.1, 0.75]))), (slices, (X,)), (repeated_index, (X,)),
    (mask, (X,)), (in_branches, (X,)), (kept_versions, (X,)), (rows, (X,)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_assignment_into_arrays_agrees(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def inside_loops(code: str) -> list[str]:
    """The lines of a source that stand inside a loop."""
    found: list[str] = []
    depth: int | None = None
    for line in code.splitlines():
        indent = len(line) - len(line.lstrip())
        depth = None if depth is not None and indent <= depth else depth
        if depth is not None:
            found.append(line)
        elif line.lstrip().startswith("for "):
            depth = indent
    return found


@pytest.mark.parametrize("f", [recurrence, histogram])
def test_an_assignment_takes_constant_time_forward_and_backward(f: Callable[..., Any]) -> None:
    inside = inside_loops(ccc.explain(f, X).code)
    assert not [line for line in inside if "set_at(" in line or "add_at(" in line or "zeros_like(" in line]
    assert [line for line in inside if "] = " in line] and [line for line in inside if "] += " in line]


def test_arguments_are_never_changed() -> None:
    x = X.copy()
    for f in (recurrence, slices, mask, in_branches):
        ccc.gradient(f)(x)
        ccc.value_with_pullback(f)(x)[1](1.0)
    assert np.array_equal(x, X)


def perhaps_a_view(x: np.ndarray) -> float:
    a = x.reshape(2, 2) * 1.0
    b = a.reshape(4)
    a[1] = 3.0
    return np.sum(b)


def in_a_derivative_inside(x: np.ndarray) -> float:
    def fill(a: np.ndarray) -> float:
        a[0] = 1.0
        return np.sum(a)

    return np.sum(ccc.gradient(fill)(x))


ENTRIES = np.array([-0.3, 3.2])


def of_a_number_that_may_be_an_int(x: float, v: list[float]) -> Any:
    number = min(len(v), ENTRIES[-1])
    return x + np.mean(np.array([number]) - np.array([ENTRIES[0]])) + x * np.sum(np.array([number, 1]) * 0.5)


def test_an_array_that_may_be_of_ints_is_not_overwritten_by_reals() -> None:
    """NumPy does not write reals into ints: it raised `UFuncTypeError`."""
    agrees(of_a_number_that_may_be_an_int, 0.5, [1.0, 2.0])
    agrees(of_a_number_that_may_be_an_int, 0.5, [1.0, 2.0, 3.0, 4.0])


def rows_of_an_argument(x: np.ndarray) -> float:
    a = np.reshape(x, (2, -1))
    a[0] = a[1]
    return np.sum(a * a)


@pytest.mark.parametrize(("f", "message"), [
    (perhaps_a_view, "cannot assign into `a`: it is also reachable as `b`"),
    (rows_of_an_argument, "cannot assign into `a`: it is also reachable as `x`, which the caller sees, perhaps"),
    (in_a_derivative_inside, "cannot assign into `a`: the caller sees that array"),
])
def test_what_others_see_is_refused_by_name(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(ccc.compile.diagnostics.CompileError) as caught:
        ccc.gradient(f)(X)
    assert message in str(caught.value)
