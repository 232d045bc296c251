"""Matrices: diagonals, traces, inverses, linear systems, determinants.

    d (inv a) = -inv a @ da @ inv a        d (solve a b) = solve a (db - da @ x)        d det a = <cofactor a, da>

The cofactors of a singular matrix are finite, and so is the slope of its determinant.

>>> det.pullback(1.0, 0.0, np.array([[1.0, 2.0], [2.0, 4.0]]))[0].round(12) + 0.0
array([[ 4., -2.],
       [-2.,  1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, total
from ccc.objects import Object, array
from ccc.primitives import bilinear
from ccc.primitives.bilinear import np_matmul as matmul, outer, rank_of
from ccc.primitives.broadcasting import broadcast_like, fit
from ccc.primitives.domains import unknown_rank
from ccc.primitives.facts import ENTRIES, MAY, MOVEMENT, NEW, SUMS, SYSTEMS, jointly, may_be
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import call_source, dtype_of, expand, scalar_kind, sum_
from ccc.primitives.shaping import axes_of, expand_dims, squeeze, swapaxes
from ccc.wording import in_words


def turned(a: Any) -> Any:
    """The transposes of a stack of matrices."""
    return swapaxes(a, axis1=-1, axis2=-2)


# -- diagonals -------------------------------------------------------------------------------------------------------


def _diagonal_onto(ct: Any, x: Any, k: int = 0) -> Any:
    if np.ndim(x) == 1:  # whose axes were not known, and whose matrix was made
        return np.diag(ct, k).copy()
    height, width = np.shape(x)
    out = np.zeros((height, width), np.asarray(ct).dtype)
    n = min(height + min(k, 0), width - max(k, 0))
    i = np.arange(max(n, 0))
    out[i - min(k, 0), i + max(k, 0)] = ct
    return out


def _diag_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = axes_of(args[0])
    dtype = dtype_of(args[0])
    if axes is None:
        return array(dtype, None)
    return array(dtype, ("?",) * (3 - len(axes)) if params.get("k") or len(axes) == 2 else axes * 2)


def _diag_is_read_only(x: Object, k: int = 0) -> bool | None:
    """The diagonal of a matrix is a view of it."""
    axes = axes_of(x)
    return None if axes is None else len(axes) == 2


def _diag_pullback(ct: Any, y: Any, x: Any, k: int = 0) -> tuple[Any, ...]:
    params = {"k": k} if k else {}
    return (diag(ct, **params) if rank_of(x) == 1 else diagonal_onto(ct, x, **params),)


def _trace_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return scalar_kind(np.trace(np.ones((1, 1), dtype_of(args[0]))).dtype.name)


def _like_second(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(dtype_of(args[0]), axes_of(args[1]))


diag = linear("np.diag", np.diag, _diag_type, call_source("np.diag"), _diag_pullback, memory=may_be(0), work=ENTRIES,
    read_only=_diag_is_read_only, adding=True,
    raises=lambda x, k=0: x.axes is None or len(x.axes) not in (1, 2))
diagonal_onto = linear(
    "diagonal_onto", _diagonal_onto, _like_second, call_source("diagonal_onto"),
    lambda g, y, ct, x, k=0: (diag(g, **({"k": k} if k else {})), ZERO), memory=NEW, work=MOVEMENT, sizes=(1,),
    raises=MAY,
)
trace = linear("np.trace", np.trace, _trace_type, "np.trace({})", lambda ct, y, x: (trace_onto(ct, x),),
               memory=NEW, work=SUMS, raises=unknown_rank, adding=True)
trace_onto = linear(
    "trace_onto", lambda ct, x: ct * np.eye(*np.shape(x), dtype=np.asarray(ct).dtype), _like_second,
    "trace_onto({}, {})", lambda g, y, ct, x: (trace(g), ZERO), memory=NEW, work=MOVEMENT, sizes=(1,),
    raises=unknown_rank,
)


# -- inverses and systems --------------------------------------------------------------------------------------------


def matrix_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(lapack_dtype(args[0]), matrix_axes(p, args[0]))


def matrix_axes(p: Primitive, a: Object) -> tuple[str, ...] | None:
    """The axes of a stack of matrices; raises `TypeError` for what is none."""
    axes = axes_of(a)
    if axes is not None and len(axes) < 2:
        raise TypeError(f"`{p.name}` takes matrices: found {in_words(a)}")
    return axes


def lapack_dtype(a: Object) -> str:
    return "float32" if dtype_of(a) == "float32" else "float64"


def _solve_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, b = args
    matrix_axes(p, a)
    if axes_of(b) == ():
        raise TypeError(f"`{p.name}` takes an array on the right: found {in_words(b)}")
    dtype = "float32" if lapack_dtype(a) == lapack_dtype(b) == "float32" else "float64"
    stack, right = axes_of(a) or (), axes_of(b)
    if len(stack) <= 2:
        return array(dtype, right)
    fits = right is not None and right[-2:][0] == stack[-1]  # what does not fit NumPy refuses
    return array(dtype, axes_of(bilinear.matmul.type_rule(p, (a, b), {})) if fits else None)


def _det_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = matrix_axes(p, args[0])
    dtype = lapack_dtype(args[0])
    if axes is None:
        return array(dtype, None)
    return scalar_kind(dtype) if len(axes) == 2 else array(dtype, axes[:-2])


def _solve_pullback(ct: Any, x: Any, a: Any, b: Any) -> tuple[Any, ...]:
    stacked, rank = rank_of(a) != 2, rank_of(b)
    if stacked and rank == 1:
        ct, x = expand_dims(ct, axis=-1), expand_dims(x, axis=-1)
    ct_b = solve(turned(a), ct)
    if rank == 1 and not stacked:
        return -outer(ct_b, x), ct_b
    ct_a = -matmul(ct_b, turned(x))
    if rank == 1:
        return fit(ct_a, a), fit(squeeze(ct_b, axis=-1), b)
    return (fit(ct_a, a), fit(ct_b, b)) if stacked or rank != 2 else (ct_a, ct_b)


def _solve_differential(ds: tuple[Any, ...], x: Any, a: Any, b: Any) -> Any:
    da, db = ds
    if isinstance(da, Zero):
        return broadcast_like(solve(a, db), x) if rank_of(a) != 2 else solve(a, db)
    columns = rank_of(a) != 2 and rank_of(b) == 1
    moved = matmul(da, expand_dims(x, axis=-1)) if columns else matmul(da, x)
    if columns:
        right = -moved if isinstance(db, Zero) else expand_dims(db, axis=-1) - moved
        return squeeze(solve(a, right), axis=-1)
    return solve(a, -moved if isinstance(db, Zero) else db - moved)


inv = Primitive(
    "np.linalg.inv", np.linalg.inv, matrix_type, "np.linalg.inv({})",
    lambda ct, y, a: (-matmul(matmul(turned(y), ct), turned(y)),), lambda ds, y, a: -matmul(matmul(y, ds[0]), y),
    memory=NEW, work=SYSTEMS, raises=MAY, enclosed="inverse",
)
solve = Primitive(
    "np.linalg.solve", np.linalg.solve, _solve_type, "np.linalg.solve({}, {})", _solve_pullback, _solve_differential,
    memory=NEW, work=SYSTEMS, linear=jointly(1), raises=MAY, enclosed="solution",
)


# -- determinants ----------------------------------------------------------------------------------------------------


def _cofactor(a: Any) -> Any:
    """The matrix of cofactors: `det a * inv a^T` where that has the digits, elsewhere by singular values."""
    with np.errstate(all="ignore"):
        size = np.linalg.det(a)[..., None, None]
        inverse = np.linalg.inv(np.where(size == 0, np.eye(a.shape[-1], dtype=a.dtype), a))
        condition = _norm(a) * _norm(inverse)
        regular = (size != 0) & (condition < np.finfo(inverse.dtype).eps ** -0.25)
        found = size * turned(inverse)
    if np.all(regular):
        return found
    if np.ndim(a) == 2:
        return cofactor_by_singular_values(a)
    others = ~regular[..., 0, 0]
    found[others] = cofactor_by_singular_values(a[others])
    return found


def _norm(a: Any) -> Any:
    return np.max(np.sum(np.abs(a), axis=-1, keepdims=True), axis=-2, keepdims=True, initial=0.0)


def cofactor_by_singular_values(a: Any) -> Any:
    """The matrix of cofactors: finite where `a` is singular."""
    u, s, vt = np.linalg.svd(a)
    before = np.cumprod(np.concatenate([np.ones_like(s[..., :1]), s[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([np.ones_like(s[..., :1]), s[..., :0:-1]], -1), -1)[..., ::-1]
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return np.matmul(u * (sign[..., None, None] * (before * after)[..., None, :]), vt)


def _cofactor_slope(d: Any, a: Any) -> Any:
    """The derivative of the cofactors at `a` along `d`, by singular values: finite where `a` is singular.

    At a diagonal matrix s, where p_ij is the product of all s_k but s_i and s_j, it is -p_ij d_ji beside the diagonal
    and the sum of the p_ij d_jj on it.
    """
    u, s, vt = np.linalg.svd(a)
    n = s.shape[-1]
    others = 1 - np.eye(n, dtype=s.dtype)
    left = others[:, None, :] * others[None, :, :] > 0
    products = others * np.prod(np.where(left, s[..., None, None, :], 1), axis=-1)
    within = np.matmul(np.matmul(turned(u), d), turned(vt))
    diagonal = np.matmul(products, np.diagonal(within, axis1=-2, axis2=-1)[..., None])
    found = np.eye(n, dtype=s.dtype) * diagonal - products * turned(within)
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return np.matmul(np.matmul(u * sign[..., None, None], found), vt)


def _trace_of(ct: Any, a: Any) -> Any:
    return sum_(sum_(ct * a, axis=-1, keepdims=True), axis=-2, keepdims=True)


def _cofactor_bend(d: Any, e: Any, a: Any) -> Any:
    """The second derivative of the cofactors `c = det a * b`, `b = inv a^T`, of a regular matrix along `d` and `e`."""
    b, c = turned(inv(a)), cofactor(a)
    along_d, along_e = _trace_of(d, b), _trace_of(e, b)
    turned_d, turned_e = matmul(turned(d), b), matmul(turned(e), b)
    both = along_d * along_e - _trace_of(turned(turned_d), turned_e)
    each = along_d * turned_e + along_e * turned_d
    return both * c + matmul(c, matmul(turned_d, turned_e) + matmul(turned_e, turned_d) - each)


def _slope_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return matrix_type(p, args[1:], params)


cofactor = Primitive(
    "cofactor", _cofactor, matrix_type, "cofactor({})",
    lambda ct, y, a: (cofactor_slope(ct, a),), lambda ds, y, a: cofactor_slope(ds[0], a), memory=NEW, work=SYSTEMS,
    raises=MAY, enclosed="cofactors",
)
cofactor_slope = Primitive(
    "cofactor_slope", _cofactor_slope, _slope_type, "cofactor_slope({}, {})",
    lambda ct, y, d, a: (fit(cofactor_slope(ct, a), d), _cofactor_bend(d, ct, a)),
    lambda ds, y, d, a: total([
        *[cofactor_slope(dd, a) for dd in ds[:1] if not isinstance(dd, Zero)],
        *[_cofactor_bend(d, da, a) for da in ds[1:] if not isinstance(da, Zero)],
    ]), memory=NEW, work=SYSTEMS, linear=jointly(0), raises=MAY,
)
"""`cofactor_slope(d, a)`: linear in d and its own transpose."""


def _det_expanded(ct: Any, a: Any) -> Any:
    return expand(ct, a, None if rank_of(a) == 2 else (-2, -1), False)


det = Primitive(
    "np.linalg.det", np.linalg.det, _det_type, "np.linalg.det({})",
    lambda ct, y, a: (_det_expanded(ct, a) * cofactor(a),),
    lambda ds, y, a: sum_(ds[0] * cofactor(a), axis=(-2, -1)), memory=NEW, work=SYSTEMS, raises=MAY,
    enclosed="determinant",
)
