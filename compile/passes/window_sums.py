"""What is added to parts of zeros, and then to a part of an array, is added to that array.

    z = zeros_like(r);  z = add_at(z, v, 1:)
    y = add_at(x, z, :-2)                       y = add_at(x, v, 1:-2)
    y = add_at(x, -z, :-2)                      y = add_at(x, -v, 1:-2)

The cotangent of a slice is made like `z`, and slices of slices, or of sums and differences of slices, as stencils and
`np.diff` have them, make such cotangents of each other. No zeros are written then, and nothing is added twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.passes.shared_factors import applied, put
from ccc.compile.passes.steady import steady
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Program, Var, blocks_in
from ccc.compile.program.shapes import Shapes
from ccc.objects import INT
from ccc.primitives import arithmetic, indexing, zero_trees
from ccc.primitives.sizes import Shape, Sized
from ccc.values import value

MOST = 8
"""So many parts are added one by one: where slices are taken of slices many times, they would be ever more."""
Ends = tuple[int, int]
"""How many places a slice leaves out before and behind it."""


@value(eq=False)
class Part:
    """What is added to a part of zeros, or taken from it where it is `negative`; a slice on each of the first axes."""

    added: Atom
    negative: bool
    slices: Sequence[Ends]


def with_window_sums(program: Program) -> bool:
    """Rewrite what derivatives compute, in place; true where it changed."""
    kept, shapes, changed = steady(program), shapes_of(program), False
    for block in blocks_in(program.block):
        made = dict[Var, list[Part]]()  # what was added to zeros
        lets, block.lets = block.lets, []
        for let in lets:
            if not let.adjoint or not isinstance(let.op, Apply):
                block.lets.append(let)
                continue
            found = added(let, made, shapes)
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


def added(let: Let, made: dict[Var, list[Part]], shapes: Shapes) -> tuple[Atom, list[Part]] | None:
    """What a let adds to which array in parts, where it adds parts of zeros; None where it does something else."""
    if not applied(let, indexing.add_at):
        return None
    x, z, *numbers = let.args
    outer, parts = slices(let), made.get(z)  # type: ignore[arg-type]
    if outer is None or not parts or not shapes.equal(place(x, numbers, let, shapes), shapes.of(z)):
        return None
    return x, [Part(part.added, part.negative, within(outer, part.slices)) for part in parts]


def place(x: Atom, numbers: Sequence[Atom], let: Let, shapes: Shapes) -> Shape | None:
    """The sizes of the part of an array that a let adds to."""
    given = [Sized(x.object, shapes.of(x)), *[Sized(n.object, None, shapes.size(n)) for n in numbers]]
    sizes = [size for size in indexing.index_shape(given, let.application.params) or () if size is not None]
    return tuple(sizes) if len(sizes) == len(getattr(x.object, "axes", None) or ()) else None


def slices(let: Let) -> list[Ends] | None:
    """The slices that a let adds to, where each leaves out known numbers of places at the ends of an axis."""
    given, found = iter(let.args[2:]), list[Ends]()
    for code in let.application.params["pattern"]:
        ends = {place: next(given) for place in code[1:]}
        numbers = {place: n.value if isinstance(n, Lit) else None for place, n in ends.items()}
        start, stop = numbers.get("1", 0), numbers.get("2", 0)
        if code[0] != "s" or "3" in ends or type(start) is not int or type(stop) is not int:
            return None
        if start < 0 or stop > 0 or ("2" in ends and stop == 0):
            return None
        found.append((start, -stop))
    return found


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
