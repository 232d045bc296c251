"""Augmented assignment, `target op= value`, to names and to what is in records, lists and dicts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import alternatives, class_variables, sums
from ccc.compile.frontend.attempts import lasts
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import dicts, list_changes, lists, other_name, stored, updates
from ccc.compile.frontend.parts import defined
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.record_operators import NAMES
from ccc.compile.frontend.records import assign, attribute, item, module_around, put_item, special
from ccc.compile.frontend.regions import is_tuple
from ccc.compile.frontend.values import ClosureValue, Frame, KnownSet, ListValue, RecordValue, number_chosen
from ccc.compile.program.lam import Node, Var
from ccc.objects import Array, List


def of_record(e: Elaboration, node: ast.AugAssign, frame: Frame) -> bool:
    """`record.name op= value`, `record[key] op= value` and `record op= value`; False where the target is no record."""
    target = node.target
    if isinstance(target, ast.Attribute):
        owner = module_around(e, e.target(target.value, frame), target, frame)
        uncertain = (owner is None or e.stores is not None) and alternatives.is_uncertain(e, owner)
        if uncertain or isinstance(owner, class_variables.Owner | ClosureValue):
            old = e.attribute(owner, target, frame)
            assign(e, owner, target.attr, combined(e, node, old, frame), target, frame)
            return True
        if not isinstance(owner, (RecordValue, Node)):
            return False
        old = attribute(e, owner, target.attr, target, frame)
        assign(e, owner, target.attr, combined(e, node, old, frame), target, frame)
        return True
    if isinstance(target, ast.Subscript):
        owner = e.target(target.value, frame)
        if stored.is_container(owner):
            key = e.key(target.slice, frame)
            old = stored.item(e, owner, key, target, frame)
            stored.set_item(e, owner, key, combined(e, node, old, frame), target, frame)
            return True
        if not isinstance(owner, (RecordValue, Node)):
            return False
        if isinstance(owner, RecordValue) and owner.cls is dict:
            of_dict(e, owner, node, frame)
            return True
        key = e.key(target.slice, frame)
        put_item(e, owner, key, combined(e, node, item(e, owner, key, target, frame), frame), target, frame)
        return True
    old = e.lookup(target.id, target, frame)
    if not isinstance(old, (RecordValue, Node)):
        return False
    e.bind(target, combined(e, node, old, frame), frame)
    return True


def of_list(e: Elaboration, node: ast.AugAssign, frame: Frame) -> bool:
    """`xs[i] op= value` and `xs += items` of a list; False for other targets."""
    target = node.target
    if isinstance(target, ast.Subscript):
        owner = e.target(target.value, frame)
        if not lists.is_list(owner):
            return False
        key = number_chosen(e.key(target.slice, frame))
        if isinstance(key, slice):
            return False
        old = e.loaded(list_changes.item(e, owner, key, target, frame))
        if updates.surely_array(old):
            updates.replace(e, old, e.operate(node.op, old, e.expression(node.value, frame), node, frame), node, target,
                            frame)
            return True
        list_changes.set_item(e, owner, target, key, combined(e, node, old, frame), frame)
        return True
    if not isinstance(node.op, ast.Add):
        return False
    record = None
    if isinstance(target, ast.Attribute):
        record = e.target(target.value, frame)
        if not isinstance(record, RecordValue) or not lists.is_list(record.fields.get(target.attr)):
            return False
        owner = record.fields[target.attr]
    else:
        owner = e.lookup(target.id, target, frame)  # type: ignore[union-attr]
    if not lists.is_list(owner):
        return False
    value = e.expression(node.value, frame)
    new = answered(e, node, owner, value, frame)
    if new is not NotImplemented:
        if record is None:
            e.bind(target, new, frame)
        else:
            assign(e, record, target.attr, new, target, frame)  # type: ignore[union-attr]
        return True
    owner = owner if isinstance(owner, ListValue) else list_changes.Place(target, owner, frame)
    list_changes.extend(owner, e, [value], {}, node, frame)
    return True


def answered(e: Elaboration, node: ast.AugAssign, xs: Any, value: Any, frame: Frame) -> Any:
    """What a value makes of `xs op= value` of a list, else `NotImplemented`: Python asks its reflected method, which
    arrays have, before the list takes items in."""
    name = f"__r{NAMES[type(node.op)]}__"
    if defined(value, name):
        return special(e, value, name, [xs], {}, node, frame)
    of_arrays = updates.is_array(value) or isinstance(value, np.ndarray) or stored.kind_of(value) is StoredAs.ARRAY
    return e.operate(node.op, xs, value, node, frame) if of_arrays else NotImplemented


def of_dict(e: Elaboration, owner: RecordValue, node: ast.AugAssign, frame: Frame) -> None:
    """`owner[key] op= value`: the key is computed once."""
    target = node.target
    assert isinstance(target, ast.Subscript)
    key = e.key(target.slice, frame)
    old = dicts.item(e, owner, key, target, frame)
    if dicts.map_in(owner) is not None and isinstance(old, Var) and isinstance(old.object, (Array, List)):
        raise unsupported("CC011", f"`{ast.unparse(node)}` would change an array or list inside a dict in place",
                          e.place(node, frame), help=spelled_out(node))
    dicts.put_item(e, owner, key, combined(e, node, old, frame), target, frame)


def refuse_set(e: Elaboration, node: ast.AugAssign, old: Any, frame: Frame) -> None:
    """Refuse to change a set that is known: other names would not see it."""
    if isinstance(old, KnownSet):
        raise unsupported("CC003", f"`{ast.unparse(node)}` changes a set", e.place(node, frame), help=spelled_out(node))


def spelled_out(node: ast.AugAssign) -> str:
    """How `target op= value` is written with the operator between its operands."""
    whole = ast.BinOp(node.target, node.op, node.value)  # type: ignore[arg-type]
    return f"write `{ast.unparse(node.target)} = {ast.unparse(whole)}`"


IN_PLACE = {(StoredAs.LIST, ast.Add): "extend", (StoredAs.LIST, ast.Mult): "__imul__",
            (StoredAs.DICT, ast.BitOr): "update"}
"""The method that an augmented assignment to what stands in a store is."""


def combined(e: Elaboration, node: ast.AugAssign, old: Any, frame: Frame) -> Any:
    """The value of `old op= value`; arrays and lists are refused, which Python would change in place."""
    old = e.attempts.named(node.target, lambda: e.loaded(e.seen(old) if isinstance(old, Var) else old))
    return changed(e, node, old, e.expression(node.value, frame), frame)


def changed(e: Elaboration, node: ast.AugAssign, old: Any, value: Any, frame: Frame) -> Any:
    """What `old op= value` makes of a value: itself where that changes, each alternative of a sum in its own way."""
    if sums.is_sum(old):
        fails = alternatives.operand(f"{updates.SYMBOLS[type(node.op)]}=", value, swapped=False)
        return alternatives.dispatch(
            e, old, lambda x: changed(e, node, e.loaded(x), value, frame), fails, node, frame)
    method = IN_PLACE.get((stored.kind_of(old), type(node.op)))
    if lists.is_list(old) or stored.kind_of(old) is StoredAs.LIST:
        found = answered(e, node, old, value, frame)
        if found is not NotImplemented:
            return found
    if method is not None and not is_tuple(old):
        e.call(stored.attribute(e, old, method, node, frame), [value], {}, node, frame)
        return old
    if dicts.is_dict(old) and isinstance(node.op, ast.BitOr):
        e.call(attribute(e, old, "update", node, frame), [value], {}, node, frame)
        return old
    refuse_set(e, node, old, frame)
    name = f"__i{NAMES[type(node.op)]}__"
    if defined(old, name):
        return special(e, old, name, [value], {}, node, frame)
    if updates.surely_array(old):
        new = e.operate(node.op, old, value, node, frame)
        updates.replace(e, old, new, node, node.target, frame)
        return old
    if isinstance(old, ListValue) or (isinstance(old, Var) and isinstance(old.object, (Array, List))):
        raise unsupported("CC011", f"`{ast.unparse(node)}` would change an array or list in place",
                          e.place(node, frame), help=spelled_out(node))
    return e.operate(node.op, old, value, node, frame)


def of_alternatives(e: Elaboration, node: ast.AugAssign, again: Callable[[], None], frame: Frame) -> bool:
    """`owner[key] op= value` of a sum, for each alternative; False for other targets."""
    target = node.target
    if not isinstance(target, ast.Subscript) or not alternatives.is_uncertain(
            e, owner := e.target(target.value, frame)):
        return False
    alternatives.written(e, owner, target, again, "is not subscriptable", frame)
    return True


def of_name(e: Elaboration, node: ast.AugAssign, name: str, frame: Frame) -> None:
    """`name op= value` as `name = name op value`, where nothing else can see what Python would change in place."""
    old = e.attempts.named(node.target, lambda: e.lookup(name, node.target, frame))
    refuse_set(e, node, old, frame)
    if isinstance(old, Var):
        seen = e.seen(old)
        if seen is not old or sums.is_sum(old):
            e.bind(node.target, combined(e, node, old, frame), frame)
            return
    if updates.surely_array(old):
        updates.augment_array(e, node, old, node.target, frame)
        return
    expression = ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
    for made in (expression, expression.left):
        ast.copy_location(made, node if made is expression else node.target)
    kept: dict[ast.AST, Any] = {expression.left: old} if lasts(old) else {}
    new = e.once.given(kept, lambda: e.expression(expression, frame))
    in_place = isinstance(old, ListValue) or (isinstance(old, Var) and isinstance(old.object, (Array, List)))
    if in_place and e.lookup(name, node.target, frame) is old:
        text = f"{name} {updates.SYMBOLS[type(node.op)]}= ..."
        who = other_name(e, old, frame, name)
        if who or (isinstance(old, Var) and isinstance(old.object, List)):
            what = "list" if isinstance(old, ListValue) or isinstance(old.object, List) else "array"
            raise unsupported(
                "CC011", f"`{text}` would change {'an' if what == 'array' else 'a'} {what} that is visible elsewhere",
                e.span(node, frame), f"{who or 'the caller'} sees it too",
                help=f"write `{name} = {name} {updates.SYMBOLS[type(node.op)]} ...`")
        if isinstance(old, Var):
            new = updates.fitted(e, new, old, node, frame)
            e.updates.append((old, e.span(node, frame), text))
    e.bind(node.target, new, frame)
