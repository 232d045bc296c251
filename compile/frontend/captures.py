"""What functions capture: by it closures of one code share what is compiled for them.

    form(function, own)   equal for functions that differ in captured values only, and what it depends on
    inner(value)          the functions that a value holds, each with how it is reached
    Root, Free, Within    readers: of the function itself, of a variable that it captures, of a part of something
    field_of, shape_of    a part of a record, and which parts it has

A form is a picture of the functions that can be reached from one through what it captures: of each its code, its
globals, and which of them, and of their variables, are the same. Numbers, arrays and all else that is captured are not
in it: a program reads these anew, from the function that it is called for.

>>> def scaled(k):
...     return lambda x: k * x
>>> form(scaled(2.0), ())[0] == form(scaled(3.0), ())[0], form(scaled(scaled), ())[0] == form(scaled(3.0), ())[0]
(True, False)
>>> Free(Root(), 0)(scaled(5.0))
5.0
"""

from __future__ import annotations

import functools
import sys
import types
import weakref
from collections.abc import Callable, Collection, Iterator
from keyword import iskeyword
from typing import Any, Protocol

from ccc.records import attributes_of, is_keyed, is_plain, names_of, part_of, taken_apart
from ccc.registered import registered
from ccc.values import value

FEW = 16
"""The longest list or tuple that is searched for functions."""
MANY = 128
"""Behind so many functions and variables, functions are not looked into."""


# -- readers -----------------------------------------------------------------------------------------------------


class Place(Protocol):
    """Where the text of a reader stands: what the function is called there, which it is if that is known, and names of
    other objects."""

    root: str
    known: Any

    def name(self, x: Any) -> str: ...


class Reader(Protocol):
    """Reads something from outside, of the function that a program is called for; `rooted` where it starts at that
    function."""

    @property
    def rooted(self) -> bool: ...

    def __call__(self, root: Any, /) -> Any: ...

    def moves(self, root: Any) -> bool:
        """True where what is read may be another thing later, though all else that readers of this function read is the
        same."""
        ...

    def text(self, place: Place) -> str: ...


@value()
class Root:
    """Reads the function that a program is called for."""

    rooted = True

    def __call__(self, root: Any) -> Any:
        return root

    def moves(self, root: Any) -> bool:
        return False

    def text(self, place: Place) -> str:
        return place.root


@value()
class Free:
    """Reads a variable that a function captures, by its number."""

    function: Any
    index: int

    @property
    def rooted(self) -> bool:
        return self.function.rooted

    def __call__(self, root: Any) -> Any:
        return self.function(root).__closure__[self.index].cell_contents

    def moves(self, root: Any) -> bool:
        return True

    def text(self, place: Place) -> str:
        if place.known is None:
            return f"{self.function.text(place)}.__closure__[{self.index}].cell_contents"
        return f"{place.name(self.function(place.known).__closure__[self.index])}.cell_contents"


@value()
class Within:
    """Reads a part of something, by a function of it and a label; `written` of the function says how Python writes
    that, None where a call has to."""

    owner: Any
    part: Callable[[Any, Any], Any]
    label: Any

    @property
    def rooted(self) -> bool:
        return self.owner.rooted

    def __call__(self, root: Any) -> Any:
        return self.part(self.owner(root), self.label)

    def moves(self, root: Any) -> bool:
        return isinstance(self.owner(root), (list, types.FunctionType))

    def text(self, place: Place) -> str:
        owner, written = self.owner.text(place), getattr(self.part, "written", None)
        found = written(owner, self.label) if written is not None else None
        return found or f"{place.name(self.part)}({owner}, {place.name(self.label)})"


def shape_of(value: Any, label: Any = None) -> Any:
    """The class and names of a record, and what its class was registered with, which says where its parts are."""
    cls = type(value)
    if names_of(cls) is None and is_plain(cls):
        return cls, attributes_of(value), None
    found = taken_apart(value)
    return None if found is None else (*found[:2], registered(found[0]))


def field_of(value: Any, field: Any) -> Any:
    """A part of a record, which is of the class that it had."""
    return part_of(value, *field)


def written_field(owner: str, field: Any) -> str | None:
    """How Python writes a part of a record whose attributes are its parts; None for others.

    >>> written_field("a", (types.SimpleNamespace, "x")), written_field("a", (types.SimpleNamespace, "\\ufb01"))
    ('a.x', None)
    """
    cls, name = field
    plain = not is_keyed(cls) and registered(cls) is None and isinstance(name, str) and name.isidentifier()
    return f"{owner}.{name}" if plain and name.isascii() and not iskeyword(name) else None  # the parser changes others


field_of.written = written_field  # type: ignore[attr-defined]


@value()
class CodeOf:
    """Reads the code of a function, which reloading in a notebook replaces."""

    function: Any

    @property
    def rooted(self) -> bool:
        return self.function.rooted

    def __call__(self, root: Any) -> Any:
        return self.function(root).__code__

    def moves(self, root: Any) -> bool:
        return True

    def text(self, place: Place) -> str:
        return f"{self.function.text(place)}.__code__"


class Fixed:
    """Reads what is the same for all functions."""

    __slots__ = ("value",)
    rooted = False

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fixed) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __call__(self, root: Any) -> Any:
        return self.value

    def moves(self, root: Any) -> bool:
        return False

    def text(self, place: Place) -> str:
        return place.name(self.value)


class Entry:
    """Reads a name of a namespace."""

    __slots__ = ("name", "space")
    rooted = False

    def __init__(self, space: dict[str, Any], name: str) -> None:
        self.space = space
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and self.space is other.space and self.name == other.name

    def __hash__(self) -> int:
        return hash((id(self.space), self.name))

    def __call__(self, root: Any) -> Any:
        return self.space[self.name]

    def moves(self, root: Any) -> bool:
        return True

    def text(self, place: Place) -> str:
        return f"{place.name(self.space)}[{self.name!r}]"


def item(owner: Any, index: Any) -> Any:
    """A reader's part: an item."""
    return owner[index]


def keyword(owner: Any, name: Any) -> Any:
    """A reader's part: an argument that `functools.partial` was given by name."""
    return owner.keywords[name]


# -- functions and what holds them -------------------------------------------------------------------------------


def inner(value: Any) -> list[tuple[Callable[[Any, Any], Any], Any, Any]] | None:
    """The parts of a value that is a function, or may hold functions, each with how it is read; None for other values.

    >>> [(label, part) for _, label, part in inner((abs, 1.0))], inner(1.0), inner(len)
    ([(0, <built-in function abs>), (1, 1.0)], None, None)
    """
    kind = type(value)
    if kind is types.FunctionType:
        return []
    if kind is tuple or kind is list:
        return [(item, i, part) for i, part in enumerate(value)] if len(value) <= FEW else None
    if kind is types.MethodType:
        return [(getattr, "__func__", value.__func__), (getattr, "__self__", value.__self__)]
    if kind is functools.partial:
        named = [(keyword, name, part) for name, part in value.keywords.items()]
        return [(getattr, "func", value.func), (getattr, "args", value.args), *named]
    if hasattr(kind, "__ccc_form__"):
        return [(getattr, "function", value.function)]
    return None


def functions(value: Any, reader: Any) -> Iterator[tuple[Any, Any]]:
    """The functions, methods and transforms that a value is or holds, each with its reader."""
    parts = inner(value)
    if parts is None:
        return
    if type(value) is not tuple and type(value) is not list:
        yield value, reader
    for how, label, part in parts:
        yield from functions(part, Within(reader, how, label))


class Seen:
    """The functions and variables that a form has met, and the objects whose addresses are in it."""

    __slots__ = ("held", "met", "own")

    def __init__(self, own: Collection[Any]) -> None:
        self.own = own
        self.met: dict[int, int] = {}
        self.held: list[Any] = []

    def address(self, value: Any) -> int:
        self.held.append(value)
        return id(value)

    def before(self, value: Any) -> int | None:
        """The number of something that was met before, or None."""
        found = self.met.get(id(value))
        if found is None:
            self.met[id(value)] = len(self.met)
        return found


def form(function: Any, own: Collection[Any]) -> tuple[Any, list[Any]]:
    """The form of a function, and the objects whose addresses stand in it; functions that are in `own` are like no
    other."""
    seen = Seen(own)
    found = of_value(function, seen)
    return (found if found is not None else ("only", seen.address(function))), seen.held


def watched(x: Any, ended: Callable[[Any], None]) -> Any:
    """What keeps an address in a key true: the object, or a reference that says when it has ended."""
    try:
        return weakref.ref(x, functools.partial(told, sys.is_finalizing, ended))
    except TypeError:
        return x


def told(is_over: Callable[[], bool], ended: Callable[[Any], None], reference: Any) -> None:
    """Say that an object has ended, unless Python itself ends: the names of modules are None by then."""
    if not is_over():
        ended(reference)


def of_value(value: Any, seen: Seen) -> Any:
    """The form of a captured value; None for one that is no function and holds none."""
    kind = type(value)
    if kind is float or kind is int or kind is str:
        return None
    if kind is types.FunctionType:
        return of_function(value, seen)
    parts = inner(value)
    if parts is None:
        return None
    if kind is tuple or kind is list:
        known = seen.before(value)
        if known is not None:
            return known
        found = [of_value(part, seen) for _, _, part in parts]
        return (kind, *found) if any(part is not None for part in found) else None
    found = [of_value(part, seen) for _, _, part in parts]
    if found[0] is None:  # a function of a library
        found[0] = seen.address(parts[0][2])
    if kind is types.MethodType:
        owner = value.__self__
        read = type(value.__func__) is types.FunctionType and taken_apart(owner) is not None
        return (kind, *found, seen.address(type(owner) if read else owner))
    if kind is functools.partial:
        return (kind, *found, *value.keywords)
    return (kind, value.__ccc_form__(), *found)


def of_function(function: types.FunctionType, seen: Seen) -> Any:
    """The form of a function of Python: of its code, its globals, and what it captures."""
    known = seen.before(function)
    if known is not None:
        return known
    if function.__dict__ or function in seen.own or len(seen.met) > MANY:
        return "only", seen.address(function)
    found: list[Any] = [seen.address(function.__code__), seen.address(function.__globals__)]
    for cell in function.__closure__ or ():
        known = seen.before(cell)
        if known is not None:
            found.append(known)
            continue
        try:
            value = cell.cell_contents
        except ValueError:
            found.append("empty")
            continue
        found.append(of_value(value, seen))
    if function.__defaults__:
        found.append(tuple([of_value(x, seen) for x in function.__defaults__]))
    if function.__kwdefaults__:
        found.append(tuple([(name, of_value(x, seen)) for name, x in function.__kwdefaults__.items()]))
    return tuple(found)
