"""The processes of the columns, which answer requests within a limit of time, and are started again where they end."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import rows
from benchmarks.gradbench_evals import EVALS
from benchmarks.processes import ONE_THREAD, ROOT
from benchmarks.systems import SYSTEMS, TOOLS

STARTING = 60.0
"""Seconds that the start of a process may take beyond a request's own."""


class Column:
    """A system of Python in a process of its own."""

    def __init__(self, name: str, environment: Mapping[str, str], *worker: str) -> None:
        self.command = [sys.executable, "-m", *(worker or ("benchmarks.worker",)), name]
        self.given = environment
        self.environment = {**os.environ, **environment, "PYTHONPATH": str(ROOT)}
        self.process: subprocess.Popen[bytes] | None = None
        self.rest = b""

    def ask(self, request: Mapping[str, Any], limit: float) -> dict[str, Any]:
        """The answer to a request; one that is late or never comes is an error, and ends the process."""
        if self.process is None or self.process.poll() is not None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(self.command, cwd=ROOT, env=self.environment, stdin=pipe, stdout=pipe)
            self.rest, limit = b"", limit + STARTING
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.line(time.monotonic() + limit)
        if line is None:
            code = self.process.poll()
            self.close()
            return {"error": f"over {limit:.0f} s" if code is None else f"the process ended ({code})"}
        return json.loads(line)

    def line(self, until: float) -> bytes | None:
        """The next line that the process prints; None if it ends or the time is over."""
        assert self.process is not None and self.process.stdout is not None
        out = self.process.stdout.fileno()
        while b"\n" not in self.rest:
            ready, _, _ = select.select([out], [], [], max(0.0, until - time.monotonic()))
            found = os.read(out, 1 << 16) if ready else b""
            if not found:
                if ready:
                    self.process.wait()
                return None
            self.rest += found
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                stream.close()
            self.process = None


class Tool:
    """A tool of a GradBench checkout that is written in C++: a program that reads a file of JSON and times itself."""

    def __init__(self, checkout: Path, name: str) -> None:
        self.folder = checkout / "tools" / name / "bin"
        self.checkout = checkout
        self.program: Path | None = None
        self.function = ""
        self.given: dict[str, Any] = {}

    def ask(self, request: Mapping[str, Any], limit: float) -> dict[str, Any]:
        if request["do"] == "peak":
            return {}
        if request["do"] == "time":
            return {"seconds": float(np.mean(self.run(request["least"], limit)[1]))}
        row = rows.row(request["row"])
        self.program, self.function = self.folder / row.eval_name, request["function"]
        if row.eval_name not in EVALS or not self.program.exists() or self.function not in EVALS[row.eval_name]:
            return {"absent": True}
        self.given = row.module.given(*row.parameters(request["size"]))
        if not isinstance(self.given, dict):  # hello, whose runs are too short for its own clock
            return {"absent": True}
        try:
            output, _ = self.run(0.0, limit)
        except subprocess.SubprocessError as error:
            return {"error": str(error).splitlines()[0]}
        np.save(request["result"], np.array(in_a_row(output)))
        return {}

    def run(self, seconds: float, limit: float) -> tuple[Any, list[float]]:
        """What the program prints: the result, and the seconds of each run."""
        assert self.program is not None
        with tempfile.NamedTemporaryFile("w") as file:
            json.dump({**self.given, "min_runs": 1, "min_seconds": seconds}, file)
            file.flush()
            command = [str(self.program), file.name, self.function]
            found = subprocess.run(
                command, cwd=self.checkout, capture_output=True, text=True, timeout=limit, check=True
            )
        output, *timings = map(json.loads, found.stdout.splitlines())
        return output, [t["nanoseconds"] / 1e9 for t in timings if t["name"] == "evaluate"]

    def close(self) -> None:
        pass


ORDER = ("alpha", "mu", "q", "l", "rows", "cols", "vals", "reproj_error", "w_err", "elements", "element")


def in_a_row(output: Any) -> list[float]:
    """The numbers of an output of GradBench in the order in which we have them, but how often they are repeated.

    >>> in_a_row({"vals": [1.0, [2.0]], "rows": [3]})
    [3.0, 1.0, 2.0]
    """
    if isinstance(output, dict):
        return [x for name in ORDER if name in output for x in in_a_row(output[name])]
    return [x for part in output for x in in_a_row(part)] if isinstance(output, list) else [float(output)]


def started(names: list[str], checkout: Path | None, one_thread: bool) -> dict[str, Column | Tool]:
    """The processes of columns; none runs before it is asked."""
    environment = ONE_THREAD if one_thread else {}
    found: dict[str, Column | Tool] = {name: Column(name, environment) for name in names if name in SYSTEMS}
    if checkout is not None:
        found |= {name: Tool(checkout, TOOLS[name].tool) for name in names if name in TOOLS}
    return found
