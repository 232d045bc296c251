"""Regions: the places of allocation whose objects, lists or dicts may meet, and what is known of their types.

A reference is a named tuple of one integer, the place; its class says the region. Where references of two regions meet,
the regions become one, and where a value is put into a region that its type does not hold, the type becomes wider.
Either is knowledge that an elaboration lacked, so the function is read again with it (`ccc.compile.frontend.turns`);
it only grows.

>>> from ccc.objects import REAL
>>> regions = Regions()
>>> a, b = [regions.at(place, StoredAs.LIST, list) for place in ("here", "there")]
>>> regions.widen(a, "item", REAL)
>>> one_class(a.reference, b.reference), a.root() is b.root(), b.root().parts["item"], regions.grew
(True, True, Real('float'), True)
"""

from __future__ import annotations

import types
from collections.abc import Hashable, Iterable, Iterator
from types import CellType
from typing import Any, NamedTuple, TypeGuard

from ccc.compile.frontend.lent import Site
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.program.lam import Node
from ccc.coproducts import NONE, NoSum, join, sum_of
from ccc.objects import (
    INT,
    REAL,
    TEXT,
    UNIT,
    Array,
    Coproduct,
    Int,
    List,
    Map,
    Object,
    Product,
    Real,
    Record,
    Static,
    Text,
    of_shape,
    same_shape,
)
from ccc.records import Code

ANY = -1  # the length of tuples at places
LARGEST = 400  # parts of a type, before a type that holds itself is given up


class Reference(NamedTuple):
    """What leads to an object, list or dict in a store: its place there. `region` of the class says which store."""

    place: int


class Shown(NamedTuple):
    """What leads to an array in a store of which it shows a part: the place of the memory, and which entries of that,
    in the form of the array."""

    place: int
    index: Any


REFERENCES = (Reference, Shown)


class Region:
    """Places that may meet: what kind of thing stands there, of which class, and the types of its parts."""

    __slots__ = ("cls", "functions", "kind", "lengths", "named", "number", "outside", "parent", "parts", "plain",
                 "reference", "regions", "scattered", "showing")
    home = None  # as a place where memory was made

    def __init__(self, regions: Regions, kind: StoredAs, cls: type, number: int) -> None:
        self.regions = regions
        self.kind = kind
        self.cls = cls
        self.parent: Region | None = None
        self.parts: dict[Any, Object] = {}
        self.lengths: set[Any] = set()  # the parts whose tuples have different lengths: these stand at places
        self.functions: set[Any] = set()  # the parts that are one of several functions, each a value of the program
        self.outside = False  # the caller sees what may stand there
        self.scattered = False  # the entries of some array there may lie in another order than C would have them
        self.plain = ""  # why its values stay known part by part
        self.named = ""
        self.number = number
        self.reference: Any = type(f"{cls.__name__}_{number}", (Reference,), {"region": self, "__slots__": ()})
        self.showing: dict[int, Any] = {}  # the classes of what shows arrays there, by the number of axes

    def root(self) -> Region:
        """The region that it has become part of."""
        found = self
        while found.parent is not None:
            found = found.parent
        return found

    @property
    def object(self) -> Record:
        """The object of references to it."""
        return Record((INT,), self.root().reference, ("place",))

    def shown(self, rank: int) -> Any:
        """The class of what shows arrays there of so many axes."""
        root = self.root()
        if rank not in root.showing:
            name = f"{root.cls.__name__}_{root.number}_of_{rank}"
            root.showing[rank] = type(name, (Shown,), {"region": root, "rank": rank, "__slots__": ()})
        return root.showing[rank]


class Regions:
    """What is known of the places of a function, from one reading of it to the next."""

    def __init__(
        self, arrays: bool = False, why: str = "", lent: frozenset[Site] = frozenset(), views: bool = False,
        records: bool = False,
    ) -> None:
        self.arrays = arrays  # whether arrays stand in stores too
        self.views = views  # whether what leads to an array says which entries of its memory it shows
        self.records = records  # whether dicts of constant keys stand there as objects do, where their items differ
        self.why = why  # why there are stores
        self.places: dict[tuple[str, StoredAs, type], Region] = {}
        self.all: list[Region] = []
        self.grew = False
        self.by_index: set[Hashable] = set()
        self.names: set[Hashable] = set()  # names whose tuples have different lengths
        self.variables: dict[str, set[str]] = {}  # those that functions share which are kept, by where they begin
        self.codes: dict[Hashable, type] = {}  # the classes of functions that are values of the program
        self.early: set[type] = set()  # classes whose `__init__` keeps `self`
        self.classes: dict[Any, tuple[type, tuple[CellType, ...]]] = {}  # that it defines
        self.lists_plain = False  # some list of the program stands in no store, so none does
        self.inner: dict[str, Regions] = {}  # what is known of programs of their own that it contains
        self.lent = lent  # where the caller has what stands in stores, since it changes
        self.sites: frozenset[Site] = frozenset()  # where the caller has what could
        self.before: Any = None  # what was known before this reading

    def lend(self, sites: Iterable[Site]) -> bool:
        """Let what the caller has at these sites, and below them, stand in stores; whether that is new. What was learnt
        while it stood in none is forgotten then."""
        given = set(sites)
        more = frozenset([site for site in self.sites | given if any(site.is_below(one) for one in given)]) - self.lent
        if more:
            Regions.__init__(self, self.arrays, self.why, self.lent | more, self.views, self.records)
        return bool(more)

    def told(self) -> list[str]:
        """What became of each place where something is allocated: its store, or why it stands in none."""
        found = [f"places stand in stores: {self.why}"]
        for (place, _, cls), region in self.places.items():
            number = self.all.index(region.root())
            held = f"store {number}, with {', '.join(map(str, region.root().parts.values())) or 'nothing'} in each"
            what = f"known part by part: {region.root().plain}" if region.root().plain else held
            found.append(f"{place}: `{cls.__name__}`, {what}")
        return [*found, *[line for inner in self.inner.values() for line in inner.told()[1:]]]

    def learnt(self) -> bool:
        """Whether this reading has told more, so that another one knows more from its beginning."""
        return self.grew and self.before is not None and self.known() != self.before

    def known(self) -> Any:
        """All that is known, to be compared: a reading that adds nothing to it would be followed by the same one."""
        regions = [(r.root().number, tuple(r.parts.items()), frozenset(r.lengths), frozenset(r.functions), r.plain,
                    r.outside, r.scattered) for r in self.all]
        return (regions, len(self.places), frozenset(self.by_index), frozenset(self.names), len(self.codes),
                sum(map(len, self.variables.values())),
                frozenset(self.early), len(self.classes), self.lists_plain, self.lent,
                {k: inner.known() for k, inner in self.inner.items()})

    def within(self, place: str) -> Regions:
        """What is known of a program of its own that is read at a place of the source."""
        if place not in self.inner:
            self.inner[place] = Regions(self.arrays, self.why, views=self.views, records=self.records)
            self.inner[place].codes = self.codes
        return self.inner[place]

    def forget(self) -> None:
        """Forget the functions that are values of the program, of which there is no other reading."""
        for cls in self.codes.values():
            cls.piece.forget()  # type: ignore[attr-defined]

    def holds_arrays(self) -> bool:
        """True where arrays stand in some region."""
        return any(region.kind is StoredAs.ARRAY for region in self.all) or any(
            inner.holds_arrays() for inner in self.inner.values())

    def knows_dicts(self) -> bool:
        """True where some dict stands in no store."""
        return any(region.cls is dict and region.plain for region in self.all) or any(
            inner.knows_dicts() for inner in self.inner.values())

    def roots(self) -> Iterator[Region]:
        """The regions that are part of no other."""
        yield from [region for region in self.all if region.parent is None and not region.plain]

    def at(self, place: str, kind: StoredAs, cls: type) -> Region:
        """The region of what is allocated at a place of the source."""
        found = self.places.get((place, kind, cls))
        if found is None:
            found = self.places[place, kind, cls] = Region(self, kind, cls, len(self.all))
            self.all.append(found)
            self.grew = True
        return found.root()

    def give_up(self, region: Region, why: str) -> None:
        """What stands in a region stays known part by part."""
        if not region.root().plain:
            region.root().plain = why
            self.grew = True

    def widen(self, region: Region, part: Any, a: Object) -> None:
        """Let a part of what stands in a region hold values of an object."""
        region = region.root()
        old = region.parts.get(part, UNIT)
        if part in region.lengths and lengths(a) - {ANY}:  # what was known before that
            self.grew = True
            return
        if len(lengths(old) | lengths(a)) > 1:
            self.of_lengths(region, part)
            return
        if are_functions(old, a):
            self.of_functions(region, part)
            return
        wide = self.joined(old, a)
        if wide is None or size(wide) > LARGEST or (region.kind is StoredAs.ARRAY and not is_array(wide)):
            self.give_up(region, f"values of different types: {old} and {a}")
        elif wide != old:
            region.parts[part] = wide
            self.grew = True

    def of_lengths(self, region: Region, part: Any) -> None:
        """The tuples of a part have different lengths, so each of them stands at a place of its own."""
        region = region.root()
        if part not in region.lengths:
            region.lengths.add(part)
            region.parts[part] = UNIT
            self.grew = True

    def of_functions(self, region: Region, part: Any) -> None:
        """A part is one of several functions, so each of them is a value of the program, one that captured nothing too.
        """
        region = region.root()
        if part not in region.functions:
            region.functions.add(part)
            region.parts[part] = UNIT
        self.grew = True

    def of_names(self, name: Hashable) -> None:
        """The tuples of a name have different lengths, so each of them stands at a place of its own."""
        self.grew = self.grew or name not in self.names
        self.names.add(name)

    def share(self, site: str, name: str) -> None:
        """Let functions that are kept share a variable of what begins at a site."""
        known = self.variables.setdefault(site, set())
        self.grew = self.grew or name not in known
        known.add(name)

    def unify(self, a: Region, b: Region) -> Region:
        """Let two regions be one."""
        a, b = a.root(), b.root()
        if a is b:
            return a
        self.grew = True
        b.parent = a
        a.plain = a.plain or b.plain
        a.outside = a.outside or b.outside
        a.scattered = a.scattered or b.scattered
        for part in b.lengths:
            self.of_lengths(a, part)
        for part in b.functions:
            self.of_functions(a, part)
        for part, of in b.parts.items():
            if a.kind.has_names and part not in a.parts:
                self.give_up(a, f"`{part}` is missing at one place")
            self.widen(a, part, of)
        if a.kind.has_names and b.parts and a.parts.keys() - b.parts.keys():
            self.give_up(a, "an attribute is missing at one place")
        return a.root()

    def joined(self, a: Object, b: Object) -> Object | None:
        """The least object that holds values of both, where regions may become one; None where there is none."""
        a, b = settled(a), settled(b)
        if a == b or UNIT in (a, b):
            return b if a == UNIT else a
        one, other = region_of(a), region_of(b)
        if one is not None and other is not None and similar(one, other):
            self.unify(one, other)
            return self.showing(settled(a), settled(b))
        if isinstance(a, List) and isinstance(b, List):
            item = self.joined(a.item, b.item)
            return None if item is None else List(item)
        if one is None and isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts) and (
                same_shape(a, b)):
            parts = [self.joined(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
            return None if None in parts else of_shape(a, tuple([x for x in parts if x is not None]))
        if self.functions_meet(a, b):
            return self.joined(a, b)
        found = join(kind_beside(a, b), kind_beside(b, a))
        if found is None and is_text(a) and is_text(b):
            return TEXT
        if found is None:
            if any(map(is_text, (a, b))) and not all(map(is_beside_texts, (a, b))):
                return None  # in a dict of settings, say, whose parts stand for themselves
            try:
                found = sum_of([TEXT if is_text(x) else x for x in (a, b)])
            except NoSum:
                return None
        return settled(found)

    def functions_meet(self, a: Object, b: Object) -> bool:
        """Let the regions become one that a function of one piece of code captured references to, in two values; true
        where two did."""
        if a == b:
            return False
        codes = {x.cls: x for x in pieces(a)}
        before = sum(1 for _ in self.roots())
        for x in pieces(b):
            if x.cls in codes:
                self.joined(codes[x.cls], x)
        return sum(1 for _ in self.roots()) < before

    def showing(self, a: Any, b: Any) -> Object | None:
        """What leads to one region in two ways; None where the arrays have different numbers of axes."""
        if len(a.parts) == 1 or len(b.parts) == 1 or a.cls is not b.cls:
            return a if a.cls is b.cls else None
        index = join(a.parts[1], b.parts[1])
        return None if index is None else Record((INT, index), a.cls, a.names)


def kind_beside(a: Object, b: Object) -> Object:
    """An integer beside a real as what it becomes there, a `float`; other objects themselves."""
    return REAL if isinstance(a, Int) and isinstance(b, Real) else a


def lengths(a: Object) -> set[int]:
    """How many items the tuples have that an object is of; `ANY` for those at places."""
    if isinstance(a, Coproduct):
        return {n for x in a.alternatives for n in lengths(x)}
    if (region := region_of(a)) is not None:
        return {ANY} if region.cls is tuple else set()
    return {len(a.parts)} if type(a) is Product and a != UNIT else set()


def are_functions(a: Object, b: Object) -> bool:
    """True for two functions one of which is known and captured nothing."""
    known = [isinstance(x, Static) and isinstance(x.value, (types.FunctionType, types.BuiltinFunctionType))
             for x in (a, b)]
    return a != b and any(known) and all(there or pieces(x) for there, x in zip(known, (a, b), strict=True))


def pieces(a: Object) -> list[Record]:
    """The functions among what an object is of."""
    there = a.alternatives if isinstance(a, Coproduct) else (a,)
    return [x for x in there if isinstance(x, Record) and issubclass(x.cls, Code)]


def is_text(a: Object) -> bool:
    """True for texts, known or not."""
    return isinstance(a, Text) or (isinstance(a, Static) and isinstance(a.value, str))


def is_beside_texts(a: Object) -> bool:
    """True for texts and for None, and for what may be either."""
    return a == NONE or is_text(a) or (isinstance(a, Coproduct) and all(map(is_beside_texts, a.alternatives)))


def similar(a: Region, b: Region) -> bool:
    """True for regions that can become one."""
    return a.kind is b.kind and a.cls is b.cls and a.regions is b.regions


def region_of(a: Any) -> Region | None:
    """The region of the references that an object is the object of; of a class of references too."""
    cls = a.cls if isinstance(a, Record) else a
    found = getattr(cls, "region", None) if isinstance(cls, type) and issubclass(cls, REFERENCES) else None
    return None if found is None else found.root()


def is_of_reference(a: Object) -> bool:
    """True for the objects of references."""
    return isinstance(a, Record) and issubclass(a.cls, REFERENCES)


def leads_on(a: Object) -> bool:
    """True for objects of references, and of what holds some."""
    if region_of(a) is not None:
        return True
    inside = a.parts if isinstance(a, Product) else getattr(a, "alternatives", ())
    inside = (a.item,) if isinstance(a, List) else (a.key, a.item) if isinstance(a, Map) else inside
    return any(map(leads_on, inside))


def is_reference(value: Any) -> bool:
    """True for references."""
    return isinstance(value, Node) and issubclass(value.cls, REFERENCES)


def is_tuple(value: Any) -> bool:
    """True for references to tuples."""
    return is_reference(value) and class_behind(value.cls) is tuple


def kind_of(value: Any) -> StoredAs | None:
    """What a reference leads to: a list, a dict, an object; None for what is none."""
    region = region_of(value.cls) if isinstance(value, Node) else None
    return None if region is None else region.kind


def class_behind(cls: Any) -> Any:
    """The class of what a class of references leads to; any other class itself."""
    region = region_of(cls)
    return cls if region is None else region.cls


def is_items(value: Any) -> TypeGuard[tuple[Any, ...]]:
    """True for tuples and lists that are known by their parts, named ones too: of an object, and of what leads to one,
    the parts are no items.

    >>> is_items((1.0,)), is_items(Node.of(Node, ("place",), [0]))
    (True, True)
    """
    return isinstance(value, tuple) and (
        not isinstance(value, Node) or issubclass(class_behind(value.cls), (tuple, list)))


def one_class(a: Any, b: Any) -> bool:
    """True for one class; two classes of references that meet become one, where they can."""
    if a is b:
        return True
    one, other = region_of(a), region_of(b)
    if one is None or other is None or getattr(a, "rank", 0) != getattr(b, "rank", 0):
        return False
    if one is not other and similar(one, other):
        one.regions.unify(one, other)
    return one.root() is other.root()


def settled(a: Object) -> Object:
    """An object with the regions that its own have become, those one that are alternatives of one sum."""
    region = region_of(a)
    if region is not None and isinstance(a, Record) and issubclass(a.cls, Shown):
        return Record(a.parts, region.shown(a.cls.rank), a.names)  # type: ignore[attr-defined]
    if region is not None:
        return region.object
    if isinstance(a, List):
        return List(settled(a.item))
    if isinstance(a, Map):
        return Map(settled(a.key), settled(a.item))
    if isinstance(a, Product):
        return of_shape(a, tuple(map(settled, a.parts)))
    if not isinstance(a, Coproduct):
        return a
    there = list(dict.fromkeys(map(settled, a.alternatives)))
    for i, x in enumerate(there):
        for y in there[i + 1:]:
            one, other = region_of(x), region_of(y)
            if one is not None and other is not None and one is not other and similar(one, other):
                one.regions.unify(one, other)
                return settled(a)
    return a if there == list(a.alternatives) else there[0] if len(there) == 1 else sum_of(there)


def is_array(a: Object) -> bool:
    """True for arrays of known rank."""
    return isinstance(a, Array) and bool(a.axes)


def size(a: Object) -> int:
    """How many parts a type has."""
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    inside = (a.item,) if isinstance(a, (List, Map)) else inside
    return 1 + sum(map(size, inside))
