"""Running checks: each example is drawn once and judged in every category, and what fails is made as small as possible.

>>> from ccc.laws.catalogue import chosen
>>> from ccc.laws.subjects import standard
>>> for verdict in run(chosen(["curry-eta"])[0], standard(), examples=20):
...     print(verdict)
curry-eta is proved in Functions (one normal form in 10 instances, 20 cases)
curry-eta is proved in Reverse(AdditiveMap) (one normal form in 10 instances, 268 cases)
curry-eta holds up to ≅ only in Reverse(Delta) (proved: one normal form in 10 instances, 32 cases)
curry-eta holds up to ≅ only in Reverse(AnyDerivative) (proved: one normal form in 10 instances, 32 cases)
curry-eta holds up to ≅ only in Forward (proved: one normal form in 10 instances, 42 cases)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from ccc.arrows import Arrow
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.choices import Choices, Randomly, Replayed, Span
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.lambdas import python
from ccc.laws.linearity import prove as prove_linear
from ccc.laws.monoids import prove as prove_monoid
from ccc.laws.proving import prove as prove_law
from ccc.laws.scalars import Undecided
from ccc.laws.shrinking import shrunk
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Counterexample, Part, Proof, Verdict

TRIES = 600  # tests that shrinking a counterexample may take
Tick = Callable[[int], None]
Drawn = tuple[Any, list[int] | None]  # an example and its choices, or why there is none
Prover = Callable[[Check, Subject], Proof | None]
PROVERS: list[Prover] = [prove_law, prove_linear, prove_monoid]
"""What may prove a check in a category. Where an example fails, no proof counts."""


@dataclass(slots=True)
class Found:
    """What the examples so far have shown of one category."""

    subject: Subject
    examples: int = 0
    failed: tuple[int, list[int], list[int]] | None = None
    weak: tuple[int, list[int], list[int]] | None = None
    dropped: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def judged(check: Check, subject: Subject, example: Choices, judging: Choices, i: int) -> Judged:
    """The judgement of one example; an error that the category raises is a difference too."""
    drawn = check.draw(Generator(example, subject.features), i)
    return judged_at(check, subject, drawn, judging)


def judged_at(check: Check, subject: Subject, drawn: Any, judging: Choices) -> Judged:
    """The judgement of an example that is drawn already."""
    try:
        return check.judge(subject.comparison(Generator(judging, subject.features)), drawn)
    except (Discarded, Undecided, NotImplementedError):
        raise
    except Exception as error:
        where = f"{type(error).__name__} is raised: {error}"
        return Judged(Difference(where, "this example", None, "an error", "a value"))


def run(
    check: Check, subjects: Sequence[Subject], *, examples: int = 200, seed: int = 0, only: int | None = None,
    tick: Tick = lambda n: None, again: str = "python3 -m laws", shrink: bool = True,
) -> list[Verdict]:
    """The verdicts on one check in each category, from so many examples; with `only`, from the example of that number.

    `again` is the command that the report says to run to see a counterexample again; without `shrink` there is the
    first one, as it was found.
    """
    concerned = [Found(subject) for subject in subjects if check.concerns(subject)]
    count = max(round(examples * check.share), 1)
    for i in range(count) if only is None else [only]:
        drawn: dict[frozenset[str], Drawn] = {}
        for found in concerned:
            if found.failed is None:
                start = perf_counter()
                _one(check, found, seed, i, drawn)
                found.seconds += perf_counter() - start
        tick(1)
    verdicts = {found.subject.name: _verdict(check, found, seed, again, TRIES if shrink else 0) for found in concerned}
    return [verdicts[s.name] if s.name in verdicts else _not_applicable(check, s) for s in subjects]


def _one(check: Check, found: Found, seed: int, i: int, drawn: dict[frozenset[str], Drawn]) -> None:
    """Judge the i-th example in one category, drawing it where no other category with these combinators has."""
    features = found.subject.features
    if features not in drawn:
        choices = Randomly(check.name, seed, i)
        try:
            drawn[features] = check.draw(Generator(choices, features), i), choices.taken
        except Discarded as error:
            drawn[features] = reason(error), None
    example, taken = drawn[features]
    if taken is None:
        found.dropped[example] += 1
        return
    judging = Randomly(check.name, seed, i, "judge")
    try:
        result = judged_at(check, found.subject, example, judging)
    except (Discarded, Undecided, NotImplementedError) as error:
        found.dropped[reason(error)] += 1
        return
    found.examples += 1
    if result.observed is not None:
        found.failed = (i, taken, judging.taken)
    elif result.strict is not None and (found.weak is None or len(taken) < len(found.weak[1])):
        found.weak = (i, taken, judging.taken)


def reason(error: Exception) -> str:
    """Why an example says nothing: the error that it was dropped for.

    >>> from ccc.laws.scalars import Undecided
    >>> reason(Undecided()), reason(NotImplementedError("no loops"))
    ('rounding decides', 'no loops')
    """
    cause = error.__cause__ or error
    return str(cause).splitlines()[0][:100] if str(cause) else DROPPED.get(type(cause), type(cause).__name__)


DROPPED: dict[type[BaseException], str] = {Undecided: "rounding decides", Discarded: "the law says nothing of it"}


def _not_applicable(check: Check, subject: Subject) -> Verdict:
    return Verdict(check.name, check.statement, check.section, subject.name, "not applicable", 0)


def _verdict(check: Check, found: Found, seed: int, again: str, tries: int) -> Verdict:
    if found.examples == 0:
        return _not_applicable(check, found.subject)
    outcome: Any = "fails" if found.failed else "up to ≅" if found.weak else "tested"
    at = found.failed or found.weak
    counterexample = None
    if at is not None:
        counterexample = smallest(
            check, found.subject, at, seed, strictly=not found.failed, again=again, tries=tries
        )
    proof = None if found.failed else check.prove(found.subject) or next(
        filter(None, (prover(check, found.subject) for prover in PROVERS)), None
    )
    if proof is not None and proof.extent == "strictly" and found.weak:
        proof = None
    if proof is not None:
        outcome = "proved" if proof.extent == "strictly" else "up to ≅"
        counterexample = counterexample or proof.counterexample
    return Verdict(
        check.name, check.statement, check.section, found.subject.name, outcome, found.examples, counterexample,
        check.strict(found.subject), proof.argument if proof is not None else "", dict(found.dropped), found.seconds,
    )


def smallest(
    check: Check, subject: Subject, at: tuple[int, list[int], list[int]], seed: int, *, strictly: bool, again: str,
    tries: int = TRIES,
) -> Counterexample:
    """The smallest counterexample that shrinking reaches from a failing example."""
    i, taken, judging = at

    def found(example: Sequence[int], sources: Iterable[Choices]) -> Difference | None:
        for source in sources:
            try:
                result = judged(check, subject, Replayed(example), source, i)
            except (Discarded, Undecided, NotImplementedError, RecursionError):
                continue
            difference = result.strict if strictly else result.observed
            if difference is not None:
                return difference
        return None

    def fresh() -> list[Choices]:
        return [Replayed(judging, Randomly(seed, i)), Randomly(seed, i, "again"), Randomly(seed, i, "once more")]

    def spans(choices: list[int]) -> list[Span]:
        generator = Generator(Replayed(choices), subject.features)
        with suppress(Exception):  # where what is drawn is refused, its parts up to there are known
            check.draw(generator, i)
        return generator.spans

    example = shrunk(taken, lambda choices: found(choices, fresh()) is not None, tries=tries, spans=spans)
    source = next((s for s in fresh() if found(example, [s]) is not None), None)
    points = list(getattr(source, "taken", judging))
    points = shrunk(points, lambda choices: found(example, [Replayed(choices)]) is not None, tries=tries // 2)
    difference = found(example, [Replayed(points)]) or found(taken, [Replayed(judging)])
    drawn = check.draw(Generator(Replayed(example), subject.features), i)
    parts = tuple([part_of(name, what) for name, what in drawn.named()])
    return Counterexample(parts, str(difference), repeated(again, check.name, seed, i))


def repeated(again: str, name: str, seed: int, i: int) -> str:
    """How to see one example again: a command, or a call of Python.

    >>> repeated("python3 -m laws", "curry-eta", 0, 17)
    'python3 -m laws --only curry-eta --seed 0 --example 17'
    >>> repeated("laws.check(...)", "curry-eta", 0, 17)
    "laws.check(..., only=['curry-eta'], seed=0, example=17)"
    """
    if again.endswith(")"):
        return f"{again[:-1]}, only=[{name!r}], seed={seed}, example={i})"
    return f"{again} --only {name} --seed {seed} --example {i}"


def part_of(name: str, what: Any) -> Part:
    """An arrow, or a text, of a counterexample.

    >>> from ccc.laws.generate import PAIR
    >>> from ccc.combinators import swap
    >>> part_of("f", swap(PAIR))
    Part(name='f', python='lambda x, y: (y, x)', diagram='prod(proj_right, proj_left)')
    """
    return Part(name, python(what), str(what)) if isinstance(what, Arrow) else Part(name, str(what), "")
