"""Lists of the arguments in which ints stand among reals, as `[1, 2.5]`: machine code is given floats for these.

Where what the program gives may be one of these ints, it would be of another class, and the program is left to NumPy:

    loss + w * xs[0]        a float, whatever the class of `xs[0]`
    max(xs)                 an int, if that is the largest
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ccc.compile.frontend.integers import Reader, TooLarge, mixes, parted, reader
from ccc.compile.program.dependence import defined, parameter
from ccc.compile.program.lam import Apply, Atom, Let, Program, Tree, Var, blocks_in, leaves, lets_in
from ccc.objects import INT, Object, Real, Text
from ccc.primitives.primitive import Primitive
from ccc.records import parts_of

Readers = Sequence[Reader | None]


def readers_of(program: Program, args: Sequence[Any]) -> Readers:
    """What makes floats of the ints of each argument of a program; none where there are no such ints, or where a result
    may be one of them.

    >>> from ccc.compile.frontend.elaborate import program_of
    >>> args = [1, 2.5], 2.0
    >>> readers = readers_of(program_of(lambda xs, w: sum(xs) * w, args), args)
    >>> readers[0](args[0]), readers[1]
    ([1.0, 2.5], None)
    >>> readers_of(program_of(lambda xs, w: (max(xs), w), args), args)
    ()
    """
    given = [(tree, x) for (_, tree), x in zip(program.params, args, strict=False)]
    found = [reader_of(tree, x) for tree, x in given]
    if not any(found):
        return ()
    may = {var for tree, x in given for var in mixed(tree, x)}
    follow(program, may)
    shown = [a for let in lets_in(program.block) if isinstance(let.op, Apply) and shows(let) for a in let.args]
    return found if may.isdisjoint(variables([*leaves(program.result), *shown])) else ()


def reader_of(tree: Tree, x: Any) -> Reader | None:
    """What makes floats of the ints of an argument, whose parameter is a tree; None where it has none."""
    if isinstance(tree, Var):
        return reader(tree.object) if mixes(x, tree.object) else None
    if not isinstance(tree, tuple):
        return None
    inner = [reader_of(part, value) for part, value in zip(tree, parts_of(x) or (), strict=False)]
    return (lambda x: parted(x, inner)) if any(inner) else None


def mixed(tree: Tree, x: Any) -> Iterator[Var]:
    """The variables of a parameter in which there are such ints."""
    if isinstance(tree, Var) and mixes(x, tree.object):
        yield tree
    elif isinstance(tree, tuple):
        for part, value in zip(tree, parts_of(x) or (), strict=False):
            yield from mixed(part, value)


def shows(let: Let) -> bool:
    """Whether a let prints what it is given, or makes a text of it."""
    return let.application.primitive.effect or any(isinstance(v.object, Text) for v in let.targets)


def follow(program: Program, may: set[Var]) -> None:
    """Add the variables that may be such ints, or hold some, to those that do."""
    blocks = blocks_in(program.block)
    count = -1
    while count < len(may):
        count = len(may)
        for block in blocks:
            may.update([v for v in block.params if not may.isdisjoint(variables(parameter(v, block)))])
            for let in block.lets:
                may.update([v for v in let.targets if may_be(v, let, may)])


def may_be(var: Var, let: Let, may: set[Var]) -> bool:
    """Whether what a let computes may be such an int, or hold one."""
    if not isinstance(let.op, Apply):
        return not may.isdisjoint(variables(defined(var, let)))
    read = [a for i, a in enumerate(let.args) if i not in let.op.primitive.sizes]
    if may.isdisjoint(variables(read)):
        return False
    if not isinstance(var.object, Real):
        return not is_typed(var.object)
    if any(a in may and not isinstance(a.object, Real) for a in read):
        return True
    return all(a in may for a in read if isinstance(a.object, Real)) and gives_int(
        let.op.primitive, [INT if isinstance(a.object, Real) else a.object for a in let.args], let.op.params)


def is_typed(a: Object) -> bool:
    """Whether an object holds no reals but those of arrays."""
    return not reader(a) and not isinstance(a, Real)


def gives_int(p: Primitive, objects: Sequence[Object], params: dict[str, Any]) -> bool:
    """Whether a primitive may give an int of arguments of these objects."""
    try:
        return not isinstance(p.type_of(tuple(objects), params), Real)
    except Exception:  # of primitives that are not for ints
        return True


def variables(atoms: Iterable[Atom]) -> list[Var]:
    return [a for a in atoms if isinstance(a, Var)]


def with_floats(kernel: Callable[..., Any], readers: Readers) -> Callable[..., Any]:
    """Machine code that is given floats for the ints among the reals of its arguments."""
    def read_first(*args: Any) -> Any:
        try:
            read = [x if reader is None else reader(x) for reader, x in zip(readers, args, strict=True)]
        except TooLarge:
            return NotImplemented
        return kernel(*read)

    return read_first


__all__ = ["readers_of", "with_floats"]
