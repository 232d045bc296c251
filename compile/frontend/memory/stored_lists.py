"""What is done to lists that stand in stores."""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import drawn
from ccc.compile.frontend.memory import list_changes, list_queries, places
from ccc.compile.frontend.memory.keeping import placed
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import is_reference, is_tuple, kind_of
from ccc.compile.frontend.stores import COMPILED
from ccc.compile.frontend.values import Frame, ListValue
from ccc.compile.program.lam import Node, Var
from ccc.coproducts import NoSum
from ccc.primitives import along, arithmetic, lists, structure


def attribute(e: Elaboration, owner: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`xs.name` of a list in a store."""
    refuse_tuple(e, owner, f"AttributeError: 'tuple' object has no attribute '{name}'", node, frame, name)
    method = METHODS.get(name) or list_changes.METHODS.get(name) or e.handlers.list_methods.get(name)
    if method is None:
        raise places.refused(e, f"the list method `.{name}`", node, frame)
    return types.MethodType(method, owner)


def refuse_tuple(e: Elaboration, owner: Node, text: str, node: ast.AST, frame: Frame, name: str = "append") -> None:
    """Refuse what lists have and tuples have not."""
    if is_tuple(owner) and not hasattr(tuple, name):
        raise mismatch("CC027", text, e.span(node, frame), help="make a list of it: `list(...)`")


def put(e: Elaboration, owner: Node, new: Any) -> None:
    """Let another list stand at the place."""
    places.write(e, owner, places.list_of(e, places.region_at(owner), new))


def as_item(e: Elaboration, owner: Node, value: Any, node: ast.AST, frame: Frame) -> Any:
    """A value as an item of the list."""
    try:
        return places.fitted(e, places.region_at(owner), "item", placed(e, value, node, frame))
    except NoSum as error:
        raise places.refused(e, str(error), node, frame) from None


def both(e: Elaboration, *parts: Var) -> Var:
    found = parts[0]
    for part in parts[1:]:
        found = list_changes.both(e, found, part)
    return found


def sliced(e: Elaboration, xs: Var, start: Any = None, stop: Any = None) -> Var:
    given = [(p, x) for p, x in (("1", start), ("2", stop)) if x is not None]
    return e.always(lists.sliced, (xs, *[x for _, x in given]), places="".join([p for p, _ in given]))


def append(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    (value,) = args
    item = as_item(e, owner, value, node, frame)
    places.change_inside(e, owner, along.append_along, item)


def listed(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """What is iterated as a list."""
    value = places.entry(e, value) if kind_of(value) is StoredAs.LIST else drawn(value)
    if isinstance(value, tuple) and not is_reference(value):
        value = ListValue(list(value))
    if isinstance(value, ListValue):
        return ListValue([placed(e, x, node, frame) for x in value.items])
    return e.sequence(value, node, frame)


def extend(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    more = list_changes.whole(e, args[0], node, frame)
    list_changes.refuse_part(e, more, node, frame)
    new = places.list_of(e, places.region_at(owner), listed(e, more, node, frame))
    places.write(e, owner, e.always(lists.concat, (places.entry(e, owner), new)))


def insert(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    index, value = args
    item = as_item(e, owner, value, node, frame)
    xs = places.entry(e, owner)
    one = e.always(structure.listing, (item,))
    put(e, owner, both(e, sliced(e, xs, None, index), one, sliced(e, xs, index)))


def without(e: Elaboration, xs: Var, index: Any) -> Var:
    """A list without the item at an index that it has."""
    if index == -1 and not isinstance(index, Var):
        return e.always(lists.without_last, (xs,))
    if isinstance(index, Var) or index < 0:
        index = arithmetic.mod(index, structure.length(xs))
    return both(e, sliced(e, xs, None, index), sliced(e, xs, arithmetic.add(index, 1) if isinstance(
        index, Var) else index + 1))


def pop(
    owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame, of: str = "pop",
) -> Any:  # fmt: skip
    index = args[0] if args else -1
    xs = places.entry(e, owner)
    found = places.item_at(e, xs, index, of=of)
    put(e, owner, without(e, xs, index))
    return found


def reverse(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    put(e, owner, e.always(lists.sliced, (places.entry(e, owner), -1), places="3"))


def clear(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    put(e, owner, sliced(e, places.entry(e, owner), None, 0))


def copy(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    return sliced(e, places.entry(e, owner))


def repeat(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    (times,) = args
    put(e, owner, list_changes.repeated(e, places.entry(e, owner), times, node, frame))


METHODS: dict[str, Any] = {
    "append": append, "extend": extend, "pop": pop, "insert": insert, "reverse": reverse, "clear": clear, "copy": copy,
    "index": list_queries.index, "count": list_queries.count, "remove": list_queries.remove, "__imul__": repeat,
}
COMPILED.update(METHODS.values())


# -- items and slices --------------------------------------------------------------------------------------------------


def item(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> Any:
    """`xs[key]`."""
    if isinstance(key, slice):
        found = list_changes.slice_of(e, places.entry(e, owner), key, node, frame)
        if is_tuple(owner):
            e.columns.add(found)
        return found
    return places.item_inside(e, owner, key)


def set_item(e: Elaboration, owner: Node, key: Any, value: Any, node: ast.AST, frame: Frame) -> None:
    """`xs[key] = value`."""
    refuse_tuple(e, owner, "TypeError: 'tuple' object does not support item assignment", node, frame)
    value = list_changes.whole(e, value, node, frame) if isinstance(key, slice) else value
    if isinstance(key, slice) and key.step not in (None, 1):
        list_queries.assign_with_step(e, owner, key, value, node, frame)
        return
    if isinstance(key, slice):
        new = places.list_of(e, places.region_at(owner), listed(e, value, node, frame))
        before, behind = around(e, owner, key, node, frame)
        put(e, owner, both(e, before, new, behind))
        return
    v = as_item(e, owner, value, node, frame)
    places.change_inside(e, owner, along.set_along, v, key, alone=lists.set_item)


def around(e: Elaboration, owner: Node, key: slice, node: ast.AST, frame: Frame) -> tuple[Var, Var]:
    """What stands before a slice, and what stands behind it."""
    xs = places.entry(e, owner)
    before = sliced(e, xs, None, 0 if key.start is None else key.start)
    inside = structure.length(sliced(e, xs, key.start, key.stop))
    return before, sliced(e, xs, arithmetic.add(structure.length(before), inside))


def delete(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> None:
    """`del xs[key]`."""
    refuse_tuple(e, owner, "TypeError: 'tuple' object doesn't support item deletion", node, frame)
    if isinstance(key, slice) and key.step not in (None, 1):
        list_queries.delete_with_step(e, owner, key, node, frame)
    elif isinstance(key, slice):
        put(e, owner, both(e, *around(e, owner, key, node, frame)))
    else:
        pop(owner, e, [key], {}, node, frame, of="list assignment")
