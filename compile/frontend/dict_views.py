"""The keys, values and items of dicts where Python takes them for sets: compared, and combined by `&`, `|`, `-`, `^`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import dicts
from ccc.compile.frontend.values import ITEMS, Frame, KnownSet, View
from ccc.compile.frontend.viewed_dicts import view_of


def as_set(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """A view as a set; what is no view as it is."""
    view = view_of(e, value)
    if view is None:
        return value
    owner, kind = view
    return e.call(set, [owner if kind == "keys" else value, False], {}, node, frame)


def combined(e: Elaboration, by: Callable[[Any, Any], Any], a: Any, b: Any) -> KnownSet | None:
    """What an operator gives of keys that are known and others, or a known set, in Python's own order; None where they
    are not known."""
    if e.stores is not None:
        return None
    found = [as_python_has_it(x) for x in (a, b)]
    if any(x is None for x in found):
        return None
    made = by(*found)
    return KnownSet(made, made)


def as_python_has_it(value: Any) -> Any:
    """Known keys as the view that Python has of them, a known set as that of Python; None for others."""
    if isinstance(value, KnownSet):
        return value.real
    if isinstance(value, View) and ITEMS not in value.owner.fields and all(map(dicts.is_known, value)):
        return dict.fromkeys(value.now()).keys()
    return value if isinstance(value, frozenset) else None


def is_a_set(e: Elaboration, value: Any) -> bool:
    """True for sets, and for views that are compared as sets are."""
    view = view_of(e, value)
    cls = getattr(value, "cls", None)
    return isinstance(value, frozenset) or (view is not None and view[1] != "values") or (
        isinstance(cls, type) and issubclass(cls, (set, frozenset)))


__all__ = ["as_set", "combined", "is_a_set"]
