"""What `check_derivative` finds: wrong derivatives in ints, in objects of subclasses, and in forward mode alone."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import ccc
from ccc.compile.api.checking import WrongDerivative
from ccc.primitives.elementary_math import exp


@dataclass
class Shape:
    width: float
    count: int


@dataclass
class Box(Shape):
    height: float
    corner: Any = None


class Pair(NamedTuple):
    a: float
    n: int


def box(p: Box, d_count: Any, d_height: float) -> Any:
    """A function of a box, whose rule gives these for the slopes in two of its fields."""

    def counted(ct: Any) -> Any:
        return None if d_count is None else ct * d_count

    def volume(p):
        return p.width * p.height * p.count

    @ccc.derivative_of(volume)
    def rule(p):
        return volume(p), lambda ct: Box(
            ct * p.height * p.count, counted(ct), ct * d_height, None)

    return volume


BOX = Box(1.5, 2, 3.0)


def power(slope: Any) -> Any:
    f = ccc.custom_vjp(lambda x, n: x**n)
    f.defvjp(lambda x, n: (x**n, (x, n)),
             lambda kept, ct: (ct * kept[1] * kept[0] ** (kept[1] - 1.0), slope(ct, *kept)))
    return f


@pytest.mark.parametrize(("f", "args", "note"), [
    (power(lambda ct, x, n: ct), (2.0, 3), "`n` at 3: the derivative gives 1, differences 5.54"),
    (power(lambda ct, x, n: None), (2.0, 3), "`n` at 3: the derivative gives 0, differences 5.54"),
    (box(BOX, 5.0, 3.0), (BOX,), "`p[1]` at 2: the derivative gives 5, differences 4.5 to the left"),
    (box(BOX, None, 3.0), (BOX,), "`p[1]` at 2: the derivative gives 0, differences 4.5 to the left"),
    (box(BOX, 4.5, 3.5), (BOX,), "`p[2]` at 3.0: the derivative gives 3.5, differences 3 to the left"),
])  # fmt: skip
def test_a_wrong_slope_is_found(f: Any, args: Any, note: str):
    with pytest.raises(WrongDerivative) as caught:
        ccc.check_derivative(f, *args)
    assert caught.value.diagnostics[0].notes[0].startswith(note)


def test_what_is_right_is_not_told_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ccc.check_derivative(power(lambda ct, x, n: ct * x**n * np.log(x)), 2.0, 3)
        ccc.check_derivative(box(BOX, 4.5, 3.0), BOX)
        ccc.check_derivative(lambda p, xs: p.a**p.n * xs[0] * xs[1], Pair(1.5, 2), [2, 0.5])

        def looped(x, n):
            for _ in range(n):
                x = x * x
            return x

        ccc.check_derivative(looped, 1.1, 3)  # needs an integer
        ccc.check_derivative(lambda b, x: np.sum(b.height * x) * b.width, Box(1.0, 2, 3.0), np.array([1.0, 2.0]))


def test_forward_mode_is_compared():
    rule: Any = exp.differential
    object.__setattr__(exp, "differential", lambda ds, y, x: rule(ds, y, x) * 2.0)
    try:
        with pytest.raises(WrongDerivative) as caught:
            ccc.check_derivative(lambda x, y: math.exp(x + 0.0 * y) * 1.25, 0.0, 1.0)
    finally:
        object.__setattr__(exp, "differential", rule)
    (d,) = caught.value.diagnostics
    assert d.notes[0].startswith("`x` at 0.0: the derivative in forward mode gives 2.5, differences 1.25")
    assert d.help == "correct the tangent of `x`"
