"""Filters whose error is equally large at its extrema. SciPy finds these; where they stand, the filter solves

    A(f_i) + (-1)^i delta / w(f_i) = d(f_i)        A(f) = sum of h_n cos(2 pi f (n - c))    or of sines

An extremum stands at an edge of a band, or a number of steps of SciPy's grid beyond one: it moves with the edge.

>>> remez(5, [0.0, 0.1, 0.3, 0.5], [1.0, 0.0]).round(6)
array([0.059851, 0.299254, 0.380298, 0.299254, 0.059851])
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.signal

from ccc.compile.frontend.numpy_functions.table import constant, definition_of
from ccc.compile.libraries.slopes import with_slope_of

signal: Any = scipy.signal


def of_scipy(taps: int, bands: Any, desired: Any, weight: Any, kind: str, maxiter: int, density: int, fs: Any) -> Any:
    return signal.remez(taps, bands, desired, weight=weight, type=kind, maxiter=maxiter, grid_density=density, fs=fs)


def amplitudes(taps: int, f: Any, is_odd: bool) -> Any:
    """What each of the first half of the weights, which the others mirror, adds to the amplitude at `f`."""
    n = np.arange((taps + 1) // 2)
    angle = 2.0 * math.pi * f[:, None] * (n - 0.5 * (taps - 1))
    twice = np.where(2 * n == taps - 1, 1.0, 2.0)
    return np.sin(-angle) * twice if is_odd else np.cos(angle) * twice


def grid(taps: int, edges: Any, is_odd: bool, density: int) -> Any:
    """SciPy's places, of each the band, 1 where it goes with the upper edge, and whether it moves."""
    count = taps // 2 + (1 if taps % 2 and not is_odd else 0)
    step, rows = 0.5 / (density * count), []
    for k, (low, high) in enumerate(edges.reshape(-1, 2)):
        begin = step if is_odd and k == 0 and low < step else low
        moves, at = float(begin == low), begin
        while at <= high:
            rows.append([at, k, 0.0, moves])
            at += step
        rows[-1] = [high, k, 1.0, 1.0]
    if is_odd and taps % 2 and rows[-1][0] > 0.5 - step:
        rows.pop()
    return np.array(rows)


def extrema(h: Any, edges: Any, desired: Any, weight: Any, kind: str, density: int) -> Any:
    """Of each extremum: its band, its edge, whether it moves, how far from the edge it is, and the sign there."""
    taps, is_odd = len(h), kind != "bandpass"
    points = grid(taps, edges, is_odd, density)
    f, band = points[:, 0], points[:, 1].astype(int)
    wanted, weights = wanted_at(f, desired[band], weight[band], kind)
    basis = amplitudes(taps, f, is_odd)
    off = weights * (basis @ h[:(taps + 1) // 2] - wanted)
    largest = np.max(np.abs(off))
    chosen: list[int] = []
    for i in np.flatnonzero(np.abs(off) > largest * (1.0 - 1e-5)).tolist():
        if not chosen or np.sign(off[i]) != np.sign(off[chosen[-1]]):
            chosen.append(i)
    free = (taps + 1) // 2 - (1 if is_odd and taps % 2 else 0)
    if len(chosen) != free + 1:
        raise ValueError("scipy.signal.remez has no derivative where its error has more or fewer extrema than weights")
    at = points[chosen]
    edge = edges.reshape(-1, 2)[at[:, 1].astype(int), at[:, 2].astype(int)]
    return np.stack([at[:, 1], at[:, 2], at[:, 3], at[:, 0] - at[:, 3] * edge, np.sign(off[chosen])])


def wanted_at(f: Any, desired: Any, weight: Any, kind: Any) -> Any:
    """The amplitude that is wanted, and the weight of its error: of differentiators relative to the frequency."""
    if kind != "differentiator":
        return desired, weight
    return desired * f, np.where(desired >= 0.0001, weight / f, weight)


@definition_of(signal.remez)
def remez(numtaps: Any, bands: Any, desired: Any, *, weight: Any = None, type: Any = "bandpass", maxiter: Any = 25,
          grid_density: Any = 16, fs: Any = None) -> Any:
    if type not in ("bandpass", "differentiator", "hilbert"):
        raise ValueError("Type must be 'bandpass', 'differentiator', or 'hilbert'")
    is_odd, rate = type != "bandpass", 1.0 if fs is None else fs
    edges, wanted = np.asarray(bands) * 1.0 / rate, np.asarray(desired) * 1.0
    weights = np.ones(len(wanted)) if weight is None else np.asarray(weight) * 1.0
    found = constant(of_scipy, np.zeros(2), numtaps, bands, desired, weight, type, maxiter, grid_density, fs)
    at = constant(extrema, np.zeros((2, 2)), found, edges, wanted, weights, type, grid_density)
    band, side = at[0].astype(int), at[1].astype(int)
    f = edges[2 * band + side] * at[2] + at[3]
    goal, weighed = wanted_at(f, wanted[band], weights[band], type)
    basis = amplitudes(numtaps, f, is_odd)[:, :len(f) - 1]
    half = np.linalg.solve(np.concatenate([basis, -(at[4] / weighed)[:, None]], axis=1), goal)[:-1]
    middle = np.zeros(numtaps - 2 * (numtaps // 2))
    other = half[:numtaps // 2][::-1]
    if is_odd:
        return with_slope_of(found, np.concatenate([half, middle, -other]))
    return with_slope_of(found, np.concatenate([half, other]))
