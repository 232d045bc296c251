"""Mutants of the core, and what becomes of one.

A sample of the single-point mutations of the core is drawn, the same for one seed however the source is edited
elsewhere; each area gets its share and within an area each operator.

A mutant that means the same as the source is listed in `equivalent_mutants.json` with the reason, and has to survive.

>>> len(AREAS), [mutant.module for mutant in sample(2, areas=["tapes"])]
(12, ['ccc.compile.terms.readback', 'ccc.compile.terms.readback'])
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from ccc.laws.mutation import Mutant, mutants_of

LISTED = Path(__file__).with_name("equivalent_mutants.json")
RETURNED = Path(__file__).with_name("returned_mutants.json")

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
        ("ccc.compile.terms.stage", ""), ("ccc.compile.terms.staged", ""), ("ccc.compile.terms.staging", ""),
        ("ccc.compile.terms.sparse_cotangents", ""), ("ccc.compile.terms.states", ""),
        ("ccc.compile.program.simplify", ""),
    ),
    "tapes": (("ccc.compile.terms.readback", ""), ("ccc.primitives.tapes", "")),
    "recursion": (("ccc.compile.terms.staged_recursion", ""),),
}
"""The core, of which a sample is drawn by default."""
READ = "operators", "expressions", "branches", "loops", "whiles", "comprehensions", "closures", "recursion"
REWRITTEN = "inlining", "redundancy", "recomputation", "settled_reads", "shared_factors", "subsumed_whiles", "unread"
COMPILER: dict[str, tuple[tuple[str, str], ...]] = {
    **{area: AREAS[area] for area in ("trimming", "staging", "recursion")},
    "sweeps": (("ccc.compile.terms.readback", ""),),
    "reading": tuple([(f"ccc.compile.frontend.{name}", "") for name in READ]),
    "passes": tuple([(f"ccc.compile.passes.{name}", "") for name in REWRITTEN]),
    "emission": (("ccc.compile.numpy_source.emit", ""), ("ccc.compile.numpy_source.ownership", "")),
}
"""What every compiled program goes through."""
MACHINE_CODE: dict[str, tuple[tuple[str, str], ...]] = {
    "numbers": (("ccc.compile.native.scalars", ""), ("ccc.compile.native.writer", "")),
    "control": tuple([(f"ccc.compile.native.{name}", "") for name in ("lowering", "loops", "tapes")]),
}
ALL_AREAS = AREAS | COMPILER | MACHINE_CODE
PLANTED: tuple[tuple[int, Iterable[str]], ...] = ((25, COMPILER), (10, MACHINE_CODE))
"""How many mutants of which areas the full run plants."""


def planted(seed: int = 0) -> list[Mutant]:
    """The mutants of the full run: a sample, and those of kinds that runs of the laws have missed or did not end for.

    >>> len(planted()) - len(returned())
    35
    """
    return [*[mutant for n, areas in PLANTED for mutant in sample(n, seed=seed, areas=areas)], *returned()]


def returned() -> list[Mutant]:
    """The mutants of kinds that once survived the laws, or aborted or hung a run of them, and slips in categories.

    >>> sorted({mutant.operator for mutant in returned()})
    ['aborted', 'category', 'hung', 'survived']
    """
    found: list[Mutant] = []
    for entry in json.loads(RETURNED.read_text("utf-8")):
        data, before = source_of(entry["module"]).encode(), entry["before"].encode()
        start = data.index(before)
        line = data.count(b"\n", 0, start + len(before)) + 1
        found.append(Mutant(entry["module"], "once", entry["did"], entry["before"], entry["after"], line, start,
                            start + len(before)))
    return found


@cache
def source_of(module: str) -> str:
    """The source of a module, which is not imported for it: one that is known may have a file that has not run."""
    known = sys.modules.get(module)
    spec = importlib.util.find_spec(module) if known is None else None
    origin = known.__file__ if known is not None else spec and spec.origin
    assert origin is not None, module
    return Path(origin).read_text("utf-8")


@cache
def points(area: str) -> tuple[Mutant, ...]:
    """All mutants of an area.

    >>> len(points("recursion")) > 100
    True
    """
    return tuple([
        mutant for module, within in ALL_AREAS[area] for mutant in mutants_of(module, source_of(module), within)
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
    left = "" if found.get("reached", True) else "no example has run it"
    return Tried(mutant, outcome, killers, found["examples"], reason or left, seconds)
