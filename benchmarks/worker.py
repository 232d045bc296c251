"""One column in a process of its own: `python -m benchmarks.worker COLUMN` answers requests, a line of JSON each.

prepare   {"row", "size", "function", "result"}: the seconds of the first call; its numbers go to the file `result`
time      {"least"}: the seconds of a call, the mean of a batch that takes at least that long
peak      the bytes by which the memory of the process grew during a call
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import rows
from benchmarks.systems import SYSTEMS, System, flat

MEMORY = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
SETTLING = 2.0
"""Seconds."""


class Worker:
    """The column and the call that is measured now."""

    def __init__(self, column: str, system: System | None = None) -> None:
        self.system = SYSTEMS[column] if system is None else system
        self.left = 0  # calls that native code left to NumPy
        self.call: Callable[[], Any] = lambda: None
        self.function: Any = None
        self.batch = 1
        if self.system.backend == "native":
            self.watch()
        self.system.warm()

    def watch(self) -> None:
        """Count the calls that machine code leaves to the other target."""
        from ccc.compile.api import pipeline

        compiled = pipeline.made_by

        def compiled_again(target: Any, program: Any, pullback: bool, other: Callable[..., Any], args: Any) -> Any:
            def counted(*args: Any) -> Any:
                self.left += 1
                return other(*args)

            return compiled(target, program, pullback, counted, args)

        pipeline.made_by = compiled_again

    def prepare(self, request: Any) -> dict[str, Any]:
        row = rows.row(request["row"])
        functions = row.functions(self.system)
        if request["function"] not in functions:
            return {"absent": True}
        function = functions[request["function"]]
        call = self.system.bound(function, row.wrt)(*row.arguments(request["size"]))
        return self.called(function, call, request["result"])

    def called(self, function: Any, call: Callable[[], Any], file: str) -> dict[str, Any]:
        """What the first call took, whose result goes to a file."""
        self.function, self.call, self.batch, self.left = function, call, 1, 0
        gc.collect()
        start = time.perf_counter()
        result = self.call()
        first = time.perf_counter() - start
        np.save(file, flat(result))
        return {"first": first, "note": self.note()}

    def note(self) -> str:
        """Why native code did not compute the call, if so."""
        if self.system.backend not in ("native", "auto"):
            return ""
        codes = [code for known in getattr(self.function, "codes", {}).values() for code in known]
        reasons = [code.left_to for code in codes if code.left_to]
        return f"left to NumPy: {reasons[0]}" if reasons else "left to NumPy at run time" if self.left else ""

    def time(self, request: Any) -> dict[str, Any]:
        call, least = self.call, request["least"]
        if self.function is None:
            return {"error": "nothing is prepared"}
        self.settle()
        while True:
            repeats = range(self.batch)
            start = time.perf_counter()
            for _ in repeats:
                call()
            taken = time.perf_counter() - start
            if taken >= least:
                return {"seconds": taken / self.batch}
            self.batch = max(2 * self.batch, int(1.2 * self.batch * least / max(taken, 1e-9)))

    def settle(self) -> None:
        """Call until "auto" has chosen, if it does so within `SETTLING`: what a call takes then is measured."""
        start = time.perf_counter()
        while self.undecided() and time.perf_counter() - start < SETTLING:
            self.call()

    def undecided(self) -> bool:
        """Whether calls are still timed to choose between targets."""
        if self.system.backend != "auto":
            return False
        known = [code for codes in getattr(self.function, "codes", {}).values() for code in codes]
        codes = [getattr(code, "code", code) for code in known]
        return any(c.waiting is not None and c.measured is not None and not c.measured.known() for c in codes)

    def peak(self, request: Any) -> dict[str, Any]:
        self.call()
        before = settled_memory()
        self.call()
        return {"bytes": max(0, 1024 * (kilobytes("VmHWM") - before))}


def settled_memory() -> int:
    """The kilobytes of the process once what is free was given back, from which on `VmHWM` tells the most."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    CLEAR.write_text("5")
    return kilobytes("VmRSS")


def kilobytes(name: str) -> int:
    """A number of Linux about the memory of this process."""
    (line,) = [line for line in MEMORY.read_text().splitlines() if line.startswith(f"{name}:")]
    return int(line.split()[1])


def answered(made: Callable[[], Worker]) -> None:
    """Answer the requests on the standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    worker = made()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request["do"])(request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0], "trace": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    answered(lambda: Worker(sys.argv[1]))
