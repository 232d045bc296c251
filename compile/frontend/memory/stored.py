"""References where a value is expected: what is read through them, by the kind of thing that they lead to. Where there
are no stores, a value is what it is, and what reads them is not loaded."""

from __future__ import annotations

import ast
import copy
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.regions import is_reference, kind_of, one_class, region_of
from ccc.compile.frontend.stores import holds_reference
from ccc.compile.frontend.values import LIBRARY, Frame, ListValue, closed
from ccc.compile.program.lam import Node, Var
from ccc.objects import UNIT, List, Object
from ccc.primitives import arithmetic

CONTAINERS = ("list", "dict")


def of_kind(owner: Node) -> Any:
    """The module for lists, or for dicts, in stores."""
    from ccc.compile.frontend.memory import stored_dicts, stored_lists

    return {"list": stored_lists, "dict": stored_dicts}[kind_of(owner)]


def kept(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value to be kept: what Python could change stands in a store from now on, where there are any."""
    value = closed(value)
    if e.stores is None or (frame is not None and frame.of_library):
        return value
    from ccc.compile.frontend.memory.keeping import placed

    return placed(e, value, node, frame)


def given(e: Elaboration, values: dict[str, Any], to: Any, node: ast.AST, frame: Frame | None) -> dict[str, Any]:
    """Arguments as a function of users, or the function of a nested function, keeps them."""
    closed_values = {name: closed(value) for name, value in values.items()}
    if e.stores is None or (getattr(to, "__module__", None) or "").startswith(LIBRARY):
        return closed_values
    from ccc.compile.frontend.memory.keeping import placed

    return {name: placed(e, value, node, frame) for name, value in closed_values.items()}


def loaded(e: Elaboration, value: Any) -> Any:
    """A reference to an array as the array; any other value itself."""
    return e.versions.contents.now(value, None) if kind_of(value) == "array" else value


def shown(e: Elaboration, value: Any) -> Any:
    """What a reference leads to, as a value of its own whose parts may be references; any other value itself."""
    if not is_reference(value):
        return value
    from ccc.compile.frontend.memory import read_through

    return read_through.shown(e, value)


def whole(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value without references: what they lead to stands in their place."""
    if e.stores is None:
        return value
    from ccc.compile.frontend.memory import read_through

    return read_through.whole(e, value, node, frame)


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
    return of_kind(owner).item(e, owner, key, node, frame)


def set_item(e: Elaboration, owner: Node, key: Any, value: Any, node: ast.AST, frame: Frame) -> None:
    """`owner[key] = value`."""
    of_kind(owner).set_item(e, owner, key, value, node, frame)


def delete(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> None:
    """`del owner[key]`."""
    of_kind(owner).delete(e, owner, key, node, frame)


def attribute(e: Elaboration, owner: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`owner.name` of a list or dict in a store."""
    return of_kind(owner).attribute(e, owner, name, node, frame)


def is_container(value: Any) -> bool:
    """True for references to lists and dicts."""
    return kind_of(value) in CONTAINERS


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
    from ccc.compile.frontend.memory import places

    found: list[Object] = []
    for xs in lists:
        if isinstance(xs, Var) and isinstance(xs.object, List):
            found.append(xs.object.item)
        elif isinstance(xs, ListValue):
            found += [places.object_in(x) for x in xs.items if is_reference(x)]
    first, *others = [a for a in found if region_of(a) is not None] or [UNIT]
    for other in others:
        e.stores.regions.joined(first, other)


def copied_by(function: Any) -> Any:
    """What copies as a function does; None for functions that copy nothing."""
    if function is not copy.copy:
        return None
    from ccc.compile.frontend.memory.stored_copies import copied

    return copied


__all__ = [
    "attribute", "copied_by", "deleted", "holds_reference", "is_container", "is_reference", "item", "kept", "kind_of",
    "loaded", "meet", "meet_in", "same", "set_item", "shown", "whole",
]
