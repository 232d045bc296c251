"""Distances between points. Where two points are one, the slope of their distance is zero.

>>> cdist(np.array([[0.0, 3.0]]), np.array([[4.0, 0.0]]))
array([[5.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

distance: Any = scipy.spatial.distance


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
    if metric != "chebyshev":
        refuse("a distance of scipy.spatial has a derivative for the metrics 'euclidean', 'sqeuclidean', 'cityblock', "
               "'chebyshev', 'cosine' and 'correlation'", "take one of these metrics")
    return np.max(np.abs(away), axis=-1)


@definition_of(distance.cdist)
def cdist(XA: Any, XB: Any, metric: Any = "euclidean") -> Any:
    a, b = np.asarray(XA) * 1.0, np.asarray(XB) * 1.0
    if np.shape(a)[1] != np.shape(b)[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    return apart(a[:, None, :], b[None, :, :], metric)


@definition_of(distance.pdist)
def pdist(X: Any, metric: Any = "euclidean") -> Any:
    x = np.asarray(X) * 1.0
    i, j = np.triu_indices(len(x), 1)
    return apart(x[i], x[j], metric)


@definition_of(distance.squareform)
def squareform(X: Any, force: Any = "no", checks: Any = True) -> Any:
    x = np.asarray(X) * 1.0
    if np.ndim(x) == 2:
        i, j = np.triu_indices(len(x), 1)
        return x[i, j]
    n = int(np.ceil(np.sqrt(len(x) * 2)))
    i, j = np.triu_indices(n, 1)
    found = np.zeros((n, n))
    found[i, j] = x
    return found + np.transpose(found)


@definition_of(distance.euclidean)
def euclidean(u: Any, v: Any) -> Any:
    return apart(np.asarray(u) * 1.0, np.asarray(v) * 1.0, "euclidean")[()]


@definition_of(distance.sqeuclidean)
def sqeuclidean(u: Any, v: Any) -> Any:
    return apart(np.asarray(u) * 1.0, np.asarray(v) * 1.0, "sqeuclidean")


@definition_of(distance.cityblock)
def cityblock(u: Any, v: Any) -> Any:
    return apart(np.asarray(u) * 1.0, np.asarray(v) * 1.0, "cityblock")


@definition_of(distance.cosine)
def cosine(u: Any, v: Any) -> Any:
    return apart(np.asarray(u) * 1.0, np.asarray(v) * 1.0, "cosine")


@definition_of(scipy.spatial.distance_matrix)
def distance_matrix(x: Any, y: Any, p: Any = 2) -> Any:
    if p != 1 and p != 2:
        refuse("scipy.spatial.distance_matrix has a derivative for p=1 and p=2")
    return cdist(x, y, "euclidean" if p == 2 else "cityblock")
