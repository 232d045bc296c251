"""`enumerate`, `zip` and their like along a generator that runs in turn with what consumes it.

>>> list(counted("ab", 1)), list(first_of_two("abc", [1.0, 2.0])), list(second_of_two([1.0, 2.0], "abc"))
([(1, 'a'), (2, 'b')], [('a', 1.0), ('b', 2.0)], [(1.0, 'a'), (2.0, 'b')])
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


def counted(iterable: Iterable[Any], start: int = 0) -> Iterator[tuple[int, Any]]:
    """What `enumerate` gives."""
    number = start
    for item in iterable:
        yield number, item
        number += 1


def first_of_two(iterable: Iterable[Any], others: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """What `zip` gives of an iterator and what is no iterator."""
    for i, item in enumerate(iterable):
        if i >= len(others):
            break
        yield item, others[i]


def second_of_two(others: Sequence[Any], iterable: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """What `zip` gives of what is no iterator and an iterator, of which no item more is taken."""
    i = 0
    if len(others) > 0:
        for item in iterable:
            yield others[i], item
            i += 1
            if i >= len(others):
                break


def first_ones(iterable: Iterable[Any], stop: int) -> Iterator[Any]:
    """What `itertools.islice` gives."""
    i = 0
    if stop > 0:
        for item in iterable:
            yield item
            i += 1
            if i >= stop:
                break


def part_of(iterable: Iterable[Any], start: int | None, stop: int | None, step: int | None = None) -> Iterator[Any]:
    """What `itertools.islice` gives with a start."""
    first = 0 if start is None else start
    by = 1 if step is None else step
    i = 0
    end = None if stop is None else max(first, stop)
    if end is None or end > 0:
        for item in iterable:
            if i >= first and (stop is None or i < stop) and (i - first) % by == 0:
                yield item
            i += 1
            if end is not None and i >= end:
                break


def taken_while(predicate: Any, iterable: Iterable[Any]) -> Iterator[Any]:
    """What `itertools.takewhile` gives."""
    for item in iterable:
        if not predicate(item):
            break
        yield item


def in_pairs(iterable: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """What `itertools.pairwise` gives."""
    before = None
    for item in iterable:
        if before is not None:
            yield before[0], item
        before = (item,)


def mapped(function: Any, iterable: Iterable[Any]) -> Iterator[Any]:
    """What `map` gives."""
    for item in iterable:
        yield function(item)


def mapped_with(function: Any, rows: Iterable[Any]) -> Iterator[Any]:
    """What `map` gives of several iterables."""
    for row in rows:
        yield function(*row)


def kept(function: Any, iterable: Iterable[Any]) -> Iterator[Any]:
    """What `filter` gives."""
    for item in iterable:
        if item if function is None else function(item):
            yield item


def chained(first: Iterable[Any], second: Iterable[Any]) -> Iterator[Any]:
    """What `itertools.chain` gives of two."""
    yield from first
    yield from second


def chained_rows(iterable: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """What `itertools.chain.from_iterable` gives."""
    for row in iterable:
        yield from row


def dropped_while(predicate: Any, iterable: Iterable[Any]) -> Iterator[Any]:
    """What `itertools.dropwhile` gives."""
    dropping = True
    for item in iterable:
        if dropping:
            dropping = bool(predicate(item))
        if not dropping:
            yield item


def dropped(function: Any, iterable: Iterable[Any]) -> Iterator[Any]:
    """What `itertools.filterfalse` gives."""
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


def accumulated(iterable: Iterable[Any], func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    """What `itertools.accumulate` gives."""
    before = None
    if initial is not None:
        before = (initial,)
        yield initial
    for item in iterable:
        before = (item,) if before is None else (before[0] + item if func is None else func(before[0], item),)
        yield before[0]


def compressed(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    """What `itertools.compress` gives."""
    for item, selected in zip(data, selectors, strict=False):
        if selected:
            yield item


def cycled(iterable: Iterable[Any]) -> Iterator[Any]:
    """What `itertools.cycle` gives."""
    saved = []
    for item in iterable:
        saved.append(item)
        yield item
    while len(saved) > 0:
        for item in saved:
            yield item


def in_batches(iterable: Iterable[Any], n: int) -> Iterator[Any]:
    """What `itertools.batched` gives, as lists."""
    batch: list[Any] = []
    for item in iterable:
        batch.append(item)
        if len(batch) == n:
            yield batch
            batch = []
    if len(batch) > 0:
        yield batch


def padded(first: Iterator[Any], second: Iterator[Any], fillvalue: Any = None) -> Iterator[tuple[Any, Any]]:
    """What `itertools.zip_longest` gives of two."""
    for item in first:
        yield item, next(second, fillvalue)
    for other in second:
        yield fillvalue, other


INSTEAD: dict[Any, Callable[..., Any]] = {
    builtins.enumerate: counted, builtins.zip: first_of_two, builtins.map: mapped, builtins.filter: kept,
    itertools.islice: first_ones, itertools.takewhile: taken_while, itertools.pairwise: in_pairs,
    itertools.chain: chained, itertools.chain.from_iterable: chained_rows, itertools.dropwhile: dropped_while,
    itertools.filterfalse: dropped, itertools.accumulate: accumulated, itertools.compress: compressed,
    itertools.starmap: mapped_with, itertools.cycle: cycled, itertools.zip_longest: padded,
} | dict.fromkeys([cls for name, cls in vars(itertools).items() if name == "batched"], in_batches)


def instead_of(function: Any, count: int) -> Callable[..., Any]:
    """What stands for a function of iterators, called with so many arguments."""
    return part_of if function is itertools.islice and count > 2 else INSTEAD[function]
