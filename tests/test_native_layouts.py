"""Arrays with a short axis by machine code: planes read and written where they lie, axes in another order."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from native_checks import never_left
from random_layouts import layouts
from random_targets import TAKEN, outcome, pulled_back, valued

import ccc
from ccc.compile.native import engine, windows

pytest.importorskip("llvmlite")


def planes(x: np.ndarray, u: np.ndarray) -> Any:
    r, g, b = [np.squeeze(part, axis=-1) for part in np.split(x, 3, axis=-1)]
    return np.sum(np.stack([r * g, np.tanh(b) - r, g * g * b], axis=-1) * u)


def written(x: np.ndarray, u: np.ndarray) -> Any:
    y = np.zeros_like(x)
    y[..., 2] = x[..., 0] * x[..., 1]
    y[..., 0] = np.sin(x[..., 2])
    return np.sum(y * u)


def written_over(x: np.ndarray, u: np.ndarray) -> Any:
    y = np.zeros_like(x)
    y[..., 1] = x[..., 0]
    y[..., 1] = x[..., 2] * y[..., 1]
    y[..., 0] += y[..., 1] * u[..., 0]
    return np.sum(y * y)


def of_an_axis_in_front(x: np.ndarray, u: np.ndarray) -> Any:
    y = np.stack([x[..., 2], x[..., 1] * u[..., 0]])
    return np.sum(y[0] * y[1] + y[1])


def read_later(x: np.ndarray, u: np.ndarray) -> Any:
    """What is put together reads an array that changes before it is read."""
    z = x * 1.0
    y = np.stack([z[..., 0], z[..., 1]], axis=-1)
    z[..., 0] = u[..., 0]
    return np.sum(y[..., 0] * y[..., 1]) + np.sum(z * x)


def blocks(x: np.ndarray, u: np.ndarray) -> Any:
    h, w, c = x.shape
    y = np.reshape(np.transpose(np.reshape(x, (h, 1, w, c)), (0, 2, 1, 3)), (h, w, c))
    return np.sum(np.transpose(y, (2, 1, 0)) * np.transpose(u, (2, 1, 0)) ** 2)


def centred(x: np.ndarray, u: np.ndarray) -> Any:
    y = x - np.mean(x, axis=(0, 1), keepdims=True)
    return np.sum(y * u) + np.sum(y * y) / np.sum(u * x, axis=(0, 1, 2), keepdims=True)[0, 0, 0]


def of_unit_rows(x: np.ndarray, u: np.ndarray) -> Any:
    return np.sum(x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True)) * u)


def weighted(x: np.ndarray, u: np.ndarray) -> Any:
    v = np.array([0.3, 0.6, 0.1])
    return np.sum(np.tensordot(x, v, axes=(-1, -1)) ** 2 * (u @ v))


SIZES = ((1, 1), (2, 3), (3, 8), (5, 7), (16, 9), (40, 33))


@pytest.mark.parametrize(
    "f", [planes, written, written_over, of_an_axis_in_front, read_later, blocks, centred, of_unit_rows, weighted],
    ids=lambda f: f.__name__)
@pytest.mark.parametrize("first", [(5, 7), (200, 301)], ids=["few", "many"])
def test_gradients_are_those_of_numpy(f: Callable[..., Any], first: tuple[int, int]) -> None:
    r = np.random.default_rng(3)
    native, plain = [ccc.gradient(f, wrt=["x", "u"], backend=backend) for backend in ("native", "numpy")]
    with never_left():
        for size in (first, *SIZES):
            x, u = r.normal(size=(*size, 3)), r.normal(size=(*size, 3))
            for found, expected in zip(native(x, u), plain(x, u), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_a_gradient_is_no_argument() -> None:
    """A cotangent that is an argument in another order, or is read twice, is in memory of its own."""

    def turned(x: np.ndarray, u: np.ndarray) -> Any:
        return np.sum(np.transpose(x, (1, 0, 2)) * u)

    def twice(x: np.ndarray, u: np.ndarray) -> Any:
        return np.sum(np.reshape(x, (-1,)) * np.reshape(u, (-1,))) + np.sum(np.reshape(x + u, (-1,)) ** 2)

    x, u = np.ones((3, 3, 3)), np.arange(27.0).reshape(3, 3, 3)
    for f in (turned, twice):
        dx, du = ccc.gradient(f, wrt=["x", "u"], backend="native")(x, u)
        before = [v.copy() for v in (x, u, du)]
        dx += 1.0
        assert all(np.array_equal(v, b) for v, b in zip((x, u, du), before, strict=True))


def test_an_array_of_rank_0_is_a_row_of_one() -> None:
    def f(x: np.ndarray, u: np.ndarray) -> Any:
        t = x * 1.0
        t[-1] = np.ascontiguousarray(u)
        return np.sum(t * x) + np.atleast_1d(u * u)[0]

    x, u = np.arange(6.0).reshape(2, 3), np.array(-1.5)
    with never_left():
        dx, du = ccc.gradient(f, wrt=["x", "u"], backend="native")(x, u)
    assert (dx.tolist(), du) == ([[0.0, 2.0, 4.0], [-1.5, -1.5, -1.5]], 9.0)


SCATTERS = """define void @f(ptr %p, <4 x double> %a, <4 x double> %b, i64 %k) {{
  %at = getelementptr double, ptr %p, <4 x i64> <i64 0, i64 {step}, i64 {two}, i64 {three}>
  %first = getelementptr double, <4 x ptr> %at, i64 %k
  %k1 = add i64 %k, 1
  %second = getelementptr double, <4 x ptr> %at, i64 %k1
  call void @llvm.masked.scatter.v4f64.v4p0(<4 x double> %a, <4 x ptr> align 8 %first, <4 x i1> splat (i1 true))
  {between}
  call void @llvm.masked.scatter.v4f64.v4p0(<4 x double> %b, <4 x ptr> align 8 %second, <4 x i1> splat (i1 true))
  ret void
}}
declare void @llvm.masked.scatter.v4f64.v4p0(<4 x double>, <4 x ptr>, <4 x i1>)
"""


@pytest.mark.parametrize(("step", "between", "whole"), [
    (2, "", True), (2, "%unread = add i64 %k, 5", True), (3, "", False), (2, "store i64 %k, ptr %p", False),
    (2, "%read = load i64, ptr %p", False)])  # fmt: skip
def test_scatters_without_a_gap_are_written_as_whole_vectors(step: int, between: str, whole: bool) -> None:
    text = SCATTERS.format(step=step, two=2 * step, three=3 * step, between=between).replace("\n  \n", "\n")
    found = windows.read_whole(text)
    assert ("call void" not in found, found.count("store <4 x double>")) == (whole, 2 * whole)
    places = ctypes.c_double * 8
    x, a, b = places(), range(1, 5), range(11, 15)
    expected = [v for pair in zip(a, b, strict=True) for v in pair]
    if whole:
        given = f"<4 x double> {vector(a)}, <4 x double> {vector(b)}, i64 0"
        run = f"define void @run(ptr %p) {{\n  call void @f(ptr %p, {given})\n  ret void\n}}\n"
        loaded = engine.compile_ir(found + run, ["run"])
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(loaded.addresses["run"])(ctypes.addressof(x))
        assert list(x) == expected


def vector(numbers: range) -> str:
    return f"<{', '.join(f'double {n}.0' for n in numbers)}>"


@pytest.mark.share(4)
@pytest.mark.parametrize("block", range(12))
def test_random_programs_of_images(block: int) -> None:
    with np.errstate(all="ignore"):
        found = [outcome(layouts(seed), (valued, pulled_back)[seed % 2], "native")
                 for seed in range(4 * block, 4 * block + 4)]
    assert found.count(TAKEN) == 4


def test_a_part_that_is_made_of_parts_is_made_before_it_is_one() -> None:
    def f(x: np.ndarray) -> Any:
        inner = np.zeros((len(x), 1))
        inner[:, 0:1] = np.sin(x)[:, None]
        outer = np.zeros((len(x), 3))
        outer[:, 1:2] = inner
        outer[:, 2] = x
        return np.sum(outer * outer, axis=1)

    x = np.linspace(0.5, 2.0, 50)
    np.testing.assert_allclose(ccc.compiled(f, backend="native")(x), f(x), rtol=1e-14)
    found, expected = [ccc.gradient(lambda x: np.sum(f(x) * x), backend=b)(x) for b in ("native", "numpy")]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
