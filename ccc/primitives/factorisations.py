"""Factorisations of matrices of any shape: singular values and vectors, `qr`, pseudo-inverses, least squares.

With a = u s v^T, p = u^T da v, its symmetric part p+ and its skew part p-, and o for products entry by entry:

    ds = diagonal of p
    du = u w + (da v - u p) / s        w  = p+ o 1/(s_j - s_i) + p- o 1/(s_j + s_i)
    dv = v w' + (da^T u - v p^T) / s   w' = the same of p^T
    dq = q m + c - q q^T c             c  = da inv r,   m = low(q^T c) - low(q^T c)^T,   low the part below the diagonal
    dr = dq^T a + q^T da
    d pinv a = -p da p + p p^T da^T (1 - a p) + (1 - p a) da^T p^T p        p = pinv a

Square matrices have the same formulas with `full_matrices`; of a matrix that is not square, the further vectors span
what is orthogonal to the others, and count as not turning within it. Where singular values coincide, the vectors count
as not turning within the space that they span; where a singular value is 0, its vectors do not move with it. Pseudo-
inverses and least squares have the derivatives of matrices of the same rank.

>>> svdvals.pullback(np.ones(2), None, np.array([[2.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))[0].round(12) + 0.0
array([[1., 0.],
       [0., 1.],
       [0., 0.]])

References: Townsend, *Differentiating the singular value decomposition* (2016); Giles, *Collected matrix derivative
results for forward and reverse mode algorithmic differentiation* (2008); Walter and Lehmann, *Algorithmic
differentiation of linear algebra functions* (2010); Golub and Pereyra, *The differentiation of pseudo-inverses and
nonlinear least squares problems whose variables separate* (1973).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, total
from ccc.objects import INT, Object, array
from ccc.primitives.bilinear import np_matmul as matmul
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.decompositions import gaps, symmetric
from ccc.primitives.domains import unknown_rank
from ccc.primitives.elementary_numpy import greater, logical_xor, where
from ccc.primitives.facts import MAY, MOVEMENT, NEVER, NEW, SYSTEMS, beside, jointly, may_be
from ccc.primitives.joint import joint, part_source, part_value, tuple_of
from ccc.primitives.matrices import inv, lapack_dtype, matrix_axes, turned
from ccc.primitives.pointwise import no_cotangents, no_tangent, operation
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.rearranging import tril
from ccc.primitives.reductions import call_source, dtype_of, max_, sum_
from ccc.primitives.shaping import axes_of, expand_dims

# -- sizes and reciprocals -------------------------------------------------------------------------------------------


def _resized(x: Any, like: Any, pairs: tuple[tuple[int, int], ...]) -> Any:
    for axis, of in pairs:
        n, size = np.shape(x)[axis], np.shape(like)[of]
        if n > size:
            x = np.take(x, np.arange(size), axis)
        elif n < size:
            width = [(0, 0)] * np.ndim(x)
            width[axis] = (0, size - n)
            x = np.pad(x, width)
    return x


def _resized_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = axes_of(args[0])
    places = [] if axes is None else [axis % len(axes) for axis, _ in params["pairs"]]
    return array(dtype_of(args[0]), axes and tuple(["?" if i in places else name for i, name in enumerate(axes)]))


resized = linear(
    "resized", _resized, _resized_type, call_source("resized"),
    lambda ct, y, x, like, pairs: (resized(ct, x, pairs=tuple([(axis, axis) for axis, _ in pairs])), ZERO),
    memory=may_be(0), work=MOVEMENT, sizes=(1,), raises=unknown_rank,
)
"""`resized(x, like, pairs=((axis, of), ...))`: an axis cut, or with zeros behind it, to the size of one of `like`."""


def _inverse0(x: Any) -> Any:
    zero = np.equal(x, 0)
    return np.where(zero, 0, 1 / np.where(zero, 1, x)).astype(np.result_type(x))[()]


inverse0 = operation("inverse0", _inverse0, "inverse0({})", lambda d, y, x: d * (-(y * y)), memory=NEW, raises=NEVER)
"""`1 / x`, and 0 where x is 0."""


def _cut(x: Any, like: Any, of: int = -1) -> Any:
    """`x` with its last axis as long as an axis of another array."""
    return resized(x, like, pairs=((-1, of),))


# -- singular values and vectors -------------------------------------------------------------------------------------


def _values_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = matrix_axes(p, args[0])
    return array(lapack_dtype(args[0]), None if axes is None else (*axes[:-2], "?"))


def _left_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = matrix_axes(p, args[0])
    last = axes and (axes[-2] if params.get("full") else "?")
    return array(lapack_dtype(args[0]), axes and (*axes[:-1], last or "?"))


def _right_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = matrix_axes(p, args[0])
    first = axes and (axes[-1] if params.get("full") else "?")
    return array(lapack_dtype(args[0]), axes and (*axes[:-2], first or "?", axes[-1]))


def _sums(s: Any) -> Any:
    return inverse0(expand_dims(s, axis=-1) + expand_dims(s, axis=-2))


def _turn(p: Any, s: Any) -> Any:
    """How singular vectors turn where the matrix moves by `p` in their coordinates."""
    return symmetric(p) * gaps(s) + (p - turned(p)) * 0.5 * _sums(s)


def _turned_back(ct: Any, s: Any) -> Any:
    """The transpose of `_turn`."""
    skew = ct * _sums(s)
    return symmetric(ct * gaps(s)) + (skew - turned(skew)) * 0.5


def _vectors_slope(d: Any, own: Any, other: Any, s: Any, full: bool) -> Any:
    """The derivative of the vectors `own` of a matrix with the vectors `other` on its other side."""
    moved = matmul(d, other)
    p = matmul(turned(own), moved)
    if full:
        return matmul(own, _turn(_cut(p, own), _cut(s, own)))
    return matmul(own, _turn(p, s)) + (moved - matmul(own, p)) * expand_dims(inverse0(s), axis=-2)


def _vectors_back(ct: Any, own: Any, other: Any, s: Any, full: bool) -> Any:
    """The transpose of `_vectors_slope` in its first argument."""
    w = matmul(turned(own), ct)
    if full:
        found = matmul(own, _cut(_turned_back(w, _cut(s, own)), other))
    else:
        beyond = (ct - matmul(own, w)) * expand_dims(inverse0(s), axis=-2)
        found = matmul(own, _turned_back(w, s)) + beyond
    return matmul(found, turned(other))


def _values_of(a: Any, full: bool) -> Any:
    return singular_values(a, **({"full": True} if full else {}))


def _left_of(a: Any, s: Any, full: bool) -> Any:
    return _cut(left_vectors(a, full=True), s) if full else left_vectors(a)


def _right_of(a: Any, s: Any, full: bool) -> Any:
    return _cut(turned(right_vectors(a, full=True)), s) if full else turned(right_vectors(a))


def _singular_pullback(ct: Any, y: Any, a: Any, full: bool = False) -> tuple[Any, ...]:
    u, v = _left_of(a, y, full), _right_of(a, y, full)
    return (matmul(u * expand_dims(ct, axis=-2), turned(v)),)


def _singular_differential(ds: tuple[Any, ...], y: Any, a: Any, full: bool = False) -> Any:
    return sum_(_left_of(a, y, full) * matmul(ds[0], _right_of(a, y, full)), axis=-2)


def _left_pullback(ct: Any, y: Any, a: Any, full: bool = False) -> tuple[Any, ...]:
    s = _values_of(a, full)
    return (_vectors_back(ct, y, _right_of(a, s, full), s, full),)


def _left_differential(ds: tuple[Any, ...], y: Any, a: Any, full: bool = False) -> Any:
    s = _values_of(a, full)
    return _vectors_slope(ds[0], y, _right_of(a, s, full), s, full)


def _right_pullback(ct: Any, y: Any, a: Any, full: bool = False) -> tuple[Any, ...]:
    s = _values_of(a, full)
    return (turned(_vectors_back(turned(ct), turned(y), _left_of(a, s, full), s, full)),)


def _right_differential(ds: tuple[Any, ...], y: Any, a: Any, full: bool = False) -> Any:
    s = _values_of(a, full)
    return turned(_vectors_slope(turned(ds[0]), turned(y), _left_of(a, s, full), s, full))


def _svd(a: Any, full: bool = False) -> Any:
    return np.linalg.svd(a, full_matrices=full)


def _svd_source(a: str, full: bool = False) -> str:
    return f"np.linalg.svd({a}, full_matrices={full})"


svd = joint("np.linalg.svd", _svd, tuple_of(_svd_source), lambda: (left_vectors, singular_values, right_vectors))
left_vectors = Primitive(
    "left_vectors", part_value(_svd, 0), _left_type, part_source(_svd_source, 0), _left_pullback, _left_differential,
    memory=NEW, work=SYSTEMS, raises=MAY, one_of=(svd, 0),
)
singular_values = Primitive(
    "singular_values", part_value(_svd, 1), _values_type, part_source(_svd_source, 1),
    _singular_pullback, _singular_differential,
    memory=NEW, work=SYSTEMS, raises=beside(left_vectors), one_of=(svd, 1),
)
right_vectors = Primitive(
    "right_vectors", part_value(_svd, 2), _right_type, part_source(_svd_source, 2),
    _right_pullback, _right_differential,
    memory=NEW, work=SYSTEMS, raises=beside(left_vectors), one_of=(svd, 2),
)
svdvals = Primitive(
    "np.linalg.svdvals", lambda a: np.linalg.svd(a, compute_uv=False), _values_type,
    "np.linalg.svd({}, compute_uv=False)", _singular_pullback, _singular_differential,
    memory=NEW, work=SYSTEMS, raises=MAY,
)


# -- orthogonal and triangular factors -------------------------------------------------------------------------------


def _triangular_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = matrix_axes(p, args[0])
    return array(lapack_dtype(args[0]), axes and (*axes[:-2], "?", axes[-1]))


def _square_part(a: Any) -> Any:
    """The inverse of the first columns of the triangular factor, which is square."""
    r = triangular_factor(a)
    return inv(_cut(r, r, -2))


def _below(x: Any) -> Any:
    return tril(x, k=-1)


def _orthogonal_slope(d: Any, q: Any, a: Any) -> Any:
    c = matmul(_cut(d, q), _square_part(a))
    m = matmul(turned(q), c)
    return c + matmul(q, _below(m) - turned(_below(m)) - m)


def _orthogonal_back(ct: Any, q: Any, a: Any) -> Any:
    w = matmul(turned(q), ct)
    c = ct + matmul(q, _below(w - turned(w)) - w)
    return _cut(matmul(c, turned(_square_part(a))), a)


def _triangular_differential(ds: tuple[Any, ...], y: Any, a: Any) -> Any:
    q = orthogonal_factor(a)
    found = matmul(turned(_orthogonal_slope(ds[0], q, a)), a) + matmul(turned(q), ds[0])
    return found - _below(found)


def _triangular_pullback(ct: Any, y: Any, a: Any) -> tuple[Any, ...]:
    q, ct = orthogonal_factor(a), ct - _below(ct)
    return (matmul(q, ct) + _orthogonal_back(matmul(a, turned(ct)), q, a),)


def _first(q: Any, a: Any) -> Any:
    """The first columns of a complete factor, those that the matrix spans."""
    return _cut(q, triangular_factor(a), -2)


def _rows_behind(w: Any, a: Any) -> Any:
    """A square matrix with zeros in the first rows, of which the triangular factor has as many."""
    first = resized(w, triangular_factor(a), pairs=((-2, -2),))
    return w - resized(first, w, pairs=((-2, -2),))


def _complete_slope(d: Any, q: Any, a: Any) -> Any:
    """The other columns stay orthogonal to the first ones, and do not turn within what they span."""
    moved = _cut(_orthogonal_slope(d, _first(q, a), a), q)
    return moved - matmul(q, turned(_rows_behind(matmul(turned(q), moved), a)))


def _complete_back(ct: Any, q: Any, a: Any) -> Any:
    moved = ct - matmul(q, _rows_behind(matmul(turned(ct), q), a))
    return _orthogonal_back(_first(moved, a), _first(q, a), a)


def _complete_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = matrix_axes(p, args[0])
    return array(lapack_dtype(args[0]), axes and (*axes[:-1], axes[-2]))


_qr_source = call_source("np.linalg.qr")
qr = joint("np.linalg.qr", np.linalg.qr, tuple_of(_qr_source), lambda: (orthogonal_factor, triangular_factor))
orthogonal_factor = Primitive(
    "orthogonal_factor", part_value(np.linalg.qr, 0), _left_type, part_source(_qr_source, 0),
    lambda ct, y, a: (_orthogonal_back(ct, y, a),), lambda ds, y, a: _orthogonal_slope(ds[0], y, a),
    memory=NEW, work=SYSTEMS, raises=unknown_rank, one_of=(qr, 0),
)
triangular_factor = Primitive(
    "triangular_factor", lambda a: np.linalg.qr(a, "r"), _triangular_type, "np.linalg.qr({}, 'r')",
    _triangular_pullback, _triangular_differential, memory=NEW, work=SYSTEMS, raises=unknown_rank, one_of=(qr, 1),
)
complete_factor = Primitive(
    "complete_factor", lambda a: np.linalg.qr(a, "complete")[0], _complete_type, "np.linalg.qr({}, 'complete')[0]",
    lambda ct, y, a: (_complete_back(ct, y, a),), lambda ds, y, a: _complete_slope(ds[0], y, a),
    memory=NEW, work=SYSTEMS, raises=unknown_rank,
)


# -- pseudo-inverses and least squares -------------------------------------------------------------------------------


def _pinv_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = matrix_axes(p, args[0])
    return array(lapack_dtype(args[0]), axes and (*axes[:-2], axes[-1], axes[-2]))


def _across(d: Any, a: Any, part: Any) -> Any:
    """What the derivative of a pseudo-inverse that leaves out singular values r below a part of the largest has beside
    that along matrices of the same rank: from each to those k that are kept, which turn into each other,

        r^2 / (k^2 (k^2 - r^2)) K + r / (k (k^2 - r^2)) K^T        K = u^T d v
    """
    u, values, v = left_vectors(a), singular_values(a), turned(right_vectors(a))
    kept = greater(values, max_(values, axis=-1, keepdims=True) * part)
    here, there = [expand_dims(x, axis=-1) for x in (kept, values)]
    across, beyond = [expand_dims(x, axis=-2) for x in (kept, values)]
    apart = logical_xor(here, across)
    large, small = where(apart, where(here, there, beyond), 1.0), where(apart, where(here, beyond, there), 0.0)
    moved, over = matmul(matmul(turned(u), d), v), 1.0 / (large * (large * large - small * small))
    return matmul(matmul(u, small * over * (moved * (small / large) + turned(moved))), turned(v))


def _part(params: dict[str, Any]) -> float | None:
    """Below which part of the largest singular value others are left out; None where that is a matter of rounding."""
    return params.get("rtol") if params.get("rcond") is None else params["rcond"]


def _pinv_pullback(ct: Any, p: Any, a: Any, **params: Any) -> tuple[Any, ...]:
    part = _part(params)
    if part is None:
        return (_along_rank(ct, p, a),)
    return (_along_rank(ct, p, a) + _across(turned(ct), a, part),)


def _along_rank(ct: Any, p: Any, a: Any) -> Any:
    back, onto_rows, onto_columns = turned(ct), matmul(p, turned(p)), matmul(turned(p), p)
    rows, columns = matmul(back, onto_rows), matmul(onto_columns, back)
    return (rows - matmul(a, matmul(p, rows)) + columns - matmul(matmul(columns, p), a)
            - matmul(matmul(turned(p), ct), turned(p)))


def _pinv_differential(ds: tuple[Any, ...], p: Any, a: Any, **params: Any) -> Any:
    d = ds[0]
    rows, columns = matmul(matmul(p, turned(p)), turned(d)), matmul(turned(d), matmul(turned(p), p))
    found = (rows - matmul(matmul(rows, a), p) + columns - matmul(p, matmul(a, columns))
             - matmul(matmul(p, d), p))
    part = _part(params)
    return found if part is None else found + turned(_across(d, a, part))


pinv = Primitive(
    "np.linalg.pinv", np.linalg.pinv, _pinv_type,
    lambda a, **params: f"np.linalg.pinv({', '.join([a, *[f'{k}={v!r}' for k, v in params.items()]])})",
    _pinv_pullback, _pinv_differential, memory=NEW, work=SYSTEMS, raises=MAY,
)
"""The derivative is that along matrices of the same rank; where `rcond` leaves out singular values that are not 0, that
of what is left."""


def _cut_off(rcond: float | None) -> dict[str, Any]:
    """How `pinv` leaves out the singular values that `lstsq` does."""
    return {"rtol": None} if rcond is None else {"rcond": float(np.finfo(float).eps) if rcond < 0 else rcond}


def _solution_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, b = [matrix_axes(p, x) for x in args]
    dtype = "float32" if all(lapack_dtype(x) == "float32" for x in args) else "float64"
    return array(dtype, ("?" if a is None else a[-1], "?" if b is None else b[-1]))


def _solution_pullback(ct: Any, x: Any, a: Any, b: Any, rcond: float | None = None) -> tuple[Any, ...]:
    p = pinv(a, **_cut_off(rcond))
    back = matmul(turned(p), ct)
    rows = matmul(b - matmul(a, x), turned(matmul(p, back)))
    columns = matmul(matmul(turned(p), x), turned(ct - matmul(p, matmul(a, ct))))
    found, part = rows + columns - matmul(back, turned(x)), _part(_cut_off(rcond))
    return found if part is None else found + _across(matmul(b, turned(ct)), a, part), back


def _solution_differential(ds: tuple[Any, ...], x: Any, a: Any, b: Any, rcond: float | None = None) -> Any:
    p = pinv(a, **_cut_off(rcond))
    da, db = ds
    found = [] if isinstance(db, Zero) else [matmul(p, db)]
    if not isinstance(da, Zero):
        columns = matmul(turned(da), matmul(turned(p), x))
        rows = matmul(p, matmul(turned(p), matmul(turned(da), b - matmul(a, x))))
        found += [rows + columns - matmul(p, matmul(a, columns)) - matmul(p, matmul(da, x))]
        part = _part(_cut_off(rcond))
        found += [] if part is None else [matmul(turned(_across(da, a, part)), b)]
    return total(found)


def _lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    return np.linalg.lstsq(a, b, rcond)


def _lstsq_source(a: str, b: str, rcond: float | None = None) -> str:
    return f"np.linalg.lstsq({a}, {b}, {rcond})"


def _residuals_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    solved = _solution_type(p, args, params)
    return array(dtype_of(solved), ("?",))


def _residuals_pullback(ct: Any, y: Any, a: Any, b: Any, rcond: float | None = None) -> tuple[Any, ...]:
    x = least_squares(a, b, **({} if rcond is None else {"rcond": rcond}))
    back = (b - matmul(a, x)) * expand_dims(_cut(ct, b) * 2.0, axis=-2)
    return -matmul(back, turned(x)), back


def _residuals_differential(ds: tuple[Any, ...], y: Any, a: Any, b: Any, rcond: float | None = None) -> Any:
    x = least_squares(a, b, **({} if rcond is None else {"rcond": rcond}))
    da, db = ds
    moved = total([*([] if isinstance(db, Zero) else [db]), *([] if isinstance(da, Zero) else [-matmul(da, x)])])
    return _cut(sum_((b - matmul(a, x)) * moved, axis=-2) * 2.0, y)


lstsq = joint("np.linalg.lstsq", _lstsq, _lstsq_source,
              lambda: (least_squares, residuals, rank_of_system, scales_of_system))
least_squares = Primitive(
    "least_squares", part_value(_lstsq, 0), _solution_type, part_source(_lstsq_source, 0),
    _solution_pullback, _solution_differential,
    memory=NEW, work=SYSTEMS, linear=jointly(1), raises=MAY, one_of=(lstsq, 0),
)
residuals = Primitive(
    "residuals", part_value(_lstsq, 1), _residuals_type, part_source(_lstsq_source, 1),
    _residuals_pullback, _residuals_differential,
    memory=NEW, work=SYSTEMS, raises=MAY, one_of=(lstsq, 1),
)
rank_of_system = Primitive(
    "rank_of_system", part_value(_lstsq, 2), lambda p, args, params: kind_of(np.linalg.lstsq(np.eye(1), np.eye(1))[2]),
    part_source(_lstsq_source, 2), no_cotangents, no_tangent, memory=NEW, work=SYSTEMS, raises=MAY, one_of=(lstsq, 2),
)


def _scales_differential(ds: tuple[Any, ...], y: Any, a: Any, b: Any, rcond: float | None = None) -> Any:
    return ZERO if isinstance(ds[0], Zero) else _singular_differential(ds[:1], y, a)


scales_of_system = Primitive(
    "scales_of_system", part_value(_lstsq, 3), lambda p, args, params: _values_type(p, args[:1], {}),
    part_source(_lstsq_source, 3),
    lambda ct, y, a, b, rcond=None: (*_singular_pullback(ct, y, a), ZERO), _scales_differential,
    memory=NEW, work=SYSTEMS, raises=MAY, one_of=(lstsq, 3),
)
"""The singular values of the matrix, with the digits that solving gives them."""


def _rank_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = axes_of(args[0])
    if axes is None:
        return array("int64", None)
    return INT if len(axes) < 2 else kind_of(np.int64(0)) if len(axes) == 2 else array("int64", axes[:-2])


matrix_rank = Primitive(
    "np.linalg.matrix_rank", np.linalg.matrix_rank, _rank_type, call_source("np.linalg.matrix_rank"),
    no_cotangents, no_tangent, memory=NEW, work=SYSTEMS, raises=MAY,
)
