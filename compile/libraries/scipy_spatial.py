"""Distances between points. Where two points are one, the slope of their distance is zero.

>>> cdist(np.array([[0.0, 3.0]]), np.array([[4.0, 0.0]]))
array([[5.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries import (
    scipy_hulls as scipy_hulls,
    scipy_rotations as scipy_rotations,
    scipy_trees as scipy_trees,
)
from ccc.compile.libraries.scipy_distances import along_axes, apart, power_mean

distance: Any = scipy.spatial.distance


def measured(u: Any, v: Any, metric: Any, p: Any, w: Any, V: Any, VI: Any) -> Any:
    if metric == "minkowski":
        return power_mean(u - v, 2.0 if p is None else p, w)
    if w is not None:
        refuse("a distance of scipy.spatial has a derivative for weights of 'minkowski' alone",
               "multiply the points by the roots of the weights")
    if metric == "seuclidean" or metric == "mahalanobis":
        return along_axes(u - v, V if metric == "seuclidean" else None, VI)
    return apart(u, v, metric)


@definition_of(distance.cdist)
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, p: Any = None, w: Any = None, V: Any = None,
          VI: Any = None) -> Any:
    a, b = np.asarray(XA) * 1.0, np.asarray(XB) * 1.0
    if np.shape(a)[1] != np.shape(b)[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    V, VI = spread_of(np.concatenate([a, b]), metric, V, VI)
    return measured(a[:, None, :], b[None, :, :], metric, p, w, V, VI)


@definition_of(distance.pdist)
def pdist(X: Any, metric: Any = "euclidean", *, p: Any = None, w: Any = None, V: Any = None, VI: Any = None) -> Any:
    x = np.asarray(X) * 1.0
    i, j = np.triu_indices(len(x), 1)
    V, VI = spread_of(x, metric, V, VI)
    return measured(x[i], x[j], metric, p, w, V, VI)


def spread_of(points: Any, metric: Any, V: Any, VI: Any) -> Any:
    """The variances and the inverse covariance that metrics measure by: those of the points, where none are given."""
    if metric == "seuclidean" and V is None:
        V = np.var(points, axis=0, ddof=1)
    if metric == "mahalanobis" and VI is None:
        m, n = np.shape(points)
        if m <= n:
            raise ValueError(f"The number of observations ({m}) is too small; the covariance matrix is singular. For "
                             f"observations with {n} dimensions, at least {n + 1} observations are required.")
        VI = np.transpose(np.linalg.inv(np.atleast_2d(np.cov(np.transpose(points)))))
    return V, VI


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


@definition_of(distance.sqeuclidean)
def sqeuclidean(u: Any, v: Any) -> Any:
    return apart(np.asarray(u) * 1.0, np.asarray(v) * 1.0, "sqeuclidean")


@definition_of(distance.cityblock)
def cityblock(u: Any, v: Any) -> Any:
    return apart(np.asarray(u) * 1.0, np.asarray(v) * 1.0, "cityblock")


@definition_of(distance.cosine)
def cosine(u: Any, v: Any) -> Any:
    return apart(np.asarray(u) * 1.0, np.asarray(v) * 1.0, "cosine")


def of_two(name: str) -> Any:
    """The definition of a distance of two points."""

    @definition_of(getattr(distance, name))
    def definition(u: Any, v: Any) -> Any:
        return apart(np.asarray(u) * 1.0, np.asarray(v) * 1.0, name)

    return definition


chebyshev, correlation, braycurtis, canberra, jensenshannon = [
    of_two(name) for name in ("chebyshev", "correlation", "braycurtis", "canberra", "jensenshannon")]


@definition_of(distance.minkowski)
def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    return power_mean(np.asarray(u) * 1.0 - np.asarray(v), p, w)


@definition_of(distance.seuclidean)
def seuclidean(u: Any, v: Any, V: Any) -> Any:
    return along_axes(np.asarray(u) * 1.0 - np.asarray(v), np.asarray(V), None)


@definition_of(distance.mahalanobis)
def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    return along_axes(np.asarray(u) * 1.0 - np.asarray(v), None, np.asarray(VI))


@definition_of(scipy.spatial.distance_matrix)
def distance_matrix(x: Any, y: Any, p: Any = 2) -> Any:
    if p == 1 or p == 2:
        return cdist(x, y, "euclidean" if p == 2 else "cityblock")
    return cdist(x, y, "minkowski", p=p)
