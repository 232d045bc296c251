"""Functions of `scipy.linalg` of complex matrices, by those of real matrices of twice the size.

    A + iB  ->  [[A, -B], [B, A]]        sums, products and inverses go along, and conjugate transposes are transposes

So a function that is given by products, inverses and transposes is that of the real matrices, and so is the solution of
an equation in them that has one: functions of matrices, Sylvester's and Lyapunov's equations, factors of a polar
decomposition. Factors that are triangular are not: they have rules.

>>> as_blocks(Complex(np.zeros((1, 1)), np.ones((1, 1)))).tolist()
[[0.0, -1.0], [1.0, 0.0]]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import constant, hosted, refuse
from ccc.compile.libraries.numpy_complex_matrices import back, eigh_by, joined, split, stacked, whole, wider
from ccc.primitives import complex_functions
from ccc.primitives.complex_functions import FUNCTIONS, as_blocks, lower as hermitian
from ccc.primitives.complexes import Complex, as_complex
from ccc.primitives.scipy_linalg import order_of

linalg: Any = scipy.linalg
SWAPS = np.zeros(2, np.int32)
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


# -- triangular factors ------------------------------------------------------------------------------------------------


def both_factors(a: Any) -> Any:
    return split(linalg.lu_factor(joined(a))[0], a)


def swaps(a: Any) -> Any:
    return linalg.lu_factor(joined(a))[1]


def low_and_up(a: Any) -> Any:
    """Both factors in one matrix, of which the lower one has ones on its diagonal."""
    return hosted(both_factors, wider(a), a)


def low_and_up_rule(a: Any) -> Any:
    found, order = low_and_up(a), order_of(constant(swaps, SWAPS, a), inverse=False)

    def slope(d: Any) -> Any:
        low, up = triangle(whole(found), True, True), triangle(whole(found), False, False)
        half = complex_functions.solve(low, whole(d[:, order]))
        m: Any = np.transpose(complex_functions.solve(np.transpose(up), np.transpose(half)))
        return stacked(low @ Complex(np.tril(m.real, -1), np.tril(m.imag, -1))
                        + Complex(np.triu(m.real), np.triu(m.imag)) @ up)

    return found, lambda ct: (back(slope, a, ct),)


RULES[low_and_up] = low_and_up_rule


def lu_factor(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    parts = stacked(a)
    return whole(low_and_up(parts)), constant(swaps, SWAPS, parts)


def lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    lu, pivots = lu_and_piv
    if trans == 0:
        half = solve_triangular(lu, np.asarray(b)[order_of(pivots, inverse=False)], 0, True, True)
        return solve_triangular(lu, half)
    half = solve_triangular(lu, b, trans)
    return solve_triangular(lu, half, trans, True, True)[order_of(pivots, inverse=True)]


# -- eigenvalues and norms ---------------------------------------------------------------------------------------------


def by_eigh(a: Any, UPLO: Any) -> Any:
    return linalg.eigh(a, lower=UPLO == "L")


def eigh(a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False, overwrite_a: Any = False,
         overwrite_b: Any = False, type: Any = 1, check_finite: Any = True, subset_by_index: Any = None,
         subset_by_value: Any = None, driver: Any = None) -> Any:
    if b is not None or subset_by_index is not None or subset_by_value is not None or driver is not None:
        refuse("scipy.linalg.eigh of complex numbers has a derivative for b=None, and no subsets and driver")
    if eigvals_only:
        return complex_functions.eigvalsh(a, "L" if lower else "U")
    return eigh_by(by_eigh, a, "L" if lower else "U")


def eigvalsh(a: Any, b: Any = None, *, lower: Any = True, overwrite_a: Any = False, overwrite_b: Any = False,
             type: Any = 1, check_finite: Any = True) -> Any:
    if b is not None:
        refuse("scipy.linalg.eigvalsh of complex numbers has a derivative for b=None")
    return complex_functions.eigvalsh(a, "L" if lower else "U")


def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.norm(a, ord, axis, keepdims)


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
    linalg.det: det, linalg.svdvals: svdvals, linalg.toeplitz: toeplitz, linalg.lu_factor: lu_factor,
    linalg.lu_solve: lu_solve, linalg.eigh: eigh,
})
FUNCTIONS.update({f: at_right_side(f) for f in (linalg.solve_banded, linalg.solve_toeplitz)})
