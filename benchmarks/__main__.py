"""The command: `python3 -m benchmarks [question ...] [--rounds N] [--gradbench DIR] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import calls, compiling, gradbench, loops, peers, start

QUESTIONS = {"calls": calls.measure, "loops": loops.measure, "compile": compiling.measure, "start": start.measure}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks", description="What is it fast at, beside what else?")
    known = ", ".join(QUESTIONS)
    parser.add_argument("questions", nargs="*", metavar="question", help=f"of {known}; all if none is given")
    parser.add_argument("--rounds", type=int, default=20, help="turns of each column, of which the fastest counts")
    parser.add_argument("--gradbench", type=Path, metavar="DIR", help="run evals of this checkout of GradBench alone")
    parser.add_argument("--evals", nargs="+", default=(), metavar="EVAL", help="only these of its evals")
    parser.add_argument("--backends", nargs="+", default=("numpy",), metavar="BACKEND", help="targets of ccc there")
    parser.add_argument("--seconds", type=float, default=1.0, help="the least time of each evaluation there")
    parser.add_argument("--evaluator", default=sys.executable, metavar="PYTHON", help="the Python that runs the evals")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables as JSON too")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.questions if name not in QUESTIONS]
    if unknown:
        parser.error(f"no question {', '.join(unknown)}; there are {known}")
    print(f"Python {platform.python_version()}; peers that are missing: {', '.join(peers.missing()) or 'none'}")
    tables = []
    if options.gradbench is not None:
        table = gradbench.measure(
            options.gradbench.resolve(), options.seconds, options.evals, options.backends, options.evaluator
        )
        print(f"\n{table.text()}", flush=True)
        tables.append(table.data())
    for name in options.questions or (QUESTIONS if options.gradbench is None else ()):
        for table in QUESTIONS[name](options.rounds):
            print(f"\n{table.text()}", flush=True)
            tables.append(table.data())
    if options.json is not None:
        options.json.write_text(json.dumps(tables, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
