"""Loops in another order, where each run would read again what the run before has just written.

    for j in range(n):                              d = [dy[j] for j in range(n)]
        d = dy[j]                                   for b in range(k):
        for b in range(k):                 →            for j in range(n):
            dx[j + b] += d * w[b]                           dx[j + b] += d[j] * w[b]

Several runs of the loop over j at once add to places that overlap with those of the next b, and a processor waits until
what was stored in parts can be read as a whole. In the other order these lie n apart. Both loops only make sums, so
their order is free; what the outer loop computes before the inner one is kept in lists.

Reference: Allen, Kennedy, Automatic Loop Interchange, SIGPLAN 1984.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ccc.compile.native.bounds import Bounds
from ccc.compile.native.fusion import acts, is_sum, replace
from ccc.compile.native.table import known
from ccc.compile.native.written_out import alternative, lengths
from ccc.compile.program.lam import Apply, Block, BlockKind, Let, Loop, Var, blocks_in, free_variables
from ccc.objects import Array, Bool, Int, List, Real
from ccc.primitives import indexing
from ccc.values import value


@value()
class Order:
    """The loops that should go backwards from now on, and those around a longer one: where these took several runs at
    once, they would add to places that overlap with those of the run before of the longer one."""

    backwards: set[Let]
    around: set[Let]


def interchange(whole: Block, uses: Counter[Var], bounds: Bounds, sizes: Mapping[Any, int], lanes: int) -> Order:
    """Change the order of the loops of a program where that is of use, and write out those that are short. `sizes` are
    those of a first call, by their symbols: the longer loop becomes the inner one."""
    order = Order(set(), set())
    for here in blocks_in(whole):
        lets: list[Let] = []
        for let in here.lets:
            nest = inner_loops(let, uses) if isinstance(let.op, Loop) and not acts(let) else []
            if nest and overlap(let, nest[-1], bounds) and longer(let, nest[-1], bounds, sizes):
                short = lengths(nest, bounds, sizes, lanes)
                if short is None:
                    lets += innermost(let, nest, here, order)
                    continue
                before, moved, other = alternative(let, short, here)
                other.lets = innermost(moved, nest, other, order)
                lets += before
            else:
                lets.append(let)
        here.lets = lets
    return order


def innermost(let: Let, nest: list[Let], home: Block, order: Order) -> list[Let]:
    """The loops with the outermost one inside of the others; gives what stands in its place."""
    for outer in (let, *nest[:-1]):
        moved_in(outer.op.blocks[0])
    order.backwards.update(innermost_first(nest))
    order.around.update(nest)
    return parted(let, nest, home)


def inner_loops(let: Let, uses: Counter[Var]) -> list[Let]:
    """The loops at the end of a loop's body, each all that the one around it does, that only make sums and depend on
    that body by numbers; [] where it is not so."""
    op: Any = let.op
    body, nest = op.body, list[Let]()
    last = body.lets[-1] if body.lets else None
    while last is not None and isinstance(last.op, Loop) and len(last.targets) == last.op.carries:
        nest.append(last)
        inner = last.op.body
        last = inner.lets[-1] if inner.lets and len(places(inner)) == len(inner.lets) - 1 else None
    if not nest or len(let.args) != op.carries + 1 or any(not isinstance(x.op, Apply) for x in nest[-1].op.body.lets):  # type: ignore[attr-defined]
        return []
    bound = body.binds()
    ours = [x for x in free_variables(nest[0].op.blocks[0], {}) if x in bound]
    if not all(isinstance(x.object, (Bool, Int, Real)) for x in ours):
        return []
    if any(not bound.isdisjoint(x.args[x.op.carries :]) for x in nest):  # type: ignore[attr-defined]
        return []
    for outer, inner in zip([let, *nest], nest, strict=False):
        for k, target in enumerate(inner.targets):
            param, block = inner.args[k], outer.op.blocks[0]
            if param not in block.params[: outer.op.carries] or uses[param] != 1:  # type: ignore[attr-defined]
                return []
            if block.results[block.params.index(param)] is not target or uses[target] != 1:
                return []
            known = isinstance(param.object, (Int, Real, Array))
            if outer is let and not (known and is_sum(block, param, target, uses)):
                return []
    return nest


def places(body: Block) -> list[Let]:
    """The places that a block computes for the loop at its end alone: they were moved out of that to be computed once,
    and LLVM will do so again."""
    last = body.lets[-1]
    read, found = {*body.results, *last.args}, list[Let]()
    for let in reversed(body.lets[:-1]):
        place = known(let).exact is not None and isinstance(let.targets[0].object, Int)
        if place and let.targets[0] not in read:
            found.insert(0, let)
        else:
            read.update(let.args, *[free_variables(block, {}) for block in let.op.blocks])
    return found


def moved_in(body: Block) -> None:
    """Let the loop at the end of a block compute the places that the block computes for it."""
    inner: Any = body.lets[-1].op.blocks[0]
    found = places(body)
    body.lets = [let for let in body.lets if let not in found]
    inner.lets[:0] = found
    for let in found:
        let.targets[0].home = inner


def overlap(let: Let, innermost: Let, bounds: Bounds) -> bool:
    """Whether the innermost loop adds to places that runs of the outermost one and of those between them share."""
    run = let.op.blocks[0].params[-1]
    inner = innermost.op.blocks[0].params[-1]
    for added in innermost.op.blocks[0].lets:
        if added.application.primitive is indexing.add_at and added in bounds.inside:
            place = bounds.form(added.args[-1])
            if place is not None and place.terms.get(run) == 1 and place.terms.get(inner):
                return True
    return False


def longer(let: Let, innermost: Let, bounds: Bounds, sizes: Mapping[Any, int]) -> bool:
    """Whether the outermost loop runs more often than the innermost one."""
    counts: list[int] = []
    for loop in (let, innermost):
        runs = bounds.runs.get(loop.op.blocks[0].params[-1])
        if runs is None or any(symbol not in sizes for symbol in runs.terms):
            return False
        counts.append(runs.constant + sum([n * sizes[symbol] for symbol, n in runs.terms.items()]))
    return counts[0] > counts[1]


def innermost_first(nest: list[Let]) -> list[Let]:
    """Let the innermost loop be the outermost of its nest: then all others run between places that overlap. They run
    backwards, so that what is stored beyond the end of a row is not what is read next; gives them."""
    ends = [(x.args[-1], x.op.blocks[0].params[-1]) for x in nest]
    alone = all(len(x.args) == x.op.carries + 1 for x in nest)  # type: ignore[attr-defined]
    if not alone or not {sequence for sequence, _ in ends}.isdisjoint([run for _, run in ends]):
        return []
    for x, (sequence, run) in zip(nest, [ends[-1], *ends[:-1]], strict=True):
        x.args[-1] = sequence
        x.op.blocks[0].params[-1] = run
        run.home = x.op.blocks[0]
        x.op.reverse = True  # type: ignore[attr-defined]
    return nest[1:]


def parted(let: Let, nest: list[Let], home: Block) -> list[Let]:
    """The loop without those in it, and those, with a loop in the innermost of them."""
    op: Any = let.op
    body, first = op.body, nest[0]
    run = body.params[-1]
    names = body.binds() - {run}
    kept = [x for x in free_variables(first.op.blocks[0], {}) if x in names]
    moved = [body.params.index(x) for x in first.args[: len(first.targets)]]

    sequence, targets, inits = let.args[-1], list(let.targets), list(let.args)
    innermost: Any = nest[-1].op
    inside, count = innermost.body, innermost.carries
    within = Block(BlockKind.LOOP, inside)
    within.params, within.lets, within.results = [*inside.params[:count], run], inside.lets, inside.results
    stands = {x: within.param(x.name, x.object) for x in kept}
    for var in within.binds():
        var.home = within
    replace(within, stands)
    inside.params = [*[Var(x.name, x.object, inside) for x in inside.params[:count]], *inside.params[count:]]

    body.lets = body.lets[:-1]
    stays = [k for k in range(op.carries) if k not in moved]
    fresh = Var(run.name, run.object, body)
    body.params = [*[body.params[k] for k in stays], fresh]
    body.results = [*[body.results[k] for k in stays], *body.results[op.carries :], *kept]
    replace(body, {run: fresh})
    let.args = [*[inits[k] for k in stays], sequence]
    let.targets = [*[targets[k] for k in stays], *targets[op.carries :]]
    lists = [let.target(x.name, List(x.object), home) for x in kept]
    op.carries = len(stays)

    along = Let(Loop(within, count, False), [*inside.params[:count], sequence, *lists], first.span, first.adjoint)
    inside.lets = [along]
    inside.results = [along.target(x.name, x.object, inside) for x in within.params[:count]]
    first.args[: len(moved)] = [inits[k] for k in moved]
    first.targets = [targets[k] for k in moved]
    for target in first.targets:
        target.definition, target.home = first, home
    first.op.blocks[0].parent = home
    return [let, first] if let.targets else [first]
