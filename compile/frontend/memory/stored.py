"""References where a value is expected: what is read through them, by the kind of thing that they lead to."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import places, stored_arrays, stored_dicts, stored_lists
from ccc.compile.frontend.parts import opened
from ccc.compile.frontend.regions import is_reference, kind_of, leads_on, one_class, region_of
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, RecordValue
from ccc.compile.program.lam import Node, Var, like
from ccc.objects import UNIT, List, Object
from ccc.primitives import arithmetic, maps

COMPILED: set[Any] = {*stored_lists.METHODS.values(), *stored_dicts.METHODS.values()}
OF_KIND: dict[str, Any] = {"list": stored_lists, "dict": stored_dicts}
DEEPEST = 12  # how many references stand in each other where a value is read out whole


def shown(e: Elaboration, value: Any) -> Any:
    """What a reference leads to, as a value of its own whose parts may be references; any other value itself."""
    if not is_reference(value):
        return value
    kind = kind_of(value)
    if kind == "array":
        return stored_arrays.loaded(e, value)
    if kind == "list":
        return places.entry(e, value)
    return stored_dicts.shown(e, value) if kind == "dict" else places.object_at(e, value)


def whole(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None, depth: int = 0) -> Any:
    """A value without references: what they lead to stands in their place."""
    if e.stores is None:
        return value
    if depth > DEEPEST:
        raise places.refused(e, "a structure that holds itself is given to what takes a value", node, frame)
    if is_reference(value):
        value = shown(e, value)
    if isinstance(value, Node) or type(value) is tuple:
        return like(value, [whole(e, part, node, frame, depth + 1) for part in value])
    if isinstance(value, ListValue) and holds_reference(value):
        return ListValue([whole(e, part, node, frame, depth + 1) for part in value.items])
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        m = value.fields[ITEMS]
        if not leads_on(m.object):
            return value
        keys = e.always(maps.keys_of, (m,))
        items = whole_items(e, e.always(maps.values_of, (m, keys)), node, frame, depth)
        return RecordValue(dict, {ITEMS: e.always(maps.from_pairs, (keys, items))})
    if isinstance(value, RecordValue) and holds_reference(value):
        return value.like([whole(e, part, node, frame, depth + 1) for part in value.fields.values()])
    if isinstance(value, Var) and isinstance(value.object, List) and leads_on(value.object):
        return whole_items(e, value, node, frame, depth)
    if isinstance(value, Var) and leads_on(value.object):
        raise places.refused(e, "what may be one of several things is given to what takes a value", node, frame)
    return value


def whole_items(e: Elaboration, xs: Var, node: ast.AST, frame: Frame | None, depth: int) -> Var:
    """A list of what the references in it lead to."""
    def read(item: Var) -> Any:
        return e.leaf(whole(e, opened(item), node, frame, depth + 1), node, frame)

    return places.mapped(e, xs, read, xs.object.item)  # type: ignore[attr-defined]


def holds_reference(value: Any) -> bool:
    """True for values with references in them."""
    if is_reference(value):
        return True
    inside = value.items if isinstance(value, ListValue) else value.fields.values() if isinstance(
        value, RecordValue) else value if isinstance(value, tuple) else ()
    return any(map(holds_reference, inside)) or (isinstance(value, Var) and leads_on(value.object))


def same(e: Elaboration, a: Any, b: Any) -> Any:
    """Whether two references lead to one place: known, or a bool of the program."""
    if not (is_reference(a) and is_reference(b)) or region_of(a.cls) is not region_of(b.cls):
        return False
    one, other = a[0], b[0]
    if not isinstance(one, Var) and not isinstance(other, Var):
        return one == other
    return True if one is other else arithmetic.equal(one, other)


def item(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> Any:
    """`owner[key]` of a list or dict in a store."""
    return OF_KIND[kind_of(owner)].item(e, owner, key, node, frame)


def set_item(e: Elaboration, owner: Node, key: Any, value: Any, node: ast.AST, frame: Frame) -> None:
    """`owner[key] = value`."""
    OF_KIND[kind_of(owner)].set_item(e, owner, key, value, node, frame)


def delete(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> None:
    """`del owner[key]`."""
    OF_KIND[kind_of(owner)].delete(e, owner, key, node, frame)


def attribute(e: Elaboration, owner: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`owner.name` of a list or dict in a store."""
    return OF_KIND[kind_of(owner)].attribute(e, owner, name, node, frame)


def is_container(value: Any) -> bool:
    """True for references to lists and dicts."""
    return kind_of(value) in OF_KIND


def deleted(e: Elaboration, owner: Any, target: ast.Subscript, frame: Frame) -> bool:
    """Whether an item was deleted: the owner is a list or dict in a store."""
    if is_container(owner):
        delete(e, owner, e.expression(target.slice, frame), target, frame)
    return is_container(owner)


def meet(values: Any) -> None:
    """Let the references among values be of one region, where they are of one kind."""
    found = [value for value in values if is_reference(value)]
    for value in found[1:]:
        one_class(found[0].cls, value.cls)


def meet_in(e: Elaboration, *lists: Any) -> None:
    """Let the references in lists be of one region, where they are of one kind."""
    if e.stores is None:
        return
    found: list[Object] = []
    for xs in lists:
        if isinstance(xs, Var) and isinstance(xs.object, List):
            found.append(xs.object.item)
        elif isinstance(xs, ListValue):
            found += [places.object_in(x) for x in xs.items if is_reference(x)]
    first, *others = [a for a in found if region_of(a) is not None] or [UNIT]
    for other in others:
        e.stores.regions.joined(first, other)


__all__ = [
    "attribute", "deleted", "holds_reference", "is_container", "is_reference", "item", "kind_of", "meet", "meet_in",
    "same", "set_item", "shown", "whole",
]
