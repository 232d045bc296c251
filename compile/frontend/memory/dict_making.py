"""How dicts are made: displays, `dict`, `defaultdict`, `Counter`, unions."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import ZipValue
from ccc.compile.frontend.memory.dict_methods import copied, merge_into, merge_pairs, plain
from ccc.compile.frontend.memory.dicts import (
    can_be_key,
    is_dict,
    key_atom,
    made_of,
    promoted,
    put_item,
    written,
)
from ccc.compile.frontend.parts import defined
from ccc.compile.frontend.values import COUNTED, FACTORY, ITEMS, Frame, RecordValue
from ccc.compile.program.lam import Var
from ccc.primitives import maps


def display(e: Elaboration, node: ast.Dict, frame: Frame) -> RecordValue:
    """`{key: value, **more, ...}`."""
    made = RecordValue(dict, {})
    e.pending.append(made)
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            more = e.handlers.shown(e, e.expression(value, frame))
            if isinstance(more, RecordValue) and more.cls is not dict and hasattr(more.cls, "keys"):
                more = e.call(dict, [more], {}, value, frame)
            if not is_dict(more):
                raise mismatch("CC027", "`**` needs a dict here", e.span(value, frame),
                               help="write a dict, or the keywords themselves")
            merge_into(e, made, more, node, frame)
        else:
            found = e.expression(key, frame)
            put_item(e, made, found, e.expression(value, frame), key, frame)
    return made


def dict_of(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> RecordValue:
    """`dict(...)`."""
    if len(args) > 1:
        raise mismatch("CC027", f"dict expected at most 1 argument, got {len(args)}", e.place(node, frame),
                       help="give one dict, or pairs")
    made = RecordValue(dict, {})
    for value in args:
        if defined(value, "keys"):
            written(e, "mapping", {"d": made, "xs": value}, node, frame)
        elif is_dict(value):
            made = copied(plain(value), e, [], {}, node, frame)
        elif isinstance(value, ZipValue) and len(value.parts) == 2 and known_items(value) is None:
            both = tuple([e.sequence(part, node, frame) for part in value.parts])
            kind: Any = both[0].object
            if not can_be_key(kind.item):
                key_atom(e, Var("", kind.item), node, frame)
            made = made_of(e.always(maps.from_pairs, both))
        else:
            merge_pairs(e, made, value, node, frame)
    if kwargs:
        merge_into(e, made, RecordValue(dict, dict(kwargs)), node, frame)
    return made


def from_keys(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> RecordValue:
    """`dict.fromkeys(keys, value)`."""
    made = RecordValue(dict, {})
    written(e, "fromkeys", {"d": made, "xs": args[0], "v": args[1] if len(args) > 1 else None}, node, frame)
    return made


def united(e: Elaboration, a: RecordValue, b: RecordValue, node: ast.AST, frame: Frame) -> RecordValue:
    """`a | b`."""
    made = copied(plain(a), e, [], {}, node, frame)
    merge_into(e, made, b, node, frame)
    return made


def default_dict(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> RecordValue:
    """`collections.defaultdict(factory, ...)`."""
    made = dict_of(e, args[1:], kwargs, node, frame)
    if not args or args[0] is None:
        return made
    m = promoted(e, made, "is a `defaultdict`", node, frame)
    return RecordValue(dict, {ITEMS: m, FACTORY: args[0]})


def counter(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> RecordValue:
    """`collections.Counter(...)`."""
    made = dict_of(e, [a for a in args if is_dict(a)], kwargs, node, frame)
    m = promoted(e, made, "is a `Counter`", node, frame)
    found = RecordValue(dict, {ITEMS: m, FACTORY: COUNTED})
    for xs in [a for a in args if not is_dict(a)]:
        written(e, "count", {"d": found, "xs": xs}, node, frame)
    return found
