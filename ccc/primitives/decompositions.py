"""Decompositions of matrices: `cholesky`, `slogdet`, `eigh`, singular values, powers.

    d cholesky a = L phi(inv L da inv L^T), phi the lower triangle with half of the diagonal
    d eigenvalues a = diagonal of (V^T da V)        d singular values a = diagonal of (U^T da V)

`cholesky` and `eigh` read the lower triangle of a symmetric matrix; their cotangents are symmetric. Where eigenvalues
or singular values coincide, theirs have a slope that depends on the basis that LAPACK chose, and the eigenvectors none.

>>> logabsdet.pullback(1.0, None, np.array([[2.0, 0.0], [0.0, 4.0]]))[0]
array([[0.5 , 0.  ],
       [0.  , 0.25]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.objects import Object, array
from ccc.primitives.bilinear import np_matmul as matmul
from ccc.primitives.facts import ENTRIES, MAY, NEVER, NEW, SYSTEMS, beside, may_be
from ccc.primitives.matrices import inv, lapack_dtype, matrix_axes, matrix_type, turned
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import dtype_of, scalar_kind, sum_
from ccc.primitives.shaping import axes_of, expand_dims

# -- triangles and differences ---------------------------------------------------------------------------------------


def _half_lower(x: Any) -> Any:
    return np.tril(x) - 0.5 * x * np.eye(x.shape[-1], dtype=x.dtype)


def _like_first(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[0]


half_lower = linear("half_lower", _half_lower, _like_first, "half_lower({})", lambda g, y, x: (half_lower(g),),
                    memory=NEW, work=ENTRIES, raises=MAY)
"""The lower triangle with half of the diagonal; it is its own transpose."""


# -- Cholesky --------------------------------------------------------------------------------------------------------


def _symmetric(x: Any) -> Any:
    return (x + turned(x)) * 0.5


def _cholesky_pullback(ct: Any, y: Any, a: Any) -> tuple[Any, ...]:
    inverse = inv(y)
    return (_symmetric(matmul(matmul(turned(inverse), half_lower(matmul(turned(y), ct))), inverse)),)


def _cholesky_differential(ds: tuple[Any, ...], y: Any, a: Any) -> Any:
    inverse = inv(y)
    return matmul(y, half_lower(matmul(matmul(inverse, _symmetric(ds[0])), turned(inverse))))


cholesky = Primitive(
    "np.linalg.cholesky", np.linalg.cholesky, matrix_type, "np.linalg.cholesky({})",
    _cholesky_pullback, _cholesky_differential, memory=NEW, work=SYSTEMS, raises=MAY,
)


# -- determinants ----------------------------------------------------------------------------------------------------


def _number_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes, dtype = matrix_axes(p, args[0]), lapack_dtype(args[0])
    if axes is None:
        return array(dtype, None)
    return scalar_kind(dtype) if len(axes) == 2 else array(dtype, axes[:-2])


def _per_matrix(x: Any, a: Any) -> Any:
    return x if len(axes_of(_kind(a)) or ("", "")) == 2 else expand_dims(x, axis=(-1, -2))


def _kind(a: Any) -> Object:
    from ccc.primitives.broadcasting import kind_of

    return kind_of(a)


logabsdet = Primitive(
    "logabsdet", lambda a: np.linalg.slogdet(a)[1], _number_type, "np.linalg.slogdet({})[1]",
    lambda ct, y, a: (_per_matrix(ct, a) * turned(inv(a)),),
    lambda ds, y, a: sum_(ds[0] * turned(inv(a)), axis=(-2, -1)), memory=NEW, work=SYSTEMS, raises=MAY,
)
signdet = Primitive(
    "signdet", lambda a: np.linalg.slogdet(a)[0], _number_type, "np.linalg.slogdet({})[0]",
    lambda ct, y, a: (ZERO,), lambda ds, y, a: ZERO, memory=NEW, work=SYSTEMS, raises=beside(logabsdet),
)
"""The sign, which stands beside `logabsdet` of the same matrix: that raises."""


# -- eigenvalues of symmetric matrices -------------------------------------------------------------------------------


def _values_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes, dtype = matrix_axes(p, args[0]), lapack_dtype(args[0])
    return array(dtype, None if axes is None else (*axes[:-2], "?"))


def _gaps(w: Any) -> Any:
    differences = w[..., None, :] - w[..., :, None]
    with np.errstate(divide="ignore"):
        found = np.where(differences == 0, 0, 1 / np.where(differences == 0, 1, differences))
    return found.astype(w.dtype)


def _square_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = axes_of(args[0])
    return array(dtype_of(args[0]), None if axes is None else (*axes, axes[-1]))


def _gaps_slope(d: Any, y: Any, w: Any) -> Any:
    return -(y * y) * (expand_dims(d, axis=-2) - expand_dims(d, axis=-1))


gaps = Primitive(
    "gaps", _gaps, _square_type, "gaps({})",
    lambda ct, y, w: (sum_(-(y * y) * ct, axis=-2) - sum_(-(y * y) * ct, axis=-1),),
    lambda ds, y, w: _gaps_slope(ds[0], y, w), memory=NEW, work=ENTRIES, raises=NEVER,
)
"""`1 / (w_j - w_i)`, and 0 where the two are equal."""


def _eigenvalues_pullback(ct: Any, y: Any, a: Any) -> tuple[Any, ...]:
    v = eigenvectors(a)
    return (matmul(v * expand_dims(ct, axis=-2), turned(v)),)


def _eigenvalues_differential(ds: tuple[Any, ...], y: Any, a: Any) -> Any:
    v = eigenvectors(a)
    return sum_(v * matmul(_symmetric(ds[0]), v), axis=-2)


def _eigenvectors_pullback(ct: Any, v: Any, a: Any) -> tuple[Any, ...]:
    inner = gaps(eigenvalues(a)) * matmul(turned(v), ct)
    return (_symmetric(matmul(matmul(v, inner), turned(v))),)


def _eigenvectors_differential(ds: tuple[Any, ...], v: Any, a: Any) -> Any:
    inner = matmul(matmul(turned(v), _symmetric(ds[0])), v)
    return matmul(v, gaps(eigenvalues(a)) * inner)


eigenvalues = Primitive(
    "eigenvalues", lambda a: np.linalg.eigh(a)[0], _values_type, "np.linalg.eigh({})[0]",
    _eigenvalues_pullback, _eigenvalues_differential, memory=NEW, work=SYSTEMS, raises=MAY,
)
eigenvectors = Primitive(
    "eigenvectors", lambda a: np.linalg.eigh(a)[1], matrix_type, "np.linalg.eigh({})[1]",
    _eigenvectors_pullback, _eigenvectors_differential, memory=NEW, work=SYSTEMS, raises=MAY,
)
eigvalsh = Primitive(
    "np.linalg.eigvalsh", np.linalg.eigvalsh, _values_type, "np.linalg.eigvalsh({})",
    _eigenvalues_pullback, _eigenvalues_differential, memory=NEW, work=SYSTEMS, raises=MAY,
)


# -- powers ----------------------------------------------------------------------------------------------------------


def _powers(a: Any, n: int) -> list[Any]:
    found: list[Any] = [None]
    for _ in range(n - 1):
        found.append(a if found[-1] is None else matmul(found[-1], a))
    return found


def _between(left: Any, d: Any, right: Any) -> Any:
    d = d if left is None else matmul(left, d)
    return d if right is None else matmul(d, right)


def _power_slope(d: Any, a: Any, n: int) -> Any:
    powers = _powers(a, n)
    total: Any = ZERO
    for i in range(n):
        term = _between(powers[i], d, powers[n - 1 - i])
        total = term if total is ZERO else total + term
    return total


def _power_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    matrix_axes(p, args[0])
    return args[0]


matrix_power = Primitive(
    "np.linalg.matrix_power", lambda a, n: np.linalg.matrix_power(a, n), _power_type,
    lambda a, n: f"np.linalg.matrix_power({a}, {n})",
    lambda ct, y, a, n: (_power_slope(ct, turned(a), n) if n > 0 else ZERO,),
    lambda ds, y, a, n: _power_slope(ds[0], a, n) if n > 0 else ZERO, memory=may_be(0), work=SYSTEMS, raises=MAY,
)
"""The power of a matrix by an integer that is not negative."""
