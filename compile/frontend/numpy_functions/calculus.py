"""Differences, integrals and interpolation along an axis.

>>> gradient([1.0, 2.0, 4.0]), trapezoid([1.0, 2.0, 4.0], dx=0.5), interp(1.5, [1.0, 2.0], [3.0, 5.0])
(array([1. , 1.5, 2. ]), np.float64(2.25), np.float64(4.0))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

# -- differences -----------------------------------------------------------------------------------------------------


@definition_of(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    flat = np.ravel(ary)
    found = flat[1:] - flat[:-1]
    parts = [found] if to_begin is None else [np.ravel(to_begin).astype(flat.dtype), found]
    parts = parts if to_end is None else [*parts, np.ravel(to_end).astype(flat.dtype)]
    return np.concatenate(parts) if len(parts) > 1 else found


@definition_of(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    f = np.asarray(f)
    axes = tuple(range(np.ndim(f))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(varargs) != 0 and len(varargs) != 1 and len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if len(varargs) == 1 and len(axes) > 1 and np.ndim(varargs[0]) > 0:
        raise TypeError("invalid number of arguments")
    steps = (1.0,) * len(axes) if len(varargs) == 0 else varargs * len(axes) if len(varargs) == 1 else varargs
    found = tuple([
        slope_of_points(f, steps[i], axes[i], edge_order) if np.ndim(steps[i]) == 1
        else slope_of_steps(f, steps[i], axes[i], edge_order) for i in tuple(range(len(axes)))
    ])
    if len(axes) == 1:
        return found[0]
    return found


def slope_of_steps(f: Any, dx: Any, axis: Any, edge_order: Any) -> Any:
    f = np.moveaxis(f, axis, -1)
    if np.shape(f)[-1] < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient, "
                         "at least (edge_order + 1) elements are required.")
    middle = (f[..., 2:] - f[..., :-2]) / (2.0 * dx)
    if edge_order == 1:
        first = (f[..., 1] - f[..., 0]) / dx
        last = (f[..., -1] - f[..., -2]) / dx
    else:
        first = -1.5 / dx * f[..., 0] + 2.0 / dx * f[..., 1] + -0.5 / dx * f[..., 2]
        last = 0.5 / dx * f[..., -3] + -2.0 / dx * f[..., -2] + 1.5 / dx * f[..., -1]
    found = np.concatenate([np.expand_dims(first, -1), middle, np.expand_dims(last, -1)], axis=-1)
    return np.moveaxis(found, -1, axis)


def slope_of_points(f: Any, points: Any, axis: Any, edge_order: Any) -> Any:
    """Along points whose distances differ; NumPy has another formula where they are all the same, which is that of
    `slope_of_steps`."""
    f, dx = np.moveaxis(f, axis, -1), np.diff(points)
    if len(points) != np.shape(f)[-1]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if np.shape(f)[-1] < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient, "
                         "at least (edge_order + 1) elements are required.")
    if np.all(dx == dx[0]):
        return slope_of_steps(np.moveaxis(f, -1, axis), dx[0], axis, edge_order)
    dx1, dx2 = dx[:-1], dx[1:]
    a = -dx2 / (dx1 * (dx1 + dx2))
    b = (dx2 - dx1) / (dx1 * dx2)
    c = dx1 / (dx2 * (dx1 + dx2))
    middle = a * f[..., :-2] + b * f[..., 1:-1] + c * f[..., 2:]
    if edge_order == 1:
        first = (f[..., 1] - f[..., 0]) / dx[0]
        last = (f[..., -1] - f[..., -2]) / dx[-1]
    else:
        d1, d2 = dx[0], dx[1]
        first = (-(2.0 * d1 + d2) / (d1 * (d1 + d2)) * f[..., 0] + (d1 + d2) / (d1 * d2) * f[..., 1]
                 + -d1 / (d2 * (d1 + d2)) * f[..., 2])
        e1, e2 = dx[-2], dx[-1]
        last = (e2 / (e1 * (e1 + e2)) * f[..., -3] + -(e2 + e1) / (e1 * e2) * f[..., -2]
                + (2.0 * e2 + e1) / (e2 * (e1 + e2)) * f[..., -1])
    found = np.concatenate([np.expand_dims(first, -1), middle, np.expand_dims(last, -1)], axis=-1)
    return np.moveaxis(found, -1, axis)


# -- integrals -------------------------------------------------------------------------------------------------------


@definition_of(getattr(np, "trapezoid", None) or getattr(np, "trapz"))  # noqa: B009 - its name before NumPy 2
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    y = np.asarray(y)
    d = dx if x is None else distances(np.asarray(x), y, axis)
    y = np.moveaxis(y, axis, -1)
    d = np.moveaxis(d, axis, -1) if np.ndim(d) == np.ndim(y) and np.ndim(d) > 1 else d
    return np.moveaxis(d * (y[..., 1:] + y[..., :-1]) / 2.0, -1, axis).sum(axis)


def distances(x: Any, y: Any, axis: Any) -> Any:
    if np.ndim(x) == 1:
        return np.diff(x)
    if np.ndim(x) != np.ndim(y):
        refuse("np.trapezoid has a derivative for points on a line, or as many axes as there are values")
    return np.diff(x, axis=axis)


# -- interpolation ---------------------------------------------------------------------------------------------------


@definition_of(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """At a point that is given, the slope of least norm between those of the two pieces that meet there."""
    x, xp, fp = np.asarray(x).astype(float), np.asarray(xp).astype(float), np.asarray(fp).astype(float)
    if period is None:
        return on_pieces(x, xp, fp, fp[0] if left is None else left, fp[-1] if right is None else right)
    period = np.abs(period)
    x, xp = x % period, xp % period
    order = np.argsort(xp)
    xp, fp = xp[order], fp[order]
    xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
    fp = np.concatenate([fp[-1:], fp, fp[:1]])
    return on_pieces(x, xp, fp, fp[0], fp[-1])


def on_pieces(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    last = len(xp) - 1
    i = np.maximum(np.minimum(np.searchsorted(xp, x, side="right") - 1, last - 1), 0)
    after, before = np.minimum(i + 1, last), np.maximum(i - 1, 0)
    slope = slope_between(xp, fp, i, after)
    at_knot = np.where(i == 0, 0.0, slope_between(xp, fp, before, i))
    least = np.where(slope * at_knot <= 0.0, 0.0, np.where(np.abs(slope) < np.abs(at_knot), slope, at_knot))
    inside = np.where(x == xp[i], least, slope) * (x - xp[i]) + fp[i]
    inside = np.where(x == xp[-1], fp[-1], inside)
    return np.where(x < xp[0], left, np.where(x > xp[-1], right, inside))[()]


def slope_between(xp: Any, fp: Any, i: Any, j: Any) -> Any:
    width = xp[j] - xp[i]
    return (fp[j] - fp[i]) / np.where(width == 0.0, 1.0, width)
