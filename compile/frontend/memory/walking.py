"""Loops along lists and dicts in stores that change meanwhile: Python reads each item when its turn comes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import (
    EnumerateValue,
    OnceValue,
    RangeValue,
    ZipValue,
    made_by_now,
    taking_turns,
)
from ccc.compile.frontend.memory import places
from ccc.compile.frontend.parts import opened
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import kind_of
from ccc.compile.frontend.values import ITEMS, Frame, RecordValue
from ccc.compile.program.lam import Apply, Node, Var
from ccc.compile.program.sharing import memory_of
from ccc.objects import Array, Map
from ccc.primitives import arithmetic, indexing, maps, structure

Turns = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""Whether there is an item at an index now, and the item there."""


def read_of(e: Elaboration, xs: Any) -> Node | None:
    """The list or dict in a store that something was read of, to be run along."""
    if isinstance(xs, RecordValue):
        xs = xs.fields.get(ITEMS)
    if not isinstance(xs, Var) or e.stores is None:
        return None
    if isinstance(xs.object, Array) and (base := e.versions.base(xs)) in e.versions.places:
        return e.versions.places[base]
    if xs in e.stores.loaded:
        return e.stores.loaded[xs]
    let = xs.definition
    if let is not None and isinstance(let.op, Apply) and isinstance(let.args[0].object, Map) and (
            memory_of(let.op).how == "items"):  # its keys, or what they lead to
        return read_of(e, let.args[0])
    return None


def along(e: Elaboration, over: Any) -> Iterator[Node]:
    """The lists and dicts in stores that something runs along."""
    if isinstance(over, ZipValue):
        for part in over.parts:
            yield from along(e, part)
    elif isinstance(over, EnumerateValue):
        yield from along(e, over.part)
    elif isinstance(over, OnceValue):
        for part in (made_by_now(over), *over.sources):
            yield from along(e, part)
    elif (found := read_of(e, over)) is not None:
        yield found


def has_parts(place: Node) -> bool:
    """True for what leads to an array with several axes, and says what it shows."""
    return len(place) > 1 and len(place[1].object.axes) > 1


class Watch:
    """What a loop along places in stores does to their stores: where it changes one, it is read again by index."""

    def __init__(self, e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> None:
        self.e = e
        self.key = str(e.span(node, frame)) if e.stores is not None else ""
        found = list(along(e, over)) if e.stores is not None else []
        self.parts = any(map(has_parts, found))
        regions = {places.region_at(place) for place in found}
        self.before = {region: places.store(e, region)[0].fields[ITEMS] for region in regions}

    @property
    def by_index(self) -> bool:
        """True for a loop that is known to change what it runs along, or whose items show parts of arrays."""
        return bool(self.before) and (self.parts or self.key in places.stores_of(self.e).regions.by_index)

    def refused(self) -> None:
        """What the loop does is refused: an item that is read by its index is known as a part of what is run along."""
        if any(region.kind is StoredAs.ARRAY for region in self.before) and not self.by_index:
            self.later()

    def later(self) -> None:
        """Let the loop be read by index when the function is read again."""
        regions = places.stores_of(self.e).regions
        regions.by_index.add(self.key)
        regions.grew = True

    def done(self) -> None:
        """Behind the loop."""
        for region, var in self.before.items():
            if places.store(self.e, region)[0].fields[ITEMS] is not var:
                self.later()


def turns(e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> Turns:
    """How something is run along, item by item."""
    if isinstance(over, ZipValue):
        parts = [turns(e, part, node, frame) for part in over.parts]

        def all_have(i: Any) -> Any:
            found = parts[0][0](i)
            for more, _ in parts[1:]:
                found = arithmetic.both(found, more(i))
            return found

        return all_have, lambda i: tuple([at(i) for _, at in parts])
    if isinstance(over, EnumerateValue):
        more, at = turns(e, over.part, node, frame)
        return more, lambda i: (arithmetic.add(i, over.start), at(i))
    if isinstance(over, OnceValue) and over.cls is reversed and over.sources:
        return backwards(e, over.sources[0], node, frame)
    if isinstance(over, OnceValue) and not over.sources:
        return turns(e, over.items, node, frame)
    if isinstance(over, RangeValue):
        return of_list(e.sequence(over, node, frame))
    if isinstance(over, OnceValue):
        taking_turns(over)
        raise places.refused(e, "this loop changes what its iterator reads", node, frame)
    place = read_of(e, over)
    if place is None:
        return of_list(e.sequence(over, node, frame))
    if kind_of(place) is StoredAs.DICT:
        return of_dict(e, over, place)
    if kind_of(place) is StoredAs.ARRAY:
        count = structure.length(over)
        return lambda i: arithmetic.less(i, count), lambda i: row_at(e, over, i)
    return (lambda i: arithmetic.less(i, structure.length(places.entry(e, place))),
            lambda i: places.item_at(e, places.entry(e, place), i))


def row_at(e: Elaboration, xs: Any, i: Any) -> Any:
    """An item of an array at an index that is there."""
    return e.attempts.surely(lambda: indexing.index(xs, i, pattern=("i",)))


def of_list(xs: Var) -> Turns:
    """A list that does not change."""
    return lambda i: arithmetic.less(i, structure.length(xs)), lambda i: opened(structure.item(xs, i))


def backwards(e: Elaboration, xs: Any, node: ast.AST, frame: Frame) -> Turns:
    """A list from its end, which is where it was when the loop began."""
    place = read_of(e, xs)
    count = structure.length(e.sequence(xs, node, frame))

    def back(i: Any) -> Any:
        return arithmetic.sub(arithmetic.sub(count, 1), i)

    if place is None:
        return (lambda i: arithmetic.less(i, count),
                lambda i: opened(structure.item(e.sequence(xs, node, frame), back(i))))
    if kind_of(place) is StoredAs.ARRAY:
        return lambda i: arithmetic.less(i, count), lambda i: row_at(e, xs, back(i))

    def more(i: Any) -> Any:
        inside = arithmetic.less(back(i), structure.length(places.entry(e, place)))
        return arithmetic.both(arithmetic.less(i, count), inside)

    return more, lambda i: places.item_at(e, places.entry(e, place), back(i))


def of_dict(e: Elaboration, over: Any, place: Node) -> Turns:
    """The keys of a dict, or its values: it must keep its size."""
    if isinstance(over, RecordValue):
        over = e.always(maps.keys_of, (over.fields[ITEMS],))
    let: Any = over.definition
    values = let.op.primitive is maps.values_of
    keys = let.args[1] if values else over
    count = structure.length(keys)

    def more(i: Any) -> Any:
        e.always(maps.check_size, (places.entry(e, place), count))
        return arithmetic.less(i, count)

    def at(i: Any) -> Any:
        m = places.entry(e, place)
        key = opened(structure.item(keys, i))
        return places.seen(e, e.always(maps.lookup, (m, key))) if values else key

    return more, at
