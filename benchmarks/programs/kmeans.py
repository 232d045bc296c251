"""The cost of clusters: the squared distance of each point to the nearest centre."""

from __future__ import annotations

from typing import Any

import numpy as np


def cost(points: np.ndarray, centres: np.ndarray) -> Any:
    total = 0.0
    for point in points:
        total += np.min(np.sum((centres - point) ** 2, axis=1))
    return total
