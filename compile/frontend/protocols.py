"""What loops and builtins mean for an object whose class defines them: `__iter__`, `__abs__`, `__float__`, ..."""

from __future__ import annotations

import ast
import enum
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

from ccc.compile.frontend import alternatives, outside_sets, pictures, python_functions, records, texts
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import OnceValue
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.objects_at_places import is_read_for
from ccc.compile.frontend.parts import MISSING, class_attribute, defined
from ccc.compile.frontend.python_functions import FIRST
from ccc.compile.frontend.regions import class_behind, leads_on
from ccc.compile.frontend.values import ITEMS, Frame, RecordValue
from ccc.compile.program.lam import Node, Var
from ccc.objects import Bool, Int
from ccc.primitives import maps
from ccc.records import Nones, made


def iterated(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What iterating a value iterates: what the `__iter__` of an object gives, or the value itself; of what may be
    None or a number, which raise, the other that it may be."""
    if frame is not None and alternatives.is_uncertain(e, value):
        value = alternatives.able(e, value, alternatives.not_iterable, node, frame)
    value = texts.of_program(e, value)
    if stored.is_container(value):
        return stored.shown(e, value)
    if isinstance(value, (enum.EnumType, Nones)):
        return tuple(value)
    if outside_sets.is_of_plain(value):
        return outside_sets.items_of(e, value, node, frame)
    if not defined(value, "__iter__"):
        by_items = defined(value, "__getitem__") and class_attribute(class_behind(value.cls), "__iter__") is MISSING
        return e.call(of_python("iterators").by_index, [value], {}, node, frame) if by_items else value
    found = records.special(e, value, "__iter__", [], {}, node, frame)
    if isinstance(value, RecordValue) and value.whole is not None and found is value.whole:
        return value  # an iterator that stands in a list gives itself
    return of_owner(found, value)


def of_owner(found: Any, owner: Any) -> Any:
    """What is iterated, with the object that gave it."""
    if isinstance(found, OnceValue):
        found.owner = owner
    return found


def of_alternatives(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a builtin that asks a method of what is one of several objects: a branch for each, else
    NotImplemented."""
    facts = python_functions.of(function)
    if frame is None or not (facts.method or facts.iterating):
        return NotImplemented
    name = facts.method or "__iter__"
    for i in range(len(args))[FIRST if facts.method else facts.places(len(args))]:
        asks = alternatives.asks_method(e, args[i], name) if facts.method else alternatives.is_of_several(e, args[i])
        if asks:
            fails = alternatives.not_iterable if name == "__iter__" else partial(unanswered, function, name)
            use = lambda a, i=i: e.call(function, [*args[:i], a, *args[i + 1:]], kwargs, node, frame)  # noqa: E731
            return alternatives.dispatch(e, args[i], use, fails, node, frame)
    return NotImplemented


def unanswered(function: Any, name: str, value: Any) -> tuple[type, str] | None:
    """What Python raises where a builtin is given an object whose class has not the method that it asks."""
    if not isinstance(value, (RecordValue, Node)) or defined(value, name):
        return None
    error = alternatives.raised_by(function, [made(class_behind(value.cls), (), ())], {})
    return (type(error), str(error)) if isinstance(error, TypeError) else None


def as_method(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a builtin that is a method of its first argument, or asks one of what is one of several objects,
    else NotImplemented."""
    if python_functions.of(function).shows and any(map(pictures.leads_on, args)):
        return shown(e, function, args, kwargs, node, frame)
    name = python_functions.of(function).method
    if not name or not args or not defined(args[0], name):
        return of_alternatives(e, function, args, kwargs, node, frame)
    return of_owner(records.special(e, args[0], name, args[1:], kwargs, node, frame), args[0])


def shown(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a function that shows its arguments, of which some may lead back to themselves: `str` and `repr`
    ask the class, or show what Python makes of it; what others show is the text that `str` gives."""
    if function not in (str, repr):
        texts_ = [e.call(str, [x], {}, node, frame) if pictures.leads_on(x) else x for x in args]
        return e.call(function, texts_, kwargs, node, frame)
    (value,) = args
    found = told(e, function, value, node, frame) if stored.is_endless(value) else NotImplemented
    if found is NotImplemented:
        found = pictures.shown(e, "r" if function is repr else "s", value, node, frame)
    return NotImplemented if found is value else found


def told(e: Elaboration, function: Any, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What an object in a store, whose parts may lead back to it, says of itself by a method of its class; else
    NotImplemented: others are read out, and asked when the program runs."""
    if alternatives.is_uncertain(e, value) and frame is not None:
        use = lambda one: e.call(function, [one], {}, node, frame)  # noqa: E731
        return alternatives.dispatch(e, value, use, alternatives.never, node, frame)
    name = "__str__" if function is str and defined(value, "__str__") else "__repr__"
    is_own = defined(value, name) and not is_read_for(class_behind(value.cls))
    return records.special(e, value, name, [], {}, node, frame) if is_own else NotImplemented


def unordered(e: Elaboration, whole: bool, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What is in a set, for what does not ask for the order, maybe of `whole` numbers alone; the set itself where its
    items may be equal otherwise."""
    if not isinstance(value, (RecordValue, Node)) or getattr(class_behind(value.cls), "__ccc_class__", None) is not set:
        return value
    assert frame is not None  # a set stands in an activation
    table = stored.shown(e, records.attribute(e, value, "table", node, frame))
    m = table.fields.get(ITEMS)
    if m is not None and (leads_on(m.object.key) or (whole and not isinstance(m.object.key, (Int, Bool)))):
        return value
    return table if m is None else e.always(maps.values_of, (m, e.always(maps.keys_of, (m,))))


def taken_whole(function: Any, args: list[Any]) -> list[Any]:
    """The arguments that a builtin, or a class of collections, asks for all of their items at once, as `sum` and `dict`
    do; none of what gives an iterator."""
    is_class = isinstance(function, type)
    if function is iter or (is_class and issubclass(function, Iterator)):
        return []
    if (facts := python_functions.of(function)).iterating:
        return args[facts.places(len(args))]
    return args[:1] if is_class and issubclass(function, Collection) and function is not str else []


def arguments(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None,
) -> list[Any]:
    """The arguments of a builtin, those that it iterates as what they are iterated as."""
    facts = python_functions.of(function)
    where = facts.places(len(args))
    found = args[where]
    if not found:
        return args
    if facts.any_order and "key" not in kwargs:
        whole = facts.any_order == "whole numbers"
        others = [*args[:where.start or 0], *args[len(args[:where.stop]):], *kwargs.values()]
        if not whole or all(is_whole(a) for a in others):
            found = [unordered(e, whole, a, node, frame) for a in found]
    return [*args[:where.start or 0], *[iterated(e, a, node, frame) for a in found], *args[len(args[:where.stop]):]]


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of Python's or of the program."""
    return isinstance(value, int) or (isinstance(value, Var) and isinstance(value.object, (Bool, Int)))
