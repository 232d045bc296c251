"""What the stores hold in the end of what the caller has, to be written back: whole stores, since what the caller has
may lead to any place by then.

The types there are those that the caller has, or sums of which they are alternatives: an int stays an int. Whatever
could change is a place, so nothing that is written back is a copy of something that the caller has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.lent import InStore
from ccc.compile.frontend.memory import places
from ccc.compile.frontend.parts import changeable
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, is_of_reference, region_of, settled
from ccc.compile.frontend.stores import is_fixed
from ccc.compile.frontend.values import ITEMS
from ccc.compile.program.lam import Tree
from ccc.objects import UNIT, Coproduct, Itself, List, Map, Object, Product, Record, Static, Text
from ccc.primitives.complexes import Complex
from ccc.records import Code


def ends_of_stores(e: Elaboration, begin: Iterable[Object], count: int) -> tuple[tuple[InStore, ...], list[Tree]]:
    """What stands in the regions that values of these objects lead to, and the values that say so, of which `count` are
    there before. Raises a refusal where something would be written back as another thing than it is."""
    stores = places.stores_of(e)
    found: list[InStore] = []
    state: list[Tree] = []
    for region in reached(begin):
        types = {name: settled(a) for name, a in region.parts.items()}
        known = region.kind is StoredAs.ARRAY or all(map(is_sound, types.values()))
        if region.outside or region.plain or region.cls is tuple or not known:
            if region.outside or region.plain:  # which it stays, whatever else is learnt
                stores.regions.grew = False
            raise places.refused(e, "what the caller has leads to what stands in no store", ast.Pass(), None)
        now = stores.records[region].fields[ITEMS]
        same = now is stores.first.get(region)
        found.append(InStore(region, region.kind, region.cls, types, {
            name: a.value for name, a in types.items() if isinstance(a, Static)}, tuple([
                name for name, a in types.items() if not is_fixed(a)]), -1 if same else count + len(state)))
        state += [] if same else [now]
    for region, part, before in stores.lent:
        if not keeps(before, settled(region.root().parts.get(part, UNIT))):
            stores.regions.grew = False  # a type that is learnt later is no narrower
            raise mismatch("CC027", f"numbers that the caller has would be of another kind: {in_a(region, part)}", None,
                           "numbers of two kinds are put there: an int, a `float`, or one of NumPy's",
                           help="put in what is of the kind that is there: `float(...)`")
    return tuple(found), state


def in_a(region: Region, part: Any) -> str:
    """What a part of an entry is called in messages."""
    if region.kind is StoredAs.OBJECT:
        return f"`.{part}` of `{region.cls.__name__}`"
    return f"an item of a {region.kind.says}"


def reached(begin: Iterable[Object]) -> list[Region]:
    """The regions that values of these objects lead to."""
    found: dict[Region, None] = {}
    todo = list(begin)
    while todo:
        a = todo.pop()
        region = region_of(a)
        if region is None:
            todo += a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
            todo += [a.item] if isinstance(a, (List, Map)) else []
        elif region not in found:
            found[region] = None
            todo += map(settled, region.parts.values())
    return list(found)


def is_sound(a: Object) -> bool:
    """True for a part of an entry that is a reference, or nothing that Python could change."""
    if is_of_reference(a) or (isinstance(a, Record) and a.cls is Complex):
        return True
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else None
    if isinstance(a, Record) and issubclass(a.cls, Code):
        return False
    return all(map(is_sound, inside)) if inside is not None and not is_record_of_user(a) else not changeable(a)


def is_record_of_user(a: Object) -> bool:
    """True for objects that Python could change."""
    return isinstance(a, Record) and changeable(a) and not issubclass(a.cls, tuple)


def keeps(before: Object, now: Object) -> bool:
    """True where what the caller has is of the same types when it is written back.

    >>> from ccc.objects import INT, REAL
    >>> keeps(List(REAL), List(REAL)), keeps(INT, REAL), keeps(UNIT, REAL)
    (True, False, True)
    """
    region = region_of(now)
    if region is not None:
        one = region_of(before)
        return one is region if one is not None else isinstance(before, region.kind.entry | Coproduct)
    if before in (now, UNIT) or isinstance(before, Itself):
        return True
    if isinstance(before, Static) and isinstance(before.value, str) and isinstance(now, Text):
        return True  # one that was known is one of several now
    if isinstance(before, Coproduct):
        return all(keeps(a, now) for a in before.alternatives)
    if isinstance(now, Coproduct):
        return any(keeps(before, a) for a in now.alternatives)
    if isinstance(before, Product) and isinstance(now, Product) and len(before.parts) == len(now.parts):
        return all(map(keeps, before.parts, now.parts))
    return isinstance(before, List) and isinstance(now, List) and keeps(before.item, now.item)
