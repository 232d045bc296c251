"""The first call of a gradient in machine code: what compiling a long function takes, each time in a fresh process that
has compiled a short one."""

from __future__ import annotations

from pathlib import Path

from benchmarks import compiling
from benchmarks.tables import Row, Table, at_most
from benchmarks.timing import in_turns

SIZES = (250, 500, 1_000)
KINDS = {"scalar": "numbers", "array": "arrays, elementwise", "sums": "arrays, four in ten with sums, scans or slices"}
MOST = 1.0
"""Seconds of the longest ones."""


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    labels = {(kind, n): f"native {kind} {n}" for kind in KINDS for n in SIZES}
    seconds = in_turns({label: compiling.first(label, {}) for label in labels.values()}, max(3, rounds // 5))
    rows, targets = list[Row](), []
    for kind, words in KINDS.items():
        found = {f"{n:,} statements": seconds[labels[kind, n]] for n in SIZES}
        rows.append(Row(words, found))
        small, *_, large = found.values()
        targets.append(at_most(f"{words}, {SIZES[-1]:,} statements", large, MOST, " s"))
        targets.append(at_most(f"{words}, {SIZES[-1]:,} / {SIZES[0]:,} statements", large / small, 6))
    columns = tuple(f"{n:,} statements" for n in SIZES)
    return [Table("machine code: the first call of a gradient of a long function", columns, columns[0], rows, targets)]
