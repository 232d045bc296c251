"""Integers that are read as reals and shown: a text tells `3` from `3.0`, so what prints or raises is given an integer
where plain Python has one. Its derivative is not asked for.

    def f(n, x): print(n); return n * x * x        f(3, 2.0) prints 3, and has a derivative in n
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.program.lam import Apply, Let, Program, Var, blocks_in
from ccc.objects import INT, List, Object, Product, Real, Text
from ccc.primitives.effects import as_integers


def show_integers(program: Program, whole: Program) -> bool:
    """Let a program show integers where `whole`, which is the same program for integers, does; False where it shows
    none that it reads as reals."""
    here, there = shown_in(program), shown_in(whole)
    if [told(let) for let, _ in here] != [told(let) for let, _ in there]:
        return False
    found = False
    for (let, lets), (other, _) in zip(here, there, strict=True):
        for i, (x, y) in enumerate(zip(let.args, other.args, strict=True)):
            where = integers_at(x.object, y.object) if isinstance(x, Var) and isinstance(y, Var) else False
            if where:
                let.args[i] = with_integers(x, where, let, lets)
                found = True
    return found


def shown_in(program: Program) -> list[tuple[Let, list[Let]]]:
    """The effects in a program, and the texts that it makes, with the lets among which they stand."""
    return [(let, block.lets) for block in blocks_in(program.block) for let in block.lets
            if isinstance(let.op, Apply) and (let.op.primitive.effect or isinstance(let.targets[0].object, Text))]


def told(let: Let) -> Sequence[object]:
    """What is done, and where."""
    op = let.op
    assert isinstance(op, Apply)
    return op.primitive, op.params, len(let.args), let.span


def integers_at(a: Object, b: Object) -> Any:
    """Where an object has reals and another integers, as `as_integers` takes it; False where nowhere.

    >>> from ccc.objects import INT, REAL
    >>> integers_at(Product((REAL, List(REAL), REAL)), Product((INT, List(INT), REAL)))
    (True, (True, Ellipsis), False)
    """
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        parts = tuple(map(integers_at, a.parts, b.parts))
        return parts if any(parts) else False
    if isinstance(a, List) and isinstance(b, List):
        item = integers_at(a.item, b.item)
        return (item, ...) if item else False
    if isinstance(a, List) and isinstance(b, Product):  # a list of items of several kinds
        parts = tuple([integers_at(a.item, part) for part in b.parts])
        return parts if any(parts) else False
    return isinstance(a, Real) and b == INT


def with_integers(x: Any, where: Any, let: Let, lets: list[Let]) -> Var:
    """A value with integers for reals, made before a let."""
    made = Let(Apply(as_integers, {"where": where}), [x], let.span)
    lets.insert(lets.index(let), made)
    return made.target(x.name, as_integers.type_of((x.object,), {"where": where}), let.targets[0].home or x.home)
