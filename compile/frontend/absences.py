"""Which names classes and modules did not define where a program was read: it was made for their absence.

What is read is guarded where it is read. A class that gets a `__bool__`, or an attribute that `hasattr` asked for,
changes what a program means although all that the program reads is as it was.

    noted(owner, name)    a name is looked up and not found, or found and not read
    noting()              where this is noted, of one reading
    guards(found)         what guards the code that is made of it

>>> class Point:
...     x = 1.0
>>> with noting() as found:
...     noted(Point, "y")
>>> guard, = guards(found).values()
>>> guard.read(None)
True
>>> Point.y = 2.0
>>> guard.read(None)
False
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ccc.compile.frontend.captures import Place
from ccc.compile.frontend.guards import Guard

Found = dict[int, tuple[Any, set[str]]]
IMMUTABLE = 1 << 8
"""The flag of classes that nothing can be added to, as those of Python are."""


class Readings(threading.local):
    """What the readings of this thread, of which one may be inside another, note."""

    def __init__(self) -> None:
        self.open: list[Found] = []


readings = Readings()


@contextmanager
def noting() -> Iterator[Found]:
    """The names that are asked for from here on, by what was asked."""
    found: Found = {}
    readings.open.append(found)
    try:
        yield found
    finally:
        readings.open.pop()


def noted(owner: Any, name: str) -> None:
    """Note that a class with its bases, or a module, was asked whether it defines a name."""
    if readings.open and not (isinstance(owner, type) and owner.__flags__ & IMMUTABLE):
        readings.open[-1].setdefault(id(owner), (owner, set()))[1].add(name)


class Defining:
    """Reads whether a class with its bases, or a module, defines of some names those that it did when this was made;
    what Python's own classes define is left aside."""

    __slots__ = ("names", "order", "owner", "spaces")
    rooted = False

    def __init__(self, owner: Any, names: Iterable[str]) -> None:
        self.owner, self.names = owner, frozenset(names)
        self.order: tuple[type, ...] | None = owner.__mro__ if isinstance(owner, type) else None
        spaces = [vars(base).keys() for base in self.order or (owner,)
                  if not (isinstance(base, type) and base.__flags__ & IMMUTABLE)]
        self.spaces = [(space, self.names & space) for space in spaces]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Defining) and self.owner is other.owner and self.names == other.names

    def __hash__(self) -> int:
        return hash((id(self.owner), self.names))

    def __call__(self, root: Any) -> bool:
        same = self.order is None or self.owner.__mro__ == self.order
        return same and all([self.names & space == there for space, there in self.spaces])

    def moves(self, root: Any) -> bool:
        return True

    def text(self, place: Place) -> str:
        tests = [] if self.order is None else [f"{place.name(self.owner)}.__mro__ is {place.name(self.order)}"]
        for space, there in self.spaces:
            tests += [f"{name!r} {'' if name in there else 'not '}in {place.name(space)}" for name in self.names]
        return f"({' and '.join(tests) or 'True'})"


def guards(found: Found) -> dict[tuple[str, Defining], Guard]:
    """What code depends on that was made for some names being there, and others not."""
    asked = [Defining(owner, names) for owner, names in found.values()]
    return {("defined", one): Guard(one, True) for one in asked}
