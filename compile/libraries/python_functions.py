"""What `functools` makes of functions, as objects: they are read as the classes of users are.

>>> double = Cached(lambda n: 2 * n)
>>> double(3), double(3), double.found
(6, 6, {(3,): 6})
"""

from __future__ import annotations

import functools
from typing import Any

from ccc.compile.frontend.decorated import computed_anew
from ccc.compile.frontend.numpy_functions.table import definition_of


class Compared:
    """What a key of `functools.cmp_to_key` makes of an item, of which `<` alone is asked."""

    def __init__(self, compare: Any, item: Any) -> None:
        self.compare = compare
        self.item = item

    def __lt__(self, other: Any) -> Any:
        return self.compare(self.item, other.item) < 0


@definition_of(functools.cmp_to_key)
def cmp_to_key(mycmp: Any) -> Any:
    return lambda item: Compared(mycmp, item)


class Cached:
    """What `functools.cache` makes of a function. With a real number among the arguments it is computed anew: two that
    are equal by chance have derivatives of their own."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.found = {}

    @property
    def __wrapped__(self) -> Any:
        return self.function

    def cache_clear(self) -> None:
        self.found = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        if computed_anew(self.function, args, named):
            return self.function(*args, **named)
        key = (*args, *named, *named.values())
        if key not in self.found:
            self.found[key] = self.function(*args, **named)
        return self.found[key]


def attribute_or(value: Any, name: str, default: Any) -> Any:
    """`getattr(value, name, default)` of an object whose class computes the attribute."""
    try:
        return getattr(value, name)
    except AttributeError:
        return default


def computes_attribute(value: Any, name: str) -> bool:
    """`hasattr(value, name)` of such an object: it is computed."""
    try:
        getattr(value, name)
    except AttributeError:
        return False
    return True


def attribute_of_several(names: Any, value: Any, name: Any, *default: Any) -> Any:
    """`getattr(value, name, ...)` where the name is one of some.

    >>> attribute_of_several(("real", "imag"), 2j, "imag")
    2.0
    """
    if len(names) == 1 or name == names[0]:
        return getattr(value, names[0], *default)
    return attribute_of_several(names[1:], value, name, *default)


def put_one_of_several(names: Any, value: Any, name: Any, new: Any) -> None:
    """`setattr(value, name, new)` where the name is one of some."""
    if len(names) == 1 or name == names[0]:
        setattr(value, names[0], new)
    else:
        put_one_of_several(names[1:], value, name, new)
