"""The command: `python3 -m benchmarks`; see `python3 -m benchmarks --help`."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import (
    adaptive,
    calls,
    columns,
    compiling,
    devices,
    intervals,
    machine_code,
    measure,
    practice,
    ratios,
    report,
    rounding,
    rows,
    scaling,
    start,
    systems,
    uncertainty,
    with_xla,
)
from benchmarks.processes import again_with_one_thread

OTHERS = {
    "scaling": scaling.measure, "ratios": ratios.measure, "compile": compiling.measure, "start": start.measure,
    "calls": calls.measure, "machine-code": machine_code.measure,
    "adaptive": adaptive.measure, "practice": practice.measure, "devices": devices.measure,
    "xla": with_xla.measure, "intervals": intervals.measure,
    "uncertainty": uncertainty.measure, "rounding": rounding.measure,
}  # fmt: skip
DESCRIPTION = "How fast is a program and its derivative, beside what else?"


def parser() -> argparse.ArgumentParser:
    known = argparse.ArgumentParser(prog="python3 -m benchmarks", description=DESCRIPTION)
    names = ", ".join(OTHERS)
    known.add_argument("tables", nargs="*", metavar="TABLE", help=f"other tables than that of all rows: {names}")
    known.add_argument("--list", action="store_true", help="name rows, their functions and sizes, and columns")
    known.add_argument("--rows", nargs="+", metavar="ROW", help="only these rows; `gmm:jacobian` for one function")
    known.add_argument("--sizes", nargs="+", metavar="SIZE", help="only these sizes; `first` for the first of each row")
    known.add_argument("--columns", nargs="+", metavar="COLUMN", help="only these columns")
    known.add_argument("--repeats", type=int, default=7, help="turns of each column, of which the median counts")
    known.add_argument("--busy", action="store_true", help="take many short turns, of which the fastest counts")
    known.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="the most that a call may take")
    known.add_argument("--one-thread", action="store_true", help="keep every system to one thread")
    known.add_argument(
        "--gradbench", type=Path, metavar="DIR", help="a checkout of GradBench whose C++ tools are built"
    )
    known.add_argument("--plot", type=Path, metavar="FILE", help="where `scaling` draws its lines")
    known.add_argument("--json", type=Path, metavar="FILE", help="write the tables as JSON too")
    return known


def main(arguments: Sequence[str] | None = None) -> None:
    known = parser()
    options = known.parse_args(arguments)
    wanted = [name.partition(":")[0] for name in options.rows or ()]
    refuse(known, "table", options.tables, list(OTHERS))
    refuse(known, "row", wanted, list(rows.NAMES))
    refuse(known, "column", options.columns or (), [*systems.SYSTEMS, *systems.TOOLS])
    selection = selected(known, options, wanted)
    if options.list:
        print(listed())
        return
    if options.one_thread and options.tables:  # which run in this process
        again_with_one_thread()
    print(f"Python {platform.python_version()}; systems that are missing: {', '.join(systems.missing()) or 'none'}")
    tables: list[Any] = []
    if not options.tables:
        tables.append(table(options))
    for name in options.tables:
        for other in OTHERS[name](options.repeats, options.plot, **selection):
            print(f"\n{other.text()}", flush=True)
            tables.append(other.data())
    if options.json is not None:
        options.json.write_text(json.dumps(tables, indent=2) + "\n", "utf-8")


def refuse(known: argparse.ArgumentParser, kind: str, given: Sequence[str], names: Sequence[str]) -> None:
    unknown = [name for name in given if name not in names]
    if unknown:
        known.error(f"no {kind} {', '.join(unknown)}; there are {', '.join(names)}")


def selected(known: argparse.ArgumentParser, options: argparse.Namespace, wanted: Sequence[str]) -> dict[str, Any]:
    """The rows and columns that a table other than that of all rows is to have."""
    asked = {"names": wanted, "columns": options.columns or ()}
    selection = {kind: list(dict.fromkeys(names)) for kind, names in asked.items() if names}
    if options.tables and selection and options.tables != ["scaling"]:
        known.error("of the other tables only `scaling` has rows and columns to choose")
    if options.tables == ["scaling"]:
        refuse(known, "row of `scaling`", selection.get("names", ()), scaling.NAMES)
        refuse(known, "column of `scaling`", selection.get("columns", ()), scaling.COLUMNS)
    return selection


def listed() -> str:
    """The rows and the columns."""
    lines = ["rows:"]
    for name in rows.NAMES:
        row = rows.row(name)
        lines.append(f"  {name}: {', '.join(row.names)}; at {'; '.join(row.sizes)}")
    return "\n".join([*lines, f"columns: {', '.join(systems.SYSTEMS)}; with a checkout {', '.join(systems.TOOLS)}"])


def table(options: argparse.Namespace) -> dict[str, Any]:
    """The table of all rows, printed row by row as it is measured."""
    names = [name for name, system in systems.SYSTEMS.items() if system.installed()]
    names += systems.TOOLS if options.gradbench else []
    names = [name for name in names if options.columns is None or name in options.columns]
    checkout = options.gradbench.resolve() if options.gradbench else None
    processes = columns.started(names, checkout, options.one_thread)
    settings = measure.Settings(repeats=options.repeats, limit=options.limit)
    if options.busy:
        settings = measure.Settings(3 * options.repeats, 1e-3, limit=options.limit, fastest=True)
    found: list[tuple[str, str, str, dict[str, measure.Cell]]] = []
    print(f"\n{report.heading(names)}", flush=True)
    try:
        for row, function, size in chosen(options.rows, options.sizes):
            cells = measure.measured(row, size, function, processes, settings)
            found.append((row.name, function, size, cells))
            print("\n".join(report.block(f"{row.name} {function} {size}", cells)), flush=True)
    finally:
        for process in processes.values():
            process.close()
    programs = {name: rows.row(name).names[0] for name, *_ in found}
    means = report.summary(found, names, programs)
    print("\n" + "\n".join(means), flush=True)
    return {"rows": report.data(found), "means": means}


def chosen(names: Sequence[str] | None, sizes: Sequence[str] | None) -> list[tuple[rows.Row, str, str]]:
    """The rows, functions and sizes that are asked for."""
    found = []
    for name in names or rows.NAMES:
        row = rows.row(name.partition(":")[0])
        for size in row.sizes:
            if sizes is None or size in sizes or ("first" in sizes and size == next(iter(row.sizes))):
                found += [
                    (row, function, size) for function in row.names if name in (row.name, f"{row.name}:{function}")
                ]
    return found


if __name__ == "__main__":
    main()
