"""Stores that become wider while something is read in several ways: branches leave them at different types, or the body
of a loop does not give back what it was given. The function is read again anyhow, with what is known by then. Where no
reading came to the end yet, what comes behind is read as well, with an empty store of the new type: it may tell more.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.stores import Store, Stores, entry_object
from ccc.compile.frontend.values import ITEMS, Mutable, RecordValue
from ccc.compile.program.lam import Block, Var
from ccc.coproducts import join
from ccc.objects import List
from ccc.primitives import structure


def left_apart(e: Elaboration, found: Any, *blocks: Block) -> bool:
    """Whether branches leave a store at types that have no join, since it became wider in one; it is empty then."""
    if e.stores is None or not isinstance(found, RecordValue) or found.cls is not Store:
        return False
    left = [e.heap.after(block, found)[ITEMS] for block in blocks]
    if join(*[var.object for var in left]) is not None:
        return False
    var = wider(e, found, left)
    if var is not None:
        e.heap.write(found, {ITEMS: var})
    return var is not None


def wider(e: Elaboration, record: Mutable, held: list[Var]) -> Var | None:
    """An empty store of the type that is known now, where it held less before; None where it did not."""
    stores: Stores | None = e.stores
    while stores is not None:
        for region, one in stores.records.items():
            wanted = List(entry_object(region.root()))
            if one is record and not stores.regions.whole and any(var.object != wanted for var in held):
                stores.regions.grew = True
                return e.always(structure.listing, (), of=wanted)
        stores = stores.outer
    return None
