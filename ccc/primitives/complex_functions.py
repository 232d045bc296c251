"""What functions of NumPy's, and those of `cmath`, mean for complex arguments, written in Python.

>>> exp(Complex(1.0, 0.0)).real == np.exp(1.0), polar(Complex(3.0, 4.0))[0]
(np.True_, 5.0)
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.primitives.complexes import Complex, as_complex

LN2 = math.log(2.0)
LN10 = math.log(10.0)


def widened(x: Any) -> Complex:
    """Numbers as complex ones, of their own."""
    return x if isinstance(x, Complex) else Complex(x, np.zeros_like(x) if np.ndim(x) > 0 else 0.0)


def converted(x: Any, dtype: Any) -> Complex:
    return as_complex(np.asarray(x)).astype(dtype)


def paired(x: Any) -> Complex:
    """The complex numbers of which an array holds the parts, one after the other."""
    return Complex(x[..., ::2], x[..., 1::2])


def real(val: Any) -> Any:
    return val.real


def imag(val: Any) -> Any:
    return val.imag


def of_each(part: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What a function gives at each item of a list.

    >>> of_each(imag)([1j, 2j])
    [1.0, 2.0]
    """

    def at_each(numbers: Any) -> Any:
        return [part(z) for z in numbers]

    return at_each


def conj(z: Any) -> Complex:
    return Complex(+z.real, -z.imag)


def angle(z: Any, deg: Any = False) -> Any:
    turn = np.arctan2(z.imag, z.real)
    return turn * (180.0 / np.pi) if deg else turn


def exp(z: Any) -> Complex:
    return as_complex(z).exponential()


def exp2(z: Any) -> Complex:
    return as_complex(z * LN2).exponential()


def expm1(z: Any) -> Complex:
    half = np.sin(z.imag / 2.0)
    return Complex(np.expm1(z.real) * np.cos(z.imag) - 2.0 * (half * half), np.exp(z.real) * np.sin(z.imag))


def log(z: Any) -> Complex:
    return as_complex(z).logarithm()


def log2(z: Any) -> Complex:
    return log(z) / LN2


def log10(z: Any) -> Complex:
    return log(z) / LN10


def log1p(z: Any) -> Complex:
    return Complex(0.5 * np.log1p(z.real * (2.0 + z.real) + z.imag * z.imag), np.arctan2(z.imag, 1.0 + z.real))


def sqrt(z: Any) -> Complex:
    """By the root of what does not cancel, as Python and NumPy take it: of a real number it is one, or i times one."""
    x, y = z.real, z.imag
    size = 2.0 * np.sqrt(np.abs(x) / 8.0 + np.hypot(x / 8.0, y / 8.0))
    far, ahead = np.isinf(y), (x >= 0.0) | np.isnan(x)
    small = np.where(far, y, np.where(far, 0.0, y) / (2.0 * np.where(size == 0.0, 1.0, size)))
    across, along = np.where(ahead, size, small * np.copysign(1.0, y)), np.where(ahead, small, np.copysign(size, y))
    return Complex(across[()], along[()])


def sin(z: Any) -> Complex:
    return Complex(np.sin(z.real) * np.cosh(z.imag), np.cos(z.real) * np.sinh(z.imag))


def cos(z: Any) -> Complex:
    return Complex(np.cos(z.real) * np.cosh(z.imag), -(np.sin(z.real) * np.sinh(z.imag)))


def tan(z: Any) -> Complex:
    turned = tanh(Complex(-z.imag, z.real))
    return Complex(turned.imag, -turned.real)


def sinh(z: Any) -> Complex:
    return Complex(np.sinh(z.real) * np.cos(z.imag), np.cosh(z.real) * np.sin(z.imag))


def cosh(z: Any) -> Complex:
    return Complex(np.cosh(z.real) * np.cos(z.imag), np.sinh(z.real) * np.sin(z.imag))


def tanh(z: Any) -> Complex:
    t, u = np.tanh(z.real), np.tan(z.imag)
    below = 1.0 + (t * u) * (t * u)
    return Complex(t * (1.0 + u * u) / below, u * (1.0 - t * t) / below)


def beside_one(z: Any) -> tuple[Complex, Complex]:
    """The roots of `1 - z` and `1 + z`, with the signs of zeros, which say the side of a cut."""
    return sqrt(Complex(1.0 - z.real, -z.imag)), sqrt(Complex(1.0 + z.real, z.imag))


def arcsin(z: Any) -> Complex:
    below, above = beside_one(z)
    return Complex(np.arctan2(z.real, (below * above).real), np.arcsinh((below.conj() * above).imag))


def arccos(z: Any) -> Complex:
    below, above = beside_one(z)
    return Complex(2.0 * np.arctan2(below.real, above.real), np.arcsinh((above.conj() * below).imag))


def arccosh(z: Any) -> Complex:
    below, above = sqrt(Complex(z.real - 1.0, z.imag)), sqrt(Complex(z.real + 1.0, z.imag))
    return Complex(np.arcsinh((below.conj() * above).real), 2.0 * np.arctan2(below.imag, above.real))


def arctanh(z: Any) -> Complex:
    above, below = log1p(z), log1p(Complex(-z.real, -z.imag))
    return Complex(0.5 * (above.real - below.real), 0.5 * (above.imag - below.imag))


def arcsinh(z: Any) -> Complex:
    turned = arcsin(Complex(-z.imag, z.real))
    return Complex(turned.imag, -turned.real)


def arctan(z: Any) -> Complex:
    turned = arctanh(Complex(-z.imag, z.real))
    return Complex(turned.imag, -turned.real)


# -- arrays ------------------------------------------------------------------------------------------------------------


def zeros_like(a: Any) -> Complex:
    return Complex(np.zeros_like(a.real), np.zeros_like(a.imag))


def broadcast_to(a: Any, shape: Any) -> Complex:
    return Complex(np.broadcast_to(a.real, shape), np.broadcast_to(a.imag, shape))


def ones_like(a: Any) -> Complex:
    return Complex(np.ones_like(a.real), np.zeros_like(a.imag))


def stack(arrays: Any, axis: Any = 0) -> Complex:
    return Complex(np.stack([as_complex(np.asarray(z)).real for z in arrays], axis),
                   np.stack([as_complex(np.asarray(z)).imag for z in arrays], axis))


def concatenate(arrays: Any, /, axis: Any = 0) -> Complex:
    return Complex(np.concatenate([as_complex(np.asarray(z)).real for z in arrays], axis),
                   np.concatenate([as_complex(np.asarray(z)).imag for z in arrays], axis))


def cumprod(a: Any, axis: Any = None) -> Any:
    rows: Any = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    real, imag = np.array(rows.real * 1.0), np.array(rows.imag * 1.0)
    for i in range(1, len(rows)):
        moved = Complex(real[i - 1], imag[i - 1]) * rows[i]
        real[i], imag[i] = moved.real, moved.imag
    made = Complex(real, imag)
    return made if axis is None else np.moveaxis(made, 0, axis)  # type: ignore[type-var,arg-type]


def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    shape = list(np.shape(a))
    shape[axis] = 1
    for more, before in ((prepend, True), (append, False)):
        if more is not None:
            more = np.asarray(more)
            more = np.broadcast_to(more, shape) if np.ndim(more) == 0 else more
            a = concatenate([more, a] if before else [a, more], axis)
    for _ in range(n):
        rows = np.moveaxis(a, axis, 0)
        a = np.moveaxis(rows[1:] - rows[:-1], 0, axis)
    return a


def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    if len(v) > len(a):
        return np.conj(np.convolve(v, np.conj(a)[::-1], mode)[::-1])
    return np.convolve(a, np.conj(v)[::-1], mode)


def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Complex:
    return Complex(np.nan_to_num(x.real, nan=nan, posinf=posinf, neginf=neginf),
                   np.nan_to_num(x.imag, nan=nan, posinf=posinf, neginf=neginf))


def isnan(z: Any) -> Any:
    return np.logical_or(np.isnan(z.real), np.isnan(z.imag))


def isinf(z: Any) -> Any:
    return np.logical_or(np.isinf(z.real), np.isinf(z.imag))


def isfinite(z: Any) -> Any:
    return np.logical_and(np.isfinite(z.real), np.isfinite(z.imag))


def iscomplex(z: Any) -> Any:
    return np.not_equal(z.imag, 0.0)


def isreal(z: Any) -> Any:
    return np.equal(z.imag, 0.0)


# -- matrices ----------------------------------------------------------------------------------------------------------


def as_blocks(a: Any) -> Any:
    """The real matrix of twice the size that does to pairs of parts what a complex one does."""
    a = as_complex(a)
    above = np.concatenate([a.real, -a.imag], axis=-1)
    return np.concatenate([above, np.concatenate([a.imag, a.real], axis=-1)], axis=-2)


def inv(a: Any) -> Complex:
    found, n = np.linalg.inv(as_blocks(a)), a.shape[-1]
    return Complex(found[..., :n, :n], found[..., n:, :n])


def solve(a: Any, b: Any) -> Complex:
    b, n = as_complex(b), a.shape[-1]
    if np.ndim(b.real) == 1:
        found = np.linalg.solve(as_blocks(a), np.concatenate([b.real, b.imag]))
        return Complex(found[..., :n], found[..., n:])
    found = np.linalg.solve(as_blocks(a), np.concatenate([b.real, b.imag], axis=-2))
    return Complex(found[..., :n, :], found[..., n:, :])


def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    return np.linalg.eigvalsh(as_blocks(lower(a, UPLO)))[..., ::2]


def lower(a: Any, UPLO: Any) -> Complex:
    """The Hermitian matrix of which one triangle is read."""
    a = a if UPLO in ("L", "l") else Complex(np.swapaxes(a.real, -1, -2), -np.swapaxes(a.imag, -1, -2))
    real, imag = np.tril(a.real), np.tril(a.imag, -1)
    return Complex(real + np.swapaxes(np.tril(a.real, -1), -1, -2), imag - np.swapaxes(imag, -1, -2))


def pinv(a: Any, rcond: Any = None, hermitian: Any = False) -> Complex:
    found = np.linalg.pinv(as_blocks(a)) if rcond is None else np.linalg.pinv(as_blocks(a), rcond)
    m, n = a.shape[-2], a.shape[-1]
    return Complex(found[..., :n, :m], found[..., n:, :m])


def svdvals(a: Any) -> Any:
    return np.linalg.svdvals(as_blocks(a))[..., ::2]


def pivots(a: Any) -> Complex:
    """The diagonal of U in PA = LU, its first sign that of P."""
    n = a.shape[-1]
    rest, sign, found = np.reshape(a, (-1, n, n)), np.ones(1), []
    which = np.arange(len(rest))
    for _ in range(n):
        at = np.argmax(np.abs(rest[:, :, 0]), axis=1)
        first, top = rest[:, 0], rest[which, at]
        sign = np.where(at > 0, -sign, sign)
        found.append(top[:, 0])
        others = np.where((at[:, None] == np.arange(1, rest.shape[1]))[:, :, None], first[:, None], rest[:, 1:])
        over = np.where(top[:, 0] == 0.0, 1.0, top[:, 0])
        rest = others[:, :, 1:] - (others[:, :, 0] / over[:, None])[:, :, None] * top[:, None, 1:]
    found[0] = found[0] * sign
    return np.reshape(stack(found, -1), a.shape[:-1])  # type: ignore[return-value]


def det(a: Any) -> Any:
    return np.prod(pivots(a), axis=-1)


def cholesky(a: Any, *, upper: Any = False) -> Complex:
    n = a.shape[-1]
    a = lower(a, "U" if upper else "L")
    columns: list[Any] = []
    for j in range(n):
        column = a[..., :, j]
        for other in columns:
            column = column - other * np.conj(other[..., j:j + 1])
        size = column.real[..., j:j + 1]
        if not np.all(size > 0.0):
            raise np.linalg.LinAlgError("Matrix is not positive definite")
        columns.append(np.where(np.arange(n) >= j, column / np.sqrt(size), 0.0))
    found = stack(columns, -1)
    return np.conj(np.swapaxes(found, -1, -2)) if upper else found  # type: ignore[return-value]


def matrix_power(a: Any, n: Any) -> Any:
    base = inv(a) if n < 0 else as_complex(a)
    found = Complex(np.eye(a.shape[-1]) + np.zeros_like(a.real), np.zeros_like(a.imag))
    for _ in range(abs(n)):
        found = found @ base
    return found


def vdot(a: Any, b: Any) -> Complex:
    return np.dot(np.ravel(as_complex(a).conj()), np.ravel(b))  # type: ignore[arg-type]


# -- cmath -------------------------------------------------------------------------------------------------------------


def number(z: Any) -> Complex:
    """A complex number of Python's."""
    z = as_complex(z)
    return Complex(float(z.real), float(z.imag))


def of_number(function: Any) -> Any:
    """A function of `cmath` by that of NumPy's."""
    return lambda z: number(function(number(z)))


def logarithm(z: Any, base: Any = None) -> Complex:
    z = number(z)
    if z.real == 0.0 and z.imag == 0.0:
        raise ValueError("math domain error")
    found = log(z) if base is None else log(z) / logarithm(base)
    return number(found)


def phase(z: Any) -> float:
    z = number(z)
    return math.atan2(z.imag, z.real)


def polar(z: Any) -> Any:
    z = number(z)
    return math.hypot(z.real, z.imag), math.atan2(z.imag, z.real)


def rect(r: Any, phi: Any) -> Complex:
    return Complex(r * math.cos(phi), r * math.sin(phi))


def made(real: Any = 0.0, imag: Any = 0.0) -> Complex:
    """`complex(real, imag)`."""
    z, w = as_complex(real), as_complex(imag)
    return Complex(float(z.real) - float(w.imag), float(z.imag) + float(w.real))


def scalar(x: Any = 0.0, /) -> Complex:
    """`np.complex128(x)`."""
    z = as_complex(x)
    return Complex(np.float64(z.real), np.float64(z.imag))


NUMBERS: dict[Any, Any] = {
    complex: made, np.complex128: scalar,
    cmath.exp: of_number(exp), cmath.sqrt: of_number(sqrt), cmath.sin: of_number(sin), cmath.cos: of_number(cos),
    cmath.tan: of_number(tan), cmath.sinh: of_number(sinh), cmath.cosh: of_number(cosh), cmath.tanh: of_number(tanh),
    cmath.log: logarithm, cmath.log10: lambda z: number(logarithm(z) / LN10), cmath.phase: phase, cmath.polar: polar,
    cmath.rect: rect, cmath.isnan: lambda z: bool(isnan(number(z))), cmath.isinf: lambda z: bool(isinf(number(z))),
    cmath.isfinite: lambda z: bool(isfinite(number(z))),
}
"""What functions of Python's give that are of complex numbers, whatever they are given."""


FUNCTIONS: dict[Any, Any] = {
    np.real: real, np.imag: imag, np.conj: conj, np.conjugate: conj, np.angle: angle, np.exp: exp, np.log: log,
    np.exp2: exp2, np.expm1: expm1, np.log2: log2, np.log10: log10, np.log1p: log1p, np.sin: sin, np.cos: cos,
    np.arcsin: arcsin, np.arccos: arccos, np.arctan: arctan, np.arcsinh: arcsinh, np.arccosh: arccosh,
    np.arctanh: arctanh, np.tan: tan, np.sinh: sinh, np.cosh: cosh, np.tanh: tanh,
    np.reciprocal: lambda z: 1.0 / z,
    np.isnan: isnan, np.isinf: isinf, np.isfinite: isfinite, np.iscomplex: iscomplex,
    np.isreal: isreal, np.isrealobj: lambda z: False, np.ones_like: ones_like, np.linalg.inv: inv,
    np.linalg.pinv: pinv, np.linalg.svdvals: svdvals, np.linalg.det: det, np.linalg.cholesky: cholesky,
    np.linalg.matrix_power: matrix_power, np.cumprod: cumprod, np.stack: stack,
    np.concatenate: concatenate, np.diff: diff, np.correlate: correlate,
    np.nan_to_num: nan_to_num,
    np.linalg.solve: solve, np.linalg.eigvalsh: eigvalsh, np.sqrt: sqrt,
    np.logical_not: lambda z: z == 0,
    np.vdot: vdot, np.zeros_like: zeros_like, np.empty_like: zeros_like, np.broadcast_to: broadcast_to,
    np.reshape: lambda z, shape: z.reshape(shape), np.equal: lambda a, b: as_complex(a) == b,
    np.not_equal: lambda a, b: as_complex(a) != b,
    np.abs: Complex.__abs__, np.negative: Complex.__neg__,
    np.add: lambda a, b: as_complex(a) + b, np.subtract: lambda a, b: as_complex(a) - b,
    np.multiply: lambda a, b: as_complex(a) * b, np.divide: lambda a, b: as_complex(a) / b,
    np.power: lambda z, n: as_complex(z) ** n, np.square: lambda z: z * z, np.iscomplexobj: lambda z: True,
    np.shape: lambda z: z.shape, np.ndim: lambda z: z.ndim, np.size: lambda z: z.size,
}
"""What functions of NumPy's mean for complex arguments, written in Python."""
