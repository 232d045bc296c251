"""Lists and arrays inside of lists of the program, changed where they stand: `grid[i][j] = v`.

The changed row is put back at its place, in the list that a name, an attribute or a list around it stands for. That is
Python's meaning as long as each row is one of its own and nothing but its place leads to it; so the rows are followed
to where they were put into the list and to where they were made. A name of the same function that stands for a row
sees the change too: it is read anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import UnsupportedPython, unsupported
from ccc.compile.frontend import interrupts, reals
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import dict_item_updates, displays, exclusivity, lists, row_provenance
from ccc.compile.frontend.memory.aliasing import OUTSIDE, Field, alive, called, named, place_of, rename, way_from
from ccc.compile.frontend.parts import changeable, is_object
from ccc.compile.frontend.values import Frame, Mutable, RecordValue
from ccc.compile.program.lam import Apply, Var
from ccc.compile.program.sharing import mutable
from ccc.objects import Array, List
from ccc.primitives import along, arithmetic, lists as list_primitives, structure


def is_row(e: Elaboration, var: Any) -> bool:
    """True for an item of a list that something stands for now, and for a part of such an object."""
    found = place_of(var)
    return found is not None and displays.is_held(e, found[0])


def read(e: Elaboration, holder: Var, key: Any) -> Var:
    """What stands at a place."""
    if isinstance(key, Field):
        return structure.field(holder, cls=holder.object.cls, name=key.name, index=key.index)  # type: ignore[attr-defined]
    return e.always(structure.item, (holder, key))


def refuse_part(e: Elaboration, whole: Var, what: str, node: Any, frame: Frame) -> None:
    """Refuse to give an object that stands in a list another part, with which it stands in a store."""
    where = e.place(node, frame)
    if is_object(whole.object):
        by_index(e, whole)
        in_program(e, whole, where)
        if is_row(e, whole):
            raise in_object(what, where)


def in_object(what: str, where: Any) -> UnsupportedPython:
    """The error where a part of an object in a list changes."""
    return unsupported("CC010", f"{what} an object in a list", where, help="put a new object into the list")


def is_fresh(e: Elaboration, value: Any) -> bool:
    """True for an array, list or object that was made in this run and that nothing leads to yet."""
    if isinstance(value, Mutable):
        return not value.shared and value not in e.rows.times and not any(
            part is value for frame, name, parts in named(e) if alive(frame, name) for part in parts)
    made = row_provenance.reach(e, value)
    here = row_provenance.around(e.recorder.block)
    return OUTSIDE not in made and all(row_provenance.around(root.home) is here for root in made) and not any(
        isinstance(part, Var) and part is not value and changeable(part.object) and row_provenance.reach(e, part) & made
        for frame, name, parts in named(e) if alive(frame, name) for part in parts)


def same_object(e: Elaboration, a: RecordValue, b: RecordValue, node: Any, frame: Frame) -> Any:
    """Whether two objects are one, where they stand in lists or something else may lead to them."""
    if a.cls is not b.cls or not any(x.shared or x.whole is not None for x in (a, b)):
        return False  # made at two places, and read from nowhere else
    for x in (a, b):
        if x.whole is not None:
            by_index(e, x.whole)
    one, other = [place_of(x.whole) for x in (a, b)]
    if one is not None and other is not None and one[0] is other[0]:
        xs = one[0]
        try:
            row_provenance.refuse_shared(e, row_provenance.insertions(e, xs))
        except row_provenance.Shared:
            pass
        else:
            i, j = [from_start(xs, key) for key in (one[1], other[1])]
            return i == j if isinstance(i, int) and isinstance(j, int) else arithmetic.equal(i, j)
    raise unknown_object(e, node, frame)


def unknown_object(e: Elaboration, node: Any, frame: Frame) -> UnsupportedPython:
    """The error where a name may stand for the object that another one is."""
    return unsupported("CC003", "whether two objects that may stand in lists are one is not known",
                       e.place(node, frame), help="compare their indices")


def from_start(xs: Var, key: Any) -> Any:
    """An index counted from the start of a list."""
    if isinstance(key, int):
        return key if key >= 0 else arithmetic.add(structure.length(xs), key)
    return arithmetic.mod(key, structure.length(xs))


def in_program(e: Elaboration, row: Var, where: Any) -> None:
    """Read the statement again with a list of the program where a row of a list that is known is to change."""
    if (found := displays.display_of(e, row)) is not None:
        raise interrupts.Grows(found, where)


def by_index(e: Elaboration, var: Var) -> None:
    """Read a loop along a list by its index where it changes the element that a variable is, or is a part of."""
    under_way = {v: xs for block in e.recorder.block.ancestors() for v, xs in e.rows.elements.get(block, {}).items()}
    way = row_provenance.way(e, var) if under_way else set()
    for found, xs in under_way.items():
        if found in way:
            raise interrupts.ByIndex(xs)


def change(e: Elaboration, var: Var, new: Any, what: str, node: Any, frame: Frame) -> Any:
    """Put a changed row back where it stood; gives the row as it is found there."""
    found = place_of(var)
    assert found is not None
    xs, key = found
    where = e.place(node, frame)
    if isinstance(key, Field):
        raise in_object(what, where)
    exclusivity.check(e, xs, var, what, where, frame)
    wide = reals.widened(e, xs, List(reals.objects_of(new)))
    new = reals.converted(e, new, wide.object.item)
    old = new if keeps_sizes(var, new) else reals.converted(e, var, reals.objects_of(new))
    changed = e.always(list_primitives.set_item, (wide, new, key, old))
    e.rows.back.add(changed.definition)
    e.rows.changed[xs] = var, what, where
    e.updates.append((xs, where, what))
    names = names_inside(e, xs)
    now = put_back(e, xs, changed, what, node, frame)
    read_again(e, names, now, frame)
    return read(e, now, key)


def names_inside(e: Elaboration, xs: Var) -> list[tuple[Frame, str, list[Any]]]:
    """The names that stand for a row of a list, or for what is in one, and the places that lead there."""
    return [(other, name, way) for other, name, _ in named(e) if (way := way_from(xs, other.env[name])) is not None]


def read_again(e: Elaboration, names: list[tuple[Frame, str, list[Any]]], holder: Var, frame: Frame) -> None:
    """Read names that stand for rows of a list anew."""
    for owner, name, way in names:
        old, new = owner.env[name], holder
        for key in way:
            new = read(e, new, key)
        new.name = old.name
        rename(e, owner, name, new, frame)


def keeps_sizes(var: Var, new: Any) -> bool:
    """True for a row that has other numbers than before and is as long."""
    while new is not var and isinstance(new, Var) and new.definition is not None:
        op = new.definition.op
        if not isinstance(op, Apply) or op.primitive is not list_primitives.set_item:
            break
        whole, item, _, *old = new.definition.args
        if mutable(new.object.item) and old != [item]:  # type: ignore[attr-defined]
            break
        new = whole
    return new is var or isinstance(var.object, Array) or not mutable(var.object)


def path_of(xs: Any, *keys_there: Any) -> tuple[Any, list[Any]]:
    """The list that holds the rows around an entry, and the indices from there."""
    keys = [*keys_there]
    while (found := place_of(xs)) is not None and not isinstance(found[1], Field):
        xs, inner = found
        keys.insert(0, inner)
    return xs, keys


def is_entry(array: Var, pattern: tuple[str, ...]) -> bool:
    """True where an index of an array that stands in a list names one entry of it."""
    found, axes = place_of(array), array.object.axes  # type: ignore[attr-defined]
    return found is not None and not isinstance(found[1], Field) and pattern == ("i",) * len(axes or ".")


def assign(
    e: Elaboration, row: Var, key: list[Any], v: Any, node: Any, frame: Frame, what: str = "cannot assign into"
) -> None:
    """`row[key] = v` for a number `v`: one entry of the list that holds the row changes."""
    changed_along(e, row, key, what, node, frame, lambda whole, keys: e.always(
        along.set_along, (with_reals(e, whole, v, keys, row), v, *keys)))


def stands_in_list(e: Elaboration, row: Var) -> bool:
    """True for an item of a list that something stands for now."""
    found = place_of(row)
    return found is not None and not isinstance(found[1], Field) and is_row(e, row)


def changed_along(
    e: Elaboration, row: Var, key: list[Any], what: str, node: Any, frame: Frame,
    change: Callable[[Var, list[Any]], Var],
) -> None:
    """Change a row, or an entry of it, in the list that holds it, by all indices from there."""
    where = e.place(node, frame)
    levels = [row]
    whole, keys = path_of(row, *key)
    while levels[0] is not whole:
        levels.insert(0, place_of(levels[0])[0])  # type: ignore[index]
    for xs, inner in itertools.pairwise(levels):
        exclusivity.check(e, xs, inner, what, where, frame)
        e.rows.changed[xs] = inner, what, where
        e.updates.append((xs, where, what))
    changed = change(whole, keys)
    names = names_inside(e, whole)
    read_again(e, names, put_back(e, whole, changed, what, node, frame), frame)


def with_reals(e: Elaboration, whole: Var, v: Any, keys: list[Any], row: Var) -> Any:
    """A list of lists that is given an entry, with reals for integers where that is real; arrays stay what they are."""
    wide: Any = reals.objects_of(v)
    for _ in keys:
        wide = List(wide)
    return whole if isinstance(row.object, Array) else reals.widened(e, whole, wide)


def put_back(e: Elaboration, xs: Var, changed: Var, what: str, node: Any, frame: Frame) -> Var:
    """Give a list with a changed row to what stands for it; gives the list as it is found there."""
    changed.name = changed.name or xs.name
    inside = dict_item_updates.changed_inside(e, xs, changed, what, e.place(node, frame))
    if inside is not None:
        return inside
    if is_row(e, xs):
        return change(e, xs, changed, what, node, frame)
    def reachable(name: str) -> Exception:
        return unsupported("CC010", f"{what} an item of a list: the list is also reachable as {called(name)}",
                           e.place(node, frame), help=f"take the list out of {called(name)}")

    lists.give(e, xs, changed, frame, reachable)
    return changed
