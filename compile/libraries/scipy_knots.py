"""Splines with a knot more, and those through places that have no weights.

    c_i -> a_i c_i + (1 - a_i) c_i-1,   a_i = (x - t_i) / (t_i+k - t_i) between the knots around x

>>> insert(0.5, (np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, 3.0]), 1))[1]
array([1., 2., 3., 0., 0.])

Reference: Böhm, *Inserting new knots into B-spline curves* (1980).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries.scipy_splines import Spline

interpolate: Any = scipy.interpolate


def with_knot(t: Any, c: Any, k: Any, x: Any) -> Any:
    """Knots and coefficients with one more, along the first axis."""
    n = np.shape(t)[0] - k - 1
    at = np.minimum(np.maximum(np.searchsorted(t, x, side="right") - 1, k), n - 1)
    i = np.arange(n + 1)
    near = np.clip(i, 0, n - 1)
    width = t[np.minimum(near + k, n + k)] - t[near]
    share = (x - t[near]) / np.where(width > 0.0, width, 1.0)
    share = np.where(i <= at - k, 1.0, np.where(i <= at, share, 0.0))
    share = np.reshape(share, (-1,) + (1,) * (np.ndim(c) - 1))
    mixed = share * c[near] + (1.0 - share) * c[np.maximum(i - 1, 0)]
    places = np.arange(np.shape(t)[0] + 1)
    moved = np.where(places <= at, t[np.minimum(places, np.shape(t)[0] - 1)], t[np.maximum(places - 1, 0)])
    return np.where(places == at + 1, x, moved), mixed


@definition_of(interpolate.insert)
def insert(x: Any, tck: Any, m: Any = 1, per: Any = 0) -> Any:
    if per or isinstance(tck, (Spline, interpolate.BSpline)) or isinstance(tck[1], (list, tuple)):
        refuse("scipy.interpolate.insert has a derivative for a tuple (t, c, k) of one spline, and per=0",
               "give its `t`, `c` and `k`")
    t, c, k = np.asarray(tck[0]) * 1.0, np.asarray(tck[1]) * 1.0, tck[2]
    c = c[:np.shape(t)[0] - k - 1]
    if x < t[k] or x > t[np.shape(t)[0] - k - 1]:
        raise ValueError("An error occurred")
    for _ in tuple(range(m)):
        t, c = with_knot(t, c, k, x)
    return t, np.concatenate([c, np.zeros(k + 1)]), k


@definition_of(interpolate.make_splrep)
def make_splrep(x: Any, y: Any, *, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, s: Any = 0,
                t: Any = None, nest: Any = None, bc_type: Any = None) -> Any:
    if s != 0:
        refuse("scipy.interpolate.make_splrep has a derivative for s=0", "take scipy.interpolate.splrep")
    if t is not None or w is not None or nest is not None:
        raise ValueError("s==0 is for interpolation only")
    return interpolate.make_interp_spline(x, y, k, None, bc_type)


@definition_of(interpolate.make_splprep)
def make_splprep(x: Any, *, w: Any = None, u: Any = None, ub: Any = None, ue: Any = None, k: Any = 3, s: Any = 0,
                 t: Any = None, nest: Any = None, bc_type: Any = None) -> Any:
    if s != 0:
        refuse("scipy.interpolate.make_splprep has a derivative for s=0", "take scipy.interpolate.splprep")
    if t is not None or w is not None or nest is not None:
        raise ValueError("s==0 is for interpolation only")
    rows = np.stack([np.asarray(row) * 1.0 for row in x]) if isinstance(x, (list, tuple)) else np.asarray(x) * 1.0
    if u is None:
        way = np.cumsum(np.sqrt(np.sum(np.diff(rows, axis=1) ** 2, axis=0)))
        u = np.concatenate([np.zeros(1), way / way[-1]])
    return interpolate.make_interp_spline(u, rows, k, axis=1), u
