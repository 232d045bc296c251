"""Eigenvalues and eigenvectors of matrices that are not symmetric: complex, as the array of their parts.

With a v = v diag(w), x = inv v and m = x da v, o for products entry by entry:

    dw = diagonal of m        dv = u + v diag(d)        u = v (m o 1/(w_j - w_i))

The d keep each vector as LAPACK gives it: of length 1, its largest entry real. Where eigenvalues coincide, vectors
count as not turning within what they span; of a matrix without a basis of eigenvectors there is no derivative, and the
inverse of v raises.

>>> values = eigenvalue_parts(np.array([[0.0, 1.0], [-4.0, 0.0]]))
>>> values.round(12) + 0.0
array([[ 0.,  0.],
       [ 2., -2.]])

References: Giles, *Collected matrix derivative results for forward and reverse mode algorithmic differentiation*
(2008); Boeddeker, Hanebrink, Drude, Heymann, Haeb-Umbach, *On the computation of complex-valued gradients* (2017).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.objects import Object, array
from ccc.primitives.bilinear import np_matmul as matmul
from ccc.primitives.complexes import Complex
from ccc.primitives.factorisations import inverse0
from ccc.primitives.facts import EXTREMA, MAY, NEW, SYSTEMS, beside
from ccc.primitives.fourier import joined, split
from ccc.primitives.indexing import index
from ccc.primitives.joining import stack
from ccc.primitives.joint import joint
from ccc.primitives.matrices import lapack_dtype, matrix_axes, turned
from ccc.primitives.pointwise import no_cotangents, no_tangent
from ccc.primitives.primitive import Primitive
from ccc.primitives.reductions import sum_
from ccc.primitives.shaping import expand_dims

# -- complex matrices by parts ---------------------------------------------------------------------------------------


def complex_of(parts: Any) -> Complex:
    """The complex array of which an array has the parts."""
    return Complex(index(parts, 0, pattern=("i",)), index(parts, 1, pattern=("i",)))


def stacked(z: Complex) -> Any:
    return stack(z.real, z.imag)


def product(a: Complex, b: Complex) -> Complex:
    """The product of complex matrices."""
    return Complex(matmul(a.real, b.real) - matmul(a.imag, b.imag), matmul(a.real, b.imag) + matmul(a.imag, b.real))


def adjoint(z: Complex) -> Complex:
    return Complex(turned(z.real), -turned(z.imag))


def _between(x: Complex, d: Any, v: Complex) -> Complex:
    """`x d v` of a real matrix d."""
    return product(Complex(matmul(x.real, d), matmul(x.imag, d)), v)


def _real_between(x: Complex, m: Complex, v: Complex) -> Any:
    """The real part of `x m v`."""
    left = product(x, m)
    return matmul(left.real, v.real) - matmul(left.imag, v.imag)


def _inverse_pullback(ct: Any, y: Any, v: Any) -> tuple[Any, ...]:
    back = adjoint(complex_of(y))
    return (stacked(-product(product(back, complex_of(ct)), back)),)


def _inverse_differential(ds: tuple[Any, ...], y: Any, v: Any) -> Any:
    x = complex_of(y)
    return stacked(-product(product(x, complex_of(ds[0])), x))


inverse_of_parts = Primitive(
    "inverse_of_parts", lambda v: split(np.linalg.inv(joined(v))), lambda p, args, params: args[0],
    "inverse_of_parts({})", _inverse_pullback, _inverse_differential, memory=NEW, work=SYSTEMS, raises=MAY,
)


def _largest(v: Any) -> Any:
    size = np.where(v[1] == 0, v[0] * v[0] + v[1] * v[1], -1)  # LAPACK makes one real, which rounding may not show
    rows = np.arange(size.shape[-2])[:, None]
    return (rows == np.argmax(size, axis=-2, keepdims=True)).astype(v.dtype) if size.size else np.zeros_like(v[0])


def _largest_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = matrix_axes(p, args[0])
    return array(lapack_dtype(args[0]), axes and axes[1:])


largest_of_columns = Primitive(
    "largest_of_columns", _largest, _largest_type, "largest_of_columns({})", no_cotangents, no_tangent, memory=NEW,
    work=EXTREMA, raises=MAY,
)
"""1 at the largest real entry of each column of complex matrices, and 0 elsewhere."""


# -- eigenvalues -----------------------------------------------------------------------------------------------------


def _parts_type(columns: bool) -> Any:
    def rule(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
        axes = matrix_axes(p, args[0])
        return array(lapack_dtype(args[0]), axes and ("n", *(axes if columns else axes[:-1])))

    return rule


def _values_pullback(ct: Any, y: Any, a: Any) -> tuple[Any, ...]:
    v = eigenvector_parts(a)
    c, z = complex_of(ct), complex_of(v)
    scaled = z * Complex(expand_dims(c.real, axis=-2), -expand_dims(c.imag, axis=-2))
    return (turned(product(scaled, complex_of(inverse_of_parts(v))).real),)


def _values_differential(ds: tuple[Any, ...], y: Any, a: Any) -> Any:
    v = eigenvector_parts(a)
    z, x = complex_of(v), complex_of(inverse_of_parts(v))
    moved = Complex(matmul(ds[0], z.real), matmul(ds[0], z.imag)) * Complex(turned(x.real), turned(x.imag))
    return stack(sum_(moved.real, axis=-2), sum_(moved.imag, axis=-2))


# -- eigenvectors ----------------------------------------------------------------------------------------------------


def _inverse_gaps(w: Any) -> Complex:
    """`1 / (w_j - w_i)`, and 0 where the two are equal."""
    z = complex_of(w)
    real, imag = [expand_dims(part, axis=-2) - expand_dims(part, axis=-1) for part in (z.real, z.imag)]
    scale = inverse0(real * real + imag * imag)
    return Complex(real * scale, -(imag * scale))


def _column_sums(x: Any) -> Any:
    return sum_(x, axis=-2, keepdims=True)


def _vectors_differential(ds: tuple[Any, ...], y: Any, a: Any) -> Any:
    v, x = complex_of(y), complex_of(inverse_of_parts(y))
    u = product(v, _between(x, ds[0], v) * _inverse_gaps(eigenvalue_parts(a)))
    largest = largest_of_columns(y)
    along = -_column_sums(v.real * u.real + v.imag * u.imag)
    turn = -_column_sums(largest * u.imag) / _column_sums(largest * v.real)
    return stacked(u + v * Complex(along, turn))


def _vectors_pullback(ct: Any, y: Any, a: Any) -> tuple[Any, ...]:
    v, x, c = complex_of(y), complex_of(inverse_of_parts(y)), complex_of(ct)
    largest = largest_of_columns(y)
    along = _column_sums(c.real * v.real + c.imag * v.imag)
    turn = _column_sums(c.real * v.imag - c.imag * v.real) / _column_sums(largest * v.real)
    u = Complex(c.real - v.real * along, c.imag - v.imag * along + largest * turn)
    m = product(adjoint(v), u) * _inverse_gaps(eigenvalue_parts(a)).conj()
    return (_real_between(adjoint(x), m, adjoint(v)),)


def _eig_part(i: int) -> Any:
    def value(a: Any) -> Any:
        return split(np.linalg.eig(a)[i])

    return value


eig_parts = joint("eig_parts", lambda a: [split(x) for x in np.linalg.eig(a)], "eig_parts({})",
                  lambda: (eigenvalue_parts, eigenvector_parts))
eigenvector_parts = Primitive(
    "eigenvector_parts", _eig_part(1), _parts_type(True), "eigenvector_parts({})", _vectors_pullback,
    _vectors_differential, memory=NEW, work=SYSTEMS, raises=MAY, one_of=(eig_parts, 1),
)
eigenvalue_parts = Primitive(
    "eigenvalue_parts", _eig_part(0), _parts_type(False), "eigenvalue_parts({})", _values_pullback,
    _values_differential, memory=NEW, work=SYSTEMS, raises=beside(eigenvector_parts),
    one_of=(eig_parts, 0),
)
eigvals_parts = Primitive(
    "eigvals_parts", lambda a: split(np.linalg.eigvals(a)), _parts_type(False), "eigvals_parts({})", _values_pullback,
    _values_differential, memory=NEW, work=SYSTEMS, raises=MAY,
)
