"""Structures with slots in the places of some leaves, which are handed on one by one.

>>> form, leaves = apart(({"a": 1.5}, 2), lambda x: isinstance(x, float))
>>> leaves, filled(form, [10.0])
([1.5], ({'a': 10.0}, 2))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ccc.records import mapped, parts_of


class Slot:
    """The place of an array."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place


def apart(x: Any, is_leaf: Callable[[Any], bool]) -> tuple[Any, list[Any]]:
    """A structure with slots in the places of some leaves, and these."""
    found = list[Any]()

    def leaf(x: Any) -> Any:
        if not is_leaf(x):
            return x
        found.append(x)
        return Slot(len(found) - 1)

    return mapped(leaf, x), found


def filled(form: Any, values: Sequence[Any]) -> Any:
    """A structure with values in its slots."""
    return mapped(lambda x: values[x.place] if isinstance(x, Slot) else x, form)


def slots(form: Any) -> Iterator[Slot]:
    """The slots of a structure."""
    if isinstance(form, Slot):
        yield form
    for part in parts_of(form) or ():
        yield from slots(part)


def places_with(args: Sequence[Any], is_in: Callable[[int], bool]) -> tuple[int, ...]:
    """The places of those arguments in which there is a slot of some kind."""
    return tuple([i for i, x in enumerate(args) if any([is_in(s.place) for s in slots(x)])])


def along(form: Any, is_in: Callable[[int], bool], offset: int) -> Any:
    """A structure with slots further on for what moves those of some kind, None for everything else."""
    return mapped(lambda x: Slot(x.place + offset) if isinstance(x, Slot) and is_in(x.place) else None, form)


def beside(form: Any, found: Any, count: int) -> list[Any]:
    """What another structure has in the places of slots, one by one."""
    each = [None] * count

    def leaf(x: Any, d: Any) -> None:
        if isinstance(x, Slot):
            each[x.place] = d

    mapped(leaf, form, found)
    return each


__all__ = ["Slot", "along", "apart", "beside", "filled", "places_with", "slots"]
