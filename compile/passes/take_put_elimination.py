"""What a program takes out of an array, and puts back: the array stays as it is.

    v = take_at(x, i);  y = set_at(x, 0, i);  z = add_at(y, v, i)        z becomes x

That is the cotangent of `a[i] += e`, which the cotangents of the old item and of `e` are equal to. A loop that carries
an array which its runs leave as it is reads the array from outside. What is handed out stays memory of its own. An item
that is -0.0 would be 0.0 when it is put back, so nothing but what derivatives compute is dropped.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ccc.compile.passes.inline_program_primitives import Replaced, found_in, substitute
from ccc.compile.program.lam import Apply, Block, Let, Lit, Loop, Program, blocks_in, leaves
from ccc.objects import Array
from ccc.primitives import boundary, indexing, updating


def restored(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    blocks = blocks_in(program.block)
    if not any(is_zeroed(let) for block in blocks for let in block.lets):
        return False
    uses = Counter[Any]([a for block in blocks for let in block.lets for a in let.args])
    uses.update([a for block in blocks for a in [*block.results, *leaves(block.tree)]])
    uses.update(leaves(program.result))
    handed = {a for block in blocks if block.kind.is_called for a in [*block.results, *leaves(block.tree)]}
    handed.update(leaves(program.result))
    replaced: Replaced = {}
    for block in reversed(blocks):
        if zeroed := [let for let in block.lets if is_zeroed(let)]:
            reads, gone = Reads(block), set[Let]()
            for let in zeroed:
                put_back(let, reads, uses, replaced, handed, gone)
            if gone:
                block.lets = [let for let in block.lets if let not in gone]
        for let in list(block.lets):
            if replaced and isinstance(let.op, Loop):
                unchanged(let, let.op, block, replaced, handed)
    if replaced:
        substitute(program, replaced)
    return bool(replaced)


def is_zeroed(let: Let) -> bool:
    """Whether a let of a derivative puts zero into a part of an array that an index without repetitions names."""
    op = let.op
    if not isinstance(op, Apply) or op.primitive is not updating.set_at or not let.adjoint:
        return False
    if "a" in op.params.get("pattern", "a"):
        return False
    value = let.args[1]
    return isinstance(value, Lit) and type(value.value) is float and value.value == 0.0


class Reads:
    """The lets of a block by what they read first, and of these what takes parts out of that."""

    def __init__(self, block: Block) -> None:
        self.of: dict[Any, list[Let]] = {}
        self.takes: dict[Any, list[Let]] = {}
        for let in block.lets:
            if let.args:
                self.of.setdefault(let.args[0], []).append(let)
                if isinstance(let.op, Apply) and let.op.primitive is updating.take_at:
                    self.takes.setdefault(let.args[0], []).append(let)


def put_back(
    zeroed: Let, reads: Reads, uses: Counter[Any], replaced: Replaced, handed: set[Any], gone: set[Let]
) -> None:
    """Drop what sets a part of an array to zero and what adds to it what it was before, in the same block."""
    array, index = zeroed.args[0], zeroed.args[2:]
    taken = {let.targets[0] for let in reads.takes.get(array, ()) if applies(let, updating.take_at, zeroed)
             and all(map(same, let.args[1:], index))}  # fmt: skip
    now, steps = zeroed.targets[0], list[Let]()
    while uses[now] == 1:
        let = next((let for let in reads.of.get(now, ()) if let not in gone and let.args[0] is now), None)
        if let is None or not let.adjoint or not isinstance(let.op, Apply) or let.op.primitive is not indexing.add_at:
            return
        if let.args[1] in taken and applies(let, indexing.add_at, zeroed) and all(map(same, let.args[2:], index)):
            replaced[zeroed.targets[0]] = array
            gone.add(zeroed)
            if let.targets[0] in handed and not steps:
                let.op, let.args = Apply(boundary.own, {}), [array]
                return
            gone.add(let)
            replaced[let.targets[0]] = steps[-1].targets[0] if steps else array
            return
        steps.append(let)
        now = let.targets[0]


def applies(let: Let, primitive: Any, like: Let) -> bool:
    """Whether a let applies a primitive at the index pattern of another let."""
    op = let.op
    return isinstance(op, Apply) and op.primitive is primitive and (
        op.params["pattern"] == like.application.params["pattern"])


def same(a: Any, b: Any) -> bool:
    """Whether two atoms are surely equal: one variable, or one constant."""
    return a is b or (isinstance(a, Lit) and isinstance(b, Lit) and type(a.value) is type(b.value) and (
        a.value == b.value))


def unchanged(let: Let, op: Loop, block: Block, replaced: Replaced, handed: set[Any]) -> None:
    """Drop the arrays that a loop carries and that are the same after each run."""
    body = op.body
    gone = [k for k, param in enumerate(body.params[: op.carries])
            if isinstance(param.object, Array) and found_in(body.results[k], replaced) is param]
    for k in gone:
        replaced[body.params[k]] = let.args[k]
        if let.targets[k] in handed:
            own = Let(Apply(boundary.own, {}), [let.args[k]], let.span, let.adjoint, let.of)
            replaced[let.targets[k]] = own.target(let.targets[k].name, let.targets[k].object, block)
            block.lets.insert(block.lets.index(let) + 1, own)
        else:
            replaced[let.targets[k]] = let.args[k]
    for atoms in (let.args, let.targets, body.params, body.results):
        for k in reversed(gone):
            del atoms[k]
    op.carries -= len(gone)


__all__ = ["restored"]
