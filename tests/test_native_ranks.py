"""Values that are a number or an array, or arrays of several ranks, as the run has it, in machine code."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from native_checks import gradients_agree, never_left

import ccc
from ccc.compile.native import ranks, target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

X = np.array([0.3, -1.0, 0.7, 0.2])


def chosen(x, c):
    y = 0.0 if c > 0 else x
    return np.sum(y * x) + np.sum(y)


def added_in_an_arm(x, c):
    t = 0.0
    for i in range(4):
        if x[i] > c:
            t = t + x * i
    return np.sum(t * t)


def added_in_place(x, c):
    t = 0
    for i in range(4):
        if x[i] > c:
            t += x * i
    return np.sum(t * x)


def grows(x, c):
    s = 1.0
    while np.sum(s * x**2) < 20.0 + c:
        s = s * 1.5 + x * x
    return np.sum(s)


def recursion(x, c):
    def rest(n):
        if n == 0:
            return 0.0
        return np.sin(x * n * c) + rest(n - 1)

    return np.sum(rest(4) ** 2)


def carried_down(x, c):
    def run(total: Any, n: int) -> Any:
        if n == 0:
            return total
        return run(total * c + x * n if n % 2 else total, n - 1)

    return np.sum(run(0.5, 3))


def three_ranks(x, c):
    y = c if c > 1 else x if c > 0 else x[:, None] * x
    for _ in range(2):
        y = np.tanh(y) + 0.25 * c
    return np.sum(y * y)


def parts(x, c):
    p = {"a": 0.0 if c > 0 else x, "b": (1.0, x if c > 0 else 2.0)}
    return np.sum(p["a"] * x) + np.sum(p["b"][1] * p["a"])


FUNCTIONS: list[Callable[..., Any]] = [
    chosen, added_in_an_arm, grows, recursion, carried_down, three_ranks, parts]


@pytest.mark.parametrize("c", [-0.6, 0.25, 1.5])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_of_several_ranks(f: Callable[..., Any], c: float) -> None:
    with never_left():
        gradients_agree(f, X, c)
    assert ccc.compiled(f, backend="native")(X, c) == pytest.approx(f(X, c), rel=1e-13)


def test_sums_that_begin_with_an_integer() -> None:
    with never_left():
        gradients_agree(added_in_place, X, 0.25)


def test_the_integer_of_a_sum_that_adds_nothing_stays_one() -> None:
    found = ccc.compiled(lambda x, c: np.sum(added(x, c)), backend="native")
    for c in (-0.6, 0.9):
        value = found(X, c)
        assert type(value) is type(np.sum(added(X, c)))
        assert value == pytest.approx(np.sum(added(X, c)), rel=1e-14)


def added(x, c):
    t = 0
    for i in range(4):
        if x[i] > c:
            t = t + x * i
    return t


def test_a_number_has_no_length() -> None:
    def length(x, c):
        y: Any = 0.0 if c > 0 else x
        return x[0] * len(y)

    found = ccc.compiled(length, backend="native")
    assert found(X, -1.0) == pytest.approx(1.2)
    with pytest.raises(TypeError, match="len"):
        found(X, 1.0)


@pytest.mark.parametrize("shape", [(3, 5), (3, 4)])
def test_a_diagonal_or_the_matrix_that_it_is_of(shape: tuple[int, int]) -> None:
    def f(x):
        d = np.diag(x)
        y = np.sin(x) if x.shape[1] % 2 == 0 else d
        return np.sum(y) + np.sum(d * 0.5)

    with never_left():
        gradients_agree(f, np.random.default_rng(0).normal(size=shape))


def test_an_array_of_rank_0_takes_no_array_in_place() -> None:
    def updated(x, c):
        y = np.zeros(()) if c > 0 else np.ones(4)
        y += x
        return np.sum(y)

    found = ccc.compiled(updated, backend="native")
    assert found(X, -1.0) == pytest.approx(np.sum(1 + X))
    with pytest.raises(ValueError, match="broadcast"):
        found(X, 1.0)


def test_many_operations_of_unknown_rank_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(x, c):
        y = 0.0 if c > 0 else x
        return np.sum(y + y * 2.0 + np.sin(y))

    monkeypatch.setattr(ranks, "MOST", 3)
    found = ccc.compiled(doubled, backend="native")
    assert found(X, -1.0) == doubled(X, -1.0)
    ((code,),) = found.codes.values()
    assert "operations on values of which the rank is not known" in code.left_to


def test_rows_of_a_number() -> None:
    """Where no run makes an array of the number, machine code leaves the exception to NumPy."""

    def f(a: np.ndarray) -> Any:
        v: Any = 0.0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                v = v + a[i, j] * a[j]
        return np.array([row.sum() for row in v])

    kept = ccc.value_with_pullback(f, backend="native")
    assert kept(np.ones((4, 4)))[0].tolist() == [16.0] * 4
    for call in (kept, ccc.value_with_pullback(f, backend="native")):
        with pytest.raises(TypeError, match="'float' object is not iterable"):
            call(np.ones((4, 0)))
