"""Slices of lists of the program that are put other items in: `xs[a:b] = ys`."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.describing import is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import item_updates, list_changes
from ccc.compile.frontend.memory.displays import entering
from ccc.compile.frontend.memory.exclusivity import change
from ccc.compile.frontend.memory.list_changes import Place, both, promoted, put_new, store, whole
from ccc.compile.frontend.memory.lists import kept_items
from ccc.compile.frontend.parts import changeable
from ccc.compile.frontend.reals import objects_of, widened
from ccc.compile.frontend.values import Frame, ListValue
from ccc.compile.program.lam import Var
from ccc.primitives import lists


def assign(e: Elaboration, owner: Any, target: ast.Subscript, key: Any, value: Any, frame: Frame) -> None:
    """`xs[key] = value` of a list or tuple of any kind."""
    if not isinstance(key, slice) or key.step not in (None, 1) or is_column(e, owner):
        list_changes.set_item(e, owner, target, key, value, frame)
        return
    more = whole(e, value, target, frame)
    known = isinstance(owner, ListValue) and not any(isinstance(x, Var) for x in (key.start, key.stop))
    if known and kept_items(e, more, target, frame) is not None:
        list_changes.set_item(e, owner, target, key, more, frame)
    else:
        set_slice(e, owner, target, key, more, frame)


def set_slice(e: Elaboration, owner: Any, target: ast.Subscript, key: slice, more: Any, frame: Frame) -> None:
    """Put items in the place of those between two bounds, of which a program says what they are."""
    kept_items(e, more, target, frame)
    others = e.sequence(more, target, frame)
    if isinstance(owner, ListValue):
        change(e, owner, "assigning into a list", target, frame)
        xs = promoted(e, owner, "is assigned to at a slice that is not known", e.span(target, frame))
    else:
        xs = owner
    if changeable(objects_of(others).item) and not item_updates.is_fresh(e, more):
        entering(e, xs, others)
    new = replaced(e, xs, key, others, target, frame)
    if isinstance(owner, ListValue):
        put_new(e, xs, new)
    else:
        store(e, Place(target.value, owner, frame), new, "cannot assign into")


def replaced(e: Elaboration, xs: Var, key: slice, others: Any, node: ast.AST, frame: Frame) -> Var:
    """A list with other items in the place of a slice."""
    if key.start is None and key.stop is None:
        return widened(e, e.always(lists.sliced, (others,), places=""), xs.object)
    first, last, _ = e.call(slice.indices, [key, e.call(len, [xs], {}, node, frame)], {}, node, frame)
    before = e.always(lists.sliced, (xs, first), places="2")
    behind = e.always(lists.sliced, (xs, e.call(max, [first, last], {}, node, frame)), places="1")
    return both(e, before, both(e, others, behind))
