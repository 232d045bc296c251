"""Decompositions of matrices: `cholesky`, `slogdet`, `eigh`, singular values, powers.

    d cholesky a = L phi(inv L da inv L^T), phi the lower triangle with half of the diagonal
    d eigenvalues a = diagonal of (V^T da V)        d singular values a = diagonal of (U^T da V)

`cholesky` and `eigh` read one triangle of a matrix, which stands for a symmetric one; their derivatives are those of
the triangle that is read, as differences of NumPy's functions find. Where eigenvalues coincide, up to rounding, theirs
have a slope that depends on the basis that LAPACK chose, and the eigenvectors none: there they count as not turning
within it.

>>> logabsdet.pullback(1.0, None, np.array([[2.0, 0.0], [0.0, 4.0]]))[0]
array([[0.5 , 0.  ],
       [0.  , 0.25]])

References: Giles, *Collected matrix derivative results for forward and reverse mode algorithmic differentiation*
(2008); Murray, *Differentiation of the Cholesky decomposition* (2016).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero
from ccc.objects import Object, array
from ccc.primitives.bilinear import np_matmul as matmul
from ccc.primitives.domains import unknown_rank
from ccc.primitives.facts import ENTRIES, MAY, MOVEMENT, NEW, SYSTEMS, beside, jointly, may_be
from ccc.primitives.joint import joint, part_source, part_value, tuple_of
from ccc.primitives.matrices import inv, lapack_dtype, matrix_axes, matrix_type, solve, turned
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.rearranging import tril
from ccc.primitives.reductions import call_source, dtype_of, scalar_kind, sum_
from ccc.primitives.shaping import axes_of, expand_dims

# -- triangles and differences ---------------------------------------------------------------------------------------


def _half_lower(x: Any) -> Any:
    return np.tril(x) - 0.5 * x * np.eye(x.shape[-1], dtype=x.dtype)


def _like_first(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[0]


def _symmetric_from(a: Any, of: str) -> Any:
    if of == "L":
        return np.tril(a) + turned(np.tril(a, -1))
    return np.triu(a) + turned(np.triu(a, 1))


def _onto_triangle(ct: Any, of: str) -> Any:
    if of == "L":
        return np.tril(ct) + turned(np.triu(ct, 1))
    return np.triu(ct) + turned(np.tril(ct, -1))


symmetric_from = linear(
    "symmetric_from", _symmetric_from, _like_first, call_source("symmetric_from"),
    lambda ct, y, a, of: (onto_triangle(ct, of=of),), memory=NEW, work=MOVEMENT, raises=MAY,
)
"""The symmetric matrix of which one triangle is given, `of="L"` or `of="U"`."""
onto_triangle = linear(
    "onto_triangle", _onto_triangle, _like_first, call_source("onto_triangle"),
    lambda g, y, ct, of: (symmetric_from(g, of=of),), memory=NEW, work=ENTRIES, raises=MAY, adding=True,
)
"""Its transpose: what the two entries beside the diagonal that one stands for received."""

half_lower = linear("half_lower", _half_lower, _like_first, "half_lower({})", lambda g, y, x: (half_lower(g),),
                    memory=NEW, work=ENTRIES, raises=MAY, adding=True)
"""The lower triangle with half of the diagonal; it is its own transpose."""


# -- Cholesky --------------------------------------------------------------------------------------------------------


def symmetric(x: Any) -> Any:
    """The symmetric part of a matrix."""
    return (x + turned(x)) * 0.5


def _read(upper: bool) -> str:
    return "U" if upper else "L"


def _between_inverses(x: Any, a: Any) -> Any:
    inverse = np.linalg.inv(a)
    return np.matmul(np.matmul(inverse, x), np.swapaxes(inverse, -1, -2))


def _between_inverses_pullback(ct: Any, y: Any, x: Any, a: Any) -> tuple[Any, ...]:
    return between_inverses(ct, turned(a)), -solve(turned(a), matmul(ct, turned(y)) + matmul(turned(ct), y))


def _between_inverses_differential(ds: tuple[Any, ...], y: Any, x: Any, a: Any) -> Any:
    dx, da = ds
    if isinstance(da, Zero):
        return between_inverses(dx, a)
    moved = -(solve(a, matmul(da, y)) + turned(solve(a, matmul(da, turned(y)))))
    return moved if isinstance(dx, Zero) else between_inverses(dx, a) + moved


between_inverses = Primitive(
    "between_inverses", _between_inverses, _like_first, "between_inverses({}, {})", _between_inverses_pullback,
    _between_inverses_differential, memory=NEW, work=SYSTEMS, linear=jointly(0), raises=MAY,
)
"""`inv(a) @ x @ inv(a).T`; where systems of triangles take less, as in machine code, there is no inverse."""


BLOCK = 64
"""So many columns of a factor are taken at once."""


def _cholesky_cotangent(ct: Any, y: Any) -> Any:
    """By blocks of columns, from the last one, as the factor would be made from the first: with as many products."""
    found, y = np.tril(ct), np.tril(y)
    end = y.shape[-1]
    while end:
        here, done, rest = slice(max(end - BLOCK, 0), end), slice(0, max(end - BLOCK, 0)), slice(end, None)
        inverse = np.linalg.inv(y[..., here, here])
        below = found[..., rest, here] = np.matmul(found[..., rest, here], inverse)
        found[..., rest, done] -= np.matmul(below, y[..., here, done])
        found[..., here, here] -= np.tril(np.matmul(turned(below), y[..., rest, here]))
        inner = _half_lower(np.matmul(turned(y[..., here, here]), found[..., here, here]))
        both = np.matmul(np.matmul(turned(inverse), inner), inverse)
        both = both + turned(both)
        found[..., here, here] = _half_lower(both)
        found[..., here, done] -= np.matmul(both, y[..., here, done]) + np.matmul(turned(below), y[..., rest, done])
        end = here.start
    return found


def _cotangent_in_whole(ct: Any, y: Any) -> tuple[Any, Any]:
    """What stands between two inverses in it, as a whole, and what they make of it."""
    inner = half_lower(matmul(turned(y), ct))
    return inner, between_inverses(inner, turned(y))


def _cholesky_cotangent_pullback(g: Any, found: Any, ct: Any, y: Any) -> tuple[Any, ...]:
    ct, y = tril(ct), tril(y)
    inner, between = _cotangent_in_whole(ct, y)
    to_inner, to_turned = _between_inverses_pullback(symmetric(symmetric_from(g, of="L")), between, inner, turned(y))
    to_product = half_lower(to_inner)
    return tril(matmul(y, to_product)), tril(matmul(ct, turned(to_product)) + turned(to_turned))


def _cholesky_cotangent_differential(ds: tuple[Any, ...], found: Any, ct: Any, y: Any) -> Any:
    d, dy = ds
    if isinstance(dy, Zero):
        return cholesky_cotangent(d, y)
    ct, y, dy = tril(ct), tril(y), tril(dy)
    inner, between = _cotangent_in_whole(ct, y)
    moved = matmul(turned(dy), ct)
    moved = half_lower(moved if isinstance(d, Zero) else moved + matmul(turned(y), tril(d)))
    moved = _between_inverses_differential((moved, turned(dy)), between, inner, turned(y))
    return onto_triangle(symmetric(moved), of="L")


cholesky_cotangent = Primitive(
    "cholesky_cotangent", _cholesky_cotangent, _like_first, "cholesky_cotangent({}, {})", _cholesky_cotangent_pullback,
    _cholesky_cotangent_differential, memory=NEW, work=SYSTEMS, linear=jointly(0), raises=MAY,
)
"""What arrives at the lower triangle of a matrix from that of its factor `y`, to which `ct` arrived (Murray, 3.4)."""


def _cholesky_pullback(ct: Any, y: Any, a: Any, upper: bool = False) -> tuple[Any, ...]:
    ct, y = (turned(ct), turned(y)) if upper else (ct, y)
    found = cholesky_cotangent(ct, y)
    return (turned(found) if upper else found,)


def _cholesky_differential(ds: tuple[Any, ...], y: Any, a: Any, upper: bool = False) -> Any:
    y = turned(y) if upper else y
    found = matmul(y, half_lower(between_inverses(symmetric_from(ds[0], of=_read(upper)), y)))
    return turned(found) if upper else found


cholesky = Primitive(
    "np.linalg.cholesky", np.linalg.cholesky, matrix_type, call_source("np.linalg.cholesky"),
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


_slogdet_source = call_source("np.linalg.slogdet")
slogdet = joint("np.linalg.slogdet", np.linalg.slogdet, tuple_of(_slogdet_source), lambda: (signdet, logabsdet))
logabsdet = Primitive(
    "logabsdet", part_value(np.linalg.slogdet, 1), _number_type, part_source(_slogdet_source, 1),
    lambda ct, y, a: (_per_matrix(ct, a) * turned(inv(a)),),
    lambda ds, y, a: sum_(ds[0] * turned(inv(a)), axis=(-2, -1)), memory=NEW, work=SYSTEMS, raises=MAY,
    one_of=(slogdet, 1),
)
signdet = Primitive(
    "signdet", part_value(np.linalg.slogdet, 0), _number_type, part_source(_slogdet_source, 0),
    lambda ct, y, a: (ZERO,), lambda ds, y, a: ZERO, memory=NEW, work=SYSTEMS, raises=beside(logabsdet),
    one_of=(slogdet, 0),
)
"""The sign, which stands beside `logabsdet` of the same matrix: that raises."""


# -- eigenvalues of symmetric matrices -------------------------------------------------------------------------------


def _values_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes, dtype = matrix_axes(p, args[0]), lapack_dtype(args[0])
    return array(dtype, None if axes is None else (*axes[:-2], "?"))


APART = 32
"""Eigenvalues that differ by no more than so many roundings of the largest of them count as equal."""


def _gaps(w: Any) -> Any:
    differences = w[..., None, :] - w[..., :, None]
    margin = APART * np.finfo(w.dtype).eps * np.max(np.abs(w), axis=-1, initial=0.0, keepdims=True)[..., None]
    equal = np.abs(differences) <= margin
    return np.where(equal, 0, 1 / np.where(equal, 1, differences)).astype(w.dtype)


def _square_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = axes_of(args[0])
    return array(dtype_of(args[0]), None if axes is None else (*axes, axes[-1]))


def _gaps_slope(d: Any, y: Any, w: Any) -> Any:
    return -(y * y) * (expand_dims(d, axis=-2) - expand_dims(d, axis=-1))


gaps = Primitive(
    "gaps", _gaps, _square_type, "gaps({})",
    lambda ct, y, w: (sum_(-(y * y) * ct, axis=-2) - sum_(-(y * y) * ct, axis=-1),),
    lambda ds, y, w: _gaps_slope(ds[0], y, w), memory=NEW, work=ENTRIES, raises=unknown_rank,
)
"""`1 / (w_j - w_i)`, and 0 where the two are equal up to rounding."""


def _triangle(params: dict[str, Any]) -> Any:
    return params.get("UPLO", "L")


def _eigenvalues_pullback(ct: Any, y: Any, a: Any, **params: Any) -> tuple[Any, ...]:
    v = eigenvectors(a, **params)
    return (onto_triangle(matmul(v * expand_dims(ct, axis=-2), turned(v)), of=_triangle(params)),)


def _eigenvalues_differential(ds: tuple[Any, ...], y: Any, a: Any, **params: Any) -> Any:
    v = eigenvectors(a, **params)
    return sum_(v * matmul(symmetric_from(ds[0], of=_triangle(params)), v), axis=-2)


def _eigenvectors_pullback(ct: Any, v: Any, a: Any, **params: Any) -> tuple[Any, ...]:
    inner = gaps(eigenvalues(a, **params)) * matmul(turned(v), ct)
    return (onto_triangle(symmetric(matmul(matmul(v, inner), turned(v))), of=_triangle(params)),)


def _eigenvectors_differential(ds: tuple[Any, ...], v: Any, a: Any, **params: Any) -> Any:
    inner = matmul(matmul(turned(v), symmetric_from(ds[0], of=_triangle(params))), v)
    return matmul(v, gaps(eigenvalues(a, **params)) * inner)


_eigh_source = call_source("np.linalg.eigh")
eigh = joint("np.linalg.eigh", np.linalg.eigh, tuple_of(_eigh_source),
             lambda: (eigenvalues, eigenvectors))
eigenvalues = Primitive(
    "eigenvalues", part_value(np.linalg.eigh, 0), _values_type, part_source(_eigh_source, 0),
    _eigenvalues_pullback, _eigenvalues_differential, memory=NEW, work=SYSTEMS, raises=MAY, one_of=(eigh, 0),
)
eigenvectors = Primitive(
    "eigenvectors", part_value(np.linalg.eigh, 1), matrix_type, part_source(_eigh_source, 1),
    _eigenvectors_pullback, _eigenvectors_differential, memory=NEW, work=SYSTEMS, raises=MAY, one_of=(eigh, 1),
)
eigvalsh = Primitive(
    "np.linalg.eigvalsh", np.linalg.eigvalsh, _values_type, call_source("np.linalg.eigvalsh"),
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
