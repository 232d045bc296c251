"""Values as results of a program: trees of atoms."""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ccc.compile.diagnostics import unsupported, without_value
from ccc.compile.frontend.describing import is_column, is_of_compiler, may_hold_columns, of_columns
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.forms import Mixed, form_of
from ccc.compile.frontend.iterator_values import IteratorValue, RangeValue
from ccc.compile.frontend.parts import refuse_without_value, result_node
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.source import span_in
from ccc.compile.frontend.values import (
    ITEMS,
    PYTHON,
    ClosureValue,
    KnownSet,
    ListValue,
    Perhaps,
    RecordValue,
    TextValue,
    Unbound,
    atom_of,
    closed,
    is_function,
)
from ccc.compile.program.lam import FunctionLeaf, Lit, Node, Tree, Var, like
from ccc.errors import Unlike
from ccc.handed_out import Form, HandedOut, Items, in_form
from ccc.objects import Coproduct, List, Map, Object, Product, Record, Static
from ccc.objects_of_values import object_of
from ccc.primitives import effects, structure


def known_leaf(value: Any) -> Lit | None:
    """What is known and stands for itself in a record: functions of Python, strings, None, bools, dtypes."""
    if is_variable(value):
        return None
    return Lit(value, Static(value)) if isinstance(value, bool) or object_of(value) == Static(value) else None


def is_variable(value: Any) -> bool:
    """True for what is not an object of Python itself."""
    return isinstance(value, (Var, tuple, types.MethodType)) or is_of_compiler(type(value))


def result_tree(e: Elaboration, value: Any, source: Any) -> Tree:
    """The result of a program as a tree of atoms."""
    place = source.span(source.node) if source is not None else None
    if isinstance(value, tuple):
        return like(value, [result_tree(e, part, source) for part in value])
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        made = map_result(value, source)
        refuse_iterator(made, place)
        found = None if e.around is not None else form_inside(e, made, place)
        return made if found is None else Node.of(in_form(found), ("items",), [made])
    if isinstance(value, RecordValue):
        refuse_iterator(value, place)
        refuse_without_value(value, place)
        found = result_node(value, lambda part: known_leaf(part) or result_tree(e, part, source))
        gives = getattr(value.cls, "__ccc_gives__", None) if e.around is None else None
        return found if gives is None else Node.of(handed_out(value.cls, found.names), found.names, found)
    if isinstance(value, ListValue):
        whole = as_item(e, value, place)
        if not isinstance(whole.object, Record):
            return whole
        return Node.of(list, whole.object.names, [result_tree(e, part, source) for part in value.items])
    if isinstance(value, (RangeValue, IteratorValue)):
        return as_item(e, value, place)
    if isinstance(value, TextValue):
        return e.always(effects.text, value.values, form=value.form)
    if is_function(value):
        return FunctionLeaf(value, span_in(value.frame.file, value.node) if isinstance(value, ClosureValue) else None)
    if isinstance(value, KnownSet) and e.around is None:
        return Node.of(Items, ("items",), [tuple([known_leaf(x) or result_tree(e, x, source) for x in value])])
    if isinstance(value, KnownSet):
        raise unsupported("CC003", "a set cannot be returned", place,
                          help="return a tuple of its items")
    refuse_iterator(value, place)
    if e.around is None and isinstance(value, Var) and not may_hold_columns(e, value):
        found = (tuple, None) if is_column(e, value) else (list, (tuple, None)) if of_columns(e, value) else None
        found = found or form_inside(e, value, place)
        if found is not None:
            return Node.of(in_form(found), ("items",), [e.versions.now(value)])
    refuse_column(e, value, place)
    return e.versions.now(value) if isinstance(value, Var) else atom_of(value)


@lru_cache(maxsize=64)
def handed_out(cls: Any, names: tuple[str, ...]) -> type:
    """What stands in results for objects of a class of Python's for which `cls` is read, with parts of these names."""

    def give(*parts: Any) -> Any:
        return cls.__ccc_gives__(**dict(zip(names, parts, strict=True)))

    def taken(value: Any) -> dict[str, Any] | None:
        return cls.__ccc_takes__(value) if isinstance(value, cls.__ccc_class__) else None

    name = cls.__ccc_class__.__name__
    return type(name, (HandedOut,), {"said": name, "give": staticmethod(give), "taken": staticmethod(taken)})


def form_inside(e: Elaboration, value: Any, place: Any) -> Form:
    """The form of a list or dict of the result in which there are tuples whose length is not known."""
    try:
        return form_of(e, value)
    except Mixed:
        raise unsupported("CC003", "what is a tuple and what is a list are items of one result", place,
                          help="let them be of one class: `list(...)`") from None


def refuse_column(e: Elaboration, value: Any, place: Any) -> None:
    """Refuse a list of the program in the result that is a tuple in Python, or may be one, or holds some."""
    if is_column(e, value) is not False or of_columns(e, value) or may_hold_columns(e, value):
        raise unsupported("CC003", "a tuple whose length is not known cannot be returned", place,
                          help="return a list: `list(...)`")


def refuse_iterator(value: Any, place: Any) -> None:
    """Refuse an iterator of Python's library in the result, and what the program made of one."""
    of = value.object if isinstance(value, Var) else value
    classes = list(classes_in(of)) if isinstance(of, Object) else [of.cls] if isinstance(of, RecordValue) else []
    ours = any(class_behind(cls).__module__ == f"{PYTHON}iterators" for cls in classes)
    if isinstance(value, IteratorValue) or ours:
        raise unsupported("CC003", "an iterator cannot be returned", place,
                          help="return a list of what it gives: `list(...)`")


def classes_in(a: Object) -> Iterator[type]:
    """The classes of the records that values of an object are, or hold."""
    if isinstance(a, Record):
        yield a.cls
    inside = a.alternatives if isinstance(a, Coproduct) else a.parts if isinstance(a, Product) else (
        a.item,) if isinstance(a, (List, Map)) else ()
    for part in inside:
        yield from classes_in(part)


def map_result(value: RecordValue, source: Any) -> Var:
    """The map of the program that a dict in the result holds."""
    if len(value.fields) > 1:
        raise unsupported("CC003", "a `defaultdict` or `Counter` cannot be returned",
                          source.span(source.node) if source is not None else None, help="return `dict(...)` of it")
    return value.fields[ITEMS]


def as_item(e: Elaboration, value: Any, place: Any) -> Any:
    """A part of the result that is an item of a list: one atom."""
    if isinstance(value, Unbound) and not isinstance(value, Perhaps):
        raise without_value(value, "an item", place)
    if isinstance(value, RangeValue):
        return e.always(structure.span, value.bounds)
    if isinstance(value, TextValue):
        return e.always(effects.text, value.values, form=value.form)
    refuse_iterator(value, place)
    refuse_column(e, value, place)
    if is_function(value):
        raise unsupported("CC022", "a list holds a function, which cannot be an item of it here", place,
                          help="call it and keep what it gives, or keep functions in a tuple")
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return value.fields[ITEMS]
    if isinstance(value, (Node, RecordValue)):
        if (whole := closed(value)) is not value and isinstance(whole, Var):
            return whole
        if isinstance(value, RecordValue):
            refuse_without_value(value, place)
        node = value if isinstance(value, Node) else result_node(value, lambda part: part)
        parts = tuple([as_item(e, v, place) for v in node])
        made = e.always(structure.record, parts, cls=node.cls, names=node.names)
        return e.rows.copied(value, made) if isinstance(value, RecordValue) else made
    if value == () and not isinstance(value, Node):  # a list of these would be one of none: this one may have items
        made = e.always(structure.listing, ())
        e.columns.add(made)
        return made
    if isinstance(value, tuple):
        return e.always(structure.pack, tuple([as_item(e, v, place) for v in value]))
    if isinstance(value, ListValue):
        items = tuple([as_item(e, v, place) for v in value.items])
        try:
            made = e.always(structure.listing, items)
        except Unlike:  # they have no common type
            made = e.always(structure.record, items, cls=list, names=tuple(range(len(items))))
        return e.rows.copied(value, made)
    return value
