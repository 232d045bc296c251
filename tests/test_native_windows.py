"""Sums into windows of one array by machine code: what NumPy makes of them, for all sizes and ways to overlap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from native_checks import never_left

import ccc
from ccc.compile.native import added_windows


def stencil(x: np.ndarray, n: int) -> Any:
    y = x * 1.0
    for _ in range(n):
        z = y * 0.5
        z[1:-1] = 0.3 * (y[:-2] + y[1:-1] * 2.0 - y[2:])
        y = z
    return np.sum(y * y)


def apart(x: np.ndarray, n: int) -> Any:
    """Windows that share no place."""
    y = x * 1.0
    for _ in range(n):
        y[3:5] = y[:2] + y[-2:] * y[:2]
    return np.sum(y * x)


def backwards(x: np.ndarray, n: int) -> Any:
    """What is added reads what it is added to."""
    y = x * 1.0
    for k in range(1, n):
        y[:k] += 0.3 * y[k - 1 :: -1] if k == len(y) else 0.3 * np.flip(y[:k])
        y[:k] = y[:k] * x[:k] + np.flip(x[:k])
    return np.sum(y)


def plane(x: np.ndarray, n: int) -> Any:
    y = x * 1.0
    for _ in range(n):
        z = y * 1.0
        z[1:-1, 1:-1] = y[1:-1, 1:-1] - 0.2 * (y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:])
        y = z
    return np.sum(y**2)


def corner(x: np.ndarray, n: int) -> Any:
    y = x * 1.0
    for _ in range(n):
        y[1:, 1:] = y[:-1, :-1] * y[1:, :-1] + y[0, 1:]
    return np.sum(y)


def cube(x: np.ndarray, n: int) -> Any:
    y = x * 1.0
    for _ in range(n):
        z = y * 1.0
        z[1:-1, 1:, :] = y[2:, 1:, :] * 0.5 + y[:-2, :-1, :] - y[1:-1, 1:, :]
        y = z
    return np.sum(y * y * y)


SIZES = {1: (2, 3, 4, 5, 7, 8, 9, 16, 17, 40), 2: ((2, 3), (3, 3), (4, 9), (9, 20), (11, 5)),
         3: ((2, 2, 3), (3, 4, 5), (5, 3, 18))}  # fmt: skip


@pytest.mark.parametrize(("f", "axes"), [(stencil, 1), (apart, 1), (backwards, 1), (plane, 2), (corner, 2), (cube, 3)],
                         ids=lambda x: getattr(x, "__name__", None))
def test_windows_are_added_to_as_by_numpy(f: Callable[..., Any], axes: int) -> None:
    r = np.random.default_rng(0)
    with never_left():
        native, plain = [ccc.gradient(f, wrt="x", backend=backend) for backend in ("native", "numpy")]
        for shape in SIZES[axes]:
            x = r.normal(size=shape)
            for n in (0, 1, min(3, len(x) + 1)):
                if f is not apart or len(x) >= 5:
                    np.testing.assert_allclose(native(x, n), plain(x, n), rtol=1e-12, atol=1e-14)
    assert not any(code.left_to for codes in native.codes.values() for code in codes)


@pytest.mark.parametrize(("f", "shape", "windows"), [
    (stencil, (9,), [3]), (plane, (5, 6), [4]), (cube, (4, 5, 6), [3]), (backwards, (9,), [2]),
], ids=lambda x: getattr(x, "__name__", None))  # fmt: skip
def test_windows_of_one_array_are_written_at_once(
    f: Callable[..., Any], shape: tuple[int, ...], windows: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, written = list[int](), added_windows.add_all

    def counted(m: Any, out: Any, given: Any) -> None:
        found.append(len(given))
        written(m, out, given)

    monkeypatch.setattr(added_windows, "add_all", counted)
    ccc.gradient(f, wrt="x", backend="native")(np.ones(shape), 2)
    assert found[: len(windows)] == windows


@pytest.mark.parametrize("shape", [(5,), (9,), (7, 4)])
def test_what_waits_of_a_window_is_computed_before_the_window_changes(shape: tuple[int, ...]) -> None:
    def moved(a: np.ndarray, b: np.ndarray) -> Any:
        a[1:-2] += a[2:-1] - b[1:-2]
        return np.sum(np.sin(a))

    a, b = np.random.default_rng(0).normal(size=(2, *shape))
    with never_left():
        native, plain = [ccc.gradient(moved, backend=backend) for backend in ("native", "numpy")]
        for found, expected in zip(native(a.copy(), b), plain(a.copy(), b), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("shape", [(5,), (9,), (7, 4)])
def test_what_is_added_to_another_array_between_windows_is_added_there_alone(shape: tuple[int, ...]) -> None:
    def turned(a: np.ndarray) -> Any:
        x = a[1:]
        y = a[:-1] * 0.3 + x[::-1] + np.flip(a[:-1], 0)
        return np.sin(x), a, y

    a = np.random.default_rng(0).normal(size=shape)
    with never_left():
        (v, native), (_, plain) = [ccc.value_with_pullback(turned, backend=b)(a.copy()) for b in ("native", "numpy")]
        cts = tuple([np.cos(x) for x in v])
        np.testing.assert_allclose(native(cts), plain(cts), rtol=1e-12, atol=1e-14)
