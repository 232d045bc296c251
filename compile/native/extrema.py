"""The cotangent of an extremum reaches few rows: those that are equal to it.

    part = spread_ties(ct, y, x)                          for i in range(len(x)):
    wide = expanded(part, like)                  becomes      if x[i] == y:
    total += wide * (2 * far)                                     total[i] += share * (2 * far[i])

Where `y` is the extremum of a vector, only the rows of its ties get anything, and what they get is computed for these
rows. The others get zero times the rest, which is zero where the rest is finite. So the result counts only if no number
that the rest is made of is beyond `BOUND`, or none; `share` is told how large they are.

Reference: Griewank, Walther, Evaluating Derivatives, chapter 14 (min and max as choices).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Any

from ccc.compile.native.table import applies, known
from ccc.compile.program.lam import Apply, Atom, Block, BlockKind, Branch, Let, Lit, Loop, Var, free_variables
from ccc.objects import BOOL, INT, Array, List, Object, Real
from ccc.primitives import arithmetic, elementary_numpy, indexing, reductions, shaping, structure
from ccc.primitives.primitive import Primitive
from ccc.values import slotted

DEEP = 3
BOUND = 1e30
"""Operations by items that are `DEEP` on numbers of at most this size are finite: products of eight of them."""

share = Primitive("tie_share", lambda ct, y, x, *bounds: NotImplemented, lambda p, args, params: Real("float64"),
                  "tie_share({}, {}, {})")  # fmt: skip
"""What each item of `x` that is equal to `y` gets of a cotangent; the others get zero, since no bound is large."""


@slotted
class Reach:
    """What depends on the cotangent of one extremum, and where it is added to arrays."""

    start: Let
    through: list[Let] = field(default_factory=list[Let])
    ends: list[tuple[Let, Atom, Var]] = field(default_factory=list[tuple[Let, Atom, Var]])  # to what, and what


def reach_few(block: Block, uses: Counter[Var]) -> bool:
    """Rewrite a block, where it is worth it; true where it was."""
    changed = False
    for let in list(block.lets):
        if applies(let, reductions.spread_ties) and set(let.application.params) <= {"axis"}:
            found = reached(block, let, uses)
            if found is not None:
                rewrite(block, found)
                changed = True
    return changed


def rank(a: Object) -> int:
    return len(a.axes or ()) if isinstance(a, Array) else 0


def reached(block: Block, start: Let, uses: Counter[Var]) -> Reach | None:
    """Where the cotangent goes; None where it is more than additions to arrays of rows."""
    x: Any = start.args[2].object
    axis = start.application.params.get("axis")
    if rank(x) != 1 or x.dtype != "float64" or axis not in (None, 0) or not isinstance(start.args[0].object, Real):
        return None
    found, few = Reach(start), set(start.targets)
    reads, sums = {*start.targets}, set[Var]()
    for let in block.lets[block.lets.index(start) + 1 :]:
        args = [a for a in let.args if a in few]
        inside = any(v in reads for inner in let.op.blocks for v in free_variables(inner, {}))
        if not args and not inside and not any(a in reads for a in let.args):
            continue
        if inside or not args or any(a in sums for a in let.args) or not isinstance(let.op, Apply):
            return None
        target = let.targets[0]
        wider = applies(let, reductions.expanded) and let.op.params == {"axis": 1} and rank(args[0].object) == 1
        linear = len(args) == 1 and rank(target.object) == rank(args[0].object)
        linear = linear and let.args.index(args[0]) in known(let).zeros
        linear = linear and (not applies(let, arithmetic.div) or divides(let.args[1]))
        if (wider and let.args[0] is args[0]) or linear:
            found.through.append(let)
        elif applies(let, arithmetic.add) and len(args) == 1:
            total = let.args[1 - let.args.index(args[0])]
            whole = rank(total.object) == rank(args[0].object) == rank(target.object) >= 2
            if not whole or not isinstance(total, Var) or uses[total] != 1:
                return None
            found.ends.append((let, total, args[0]))  # type: ignore[arg-type]
            reads.add(target)
            sums.add(target)
            continue
        else:
            return None
        few.add(target)
        reads.add(target)
    escapes = any(a in few for a in block.results)
    return found if found.ends and not escapes and all(rank(what.object) == 2 for _, _, what in found.ends) else None


def divides(atom: Atom) -> bool:
    """Whether zero divided by it is zero."""
    return isinstance(atom, Lit) and isinstance(atom.value, (float, int)) and atom.value == atom.value != 0


def rewrite(block: Block, r: Reach) -> None:
    """Put a loop over the rows where the last sum is made."""
    ct, y, x = r.start.args
    last = r.ends[-1][0]
    before: list[Let] = []
    part = apply(before, block, share, [ct, y, x, *bounds(before, block, r)], Real("float64"))
    count = apply(before, block, shaping.dim, [x], INT, axis=0)
    along = apply(before, block, structure.span, [count], List(INT))
    body = Block(BlockKind.LOOP, block)
    carried = [body.param("", total.object) for _, total, _ in r.ends]
    i = body.param("i", INT)
    item = apply(body.lets, body, indexing.index, [x, i], Real("float64"), pattern=("i",))
    test = apply(body.lets, body, arithmetic.equal, [item, y], BOOL)
    then, orelse = Block(BlockKind.BRANCH, body), Block(BlockKind.BRANCH, body)
    rows = Rows(block, then, i, {r.start.targets[0]: part}, r)
    then.results = [
        apply(then.lets, then, indexing.add_at, [total, rows.of(what), i], total.object, pattern=("i",))
        for total, (_, _, what) in zip(carried, r.ends, strict=True)
    ]
    orelse.results = list(carried)
    branch = Let(Branch(then, orelse), [test], last.span, adjoint=True)
    body.results = [branch.target("", total.object, body) for total in carried]
    body.lets.append(branch)
    loop = Let(Loop(body, len(carried), False), [*[total for _, total, _ in r.ends], along], last.span, adjoint=True)
    for let, _, _ in r.ends:
        let.targets[0].definition = loop
        loop.targets.append(let.targets[0])
    gone = {r.start, *r.through, *[let for let, _, _ in r.ends]}
    at = block.lets.index(last)
    block.lets = [
        *[let for let in block.lets[:at] if let not in gone], *before, loop,
        *[let for let in block.lets[at:] if let not in gone],
    ]  # fmt: skip
    drop_unread(block, [a for let in gone for a in let.args])


def bounds(lets: list[Let], block: Block, r: Reach) -> list[Var]:
    """How large the numbers are that the rest is made of."""
    through = {target for let in (r.start, *r.through) for target in let.targets}
    todo = [(a, 0) for let in r.through if applies(let, arithmetic.mul)
            for a in let.args if a not in through]  # fmt: skip
    found: dict[Atom, Var] = {}
    while todo:
        atom, depth = todo.pop()
        let = atom.definition if isinstance(atom, Var) and atom.home is block else None
        if isinstance(let, Let) and rank(atom.object) and depth < DEEP and by_items(let):
            todo += [(a, depth + 1) for a in let.args]
        elif atom not in found and not is_small(atom):
            found[atom] = largest(lets, block, atom)
    return list(found.values())


def is_small(atom: Atom) -> bool:
    """Whether an atom surely holds no number beyond the bound."""
    if isinstance(atom, Lit):
        return isinstance(atom.value, (float, int)) and abs(atom.value) <= BOUND
    a = atom.object
    return not (a.is_real if isinstance(a, Array) else isinstance(a, Real))


def largest(lets: list[Let], home: Block, atom: Atom) -> Var:
    """The largest absolute value of an array, or that of a number, before all loops that leave it as it is."""
    place = lets, len(lets)
    while isinstance(atom, Var) and atom.home is not home and home.kind is BlockKind.LOOP and home.parent is not None:
        owner = next(let for let in home.parent.lets if home in let.op.blocks)
        home = home.parent
        place = home.lets, home.lets.index(owner)
    new: list[Let] = []
    if rank(atom.object):
        sizes = apply(new, home, elementary_numpy.absolute, [atom], atom.object)
        found = apply(new, home, reductions.max_, [sizes], Real("float64"))
    else:
        found = apply(new, home, arithmetic.absolute, [atom], Real("float64"))
    lets, at = place
    lets[at:at] = new
    return found


def by_items(let: Let) -> bool:
    """Whether a row of the result is computed anew from rows of the arguments: of what is exact on integers."""
    return known(let).exact is not None and fits(let)


def drop_unread(block: Block, atoms: list[Atom]) -> None:
    """Drop the operations by items among the definitions of atoms that nothing reads any more."""
    for atom in atoms:
        let = atom.definition if isinstance(atom, Var) and atom.home is block else None
        if let is not None and let in block.lets and known(let).exact is not None and not is_read(block, atom):
            block.lets.remove(let)
            drop_unread(block, let.args)


def is_read(block: Block, atom: Atom) -> bool:
    return atom in block.results or any(
        atom in let.args or any(atom in free_variables(inner, {}) for inner in let.op.blocks) for let in block.lets)


def apply(lets: list[Let], home: Block, primitive: Primitive, args: list[Atom], a: Object, **params: Any) -> Var:
    """The variable of a new let."""
    let = Let(Apply(primitive, params), args, adjoint=True)
    lets.append(let)
    return let.target("", a, home)


@slotted
class Rows:
    """The rows of arrays at one index, as lets of a block."""

    around: Block
    block: Block
    i: Var
    known: dict[Any, Atom]
    reach: Reach

    def of(self, atom: Atom, depth: int = 0) -> Atom:
        """The row of an array, or the item of a vector."""
        if atom in self.known:
            return self.known[atom]
        found: Atom
        let = atom.definition if isinstance(atom, Var) and atom.home is self.around else None
        if isinstance(let, Let) and isinstance(let.op, Apply):
            if let in self.reach.through and applies(let, reductions.expanded):
                found = self.of(let.args[0])
            elif let in self.reach.through or (depth < DEEP and by_items(let)):
                deeper = depth + (let not in self.reach.through)
                args = [self.of(a, deeper) if rank(a.object) == rank(atom.object) else a for a in let.args]
                found = self.row(let.op.primitive, args, atom.object, let.op.params)
            else:
                found = self.indexed(atom)
        else:
            found = self.indexed(atom)
        self.known[atom] = found
        return found

    def indexed(self, atom: Atom) -> Var:
        return self.row(indexing.index, [atom, self.i], atom.object, {"pattern": ("i",)})

    def row(self, primitive: Primitive, args: list[Atom], a: Any, params: dict[str, Any]) -> Var:
        """A row of an array `a`."""
        small = all(not isinstance(x.object, Array) or not rank(x.object) for x in args)
        scalar = rank(a) == 1 or (small and primitive is not indexing.index)
        row = Real("float64") if scalar else Array(a.dtype, tuple(a.axes[1:]))
        return apply(self.block.lets, self.block, primitive, args, row, **params)


def fits(let: Let) -> bool:
    """Whether each argument of an operation by items has all its rows, or none."""
    a = let.targets[0].object
    return not let.application.params and all(
        rank(x.object) < rank(a) or x.object.axes[0] == a.axes[0] != "1" for x in let.args  # type: ignore[union-attr]
    )
