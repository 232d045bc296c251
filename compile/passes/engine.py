"""What a pass is, and the one function that runs passes.

A pass rewrites a finished λ-program in place. It has a name, says what it does, what it needs and what it leaves, and
whether it is exact: then the program computes the same numbers, bit for bit. What is not exact rewrites nothing but
what derivatives compute. Where programs are verified, each pass is: what it was given, what it leaves, and both side
by side (`ccc.compile.program.verify`).

>>> from ccc.compile.frontend.elaborate import program_of
>>> def backwards(program):
...     program.block.lets.reverse()
...     return True
>>> program = program_of(lambda x: (x + 1.0) * x, (2.0,))
>>> run(program, [Pass("backwards", "Lets change places.", backwards)], verified=True)
Traceback (most recent call last):
ccc.compile.program.verify.BrokenProgram: backwards broke bound-before-use: `t2` is read before it is bound
  t = t2 * x
(what is read was bound before, in the same block or one around it)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ccc.compile.program.facts import forget
from ccc.compile.program.lam import Op, Program, lets_in
from ccc.compile.program.pretty import Printer
from ccc.values import slotted

VERIFIED = False
"""Whether programs are verified before the first pass and after each one that changes them: in all tests."""


@slotted
class Pass:
    """A named pass. `rewrite` says whether it changed the program; `needs` and `leaves` are words of what is true of a
    program before and after it, where that is more than being finished. One that `reorders` belongs to a target that
    raises nothing itself and adds up in an order of its own: it may also change places of what may raise, and
    operations that are not a derivative's. It does nothing to a program that has no operation `of` these kinds, if
    there are some. One that stands `behind` others has nothing to do where they ran and changed nothing. Behind one
    that `keeps` what is known of the program this is not looked for anew: it adds nothing of which that is too little.
    """

    name: str
    does: str
    rewrite: Callable[[Program], bool]
    needs: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    exact: bool = True
    reorders: bool = False
    behind: tuple[str, ...] = ()
    of: tuple[type[Op], ...] = ()
    keeps: bool = False


@slotted
class Change:
    """What a pass did: the lines of the program before and after it, in which a variable has one name. Printed are
    those that went and those that came.

    >>> print(Change(Pass("negation", "-(-x) is x.", bool), ("λ x:R.", "  t = -x", "  -t"), ("λ x:R.", "  x")))
    negation: -(-x) is x.
      - t = -x
      - -t
      + x
    """

    by: Pass
    before: tuple[str, ...]
    after: tuple[str, ...]

    def __str__(self) -> str:
        from difflib import SequenceMatcher

        found = [f"{self.by.name}: {self.by.does}"]
        for what, i, j, k, n in SequenceMatcher(None, self.before, self.after, autojunk=False).get_opcodes():
            if what != "equal":
                found += [f"  - {line[2:]}" for line in self.before[i:j]]
                found += [f"  + {line[2:]}" for line in self.after[k:n]]
        return "\n".join(found)


def run(
    program: Program, passes: Iterable[Pass], changes: list[Change] | None = None, verified: bool | None = None,
    fresh: bool = True,
) -> None:
    """Run passes one after the other, and note what each changed where that is asked for. A program that is not `fresh`
    has been verified when it came from other passes.

    Raises `BrokenProgram` where a pass breaks a rule, and programs are verified.
    """
    verification = None
    if VERIFIED if verified is None else verified:
        from ccc.compile.program.verification import Verification

        verification = Verification(program, fresh)
    printer, kinds = Printer(), set[type[Op]]()
    before = () if changes is None else lines(program, printer)
    did: dict[str, bool] = {}
    for p in passes:
        others = [did[name] for name in p.behind if name in did]
        if others and not any(others):
            continue
        if verification is not None:
            verification.before(program, p)
        if p.of and not kinds:
            kinds = {type(let.op) for let in lets_in(program.block)}
        changed = did[p.name] = (not p.of or not kinds.isdisjoint(p.of)) and p.rewrite(program)
        if verification is not None:
            verification.behind(program, p, changed)
        if not changed:
            continue
        if not p.keeps:
            forget(program)
        kinds = set()
        if changes is not None:
            after = lines(program, printer)
            if after != before:
                changes.append(Change(p, before, after))
            before = after
    if verification is not None:
        verification.end(program)
    forget(program)


def lines(program: Program, printer: Printer) -> tuple[str, ...]:
    """The lines of a program, by a printer that knows the names of others."""
    printer.lines = []
    return tuple(printer.program(program).split("\n"))
