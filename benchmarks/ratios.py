"""How many times as long as its program a gradient takes: at the sizes of the table of all rows, both in turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import rows
from benchmarks.scaling import COLUMNS, MOST, pair, ratio
from benchmarks.systems import SYSTEMS
from benchmarks.tables import aligned, number

GRADIENTS = (
    "llsq", "lstm", "gmm", "kmeans", "ode", "det", "lse", "mlp", "attention", "scalar_rnn", "array_rnn", "rk4",
    "convolution", "kalman", "product_and_sine", "bump",
)  # fmt: skip
"""The rows whose derivative is that of one number, once."""


@dataclass(frozen=True)
class Ratios:
    """The ratios by row, size and column."""

    found: Mapping[tuple[str, str], Mapping[str, float]]

    def text(self) -> str:
        """The table as it is printed."""
        cells = [["", *COLUMNS]]
        for (name, size), line in self.found.items():
            cells.append([f"{name} {size}", *[number(line[c]) if c in line else "-" for c in COLUMNS]])
        every = [r for line in self.found.values() for r in line.values()]
        above = sum(r > MOST for r in every)
        remark = f"at most {number(max(every))}; {above} of {len(every)} above {MOST:.0f}"
        return "\n".join(["ratios: gradient over program, in turns", "", *aligned(cells), "", remark])

    def data(self) -> list[dict[str, Any]]:
        return [{"row": name, "size": size, "ratios": dict(line)} for (name, size), line in self.found.items()]


def measure(repeats: int, plot: Path | None = None) -> list[Ratios]:
    """The ratios of all gradients; nothing is drawn."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for name in GRADIENTS:
        row = rows.row(name)
        functions = {column: pair(name, column) for column in COLUMNS if SYSTEMS[column].installed()}
        for size in row.sizes:
            line = {column: ratio(both, row.arguments(size), repeats) for column, both in functions.items()}
            print(f"{name} {size}: " + ", ".join([f"{r:.2f}" for r in line.values()]), flush=True)
            found[name, size] = line
    return [Ratios(found)]
