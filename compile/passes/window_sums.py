"""What is added to parts of zeros, and then to a part of an array, is added to that array.

    z = zeros_like(r);  z = add_at(z, v, 1:)
    y = add_at(x, z, :-2)                       y = add_at(x, v, 1:-2)
    y = add_at(x, -z, :-2)                      y = add_at(x, -v, 1:-2)

The cotangent of a slice is made like `z`, and slices of slices, or of sums and differences of slices, as stencils and
`np.diff` have them, make such cotangents of each other. No zeros are written then. It is done where it is less work:
`p` parts that are added to `c` places take p c sums, where zeros, p sums and c more were needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.passes.readers import Ends, Readers, left_out
from ccc.compile.passes.shared_factors import applied, put
from ccc.compile.passes.steady import steady
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Program, Var, blocks_in
from ccc.compile.program.shapes import Shapes
from ccc.objects import INT
from ccc.primitives import arithmetic, indexing, zero_trees
from ccc.primitives.sizes import Shape, Sized
from ccc.values import value

MOST = 16
"""So many parts at most are added one by one."""


@value(eq=False)
class Part:
    """What is added to a part of zeros, or taken from it where it is `negative`; a slice on each of the first axes."""

    added: Atom
    negative: bool
    slices: Sequence[Ends]


def with_window_sums(program: Program) -> bool:
    """Rewrite what derivatives compute, in place; true where it changed."""
    kept, shapes, readers, changed = steady(program), shapes_of(program), Readers(program), False
    for block in blocks_in(program.block):
        made = dict[Var, list[Part]]()  # what was added to zeros
        lets, block.lets = block.lets, []
        for let in lets:
            if not let.adjoint or not isinstance(let.op, Apply):
                block.lets.append(let)
                continue
            found = added(let, made, shapes, readers)
            if found is None:
                block.lets.append(let)
                note(let, made, kept)
            else:
                x, parts = found
                write(let, x, parts, block)
                changed = True
                if x in made and len(made[x]) + len(parts) <= MOST:  # type: ignore[index]
                    made[let.targets[0]] = [*made[x], *parts]  # type: ignore[index]
    return changed


def note(let: Let, made: dict[Var, list[Part]], kept: set[Var]) -> None:
    """Note what a let adds to parts of zeros, or the negative of that."""
    if applied(let, zero_trees.zeros_like):
        made[let.targets[0]] = []
    before = made.get(let.args[0]) if let.args else None  # type: ignore[arg-type]
    if before is None:
        return
    if applied(let, arithmetic.neg):
        made[let.targets[0]] = [Part(x.added, not x.negative, x.slices) for x in before]
    elif applied(let, indexing.add_at) and let.args[1] in kept and len(before) < MOST:
        here = slices(let)
        if here is not None:
            made[let.targets[0]] = [*before, Part(let.args[1], False, here)]


def added(
    let: Let, made: dict[Var, list[Part]], shapes: Shapes, readers: Readers
) -> tuple[Atom, list[Part]] | None:
    """What a let adds to which array in parts, where it adds parts of zeros that nothing else reads; None where it does
    something else."""
    if not applied(let, indexing.add_at):
        return None
    x, z, *numbers = let.args
    outer, parts = slices(let), made.get(z)  # type: ignore[arg-type]
    count = 0 if outer is None or not parts else times_added(z, readers)
    if outer is None or not parts or not count or len(parts) * count > len(parts) + count + 1:
        return None
    if not shapes.equal(place(x, numbers, let, shapes), shapes.of(z)):
        return None
    return x, [Part(part.added, part.negative, within(outer, part.slices)) for part in parts]


def times_added(z: Atom, readers: Readers) -> int:
    """How often an array, or its negative, is added to parts of others; 0 where something else reads it."""
    while isinstance(z, Var) and applied(z.definition, arithmetic.neg):
        z = z.definition.args[0]  # type: ignore[union-attr]
    todo, count = [z], 0
    while todo:
        var = todo.pop()
        for let in readers.of.get(var, []):
            if not isinstance(let, Let) or not let.adjoint:
                return 0
            if applied(let, arithmetic.neg):
                todo += let.targets
            elif not applied(let, indexing.add_at) or let.args[0] is var or slices(let) is None:
                return 0
            else:
                count += 1
    return count


def place(x: Atom, numbers: Sequence[Atom], let: Let, shapes: Shapes) -> Shape | None:
    """The sizes of the part of an array that a let adds to."""
    given = [Sized(x.object, shapes.of(x)), *[Sized(n.object, None, shapes.size(n)) for n in numbers]]
    sizes = [size for size in indexing.index_shape(given, let.application.params) or () if size is not None]
    return tuple(sizes) if len(sizes) == len(getattr(x.object, "axes", None) or ()) else None


def slices(let: Let) -> list[Ends] | None:
    """The slices that a let adds to, where each leaves out known numbers of places at the ends of an axis."""
    return left_out(let.application.params["pattern"], let.args[2:])


def within(outer: Sequence[Ends], inner: Sequence[Ends]) -> list[Ends]:
    """Slices of slices."""
    axes = max(len(outer), len(inner))
    padded = [[*x, *[(0, 0)] * (axes - len(x))] for x in (outer, inner)]
    return [(a + c, b + d) for (a, b), (c, d) in zip(*padded, strict=True)]


def write(let: Let, x: Atom, parts: Sequence[Part], block: Block) -> None:
    """Add parts to an array, one after the other, for what a let adds."""
    total = x
    for part in parts:
        v = put(block.lets, arithmetic.neg, [part.added], block) if part.negative else part.added
        pattern = tuple(["s" + "1" * (start > 0) + "2" * (stop > 0) for start, stop in part.slices])
        numbers = [Lit(n, INT) for start, stop in part.slices for n in (start, -stop) if n]
        total = put(block.lets, indexing.add_at, [total, v, *numbers], block, x.object, pattern=pattern)
    last = block.lets[-1]
    last.targets, last.span, last.of = let.targets, let.span, let.of
    last.targets[0].definition = last
