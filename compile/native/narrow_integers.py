"""Integers of fewer than 64 bits: arrays of them among the arguments are taken as arrays of 64 bits.

    w[labels]     x * mask.astype(float)     np.sum(counts)

That changes nothing where an operation has a result of the same type for either, or only moves items. An operation
that computes in fewer bits, where results wrap around, is not taken, nor what orders items, prints or calls back.

>>> from ccc.compile.frontend.elaborate import program_of
>>> import numpy as np
>>> w, i = np.ones(3), np.array([0, 2, 1], dtype="int32")
>>> program = program_of(lambda w, i: w[i] * i[::-1], (w, i))
>>> widen(program)
>>> print(program.params[1][1].object)
int64[n]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ccc.compile.native.dtypes import WIDENED
from ccc.compile.native.layout import NotNative, canonical
from ccc.compile.program.facts import forget
from ccc.compile.program.lam import Apply, Block, Let, Program, Tree, Var, blocks_in, leaves
from ccc.objects import Array, Int, Object, Product
from ccc.primitives.facts import CALL, MOVEMENT, ORDER


def widened(a: Object) -> Object:
    """The object of the same values in 64 bits."""
    if isinstance(a, Array) and a.dtype in WIDENED:
        return Array(WIDENED[a.dtype], a.axes)
    return Int(WIDENED[a.kind]) if isinstance(a, Int) and a.kind in WIDENED else a


def layout_of_given(a: Object) -> Any:
    """The layout of arguments of an object, of which `canonical` says what it is in a program."""
    return canonical(in_parts(a))


def in_parts(a: Object) -> Object:
    """An object with wider arrays for those that stand in tuples and records as well."""
    return replace(a, parts=tuple(map(in_parts, a.parts))) if isinstance(a, Product) else (
        widened(a) if isinstance(a, Array) else a)


def widen(program: Program) -> None:
    """Let a program, in place, have arrays of 64 bits for those of narrow integers among its parameters.

    Raises `NotNative` where something else would come of that.
    """
    given = [v for _, tree in program.params for v in leaves(tree) if isinstance(v, Var)]
    wide = {v for v in given if isinstance(v.object, Array) and widened(v.object) != v.object}
    if not wide:
        return
    forget(program)
    for v in wide:
        v.object = widened(v.object)
    for block in blocks_in(program.block):
        for let in block.lets:
            if not wide.isdisjoint(let.args):
                retype(let, wide)
        refuse_results(block, block.results, wide)
        refuse_results(block, block.tree, wide)
    refuse_results(program.block, program.result, wide)


def retype(let: Let, wide: set[Var]) -> None:
    """Give the result of an operation on wider arrays its type, which is the same but where items are moved."""
    op = let.op
    if not isinstance(op, Apply) or op.primitive.effect or op.primitive.work in (CALL, ORDER):
        raise NotNative("what is done with an array of integers of fewer than 64 bits")
    (target,) = let.targets
    found = op.primitive.type_of(tuple([a.object for a in let.args]), op.params)
    if found == target.object:
        return
    if op.primitive.work != MOVEMENT or found != widened(target.object):
        raise NotNative(f"`{op.primitive.name}` of integers of fewer than 64 bits")
    target.object = found
    wide.add(target)


def refuse_results(block: Block, results: Tree | list[Any], wide: set[Var]) -> None:
    """A block gives out what it gave before."""
    if any(isinstance(v, Var) and v in wide for v in leaves(tuple(results) if isinstance(results, list) else results)):
        raise NotNative("an array of integers of fewer than 64 bits that is handed on")
