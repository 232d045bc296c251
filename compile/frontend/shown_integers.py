"""Integers that are read as reals and shown: a text tells `3` from `3.0`, so what prints or raises is given an integer
where plain Python has one. Its derivative is not asked for.

    def f(n, x): print(n); return n * x * x        f(3, 2.0) prints 3, and has a derivative in n
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.program.lam import Apply, Let, Program, Var, blocks_in
from ccc.objects import Coproduct, Int, Itself, List, Map, Object, Product, Real, Text
from ccc.primitives.effects import AROUND, as_integers, name_of


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

    >>> from ccc.coproducts import NONE, sum_of
    >>> from ccc.objects import INT, REAL
    >>> integers_at(Product((REAL, List(REAL), REAL)), Product((INT, List(INT), REAL)))
    (True, (True, Ellipsis), False)
    >>> integers_at(sum_of([REAL, NONE]), sum_of([INT, NONE]))
    (Ellipsis, ('NoneType', False), ('number', True))
    """
    if isinstance(a, Coproduct) and isinstance(b, Coproduct):
        here, there = [{name_of(part): part for part in x.alternatives} for x in (a, b)]
        cases = [(name, integers_at(part, there.get(name, part))) for name, part in here.items()]
        return (..., *cases) if any(has_integers(where) for _, where in cases) else False
    if isinstance(a, Itself) and isinstance(b, Itself):
        return AROUND
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        return of_parts(list(map(integers_at, a.parts, b.parts)))
    if isinstance(a, (List, Map)) and isinstance(b, (List, Map)):
        return of_parts([integers_at(a.item, b.item), ...])
    if isinstance(a, List) and isinstance(b, Product):  # a list of items of several kinds
        return of_parts([integers_at(a.item, part) for part in b.parts])
    return isinstance(a, Real) and isinstance(b, Int)


def of_parts(parts: list[Any]) -> Any:
    return tuple(parts) if any(where is not ... and where is not False for where in parts) else False


def has_integers(where: Any) -> bool:
    """Whether there are integers, and not only more of what stands around it."""
    return where is True or (isinstance(where, tuple) and any(map(has_integers, where)))


def with_integers(x: Any, where: Any, let: Let, lets: list[Let]) -> Var:
    """A value with integers for reals, made before a let."""
    made = Let(Apply(as_integers, {"where": where}), [x], let.span)
    lets.insert(lets.index(let), made)
    return made.target(x.name, as_integers.type_of((x.object,), {"where": where}), let.targets[0].home or x.home)
