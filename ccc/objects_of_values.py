"""The objects of values: the type that a Python value inhabits.

>>> object_of((1.0, np.zeros((3, 1))))
Product((Real('float'), Array('float64', ('n', '1'))))
>>> print(object_of({"a": 1.0, "b": 2}))
dict{a: R, b: int}

That of a tree does not depend on its shape (`ccc.coproducts`):

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
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ccc.coproducts import NONE, Found, NoSum, join, joined_alternatives, joined_parts, order, sum_of, with_texts
from ccc.errors import UnknownObject
from ccc.nones import Nones, is_nones
from ccc.objects import (
    BOOL,
    INT,
    ITSELF,
    REAL,
    TEXT,
    UNIT,
    Array,
    Bool,
    Coproduct,
    Int,
    List,
    Object,
    Product,
    Real,
    Record,
    Source,
    Space,
    Static,
    array,
)
from ccc.records import names_of, taken_apart
from ccc.recursive_classes import group_of, join_group, recursive_fields
from ccc.registered import is_container
from ccc.sources import is_source
from ccc.spaces import space_of


@lru_cache(maxsize=256)
def _axis_names(shape: tuple[int, ...]) -> tuple[str, ...]:
    return tuple("1" if size == 1 else "n" for size in shape)


def _object_of_array(value: np.ndarray[Any, Any]) -> Object:
    if value.dtype.kind == "c":
        return _object_of_complex(value)
    if value.dtype.kind not in "fiub":
        names = value.dtype.names
        fields = f", and each field as an array of its own: `a[{names[0]!r}]`" if names else ""
        mend = f"give an array of a real dtype{fields}"
        raise UnknownObject(f"arrays of dtype {value.dtype} are not supported", mend)
    shape: tuple[int, ...] = value.shape
    return array(value.dtype.name, _axis_names(shape))


def _object_of_generic(value: np.generic) -> Object:
    kind = value.dtype.kind
    if kind == "f":
        return Real(value.dtype.name)
    if kind in "iu":
        return Int(value.dtype.name)
    if kind == "b":
        return Bool("bool_")
    if kind == "c":
        return _object_of_complex(value)
    raise UnknownObject(f"NumPy scalars of dtype {value.dtype} are not supported", "give a real number")


def _object_of_complex(value: Any) -> Object:
    found = taken_apart(value)
    assert found is not None
    return _record(*found)


def _object_of_list(value: Any) -> Object:
    if value and all([type(item) is str for item in value]):
        return List(TEXT)
    parts = [object_of(item) for item in value]
    item = common(parts) if parts else UNIT
    return Record(tuple(parts), list, tuple(range(len(parts)))) if item is None else List(item)


SHORT = 64
"""How many items lists may have that are read item by item where arrays among them differ in their number of axes."""


def common(parts: Sequence[Object]) -> Object | None:
    """The type of the items of a list; None for one that is read item by item: they have none, or the list is short and
    their type would not say how many axes its arrays have, though each of them says so.

    >>> from ccc.objects import Array
    >>> common([REAL, INT]), common([REAL, Product((REAL, REAL))]), common([REAL, Array("float64", ("n",))])
    (Real('float'), None, None)
    """
    joined: Object | None = parts[0]
    for part in parts[1:]:
        joined = None if joined is None else join(with_texts(joined, part), with_texts(part, joined))
    if joined is None and all(isinstance(part, (Record, Coproduct)) or part == Static(None) for part in parts):
        try:
            joined = sum_of(parts)
        except NoSum:
            return None
    unknown = joined is not None and not is_ranked(joined) and all(map(is_ranked, parts))
    return None if unknown and len(parts) <= SHORT else joined


def is_ranked(a: Object) -> bool:
    """Whether the arrays among the values of an object all have a known number of axes."""
    if isinstance(a, Array):
        return a.axes is not None
    inner = a.alternatives if isinstance(a, Coproduct) else a.parts if isinstance(a, Product) else (
        (a.item,) if isinstance(a, List) else ())
    return all(map(is_ranked, inner))


def _object_of_record(value: Any) -> Object | None:
    found = taken_apart(value)
    if found is None:
        return None
    cls, names, parts = found
    if cls is not dict and not is_container(cls):
        a = None if group_of(cls) is not None else object_of_plain(cls, lambda: _record(cls, names, parts))
        return a or object_of_recursive(value) or _record(cls, names, parts)
    return _record(cls, names, parts)


def _record(cls: type, names: tuple[Any, ...], parts: tuple[Any, ...]) -> Object:
    static = dict(names_of(cls) or ()) if cls is not dict else {}
    pairs = zip(names, parts, strict=True)
    return Record(tuple([_object_of_field(x, static.get(name, False)) for name, x in pairs]), cls, names)


def _object_of_field(value: Any, static: bool) -> Object:
    if is_nones(value):
        return Static(Nones.of(value.shape))
    return Static(value) if static or isinstance(value, bool) else object_of(value)


_BY_TYPE: dict[type, Callable[[Any], Object]] = {
    float: lambda _: REAL,
    int: lambda _: INT,
    bool: lambda _: BOOL,
    complex: _object_of_complex,
    Fraction: lambda _: Real("fraction"),
    np.ndarray: _object_of_array,
    tuple: lambda value: Product(tuple(object_of(part) for part in value)),
    list: _object_of_list,
    range: lambda _: List(INT),
}


COMPUTED = (int, float, complex, np.ndarray)
"""The classes of numbers and arrays, of which a class of a user's may compute otherwise."""


def object_of(value: Any) -> Object:
    """The object that a Python value inhabits.

    >>> object_of(2.0), object_of(3), object_of(np.float32(1)), object_of([1.0, 2.0])
    (Real('float'), Int('int'), Real('float32'), List(Real('float')))

    Raises `UnknownObject` for arrays of objects.
    """
    known = _BY_TYPE.get(type(value))
    if known is not None:
        return known(value)
    if isinstance(value, np.generic):
        return _object_of_generic(value)
    if isinstance(value, np.memmap):
        return _object_of_array(value)  # it computes as any array does
    if isinstance(value, COMPUTED) and not isinstance(value, Enum):
        raise _otherwise(value, next(kind for kind in COMPUTED if kind in type(value).__mro__))
    found = _object_of_record(value)
    if found is not None:
        return found
    if isinstance(value, tuple) and type(value).__getitem__ is not tuple.__getitem__:
        raise _otherwise(value, tuple)
    if is_source(value):
        return Source(type(value))
    return Space(type(value)) if space_of(value) is not None else Static(value)


def _otherwise(value: Any, base: type) -> UnknownObject:
    name = "an array" if base is np.ndarray else f"{'an' if base is int else 'a'} {base.__name__}"
    mend = "np.asarray(x)" if base is np.ndarray else f"{base.__name__}(x)"
    if type(value).__module__.startswith("numpy.ma"):
        mend = "x.data and x.mask, and leave out what is masked: np.sum(data, where=~mask)"
    return UnknownObject(f"a {type(value).__name__} is {name} that may compute otherwise", f"give {mend}")


def real_class(cls: type) -> type:
    """Make objects of a class real numbers, which terms may be called with: Python computes on them.

    >>> @real_class
    ... class Metres(float):
    ...     pass
    >>> object_of(Metres(2.0))
    Real('float')
    """
    _BY_TYPE[cls] = lambda _: REAL
    return cls


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
    table: dict[Any, Object] = {}
    seen: set[int] = set()
    path: set[int] = set()
    group = group_of(type(value))
    assert group is not None
    nodes = _Nodes(group.members, table, [value])
    while nodes.todo:
        here = nodes.todo.pop()
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
        nodes.todo.append(_Left(id(here)))
        cls, a = nodes.alternative(here)
        old = table.get(cls)
        joined = a if old is None or old == a else joined_alternatives(old, a, table)
        if joined is None:
            raise NoSum(f"objects of the class `{cls.__name__}` in one structure have parts of different types: "
                        f"{old} and {a}")
        table[cls] = joined
    return Coproduct(tuple(sorted(table.values(), key=order)))


class _Nodes:
    """The nodes of a tree that are still to be visited, and the alternatives of its sum that were found so far."""

    def __init__(self, members: Iterable[type], table: dict[Any, Object], todo: list[Any]) -> None:
        self.members = members
        self.table = table
        self.todo = todo

    def alternative(self, node: Any) -> tuple[type, Object]:
        """The class of a node, and the alternative that it is; its parts of the same sum are visited later."""
        found = taken_apart(node)
        assert found is not None
        cls, names, parts = found
        expected = recursive_fields(cls)
        objects = [self.part(x, n in expected) for n, x in zip(names, parts, strict=True)]
        return cls, Record(tuple(objects), cls, names)

    def part(self, x: Any, expected: bool) -> Object:
        """The object of a part; one of the whole sum is `expected` where a field says so."""
        kind = type(x)
        if kind is float:
            return REAL
        if kind in self.members:
            self.todo.append(x)
            return ITSELF
        if x is None:
            if not expected:
                return NONE
            self.table[type(None)] = NONE
            return ITSELF
        if kind is bool:
            return BOOL
        if kind is list:
            return self.listed([self.part(item, expected) for item in x], expected)
        if kind is tuple:
            return Product(tuple([self.part(item, expected) for item in x]))
        inner = taken_apart(x)
        if inner is None:
            return object_of(x)
        if expected and kind is not dict:
            raise Found(kind)
        return Record(tuple([self.part(item, False) for item in inner[2]]), inner[0], inner[1])

    def listed(self, items: list[Object], expected: bool) -> Object:
        """A list of what its items have in common, or a tuple where they have nothing."""
        if not items:
            return List(ITSELF if expected else UNIT)
        found: Object | None = items[0]
        for item in items[1:]:
            found = None if found is None else joined_parts(found, item, self.table)
        return Product(tuple(items)) if found is None else List(found)
