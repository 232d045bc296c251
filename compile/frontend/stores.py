"""The stores of an elaboration: hidden variables of the program, one for each region.

A store is a record with one part, a list of the program that has an entry for each place. It was there before all else
and changes like any object that the function made: branches join it, loops carry it, recursive functions are given it
and give it back (`undo_log`).
"""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, Regions, is_reference, leads_on, settled
from ccc.compile.frontend.values import ITEMS, ListValue, Mutable, OwnName, RecordValue
from ccc.compile.program.lam import Block, Var
from ccc.coproducts import join
from ccc.objects import UNIT, Array, List, Map, Object, Product, Real, Static, same_shape

COMPILED: set[Any] = set()
"""Methods of lists and dicts that run while elaborating, of the modules that are loaded."""


class Store:
    """The class of the records that stand for stores."""

    __slots__ = ()


class Stores:
    """The stores of one reading, what was read of them, the objects that their own `__init__` is making, and what was
    kept but stands in no store."""

    def __init__(self, regions: Regions, home: Block, outer: Stores | None = None) -> None:
        self.regions = regions
        self.home = home  # where they begin
        self.outer = outer  # those of the program around a program of its own, which are read there
        self.records: dict[Region, RecordValue] = {}
        self.loaded: dict[Var, Any] = {}
        self.young: set[Mutable] = set()
        self.making: list[tuple[Any, set[Any]]] = []  # places that their own `__init__` makes, and what it has set
        self.plain: set[Mutable] = set()
        self.counts: dict[Var, int] = {}
        self.indices: dict[Var, Any] = {}  # the place that was made last, by what the store holds then
        self.texts: dict[str, Var] = {}  # texts that were known and are values of the program now
        self.straight: set[Var] = set()  # the entries of all of what stands at a place, one behind another
        self.roots: set[Any] = set()  # where the memory of arrays was made that stand in stores
        self.lent: list[tuple[Region, Any, Object]] = []  # the types of what the caller has, by the parts of regions
        if outer is not None:
            self.straight = outer.straight
            self.loaded, self.young, self.plain, self.roots = outer.loaded, outer.young, outer.plain, outer.roots
        self.first: dict[Region, Var] = {}  # what the stores held when all of that had been moved in

    def began(self) -> None:
        """To be called when all that the caller lends has been moved in."""
        self.first = {region: record.fields[ITEMS] for region, record in self.records.items()}

    def contents(self) -> dict[Any, Any]:
        """What the stores hold now, by a key for each."""
        around = {} if self.outer is None else self.outer.contents()
        return around | {(id(record), "store"): record.fields[ITEMS] for record in self.records.values()}

    def named(self) -> list[tuple[OwnName, Var]]:
        """The stores under names of the compiler's own."""
        around = [] if self.outer is None else self.outer.named()
        return around + [(OwnName(f"a place of `{region.cls.__name__}`"), record.fields[ITEMS])
                for region, record in self.records.items()]


def entry_object(region: Region) -> Object:
    """The object of what stands at a place of a region."""
    parts = {name: settled(a) for name, a in region.root().parts.items()}
    if region.kind is StoredAs.ARRAY:
        return parts.get("item", UNIT)
    if region.kind is StoredAs.LIST:
        return List(parts.get("item", UNIT))
    if region.kind is StoredAs.DICT:
        return Map(parts.get("key", UNIT), parts.get("item", UNIT))
    return Product(tuple([a for a in parts.values() if not is_fixed(a)]))


def fits(a: Object, wanted: Object) -> bool:
    """True for the object of an entry, and for one that says more of the axes or dtype of arrays, or the kind of a
    real.

    >>> fits(Array("float64", ("n", "n")), Array("float64", ("n", "?"))), fits(UNIT, List(UNIT))
    (True, False)
    >>> fits(Real("float64"), Real("any")), fits(Real("any"), Real("float64"))
    (True, False)
    """
    if isinstance(a, Real) and isinstance(wanted, Real):
        return join(a, wanted) == wanted
    if isinstance(a, Array) and isinstance(wanted, Array):
        return a.dtype in (wanted.dtype, *wanted.dtypes) and join(a, wanted) == wanted
    if isinstance(a, Product) and isinstance(wanted, Product) and len(a.parts) == len(wanted.parts):
        return same_shape(a, wanted) and all(map(fits, a.parts, wanted.parts))
    if isinstance(a, Map) and isinstance(wanted, Map):
        return fits(a.key, wanted.key) and fits(a.item, wanted.item)
    return a == wanted or (isinstance(a, List) and isinstance(wanted, List) and fits(a.item, wanted.item))


def is_fixed(a: Object) -> bool:
    """True for parts of objects that are the same at all places: texts, None, functions."""
    return isinstance(a, Static)


def holds_reference(value: Any, around: tuple[Any, ...] = ()) -> bool:
    """True for values with references in them; `around` are those in which it stands, which may be in it again."""
    if isinstance(value, Var):
        return leads_on(value.object)
    if is_reference(value):
        return True
    inside = value.items if isinstance(value, ListValue) else value.fields.values() if isinstance(
        value, RecordValue) else value if isinstance(value, tuple) else ()
    if not inside or any(value is x for x in around):
        return False
    return any(holds_reference(part, (*around, value)) for part in inside)
