"""What a loop of the program runs along: lists, whose elements make the value of the loop's target."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import ByItems
from ccc.compile.frontend.iterator_values import ByKeyValue, EnumerateValue, OnceValue, ZipValue
from ccc.compile.frontend.memory.interface import dicts
from ccc.compile.frontend.values import ITEMS, Frame
from ccc.compile.program.lam import Apply, Let, Var
from ccc.objects import Array, List
from ccc.primitives import arithmetic, maps, structure

Shape = tuple[list[Var], Callable[[list[Any]], Any]]


def sequences(e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> Shape:
    """The lists that a loop runs along, and how the value of the loop's target is made of their elements."""
    if isinstance(over, ZipValue):
        try:
            inner = [sequences(e, p, node, frame) for p in over.parts]
        except TypeError as error:
            other = getattr(error, "code", "CC006") != "CC006"
            if other or node in e.rows.by_items or not any(map(of_unknown_length, over.parts)):
                raise
            raise ByItems(node, None) from error  # items that share no type, beside others
        along = [xs for found, _ in inner for xs in found]

        def zipped(elements: list[Any]) -> Any:
            given = iter(elements)
            return tuple([make([next(given) for _ in found]) for found, make in inner])

        return along, zipped
    if isinstance(over, EnumerateValue):
        along, make = sequences(e, over.part, node, frame)
        count = structure.length(along[0])
        stop = count if isinstance(over.start, int) and over.start == 0 else arithmetic.add(count, over.start)
        bounds = (stop,) if isinstance(over.start, int) and over.start == 0 else (over.start, stop)
        indices = e.always(structure.span, bounds)
        return [indices, *along], lambda elements: (elements[0], make(elements[1:]))
    if isinstance(over, OnceValue):
        return sequences(e, over.items, node, frame)
    if isinstance(over, ByKeyValue):
        return [over.keys], lambda elements: value_of(e, over, elements[0], node, frame)
    return [e.sequence(over, node, frame)], lambda elements: elements[0]


def of_unknown_length(over: Any) -> bool:
    """True for a list or array of the program."""
    return isinstance(over, Var) and isinstance(over.object, (Array, List))


def value_of(e: Elaboration, over: ByKeyValue, key: Any, node: ast.AST, frame: Frame) -> Any:
    """The value that a dict has now at a key."""
    return dicts.item(e, over.owner, key, node, frame)


def counts(xs: Var) -> bool:
    """True for the numbers of a range."""
    let = xs.definition
    return let is not None and isinstance(let.op, Apply) and let.op.primitive is structure.span


def whole_array(xs: Var) -> Any:
    """The array whose rows a loop runs along."""
    let = xs.definition
    rows_of = let is not None and isinstance(let.op, Apply) and let.op.primitive is structure.rows
    return let.args[0] if rows_of else None  # type: ignore[union-attr]


def changed_along(e: Elaboration, xs: Var) -> Any:
    """The map that a dict holds now whose keys a loop runs along; None where it is still the same."""
    owner = e.key_lists.get(xs)
    m = owner.fields[ITEMS] if owner is not None else None
    return m if m is not None and isinstance(xs.definition, Let) and xs.definition.args[0] is not m else None


def same_size(e: Elaboration, xs: Var) -> None:
    """Where a loop runs along the keys of a dict and changes it: raise what Python raises where it has more now."""
    m = changed_along(e, xs)
    if m is not None:
        e.always(maps.check_size, (m, structure.length(xs)))
