"""The stores of an elaboration: hidden variables of the program, one for each region.

A store is a record with one part, a list of the program that has an entry for each place. It was there before all else
and changes like any object that the function made: branches join it, loops carry it, recursive functions are given it
and give it back (`undo_log`).
"""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.regions import Region, Regions, is_reference, leads_on, settled
from ccc.compile.frontend.values import ITEMS, ListValue, Mutable, OwnName, RecordValue
from ccc.compile.program.lam import Var
from ccc.objects import UNIT, List, Map, Object, Product, Static

COMPILED: set[Any] = set()
"""Methods of lists and dicts in stores that run while elaborating."""


class Store:
    """The class of the records that stand for stores."""

    __slots__ = ()


class Stores:
    """The stores of one reading, what was read of them, the objects that their own `__init__` is making, and what was
    kept but stands in no store."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.records: dict[Region, RecordValue] = {}
        self.loaded: dict[Var, Any] = {}
        self.young: set[Mutable] = set()
        self.plain: set[Mutable] = set()
        self.counts: dict[Var, int] = {}
        self.roots: set[Any] = set()  # where the memory of arrays was made that stand in stores

    def contents(self) -> dict[Any, Any]:
        """What the stores hold now, by a key for each."""
        return {(id(record), "store"): record.fields[ITEMS] for record in self.records.values()}

    def named(self) -> list[tuple[OwnName, Var]]:
        """The stores under names of the compiler's own."""
        return [(OwnName(f"a place of `{region.cls.__name__}`"), record.fields[ITEMS])
                for region, record in self.records.items()]


def entry_object(region: Region) -> Object:
    """The object of what stands at a place of a region."""
    parts = {name: settled(a) for name, a in region.root().parts.items()}
    if region.kind == "array":
        return parts.get("item", UNIT)
    if region.kind == "list":
        return List(parts.get("item", UNIT))
    if region.kind == "dict":
        return Map(parts.get("key", UNIT), parts.get("item", UNIT))
    return Product(tuple([a for a in parts.values() if not is_fixed(a)]))


def is_fixed(a: Object) -> bool:
    """True for parts of objects that are the same at all places: texts, None, functions."""
    return isinstance(a, Static)


def holds_reference(value: Any) -> bool:
    """True for values with references in them."""
    if is_reference(value):
        return True
    inside = value.items if isinstance(value, ListValue) else value.fields.values() if isinstance(
        value, RecordValue) else value if isinstance(value, tuple) else ()
    return any(map(holds_reference, inside)) or (isinstance(value, Var) and leads_on(value.object))
