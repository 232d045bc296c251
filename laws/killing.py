"""Which laws fail, and at which example: what a trial of a mutant asks.

>>> found = killers([2, 4], only=["curry-beta", "id-left"])
>>> found["killers"], found["laws"], found["examples"]
({}, 2, 4)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import process_time
from typing import Any

from ccc.laws.catalogue import chosen
from ccc.laws.checking import judged_at
from ccc.laws.checks import Check, Discarded
from ccc.laws.choices import Randomly
from ccc.laws.generate import Generator
from ccc.laws.limits import EXAMPLE_SECONDS, limited
from ccc.laws.scalars import Undecided
from ccc.laws.subjects import Subject, standard

OF_PROGRAMS = "programs", "costs"  # the sections of what compiles programs
LIGHT = 8.0  # the weight of checks up to which an example takes a tenth of a second at most
HEAVY = 40.0  # the weight of checks up to which an example has to end within those seconds
Killer = list[Any]  # example, category, "raises" or "differs", what


def killers(
    stages: Sequence[int], *, only: Iterable[str] | None = None, seconds: float = 300.0, seed: int = 0,
    first: bool = False,
) -> dict[str, Any]:
    """The checks that fail among the first `stages[0]` examples of each, with the first example that does; where none
    fails, the checks that do at the first later example of that number that one fails at, below `stages[-1]`.
    `examples` is how many of each were drawn; `seconds` are the processor's. With `first` one that fails is enough;
    those that compile programs are asked before the others, and the light ones of these for all their examples."""
    end = process_time() + seconds
    subjects, checks = standard(), chosen(only)
    if first:
        checks.sort(key=lambda check: (check.section not in OF_PROGRAMS or check.weight > HEAVY, check.weight))
    found: dict[str, Killer] = {}
    done = 0
    asked: dict[str, int] = {}
    light = [check for check in checks if first and check.section in OF_PROGRAMS and check.weight <= LIGHT]
    rounds = [(light, stages[-1])] if light else []
    for those, stage in (*rounds, *[(checks, n) for n in (stages[0], *range(stages[0] + 1, stages[-1] + 1))]):
        for check in those:
            before, asked[check.name] = asked.get(check.name, 0), max(asked.get(check.name, 0), _share(check, stage))
            for i in range(before, asked[check.name]):
                if process_time() > end:
                    return {"killers": found, "laws": len(checks), "examples": done, "late": True}
                killer = _tried(check, subjects, seed, i)
                if killer is not None:
                    found[check.name] = killer
                    break
            if first and found:
                break
        done = stage
        if found:
            break
    return {"killers": found, "laws": len(checks), "examples": done}


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
