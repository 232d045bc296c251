"""Designs of filters of `scipy.signal` where SciPy's own text turns by what numbers are: sections of second order of
zeros and poles, and filters of least squares.

Which zeros and poles go into a section is a constant, which SciPy says; its polynomials are those of their pairs.

    b = 1, -(z + z'), z z'        q_n = sum_bands w n-th cosine's integral,   (q_|k-n| + q_(k+n)) a = b

>>> firls(3, [0.0, 0.5, 0.5 + 1e-9, 1.0], [1.0, 1.0, 0.0, 0.0]).round(6)
array([0.31831, 0.5    , 0.31831])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.signal
import scipy.spatial

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse

linalg: Any = scipy.linalg
signal: Any = scipy.signal
spatial: Any = scipy.spatial
PLACES = np.zeros((2, 6), dtype=np.int64)


@definition_of(signal.zpk2sos)
def zpk2sos(z: Any, p: Any, k: Any, pairing: Any = None, *, analog: Any = False) -> Any:
    z, p = np.atleast_1d(z) + 0j, np.atleast_1d(p) + 0j
    which = constant(places, PLACES, z, p, pairing, analog)
    none = np.zeros(1) + 0j
    above = polynomials(np.concatenate([z, none]), which[:, 0], which[:, 1], which[:, 4])
    below = polynomials(np.concatenate([p, none]), which[:, 2], which[:, 3], which[:, 5])
    gain = np.where(np.arange(len(which))[:, None] == 0, np.real(k), 1.0)
    return np.concatenate([above * gain, below], axis=1)


def polynomials(roots: Any, one: Any, other: Any, count: Any) -> Any:
    """The polynomials of so many roots, none to two, which are real or conjugate: the highest power first."""
    a, b = roots[one], roots[other]
    total, product = np.real(a) + np.real(b), np.real(a) * np.real(b) - np.imag(a) * np.imag(b)
    none, unit = np.zeros_like(total), np.ones_like(total)
    return np.where(count[:, None] == 2, np.stack([unit, -total, product], axis=1),
                    np.where(count[:, None] == 1, np.stack([none, unit, -np.real(a)], axis=1),
                             np.stack([none, none, unit], axis=1)))


def places(z: Any, p: Any, pairing: Any, analog: bool) -> Any:
    """Which zeros and poles go into each section, and how many; the place behind all is that of a zero at 0."""
    sos = np.asarray(signal.zpk2sos(z, p, 1.0, pairing, analog=analog))
    above, below = paired(sos[:, :3], np.asarray(z)), paired(sos[:, 3:], np.asarray(p))
    return np.column_stack([above[:, :2], below[:, :2], above[:, 2], below[:, 2]]).astype(np.int64)


def paired(polynomials: Any, roots: Any) -> Any:
    """For each polynomial the places of its roots among these, and how many there are; each is taken once."""
    left, found = [*range(len(roots))], []
    behind, values = len(roots), np.append(roots, 0.0)
    for row in polynomials:
        count = 2 if row[0] != 0.0 else 1 if row[1] != 0.0 else 0
        b, c = row[1:] if count == 2 else (row[2], 0.0)
        ends = [(i, j) for i in [*left, behind] for j in ([*left, behind] if count == 2 else [behind])
                if i != j or i == behind]
        off = [abs(b + values[i] + values[j]) + abs(c - values[i] * values[j]) + 1e-12 * ((i == behind) + (j == behind))
               for i, j in ends]
        i, j = ends[int(np.argmin(off))] if count else (behind, behind)
        left = [k for k in left if k not in (i, j)]
        found.append((i, j, count))
    return np.array(found)


@definition_of(signal.firls)
def firls(numtaps: Any, bands: Any, desired: Any, *, weight: Any = None, fs: Any = None) -> Any:
    if numtaps % 2 == 0 or numtaps < 1:
        raise ValueError("numtaps must be odd and >= 1")
    half = (numtaps - 1) // 2
    edges = np.reshape(np.ravel(np.asarray(bands) * 1.0) / (0.5 * (2.0 if fs is None else fs)), (-1, 2))
    wanted = np.reshape(np.ravel(np.asarray(desired) * 1.0), (-1, 2))
    if np.any(edges < 0.0) or np.any(edges > 1.0) or np.any(edges[:, 1] <= edges[:, 0]):
        raise ValueError("bands must be monotonically nondecreasing and have width > 0.")
    if np.any(edges[:-1, 1] > edges[1:, 0]):
        raise ValueError("bands must not overlap.")
    if np.any(wanted < 0.0):
        raise ValueError("desired must be non-negative.")
    weights = np.ones(len(wanted)) if weight is None else np.ravel(np.asarray(weight) * 1.0)
    n = np.arange(numtaps)[:, None, None]
    waves = np.sinc(edges * n) * edges
    q = np.dot(waves[:, :, 1] - waves[:, :, 0], weights)
    slope = (wanted[:, 1:] - wanted[:, :1]) / (edges[:, 1:] - edges[:, :1])
    level = wanted[:, :1] - edges[:, :1] * slope
    k = n[:half + 1]
    turned = np.where(k == 0, -0.5 * slope * edges * edges,
                      slope * np.cos(k * np.pi * edges) / (np.pi * np.where(k == 0, 1, k)) ** 2)
    parts = edges * (slope * edges + level) * np.sinc(edges * k) + turned
    b = np.dot(parts[:, :, 1] - parts[:, :, 0], weights)
    a = linalg.solve(linalg.toeplitz(q[:half + 1]) + linalg.hankel(q[:half + 1], q[half:]), b, assume_a="pos")
    return np.concatenate([a[:0:-1], 2.0 * a[:1], a[1:]])


@definition_of(signal.ss2zpk)
def ss2zpk(A: Any, B: Any, C: Any, D: Any, input: Any = 0) -> Any:
    num, den = signal.ss2tf(A, B, C, D, input=input)
    if len(num) != 1:
        raise ValueError("scipy.signal.ss2zpk has a derivative for one output")
    return signal.tf2zpk(num[0], den)


# -- filters for bands that are asked for ------------------------------------------------------------------------------


ORDERS = {"butter": signal.buttord, "butterworth": signal.buttord, "cheby1": signal.cheb1ord,
          "chebyshev1": signal.cheb1ord, "chebyshevi": signal.cheb1ord, "cheby2": signal.cheb2ord,
          "chebyshev2": signal.cheb2ord, "chebyshevii": signal.cheb2ord, "ellip": signal.ellipord,
          "elliptic": signal.ellipord, "cauer": signal.ellipord}


def order_of(wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any, ftype: Any, fs: Any) -> Any:
    """The order that SciPy chooses."""
    return int(ORDERS[ftype](wp, ws, gpass, gstop, analog, fs)[0])


def edges_of(kind: Any, w: Any, share: Any) -> Any:
    """The natural frequencies of a filter whose prototype has its own at `share` of that where it passes."""
    if kind == 0:
        return w * share
    if kind == 1:
        return w / share
    apart, middle = 0.5 * share * (w[1] - w[0]), w[0] * w[1]
    root = np.sqrt(apart * apart + middle)
    return np.stack([root - apart, root + apart])


@definition_of(signal.cheb2ord)
def cheb2ord(wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any = False, fs: Any = None) -> Any:
    """The order is a constant."""
    order = constant(order_of, 1, wp, ws, gpass, gstop, analog, "cheby2", fs)
    w, stop = np.ravel(np.asarray(wp) * 1.0), np.ravel(np.asarray(ws) * 1.0)
    if len(w) == 1:
        if w[0] < stop[0]:
            return order, natural(0, order, w[0], gpass, gstop, analog, "cheby2", fs)
        return order, natural(1, order, w[0], gpass, gstop, analog, "cheby2", fs)
    if w[0] < stop[0]:
        raise ValueError("scipy.signal.cheb2ord searches the edges of what stops a band, and has no derivative there")
    return order, natural(3, order, w, gpass, gstop, analog, "cheby2", fs)


@definition_of(signal.iirdesign)
def iirdesign(wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any = False, ftype: Any = "ellip", output: Any = "ba",
              fs: Any = None) -> Any:
    if ftype not in ORDERS:
        raise ValueError(f"Invalid IIR filter type: {ftype}")
    order = constant(order_of, 1, wp, ws, gpass, gstop, analog, ftype, fs)
    w, stop = np.ravel(np.asarray(wp) * 1.0), np.ravel(np.asarray(ws) * 1.0)
    if len(w) == 1:
        if w[0] < stop[0]:
            return passing(0, "lowpass", order, w[0], gpass, gstop, analog, ftype, output, fs)
        return passing(1, "highpass", order, w[0], gpass, gstop, analog, ftype, output, fs)
    if w[0] < stop[0]:
        raise ValueError("scipy.signal.iirdesign searches the edges of what stops a band, and has no derivative there: "
                         "give scipy.signal.iirfilter an order")
    return passing(3, "bandpass", order, w, gpass, gstop, analog, ftype, output, fs)


def natural(kind: Any, order: Any, w: Any, gpass: Any, gstop: Any, analog: Any, ftype: Any, fs: Any) -> Any:
    """The natural frequencies of the filter of that order that attenuates by `gpass` at `w`."""
    loss, kept = np.expm1(0.1 * np.log(10.0) * np.abs(gpass)), np.expm1(0.1 * np.log(10.0) * np.abs(gstop))
    if ORDERS[ftype] is signal.buttord:
        share = loss ** (-0.5 / order)
    else:
        share = np.cosh(np.arccosh(np.sqrt(kept / loss)) / order)
    rate = 2.0 if fs is None else fs
    moved = edges_of(kind, w if analog else np.tan(np.pi * w / rate), share)
    return moved if analog else np.arctan(moved) * rate / np.pi


def passing(kind: Any, btype: Any, order: Any, w: Any, gpass: Any, gstop: Any, analog: Any, ftype: Any, output: Any,
            fs: Any) -> Any:
    """The filter of that order that attenuates by `gpass` where it passes."""
    has_edges = ORDERS[ftype] is not signal.buttord and ORDERS[ftype] is not signal.cheb2ord
    wn = w if has_edges else natural(kind, order, w, gpass, gstop, analog, ftype, fs)
    return signal.iirfilter(order, wn, gpass, gstop, btype, analog, ftype, output, fs)


@definition_of(signal.windows.dpss)
def dpss(M: Any, NW: Any, Kmax: Any = None, sym: Any = True, norm: Any = None, return_ratios: Any = False, *,
         xp: Any = None, device: Any = None) -> Any:
    if return_ratios or norm == "subsample":
        refuse("scipy.signal.windows.dpss has a derivative for return_ratios=False, and norm=None, 2 and 'approximate'",
               "leave them out")
    if M <= 1:
        return np.ones(M)
    n, count = (M if sym else M + 1), (1 if Kmax is None else Kmax)
    if count <= 0 or count > M:
        raise ValueError("Kmax must be greater than 0 and less than M")
    if NW >= M / 2.0:
        raise ValueError("NW must be less than M/2.")
    if NW <= 0:
        raise ValueError("NW must be positive")
    t = np.arange(n) * 1.0
    diagonal = ((n - 1 - 2 * t) / 2.0) ** 2 * np.cos(2 * np.pi * NW / n)
    vectors = linalg.eigh_tridiagonal(diagonal, t[1:] * (n - t[1:]) / 2.0)[1]
    tapers = np.transpose(vectors[:, ::-1][:, :count])
    seen = np.argmax(tapers * tapers > max(1e-7, 1.0 / n), axis=1)
    begin = tapers[np.arange(count), seen]
    sides = np.where(np.arange(count) % 2 == 0, np.sum(tapers, axis=1), begin)
    tapers = tapers * np.where(sides < 0, -1.0, 1.0)[:, None]
    if norm == "approximate" or (norm is None and Kmax is None):
        tapers = tapers / np.max(tapers) * (n**2 / (n**2 + NW) if n % 2 == 0 else 1.0)
    found = tapers if sym else tapers[:, :-1]
    return found[0] if Kmax is None else found


# -- roots that are one ------------------------------------------------------------------------------------------------


def groups_of(p: Any, tol: float) -> Any:
    """The number of the group of each root, as SciPy joins them."""
    points, left, found = np.stack([np.real(p), np.imag(p)], axis=1), np.arange(len(p)), np.zeros(len(p), int)
    near = spatial.cKDTree(points).query_ball_point(points, tol)
    k = 0
    while len(left):
        group = [i for i in near[left[0]] if i in left]
        found[group] = k
        left, k = np.setdiff1d(left, group), k + 1
    return found


def ends_of(p: Any, groups: Any, which: str) -> Any:
    """The place of the least or the greatest of each group."""
    kept = [np.flatnonzero(groups == k) for k in range(groups.max(initial=-1) + 1)]
    order = [np.argsort(p[at], kind="stable") for at in kept]
    return np.array([at[i[0 if which == "min" else -1]] for at, i in zip(kept, order, strict=True)], int)


@definition_of(signal.unique_roots)
def unique_roots(p: Any, tol: Any = 0.001, rtype: Any = "min") -> Any:
    """Which roots are one is a constant, as is which of these is the least."""
    if rtype not in ("max", "maximum", "min", "minimum", "avg", "mean"):
        raise ValueError("`rtype` must be one of {'max', 'maximum', 'min', 'minimum', 'avg', 'mean'}")
    p = np.asarray(p) * 1.0
    groups = constant(groups_of, np.zeros(2, int), p, tol)
    count = np.bincount(groups)
    if rtype in ("avg", "mean"):
        return (groups == np.arange(len(count))[:, None]) @ p / count, count
    return p[constant(ends_of, np.zeros(2, int), p, groups, rtype[:3])], count
