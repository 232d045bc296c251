"""Values at points of a plane or of a space: linear on the simplices between them, or those of the nearest.

    f(p) = sum of l_i f_i,  sum of l_i x_i = p,  sum of l_i = 1        over the corners of the simplex with p in it

Which simplex, and which point is the nearest, is a constant.

>>> points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
>>> griddata(points, np.array([0.0, 1.0, 2.0]), np.array([[0.25, 0.5]]))
array([1.25])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate
import scipy.spatial

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.primitives.frozen import ARGUMENTS, Arguments

interpolate: Any = scipy.interpolate
PLACES = np.zeros(2, np.int64)
CORNERS = np.zeros((2, 2), np.int64)


@dataclass
class Simplices:
    """Values at points, linear on the simplices of Delaunay's triangulation."""

    points: Any
    values: Any
    fill_value: Any = np.nan
    scale: Any = 1.0

    def __call__(self, *args: Any) -> Any:
        p = coordinates(args, np.shape(self.points)[1])
        at = np.reshape(p, (-1, np.shape(self.points)[1])) / self.scale
        found = constant(corners_around, CORNERS, self.points / self.scale, at)
        corners, outside = found[:, 1:], found[:, 0] < 0
        wide = (-1,) + (1,) * (np.ndim(self.values) - 1)
        found = linear(self.points / self.scale, self.values, corners, at)
        found = np.where(np.reshape(outside, wide), self.fill_value, found)
        return np.reshape(found, np.shape(p)[:-1] + np.shape(self.values)[1:])


def linear(points: Any, values: Any, corners: Any, at: Any) -> Any:
    """Values within simplices: each corner has a share."""
    x = points[corners]
    edges = np.swapaxes(x[:, 1:] - x[:, :1], 1, 2)
    shares = np.linalg.solve(edges, (at - x[:, 0])[..., None])[..., 0]
    found = (1.0 - np.sum(shares, axis=1))[:, None] * np.reshape(values[corners[:, 0]], (np.shape(at)[0], -1))
    for j in tuple(range(np.shape(points)[1])):
        found = found + shares[:, j:j + 1] * np.reshape(values[corners[:, j + 1]], (np.shape(at)[0], -1))
    return np.reshape(found, (np.shape(at)[0], *np.shape(values)[1:]))


def corners_around(points: Any, at: Any) -> Any:
    """The number of the simplex that each place lies in, and behind it its corners; -1 and the corners of some simplex
    where it lies in none.

    >>> corners_around(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([[2.0, 2.0]]))[0, 0]
    np.int64(-1)
    """
    made: Any = scipy.spatial.Delaunay(points)
    which = made.find_simplex(at)
    return np.column_stack([which, made.simplices[which]]).astype(np.int64)


def coordinates(args: Any, rank: Any) -> Any:
    """Places, of an array whose last axis is that of coordinates, or of an array for each of them."""
    if len(args) == 1 and isinstance(args[0], tuple):
        return coordinates(args[0], rank)
    if len(args) == 1:
        p = np.asarray(args[0]) * 1.0
        return np.reshape(p, (-1, rank)) if np.ndim(p) == 1 else p
    return np.stack(np.broadcast_arrays(*[np.asarray(x) * 1.0 for x in args]), axis=-1)


@definition_of(interpolate.LinearNDInterpolator)
def LinearNDInterpolator(points: Any, values: Any, fill_value: Any = np.nan, rescale: Any = False) -> Any:
    points = np.asarray(points) * 1.0
    return Simplices(points, np.asarray(values) * 1.0, fill_value, spread(points, rescale))


def spread(points: Any, rescale: Any) -> Any:
    """How far points lie apart along each axis; 1 where they are taken as they are."""
    return np.ptp(points, axis=0) if rescale else 1.0


@dataclass
class Nearest:
    """Values at points, each of which holds where no other point is as near."""

    points: Any
    values: Any
    scale: Any = 1.0

    def __call__(self, *args: Any) -> Any:
        p = coordinates(args, np.shape(self.points)[1])
        at = np.reshape(p, (-1, np.shape(self.points)[1])) / self.scale
        i = constant(nearest_to, PLACES, self.points / self.scale, at)
        return np.reshape(self.values[i], np.shape(p)[:-1] + np.shape(self.values)[1:])


def nearest_to(points: Any, at: Any) -> Any:
    return np.asarray(scipy.spatial.KDTree(points).query(at)[1], np.int64)


@definition_of(interpolate.NearestNDInterpolator)
def NearestNDInterpolator(x: Any, y: Any, rescale: Any = False, tree_options: Any = None) -> Any:
    points = coordinates((x,), np.shape(x)[-1])
    return Nearest(points, np.asarray(y) * 1.0, spread(points, rescale))


@definition_of(interpolate.griddata)
def griddata(points: Any, values: Any, xi: Any, method: Any = "linear", fill_value: Any = np.nan,
             rescale: Any = False) -> Any:
    points = coordinates((points,), 1) if isinstance(points, tuple) else np.asarray(points) * 1.0
    rank = 1 if np.ndim(points) == 1 else np.shape(points)[-1]
    if rank == 1:
        x, order = np.ravel(points), np.argsort(np.ravel(points))
        filled = "extrapolate" if method == "nearest" else fill_value
        at = xi[0] if isinstance(xi, tuple) else xi
        return interpolate.interp1d(x[order], np.asarray(values)[order], method, 0, bounds_error=False,
                                    fill_value=filled)(at)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale)(xi)
    if method == "linear":
        return LinearNDInterpolator(points, values, fill_value, rescale)(xi)
    refuse("scipy.interpolate.griddata has a derivative for method='linear' and 'nearest'",
           "take scipy.interpolate.RBFInterpolator, which is smooth")


@definition_of(interpolate.CloughTocher2DInterpolator)
def CloughTocher2DInterpolator(points: Any, values: Any, *options: Any, **named: Any) -> Any:
    return griddata(points, values, points, "cubic")


def triangulated(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    if made.scale is not None:  # its points are not those that it was given
        return None
    return Simplices, (), {"points": made.points, "values": made.values.reshape(len(made.points), *made.values_shape),
                           "fill_value": float(np.real(made.fill_value))}


ARGUMENTS.update({interpolate.LinearNDInterpolator: triangulated})
