"""The passes and back ends of the compiler as checks: each preserves value and pullback.

    staged f ≅ f        simplified or not        derivative f = (x, ct) |-> pb ct        emitted code = the host

Which check judges which pass:

    recording, reading back (`readback`, `knots`), abstraction    staging, derivative-staged
    simplification                                               staging-unsimplified, derivative-unsimplified
    redundancy (`numbering`, `redundancy`)                       redundancy, derivative-redundancy
    derivation (`derive`) and emission                           derivative-, pullback-, differential-, value-emitted
    what cannot be staged (`host`)                               pullback-on-host
    trimming                                                     trim-captures, weakening, compile-translation
    contributions, updates in place (`ownership`), tapes         program-value, -pullback, -differential
    machine code (`compile.native`)                               program-machine-code
    XLA (`compile.xla`)                                           program-xla

>>> [check.name for check in PASSES]  # doctest: +NORMALIZE_WHITESPACE
['staging', 'staging-unsimplified', 'redundancy', 'derivative-staged', 'derivative-emitted', 'derivative-unsimplified',
 'derivative-redundancy', 'pullback-emitted', 'pullback-on-host', 'differential-emitted', 'value-emitted']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO
from ccc.arrows import Arrow
from ccc.categories.forward import Forward
from ccc.categories.functions import Functions
from ccc.compile.numpy_source.numpy_target import emit, load
from ccc.compile.program.lam import Tree, Var
from ccc.compile.terms.derive import forward, pullback as derived_pullback
from ccc.compile.terms.host import on_host
from ccc.compile.terms.plan import Plan
from ccc.compile.terms.wanted import Part
from ccc.denotation import functor
from ccc.errors import CannotStage
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.cotangents import same_cotangent
from ccc.laws.equality import Difference
from ccc.laws.obligations import Sample, first_order
from ccc.laws.passes import of_pass
from ccc.laws.scalars import EXACT
from ccc.laws.staging import (
    Unsimplified,
    derivative,
    derivative_program,
    emitted,
    irredundant,
    program_of,
    rewritten,
    staged,
    unsimplified,
)
from ccc.laws.subjects import of_kind
from ccc.objects import is_discrete


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


def _pulled_back(f: Arrow, exponential: Any, x: Any, ct: Any) -> Any:
    """What the compiler makes for `value_with_pullback`; the second call is to find what the first left behind."""
    plan, program = Plan("pullback", (0,), exponential, bare=True), program_of(f)
    seeds = _seeds(program.result, ct)
    _, pb = load(emit(derived_pullback(program, plan.parts, plan.category, plan.bare), True))(x)
    pb(*seeds)
    return pb(*seeds)


def _on_host(f: Arrow, exponential: Any, x: Any, ct: Any) -> Any:
    program = program_of(f)
    _, pb = on_host(Plan("pullback", (0,), exponential, bare=True), program)(x)
    return pb(*_seeds(program.result, ct))


def _seeds(result: Tree, ct: Any) -> list[Any]:
    """The cotangents of the results that are computed, for each of which a pullback has a parameter."""
    if isinstance(result, tuple):
        return [leaf for tree, part in zip(result, ct, strict=True) for leaf in _seeds(tree, part)]
    return [ct] if isinstance(result, Var) and not is_discrete(result.object) else []


def _unsimplified(f: Arrow, exponential: Any, x: Any, ct: Any) -> Any:
    return emitted(derivative_program(f, exponential, Unsimplified))(x, ct)


def _irredundant(f: Arrow, exponential: Any, x: Any, ct: Any) -> Any:
    return emitted(rewritten(derivative_program(f, exponential)))(x, ct)


def _differential(comparison: Any, sample: Sample) -> Judged:
    f = sample.arrow
    x, v = comparison.draw.point(f.dom), comparison.draw.point(f.dom)
    expected = comparison.read(f)((x, _discrete(v, ZERO)))[1]
    try:
        program = forward(program_of(f), (Part(0),), Forward())
        found = load(emit(program))(x, _discrete(v, None))
    except CannotStage as error:
        raise Discarded from error
    if same_cotangent(_discrete(found, ZERO), expected):
        return Judged()
    return Judged(Difference("the differential program differs from the host", x, v, found, expected))


def _value_emitted(comparison: Any, sample: Sample) -> Judged:
    x = comparison.draw.point(sample.arrow.dom)
    expected = comparison.read(sample.arrow)(x)
    try:
        found = emitted(program_of(sample.arrow))(x)
    except CannotStage as error:
        raise Discarded from error
    return Judged(None if found == expected else Difference("emitted code differs", x, None, found, expected))


PASSES: tuple[Check, ...] = (
    of_pass(staged, "staging", order=0, refuses=(CannotStage,), share=0.5,
            statement="recorded on staged values, read back and abstracted, f ≅ f"),
    of_pass(unsimplified, "staging-unsimplified", order=0, refuses=(CannotStage,), share=0.5,
            statement="the same with nothing simplified"),
    of_pass(irredundant, "redundancy", order=0, refuses=(CannotStage,), share=0.5,
            statement="recorded, with nothing computed twice, and abstracted, f ≅ f"),
    Check("derivative-staged", "passes", "the derivative program, interpreted = the pullback on the host",
          first_order, _against_host(_interpreted), applies=of_kind("pullbacks"), share=0.5),
    Check("derivative-emitted", "passes", "the derivative program, emitted = the pullback on the host",
          first_order, _against_host(_emitted), applies=of_kind("pullbacks"), share=0.5),
    Check("derivative-unsimplified", "passes", "the same with nothing simplified", first_order,
          _against_host(_unsimplified), applies=of_kind("pullbacks"), share=0.5),
    Check("derivative-redundancy", "passes", "the same with nothing computed twice", first_order,
          _against_host(_irredundant), applies=of_kind("pullbacks"), share=0.5),
    Check("pullback-emitted", "passes", "the pullback that is emitted, called twice = the pullback on the host",
          first_order, _against_host(_pulled_back), applies=of_kind("pullbacks"), share=0.5),
    Check("pullback-on-host", "passes", "the pullback of what cannot be staged = the pullback on the host",
          first_order, _against_host(_on_host), applies=of_kind("pullbacks"), share=0.5),
    Check("differential-emitted", "passes", "the differential program, emitted = tangents on the host", first_order,
          _differential, applies=of_kind("tangents"), share=0.5),
    Check("value-emitted", "passes", "the program, emitted = plain functions on the host", first_order,
          _value_emitted, applies=of_kind("values"), share=0.5),
)
