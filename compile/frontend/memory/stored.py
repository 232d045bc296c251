"""References where a value is expected: what is read through them, by the kind of thing that they lead to. Where there
are no stores, a value is what it is, and what reads them is not loaded."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import ZipValue
from ccc.compile.frontend.lent import Site
from ccc.compile.frontend.memory.aliasing import reached_from
from ccc.compile.frontend.parts import changeable, defined, is_shared
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import is_reference, is_tuple, kind_of, leads_on, one_class, region_of
from ccc.compile.frontend.stores import holds_reference
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, Mutable, RecordValue, View, closed, is_of_library
from ccc.compile.program.lam import Block, Node, Var
from ccc.coproducts import NoSum
from ccc.objects import UNIT, List, Object
from ccc.primitives import arithmetic, structure

T = TypeVar("T")
REGIONS = 1 << 20
"""More regions than a function has."""


def of_kind(owner: Node) -> Any:
    """The module for lists, or for dicts, in stores."""
    from ccc.compile.frontend.memory import stored_dicts, stored_lists, stored_records

    return {
        StoredAs.LIST: stored_lists, StoredAs.DICT: stored_dicts, StoredAs.RECORD: stored_records,
    }[kind_of(owner)]  # type: ignore[index]


def kept(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value to be kept: what Python could change stands in a store from now on, where there are any."""
    value = closed(value)
    if e.stores is None or (frame is not None and frame.of_library):
        return value
    from ccc.compile.frontend.memory.keeping import placed

    return placed(e, value, node, frame)


def is_view(e: Elaboration, value: Any) -> bool:
    """True for the keys, values or items of a dict, which a function may give back but nothing may keep."""
    parts = value.parts if isinstance(value, ZipValue) else (value,)
    return any(isinstance(x, View) or (isinstance(x, Var) and x in e.inside_dicts.views) for x in parts)


def given(
    e: Elaboration, values: dict[str, Any], to: Any, node: ast.AST, frame: Frame | None, apart: str | None = None
) -> dict[str, Any]:
    """Arguments as a function of users, or the function of a nested function, keeps them. The dict `apart` has no place
    itself, as nothing leads to it, but what it holds has."""
    closed_values = {name: closed(value) for name, value in values.items()}
    if e.stores is None or is_of_library(to):
        return closed_values
    from ccc.compile.frontend.memory.keeping import placed

    def one(name: str, value: Any) -> Any:
        return placed(e, value, node, frame, f"`{name}`")

    return {name: one(name, value) if name != apart else RecordValue(
        dict, {key: one(name, part) for key, part in value.fields.items()}) for name, value in closed_values.items()}


def loaded(e: Elaboration, value: Any) -> Any:
    """A reference to an array as the array, the place of a variable as what that holds; any other value itself."""
    if is_shared(value):
        from ccc.compile.frontend.memory import shared_variables

        return loaded(e, shared_variables.read(e, value))
    return e.versions.contents.now(value, None) if kind_of(value) is StoredAs.ARRAY else value


def shown(e: Elaboration, value: Any) -> Any:
    """What a reference leads to, as a value of its own whose parts may be references; any other value itself."""
    if not is_reference(value):
        return value
    from ccc.compile.frontend.memory import read_through

    return read_through.shown(e, value)


def whole(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value without references: what they lead to stands in their place."""
    if e.stores is None:
        return value
    from ccc.compile.frontend.memory import read_through

    return read_through.whole(e, value, node, frame)


def is_endless(value: Any) -> bool:
    """Whether what references in a value lead to may lead back to itself, so that it cannot be read out as a value."""
    if not (is_reference(value) or (isinstance(value, Var) and leads_on(value.object))):
        return False
    from ccc.compile.frontend.memory import read_through

    return read_through.is_endless(value)


def same(e: Elaboration, a: Any, b: Any) -> Any:
    """Whether two references lead to one place: known, or a bool of the program."""
    if not (is_reference(a) and is_reference(b)) or region_of(a.cls) is not region_of(b.cls):
        return False
    one, other = a[0], b[0]
    if len(a) > 1:  # two views may show the same entries
        return shown_as_one(a, b)
    if is_tuple(a) and one is not other:
        raise unsupported("CC003", "not in stores: `is` between tuples", None, help="compare them with `==`")
    if not isinstance(one, Var) and not isinstance(other, Var):
        return one == other
    return True if one is other else arithmetic.equal(one, other)


def identity(value: Any) -> Any:
    """A number of the place that a reference leads to, which no other place has; None for all else, and for views."""
    region = region_of(value.cls) if is_reference(value) and len(value) == 1 and not is_tuple(value) else None
    return None if region is None else arithmetic.add(arithmetic.mul(value[0], REGIONS), region.number)


def shown_as_one(a: Node, b: Node) -> bool:
    """Whether two references to what shows arrays are one; refused where they may be views that show the same."""
    if a[0] is b[0] and a[1] is b[1]:
        return True
    raise unsupported("CC003", "not in stores: `is` between what may be two views", None, help="compare what they hold")


def of_its_own(
    e: Elaboration, block: Block, run: Callable[[], T], given: Iterable[Any], node: ast.AST, frame: Frame | None
) -> T:
    """What `run` gives in the block of a program of its own. It has stores of its own, but where it is `given` what may
    change, which it would change in a copy, or give back as one."""
    if e.stores is None or any(map(may_change, given)):
        return e.inside(block, run)
    from ccc.compile.frontend.memory import places

    return places.of_its_own(e, block, run, node, frame)


def may_change(value: Any) -> bool:
    """True for what can be changed, or leads to such a thing."""
    return holds_reference(value) or any(
        isinstance(part, Mutable) or (isinstance(part, Var) and changeable(part.object))
        for part in reached_from(value, []))


def own_result(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What a program of its own gives, without references; those to places around it are refused."""
    if e.stores is None or not holds_reference(value):
        return value
    from ccc.compile.frontend.memory import moved_out, places

    try:
        around = any(region.regions is not e.stores.regions for region in moved_out.reached([places.object_in(value)]))
    except NoSum:
        around = True
    if around:
        raise places.refused(e, "a place of the function around this one is given back", node, frame)
    return whole(e, value, node, frame)


def moved_in(e: Elaboration, site: Site, tree: Any) -> Any:
    """What the caller has at a site, moved into stores."""
    from ccc.compile.frontend.memory import moved_in as moving

    return moving.moved_in(e, site, tree)


def item(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> Any:
    """`owner[key]` of a list or dict in a store."""
    return of_kind(owner).item(e, owner, key, node, frame)


def set_item(e: Elaboration, owner: Node, key: Any, value: Any, node: ast.AST, frame: Frame) -> None:
    """`owner[key] = value`."""
    of_kind(owner).set_item(e, owner, key, value, node, frame)


def delete(e: Elaboration, owner: Node, key: Any, node: ast.AST, frame: Frame) -> None:
    """`del owner[key]`."""
    of_kind(owner).delete(e, owner, key, node, frame)


def attribute(e: Elaboration, owner: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`owner.name` of a list or dict in a store."""
    return of_kind(owner).attribute(e, owner, name, node, frame)


def is_container(value: Any) -> bool:
    """True for references to lists and dicts."""
    return (kind := kind_of(value)) is not None and kind.is_container


def deleted(e: Elaboration, owner: Any, target: ast.Subscript, frame: Frame) -> bool:
    """Whether an item was deleted: the owner is a list or dict in a store, or its class says how."""
    if defined(owner, "__delitem__"):
        method = e.attribute(owner, ast.copy_location(ast.Attribute(target.value, "__delitem__"), target), frame)
        e.call(method, [e.expression(target.slice, frame)], {}, target, frame)
        return True
    if is_container(owner):
        delete(e, owner, e.expression(target.slice, frame), target, frame)
    return is_container(owner)


def tuples_together(e: Elaboration, a: Any, b: Any, where: Any, blocks: tuple[Block, Block]) -> Any:
    """Two tuples of different lengths that two blocks give, at places; None for all else."""
    if e.stores is None:
        return None
    from ccc.compile.frontend.memory import stored_tuples

    return stored_tuples.together(e, a, b, where, blocks)


def as_learnt(e: Elaboration, record: Any) -> dict[Any, Any] | None:
    """What a store holds behind a branch in which the type of its region became wider: the function is read again, so
    it is any store of that type, with which the rest of this reading learns more. None for all other records."""
    stores = e.stores
    while stores is not None:
        for region, known in stores.records.items():
            if known is record and stores.regions.grew:
                from ccc.compile.frontend.memory.places import entry_object

                return {ITEMS: e.always(structure.listing, (), of=List(entry_object(region)))}
        stores = stores.outer
    return None


def before_loop(e: Elaboration, frame: Frame, name: str, old: Any, new: Any) -> Any:
    """What a name stands for before a loop, where behind a run it may be a tuple of another length."""
    if e.stores is None or old is new:
        return old
    from ccc.compile.frontend.memory import stored_tuples

    return stored_tuples.named(e, frame, name, old, new)


def meet(values: Any) -> None:
    """Let the references among values be of one region, where they are of one kind."""
    found = [value for value in values if is_reference(value)]
    for value in found[1:]:
        one_class(found[0].cls, value.cls)


def one_region(alternatives: Iterable[Object]) -> None:
    """Let the references among alternatives that lead to objects of one class be of one region."""
    classes: dict[type, Any] = {}
    for a in alternatives:
        if (region := region_of(a)) is not None:
            one_class(classes.setdefault(region.cls, a.cls), a.cls)  # type: ignore[attr-defined]


def meet_in(e: Elaboration, *lists: Any) -> None:
    """Let the references in lists be of one region, where they are of one kind."""
    if e.stores is None:
        return
    from ccc.compile.frontend.memory import places

    found: list[Object] = []
    for xs in lists:
        if isinstance(xs, Var) and isinstance(xs.object, List):
            found.append(xs.object.item)
        elif isinstance(xs, ListValue):
            found += [places.object_in(x) for x in xs.items if is_reference(x)]
    first, *others = [a for a in found if region_of(a) is not None] or [UNIT]
    for other in others:
        e.stores.regions.joined(first, other)


__all__ = [
    "attribute", "deleted", "holds_reference", "is_container", "is_reference", "item", "kept", "kind_of",
    "loaded", "meet", "meet_in", "same", "set_item", "shown", "whole",
]
