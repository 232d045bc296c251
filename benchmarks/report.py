"""The table of the rows, a block of lines for each, and what it comes to.

>>> cells = {"ccc numpy": Cell([2e-6], 0.01, 0), "JAX": Cell([5e-6], 0.1, 3_000_000), "PyTorch": Cell(absent=True)}
>>> print("\\n".join(block("lse gradient 100", cells)))
lse gradient 100   time a call            2 µs        5 µs           -
                   / fastest other        0.40        2.50           -
                   first call            10 ms      100 ms           -
                   peak               < 0.1 MB      3.0 MB           -
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks.measure import DISAGREES, Cell, over_fastest_other
from benchmarks.tables import duration, number

Cells = Mapping[str, Cell]
Measured = Sequence[tuple[str, str, str, Cells]]
"""Cells by the name of a row, of a function of it, and of a size."""

FIRST, SECOND, WIDTH = 18, 15, 12
SEVENTEEN = ("llsq", "lstm", "gmm", "ba", "kmeans", "ht", "det", "lse")
"""The evals of GradBench whose derivatives count: hello and ode have closed forms, the others have none by hand."""
DERIVATIVES = ("gradient", "jacobian", "dir")


def heading(columns: Iterable[str]) -> str:
    return " " * (FIRST + SECOND + 1) + "".join([name.rjust(WIDTH) for name in columns])


def block(
    label: str, cells: Cells, what: str = "/ fastest other",
    share: Callable[[Cells, str], float | None] = over_fastest_other,
) -> list[str]:  # fmt: skip
    """The lines of a row: the first has the label or, where that is long, stands under it. The second has a `share` of
    the time of another column."""
    lines = {
        "time a call": [shown(cell) for cell in cells.values()],
        what: [number(share(cells, name)) for name in cells],
        "first call": [duration(cell.first) for cell in cells.values()],
        "peak": [megabytes(cell.peak) for cell in cells.values()],
    }
    starts = [label, "", "", ""] if len(label) < FIRST else ["", "", "", ""]
    found = [] if len(label) < FIRST else [label]
    for start, (figure, texts) in zip(starts, lines.items(), strict=True):
        found.append(figure_line(figure, texts, start))
    return found + [f"    {name}: {cell.note}" for name, cell in cells.items() if cell.note]


def figure_line(figure: str, texts: Iterable[str], start: str = "") -> str:
    """A line of a block: what it is about, a figure, and that of each column."""
    return start.ljust(FIRST + 1) + figure.ljust(SECOND) + "".join([text.rjust(WIDTH) for text in texts])


def shown(cell: Cell) -> str:
    if cell.note.startswith(DISAGREES):
        return DISAGREES
    return duration(cell.seconds) if cell.times or not cell.note else "none"


def megabytes(count: int | None) -> str:
    """Bytes as millions; less than a tenth is not seen in pages of memory.

    >>> megabytes(4096), megabytes(84_000_000), megabytes(None)
    ('< 0.1 MB', '84.0 MB', '-')
    """
    if count is None:
        return "-"
    return "< 0.1 MB" if count < 100_000 else f"{count / 1e6:.1f} MB"


def mean(ratios: Iterable[float]) -> float | None:
    """The geometric mean.

    >>> mean([2.0, 8.0]), mean([])
    (4.0, None)
    """
    logarithms = [math.log(x) for x in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else None


def ratios(measured: Measured, above: str, below: str, counted: Any) -> list[float]:
    """The ratios of two columns over the rows that count and have both."""
    found = []
    for row, function, _, cells in measured:
        if counted(row, function) and above in cells and below in cells:
            a, b = cells[above].seconds, cells[below].seconds
            found += [a / b] if a is not None and b is not None else []
    return found


def of_seventeen(row: str, function: str) -> bool:
    return row in SEVENTEEN and function in DERIVATIVES


def summary(measured: Measured, columns: Sequence[str], programs: Mapping[str, str]) -> list[str]:
    """The geometric means: over derivatives of GradBench against what is written by hand in C++, over all derivatives
    against the fastest other, and of derivatives over their programs, whose names `programs` has by row."""
    found = []
    for name in columns:
        if name != "manual" and (over := ratios(measured, name, "manual", of_seventeen)):
            found.append(f"{name} / manual: {number(mean(over))} over {len(over)} of GradBench's 17 derivatives")
    for name in columns:
        derivatives = [cells for row, function, _, cells in measured if function != programs[row] and name in cells]
        over = [x for cells in derivatives if (x := over_fastest_other(cells, name)) is not None]
        if over:
            most = sum(x > 1.0 for x in over)
            found.append(f"{name} / fastest other: {number(mean(over))} over {len(over)} derivatives, {most} above 1")
    for name in columns:
        over = over_programs(measured, name, programs)
        if over:
            found.append(
                f"{name}, derivative / program: {number(mean(over))} over {len(over)}, {number(max(over))} at most"
            )
    return found


def over_programs(measured: Measured, column: str, programs: Mapping[str, str]) -> list[float]:
    """The ratios of gradients to their programs, where there is one gradient of it."""
    program = {(row, size): cells for row, function, size, cells in measured if function == programs[row]}
    found = []
    for row, function, size, cells in measured:
        below = program.get((row, size), {}).get(column)
        if function in ("gradient", "jacobian") and row not in ("ba", "ht") and below and column in cells:
            a, b = cells[column].seconds, below.seconds
            found += [a / b] if a is not None and b is not None else []
    return found


def data(measured: Measured) -> list[dict[str, Any]]:
    """The table for JSON."""
    return [
        {"row": row, "function": function, "size": size, "cells": {name: cell.data() for name, cell in cells.items()}}
        for row, function, size, cells in measured
    ]
