"""Values on grids of `scipy.interpolate`, and what lies between: lines, the nearest, and splines along each axis.

>>> table = RegularGridInterpolator((np.arange(3.0), np.arange(2.0)), np.arange(6.0).reshape(3, 2))
>>> table(np.array([[0.5, 0.5]]))
array([1.5])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.scipy_pieces import pchip_slopes
from ccc.compile.libraries.scipy_splines import along, make_interp_spline, of_rows, rows_of
from ccc.compile.libraries.slopes import with_slope_of
from ccc.primitives.frozen import ARGUMENTS, Arguments

interpolate: Any = scipy.interpolate
DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
METHODS = ("linear", "nearest", "pchip", "slinear", "cubic", "quintic")


@dataclass
class Grid:
    """Values at the crossings of a grid, of which `grid` has the places along each axis, in order."""

    grid: Any
    values: Any
    method: Any = "linear"
    bounds_error: Any = True
    fill_value: Any = np.nan

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
        if nu is not None:
            refuse("scipy.interpolate.RegularGridInterpolator has a derivative for nu=None")
        rank = len(self.grid)
        points = np.stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple) else np.asarray(xi) * 1.0
        if np.ndim(points) == 1:
            points = np.reshape(points, (-1, rank))
        at = np.reshape(points, (-1, rank))
        wide = (-1,) + (1,) * (np.ndim(self.values) - rank)
        outside = np.zeros(np.shape(at)[0], bool)
        for axis in tuple(range(rank)):
            beyond = (at[:, axis] < self.grid[axis][0]) | (at[:, axis] > self.grid[axis][-1])
            if self.bounds_error and np.any(beyond):
                raise ValueError(f"One of the requested xi is out of bounds in dimension {axis}")
            outside = outside | beyond
        found = between(self.grid, self.values, at, self.method if method is None else method)
        if not self.bounds_error and self.fill_value is not None:
            found = np.where(np.reshape(outside, wide), self.fill_value, found)
        missing = np.any(np.isnan(at), axis=-1)
        found = np.where(np.reshape(missing, wide), np.nan, found)
        return np.reshape(found, np.shape(points)[:-1] + np.shape(self.values)[rank:])


def between(grid: Any, values: Any, at: Any, method: Any) -> Any:
    """Values at places, a row each, by one of the methods."""
    if method not in METHODS:
        raise ValueError(f"Method '{method}' is not defined")
    if method == "linear":
        return by_lines(grid, values, at)
    if method == "nearest":
        places = []
        for axis in tuple(range(len(grid))):
            i, share = place_of(grid[axis], at[:, axis])
            places.append(np.where(share <= 0.5, i, i + 1))
        return values[tuple(places)]
    if method == "pchip":
        return by_shapes(grid, values, at)
    exact = by_splines(grid, values, at, DEGREES[method])
    found = constant(interpolated, exact, grid, values, at, method)
    return with_slope_of(found, exact)


def interpolated(grid: Any, values: Any, at: Any, method: str) -> Any:
    """What SciPy gives, which solves for the coefficients step by step and leaves a rest."""
    made = interpolate.RegularGridInterpolator(tuple(grid), values, method, bounds_error=False, fill_value=None)
    return made(at)


def place_of(x: Any, at: Any) -> Any:
    """Between which of the places others lie, and at which share of the way."""
    i = np.minimum(np.maximum(np.searchsorted(x, at, side="right") - 1, 0), len(x) - 2)
    return i, (at - x[i]) / (x[i + 1] - x[i])


def by_lines(grid: Any, values: Any, at: Any) -> Any:
    corners = [((), 1.0)]
    for axis in tuple(range(len(grid))):
        x, places = at[:, axis], grid[axis]
        i = np.minimum(np.maximum(np.searchsorted(places, x) - 1, 0), len(places) - 2)
        share = (x - places[i]) / (places[i + 1] - places[i])
        corners = [((*key, i + step), weight * part) for key, weight in corners
                   for step, part in ((0, 1.0 - share), (1, share))]
    total = 0.0
    for key, weight in corners:
        total = total + values[key] * np.reshape(weight, (-1,) + (1,) * (np.ndim(values) - len(grid)))
    return total


def by_splines(grid: Any, values: Any, at: Any, k: Any) -> Any:
    """A spline along each axis, whose coefficients are those of the axis before."""
    found = values
    for axis in tuple(range(len(grid))):
        made = make_interp_spline(grid[axis], np.moveaxis(found, axis, 0), k)
        found = np.moveaxis(made.c, 0, axis)
    for axis in tuple(range(len(grid))):
        t = make_interp_spline(grid[axis], grid[axis], k).t
        first, rows = rows_of(t, k, at[:, axis], 0)
        if axis == 0:
            found = of_rows(first, rows, found)
        else:
            near = found[np.arange(len(at))[:, None], first[:, None] + np.arange(k + 1)]
            found = np.sum(np.reshape(rows, np.shape(rows) + (1,) * (np.ndim(found) - 2)) * near, axis=1)
    return found


def by_shapes(grid: Any, values: Any, at: Any) -> Any:
    """Along the last axis and then those before it, by polynomials that keep the shape of the values."""
    last = len(grid) - 1
    found = interpolate.PchipInterpolator(grid[last], np.moveaxis(values, last, 0))(at[:, last])
    for axis in tuple(range(last - 1, -1, -1)):
        y = np.moveaxis(found, axis + 1, 0)
        h = along(np.diff(grid[axis]), y)
        slopes = pchip_slopes(h, np.diff(y, axis=0) / h)
        i, share = place_of(grid[axis], at[:, axis])
        rows, wide = np.arange(len(i)), (-1,) + (1,) * (np.ndim(y) - 2)
        t, size = np.reshape(share, wide), np.reshape(np.diff(grid[axis])[i], wide)
        rise = y[i + 1, rows] - y[i, rows]
        bend = size * (slopes[i + 1, rows] + slopes[i, rows]) - 2.0 * rise
        found = y[i, rows] + t * (size * slopes[i, rows] + t * (rise - size * slopes[i, rows] - bend + t * bend))
    return found


@definition_of(interpolate.RegularGridInterpolator)
def RegularGridInterpolator(points: Any, values: Any, method: Any = "linear", bounds_error: Any = True,
                            fill_value: Any = np.nan) -> Any:
    values, grid = np.asarray(values) * 1.0, []
    for axis in tuple(range(len(points))):
        places = np.asarray(points[axis]) * 1.0
        if places[0] > places[-1]:
            places, values = places[::-1], np.flip(values, axis)
        grid.append(places)
    return Grid(tuple(grid), values, method, bounds_error, fill_value)


@definition_of(interpolate.interpn)
def interpn(points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True,
            fill_value: Any = np.nan) -> Any:
    if method == "splinef2d":
        refuse("scipy.interpolate.interpn has no derivative for method='splinef2d'", "take method='pchip'")
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


def grid(made: Any) -> Arguments | None:
    """What a program made before, as it is read."""
    if made.method not in METHODS:
        return None
    return Grid, (), {"grid": made.grid, "values": made.values, "method": made.method,
                      "bounds_error": bool(made.bounds_error), "fill_value": made.fill_value}


ARGUMENTS.update({interpolate.RegularGridInterpolator: grid})
