"""Where NaN and infinity first arise: by caret, forward and in derivatives, and never in vain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ccc

X = np.array([1.0, 0.0])


def told(run: Any, *args: Any) -> tuple[str, str, tuple[str, ...]]:
    """What is said, the text under the caret, and the notes."""
    with pytest.raises(FloatingPointError) as caught, np.errstate(all="ignore"):
        ccc.debug_nans(run)(*args)
    (d,) = caught.value.diagnostics  # type: ignore[attr-defined]
    assert d.code == "CC033" and d.span.file == __file__
    return d.message, d.span.lines[d.span.line - 1][d.span.column : d.span.end_column], d.notes


def logs(x: Any) -> Any:
    y = np.log(x) + 1.0
    return np.sum(y * 2.0)


def grown(x: float, n: int) -> float:
    for _ in range(n):
        x = x * x
    return x - x * 0.5


def share(p: Any, x: Any) -> Any:
    h = np.maximum(p["w"] * x, 0.0)
    return -np.sum(np.log(h / np.sum(h)))


def test_the_first_step_is_told():
    assert told(logs, -X) == (
        "NaN arises here", "np.log(x)", ("`np.log` of [-1.0, -0.0] gives [nan, -inf]",))
    assert told(ccc.gradient(logs), X)[:2] == ("infinity arises here, in the derivative", "np.log(x)")
    message, text, notes = told(grown, 10.0, 12)
    assert (message, text) == ("NaN arises here", "x - x * 0.5")
    assert notes[1].startswith("infinity arose before: `mul` of 1e+256, 1e+256 gives inf, at ")
    assert notes[1].endswith(f":{grown.__code__.co_firstlineno + 2}:13")
    message, text, notes = told(ccc.gradient(share, wrt="p"), {"w": np.array([-1.0, 2.0])}, np.ones(2))
    assert (message, text) == ("NaN arises here, in the derivative", "h / np.sum(h)")


def test_derivatives_of_all_kinds_are_watched():
    def root(x):
        return math.sqrt(x) * 2.0

    slope = "infinity arises here, in the derivative"
    for run in (ccc.gradient(root), ccc.derivative(root), ccc.value_with_gradient(root)):
        assert told(run, 0.0)[:2] == (slope, "math.sqrt(x)")
    assert told(ccc.hessian(lambda x: np.sum(x**1.5)), X)[:2] == (slope, "x**1.5")
    assert told(ccc.jacobian(lambda x: np.sqrt(x) * 2.0), X)[:2] == (slope, "np.sqrt(x)")
    assert told(ccc.gradient(lambda x: x**0.5), 0)[:2] == (slope, "x**0.5")  # an int is read as a float


def test_what_is_finite_goes_through(capsys: pytest.CaptureFixture[str]):
    def f(x):
        print("once")
        return np.sum(np.where(x > 0.5, np.log(x), 0.0))

    with np.errstate(all="ignore"):
        assert ccc.debug_nans(f)(X) == 0.0
        np.testing.assert_array_equal(ccc.debug_nans(ccc.gradient(f))(X), X)
        np.testing.assert_array_equal(ccc.compiled(lambda x: ccc.debug_nans(ccc.gradient(f))(x))(X), X)
    assert capsys.readouterr().out == "once\n" * 3
    assert repr(ccc.debug_nans(ccc.gradient(f))) == "debug_nans(gradient(f))"
    with pytest.raises(FloatingPointError, match=r"1 / 0|arises here"), np.errstate(all="ignore"):
        ccc.debug_nans(lambda x: f(x) + np.sum(1.0 / x))(X)
    assert capsys.readouterr().out == "once\n"


def test_an_argument_that_is_not_finite_is_said_to_be():
    message, text, notes = told(lambda x: x * 2.0, math.nan)
    assert (message, text) == ("NaN comes in here", "x * 2.0")
    assert notes == ("`mul` of nan, 2 gives nan", "not finite where given: `x`")
    message, text, notes = told(lambda x: x, math.nan)
    assert (message, text) == ("the result is not finite", "ccc.debug_nans(run)(*args)")
    assert notes == ("not finite where given: `x`",)


def cut_off(x):
    for _ in range(5):
        x = math.sqrt(x) if x >= 0.0 else float("nan")
        x = x - 0.9
    return x


def test_a_constant_that_is_not_finite_is_told_where_it_comes_in():
    message, text, notes = told(ccc.value_with_gradient(cut_off), 2.0)
    assert (message, text) == ("NaN comes in here", "x - 0.9")
    assert notes == ("`sub` of nan, 0.9 gives nan", "it is a constant, or read from outside")
    message, text, _ = told(lambda x: x * LIMIT, 1.0)
    assert (message, text) == ("infinity comes in here", "x * LIMIT")


LIMIT = math.inf
