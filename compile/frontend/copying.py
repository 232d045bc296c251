"""`copy.copy`, `copy.deepcopy`, `dataclasses.asdict` and `astuple`.

A deep copy of what stands in stores is a function for each region: it makes a new place, notes it in a dict of this
copy, and then copies what the old place leads to. So what is shared stays shared, and what leads back to itself ends.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import CompileError, unsupported
from ccc.compile.frontend import alternatives, definitions, records, stores, sums
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import OUTSIDE, dict_methods, dicts, kept, memory, stored
from ccc.compile.frontend.names import written
from ccc.compile.frontend.numpy_functions import below
from ccc.compile.frontend.parts import MISSING, class_attribute, contents_of, defined
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.recursion import entered
from ccc.compile.frontend.regions import Region, class_behind, is_reference, region_of
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, Mutable, RecordValue
from ccc.compile.program.lam import Apply, Node, Var, like
from ccc.objects import Array, Bool, Coproduct, Int, List, Map, Object, Product, Real, Text
from ccc.primitives import lists, structure

OWN_WAYS = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__")
DEEPEST = 30  # how many objects stand in each other where their fields become dicts
Owner = tuple[dict[int, Any], tuple[Region, ...], bool]
"""What was copied already where it is known part by part, the regions that the copy may lead to, and whether that is
one array at most."""


def shallow(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`copy.copy(value)`."""
    (value,) = args
    if is_array(value):
        return e.call(np.copy, [stored.shown(e, value)], {}, node, frame)
    refuse_own_ways(e, value, node, frame)
    if defined(value, "__copy__"):
        return records.special(e, value, "__copy__", [], {}, node, frame)
    shown = stored.shown(e, value)
    if isinstance(shown, ListValue) or (isinstance(shown, Var) and isinstance(shown.object, List)):
        return kept(e, e.call(list, [value], {}, node, frame), node, frame)
    if dicts.is_dict(shown):
        return kept(e, dict_methods.copied(shown, e, [], {}, node, frame), node, frame)
    if isinstance(shown, Var) and isinstance(shown.object, Array):
        return e.call(np.copy, [shown], {}, node, frame)
    if isinstance(shown, RecordValue):
        fields = dict(shown.fields)
        if (filled := contents_of(shown)) is not None:
            name, container = filled
            fields[name] = kept(e, e.call(container, [fields[name]], {}, node, frame), node, frame)
        return kept(e, RecordValue(shown.cls, fields), node, frame)
    if sums.is_sum(shown):
        return alternatives.dispatch(e, shown, lambda x: shallow(e, [x], {}, node, frame), alternatives.never, node,
                                     frame)
    return shown


def refuse_own_ways(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> None:
    """Refuse objects of classes that say otherwise how they are copied."""
    cls = class_behind(value.cls) if isinstance(value, (RecordValue, Node)) else object
    own = [name for name in OWN_WAYS if class_attribute(cls, name) is not MISSING] or below.own_filling(cls)
    if own:
        raise unsupported("CC003", f"`{cls.__name__}` has its own `{own[0]}`", e.place(node, frame),
                          help="write `__copy__` and `__deepcopy__`")


# -- deep copies -------------------------------------------------------------------------------------------------------


def deep(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`copy.deepcopy(value)`."""
    if kwargs or len(args) != 1:
        raise unsupported("CC003", "`copy.deepcopy` with a memo", e.place(node, frame),
                          help="copy the whole object at once, or its parts one by one")
    value = kept(e, args[0], node, frame)
    if is_array(value):
        return e.call(np.copy, [stored.shown(e, value)], {}, node, frame)
    regions = tuple(reached(regions_in(e, value)))
    notes = [new_notes(e, region, node, frame) for region in regions]
    return deeply(({}, regions, is_reference(value) and all(map(leads_to_one, regions))), e, [value, *notes], {}, node,
                  frame)


def leads_to_one(region: Region) -> bool:
    """Whether what stands in a region leads to one array or one other place at most."""
    return region.kind not in (StoredAs.LIST, StoredAs.DICT) and sum(map(has_to_be_copied, region.parts.values())) <= 1


def of_place(
    e: Elaboration, owner: Owner, value: Node, notes: list[Any], node: ast.AST, frame: Frame
) -> Any:
    """A copy of what stands at a place: a call of the function for its region, which calls itself where that leads to
    others of its region."""
    region, (_, regions, one) = region_of(value.cls), owner
    assert region is not None
    if region not in regions:  # nothing was known of it when the copy began
        region.regions.grew = True
        return value
    names = [f"noted{i}" for i in range(len(regions))]
    (definition,) = written(text_for(region, names[regions.index(region)], names), node)

    def body(values: dict[str, Any]) -> Any:
        inner = Frame("copy.deepcopy", frame.file, frame.function, None, None, (node, frame))
        inner.env.update(values, deeply=types.MethodType(deeply, ({}, regions, one)), shell=types.MethodType(shell, ()),
                         place=types.MethodType(place, ()))
        inner.local = frozenset([*inner.env, "at", "new", "x", "k"])
        e.frames.append(inner)
        try:
            return e.run(definition.body, inner)  # type: ignore[attr-defined]
        finally:
            e.frames.pop()

    given = {"old": value, **dict(zip(names, notes, strict=True))}
    return entered(e, ("copy.deepcopy", region), "copy.deepcopy", given, body, node, frame, e.top)


def text_for(region: Region, noted: str, all_noted: list[str]) -> str:
    """The function that copies what stands at a place of a region, given what was copied of each."""
    def copied(x: str) -> str:
        return f"deeply({', '.join([x, *all_noted])})"

    body = ["at = place(old)", f"if at in {noted}: return {noted}[at]", "new = shell(old)", f"{noted}[at] = new"]
    if region.kind is StoredAs.OBJECT:
        inside = [part for part, a in region.parts.items() if has_to_be_copied(a)]
        body += [f"new.{part} = {copied(f'old.{part}')}" for part in inside]
    if region.kind is StoredAs.RECORD:
        inside = [part for part, a in region.parts.items() if has_to_be_copied(a)]
        body += [f"new[{part!r}] = {copied(f'old[{part!r}]')}" for part in inside]
    if region.kind is StoredAs.LIST and has_to_be_copied(region.parts.get("item")):
        body += [f"for x in old: new.append({copied('x')})"]
    if region.kind is StoredAs.DICT and any(map(has_to_be_copied, region.parts.values())):
        body += [f"for k in old: new[{copied('k')}] = {copied('old[k]')}"]
    return "def f():\n" + "".join([f"  {line}\n" for line in [*body, "return new"]])


def reached(todo: list[Region]) -> list[Region]:
    """The regions that references in some regions lead to, these among them."""
    found: list[Region] = []
    while todo:
        region = todo.pop().root()
        if region not in found:
            found.append(region)
            todo += [inner for a in region.parts.values() for inner in regions_of(a)]
    return found


def regions_of(a: Object) -> list[Region]:
    """The regions of the references in an object."""
    region = region_of(a)
    if region is not None:
        return [region]
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    inside = (a.key, a.item) if isinstance(a, Map) else (a.item,) if isinstance(a, List) else inside
    return [region for part in inside for region in regions_of(part)]


def regions_in(e: Elaboration, value: Any) -> list[Region]:
    """The regions of the references in a value."""
    if is_reference(value):
        return regions_of(region_of(value.cls).object)  # type: ignore[union-attr]
    if isinstance(value, Var):
        return regions_of(value.object)
    inside = value.items if isinstance(value, ListValue) else value.fields.values() if isinstance(
        value, RecordValue) else value if isinstance(value, tuple) else ()
    return [region for part in inside for region in regions_in(e, part)]


def has_to_be_copied(a: Object | None) -> bool:
    """True for objects of references, arrays and what holds some."""
    if a is None:
        return False
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    inside = (a.key, a.item) if isinstance(a, Map) else (a.item,) if isinstance(a, List) else inside
    return region_of(a) is not None or isinstance(a, Array) or any(map(has_to_be_copied, inside))


def new_notes(e: Elaboration, region: Region, node: ast.AST, frame: Frame) -> Any:
    """A dict of the places of a region that were copied, at first empty."""
    from ccc.compile.frontend.memory.interface import keeping, places

    regions = places.stores_of(e).regions
    at = f"copies of store {regions.all.index(region.root())} at {e.place(node, frame)}"
    return keeping.of_dict(e, regions.at(at, StoredAs.DICT, dict), RecordValue(dict, {}), node, frame)


def reference_of(e: Elaboration, value: Any) -> Any:
    """An array that was read of a store as the reference that leads to it; all else itself."""
    return e.versions.places.get(value, value) if isinstance(value, Var) else value


def is_array(value: Any) -> bool:
    """True for a reference to an array."""
    return is_reference(value) and class_behind(value.cls) is np.ndarray


def place(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """The number of a place."""
    return reference_of(e, args[0])[0]


def shell(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """A new place beside an old one, with what stands there, or empty where each item of it is to be copied."""
    from ccc.compile.frontend.memory.interface import places
    from ccc.primitives import zero_trees

    old = reference_of(e, args[0])

    region = places.region_at(old)
    value = places.entry(e, old)
    if region.kind in (StoredAs.LIST, StoredAs.DICT) and any(map(has_to_be_copied, region.parts.values())):
        empty = structure.listing if region.kind is StoredAs.LIST else zero_trees.empty_map
        value = e.always(empty, (), of=places.entry_object(region))
    return places.allocated(e, region, value)


def deeply(
    owner: Owner, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """A copy of a value and of all that it leads to, given what was copied of each region."""
    value, *notes = args
    known, _, one = owner
    if id(value) in known:
        return known[id(value)][1]
    value = reference_of(e, value)
    if is_array(value):
        if len(value) > 1 and not one:  # two that show the same may be one object or two
            from ccc.compile.frontend.memory.interface import places

            raise places.refused(e, "a deep copy of several arrays that may be views", node, frame)
        return e.call(np.copy, [stored.shown(e, value)], {}, node, frame) if len(value) > 1 else (
            of_place(e, owner, value, notes, node, frame))

    def again(x: Any) -> Any:
        return deeply(owner, e, [x, *notes], {}, node, frame)

    refuse_own_ways(e, value, node, frame)
    if defined(value, "__deepcopy__"):
        return records.special(e, value, "__deepcopy__", [RecordValue(dict, {})], {}, node, frame)
    if is_reference(value):
        return of_place(e, owner, value, notes, node, frame)
    if isinstance(value, Node) or type(value) is tuple:
        return like(value, [again(x) for x in value])
    by_node = copied_tree if sums.is_tree(value) else copied_trees if sums.has_trees(value) else None
    if by_node is not None and not regions_of(value.object) and not at_node(value, frame):
        return e.call(by_node, [value], {}, node, frame)
    if sums.is_sum(value):
        return alternatives.dispatch(e, value, again, alternatives.never, node, frame)
    if isinstance(value, Mutable):
        found: Any = RecordValue(value.cls, {}) if isinstance(value, RecordValue) else ListValue([])
        known[id(value)] = value, found
        fill(e, value, found, again, node, frame)
        return found
    if isinstance(value, Var) and isinstance(value.object, Array):
        for other, _ in known.values():
            if may_be_one(e, value, other):
                raise unsupported("CC003", "a deep copy of two arrays that may be one", e.place(node, frame),
                                  help="copy each array by `.copy()`")
        found = known[id(value)] = value, e.call(np.copy, [value], {}, node, frame)
        return found[1]
    if isinstance(value, Var) and isinstance(value.object, (List, Map)):
        if not isinstance(value.object, List) or not isinstance(value.object.item, (Real, Int, Bool, Text)):
            raise not_known(e, node, frame)
        found = known[id(value)] = value, e.always(lists.sliced, (value,), places="")
        return found[1]
    return value


def copied_tree(tree: Any) -> Any:
    """A deep copy of a tree, which asks for those of its parts again: a function of the program."""
    return copy.deepcopy(tree)


def copied_trees(trees: Any) -> Any:
    """Deep copies of trees in a list."""
    return [copy.deepcopy(tree) for tree in trees]


def at_node(value: Any, frame: Frame) -> bool:
    """Whether a tree is that of which `copied_tree`, a function that calls itself, copies the node."""
    return frame.function is copied_tree and frame.env.get("tree") is value


def may_be_one(e: Elaboration, a: Var, b: Any) -> bool:
    """Whether two arrays may be one object, as one of several that a branch or a list gives is."""
    if not isinstance(b, Var) or not isinstance(b.object, Array):
        return False
    chosen = [x for x in (a, b) if (let := x.definition) is not None and (
        not isinstance(let.op, Apply) or let.op.primitive is structure.item)]
    return bool(chosen) and bool((memory(e, [a])[0] & memory(e, [b])[0]) - {OUTSIDE})


def fill(
    e: Elaboration, value: Any, found: Any, again: Callable[[Any], Any], node: ast.AST, frame: Frame
) -> None:
    """Copy what a list or object holds that is known part by part."""
    if isinstance(value, ListValue):
        found.items = [again(x) for x in value.items]
        return
    if not isinstance(value, RecordValue) or ITEMS in value.fields:
        raise not_known(e, node, frame)
    for name, x in value.fields.items():
        found.fields[name] = again(x)


def not_known(e: Elaboration, node: ast.AST, frame: Frame) -> CompileError:
    return unsupported("CC003", "a deep copy of what is not known part by part", e.place(node, frame),
                       help="write a method that copies what you need")


# -- dataclasses as dicts and tuples -----------------------------------------------------------------------------------


def by_fields(made: Callable[[dict[str, Any]], Any]) -> Callable[..., Any]:
    """`dataclasses.asdict` or `astuple`: `made` gives what stands for an object by the names of its fields."""

    def inner(
        owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
    ) -> Any:
        (value,) = args
        (depth,) = owner
        again = types.MethodType(inner, (depth + 1,))

        def again_of(x: Any) -> Any:
            return e.call(again, [x], {}, node, frame)

        cls = class_behind(value.cls) if isinstance(value, (RecordValue, Node)) else None
        if depth > DEEPEST:
            raise unsupported("CC003", "the fields of an object that may lead to itself", e.place(node, frame),
                              help="write a method that gives the fields that you need")
        if sums.is_sum(value):
            return alternatives.dispatch(e, value, again_of, alternatives.never, node, frame)  # type: ignore[arg-type]
        if cls is not None and dataclasses.is_dataclass(cls):
            found = {f.name: e.call(again, [field_of(e, value, f.name, node, frame)], {}, node, frame)
                     for f in dataclasses.fields(cls)}
            return kept(e, made(found), node, frame)
        shown = stored.shown(e, value)
        if type(shown) is tuple or (isinstance(shown, Node) and not is_reference(shown)):
            return like(shown, [again_of(x) for x in shown])
        if isinstance(shown, ListValue) or (isinstance(shown, Var) and isinstance(shown.object, List)):
            return kept(e, definitions.defined(e, "mapped", [again, shown], node, frame), node, frame)
        if dicts.is_dict(shown):
            keys, values = [e.call(e.attribute(shown, located(name, node), frame), [], {}, node, frame)
                            for name in ("keys", "values")]
            both = [e.call(list, [x], {}, node, frame) for x in (keys, values)]
            both[1] = definitions.defined(e, "mapped", [again, both[1]], node, frame)
            return kept(e, e.call(dict, [e.call(zip, both, {}, node, frame)], {}, node, frame), node, frame)
        return deep(e, [value], {}, node, frame)

    stores.COMPILED.add(inner)

    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        if kwargs or len(args) != 1:
            raise unsupported("CC003", "a factory of dicts or tuples for dataclasses", e.place(node, frame),
                              help="write `factory(dataclasses.asdict(value))`")
        return inner((0,), e, args, {}, node, frame)

    return handler


def located(name: str, node: ast.AST) -> Any:
    return ast.copy_location(ast.Attribute(ast.copy_location(ast.Name("_"), node), name), node)


def field_of(e: Elaboration, value: Any, name: str, node: ast.AST, frame: Frame) -> Any:
    """A field of an object."""
    return e.attribute(value, located(name, node), frame)


def is_asked(e: Elaboration, function: Any, args: list[Any]) -> bool:
    """True for calls that are known here: without stores, a shallow copy of what is neither a number, an array nor a
    dict and has no method for it is read as Python has it."""
    if function is copy.copy:
        numbers = any(isinstance(a, Var) and isinstance(a.object, Real | Int | Array) for a in args)
        return e.stores is not None or numbers or any(
            defined(a, "__copy__") or dicts.is_dict(a) or contents_of(a) is not None for a in args)
    return True


COPYING: dict[Any, Callable[..., Any]] = {
    copy.copy: shallow, copy.deepcopy: deep, dataclasses.asdict: by_fields(lambda parts: RecordValue(dict, parts)),
    dataclasses.astuple: by_fields(lambda parts: tuple(parts.values())),
}
stores.COMPILED |= {deeply, shell, place}


def copied(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of a function that copies; NotImplemented for one that does not, or that is read as Python has it."""
    if function not in COPYING or not is_asked(e, function, args):
        return NotImplemented
    return COPYING[function](e, args, kwargs, node, frame)
