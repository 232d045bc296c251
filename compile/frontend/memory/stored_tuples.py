"""Tuples of different lengths that meet, in a branch or from one run of a loop to the next, are at places of their own.

Nothing changes what stands there, so nobody can tell a tuple from another that has the same items.
"""

from __future__ import annotations

import operator
from typing import Any

from ccc.compile.frontend.describing import is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import places
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, is_tuple
from ccc.compile.frontend.values import Frame
from ccc.compile.program.lam import Block
from ccc.coproducts import NoSum


def differ(e: Elaboration, a: Any, b: Any) -> bool:
    """True for two tuples of different lengths, one of which may be at a place already, or be of any length."""
    if type(a) is tuple and type(b) is tuple:
        return len(a) != len(b)
    return not (is_tuple(a) and is_tuple(b)) and all(type(x) is tuple or is_column(e, x) for x in (a, b))


def placed(e: Elaboration, region: Region, value: Any) -> Any:
    """A tuple at a place; itself where its items have no type in common."""
    if is_tuple(value) or region.root().plain:
        return value
    try:
        return places.new_tuple(e, region, value)
    except NoSum as error:
        region.regions.give_up(region, str(error))
        return value


def together(e: Elaboration, a: Any, b: Any, where: Any, blocks: tuple[Block, Block]) -> tuple[Any, Any] | None:
    """Two tuples of different lengths that two blocks give, at places; None for all else."""
    if not differ(e, a, b):
        return None
    known = next((places.region_at(x) for x in (a, b) if is_tuple(x)), None)
    region = known or places.stores_of(e).regions.at(f"the tuples that meet at {where}", StoredAs.LIST, tuple)
    one, other = [e.heap.further(block, lambda block=block, x=x: e.within(block, lambda: placed(e, region, x)))
                  for block, x in zip(blocks, (a, b), strict=True)]
    return (one, other) if is_tuple(one) and is_tuple(other) else None


def named(e: Elaboration, frame: Frame, name: str, old: Any, new: Any) -> Any:
    """What a name stands for before a loop: a tuple at a place, where it stands for another one behind a run, and so
    for tuples in it. That the tuples of a name have different lengths is known from the next reading on."""
    if type(old) is tuple and type(new) is tuple and len(old) == len(new):
        return within(old, [named(e, frame, item_of(name, i), *pair) for i, pair in enumerate(
            zip(old, new, strict=True))])
    if not differ(e, old, new):
        return old
    if not is_tuple(new):
        places.stores_of(e).regions.of_names(key(e, frame, name))
    return placed(e, region_of_name(e, frame, name), old)


def kept(e: Elaboration, frame: Frame, name: str, value: Any) -> Any:
    """A tuple that a name stands for from now on, and those in it."""
    if type(value) is tuple:
        value = within(value, [kept(e, frame, item_of(name, i), part) for i, part in enumerate(value)])
    if key(e, frame, name) not in places.stores_of(e).regions.names:
        return value
    return placed(e, region_of_name(e, frame, name), value)


def item_of(name: str, i: int) -> str:
    """What an item of the tuple that a name stands for is called."""
    return f"{name}[{i}]"


def within(value: tuple[Any, ...], parts: list[Any]) -> tuple[Any, ...]:
    """A tuple of these parts; itself where they are its own."""
    return value if all(map(operator.is_, value, parts)) else tuple(parts)


def key(e: Elaboration, frame: Frame, name: str) -> str:
    """What tells the names of functions apart."""
    return f"`{name}` in `{frame.name}` at {frame.node and e.place(frame.node, frame)}"


def region_of_name(e: Elaboration, frame: Frame, name: str) -> Region:
    return places.stores_of(e).regions.at(f"the tuples of {key(e, frame, name)}", StoredAs.LIST, tuple)
