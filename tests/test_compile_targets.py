"""Every registered target satisfies the protocol; one line of registration is all that another one needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.api import targets
from ccc.compile.api.choice import waiting_for
from ccc.compile.api.targets import AUTO, REFERENCE, REGISTERED, TARGETS, backends, candidate, made_by
from ccc.compile.api.wrapper import known_backend
from ccc.compile.diagnostics import WrongArguments
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.passes.improve import improve
from ccc.compile.program.lam import Apply, Program, lets_in
from ccc.compile.program.target import Module, NotTaken, Target
from ccc.compile.terms.plan import Plan, derived

HERE = [pytest.param(target, marks=pytest.mark.skipif(target.missing() != "", reason=target.missing() or "it is here"))
        for target in REGISTERED]  # fmt: skip


def wave(x: float, xs: Any) -> float:
    s = x
    for y in xs:
        s = s + math.sin(s * y)
    return s


ARGS = (0.5, np.array([1.0, -2.0, 0.25]))


def program(kind: str) -> tuple[Program, Plan]:
    plan = Plan(kind, (0, 1), None)
    found = derived(plan, elaborate(wave, ARGS).program)
    improve(found)
    return found, plan


def unneeded(*args: Any) -> Any:
    raise AssertionError("a call was left to the other target")


@pytest.mark.parametrize("target", HERE)
def test_a_target_computes_values_and_pullbacks(target: Target):
    found, plan = program("value")
    call, reason = made_by(target, found, plan.pullback, unneeded, ARGS)
    assert reason == "" and call(*ARGS) == pytest.approx(wave(*ARGS))
    found, plan = program("pullback")
    call, reason = made_by(target, found, plan.pullback, unneeded, ARGS)
    value, pullback = call(*ARGS)
    dx, dxs = pullback(1.0)
    x, xs = ccc.gradient(wave, backend=REFERENCE.name)(*ARGS)
    assert reason == "" and value == pytest.approx(wave(*ARGS))
    assert dx == pytest.approx(x) and np.allclose(dxs, xs)


@pytest.mark.parametrize("target", HERE)
def test_a_target_says_what_it_is(target: Target):
    assert target.unavailable() == "" and TARGETS[target.name] is target and target.compiler
    found, plan = program("value")
    module = target.lower(found, plan.pullback, ARGS)
    assert module.text and module.function(unneeded, ARGS)(*ARGS) == pytest.approx(wave(*ARGS))
    assert 0.0 <= target.making(10) <= target.making(1000) and module.making() >= 0.0
    explained = ccc.explain(ccc.gradient(wave, backend=target.name), *ARGS)
    assert explained.backend == target.name


def test_the_reference_takes_what_others_do_not():
    def says(x: float) -> float:
        print("computing")
        return x * x

    for target in REGISTERED:
        assert ccc.gradient(says, backend=target.name)(2.0) == 4.0


class Other:
    """A target that asks the reference, but for one primitive."""

    name = "other"
    compiler = "nobody"
    asked_only = False

    def __init__(self) -> None:
        self.made: list[str] = []

    def arrays(self) -> None:
        return None

    def missing(self) -> str:
        return ""

    def unavailable(self) -> str:
        return ""

    def making(self, lets: int) -> float:
        return 0.0

    def lower(
        self, program: Program, pullback: bool, args: Sequence[Any], changes: list[Any] | None = None
    ) -> Module:
        if any(isinstance(let.op, Apply) and let.op.primitive.name == "math.exp" for let in lets_in(program.block)):
            raise NotTaken("`exp`")
        self.made.append(program.name)
        return REFERENCE.lower(program, pullback, args, changes)


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Other:
    found = Other()
    monkeypatch.setitem(TARGETS, found.name, found)
    return found


def test_one_line_registers_a_target(other: Other):
    assert backends()[-2:] == ("other", AUTO) and known_backend("other") == "other"

    def f(x: float) -> float:
        return math.sin(x) * x

    def g(x: float) -> float:
        return math.exp(x) * x

    x = 0.75
    assert ccc.gradient(f, backend="other")(x) == ccc.gradient(f, backend=REFERENCE.name)(x)
    assert other.made == ["f_gradient"]
    assert ccc.gradient(g, backend="other")(x) == ccc.gradient(g, backend=REFERENCE.name)(x)
    assert other.made == ["f_gradient"]
    assert ccc.explain(ccc.gradient(f, backend="other"), x).backend == "other"
    assert ccc.explain(ccc.gradient(g, backend="other"), x).backend == "numpy: other code does not take `exp`"


def test_auto_waits_for_the_first_target_that_is_installed(monkeypatch: pytest.MonkeyPatch, other: Other):
    def waits() -> Any:
        found, plan = program("value")
        return waiting_for(found, plan.pullback, ARGS, unneeded)

    monkeypatch.setattr(targets, "TARGETS", {target.name: target for target in (REFERENCE, other)})
    waiting, reason = waits()
    assert candidate() is other and waiting is not None and waiting.target is other and reason == ""
    monkeypatch.setattr(other, "missing", lambda: "nobody has it")
    assert candidate() is other and waits() == (None, "nobody has it")
    monkeypatch.setattr(targets, "TARGETS", {REFERENCE.name: REFERENCE})
    assert candidate() is None and waits() == (None, "no other target is registered")


def test_a_backend_that_is_not_known_is_refused_by_the_names_of_those_that_are():
    names = ", ".join(map(repr, backends()))
    with pytest.raises(WrongArguments, match=f"backend='numpi' is not known: {names} are"):
        ccc.gradient(wave, backend="numpi")
