"""References that say which entries of an array they show: views that are chosen, carried by loops or put into lists.

Where a function is refused with its arrays in stores too, it is read with these. A store holds the memory of arrays
then, one entry behind another, and a reference is a place with the indices of the entries that it shows, an array of
the form of what it shows: read is `memory[index]`, write `memory[index] = new`. What makes a view of an array makes one
of its indices, so the indices lie as the array does. Where a `reshape` is a view only if the entries lie right, its
indices say so when the program runs: what it gives shows the array, or a place of its own.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import places
from ccc.compile.frontend.memory.array_store import values
from ccc.compile.frontend.regions import Region
from ccc.compile.program.lam import Apply, Node, Var
from ccc.compile.program.sharing import keeps_order, memory_of
from ccc.objects import Array
from ccc.primitives import adaptors, arithmetic, creation, indexing, reductions, shaping, updating

NAMES = ("place", "index")


def allocated(e: Elaboration, region: Region, value: Var) -> Node:
    """A reference to all of a new place for what an array holds. Raises `NoSum` where it cannot stand there."""
    rank = len(value.object.axes)  # type: ignore[attr-defined]
    memory = value if rank == 1 else e.always(shaping.ravel, (value,))
    index = e.always(creation.arange, (e.always(shaping.size, (value,)),))
    if rank != 1:
        index = adaptors.np_reshape(index, adaptors.np_shape(value))
    found = places.allocated(e, region, places.fitted(e, region, "item", memory))
    places.stores_of(e).straight.add(index)
    return showing(region, found[0], index)


def showing(region: Region, place: Any, index: Var) -> Node:
    """A reference to the entries of a place at these indices."""
    rank = len(index.object.axes)  # type: ignore[attr-defined]
    return Node.of(region.shown(rank), NAMES, [place, index])


def read(e: Elaboration, memory: Var, index: Var) -> Var:
    """The array that shows these entries of what stands at a place."""
    return e.attempts.surely(lambda: e.always(indexing.index, (memory, index), pattern=("a",)))


def written(e: Elaboration, memory: Var, index: Var, new: Any) -> Var:
    """What stands at a place when these entries are others."""
    return e.attempts.surely(lambda: e.always(updating.set_at, (memory, new, index), pattern=("a",)))


def in_order(e: Elaboration, index: Any) -> bool:
    """True where entries surely lie in memory as C would have them."""
    if index in places.stores_of(e).straight:
        return True
    let = index.definition if isinstance(index, Var) else None
    if let is None or not isinstance(let.op, Apply):
        return False
    return keeps_order(let.op) and in_order(e, let.args[memory_of(let.op).of[0]])


def shown(e: Elaboration, var: Var) -> Node | None:
    """The reference to what an array shows of a place; None where that is not known."""
    versions = e.versions
    array = versions.array(var)
    if array in versions.places:
        return versions.places[array]
    let = array.definition
    if let is None or not isinstance(let.op, Apply) or not let.args or not isinstance(array.object, Array):
        return None
    under = let.args[0]
    if not array.object.axes or not isinstance(under, Var) or not isinstance(under.object, Array):
        return None
    memory = memory_of(let.op)
    known = versions.base_of(array) is not None
    if not known and not (memory.how == "may be" and memory.is_whole and memory.of == (0,)):
        return None
    of = shown(e, under)
    if of is None:
        return None
    region = places.region_at(of)
    index = e.always(let.op.primitive, (of[1], *values(let)[1:]), **let.op.params)
    if known:
        return showing(region, of[0], index)
    return None if region.scattered else where_it_lies(e, region, of[0], index, array, memory.strided)


def where_it_lies(e: Elaboration, region: Region, place: Any, index: Var, array: Var, strided: bool) -> Node:
    """The reference to what shows a place where its entries lie right for that, else to a copy."""
    own = allocated(e, region, e.always(shaping.copy, (array,)))
    steps = uneven(index) if strided else total(arithmetic.sub(apart(index, 0), 1))
    away = arithmetic.smallest(steps, 1)
    return showing(region, moved(place, own[0], away), moved(index, own[1], away))


def moved(a: Any, b: Any, away: Any) -> Any:
    """The first of two integers, or arrays of them, where `away` is 0, the second where it is 1."""
    return arithmetic.add(a, arithmetic.mul(arithmetic.sub(b, a), away))


def apart(index: Any, axis: int) -> Any:
    """The differences along an axis."""
    before = ("s",) * axis
    return arithmetic.sub(indexing.index(index, 1, pattern=(*before, "s1")), indexing.index(
        index, -1, pattern=(*before, "s2")))


def uneven(index: Var) -> Any:
    """0 where entries lie in even steps along each axis, as those of any array do: all second differences are 0."""
    rank = len(index.object.axes)  # type: ignore[attr-defined]
    found: Any = 0
    for i in range(rank):
        for j in range(i, rank):
            found = arithmetic.add(found, total(apart(apart(index, i), j)))
    return found


def total(index: Any) -> Any:
    """The sum of the sizes of integers: 0 where all are."""
    return reductions.sum_(arithmetic.absolute(index))
