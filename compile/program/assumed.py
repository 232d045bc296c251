"""What is assumed of the sizes of arguments: that those are equal which are in the call that a code is made for, and
that an array has some items where it is read or written at a place.

    b[1:-1] = a[1:-1] + a[1:-1]           nothing is broadcast where a and b have as many items
    c = np.zeros(n);  c[:] = a            nothing is broadcast where a has n items
    c[0] = 1.0                            nothing is raised where n is not less than 1

Passes may rely on it (`ccc.compile.program.shapes`), and what they relied on is noted: for calls in which that does not
hold, there is other code. An axis of size 1 is one by its type, so these are axes of other sizes. A size that had to be
known to read the function (`ccc.compile.frontend.settling`) has to be that number.

>>> import numpy as np
>>> rows, others, n = Axis(0, (), 0), Axis(1, (2,), 1), Axis(2, (), NUMBER)
>>> print(rows, others, n, holds([(rows, others, n), Bound(n, ">=", 2)], [np.ones(3), (1.0, 2.0, np.ones((2, 3))), 3]))
x0.shape[0] x1[2].shape[1] x2 True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, eq, ge, itemgetter
from typing import Any, NamedTuple

from ccc.records import is_keyed

NUMBER = -1
"""In the place of an axis: the argument is a whole number."""
LENGTH = -2
"""In the place of an axis: how many items the argument has, a list."""


def measured(x: Any, axis: int) -> int:
    """The size of an axis of a value, how many items it has, or the number that it is.

    >>> import numpy as np
    >>> measured(np.ones((2, 3)), 1), measured([1.0, 2.0], LENGTH), measured(5, NUMBER)
    (3, 2, 5)
    """
    return x if axis == NUMBER else len(x) if axis == LENGTH else x.shape[axis]


class Label(int):
    """The number of a part of a record, which is read by its name.

    >>> place = Label.of(1, dict, "rate")
    >>> place == 1, place.text, place.read({"size": 3, "rate": 5})
    (True, "['rate']", 5)
    """

    text: str
    read: Callable[[Any], Any]

    @classmethod
    def of(cls, position: int, record: type, name: Any) -> Label:
        """The place of a part of records of a class."""
        found = cls(position)
        keyed = is_keyed(record)
        found.text, found.read = (f"[{name!r}]", itemgetter(name)) if keyed else (f".{name}", attrgetter(name))
        return found


class Axis(NamedTuple):
    """An axis of an array among the arguments, or a list or whole number among them: the number of the argument, the
    parts of tuples and records that lead to it."""

    argument: int
    path: tuple[int, ...]
    axis: int

    def __str__(self) -> str:
        return self.text(f"x{self.argument}")

    def text(self, name: str) -> str:
        """Its size in Python, where the argument has that name."""
        found = f"{name}{''.join([i.text if isinstance(i, Label) else f'[{i}]' for i in self.path])}"
        return {NUMBER: found, LENGTH: f"len({found})"}.get(self.axis, f"{found}.shape[{self.axis}]")

    def size(self, args: Sequence[Any]) -> int:
        """The size in a call."""
        x = args[self.argument]
        for i in self.path:
            x = i.read(x) if isinstance(i, Label) else x[i]
        return measured(x, self.axis)


Class = tuple[Axis, ...]
"""Axes of one size, in their order."""


class Bound(NamedTuple):
    """That the size of an axis is a number, or no less than it."""

    axis: Axis
    relation: str
    size: int

    def holds(self, args: Sequence[Any]) -> bool:
        """Whether it is so in a call."""
        return RELATIONS[self.relation](self.axis.size(args), self.size)


RELATIONS: dict[str, Callable[[int, int], bool]] = {"==": eq, ">=": ge}


FEW = 8
"""Sizes are assumed to be no less than so much at most."""


class Assumed:
    """Which axes of the arguments of a program have equal sizes, and which of these are relied on, and so are sizes
    that are `exactly` a number, or at `least` one. The `sizes` are those of the call that code is made for; in other
    calls they may be others."""

    def __init__(self, classes: Iterable[Class], sizes: Mapping[Axis, int] | None = None) -> None:
        self.classes = list(classes)
        self.sizes = dict(sizes or {})
        self.used: set[tuple[Axis, Axis]] = set()
        self.least: dict[Axis, int] = {}
        self.exactly: dict[Axis, int] = {}
        self.settled = False

    def relied_on(self) -> tuple[Class | Bound, ...]:
        """What has to hold of sizes. No more is assumed from now on."""
        self.classes = united(sorted(self.used))
        self.settled = True
        found = [("==", self.exactly), (">=", self.least)]
        return (*self.classes, *[Bound(axis, relation, n) for relation, sizes in found
                                 for axis, n in sorted(sizes.items())])

    def at_least(self, axis: Axis, size: int) -> bool:
        """Whether the size of an axis is assumed to be no less than a number."""
        known = self.least.get(axis, 0)
        if size > known and (self.settled or size > FEW or self.sizes.get(axis, 0) < size):
            return False
        self.least[axis] = max(known, size)
        return True


def united(pairs: Iterable[Sequence[Axis]]) -> list[Class]:
    """Classes of axes that have members in common, as one.

    >>> a, b, c, d = [Axis(i, (), 0) for i in range(4)]
    >>> [[axis.argument for axis in same] for same in united([(a, b), (c, d), (b, d)])]
    [[0, 1, 2, 3]]
    """
    found: list[set[Axis]] = []
    for pair in pairs:
        one = set(pair)
        apart = [same for same in found if one.isdisjoint(same)]
        found = [*apart, one.union(*[same for same in found if not one.isdisjoint(same)])]
    return [tuple(sorted(same)) for same in found]


def holds(needed: Iterable[Class | Bound], args: Sequence[Any]) -> bool:
    """Whether what has to hold of sizes does, in a call with arguments of the types that a program is for."""
    return all(
        one.holds(args) if isinstance(one, Bound) else len({axis.size(args) for axis in one}) == 1
        for one in needed
    )
