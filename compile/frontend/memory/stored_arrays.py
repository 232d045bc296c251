"""Arrays in stores: names and containers hold references, and what is computed with is what stands at the place then.

An array stands in a store from the moment that it is kept, where nothing else leads to its memory yet. Read, it is a
variable whose versions are what the store holds (`array_store.Versions`), so views of it are taken anew and written
through as views of any array are. An array of the caller stands in a store too, whose region nobody may change then.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import places, stored_views
from ccc.compile.frontend.memory.aliasing import OUTSIDE, alive, memory, named, under_way
from ccc.compile.frontend.memory.array_store import is_read_only, stands, step_of
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region
from ccc.compile.frontend.values import ITEMS, Frame
from ccc.compile.program.lam import Block, Node, Var
from ccc.coproducts import NoSum
from ccc.objects import Array
from ccc.primitives import structure


class Contents:
    """What the arrays in the stores of an elaboration hold, for its `Versions`."""

    def __init__(self, e: Elaboration) -> None:
        self.e = e
        self.known: dict[tuple[Any, ...], tuple[Var, int]] = {}  # each with where its step stands in its block

    def now(self, place: Node, block: Block | None) -> Var:
        """What stands at a place now, or at the end of a block."""
        e = self.e
        record, store = places.store(e, places.region_at(place))
        if block is None:
            return self.read(store, place, e.recorder.block)
        return self.read(e.heap.after(block, record)[ITEMS], place, block)

    def read(self, store: Var, place: Node, home: Block) -> Var:
        """The array at a place of what a store held."""
        known, at = self.known.get((store, *place), (None, 0))
        if known is not None and known.home in list(home.ancestors()) and stands(known, at):
            return known
        e = self.e
        found = e.attempts.surely(lambda: e.within(home, lambda: self.shown(store, place)))
        self.known[(store, *place)] = found, step_of(found)
        e.versions.places[found] = place
        places.stores_of(e).loaded[found] = place
        return found

    def shown(self, store: Var, place: Node) -> Var:
        """What a reference shows of a store."""
        memory = self.e.always(structure.item, (store, place[0]))
        return memory if len(place) == 1 else stored_views.read(self.e, memory, place[1])

    def put(self, place: Node, new: Any) -> None:
        """Let an array hold something else."""
        e = self.e
        if len(place) > 1:
            new = stored_views.written(e, places.entry(e, place), place[1], new)
        places.write(e, place, places.fitted(e, places.region_at(place), "item", new))

    def in_order(self, place: Node) -> bool:
        """Whether the entries of an array surely lie in order."""
        scattered = places.region_at(place).scattered
        return not scattered and (len(place) == 1 or stored_views.in_order(self.e, place[1]))

    def root(self, place: Node) -> Region:
        """Where the memory of what stands at a place was made."""
        return places.region_at(place)


def begin(e: Elaboration) -> None:
    """Let arrays stand in stores."""
    if places.stores_of(e).regions.arrays:
        e.versions.contents = Contents(e)


def placed(e: Elaboration, value: Var, node: ast.AST, frame: Frame | None, way: str) -> Any:
    """A reference to an array that is kept; the array itself where it cannot stand in a store. A statement of a `try`
    that is read again keeps it where the first reading does."""
    return e.attempts.part(lambda: placed_once(e, value, node, frame, way))


def placed_once(e: Elaboration, value: Var, node: ast.AST, frame: Frame | None, way: str) -> Any:
    """The same, where it was not kept by the statement under way."""
    known = e.versions.places.get(value)
    if known is not None:
        return known
    made = roots_alone(e, value)
    if made is None:
        return (places.stores_of(e).regions.views and e.attempts.surely(lambda: stored_views.shown(e, value))) or value
    regions = places.stores_of(e).regions
    region = regions.at(places.place_of(e, node, frame, way), StoredAs.ARRAY, np.ndarray)
    if region.plain:
        return value
    if OUTSIDE in made and not region.outside:
        region.outside = regions.grew = True
    base = e.versions.base(value) if regions.views else value  # what shows a part of it lies as it lies there
    if not region.scattered and not e.versions.in_order(base):
        region.scattered = regions.grew = True
    now = e.versions.now(base)
    try:
        found = e.attempts.surely(lambda: stored_views.allocated(e, region, now)) if regions.views else (
            places.allocated(e, region, places.fitted(e, region, "item", now)))
    except NoSum:
        return value
    places.stores_of(e).roots |= made - {OUTSIDE}
    if base is e.versions.array(value) or not regions.views:
        return found
    e.versions.places[base] = found
    try:
        return e.attempts.surely(lambda: stored_views.shown(e, value))
    finally:
        del e.versions.places[base]  # nobody sees it but by what it shows


def of_place(e: Elaboration, array: Var) -> Var:
    """An array that may share the memory of one in a store as what a reference shows; others are themselves."""
    stores = places.stores_of(e)
    if not stores.regions.views or e.versions.base(array) in e.versions.places or not in_stores(
            e, memory(e, [array])[0]):
        return array
    found = e.attempts.surely(lambda: stored_views.shown(e, array))
    return array if found is None else e.versions.contents.now(found, None)


def roots_alone(e: Elaboration, value: Var) -> set[Any] | None:
    """Where the memory of an array was made that may stand in a store; None where something else leads to it."""
    a = value.object
    if not isinstance(a, Array) or not a.axes:
        return None
    made, way = memory(e, [value])
    if made & e.versions.borrowed or in_stores(e, made):
        return None
    if e.versions.read_only(value) is not False or any(is_read_only(v) is not False for v in way):
        return None
    own = made - {OUTSIDE}
    return made if not own or not any(memory(e, [part])[0] & own for part in others(e) if part is not value) else None


def others(e: Elaboration) -> list[Var]:
    """The variables that names lead to, and what the expressions under way have computed, but for the stores."""
    stores = stores_now(e)
    found = [part for _, _, parts in named(e) for part in parts] + under_way(e)
    return [part for part in found if isinstance(part, Var) and part not in stores]


def stores_now(e: Elaboration) -> set[Any]:
    """The variables that stores are."""
    return {record.fields[ITEMS] for record in places.stores_of(e).records.values()}


def in_stores(e: Elaboration, made: set[Any]) -> bool:
    """True where some memory is that of an array in a store."""
    return bool(made & places.stores_of(e).roots) or any(isinstance(root, Region) for root in made)


def refusal(e: Elaboration, base: Var, node: ast.AST, frame: Frame | None) -> CompileError | None:
    """Why an array must not change: the caller sees it, or something may be a view of it that is not known as one."""
    if e.stores is None or not e.stores.regions.arrays:
        return None
    versions = e.versions
    place = versions.places.get(base)
    if place is None:
        shared = in_stores(e, memory(e, [base])[0])
        return places.refused(e, "what may be an array in a store changes", node, frame) if shared else None
    if places.region_at(place).outside:
        return places.refused(e, "the caller may see an array that changes", node, frame)
    seen = [part for owner, name, parts in named(e) if alive(owner, name) for part in parts]
    hidden = [part for part in seen if isinstance(part, Var) and part not in stores_now(e) and (
        versions.base(part) not in versions.places and in_stores(e, memory(e, [part])[0]))]
    if hidden:
        return places.refused(e, f"`{hidden[0].name}` may be a view of an array that changes", node, frame)
    return None
