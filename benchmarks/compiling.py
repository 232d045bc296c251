"""The first call of a gradient: what compiling a long function takes, each time in a fresh process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import processes
from benchmarks.systems import SYSTEMS
from benchmarks.tables import Row, Table, at_most, ratio
from benchmarks.timing import in_turns

SIZES = (1_000, 10_000)
PEERS = ("JAX", "autograd", "PyTorch")
KINDS = ("scalar", "array")
COLUMNS = ("Python's compile", "ccc", "JAX", "autograd", "PyTorch")
STAGES = ("parse", "elaborate", "abstract", "stage", "read back", "emit", "Python's compile", "rest")


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    turns = max(3, rounds // 5)
    best: dict[str, dict[str, Any]] = {}
    labels = [f"{system} {kind} {n}" for kind in KINDS for n in SIZES for system in ("ccc", "Python")]
    labels += [f"{name} {kind} {SIZES[0]}" for name in PEERS if SYSTEMS[name].installed() for kind in KINDS]
    seconds = in_turns({label: first(label, best) for label in labels}, turns)
    rows = {(kind, n): row(kind, n, seconds) for kind in KINDS for n in SIZES}
    return [times(rows, best), profile(best)]


def first(label: str, best: dict[str, dict[str, Any]]) -> Callable[[], float]:
    """A measure of one first call in a process of its own, which keeps all about the fastest."""

    def run() -> float:
        found = json.loads(processes.output(["-m", "benchmarks.first_call", *label.split()]))
        if label not in best or found["seconds"] < best[label]["seconds"]:
            best[label] = found
        return found["seconds"]

    return run


def row(kind: str, n: int, seconds: dict[str, float]) -> Row:
    systems = {"Python's compile": "Python", **{name: name for name in ("ccc", *PEERS)}}
    found = {column: seconds.get(f"{system} {kind} {n}") for column, system in systems.items()}
    return Row(f"{kind}, {n:,} statements", {c: s for c, s in found.items() if s is not None})


def times(rows: dict[tuple[str, int], Row], best: dict[str, dict[str, Any]]) -> Table:
    """The table of all systems, with the targets."""
    targets = []
    for kind in KINDS:
        small, large = [rows[kind, n].seconds["ccc"] for n in SIZES]
        targets.append(at_most(f"{kind}, {SIZES[0]:,} statements", small, 0.5, " s"))
        targets.append(at_most(f"{kind}, {SIZES[1]:,} / {SIZES[0]:,} statements", large / small, 15))
    peer = ratio(rows["scalar", SIZES[0]], "JAX", "ccc")
    remarks = ["autograd and PyTorch compile nothing: they run forwards and backwards once"]
    if peer is not None:
        remarks.append("JAX traces and compiles; at 10,000 statements it is not waited for")
    for kind in KINDS:
        lines, alive = [[best[f"ccc {kind} {n}"][what] for n in SIZES] for what in ("lines", "alive")]
        remarks.append(
            f"{kind}: lines of code a statement {lines[0]:.1f} and {lines[1]:.1f}, "
            f"values alive at once {alive[0]:.2f} and {alive[1]:.2f}"
        )
    question = "compile: the first call of a gradient of a long function"
    return Table(question, COLUMNS, "ccc", list(rows.values()), targets, remarks)


def profile(best: dict[str, dict[str, Any]]) -> Table:
    """The stages of ccc's fastest run."""
    rows = []
    for kind in KINDS:
        for n in SIZES:
            found = best[f"ccc {kind} {n}"]
            rows.append(Row(f"{kind}, {n:,} statements", {"all": found["seconds"], **found["stages"]}))
    return Table("compile: the stages of it", ("all", *STAGES), "all", rows)
