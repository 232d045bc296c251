"""What a program depends on outside of it: hidden arguments, and what guards the code."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

from ccc.compile.frontend.captures import Reader
from ccc.compile.program.lam import Tree


class Hidden:
    """A number or array that the function reads from outside: an argument that is read anew at each call."""

    __slots__ = ("key", "name", "read", "tree")

    def __init__(self, name: str, read: Reader, tree: Tree, key: Any = None) -> None:
        self.key = key
        self.name = name
        self.read = read
        self.tree = tree


class Guard:
    """Something known that the program was compiled for; it is valid as long as `read` still gives it for the function
    that is called. `again` reads the hidden argument of which this is the type; `steady` reads something that never
    changes, of which this is a fact. What the form of a function tells (`ccc.compile.frontend.captures`) is
    `formal`."""

    __slots__ = ("again", "formal", "read", "steady", "value")

    def __init__(
        self, read: Reader, value: Any, again: Reader | None = None, formal: bool = False, steady: Reader | None = None
    ) -> None:
        self.read = read
        self.value = value
        self.again = again
        self.formal = formal
        self.steady = steady


MISSING = object()
CONSTANT = int | str | bool | tuple | types.MethodType | types.BuiltinMethodType


def same(a: Any, b: Any) -> bool:
    """True for constants of one class that are equal, and for methods of one object, made anew where they are read."""
    return type(a) is type(b) and isinstance(a, CONSTANT) and a == b


def changed(guards: Iterable[Guard], function: Any) -> Iterator[tuple[Reader, Any, Any]]:
    """What is not as it was when a program was made of a function of this form: its reader, what it was, what it is."""
    for guard in guards:
        if not guard.formal:
            try:
                found = guard.read(function)
            except Exception:  # what cannot be read has changed, so the program is made anew
                found = MISSING
            if found is not guard.value and not same(found, guard.value):
                yield guard.read, guard.value, found
