"""What is read through references, as values without them."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Bottom
from ccc.compile.frontend.memory import places, stored_dicts
from ccc.compile.frontend.memory.moved_out import reached
from ccc.compile.frontend.parts import opened
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, is_reference, is_tuple, kind_of, leads_on, region_of
from ccc.compile.frontend.stores import holds_reference
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, RecordValue
from ccc.compile.program.lam import Node, Var, like
from ccc.objects import Coproduct, List
from ccc.primitives import maps, structure

DEEPEST = 12  # how many references stand in each other where a value is read out whole


def shown(e: Elaboration, value: Any) -> Any:
    """What a reference leads to, as a value of its own whose parts may be references, and which does not change: the
    place would not see that. Any other value itself."""
    if not is_reference(value):
        return value
    kind = kind_of(value)
    if kind is StoredAs.ARRAY:
        return e.versions.contents.now(value, None)
    if kind is StoredAs.LIST:
        return places.entry(e, value)
    found = stored_dicts.shown(e, value) if kind is StoredAs.DICT else places.object_at(e, value)
    if isinstance(found, RecordValue):
        found.shared = found.shared or "a place that it was read of"
    return found


def whole(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None, depth: int = 0) -> Any:
    """A value without references: what they lead to stands in their place."""
    if e.stores is None:
        return value
    if depth > DEEPEST:
        raise places.refused(e, "a structure that holds itself is given to what takes a value", node, frame)
    if is_tuple(value):
        found = whole(e, entry := places.entry(e, value), node, frame, depth)
        e.columns |= {found} - {entry}
        return found
    if is_reference(value):
        if leads_back(value):
            return e.handlers.read_out(e, value, node, frame)
        value = shown(e, value)
    return whole_parts(e, value, node, frame, depth)


def whole_parts(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None, depth: int = 0) -> Any:
    """A value that is no reference, without references in it."""
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
        found = whole_items(e, value, node, frame, depth)
        e.columns |= {found} if value in e.columns else set()
        return found
    if isinstance(value, Var) and leads_on(value.object):
        if isinstance(value.object, Coproduct):
            return e.handlers.read_out(e, value, node, frame)
        raise places.refused(e, "what may be one of several things is given to what takes a value", node, frame)
    return value


def leads_back(value: Node) -> bool:
    """True for a reference to an object whose parts may lead to others of its region."""
    region = region_of(value.cls)
    assert region is not None
    return is_round(region)


def is_round(region: Region) -> bool:
    """Whether objects of a region may lead to others of it."""
    return region.kind.has_names and region in reached(region.parts.values())


def is_endless(value: Any) -> bool:
    """Whether what references in a value lead to may lead back to itself."""
    return any(map(is_round, reached([value.object if isinstance(value, Var) else value.cls])))


def whole_items(e: Elaboration, xs: Var, node: ast.AST, frame: Frame | None, depth: int) -> Var:
    """A list of what the references in it lead to."""
    def read(item: Var) -> Any:
        return e.leaf(whole(e, opened(item), node, frame, depth + 1), node, frame)

    try:
        return places.mapped(e, xs, read, xs.object.item)  # type: ignore[attr-defined]
    except Bottom:
        return e.always(structure.listing, ())  # what an item is is not known yet
