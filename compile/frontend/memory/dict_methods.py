"""The methods of dicts."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend.effects import fail_with
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import ZipValue
from ccc.compile.frontend.memory import attributes
from ccc.compile.frontend.memory.dicts import (
    contains,
    holds_nothing,
    is_dict,
    is_known,
    item,
    keys_list,
    known_item,
    map_in,
    promoted,
    put_item,
    removed,
    renew,
    written,
)
from ccc.compile.frontend.memory.exclusivity import change
from ccc.compile.frontend.stores import COMPILED
from ccc.compile.frontend.values import COUNTED, FACTORY, ITEMS, Frame, ListValue, RecordValue, View
from ccc.compile.program.lam import Var
from ccc.primitives import maps, zero_trees


def get(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    key, default = args[0], args[1] if len(args) > 1 else None
    found = contains(e, key, owner, node, frame)
    if not isinstance(found, Var):
        return item(e, plain(owner), key, node, frame) if found else default
    return written(e, "get", {"d": plain(owner), "k": key, "v": default}, node, frame)


def plain(owner: RecordValue) -> RecordValue:
    """The dict without what a missing item is."""
    return RecordValue(dict, {ITEMS: owner.fields[ITEMS]}, owner.shared) if FACTORY in owner.fields else owner


def items(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    m = map_in(owner)
    if m is None:
        return known_view(e, owner, "items")
    keys = keys_list(e, owner)
    return ZipValue((keys, viewed(e, owner, e.always(maps.values_of, (m, keys)))))


def keys(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    return known_view(e, owner, "keys") if map_in(owner) is None else viewed(e, owner, keys_list(e, owner))


def values(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    m = map_in(owner)
    if m is None:
        return known_view(e, owner, "values")
    return viewed(e, owner, e.always(maps.values_of, (m, keys_list(e, owner))))


def known_view(e: Elaboration, owner: RecordValue, kind: str) -> View:
    """The keys, values or items of a dict whose keys are known."""
    e.inside_dicts.viewed.add(owner)
    return View.of(owner, kind)


def viewed(e: Elaboration, owner: RecordValue, xs: Var) -> Var:
    """The keys or values of a dict: a view, which is refused where the dict changes while it has a name."""
    e.inside_dicts.views[xs] = owner
    e.inside_dicts.viewed.add(owner)
    return xs


def copied(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    m = map_in(owner)
    if m is None:
        return RecordValue(dict, dict(owner.fields))
    return RecordValue(dict, {**owner.fields, ITEMS: e.always(maps.copied, (m,))})


def update(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    for more in [*args, *([RecordValue(dict, dict(kwargs))] if kwargs else [])]:
        merge_into(e, owner, more, node, frame)


def refuse_counter(e: Elaboration, value: Any, what: str, node: ast.AST, frame: Frame) -> None:
    """Refuse what is done to a `Counter` that stands in no store."""
    if isinstance(value, RecordValue) and value.fields.get(FACTORY) is COUNTED:
        raise unsupported("CC003", f"a `Counter` {what}", e.place(node, frame), "it adds up what it is given",
                          help="write it as a loop over its items")


def merge_into(e: Elaboration, owner: RecordValue, more: Any, node: ast.AST, frame: Frame) -> None:
    """`owner.update(more)`."""
    refuse_counter(e, owner, "is updated", node, frame)
    if is_dict(more) and map_in(more) is None:
        for key, value in more.fields.items():
            put_item(e, owner, key, value, node, frame)
    elif is_dict(more):
        change(e, owner, "updating a dict", node, frame)
        m = promoted(e, owner, "is updated by keys that are not known", node, frame)
        renew(e, owner, e.always(maps.merged, (m, map_in(more))))
    else:
        merge_pairs(e, owner, more, node, frame)


def merge_pairs(e: Elaboration, owner: RecordValue, more: Any, node: ast.AST, frame: Frame) -> None:
    """Put the pairs of a sequence into a dict."""
    pairs = known_items(more)
    if pairs is None:
        written(e, "update", {"d": owner, "xs": more}, node, frame)
        return
    for pair in pairs:
        key, part = pair.items if isinstance(pair, ListValue) else pair
        put_item(e, owner, key, part, node, frame)


def setdefault(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    key, default = args[0], args[1] if len(args) > 1 else None
    if map_in(owner) is None and is_known(key):
        if key not in owner.fields:
            attributes.put(e, owner, key, default, node, frame)
        return owner.fields[key]
    return written(e, "setdefault", {"d": owner, "k": key, "v": default}, node, frame)


def pop(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    key = args[0]
    if map_in(owner) is None and is_known(key):
        if key not in owner.fields and len(args) > 1:
            return args[1]
        found = known_item(e, owner, key, node, frame)
        removed(e, owner, key, node, frame)
        return found
    name = "pop" if len(args) < 2 else "pop_or"
    return written(e, name, {"d": plain(owner) if FACTORY not in owner.fields else owner, "k": key,
                             **({"v": args[1]} if len(args) > 1 else {})}, node, frame)


def popitem(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    m = map_in(owner)
    if holds_nothing(m) if m is not None else not owner.fields:
        if e.attempts.catches(KeyError) or not e.recorder.surely_runs():
            fail_with(e, KeyError, "popitem(): dictionary is empty", node, frame)
        raise mismatch("CC027", "KeyError: 'popitem(): dictionary is empty'", e.place(node, frame),
                       help="ask before: `if d`")
    if m is not None:
        return written(e, "popitem", {"d": owner, "KeyError": KeyError}, node, frame)
    key = list(owner.fields)[-1]
    return key, pop(owner, e, [key], {}, node, frame)


def last(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """The key that was put last into a map."""
    return e.always(maps.last_key, (map_in(owner),))


def clear(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    change(e, owner, "clearing a dict", node, frame)
    m = map_in(owner)
    if m is None:
        owner.fields = {}
    else:
        renew(e, owner, e.always(zero_trees.empty_map, (), of=m.object))


def taking(least: int, most: int, method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that refuses to be called with fewer or more arguments than Python's."""

    @functools.wraps(method)
    def called(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        if not least <= len(args) <= most:
            takes = f"{least}" if least == most else f"{least} to {most}"
            raise mismatch("CC027", f"this method of a dict takes {takes} arguments, {len(args)} were given",
                           e.place(node, frame), help="leave out the others" if len(args) > most else "give a key")
        return method(owner, e, args, kwargs, node, frame)

    return called


METHODS: dict[str, Any] = {
    "get": taking(1, 2, get), "items": taking(0, 0, items), "keys": taking(0, 0, keys), "values": taking(0, 0, values),
    "copy": taking(0, 0, copied), "update": taking(0, 1, update), "setdefault": taking(1, 2, setdefault),
    "pop": taking(1, 2, pop), "popitem": taking(0, 0, popitem), "__ccc_last__": last, "clear": taking(0, 0, clear),
}
COMPILED.update(METHODS.values())


def of_what_is_there(name: str, read: Callable[..., Any]) -> Callable[..., Any]:
    """A method that changes nothing, of a dict in a store: of what `read` finds there."""

    def called(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        there = read(e, owner)
        e.inside_dicts.shows[there] = owner
        return METHODS[name](there, e, args, kwargs, node, frame)

    return called


READING = ("items", "keys", "values", "copy", "__ccc_last__")
"""The methods that are so."""
