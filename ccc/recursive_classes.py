"""Classes whose objects hold objects of their own kind: trees, linked lists, expressions.

A *group* is the classes that stand in for each other where one holds another. Annotations say so (`left: Leaf | Node`,
`next: Node | None`, a base class for its subclasses); where they do not, a value does that holds one of its own class.

>>> from dataclasses import dataclass
>>> @dataclass
... class Link:
...     __module__ = "__main__"
...     value: float
...     rest: "Link | None" = None
>>> group_of(Link) is not None, recursive_fields(Link)
(True, frozenset({'rest'}))
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
import typing
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from ccc.records import APART, names_of

Place = tuple[str, str, str]


class Group:
    """Classes that stand in for each other."""

    def __init__(self) -> None:
        self.members: WeakSet[type] = WeakSet()

    def __str__(self) -> str:
        return " | ".join(sorted(cls.__name__ for cls in self.members))


_groups: WeakKeyDictionary[type, Group] = WeakKeyDictionary()
_hints: WeakKeyDictionary[type, dict[str, list[list[Any]]]] = WeakKeyDictionary()
_awaited: dict[Place, Group] = {}
_scanned: set[str] = set()


def is_record_class(cls: Any) -> bool:
    """True for dataclasses and named tuples."""
    return isinstance(cls, type) and cls is not dict and names_of(cls) is not None


def place_of(cls: type, name: str = "") -> Place:
    """Where a class of this name would stand beside `cls`."""
    return cls.__module__, cls.__qualname__.rpartition(".")[0], name or cls.__name__


def group_of(cls: type) -> Group | None:
    """The group of a class of records; None where its objects hold none of their own kind."""
    if cls not in _hints and cls is not dict and names_of(cls) is not None:
        _look_at(cls)
    return _groups.get(cls)


def _look_at(cls: type) -> None:
    """Read the annotations of a class, and of those that its module defines beside it."""
    module = sys.modules.get(cls.__module__)
    todo = [cls]
    if module is not None and cls.__module__ not in _scanned and getattr(module, cls.__name__, None) is cls:
        _scanned.add(cls.__module__)
        todo += [x for x in vars(module).values() if is_record_class(x) and x.__module__ == cls.__module__]
    for base in cls.__mro__[1:-1]:
        if base.__module__.partition(".")[0] not in APART:  # of one of a library, as `tuple`, there may be any number
            todo += _subclasses(base)
    for found in todo:
        _read(found)
    awaited = _awaited.get(place_of(cls))
    if awaited is not None and cls not in _groups:
        join_group(awaited, cls)


def _read(cls: type) -> None:
    """Find the group of a class by its annotations."""
    if cls in _hints:
        return
    seen: dict[type, None] = {}
    todo = [cls]
    while todo:
        here = todo.pop()
        if here in seen:
            continue
        seen[here] = None
        if here not in _hints:
            _hints[here] = {name: list(unions_in(hint, here)) for name, hint in annotations_of(here).items()}
        todo += [x for x in referred(here) if isinstance(x, type)]
    edges = {here: [x for x in referred(here) if isinstance(x, type)] for here in seen}
    for here in seen:
        reached = _reach(edges, here)
        if here in reached:
            _enter(here, {x for x in reached if here in _reach(edges, x)})


def _enter(cls: type, cycle: set[type]) -> None:
    """The group of the classes on a cycle, and of those that stand beside them in an annotation."""
    group = _groups.get(cls) or Group()
    for here in cycle:
        join_group(group, here)
    for here in cycle:
        for unions in _hints[here].values():
            for union in unions:
                if any(x in cycle for x in union):
                    for other in union:
                        if isinstance(other, type):
                            join_group(group, other)
                        else:
                            _awaited[other] = group


def _reach(edges: dict[type, list[type]], start: type) -> set[type]:
    found: set[type] = set()
    todo = list(edges[start])
    while todo:
        here = todo.pop()
        if here not in found:
            found.add(here)
            todo += edges[here]
    return found


def join_group(group: Group | None, cls: type) -> Group:
    """Let a class belong to a group, and with it all of its own group; a new group where there is none."""
    group = group if group is not None else _groups.get(cls) or Group()
    old = _groups.get(cls)
    for member in list(old.members) if old is not None else [cls]:
        group.members.add(member)
        _groups[member] = group
    return group


def recursive_fields(cls: type) -> frozenset[str]:
    """The fields whose annotation names a class of the group."""
    group = group_of(cls)
    if group is None:
        return frozenset()
    hints = _hints.get(cls, {}).items()
    return frozenset(n for n, unions in hints if any(x in group.members for u in unions for x in u if x is not None))


def holds_list(cls: type, name: str) -> bool:
    """True for a field that is annotated as a list."""
    hint = annotations_of(cls).get(name)
    return getattr(hint, "__origin__", hint) is list or (isinstance(hint, str) and hint.lower().startswith("list["))


def referred(cls: type) -> Iterator[Any]:
    """The classes that the annotations of a class name."""
    for unions in _hints[cls].values():
        for union in unions:
            yield from union


def annotations_of(cls: type) -> dict[str, Any]:
    """The annotation of each field, as it is written."""
    if dataclasses.is_dataclass(cls):
        return {f.name: f.type for f in dataclasses.fields(cls)}
    return dict(getattr(cls, "__annotations__", {}))


def unions_in(hint: Any, cls: type) -> Iterator[list[Any]]:
    """The unions of an annotation, also inside lists and tuples, each as its classes of records; a class that is not
    known yet is the place where it is to be found."""
    if isinstance(hint, typing.ForwardRef):
        hint = hint.__forward_arg__
    if isinstance(hint, str):
        space = {**vars(sys.modules.get(cls.__module__) or types), cls.__name__: cls}
        try:
            hint = eval(hint, space)  # an annotation of the user's, as `typing.get_type_hints` reads it
        except Exception:  # names that are not there yet: whatever the annotation raises
            names = [n for n in re.findall(r"[A-Za-z_]\w*", hint) if n not in ("list", "tuple", "None", "Optional")]
            found = [[c for c in _classes(space[n], cls)] if n in space else [place_of(cls, n)] for n in names]
            yield [c for part in found for c in part]
            return
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    members = typing.get_args(hint) if union else (hint,)
    here: list[Any] = []
    for member in members:
        if isinstance(member, (str, typing.ForwardRef)):
            inner = list(unions_in(member, cls))
            here += [c for part in inner for c in part]
        elif typing.get_origin(member) is not None:
            for part in typing.get_args(member):
                if part is not Ellipsis:
                    yield from unions_in(part, cls)
        else:
            here += _classes(member, cls)
    if here:
        yield here


def _classes(member: Any, cls: type) -> list[Any]:
    """The classes of records that a name in an annotation stands for: a class and its subclasses."""
    if not isinstance(member, type) or member in (object, tuple):
        return []
    return [x for x in (member, *_subclasses(member)) if is_record_class(x)]


def _subclasses(cls: type) -> Iterator[type]:
    if cls is object:
        return
    for sub in cls.__subclasses__():
        if is_record_class(sub):
            yield sub
        yield from _subclasses(sub)
