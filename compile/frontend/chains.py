"""Chains in stores, each of whose objects leads to one of its kind or to None, read out by loops as long as they are:
one goes along the places, and one back, which makes the objects from the last one. So a chain may be longer than calls
nest.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.frontend import alternatives
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import moved_out, places, stored
from ccc.compile.frontend.names import written
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, is_reference, settled
from ccc.compile.frontend.source import File
from ccc.compile.frontend.stores import COMPILED
from ccc.compile.frontend.values import Frame, RecordValue
from ccc.compile.program.lam import Node
from ccc.coproducts import NONE
from ccc.objects import Coproduct
from ccc.primitives import structure

TO_CALLER = "what is given back"

TEXT = """
def read_out():
    along = []
    at = after(first)
    while at >= 0:
        if len(along) == count:
            raise RecursionError("an object that leads back to itself is read as a whole: take its parts")
        along.append(at)
        at = after(at)
    found = None
    for at in reversed(along):
        found = standing(at, found)
    return standing(first, found)
"""
"""What a chain is, as Python that is read where one is given back; what leads to itself raises what calls would."""


class Chain:
    """Objects that lead to one another by an attribute."""

    def __init__(self, region: Region, name: str, node: ast.AST, frame: Frame) -> None:
        self.region = region
        self.name = name
        self.node = node
        self.frame = frame

    def at(self, place: Any) -> Node:
        """A reference to a place."""
        return Node.of(self.region.reference, ("place",), [place])


def link_of(region: Region) -> str | None:
    """The attribute by which the objects of a region are chains: it alone leads to others of them, else it is None."""
    leading = [name for name, a in region.parts.items() if region in moved_out.reached([settled(a)])]
    if region.kind is not StoredAs.OBJECT or len(leading) != 1:
        return None
    a = settled(region.parts[leading[0]])
    return leading[0] if isinstance(a, Coproduct) and set(a.alternatives) == {NONE, region.object} else None


def read_out(e: Elaboration, value: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """What a reference leads to, without references."""
    region = places.region_at(value).root()
    chain = Chain(region, name, node, frame)
    inner = Frame(TO_CALLER, File(__file__, ()), read_out, None, None, (node, frame))
    inner.env.update(first=value[0], count=structure.length(places.store(e, region)[1]),
                     after=types.MethodType(after, chain), standing=types.MethodType(standing, chain))
    inner.local = frozenset([*inner.env, "along", "at", "found"])
    (definition,) = written(TEXT, node)
    e.frames.append(inner)
    try:
        return e.run(definition.body, inner)  # type: ignore[attr-defined]
    finally:
        e.frames.pop()


def after(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """The place that a place leads to; -1 at the end of the chain."""
    found = places.field_at(e, owner.at(args[0]), owner.name)
    return alternatives.dispatch(e, found, lambda x: x[0] if is_reference(x) else -1, alternatives.never, owner.node,
                                 owner.frame)


def standing(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """The object at a place, with what follows it in the chain."""
    place, rest = owner.at(args[0]), args[1]
    parts = {name: rest if name == owner.name else stored.whole(
        e, places.field_at(e, place, name), owner.node, owner.frame) for name in owner.region.parts}
    return RecordValue(owner.region.cls, parts)


COMPILED.update([after, standing])
