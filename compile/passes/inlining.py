"""Nested functions in the place of their calls, where one is called once, or where nothing reads what a call gives.

    let f = λx. e ... f(a)              e at x = a, in the place of the only call
    let f = λx. e ... let _ = f(a)      a copy of e at x = a: what it raises in stays, and all else goes

So a program shares what the function and its surroundings compute. Functions that call themselves stay.

>>> from ccc.compile.frontend.elaborate import elaborate
>>> def f(x):
...     def g(y):
...         return y * y
...     return g(x + 1.0)
>>> from ccc.compile.program.pretty import program_text
>>> program = elaborate(f, (2.0,), {}).program
>>> inlined(program)
True
>>> print(program_text(program))
λ x:R.
  t = x + 1.0
  t2 = t * t
  t2
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ccc.compile.passes.inline_program_primitives import Replaced, found_in, substitute, tree_in
from ccc.compile.program.lam import (
    Atom,
    Block,
    Branch,
    Call,
    Claim,
    Lambda,
    Let,
    Loop,
    Op,
    Program,
    Var,
    While,
    blocks_in,
    leaves,
    move,
)
from ccc.compile.program.numbering import alike


def inlined(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    changed = False
    while any(isinstance(let.op, Lambda) for block in blocks_in(program.block) for let in block.lets):
        replaced: Replaced = {}
        if not Calls(program).inline(replaced):
            break
        substitute(program, replaced)
        changed = True
    return changed


class Calls:
    """The calls of the functions of a program, and how often each variable is read."""

    def __init__(self, program: Program) -> None:
        self.uses: Counter[Var] = Counter()
        self.places: dict[Let, Block] = {}
        self.count(list(leaves(program.result)))
        for block in blocks_in(program.block):
            self.count(block.results)
            self.count(list(leaves(block.tree)))
            for let in block.lets:
                self.count(let.args)
                if isinstance(let.op, Call):
                    self.places[let] = block

    def count(self, atoms: list[Atom]) -> None:
        self.uses.update([atom for atom in atoms if isinstance(atom, Var)])

    def inline(self, replaced: Replaced) -> bool:
        """Put bodies in the place of calls, and say what stands for their parameters and results."""
        found = False
        for let in list(self.places):
            function = let.args[0]
            made = function.definition if isinstance(function, Var) else None
            if made is None or not isinstance(made.op, Lambda) or not fits(made.op.body, let):
                continue
            body, home = made.op.body, self.places[let]
            if any(block is body for block in home.ancestors()):
                continue
            if self.uses[function] == 1:  # type: ignore[index]
                made.targets[0].home.lets.remove(made)  # type: ignore[union-attr]
            elif not any(self.uses[target] for target in let.targets) and not calls(body):
                body = copy_of(body, home, {})
            else:
                continue
            self.put(body, let, home, replaced)
            found = True
        return found

    def put(self, body: Block, call: Let, home: Block, replaced: Replaced) -> None:
        """The lets of a body in the place of a call."""
        replaced.update(zip(body.params, call.args[1:], strict=True))
        replaced.update(zip(call.targets, body.results, strict=True))
        for let in body.lets:
            move(let, home)
            if let in self.places:
                self.places[let] = home
        at = home.lets.index(call)
        home.lets[at : at + 1] = body.lets


def fits(body: Block, call: Let) -> bool:
    """Whether arguments and results are of the types of the parameters and of what the body gives."""
    taken = len(call.args) == len(body.params) + 1 and all(
        alike(a.object, p.object) for a, p in zip(call.args[1:], body.params, strict=True))
    return taken and len(call.targets) == len(body.results) and all(
        alike(a.object, target.object) for a, target in zip(body.results, call.targets, strict=True))


def calls(block: Block) -> bool:
    """Whether functions are made or called in a block."""
    return any(isinstance(let.op, (Call, Lambda)) for here in blocks_in(block) for let in here.lets)


def copy_of(block: Block, parent: Block | None, same: Replaced) -> Block:
    """A block with variables of its own; `same` says what stands for those of the blocks around it. Functions may call
    themselves and each other, and read what is bound behind them, before they are called."""
    copy = Block(block.kind, parent)

    def variable(var: Var) -> Var:
        found = same[var] = type(var)(var.name, var.object, copy)
        found.base = var.base
        return found

    copy.params = [variable(param) for param in block.params]
    targets = {let: [variable(target) for target in let.targets] for let in block.lets}
    for let in block.lets:
        op = let.op
        made = Let(with_blocks(op, [copy_of(inner, copy, same) for inner in op.blocks]),
                   [found_in(a, same) for a in let.args], let.span, let.adjoint, let.of)
        made.targets = targets[let]
        for target in made.targets:
            target.definition = made
        copy.lets.append(made)
    copy.results = [found_in(a, same) for a in block.results]
    copy.tree = tree_in(block.tree, same)
    if block.claim is not None:
        copy.claim = Claim(tuple([found_in(param, same) for param in block.claim.of]), block.claim.given)
    return copy


def with_blocks(op: Op, blocks: list[Block]) -> Op:
    """The operation with other blocks."""
    match op:
        case Branch():
            return Branch(*blocks)
        case Loop():
            return Loop(blocks[0], op.carries, op.reverse)
        case While():
            return While(*blocks)
        case Lambda():
            return Lambda(*blocks)
        case _:
            return op


def copy_of_program(program: Program) -> Program:
    """A program with variables of its own."""
    same: Replaced = {}
    block = copy_of(program.block, None, same)
    params: list[tuple[str, Any]] = [(name, tree_in(tree, same)) for name, tree in program.params]
    found = Program(program.name, params, block, tree_in(program.result, same))
    found.assumed = program.assumed
    return found
