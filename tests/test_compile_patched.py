"""Functions and numbers that users put into modules of Python's and NumPy's, before a first call and between calls."""

from __future__ import annotations

import builtins
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


class Wave:
    def at(self, x: float) -> float:
        return math.exp(x)


WAVE = Wave()


def inner(x: float) -> float:
    def h(y: float) -> float:
        return math.cos(y)

    return h(x) + h(2 * x)


def imported(x: float) -> float:
    from math import cos

    return cos(x)


sin, exp, total = math.sin, np.exp, np.sum
PATCHES: list[tuple[Callable[..., Any], Any, types.ModuleType, str, Any]] = [
    (lambda x: math.sin(x) * 2, 2.0, math, "sin", lambda x: x + 100.0),
    (lambda x: math.sin(x) * 2, 2.0, math, "sin", lambda x: sin(x) + 100.0),
    (lambda x: np.sin(x) * 2, 2.0, np, "sin", lambda x: x + 100.0),
    (lambda x: np.exp(x) * 2, np.ones(2), np, "exp", lambda x: 1.0 / exp(x)),
    (lambda x: [np.exp(y) for y in x], [1.0, 2.0], np, "exp", np.sin),
    (lambda x: np.linalg.norm(x), np.array([1.0, 2.0]), np.linalg, "norm", lambda x: x.sum()),
    (lambda x: np.sum(np.asarray([x, x])), 2.0, np, "sum", lambda x: x[0]),
    (lambda x: abs(x) * 2, -2.0, builtins, "abs", lambda x: x),
    (lambda x: max(x, 1.0), 2.0, builtins, "max", min),
    (lambda x: x * math.pi, 2.0, math, "pi", 3.0),
    (lambda x: x * np.pi, 2.0, np, "pi", 4),
    (lambda x: operator.add(x, 1.0), 2.0, operator, "add", lambda a, b: a - b),
    (inner, 1.0, math, "cos", math.sin),
    (imported, 1.0, math, "cos", math.sin),
    (lambda x: WAVE.at(x), 2.0, math, "exp", math.sin),
]


@TARGETS
@pytest.mark.parametrize("called_before", [False, True])
@pytest.mark.parametrize(("f", "x", "module", "name", "other"), PATCHES)
def test_what_users_put_into_modules_is_called(
    f: Callable[..., Any], x: Any, module: types.ModuleType, name: str, other: Any, called_before: bool, backend: str,
) -> None:
    """Code kept the function that the module had, and code of that function called the other one."""
    ccc.gradient(lambda x: total(f(x)), backend=backend)(x)  # which loads what the library needs for it
    compiled, slope = ccc.compiled(f, backend=backend), ccc.gradient(lambda x: total(f(x)), backend=backend)
    for patched in ([False] if called_before else []) + [True, False, True]:
        with pytest.MonkeyPatch.context() as patch:
            if patched:
                patch.setattr(module, name, other)
            expected = f(x)
            above, below = [total(f([v + d for v in x] if isinstance(x, list) else x + d)) for d in (1e-6, -1e-6)]
            for _ in range(4):
                found = compiled(x)
                assert type(found) is type(expected) or backend == "native"
                np.testing.assert_allclose(found, expected, rtol=1e-15)
            np.testing.assert_allclose(total(slope(x)), (above - below) / 2e-6, rtol=1e-5)


def test_definitions_of_the_library_call_what_they_were_written_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """`np.cov` is read as a definition that calls `np.mean`, which NumPy's own does not by that name."""
    xs = np.array([[1.0, 2.0, 6.0], [0.0, 5.0, 1.0]])
    ccc.compiled(lambda x: np.cov(x) + np.sum(np.nanvar(x)))(xs)
    monkeypatch.setattr(np, "mean", lambda a, axis: a[:, 0])
    np.testing.assert_allclose(ccc.compiled(lambda x: np.cov(x))(xs), np.cov(xs))
