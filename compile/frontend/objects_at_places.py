"""The objects of Python that stand at places in stores: made blank, and written from the entries of the stores, so that
what leads back to itself does so in Python.

    told(value, at)                    a value with the objects that its references lead to
    blank(one, entry)                  a new object for a place of a region
    write_entry(one, place, entry, at) writes what stands there
    Objects(stores, entries)           those that values lead to, each made when something leads to it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.compile.frontend.lent import InStore
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Reference, Region, Shown, leads_on, region_of
from ccc.compile.program.lam import valued
from ccc.objects import Object
from ccc.records import made
from ccc.registered import refill


def told(value: Any, at: Callable[[Region, int], Any]) -> Any:
    """A value with the objects that its references lead to."""
    if isinstance(value, Reference):
        return at(type(value).region.root(), value.place)  # type: ignore[attr-defined]
    if isinstance(value, Shown):
        return shown(at(type(value).region.root(), value.place), value.index)  # type: ignore[attr-defined]
    if isinstance(value, list):
        return [told(x, at) for x in value]
    if isinstance(value, dict):
        return {key: told(x, at) for key, x in value.items()}
    return valued(value, [told(x, at) for x in value]) if isinstance(value, tuple) else value


def write_entry(one: InStore, place: Any, entry: Any, told: Callable[[Any], Any]) -> None:
    """Write to an object what stands at its place."""
    if one.kind is StoredAs.ARRAY:
        if place is not entry and place.flags.writeable:
            place[...] = np.reshape(entry, place.shape)
    elif one.kind is StoredAs.LIST:
        place[:] = told(list(entry))
    elif one.kind is StoredAs.DICT:
        write_dict(place, told(entry))
    elif one.kind is StoredAs.RECORD:
        place.update(zip(one.names, [told(part) for part in entry], strict=True))
    else:
        for name, part in zip(one.names, entry, strict=True):
            object.__setattr__(place, name, told(part))


def write_dict(place: dict[Any, Any], new: dict[Any, Any]) -> None:
    if list(new)[: len(place)] != list(place):
        place.clear()
    place.update(new)


def is_read_for(cls: type) -> bool:
    """Whether a class is one that is read for a container that C implements."""
    return hasattr(cls, "__ccc_gives__")


def write_whole(place: Any, new: Any) -> None:
    """Let a container hold what another one of its class does, and have its attributes.

    >>> place = {8, 0, 1}
    >>> write_whole(place, {1, 2})
    >>> place
    {1, 2}
    """
    refill(place, new)
    if hasattr(place, "__dict__"):
        vars(place).update(vars(new))


def shown(array: np.ndarray[Any, Any], index: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The view of an array that shows these of its entries, counted in the order of C; itself, if it shows all so.

    >>> a = np.arange(6.0).reshape(2, 3)
    >>> shown(a, np.array([[4, 1], [5, 2]])), shown(a, np.arange(6).reshape(2, 3)) is a
    (array([[4., 1.],
           [5., 2.]]), True)
    """
    if index.shape == array.shape and np.array_equal(index.ravel(), np.arange(array.size)):
        return array
    if not index.size:
        return array.ravel()[:0].reshape(index.shape)
    places = np.unravel_index(index, array.shape)
    offsets = sum(i * step for i, step in zip(places, array.strides, strict=True))
    ends = [np.diff(offsets, axis=axis).ravel()[:1] for axis in range(index.ndim)]
    first = array[tuple([slice(int(i.flat[0]), None) for i in places])]
    return np.lib.stride_tricks.as_strided(first, index.shape, [int(step[0]) if step.size else 0 for step in ends])


def blank(one: InStore, entry: Any) -> Any:
    """A new object at a place that the function made."""
    if one.kind is StoredAs.ARRAY:
        return entry
    if is_read_for(one.cls):
        return one.cls.__ccc_gives__(**one.fixed | {  # type: ignore[attr-defined]
            name: empty(one.parts[name]) if leads_on(one.parts[name]) else part
            for name, part in zip(one.names, entry, strict=True)})
    if one.kind is StoredAs.RECORD:
        return {name: one.fixed.get(name) for name in one.parts}
    return (list if one.kind is StoredAs.LIST else dict)() if one.kind is not StoredAs.OBJECT else made(
        one.cls, list(one.fixed), list(one.fixed.values()))


def empty(a: Object) -> Any:
    """What stands in a new container as long as it holds nothing."""
    region = region_of(a)
    return None if region is None else [] if region.kind is StoredAs.LIST else {} if region.kind.is_container else None


class Objects:
    """The objects that values lead to, by the entries of stores; each is made when something leads to it."""

    def __init__(self, stores: Sequence[InStore], entries: Sequence[Sequence[Any]]) -> None:
        self.stores = {one.region: (one, there) for one, there in zip(stores, entries, strict=True)}
        self.made: dict[tuple[Region, int], Any] = {}
        self.waiting: list[tuple[InStore, Any, Any]] = []

    def told(self, value: Any) -> Any:
        """A value with the objects that its references lead to, which are blank until they are written."""
        return told(value, self.at)

    def at(self, region: Region, place: int) -> Any:
        """The object at a place."""
        found = self.made.get((region, place))
        if found is None:
            one, there = self.stores[region]
            found = self.made[region, place] = blank(one, there[place])
            self.waiting.append((one, found, there[place]))
        return found

    def write(self) -> None:
        """Write all that was made, and what that leads to; containers of Python's own when what is in them is."""
        wholes = list[tuple[InStore, Any, dict[Any, Any]]]()
        while self.waiting:
            one, place, entry = self.waiting.pop()
            if is_read_for(one.cls):
                inside = one.fixed | dict(zip(one.names, map(self.told, entry), strict=True))
                wholes.append((one, place, inside))
            else:
                write_entry(one, place, entry, self.told)
        for one, place, inside in wholes:
            write_whole(place, one.cls.__ccc_gives__(**inside))  # type: ignore[attr-defined]
