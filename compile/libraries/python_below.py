"""What users' classes below `list` and `dict` inherit, as classes over a list and a dict.

>>> found = Listed([1, 2])
>>> found.append(5)
>>> list(found), found[1:], len(found)
([1, 2, 5], [2, 5], 3)
>>> named = Entries(a=1)
>>> named["b"] = 2
>>> list(named), named.get("c", 3)
(['a', 'b'], 3)
"""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.numpy_functions.below import stands_below
from ccc.compile.libraries.python_collections import Counter, DefaultDict, OrderedDict, Table
from ccc.errors import UnknownObject
from ccc.registered import filled


@stands_below(list)
class Listed:
    """A list whose class says more of it: everything that a list does, by the list in it."""

    __ccc_filled__ = ("kept_items", list)

    kept_items: Any

    def __ccc_begin__(self) -> None:
        object.__setattr__(self, "kept_items", [])

    def __init__(self, iterable: Any = ()) -> None:
        object.__setattr__(self, "kept_items", list(iterable))

    @classmethod
    def __ccc_gives__(cls, kept_items: Any, **attributes: Any) -> Any:
        return filled(cls.__ccc_class__, kept_items, attributes)  # type: ignore[attr-defined]

    @staticmethod
    def __ccc_takes__(value: Any) -> Any:
        return {"kept_items": list(value), **getattr(value, "__dict__", {})}

    @classmethod
    def __ccc_given__(cls, value: Any) -> Any:
        return cls.__ccc_takes__(value)

    def __len__(self) -> int:
        return len(self.kept_items)

    def __iter__(self) -> Any:
        return iter(self.kept_items)

    def __reversed__(self) -> Any:
        return reversed(self.kept_items)

    def __contains__(self, value: Any) -> Any:
        return value in self.kept_items

    def __getitem__(self, i: Any) -> Any:
        return self.kept_items[i]

    def __setitem__(self, i: Any, x: Any) -> None:
        self.kept_items[i] = x

    def __delitem__(self, i: Any) -> None:
        del self.kept_items[i]

    def append(self, x: Any) -> None:
        self.kept_items.append(x)

    def extend(self, iterable: Any) -> None:
        self.kept_items.extend(iterable)

    def insert(self, i: Any, x: Any) -> None:
        self.kept_items.insert(i, x)

    def pop(self, i: Any = -1) -> Any:
        return self.kept_items.pop(i)

    def remove(self, value: Any) -> None:
        self.kept_items.remove(value)

    def clear(self) -> None:
        self.kept_items.clear()

    def reverse(self) -> None:
        self.kept_items.reverse()

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        self.kept_items.sort(key=key, reverse=reverse)

    def index(self, value: Any, *between: Any) -> Any:
        return self.kept_items.index(value, *between)

    def count(self, value: Any) -> Any:
        return self.kept_items.count(value)

    def copy(self) -> Any:
        return list(self.kept_items)

    def __add__(self, other: Any) -> Any:
        return self.kept_items + listed(other) if isinstance(other, list) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return listed(other) + self.kept_items if isinstance(other, list) else NotImplemented

    def __iadd__(self, iterable: Any) -> Any:
        self.kept_items.extend(iterable)
        return self

    def __mul__(self, n: Any) -> Any:
        return self.kept_items * n

    def __rmul__(self, n: Any) -> Any:
        return self.kept_items * n

    def __imul__(self, n: Any) -> Any:
        self.kept_items *= n
        return self

    def __repr__(self) -> str:
        return repr(self.kept_items)

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, list) and self.kept_items == listed(other)


def listed(value: Any) -> Any:
    """The items of a list, as a list of no class below."""
    return list(value)


@stands_below(dict)
class Entries(Table):
    """A dict whose class says more of it."""

    def __ccc_begin__(self) -> None:
        object.__setattr__(self, "kept_entries", {})

    def __init__(self, *given: Any, **named: Any) -> None:
        object.__setattr__(self, "kept_entries", dict(*given, **named))

    @classmethod
    def __ccc_given__(cls, value: Any) -> Any:
        if getattr(value, "__dict__", None) is value:
            raise UnknownObject(
                f"`__dict__` of a {type(value).__name__} is the dict itself", "give the class `def __getattr__(self, "
                "name): return self[name]` and `def __setattr__(self, name, value): self[name] = value`")
        return cls.__ccc_takes__(value)

    def __getitem__(self, key: Any) -> Any:
        if key in self.kept_entries:
            return self.kept_entries[key]
        return self.__missing__(key)

    def __missing__(self, key: Any) -> Any:
        raise KeyError(key)

    def __repr__(self) -> str:
        return repr(self.kept_entries)

    def copy(self) -> Any:
        return dict(self.kept_entries)

    def __or__(self, other: Any) -> Any:
        return {**self.kept_entries, **other}

    def __ror__(self, other: Any) -> Any:
        return {**other, **self.kept_entries}

    def __ior__(self, other: Any) -> Any:
        self.kept_entries.update(other)
        return self


for base in (DefaultDict, OrderedDict, Counter):
    stands_below(base.__ccc_class__)(base)  # type: ignore[attr-defined]
