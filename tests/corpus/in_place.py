"""Programs that work in arrays of their own: helpers that fill them, buffers, tables filled by recursion."""

from __future__ import annotations

import math

import numpy as np


def swap_rows(A: np.ndarray, i: int, j: int) -> None:
    kept = A[i].copy()
    A[i] = A[j]
    A[j] = kept


def eliminate(A: np.ndarray, k: int) -> None:
    """Subtract multiples of row k from the rows below it, keeping the factors where zeros would stand."""
    pivot = A[k]
    for i in range(k + 1, len(A)):
        row = A[i]
        row[k] /= pivot[k]
        row[k + 1:] -= row[k] * pivot[k + 1:]


def factored(A: np.ndarray, order: np.ndarray) -> float:
    """LU factors of A in its place, rows exchanged as `order` notes; gives the sign of the exchanges."""
    sign = 1.0
    for k in range(len(A)):
        best = k
        for i in range(k + 1, len(A)):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            swap_rows(A, k, best)
            order[k], order[best] = order[best], order[k]
            sign = -sign
        eliminate(A, k)
    return sign


def solved(LU: np.ndarray, x: np.ndarray) -> None:
    """Solve with the factors, in place of the right-hand side."""
    n = len(x)
    for i in range(n):
        x[i] -= np.dot(LU[i, :i], x[:i])
    for k in range(n):
        i = n - 1 - k
        x[i] -= np.dot(LU[i, i + 1:], x[i + 1:])
        x[i] /= LU[i, i]


def log_likelihood(A: np.ndarray, b: np.ndarray) -> float:
    """b · A⁻¹b and log |det A| by a factorization in place."""
    LU = A.copy()
    order = np.arange(len(A))
    factored(LU, order)
    x = b[order]
    solved(LU, x)
    total = np.dot(b, x)
    for i in range(len(A)):
        total += math.log(abs(LU[i, i]))
    return total


def heat(u0: np.ndarray, k: float, steps: int) -> float:
    """Heat in a rod by explicit steps, in two buffers; the energy at the end."""
    u = u0.copy()
    flow = np.zeros(len(u0) - 1)
    change = np.zeros(len(u0))
    for _ in range(steps):
        np.subtract(u[1:], u[:-1], out=flow)
        np.multiply(flow, k, out=flow)
        change.fill(0.0)
        change[:-1] += flow
        np.subtract(change[1:], flow, out=change[1:])
        np.add(u, change, out=u)
    return np.sum(u * u)


def distance(table: np.ndarray, i: int, j: int, a: np.ndarray, b: np.ndarray, gap: float) -> float:
    """The cost of aligning the first i and j numbers, looked up in a table that fills itself."""
    if table[i, j] < 0.0:
        if i == 0 or j == 0:
            table[i, j] = gap * (i + j)
        else:
            match = distance(table, i - 1, j - 1, a, b, gap) + (a[i - 1] - b[j - 1]) ** 2
            skipped = distance(table, i - 1, j, a, b, gap) + gap
            added = distance(table, i, j - 1, a, b, gap) + gap
            table[i, j] = min(match, skipped, added)
    return table[i, j]


def alignment(a: np.ndarray, b: np.ndarray, gap: float) -> float:
    """The edit distance of two sequences of numbers, by recursion with a table."""
    table = np.full((len(a) + 1, len(b) + 1), -1.0)
    return distance(table, len(a), len(b), a, b, gap)
