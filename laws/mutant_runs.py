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

from ccc.laws.mutants import Tried, judged, sample, source_of
from ccc.laws.mutants_report import MutantReport
from ccc.laws.mutation import Mutant
from ccc.laws.progress import Progress

DEFAULT = 72
STAGES = (5, 64)
SECONDS = 600.0


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
    seconds: float = SECONDS, progress: TextIO | None = None, control: bool = True,
) -> tuple[list[Tried], list[str], int]:
    """What becomes of each mutant; the laws that fail without any; and how many laws there are.

    With `control` the source without a mutation is run as well, with as many examples as a survivor gets.
    """
    line = Progress(len(mutants) + control, progress, unit="mutants/min")
    idle: SimpleQueue[Server] = SimpleQueue()
    servers = [Server() for _ in range(max(1, min(jobs, len(mutants) + control)))]
    for server in servers:
        idle.put(server)
    lock = threading.Lock()

    def asked(module: str, source: str, over: Sequence[int]) -> dict[str, Any]:
        server = idle.get()
        start = perf_counter()
        try:
            found = server.ask({
                "module": module, "source": source, "stages": list(over), "only": only and list(only),
                "seconds": seconds,
            })
        finally:
            idle.put(server)
        with lock:
            line.advance(1, module or "no mutation")
        return {**found, "seconds": perf_counter() - start}

    try:
        with ThreadPoolExecutor(len(servers)) as pool:
            plain = pool.submit(asked, "", "", stages) if control else None
            answers = list(pool.map(lambda m: asked(m.module, m.applied(source_of(m.module)), stages), mutants))
            without = plain.result() if plain is not None else {"killers": {}, "laws": 0}
    finally:
        for server in servers:
            server.close()
        line.close()
    if "broken" in without:
        raise RuntimeError(f"the laws do not run without a mutation: {without['broken']}")
    failing = sorted(without["killers"])
    return [judged(m, found, failing) for m, found in zip(mutants, answers, strict=True)], failing, without["laws"]


def judge_mutants(
    n: int = DEFAULT, *, areas: Iterable[str] | None = None, seed: int = 0, only: Sequence[str] | None = None,
    jobs: int = 1, stages: Sequence[int] = STAGES, progress: TextIO | None = None,
) -> MutantReport:
    """The report on a sample of mutants of the core."""
    start = perf_counter()
    tried, failing, laws = run(
        sample(n, seed=seed, areas=areas), jobs=jobs, stages=stages, only=only, progress=progress
    )
    return MutantReport(tried, failing, laws, seed, perf_counter() - start)
