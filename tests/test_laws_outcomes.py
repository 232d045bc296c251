"""The laws of outcomes find what they are for: words that overflow, and reals of 32 bits that are not rounded."""

from __future__ import annotations

import pytest

from ccc.compile.native import lowering
from ccc.compile.native.writer import Writer
from ccc.compile.numpy_source import places
from ccc.compile.passes import recomputation, redundancy
from ccc.compile.program.lam import Apply
from ccc.compile.terms.stage import Recorder
from ccc.compile.xla import forms
from ccc.laws.catalogue import chosen
from ccc.laws.checking import run
from ccc.laws.subjects import standard
from ccc.primitives import arithmetic


def outcome_of(name: str) -> str:
    (check,) = chosen([name])
    (verdict,) = run(check, [subject for subject in standard() if check.applies(subject)][:1] or standard()[:1],
                     shrink=False)
    return verdict.outcome


@pytest.mark.share(2)
@pytest.mark.parametrize("name", [check.name for check in chosen(None) if check.name.startswith("outcome")])
def test_programs_do_what_plain_python_does(name):
    assert outcome_of(name) in ("tested", "not applicable")


@pytest.mark.parametrize("name", ["outcome", "outcome-gradient"])
def test_an_operation_that_raises_and_is_moved_or_not_read_is_found(name, monkeypatch):
    def always(let, shapes):
        return type(let.op) is Apply and not let.op.primitive.effect

    for module in (redundancy, recomputation):
        monkeypatch.setattr(module, "may_move", always)
    assert outcome_of(name) == "fails"


def test_a_result_that_does_not_count_and_is_given_is_found(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(Writer, "spoil", lambda self, test: None)
    assert outcome_of("outcome-machine-code") == "fails"


def test_python_numbers_that_widen_reals_of_32_bits_are_found(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(lowering, "weakly", lambda m, let, args: args)
    assert outcome_of("outcome-narrow-machine-code") == "fails"


def test_a_wrong_slope_of_a_quotient_is_found():
    right = arithmetic.div.pullback
    assert right is not None

    def doubled(d, y, a, b):
        found = right(d, y, a, b)
        return found[0], found[1] * 2.0

    object.__setattr__(arithmetic.div, "pullback", doubled)
    try:
        assert outcome_of("outcome-gradient") == "fails"
    finally:
        object.__setattr__(arithmetic.div, "pullback", right)


def test_sizes_that_differ_and_are_told_of_an_operand_that_is_overwritten_are_found(monkeypatch):
    monkeypatch.setattr(places, "reword", lambda *given: None)
    assert outcome_of("outcome-sizes") == "fails"


def test_an_effect_that_happens_again_is_found(monkeypatch):
    effect = Recorder.effect

    def twice(self, primitive, args, params, label):
        effect(self, primitive, args, params, label)
        return effect(self, primitive, args, params, label)

    monkeypatch.setattr(Recorder, "effect", twice)
    assert outcome_of("outcome-gradient") == "fails"


def test_a_wrong_form_of_a_primitive_in_xla_is_found(monkeypatch):
    pytest.importorskip("jax")
    assert outcome_of("program-xla") == "tested"
    monkeypatch.setitem(forms.TABLE, arithmetic.mul, forms.Entry(lambda e, a, b: a * b + 1.0))
    assert outcome_of("program-xla") == "fails"
