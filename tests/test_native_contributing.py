"""Contributions to parts and items: written where they belong, with the same sums."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.native import passes, target
from ccc.compile.program.pretty import program_text

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

W = np.random.default_rng(0).normal(size=(3, 2, 4))


def rows_of_parts(w: np.ndarray, n: int) -> Any:
    """Parts of parts, of which some are read twice."""
    x, total = np.ones(4), 0.0
    for i in range(n):
        gate, bias = w[i % 3, 0], w[i % 3, 1]
        x = np.tanh(x * gate + bias[1] * gate[0] + bias)
        total += np.sum(x) * gate[3]
    return total


def items(w: np.ndarray, n: int) -> Any:
    """Items of a list that are read, written and read again."""
    xs = [w[0, 0], w[1, 0], w[2, 1]]
    for i in range(n):
        x = xs[i % 3]
        xs[i % 3] = np.tanh(x * w[i % 3, 1]) + xs[(i + 1) % 3]
        xs[i % 3] = xs[i % 3] * 0.5 + x
    return np.sum(xs[0] * xs[1] + xs[2])


def numbers(w: np.ndarray, n: int) -> Any:
    xs = [1.0, 0.5, w[0, 0, 0]]
    for i in range(n):
        xs[i % 3] = np.sin(xs[i % 3]) * w[1, 1, i % 4] + xs[1]
        xs[0] = xs[0] * xs[i % 3]
    return xs[0] + 2.0 * xs[1] + 3.0 * xs[2]


def other_sizes(w: np.ndarray, n: int) -> Any:
    """The items of the list are of several sizes."""
    xs = [w[0, 0], w[0]]
    xs[0] = xs[0] * 2.0
    for _ in range(n):
        xs[0] = xs[0] + np.sum(xs[1])
    return np.sum(xs[0])


def pieces(w: np.ndarray, n: int) -> Any:
    """Parts that are no whole rows."""
    total = 0.0
    for i in range(n):
        v = w[i % 3]
        total += np.sum(v[:, 1:3] ** 2) * v[1, 0] + np.sum(v[0])
    return total


@pytest.mark.parametrize("f", [rows_of_parts, items, numbers, other_sizes, pieces])
def test_gradients_are_those_of_numpy(f: Callable[..., Any]) -> None:
    native, numpy = [ccc.gradient(f, wrt="w", backend=backend) for backend in ("native", "numpy")]
    for n in (1, 2, 5, 40):
        np.testing.assert_allclose(native(W, n), numpy(W, n), rtol=1e-9, atol=1e-12)
    ((code,),) = native.codes.values()
    assert not code.left_to


@pytest.mark.parametrize("f", [rows_of_parts, items, pieces])
def test_second_derivatives_are_those_of_numpy(f: Callable[..., Any]) -> None:
    def squared(w: np.ndarray, n: int) -> Any:
        return np.sum(ccc.gradient(f, wrt="w")(w, n) ** 2)

    native, numpy = [ccc.gradient(squared, wrt="w", backend=backend) for backend in ("native", "numpy")]
    for n in (1, 4):
        np.testing.assert_allclose(native(W, n), numpy(W, n), rtol=1e-8, atol=1e-10)


def program_of(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """The program of the gradient as it becomes code."""
    texts: list[str] = []
    contribute = passes.contribute

    def noted(program: Any, count_uses: Any) -> bool:
        changed = contribute(program, count_uses)
        texts.append(program_text(program))
        return changed

    monkeypatch.setattr(passes, "contribute", noted)
    ccc.gradient(f, wrt="w", backend="native")(W, 2)
    return texts[-1]


def test_parts_of_parts_are_added_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for line in program_of(rows_of_parts, monkeypatch).splitlines() if "add_at(" in line]
    assert lines
    assert all("pattern=('i', 'i'" in line for line in lines)


def test_what_is_written_again_is_not_written_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def moving(w: np.ndarray, n: int) -> Any:
        xs = [w[0, 0], w[1, 0]]
        for i in range(n):
            xs[i % 2] = np.tanh(xs[i % 2])
        return np.sum(xs[0] * xs[1])

    inside = program_of(moving, monkeypatch).split(" in reversed ")[1].split("->")[0]
    assert "add_item" not in inside
    assert inside.count("set_item") == 1


@dataclasses.dataclass(frozen=True)
class Rect:
    """Two numbers, of which a loop reads one."""

    w: float
    h: float


def then_an_item(rects: list[Rect]) -> float:
    total = 0.0
    for rect in rects:
        total += rect.w
    return total * rects[1].h


def then_an_item_of_rows(rects: list[Rect]) -> float:
    return of_rows([rects, rects[:2]])


def of_rows(rows: list[list[Rect]]) -> float:
    total = 0.0
    for row in rows:
        for rect in row:
            total += rect.w
    return total * rows[0][1].h


@pytest.mark.parametrize("f", [then_an_item, then_an_item_of_rows])
def test_fields_that_no_loop_reads_have_the_slopes_of_their_items(f: Callable[..., Any]) -> None:
    rects = [Rect(1.0, 2.0), Rect(0.5, 0.2), Rect(0.9, -0.3)]

    def at(i: int, name: str, step: float) -> float:
        moved = dataclasses.replace(rects[i], **{name: getattr(rects[i], name) + step})
        return f([*rects[:i], moved, *rects[i + 1 :]])

    found = ccc.gradient(f, backend="native")(rects)
    for i, slopes in enumerate(found):
        for name in ("w", "h"):
            slope = (at(i, name, 1e-6) - at(i, name, -1e-6)) / 2e-6
            assert getattr(slopes, name) == pytest.approx(slope, abs=1e-7)


def test_fields_that_no_loop_reads_have_the_slopes_of_their_entries_in_rows() -> None:
    rows = [[Rect(1.0, 2.0), Rect(0.5, 0.2)], [Rect(0.9, -0.3)]]
    found = ccc.gradient(of_rows, backend="native")(rows)
    assert [[(slopes.w, slopes.h) for slopes in row] for row in found] == [
        [pytest.approx((0.2, 0.0)), pytest.approx((0.2, 2.4))], [pytest.approx((0.2, 0.0))]]
