"""Users' classes below Python's containers, which are made in C: they are read with a class that is written in Python
in the place of the container (`libraries.python_below`).

>>> class Path(list):
...     def ends(self):
...         return self[0], self[-1]
>>> mirror = read_for(Path)
>>> mirror([1, 2, 3]).ends(), mirror.__ccc_class__ is Path, mirror is read_for(Path)
((1, 3), True, True)
>>> Path.ends = lambda self: self[0]
>>> mirror is read_for(Path)
False
"""

from __future__ import annotations

import abc
import types
import weakref
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import is_installed
from ccc.compile.frontend.numpy_functions.table import class_read_for, of_python

STANDS: dict[type, type] = {}
"""The class that stands for one of Python's in the bases of users' classes."""
READ: weakref.WeakKeyDictionary[type, tuple[Any, type]] = weakref.WeakKeyDictionary()
"""Of each class of users: what it and its bases said when it was read, and the class that is read for it."""
OF_C = (types.MethodDescriptorType, types.WrapperDescriptorType)
OF_LAYOUT = (types.MemberDescriptorType, types.GetSetDescriptorType)
NOT_ITS_OWN = ("__dict__", "__weakref__", "__slots__", "__abstractmethods__", "_abc_impl")


def stands_below(original: type) -> Callable[[type], type]:
    """Enter a class as what users' classes below one of Python's are read with."""

    def enter(cls: type) -> type:
        STANDS[original] = cls
        return cls

    return enter


def read_for(cls: Any) -> Any:
    """The class that is read in place of one of Python's, or of a user's below such a one; None for others."""
    if not isinstance(cls, type) or not issubclass(cls, list | dict) or type(cls) not in (type, abc.ABCMeta):
        return class_read_for(cls)
    if is_installed(cls):
        return class_read_for(cls)
    of_python("below")
    bases = [base for base in cls.__mro__ if base not in STANDS and base is not object and not is_installed(base)]
    said = [(base, name, found) for base in bases for name, found in vars(base).items()]
    known = READ.get(cls)
    if known is not None and len(known[0]) == len(said) and all(
            a is b for one, other in zip(known[0], said, strict=True) for a, b in zip(one, other, strict=True)):
        return known[1]
    made = mirrored(cls)
    if made is not None:
        READ[cls] = said, made
    return made


def mirrored(cls: type) -> Any:
    """A class that says what a user's says, over what stands for the container; None where it makes its objects itself.
    """
    if "__new__" in vars(cls) or "__init_subclass__" in vars(cls):
        return None
    bases = [STANDS.get(base) or (read_for(base) if issubclass(base, list | dict) else base) for base in cls.__bases__]
    if None in bases:
        return None
    own = {name: in_python(found) for name, found in vars(cls).items()
           if name not in NOT_ITS_OWN and not isinstance(found, OF_LAYOUT)}
    return type(cls)(cls.__name__, tuple(bases), {**own, "__ccc_class__": cls})


def in_python(found: Any) -> Any:
    """What stands for a method of Python's own containers; anything else itself.

    >>> of_python("below") and in_python(dict.get).__qualname__
    'Table.get'
    """
    stands = STANDS.get(found.__objclass__) if isinstance(found, OF_C) else None
    return found if stands is None else getattr(stands, found.__name__, found)


def written(function: Any, cls: Any) -> Any:
    """What a method of Python's own containers is for objects of a class that is read for one below them, as
    `dict.__setitem__` in its methods; None where it is none."""
    stands = STANDS.get(function.__objclass__) if isinstance(function, OF_C) else None
    return getattr(stands, function.__name__, None) if stands is not None and stands in cls.__mro__ else None


def original(cls: type, name: str) -> type:
    """The class of the user that says what `name` is, of one that is read for it; any other class itself."""
    found: Any = vars(cls).get("__ccc_class__")
    return found if found in READ and name in vars(found) else cls


def own_filling(cls: type) -> list[str]:
    """What a class below a container has of its own by which Python fills a copy of an object."""
    if vars(cls).get("__ccc_class__") not in READ or any("__copy__" in vars(base) for base in bases_of_users(cls)):
        return []
    return [name for name in ("append", "__setitem__") if any(name in vars(base) for base in bases_of_users(cls))]


def bases_of_users(cls: type) -> list[type]:
    """The classes of users among those of one that is read for them."""
    ours = [*STANDS.values(), object]
    return [base for base in cls.__mro__ if base not in ours and not base.__module__.startswith("ccc.compile.")]


def place_in(mro: tuple[type, ...], cls: type) -> int:
    """Where a class stands in an order of classes, or what is read for it."""
    return next(i for i, base in enumerate(mro) if base is cls or vars(base).get("__ccc_class__") is cls)
