"""Arrays in stores that nothing leads to any more: behind each run of a loop, what stood at their places is dropped.

    for _ in range(n):
        x = f(x)         each run makes a place, and `x` led to the one of the run before

Without this the store would keep what all runs made. A place is dropped that a run made, or that a name which the loop
carries led to when the run began, unless a name leads to it in the end. Those from before the loop stay as they are, so
only what runs bind and change has to be looked at. An array of no entries stands there then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import places
from ccc.compile.frontend.memory.aliasing import alive, memory, named, under_way
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, is_reference, leads_on
from ccc.compile.frontend.stores import entry_object, fits
from ccc.compile.frontend.values import ITEMS
from ccc.compile.program.lam import Block, Loop, Node, Var, While
from ccc.objects import Array, Object
from ccc.primitives import arithmetic, creation, structure

Where = Callable[[Var, Callable[[], None]], Any]
"""Does something where a test is true."""


def drops(e: Elaboration, where: Where) -> Drops | None:
    """What a loop that begins now will drop; None where it is to keep all. What a `try` goes back to, and what a
    recursion that waits has, no name of now leads to."""
    stores = places.stores_of(e)
    if not stores.regions.arrays or stores.outer is not None or e.attempts.active or e.waiting:
        return None
    first: dict[Region, Any] = {}
    for region, record in stores.records.items():
        if region.kind is StoredAs.ARRAY and region.parent is None:
            now = record.fields[ITEMS]
            first[region] = stores.counts.get(now, now)
    return Drops(e, where, first) if first else None


class Drops:
    """What one loop drops; `first` says of each region how many places, or which ones, there are before it."""

    def __init__(self, e: Elaboration, where: Where, first: dict[Region, Any]) -> None:
        self.e = e
        self.where = where
        self.first = first
        self.block = e.recorder.block
        self.left: dict[Region, dict[Var, None]] = {}

    def begun(self, block: Block) -> None:
        """To be called where a run begins: notes where the names that it was given lead."""
        self.block = block
        parts = self.parts()
        self.left = {region: {place: None for place in self.lead(region, parts) if place in block.params}
                     for region in self.first}

    def ended(self) -> None:
        """To be called where a run has ended."""
        for region in self.first:
            if not region.plain and region.parent is None and self.made(region):
                parts = self.parts()
                if self.known(region, parts):
                    self.drop(region, parts)

    def known(self, region: Region, seen: list[Any]) -> bool:
        """Whether names alone lead to the places of a region: no list, no other store, and no array of which it is not
        known at which place it stands."""
        e = self.e
        stores = places.stores_of(e)
        inside = [entry_object(other) for other in stores.regions.roots() if other is not region]
        parts = [part for part in seen if isinstance(part, Var)]
        if any(map(leads_on, [*inside, *[part.object for part in parts]])):
            return False
        return not any(region in memory(e, [part])[0] for part in parts
                       if e.versions.base(part) not in e.versions.places)

    def parts(self) -> list[Any]:
        """What is seen by names that may be read again, and by expressions under way."""
        e = self.e
        return [part for owner, name, parts in named(e) if alive(owner, name) for part in parts] + under_way(e)

    def lead(self, region: Region, seen: list[Any]) -> dict[Var, None]:
        """The places of a region that something leads to, as far as they are not known."""
        found = [part for part in seen if is_reference(part)]
        bases = [self.e.versions.base(part) for part in seen if isinstance(part, Var)]
        found += [self.e.versions.places[base] for base in bases if base in self.e.versions.places]
        return {one[0]: None for one in found if places.region_at(one) is region and isinstance(one[0], Var)}

    def drop(self, region: Region, seen: list[Any]) -> None:
        """Drop what is at places of a region that were left, or were made in this run, and that nothing leads to."""
        found = self.made(region)
        here, entry = self.lead(region, seen), entry_object(region)
        nothing = empty(self.e, entry)
        if nothing is None or not fits(nothing.object, entry):
            return
        for place in found:
            if place not in here:
                self.drop_at(Node.of(region.reference, ("place",), [place]), nothing, here)

    def made(self, region: Region) -> dict[Var, None]:
        """The places that this run was left with or has surely made; none where it changed nothing."""
        e, stores = self.e, places.stores_of(self.e)
        now: Any = stores.records[region].fields[ITEMS]
        if now in self.block.params:
            return {}
        found = dict(self.left.get(region, {}))
        inside = [block for block in e.recorder.block.ancestors() if self.block in block.ancestors()]
        while isinstance(now, Var) and now.definition is not None and now.home in inside:
            if now in stores.indices:
                found[stores.indices[now]] = None
            now = before(now)
        return found

    def drop_at(self, place: Node, nothing: Var, here: dict[Var, None]) -> None:
        """Let an array of no entries stand at a place, if that is of this loop and nothing leads there."""
        e, first = self.e, self.first[places.region_at(place)]
        _, now = places.store(e, places.region_at(place))
        count = first if isinstance(first, int) else structure.length(first)
        there = arithmetic.less(place[0], structure.length(now))  # a name that nothing has bound yet leads anywhere
        test = arithmetic.both(arithmetic.less_equal(count, place[0]), there)
        for other in here:
            test = arithmetic.both(test, arithmetic.not_equal(place[0], other))
        self.where(test, lambda: places.write(e, place, nothing))


def before(now: Var) -> Any:
    """What a store was before the step that made it of that; None of one that joins what stores were in blocks."""
    made = now.definition
    assert made is not None
    if isinstance(made.op, (Loop, While)):
        i = made.targets.index(now)
        return made.args[i] if i < made.op.carries else None
    return None if made.op.blocks or not made.args else made.args[0]


def empty(e: Elaboration, a: Object) -> Var | None:
    """An array of a type with as few entries as it may have; None where no type is known yet."""
    if not isinstance(a, Array) or a.axes is None:
        return None
    sizes = tuple([1 if axis == "1" else 0 for axis in a.axes])
    return e.always(creation.blank, sizes, dtype=a.dtype, known=a.axes)

