"""What stands in stores and leads to more of its kind, as a tree or a linked list does, read out as a value without
references: a chain by loops (`chains`), all else by a function of the program for each region, which calls itself where
its objects lead to others there.

What several references lead to stands at each of them, as it does where a value without such an end is read out. What
leads to itself has no end: reading it out raises `RecursionError` when the program runs.
"""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend import alternatives
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.recursion import entered
from ccc.compile.frontend.regions import class_behind, is_reference, is_tuple, region_of
from ccc.compile.frontend.source import File
from ccc.compile.frontend.values import Frame
from ccc.compile.program.lam import Var
from ccc.objects import List, Record
from ccc.primitives import structure


def read_out(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What a reference to an object leads to, or the one of several that a sum is, without references."""
    from ccc.compile.frontend import chains

    here = frame or Frame(chains.TO_CALLER, File(__file__, ()), None, None)
    if not is_reference(value):
        return of_alternatives(e, value, node, here)
    region = region_of(value.cls)
    name = None if region is None else chains.link_of(region)
    if name is not None:
        return chains.read_out(e, value, name, node, here)

    def body(given: dict[str, Any]) -> Any:
        return stored.whole(e, stored.shown(e, given["place"]), node, here)

    return entered(e, (chains.TO_CALLER, region), chains.TO_CALLER, {"place": value}, body, node, here, e.top)


def of_alternatives(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """The one of several that a sum is. Where one is a tuple at a place, whose length is not known, the length of the
    other tuples is not either."""
    any_length = any(a.cls is not tuple and class_behind(a.cls) is tuple
                     for a in value.object.alternatives if isinstance(a, Record))

    def read(x: Any) -> Any:
        found = stored.whole(e, x, node, frame)
        if any_length and type(found) is tuple:
            found = e.always(structure.listing, tuple([e.leaf(part, node, frame) for part in found]))
        if is_tuple(x):
            e.columns.add(found)
        return found

    found = alternatives.dispatch(e, value, read, alternatives.never, node, frame)
    if any_length and isinstance(found, Var) and isinstance(found.object, List):
        e.columns.add(found)
    return found
