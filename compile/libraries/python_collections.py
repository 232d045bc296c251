"""Containers of Python's library as classes over lists and dicts: they are read as the classes of users are.

>>> found = Deque([1, 2, 3], 2)
>>> found.appendleft(5)
>>> list(found), len(found), found.maxlen
([5, 2], 2, 2)
"""

from __future__ import annotations

import collections
import sys
from typing import Any

from ccc.compile.frontend.numpy_functions.table import class_for
from ccc.registered import filled


@class_for(collections.deque)
class Deque:
    """`collections.deque`: a list, of which the first items leave where it has a greatest length. `changes` counts what
    a loop along it may not do."""

    unsteady = "deque mutated during iteration"

    def __init__(self, iterable: Any = (), maxlen: Any = None) -> None:
        self.items = list(iterable)
        self.maxlen = maxlen
        self.changes = 0
        if maxlen is not None and len(self.items) > maxlen:
            self.items = self.items[len(self.items) - maxlen:]

    @staticmethod
    def __ccc_gives__(items: Any, maxlen: Any, changes: Any) -> Any:
        return collections.deque(items, maxlen if isinstance(maxlen, int) else None)

    @staticmethod
    def __ccc_takes__(value: Any) -> Any:
        return {"items": list(value), "maxlen": None, "changes": None}

    @staticmethod
    def __ccc_given__(value: Any) -> Any:
        return {"items": list(value), "maxlen": value.maxlen, "changes": 0}

    def append(self, x: Any) -> None:
        self.changes += 1
        self.items.append(x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, x: Any) -> None:
        self.changes += 1
        self.items.insert(0, x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

    def extend(self, iterable: Any) -> None:
        for x in list(iterable):
            self.append(x)

    def extendleft(self, iterable: Any) -> None:
        for x in list(iterable):
            self.appendleft(x)

    def pop(self) -> Any:
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        self.changes += 1
        return self.items.pop()

    def popleft(self) -> Any:
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        self.changes += 1
        return self.items.pop(0)

    def rotate(self, n: Any = 1) -> None:
        if len(self.items) > 1:
            self.changes += 1
            k = len(self.items) - n % len(self.items)
            self.items = self.items[k:] + self.items[:k]

    def clear(self) -> None:
        self.changes += 1
        self.items.clear()

    def reverse(self) -> None:
        self.items.reverse()

    def remove(self, value: Any) -> None:
        self.index(value)
        self.items.remove(value)
        self.changes += 1

    def insert(self, i: Any, x: Any) -> None:
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.changes += 1
        self.items.insert(i, x)

    def index(self, value: Any) -> Any:
        if value not in self.items:
            raise ValueError(f"{value!r} is not in deque")
        return self.items.index(value)

    def count(self, value: Any) -> Any:
        return self.items.count(value)

    def copy(self) -> Any:
        return Deque(self.items, self.maxlen)

    def __copy__(self) -> Any:
        return Deque(self.items, self.maxlen)

    def steady(self) -> int:
        return self.changes

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Any:
        return iter(self.items)

    def __reversed__(self) -> Any:
        return reversed(self.items)

    def __contains__(self, value: Any) -> Any:
        return value in self.items

    def within(self, i: Any) -> None:
        if i >= len(self.items) or i < -len(self.items):
            raise IndexError("deque index out of range")

    def __getitem__(self, i: Any) -> Any:
        self.within(i)
        return self.items[i]

    def __setitem__(self, i: Any, x: Any) -> None:
        self.within(i)
        self.items[i] = x

    def __delitem__(self, i: Any) -> None:
        self.within(i)
        self.changes += 1
        del self.items[i]

    def __iadd__(self, iterable: Any) -> Any:
        self.extend(iterable)
        return self

    def __repr__(self) -> str:
        return f"deque({self.items!r})" if self.maxlen is None else f"deque({self.items!r}, maxlen={self.maxlen})"

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, collections.deque) and self.items == other.items  # type: ignore[attr-defined]


class Table:
    """A dict whose class says more of it: everything that a dict does, by the dict in it."""

    __ccc_filled__ = ("kept_entries", dict)

    kept_entries: Any

    @classmethod
    def __ccc_gives__(cls, kept_entries: Any, **attributes: Any) -> Any:
        return filled(cls.__ccc_class__, kept_entries, attributes)  # type: ignore[attr-defined]

    @staticmethod
    def __ccc_takes__(value: Any) -> Any:
        return {"kept_entries": dict(value), **getattr(value, "__dict__", {})}

    @classmethod
    def __ccc_given__(cls, value: Any) -> Any:
        return cls.__ccc_takes__(value)

    def __len__(self) -> int:
        return len(self.kept_entries)

    def __iter__(self) -> Any:
        return iter(self.kept_entries)

    def __contains__(self, key: Any) -> Any:
        return key in self.kept_entries

    def __getitem__(self, key: Any) -> Any:
        return self.kept_entries[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.kept_entries[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.kept_entries[key]

    def keys(self) -> Any:
        return self.kept_entries.keys()

    def values(self) -> Any:
        return self.kept_entries.values()

    def items(self) -> Any:
        return self.kept_entries.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self.kept_entries.get(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        return self.kept_entries.pop(key, *default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self.kept_entries:
            self.kept_entries[key] = default
        return self.kept_entries[key]

    def clear(self) -> None:
        self.kept_entries.clear()

    def update(self, more: Any = (), **named: Any) -> None:
        self.kept_entries.update(more)
        self.kept_entries.update(named)

    def popitem(self) -> Any:
        if len(self.kept_entries) == 0:
            raise KeyError("popitem(): dictionary is empty")
        key = list(self.kept_entries)[len(self.kept_entries) - 1]
        return key, self.kept_entries.pop(key)

    def __eq__(self, other: Any) -> Any:
        return self.kept_entries == (other.kept_entries if isinstance(other, Table) else other)


@class_for(collections.defaultdict)
class DefaultDict(Table):
    """`collections.defaultdict`."""

    def __init__(self, default_factory: Any = None, *given: Any, **named: Any) -> None:
        self.default_factory = default_factory
        self.kept_entries = dict(*given, **named)

    @staticmethod
    def __ccc_takes__(value: Any) -> Any:
        return {"default_factory": None, **Table.__ccc_takes__(value)}

    @classmethod
    def __ccc_given__(cls, value: Any) -> Any:
        return {**cls.__ccc_takes__(value), "default_factory": value.default_factory}

    def __getitem__(self, key: Any) -> Any:
        if key not in self.kept_entries:
            self.kept_entries[key] = self.default_factory()
        return self.kept_entries[key]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.default_factory!r}, {self.kept_entries!r})"

    def copy(self) -> Any:
        return type(self)(self.default_factory, self.kept_entries)

    def __copy__(self) -> Any:
        return type(self)(self.default_factory, self.kept_entries)


@class_for(collections.OrderedDict)
class OrderedDict(Table):
    """`collections.OrderedDict`."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.kept_entries = dict(*given, **named)

    def move_to_end(self, key: Any, last: Any = True) -> None:
        if last:
            value = self.kept_entries.pop(key)
            self.kept_entries[key] = value
        else:
            others = dict(self.kept_entries)
            value = others.pop(key)
            self.kept_entries.clear()
            self.kept_entries[key] = value
            self.kept_entries.update(others)

    def popitem(self, last: Any = True) -> Any:
        if len(self.kept_entries) == 0:
            raise KeyError("dictionary is empty")
        keys = list(self.kept_entries)
        key = keys[len(keys) - 1 if last else 0]
        return key, self.kept_entries.pop(key)

    def __repr__(self) -> str:
        if len(self.kept_entries) == 0:
            return f"{type(self).__name__}()"
        shown = self.kept_entries if sys.version_info >= (3, 12) else list(self.kept_entries.items())
        return f"{type(self).__name__}({shown!r})"

    def copy(self) -> Any:
        return type(self)(self.kept_entries)

    def __copy__(self) -> Any:
        return type(self)(self.kept_entries)


@class_for(collections.Counter)
class Counter(Table):
    """`collections.Counter`."""

    def __init__(self, iterable: Any = (), **named: Any) -> None:
        self.kept_entries = dict(**named)
        self.update(iterable)

    def __getitem__(self, key: Any) -> Any:
        return self.kept_entries.get(key, 0)

    def __delitem__(self, key: Any) -> None:
        if key in self.kept_entries:
            del self.kept_entries[key]

    def update(self, more: Any = (), **named: Any) -> None:
        self.added(more, 1)
        self.added(named, 1)

    def subtract(self, more: Any = (), **named: Any) -> None:
        self.added(more, -1)
        self.added(named, -1)

    def added(self, more: Any, sign: int) -> None:
        if isinstance(more, dict):
            for key, count in more.items():
                self.kept_entries[key] = self[key] + sign * count
        else:
            for key in more:
                self.kept_entries[key] = self[key] + sign

    def total(self) -> Any:
        return sum(self.kept_entries.values())

    def most_common(self, n: Any = None) -> Any:
        found = sorted(self.kept_entries.items(), key=lambda pair: pair[1], reverse=True)
        return found if n is None else found[:n]

    def elements(self) -> Any:
        found = []
        for key, count in self.kept_entries.items():
            for _ in range(count):
                found.append(key)
        return found

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return positive([(key, n + other[key]) for key, n in self.items()] + beside(self, other, 1))

    def __sub__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return positive([(key, n - other[key]) for key, n in self.items()] + beside(self, other, -1))

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return positive([(key, max(n, other[key])) for key, n in self.items()] + beside(self, other, 1))

    def __and__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return positive([(key, min(n, other[key])) for key, n in self.items()])

    def __pos__(self) -> Any:
        return positive(list(self.items()))

    def __repr__(self) -> str:
        if len(self.kept_entries) == 0:
            return f"{type(self).__name__}()"
        return f"{type(self).__name__}({dict(self.most_common())!r})"

    def copy(self) -> Any:
        return type(self)(self.kept_entries)

    def __copy__(self) -> Any:
        return type(self)(self.kept_entries)


def positive(counts: Any) -> Any:
    """The counter of the counts that are positive."""
    return Counter({key: n for key, n in counts if n > 0})


def beside(counter: Any, other: Any, sign: int) -> Any:
    """The counts of another counter for keys that this one has not."""
    return [(key, sign * n) for key, n in other.items() if key not in counter]
