"""Dicts of constant keys that stand in stores as objects do: each item is a part of its own type."""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import dict_methods, dicts, places
from ccc.compile.frontend.memory.keeping import placed
from ccc.compile.frontend.memory.read_through import shown
from ccc.compile.frontend.stores import COMPILED
from ccc.compile.frontend.values import ITEMS, AttributesValue, Frame, RecordValue
from ccc.compile.program.lam import Node


def attribute(e: Elaboration, owner: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`d.name` of such a dict."""
    method = METHODS.get(name)
    if method is None:
        raise later(e, owner, f"`.{name}`", node, frame)
    return types.MethodType(method, owner)


def now(e: Elaboration, owner: Node) -> AttributesValue:
    """What the dict holds, whenever that is read."""
    return AttributesValue(owner, lambda: places.object_at(e, owner))


def has(owner: Node, key: Any) -> bool:
    """Whether a key is known, and one of the dict's."""
    return dicts.is_known(key) and key in places.region_at(owner).parts


def item(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> Any:
    """`d[key]`."""
    return places.field_at(e, owner, key) if has(owner, key) else dicts.item(
        e, places.object_at(e, owner), key, node, frame)


def set_item(e: Elaboration, owner: Node, key: Any, value: Any, node: ast.AST, frame: Frame) -> None:
    """`d[key] = value`."""
    if not has(owner, key):
        raise later(e, owner, "a key that it had not", node, frame)
    places.put_field(e, owner, key, placed(e, value, node, frame), node, frame)


def delete(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> None:
    """`del d[key]`."""
    raise later(e, owner, "`del`", node, frame)


def later(e: Elaboration, owner: Node, what: str, node: ast.AST, frame: Frame | None) -> Exception:
    """What ends a reading in which the keys of such a dict change: it is known part by part in the next one."""
    region = places.region_at(owner)
    region.regions.give_up(region, f"its keys change by {what}")
    return places.refused(e, f"the keys of a dict change by {what}", node, frame)


def get(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if args and has(owner, args[0]):
        return places.field_at(e, owner, args[0])
    return dict_methods.METHODS["get"](places.object_at(e, owner), e, args, kwargs, node, frame)


def setdefault(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if args and has(owner, args[0]):
        return places.field_at(e, owner, args[0])
    raise later(e, owner, "`.setdefault`", node, frame)


def update(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    for more in [*args, RecordValue(dict, dict(kwargs))]:
        known = shown(e, more)
        if not isinstance(known, RecordValue) or known.cls is not dict or ITEMS in known.fields:
            raise later(e, owner, "`.update`", node, frame)
        for key, value in list(known.fields.items()):
            set_item(e, owner, key, value, node, frame)


METHODS: dict[str, Any] = {
    **{name: dict_methods.of_what_is_there(name, now) for name in dict_methods.READING}, "get": get,
    "setdefault": setdefault,
    "update": update,
}
COMPILED.update(METHODS.values())
