"""What the caller lends a function: arguments, and what it reads from outside, each with where the caller has it.

What a function changes of it becomes a place of its own: the function is read again (`Changed`), begins with a copy of
that alone, and what the copy holds in the end is written back when the call returns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ccc.compile.frontend.captures import Reader, Within
from ccc.compile.frontend.place_kinds import StoredAs, WrittenAs
from ccc.compile.frontend.source import File
from ccc.compile.frontend.values import Frame, ListValue, Mutable, OwnName, RecordValue
from ccc.compile.program.lam import Node, Tree, Var
from ccc.objects import Object
from ccc.records import is_plain, part_of, taken_apart
from ccc.values import slotted, value


@value()
class Site:
    """Where the caller has something: the number of an argument, or the key of what is read from outside and its
    reader; then the parts that lead to it. `name` is what it is called in messages."""

    root: Any
    path: tuple[Any, ...] = ()
    again: Reader | None = field(default=None, compare=False)
    name: str = field(default="", compare=False)

    def part(self, label: Any, of_dict: bool) -> Site:
        """A part of what stands there, by its name, key or position."""
        indexed = of_dict or isinstance(label, int)
        name = f"{self.name}[{label!r}]" if indexed else f"{self.name}.{label}"
        return Site(self.root, (*self.path, label), self.again, name)

    def is_below(self, site: Site) -> bool:
        """True for a part of what stands at a site, or that itself. What is outside is read part by part, each by a
        reader of its own, which leads through those of what the part is of."""
        if self.root == site.root:
            return self.path[: len(site.path)] == site.path
        again = self.again
        while isinstance(again, Within):
            again = again.owner
            if again == site.again:
                return not site.path
        return False

    def value(self, function: Any, args: Sequence[Any]) -> Any:
        """What stands there in a call."""
        value = args[self.root] if self.again is None else self.again(function)
        for label in self.path:
            value = part_at(value, label)
        return value


def in_order(labels: Iterable[Any]) -> list[Any]:
    """The names of attributes, or keys, in an order that does not depend on when they were set.

    >>> in_order(["b", "a"]), in_order({"b": 0, 1: 0})
    (['a', 'b'], ['b', 1])
    """
    found = list(labels)
    try:
        return sorted(found)
    except TypeError:
        return sorted(found, key=repr)


def part_at(value: Any, label: Any) -> Any:
    """A part of a value of Python, or of one of the compiler."""
    if isinstance(value, RecordValue):
        return value.fields[label]
    if isinstance(value, Node):
        return value[value.names.index(label)]
    if isinstance(value, ListValue):
        return value.items[label]
    if type(value) in (tuple, list, dict):
        return value[label]
    if is_plain(type(value)):  # without asking for all the others
        return getattr(value, label)
    found = taken_apart(value)
    return value[label] if found is None else part_of(value, found[0], label)


class Changed(Exception):
    """A function changes what stands at these sites, `surely` or perhaps one of them; it is read again, with places of
    its own for them."""

    def __init__(self, sites: Iterable[Site], surely: bool = True) -> None:
        super().__init__("a function changes what its caller sees")
        self.sites = frozenset(sites)
        self.surely = surely


class Place:
    """A place of the function's own that begins as a copy: where the caller has it, the value that stands for it, and
    what it held first."""

    __slots__ = ("first", "name", "site", "value")

    def __init__(self, site: Site, value: Any) -> None:
        self.site = site
        self.value = value
        self.first: Any = value.contents() if isinstance(value, Mutable) else value
        self.name = OwnName(f"`{site.name}`, which the caller sees,")


class Lent:
    """What one elaboration was lent. `own` are the sites whose changes are written back, `writes` says whether there is
    somebody to write them; `changed` are the objects there by their addresses, `known` what stands for them. `names`
    are those under which the caller has its own places."""

    def __init__(self, own: Collection[Site] = (), writes: bool = False) -> None:
        self.own = frozenset(own)
        self.writes = writes
        self.sites: dict[Any, Site] = {}
        self.places: dict[Site, Place] = {}
        self.changed: dict[int, Any] = {}
        self.known: dict[int, Any] = {}
        self.refusals: dict[Any, Callable[[], BaseException]] = {}  # what is told where that changes which nobody lends
        self.names = Frame("the caller", File(__file__, ()), None, None)

    def begin(self, function: Any, args: Sequence[Any]) -> None:
        """To be called before anything is lent."""
        there = [site.value(function, args) for site in self.own]
        self.changed = {id(value): value for value in there if is_place(value)}

    def changing(self, found: Iterable[Any]) -> None:
        """To be called where one of these changes that the caller sees: raises `Changed` where it is to be a place of
        the function's own."""
        places = [x for x in found if isinstance(x, (Var, Mutable))]
        for x in places:
            if x in self.refusals:
                raise self.refusals[x]()
        sites = {self.sites[x] for x in places if x in self.sites}
        if self.writes and sites - self.own:
            raise Changed(sites, all(isinstance(x, Mutable) for x in places))

    def now(self, place: Place) -> Any:
        """The value that stands for a place now: a list of the program is another one once it has changed."""
        return self.names.env[place.name]

    def lends(self, value: Any) -> bool:
        """Whether the caller sees a value, or what it has become."""
        return value in self.sites or any(self.now(place) is value for place in self.places.values())

    def standing(self, value: Any) -> Any:
        """What stands now for a value that was lent."""
        place = self.places.get(self.sites[value]) if isinstance(value, Var) and value in self.sites else None
        return value if place is None else self.now(place)


@value(repr=False)
class Written:
    """What is written back to a site: `kind` says how, `parts` what, by names where it is an object or a dict. A part
    is a `Stored`, a `Site` for what the caller has there, or a `Made`."""

    site: Site
    kind: WrittenAs
    parts: dict[Any, Any]

    @property
    def names(self) -> list[str]:
        """What changes, as it is called in messages."""
        if not self.kind.by_name:
            return [self.site.name]
        return [self.site.part(label, self.kind is not WrittenAs.OBJECT).name for label in self.parts]


@value()
class Stored:
    """One of the values that the program gives to be written back."""

    index: int


@value(repr=False)
class Made:
    """A tuple, or a named tuple, of such parts."""

    like: tuple[Any, ...]
    parts: tuple[Any, ...]


@value(repr=False)
class InStore:
    """What stands in the places of one region in the end: which of the values that the program gives says so, -1 where
    it is what stood there first. `kind` and `cls` are those of the region, `parts` the types there, `fixed` the
    attributes that are the same at all places, `names` those in an entry."""

    region: Any
    kind: StoredAs
    cls: type
    parts: dict[Any, Object]
    fixed: dict[Any, Any]
    names: tuple[Any, ...]
    index: int


@slotted
class WriteBack:
    """What a program writes back, the values for that, and all that its caller sees and could change; `same` says which
    of these are one of those that are `changed`, as `places_in` does. Of the `holders` it is not known what they
    hold that could change. `stores` are the regions of places that lead from what the caller has, `moved` what was
    moved there of it, in order: which of those that are seen, and the type of what stands for it."""

    written: tuple[Written, ...]
    state: tuple[Tree, ...]
    seen: tuple[Site, ...]
    changed: tuple[int, ...]
    same: tuple[int, ...]
    holders: tuple[int, ...]
    stores: tuple[InStore, ...] = ()
    moved: tuple[tuple[int, Object], ...] = ()

    def several(self) -> list[list[Site]]:
        """Where what is changed is seen, for each that is seen in several places."""
        found = [[site for site, same in zip(self.seen, self.same, strict=True) if same == i]
                 for i in dict.fromkeys(self.same) if i >= 0]
        return [sites for sites in found if len(sites) > 1]


def is_place(value: Any) -> bool:
    """True for what may stand in several places, and change there."""
    return not isinstance(value, (int, float, str, tuple, type(None), np.generic, Object))


def reading(
    part: Any, places: Mapping[Site, Any], whole: Callable[[tuple[Any, ...], Sequence[Any]], Any]
) -> Callable[[Sequence[Any], Any], Any]:
    """What gives a part of what is written back, from the values of the program for that, and from what the caller has
    at these `places`. Of the parts of a tuple or named tuple `whole` makes one that is like it.

    >>> from ccc.compile.program.lam import valued
    >>> swapped = Made((None, None), (Site(1), Stored(0)))
    >>> reading(swapped, {Site(1): "b"}, valued)([2.0], {"b": [5.0]})
    ([5.0], 2.0)
    """
    if isinstance(part, Stored):
        index = part.index
        return lambda state, there: state[index]
    if isinstance(part, Made):
        alike, inner = part.like, [reading(one, places, whole) for one in part.parts]
        return lambda state, there: whole(alike, [one(state, there) for one in inner])
    place = places[part]
    return lambda state, there: there[place]


def places_in(values: Sequence[Any], changed: Sequence[int]) -> tuple[int, ...]:
    """For each value which of those that are `changed` it is, by its number, or -1.

    >>> a, b = [], []
    >>> places_in([a, b, a, b], [2])
    (2, -1, 2, -1)
    """
    known = {id(values[i]): i for i in changed if is_place(values[i])}
    alone = {i for i in changed if not is_place(values[i])}  # None, where there could be an object
    return tuple([i if i in alone else known.get(id(value), -1) for i, value in enumerate(values)])
