"""Norms of every order, and condition numbers.

    d norm_p x = sum of sign(x) (|x| / y)^(p - 1) dx        y = norm_p x, and 0 at 0
    d cond_p a = y (d norm_p a / norm_p a - <slope at inv a, inv a da inv a> / norm_p inv a)

Norms by absolute values and by singular values are made of `sum`, `max`, `abs` and `svdvals`, and have their slopes at
kinks: equal parts where several are largest.

>>> norm_of_order.pullback(1.0, 5.0, np.array([3.0, -4.0]), order=2.0, axis=0)[0]
array([ 0.6, -0.8])
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.objects import REAL, Array, Object, array
from ccc.primitives import matrices, reductions
from ccc.primitives.arithmetic import to_float64
from ccc.primitives.bilinear import rank_of
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import unranked
from ccc.primitives.elementary_numpy import absolute, multiply, sign
from ccc.primitives.factorisations import svdvals
from ccc.primitives.facts import MAY, NEVER, NEW, SUMS, jointly, may_be
from ccc.primitives.guarded import over0, power0, times0, unit
from ccc.primitives.indexing import index
from ccc.primitives.pointwise import operation
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import dtype_of, expand, places_of, reduced_axes, scalar_kind, sum_
from ccc.primitives.shaping import astype, expand_dims, moveaxis

# -- sums of powers --------------------------------------------------------------------------------------------------


def _norm(x: Any, order: float, axis: int, keepdims: bool = False) -> Any:
    return np.linalg.norm(x, order, axis, keepdims)


def _norm_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = args[0].axes if isinstance(args[0], Array) else ()
    dtype = dtype_of(args[0]) if dtype_of(args[0]).startswith("float") else "float64"
    left = reduced_axes(axes, params["axis"], params.get("keepdims", False))
    return scalar_kind(dtype) if left == () else array(dtype, left)


def _direction(d: Any, y: Any, x: Any, order: float, axis: int, keepdims: bool = False) -> Any:
    share = unit(absolute(x), expand(y, x, axis, keepdims))
    return times0(times0(d, sign(x)), power0(share, order - 1))


def _norm_pullback(ct: Any, y: Any, x: Any, **params: Any) -> tuple[Any, ...]:
    full = expand(ct, x, params["axis"], params.get("keepdims", False))
    return (_direction(full, y, x, **params),)


def _norm_differential(ds: tuple[Any, ...], y: Any, x: Any, **params: Any) -> Any:
    return sum_(_direction(ds[0], y, x, **params), axis=params["axis"], keepdims=params.get("keepdims", False))


def _norm_source(x: str, order: float, axis: int, keepdims: bool = False) -> str:
    return f"np.linalg.norm({x}, {order!r}, {axis}{', True' if keepdims else ''})"


norm_of_order = Primitive(
    "norm_of_order", _norm, _norm_type, _norm_source, _norm_pullback, _norm_differential, memory=NEW, work=SUMS,
    raises=unranked, enclosed="magnitudes",
)
"""The p-norm along an axis, p finite and not 0: `sum(abs(x)**p)**(1/p)`."""


length_of = Primitive(
    "length_of", lambda x: math.hypot(*x), lambda p, args, params: REAL, "math.hypot(*{})",
    lambda ct, y, x: (times0(ct, unit(x, y)),), lambda ds, y, x: sum_(times0(ds[0], unit(x, y)), axis=None),
    memory=NEW, work=SUMS, raises=NEVER, enclosed="magnitudes",
)
"""`math.hypot` of the items of an array with one axis, which rounds otherwise than `np.linalg.norm`; slope 0 at 0."""


# -- the orders of `np.linalg.norm` ----------------------------------------------------------------------------------


def _kept(keepdims: bool) -> dict[str, Any]:
    return {"keepdims": True} if keepdims else {}


def vector_norm(x: Any, order: Any, axis: int, keepdims: bool) -> Any:
    """The norm of the vectors along an axis.

    >>> vector_norm(np.array([[3.0, -4.0]]), np.inf, 1, False)
    array([4.])

    Raises `ValueError` for an order that is none of vectors.
    """
    params = {"axis": axis, **_kept(keepdims)}
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order '{order}' for vectors")
    if order in (None, 2):
        return reductions.norm(x, **params)
    if order == 0:
        return _real(reductions.count_nonzero(x, **params), x)
    if order == 1:
        return sum_(absolute(x), **params)
    if order in (np.inf, -np.inf):
        extreme = reductions.max_ if order > 0 else reductions.min_
        return extreme(absolute(x), **params)
    return norm_of_order(x, order=order, **params)


def _real(n: Any, x: Any) -> Any:
    """A count in the dtype of the array that was counted."""
    dtype = dtype_of(kind_of(x)) if dtype_of(kind_of(x)).startswith("float") else "float64"
    if isinstance(kind_of(n), Array):
        return astype(n, dtype=dtype)
    return to_float64(n) if dtype == "float64" else astype(n, dtype=dtype)


def matrix_norm(x: Any, order: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    """The norm of the matrices along two axes.

    >>> matrix_norm(np.array([[3.0, 0.0], [0.0, -4.0]]), "nuc", (0, 1), False).item()
    7.0

    Raises `ValueError` for an order that is none of matrices, or two equal axes.
    """
    rank = rank_of(x)
    if rank is None:
        raise TypeError("np.linalg.norm of matrices needs an array whose rank is known")
    row, column = [places_of(rank, axis)[0] for axis in axes]
    if row == column:
        raise ValueError("Duplicate axes given.")
    if order in (None, "fro", "f"):
        return reductions.norm(x, axis=(row, column), **_kept(keepdims))
    if order in (1, -1, np.inf, -np.inf):
        along, across = (row, column) if abs(order) == 1 else (column, row)
        extreme = reductions.max_ if order > 0 else reductions.min_
        found = extreme(sum_(absolute(x), axis=along), axis=across - (across > along))
    elif order in (2, -2, "nuc"):
        turned = x if (row, column) == (rank - 2, rank - 1) else moveaxis(
            x, source=(row, column), destination=(-2, -1))
        of = sum_ if order == "nuc" else reductions.max_ if order > 0 else reductions.min_
        found = of(svdvals(turned), axis=-1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return expand_dims(found, axis=tuple(sorted((row, column)))) if keepdims else found


# -- condition numbers -----------------------------------------------------------------------------------------------


def _inverse_or_nan(a: Any) -> Any:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError as error:
        if str(error) != "Singular matrix":
            raise
        return np.full_like(a, np.nan) if np.ndim(a) == 2 else np.array([_inverse_or_nan(one) for one in a])


inverse_or_nan = replace(matrices.inv, name="inverse_or_nan", value=_inverse_or_nan, source="inverse_or_nan({})")
"""The inverse, which is not a number where the matrix is singular."""


def _quotient(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.divide(a, b)


quotient = operation(
    "quotient", _quotient, "quotient({}, {})", lambda d, y, a, b: over0(d, b),
    lambda d, y, a, b: -over0(times0(d, y), b), memory=NEW, linear=jointly(0), raises=NEVER,
)


def _condition(r: Any, a: Any) -> Any:
    unknown = np.isnan(r) & ~np.isnan(a).any(axis=(-2, -1))
    return np.where(unknown, np.inf, r)[()].astype(np.result_type(r))


condition = linear(
    "condition", _condition, lambda p, args, params: args[0], "condition({}, {})",
    lambda ct, y, r, a: (ct, ZERO), memory=may_be(0), work=SUMS, raises=MAY,
)
"""A condition number, infinite where it is not a number though the matrix is one."""


def condition_number(a: Any, order: Any) -> Any:
    """The condition number of matrices.

    >>> condition_number(np.diag([4.0, 2.0]), 1).item(), condition_number(np.zeros((2, 2)), None).item()
    (2.0, inf)
    """
    if order in (None, 2, -2):
        s = svdvals(a)
        first, last = [index(s, place, pattern=(".", "i")) for place in (0, -1)]
        return condition(quotient(last, first) if order == -2 else quotient(first, last), a)
    norms = [matrix_norm(x, order, (-2, -1), False) for x in (a, inverse_or_nan(a))]
    return condition(multiply(*norms), a)
