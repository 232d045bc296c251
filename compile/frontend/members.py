"""Members of an enumeration that is one or another when the program runs: objects with the name and the value.

While the program runs, such an object is the member itself.

>>> import enum
>>> Mode = enum.Enum("Mode", ["ON", "OFF"])
>>> as_object(Mode.ON).fields, is_member(Mode.ON), is_member(1)
({'name': 'ON', 'value': 1}, True, False)
"""

from __future__ import annotations

import enum
import operator
import types
from functools import lru_cache
from typing import Any

from ccc.compile.frontend.values import ListValue, RecordValue, number_chosen
from ccc.compile.program.lam import Var
from ccc.objects import List, Object, Product, Record, is_discrete
from ccc.objects_of_values import common, object_of


class Member:
    """The classes of such objects are below this one; `__ccc_class__` is the enumeration."""

    __slots__ = ()
    __ccc_class__: type[enum.Enum]
    __ccc_number__: bool
    """Whether they are whole numbers or texts besides, which are their values."""

    @classmethod
    def __ccc_stands_for__(cls, name: Any, value: Any = None) -> enum.Enum | None:
        """The member with this name; None of a cotangent, which has no name."""
        return cls.__ccc_class__.__members__.get(name)


@lru_cache(maxsize=1024)
def class_for(cls: type[enum.Enum]) -> type[Member]:
    """The class of the objects that stand for members, with the methods and properties of the enumeration."""
    bases = (*enum.IntEnum.__mro__, *enum.StrEnum.__mro__)
    every = {name for base in bases for name in vars(base)}
    found = {name: part for base in reversed(cls.__mro__) if base not in bases
             for name, part in vars(base).items() if isinstance(part, (types.FunctionType, property))
             and name not in every}
    return type(cls.__name__, (Member,), {**found, "__ccc_class__": cls, "__module__": cls.__module__,
                                             "__ccc_number__": issubclass(cls, (int, str))})


def is_member(value: Any) -> bool:
    """True for members of enumerations that are no flags or reals besides, known or not."""
    if isinstance(value, RecordValue):
        return issubclass(value.cls, Member)
    return isinstance(value, enum.Enum) and not isinstance(value, (enum.Flag, float))


def is_chosen(value: Any) -> bool:
    """True for members that are not known."""
    return isinstance(value, RecordValue) and is_member(value)


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
    fields = {"name": value.name, "value": value.value} if are_of_one_type(type(value)) else {"name": value.name}
    return RecordValue(class_for(type(value)), fields)


@lru_cache(maxsize=1024)
def are_of_one_type(cls: type[enum.Enum]) -> bool:
    """Whether the values of all members have a type in common, and are discrete: reals have tangents, and would not be
    keys. These are read by the names."""
    if all(isinstance(m.value, str) for m in cls):
        return True
    found = common([object_of(m.value) for m in cls])
    return found is not None and is_discrete(found)


def by_name(value: RecordValue, attribute: str) -> dict[str, Any] | None:
    """An attribute of each member of the enumeration of one that is not known, by their names; None where it is no
    value that each of them has."""
    cls = enumeration(value)
    if attribute in value.fields or hasattr(value.cls, attribute) or not all(hasattr(m, attribute) for m in cls):
        return None
    found = {m.name: getattr(m, attribute) for m in cls}
    return None if any(map(callable, found.values())) else found


def as_objects(value: Any) -> Any:
    """A value in which known members, in tuples too, are such objects."""
    if type(value) is tuple:
        parts = tuple(map(as_objects, value))
        return value if all(map(operator.is_, parts, value)) else parts
    return as_object(value) if is_member(value) else value


def plain_beside(a: Any, b: Any) -> tuple[Any, Any]:
    """Two values that are compared, where a known member of texts beside one of the program is its text."""
    one, other = [plain(x) if isinstance(x, str) and isinstance(y, Var) else x for x, y in ((a, b), (b, a))]
    return one, other


def plain(value: Any) -> Any:
    """The number or text that a member is besides; anything else as it is."""
    if isinstance(value, enum.Enum) and isinstance(value, (int, str)):
        return value.value
    return number_chosen(value)


def asked(value: Any, name: str) -> Any:
    """What an attribute is asked of: a member of the program that lacks it is the number or text that it is besides."""
    return value if name in value.fields or hasattr(value.cls, name) else number_chosen(value)


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
