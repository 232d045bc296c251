"""What lists are asked and done that is written in Python: `index`, `count`, `remove`, slices with a step."""

from __future__ import annotations

import ast
import sys
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import list_changes
from ccc.compile.frontend.memory.list_methods import by_text
from ccc.compile.frontend.regions import is_reference
from ccc.compile.frontend.values import Frame
from ccc.compile.program.lam import Var
from ccc.objects import Int, Real
from ccc.primitives import lists


def items_of(e: Elaboration, owner: Any) -> Any:
    """The list that a method reads, as what statements read."""
    return list_changes.read(e, owner) if isinstance(owner, list_changes.Place) else owner


def refuse_names(name: str, args: list[Any], kwargs: dict[str, Any], most: int, e: Elaboration, node: ast.AST,
                 frame: Frame) -> None:
    if kwargs or not 1 <= len(args) <= most:
        raise mismatch("CC027", f"`.{name}` of a list takes {'one argument' if most == 1 else '1 to 3'}, without names",
                       e.place(node, frame), help="give the item")


def index(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`xs.index(v, start, stop)`."""
    refuse_names("index", args, kwargs, 3, e, node, frame)
    value, start, stop = [*args, *(0, sys.maxsize)[len(args) - 1:]]
    plain = isinstance(value, (int, float, str)) or (isinstance(value, Var) and isinstance(value.object, (Real, Int)))
    env = {"xs": items_of(e, owner), "v": value, "a": start, "b": stop, "plain": plain}
    return by_text(e, "index", env, node, frame)


def count(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`xs.count(v)`."""
    refuse_names("count", args, kwargs, 1, e, node, frame)
    return by_text(e, "count", {"xs": items_of(e, owner), "v": args[0]}, node, frame)


def remove(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`xs.remove(v)`."""
    refuse_names("remove", args, kwargs, 1, e, node, frame)
    if isinstance(owner, list_changes.Place):
        found = by_text(e, "first", {"xs": items_of(e, owner), "v": args[0]}, node, frame)
        list_changes.pop(owner, e, [found], {}, node, frame)
    else:
        by_text(e, "remove", {"xs": owner, "v": args[0]}, node, frame)


def assign_with_step(e: Elaboration, owner: Any, key: slice, value: Any, node: ast.AST, frame: Frame) -> None:
    """`xs[a:b:c] = value` of a list in a store, with a step."""
    found = selected(e, owner, key, node, frame)
    by_text(e, "assign", {"xs": owner, "v": value, "found": found}, node, frame)


def delete_with_step(e: Elaboration, owner: Any, key: slice, node: ast.AST, frame: Frame) -> None:
    """`del xs[a:b:c]` of a list in a store, with a step."""
    found = selected(e, owner, key, node, frame)
    if isinstance(key.step, int) and key.step > 0:  # those behind first
        found = e.always(lists.sliced, (found, -1), places="3")
    by_text(e, "delete", {"xs": owner, "found": found}, node, frame)


def selected(e: Elaboration, owner: Any, key: slice, node: ast.AST, frame: Frame) -> Any:
    """The indices that a slice of a list selects, in its order."""
    assert is_reference(owner)
    everywhere = e.sequence(e.call(range, [e.call(len, [owner], {}, node, frame)], {}, node, frame), node, frame)
    return list_changes.slice_of(e, everywhere, key, node, frame)

