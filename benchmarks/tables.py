"""Tables of times and of ratios to one column, and whether a target is met.

>>> row = Row("x * x", {"ccc": 2e-7, "JAX": 6e-6})
>>> wanted = [at_least("JAX / ccc", ratio(row, "JAX", "ccc"), 3), at_most("torch / ccc", ratio(row, "torch", "ccc"), 1)]
>>> print(Table("calls: a cached gradient", ["ccc", "JAX", "torch"], "ccc", [row], wanted).text())
calls: a cached gradient
<BLANKLINE>
               ccc      JAX    torch
x * x       200 ns     6 µs        -
    / ccc     1.00     30.0        -
<BLANKLINE>
target met: yes (JAX / ccc is 30.0, wanted at least 3.00)
target met: unknown (torch / ccc was not measured, wanted at most 1.00)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


@dataclass(frozen=True)
class Row:
    """What one program takes, in seconds by column; a column may be missing."""

    label: str
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class Target:
    """A measured number, None where a peer is missing, and the number it is to reach or not to exceed."""

    what: str
    measured: float | None
    wanted: float
    most: bool
    unit: str = ""

    @property
    def met(self) -> bool | None:
        if self.measured is None:
            return None
        return self.measured <= self.wanted if self.most else self.measured >= self.wanted

    def text(self) -> str:
        answer = {True: "yes", False: "no", None: "unknown"}[self.met]
        found = "was not measured" if self.measured is None else f"is {number(self.measured)}{self.unit}"
        bound = "at most" if self.most else "at least"
        return f"target met: {answer} ({self.what} {found}, wanted {bound} {number(self.wanted)}{self.unit})"


def at_least(what: str, measured: float | None, wanted: float) -> Target:
    return Target(what, measured, wanted, most=False)


def at_most(what: str, measured: float | None, wanted: float, unit: str = "") -> Target:
    return Target(what, measured, wanted, most=True, unit=unit)


def ratio(row: Row, above: str, below: str) -> float | None:
    """How many times as long one column takes as another."""
    if above not in row.seconds or below not in row.seconds:
        return None
    return row.seconds[above] / row.seconds[below]


@dataclass(frozen=True)
class Table:
    """Rows under a question, each with its ratios to the column `base`, then the targets and remarks."""

    question: str
    columns: Sequence[str]
    base: str
    rows: Sequence[Row]
    targets: Sequence[Target] = ()
    remarks: Sequence[str] = field(default_factory=tuple)

    def text(self) -> str:
        """The table as it is printed."""
        lines = ["\n".join([self.question, ""]), *aligned(self.cells()), ""]
        lines += [target.text() for target in self.targets]
        lines += [f"  {remark}" for remark in self.remarks]
        return "\n".join(lines).rstrip("\n")

    def cells(self) -> list[list[str]]:
        found = [["", *self.columns]]
        for row in self.rows:
            found.append([row.label, *[duration(row.seconds.get(c)) for c in self.columns]])
            found.append([f"    / {self.base}", *[number(ratio(row, c, self.base)) for c in self.columns]])
        return found

    def data(self) -> dict[str, Any]:
        """The table as plain data, for JSON."""
        return {
            "question": self.question,
            "base": self.base,
            "rows": [{"label": row.label, "seconds": dict(row.seconds)} for row in self.rows],
            "targets": [
                {"what": t.what, "measured": t.measured, "wanted": t.wanted, "most": t.most, "met": t.met}
                for t in self.targets
            ],
            "remarks": list(self.remarks),
        }


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table, the first column to the left and the others to the right."""
    first = max(len(row[0]) for row in cells)
    widths = [max(6, *[len(row[i]) for row in cells]) for i in range(1, len(cells[0]))]
    return [
        "   ".join([row[0].ljust(first), *[cell.rjust(w) for cell, w in zip(row[1:], widths, strict=True)]]).rstrip()
        for row in cells
    ]


def duration(seconds: float | None) -> str:
    """Three digits and a unit.

    >>> duration(0.00123), duration(2.5e-8), duration(None)
    ('1.23 ms', '25 ns', '-')
    """
    if seconds is None:
        return "-"
    for size, unit in UNITS:
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.2g} ns"


def number(x: float | None) -> str:
    """Three digits, without an exponent.

    >>> number(0.0123), number(5.0), number(12.34), number(12345.6), number(None)
    ('0.01', '5.00', '12.3', '12346', '-')
    """
    if x is None:
        return "-"
    return f"{x:.2f}" if x < 10 else f"{x:.1f}" if x < 100 else f"{x:.0f}"
