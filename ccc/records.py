"""Records as Python has them: objects, named tuples, dicts. What their parts are, and new ones of the same class.

The parts of a dataclass are its fields, those of an object of any other class of a user's are its attributes. A new
object is made without calling `__init__`: the cotangent of a record is a record, but need not be a valid one.

>>> from typing import NamedTuple
>>> class Point(NamedTuple):
...     x: float
...     y: float
>>> made(Point, ("x", "y"), (1.0, None))
Point(x=1.0, y=None)
>>> taken_apart({"a": 1.0, 2: 3})
(<class 'dict'>, ('a', 2), (1.0, 3))
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import count
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from ccc.errors import UnknownObject
from ccc.handed_out import HandedOut
from ccc.nones import Nones
from ccc.paired import PAIRS, complex_of, is_complex, pair_class
from ccc.registered import below_container, registered
from ccc.spaces import is_space, space_of


class Code:
    """Base of the classes whose objects stand for a function of a program: they hold what the function captured.
    `__serial__` counts the classes, whose names may be the same."""

    __serial__: ClassVar[int] = 0

    def __init_subclass__(cls) -> None:
        cls.__serial__ = next(_classes)


_classes = count(1)


HEAP = 1 << 9  # of `__flags__`: the class was made while the program ran
EXCEPTION = 1 << 30  # of `__flags__`: the class is one of exceptions
KEYS = (str, int, float, bool, bytes, types.NoneType)


@lru_cache(maxsize=1024)
def names_of(cls: type) -> tuple[tuple[str, bool], ...] | None:
    """The fields of a class of records and whether each is static; None for other classes."""
    if issubclass(cls, tuple):
        fields: Any = getattr(cls, "_fields", None)
        return None if not isinstance(fields, tuple) else tuple([(name, False) for name in fields])  # type: ignore[misc]
    ours = cls.__module__.partition(".")[0] == "ccc" and not hasattr(cls, "__ccc_record__")
    if not dataclasses.is_dataclass(cls) or ours:
        return None
    return tuple([(f.name, bool(f.metadata.get("static", False))) for f in dataclasses.fields(cls)])


APART = frozenset({"ccc", "numpy", "scipy", *sys.stdlib_module_names})
"""The libraries whose objects mean what these say, whatever their attributes are."""


def is_plain(cls: type) -> bool:
    """Whether an object of a class is what its attributes are: of a class of the user's, written in Python, with no
    state but these, that is no array, no vector space and no enumeration.

    >>> class Model:
    ...     __module__ = "__main__"
    >>> is_plain(Model), is_plain(types.SimpleNamespace), is_plain(float), is_plain(type("Weight", (float,), {}))
    (True, True, False, False)
    """
    return _is_plain(cls) and not is_space(cls) and registered(cls) is None


@lru_cache(maxsize=1024)
def _is_plain(cls: type) -> bool:
    if cls is types.SimpleNamespace or cls is getattr(sys.modules.get("argparse"), "Namespace", None):
        return True
    same = cls.__new__ is object.__new__ and cls.__getattribute__ is object.__getattribute__
    if cls is object or hasattr(cls, "__array__") or not same:
        return False
    written = [base for base in cls.__mro__[:-1] if vars(base).get("__slots__") != () or base is cls]
    called = [vars(base)["__call__"] for base in cls.__mro__ if "__call__" in vars(base)]
    if called and isinstance(called[0], types.WrapperDescriptorType):  # a function of Cython's
        return False
    return all([bool(base.__flags__ & HEAP) for base in cls.__mro__[:-1]]) and not any(map(_is_apart, written))


def _is_apart(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in APART


def attributes_of(value: Any) -> tuple[str, ...]:
    """The names of the attributes that an object of a plain class has, but those of Python and what properties cache.

    >>> class Point:
    ...     __slots__ = ("x", "y")
    >>> point = Point()
    >>> point.y = 1.0
    >>> attributes_of(point)
    ('y',)
    """
    cls = type(value)
    own: Any = getattr(value, "__dict__", {})
    if not slots_of(cls) and all([own.keys().isdisjoint(base.__dict__) for base in cls.__mro__]):
        return tuple([name for name in own if not (name[:2] == "__" and name[-2:] == "__")])  # as most objects are
    names = dict.fromkeys(slots_of(cls)) | own
    found: list[str] = []
    for name in names:
        hidden = written_in(cls, name)
        slot = isinstance(hidden, types.MemberDescriptorType)
        if (slot and not hasattr(value, name)) or isinstance(hidden, (cached_property, property)):
            continue
        if stands_before(hidden):
            raise UnknownObject(f"`{name}` of an object stands behind a descriptor of its class {cls.__name__}",
                                KEPT_ELSEWHERE)
        if not (name.startswith("__") and name.endswith("__")):
            found.append(name)
    return tuple(found)


def written_in(cls: type, name: str) -> Any:
    """What a class or one of its bases defines under a name, no descriptor of it asked; None for what none does.

    >>> class Point:
    ...     x = property(abs)
    >>> written_in(Point, "x"), written_in(Point, "y")
    (<property object at ...>, None)
    """
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


KEPT_ELSEWHERE = 'let the descriptor keep it under another name: `setattr(obj, "_" + self.name, value)`'


def stands_before(found: Any) -> bool:
    """True for what a class defines that is asked before the attributes of its objects: a property, or a descriptor
    that is read and set by functions in Python.

    >>> stands_before(property(abs)), stands_before(cached_property(abs)), stands_before(1.0)
    (True, False, False)
    """
    own: Any = type(found)
    return isinstance(found, property) or (
        hasattr(own, "__get__") and isinstance(getattr(own, "__set__", None), types.FunctionType))


@lru_cache(maxsize=1024)
def slots_of(cls: type) -> tuple[str, ...]:
    """The names in `__slots__` of a class and its bases, as its objects have them."""
    return tuple([name for base in reversed(cls.__mro__) for name, x in vars(base).items()
                  if isinstance(x, types.MemberDescriptorType)])


UNCHANGING = frozenset({"datetime", "fractions", "json", "re", "textwrap", "typing"})
"""The modules of Python's library whose functions give the same for the same arguments, and whose objects never change:
those that are compared by what they are and have a hash, or that are their own copies. What `decimal` gives goes by a
context, which may change."""


def is_unchanging(value: Any) -> bool:
    """True for an object of Python's library that is what it was made as, and for an array of None.

    >>> import datetime, re
    >>> is_unchanging(datetime.date(2024, 1, 1)), is_unchanging(re.match("a", "a"))
    (True, True)
    >>> is_unchanging(re.compile), is_unchanging([])
    (False, False)
    """
    cls = type(value)
    if cls is Nones:
        return True
    if cls.__module__ not in UNCHANGING or cls.__hash__ is None:
        return False
    return cls.__eq__ is not object.__eq__ or copy.copy(value) is value


def is_struct_sequence(value: Any) -> bool:
    """True for a tuple of constants with names that Python makes in C, and that never changes.

    >>> is_struct_sequence(sys.float_info), is_struct_sequence((1.0, 2.0))
    (True, False)
    """
    return isinstance(value, tuple) and hasattr(type(value), "n_sequence_fields") and all(map(is_key, value))


def is_key(key: Any) -> bool:
    """True for constant keys of dicts: strings, numbers, None, dates, members of enumerations, tuples of them."""
    if type(key) is tuple:
        return all(map(is_key, key))  # type: ignore[reportUnknownVariableType]
    return type(key) in KEYS or isinstance(key, (np.generic, enum.Enum)) or is_unchanging(key)


def _is_discrete(key: Any) -> bool:
    """Whether a constant key has nothing that could be differentiated."""
    inside: Any = key
    return all(map(_is_discrete, inside)) if type(key) is tuple else type(key) in (str, int, bool, bytes, type(None))


def taken_apart(value: Any) -> tuple[type, tuple[Any, ...], tuple[Any, ...]] | None:
    """The class, names and parts of a record, of a complex number too; None for what is none."""
    cls: type = type(value)
    if is_complex(value):
        return pair_class(), ("real", "imag"), (value.real, value.imag)
    if cls is dict:
        return (dict, tuple(value), tuple(value.values())) if all(map(is_key, value)) else None
    if issubclass(cls, set) and not all(map(_is_discrete, value)):
        return None
    if (known := registered(cls) or (None if cls is list else below_container(cls))) is not None:
        parts = known.parts(value)
        return cls, tuple(parts), tuple(parts.values())
    names = names_of(cls)
    if names is None and is_plain(cls):
        plain = attributes_of(value)
        return cls, plain, tuple([getattr(value, name) for name in plain])
    if names is None or (not issubclass(cls, tuple) and not all([hasattr(value, name) for name, _ in names])):
        return None
    if len(getattr(value, "__dict__", ())) > len(names):
        refuse_hidden(value, [name for name, _ in names])
    return cls, tuple([name for name, _ in names]), tuple([getattr(value, name) for name, _ in names])


def apart_as(cls: type, value: Any) -> tuple[type, tuple[Any, ...], tuple[Any, ...]] | None:
    """The class, names and parts of what is given for a record of a class: a real number may be for a complex one, and
    a tuple is for one of unknown length.

    >>> import ccc
    >>> from ccc.handed_out import Tuple
    >>> apart_as(ccc.Complex, 2.0)[2], apart_as(Tuple, (1.0, 2.0))[2], apart_as(dict, 2.0)
    ((2.0, 0.0), ([1.0, 2.0],), None)
    """
    if issubclass(cls, HandedOut):
        parts = cls.taken(value)
        return None if parts is None else (cls, (*parts,), (*parts.values(),))
    real = cls in PAIRS and isinstance(value, (int, float, np.number, np.ndarray))
    return taken_apart(value + 0j if real else value)


def class_in_words(cls: type) -> str:
    """The class of a record as messages call it."""
    return "complex number" if cls in PAIRS else cls.said if issubclass(cls, HandedOut) else cls.__name__


def refuse_hidden(value: Any, names: Sequence[str]) -> None:
    """Raise `UnknownObject` for an object with an attribute, beside its fields, that hides one of its class: what is
    read of it is read of the class."""
    cls = type(value)
    for name in vars(value):
        found = written_in(cls, name)
        if name not in names and found is not None and not isinstance(found, cached_property):
            raise UnknownObject(f"`{name}` of an object hides that of its class {cls.__name__}", "make it a field")


_plain: WeakKeyDictionary[type, tuple[Any, ...]] = WeakKeyDictionary()
"""Classes that are no records of Python of which programs have made objects, and the attributes of these."""


def inside(value: Any) -> tuple[type, tuple[Any, ...], tuple[Any, ...]] | None:
    """The class, names and parts of what is a record in a program: one of Python, or an object of any other class that
    the program has made.

    >>> class Point:
    ...     pass
    >>> inside(2.0), inside(made(Point, ("x",), (1.0,)))[1:]
    (None, (('x',), (1.0,)))
    """
    found = taken_apart(value)
    if found is not None or not _plain:
        return found
    names = tuple([name for name in _plain.get(type(value), ()) if hasattr(value, name)])
    return (type(value), names, tuple([getattr(value, name) for name in names])) if names else None


def is_sum_of_parts(value: Any) -> bool:
    """Whether values of a class are added part by part: not where it has a sum of its own, unless it is a record of
    Python or programs have made objects of it, which are cotangents."""
    if inside(value) is None:
        return False
    cls: type = type(value)
    declared = cls is dict or names_of(cls) is not None or registered(cls) is not None
    return declared or cls in _plain or not hasattr(cls, "__add__")


def is_keyed(cls: type) -> bool:
    """Whether records of a class are read by keys: dicts, or by places: lists whose items have no common type."""
    return cls is dict or cls is list


def path_to(cls: type, name: Any) -> str:
    """How Python writes the way to a part of a record of a class.

    >>> path_to(dict, "a"), path_to(list, 0), path_to(types.SimpleNamespace, "a")
    ("['a']", '[0]', '.a')
    """
    return f"[{name!r}]" if is_keyed(cls) else f".{name}"


def part_of(value: Any, cls: type, name: Any) -> Any:
    """One part of a record, by its name or key."""
    if (known := registered(cls)) is not None:
        return known.parts(value)[name]
    return value[name] if is_keyed(cls) else getattr(value, name)


def part_if_any(value: Any, name: Any) -> Any:
    """One part of a record; None where that is None or there is no record, as in the cotangent of what nothing reads.

    >>> part_if_any({"a": 1.0}, "a"), part_if_any([1.0, None], 0), part_if_any(0.0, "a")
    (1.0, 1.0, None)
    """
    return part_of(value, type(value), name) if type(value) is list or inside(value) is not None else None


def made(cls: type, names: Sequence[Any], parts: Sequence[Any]) -> Any:
    """A record of this class with these parts; no code of the class runs unless it was registered with some."""
    if cls is dict:
        return dict(zip(names, parts, strict=True))
    if cls is list:
        return list(parts)
    if issubclass(cls, HandedOut):
        return cls.give(*parts)
    if (known_class := registered(cls)) is not None:
        return known_class.from_parts(**dict(zip(names, parts, strict=True)))
    if cls in PAIRS and (number := complex_of(*parts)) is not None:
        return number
    if issubclass(cls, tuple):
        return tuple.__new__(cls, parts)
    if names_of(cls) is None:
        stood_for = getattr(cls, "__ccc_stands_for__", None)
        if stood_for is not None and (found := stood_for(*parts)) is not None:
            return found
    record: Any = bare(cls, names)(cls)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(record, name, part)
    return record


def bare(cls: type, names: Sequence[Any]) -> Callable[[type], Any]:
    """What makes a record of a class without its attributes, which are to have these names."""
    if names_of(cls) is None:
        known = _plain.get(cls, ())
        _plain[cls] = (*known, *[name for name in names if name not in known])
    new: Any = object.__new__ if cls.__flags__ & (HEAP | EXCEPTION) == HEAP else cls.__new__
    return new


def has_attributes(cls: type) -> bool:
    """Whether a record of a class is a bare one that is given its parts as attributes, and nothing else.

    >>> has_attributes(dict), has_attributes(tuple), has_attributes(type("Model", (), {}))
    (False, False, True)
    """
    others = (dict, list, tuple, HandedOut)
    stands = names_of(cls) is None and getattr(cls, "__ccc_stands_for__", None) is not None
    return not (issubclass(cls, others) or registered(cls) is not None or cls in PAIRS or stands)


def of_parts(cls: type, names: Sequence[Any], *parts: Any) -> Any:
    """The same with the parts as arguments.

    >>> of_parts(dict, ("a", "b"), 1.0, 2.0)
    {'a': 1.0, 'b': 2.0}
    """
    return made(cls, names, parts)


def strangers(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """The places in a structure, starting from `path`, of containers with numbers that are no structures, and what they
    are: objects of subclasses of tuple, dicts with keys that are no constants.

    >>> Pair = type("Pair", (tuple,), {})
    >>> list(strangers([1.0, Pair([2.0])], "x")), list(strangers({"a": 1.0}, "x"))
    ([('x[1]', 'a Pair')], [])
    """
    todo = [(value, path)]
    while todo:
        here, path = todo.pop()
        kind: type = type(here)
        if kind is float or (kind is list and {*map(type, here)} == {float}):
            continue
        if kind is tuple or kind is list:
            todo += [(part, f"{path}[{i}]") for i, part in enumerate(here)][::-1]
        elif (found := taken_apart(here)) is not None:
            static = dict(names_of(kind) or ()) if kind is not dict else {}
            todo += [(part, path + path_to(kind, name))
                     for name, part in zip(found[1], found[2], strict=True) if not static.get(name, False)][::-1]
        elif isinstance(here, (dict, list, tuple)) and space_of(here) is None and holds_number(here):
            yield path, "a dict with keys that are no constants" if kind is dict else f"a {kind.__name__}"


def arrays_of_others(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """The places in a structure, starting from `path`, of what is no array of NumPy but gives one, and its class.

    >>> class Column:
    ...     def __array__(self):
    ...         return np.ones(2)
    >>> list(arrays_of_others([1.0, {"a": Column()}], "x"))
    [("x[1]['a']", 'Column')]
    """
    todo = [(value, path)]
    while todo:
        here, path = todo.pop()
        kind: type = type(here)
        if kind is float or kind is np.ndarray or (kind is list and {*map(type, here)} == {float}):
            continue
        if kind is tuple or kind is list:
            todo += [(part, f"{path}[{i}]") for i, part in enumerate(here)][::-1]
        elif (found := taken_apart(here)) is not None:
            todo += [(part, path + path_to(kind, name))
                     for name, part in zip(found[1], found[2], strict=True)][::-1]
        elif hasattr(kind, "__array__") and not isinstance(here, (np.ndarray, np.generic)):
            yield path, kind.__name__


def holds_number(value: Any) -> bool:
    """Whether there is a number in a container of any class."""
    if isinstance(value, (bool, np.bool_)):
        return False
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiuc"
    if isinstance(value, (int, float, np.number)):
        return True
    inside = value.values() if isinstance(value, dict) else parts_of(value) or ()
    return any(map(holds_number, inside))


def like(value: Any, parts: Sequence[Any]) -> Any:
    """A tuple, list or record as `value` is one, with other parts."""
    if type(value) is tuple or type(value) is list:
        return type(value)(parts)  # type: ignore[reportUnknownVariableType]
    found = inside(value)
    return tuple(parts) if found is None else made(found[0], found[1], parts)


ARRAYS: set[type] = {np.ndarray}
"""Classes of arrays, which have no parts; those of other libraries are entered as they are met."""


def parts_of(value: Any) -> tuple[Any, ...] | list[Any] | None:
    """The parts of a tuple, list or record; None for everything else."""
    kind = type(value)
    if kind is tuple or kind is list:
        return value
    if kind is float or kind is int or kind is types.NoneType or (kind in ARRAYS and not is_complex(value)):
        return None
    found = inside(value)
    if found is not None:
        return found[2]
    return value if isinstance(value, (tuple, list)) else None


def _beside(other: Any, here: Any, parts: Sequence[Any]) -> Sequence[Any]:
    """What `other` has where the parts of `here` are: in a dict at their keys, elsewhere in their order."""
    if type(here) is dict and type(other) is dict:
        return [other.get(key) for key in here]  # type: ignore[reportUnknownVariableType]
    return parts_of(other) or [None] * len(parts)


def is_no_leaf(x: Any) -> bool:
    """False: what has parts is no leaf."""
    return False


def mapped(leaf: Callable[..., Any], x: Any, *others: Any, ends: Callable[[Any], bool] = is_no_leaf) -> Any:
    """`x` with `leaf` of each of its leaves and of what the others have there, None where they have nothing; of any
    depth. What `ends` is true of is a leaf too.

    >>> mapped(lambda a, b: (a, b), [1.0, (2.0,)], [3.0, None])
    [(1.0, 3.0), ((2.0, None),)]
    """
    made: list[Any] = []
    todo: list[tuple[Any, Any, int]] = [(x, others, -1)]
    while todo:
        here, beside, count = todo.pop()
        if count >= 0:
            found = made[len(made) - count:]
            del made[len(made) - count:]
            made.append(like(here, found))
            continue
        parts = None if ends(here) else parts_of(here)
        if parts is None:
            made.append(leaf(here, *beside))
            continue
        todo.append((here, None, len(parts)))
        inner = [_beside(other, here, parts) for other in beside]
        todo += [(parts[i], [given[i] for given in inner], -1) for i in reversed(range(len(parts)))]
    return made[0]
