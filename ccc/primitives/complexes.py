"""Complex numbers and arrays in programs: pairs of a real and an imaginary part.

The compiler reads the methods here, and the functions in `complex_functions`, as it reads those of users; so what is
complex in a program is real to its derivatives, to every target and to every category, and the gradient of a real
result needs no convention. Of a function of NumPy's that is linear in its arrays, both parts are taken; which ones are
is asked of the primitives and of NumPy (`compile.frontend.complex_numbers`).

>>> z = Complex(np.array([3.0, 1.0]), np.array([4.0, 0.0])) * 2.0
>>> abs(z), np.asarray(z.conj())
(array([10.,  2.]), array([6.-8.j, 2.+0.j]))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccc.paired import PAIRS
from ccc.primitives.complex_parts import as_part, nothing_beside, of_kind, of_python, over


@dataclass(eq=False)
class Complex:
    """A complex number or array, by its parts: what those of Python and NumPy are in programs, which take it as an
    argument too.

    >>> Complex(1.0, 2.0) * Complex(0.0, 1.0)
    Complex(real=-2.0, imag=1.0)
    """

    real: Any
    imag: Any

    __array_ufunc__ = None  # operators of arrays leave the work to those here
    __ccc_record__ = True  # a value of programs, though its class is of the project

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.real + 1j * np.asarray(self.imag), dtype)

    def __complex__(self) -> complex:
        return complex(self.real, self.imag)

    # -- arithmetic ---------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Complex:
        w = as_complex(other)
        return Complex(self.real + w.real, self.imag + w.imag)

    def __radd__(self, other: Any) -> Complex:
        return self + other

    def __sub__(self, other: Any) -> Complex:
        w = as_complex(other)
        return Complex(self.real - w.real, self.imag - w.imag)

    def __rsub__(self, other: Any) -> Complex:
        return -self + other

    def __mul__(self, other: Any) -> Complex:
        if isinstance(other, Complex):
            return Complex(self.real * other.real - self.imag * other.imag,
                           self.real * other.imag + self.imag * other.real)
        other = as_part(other)
        return Complex(self.real * other, self.imag * other)

    def __rmul__(self, other: Any) -> Complex:
        return self * other

    def __truediv__(self, other: Any) -> Complex:
        """By Smith's way, which overflows and underflows only where the quotient does, as Python and NumPy divide."""
        if not isinstance(other, Complex):
            other = as_part(other)
            return Complex(over(self.real, other, self.real, other), over(self.imag, other, self.real, other))
        parts = (self.real, self.imag, other.real, other.imag)
        wide = abs(other.real) >= abs(other.imag)
        large = of_kind(np.where(wide, other.real, other.imag), *parts)
        small = of_kind(np.where(wide, other.imag, other.real), *parts)
        ratio = small / large
        size = large + small * ratio
        real = np.where(wide, self.real, self.imag) + np.where(wide, self.imag, self.real) * ratio
        imag = np.where(wide, self.imag, -self.real) + np.where(wide, -self.real, self.imag) * ratio
        return Complex(over(of_kind(real, *parts), size, *parts), over(of_kind(imag, *parts), size, *parts))

    def __rtruediv__(self, other: Any) -> Complex:
        return as_complex(other) / self

    def __matmul__(self, other: Any) -> Complex:
        return np.matmul(self, other)  # type: ignore[return-value]

    def __rmatmul__(self, other: Any) -> Complex:
        return np.matmul(other, self)  # type: ignore[return-value]

    def __pow__(self, n: Any) -> Complex:
        if isinstance(n, Complex):
            return (n * self.logarithm()).exponential().of_kind(self, n)
        if isinstance(n, int) and 0 < abs(n) <= 100:
            found, power, left = self, self, abs(n)
            for bit in (1, 2, 4, 8, 16, 32, 64):
                power = power * power if bit > 1 and bit <= left else power
                if left % (2 * bit) == bit:
                    found = power
                elif left // bit % 2 == 1:
                    found = found * power
            return found if n > 0 else 1.0 / found
        size, turn = abs(self) ** n, n * np.arctan2(self.imag, self.real)
        return Complex(size * np.cos(turn), size * np.sin(turn)).of_kind(self, as_complex(n))

    def __rpow__(self, other: Any) -> Complex:
        base = as_complex(other)
        return (self * base.logarithm()).exponential().of_kind(self, base)

    def of_kind(self, one: Complex, other: Complex) -> Complex:
        """Of Python's floats where all parts of these are."""
        parts = (one.real, one.imag, other.real, other.imag)
        return Complex(of_kind(self.real, *parts), of_kind(self.imag, *parts))

    def logarithm(self) -> Complex:
        return Complex(np.log(abs(self)), np.arctan2(self.imag, self.real))

    def exponential(self) -> Complex:
        size = np.exp(self.real)
        return Complex(size * np.cos(self.imag), size * np.sin(self.imag))

    def __neg__(self) -> Complex:
        return Complex(-self.real, -self.imag)

    def __pos__(self) -> Complex:
        return Complex(+self.real, +self.imag)

    def __abs__(self) -> Any:
        return of_kind(np.hypot(self.real, self.imag), self.real, self.imag)

    def __eq__(self, other: Any) -> Any:
        w = as_complex(other)
        return (self.real == w.real) & (self.imag == w.imag)

    def __ne__(self, other: Any) -> Any:
        w = as_complex(other)
        return (self.real != w.real) | (self.imag != w.imag)

    def __lt__(self, other: Any) -> Any:
        return before(self, as_complex(other), "<", False)

    def __le__(self, other: Any) -> Any:
        return before(self, as_complex(other), "<=", True)

    def __gt__(self, other: Any) -> Any:
        return before(as_complex(other), self, ">", False)

    def __ge__(self, other: Any) -> Any:
        return before(as_complex(other), self, ">=", True)

    def __bool__(self) -> bool:
        return bool(self != 0)

    __hash__ = None  # type: ignore[assignment]

    # -- arrays -------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Complex:
        return Complex(self.real[key], self.imag[key])

    def __iter__(self) -> Iterator[Complex]:
        return iter([Complex(x, y) for x, y in zip(self.real, self.imag, strict=False)])  # one shape

    def __setitem__(self, key: Any, value: Any) -> None:
        w = as_complex(value)
        self.real[key] = w.real
        self.imag[key] = w.imag

    def __iadd__(self, other: Any) -> Complex:
        return self.become(self + other)

    def __isub__(self, other: Any) -> Complex:
        return self.become(self - other)

    def __imul__(self, other: Any) -> Complex:
        return self.become(self * other)

    def __itruediv__(self, other: Any) -> Complex:
        return self.become(self / other)

    def become(self, other: Complex) -> Complex:
        """An array with the numbers of another one, under all its names; of numbers, the other."""
        if np.ndim(self.real) == 0:
            return other
        self.real[...] = other.real
        self.imag[...] = other.imag
        return self

    def __len__(self) -> int:
        return len(self.real)

    @property
    def shape(self) -> Any:
        return self.real.shape

    @property
    def ndim(self) -> Any:
        return self.real.ndim

    @property
    def size(self) -> Any:
        return self.real.size

    @property
    def dtype(self) -> Any:
        return np.result_type(self.real.dtype, np.complex64)

    @property
    def T(self) -> Complex:
        return Complex(self.real.T, self.imag.T)

    @property
    def flat(self) -> Complex:
        return Complex(self.real.flat, self.imag.flat)

    def conj(self) -> Complex:
        return Complex(self.real, -self.imag)

    def conjugate(self) -> Complex:
        return Complex(self.real, -self.imag)

    def sum(self, axis: Any = None, keepdims: Any = False) -> Complex:
        return Complex(self.real.sum(axis=axis, keepdims=keepdims), self.imag.sum(axis=axis, keepdims=keepdims))

    def mean(self, axis: Any = None, keepdims: Any = False) -> Complex:
        return Complex(self.real.mean(axis=axis, keepdims=keepdims), self.imag.mean(axis=axis, keepdims=keepdims))

    def any(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.any(self != 0, axis=axis, keepdims=keepdims)

    def all(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.all(self != 0, axis=axis, keepdims=keepdims)

    def cumsum(self, axis: Any = None) -> Complex:
        return Complex(self.real.cumsum(axis=axis), self.imag.cumsum(axis=axis))

    def prod(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.prod(self, axis=axis, keepdims=keepdims)

    def var(self, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        return np.var(self, axis=axis, ddof=ddof, keepdims=keepdims)

    def std(self, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        return np.std(self, axis=axis, ddof=ddof, keepdims=keepdims)

    def dot(self, b: Any) -> Any:
        return np.dot(self, b)

    def squeeze(self, axis: Any = None) -> Complex:
        return Complex(self.real.squeeze(axis=axis), self.imag.squeeze(axis=axis))

    def repeat(self, repeats: Any, axis: Any = None) -> Complex:
        return Complex(self.real.repeat(repeats, axis=axis), self.imag.repeat(repeats, axis=axis))

    def take(self, indices: Any, axis: Any = None) -> Complex:
        return Complex(self.real.take(indices, axis=axis), self.imag.take(indices, axis=axis))

    def trace(self, offset: Any = 0) -> Complex:
        return Complex(self.real.trace(offset), self.imag.trace(offset))

    def diagonal(self, offset: Any = 0) -> Complex:
        return Complex(self.real.diagonal(offset), self.imag.diagonal(offset))

    def reshape(self, *shape: Any) -> Complex:
        return Complex(self.real.reshape(*shape), self.imag.reshape(*shape))

    def transpose(self, *axes: Any) -> Complex:
        return Complex(self.real.transpose(*axes), self.imag.transpose(*axes))

    def ravel(self) -> Complex:
        return Complex(self.real.ravel(), self.imag.ravel())

    def flatten(self) -> Complex:
        return Complex(self.real.flatten(), self.imag.flatten())

    def copy(self) -> Complex:
        return Complex(self.real.copy(), self.imag.copy())

    def swapaxes(self, axis1: Any, axis2: Any) -> Complex:
        return Complex(self.real.swapaxes(axis1, axis2), self.imag.swapaxes(axis1, axis2))

    def nonzero(self) -> Any:
        return np.nonzero(self)  # type: ignore[arg-type]

    def fill(self, value: Any) -> None:
        self[...] = value

    def astype(self, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True, copy: Any = True) -> Any:
        wide = np.dtype(dtype)
        if wide.kind != "c":  # NumPy leaves out the imaginary part, and warns
            found: Any = self if wide.kind == "b" else self.real
            return found != 0 if wide.kind == "b" else found.astype(wide, order=order, casting=casting, copy=copy)
        part = "float32" if wide == np.complex64 else "float64" if wide == np.complex128 else "longdouble"
        return Complex(self.real.astype(part, order=order, casting=casting, copy=copy),
                       self.imag.astype(part, order=order, casting=casting, copy=copy))

    def item(self, *places: Any) -> Complex:
        return Complex(self.real.item(*places), self.imag.item(*places))


def as_complex(x: Any) -> Complex:
    """A number or array as a complex one.

    >>> as_complex(2.0)
    Complex(real=2.0, imag=0.0)
    """
    if isinstance(x, Complex):
        return x
    x = as_part(x)
    return Complex(x, nothing_beside(x))


def before(z: Complex, w: Complex, sign: str, equal: bool) -> Any:
    """Whether the real part of one is less, or its imaginary part where the real ones are equal: NumPy's order."""
    if of_python(z.real, z.imag, w.real, w.imag):
        raise TypeError(f"'{sign}' not supported between instances of 'complex' and 'complex'")
    there = (z.imag == z.imag) & (w.imag == w.imag)
    return ((z.real < w.real) & there) | ((z.real == w.real) & (z.imag <= w.imag if equal else z.imag < w.imag))


PAIRS.append(Complex)
