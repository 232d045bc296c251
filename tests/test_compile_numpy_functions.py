"""NumPy's functions in all their forms: values of NumPy bit by bit, gradients by differences, and both targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc

V = np.array([0.7, -1.9, 1.2, 2.6])
W = np.array([0.4, 1.3, 0.6, 0.9])
U = np.array([0.3, 1.1, 0.5])
M = np.array([[2.1, 0.3, -0.4], [0.2, 1.7, 0.5], [-0.6, 0.1, 1.4]])
N = np.array([[0.3, -1.2, 0.8], [1.1, 0.4, -0.7]])
T = np.linspace(-1.0, 1.3, 12).reshape(2, 3, 2) + 0.07
P = np.array([0.5, 1.5, 2.75, 3.25])
I = np.array([2, 0, 2, 1])
HOLES = np.array([1.0, np.nan, 3.0, 0.5])

Case = tuple[Callable[..., Any], tuple[Any, ...]]

SCALED: Any = np.vectorize(lambda t, a=1.5, *, k=1.0: t * a * k, excluded=["a"])


def written(v, x, there):
    y = np.zeros((3, 2))
    np.copyto(y[1], x * v[1], where=there)
    np.copyto(y, v[:2], where=[[True], [False], [False]])
    return y



CALCULUS: dict[str, Case] = {
    "gradient": (lambda v: np.gradient(v), (V,)),
    "gradient step": (lambda v, h: np.gradient(v, h), (V, 0.3)),
    "gradient order 2": (lambda v: np.gradient(v, 0.5, edge_order=2), (V,)),
    "gradient points": (lambda v, x: np.gradient(v, x), (V, P)),
    "gradient points order 2": (lambda v, x: np.gradient(v, x, edge_order=2), (V, P)),
    "gradient matrix": (lambda m: np.gradient(m), (M,)),
    "gradient axis": (lambda m: np.gradient(m, axis=1), (M,)),
    "gradient steps": (lambda m: np.gradient(m, 0.5, 2.0), (M,)),
    "ediff1d": (lambda v: np.ediff1d(v, to_begin=0.5, to_end=v[:2]), (V,)),
    "ediff1d matrix": (lambda m: np.ediff1d(m), (N,)),
    "diff prepend": (lambda v: np.diff(v, prepend=0.5, append=v[:1]), (V,)),
    "diff prepend axis": (lambda m: np.diff(m, 2, axis=0, prepend=1.0), (N,)),
    "trapezoid x": (lambda v, x: np.trapezoid(v, x), (V, P)),
    "trapezoid axis": (lambda m: np.trapezoid(m, dx=0.5, axis=0), (M,)),
    "trapezoid x axis": (lambda m, x: np.trapezoid(m, x, axis=1), (N, P[:3])),
    "trapezoid x rows": (lambda m, x: np.trapezoid(m, x, axis=0), (M, np.cumsum(M * M, 0))),
    "interp": (lambda x, xp, fp: np.interp(x, xp, fp), (np.array([0.2, 0.6, 2.0, 3.0, 4.0]), P, V)),
    "interp number": (lambda x: np.interp(x, [0.0, 1.0, 3.0], [1.0, 4.0, 2.0]), (1.7,)),
    "interp ends": (lambda x, xp: np.interp(x, xp, V, left=-1.0, right=x[0]), (np.array([0.2, 2.0, 4.0]), P)),
    "interp period": (lambda x, xp, fp: np.interp(x, xp, fp, period=2.0), (np.array([0.2, 2.1, 3.9]), P, V)),
    "unwrap": (lambda v: np.unwrap(v), (np.array([0.5, 3.0, -2.9, -0.1, 4.5]),)),
    "unwrap axis": (lambda m: np.unwrap(m * 3.0, axis=0, discont=2.0), (M,)),
    "unwrap period": (lambda v: np.unwrap(v, period=2.0), (V,)),
}
STATISTICS: dict[str, Case] = {
    "cov": (lambda m: np.cov(m), (M,)),
    "cov vector": (lambda v: np.cov(v), (V,)),
    "cov y": (lambda v, w: np.cov(v, w), (V, W)),
    "cov columns": (lambda m: np.cov(m, rowvar=False, bias=True), (N,)),
    "cov ddof": (lambda m: np.cov(m, ddof=2), (M,)),
    "cov weights": (lambda m, w: np.cov(m, aweights=w), (M, U)),
    "cov counts": (lambda m: np.cov(m, fweights=np.array([1, 2, 1])), (M,)),
    "corrcoef": (lambda m: np.corrcoef(m), (M,)),
    "corrcoef y": (lambda v, w: np.corrcoef(v, w), (V, W)),
    "average": (lambda m, w: np.average(m, axis=0, weights=w), (N, U[:2])),
    "average columns": (lambda m, w: np.average(m, axis=-1, weights=w, keepdims=True), (N, U)),
    "average returned": (lambda v, w: np.average(v, weights=w, returned=True), (V, W)),
    "average middle": (lambda t, w: np.average(t, axis=1, weights=w), (T, U)),
    "median axes": (lambda t: np.median(t, axis=(0, 2)), (T,)),
    "median axes kept": (lambda t: np.median(t, axis=(0, -1), keepdims=True), (T,)),
    "quantiles": (lambda v: np.quantile(v, [0.1, 0.5, 0.8]), (V,)),
    "percentiles axis": (lambda m: np.percentile(m, (25, 60), axis=0), (M,)),
    "nanvar": (lambda v: np.nanvar(v), (V,)),
    "nanstd": (lambda m: np.nanstd(m, axis=0, ddof=1), (M,)),
    "nanmedian": (lambda v: np.nanmedian(v), (V,)),
    "nanmedian axis": (lambda m: np.nanmedian(m, axis=0), (M,)),
    "nanquantile": (lambda v: np.nanquantile(np.where(v > 2.0, np.nan, v), 0.3), (V,)),
    "nanpercentile": (lambda m: np.nanpercentile(m, 30.0, axis=1, keepdims=True), (M,)),
    "nanprod": (lambda v: np.nanprod(v), (V,)),
    "nancumsum": (lambda v: np.nancumsum(v), (V,)),
    "nancumprod": (lambda v: np.nancumprod(v), (V,)),
    "cumprod": (lambda v: np.cumprod(v), (V,)),
    "cumprod zero": (lambda v: np.cumprod(v * np.array([1.0, 0.0, 1.0, 0.0])), (V,)),
    "cumprod axis": (lambda m: np.cumprod(m, axis=0), (M,)),
    "cumprod all": (lambda m: m.cumprod(), (N,)),
    "cumulative_sum": (lambda m: np.cumulative_sum(m, axis=1, include_initial=True), (N,)),
    "cumulative_prod": (lambda v: np.cumulative_prod(v, include_initial=True), (V,)),
    "sum where": (lambda m: np.sum(m, axis=0, where=m > 0.25), (M,)),
    "sum initial": (lambda m, c: np.sum(m, axis=1, initial=c), (M, 0.5)),
    "sum both": (lambda v, c: v.sum(initial=c, where=v > 0.0), (V, 0.5)),
    "mean where": (lambda m: np.mean(m, axis=0, where=M > 0.0), (M,)),
    "prod where": (lambda m, c: np.prod(m, axis=0, where=M > 0.2, initial=c), (M, 1.5)),
    "max where": (lambda m: np.max(m, axis=0, where=M > 0.2, initial=-5.0), (M,)),
    "min initial": (lambda v, c: np.min(v, initial=c), (V, -3.0)),
}
for method in ("lower", "higher", "midpoint", "nearest", "hazen", "weibull", "median_unbiased", "inverted_cdf"):
    STATISTICS[f"quantile {method}"] = (
        lambda v, method=method: np.quantile(v, 0.3, method=method), (V,))  # type: ignore[call-overload]
JOINED: dict[str, Case] = {
    "array_split": (lambda v: np.array_split(v, 3), (V,)),
    "split": (lambda m: np.split(m, 3, axis=1), (M,)),
    "split places": (lambda v: np.split(v, [1, 3]), (V,)),
    "hsplit": (lambda m: np.hsplit(m, 3), (N,)),
    "vsplit": (lambda m: np.vsplit(m, [1]), (M,)),
    "dsplit": (lambda t: np.dsplit(t, 2), (T,)),
    "atleast_3d": (lambda v: np.atleast_3d(v), (V,)),
    "dstack": (lambda v, w: np.dstack([v, w]), (V, W)),
    "block": (lambda m, n: np.block([[m, np.zeros((3, 2))], [n, n[:, :2]]]), (M, N)),
    "block row": (lambda v, x: np.block([v, x]), (V, 0.5)),
    "broadcast_arrays": (lambda m, v: np.broadcast_arrays(m, v, 1.5), (N, U)),
    "meshgrid": (lambda v, w: np.meshgrid(v, w), (V, U)),
    "meshgrid ij": (lambda v, w, u: np.meshgrid(v, w, u, indexing="ij"), (V, U, W)),
    "meshgrid sparse": (lambda v, w: np.meshgrid(v, w, sparse=True), (V, U)),
    "insert": (lambda v: np.insert(v, 1, v[0] * 2.0), (V,)),
    "insert row": (lambda m, u: np.insert(m, -1, u, axis=0), (N, U)),
    "insert column": (lambda m: np.insert(m, 1, 0.5, axis=1), (N,)),
    "delete": (lambda v: np.delete(v, 1), (V,)),
    "delete rows": (lambda m: np.delete(m, [0, 2], axis=0), (M,)),
    "delete slice": (lambda m: np.delete(m, slice(0, 2), axis=1), (M,)),
    "resize": (lambda v: np.resize(v, (2, 3)), (V,)),
}
SHAPES: dict[str, Case] = {
    "rollaxis": (lambda t: np.rollaxis(t, 2), (T,)),
    "rollaxis start": (lambda t: np.rollaxis(t, 0, 3), (T,)),
    "matrix_transpose": (lambda t: np.matrix_transpose(t), (T,)),
    "full_like": (lambda m, x: np.full_like(m, x) * m, (N, 0.5)),
    "diagflat": (lambda v: np.diagflat(v, 1), (V,)),
    "vander": (lambda v: np.vander(v), (V,)),
    "vander increasing": (lambda v: np.vander(v, 3, increasing=True), (V,)),
    "trim_zeros": (lambda v: np.trim_zeros(v * np.array([0.0, 1.0, 0.0, 1.0])), (V,)),
    "tri": (lambda m: m * np.tri(3, k=-1) + m * np.eye(3, k=1) - m * np.identity(3), (M,)),
    "tril_indices": (lambda m: m[np.tril_indices(3, -1)], (M,)),
    "triu_indices": (lambda m: m[np.triu_indices(3, 1)], (M,)),
    "triu_indices_from": (lambda m: m[np.triu_indices_from(m)], (M,)),
    "diag_indices": (lambda m: m[np.diag_indices(3)], (M,)),
    "ix_": (lambda m: m[np.ix_([0, 2], [1, 2])], (M,)),
    "indices": (lambda m: m * np.indices((2, 3))[1], (N,)),
    "windows": (lambda v: np.lib.stride_tricks.sliding_window_view(v, 3), (V,)),
    "windows axis": (lambda m: np.lib.stride_tricks.sliding_window_view(m, 2, axis=0), (M,)),
    "windows axes": (lambda m: np.lib.stride_tricks.sliding_window_view(m, (2, 2)), (M,)),
    "r_": (lambda v, x: np.r_[v, x, 0:3, v[:2]], (V, 0.5)),
    "c_": (lambda v, m: np.c_[v[:3], m, v[1:]], (V, M)),
    "mgrid": (lambda m: m * np.mgrid[0:2, 1:4][1], (N,)),
    "ogrid": (lambda m: m * np.ogrid[0:2, 1:4][0], (N,)),
    "slices": (lambda v: v[slice(1, None)] * v[slice(3)], (V,)),
    "limits": (lambda v: v + np.finfo(v.dtype).eps, (V,)),
    "hanning": (lambda v: v * np.hanning(4) * np.hamming(4) * np.blackman(4) * np.bartlett(4), (V,)),
    "reshape F": (lambda m: m.reshape((2, 3), order="F") if m.size == 6 else m, (N,)),
    "ravel F": (lambda m: np.ravel(m, order="F") * m.flatten("F"), (N,)),
    "pad constant": (lambda m: np.pad(m, ((1, 0), (0, 2)), constant_values=1.5), (N,)),
    "rot90 axes": (lambda t: np.rot90(t, 1, axes=(1, 2)), (T,)),
    "linspace": (lambda a, b: np.linspace(a, b, 5, endpoint=False), (0.3, 1.9)),
    "linspace step": (lambda a, b: np.linspace(a, b, 5, retstep=True), (0.3, 1.9)),
    "linspace axis": (lambda a, b: np.linspace(a, b, 4, axis=1), (V, W)),
    "logspace": (lambda a, b: np.logspace(a, b, 4), (0.3, 0.9)),
    "trace": (lambda m: np.trace(m, offset=1), (M,)),
    "trace axes": (lambda t: np.trace(t, axis1=0, axis2=2), (T,)),
}
SELECTED: dict[str, Case] = {
    "choose": (lambda v, w: np.choose(np.array([1, 0, 1, 0]), [v, w]), (V, W)),
    "choose wrap": (lambda v, w: np.choose(np.array([3, 0, -1, 2]), [v, w], mode="wrap"), (V, W)),
    "piecewise": (lambda v: np.piecewise(v, [v < 0, v > 1.0], [lambda x: x * x, 2.0, lambda x: np.sin(x)]), (V,)),
    "piecewise of each part": (lambda v: np.piecewise(v, [v < 0, v > 99.0], [
        lambda x: x * np.sum(x), lambda x: x * np.max(x), lambda x: x / np.sum(x)]), (V,)),
    "piecewise number": (lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda x: -x, lambda x: x * x]), (0.7,)),
    "nonzero": (lambda m: m[np.nonzero(m > 0.0)], (M,)),
    "where alone": (lambda v: v[np.where(v > 0.0)[0]], (V,)),
    "flatnonzero": (lambda m: np.ravel(m)[np.flatnonzero(m > 0.0)], (M,)),
    "argwhere": (lambda v: v[np.argwhere(v > 0.0)[:, 0]], (V,)),
    "partition": (lambda v: np.partition(v, 2), (V,)),
    "partition axis": (lambda m: np.partition(m, 1, axis=0), (M,)),
    "argpartition": (lambda v: v[np.argpartition(v, 1)[:2]], (V,)),
    "sort kinds": (lambda v: np.sort(v, kind="stable") * v[np.argsort(v, kind="stable")], (V,)),
    "lexsort": (lambda v, w: v[np.lexsort((v, w))], (V, W)),
    "digitize": (lambda v: v * np.digitize(v, [0.0, 1.0, 2.0]), (V,)),
    "unravel_index": (lambda m: m[np.unravel_index(np.argmax(m), (3, 3))], (M,)),
    "unique": (lambda v: np.unique(v[I] * 1.0), (V,)),
    "unique all": (lambda v: np.unique(v[I], return_inverse=True, return_counts=True), (V,)),
    "isin": (lambda v: v * np.isin(I, [2, 3]), (V,)),
    "sets": (lambda v, w: (np.union1d(v, w), np.setdiff1d(v, w[:1]), np.intersect1d(v, v[:2]), np.setxor1d(v, v[:2])),
             (V, W)),
    "bincount": (lambda v: np.bincount(I, weights=v, minlength=5), (V,)),
    "bincount counts": (lambda v: v * np.bincount(I, minlength=4), (V,)),
    "histogram weights": (lambda w: np.histogram(V, bins=[-2.0, 0.0, 1.0, 3.0], weights=w)[0], (W,)),
    "histogram bins": (lambda w: np.histogram(V, bins=4, range=(-2.0, 3.0), weights=w)[0], (W,)),
    "histogram integers": (lambda v: v[np.histogram(V, bins=3, weights=np.arange(V.size))[0] % 3], (V,)),
    "histogram flags": (lambda v: (v, np.histogram(V, bins=3, weights=V > 0.0)[0]), (V,)),
    "histogram counts": (lambda v: v * np.histogram(V, bins=4)[0], (V,)),
    "histogram density": (lambda w: np.histogram(V, bins=3, weights=w, density=True), (W,)),
    "take wrap": (lambda m: np.take(m, [4, -1, 2], axis=1, mode="wrap"), (N,)),
    "take clip": (lambda v: np.take(v, [7, -3, 1], mode="clip"), (V,)),
}
PRODUCTS: dict[str, Case] = {
    "polyval": (lambda p, x: np.polyval(p, x), (U, V)),
    "polyval number": (lambda p, x: np.polyval(p, x), (U, 0.7)),
    "polyder": (lambda p: (np.polyder(p), np.polyder(p, 2)), (V,)),
    "polyint": (lambda p: (np.polyint(p), np.polyint(p, 2, [0.5, 1.0])), (V,)),
    "polyadd": (lambda p, q: (np.polyadd(p, q), np.polysub(q, p), np.polymul(p, q)), (V, U)),
    "polydiv": (lambda p, q: np.polydiv(p, q), (V, U)),
    "poly": (lambda v: np.poly(v), (V,)),
    "polynomial": (lambda x, c: np.polynomial.polynomial.polyval(x, c), (V, U)),
    "polynomial number": (lambda x, c: np.polynomial.polynomial.polyval(x, c), (0.7, U)),
    "from roots": (lambda x, r: np.polynomial.polynomial.polyvalfromroots(x, r), (V, U)),
    "from roots number": (lambda x, r: np.polynomial.polynomial.polyvalfromroots(x, r), (0.7, M)),
    "from roots each": (lambda x, r: np.polynomial.polynomial.polyvalfromroots(x, r, tensor=False), (U, M)),
    "chebval": (lambda x, c: np.polynomial.chebyshev.chebval(x, c), (V, W)),
    "legval": (lambda x, c: np.polynomial.legendre.legval(x, c), (V, W)),
    "hermval": (lambda x, c: np.polynomial.hermite.hermval(x, c), (V, W)),
    "hermeval": (lambda x, c: np.polynomial.hermite_e.hermeval(x, c), (V, W)),
    "hermfit": (lambda x, y: np.polynomial.hermite.hermfit(x, y, 2, w=x**2) + np.polynomial.hermite_e.hermefit(x, y, 2)
                * np.polynomial.laguerre.lagfit(x, y, [1, 2]) + np.polynomial.Hermite.fit(x, y, 1)(0.3), (V, W)),
    "lagval": (lambda x, c: np.polynomial.laguerre.lagval(x, c), (V, W)),
    "tensordot": (lambda m, n: np.tensordot(n, m, 1), (M, N)),
    "tensordot axes": (lambda t, n: np.tensordot(t, n, axes=([0, 1], [0, 1])), (T, N)),
    "tensordot outer": (lambda v, w: np.tensordot(v, w, axes=0), (V, W)),
    "vecdot": (lambda m, u: np.vecdot(m, u), (N, U)),
    "matvec": (lambda m, u: np.matvec(m, u), (N, U)),
    "vecmat": (lambda u, m: np.vecmat(u, m), (U, M)),
    "einsum lists": (lambda m, n: np.einsum(m, [0, 1], n, [2, 1], [0, 2]), (M, N)),
    "einsum ellipsis": (lambda t, u: np.einsum("...ij,i->...j", t, u), (T, U)),
    "einsum trace": (lambda m: np.einsum("ii", m), (M,)),
    "einsum diagonal": (lambda m, u: np.einsum("ii,i->i", m, u), (M, U)),
    "einsum implicit": (lambda t, u: np.einsum("...i,i", np.swapaxes(t, 1, 2), u), (T, U)),
    "cross axis": (lambda m, n: np.cross(m, n, axis=0), (M, M.T.copy() + 0.3)),
}
FUNCTIONAL: dict[str, Case] = {
    "add.outer": (lambda v, w: np.add.outer(v, w), (V, U)),
    "subtract.outer": (lambda m, w: np.subtract.outer(m, w), (N, U)),
    "multiply.outer number": (lambda v, x: np.multiply.outer(v, x), (V, 0.5)),
    "maximum.outer": (lambda v, w: np.maximum.outer(v, w), (V, U)),
    "add.reduce": (lambda m: np.add.reduce(m), (M,)),
    "multiply.reduce": (lambda m: np.multiply.reduce(m, axis=1), (M,)),
    "maximum.reduce": (lambda m: np.maximum.reduce(m, axis=None), (M,)),
    "logaddexp.reduce": (lambda v: np.logaddexp.reduce(v), (V,)),
    "hypot.reduce": (lambda m: np.hypot.reduce(m, axis=1, keepdims=True), (M,)),
    "subtract.reduce": (lambda m: np.subtract.reduce(m), (M,)),
    "add.accumulate": (lambda m: np.add.accumulate(m), (M,)),
    "multiply.accumulate": (lambda m: np.multiply.accumulate(m, axis=1), (M,)),
    "maximum.accumulate": (lambda v: np.maximum.accumulate(v), (V,)),
    "logaddexp.accumulate": (lambda v: np.logaddexp.accumulate(v), (V,)),
    "add.reduceat": (lambda v: np.add.reduceat(v, [0, 2, 3]), (V,)),
    "vectorize by name": (lambda v, x: np.vectorize(lambda p, t, n=3: p[0] * t**n, excluded=["p", "n"])(
        p=[x, 2.0], t=v, n=2), (V, 0.5)),
    "vectorize a place": (lambda v, x: np.vectorize(lambda t, p: p[0] * t, excluded={1})(v, [x, 2.0]), (V, 0.5)),
    "vectorize beside a name": (lambda v: np.vectorize(lambda p, t: p * t, excluded=["p"])(v, v), (V,)),
    "vectorize outside": (lambda v, x: SCALED(v, 2.0) + SCALED(v, k=v) + SCALED(a=x, t=v), (V, 0.5)),
    "copyto where": (lambda v, x: written(v, x, [True, False]), (V, 0.5)),
    "vectorize to a float": (lambda v: np.vectorize(lambda t: 0.0 if t < 0 else t)(v), (V,)),
    "vectorize to ints": (lambda v: v * np.vectorize(lambda t: 1 if t < 0 else 2)(v), (V,)),
    "vectorize to a type": (lambda v: np.vectorize(lambda t: 1 if t < 0 else t, otypes=[float])(v), (V,)),
    "vectorize": (lambda v, x: np.vectorize(lambda a, b: a * b if a > 0 else a - b)(v, x), (V, 0.5)),
    "apply_along_axis": (lambda m: np.apply_along_axis(lambda r: r[0] * r[1], 1, m), (M,)),
    "apply_along_axis rows": (lambda m: np.apply_along_axis(lambda r: np.cumsum(r) * r, 0, m), (N,)),
    "apply_over_axes": (lambda t: np.apply_over_axes(np.sum, t, [0, 2]), (T,)),
    "fromfunction": (lambda m: m * np.fromfunction(lambda i, j: i + 2.0 * j, (2, 3)), (N,)),
    "modf": (lambda v: np.modf(v), (V,)),
    "divmod": (lambda v: np.divmod(v, 0.8), (V,)),
    "frexp": (lambda v: np.frexp(v), (V,)),
    "fix": (lambda v: v * np.fix(v) + np.around(v) + np.real(v), (V,)),
    "nan_to_num": (lambda v: np.nan_to_num(np.where(v > 2.0, -np.inf, v)), (V,)),
    "isclose": (lambda v, w: v * np.isclose(v, w, atol=1.0) * np.allclose(v, w) + np.array_equal(v, w), (V, W)),
    "angle": (lambda v: v * np.angle(v), (V,)),
    "logaddexp2": (lambda v, w: np.logaddexp2(v, w) + np.ldexp(v, 2) + np.conj(w), (V, W)),
    "dtype": (lambda v: np.add(v, 1.0, dtype=np.float64), (V,)),
    "attributes": (lambda m: m.real.mT * 2.0 + m.imag + m.conj(), (M,)),
    "tolist": (lambda m: sum([row[0] * row[1] for row in m.tolist()]) + m.item(1) + m.item(0, 2), (M,)),
    "of dtypes": (lambda m: m * 2.0 if np.issubdtype(m.dtype, np.floating) and not np.iscomplexobj(m) else m, (M,)),
    "geomspace": (lambda a, b: np.geomspace(a, b, 4), (0.3, 2.5)),
    "ndindex": (lambda m: sum([m[i, j] * (i + j) for i, j in np.ndindex(2, 3)]), (N,)),
    "ndenumerate": (lambda v: sum([x * i[0] for i, x in np.ndenumerate(v)]), (V,)),
}


def placed(v: Any, w: Any) -> Any:
    a = v * 1.0
    np.place(a, v > 0.0, w[:2])
    np.putmask(a, v < 0.0, w * 2.0)
    return a


def filled(m: Any, x: Any) -> Any:
    a = m * 1.0
    np.fill_diagonal(a, x)
    b = m * 2.0
    np.put_along_axis(b, np.argmax(b, axis=1, keepdims=True), 0.5, axis=1)
    return a, b


def at_places(v: Any, w: Any) -> Any:
    a = v * 1.0
    np.multiply.at(a, [0, 2, 0], w[:3])
    np.maximum.at(a, I, w)
    return a


def left_as_they_are(v: Any, w: Any) -> Any:
    out = v * 2.0
    np.multiply(v, w, out=out, where=v > 0.0)
    return out


IN_PLACE: dict[str, Case] = {
    "place": (placed, (V, W)), "fill_diagonal": (filled, (M, 0.5)), "at": (at_places, (V, W)),
    "where with out": (left_as_they_are, (V, W)),
}


def sorted_in_place(v: Any) -> Any:
    a = v * 1.0
    a.sort()
    return a * v


IN_PLACE["sort"] = (sorted_in_place, (V,))


def in_new_memory(v):
    y = np.ndarray((len(v), 2), dtype=v.dtype)
    y[:, 0] = v * v
    y[:, 1] = v[::-1]
    return y if isinstance(y, np.ndarray) else None


IN_PLACE["ndarray"] = (in_new_memory, (V,))
CASES = CALCULUS | STATISTICS | JOINED | SHAPES | SELECTED | PRODUCTS | FUNCTIONAL | IN_PLACE


def weighed(a: Any) -> Any:
    a = np.ravel(a)
    return np.sum(a * np.cos(np.arange(a.size) + 1.0))


def total(found: Any) -> Any:
    if isinstance(found, tuple | list):
        return sum([weighed(a) for a in found])
    return weighed(found)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", CASES)
def test_value_is_that_of_numpy(name: str):
    f, args = CASES[name]
    agrees_in_value(f, *args)


@pytest.mark.share(12)
@pytest.mark.parametrize("name", CASES)
def test_gradient_is_that_of_differences_on_both_targets(name: str):
    f, args = CASES[name]

    def summed(*xs: Any) -> Any:
        return total(f(*xs))

    agrees(summed, *args, second=False, exponentials=("Delta",))
    value, gradient = ccc.value_with_gradient(summed, backend="numpy")(*args)
    again, native = ccc.value_with_gradient(summed, backend="native")(*args)
    np.testing.assert_allclose(again, value, rtol=1e-12, atol=1e-12)
    for a, b in zip(native if len(args) > 1 else (native,), gradient if len(args) > 1 else (gradient,), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_an_array_of_a_buffer_is_refused():
    with pytest.raises(ccc.CCCError, match="np.ndarray of a buffer"):
        ccc.compiled(lambda x: np.ndarray((2,), float, x))(np.ones(2))


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_running_extrema_share_ties_in_one_pass(backend: str) -> None:
    x, w = np.array([1.0, 3.0, 2.0, 3.0, 3.0, 0.0, 5.0, 5.0]), np.arange(1.0, 9.0)
    found = ccc.gradient(lambda x: np.sum(np.maximum.accumulate(x) * w), backend=backend)(x)
    hit = [np.equal(x[: i + 1], np.max(x[: i + 1])) for i in range(8)]
    shared = [np.append(h / np.sum(h), np.zeros(7 - i)) * w[i] for i, h in enumerate(hit)]
    np.testing.assert_allclose(found, np.sum(shared, axis=0), rtol=1e-14)
    code = ccc.explain(ccc.gradient(lambda x: np.sum(np.minimum.accumulate(x, axis=1) ** 2)), np.outer(x, w)).code
    assert "for " not in code


def rectified(t: float) -> Any:
    if t > 5.0:
        return t
    return t if t > 0.0 else 0


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_vectorized_results_have_the_class_of_the_first_one(backend: Any):
    """Floats where it is one; where it is an int all others lose their fractions, which is refused when it runs."""
    of = lambda v: np.vectorize(lambda t: t if t > 0 else 0)(v)  # noqa: E731
    for f in (of, lambda v: np.vectorize(rectified)(v)):
        at = np.array([0.7, -1.9, 1.2])
        np.testing.assert_array_equal(ccc.compiled(f, backend=backend)(at), f(at))
        assert ccc.gradient(lambda v, f=f: np.sum(f(v) * v), backend=backend)(at).tolist() == [1.4, 0.0, 2.4]
        with pytest.raises(TypeError, match="np.vectorize gives ints where the first result is one"):
            ccc.compiled(f, backend=backend)(-at)
    for f in (lambda v: np.vectorize(lambda t: max(t, 0))(v),
              lambda v: np.vectorize(lambda t: 2 * (t if t > 0 else 0))(v)):
        with pytest.raises(ccc.CCCError, match="which is an int or a float here"):  # which may not be said at a return
            ccc.compiled(f, backend=backend)(np.array([-2.0, 0.5]))
