"""The functions of `scipy.linalg`, by those of NumPy and a few primitives of their own.

    T x = b      =>  dx = T^-1 (db - dT x), dT in the triangle that is read
    X X = A      =>  dX X + X dX = dA
    P A = L U    =>  d L = L slt(F),  d U = ut(F) U        F = L^-1 P dA U^-1, its strict lower and upper triangles

Where SciPy reads one triangle of a symmetric matrix, so do the derivatives. The triangle of `cho_factor` that SciPy
leaves as it was is zero here. Flags that save memory or checks mean nothing.

>>> import scipy.linalg
>>> FUNCTIONS[scipy.linalg.cho_solve]((np.eye(2) * 2.0, False), np.ones(2))
array([0.25, 0.25])

References: *Functions of Matrices* (Higham), 3.2, 6.1; *Differentiation of the Cholesky decomposition* (Murray).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.additive import ZERO, Zero, total
from ccc.objects import Object, array
from ccc.primitives import decompositions, indexing, joining, matrices, rearranging, shaping
from ccc.primitives.adaptors import real_array
from ccc.primitives.adaptors_linalg import np_norm
from ccc.primitives.arguments import flag, integer, items
from ccc.primitives.bilinear import np_matmul as matmul, outer, rank_of
from ccc.primitives.broadcasting import fit
from ccc.primitives.facts import ENTRIES, MAY, MOVEMENT, NEVER, NEW, ORDER, SYSTEMS, jointly
from ccc.primitives.matrices import lapack_dtype, matrix_axes, matrix_type, turned
from ccc.primitives.matrix_functions import real_value, scipy_function, slope
from ccc.primitives.primitive import Primitive
from ccc.primitives.shaping import axes_of

linalg: Any = scipy.linalg


def matrix(x: Any, name: str) -> Any:
    """An argument that is one matrix; raises `TypeError` for stacks of some."""
    x = real_array(x)
    if rank_of(x) != 2:
        raise TypeError(f"scipy.linalg.{name} has a derivative for one matrix")
    return x


# -- triangular systems ----------------------------------------------------------------------------------------------


def triangle(a: Any, lower: bool, unit: bool = False) -> Any:
    """The triangle of a matrix that is read."""
    if lower:
        return rearranging.tril(a, k=-1) if unit else rearranging.tril(a)
    return rearranging.triu(a, k=1) if unit else rearranging.triu(a)


def _solved(a: Any, b: Any, lower: bool, trans: int, unit: bool) -> Any:
    return linalg.solve_triangular(a, b, lower=lower, trans=trans, unit_diagonal=unit)


def _system_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, b = args
    matrix_axes(p, a)
    return array("float32" if lapack_dtype(a) == lapack_dtype(b) == "float32" else "float64", axes_of(b))


def _solved_pullback(ct: Any, x: Any, a: Any, b: Any, lower: bool, trans: int, unit: bool) -> tuple[Any, ...]:
    ct_b = triangular(a, ct, lower=lower, trans=1 - trans, unit=unit)
    left, right = (x, ct_b) if trans else (ct_b, x)
    product = outer(left, right) if rank_of(b) == 1 else matmul(left, turned(right))
    return fit(-triangle(product, lower, unit), a), fit(ct_b, b)


def _solved_differential(ds: tuple[Any, ...], x: Any, a: Any, b: Any, lower: bool, trans: int, unit: bool) -> Any:
    da, db = ds
    right = db
    if not isinstance(da, Zero):
        part = triangle(da, lower, unit)
        moved = matmul(turned(part) if trans else part, x)
        right = -moved if isinstance(db, Zero) else db - moved
    return triangular(a, right, lower=lower, trans=trans, unit=unit)


triangular = Primitive(
    "scipy.linalg.solve_triangular", _solved, _system_type,
    lambda a, b, lower, trans, unit: f"scipy.linalg.solve_triangular({a}, {b}, {trans}, {lower}, {unit})",
    _solved_pullback, _solved_differential, memory=NEW, work=SYSTEMS, linear=jointly(1), raises=MAY,
)


def sl_solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False, overwrite_b: Any = False,
    check_finite: Any = True,
) -> Any:
    turn = {"N": 0, "T": 1, "C": 1, 0: 0, 1: 1, 2: 1}[trans]
    return triangular(matrix(a, "solve_triangular"), real_array(b), lower=flag("lower", lower), trans=turn,
                      unit=flag("unit_diagonal", unit_diagonal))


# -- systems and factorisations --------------------------------------------------------------------------------------


def mirrored(a: Any, lower: bool) -> Any:
    """The symmetric matrix with this triangle."""
    return triangle(a, lower) + turned(triangle(a, lower, unit=True))


READ: dict[str, Any] = {
    "upper triangular": rearranging.triu, "lower triangular": rearranging.tril, "banded": lambda a: a,
    "tridiagonal": lambda a: rearranging.tril(rearranging.triu(a, k=-1), k=1),
    "diagonal": lambda a: rearranging.tril(rearranging.triu(a)),
}
"""What of a matrix is read where its structure is said."""


def sl_solve(
    a: Any, b: Any, lower: Any = False, overwrite_a: Any = False, overwrite_b: Any = False, check_finite: Any = True,
    assume_a: Any = None, transposed: Any = False,
) -> Any:
    a, kind = real_array(a), {None: "gen", "general": "gen", "symmetric": "sym", "positive definite": "pos"}.get(
        assume_a, assume_a)
    if kind in ("sym", "pos", "her", "hermitian"):
        a = mirrored(a, flag("lower", lower))
    elif kind in READ:
        a = READ[kind](a)
    elif kind != "gen":
        raise TypeError(f"scipy.linalg.solve has a derivative for matrices of a known structure: found {assume_a!r}; "
                        "leave assume_a out")
    return matrices.solve(turned(a) if flag("transposed", transposed) else a, real_array(b))


def sl_inv(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return matrices.inv(real_array(a))


def sl_det(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return matrices.det(real_array(a))


def sl_cholesky(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    a = real_array(a)
    if flag("lower", lower):
        return decompositions.cholesky(a)
    return turned(decompositions.cholesky(turned(a)))


def sl_cho_factor(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return sl_cholesky(matrix(a, "cho_factor"), lower), flag("lower", lower)


def sl_cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    c, given = items(c_and_lower)
    c, lower = matrix(c, "cho_solve"), flag("lower", given)
    first = triangular(c, real_array(b), lower=lower, trans=0 if lower else 1, unit=False)
    return triangular(c, first, lower=lower, trans=1 if lower else 0, unit=False)


# -- LU --------------------------------------------------------------------------------------------------------------


def _order(pivots: Any, inverse: bool) -> Any:
    """The rows in the order that pivots bring them into."""
    order = list(range(len(pivots)))
    for i, j in enumerate(pivots.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.argsort(order) if inverse else np.array(order, np.int64)


def _pivots_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = axes_of(args[0])
    return array(linalg.lu_factor(np.eye(1))[1].dtype.name if p is pivots_of else "int64", (axes or ("?",))[:1])


pivots_of = Primitive(
    "pivots_of", lambda a: linalg.lu_factor(a)[1], _pivots_type, "pivots_of({})",
    lambda ct, y, a: (ZERO,), lambda ds, y, a: ZERO, memory=NEW, work=SYSTEMS, raises=MAY,
)
order_of = Primitive(
    "order_of", _order, _pivots_type, lambda pivots, inverse: f"order_of({pivots}, {inverse})",
    lambda ct, y, pivots, inverse: (ZERO,), lambda ds, y, pivots, inverse: ZERO, memory=NEW, work=ORDER, raises=NEVER,
)


def permuted(x: Any, a: Any, inverse: bool) -> Any:
    return rearranging.take(x, order_of(pivots_of(a), inverse=inverse), axis=0)


def _lu_pullback(ct: Any, y: Any, a: Any) -> tuple[Any, ...]:
    below = triangle(y, True, unit=True)
    inner = triangle(matmul(turned(below), ct) + ct, True, unit=True) + triangle(
        matmul(ct, turned(triangle(y, False))), False)
    half = triangular(y, inner, lower=True, trans=1, unit=True)
    whole = turned(triangular(y, turned(half), lower=False, trans=0, unit=False))
    return (permuted(whole, a, True),)


def _lu_differential(ds: tuple[Any, ...], y: Any, a: Any) -> Any:
    half = triangular(y, permuted(ds[0], a, False), lower=True, trans=0, unit=True)
    inner = turned(triangular(y, turned(half), lower=False, trans=1, unit=False))
    below, strict = triangle(y, True, unit=True), triangle(inner, True, unit=True)
    return matmul(below, strict) + strict + matmul(triangle(inner, False), triangle(y, False))


lu_of = Primitive("lu_of", lambda a: linalg.lu_factor(a)[0], matrix_type, "lu_of({})",
                  _lu_pullback, _lu_differential, memory=NEW, work=SYSTEMS, raises=MAY)


def sl_lu_factor(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    a = matrix(a, "lu_factor")
    return lu_of(a), pivots_of(a)


def sl_lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    lu, pivots = items(lu_and_piv)
    lu, b = matrix(lu, "lu_solve"), real_array(b)
    if integer("trans", trans):
        half = triangular(lu, b, lower=False, trans=1, unit=False)
        return rearranging.take(triangular(lu, half, lower=True, trans=1, unit=True), order_of(pivots, inverse=True),
                                axis=0)
    half = triangular(lu, rearranging.take(b, order_of(pivots, inverse=False), axis=0), lower=True, trans=0, unit=True)
    return triangular(lu, half, lower=False, trans=0, unit=False)


# -- functions of matrices -------------------------------------------------------------------------------------------


expm_slope = Primitive(
    "expm_slope", lambda d, a: np.asarray(linalg.expm_frechet(a, d, compute_expm=False), a.dtype),
    lambda p, args, params: matrix_type(p, args[1:], params), "expm_slope({}, {})",
    lambda ct, y, d, a: (expm_slope(ct, turned(a)), slope(ct, turned(d), turned(a), of="expm", order=2)),
    lambda ds, y, d, a: total([
        *[expm_slope(dd, a) for dd in ds[:1] if not isinstance(dd, Zero)],
        *[slope(d, da, a, of="expm", order=2) for da in ds[1:] if not isinstance(da, Zero)],
    ]), memory=NEW, work=SYSTEMS, linear=jointly(0), raises=MAY,
)
"""`expm_slope(d, a)`: the derivative of the exponential at a along d, whose transpose is that at the transpose."""
expm = Primitive(
    "scipy.linalg.expm", linalg.expm, matrix_type, "scipy.linalg.expm({})",
    lambda ct, y, a: (expm_slope(ct, turned(a)),), lambda ds, y, a: expm_slope(ds[0], a),
    memory=NEW, work=SYSTEMS, raises=MAY,
)


def _sylvester_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return matrix_type(p, args[2:], params)


def _sylvester_pullback(ct: Any, x: Any, a: Any, b: Any, q: Any) -> tuple[Any, ...]:
    r = sylvester(turned(a), turned(b), ct)
    return fit(-matmul(r, turned(x)), a), fit(-matmul(turned(x), r), b), fit(r, q)


def _sylvester_differential(ds: tuple[Any, ...], x: Any, a: Any, b: Any, q: Any) -> Any:
    da, db, dq = ds
    moved = [*([] if isinstance(dq, Zero) else [dq]), *([] if isinstance(da, Zero) else [-matmul(da, x)]),
             *([] if isinstance(db, Zero) else [-matmul(x, db)])]
    return sylvester(a, b, total(moved))


sylvester = Primitive(
    "scipy.linalg.solve_sylvester", linalg.solve_sylvester, _sylvester_type, "scipy.linalg.solve_sylvester({}, {}, {})",
    _sylvester_pullback, _sylvester_differential, memory=NEW, work=SYSTEMS, linear=jointly(2), raises=MAY,
)


sqrtm = Primitive(
    "scipy.linalg.sqrtm", lambda a: real_value(a, "sqrtm"), matrix_type, "scipy.linalg.sqrtm({})",
    lambda ct, y, a: (sylvester(turned(y), turned(y), ct),), lambda ds, y, a: sylvester(y, y, ds[0]),
    memory=NEW, work=SYSTEMS, raises=MAY,
)


# -- matrices from parts ---------------------------------------------------------------------------------------------


def _block_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(np.result_type(*[lapack_dtype(a) for a in args]).name, ("n", "n"))


def _part(ct: Any, *xs: Any, place: int) -> Any:
    starts = np.cumsum([(0, 0), *[x.shape for x in xs]], axis=0)
    (i, j), (height, width) = starts[place], xs[place].shape
    return ct[i : i + height, j : j + width].copy()


def _block_differential(ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
    return blocks(*[x * 0.0 if isinstance(d, Zero) else d for d, x in zip(ds, xs, strict=True)])


def _part_pullback(g: Any, y: Any, ct: Any, *xs: Any, place: int) -> tuple[Any, ...]:
    return blocks(*[g if i == place else x * 0.0 for i, x in enumerate(xs)]), *[ZERO] * len(xs)


blocks = Primitive(
    "scipy.linalg.block_diag", linalg.block_diag, _block_type, lambda *xs: f"scipy.linalg.block_diag({', '.join(xs)})",
    lambda ct, y, *xs: tuple([block_part(ct, *xs, place=i) for i in range(len(xs))]), _block_differential,
    memory=NEW, work=MOVEMENT, linear=jointly(), raises=NEVER,
)
block_part = Primitive(
    "block_part", _part, lambda p, args, params: args[1 + params["place"]],
    lambda ct, *xs, place: f"block_part({ct}, {', '.join(xs)}, {place=})", _part_pullback,
    lambda ds, y, ct, *xs, place: ZERO if isinstance(ds[0], Zero) else block_part(ds[0], *xs, place=place),
    memory=NEW, work=MOVEMENT, linear=jointly(0), raises=NEVER,
)


def sl_block_diag(*arrs: Any) -> Any:
    return blocks(*[matrix(shaping.atleast_2d(real_array(x)), "block_diag") for x in arrs])


def _places(c: Any, r: Any) -> Any:
    return np.arange(len(c))[::-1, None] + np.arange(len(r))[None, :]


places = Primitive(
    "toeplitz_places", _places, lambda p, args, params: array("int64", ("n", "n")), "toeplitz_places({}, {})",
    lambda ct, y, c, r: (ZERO, ZERO), lambda ds, y, c, r: ZERO, memory=NEW, work=ENTRIES, sizes=(0, 1), raises=NEVER,
)


def sl_toeplitz(c: Any, r: Any = None) -> Any:
    c = shaping.ravel(real_array(c))
    r = c if r is None else shaping.ravel(real_array(r))
    values = joining.concatenate(shaping.flip(c), indexing.index(r, 1, pattern=("s1",)), axis=0)
    return rearranging.take(values, places(c, r))


def sl_norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True
) -> Any:
    return np_norm(a, ord, axis, keepdims)


def of_matrix(name: str) -> Any:
    """What stands for a function of one matrix."""
    primitive = scipy_function(name)
    return lambda A: primitive(matrix(A, name))


FUNCTIONS: dict[Any, Any] = {
    linalg.solve: sl_solve, linalg.inv: sl_inv, linalg.det: sl_det, linalg.cholesky: sl_cholesky,
    linalg.cho_factor: sl_cho_factor, linalg.cho_solve: sl_cho_solve, linalg.solve_triangular: sl_solve_triangular,
    linalg.lu_factor: sl_lu_factor, linalg.lu_solve: sl_lu_solve,
    linalg.expm: lambda A: expm(matrix(A, "expm")), linalg.sqrtm: lambda A: sqrtm(matrix(A, "sqrtm")),
    **{getattr(linalg, name): of_matrix(name) for name in ("logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm")},
    linalg.solve_sylvester: lambda a, b, q: sylvester(*[matrix(x, "solve_sylvester") for x in (a, b, q)]),
    linalg.block_diag: sl_block_diag, linalg.toeplitz: sl_toeplitz, linalg.norm: sl_norm,
}
