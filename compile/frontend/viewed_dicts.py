"""Which dict a view shows, and what of it: its keys, values or items."""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import ZipValue
from ccc.compile.frontend.values import View
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
