"""Complex numbers and arrays in programs: pairs of a real and an imaginary part.

The compiler reads the methods here, and the functions in `FUNCTIONS`, as it reads those of users; so what is complex in
a program is real to its derivatives, to every target and to every category, and the gradient of a real result needs no
convention. Of a function of NumPy's that is linear in its arrays, both parts are taken; which ones are is asked of the
primitives and of NumPy (`compile.frontend.complex_numbers`).

>>> z = Complex(np.array([3.0, 1.0]), np.array([4.0, 0.0])) * 2.0
>>> abs(z), np.asarray(z.conj())
(array([10.,  2.]), array([6.-8.j, 2.+0.j]))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(eq=False)
class Complex:
    """A complex number or array, by its parts. As an argument it has a gradient: the pair of the derivatives along the
    real and along the imaginary part, of which that of JAX is the conjugate.

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
        return Complex(self.real * other, self.imag * other)

    def __rmul__(self, other: Any) -> Complex:
        return self * other

    def __truediv__(self, other: Any) -> Complex:
        if isinstance(other, Complex):
            size = other.real * other.real + other.imag * other.imag
            return Complex((self.real * other.real + self.imag * other.imag) / size,
                           (self.imag * other.real - self.real * other.imag) / size)
        return Complex(self.real / other, self.imag / other)

    def __rtruediv__(self, other: Any) -> Complex:
        return as_complex(other) / self

    def __matmul__(self, other: Any) -> Complex:
        return np.matmul(self, other)  # type: ignore[return-value]

    def __rmatmul__(self, other: Any) -> Complex:
        return np.matmul(other, self)  # type: ignore[return-value]

    def __pow__(self, n: Any) -> Complex:
        if isinstance(n, int) and n > 0:
            found = self
            for _ in range(n - 1):
                found = found * self
            return found
        size, turn = abs(self) ** n, n * angle(self)
        return Complex(size * np.cos(turn), size * np.sin(turn))

    def __neg__(self) -> Complex:
        return Complex(-self.real, -self.imag)

    def __pos__(self) -> Complex:
        return Complex(+self.real, +self.imag)

    def __abs__(self) -> Any:
        return np.hypot(self.real, self.imag)

    def __eq__(self, other: Any) -> Any:
        w = as_complex(other)
        return (self.real == w.real) & (self.imag == w.imag)

    def __ne__(self, other: Any) -> Any:
        w = as_complex(other)
        return (self.real != w.real) | (self.imag != w.imag)

    __hash__ = None  # type: ignore[assignment]

    # -- arrays -------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Complex:
        return Complex(self.real[key], self.imag[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        w = as_complex(value)
        self.real[key] = w.real
        self.imag[key] = w.imag

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
    def T(self) -> Complex:
        return Complex(self.real.T, self.imag.T)

    def conj(self) -> Complex:
        return Complex(self.real, -self.imag)

    def conjugate(self) -> Complex:
        return Complex(self.real, -self.imag)

    def sum(self, axis: Any = None, keepdims: Any = False) -> Complex:
        return Complex(self.real.sum(axis=axis, keepdims=keepdims), self.imag.sum(axis=axis, keepdims=keepdims))

    def mean(self, axis: Any = None, keepdims: Any = False) -> Complex:
        return Complex(self.real.mean(axis=axis, keepdims=keepdims), self.imag.mean(axis=axis, keepdims=keepdims))

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


def as_complex(x: Any) -> Complex:
    """A number or array as a complex one.

    >>> as_complex(2.0)
    Complex(real=2.0, imag=0.0)
    """
    if isinstance(x, Complex):
        return x
    return Complex(x, 0.0 if isinstance(x, int | float) else np.zeros_like(x))


# -- what functions of NumPy's mean -----------------------------------------------------------------------------------


def real(val: Any) -> Any:
    return val.real


def imag(val: Any) -> Any:
    return val.imag


def conj(z: Any) -> Complex:
    return Complex(+z.real, -z.imag)


def angle(z: Any, deg: Any = False) -> Any:
    turn = np.arctan2(z.imag, z.real)
    return turn * (180.0 / np.pi) if deg else turn


def exp(z: Any) -> Complex:
    size = np.exp(z.real)
    return Complex(size * np.cos(z.imag), size * np.sin(z.imag))


def log(z: Any) -> Complex:
    return Complex(np.log(abs(z)), angle(z))


def sqrt(z: Any) -> Complex:
    size, turn = np.sqrt(abs(z)), angle(z) / 2.0
    return Complex(size * np.cos(turn), size * np.sin(turn))


def vdot(a: Any, b: Any) -> Complex:
    return np.dot(np.ravel(as_complex(a).conj()), np.ravel(b))  # type: ignore[arg-type]


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if ord in (2, -2, "nuc") and not isinstance(axis, int) and len(x.shape) != 1:
        raise TypeError("norms by singular values have a derivative for real matrices")
    return np.linalg.norm(abs(x), ord, axis, keepdims)


FUNCTIONS: dict[Any, Any] = {
    np.real: real, np.imag: imag, np.conj: conj, np.conjugate: conj, np.angle: angle, np.exp: exp, np.log: log,
    np.sqrt: sqrt, np.vdot: vdot, np.linalg.norm: norm, np.abs: Complex.__abs__, np.negative: Complex.__neg__,
    np.add: lambda a, b: as_complex(a) + b, np.subtract: lambda a, b: as_complex(a) - b,
    np.multiply: lambda a, b: as_complex(a) * b, np.divide: lambda a, b: as_complex(a) / b,
    np.power: lambda z, n: as_complex(z) ** n, np.square: lambda z: z * z, np.iscomplexobj: lambda z: True,
    np.shape: lambda z: z.shape, np.ndim: lambda z: z.ndim, np.size: lambda z: z.size,
}
"""What functions of NumPy's mean for complex arguments, written in Python."""
