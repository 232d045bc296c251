"""A tool of GradBench: it answers messages on its standard input, a line of JSON each, with lines on its output.

    ./gradbench repo run --eval hello --tool '$ python3 .../benchmarks/gradbench_tool.py'

An input is converted before and an output after the runs that are timed. The first run, which compiles, is a timing of
its own with the name "prepare". `--system` answers with a peer in place of this library, by the same protocol.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # a script: its own folder makes way for the checkout
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import rows
from benchmarks.gradbench_evals import EVALS
from benchmarks.systems import SYSTEMS, System

ABSENT = "the system has no such function"
BACKENDS = ("auto", "native", "numpy")
PEERS = {system.version: system for system in SYSTEMS.values() if system.version != "ours"}


def functions_of(system: str, backend: str) -> Mapping[str, Mapping[str, Callable[..., Callable[[], Any]]]]:
    """The functions that a system has, by eval: from arguments to calls."""
    chosen = PEERS[system] if system in PEERS else System("numpy", "ours", backend=backend)
    found = {}
    for name in rows.GRADBENCH:
        row = rows.row(name)
        if functions := row.functions(chosen):
            found[name] = {what: chosen.bound(f, row.wrt) for what, f in functions.items()}
    return found


def evaluated(call: Callable[[], Any], runs: int, seconds: float) -> tuple[Any, list[dict[str, Any]]]:
    """The last result of a call and the timings of `runs` runs, or of as many as take `seconds`."""
    names, timings, elapsed = ["prepare"], [], 0.0
    result = None
    while len(timings) <= runs or elapsed < seconds:
        result = None  # to free it is no part of the next run
        start = time.perf_counter_ns()
        result = call()
        taken = time.perf_counter_ns() - start
        timings.append({"name": names[-1], "nanoseconds": taken})
        if names == ["prepare"]:
            names.append("evaluate")
        else:
            elapsed += taken / 1e9
    return result, timings


def answers(lines: Iterable[str], system: str, backend: str) -> Iterator[dict[str, Any]]:
    """The response to each message."""
    functions = functions_of(system, backend)
    for line in lines:
        message = json.loads(line)
        response = {"id": message["id"]}
        try:
            match message["kind"]:
                case "start":
                    response["tool"] = system
                    response["config"] = {"backend": backend}
                case "define":
                    response["success"] = message["module"] in functions
                case "evaluate":
                    response |= answer(functions, message["module"], message["function"], message["input"])
        except Exception:
            response |= {"success": False, "error": traceback.format_exc()}
        yield response


def answer(functions: Any, module: str, name: str, given: Any) -> dict[str, Any]:
    """The response to a message that asks for a result."""
    if name not in functions.get(module, {}):
        return {"success": False, "error": ABSENT}
    function, settings = EVALS[module][name], given if isinstance(given, dict) else {}
    call = functions[module][name](*function.arguments(given))
    result, timings = evaluated(call, settings.get("min_runs", 1), settings.get("min_seconds", 0.0))
    return {"success": True, "output": function.output(result), "timings": timings}


def main() -> None:
    parser = argparse.ArgumentParser(description="A tool of GradBench")
    parser.add_argument("--system", choices=("ccc", *PEERS), default="ccc")
    parser.add_argument("--backend", choices=BACKENDS, default="auto", help="the target of ccc")
    parser.add_argument("--multithreaded", action="store_true", help="accepted; runs are of one thread all the same")
    options = parser.parse_args()
    for response in answers(sys.stdin, options.system, options.backend):
        print(json.dumps(response), flush=True)


if __name__ == "__main__":
    main()
