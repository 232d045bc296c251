"""The passes that a program goes through before machine code is written of it, in their order.

What they find out of the program on the way (`uses`, `bounds`, the `order` of loops, what is `overwritten`) is what
writes it then. Machine code raises nothing itself: where it leaves, NumPy computes the program as it was before. So a
pass that `reorders` may let sums be made in another order, those of the user's program too, and what may raise stand
elsewhere.

>>> from ccc.compile.frontend.elaborate import program_of
>>> for p in Rewriting(program_of(lambda x: x * x, (1.0,)), {}, 4).passes():
...     print(f"{p.name}: {p.does}")  # doctest: +ELLIPSIS
told kinds: A number that is Python's float or NumPy's has beside it which of them it is.
...
copies: What is overwritten while something else reads it, or given out twice, is copied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ccc.compile.native.bounds import Bounds
from ccc.compile.native.direct_scatter import contribute
from ccc.compile.native.extrema import reach_few
from ccc.compile.native.forwards import turn
from ccc.compile.native.fusion import fuse
from ccc.compile.native.interchange import Order, interchange
from ccc.compile.native.late_transposes import put_late
from ccc.compile.native.registers import hold
from ccc.compile.native.resized import resized
from ccc.compile.native.shared_orders import share_orders
from ccc.compile.native.specialised import specialise
from ccc.compile.native.told_kinds import tell
from ccc.compile.native.whole_masks import widen
from ccc.compile.numpy_source.copies import Copies
from ccc.compile.passes.engine import Change, Pass, run
from ccc.compile.passes.improve import without_unread
from ccc.compile.passes.recomputation import cheap_or_slice, recompute
from ccc.compile.passes.vector_products import with_vector_products
from ccc.compile.program.lam import Block, Program, Var, blocks_in

FORMS = ("opened", "unmirrored", "joined")


class Rewriting:
    """A program on its way to machine code: `sizes` are those of the arguments of a first call by their symbols, and
    `lanes` so many numbers the CPU computes at once."""

    def __init__(self, program: Program, sizes: Mapping[Any, int], lanes: int) -> None:
        self.program, self.sizes, self.lanes = program, sizes, lanes
        self.uses: Counter[Var] = Counter()
        self.bounds: Bounds | None = None
        self.order = Order(set(), set())
        self.copies = Copies()

    def run(self, changes: list[Change] | None = None) -> None:
        """Run all passes, and note what each changed where that is asked for."""
        run(self.program, self.passes(), changes, fresh=False)

    def passes(self) -> tuple[Pass, ...]:
        """All passes, in their order."""
        return (
            Pass("told kinds", "A number that is Python's float or NumPy's has beside it which of them it is.", tell,
                 FORMS, reorders=True),
            Pass("whole masks", "What is computed of the items at a mask is computed of all of them.", widen, FORMS,
                 exact=False, reorders=True),
            Pass("specialisation", "A recursive function has a copy for each short length of its list.", specialise,
                 FORMS),
            Pass("recomputation of slices", "A slice that is no more than an address is not kept for a reverse loop.",
                 lambda program: recompute(program, cheap_or_slice), FORMS),
            Pass("products with vectors", "A product with an outer product is one with its vectors.",
                 lambda program: with_vector_products(program, own=True) and without_unread(program), FORMS,
                 exact=False, reorders=True),
            Pass("direct scatter", "Contributions are added where they belong, without the zeros between.",
                 lambda program: contribute(program, count_uses), exact=False, reorders=True),
            Pass("fusion of loops", "A loop and the one that runs back over it, or along the same, are one.",
                 lambda program: fuse(program, count_uses), exact=False, reorders=True),
            Pass("few rows", "The cotangent of an extremum reaches those rows alone that are equal to it.", few_rows,
                 exact=False, reorders=True),
            Pass("shared orders", "An order that is asked for several times is found once.", share_orders,
                 exact=False, reorders=True),
            Pass("interchange", "Loops that would read what was just written change places, or are written out.",
                 self.interchanged, exact=False, reorders=True),
            Pass("numbers for items", "An item that all runs of a loop add to is a number while the loop runs.",
                 self.held, exact=False, reorders=True),
            Pass("forwards", "A loop that runs backwards runs forwards, where its order is free.", self.turned,
                 exact=False, reorders=True),
            Pass("late transposes", "A transpose that products in loops read stands where they are.", self.put_late,
                 exact=False, reorders=True),
            replace(self.copies.stage, rewrite=self.copied),
        )  # fmt: skip

    def look(self) -> Bounds:
        """Find out what is read, and what integers are."""
        self.uses = Counter()
        count_uses(self.program.block, self.uses)
        self.bounds = Bounds(self.program.block, self.uses, resized(self.program))
        return self.bounds

    def interchanged(self, program: Program) -> bool:
        bounds = self.look()
        self.order = interchange(program.block, self.uses, bounds, self.sizes, self.lanes)
        if self.order.around:
            self.look()
        return bool(self.order.around)

    def held(self, program: Program) -> bool:
        changed = hold(program.block, self.uses, self.known.inside)
        if changed:
            self.look()
        return changed

    def turned(self, program: Program) -> bool:
        return turn(program.block, self.uses, self.known, self.order.backwards)

    def put_late(self, program: Program) -> bool:
        changed = put_late(program)
        if changed:
            self.look()
        return changed

    def copied(self, program: Program) -> bool:
        changed = self.copies.rewrite(program)
        if changed:
            self.look()
        return changed

    @property
    def known(self) -> Bounds:
        """What integers are, as it was last looked at."""
        return self.bounds or self.look()


def few_rows(program: Program) -> bool:
    """Let cotangents of extrema reach the rows that they have to."""
    uses: Counter[Var] = Counter()
    count_uses(program.block, uses)
    return any([reach_few(block, uses) for block in blocks_in(program.block)])


def count_uses(block: Block, uses: Counter[Var]) -> None:
    """How often each variable is read; what another block reads counts twice, since it may run again."""
    for here in blocks_in(block):
        for atom in [a for let in here.lets for a in let.args] + here.results:
            if isinstance(atom, Var):
                uses[atom] += 1 if atom.home is here else 2
