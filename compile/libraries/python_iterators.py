"""Iterators of Python's library that are kept under a name: objects that know how far they have come, read as the
classes of users are.

>>> found = Iterator([1.0, 2.0, 3.0])
>>> found.__next__(), list(Mapped(abs, Alone(found)))
(1.0, [2.0, 3.0])
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend.numpy_functions.table import definition_of

ENDED = -1
"""Where an iterator has come that has given everything, and gives nothing of what is added later."""


class Itself:
    """What iterates itself."""

    def __iter__(self) -> Any:
        return self


def called(name: str) -> Callable[[type], type]:
    """Call a class by the name of what it stands for."""

    def enter(cls: type) -> type:
        cls.__name__ = name
        return cls

    return enter


@called("iterator")
class Iterator(Itself):
    """`iter(xs)` of a list, tuple, array or range, which it reads at each turn."""

    def __init__(self, items: Any) -> None:
        self.items = items
        self.at = 0

    def __ccc_more__(self) -> bool:
        return self.at < len(self.items)

    def __ccc_rest__(self) -> Any:
        at = self.at
        self.at = len(self.items)
        return self.items[at:]

    def close(self) -> None:
        self.at = len(self.items)

    def __next__(self) -> Any:
        if self.at >= len(self.items):
            raise StopIteration
        self.at += 1
        return self.items[self.at - 1]


class OfDict(Itself):
    """What iterates a dict, which has as many keys all the while."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.keys = list(owner)
        self.at = 0

    def __ccc_more__(self) -> bool:
        return self.at >= 0 and (self.at < len(self.keys) or len(self.owner) != len(self.keys))

    def close(self) -> None:
        self.at = ENDED

    def key(self) -> Any:
        """The key whose turn it is."""
        if self.at == ENDED:
            raise StopIteration
        if len(self.owner) != len(self.keys):
            raise RuntimeError("dictionary changed size during iteration")
        if self.at >= len(self.keys):
            self.at = ENDED
            raise StopIteration
        found = self.keys[self.at]
        if found not in self.owner:
            raise RuntimeError("dictionary keys changed during iteration")
        self.at += 1
        return found


@called("dict_keyiterator")
class Keys(OfDict):
    """`iter(d)` of a dict."""

    def __next__(self) -> Any:
        return self.key()


@called("dict_valueiterator")
class Values(OfDict):
    """`iter(d.values())`."""

    def __next__(self) -> Any:
        return self.owner[self.key()]


@called("dict_itemiterator")
class Items(OfDict):
    """`iter(d.items())`."""

    def __next__(self) -> Any:
        key = self.key()
        return key, self.owner[key]


@called("generator")
class Resumed(Itself):
    """A generator that goes on where it yielded, by a function that does so."""

    def __init__(self, resume: Any) -> None:
        self.resume = resume
        self.returned: Any = None

    def __next__(self) -> Any:
        return self.resume(self)

    def send(self, value: Any) -> Any:
        return self.resume(self, value)

    def throw(self, error: Any) -> Any:
        return self.resume(self, None, error)

    def close(self) -> None:
        try:
            self.resume(self, None, GeneratorExit())
        except (GeneratorExit, StopIteration):
            return
        raise RuntimeError("generator ignored GeneratorExit")


class Counting(Itself):
    """`itertools.count`."""

    def __init__(self, start: Any, step: Any) -> None:
        self.at = start
        self.step = step

    def __ccc_more__(self) -> bool:
        return True

    def __next__(self) -> Any:
        found = self.at
        self.at = found + self.step
        return found


class Cycling(Itself):
    """`itertools.cycle` of a sequence."""

    def __init__(self, items: Any) -> None:
        self.items = items
        self.at = 0

    def __ccc_more__(self) -> bool:
        return len(self.items) > 0

    def __next__(self) -> Any:
        if len(self.items) == 0:
            raise StopIteration
        found = self.items[self.at]
        self.at = (self.at + 1) % len(self.items)
        return found


class Repeating(Itself):
    """`itertools.repeat` without an end."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __ccc_more__(self) -> bool:
        return True

    def __next__(self) -> Any:
        return self.value


class Groups(Itself):
    """`itertools.groupby` of items and their keys."""

    def __init__(self, keys: Any, items: Any) -> None:
        self.keys = keys
        self.items = items
        self.at = 0

    def __ccc_more__(self) -> bool:
        return self.at < len(self.items)

    def __next__(self) -> Any:
        begin = self.at
        if begin >= len(self.items):
            raise StopIteration
        end = begin + 1
        while end < len(self.items) and self.keys[end] == self.keys[begin]:
            end += 1
        self.at = end
        return self.keys[begin], Iterator(self.items[begin:end])


class Called(Itself):
    """`iter(function, last)`."""

    def __init__(self, function: Any, last: Any) -> None:
        self.function = function
        self.last = last
        self.ended = False

    def __next__(self) -> Any:
        if self.ended:
            raise StopIteration
        found = self.function()
        if found == self.last:
            self.ended = True
            raise StopIteration
        return found


class Numbered(Itself):
    """`enumerate` of an iterator."""

    def __init__(self, iterator: Any, start: Any) -> None:
        self.iterator = iterator
        self.at = start

    def __next__(self) -> Any:
        found = self.iterator.__next__()
        self.at += 1
        return self.at - 1, found


class Alone(Itself):
    """`zip` of one iterator."""

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator

    def __next__(self) -> Any:
        return (self.iterator.__next__(),)


class Beside(Itself):
    """`zip` of the iterators before, and one more."""

    def __init__(self, before: Any, iterator: Any) -> None:
        self.before = before
        self.iterator = iterator

    def __next__(self) -> Any:
        found = self.before.__next__()
        return (*found, self.iterator.__next__())


class Mapped(Itself):
    """`map` of what iterators give side by side."""

    def __init__(self, function: Any, iterator: Any) -> None:
        self.function = function
        self.iterator = iterator

    def __next__(self) -> Any:
        return self.function(*self.iterator.__next__())


class Kept(Itself):
    """`filter` of an iterator."""

    def __init__(self, function: Any, iterator: Any) -> None:
        self.function = function
        self.iterator = iterator

    def __next__(self) -> Any:
        while True:
            found = self.iterator.__next__()
            if found[0] if self.function is None else self.function(*found):
                return found[0]


class First(Itself):
    """`itertools.islice(iterator, count)`, which takes no item more than it gives."""

    def __init__(self, iterator: Any, count: Any) -> None:
        self.iterator = iterator
        self.left = count

    def __next__(self) -> Any:
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        return self.iterator.__next__()


class Part(Itself):
    """`itertools.islice(iterator, start, stop, step)`, which takes all items up to `stop` where it is taken whole."""

    def __init__(self, iterator: Any, start: Any, stop: Any, step: Any = None) -> None:
        self.iterator = iterator
        self.at = 0
        self.following = 0 if start is None else start
        self.stop = stop
        self.step = 1 if step is None else step

    def __next__(self) -> Any:
        while self.at < self.following:
            self.iterator.__next__()
            self.at += 1
        if self.stop is not None and self.at >= self.stop:
            raise StopIteration
        found = self.iterator.__next__()
        self.at += 1
        self.following += self.step
        if self.stop is not None and self.following > self.stop:
            self.following = self.stop
        return found


class TakenWhile(Itself):
    """`itertools.takewhile` of an iterator, which takes one item more than it gives."""

    def __init__(self, function: Any, iterator: Any) -> None:
        self.function = function
        self.iterator = iterator
        self.ended = False

    def __next__(self) -> Any:
        if self.ended:
            raise StopIteration
        found = self.iterator.__next__()
        if not self.function(*found):
            self.ended = True
            raise StopIteration
        return found[0]


@definition_of(collections.abc.Sequence.__iter__)
def by_index(items: Any) -> Any:
    """What iterates an object that says by `__getitem__` alone what is in it.

    >>> list(by_index("ab"))
    ['a', 'b']
    """
    i = 0
    while True:
        try:
            item = items[i]
        except IndexError:
            return
        yield item
        i += 1


@definition_of(collections.abc.Sequence.__contains__)
def is_among(items: Any, value: Any) -> bool:
    """`value in items` of a sequence of a class of its own.

    >>> is_among([1, 2], 2)
    True
    """
    return any(item == value for item in items)


@definition_of(collections.abc.Sequence.count)
def count_among(items: Any, value: Any) -> int:
    return sum(1 for item in items if item == value)


@definition_of(collections.abc.Sequence.index)
def index_among(items: Any, value: Any, start: Any = 0, stop: Any = None) -> int:
    """Where a value stands in a sequence of a class of its own.

    >>> index_among([1, 2], 2)
    1
    """
    for i in range(*slice(start, stop).indices(len(items))):
        if items[i] == value:
            return i
    raise ValueError


def is_still_in(value: Any, iterator: Any) -> bool:
    """`value in iterator`, which takes what comes before it, and it."""
    return any(item == value for item in iterator)


def rest_of(iterator: Any) -> Any:
    """All that an iterator has left."""
    found = []
    for item in iterator:
        found.append(item)
    return found


def next_or(iterator: Any, default: Any) -> Any:
    """`next(iterator, default)`."""
    try:
        return iterator.__next__()
    except StopIteration:
        return default
