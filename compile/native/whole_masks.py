"""What is computed of the items at a mask is computed of all items, and taken where the mask is true.

    t = x[m];  y = t - a;  z = set_at(x, y, m)              →   y = x - a;  z = where(m, y, x)
    t = x[m];  s = sum(t * t)                               →   y = x * x;  s = sum(where(m, y, 0.0))
    dx = add_at(dx, v, m)                                   →   y = dx + v; dx = where(m, y, dx)

To find where a mask is true, and to gather and scatter, costs more than to compute all items, several at once and in
one loop with what is around. That is so where nothing else reads what was gathered, and nothing raises at an item that
the mask leaves out. What a loop carries and changes at few items in each run stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ccc.compile.native.kinds import is_number
from ccc.compile.native.table import applies, entry
from ccc.compile.passes.readers import Readers
from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Program, Var, blocks_in
from ccc.compile.program.raises import item_may_raise
from ccc.objects import INT, REAL, Array, Int, Real
from ccc.primitives import (
    arithmetic,
    broadcasting,
    elementary_numpy,
    indexing,
    reductions,
    structure,
    updating,
    zero_trees,
)
from ccc.primitives.primitive import elementwise
from ccc.primitives.raising import is_loud

ZERO = Lit(0.0, REAL)


def widen(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    blocks = list(blocks_in(program.block))
    if all(mask_of(let) is None for block in blocks for let in block.lets):
        return False
    readers = Readers(program)
    return any([Widening(block, readers).rewrite() for block in blocks])


def mask_of(let: Let) -> Var | None:
    """The mask at which a let reads or writes an array of the same axes."""
    if (not reads(let) and not writes(let)) or let.application.params["pattern"] != ("a",):
        return None
    x, m = let.args[0].object, let.args[-1]
    if not isinstance(x, Array) or not isinstance(m, Var) or dtype(m) != "bool":
        return None
    ones = [a.axes and [axis == "1" for axis in a.axes] for a in (x, m.object)]  # type: ignore[attr-defined]
    return m if ones[0] and ones[0] == ones[1] else None


def reads(let: Let) -> bool:
    return applies(let, indexing.index, updating.take_at)


def writes(let: Let) -> bool:
    return applies(let, updating.set_at, indexing.add_at)


class Widening:
    """A block under way: the mask at which each variable was gathered, and those that belong together."""

    def __init__(self, block: Block, readers: Readers) -> None:
        self.block = block
        self.readers = readers
        self.masks: dict[Var, Var] = {}
        self.together: dict[Var, Var] = {}
        self.uses: dict[Let, set[Var]] = {}  # the lets that can be widened, with what they read that is gathered

    def rewrite(self) -> bool:
        """Rewrite the block; true where it changed."""
        for let in self.block.lets:
            self.look(let)
        kept = {self.root(x) for x in self.masks if any(
            not isinstance(by, Let) or x not in self.uses.get(by, ()) for by in self.readers.of.get(x, ()))}
        wide = {let for let, xs in self.uses.items() if self.root_of(let, xs) not in kept}
        if not wide:
            return False
        whole: dict[Var, Atom] = {}
        lets, self.block.lets = self.block.lets, []
        for let in lets:
            if let in wide:
                self.block.lets += self.widened(let, whole)
            else:
                self.block.lets.append(let)
        return True

    def look(self, let: Let) -> None:
        """Note a let that reads or gives what is gathered, if it can be computed of all items."""
        op, m = let.op, mask_of(let)
        if not isinstance(op, Apply):
            return
        gathered = {x for x in let.args if isinstance(x, Var) and x in self.masks}
        if m is not None and reads(let):
            self.note(let, gathered, m)
        elif m is not None and writes(let):
            x, v = let.args[:2]
            alike = self.masks[v] is m if v in gathered else is_real(v)  # type: ignore[index]
            here = isinstance(x, Var) and x.home is self.block and x.definition is not None
            if alike and here and dtype(x) == "float64" and x not in gathered:
                self.uses[let] = gathered
        elif gathered and len({self.masks[x] for x in gathered}) == 1 and self.takes(let, gathered):
            reduces = sums(let) or counts(let)
            self.note(let, gathered, None if reduces else self.masks[next(iter(gathered))])

    def takes(self, let: Let, gathered: set[Var]) -> bool:
        """Whether what a let computes of gathered items it computes of all as well."""
        op = let.application
        if sums(let):
            return dtype(let.args[0]) == "float64"
        if applies(let, broadcasting.unbroadcast, broadcasting.broadcast_like):
            x, like = let.args
            spread = is_number(x.object) and op.primitive is broadcasting.broadcast_like
            return like in gathered and (x in gathered or spread)
        if op.primitive is zero_trees.zeros_like or counts(let):
            return True
        others = [x.object for x in let.args if x not in gathered]
        return op.primitive.type_rule is elementwise and not op.params and entry(op.primitive).number is not None and (
            not op.primitive.effect and not is_loud(op.primitive.errors)) and all(map(is_number, others)) and (
            not item_may_raise(op, let.args))  # fmt: skip

    def note(self, let: Let, gathered: set[Var], mask: Var | None) -> None:
        self.uses[let] = gathered
        targets = let.targets if mask is not None else []
        for target in targets:
            self.masks[target] = mask  # type: ignore[assignment]
        first, *others = [*targets, *gathered]
        for x in others:
            self.together[self.root(x)] = self.root(first)

    def root(self, x: Var) -> Var:
        """One of those variables that are widened together, the same for all of them."""
        while x in self.together and self.together[x] is not x:
            x = self.together[x]
        return x

    def root_of(self, let: Let, gathered: set[Var]) -> Var | None:
        found = [x for x in (*let.targets, *gathered) if x in self.masks]
        return self.root(found[0]) if found else None

    def widened(self, let: Let, whole: dict[Var, Atom]) -> Iterator[Let]:
        """What stands for a let; `whole` is all of what was gathered."""
        op, args = let.application, [whole.get(x, x) if isinstance(x, Var) else x for x in let.args]
        p, target = op.primitive, let.targets[0]
        if reads(let):
            whole[target] = args[0]
        elif writes(let):
            x, v, m = args
            if p is indexing.add_at:
                yield (more := made(self.block, let, arithmetic.add, [x, v]))
                v = more.targets[0]
            let.op, let.args = Apply(elementary_numpy.where, {}), [m, v, x]
            yield let
        elif sums(let) or counts(let):
            yield from self.reduced(let, args)
        elif applies(let, zero_trees.zeros_like):
            whole[target] = ZERO
        elif applies(let, broadcasting.unbroadcast, broadcasting.broadcast_like):
            whole[target] = args[0]
        else:
            yield (every := made(self.block, let, p, args))
            whole[target] = every.targets[0]


    def reduced(self, let: Let, args: list[Atom]) -> Iterator[Let]:
        """What stands for a sum, a mean or a number of gathered items."""
        m, p = self.masks[next(iter(self.uses[let]))], let.application.primitive
        count = made(self.block, let, reductions.sum_, [m])
        if counts(let):
            yield count
            let.op, let.args = Apply(elementary_numpy.maximum, {}), [
                count.targets[0], Lit(int(p is reductions.count), Int("int64"))]
            yield let
            return
        yield (left := made(self.block, let, elementary_numpy.where, [m, args[0], ZERO]))
        if p is not reductions.mean:
            let.args = [left.targets[0], *let.args[1:]]
            yield let
            return
        yield (total := made(self.block, let, reductions.sum_, [left.targets[0]]))
        yield count
        let.op, let.args = Apply(arithmetic.div, {}), list[Atom]([total.targets[0], count.targets[0]])
        yield let


def made(block: Block, let: Let, p: object, args: list[Atom]) -> Let:
    """A let of an operation on items in a block, for another one."""
    found = Let(Apply(p, {}), args, let.span, let.adjoint)  # type: ignore[arg-type]
    name = let.targets[0].name if p is not elementary_numpy.where else ""
    found.target(name, found.application.primitive.type_of(tuple([x.object for x in args]), {}), block)
    return found


def sums(let: Let) -> bool:
    """Whether a let adds up all that it is given, or gives their mean."""
    op = let.application
    if op.primitive is broadcasting.unbroadcast:
        return is_number(let.args[1].object)
    whole = {"axis": None, "keepdims": False}
    return applies(let, reductions.sum_, reductions.mean, broadcasting.sum_all) and len(let.args) == 1 and all(
        name in whole and value == whole[name] for name, value in op.params.items())


def counts(let: Let) -> bool:
    """Whether a let gives the number of items."""
    return applies(let, reductions.count, structure.length) and len(let.args) == 1 and not let.application.params


def dtype(x: Atom) -> str:
    return getattr(x.object, "dtype", "")


def is_real(x: Atom) -> bool:
    """Whether a number is one that arrays of float64 hold as it is."""
    return x.object in (REAL, INT, Real("float64"))
