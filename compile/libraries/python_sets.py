"""Python's sets as a class over a dict: they are read as the classes of users are.

>>> found = Set([1, 2])
>>> found.add(3)
>>> len(found), 3 in found
(3, True)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import by_address, class_for, constant, refuse

NO_ORDER = "the order of a set is not known: iterate over `sorted(...)` of it"


UNKNOWN, ADDED, GIVEN = 0, 1, 2
"""What is known of the order of a set: nothing, that its items were added one by one, that its dict has it."""


def order_of(items: Any, added: bool) -> Any:
    """Which of its items a set has first, and so on, to which these were added in turn, or that has them in this order.

    >>> order_of([9, 1, 8], True), order_of([9, 1, 8], False)
    (array([2, 0, 1]), array([0, 1, 2]))
    """
    where = {x: i for i, x in enumerate(items)}
    return np.array([where[x] for x in ({*items} if added else items)], int)


def text_of(items: Any) -> str:
    """The text of a set to which these items were added in turn.

    >>> text_of([]), text_of([1, 2])
    ('set()', '{1, 2}')
    """
    return repr({*items})


@class_for(set)
class Set:
    """`set`: the keys of a dict, whose order is not that of a set. The items of the dict are they as well: keys have no
    derivative. Where all items were added one by one, `order` says so, and Python is asked for its order then."""

    def __init__(self, iterable: Any = (), one_by_one: bool = True) -> None:
        self.table = {}
        self.order = ADDED if one_by_one and not isinstance(iterable, (set, frozenset, dict)) else UNKNOWN
        for x in items_of(iterable):
            self.table.setdefault(x, x)

    @staticmethod
    def __ccc_gives__(table: Any, order: Any) -> Any:
        return {*table.values()}

    @staticmethod
    def __ccc_takes__(value: Any) -> Any:
        return {"table": {x: x for x in value}, "order": None}

    @staticmethod
    def __ccc_given__(value: Any) -> Any:
        return {"table": {x: x for x in value}, "order": GIVEN}

    @staticmethod
    def __ccc_lent__(changed: bool) -> Any:
        """What stands in one that a program is given, and changes or not: None says for good that nothing is known."""
        return {"order": None if changed else GIVEN}

    def add(self, x: Any) -> None:
        self.table.setdefault(x, x)
        if self.order is not None and self.order == GIVEN:
            self.order = UNKNOWN

    def remove(self, x: Any) -> None:
        del self.table[x]
        self.is_turned()

    def is_turned(self) -> None:
        if self.order is not None:
            self.order = UNKNOWN

    def discard(self, x: Any) -> None:
        if x in self.table:
            del self.table[x]
            self.is_turned()

    def clear(self) -> None:
        self.table.clear()

    def update(self, *others: Any) -> None:
        for other in others:
            for x in items_of(other):
                self.add(x)
            if isinstance(other, (set, frozenset, dict)):
                self.is_turned()

    def difference_update(self, other: Any) -> None:
        for x in list(items_of(other)):
            self.discard(x)

    def intersection_update(self, other: Any) -> None:
        for x in list(self.table):
            if x not in other:
                del self.table[x]
        self.is_turned()

    def symmetric_difference_update(self, other: Any) -> None:
        for x in list(items_of(other)):
            if x in self.table:
                del self.table[x]
            else:
                self.table.setdefault(x, x)
        self.is_turned()

    def copy(self) -> Any:
        return Set(list(self.table.values()), False)

    def __copy__(self) -> Any:
        return Set(list(self.table.values()), False)

    def union(self, *others: Any) -> Any:
        found = self.copy()
        found.update(*others)
        return found

    def difference(self, other: Any) -> Any:
        return Set([x for x in self.table.values() if x not in other], False)

    def intersection(self, other: Any) -> Any:
        return Set([x for x in self.table.values() if x in other], False)

    def symmetric_difference(self, other: Any) -> Any:
        found = self.copy()
        found.symmetric_difference_update(other)
        return found

    def issubset(self, other: Any) -> Any:
        return all(x in other for x in self.table)

    def issuperset(self, other: Any) -> Any:
        return all(x in self.table for x in items_of(other))

    def isdisjoint(self, other: Any) -> Any:
        return all(x not in other for x in self.table)

    def __len__(self) -> int:
        return len(self.table)

    def __contains__(self, x: Any) -> Any:
        return x in self.table

    def __repr__(self) -> str:
        return constant(text_of, "", list(self.table.values()))

    def __iter__(self) -> Any:
        if by_address(self.table):
            return iter(self.table)
        if self.order is None or self.order == UNKNOWN:
            raise NotImplementedError(NO_ORDER)
        items = list(self.table.values())
        return iter([items[i] for i in constant(order_of, np.zeros(len(items), int), items, self.order == ADDED)])

    def pop(self) -> Any:
        refuse(*NO_ORDER.split(": "))

    def __or__(self, other: Any) -> Any:
        return self.union(other)

    def __and__(self, other: Any) -> Any:
        return self.intersection(other)

    def __sub__(self, other: Any) -> Any:
        return self.difference(other)

    def __xor__(self, other: Any) -> Any:
        return self.symmetric_difference(other)

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __iand__(self, other: Any) -> Any:
        self.intersection_update(other)
        return self

    def __isub__(self, other: Any) -> Any:
        self.difference_update(other)
        return self

    def __ixor__(self, other: Any) -> Any:
        self.symmetric_difference_update(other)
        return self

    def __eq__(self, other: Any) -> Any:
        return len(self) == len(other) and self.issubset(other)

    def __ne__(self, other: Any) -> Any:
        return not (len(self) == len(other) and self.issubset(other))

    def __le__(self, other: Any) -> Any:
        return self.issubset(other)

    def __lt__(self, other: Any) -> Any:
        return len(self) < len(other) and self.issubset(other)

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other)

    def __gt__(self, other: Any) -> Any:
        return len(other) < len(self) and self.issuperset(other)


def items_of(other: Any) -> Any:
    """What is in a set, in whatever order; anything else itself."""
    return other.table.values() if isinstance(other, Set) else other  # type: ignore[attr-defined]
