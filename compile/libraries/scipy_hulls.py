"""Convex hulls and triangulations of points: which points are corners is a constant, and what is measured is that of
the points.

>>> hull = ConvexHull(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [1.0, 0.5]]))
>>> float(hull.volume), float(hull.area), hull.vertices.tolist()
(2.0, 6.0, [0, 1, 2, 3])
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.spatial

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse

spatial: Any = scipy.spatial
PLACES, CORNERS = np.zeros(2, np.int64), np.zeros((2, 2), np.int64)


def simplices_of(points: Any) -> Any:
    return spatial.ConvexHull(points).simplices.astype(np.int64)


def vertices_of(points: Any) -> Any:
    return spatial.ConvexHull(points).vertices.astype(np.int64)


def triangles_of(points: Any) -> Any:
    return spatial.Delaunay(points).simplices.astype(np.int64)


@dataclass
class Simplices:
    """Points, and simplices between some of them."""

    points: Any
    simplices: Any

    @property
    def npoints(self) -> Any:
        return np.shape(self.points)[0]

    @property
    def ndim(self) -> Any:
        return np.shape(self.points)[1]

    @property
    def nsimplex(self) -> Any:
        return np.shape(self.simplices)[0]


@dataclass
class Hull(Simplices):
    """The smallest convex body around points."""

    __ccc_bases__ = (spatial.ConvexHull,)

    vertices: Any

    @property
    def volume(self) -> Any:
        corners = self.points[self.simplices] - np.mean(self.points[self.vertices], axis=0)
        return np.sum(np.abs(np.linalg.det(corners))) / math.factorial(self.ndim)

    @property
    def area(self) -> Any:
        corners = self.points[self.simplices]
        edges = corners[:, 1:] - corners[:, :1]
        squares = np.linalg.det(edges @ np.swapaxes(edges, 1, 2))
        return np.sum(np.sqrt(squares)) / math.factorial(self.ndim - 1)


@definition_of(spatial.ConvexHull)
def ConvexHull(points: Any, incremental: Any = False, qhull_options: Any = None) -> Any:
    if incremental or qhull_options is not None:
        refuse("scipy.spatial.ConvexHull has a derivative for incremental=False and qhull_options=None",
               "leave the options out")
    points = np.asarray(points) * 1.0
    return Hull(points, constant(simplices_of, CORNERS, points), constant(vertices_of, PLACES, points))


@dataclass
class Triangulation(Simplices):
    """The simplices between points of which no other point lies in their spheres."""

    __ccc_bases__ = (spatial.Delaunay,)


@definition_of(spatial.Delaunay)
def Delaunay(points: Any, furthest_site: Any = False, incremental: Any = False, qhull_options: Any = None) -> Any:
    if furthest_site or incremental or qhull_options is not None:
        refuse("scipy.spatial.Delaunay is read without options", "leave the options out")
    points = np.asarray(points) * 1.0
    return Triangulation(points, constant(triangles_of, CORNERS, points))
