"""A cell of each column for one function of one row at one size: judged first, then timed in turns.

>>> cells = {"a": Cell(times=[2.0, 3.0, 9.0]), "b": Cell(times=[6.0]), "c": Cell(note="over 9 s")}
>>> cells["a"].seconds, over_fastest_other(cells, "a"), over_fastest_other(cells, "b"), over_fastest_other(cells, "c")
(3.0, 0.5, 2.0, None)
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import rows
from benchmarks.columns import Column, Tool
from benchmarks.rows import Row
from benchmarks.systems import SYSTEMS, TOOLS

DISAGREES = "DISAGREES"


@dataclass
class Cell:
    """What a system took: seconds of a call by repeats, of the first call, bytes of a call; or why it has no time."""

    times: list[float] = field(default_factory=list)
    first: float | None = None
    peak: int | None = None
    note: str = ""
    absent: bool = False
    fastest: bool = False

    @property
    def seconds(self) -> float | None:
        """The median of the repeats, or the fastest of them on a machine that does other work, too."""
        if not self.times:
            return None
        return min(self.times) if self.fastest else statistics.median(self.times)

    def data(self) -> dict[str, Any]:
        return {"seconds": self.seconds, "first": self.first, "peak": self.peak, "note": self.note, "times": self.times}


@dataclass(frozen=True)
class Settings:
    """How often a call is timed, for how long at least, and how long one may take."""

    repeats: int = 7
    least: float = 0.01
    most: float = 3.0
    limit: float = 60.0
    fastest: bool = False


def measured(
    row: Row, size: str, function: str, columns: Mapping[str, Column | Tool], settings: Settings
) -> dict[str, Cell]:
    """The cells of a row; what differs from Python and difference quotients is not timed."""
    request = {"row": row.name, "size": size, "function": function}
    return asked(request, columns, settings, lambda cells, results: judge(
        row, function, row.arguments(size), cells, results))


def asked(
    request: Mapping[str, Any], columns: Mapping[str, Column | Tool], settings: Settings,
    judged: Callable[[dict[str, Cell], dict[str, np.ndarray]], None],
) -> dict[str, Cell]:  # fmt: skip
    """The cells of what a request prepares; `judged` notes in them which results are wrong, and these are not timed."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: str(Path(folder) / f"{i}.npy") for i, name in enumerate(columns)}
        answers = {
            name: column.ask({**request, "do": "prepare", "result": files[name]}, settings.limit)
            for name, column in columns.items()
        }
        given = [name for name, answer in answers.items() if "error" not in answer and Path(files[name]).exists()]
        results = {name: np.load(files[name]) for name in given}
    cells = {name: begun(answer) for name, answer in answers.items()}
    for cell in cells.values():
        cell.fastest = settings.fastest
    judged(cells, results)
    timed = {name: columns[name] for name in results if not cells[name].note.startswith(DISAGREES)}
    in_turns(timed, cells, settings)
    for name, column in timed.items():
        cells[name].peak = column.ask({"do": "peak"}, settings.limit).get("bytes")
    return cells


def begun(answer: Mapping[str, Any]) -> Cell:
    absent = answer.get("absent", False)
    return Cell(first=answer.get("first"), note=answer.get("error") or answer.get("note", ""), absent=absent)


def judge(
    row: Row, function: str, arguments: tuple[Any, ...], cells: Mapping[str, Cell], results: Mapping[str, np.ndarray]
) -> None:
    """Compare results: the first that is right is the measure of the others."""
    right: np.ndarray | None = None
    for name, result in results.items():
        if name in TOOLS:
            shown = getattr(row.module, "shown", lambda function, result: result)
            wrong = "" if right is None else rows.close(result, shown(function, right), 1e-6)
        elif right is None:
            wrong = row.agrees(function, arguments, result)
            right = None if wrong else result
        else:
            wrong = rows.close(result, right, 1e-6)
        if wrong:
            cells[name].note = f"{DISAGREES}: {wrong}"


def in_turns(columns: Mapping[str, Column | Tool], cells: Mapping[str, Cell], settings: Settings) -> None:
    """Time each column once a turn; one that took its share of time is left out of further turns."""
    failed: set[str] = set()
    for _ in range(settings.repeats):
        for name, column in columns.items():
            times = cells[name].times
            if name in failed or sum(max(t, settings.least) for t in times) > settings.most:
                continue
            answer = column.ask({"do": "time", "least": settings.least}, settings.limit)
            if "seconds" not in answer:
                cells[name].note = answer["error"]
                failed.add(name)
                continue
            times.append(answer["seconds"])


def over_fastest_other(cells: Mapping[str, Cell], name: str) -> float | None:
    """How many times as long as the fastest column of another system; this library's targets are one system."""
    known = {**SYSTEMS, **TOOLS}
    families = {column: known[column].family if column in known else column for column in cells}
    others = [c.seconds for column, c in cells.items() if families[column] != families[name] and c.seconds]
    own = cells[name].seconds
    return own / min(others) if own and others else None
