"""Borders of images, as SciPy's filters continue them.

>>> bordered(np.array([1.0, 2.0, 4.0]), 1, 2, "reflect", 0.0)
array([1., 1., 2., 4., 4., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np


def bordered(rows: Any, before: Any, after: Any, mode: Any, cval: Any) -> Any:
    """With a border along the first axis."""
    n = len(rows)
    places = np.arange(-before, n + after)
    if mode == "reflect" or mode == "grid-mirror":
        at = np.mod(places, 2 * n)
        return rows[np.where(at < n, at, 2 * n - 1 - at)]
    if mode == "mirror":
        at = np.mod(places, max(2 * n - 2, 1))
        return rows[np.where(at < n, at, 2 * n - 2 - at)]
    if mode == "wrap" or mode == "grid-wrap":
        return rows[np.mod(places, n)]
    nearest = rows[np.minimum(np.maximum(places, 0), n - 1)]
    if mode == "nearest":
        return nearest
    if mode != "constant" and mode != "grid-constant":
        raise RuntimeError("boundary mode not supported")
    inside = np.reshape((places >= 0) & (places < n), (-1,) + (1,) * (np.ndim(rows) - 1))
    return np.where(inside, nearest, cval)


def widened(image: Any, sizes: Any, mode: Any, cval: Any, origin: Any) -> Any:
    """An image with the border that a window of these sizes reads."""
    for axis in tuple(range(np.ndim(image))):
        n, by = sizes[axis], origin if np.ndim(origin) == 0 else origin[axis]
        before = n // 2 + by
        image = np.moveaxis(bordered(np.moveaxis(image, axis, 0), before, n - 1 - before, mode, cval), 0, axis)
    return image
