"""How strong the laws are: mutants of the core, each judged by all of them.

A sample of the single-point mutations of the core is drawn, the same for one seed however the source is edited
elsewhere; each area gets its share and within an area each operator. The laws run on every mutant in a process of its
own, with more examples until one fails; those that fail then are its killers. The unmutated source is run too: a law
that fails there kills nothing.

A mutant that means the same as the source is listed in `equivalent_mutants.json` with the reason, and has to survive.

>>> len(AREAS), [mutant.module for mutant in sample(2, areas=["tapes"])]
(12, ['ccc.compile.terms.readback', 'ccc.compile.terms.readback'])
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TextIO

from ccc.laws.mutation import Mutant, mutants_of
from ccc.laws.progress import Progress

if TYPE_CHECKING:
    from ccc.laws.mutants_report import MutantReport

DEFAULT = 72
STAGES = (5, 64)
SECONDS = 600.0
LISTED = Path(__file__).with_name("equivalent_mutants.json")

AREAS: dict[str, tuple[tuple[str, str], ...]] = {
    "combinators": (("ccc.combinators", ""), ("ccc.arrows", "compose|functor|postorder|Chain.*")),
    "functions": (("ccc.categories.functions", ""), ("ccc.categories.pointwise", "Pointwise.*")),
    "reverse": (("ccc.categories.reverse", ""),),
    "forward": (("ccc.categories.forward", ""),),
    "Delta": (("ccc.categories.exponentials", "(Delta|Closure|Space|apply_closure|discarded).*"),),
    "AdditiveMap": (("ccc.categories.exponentials", "(AdditiveMap|FormalSum).*"),),
    "AnyDerivative": (("ccc.categories.exponentials", "(AnyDerivative|Opaque|_vanishes|_same).*"),),
    "additive": (("ccc.additive", ""),),
    "trimming": (("ccc.compile.terms.abstract", ""),),
    "staging": (
        ("ccc.compile.terms.stage", ""), ("ccc.compile.terms.sparse_cotangents", ""), ("ccc.compile.terms.states", ""),
        ("ccc.compile.program.simplify", ""),
    ),
    "tapes": (("ccc.compile.terms.readback", ""), ("ccc.primitives.tapes", "")),
    "recursion": (("ccc.compile.terms.staged_recursion", ""),),
}


@cache
def source_of(module: str) -> str:
    """The source of a module, which is not imported for it."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None, module
    return Path(spec.origin).read_text("utf-8")


@cache
def points(area: str) -> tuple[Mutant, ...]:
    """All mutants of an area.

    >>> len(points("recursion")) > 100
    True
    """
    return tuple([
        mutant for module, within in AREAS[area] for mutant in mutants_of(module, source_of(module), within)
    ])


def sample(n: int, *, seed: int = 0, areas: Iterable[str] | None = None) -> list[Mutant]:
    """So many mutants, as many of each area as there are, and within an area of each operator in turn.

    >>> len({mutant.operator for mutant in sample(4, areas=["functions"])})
    4

    Raises `KeyError` for an area that there is not.
    """
    queues: list[list[Mutant]] = []
    for area in AREAS if areas is None else areas:
        by_operator: dict[str, list[Mutant]] = {}
        for mutant in sorted(points(area), key=lambda mutant: mutant.rank(seed)):
            by_operator.setdefault(mutant.operator, []).append(mutant)
        turns = zip_longest(*by_operator.values())
        queues.append([mutant for turn in turns for mutant in turn if mutant is not None])
    found = [mutant for turn in zip_longest(*queues) for mutant in turn if mutant is not None]
    return found[:n]


@cache
def listed() -> dict[str, str]:
    """The mutants that are known to mean the same as the source, and why."""
    return json.loads(LISTED.read_text("utf-8")) if LISTED.exists() else {}


Outcome = Literal["killed", "survived", "equivalent", "not equivalent", "stillborn", "undecided"]


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a mutant: its killers are the laws that fail, each with the example, the category and how."""

    mutant: Mutant
    outcome: Outcome
    killers: dict[str, tuple[int, str, str, str]]
    examples: int = 0
    note: str = ""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """True for what is killed, or equivalent and survives."""
        return self.outcome in ("killed", "equivalent", "stillborn")

    @property
    def first(self) -> tuple[str, int]:
        """The law that kills it first, and in how many examples of each law."""
        law = min(self.killers, key=lambda law: self.killers[law][0])
        return law, self.killers[law][0] + 1

    def __str__(self) -> str:
        match self.outcome:
            case "killed":
                law, n = self.first
                others = f" and {len(self.killers) - 1} more" if len(self.killers) > 1 else ""
                return f"killed by {law} in {n}{others}"
            case "equivalent":
                return f"equivalent: {self.note}"
            case "not equivalent":
                return f"listed as equivalent, but killed by {', '.join(self.killers)}"
            case _:
                return f"{self.outcome}{': ' if self.note else ''}{self.note}"

    def data(self) -> dict[str, Any]:
        """The result as strings, numbers, lists and dicts."""
        return {
            "mutant": self.mutant.identity, "line": self.mutant.line, "outcome": self.outcome, "note": self.note,
            "examples": self.examples, "killers": {law: list(killer) for law, killer in self.killers.items()},
            "seconds": round(self.seconds, 2),
        }


class Server:
    """A process of `ccc.laws.trial` that answers one request after another."""

    def __init__(self) -> None:
        root = str(Path(__file__).parent.parent)
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


def judged(mutant: Mutant, found: dict[str, Any], failing: Iterable[str] = ()) -> Tried:
    """The outcome of a mutant from what its trial found, where the laws `failing` fail without it too.

    >>> mutant = Mutant("m", "f", "wrong index", "x[0]", "x[1]", 1, 4, 8)
    >>> found = {"killers": {"id-left": [2, "Functions", "differs", "..."]}, "examples": 10}
    >>> judged(mutant, found).outcome, judged(mutant, found, failing=["id-left"]).outcome
    ('killed', 'survived')
    >>> judged(mutant, {"stillborn": "SyntaxError"}).outcome, judged(mutant, {"broken": "..."}).outcome
    ('stillborn', 'undecided')
    """
    seconds = found.get("seconds", 0.0)
    if "stillborn" in found or "broken" in found:
        outcome: Outcome = "stillborn" if "stillborn" in found else "undecided"
        return Tried(mutant, outcome, {}, 0, found.get("stillborn") or found["broken"], seconds)
    killers = {law: tuple(killer) for law, killer in found["killers"].items() if law not in set(failing)}
    reason = listed().get(mutant.identity)
    outcome = "killed" if killers else "undecided" if found.get("late") else "survived"
    if reason is not None and outcome != "undecided":
        outcome = "not equivalent" if killers else "equivalent"
    return Tried(mutant, outcome, killers, found["examples"], reason or "", seconds)


def judge_mutants(
    n: int = DEFAULT, *, areas: Iterable[str] | None = None, seed: int = 0, only: Sequence[str] | None = None,
    jobs: int = 1, stages: Sequence[int] = STAGES, progress: TextIO | None = None,
) -> MutantReport:
    """The report on a sample of mutants of the core.

    >>> report = judge_mutants(2, areas=["functions"], seed=1, only=["products"], stages=[3])
    >>> report.ok, len(report.killed)
    (True, 2)
    """
    from ccc.laws.mutants_report import MutantReport  # it is made of what is here

    start = perf_counter()
    tried, failing, laws = run(
        sample(n, seed=seed, areas=areas), jobs=jobs, stages=stages, only=only, progress=progress
    )
    return MutantReport(tried, failing, laws, seed, perf_counter() - start)
