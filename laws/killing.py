"""Which laws fail, and at which example: what a trial of a mutant asks.

>>> found = killers([2, 4], only=["curry-beta", "id-left"])
>>> found["killers"], found["laws"], found["examples"]
({}, 2, 4)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any

from ccc.laws.catalogue import chosen
from ccc.laws.checking import PATIENCE, judged_at, proved
from ccc.laws.checks import Check, Discarded
from ccc.laws.choices import Randomly
from ccc.laws.generate import Generator
from ccc.laws.limits import EXAMPLE_SECONDS, limited
from ccc.laws.recorded import recorded_cell
from ccc.laws.scalars import Undecided
from ccc.laws.subjects import Subject, standard

OF_PROGRAMS = "programs", "costs"  # the sections of what compiles programs
RESORT = 5.0 * EXAMPLE_SECONDS  # then a process that is there for the trial ends: machine code that loops sees nothing
HEAVY = 40.0  # the weight of checks up to which an example has to end within those seconds
Killer = list[Any]  # example, category, "raises" or "differs", what


class Late(Exception):
    """The time is over."""


def unnoted(law: str, example: int, seconds: float) -> None:
    """Note nothing of what is asked."""


def always() -> bool:
    """What is not known to be anywhere may be reached by any example."""
    return True


def killers(
    stages: Sequence[int], *, only: Iterable[str] | None = None, seconds: float = 300.0, seed: int = 0,
    first: bool = False, reached: Callable[[], bool] = always, asking: Callable[[str, int, float], None] = unnoted,
) -> dict[str, Any]:
    """The checks that fail among the first `stages[0]` examples of each, with the first example that does; where none
    fails, the checks that do at the first later example of that number that one fails at, below `stages[-1]`.
    `examples` is how many of each were drawn; `seconds` are the processor's. With `first` one that fails is enough, and
    checks are asked in the order in which they are likely to: `reached` says whether an example, since it was asked
    last, has run what is changed, and `asking` is told what is asked next and how long that may take: a process that
    dies says nothing more."""
    trials = Trials(standard(), seed, process_time() + seconds, reached, asking)
    checks = chosen(only)
    try:
        done = _first(trials, checks, stages) if first else _all(trials, checks, stages)
    except Late:
        return {"killers": trials.found, "laws": len(checks), "examples": trials.done, "late": True,
                "reached": bool(trials.near) or not first}
    return {"killers": trials.found, "laws": len(checks), "examples": done}


@dataclass
class Trials:
    """What was asked of each check, what failed, and which checks run what is changed."""

    subjects: Sequence[Subject]
    seed: int
    end: float
    reached: Callable[[], bool]
    asking: Callable[[str, int, float], None]
    asked: dict[str, int] = field(default_factory=dict)
    found: dict[str, Killer] = field(default_factory=dict)
    near: list[Check] = field(default_factory=list)
    done: int = 0

    def ask(self, checks: Iterable[Check], count: Callable[[Check], int], first: bool = False) -> bool:
        """Ask checks for so many examples of each, those that were not asked before; says whether one has failed."""
        for check in checks:
            before, self.asked[check.name] = self.asked.get(check.name, 0), max(
                self.asked.get(check.name, 0), count(check))
            for i in range(before, self.asked[check.name]):
                if process_time() > self.end:
                    raise Late
                self.asking(check.name, i, RESORT * max(check.weight / HEAVY, 1.0))
                killer = _tried(check, self.subjects, self.seed, i)
                if first and self.reached() and check not in self.near:
                    self.near.append(check)
                if killer is not None:
                    self.found[check.name] = killer
                    break
            if first and self.found:
                break
        return bool(self.found)

    def prove(self, checks: Iterable[Check]) -> bool:
        """Prove again what is on record as proved; says whether a proof is lost."""
        for check in checks:
            for subject in self.subjects:
                if process_time() > self.end:
                    raise Late
                if not check.concerns(subject) or not recorded_cell(check.name, subject).endswith("proved"):
                    continue
                self.asking(check.name, 0, RESORT + PATIENCE)
                if proved(check, subject) is None:
                    self.found[check.name] = [0, subject.name, "differs", "the proof on record is lost"]
                    return True
        return False


def _all(trials: Trials, checks: Sequence[Check], stages: Sequence[int]) -> int:
    for n in (stages[0], *range(stages[0] + 1, stages[-1] + 1)):
        found = trials.ask(checks, lambda check: _share(check, n))  # noqa: B023
        trials.done = n
        if found:
            return trials.done
    trials.prove(checks)
    return trials.done


def _first(trials: Trials, checks: list[Check], stages: Sequence[int]) -> int:
    """One check that fails: each is asked for an example and what is on record for its proof, then those that have run
    what is changed for a few examples, so that more are found that do, and these for all; then for as many as the
    lightest get; then the others. Those of programs come first, and of these the light ones."""
    checks.sort(key=_turn)
    few, most = stages[0], stages[-1]
    near = trials.near
    plan: list[tuple[list[Check], Callable[[Check], int]]] = [
        (checks, lambda check: 1), (near, lambda check: _share(check, 4 * few)),
        (checks, lambda check: few),
        (near, lambda check: _share(check, most)), *[(near, lambda check, n=n: n) for n in _doubled(few, most)],
        (checks, lambda check: _share(check, most)),
    ]
    for stage, (some, count) in enumerate(plan):
        if trials.ask(sorted(some, key=_turn), count, first=True) or (stage == 0 and trials.prove(checks)):
            break
        trials.done = min(trials.asked.values())
    return trials.done


def _turn(check: Check) -> tuple[bool, float]:
    """What comes first: the laws of programs, light before heavy."""
    return check.section not in OF_PROGRAMS or check.weight > HEAVY, check.weight


def _doubled(few: int, most: int) -> list[int]:
    """Numbers that double, up to the last.

    >>> _doubled(4, 20)
    [4, 8, 16, 20]
    """
    return [few] if few >= most else [few, *_doubled(min(2 * few, most), most)]


def _share(check: Check, examples: int) -> int:
    return max(round(examples * check.share), 1) if examples else 0


def _tried(check: Check, subjects: Sequence[Subject], seed: int, i: int) -> Killer | None:
    """The first category in which the i-th example of a check fails, and how."""
    drawn: dict[frozenset[str], Any] = {}
    for subject in subjects:
        if not check.concerns(subject):
            continue
        features = subject.features
        try:
            with limited(EXAMPLE_SECONDS * max(check.weight / HEAVY, 1.0)):
                if features not in drawn:
                    try:
                        drawn[features] = check.draw(Generator(Randomly(check.name, seed, i), features), i)
                    except Discarded:
                        drawn[features] = None
                if drawn[features] is None:
                    continue
                judging = Randomly(check.name, seed, i, "judge")
                result = judged_at(check, subject, drawn[features], judging)
                what = [None if found is None else str(found)[:200] for found in (result.observed, result.strict)]
        except (Discarded, Undecided, NotImplementedError):
            continue
        except (Exception, RecursionError) as error:
            return [i, subject.name, "raises", f"{type(error).__name__} is raised: {error}"[:200]]
        observed, strict = what
        if observed is not None:
            return [i, subject.name, "raises" if " is raised: " in observed else "differs", observed]
        if strict is not None and check.strict(subject) == "strictly":
            return [i, subject.name, "differs", f"strictly, {strict}"[:200]]
    return None
