"""Integers that stand for reals: in a list that holds reals they become reals, which have derivatives.

The type of a list is what its items have in common, so an integer among reals is seen as a real; a tangent of it is a
number then and not None. That holds of integers in tuples and records, of integer arrays and of lists in lists too.
"""

from __future__ import annotations

import operator
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.parts import parts_in, remade
from ccc.compile.program.lam import Apply, Block, BlockKind, Lit, Loop, Var
from ccc.coproducts import is_text, join, with_texts
from ccc.objects import TEXT, UNIT, Array, Int, List, Map, Object, Product, Real, Record, Static, Text, same_shape
from ccc.objects_of_values import object_of
from ccc.primitives import arithmetic, effects, shaping, structure, zero_trees


def objects_of(value: Any) -> Any:
    """The object of an atom."""
    return value.object if isinstance(value, Var) else object_of(value)


def real(value: Any) -> Any:
    """An integer as a float."""
    if isinstance(value, Var):
        return arithmetic.to_float(value) if isinstance(value.object, Int) else value
    return float(value) if type(value) is int else value


def fitted(value: Any, a: Any) -> Any:
    """A value with reals for integers where an object has reals."""
    if isinstance(a, Real):
        return real(value)
    parts = parts_in(value) if isinstance(a, Product) else None
    if parts is None or len(parts) != len(a.parts):
        return value
    found = [fitted(part, b) for part, b in zip(parts, a.parts, strict=True)]
    return value if all(x is y for x, y in zip(found, parts, strict=True)) else remade(value, found, "a list")


def fitted_in(e: Elaboration, value: Any, a: Any) -> Any:
    """A value with reals for integers where an object has reals; that there were some is noted."""
    return noted(e, fitted(value, a), value)


def alike_in(e: Elaboration, items: list[Any]) -> list[Any]:
    """Items with reals for integers where others of them have reals; that there were some is noted."""
    return [noted(e, found, x) for found, x in zip(alike(items), items, strict=True)]


def noted(e: Elaboration, found: Any, value: Any) -> Any:
    """What a value became to stand beside reals; that integers did is noted."""
    e.makes_reals = e.makes_reals or found is not value
    return found


def alike(items: list[Any]) -> list[Any]:
    """Items with reals for integers where others of them have reals."""
    if any(isinstance(x, float) or (isinstance(x, Var) and isinstance(x.object, Real)) for x in items):
        return [real(x) for x in items]
    rows = [parts_in(x) for x in items]
    if not rows or not rows[0] or any(row is None or len(row) != len(rows[0]) for row in rows):
        return items
    columns = [alike(list(column)) for column in zip(*[row or () for row in rows], strict=True)]
    return [
        x if all(map(operator.is_, row or (), found)) else remade(x, list(found), "a list")
        for x, row, found in zip(items, rows, zip(*columns, strict=True), strict=False)
    ]


def listed(e: Elaboration, items: list[Any]) -> Var:
    """A list of the program; where it holds reals, its integers become reals too."""
    objects = list(map(objects_of, items))
    if all(map(is_text, objects)) and len(set(objects)) > 1:
        return e.always(structure.listing, tuple([as_text(e, a, TEXT) if isinstance(a, Static) else x
                                                  for x, a in zip(items, objects, strict=True)]))
    wide: Object | None = objects_of(items[0]) if items else UNIT
    for x in items[1:]:
        if e.stores is not None:  # regions that meet here are one from the next reading on
            e.stores.regions.joined(objects_of(items[0]), objects_of(x))
        wide = None if wide is None else join(with_texts(wide, objects_of(x)), with_texts(objects_of(x), wide))
    return e.always(structure.listing, tuple([converted(e, widened(e, fitted_in(e, x, wide), wide), wide)
                                                  for x in items]))


def widened(e: Elaboration, x: Any, a: Any) -> Any:
    """A list, tuple or record with reals for integers where an object has reals; an empty list or dict as one of any
    type. A number or array of the program stays what it is."""
    if isinstance(a, List) and a.item != UNIT and surely_empty(x):
        found = e.always(structure.listing, (), of=a)
        found.name = x.name
        return e.rows.converted(x, found)
    if isinstance(x, Var) and x.object == List(UNIT):
        return x
    if isinstance(a, Map) and isinstance(x, Var) and isinstance(x.object, Map) and x.object.item == UNIT != a.item:
        return e.always(zero_trees.empty_map, (), of=a)
    return x if isinstance(x, Var) and isinstance(x.object, (Int, Array)) else converted(e, x, a)


def surely_empty(xs: Any) -> bool:
    """True for a list that is made without items."""
    if not isinstance(xs, Var) or xs.object != List(UNIT) or xs.definition is None:
        return False
    op = xs.definition.op
    return isinstance(op, Apply) and op.primitive is structure.listing and not xs.definition.args


def lacks_reals(a: Object, b: Any) -> bool:
    """True for an object with integers where another one has reals, and with lists of nothing where it has lists."""
    if isinstance(b, Text):
        return isinstance(a, Static)
    if isinstance(a, Int):
        return isinstance(b, Real) or (isinstance(b, Array) and b.is_real)
    if isinstance(a, Array):
        return not a.is_real and a.dtype != "bool" and isinstance(b, Array) and b.is_real
    if isinstance(a, List) and isinstance(b, List):
        return b.item != UNIT if a.item == UNIT else lacks_reals(a.item, b.item)
    alike = isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts) and same_shape(a, b)
    return alike and any(map(lacks_reals, a.parts, b.parts))  # type: ignore[attr-defined]


def converted(e: Elaboration, x: Any, a: Any) -> Any:
    """A value of the program with reals for integers, all the way down."""
    if not isinstance(x, Var) or not lacks_reals(x.object, a):
        return x
    if isinstance(x.object, Int):
        return noted(e, arithmetic.to_float(x), x)
    if isinstance(x.object, Static):
        return as_text(e, x.object, a)
    if isinstance(x.object, Array):
        return e.rows.converted(x, shaping.astype(x, dtype=a.dtype))
    if isinstance(x.object, Record):
        names = x.object.names
        parts = [
            as_text(e, part, b)
            if isinstance(part, Static)
            else converted(e, structure.field(x, cls=x.object.cls, name=name, index=i), b)
            for i, (name, part, b) in enumerate(zip(names, x.object.parts, a.parts, strict=True))
        ]
        return e.rows.converted(x, e.always(structure.record, tuple(parts), cls=x.object.cls, names=names))
    if isinstance(x.object, Product):
        parts = enumerate(zip(x.object.parts, a.parts, strict=True))
        return e.always(structure.pack, tuple([
            as_text(e, part, b) if isinstance(part, Static) else converted(e, structure.part(x, index=i), b)
            for i, (part, b) in parts]))
    return converted_items(e, x, a)


def as_text(e: Elaboration, part: Static, a: Any) -> Any:
    """A known part of a tuple, as a text of the program where another one has some text there."""
    return e.always(effects.text, (), form=(part.value,)) if isinstance(a, Text) else part.value


def converted_items(e: Elaboration, xs: Var, a: List) -> Var:
    """A list with the items of another one, converted one by one."""
    if xs.object == List(UNIT):
        return e.rows.converted(xs, e.always(structure.listing, (), of=a))
    block = Block(BlockKind.LOOP, e.recorder.block)
    element = e.recorder.param(block, "", xs.object.item)  # type: ignore[attr-defined]
    e.origins[element] = [xs]
    item = e.within(block, lambda: converted(e, element, a.item))
    block.results = [item if isinstance(item, Var) else Lit(item, object_of(item))]
    let = e.recorder.emit(Loop(block, 0, False), [xs])
    return e.rows.converted(xs, e.recorder.target(let, xs.name, List(item.object)))
