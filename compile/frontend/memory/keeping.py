"""What becomes a place in a store: a list, dict or object that is kept under a name, in another one or as an argument.

Until then nothing else leads to it, so it may stay known part by part.
"""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.attempts import is_exception
from ccc.compile.frontend.describing import is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import dicts, lists, places, stored_arrays, stored_tuples
from ccc.compile.frontend.memory.aliasing import OUTSIDE
from ccc.compile.frontend.parts import is_changeable_class
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Regions, is_reference
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, Mutable, RecordValue, View
from ccc.compile.program.lam import Node, Var, like
from ccc.coproducts import NoSum
from ccc.objects import UNIT, Array, List, Map
from ccc.primitives import maps, zero_trees

PLAIN = ("Complex",)


def placed(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None, way: str = "") -> Any:
    """A value with the lists, dicts and objects in it in stores; `way` says where it stands in what is kept there."""
    if is_reference(value):
        return value
    if isinstance(value, Node) or type(value) is tuple:
        parts = like(value, [placed(e, part, node, frame, f"{way}.{i}") for i, part in enumerate(value)])
        return of_name(e, parts, node, frame, way) if type(parts) is tuple else parts
    if (isinstance(value, View) and value.owner not in places.stores_of(e).plain) or (
            isinstance(value, Var) and value in e.inside_dicts.views):
        raise places.refused(e, "a view of a dict is kept", node, frame)
    if isinstance(value, View):
        return value
    if isinstance(value, Var) and isinstance(value.object, Array) and places.stores_of(e).regions.arrays:
        return stored_arrays.placed(e, value, node, frame, way)
    if isinstance(value, Mutable):
        cls = class_in_store(e, value)
        return value if cls is None else stored(e, cls, value, node, frame, way)
    if (column := is_column(e, value)) is not False:
        if column is None:
            raise places.refused(e, "what may be a column of `zip(*rows)` is kept", node, frame)
        return of_name(e, value, node, frame, way)  # which nothing changes
    if lists.is_of_program(value) and value not in places.stores_of(e).loaded and (
            OUTSIDE not in lists.own_roots(e, [value])[0]):
        return stored(e, list, value, node, frame, way)
    return value


def of_name(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None, way: str) -> Any:
    """A tuple as a name keeps it."""
    if frame is None or way or not isinstance(node, ast.Name):
        return value
    return stored_tuples.kept(e, frame, node.id, value)


def class_in_store(e: Elaboration, value: Mutable) -> type | None:
    """The class of a value that should stand in a store; None for one that was kept as it is, whose names would lead
    to two places from then on, for one that its `__init__` is making, and for exceptions: what is raised is known part
    by part."""
    stores = places.stores_of(e)
    if is_exception(value) or value.shared or value in stores.plain or value in stores.young:
        return None
    if isinstance(value, ListValue):
        return list
    if not isinstance(value, RecordValue):
        return None
    if value.cls is dict:
        return dict if ITEMS not in value.fields or len(value.fields) == 1 else None
    return value.cls if is_changeable_class(value.cls) and value.cls.__name__ not in PLAIN else None


def stored(e: Elaboration, cls: type, value: Any, node: ast.AST, frame: Frame | None, way: str) -> Any:
    """A value in a store, at first what stands in it; itself where it cannot stand in one."""
    place_parts(e, value, node, frame, way)
    regions = places.stores_of(e).regions
    for kind in kinds_of(regions, cls, value):
        region = regions.at(places.place_of(e, node, frame, way), kind, cls)
        try:
            if not region.plain and not (regions.lists_plain and isinstance(value, Var)):
                return MAKING[kind](e, region, value, node, frame)
        except NoSum:
            pass
    if isinstance(value, Mutable):
        places.stores_of(e).plain.add(value)
    elif not regions.lists_plain:
        regions.lists_plain = regions.grew = True
    return value


def kinds_of(regions: Regions, cls: type, value: Any) -> tuple[StoredAs, ...]:
    """As what a value of a class can stand in a store, the first that it can: a dict of constant keys has parts, or
    items of one type."""
    parts = regions.records and cls is dict and isinstance(value, RecordValue) and value.fields and (
        ITEMS not in value.fields)
    return (*([StoredAs.RECORD] if parts else []), StoredAs.of_class(cls))


def place_parts(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None, way: str) -> None:
    """Let what stands in a new list, dict or object stand in stores."""
    if isinstance(value, ListValue):
        items = [placed(e, x, node, frame, f"{way}[...]") for x in value.items]
        if any(a is not b for a, b in zip(items, value.items, strict=True)):
            e.heap.write(value, items)
    elif isinstance(value, RecordValue) and ITEMS not in value.fields:
        ways = {name: "[...]" if value.cls is dict else f".{name}" for name in value.fields}
        fields = {name: placed(e, part, node, frame, way + ways[name]) for name, part in value.fields.items()}
        if any(part is not value.fields[name] for name, part in fields.items()):
            e.heap.write(value, fields)


def of_list(e: Elaboration, region: Any, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    return places.new_list(e, region, value)


def of_object(e: Elaboration, region: Any, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    return places.new_object(e, region, value)


def of_dict(e: Elaboration, region: Any, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    return places.allocated(e, region, map_of(e, region, value, node, frame))


def map_of(e: Elaboration, region: Any, value: RecordValue, node: ast.AST, frame: Frame | None) -> Var:
    """What a dict holds as a map of the type of those in a region."""
    m = dicts.map_in(value)
    if m is None:
        items = {key: places.fitted(e, region, "item", placed(e, x, node, frame)) for key, x in value.fields.items()}
        wanted = places.entry_object(region)
        items = {key: places.atom(e, x, wanted.item) for key, x in items.items()}  # type: ignore[attr-defined]
        m = dicts.map_from(e, items, node, frame)
    return fitting_map(e, region, m)


def fitting_map(e: Elaboration, region: Any, m: Var) -> Var:
    """A map at the type of those in a region, which becomes wider where it must."""
    if region.regions.arrays and places.holds_arrays(m.object):
        raise NoSum("arrays that something else may lead to")
    if m.object.item != UNIT:  # type: ignore[attr-defined]
        region.regions.widen(region, "key", m.object.key)  # type: ignore[attr-defined]
        region.regions.widen(region, "item", m.object.item)  # type: ignore[attr-defined]
    wanted = places.entry_object(region)
    if m.object == wanted:
        return m
    assert isinstance(m.object, Map) and isinstance(wanted, Map)
    if m.object.item == UNIT:
        return e.always(zero_trees.empty_map, (), of=wanted)
    keys = e.always(maps.keys_of, (m,))
    items = places.converted(e, e.always(maps.values_of, (m, keys)), List(wanted.item))
    return e.always(maps.from_pairs, (keys, items))


MAKING: dict[StoredAs, Any] = {
    StoredAs.LIST: of_list, StoredAs.OBJECT: of_object, StoredAs.DICT: of_dict, StoredAs.RECORD: of_object}
