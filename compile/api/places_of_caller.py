"""Which of the caller's objects the places in stores are, before a call; what stands there behind it, written to them.

What the caller has is gone through in the order in which the program moves it into stores
(`ccc.compile.frontend.memory.moved_in`), so the number of a place says whose it is. Places with larger numbers are what
the function made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ccc.compile.frontend.lent import InStore, WriteBack, in_order, part_at
from ccc.compile.frontend.objects_at_places import blank, is_read_for, told, write_entry, write_whole
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, leads_on, region_of
from ccc.objects import Coproduct, Object, Product
from ccc.records import parts_of
from ccc.registered import read_for

WORK = 10_000
"""How long NumPy may look for a place that two arrays share, where their bounds overlap."""


class Shared(Exception):
    """Two places of what is named are one object, or arrays that share memory."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Places:
    """The objects at the places of each region, in a call."""

    def __init__(self, found: WriteBack, there: Sequence[Any]) -> None:
        """Raises `Shared` where what stands in two places is one object: the program has two there."""
        self.found = found
        self.stores = {one.region: one for one in found.stores}
        self.objects: dict[Region, list[Any]] = {region: [] for region in self.stores}
        self.seen: dict[int, str] = {}
        self.held: dict[int, dict[str, Any]] = {}  # what stands in a container that a class of Python is read for
        sites = {id(there[i]) for i in found.changed}
        for i, a in found.moved:
            self.enter(there[i], a, found.seen[i].name, sites)
        arrays = [(x, self.seen[id(x)], True) for one in found.stores if one.kind is StoredAs.ARRAY
                  for x in self.objects[one.region]]
        for j, other in enumerate(there):
            for x in () if j in found.changed else held_by(other) if j in found.holders else (other,):
                if id(x) in self.seen:
                    raise Shared(found.seen[j].name)
                arrays += [(x, found.seen[j].name, False)] if isinstance(x, np.ndarray) else []
        refuse_overlaps(arrays)

    def enter(self, value: Any, a: Object, name: str, sites: set[int]) -> None:
        """Give what the caller has, of an object of the program, its places."""
        todo: list[tuple[Any, Any, bool]] = [(value, a, False)]
        while todo:
            value, a, ended = todo.pop()
            region = region_of(a)
            if isinstance(a, Coproduct):
                todo += [(value, one, False) for one in a.alternatives if stands_for(one, value)]
            elif region is None and isinstance(a, Product) and leads_on(a):
                todo += [(part_at(value, n), b, False) for n, b in reversed(list(zip(names(a), a.parts, strict=True)))]
            elif region is not None and ended:
                self.objects[region].append(value)
            elif region is not None:
                if id(value) in self.seen:
                    if id(value) in sites:  # which of those are one was asked before
                        continue
                    raise Shared(name)
                self.seen[id(value)] = name
                todo.append((value, a, True))
                if is_read_for(region.cls):
                    self.held[id(value)] = region.cls.__ccc_given__(value)
                inside = parts(self.stores[region], self.held.get(id(value), value))
                todo += [(part, b, False) for part, b in reversed(inside) if leads_on(b)]

    # -- behind the call -------------------------------------------------------------------------------------------

    def filled(self, state: Sequence[Any]) -> tuple[list[Any], list[Callable[[], None]]]:
        """The values of the program with the objects that their references lead to, and what writes to these."""
        changed = [(one, state[one.index]) for one in self.found.stores if one.index >= 0]
        for one, entries in changed:
            known = self.objects[one.region]
            known += [blank(one, entry) for entry in entries[len(known):]]
        writes = [lambda one=one, entries=entries: self.write(one, entries) for one, entries in changed
                  if not is_read_for(one.cls)]
        wholes = [one for one in self.found.stores if is_read_for(one.cls)]  # written when what is in them is
        writes += [lambda one=one: self.write_wholes(one, state[one.index] if one.index >= 0 else None)
                   for one in wholes]
        for one, entries in changed:
            if one.kind is StoredAs.ARRAY:
                refuse_read_only(self.objects[one.region], entries)
        return [self.told(x) for x in state], writes

    def told(self, value: Any) -> Any:
        """A value with the objects that its references lead to."""
        return told(value, lambda region, place: self.objects[region][place])

    def write(self, one: InStore, entries: Sequence[Any]) -> None:
        for place, entry in zip(self.objects[one.region], entries, strict=True):
            write_entry(one, place, entry, self.told)

    def write_wholes(self, one: InStore, entries: Sequence[Any] | None) -> None:
        """Write containers for which a class of Python is read; where no entries are given, they are what they were."""
        for i, place in enumerate(self.objects[one.region]):
            inside = self.held[id(place)] if entries is None else one.fixed | dict(
                zip(one.names, map(self.told, entries[i]), strict=True))
            write_whole(place, one.cls.__ccc_gives__(**inside))  # type: ignore[attr-defined]


def refuse_overlaps(arrays: Sequence[tuple[np.ndarray[Any, Any], str, bool]]) -> None:
    """Refuse arrays that share memory, by their names, one of which stands in a store."""
    active: list[tuple[int, np.ndarray[Any, Any], bool]] = []
    ends = [(*np.lib.array_utils.byte_bounds(x), i) for i, (x, _, _) in enumerate(arrays) if x.size]
    for low, high, i in sorted(ends):
        x, name, placed = arrays[i]
        active = [other for other in active if other[0] > low]
        if any((placed or also) and x is not other and overlap(x, other) for _, other, also in active):
            raise Shared(name)
        active.append((high, x, placed))


def held_by(value: Any) -> Iterator[Any]:
    """All that a list, dict or object leads to."""
    todo = [value]
    while todo:
        here = todo.pop()
        yield here
        todo += here.values() if isinstance(here, dict) else parts_of(here) or ()


def overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays share memory, or may do so for all that can be seen in short time."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def names(a: Product) -> Sequence[Any]:
    return getattr(a, "names", range(len(a.parts)))


def stands_for(a: Object, value: Any) -> bool:
    """True for the alternative of a sum that a value is."""
    region = region_of(a)
    if region is not None:
        return region.cls is (read_for(type(value)) or type(value))
    return leads_on(a) and isinstance(value, tuple)


def parts(one: InStore, value: Any) -> list[tuple[Any, Object]]:
    """What stands in an object, list or dict, with the objects of the program for that."""
    if one.kind.has_names:
        return [(part_at(value, name), one.parts[name]) for name in in_order(one.parts)]
    if one.kind is StoredAs.ARRAY:
        return []
    inside = value if one.kind is StoredAs.LIST else [value[key] for key in in_order(value)]
    return [(part, one.parts["item"]) for part in inside]


def refuse_read_only(there: Sequence[Any], entries: Sequence[Any]) -> None:
    """Raise what NumPy raises where an array that is read-only would change."""
    for place, entry in zip(there, entries, strict=True):
        if not place.flags.writeable and not np.array_equal(np.ravel(place), np.ravel(entry), equal_nan=True):
            raise ValueError("assignment destination is read-only")
