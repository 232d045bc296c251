"""Short loops inside of a longer one, written out: each run of the longer loop adds to places next to each other.

    for j in range(n):                              if k == 2:
        for b in range(k):                              for j in range(n):
            dx[j + b] += d[j] * w[b]                        dx[j] += d[j] * w[0]
            dw[b] += d[j] * x[j + b]      →                 dx[j + 1] += d[j] * w[1]
                                                            dw[0] += d[j] * x[j]
                                                            dw[1] += d[j] * x[j + 1]
                                                    else: as before

What is added at places next to each other is then added once (`slides`), and what goes to one place all the time is a
number until the loop ends (`registers`). The lengths are those of the first call; for others the loops stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ccc.compile.native.bounds import Bounds
from ccc.compile.native.fusion import replace
from ccc.compile.passes.inlining import copy_of
from ccc.compile.program.lam import Apply, Atom, Block, BlockKind, Branch, Let, Lit, Loop, Var, move
from ccc.objects import BOOL, INT
from ccc.primitives import arithmetic
from ccc.primitives.structure import span

MOST = {8: 16, 4: 4}
"""So many runs at most are written out, by the lanes of a vector: each may need a register."""


def lengths(nest: list[Let], bounds: Bounds, sizes: Mapping[Any, int], lanes: int) -> list[tuple[Atom, int]] | None:
    """How often the loops of a nest run at the first call, and what says so; None where that is unknown or often."""
    found: list[tuple[Atom, int]] = []
    runs = 1
    for loop in nest:
        op: Any = loop.op
        made = loop.args[-1].definition if isinstance(loop.args[-1], Var) else None
        alone = len(loop.args) == op.carries + 1 and made is not None and isinstance(made.op, Apply)
        if not alone or made.op.primitive is not span or len(made.args) != 1:  # type: ignore[union-attr]
            return None
        form = bounds.form(made.args[0])  # type: ignore[union-attr]
        if form is None or any(symbol not in sizes for symbol in form.terms):
            return None
        count = form.constant + sum([n * sizes[symbol] for symbol, n in form.terms.items()])
        found.append((made.args[0], count))  # type: ignore[union-attr]
        runs *= max(count, 0)
    return found if 0 < runs <= MOST.get(lanes, 0) else None


def alternative(let: Let, counts: list[tuple[Atom, int]], home: Block) -> tuple[list[Let], Let, Block]:
    """The lets in the place of a loop: with the nest at its end written out where that runs so often, and with the loop
    itself, which moves to a block of its own, elsewhere. Gives that loop and the block, too."""
    then, orelse = Block(BlockKind.BRANCH, home), Block(BlockKind.BRANCH, home)
    moved = Let(let.op, let.args, let.span, let.adjoint)
    let.op.blocks[0].parent = orelse
    orelse.results = [moved.target(x.name, x.object, orelse) for x in let.targets]
    then.lets = [written_out(moved, [n for _, n in counts], then)]
    then.results = list(then.lets[0].targets)
    lets: list[Let] = []

    def operation(primitive: Any, *args: Atom) -> Var:
        lets.append(Let(Apply(primitive, {}), list(args), let.span, let.adjoint))
        return lets[-1].target("", BOOL, home)

    test: Atom | None = None
    for atom, n in dict(counts).items():
        here = operation(arithmetic.equal, atom, Lit(n, INT))
        test = here if test is None else operation(arithmetic.both, test, here)
    assert test is not None
    branch = Let(Branch(then, orelse), [test], let.span, let.adjoint)
    branch.targets = let.targets
    for target in branch.targets:
        target.definition = branch
    return [*lets, branch], moved, orelse


def written_out(let: Let, counts: list[int], home: Block) -> Let:
    """A copy of a loop in which the loops at the end of its body, one in the other, are written out."""
    op: Any = let.op
    copy = Let(Loop(copy_of(op.body, home, {}), op.carries, op.reverse), list(let.args), let.span, let.adjoint)
    for x in let.targets:
        copy.target(x.name, x.object, home)
    expanded(copy.op.blocks[0], counts)
    return copy


def expanded(block: Block, counts: list[int]) -> None:
    """Write out the loop at the end of a block, and those at the ends of the bodies in it."""
    if not counts:
        return
    last = block.lets.pop()
    op: Any = last.op
    expanded(op.body, counts[1:])
    now: list[Atom] = list(last.args[: op.carries])
    for i in range(counts[0]):
        body = copy_of(op.body, block, {})
        replace(body, dict(zip(body.params, [*now, Lit(i, INT)], strict=True)))
        for let in body.lets:
            move(let, block)
        block.lets += body.lets
        now = body.results
    stands = dict(zip(last.targets, now, strict=True))
    block.results = [stands.get(x, x) if isinstance(x, Var) else x for x in block.results]
