"""What functions and their rules print is printed once, in forward mode too and where a value and a derivative are
asked for one after the other."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ccc
from ccc.compile.api import pipeline


def squared(x: float) -> float:
    return x * x


@ccc.derivative_of(squared)
def squared_rule(x: float) -> Any:
    return squared(x), lambda ct: ct * 2.0 * x


def loud(x: float) -> float:
    print("value")
    return math.exp(x)


@ccc.derivative_of(loud)
def loud_rule(x: float) -> Any:
    print("rule")
    y = loud(x)
    return y, lambda ct: ct * y


@ccc.differentiable_function
def loud_alone(x: float) -> Any:
    print("rule")

    def again(t: float) -> float:
        return loud(t)

    y = again(x)
    if x > 1.0:
        return y * x, lambda ct: ct * y * (1.0 + x)
    return y, lambda ct: ct * y


FORMS: dict[str, Any] = {
    "value": lambda f: ccc.compiled(f)(0.0),
    "gradient": lambda f: ccc.gradient(f)(0.0),
    "derivative": lambda f: ccc.derivative(f)(0.0),
    "jvp": lambda f: ccc.jvp(f, (0.0,), (1.0,))[1],
    "a jvp inside": lambda f: ccc.compiled(lambda x: ccc.jvp(f, (x,), (1.0,)))(0.0)[1],
    "a pullback inside": lambda f: ccc.compiled(lambda x: ccc.value_with_pullback(f)(x)[1](1.0))(0.0),
    "jacobian": lambda f: ccc.jacobian(f)(0.0),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_a_function_prints_is_printed_once(
    form: str, backend: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pipeline, "BACKEND", backend)
    for f, printed in ((loud_alone, ["rule", "value"]), (lambda x: loud(x), ["rule", "value"]),
                       (lambda x: math.exp(x) if print("plain") is None else x, ["plain"])):  # fmt: skip
        assert FORMS[form](f) == 1.0
        found = capsys.readouterr().out.split()
        assert found in (printed, printed[::-1]) or (form == "value" and found == printed[-1:])


def test_a_tangent_through_a_rule_with_all_that_a_rule_may_hold():
    """What is around a pullback has no cotangent, what is in it has."""

    @ccc.differentiable_function
    def threefold(x: float) -> Any:
        def doubled(t: float, n: int) -> Any:
            return t if n == 0 else doubled(2.0 * t, n - 1)

        def scaled(t: float) -> float:
            return 3.0 * doubled(t, 2) + 0.0 * squared(x) * t

        y = x
        for _ in range(2):
            y = y + squared(y) * 0.0
        found = (lambda ct: scaled(ct)) if x > 0.0 else (lambda ct: 2.0 * scaled(ct))
        return scaled(y), found

    for x, slope in ((0.5, 12.0), (-0.5, 24.0)):
        assert ccc.derivative(threefold)(x) == ccc.gradient(threefold)(x) == slope
        assert ccc.value_with_differential(threefold)(x)[1](2.0) == 2.0 * slope
