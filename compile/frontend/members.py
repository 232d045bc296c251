"""Members of an enumeration that is one or another when the program runs: objects with the name and the value.

>>> import enum
>>> Mode = enum.Enum("Mode", ["ON", "OFF"])
>>> as_object(Mode.ON).fields, is_member(Mode.ON), is_member(1)
({'name': 'ON', 'value': 1}, True, False)
"""

from __future__ import annotations

import enum
import types
from functools import lru_cache
from typing import Any

from ccc.compile.frontend.values import ListValue, RecordValue
from ccc.compile.program.lam import Var
from ccc.objects import List, Object, Product, Record


class Member:
    """The classes of such objects are below this one; `__ccc_class__` is the enumeration."""

    __slots__ = ()
    __ccc_class__: type[enum.Enum]
    __ccc_number__: bool
    """Whether they are whole numbers besides."""


@lru_cache(maxsize=1024)
def class_for(cls: type[enum.Enum]) -> type[Member]:
    """The class of the objects that stand for members, with the methods and properties of the enumeration."""
    every = {name for base in enum.IntEnum.__mro__ for name in vars(base)}
    found = {name: part for base in reversed(cls.__mro__) if base not in enum.IntEnum.__mro__
             for name, part in vars(base).items() if isinstance(part, types.FunctionType | property)
             and name not in every}
    return type(cls.__name__, (Member,), {**found, "__ccc_class__": cls, "__module__": cls.__module__,
                                             "__ccc_number__": issubclass(cls, int)})


def is_member(value: Any) -> bool:
    """True for members of enumerations that are no flags, reals or texts besides, known or not."""
    if isinstance(value, RecordValue):
        return issubclass(value.cls, Member)
    return isinstance(value, enum.Enum) and not isinstance(value, enum.Flag | float | str)


def enumeration(value: Any) -> Any:
    """The enumeration of a member."""
    return value.cls.__ccc_class__ if isinstance(value, RecordValue) else type(value)


def alike(a: Any, b: Any) -> bool:
    """True for two members of one enumeration."""
    return is_member(a) and is_member(b) and enumeration(a) is enumeration(b)


def as_object(value: Any) -> RecordValue:
    """A member as such an object."""
    if isinstance(value, RecordValue):
        return value
    return RecordValue(class_for(type(value)), {"name": value.name, "value": value.value})


def name_of(value: Any) -> Any:
    """The name of a member: a text, known or not."""
    return value.fields["name"] if isinstance(value, RecordValue) else value.name


def holds(value: Any) -> bool:
    """True for values with a member in them that is not known."""
    if isinstance(value, Var):
        return inside(value.object)
    if isinstance(value, RecordValue):
        return is_member(value) or any(map(holds, value.fields.values()))
    return any(map(holds, value.items if isinstance(value, ListValue) else value if isinstance(value, tuple) else ()))


def inside(a: Object) -> bool:
    """True for the objects of what has members in it."""
    if isinstance(a, Record) and issubclass(a.cls, Member):
        return True
    return any(map(inside, a.parts)) if isinstance(a, Product) else isinstance(a, List) and inside(a.item)
