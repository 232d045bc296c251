"""Tuples, named tuples, objects and dicts as their parts, and what their classes define."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from ccc.compile.diagnostics import without_value
from ccc.compile.frontend import absences
from ccc.compile.frontend.regions import class_behind, is_reference, one_class
from ccc.compile.frontend.values import ITEMS, ListValue, Mutable, RecordValue, Unbound
from ccc.compile.program.lam import Node, Tree, Var, like
from ccc.objects import Array, Coproduct, List, Map, Object, Product, Record, Static
from ccc.objects_of_values import common, object_of
from ccc.primitives import structure
from ccc.records import Code, is_keyed
from ccc.registered import is_container, read_for

MISSING = dataclasses.MISSING


def shaped(a: Product, parts: Iterable[Any], shared: bool | str = False) -> Any:
    """The value that has these parts: a tuple, a named tuple, an object or a dict."""
    if not isinstance(a, Record):
        return tuple(parts)
    return of_class(a.cls, a.names, parts, shared)


def of_class(cls: type, names: tuple[Any, ...], parts: Iterable[Any], shared: bool | str = False) -> Any:
    """A named tuple, object or dict of these parts."""
    if issubclass(cls, Code):
        return cls.piece.opened(dict(zip(names, parts, strict=True)))  # type: ignore[attr-defined]
    if issubclass(cls, tuple):
        return Node.of(cls, names, parts)
    if cls is list:
        return ListValue(list(parts), shared)
    return RecordValue(cls, dict(zip(names, parts, strict=True)), shared)


def reopened(tree: Any) -> Any:
    """A list of parts as programs see it: one that is a record among the arguments of a program."""
    return ListValue(list(tree), "the caller") if isinstance(tree, Node) and tree.cls is list else tree


def object_in(value: Any) -> Object:
    """The object of a value while elaborating, of which the parts are variables or known."""
    if isinstance(value, Var):
        return value.object
    if isinstance(value, (Node, RecordValue)):
        names = value.names if isinstance(value, Node) else tuple(value.fields)
        return Record(tuple(map(object_in, parts_in(value) or ())), value.cls, names)
    return Product(tuple(map(object_in, value))) if isinstance(value, tuple) else object_of(value)


def item_by_item(items: Sequence[Any]) -> Node | None:
    """The record of the items of a list that have no common type, or of none; None for others."""
    mixed = not items or common([object_in(item) for item in items]) is None
    return Node.of(list, tuple(range(len(items))), items) if mixed else None


def part_names(name: str, a: Product) -> list[tuple[str, Object]]:
    """The parts of a product, each with the name of a variable for it."""
    labels = a.names if isinstance(a, Record) else range(len(a.parts))
    return [(f"{name}_{label}", part) for label, part in zip(labels, a.parts, strict=True)]


def leads_to(value: Any, a: Product, parts: Sequence[Any]) -> bool:
    """Whether the parts of a value are what its indices, keys or attributes give."""
    if not isinstance(a, Record):
        return type(value) is tuple
    if is_keyed(a.cls):
        return all(type(name) in (str, int) for name in a.names)
    return not is_container(a.cls) and all(
        isinstance(name, str) and getattr(value, name, MISSING) is part
               for name, part in zip(a.names, parts, strict=True))


def value_of_tree(tree: tuple[Any, ...], parts: Iterable[Any]) -> Any:
    """A tuple or record with the structure of a tree."""
    return of_class(tree.cls, tree.names, parts) if isinstance(tree, Node) else tuple(parts)


def mapped(value: Any, part: Callable[[Any, Any], Any]) -> Any:
    """A tuple, record or list with each part replaced; the function also gets its name or position."""
    if isinstance(value, ListValue):
        return ListValue([part(i, x) for i, x in enumerate(value.items)])
    if isinstance(value, RecordValue):
        return value.like([part(name, x) for name, x in value.fields.items()])
    names = value.names if isinstance(value, Node) else range(len(value))
    return like(value, [part(name, x) for name, x in zip(names, value, strict=True)])


def parts_in(value: Any) -> tuple[Any, ...] | None:
    """The parts of a tuple or record while elaborating; None for everything else."""
    if isinstance(value, RecordValue):
        return tuple(value.fields.values())
    return value if isinstance(value, tuple) else None


def items_in(value: Any) -> tuple[Any, ...] | None:
    """The parts of a tuple or record, or of a list whose items are known one by one; None for everything else."""
    return tuple(value.items) if isinstance(value, ListValue) else parts_in(value)


def contents_of(value: Any) -> tuple[str, type] | None:
    """The field with the contents of an object of a class below a container, and their class; None of others."""
    cls = class_behind(value.cls) if isinstance(value, (RecordValue, Node)) else object
    return getattr(cls, "__ccc_filled__", None)


def remade(value: Any, parts: Iterable[Any], seen: str) -> Any:
    """A tuple or record with other parts, which `seen` says who else may see."""
    if isinstance(value, RecordValue):
        made = value.like(parts, value.shared or seen)
        made.original = value
        return made
    return like(value, parts)


def same_names(a: Any, b: Any) -> bool:
    """True for two tuples, and for two records of one class with the same names."""
    if isinstance(a, RecordValue) and isinstance(b, RecordValue):
        return a.cls is b.cls and list(a.fields) == list(b.fields)
    return type(a) is type(b) and one_class(getattr(a, "cls", tuple), getattr(b, "cls", tuple))


def result_node(value: RecordValue, part: Callable[[Any], Tree]) -> Node:
    """A record in the result of a program."""
    return Node.of(value.cls, tuple(value.fields), map(part, value.fields.values()))


WRITTEN = frozenset({
    "__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__setattr__", "__delattr__",
    "__replace__",
})
"""The methods that `dataclass` may write."""


def generated(cls: type, name: str) -> bool:
    """True for methods of a class that `dataclass` has written, which have no source.

    >>> Point = dataclasses.make_dataclass("Point", ["x"])
    >>> generated(Point, "__init__"), generated(Point, "__repr__"), generated(Point, "__call__")
    (True, True, False)
    """
    owner = next((base for base in cls.__mro__ if name in base.__dict__), object)
    function = owner.__dict__.get(name)
    if name not in WRITTEN or "__dataclass_params__" not in owner.__dict__ or type(function) is not types.FunctionType:
        return False
    code = getattr(inspect.unwrap(function), "__code__", None)  # `__repr__` is wrapped, to end where objects lead back
    return code is not None and code.co_filename == "<string>"


def class_attribute(cls: type, name: str) -> Any:
    """What the class or a base defines under a name, as it stands there; `MISSING` where none does."""
    for base in cls.__mro__:
        if name in base.__dict__ and base not in (object, dict, tuple):
            return base.__dict__[name]
    absences.noted(cls, name)
    return MISSING


def defined(value: Any, name: str) -> bool:
    """True where the class of a record defines a special method, written by hand."""
    if not isinstance(value, (RecordValue, Node)):
        return False
    if is_reference(value) and class_behind(value.cls) in (list, dict):
        return False
    return class_defines(value.cls, name)


def class_defines(cls: type, name: str) -> bool:
    """True where a class of records defines a special method, written by hand."""
    found = class_attribute(class_behind(cls), name)
    if cls.__base__ is tuple and name in ("__getitem__", "__iter__", "__len__", "__eq__"):
        return isinstance(found, types.FunctionType)
    return (isinstance(found, types.FunctionType) and not generated(class_behind(cls), name)) or is_method(found)


def is_method(found: Any) -> bool:
    """True for what a class defines as a method that is no function of Python: a checkpoint, say."""
    return hasattr(type(found), "__ccc_inline__") and hasattr(type(found), "__get__")


def is_written(found: Any, name: str) -> bool:
    """True for what a class defines of which the own class has a special method that is written in Python."""
    return isinstance(class_attribute(type(found), name), types.FunctionType)


def is_object(a: Object) -> bool:
    """True for objects with attributes that can be assigned to, and for dicts with constant keys."""
    return isinstance(a, Record) and is_changeable_class(a.cls)


@lru_cache(maxsize=1024)
def is_changeable_class(cls: type) -> bool:
    """True for classes whose objects Python can change."""
    params: Any = getattr(cls, "__dataclass_params__", None)
    fixed = issubclass(cls, (tuple, Code)) or hasattr(cls, "__ccc_stands_for__")
    return not fixed and not (params is not None and params.frozen)


def changeable(a: Object) -> bool:
    """True for values that can be changed or that hold such values, objects among them."""
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    return isinstance(a, (Array, List, Map)) or is_object(a) or any(map(changeable, inside))


def opened(var: Var) -> Any:
    """An element that is a tuple, as a tuple of its parts; one that can be one thing only, as that."""
    a = var.object
    if isinstance(a, Static):
        return a.value
    if isinstance(a, Record):
        pairs = enumerate(zip(a.names, a.parts, strict=True))
        parts = [p.value if isinstance(p, Static) else opened(structure.field(var, cls=a.cls, name=n, index=i))
                 for i, (n, p) in pairs]
        found = shaped(a, parts, "the list")
        below = read_for(a.cls)
        if below is not None and isinstance(found, RecordValue):
            found.cls = below
            return found
        if isinstance(found, RecordValue) and is_object(a):
            found.whole = var
        return found
    if isinstance(a, Map):
        return RecordValue(dict, {ITEMS: var}, "another dict or list")
    if not isinstance(a, Product):
        return var
    return tuple([opened(structure.part(var, index=i)) for i in range(len(a.parts))])


class Variable:
    """The class of the records that stand for variables which inner functions write to."""

    __slots__ = ()


IN_A_LIST = "keep it in a list beside the function: `{0} = [...]`, `{0}[0]`"
"""What to write in place of an attribute that changes, of a function that is kept."""


def cell(name: str, value: Any) -> RecordValue:
    """A variable that inner functions write to: a record that changes."""
    return RecordValue(Variable, {name: value})


def is_cell(value: Any) -> bool:
    """True for such a variable."""
    return isinstance(value, RecordValue) and value.cls is Variable


def takes_attributes(value: Any) -> bool:
    """True for an object of a class, to which attributes may be added."""
    return isinstance(value, RecordValue) and value.cls is not dict and value.cls is not Variable


def refuse_without_value(value: RecordValue, place: Any) -> None:
    """Refuse as one value an object that has an attribute on some paths only."""
    for name, part in value.fields.items():
        if isinstance(part, Unbound):
            raise without_value(part, f".{name}", place)


def is_shared(value: Any) -> bool:
    """True for the place of a variable that functions share which are kept."""
    return is_reference(value) and class_behind(value.cls) is Variable


def seal(value: Any, who: str = "a list") -> None:
    """What a list, a dict or a function of the program holds does not change from now on; it may hold itself."""
    todo, seen = [value], set[int]()
    while todo:
        here = todo.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Mutable):
            here.shared = here.shared or who
        todo += (here.items if isinstance(here, ListValue) else parts_in(here)) or ()
