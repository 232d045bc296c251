"""The keys, values and items of dicts where Python takes them for sets: compared, and combined by `&`, `|`, `-`, `^`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import ZipValue
from ccc.compile.frontend.memory.interface import dicts
from ccc.compile.frontend.values import ITEMS, Frame, KnownSet, View
from ccc.compile.program.lam import Apply, Var
from ccc.primitives import maps


def view_of(e: Elaboration, value: Any) -> tuple[Any, str] | None:
    """The dict that a view shows, and what of it; None for what is no view."""
    shows = e.inside_dicts.shows
    if isinstance(value, View):
        return shows.get(value.owner, value.owner), value.kind
    owner = e.inside_dicts.views.get(value) if isinstance(value, Var) else None
    if owner is None:
        return None
    op = value.definition.op if value.definition is not None else None
    kind = "values" if isinstance(op, Apply) and op.primitive is maps.values_of else "keys"
    return shows.get(owner, owner), kind


def iterated_view(e: Elaboration, value: Any) -> tuple[Any, str] | None:
    """The dict that a view shows where that is iterated: its keys beside its values are its items."""
    if isinstance(value, ZipValue) and len(value.parts) == 2:
        keys, values = value.parts
        found = view_of(e, values)
        let = values.definition if found is not None and isinstance(values, Var) else None
        return (found[0], "items") if found and let is not None and let.args[-1] is keys else None
    return view_of(e, value)


def as_set(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """A view as a set; what is no view as it is."""
    view = view_of(e, value)
    if view is None:
        return value
    owner, kind = view
    return e.call(set, [owner if kind == "keys" else value], {}, node, frame)


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
        return dict.fromkeys(View.of(value.owner, value.kind)).keys()
    return value if isinstance(value, frozenset) else None


def is_a_set(e: Elaboration, value: Any) -> bool:
    """True for sets, and for views that are compared as sets are."""
    view = view_of(e, value)
    cls = getattr(value, "cls", None)
    return isinstance(value, frozenset) or (view is not None and view[1] != "values") or (
        isinstance(cls, type) and issubclass(cls, (set, frozenset)))


__all__ = ["as_set", "combined", "is_a_set", "iterated_view", "view_of"]
