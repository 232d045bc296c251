"""Borders of images, as SciPy's filters continue them.

>>> bordered(np.array([1.0, 2.0, 4.0]), 1, 2, "reflect", 0.0)
array([1., 1., 2., 4., 4., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np


def axes_of(axes: Any, rank: Any) -> Any:
    """The axes that a filter is asked for, all of them by default, counted from the front."""
    if axes is None:
        return tuple(range(rank))
    return (axes % rank,) if np.ndim(axes) == 0 else tuple([axis % rank for axis in axes])


def part(given: Any, i: Any) -> Any:
    """What is given of the i-th axis, where it may be one for all."""
    if isinstance(given, (tuple, list)):
        return given[i]
    return given if isinstance(given, str) or np.ndim(given) == 0 else given[i]


def for_all(given: Any, axes: Any, rank: Any, others: Any) -> Any:
    """What is given of some axes, for each axis of an image; of the others there is another thing."""
    return tuple([part(given, axes.index(axis)) if axis in axes else others for axis in tuple(range(rank))])


def thick(window: Any, axes: Any, rank: Any) -> Any:
    """A window for some axes of an image as one for all, one pixel thick along the others."""
    window = np.asarray(window)
    if np.ndim(window) != len(axes):
        raise RuntimeError(f"a window of scipy.ndimage with {np.ndim(window)} axes for {len(axes)} axes of an image")
    return window if len(axes) == rank else np.expand_dims(
        window, tuple([axis for axis in tuple(range(rank)) if axis not in axes]))


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
        n = sizes[axis]
        before = n // 2 + part(origin, axis)
        rows = bordered(np.moveaxis(image, axis, 0), before, n - 1 - before, part(mode, axis), cval)
        image = np.moveaxis(rows, 0, axis)
    return image
