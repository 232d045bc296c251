"""The passes and back ends of the compiler as checks: each preserves value and pullback.

    staged f ≅ f        simplified or not        derivative f = (x, ct) |-> pb ct        emitted code = the host

>>> [check.name for check in PASSES]
['staging', 'staging-unsimplified', 'derivative-staged', 'derivative-emitted', 'value-emitted']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO
from ccc.arrows import Arrow, functor
from ccc.categories.functions import Functions
from ccc.errors import CannotStage
from laws.checks import Check, Discarded, Judged
from laws.cotangents import same_cotangent
from laws.equality import Difference
from laws.obligations import Sample, first_order
from laws.passes import of_pass
from laws.scalars import EXACT, RATIONALS
from laws.staging import derivative, derivative_program, emitted, program_of, staged, unsimplified
from laws.subjects import Subject


def _discrete(ct: Any, unit: Any) -> Any:
    """A cotangent with `unit` where the value is discrete."""
    if isinstance(ct, tuple):
        return tuple([_discrete(part, unit) for part in ct])
    return unit if isinstance(ct, bool) or ct is None else ct


def _against_host(run: Callable[[Arrow, Any, Any, Any], Any]) -> Callable[[Any, Sample], Judged]:
    """The judgement that `run(f, exponential, x, ct)` is what the pullback on the host base gives."""

    def judge(comparison: Any, sample: Sample) -> Judged:
        f = sample.arrow
        x, ct = comparison.draw.point(f.dom), comparison.draw.point(f.cod)
        expected = comparison.read(f)(x)[1](_discrete(ct, ZERO))
        try:
            found = run(f, comparison.k.exponential, x, _discrete(ct, ()))
        except CannotStage as error:
            raise Discarded from error
        if same_cotangent(_discrete(found, ZERO), expected):
            return Judged()
        return Judged(Difference("the derivative program differs from the host", x, ct, found, expected))

    return judge


def _interpreted(f: Arrow, exponential: Any, x: Any, ct: Any) -> Any:
    return functor(Functions(EXACT), derivative(f, exponential))((x, ct))


def _emitted(f: Arrow, exponential: Any, x: Any, ct: Any) -> Any:
    return emitted(derivative_program(f, exponential))(x, ct)


def _value_emitted(comparison: Any, sample: Sample) -> Judged:
    x = comparison.draw.point(sample.arrow.dom)
    expected = comparison.read(sample.arrow)(x)
    try:
        found = emitted(program_of(sample.arrow))(x)
    except CannotStage as error:
        raise Discarded from error
    return Judged(None if found == expected else Difference("emitted code differs", x, None, found, expected))


def _reverse(subject: Subject) -> bool:
    return subject.kind == "pullbacks" and subject.known and subject.numbers is RATIONALS


def _plain(subject: Subject) -> bool:
    return subject.kind == "values" and subject.known and subject.numbers is RATIONALS


PASSES: tuple[Check, ...] = (
    of_pass(staged, "staging", order=0, refuses=(CannotStage,), share=0.5,
            statement="recorded on staged values, read back and abstracted, f ≅ f"),
    of_pass(unsimplified, "staging-unsimplified", order=0, refuses=(CannotStage,), share=0.5,
            statement="the same with nothing simplified"),
    Check("derivative-staged", "passes", "the derivative program, interpreted = the pullback on the host",
          first_order, _against_host(_interpreted), applies=_reverse, share=0.5),
    Check("derivative-emitted", "passes", "the derivative program, emitted = the pullback on the host",
          first_order, _against_host(_emitted), applies=_reverse, share=0.5),
    Check("value-emitted", "passes", "the program, emitted = plain functions on the host", first_order,
          _value_emitted, applies=_plain, share=0.5),
)
