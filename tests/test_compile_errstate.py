"""`np.errstate` in a function: NumPy warns, raises and calls where it does in plain Python."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

X = np.array([1.0, 2.0])
BACKENDS = ("numpy", "native") if importlib.util.find_spec("llvmlite") else ("numpy",)
SEEN: list[Any] = []


def note(*what: Any) -> None:
    SEEN.append(what)


def ignored(x: np.ndarray) -> Any:
    with np.errstate(divide="ignore"):
        y = np.log(x - x)
    return np.sum(np.exp(y)) + np.sum(x)


def inner_modes_win(x: np.ndarray) -> Any:
    with np.errstate(all="ignore"):
        with np.errstate(divide="warn"):
            z = 1.0 / (x - x)
        y = np.log(x - x)
    return np.sum(np.where(z > y, x, 0.0))


def inside_and_outside(x: np.ndarray) -> Any:
    with np.errstate(divide="ignore"):
        y = np.log(x - x)
    return np.sum(np.exp(y) + np.exp(np.log(x - x)) + x)


def raises(x: np.ndarray) -> Any:
    with np.errstate(divide="raise"):
        np.log(x - x)
    return np.sum(x)


def raises_nothing(x: np.ndarray) -> Any:
    with np.errstate(all="raise", under="ignore"):
        return np.sum(np.log(x) * x)


def raises_before_it_calls(x: np.ndarray) -> Any:
    with np.errstate(divide="call", invalid="raise", call=note):
        y = np.log(x - x)
        np.sqrt(-x)
        np.log(x - x)
    return np.sum(np.exp(y) + x)


def calls(x: np.ndarray) -> Any:
    for _ in range(2):
        with np.errstate(divide="call", call=note):
            np.log(x - x)
            np.log(x - x)
    return np.sum(x)


def returns_early(x: np.ndarray) -> Any:
    def inner(v: np.ndarray) -> Any:
        with np.errstate(divide="ignore"):
            if v[0] > 0.0:
                return np.log(v - v)
            v = v * 2.0
        return np.log(v - v)

    return np.sum(np.exp(inner(x))) + np.sum(np.exp(np.log(x - x))) + np.sum(np.exp(inner(-x))) + np.sum(x)


def goes_on_early(x: np.ndarray) -> Any:
    s = 0.0
    for i in range(3):
        with np.errstate(divide="ignore", invalid="ignore"):
            if i == 1:
                continue
            s = s + np.sum(np.exp(np.log(x - x)))
        s = s + np.sum(np.exp(np.log(x - x)))
    return s + np.sum(x)


def logarithm(x: np.ndarray) -> Any:
    return np.log(x - x)


def of_what_is_called(x: np.ndarray) -> Any:
    with np.errstate(divide="ignore"):
        y = logarithm(x)
    return np.sum(np.exp(y)) + np.sum(x)


@np.errstate(divide="ignore")
def decorated(x: np.ndarray) -> Any:
    return np.sum(np.exp(np.log(x - x))) + np.sum(x)


@np.errstate(divide="raise")
def decorated_to_raise(x: np.ndarray) -> Any:
    np.log(x - x)
    return np.sum(x)


def calls_decorated(x: np.ndarray) -> Any:
    return decorated(x) + np.sum(np.exp(np.log(x - x)))


def of_numbers(x: np.ndarray) -> Any:
    with np.errstate(over="ignore"):
        y = np.exp(x[0] * 1e4)
    return np.sum(x) if y > 0.0 else 0.0


PROGRAMS = [
    ignored, inner_modes_win, inside_and_outside, raises, raises_nothing, raises_before_it_calls, calls, returns_early,
    goes_on_early, of_what_is_called, decorated, decorated_to_raise, calls_decorated, of_numbers,
]  # fmt: skip
VERBS: list[Callable[[Any, str], Any]] = [
    lambda f, backend: ccc.compiled(f, backend=backend)(X),
    lambda f, backend: ccc.value_with_gradient(f, backend=backend)(X)[0],
    lambda f, backend: ccc.value_with_pullback(f, backend=backend)(X)[0],
    lambda f, backend: ccc.value_with_differential(f, backend=backend)(X)[0],
]


def observed(run: Callable[[], Any]) -> tuple[Any, list[str], list[Any]]:
    """The value or the exception, the warnings of NumPy, and what the handler was called with."""
    SEEN.clear()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            value = float(run())
        except FloatingPointError as error:
            value = str(error)
    return value, [str(w.message) for w in found], list(SEEN)


@pytest.mark.share(4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
def test_errors_are_those_of_plain_python(f: Callable[..., Any], backend: str):
    value, said, called = observed(lambda: f(X))
    for verb in VERBS:
        found = observed(lambda verb=verb: verb(f, backend))
        assert found[0] == (pytest.approx(value) if isinstance(value, float) else value)
        assert found[2] == called
        assert found[1] == said or (backend == "native" and not found[1])


def test_code_says_the_modes():
    code = ccc.explain(ignored, X).code
    assert code.count("with np.errstate(divide='ignore'):\n        t = x - x\n        y = np.log(t)\n") == 1


@pytest.mark.skipif(len(BACKENDS) == 1, reason="needs llvmlite")
def test_machine_code_leaves_to_numpy_what_raises_or_calls():
    for f, name in ((raises_nothing, "errstate"), (calls, "errstate"), (ignored, "")):
        assert name in ccc.explain(ccc.gradient(f, backend="native"), X).backend
    assert ccc.explain(ccc.gradient(ignored, backend="native"), X).backend == "native"
