"""What stands in the results of programs for objects of Python's which programs have by their parts.

>>> Tuple.give([1.0, 2.0]), ListOfTuples.give([[1.0], []]), Items.give((1, 2))
((1.0, 2.0), [(1.0,), ()], {1, 2})
"""

from __future__ import annotations

from typing import Any, ClassVar


class HandedOut:
    """Base of the classes that stand in a result for an object of Python's which a program has by its parts; messages
    call it `said`."""

    said: ClassVar[str]

    @staticmethod
    def give(*parts: Any) -> Any:
        """The object, of the parts."""
        raise NotImplementedError

    @staticmethod
    def taken(value: Any) -> dict[str, Any] | None:
        """The parts of such an object, or of a cotangent for it, by their names; None for what is none."""
        return None


class Tuple(HandedOut):
    """A tuple whose length is not known while a program is read: its one part is the list of its items.

    >>> Tuple.give([1.0, 2.0]), Tuple.taken((1.0, 2.0)), Tuple.taken([1.0])
    ((1.0, 2.0), {'items': [1.0, 2.0]}, None)
    """

    said = "tuple"

    @staticmethod
    def give(*parts: Any) -> Any:
        return None if parts[0] is None else tuple(parts[0])

    @staticmethod
    def taken(value: Any) -> dict[str, Any] | None:
        return {"items": [*value]} if type(value) is tuple else None


class ListOfTuples(HandedOut):
    """A list of such tuples: its one part is the list of the lists of their items."""

    said = "list of tuples"

    @staticmethod
    def give(*parts: Any) -> Any:
        return None if parts[0] is None else [*map(tuple, parts[0])]

    @staticmethod
    def taken(value: Any) -> dict[str, Any] | None:
        return {"items": [*map(list, value)]} if type(value) is list else None


class Items(HandedOut):
    """A set of items that are known: its one part is the tuple of them."""

    said = "set"

    @staticmethod
    def give(*parts: Any) -> Any:
        return set(parts[0])
