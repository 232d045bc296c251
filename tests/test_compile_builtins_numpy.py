"""NumPy's rearrangements, order statistics, contractions and decompositions in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc
from ccc.compile.diagnostics import CompileError

V = np.array([0.7, -1.9, 1.2, 2.6])
M = np.array([[2.1, 0.3, -0.4], [0.2, 1.7, 0.5], [-0.6, 0.1, 1.4]])
W = np.array([[0.3, -1.2, 0.8], [1.1, 0.4, -0.7], [0.9, 0.2, 1.3]])


def moved_about(v: Any) -> Any:
    a = np.tile(v, 2)[1:4] * np.repeat(v, 2)[2:5] + np.pad(v, 1)[:3] * np.pad(v, (2, 0), mode="edge")[:3]
    b = np.take(v, [0, 2, 2]) * np.compress(v > 0, v) + np.extract(v < 2.0, v)
    m = np.outer(v, v * v)
    c = np.triu(m, 1) - np.tril(m, -1) * 2.0 + np.rot90(m)
    d = np.diagonal(m) * np.take_along_axis(v, np.argsort(v), 0) + np.fliplr(m)[0] + np.flipud(m)[0]
    return np.sum(a * a) + np.sum(b * a) + np.sum(c * m) + np.sum(np.diff(v) ** 2) + np.sum(d * v) + v.repeat(2)[3]


def in_order(v: Any) -> Any:
    s = np.sort(v) * np.arange(4.0) + v[np.argsort(-v)]
    m = np.outer(v, np.sin(v))
    return np.sum(s * s) + np.sum(np.sort(m, axis=0)[0]) + v[np.searchsorted(np.array([0.5, 3.5]), 1.0)]


def statistics(v: Any) -> Any:
    m = np.outer(v, np.sin(v))
    a = np.median(v) * np.quantile(v, 0.3) + np.percentile(v, 80) ** 2 + np.ptp(v)
    b = np.sum(np.median(m, axis=0) * np.quantile(m, 0.4, axis=1)) + np.average(v, weights=v * v) + np.average(v)
    return a + b + np.nansum(v * v) * np.nanmean(v) + np.nanmax(v) * np.nanmin(v) + np.sum(np.nansum(m, axis=1) ** 2)


def integrals(v: Any) -> Any:
    x = np.cumsum(v * v)
    return np.trapezoid(v * v, x) + np.trapezoid(v, dx=0.5) * v[0]


def selections(v: Any) -> Any:
    return np.sum(np.select([v < 0, v > 2.0], [v * v, np.sin(v)], default=1.0) * v)


def contractions(m: Any, w: Any) -> Any:
    a = np.einsum("ij,jk->ik", m, w) + np.einsum("ij,kj->ik", m, w)
    b = np.einsum("ij->j", m) * np.einsum("ij,ij->i", m, w) + np.einsum("i,ij,j", m[0], w, m[1])
    c = np.kron(m[:2], w[0]) * 0.5
    return np.sum(a * m) + np.sum(b * b) + np.sum(c * c) + np.sum(np.cross(m, w) * np.cross(m[0], w))


def convolutions(v: Any) -> Any:
    k = v[:3] * v[1:]
    a = np.convolve(v, k) * np.arange(6.0) + np.correlate(v, k, mode="full")
    return np.sum(a * a) + np.sum(np.convolve(v, k, "same") * v) + np.sum(np.convolve(v, k, "valid")) + np.sum(
        np.correlate(v, k) * np.correlate(v, k, "same")[:2])


def of_symmetric_matrices(m: Any) -> Any:
    a = m @ m.T + np.eye(3)
    factor = np.linalg.cholesky(a)
    values, vectors = np.linalg.eigh(a)
    sign, logdet = np.linalg.slogdet(m)
    s = np.sum(factor * factor * W) + np.sum(values * np.array([1.0, 0.3, -0.5]))
    s = s + np.sum(np.log(np.linalg.eigvalsh(a)))
    return s + np.sum(vectors[:, 0] ** 2 * values) + sign * logdet + np.sum(np.linalg.matrix_power(m, 3) * W)


def arrays_and_numbers_in_one_index(m: Any) -> Any:
    i = np.argsort(m[:, 0])
    t = np.stack([m, m * 2.0])
    v = m[i, 1] + m[0]
    np.tanh(v, out=v)
    a = np.column_stack([v, m, m[1:, [0, 1, 2]].sum(axis=0)]) * 0.5
    b = t[1, i, i[::-1]] + t[0, :, 1] * t[i[:1] * 0, i, 2]
    c = t[:, i, 0] * t[0, :, i][0] + t[i[:2] % 2, :, 1] + t[1, 1:, i[:1]][:, :1] + t[..., i, 1]
    return np.sum(a * a) + np.sum(b * v) + np.sum(c * v) + np.sum(np.take(v[:1], [0, 0])) * np.take(v[1:2], 0)


def masks_times_numbers(v: Any) -> Any:
    positive = v > 0.0
    w = np.sin(v) - (positive * v + v) - positive * 2.0
    return np.sum(w * w) + np.sum(np.append(w, np.mean(v)) ** 2) * np.sum(np.append(0.5, w))


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (moved_about, (V,)), (in_order, (V,)), (statistics, (V,)), (integrals, (V,)), (selections, (V,)),
    (contractions, (M, W)), (convolutions, (V,)), (of_symmetric_matrices, (M,)),
    (arrays_and_numbers_in_one_index, (M,)), (masks_times_numbers, (V,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_agrees(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_values_that_are_no_numbers_are_left_out() -> None:
    v = np.array([1.0, np.nan, 3.0])
    agrees_in_value(lambda v: (np.nansum(v), np.nanmean(v), np.nanmax(v)), v)
    assert ccc.gradient(lambda v: np.nanmean(v * 2.0))(v).tolist() == [1.0, 0.0, 1.0]
    for f in (np.nansum, np.nanmean):  # the tangent of what is no number is none either
        def squared(v: Any, f: Any = f) -> Any:
            return f(np.where(v > 1.0, np.nan, v) ** 2)

        _, differential = ccc.value_with_differential(squared)(np.array([0.5, 2.0]))
        assert differential(np.ones(2)) == 1.0


REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (lambda v: np.sum(np.add(v, v, where=v > 0.0)), (V,), "without `out`"),
    (lambda v: np.sum(v, where=np.outer(v, v) > 0.0), (V,), "at most the axes of the array"),
    (lambda v: np.sum(np.ravel(np.outer(v, v), order="A")), (V,), "'C' or 'F'"),
    (lambda v: np.sum(v, where=np.array([2, 0, 1, 1])), (V,), "truth values"),
    (lambda v: np.sum(np.gradient(v, ax=0)), (V,), "no parameter `ax`"),  # type: ignore[call-overload]
    (lambda v: np.sum(v.sort(order="x") or v), (V,), "no parameter `order`"),
    (lambda v: np.sum(np.column_stack([v, v if v[0] > 0.0 else np.outer(v, v)])), (V,), "column_stack needs arrays"),
]


@pytest.mark.parametrize(("f", "args", "message"), REFUSED, ids=[m for _, _, m in REFUSED])
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        ccc.gradient(f)(*args)


LISTS: dict[str, Callable[[Any], Any]] = {
    "abs": lambda xs: np.sum(np.abs(xs)), "power": lambda xs: np.sum(np.power(xs, xs)),
    "sinc": lambda xs: np.sum(np.sinc(xs)), "arctan2": lambda xs: np.sum(np.arctan2(xs, [xs[0], 2.0])),
    "multiply": lambda xs: np.sum(np.multiply(xs, 2) + np.square(xs)),
    "inv": lambda xs: np.sum(np.linalg.inv([xs, [0.5, 1.0]])),
    "log1p": lambda xs: np.sum(np.log1p((xs[0], xs[1]))), "matmul": lambda xs: np.sum(np.matmul([[1.0, 2.0]], xs)),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_functions_of_arrays_take_lists_and_tuples(name: str):
    agrees(LISTS[name], [1.2, 2.3])


@pytest.mark.parametrize("f", [
    lambda v: np.linalg.inv(v), lambda v: np.linalg.solve(v, v), lambda v: np.linalg.cholesky(v),
    lambda v: np.linalg.eigh(v)[0], lambda v: np.linalg.slogdet(v)[1], lambda v: np.linalg.matrix_power(v, 2),
    lambda v: np.linalg.det(v), lambda v: np.linalg.inv(v[0]),
])  # fmt: skip
def test_what_takes_matrices_is_refused_what_is_none(f: Any):
    with pytest.raises(CompileError, match=r"CC027.*takes matrices: found"):
        ccc.value_with_pullback(f)(V)


@pytest.mark.parametrize("f", [
    lambda m: np.sum(np.roll(m, (1, 2), axis=(0, 1)) * m * W), lambda m: np.sum(np.roll(m, (1, 2)) * m * W),
    lambda m: np.sum(np.roll(m, (1, 2), axis=1) * m * W), lambda m: np.sum(np.roll(m, 1, axis=(0, 1)) * m * W),
])  # fmt: skip
def test_rolls_along_several_axes(f: Any):
    agrees(f, M)
