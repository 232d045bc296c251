"""Which lets of a program may raise, by what is known there of the numbers among their arguments.

>>> from ccc.compile.frontend.elaborate import program_of
>>> program = program_of(lambda x: 1.0 / x + x / (1.0 + x * x), (2.0,))
>>> [str(let.op.primitive) for let in program.block.lets if may_raise(let)]
["Primitive('div')"]
"""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Apply, Atom, Let, Lit
from ccc.compile.program.ranges import SMALLEST, not_negative, positive
from ccc.compile.program.shapes import Shapes
from ccc.objects import Int, Real
from ccc.primitives import raising
from ccc.primitives.primitive import elementwise


def may_raise(let: Let, shapes: Shapes | None = None) -> bool:
    """True for primitives that raise in plain Python at some values or sizes: they stay though nothing reads them."""
    return not let.adjoint and isinstance(let.op, Apply) and can_raise(let.op, let.args, shapes)


def can_raise(op: Apply, args: list[Atom], shapes: Shapes | None = None) -> bool:
    """The same wherever the let stands."""
    sizes = None if shapes is None else lambda: shapes.known(args)
    return raising.may_raise(op.primitive, [a.object for a in args], op.params, lambda: known_of(args), sizes)


def item_may_raise(op: Apply, args: list[Atom]) -> bool:
    """Whether an operation on arrays, item by item, raises at some."""
    p = op.primitive
    return p.type_rule is elementwise and raising.item_may_raise(
        p, [a.object for a in args], op.params, lambda: known_of(args))


def known_of(args: list[Atom]) -> list[tuple[int, Any]]:
    """What is known of numbers among arguments, each with its position."""
    found: list[tuple[int, Any]] = []
    for i, a in enumerate(args):
        if isinstance(a, Lit):
            found += [(i, a.value)] * (type(a.value) in (int, float))
        elif isinstance(a.object, (Real, Int)) and not_negative(a):
            found.append((i, raising.AtLeast(SMALLEST if positive(a) else 0)))
    return found
