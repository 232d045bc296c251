"""Functions of `scipy.special` that eigenvectors of small matrices give: ellipsoidal harmonics, and the coefficients of
Mathieu functions; and parabolic cylinder functions of all degrees, by their recurrence.

    E(s) = psi(s) sum_j c_j (1 - s^2 / h^2)^j    F(s) = (2 n + 1) E(s) integral over (0, 1 / s) of dt / E(1 / t)^2 ...
    D_0 = exp(-z^2 / 4)      D_1 = z D_0      D_n+1 = z D_n - n D_n-1      D_n' = z D_n / 2 - D_n+1

>>> round(float(ellip_harm(5.0, 8.0, 1, 1, 2.5)), 12)
2.5

Sources: *Ellipsoidal Harmonics: Theory and Applications* (Dassios), chapter 3; Bardhan, Knepley: *Computational science
and re-discovery* (2012), which SciPy follows; *NIST Handbook of Mathematical Functions*, 12.8, 28.4.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries.solutions import solved

special: Any = scipy.special


# -- ellipsoidal harmonics ---------------------------------------------------------------------------------------------


def kind_of(n: int, p: int) -> tuple[str, int, int]:
    """The class of a harmonic, K, L, M or N; its place in this, from 0; and how many there are."""
    if n < 0 or p < 1 or p > 2 * n + 1:
        raise ValueError("invalid condition on degree n and order p: n >= 0 and 1 <= p <= 2 n + 1")
    r, rest = n // 2, n - n // 2
    if p <= r + 1:
        return "K", p - 1, r + 1
    if p <= r + 1 + rest:
        return "L", p - 1 - (r + 1), rest
    if p <= r + 1 + 2 * rest:
        return "M", p - 1 - (r + 1) - rest, rest
    return "N", p - 1 - (r + 1) - 2 * rest, r


def diagonal(kind: str, odd: bool, r: int, j: int, a: Any, b: Any) -> Any:
    """An entry of the matrix of Lamé's equation, where `a` is h^2 and `b` is k^2 - h^2."""
    c, even, near = a - b, 2 * r * (2 * r + 1), (2 * r + 1) * (2 * r + 2)
    if kind == "K":
        return (near - 4 * j * j) * a + (2 * j + 1) ** 2 * b if odd else even * a - 4 * j * j * c
    if kind == "L":
        return near * a - (2 * j + 1) ** 2 * c if odd else (even - (2 * j + 1) ** 2) * a + (2 * j + 2) ** 2 * b
    if kind == "M":
        return (near - (2 * j + 1) ** 2) * a + 4 * j * j * b if odd else even * a - (2 * j + 1) ** 2 * c
    return near * a - (2 * j + 2) ** 2 * c if odd else (even - (2 * j + 2) ** 2) * a + (2 * j + 1) ** 2 * b


def beside(kind: str, odd: bool, r: int, j: int) -> tuple[int, int]:
    """What the entries above and below the diagonal are of `b` and of `a`."""
    above = -(2 * j + 2) * (2 * j + 1 if kind in ("K", "M") else 2 * j + 3)
    k = r - (j + 1)
    if kind == "K":
        return above, -(2 * k + 2) * (2 * (r + j + 1) + (1 if odd else -1))
    if kind == "N":
        return above, -(2 * k) * (2 * (r + j + 1) + (3 if odd else 1))
    return above, -(2 * k + 2 if odd else 2 * k) * (2 * (r + j + 1) + 1)


def coefficients(h2: Any, k2: Any, n: int, p: int) -> Any:
    """Those of the polynomial, the last of which is (-h^2)^(size - 1)."""
    kind, place, size = kind_of(n, p)
    odd, r, a, b = n % 2 == 1, n // 2, h2 * 1.0, (k2 - h2) * 1.0
    scale = [1.0 + 0.0 * a]
    matrix = np.zeros((size, size))
    for j in tuple(range(size)):
        matrix[j, j] = diagonal(kind, odd, r, j, a, b)
    for j in tuple(range(size - 1)):
        above, below = beside(kind, odd, r, j)
        scale.append(np.sqrt(above * b / (below * a)) * scale[j])
        matrix[j, j + 1] = above * b * scale[j] / scale[j + 1]
        matrix[j + 1, j] = matrix[j, j + 1]
    vector = np.linalg.eigh(matrix)[1][:, place]
    found = vector / np.stack(scale)
    return found / (found[size - 1] / (-a) ** (size - 1))


def harmonic(h2: Any, k2: Any, n: int, p: int, s: Any, c: Any, signm: Any, signn: Any) -> Any:
    """The value at `s` of the harmonic with these coefficients."""
    kind, _, size = kind_of(n, p)
    r, square = n // 2, s * s
    of_h, of_k = signm * np.sqrt(np.abs(square - h2)), signn * np.sqrt(np.abs(square - k2))
    psi = s ** (n - 2 * r if kind in ("K", "N") else 1 - n + 2 * r)
    psi = psi * of_h if kind in ("L", "N") else psi
    psi = psi * of_k if kind in ("M", "N") else psi
    x, total = 1.0 - square / h2, c[size - 1]
    for j in tuple(range(size - 2, -1, -1)):
        total = total * x + c[j]
    return total * psi


def refuse_arrays(name: Any, *xs: Any) -> None:
    for x in xs:
        if np.ndim(x) > 0:
            refuse(f"scipy.special.{name} has a derivative for numbers h2, k2, n and p", "call it for each")


@definition_of(special.ellip_harm)
def ellip_harm(h2: Any, k2: Any, n: Any, p: Any, s: Any, signm: Any = 1, signn: Any = 1) -> Any:
    refuse_arrays("ellip_harm", h2, k2, n, p)
    found = harmonic(h2, k2, n, p, np.asarray(s) * 1.0, coefficients(h2, k2, n, p), signm, signn)
    return found if np.ndim(s) > 0 else np.asarray(found)


POINTS, WEIGHTS = np.polynomial.legendre.leggauss(60)


@definition_of(special.ellip_harm_2)
def ellip_harm_2(h2: Any, k2: Any, n: Any, p: Any, s: Any) -> Any:
    refuse_arrays("ellip_harm_2", h2, k2, n, p, s)
    c, end = coefficients(h2, k2, n, p), 1.0 / s
    t = 0.5 * end * (np.asarray(POINTS) + 1.0)
    at = harmonic(h2, k2, n, p, 1.0 / t, c, 1, 1)
    inside = 1.0 / (at * at * np.sqrt(1.0 - t * t * k2) * np.sqrt(1.0 - t * t * h2))
    total = 0.5 * end * np.sum(np.asarray(WEIGHTS) * inside)
    return np.asarray((2 * n + 1) * total * harmonic(h2, k2, n, p, s * 1.0, c, 1, 1))


@definition_of(special.ellip_normal)
def ellip_normal(h2: Any, k2: Any, n: Any, p: Any) -> Any:
    """By x = h sin t and y^2 = h^2 + (k^2 - h^2) sin^2 t, of which the integrals are of periodic functions."""
    refuse_arrays("ellip_normal", h2, k2, n, p)
    c, count = coefficients(h2, k2, n, p), 200
    square = np.sin((np.arange(count) + 0.5) * (0.5 * math.pi / count)) ** 2
    x2, y2 = h2 * square, h2 + (k2 - h2) * square
    of_x = harmonic(h2, k2, n, p, np.sqrt(x2), c, 1, 1) ** 2 / np.sqrt(k2 - x2)
    of_y = harmonic(h2, k2, n, p, np.sqrt(y2), c, 1, 1) ** 2 / np.sqrt(y2)
    means = np.mean(y2 * of_y) * np.mean(of_x) - np.mean(of_y) * np.mean(x2 * of_x)
    return np.asarray(8.0 * (0.5 * math.pi) ** 2 * means)


# -- coefficients of Mathieu functions ---------------------------------------------------------------------------------


def of_mathieu(even: bool, m: int, q: float) -> Any:
    """SciPy's coefficients, and behind them the characteristic value."""
    name, value = ("mathieu_even_coef", special.mathieu_a) if even else ("mathieu_odd_coef", special.mathieu_b)
    return np.append(getattr(special, name)(m, q), value(m, q))


def defect(even: bool, m: int, q: Any, x: Any) -> Any:
    """What the recurrence and the norm leave of coefficients and a characteristic value."""
    c, a = x[:-1], x[-1]
    k = np.arange(len(c)) * 2.0 + (m % 2 if even or m % 2 else 2.0)
    before = np.concatenate([np.zeros(1), c[:-1]])
    after = np.concatenate([c[1:], np.zeros(1)])
    first, second, norm = np.arange(len(c)) == 0, np.arange(len(c)) == 1, np.sum(c * c)
    if m % 2:
        before = np.where(first, c if even else -c, before)
    elif even:
        before, norm = np.where(second, 2.0 * before, before), norm + c[0] * c[0]
    return np.append((a - k * k) * c - q * (before + after), norm - 1.0)


def of_kind(even: Any, m: Any, q: Any) -> Any:
    if np.ndim(q) > 0 or np.ndim(m) > 0:
        raise ValueError("m and q must be scalars.")
    return solved(lambda x: defect(even, m, q, x), of_mathieu, (even, m, q * 1.0), np.zeros(3))[:-1]


@definition_of(special.mathieu_even_coef)
def mathieu_even_coef(m: Any, q: Any) -> Any:
    return of_kind(True, m, q)


@definition_of(special.mathieu_odd_coef)
def mathieu_odd_coef(m: Any, q: Any) -> Any:
    return of_kind(False, m, q)


# -- parabolic cylinder functions --------------------------------------------------------------------------------------


@definition_of(special.pbdn_seq)
def pbdn_seq(n: Any, z: Any) -> Any:
    """Values and derivatives of all degrees up to `n`."""
    if np.iscomplexobj(z):
        refuse("scipy.special.pbdn_seq has a derivative at real numbers, beyond which SciPy gives another function",
               "write the recurrence, `d[k + 1] = z * d[k] - k * d[k - 1]` from `d[0] = np.exp(-z * z / 4)`")
    if np.ndim(n) > 0 or np.ndim(z) > 0:
        raise ValueError("arguments must be scalars.")
    z = z * 1.0
    found = [np.exp(-0.25 * z * z)]
    found.append(z * found[0])
    for k in tuple(range(1, max(n, 1) + 1)):
        found.append(z * found[k] - k * found[k - 1])
    slopes = [0.5 * z * found[k] - found[k + 1] for k in tuple(range(max(n, 1) + 1))]
    return np.stack(found[:max(n, 1) + 1]) + 0j, np.stack(slopes) + 0j
