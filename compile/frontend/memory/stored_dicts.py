"""What is done to dicts that stand in stores: what is done to a dict of its own that holds the same, put back then."""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import dict_methods, dicts, places
from ccc.compile.frontend.memory.keeping import fitting_map, map_of, placed
from ccc.compile.frontend.memory.places import entry, region_at, write
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import kind_of, settled
from ccc.compile.frontend.stores import COMPILED
from ccc.compile.frontend.values import ITEMS, Frame, RecordValue
from ccc.compile.program.lam import Node
from ccc.coproducts import NoSum
from ccc.objects import UNIT
from ccc.primitives import maps, zero_trees


def attribute(e: Elaboration, owner: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`d.name` of a dict in a store."""
    method = METHODS.get(name)
    if method is None:
        raise places.refused(e, f"the method `.{name}` of a dict", node, frame)
    return types.MethodType(method, owner)


def shown(e: Elaboration, owner: Node) -> RecordValue:
    """A new dict that holds the same."""
    return RecordValue(dict, {ITEMS: entry(e, owner)})


def item(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> Any:
    """`d[key]`."""
    return dicts.item(e, shown(e, owner), key, node, frame)


def set_item(e: Elaboration, owner: Node, key: Any, value: Any, node: ast.AST, frame: Frame) -> None:
    """`d[key] = value`."""
    region = region_at(owner)
    try:
        new = places.fitted(e, region, "item", placed(e, value, node, frame))
    except NoSum as error:
        raise places.refused(e, str(error), node, frame) from None
    k = dicts.key_atom(e, key, node, frame)
    kind = maps.key_object(k) if dicts.is_known(k) else k.object
    region.regions.widen(region, "key", kind)
    found = entry(e, owner)
    wanted = places.entry_object(region)
    if found.object != wanted or settled(kind) != kind:  # of the regions that meet here one is made first
        region.regions.grew = True
        return
    write(e, owner, fitting_map(e, region, e.always(maps.put, (found, new, k))))


def delete(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> None:
    """`del d[key]`."""
    own = shown(e, owner)
    dicts.removed(e, own, key, node, frame)
    write(e, owner, own.fields[ITEMS])


def get(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    given = [args[0], *[placed(e, a, node, frame) for a in args[1:]]]
    if len(given) > 1 and dicts.holds_nothing(entry(e, owner)):
        return given[1]
    return dict_methods.get(shown(e, owner), e, given, kwargs, node, frame)


def setdefault(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    key, default = args[0], placed(e, args[1], node, frame) if len(args) > 1 else None
    return dicts.written(e, "setdefault", {"d": owner, "k": key, "v": default}, node, frame)


def pop(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    env = {"d": owner, "k": args[0]}
    if len(args) < 2:
        return dicts.written(e, "pop", env, node, frame)
    return dicts.written(e, "pop_or", {**env, "v": placed(e, args[1], node, frame)}, node, frame)


def update(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    for more in [*args, *([RecordValue(dict, dict(kwargs))] if kwargs else [])]:
        more = shown(e, more) if kind_of(more) is StoredAs.DICT else more
        if not dicts.is_dict(more):
            dicts.written(e, "update", {"d": owner, "xs": more}, node, frame)
            continue
        new = map_of(e, region_at(owner), more, node, frame)
        if new.object.item != UNIT:  # type: ignore[attr-defined]
            write(e, owner, e.always(maps.merged, (entry(e, owner), new)))


def clear(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    write(e, owner, e.always(zero_trees.empty_map, (), of=entry(e, owner).object))


def popitem(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    return dicts.written(e, "popitem", {"d": owner, "KeyError": KeyError}, node, frame)


METHODS: dict[str, Any] = {
    **{name: dict_methods.of_what_is_there(name, shown) for name in dict_methods.READING}, "get": get,
    "setdefault": setdefault, "pop": pop, "update": update, "clear": clear, "popitem": popitem,
}
COMPILED.update(METHODS.values())
