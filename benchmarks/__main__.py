"""The command: `python3 -m benchmarks [question ...] [--rounds N] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from pathlib import Path

from benchmarks import calls, compiling, loops, peers, start

QUESTIONS = {"calls": calls.measure, "loops": loops.measure, "compile": compiling.measure, "start": start.measure}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks", description="What is it fast at, beside what else?")
    known = ", ".join(QUESTIONS)
    parser.add_argument("questions", nargs="*", metavar="question", help=f"of {known}; all if none is given")
    parser.add_argument("--rounds", type=int, default=20, help="turns of each column, of which the fastest counts")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables as JSON too")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.questions if name not in QUESTIONS]
    if unknown:
        parser.error(f"no question {', '.join(unknown)}; there are {known}")
    print(f"Python {platform.python_version()}; peers that are missing: {', '.join(peers.missing()) or 'none'}")
    tables = []
    for name in options.questions or QUESTIONS:
        for table in QUESTIONS[name](options.rounds):
            print(f"\n{table.text()}", flush=True)
            tables.append(table.data())
    if options.json is not None:
        options.json.write_text(json.dumps(tables, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
