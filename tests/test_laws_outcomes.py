"""The laws of outcomes find what they are for: words that overflow, and reals of 32 bits that are not rounded."""

from __future__ import annotations

import pytest

from ccc.compile.native import lowering
from ccc.compile.native.writer import Writer
from ccc.compile.passes import recomputation, redundancy
from ccc.compile.program.lam import Apply
from ccc.laws.catalogue import chosen
from ccc.laws.checking import run
from ccc.laws.subjects import standard


def outcome_of(name: str) -> str:
    (verdict,) = run(chosen([name])[0], standard()[:1], shrink=False)
    return verdict.outcome


@pytest.mark.parametrize("name", [check.name for check in chosen(None) if check.name.startswith("outcome")])
def test_programs_do_what_plain_python_does(name):
    assert outcome_of(name) in ("tested", "not applicable")


def test_an_operation_that_raises_before_its_loop_is_found(monkeypatch):
    def always(let, shapes):
        return type(let.op) is Apply and not let.op.primitive.effect

    for module in (redundancy, recomputation):
        monkeypatch.setattr(module, "may_move", always)
    assert outcome_of("outcome") == "fails"


def test_a_result_that_does_not_count_and_is_given_is_found(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(Writer, "spoil", lambda self, test: None)
    assert outcome_of("outcome-machine-code") == "fails"


def test_python_numbers_that_widen_reals_of_32_bits_are_found(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(lowering, "weakly", lambda m, let, args: args)
    assert outcome_of("outcome-narrow-machine-code") == "fails"
