"""What is iterated: its items where they are known one by one, and whether there are any."""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.iterator_values import (
    EnumerateValue,
    IteratorValue,
    OnceValue,
    RangeValue,
    ZipValue,
    is_in_turn,
)
from ccc.compile.frontend.regions import is_reference
from ccc.compile.frontend.values import ITEMS, ListValue, RecordValue, View, real_of

FEW = 8
"""So many numbers of a range are read one by one by a comprehension."""


def known_items(over: Any) -> list[Any] | None:
    """The items of what is iterated, where they are known one by one: tuples and list displays are unrolled. Those of a
    generator that runs in turn with what asks it are made then."""
    if isinstance(over, ListValue):
        return over.items
    if is_in_turn(over):
        return None
    if isinstance(over, OnceValue):
        return known_items(over.items)
    if isinstance(over, View):
        return None if ITEMS in over.owner.fields else list(over.now())
    if is_reference(over):
        raise TypeError("what stands in a store is iterated as a value")
    if isinstance(over, (tuple, list, str, bytes)):
        return list(over)
    if isinstance(over, frozenset) and (real := real_of(over)) is not None:
        return list(real)  # in the order that it has in this process
    if isinstance(over, RecordValue) and over.cls is dict:
        return None if ITEMS in over.fields else list(over.fields)
    if isinstance(over, ZipValue):
        parts = [known_items(p) for p in over.parts]
        if all(p is not None for p in parts):
            return list(zip(*[p for p in parts if p is not None], strict=False))
    if isinstance(over, EnumerateValue) and isinstance(over.start, int):
        inner = known_items(over.part)
        return None if inner is None else list(enumerate(inner, over.start))
    return None


def few_items(over: Any) -> list[Any] | None:
    """The numbers of a range that is known and as short as a list that is written out; None for all else."""
    if isinstance(over, RangeValue) and all(type(b) is int for b in over.bounds):
        whole = range(*over.bounds)  # type: ignore[arg-type]
        return None if whole[FEW:] else list(whole)
    return None


def drawn(value: Any) -> Any:
    """What an iterator gives, as the list or tuple of it; everything else as it is."""
    if isinstance(value, OnceValue):
        return drawn(value.items)
    items = known_items(value) if isinstance(value, IteratorValue) else None
    return value if items is None else tuple(items)


def surely_runs(over: Any) -> bool:
    """True where a loop over this runs at least once."""
    if isinstance(over, RangeValue):
        return all(isinstance(b, int) for b in over.bounds) and bool(range(*over.bounds))
    if isinstance(over, OnceValue):
        return surely_runs(over.items)
    if isinstance(over, ZipValue):
        return all(map(surely_runs, over.parts))
    if isinstance(over, EnumerateValue):
        return surely_runs(over.part)
    return bool(known_items(over))
