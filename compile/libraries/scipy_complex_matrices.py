"""Functions of `scipy.linalg` of complex matrices, by those of real matrices of twice the size.

    A + iB  ->  [[A, -B], [B, A]]        sums, products and inverses go along, and conjugate transposes are transposes

So a function that is given by products, inverses and transposes is that of the real matrices, and so is the solution of
an equation in them that has one: functions of matrices, Sylvester's and Lyapunov's equations, factors of a polar
decomposition. Factors that are triangular are not.

>>> as_blocks(Complex(np.zeros((1, 1)), np.ones((1, 1)))).tolist()
[[0.0, -1.0], [1.0, 0.0]]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.compile.frontend.numpy_functions.table import refuse
from ccc.primitives import complex_functions
from ccc.primitives.complex_functions import FUNCTIONS, as_blocks, lower as hermitian
from ccc.primitives.complexes import Complex, as_complex

linalg: Any = scipy.linalg
BY_BLOCKS = {
    "expm": 1, "logm": 1, "sqrtm": 1, "sinm": 1, "cosm": 1, "tanm": 1, "sinhm": 1, "coshm": 1, "tanhm": 1, "signm": 1,
    "fractional_matrix_power": 1, "pinv": 1, "polar": 1, "solve_sylvester": 3, "solve_continuous_lyapunov": 2,
    "solve_discrete_lyapunov": 2, "expm_frechet": 2, "inv": 1,
}
"""How many matrices they are given."""


def from_blocks(found: Any) -> Any:
    m, n = np.shape(found)[-2] // 2, np.shape(found)[-1] // 2
    return Complex(found[..., :m, :n], found[..., m:, :n])


def by_blocks(function: Any, count: int) -> Any:
    """The definition of a function for complex matrices."""

    def definition(*args: Any, **options: Any) -> Any:
        found = function(*[as_blocks(np.asarray(a)) for a in args[:count]], *args[count:], **options)
        return tuple([from_blocks(part) for part in found]) if isinstance(found, tuple) else from_blocks(found)

    return definition


def mirrored(a: Any, low: Any, sign: float) -> Any:
    """The matrix of which one triangle is read, that is its transpose, or the conjugate of it."""
    below: Any = a if low else np.transpose(a)
    if sign < 0.0:
        return hermitian(a, "L" if low else "U")
    return Complex(np.tril(below.real) + np.transpose(np.tril(below.real, -1)),
                   np.tril(below.imag) + np.transpose(np.tril(below.imag, -1)))


def solve(a: Any, b: Any, lower: Any = False, overwrite_a: Any = False, overwrite_b: Any = False,
          check_finite: Any = True, assume_a: Any = None, transposed: Any = False) -> Any:
    if transposed:
        refuse("scipy.linalg.solve of complex numbers has a derivative for transposed=False", "transpose the matrix")
    a = as_complex(np.asarray(a))
    if assume_a in ("sym", "symmetric"):
        a = mirrored(a, lower, 1.0)
    elif assume_a in ("her", "hermitian", "pos", "positive definite"):
        a = mirrored(a, lower, -1.0)
    elif assume_a in ("upper triangular", "lower triangular"):
        a = triangle(a, assume_a == "lower triangular", False)
    elif assume_a not in (None, "gen", "general", "banded", "tridiagonal", "diagonal"):
        refuse(f"scipy.linalg.solve has no derivative for assume_a={assume_a!r}")
    return complex_functions.solve(a, np.asarray(b))


def triangle(a: Any, low: Any, unit: Any) -> Any:
    """The triangle that is read, with ones on its diagonal where these are not."""
    k = -1 if unit else 0
    one = np.eye(np.shape(a)[-1]) * (1.0 if unit else 0.0)
    return Complex((np.tril(a.real, k) if low else np.triu(a.real, -k)) + one,
                   np.tril(a.imag, k) if low else np.triu(a.imag, -k))


def solve_triangular(a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False,
                     overwrite_b: Any = False, check_finite: Any = True) -> Any:
    read = triangle(as_complex(np.asarray(a)), lower, unit_diagonal)
    if trans in (1, "T"):
        read = np.transpose(read)
    elif trans in (2, "C"):
        read = np.conj(np.transpose(read))
    return complex_functions.solve(read, np.asarray(b))


def cholesky(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return complex_functions.cholesky(a, upper=not lower)


def cho_factor(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """The triangle that SciPy leaves as it was is zero here."""
    return complex_functions.cholesky(a, upper=not lower), lower


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    c, low = c_and_lower
    half = solve_triangular(c, b, 0 if low else 2, low)
    return solve_triangular(c, half, 2 if low else 0, low)


def eigvalsh(a: Any, b: Any = None, *, lower: Any = True, overwrite_a: Any = False, overwrite_b: Any = False,
             type: Any = 1, check_finite: Any = True) -> Any:
    if b is not None:
        refuse("scipy.linalg.eigvalsh of complex numbers has a derivative for b=None")
    return complex_functions.eigvalsh(a, "L" if lower else "U")


def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True) -> Any:
    return complex_functions.norm(a, ord, axis, keepdims)


def det(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return complex_functions.det(a)


def svdvals(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return complex_functions.svdvals(a)


def toeplitz(c: Any, r: Any = None) -> Any:
    c = as_complex(np.asarray(c))
    r = np.conj(c) if r is None else as_complex(np.asarray(r))
    return Complex(linalg.toeplitz(c.real, r.real), linalg.toeplitz(c.imag, r.imag))


def at_right_side(function: Any) -> Any:
    """The definition of a function that solves systems of real matrices, at a complex right side."""

    def definition(*args: Any, **options: Any) -> Any:
        *given, b = args
        if any([np.iscomplexobj(x) for x in given]):
            refuse(f"scipy.linalg.{function.__name__} has a derivative for real matrices", "take scipy.linalg.solve")
        return Complex(function(*given, b.real, **options), function(*given, b.imag, **options))

    return definition


FUNCTIONS.update({getattr(linalg, name): by_blocks(getattr(linalg, name), count) for name, count in BY_BLOCKS.items()})
FUNCTIONS.update({
    linalg.solve: solve, linalg.solve_triangular: solve_triangular, linalg.cholesky: cholesky,
    linalg.cho_factor: cho_factor, linalg.cho_solve: cho_solve, linalg.eigvalsh: eigvalsh, linalg.norm: norm,
    linalg.det: det, linalg.svdvals: svdvals, linalg.toeplitz: toeplitz,
})
FUNCTIONS.update({f: at_right_side(f) for f in (linalg.solve_banded, linalg.solve_toeplitz)})
