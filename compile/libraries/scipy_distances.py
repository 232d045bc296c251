"""Formulas of distances along the last axis. Where two points are one, the slope of their distance is zero.

>>> apart(np.array([0.0, 3.0]), np.array([4.0, 0.0]), "euclidean")
array(5.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import refuse


def root(square: Any) -> Any:
    """A square root with slope zero at zero."""
    none = square == 0.0
    return np.where(none, 0.0, np.sqrt(np.where(none, 1.0, square)))


def apart(u: Any, v: Any, metric: Any) -> Any:
    """The distance along the last axis."""
    if metric == "correlation":
        u, v = u - np.mean(u, axis=-1, keepdims=True), v - np.mean(v, axis=-1, keepdims=True)
    if metric == "cosine" or metric == "correlation":
        sizes = np.sqrt(np.sum(u * u, axis=-1)) * np.sqrt(np.sum(v * v, axis=-1))
        return 1.0 - np.sum(u * v, axis=-1) / sizes
    away = u - v
    if metric == "sqeuclidean":
        return np.sum(away * away, axis=-1)
    if metric == "euclidean":
        return root(np.sum(away * away, axis=-1))
    if metric == "cityblock":
        return np.sum(np.abs(away), axis=-1)
    if metric == "braycurtis":
        return np.sum(np.abs(away), axis=-1) / np.sum(np.abs(u + v), axis=-1)
    if metric == "canberra":
        size = np.abs(u) + np.abs(v)
        return np.sum(np.where(size > 0.0, np.abs(away) / np.where(size > 0.0, size, 1.0), 0.0), axis=-1)
    if metric == "jensenshannon":
        p, q = u / np.sum(u, axis=-1, keepdims=True), v / np.sum(v, axis=-1, keepdims=True)
        return root((divergence(p, 0.5 * (p + q)) + divergence(q, 0.5 * (p + q))) / 2.0)
    if metric != "chebyshev":
        refuse("a distance of scipy.spatial has a derivative for the metrics 'euclidean', 'sqeuclidean', 'cityblock', "
               "'chebyshev', 'cosine', 'correlation', 'braycurtis', 'canberra', 'jensenshannon', 'minkowski', "
               "'seuclidean' and 'mahalanobis'", "take one of these metrics")
    return np.max(np.abs(away), axis=-1)


def divergence(p: Any, q: Any) -> Any:
    there = p > 0.0
    return np.sum(np.where(there, p * np.log(np.where(there, p, 1.0) / np.where(there, q, 1.0)), 0.0), axis=-1)


def power_mean(away: Any, p: Any, w: Any) -> Any:
    """The distance of Minkowski, with slope zero at zero."""
    total = np.sum(np.abs(away) ** p if w is None else w * np.abs(away) ** p, axis=-1)
    none = total == 0.0
    return np.where(none, 0.0, np.where(none, 1.0, total) ** (1.0 / p))


def along_axes(away: Any, V: Any, VI: Any) -> Any:
    """The distance whose square is a quadratic form."""
    if V is not None:
        return root(np.sum(away * away / V, axis=-1))
    return root(np.einsum("...i,ij,...j->...", away, VI, away))
