"""How strong the laws are: mutants of the core, each judged by all of them.

The laws run on every mutant in a process of its own, with more examples until one fails; those that fail then are its
killers. The unmutated source is run too: a law that fails there kills nothing.

>>> report = judge_mutants(2, areas=["functions"], seed=1, only=["products"], stages=[3])
>>> report.ok, len(report.killed)
(True, 2)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import Any, TextIO

from ccc.laws.mutants import Tried, judged, planted, sample, source_of
from ccc.laws.mutants_report import MutantReport, shortened
from ccc.laws.mutation import Mutant
from ccc.laws.progress import Progress

DEFAULT = 72
STAGES = (5, 64)
SECONDS = 600.0
FULL, FULL_SECONDS = (4, 100), 60.0
"""How many examples of each law a mutant of the full run meets, and for how long."""


class Server:
    """A process of `ccc.laws.trial` that answers one request after another."""

    def __init__(self) -> None:
        root = str(Path(__file__).parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(paths)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ccc.laws.trial"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env,
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline() or '{"broken": "the server has ended"}')

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def run(
    mutants: Sequence[Mutant], *, jobs: int = 1, stages: Sequence[int] = STAGES, only: Sequence[str] | None = None,
    seconds: float = SECONDS, progress: TextIO | None = None, control: bool = True, told: TextIO | None = None,
    first: bool = False,
) -> tuple[list[Tried], list[str], int]:
    """What becomes of each mutant; the laws that fail without any; and how many laws there are.

    With `control` the source without a mutation is run as well, with as many examples as a survivor gets; with `first`
    a mutant is left when one law has killed it. What becomes of each is written to `told` as soon as it is known, so
    that a run that is broken off has told what it found.
    """
    line = Progress(len(mutants) + control, progress, unit="mutants/min")
    idle: SimpleQueue[Server] = SimpleQueue()
    servers = [Server() for _ in range(max(1, min(jobs, len(mutants) + control)))]
    for server in servers:
        idle.put(server)
    lock = threading.Lock()

    def asked(mutant: Mutant | None) -> dict[str, Any]:
        module, source = (mutant.module, mutant.applied(source_of(mutant.module))) if mutant else ("", "")
        server = idle.get()
        start = perf_counter()
        try:
            found = server.ask({
                "module": module, "source": source, "stages": list(stages), "only": only and list(only),
                "seconds": seconds, "first": first and mutant is not None, "line": mutant.line if mutant else 0,
            })
        finally:
            idle.put(server)
        found["seconds"] = perf_counter() - start
        with lock:
            if told is not None:
                line.close()
                print(verdict(mutant, found), file=told, flush=True)
            line.advance(1, module or "no mutation")
        return found

    try:
        with ThreadPoolExecutor(len(servers)) as pool:
            plain = pool.submit(asked, None) if control else None
            answers = list(pool.map(asked, mutants))
            without = plain.result() if plain is not None else {"killers": {}, "laws": 0}
    finally:
        for server in servers:
            server.close()
        line.close()
    if "broken" in without:
        raise RuntimeError(f"the laws do not run without a mutation: {without['broken']}")
    failing = sorted(without["killers"])
    return [judged(m, found, failing) for m, found in zip(mutants, answers, strict=True)], failing, without["laws"]


def verdict(mutant: Mutant | None, found: dict[str, Any]) -> str:
    """What is told of a mutant as soon as its trial has ended, and of the source without one.

    >>> verdict(None, {"killers": {}, "laws": 3, "examples": 5, "seconds": 2.0})
    'without a mutation (2 s): no law fails'
    >>> print(verdict(Mutant("m", "f", "wrong index", "x[0]", "x[1]", 1, 4, 8), {"broken": "ended", "seconds": 9.0}))
    m:f: x[0] -> x[1]  [wrong index] (9 s)
        undecided: ended
    """
    took = f" ({found['seconds']:.0f} s)"
    if mutant is not None:
        return f"{shortened(mutant.identity)}{took}\n    {judged(mutant, found)}"
    failing = ", ".join(found.get("killers", ()))
    what = found.get("broken") or (f"{failing} fail, and kill nothing" if failing else "no law fails")
    return f"without a mutation{took}: {what}"


def judge_mutants(
    n: int = DEFAULT, *, areas: Iterable[str] | None = None, seed: int = 0, only: Sequence[str] | None = None,
    jobs: int = 1, stages: Sequence[int] = STAGES, progress: TextIO | None = None, told: TextIO | None = None,
) -> MutantReport:
    """The report on a sample of mutants of the core; what becomes of each is written to `told` as it is known."""
    start = perf_counter()
    tried, failing, laws = run(
        sample(n, seed=seed, areas=areas), jobs=jobs, stages=stages, only=only, progress=progress, told=told
    )
    return MutantReport(tried, failing, laws, seed, perf_counter() - start)


def judge_planted(
    *, seed: int = 0, jobs: int = 1, progress: TextIO | None = None, told: TextIO | None = None
) -> MutantReport:
    """The report on the mutants of the full run, each tried until a law kills it. The laws have run without any."""
    start = perf_counter()
    tried, failing, laws = run(planted(seed), jobs=jobs, stages=FULL, seconds=FULL_SECONDS, progress=progress,
                               control=False, told=told, first=True)
    return MutantReport(tried, failing, laws, seed, perf_counter() - start)
