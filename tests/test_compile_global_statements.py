"""Variables of a module that functions declare `global`: read, written, and written back once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

calls = 0
loss = 0.0
best: Any = None
state = np.zeros(2)
names: list[str] = []
START = {"calls": 0, "loss": 0.0, "best": None, "state": np.zeros(2), "names": []}


def count(n: int = 1) -> None:
    global calls
    calls += n


def seen() -> int:
    return calls


def counted(x: Any) -> Any:
    count()
    for i in range(3):
        count(i)
    return x * x * seen()


def added(xs: Any) -> Any:
    global loss
    loss = 0.0
    for x in xs:
        if x > 0.0:
            loss += x * x
        else:
            loss -= x
            count()
    return loss * (calls + 1)


def kept(x: Any) -> Any:
    global best, state, names
    best = 3.0 * x
    state = state * 0.5 + x
    state[0] += 1.0
    names = [*names, "step"]
    return best * float(np.sum(state))


def recursive(x: Any) -> Any:
    global calls
    calls = 0

    def power(n: int) -> Any:
        global calls
        calls += 1
        return x if n == 0 else power(n - 1) * x

    return power(3) * calls


def caught(x: Any) -> Any:
    global calls
    try:
        calls += 1
        if x > 1.0:
            raise ValueError("large")
    except ValueError:
        calls += 10
    return x * calls


def variables() -> dict[str, Any]:
    return {name: globals()[name] for name in START}


def runs(f: Callable[..., Any], x: Any) -> tuple[list[Any], dict[str, Any]]:
    """What two calls give, and what the variables are then."""
    globals().update({**START, "state": np.zeros(2), "names": []})
    found = [f(x), f(x)]
    return found, variables()


def alike(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(type(a[k]) is type(b[k]) and np.array_equal(a[k], b[k]) for k in a)


CASES = [(counted, 1.5), (added, [1.0, -2.0, 3.0]), (kept, 1.5), (recursive, 1.5), (caught, 0.5), (caught, 1.5)]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("f", "x"), CASES, ids=lambda x: getattr(x, "__name__", str(x)))
def test_they_hold_what_plain_python_leaves_in_them(f: Callable[..., Any], x: Any, backend: Any):
    expected, left = runs(f, x)
    for verb in (ccc.compiled, ccc.value_with_gradient):
        found, held = runs(verb(f, backend=backend), x)
        values = found if verb is ccc.compiled else [value for value, _ in found]
        assert values == expected and alike(held, left)


@pytest.mark.parametrize(("f", "x"), CASES, ids=lambda x: getattr(x, "__name__", str(x)))
def test_gradients_are_those_at_what_they_hold(f: Callable[..., Any], x: Any):
    def at(x: Any) -> Any:
        return runs(f, x)[0][0]

    found = np.asarray(runs(ccc.gradient(f), x)[0][0])
    for i in range(np.size(x)):
        step = np.zeros(np.size(x))
        step[i] = 1e-6
        moved = [np.asarray(x) + step if np.ndim(x) else x + 1e-6, np.asarray(x) - step if np.ndim(x) else x - 1e-6]
        up, down = [at([*map(float, m)] if np.ndim(m) else float(m)) for m in moved]
        assert np.ravel(found)[i] == pytest.approx((up - down) / 2e-6, rel=1e-5)
