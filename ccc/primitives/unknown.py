"""Derivatives that nobody has given: one that is asked for is refused by name, and never a zero.

The slope of a function in an argument in which it has no rule is `unknown` of all that it would be computed from, and
so are the derivatives of that. Where nothing reads it, it goes with all else that nothing reads; where something does,
the program is refused while compiling, or the number where it is computed.

>>> unknown(1.0, 2.0, of="f", argument="a")
Traceback (most recent call last):
ccc.errors.MissingDerivative: `f` has no derivative in `a`
"""

from __future__ import annotations

from typing import Any

from ccc.additive import ZERO, Zero, add as sum_of
from ccc.errors import MissingDerivative
from ccc.objects import Array, Object, array
from ccc.primitives import shaping
from ccc.primitives.broadcasting import fit
from ccc.primitives.facts import ENTRIES, MAY, NEW, jointly
from ccc.primitives.pointwise import Slope, spread
from ccc.primitives.primitive import Primitive


def missing(of: str, argument: str) -> MissingDerivative:
    """The refusal of a derivative in one argument of a function."""
    return MissingDerivative(f"`{of}` has no derivative in `{argument}`",
                             f"give the function a rule with ccc.derivative_of, or keep `{argument}` constant: "
                             "ccc.without_derivative(...)")


def _refuse(*xs: Any, of: str, argument: str) -> Any:
    raise missing(of, argument)


def _type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """That of the first argument, with as many axes as any has."""
    axes = [shaping.axes_of(a) for a in args]
    if not any(isinstance(a, Array) for a in args):
        return args[0]
    return array("float64", None if None in axes else ("?",) * max(len(a or ()) for a in axes))


def _pullback(ct: Any, y: Any, *xs: Any, **params: Any) -> tuple[Any, ...]:
    return tuple([fit(unknown(ct, *xs, **params), x) for x in xs])


def _differential(ds: tuple[Any, ...], y: Any, *xs: Any, **params: Any) -> Any:
    found: Any = ZERO
    for d in ds:
        if not isinstance(d, Zero):
            found = sum_of(found, unknown(d, *xs, **params))
    return spread(found, y)


unknown = Primitive(
    "unknown", _refuse, _type, lambda *xs, of, argument: f"unknown({', '.join(xs)}, {of=!r}, {argument=!r})",
    _pullback, _differential, memory=NEW, work=ENTRIES, raises=MAY, linear=jointly(0),
)
"""`unknown(*xs, of=, argument=)`: what would be computed of `xs` if the derivative of a function were known."""


def no_slope(of: str, argument: str) -> Slope:
    """The slope of a function in an argument in which it has no rule."""
    return lambda d, y, *xs: unknown(d, *xs, of=of, argument=argument)
