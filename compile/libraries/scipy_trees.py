"""Nearest neighbours: which they are is a constant, and their distances are those of the points. Where two points are
one, the slope of their distance is zero.

>>> [float(found) for found in KDTree(np.array([[0.0, 0.0], [3.0, 4.0]])).query(np.array([3.0, 0.0]))]
[3.0, 0.0]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.spatial

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.scipy_distances import apart, power_mean
from ccc.primitives.frozen import ARGUMENTS, Arguments

spatial: Any = scipy.spatial
PLACES = np.zeros((2, 2), np.int64)


def found_near(data: Any, x: Any, k: Any, eps: Any, p: Any, bound: Any) -> Any:
    """The places of the nearest points, of none as many as there are points."""
    found = spatial.cKDTree(data).query(x, k, eps, p, bound)[1]
    return np.reshape(found, (len(x), -1)).astype(np.int64)


@dataclass
class Tree:
    """Points among which neighbours are found."""

    __ccc_bases__ = (spatial.KDTree, spatial.cKDTree)

    data: Any

    @property
    def n(self) -> Any:
        return np.shape(self.data)[0]

    @property
    def m(self) -> Any:
        return np.shape(self.data)[1]

    def query(self, x: Any, k: Any = 1, eps: Any = 0, p: Any = 2, distance_upper_bound: Any = np.inf,
              workers: Any = 1) -> Any:
        x = np.asarray(x) * 1.0
        rows = np.reshape(x, (-1, np.shape(x)[-1]))
        places = constant(found_near, PLACES, self.data, rows, k, eps, p, distance_upper_bound)
        there = places < np.shape(self.data)[0]
        away = rows[:, None] - self.data[np.where(there, places, 0)]
        far = np.where(there, between(away, p), np.inf)
        if isinstance(k, int) and k == 1:
            shape = np.shape(x)[:-1]
            return np.reshape(far, shape)[()], np.reshape(places, shape)[()]
        shape = (*np.shape(x)[:-1], np.shape(places)[1])
        return np.reshape(far, shape), np.reshape(places, shape)


def between(away: Any, p: Any) -> Any:
    """The distance of Minkowski along the last axis."""
    if p == 2:
        return apart(away, 0.0, "euclidean")
    if p == 1:
        return apart(away, 0.0, "cityblock")
    return apart(away, 0.0, "chebyshev") if p == np.inf else power_mean(away, p, None)


@definition_of(spatial.KDTree, spatial.cKDTree)
def KDTree(data: Any, leafsize: Any = 10, compact_nodes: Any = True, copy_data: Any = False, balanced_tree: Any = True,
           boxsize: Any = None) -> Any:
    if boxsize is not None:
        refuse("scipy.spatial.KDTree has a derivative for boxsize=None", "leave `boxsize` out")
    return Tree(np.asarray(data) * 1.0)


# -- made before -------------------------------------------------------------------------------------------------------


def tree(made: Any) -> Arguments | None:
    return (Tree, (), {"data": np.asarray(made.data)}) if made.boxsize is None else None


ARGUMENTS.update({spatial.KDTree: tree, spatial.cKDTree: tree})
