"""Before code is made: the bodies of primitives that stand for programs in the place of these, and barriers gone.

A custom derivative and a checkpoint are one let of a program as long as derivatives are taken of it; no pass but these
two knows of them.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from ccc.compile.program.lam import Apply, Atom, Block, Let, Program, Tree, Var, like, move
from ccc.compile.terms import staging
from ccc.objects import Real
from ccc.primitives import barriers, structure

Replaced = dict[Var, Atom]


def opened(program: Program) -> bool:
    """Put the bodies of primitives in their places, and forget where derivatives stop; true where there was one."""
    replaced: Replaced = {}
    todo = [program.block]
    while todo:
        block = todo.pop()
        waiting, block.lets = deque(block.lets), []
        while waiting:
            let = waiting.popleft()
            primitive = let.op.primitive if isinstance(let.op, Apply) else None
            if primitive is barriers.stop:
                replaced[let.targets[0]] = let.args[0]
            elif primitive is not None and primitive.program is not None:
                waiting.extendleft(reversed(body_of(let, block, replaced)))
            else:
                block.lets.append(let)
                todo += let.op.blocks
    if replaced:
        unpacked(program, replaced)
        substitute(program, replaced)
    return bool(replaced)


def body_of(let: Let, home: Block, replaced: Replaced) -> list[Let]:
    """The lets that compute what a primitive stands for."""
    assert isinstance(let.op, Apply)
    st = staging.Staging(exact=any(a.object == Real("fraction") for a in let.args))
    st.adjoint, st.alike = let.adjoint, True
    params = [st.param(st.block, getattr(a, "name", ""), a.object) for a in let.args]
    replaced.update(zip(params, let.args, strict=True))
    value = st.atom(let.op.primitive.program.value(st, params))
    if isinstance(value, Var) and value.definition is not None:
        value.name = value.name or let.targets[0].name
    replaced[let.targets[0]] = value
    for inner in st.block.lets:
        move(inner, home)
    return st.block.lets


def found_in(atom: Any, replaced: Replaced) -> Any:
    """What stands for an atom in the end."""
    while isinstance(atom, Var) and atom in replaced:
        atom = replaced[atom]
    return atom


def unpacked(program: Program, replaced: Replaced) -> None:
    """Read the parts of the tuples that bodies give where they come from."""
    todo = [program.block]
    while todo:
        block = todo.pop()
        kept: list[Let] = []
        for let in block.lets:
            todo += let.op.blocks
            if isinstance(let.op, Apply) and let.op.primitive is structure.part:
                whole = found_in(let.args[0], replaced)
                made = whole.definition if isinstance(whole, Var) else None
                if made is not None and isinstance(made.op, Apply) and made.op.primitive is structure.pack:
                    replaced[let.targets[0]] = made.args[let.op.params["index"]]
                    continue
            kept.append(let)
        block.lets = kept


def substitute(program: Program, replaced: Replaced) -> None:
    """Write what stands for variables instead of them."""
    todo = [program.block]
    while todo:
        block = todo.pop()
        for let in block.lets:
            let.args = [found_in(a, replaced) for a in let.args]
            todo += let.op.blocks
        block.results = [found_in(a, replaced) for a in block.results]
        block.tree = tree_in(block.tree, replaced)
    program.result = tree_in(program.result, replaced)


def tree_in(tree: Tree, replaced: Replaced) -> Tree:
    """A tree of what stands for its variables."""
    if isinstance(tree, tuple):
        return like(tree, [tree_in(part, replaced) for part in tree])
    return found_in(tree, replaced)


def joined(program: Program) -> bool:
    """Forget what was to be computed anew: it is. True where there was such a thing."""
    replaced: Replaced = {}
    todo = [program.block]
    while todo:
        block = todo.pop()
        for let in block.lets:
            todo += let.op.blocks
            if isinstance(let.op, Apply) and let.op.primitive is barriers.again:
                replaced[let.targets[0]] = let.args[0]
        block.lets = [let for let in block.lets if not let.targets or let.targets[0] not in replaced]
    if replaced:
        substitute(program, replaced)
    return bool(replaced)
