"""Lists that are known item by item and read at an index that is not: what is read so may be any of the items. And what
a row is given may be seen where it was before.

    c = [a, b]; a.children.append(c[k])        which may put `a` into itself: such a place of allocation is in a store
"""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import dict_item_updates, row_provenance
from ccc.compile.frontend.memory.aliasing import is_named, place_of, reached_from
from ccc.compile.frontend.parts import changeable
from ccc.compile.frontend.values import Mutable, RecordValue
from ccc.compile.program.lam import Var
from ccc.coproducts import join
from ccc.objects import UNIT, Coproduct, Itself, List, Map, Object, Product


def is_held(e: Elaboration, xs: Any) -> bool:
    """True for a list that something stands for now."""
    if is_named(e, xs) or dict_item_updates.owner_of(e, xs) is not None:
        return True
    found = place_of(xs)
    return found is not None and is_held(e, found[0])


def display_of(e: Elaboration, row: Var) -> Mutable | None:
    """The list that is known item by item in which a row stands, read at an index that is not, or its object does."""
    found = place_of(row)
    while found is not None and not is_held(e, found[0]):
        if found[0] in e.rows.listed:
            return e.rows.listed[found[0]]
        found = place_of(found[0])
    return None


def may_hold(a: Object, owner: List) -> bool:
    """Whether what a value leads to may be a list of some items, as the types of both say.

    >>> from ccc.objects import INT, REAL, Product
    >>> rows = List(List(REAL))
    >>> may_hold(List(REAL), rows), may_hold(List(REAL), List(REAL)), may_hold(Product((INT, rows)), rows)
    (False, True, True)
    """
    if isinstance(a, List) and (UNIT in (a.item, owner.item) or join(a.item, owner.item) is not None):
        return True
    if isinstance(a, Coproduct):
        return any(may_hold(part, owner) for part in a.alternatives)
    inside = a.parts if isinstance(a, Product) else (a.item,) if isinstance(a, (List, Map)) else ()
    return isinstance(a, Itself) or any(may_hold(part, owner) for part in inside)


def may_be_one_of(e: Elaboration, value: Any, found: Mutable) -> bool:
    """Whether a value was read at an index that is not known from a list that is, which leads to a list or object."""
    rows = [part.whole if isinstance(part, RecordValue) else part for part in reached_from(value, [])]
    displays = {display for row in rows if isinstance(row, Var) and (display := display_of(e, row)) is not None}
    return any(part is found for display in displays for part in reached_from(display, []))


def held(value: Any, v: Any, xs: Var) -> list[Any]:
    """A value that a list is to hold, as it is in the program, where it may lead to that list."""
    a = xs.object
    return [value] if isinstance(v, Var) and isinstance(a, List) and may_hold(v.object, a) else []


def entering(e: Elaboration, xs: Var, v: Any) -> None:
    """Note that what a row is given may be seen where it was before, too."""
    if place_of(xs) is not None and isinstance(v, Var) and changeable(v.object):
        e.rows.shared |= row_provenance.reach(e, v)
