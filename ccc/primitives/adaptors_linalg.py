"""The functions of `np.linalg`, and their kin in `np`, under their own signatures.

>>> np_svd(np.diag([2.0, 1.0])).S, np_norm(np.array([3.0, -4.0]), 1)
(array([2., 1.]), np.float64(7.0))
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ccc.objects import is_discrete
from ccc.primitives import (
    bilinear,
    contractions,
    decompositions,
    eigen,
    factorisations,
    matrices,
    norms,
    rearranging,
    reductions,
    shaping,
)
from ccc.primitives.adaptors import np_asarray, np_matmul, np_reshape, np_shape, real_array
from ccc.primitives.adaptors_arrays import known_rank, np_diagonal, np_trace
from ccc.primitives.arguments import flag, given, integer, items, over, static
from ccc.primitives.arithmetic import mul
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.indexing import index
from ccc.primitives.reductions import places_of

ONE = np.eye(1)
SLOGDET: Any = type(np.linalg.slogdet(ONE))
EIG: Any = type(np.linalg.eig(ONE))
EIGH: Any = type(np.linalg.eigh(ONE))
SVD: Any = type(np.linalg.svd(ONE))
QR: Any = type(np.linalg.qr(ONE))
"""The named tuples that NumPy returns."""


# -- factorisations --------------------------------------------------------------------------------------------------


def np_cholesky(a: Any, /, *, upper: Any = False) -> Any:
    return decompositions.cholesky(real_array(a), **({"upper": True} if flag("upper", upper) else {}))


def np_slogdet(a: Any) -> Any:
    a = real_array(a)
    return SLOGDET(decompositions.signdet(a), decompositions.logabsdet(a))


def triangle(UPLO: Any) -> dict[str, Any]:
    """The triangle that is read, where it is not the lower one.

    Raises `ValueError` for all else than L and U.
    """
    found = static("UPLO", UPLO)
    if found not in ("L", "U", "l", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return {} if found in "Ll" else {"UPLO": "U"}


def np_eigh(a: Any, UPLO: Any = "L") -> Any:
    a, params = real_array(a), triangle(UPLO)
    return EIGH(decompositions.eigenvalues(a, **params), decompositions.eigenvectors(a, **params))


def np_eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    return decompositions.eigvalsh(real_array(a), **triangle(UPLO))


def symmetric_values(a: Any) -> Any:
    """The singular values of symmetric matrices, of which the lower triangle is read, in descending order."""
    w = norms.absolute(decompositions.eigvalsh(a))
    return shaping.flip(rearranging.sort(w), axis=-1)


def np_eig(a: Any) -> Any:
    a = real_array(a)
    return EIG(eigen.complex_of(eigen.eigenvalue_parts(a)), eigen.complex_of(eigen.eigenvector_parts(a)))


def np_eigvals(a: Any) -> Any:
    return eigen.complex_of(eigen.eigvals_parts(real_array(a)))


def np_svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    a = real_array(a)
    if flag("hermitian", hermitian):
        if flag("compute_uv", compute_uv):
            raise TypeError("np.linalg.svd with hermitian=True has one with compute_uv=False: use np.linalg.eigh")
        return symmetric_values(a)
    if not flag("compute_uv", compute_uv):
        return factorisations.svdvals(a)
    params = {"full": True} if flag("full_matrices", full_matrices) else {}
    return SVD(factorisations.left_vectors(a, **params), factorisations.singular_values(a, **params),
               factorisations.right_vectors(a, **params))


def np_svdvals(x: Any, /) -> Any:
    return factorisations.svdvals(real_array(x))


def np_qr(a: Any, mode: Any = "reduced") -> Any:
    a, mode = real_array(a), static("mode", mode)
    if mode == "r":
        return factorisations.triangular_factor(a)
    if mode == "complete":
        r = factorisations.resized(factorisations.triangular_factor(a), a, pairs=((-2, -2),))
        return QR(factorisations.complete_factor(a), r)
    if mode != "reduced":
        raise TypeError(f"np.linalg.qr has a derivative for mode='reduced', 'complete' and 'r': found {mode!r}")
    return QR(factorisations.orthogonal_factor(a), factorisations.triangular_factor(a))


# -- systems ---------------------------------------------------------------------------------------------------------

NOT_GIVEN: Any = object()


def _tolerance(name: str, value: Any) -> Any:
    found = static(name, value)
    if isinstance(found, tuple):
        raise TypeError(f"`{name}` must be one number")
    return found


def np_pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = NOT_GIVEN) -> Any:
    a = real_array(a)
    a = shaping.astype(a, dtype="float64") if is_discrete(kind_of(a)) else a  # NumPy keeps the dtype of empty ones
    if rcond is not None and rtol is not NOT_GIVEN:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    params = {} if rcond is None else {"rcond": _tolerance("rcond", rcond)}
    params |= {} if rtol is NOT_GIVEN else {"rtol": _tolerance("rtol", rtol)}
    if flag("hermitian", hermitian):
        return factorisations.pinv(decompositions.symmetric_from(a, of="L"), hermitian=True, **params)
    return factorisations.pinv(a, **params)


def np_lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = real_array(a), real_array(b)
    params = {} if rcond is None else {"rcond": _tolerance("rcond", rcond)}
    row = known_rank("np.linalg.lstsq", b) == 1
    columns = shaping.expand_dims(b, axis=1) if row else b
    x = factorisations.least_squares(a, columns, **params)
    return (shaping.squeeze(x, axis=-1) if row else x, factorisations.residuals(a, columns, **params),
            factorisations.rank_of_system(a, columns, **params),
            factorisations.scales_of_system(a, columns, **params))


def np_matrix_rank(A: Any, tol: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Any:
    params = given(tol=tol, rtol=rtol) | ({"hermitian": True} if flag("hermitian", hermitian) else {})
    return factorisations.matrix_rank(real_array(A), **params)


def _size(sizes: Any) -> Any:
    return functools.reduce(mul, sizes) if sizes else 1


def np_tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    a, b = real_array(a), real_array(b)
    rank = known_rank("np.linalg.tensorsolve", a)
    if axes is not None:
        order = list(range(rank))
        for axis in static("axes", axes):
            order.remove(axis)
            order.insert(rank, axis)
        a = shaping.transpose(a, axes=tuple(order))
    sizes = np_shape(a)[-(rank - known_rank("np.linalg.tensorsolve", b)):]
    return np_reshape(matrices.solve(np_reshape(a, (-1, _size(sizes))), shaping.ravel(b)), sizes)


def np_tensorinv(a: Any, ind: Any = 2) -> Any:
    a, ind = real_array(a), integer("ind", ind)
    known_rank("np.linalg.tensorinv", a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    sizes = np_shape(a)
    return np_reshape(matrices.inv(np_reshape(a, (_size(sizes[ind:]), -1))), (*sizes[ind:], *sizes[:ind]))


# -- powers, chains and products -------------------------------------------------------------------------------------


def np_matrix_power(a: Any, n: Any) -> Any:
    a, n = real_array(a), integer("n", n)
    return decompositions.matrix_power(matrices.inv(a) if n < 0 else a, n=abs(n))


def np_multi_dot(arrays: Any) -> Any:
    xs = [real_array(a) for a in items(arrays)]
    if len(xs) < 2:
        raise ValueError("Expecting at least two arrays.")
    first, last = [known_rank("np.linalg.multi_dot", x) == 1 for x in (xs[0], xs[-1])]
    if len(xs) == 2:
        return bilinear.dot(*xs)
    xs[0] = shaping.expand_dims(xs[0], axis=0) if first else xs[0]
    xs[-1] = shaping.expand_dims(xs[-1], axis=1) if last else xs[-1]
    found = contractions.multi_dot(*xs)
    if first and last:
        return index(found, 0, 0, pattern=("i", "i"))
    return shaping.ravel(found) if first or last else found


def _last(x: Any, axis: Any) -> Any:
    """`x` with an axis as the last."""
    axis = integer("axis", axis)
    return x if axis == -1 else shaping.moveaxis(x, source=axis, destination=-1)


def np_vecdot(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    return contractions.vecdot(_last(real_array(x1), axis), _last(real_array(x2), axis))


def np_cross(a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    found = contractions.cross(_last(real_array(a), axisa), _last(real_array(b), axisb))
    last = integer("axisc", axisc)
    return found if last == -1 else shaping.moveaxis(found, source=-1, destination=last)


def linalg_cross(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    return np_cross(x1, x2, axis=axis)


def linalg_outer(x1: Any, x2: Any, /) -> Any:
    x1, x2 = real_array(x1), real_array(x2)
    if {bilinear.rank_of(x1), bilinear.rank_of(x2)} - {1}:
        raise ValueError("Input arrays must be one-dimensional")
    return bilinear.outer(x1, x2)


def np_tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b, axes = real_array(a), real_array(b), static("axes", axes)
    ranks = [known_rank("np.tensordot", x) for x in (a, b)]
    if isinstance(axes, int):
        pair = tuple(range(ranks[0] - axes, ranks[0])), tuple(range(axes))
    else:
        pair = tuple([(along,) if isinstance(along, int) else along for along in axes])
    over_a, over_b = [places_of(rank, along) for rank, along in zip(ranks, pair, strict=True)]
    if len(over_a) != len(over_b):
        raise ValueError("shape-mismatch for sum")
    free_a, free_b = [[i for i in range(rank) if i not in along]
                      for rank, along in zip(ranks, (over_a, over_b), strict=True)]
    rows, columns = [np_shape(a)[i] for i in free_a], [np_shape(b)[i] for i in free_b]
    summed = _size([np_shape(b)[i] for i in over_b])
    a = contractions.aligned(a, b, pairs=tuple(zip(over_a, over_b, strict=True)))
    left = np_reshape(shaping.transpose(a, axes=(*free_a, *over_a)), (_size(rows), summed))
    right = np_reshape(shaping.transpose(b, axes=(*over_b, *free_b)), (summed, _size(columns)))
    return np_reshape(bilinear.dot(left, right), (*rows, *columns))


# -- diagonals and axes ----------------------------------------------------------------------------------------------


def linalg_diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    return np_diagonal(x, offset, -2, -1)


def linalg_trace(x: Any, /, *, offset: Any = 0) -> Any:
    x = real_array(x)
    return np_trace(x, offset, *((0, 1) if known_rank("np.linalg.trace", x) == 2 else (-2, -1)))


def np_matrix_transpose(x: Any, /) -> Any:
    x = real_array(x)
    if known_rank("np.matrix_transpose", x) < 2:
        raise ValueError("Input array must be at least 2-dimensional")
    return matrices.turned(x)


# -- norms -----------------------------------------------------------------------------------------------------------


def as_reals(x: Any) -> Any:
    """An array of which a norm is taken: whole numbers and truth values are converted before."""
    x = real_array(x)
    return shaping.astype(np_asarray(x), dtype="float64") if is_discrete(kind_of(x)) else x


def np_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    x, order, keepdims = as_reals(x), static("ord", ord), flag("keepdims", keepdims)
    axis = over(np.linalg.norm, x, static("axis", axis))
    rank = bilinear.rank_of(x)
    plain = order is None or (order in ("f", "fro") and rank == 2) or (order == 2 and rank == 1)
    if axis is None and plain:
        return reductions.norm(x, **given(keepdims=keepdims))
    along = tuple(range(known_rank("np.linalg.norm", x))) if axis is None else axis
    along = (along,) if isinstance(along, int) else along
    if len(along) == 1:
        return norms.vector_norm(x, order, along[0], keepdims)
    if len(along) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    return norms.matrix_norm(x, order, along, keepdims)


def np_matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return np_norm(x, ord, (-2, -1), keepdims)


def np_vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    x, axis, order = as_reals(x), static("axis", axis), static("ord", ord)
    if not isinstance(axis, tuple) and axis is not None:
        return norms.vector_norm(x, order, axis, flag("keepdims", keepdims))
    rank = known_rank("np.linalg.vector_norm", x)
    places = places_of(rank, axis)
    rest = [i for i in range(rank) if i not in places]
    sizes = [np_shape(x)[i] for i in rest]
    flat = np_reshape(shaping.transpose(x, axes=(*places, *rest)), (-1, *sizes)) if rank else np_reshape(x, (1,))
    found = norms.vector_norm(flat, order, 0, False)
    if not flag("keepdims", keepdims) or not rank:
        return found
    return shaping.expand_dims(found, axis=tuple(sorted(places)))


def np_cond(x: Any, p: Any = None) -> Any:
    return norms.condition_number(real_array(x), static("p", p))


LINALG: dict[str, Any] = {
    "cholesky": np_cholesky, "slogdet": np_slogdet, "det": matrices.det, "inv": matrices.inv, "solve": matrices.solve,
    "eig": np_eig, "eigvals": np_eigvals,
    "eigh": np_eigh, "eigvalsh": np_eigvalsh, "svd": np_svd, "svdvals": np_svdvals, "qr": np_qr, "pinv": np_pinv,
    "lstsq": np_lstsq, "matrix_rank": np_matrix_rank, "tensorsolve": np_tensorsolve, "tensorinv": np_tensorinv,
    "matrix_power": np_matrix_power, "multi_dot": np_multi_dot, "vecdot": np_vecdot, "cross": linalg_cross,
    "matmul": np_matmul, "outer": linalg_outer, "tensordot": np_tensordot, "diagonal": linalg_diagonal,
    "trace": linalg_trace, "matrix_transpose": np_matrix_transpose, "norm": np_norm, "matrix_norm": np_matrix_norm,
    "vector_norm": np_vector_norm, "cond": np_cond,
}
"""What stands for the functions of `np.linalg`."""

FUNCTIONS: dict[Any, Any] = {
    np.cross: np_cross, np.vecdot: np_vecdot,
    np.matrix_transpose: np_matrix_transpose, np.tensordot: np_tensordot,
} | {getattr(np.linalg, name): adaptor for name, adaptor in LINALG.items()}
