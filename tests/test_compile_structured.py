"""Structured arrays outside of a function: fields and rows are those of plain NumPy, and read anew at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

KINDS = np.dtype([("x", float), ("y", float), ("n", int)])
TABLE: Any = np.array([(1.0, 2.0, 3), (4.0, 5.0, 6), (7.0, 8.0, 9)], dtype=KINDS)
PROGRAMS: dict[str, Callable[[float], Any]] = {
    "a fit": lambda s: np.sum((TABLE["y"] - s * TABLE["x"]) ** 2),
    "a field of a row": lambda s: s * TABLE[0]["x"] + TABLE["x"][1] + s * TABLE[1][0] + len(TABLE[0]),
    "rows": lambda s: sum([s * r["x"] + r[2] for r in TABLE]),
    "rows apart": lambda s: sum([s * x + y * n for x, y, n in TABLE]),
    "parts": lambda s: s * TABLE[1:]["y"].sum() + s * TABLE[TABLE["x"] > 2]["n"].sum() + sum(
        s * r["x"] for r in TABLE[::-1]),
    "sizes": lambda s: s * len(TABLE) * TABLE.shape[0] + s * TABLE.size + TABLE.ndim,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_fields_and_rows(name: str):
    f = PROGRAMS[name]
    wanted = (f(2.0 + 1e-3) - f(2.0 - 1e-3)) / 2e-3
    for backend in ("numpy", "native"):
        assert ccc.compiled(f, backend=backend)(2.0) == f(2.0)
        assert ccc.gradient(f, backend=backend)(2.0) == pytest.approx(wanted, rel=1e-9)


def test_what_it_holds_is_read_anew(monkeypatch: pytest.MonkeyPatch):
    f = ccc.gradient(lambda s: np.sum(TABLE["x"] * s))
    assert f(2.0) == 12.0
    for other, wanted in [(np.array([(5.0, 2.0, 3)], dtype=KINDS), 5.0),
                          (np.array([(1.0, 2)], dtype=[("z", int), ("x", float)]), 2.0), ({"x": np.ones(4)}, 4.0)]:
        monkeypatch.setitem(globals(), "TABLE", other)
        assert f(2.0) == wanted
