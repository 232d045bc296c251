"""The determinant by expansion into minors."""

from __future__ import annotations

from typing import Any

import numpy as np


def minor(A: np.ndarray, row: int, columns: list[int]) -> Any:
    """The determinant of the rows from `row` on in the columns that are left, by expansion along its first row."""
    if len(columns) == 1:
        return A[row, columns[0]]
    total = 0.0
    sign = 1.0
    for j in range(len(columns)):
        total += sign * A[row, columns[j]] * minor(A, row + 1, columns[:j] + columns[j + 1 :])
        sign = -sign
    return total


def determinant(A: np.ndarray) -> Any:
    return minor(A, 0, list(range(len(A))))
