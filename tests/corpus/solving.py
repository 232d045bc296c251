"""Solvers of equations: iterations with a test of convergence, factorizations in place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def newton_root(a: float) -> float:
    """The cube root by Newton's method, to convergence."""
    x = 1.0
    while abs(x**3 - a) > 1e-13:
        x -= (x**3 - a) / (3 * x**2)
    return x


def kepler(mean_anomaly: float, eccentricity: float) -> float:
    """The eccentric anomaly of Kepler's equation by Newton's method."""
    E = mean_anomaly
    for _ in range(50):
        step = (E - eccentricity * math.sin(E) - mean_anomaly) / (1 - eccentricity * math.cos(E))
        E -= step
        if abs(step) < 1e-14:
            break
    return E


def bisect(f: Callable[[float], float], slope: Callable[[float], float], low: float, high: float) -> float:
    """A bracketed root by bisection, polished by one step of Newton's method."""
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if f(middle) > 0:
            high = middle
        else:
            low = middle
    return low - f(low) / slope(low)


def bisected_logarithm(a: float) -> float:
    """The logarithm as a root of exp(x) - a."""
    return bisect(lambda x: math.exp(x) - a, math.exp, 0.0, 3.0)


def fixed_point(a: float) -> float:
    """The square root by the Babylonian iteration."""
    x, previous = a, 0.0
    while abs(x - previous) > 1e-15 * abs(x) and x != previous:
        previous = x
        x = 0.5 * (x + a / x)
        if abs(x - previous) < 1e-9:
            return 0.5 * (x + a / x)
    return x


def descent(A: np.ndarray, b: np.ndarray, rate: float, steps: int) -> float:
    """The residual of a least-squares problem after steps of descent."""
    x = np.zeros(A.shape[1])
    for _ in range(steps):
        x = x - rate * A.T @ (A @ x - b)
    return np.sum((A @ x - b) ** 2)


def pagerank(links: np.ndarray, damping: float) -> float:
    """The rank of the first page by power iteration."""
    n = links.shape[0]
    transition = links / np.sum(links, axis=0)
    rank = np.ones(n) / n
    while True:
        updated = damping * transition @ rank + (1 - damping) / n
        change = np.sum(np.abs(updated - rank))
        rank = updated
        if change < 1e-13:
            return rank[0]


def largest_eigenvalue(A: np.ndarray) -> float:
    """The largest eigenvalue of a symmetric matrix by power iteration."""
    v = np.ones(A.shape[0])
    for _ in range(200):
        v = A @ v
        v = v / np.linalg.norm(v)
    return np.dot(v, A @ v)


def minors(A: np.ndarray) -> float:
    """The determinant by expansion along the first row."""
    n = A.shape[0]
    if n == 1:
        return A[0, 0]
    total = 0.0
    sign = 1.0
    for j in range(n):
        minor = np.hstack([A[1:, :j], A[1:, j + 1:]])
        total += sign * A[0, j] * minors(minor)
        sign = -sign
    return total


def lu_determinant(matrix: np.ndarray) -> float:
    """The determinant by elimination in place with pivoting."""
    A = matrix.copy()
    n = A.shape[0]
    result = 1.0
    for k in range(n):
        pivot = k + np.argmax(np.abs(A[k:, k]))
        if pivot != k:
            row = A[k].copy()
            A[k] = A[pivot]
            A[pivot] = row
            result = -result
        result *= A[k, k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
    return result


def cholesky_logdet(A: np.ndarray) -> float:
    """The log determinant of a positive definite matrix, factored in place."""
    L = A.copy()
    n = len(L)
    total = 0.0
    for j in range(n):
        for k in range(j):
            L[j:, j] -= L[j:, k] * L[j, k]
        L[j:, j] /= np.sqrt(L[j, j])
        total += 2 * np.log(L[j, j])
    return total


def gram_schmidt(A: np.ndarray) -> Any:
    """The product of the diagonal of R, orthogonalizing the columns one by one."""
    n = A.shape[1]
    Q = np.zeros(A.shape)
    R = np.zeros((n, n))
    for j in range(n):
        v = A[:, j]
        for i in range(j):
            R[i, j] = Q[:, i] @ A[:, j]
            v = v - R[i, j] * Q[:, i]
        R[j, j] = np.sqrt(v @ v)
        Q[:, j] = v / R[j, j]
    return np.prod(np.diag(R))


def thomas(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution of a tridiagonal system, in place."""
    n = len(diagonal)
    b = diagonal.copy()
    d = right.copy()
    for i in range(1, n):
        w = lower[i - 1] / b[i - 1]
        b[i] -= w * upper[i - 1]
        d[i] -= w * d[i - 1]
    x = np.zeros(n)
    x[n - 1] = d[n - 1] / b[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (d[i] - upper[i] * x[i + 1]) / b[i]
    return x


def spline_energy(knots: np.ndarray, values: np.ndarray) -> Any:
    """The bending energy of the natural cubic spline, whose second derivatives solve a tridiagonal system."""
    h = knots[1:] - knots[:-1]
    slopes = (values[1:] - values[:-1]) / h
    moments = thomas(h[1:-1], 2 * (h[:-1] + h[1:]), h[1:-1], 6 * (slopes[1:] - slopes[:-1]))
    m = np.concatenate([np.zeros(1), moments, np.zeros(1)])
    return np.sum(h * (m[:-1] ** 2 + m[:-1] * m[1:] + m[1:] ** 2)) / 3
