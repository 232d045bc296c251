"""Arrays made anew: constants of a given shape, and ranges.

    d full(x) = full(dx)        d arange(a, b, s)_i = da + i ds        d linspace(a, b)_i = (1 - t_i) da + t_i db

Sizes are arguments. `known` says of each axis what the compiler saw: one, more, or unknown.

>>> zeros(2, 1, known=("n", "1")), linspace.pullback(np.ones(3), np.ones(3), 0.0, 1.0, 3)[:2]
(array([[0.],
       [0.]]), (np.float64(1.5), np.float64(1.5)))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, add
from ccc.objects import Array, Int, Object, array
from ccc.primitives.broadcasting import broadcast_like, fit, kind_of
from ccc.primitives.domains import Known, negative_sizes, uncombined, unknown_rank
from ccc.primitives.facts import ENTRIES, FILLING, IN_ORDER, MOVEMENT, NEVER, NEW, NOTHING, Memory, jointly
from ccc.primitives.pointwise import no_cotangents, no_tangent
from ccc.primitives.primitive import Primitive, by_sampling, linear
from ccc.primitives.reductions import call_source, dtype_of, sum_
from ccc.primitives.shaping import shape_text
from ccc.primitives.sizes import made, made_of, ranged

DTYPE = "float64"


# -- constant arrays -------------------------------------------------------------------------------------------------


def _filled_source(name: str) -> Callable[..., str]:
    return lambda *sizes, dtype=DTYPE, known=None: f"np.{name}({shape_text(sizes)}{_dtype_text(dtype)})"


def _dtype_text(dtype: str) -> str:
    return "" if dtype == DTYPE else f", dtype={dtype!r}"


def _sizes(p: Primitive, args: tuple[Object, ...]) -> None:
    """Refuse sizes that are no integers."""
    for a in args:
        if not isinstance(a, Int) and not (isinstance(a, Array) and not a.is_real and a.axes in ((), None)):
            raise TypeError(f"{p.name}: the sizes of an array are integers")


def _sized_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    _sizes(p, args)
    return array(params.get("dtype", DTYPE), params.get("known") or ("?",) * len(args))


def _constant(
    name: str, value: Callable[..., Any], rule: Any, source: Any, memory: Memory = IN_ORDER, **facts: Any
) -> Primitive:
    return Primitive(name, value, rule, source, no_cotangents, no_tangent, memory=memory, **facts)


zeros = _constant(
    "np.zeros", lambda *sizes, dtype=DTYPE, known=None: np.zeros(sizes, dtype), _sized_type, _filled_source("zeros"),
    work=FILLING, bounds=NOTHING, shape=made, raises=negative_sizes,
)
ones = _constant(
    "np.ones", lambda *sizes, dtype=DTYPE, known=None: np.ones(sizes, dtype), _sized_type, _filled_source("ones"),
    work=MOVEMENT, shape=made, raises=negative_sizes,
)


blank = _constant(
    "blank", lambda *sizes, dtype=DTYPE, known=None: np.zeros([max(n, 0) for n in sizes], dtype), _sized_type,
    _filled_source("zeros"), work=MOVEMENT, shape=made, raises=NEVER,
)
"""Zeros that nobody changes, and of which nobody reads more than the sizes: those of an array."""


def _like_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """Of a number, an array without axes."""
    return args[0] if isinstance(args[0], Array) else array(dtype_of(args[0]), ())


zeros_like = _constant(
    "np.zeros_like", np.zeros_like, _like_type, "np.zeros_like({})", work=FILLING, memory=NEW, sizes=(0,), like=0,
    bounds=NOTHING, raises=NEVER,
)
ones_like = _constant(
    "np.ones_like", np.ones_like, _like_type, "np.ones_like({})", work=MOVEMENT, memory=NEW, sizes=(0,), like=0,
    raises=NEVER,
)
eye = _constant(
    "np.eye", lambda *sizes, known=None: np.eye(*sizes),
    lambda p, args, params: _sized_type(p, (args * 2)[:2], params),
    lambda *sizes, known=None: f"np.eye({', '.join(sizes)})",
    work=MOVEMENT, shape=lambda args, params: made((args * 2)[:2], params), raises=negative_sizes,
)
def _unfilled(x: Known, *sizes: Known, **params: Any) -> bool:
    """Where sizes are negative, or are not those of what fills them."""
    return not x.single or negative_sizes(*sizes)


full = linear(
    "np.full", lambda x, *sizes, known=None: np.full(sizes, x),
    lambda p, args, params: _sized_type(p, args[1:], {**params, "dtype": dtype_of(args[0])}),
    lambda x, *sizes, known=None: f"np.full({shape_text(sizes)}, {x})",
    lambda ct, y, x, *sizes, known=None: (fit(ct, x), *[ZERO] * len(sizes)), memory=IN_ORDER, work=MOVEMENT,
    shape=made_of, raises=_unfilled,
)


# -- ranges ----------------------------------------------------------------------------------------------------------


def _arange_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(dtype_of(by_sampling(p, args, {})), ("?",))


def _arange_pullback(ct: Any, y: Any, *xs: Any) -> tuple[Any, ...]:
    """The start moves every entry, the step the i-th one i times, the stop none."""
    start = sum_(ct)
    return ((ZERO,), (start, ZERO), (start, ZERO, sum_(ct * places(y))))[len(xs) - 1]


def _arange_differential(ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
    start = ds[0] if len(xs) > 1 else ZERO
    step = ds[2] if len(xs) > 2 else ZERO
    shift = start if isinstance(start, Zero) else broadcast_like(start, y)
    return add(shift, step if isinstance(step, Zero) else step * places(y))


def _linspace_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    ends = [a for a in args[:2] if isinstance(a, Array)]
    dtype = dtype_of(by_sampling(p, args, {}))
    if any(a.axes is None for a in ends):
        return array(dtype, None)
    rank = max([len(a.axes or ()) for a in ends], default=0)
    return array(dtype, (*(params.get("known") or ("?",)), *["?"] * rank))


def _fractions(y: Any, n: Any, known: Any) -> Any:
    """How far each entry is on the way from the first end to the other, with the axes of the ends behind."""
    from ccc.primitives.indexing import index

    t, a = linspace(0.0, 1.0, n, known=known), kind_of(y)
    if not isinstance(a, Array) or a.axes is None:
        raise TypeError("np.linspace has a derivative for ends whose rank is known")
    return t if len(a.axes) == 1 else index(t, pattern=("s", *["+"] * (len(a.axes) - 1)))


def _linspace_pullback(ct: Any, y: Any, a: Any, b: Any, n: Any, known: Any = None) -> tuple[Any, ...]:
    t = _fractions(y, n, known)
    return fit(ct * (1.0 - t), a), fit(ct * t, b), ZERO


def _linspace_differential(ds: tuple[Any, ...], y: Any, a: Any, b: Any, n: Any, known: Any = None) -> Any:
    t = _fractions(y, n, known)
    da, db = ds[:2]
    found = add(da if isinstance(da, Zero) else da * (1.0 - t), db if isinstance(db, Zero) else db * t)
    spread = any(isinstance(kind_of(x), Array) for x in (a, b)) and not isinstance(found, Zero)
    return broadcast_like(found, y) if spread else found


def _no_range(*xs: Known, **params: Any) -> bool:
    """Where the step is zero, or the range is not finite."""
    return any(not x.finite for x in xs) or (len(xs) == 3 and xs[2].has(0.0))


arange = Primitive(
    "np.arange", np.arange, _arange_type, call_source("np.arange"), _arange_pullback, _arange_differential,
    whole=True, memory=IN_ORDER, work=ENTRIES, shape=ranged, raises=_no_range,
)
places = Primitive(
    "places", lambda y: np.arange(y.shape[0], dtype=y.dtype), lambda p, args, params: args[0], "places({})",
    no_cotangents, no_tangent, memory=IN_ORDER, work=ENTRIES, raises=unknown_rank,
)
linspace = Primitive(
    "np.linspace", lambda a, b, n, known=None: np.linspace(a, b, n), _linspace_type,
    lambda a, b, n, known=None: f"np.linspace({a}, {b}, {n})", _linspace_pullback, _linspace_differential,
    memory=IN_ORDER, work=ENTRIES, linear=jointly(0, 1), adding=True,
    raises=lambda a, b, n, **params: n.low < 0 or uncombined(a, b),
)
