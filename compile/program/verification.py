"""What is known of a program between passes, where programs are verified: what each was given, what it leaves, and both
side by side."""

from __future__ import annotations

from typing import Protocol

from ccc.compile.program import linearity
from ccc.compile.program.lam import Program
from ccc.compile.program.verify import (
    BrokenProgram,
    Operations,
    Verifier,
    compare_effects,
    compare_given,
    effects,
    given,
    verify,
    verify_claims,
)


class Step(Protocol):
    """What a pass says of itself."""

    @property
    def name(self) -> str: ...

    @property
    def needs(self) -> tuple[str, ...]: ...

    @property
    def leaves(self) -> tuple[str, ...]: ...

    @property
    def exact(self) -> bool: ...

    @property
    def reorders(self) -> bool: ...


class Verification:
    """What is known of a program between passes. Whether claims hold takes a walk longer than all else, and what one
    pass breaks no other one mends: they are looked at behind the last pass."""

    def __init__(self, program: Program, fresh: bool = True) -> None:
        self.forms: set[str] = set()
        if fresh:
            verify(program, "what came before the passes")
        self.effects = effects(program)
        self.given: Operations = {}
        self.claims = len(list(linearity.claimed(program)))
        self.since: list[str] = []

    def before(self, program: Program, p: Step) -> None:
        self.forms.update(p.needs)
        if not p.exact and not p.reorders:
            self.given = given(program)

    def behind(self, program: Program, p: Step, changed: bool) -> None:
        self.forms.update(p.leaves)
        self.claimed(program, p)
        if not changed:
            return
        Verifier(p.name, self.forms).program(program)
        self.since.append(p.name)
        if not p.exact and not p.reorders:
            compare_given(self.given, given(program), p.name)
        before, self.effects = self.effects, effects(program)
        compare_effects(before, self.effects, p.name, named=p.reorders)

    def end(self, program: Program) -> None:
        """To be called behind the last pass."""
        if self.since:
            verify_claims(program, " or ".join(dict.fromkeys(self.since)))

    def claimed(self, program: Program, p: Step) -> None:
        """No pass drops a claim; that of a pullback with a user's own is settled where this is opened."""
        if len(list(linearity.claimed(program))) < self.claims:
            raise BrokenProgram(p.name, "linear", "a claim has gone")
        if "opened" in p.leaves:
            linearity.settle(program)
            self.claims = len(list(linearity.claimed(program)))
