"""Running checks: each example is drawn once and judged in every category, and what fails is made as small as possible.

>>> from ccc.laws.catalogue import chosen
>>> from ccc.laws.subjects import standard
>>> for verdict in run(chosen(["curry-eta"])[0], standard()[:3], examples=20):
...     print(verdict)
curry-eta is proved in Functions (one normal form in 10 instances, 10 cases, products of 2)
curry-eta is proved in Reverse(AdditiveMap) (one normal form in 10 instances, 140 cases, products of 2)
curry-eta holds up to ≅ only in Reverse(Delta) (proved: one normal form in 10 instances, 22 cases, products of 2)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from ccc.arrows import Arrow
from ccc.errors import MissingMeaning
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.choices import Choices, Randomly, Replayed, Span
from ccc.laws.collection import seldom
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.lambdas import python
from ccc.laws.limits import EXAMPLE_SECONDS, PATIENCE, Endless, limited, ready
from ccc.laws.linearity import prove as prove_linear
from ccc.laws.monoids import prove as prove_monoid
from ccc.laws.proving import prove as prove_law
from ccc.laws.recorded import recorded_cell
from ccc.laws.scalars import Undecided
from ccc.laws.shrinking import shrunk
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Counterexample, Part, Proof, Verdict
from ccc.laws.warned import counted
from ccc.laws.without_functions import Watched, family, forget

WITH_PROOF = 20  # examples of a law that is proved, or a tenth of those of others: they try what the proof supposes
TRIES = 600  # tests that shrinking a counterexample may take
Tick = Callable[[int], None]
Drawn = tuple[Any, list[int] | None]  # an example and its choices, or why there is none
SAYS_NOTHING = (Discarded, Undecided, NotImplementedError, MissingMeaning)
"""What an example is dropped for."""
Prover = Callable[[Check, Subject], Proof | None]
PROVERS: list[Prover] = [prove_law, prove_linear, prove_monoid]
"""What may prove a check in a category. Where an example fails, no proof counts."""


@dataclass(slots=True)
class Found:
    """What the examples so far have shown of one category."""

    subject: Subject
    proof: Proof | None
    wanted: int
    examples: int = 0
    failed: tuple[int, list[int], list[int]] | None = None
    weak: tuple[int, list[int], list[int]] | None = None
    dropped: Counter[str] = field(default_factory=Counter)
    warned: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    endless: bool = False


@dataclass(slots=True)
class Shared:
    """What was drawn and judged of one example for some categories and is the same in others."""

    watched: Watched
    drawn: dict[frozenset[str], Drawn] = field(default_factory=dict)
    results: dict[Hashable, tuple[Judged, list[int]]] = field(default_factory=dict)

    def judged(self, subject: Subject, judging: Randomly, judge: Callable[[], Judged], whole: bool) -> Judged:
        """What `judge` says with these choices, as it was found under another exponential where none was asked and the
        `whole` was judged."""
        common = family(subject), subject.features
        if common in self.results:
            result, judging.taken[:] = self.results[common]
            return result
        self.watched.asked = common[0] is None
        result = judge()
        if whole and not self.watched.asked:
            self.results[common] = result, judging.taken
        return result


def judged(check: Check, subject: Subject, example: Choices, judging: Choices, i: int) -> Judged:
    """The judgement of one example; an error in drawing it, or one that the category raises, is a difference too."""
    try:
        drawn = check.draw(Generator(example, subject.features), i)
    except SAYS_NOTHING:
        raise
    except Exception as error:  # told as a difference
        return raised(error)
    return judged_at(check, subject, drawn, judging)


def judged_at(check: Check, subject: Subject, drawn: Any, judging: Choices, *, strictly: bool = True) -> Judged:
    """The judgement of an example that is drawn already; unless `strictly`, of what is observed alone."""
    try:
        comparison = subject.comparison(Generator(judging, subject.features))
        comparison.asks_strictly = strictly
        return check.judge(comparison, drawn)
    except SAYS_NOTHING:
        raise
    except Exception as error:  # told as a difference
        return raised(error)


def raised(error: Exception) -> Judged:
    """The judgement of an example in which something is raised, or does not end."""
    return Judged(Difference(f"{type(error).__name__} is raised: {error}", "this example", None, "an error", "a value"))


def run(
    check: Check, subjects: Sequence[Subject], *, examples: int = 200, seed: int = 0, only: int | None = None,
    tick: Tick = lambda n: None, again: str = "python3 -m laws", shrink: bool = True,
) -> list[Verdict]:
    """The verdicts on one check in each category, from so many examples; with `only`, from the example of that number.

    `again` is the command that the report says to run to see a counterexample again; without `shrink` there is the
    first one, as it was found.
    """
    with seldom(), ready():
        return _run(check, subjects, max(round(examples * check.share), 1), seed, only, tick, again, shrink)


def _run(
    check: Check, subjects: Sequence[Subject], count: int, seed: int, only: int | None, tick: Tick, again: str,
    shrink: bool,
) -> list[Verdict]:
    concerned: list[Found] = []
    forget()
    for subject in subjects:
        if check.concerns(subject):
            with counted(Counter()):
                proof = proved(check, subject)
            wanted = count if proof is None else max(count // 10, min(count, WITH_PROOF))
            concerned.append(Found(subject, proof, max(round(wanted * subject.share), 1)))
    with Watched([found.subject for found in concerned]) as watched:
        for i in range(count) if only is None else [only]:
            shared = Shared(watched)
            for found in concerned:
                if found.failed is None and (i < found.wanted or only is not None):
                    start = perf_counter()
                    with counted(found.warned):
                        _one(check, found, seed, i, shared)
                    found.seconds += perf_counter() - start
            tick(1)
    verdicts: dict[str, Verdict] = {}
    for found in concerned:
        with counted(Counter()):
            verdicts[found.subject.name] = _verdict(check, found, seed, again, TRIES if shrink else 0, tick)
    return [verdicts[s.name] if s.name in verdicts else _not_applicable(check, s) for s in subjects]


def _one(check: Check, found: Found, seed: int, i: int, shared: Shared) -> None:
    """Judge the i-th example in one category, drawing it where no other category with these combinators has."""
    features, drawn = found.subject.features, shared.drawn
    if features not in drawn:
        choices = Randomly(check.name, seed, i)
        try:
            with limited(PATIENCE):
                drawn[features] = check.draw(Generator(choices, features), i), choices.taken
        except Discarded as error:
            drawn[features] = reason(error), None
        except Exception as error:  # told as a difference
            drawn[features] = raised(error), choices.taken
    example, taken = drawn[features]
    if taken is None:
        found.dropped[example] += 1
        return
    judging = Randomly(check.name, seed, i, "judge")
    smaller = found.weak is None or len(taken) < len(found.weak[1])
    try:
        with limited(PATIENCE):
            result = example if isinstance(example, Judged) else shared.judged(
                found.subject, judging,
                lambda: judged_at(check, found.subject, example, judging, strictly=smaller), smaller)
    except SAYS_NOTHING as error:
        found.dropped[reason(error)] += 1
        return
    except Endless as error:
        result = raised(error)
    found.endless = result.observed is not None and result.observed.what.startswith(Endless.__name__)
    found.examples += 1
    if result.observed is not None:
        found.failed = (i, taken, judging.taken)
    elif result.strict is not None and smaller:
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


def _verdict(check: Check, found: Found, seed: int, again: str, tries: int, tick: Tick) -> Verdict:
    recorded = recorded_cell(check.name, found.subject)
    if found.examples == 0:
        none = _not_applicable(check, found.subject)
        return replace(none, dropped=dict(found.dropped), warned=dict(found.warned), recorded=recorded)
    outcome: Any = "fails" if found.failed else "up to ≅" if found.weak else "tested"
    at = found.failed or found.weak
    counterexample = None
    if at is not None:
        counterexample = smallest(
            check, found.subject, at, seed, strictly=not found.failed, again=again,
            tries=0 if found.endless else tries, tick=tick,
        )
    proof = None if found.failed else found.proof
    if proof is not None and proof.extent == "strictly" and found.weak:
        proof = None
    if proof is not None:
        outcome = "proved" if proof.extent == "strictly" else "up to ≅"
        counterexample = counterexample or proof.counterexample
    return Verdict(
        check.name, check.statement, check.section, found.subject.name, outcome, found.examples, counterexample,
        check.strict(found.subject), proof.argument if proof is not None else "", dict(found.dropped),
        dict(found.warned), recorded, found.seconds,
    )


def proved(check: Check, subject: Subject) -> Proof | None:
    """The proof of a check in a category, where one is found in time; what a prover raises is none."""
    try:
        with limited(PATIENCE):
            own = check.prove(subject)
            return own or next(filter(None, (prover(check, subject) for prover in PROVERS)), None)
    except Exception:  # without a proof examples decide
        return None


def smallest(
    check: Check, subject: Subject, at: tuple[int, list[int], list[int]], seed: int, *, strictly: bool, again: str,
    tries: int = TRIES, tick: Tick = lambda n: None,
) -> Counterexample:
    """The smallest counterexample that shrinking reaches from a failing example."""
    i, taken, judging = at

    def found(example: Sequence[int], sources: Iterable[Choices]) -> Difference | None:
        for source in sources:
            tick(0)
            try:
                with limited(EXAMPLE_SECONDS):
                    result = judged(check, subject, Replayed(example), source, i)
            except (*SAYS_NOTHING, Endless):
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

    if not tries:
        return Counterexample(named_parts(check, subject, taken, i), str(found(taken, [Replayed(judging)])),
                              repeated(again, check.name, seed, i))
    example = shrunk(taken, lambda choices: found(choices, fresh()) is not None, tries=tries, spans=spans)
    source = next((s for s in fresh() if found(example, [s]) is not None), None)
    points = list(getattr(source, "taken", judging))
    points = shrunk(points, lambda choices: found(example, [Replayed(choices)]) is not None, tries=tries // 2)
    difference = found(example, [Replayed(points)]) or found(taken, [Replayed(judging)])
    return Counterexample(named_parts(check, subject, example, i), str(difference),
                          repeated(again, check.name, seed, i))


def named_parts(check: Check, subject: Subject, example: Sequence[int], i: int) -> tuple[Part, ...]:
    """What an example consists of; nothing where it cannot be drawn or shown."""
    try:
        with limited(EXAMPLE_SECONDS):
            drawn = check.draw(Generator(Replayed(example), subject.features), i)
            return tuple([part_of(name, what) for name, what in drawn.named()])
    except Exception:  # the verdict has told it
        return ()


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
