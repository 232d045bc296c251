"""Sums as types: what a tree, a linked list or a value that may be None is, whatever its shape.

    Tree  =  Leaf{value: R} | Node{left: ..., right: ...}

`...` is the whole sum. The alternatives are told apart at run time by their Python types, so a sum needs no tags of
its own, and to inject a value is to leave it as it is. Records of one group (`ccc.recursive_classes`) are alternatives
of one sum.

>>> from dataclasses import dataclass
>>> @dataclass
... class Link:
...     __module__ = "__main__"
...     value: float
...     rest: "Link | None" = None
>>> print(object_of(Link(1.0, Link(2.0))))
None | Link{value: R, rest: ...}
>>> object_of(Link(1.0)) == object_of(Link(1.0, Link(2.0, Link(3.0))))
True
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ccc.errors import CCCError, UnknownObject
from ccc.objects import (
    BOOL,
    ITSELF,
    UNIT,
    Array,
    Bool,
    Coproduct,
    Int,
    Itself,
    List,
    Object,
    Product,
    Real,
    Record,
    Static,
    join,
    object_of,
    of_shape,
)
from ccc.records import Code, taken_apart
from ccc.recursive_classes import Group, group_of, join_group, recursive_fields
from ccc.wording import in_words

NONE = Static(None)


class NoSum(CCCError, TypeError):
    """Objects that no sum can hold, since they could not be told apart at run time."""


class Found(Exception):
    """A class belongs to a group, which annotations do not say."""

    def __init__(self, cls: type) -> None:
        super().__init__()
        self.cls = cls


def group_in(a: Object) -> Group | None:
    """The group of a record or of a sum of records."""
    if isinstance(a, Record):
        return None if a.cls is dict else group_of(a.cls)
    if isinstance(a, Coproduct):
        return next((found for found in map(group_in, a.alternatives) if found is not None), None)
    return None


def tag_of(a: Object) -> Any:
    """How the values of an alternative are told from those of others: a class, or the name of a kind of values."""
    if isinstance(a, Record):
        return a.cls
    if a == NONE:
        return type(None)
    kinds: list[tuple[Any, str]] = [(Bool | Int | Real, "number"), (Array, "array"), (List, "list"), (Product, "tuple")]
    for kind, name in kinds:
        if isinstance(a, kind):
            return name
    raise NoSum(f"a value that is {in_words(a)} cannot be told from others at run time")


def _order(a: Object) -> tuple[int, str, int]:
    if not isinstance(a, Record):
        return 0, str(tag_of(a)), 0
    made = a.cls.__serial__ if issubclass(a.cls, Code) else 0
    return 1, f"{a.cls.__qualname__} of {a.cls.__module__}", made


def sum_of(objects: Sequence[Object]) -> Coproduct:
    """The least sum with these alternatives; sums among them give theirs.

    Raises `NoSum` where two of them cannot be told apart or joined.
    """
    while True:
        try:
            return _sum_of(objects)
        except Found as found:
            join_group(next((g for g in map(group_in, objects) if g is not None), None), found.cls)


def _sum_of(objects: Sequence[Object]) -> Coproduct:
    todo = list(objects)
    group = next((found for found in map(group_in, todo) if found is not None), None)
    table: dict[Any, Object] = {}

    def folded(a: Object) -> Object:
        """The object of a part, with the sum in its place."""
        if group is not None and group_in(a) is group:
            todo.append(a)
            return ITSELF
        if isinstance(a, List):
            return List(folded(a.item))
        if isinstance(a, Product):
            return of_shape(a, tuple(map(folded, a.parts)))
        return a

    while todo:
        a = todo.pop()
        if isinstance(a, Coproduct):
            todo += a.alternatives
            continue
        tag = tag_of(a)
        if isinstance(a, Record) and group is None and any(holds(part, a.cls) for part in a.parts):
            for cls in [a.cls, *beside(a.parts, a.cls)]:
                join_group(group_of(a.cls), cls)
            raise Found(a.cls)
        if isinstance(a, Record):
            parts = [nullable(a.cls, name, folded(part), table) for name, part in zip(a.names, a.parts, strict=True)]
            a = of_shape(a, tuple(parts))
        old = table.get(tag)
        if old is not None and old != a:
            joined = _joined_alternatives(old, a, table)
            if joined is None:
                raise NoSum(f"no type holds both {in_words(old)} and {in_words(a)}")
            a = joined
        table[tag] = a
    return Coproduct(tuple(sorted(table.values(), key=_order)))


def holds(a: Object, cls: type) -> bool:
    """True where values of an object may hold one of a class."""
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    inside = (a.item,) if isinstance(a, List) else inside
    return (isinstance(a, Record) and a.cls is cls) or any(holds(part, cls) for part in inside)


def beside(objects: Sequence[Object], cls: type) -> list[type]:
    """The classes that stand beside a class in the sums among the parts of an object."""
    found: list[type] = []
    for a in objects:
        if isinstance(a, Coproduct) and holds(a, cls):
            found += [b.cls for b in a.alternatives if isinstance(b, Record)]
        elif isinstance(a, Product):
            found += beside(a.parts, cls)
        elif isinstance(a, List):
            found += beside((a.item,), cls)
    return found


def nullable(cls: type, name: str, part: Object, table: dict[Any, Object]) -> Object:
    """None where the annotation expects one of the group is the sum, which has None among its alternatives then."""
    if part == NONE and name in recursive_fields(cls):
        table[type(None)] = NONE
        return ITSELF
    return part


def _joined_alternatives(a: Object, b: Object, table: dict[Any, Object]) -> Object | None:
    """The join of two alternatives with one tag; None beside the sum becomes an alternative."""
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        parts = [_joined_parts(x, y, table) for x, y in zip(a.parts, b.parts, strict=True)]
        found = tuple([p for p in parts if p is not None])
        return of_shape(a, found) if len(found) == len(parts) else None
    return join(a, b)


def _joined_parts(a: Object, b: Object, table: dict[Any, Object]) -> Object | None:
    if {a, b} == {ITSELF, NONE}:
        table[type(None)] = NONE
        return ITSELF
    for one, other in ((a, b), (b, a)):
        for alternative in other.alternatives if isinstance(other, Coproduct) else (other,):
            if isinstance(one, Itself) and isinstance(alternative, Record) and alternative.cls is not dict:
                raise Found(alternative.cls)
    if isinstance(a, List) and isinstance(b, List) and UNIT not in (a.item, b.item):
        item = _joined_parts(a.item, b.item, table)
        return None if item is None else List(item)
    if isinstance(a, Product) and isinstance(b, Product):
        return _joined_alternatives(a, b, table) if type(a) is type(b) else None
    return join(a, b)


def join_sums(a: Object, b: Object) -> Object | None:
    """The join of two objects one of which is a sum or a record of a group; None where there is none."""
    if isinstance(a, Itself) or isinstance(b, Itself):
        return a if a == b else None
    related = (of_functions(a) and of_functions(b)) or group_in(a) is group_in(b) or NONE in (a, b)
    if not related and not any(isinstance(x, Coproduct) and y in x.alternatives for x, y in ((a, b), (b, a))):
        return None
    try:
        return sum_of((a, b))
    except NoSum:
        return None


def of_functions(a: Object) -> bool:
    """True for functions as values: records of what they captured, and sums of them."""
    alternatives = a.alternatives if isinstance(a, Coproduct) else (a,)
    return all(isinstance(one, Record) and issubclass(one.cls, Code) for one in alternatives)


def unfolded(a: Object, whole: Coproduct) -> Object:
    """`a` with the whole sum in the place of `ITSELF`."""
    if isinstance(a, Itself):
        return whole
    if isinstance(a, List):
        return List(unfolded(a.item, whole))
    if isinstance(a, Product):
        return of_shape(a, tuple([unfolded(part, whole) for part in a.parts]))
    return a


@lru_cache(maxsize=1024)
def alternatives(whole: Coproduct) -> dict[Any, Object]:
    """The alternatives of a sum by their tags, each with the sum itself where it holds one."""
    return {tag_of(a): unfolded(a, whole) for a in whole.alternatives}


# -- of values ---------------------------------------------------------------------------------------------------


class _Under(threading.local):
    """The classes of the records around the one whose object is being made."""

    def __init__(self) -> None:
        self.classes: list[type] = []


_under = _Under()


def object_of_plain(cls: type, make: Callable[[], Object]) -> Object | None:
    """What `make` gives for a record of a class without a group; None where it turns out to have one."""
    under = _under.classes
    if cls in under:
        for inner in under[under.index(cls):]:
            join_group(group_of(cls), inner)
        raise Found(cls)
    under.append(cls)
    try:
        return make()
    except Found:
        if group_of(cls) is None:
            raise
        return None
    finally:
        under.pop()


class _Left:
    """Marks that an object and all that it holds was visited."""

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        self.key = key


def object_of_recursive(value: Any) -> Coproduct | None:
    """The sum that a tree inhabits; None where no sum holds all its nodes. These are visited one after the other,
    however deep it is."""
    while True:
        try:
            return _object_of_tree(value)
        except NoSum:
            return None
        except Found as found:
            join_group(group_of(type(value)), found.cls)


def _object_of_tree(value: Any) -> Coproduct:
    group = group_of(type(value))
    assert group is not None
    members = group.members
    table: dict[Any, Object] = {}
    seen: set[int] = set()
    todo: list[Any] = [value]

    def part(x: Any, expected: bool) -> Object:
        kind = type(x)
        if kind is float:
            return _REAL
        if kind in members:
            todo.append(x)
            return ITSELF
        if x is None:
            if expected:
                table[type(None)] = NONE
                return ITSELF
            return NONE
        if kind is bool:
            return BOOL
        if kind is list:
            items = [part(item, expected) for item in x]
            if not items:
                return List(ITSELF if expected else UNIT)
            found: Object | None = items[0]
            for item in items[1:]:
                found = None if found is None else _joined_parts(found, item, table)
            return Product(tuple(items)) if found is None else List(found)
        if kind is tuple:
            return Product(tuple([part(item, expected) for item in x]))
        inner = taken_apart(x)
        if inner is not None and expected and kind is not dict:
            raise Found(kind)
        if inner is not None:
            return Record(tuple([part(item, False) for item in inner[2]]), inner[0], inner[1])
        return object_of(x)

    path: set[int] = set()
    while todo:
        here = todo.pop()
        if isinstance(here, _Left):
            path.discard(here.key)
            continue
        if id(here) in path:
            raise UnknownObject(f"an object of the class `{type(here).__name__}` holds itself: structures with cycles "
                                "are not supported", "give the parts that are differentiated as trees or lists")
        if id(here) in seen:
            continue
        seen.add(id(here))
        path.add(id(here))
        todo.append(_Left(id(here)))
        found = taken_apart(here)
        assert found is not None
        cls, names, parts = found
        expected = recursive_fields(cls)
        a: Object = Record(tuple([part(x, n in expected) for n, x in zip(names, parts, strict=True)]), cls, names)
        old = table.get(cls)
        if old is None:
            table[cls] = a
        elif old != a:
            joined = _joined_alternatives(old, a, table)
            if joined is None:
                raise NoSum(f"objects of the class `{cls.__name__}` in one structure have parts of different types: "
                            f"{old} and {a}")
            table[cls] = joined
    return Coproduct(tuple(sorted(table.values(), key=_order)))


_REAL = Real("float")
__all__ = ["NONE", "NoSum", "alternatives", "join_sums", "object_of_recursive", "sum_of", "tag_of"]
