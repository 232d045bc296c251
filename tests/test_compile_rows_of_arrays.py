"""Entries of arrays that stand in lists, read and written in O(1), forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, counted

import ccc


def matrices(x: float, n: int) -> float:
    rows = [np.zeros((2, 3)) for _ in range(n)]
    for i in range(n):
        for j in range(2):
            rows[i][j, 1] = x * i + j
            rows[i][j, -1] += x * rows[i][j, 1]
    return sum([np.sum(r) * r[0, 1] for r in rows])


def by_a_name(x: float, n: int) -> float:
    rows = [np.zeros(3) for _ in range(n)]
    r = rows[1]
    r[0] = x
    rows[1][1] = r[0] * x
    r[2] = rows[1][1] + 1.0
    return r[0] + rows[1][2] * rows[n - 1][0] + np.sum(rows[1] ** 2)


def of_a_display(x: float, n: int) -> float:
    z = np.zeros(3)
    rows = [z.copy(), z.copy() * x]
    for i in range(n):
        rows[i % 2][i % 3] += x * (i + 1)
        rows[(i + 1) % 2][0] = rows[i % 2][i % 3] ** 2
    return rows[0][0] * rows[1][0] + rows[0][2]


def integers(x: float, n: int) -> float:
    rows = [np.arange(3) for _ in range(n)]
    for i in range(n):
        rows[i][0] = i + 5
    return x * rows[n - 1][0] + rows[0][2]


def an_integer_among_reals(x: float, n: int) -> float:
    rows = [np.zeros(3) for _ in range(n)]
    for i in range(n):
        rows[i][0] = i + 5
    return x * x * rows[n - 1][0] + rows[0][2]


def named_in_the_loop(x: float, n: int) -> float:
    rows = [np.zeros(3) for _ in range(n)]
    for i in range(n):
        row = rows[i]
        for j in range(3):
            row[j] = x * (i + j)
            if j > 0:
                row[j] += row[j - 1]
    return sum([r[2] for r in rows])


def lists_of_lists(x: float, n: int) -> float:
    grids = [[np.zeros(2) for _ in range(2)] for _ in range(n)]
    for i in range(n):
        grids[i][i % 2][0] = x * i
        grids[i][0][1] = grids[i][i % 2][0] * x
    return sum([np.sum(r[0]) + r[1][0] for r in grids])


def in_branches(x: float, n: int) -> float:
    rows = [np.zeros(3) for _ in range(n)]
    keep = rows[0] * 1.0
    for i in range(n):
        if i % 2 == 0:
            rows[0][i % 3] += x
        else:
            rows[n - 1][0] = rows[0][0] * x
        rows[0] = rows[0] + keep
    return rows[0][0] + rows[n - 1][0]


def through_a_function(x: float, n: int) -> float:
    def put(r: Any, i: int, v: float) -> None:
        r[i] = v

    rows = [np.zeros(3) for _ in range(n)]
    for i in range(n):
        put(rows[i], 1, x * i)
        rows[i][0] = rows[i][1] * x
    return sum([r[0] for r in rows])


def in_a_while(x: float, n: int) -> float:
    rows = [np.zeros(3) for _ in range(n)]
    i = 0
    while rows[0][0] < 2.0 and i < 20:
        rows[0][0] += x * x
        rows[i % n][1] += rows[0][0]
        i += 1
    return rows[0][0] * rows[0][1]


PROGRAMS = (
    matrices, by_a_name, of_a_display, integers, an_integer_among_reals, named_in_the_loop, lists_of_lists, in_branches,
    through_a_function, in_a_while,
)


@pytest.mark.filterwarnings("ignore::ccc.CCCWarning")
@pytest.mark.parametrize("f", PROGRAMS)
def test_rows_change_as_in_python(f: Callable[..., Any]) -> None:
    for n in (3, 4):
        agrees(f, 0.7, n)


@pytest.mark.parametrize("f", PROGRAMS)
def test_machine_code_does_the_same(f: Callable[..., Any]) -> None:
    pytest.importorskip("llvmlite")
    found, expected = [ccc.value_with_gradient(f, backend=b)(0.7, 4) for b in ("native", "numpy")]
    assert np.isclose(found[0], expected[0], rtol=1e-14)
    assert np.isclose(found[1][0], expected[1][0], rtol=1e-14)


def scores(ws: list[Any], x: float) -> float:
    s = 0.0
    for l in range(len(ws)):
        w = ws[l]
        for j in range(w.shape[0]):
            s = s + w[j, 0] * x * ws[l][j, 1]
    return s


def test_entries_of_arrays_in_an_argument_have_their_cotangents() -> None:
    ws = [np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0], [3.0, 5.0], [0.5, 0.25]])]
    agrees(scores, ws, 0.7)
    found, _ = ccc.gradient(scores)(ws, 0.7)
    for w, dw in zip(ws, found, strict=True):
        np.testing.assert_allclose(dw, 0.7 * w[:, ::-1], rtol=1e-15)


@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_an_index_that_is_not_there_raises_as_in_python(backend: str) -> None:
    def f(x: float, n: int) -> Any:
        rows = [np.zeros(3) for _ in range(n)]
        rows[0][n + 5] = x
        return rows[0][0]

    with pytest.raises(IndexError, match="index 8 is out of bounds"):
        ccc.gradient(f, backend=backend)(1.0, 3)


def accesses(x: float, n: int, steps: int) -> Any:
    rows = [np.zeros(n) for _ in range(2)]
    for i in range(steps):
        rows[i % 2][i % n] = x * i + rows[i % 2][(i + 1) % n]
    return rows[0][0] + rows[1][1]


def copies(steps: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many arrays or lists a gradient with so many steps makes."""
    names = ("set_at", "add_at", "zeros_like", "own", "conform", "set_item", "set_along", "add_along")
    made = counted(names, monkeypatch)
    found, *_ = ccc.gradient(accesses, backend="numpy")(1.5, 10, steps)
    assert np.isclose(found, accesses(2.0, 10, steps) - accesses(1.0, 10, steps), rtol=1e-12)  # it is linear in x
    return made.total()


def test_an_access_copies_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as m:
        few = copies(20, m)
    with monkeypatch.context() as m:
        assert copies(200, m) == few
