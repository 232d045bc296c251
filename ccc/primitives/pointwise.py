"""Primitives that act element by element: one slope per argument serves both modes.

    slope_i(d, y, *xs) = d * dy/dx_i          additive in d, strict in its zero

    pullback      ct  |->  (fit(slope_i(ct), x_i))_i        differential   (d_i)  |->  sum_i slope_i(d_i)

>>> square = operation("square", lambda x: x * x, "square({})", lambda d, y, x: d * (2 * x))
>>> square.pullback(1.0, 9.0, 3.0), square.differential((1.0,), 9.0, 3.0)
((6.0,), 6.0)
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, add as sum_of
from ccc.base import Traced
from ccc.objects import Array, Object, Real, is_of_any_kind, is_truth
from ccc.primitives.broadcasting import broadcast_like, fit, kind_of
from ccc.primitives.facts import ENTRIES, NEVER, NEW
from ccc.primitives.primitive import Primitive, TypeRule, by_sampling, elementwise

Slope = Callable[..., Any]


def item_by_item(value: Callable[..., float]) -> Callable[..., Any]:
    """A function of numbers as one of arrays, which warns of nothing.

    >>> item_by_item(lambda x, n: x**n)(np.array([1.0, 2.0]), 3.0)
    array([1., 8.])
    """
    items = np.vectorize(value, otypes=[float])

    def found(*xs: Any) -> Any:
        with np.errstate(all="ignore"):
            return items(*xs)[()]

    return found


def spread(d: Any, y: Any) -> Any:
    """A tangent with the shape of `y`, of which it may be a broadcast part."""
    kind = kind_of(y)
    if isinstance(d, Zero) or not isinstance(kind, Array):
        return d
    if kind_of(d) == kind and kind.axes is not None and "?" not in kind.axes:
        return d
    return broadcast_like(d, y)


def says(x: Any) -> bool:
    """True for truth values, which have no derivative; integers may stand for reals."""
    return isinstance(x, Traced) and is_truth(x.object)


def operation(
    name: str, value: Callable[..., Any], source: str | Callable[..., str], *slopes: Slope,
    exact: bool = False, precedence: int = 100, type_rule: TypeRule = elementwise, whole: bool = False, **facts: Any,
) -> Primitive:
    """An elementwise primitive with one slope per argument."""

    def pullback(ct: Any, y: Any, *xs: Any) -> tuple[Any, ...]:
        return tuple([ZERO if says(x) else fit(slope(ct, y, *xs), x) for slope, x in zip(slopes, xs, strict=True)])

    def differential(ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
        found: Any = ZERO
        for slope, d in zip(slopes, ds, strict=True):
            if not isinstance(d, Zero):
                found = sum_of(found, slope(d, y, *xs))
        return spread(found, y)

    return Primitive(name, value, type_rule, source, pullback, differential, exact, precedence, whole=whole,
                     **(entries_of(value) | facts))


def entries_of(value: Callable[..., Any]) -> dict[str, Any]:
    """The facts of an elementwise function: those of NumPy, `operator` and `math` give what is new; those of NumPy
    raise at no item.

    >>> import math
    >>> entries_of(math.sin)["memory"].how, entries_of(lambda x: x)
    ('new', {'work': 'entries'})
    """
    built_in = isinstance(value, (np.ufunc, BuiltinFunctionType))
    total = isinstance(value, np.ufunc)
    return {"work": ENTRIES, **({"memory": NEW} if built_in else {}), **({"raises": NEVER} if total else {})}


def no_cotangents(ct: Any, y: Any, *xs: Any, **params: Any) -> tuple[Any, ...]:
    """The pullback of what is locally constant."""
    return (ZERO,) * len(xs)


def no_tangent(ds: tuple[Any, ...], y: Any, *xs: Any, **params: Any) -> Any:
    """The differential of what is locally constant."""
    return ZERO


def flat(
    name: str, value: Callable[..., Any], source: str | Callable[..., str], *,
    exact: bool = False, precedence: int = 100, type_rule: TypeRule = elementwise, whole: bool = False, **facts: Any,
) -> Primitive:
    """A primitive that is locally constant: comparisons, rounding, tests. Its derivative is zero everywhere."""
    return Primitive(name, value, type_rule, source, no_cotangents, no_tangent, exact, precedence, whole=whole,
                     **(entries_of(value) | facts))


def scalar_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """The type rule of functions on Python scalars, such as those of `math`: arrays of rank 0 count as scalars."""
    scalars = [Array(a.dtype, ()) if isinstance(a, Array) and a.axes is None else a for a in args]
    return by_sampling(p, tuple([Real() if is_of_any_kind(a) else a for a in scalars]), params)
