"""GradBench's evals, unmodified, asked of this library, of the peers and of the C++ tools of a checkout: one table.

`python3 -m benchmarks.gradbench DIR`; the Python that runs the evals needs `numpy`, `scipy`, `pydantic` and
`dataclasses-json` (`--evaluator PYTHON` names another). The table of all rows has the same programs.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import gradbench_runs as runs
from benchmarks.gradbench_tool import ABSENT
from benchmarks.systems import SYSTEMS
from benchmarks.tables import Row, Table, Target, at_most, ratio

PEERS = ("JAX", "PyTorch", "autograd")
JOBS = (
    ("hello", ""),
    ("llsq", "-n 16 1024 8196"),
    ("lstm", "-l 2 -c 32 1024"),
    ("gmm", "-d 2 -k 5 -n 10"),
    ("gmm", "-d 20 -k 25 -n 1000"),
    ("ba", "--min 1 --max 1"),
    ("ba", "--min 5 --max 5"),
    ("kmeans", "-k 10 -n 100 -d 8"),
    ("kmeans", "-k 100 -n 10000 -d 8"),
    ("ht", "--min 1 --max 1 --model small"),
    ("ht", "--min 3 --max 3"),
    ("saddle", ""),
    ("particle", ""),
    ("ode", "-n 4 10000 -s 1"),
    ("det", "-l 5 8"),
    ("lse", "-n 100 100000"),
)
QUICK = {"ode": 0.02}
"""The most seconds for evals of which a run takes nanoseconds: the time of each run is part of the answer."""
DERIVATIVES = ("gradient", "jacobian", "dir")
CLOSED_FORMS = ("hello", "ode")


def commands(backends: Sequence[str]) -> dict[str, list[str]]:
    """The tools by column."""
    found = {f"ccc {backend}": runs.own_tool("ccc", backend) for backend in backends}
    found["by hand"] = runs.own_tool("by_hand")
    found |= {name: runs.own_tool(SYSTEMS[name].version) for name in PEERS if SYSTEMS[name].installed()}
    return {**found, "manual": runs.cpp_tool("manual"), "Tapenade": runs.cpp_tool("tapenade")}


def measure(
    checkout: Path, seconds: float, evals: Sequence[str] = (), backends: Sequence[str] = ("numpy",),
    evaluator: str = sys.executable, progress: Callable[[str], None] = print,
) -> Table:  # fmt: skip
    """The fastest run of each function at each size by each tool; a result that an eval calls wrong has no time."""
    tools = commands(backends)
    rows: list[Row] = []
    remarks: list[str] = []
    for name, options in JOBS:
        if evals and name not in evals:
            continue
        least = str(min(seconds, QUICK.get(name, seconds)))
        arguments = [*options.split(), *(["--min-seconds", least] if name != "hello" else [])]
        for found in runs.side_by_side(checkout, evaluator, name, arguments, tools):
            one = next(iter(found.values()))
            label = " ".join([name, one.function, one.description]).rstrip()
            times = {tool: e.seconds for tool, e in found.items() if e.valid and e.seconds is not None}
            added(rows, label, times)
            progress(f"{label}: valid for {', '.join(times)}")
            remarks += [f"{tool} on {label}: {last_line(e.error)}" for tool, e in found.items() if failed(e)]
    targets = [means(rows, f"ccc {backend}") for backend in backends]
    question = "gradbench: the evals of a checkout, the fastest run of each tool"
    return Table(question, tuple(tools), "manual", rows, targets, remarks)


def failed(one: runs.Evaluation) -> bool:
    return not one.valid and one.error != ABSENT


def added(rows: list[Row], label: str, times: Mapping[str, float]) -> None:
    """One row more, or the fastest of both where there is one for this label, as an eval may ask more than once."""
    known = [i for i, row in enumerate(rows) if row.label == label]
    for i in known:
        before = rows[i].seconds
        rows[i] = Row(label, {tool: min(s, before.get(tool, s)) for tool, s in {**before, **times}.items()})
    if not known:
        rows.append(Row(label, times))


def last_line(error: str) -> str:
    return next(iter(reversed(error.strip().splitlines())), "no answer")


def means(rows: Sequence[Row], column: str) -> Target:
    """The geometric mean of the ratios to what is written by hand in C++, over derivatives without a closed form."""
    wanted = [r for r in rows if r.label.split()[0] not in CLOSED_FORMS and r.label.split()[1] in DERIVATIVES]
    ratios = [x for x in (ratio(row, column, "manual") for row in wanted) if x is not None]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    return at_most(f"geometric mean of {column} / manual over {len(ratios)} derivatives", mean, 0.6)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks.gradbench", description="Run evals of GradBench")
    parser.add_argument("checkout", type=Path, metavar="DIR")
    parser.add_argument("--evals", nargs="+", default=(), metavar="EVAL", help="only these of its evals")
    parser.add_argument("--backends", nargs="+", default=("numpy", "native"), metavar="BACKEND", help="targets of ccc")
    parser.add_argument("--seconds", type=float, default=1.0, help="the least time of each evaluation")
    parser.add_argument("--evaluator", default=sys.executable, metavar="PYTHON", help="the Python that runs the evals")
    options = parser.parse_args()
    found = measure(
        options.checkout.resolve(), options.seconds, options.evals, options.backends, options.evaluator,
        lambda line: print(line, flush=True),
    )  # fmt: skip
    print(f"\n{found.text()}")


if __name__ == "__main__":
    main()
