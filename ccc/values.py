"""Classes of values: made once, compared by what they hold, and never changed, which types say and nothing else checks.

A frozen dataclass checks it at each assignment, its own first ones too. Terms, which users hold, are `checked` so;
their types are made by the million, and by the compiler alone.

These classes are written as dataclasses are, and `dataclasses` knows their fields. It would compile each of their
methods by itself, though, also those of classes of which a program makes no object, and that was a fifth of the time to
load the project: here the methods of a class are one text, compiled when the first of them is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field, make_dataclass
from functools import cached_property
from inspect import get_annotations
from typing import Any, NoReturn, TypeVar, dataclass_transform

C = TypeVar("C")

FIELDS = "__dataclass_fields__"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(*, eq: bool = True, repr: bool = True, checked: bool = False) -> Callable[[type[C]], type[C]]:
    """A decorator of a class whose objects are values; with `eq=False` the class says itself when two are equal. Those
    of a `checked` one raise `FrozenInstanceError` where an attribute is assigned.

    >>> @value(repr=False)
    ... class Axis:
    ...     name: str
    ...     size: int = field(default=1, compare=False)
    >>> Axis("n") == Axis("n", 2), len({Axis("n"), Axis("n"), Axis("m")}), Axis.__slots__
    (True, 2, ('name', 'size'))
    """
    return lambda cls: _made(cls, eq, repr, checked)


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def slotted(cls: type[C]) -> type[C]:
    """A decorator of a class whose objects may change, and of which each is equal to itself alone.

    >>> @slotted
    ... class Count:
    ...     of: str
    ...     times: int = 0
    >>> Count("x") == Count("x"), Count("x", 2).times
    (False, 2)

    Where a field has a factory, each object has its own.

    >>> @slotted
    ... class Names:
    ...     seen: list[str] = field(default_factory=list)
    >>> Names().seen is Names().seen, Names(["x"]).seen
    (False, ['x'])
    """
    return _made(cls, eq=False, repr=False, checked=False)


class Fields:
    """The fields of a class as `dataclasses` has them, which are made when it asks.

    >>> import dataclasses
    >>> @value(checked=True)
    ... class Point:
    ...     x: float
    ...     y: float = 0.0
    >>> [f.name for f in dataclasses.fields(Point)], dataclasses.replace(Point(1.0), y=2.0)
    (['x', 'y'], Point(x=1.0, y=2.0))
    """

    def __init__(self, types: dict[str, Any], given: dict[str, Field[Any]]) -> None:
        self.types = types
        self.given = given
        self.made: dict[str, Field[Any]] = {}

    def __get__(self, _: Any, cls: type) -> dict[str, Field[Any]]:
        if not self.made:
            form = [(name, of, self.given[name]) for name, of in self.types.items()]
            self.made = getattr(make_dataclass(cls.__name__, form, init=False, repr=False, eq=False), FIELDS)
        return self.made


def _made(cls: type[C], eq: bool, repr: bool, checked: bool) -> type[C]:
    """A class with slots for the names that it annotates, a dictionary where it has cached properties, and the methods
    of a dataclass that it does not write."""
    own = get_annotations(cls)
    types, given = dict[str, Any](), dict[str, Field[Any]]()
    for base in reversed(cls.__mro__[1:]):
        if isinstance(found := base.__dict__.get(FIELDS), Fields):
            types |= found.types
            given |= found.given
    types |= own
    for name in own:
        default = cls.__dict__.get(name, MISSING)
        given[name] = default if isinstance(default, Field) else field(default=default)
    kept = {name: x for name, x in cls.__dict__.items() if name not in (*own, "__dict__", "__weakref__")}
    cached = any([isinstance(x, cached_property) for x in kept.values()])
    slots = (*own, "__dict__") if cached and not any([base.__dictoffset__ for base in cls.__bases__]) else tuple(own)
    later = [name for name in (("__init__", "__eq__", "__hash__") if eq else ("__init__",)) if name not in kept]

    def written(name: str) -> Callable[..., Any]:
        """The method of this name, for which all are compiled when it is first called."""

        def first(self: Any, *args: Any, **kwargs: Any) -> Any:
            for each, method in _methods(made, given, eq, checked).items():
                if each in later:
                    setattr(made, each, method)
            return made.__dict__[name](self, *args, **kwargs)

        return first

    methods = {name: written(name) for name in later}
    if repr:
        methods["__repr__"] = _shown_by([name for name, f in given.items() if f.repr])
    if checked:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse, "__setstate__": _restore}
    made: Any = type(cls)(cls.__name__, cls.__bases__, methods | kept | {
        "__slots__": slots, "__match_args__": tuple([name for name, f in given.items() if f.init]),
        FIELDS: Fields(types, given),
    })  # fmt: skip
    made.__qualname__ = cls.__qualname__
    return made


def _methods(cls: type, given: dict[str, Field[Any]], eq: bool, checked: bool) -> dict[str, Any]:
    """The methods of a class that speak of its fields by name."""
    taken = [name if f.default is MISSING is f.default_factory else f"{name}=_given['{name}'].default"
             for name, f in given.items() if f.init]
    lines = [f"def __init__({', '.join(['self', *taken])}):", " pass"]
    for name, f in given.items():
        if f.init or f.default_factory is not MISSING:
            anew = f"_given['{name}'].default_factory()"
            given_or_anew = f"{anew} if {name} is _none else {name}" if f.init else anew
            x = name if f.default_factory is MISSING else given_or_anew
            lines.append(f" _put(self, '{name}', {x})" if checked else f" self.{name} = {x}")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    if eq:
        mine = "".join([f"self.{name}, " for name, f in given.items() if f.compare])
        lines += ["def __eq__(self, other):", " if other.__class__ is not self.__class__:", "  return NotImplemented",
                  f" return ({mine}) == ({mine.replace('self.', 'other.')})",
                  "def __hash__(self):", f" return hash(({mine}))"]
    scope: dict[str, Any] = {"__name__": cls.__module__, "_given": given, "_none": MISSING, "_put": object.__setattr__}
    exec("\n".join(lines), scope)
    methods = {name: scope[name] for name in ("__init__", "__eq__", "__hash__") if name in scope}
    for name, method in methods.items():
        method.__qualname__ = f"{cls.__qualname__}.{name}"
    return methods


def _shown_by(names: list[str]) -> Callable[[Any], str]:
    def shown(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return shown


def _refuse(self: Any, name: str, *_: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field {name!r}")


def _restore(self: Any, state: tuple[None, dict[str, Any]]) -> None:
    """What copying and unpickling do with the state of an object that has slots."""
    for name, x in state[1].items():
        object.__setattr__(self, name, x)
