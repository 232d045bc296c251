"""Variables of an activation that functions which are kept share: such a variable stands in a store, at one place for
each activation, and a function that is kept holds the place. So it reads what the variable holds when it is called.

Which variables these are is found where a function is kept that reads one (`boxed.captured`), or where a loop would
carry one that inner functions write to; the function is read again then, with their places made where an activation
begins.
"""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import places
from ccc.compile.frontend.parts import Variable, is_cell, is_shared
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import region_of
from ccc.compile.frontend.values import UNSET, Frame
from ccc.compile.program.lam import Node
from ccc.objects import UNIT


def begun(e: Elaboration, frame: Frame) -> None:
    """Make the places of the variables of an activation that begins, and let those that have a value stand there."""
    if e.stores is None or frame.site is None or frame.of_library:
        return
    site = str(e.place(frame.site, frame))
    for name in sorted(e.stores.regions.variables.get(site, ())):
        region = e.stores.regions.at(f"the variable `{name}` of {site}", StoredAs.OBJECT, Variable)
        if region.plain or name not in frame.local:
            continue
        if name not in region.parts:
            region.parts[name] = UNIT
            region.regions.grew = True
        frame.shared = {**frame.shared, name: places.begun(e, region)}
        frame.cells -= {name}
        if name in frame.env:
            held = frame.env[name]
            put(e, frame, name, held.fields[name] if is_cell(held) else held, frame.site)


def put(e: Elaboration, frame: Frame, name: str, value: Any, node: ast.AST) -> None:
    """Let a variable that is shared hold a value."""
    held: Any = frame.env.get(name)
    place = held if is_shared(held) else frame.shared[name]
    if value is not UNSET:
        places.put_field(e, place, name, value, node, frame)
    frame.env[name] = place


def read(e: Elaboration, place: Node) -> Any:
    """What a variable holds that stands at a place."""
    region = region_of(place.cls)
    assert region is not None and is_shared(place)
    (name,) = region.parts
    return places.field_at(e, place, name)
