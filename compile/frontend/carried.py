"""A value that a loop carries, as the variables in it: taken apart into these, and built of others."""

from __future__ import annotations

from types import NoneType
from typing import Any

from ccc.compile.frontend import joins
from ccc.compile.frontend.memory.interface import (
    reached_from,
)
from ccc.compile.frontend.parts import remade
from ccc.compile.frontend.values import (
    UNSET,
    ListValue,
    Mutable,
    Perhaps,
    RecordValue,
    Unbound,
    View,
    _serials,
    atom_of,
)
from ccc.compile.program.lam import Absent, Lit, Var, like
from ccc.objects import BOOL, Array, List, Object

KNOWN = (str, bytes, NoneType)
"""What parts of tuples stay as they are: they are no leaves."""


def as_atom(value: Any) -> Any:
    return value if isinstance(value, Lit) else atom_of(value)


def nothing(a: Object) -> Lit:
    """What stands for a value that a loop has not made yet."""
    return Lit(Absent(a), a) if isinstance(a, (Array, List)) else joins.unread(a)


def holds_functions(value: Any) -> bool:
    """Whether functions are reached from a value, whose variables are no leaves of it."""
    functions: list[Any] = []
    return bool([*reached_from(value, functions)] and functions)


def unset_like(value: Any) -> Any:
    """What stands where nothing reads a value like this one yet; UNSET where it holds what a loop cannot carry."""
    leaves = None if holds_functions(value) else leaves_of(value)
    return UNSET if leaves is None else rebuilt(value, iter([nothing(as_atom(v).object) for v in leaves]))


def is_poor(value: Any) -> bool:
    """True for what stands for a name that has no value which could be carried."""
    return isinstance(value, Unbound) and not isinstance(value, Perhaps)


def leaves_of(value: Any) -> list[Any] | None:
    """The numbers, arrays and lists in a value, or None where it holds something that a loop cannot carry."""
    if isinstance(value, Perhaps):
        found = leaves_of(value.value)
        flag = value.bound if isinstance(value.bound, Var) else Lit(value.bound, BOOL)
        return None if found is None else [flag, *found]
    if isinstance(value, tuple):
        parts = [[] if isinstance(part, KNOWN) else leaves_of(part) for part in value]
        return None if any(p is None for p in parts) else [v for part in parts if part is not None for v in part]
    if isinstance(value, (RecordValue, ListValue)):
        inside = value.items if isinstance(value, ListValue) else value.fields.values()
        parts = [[] if is_fixed(part) else leaves_of(part) for part in inside]
        return None if any(p is None for p in parts) else [v for part in parts if part is not None for v in part]
    if isinstance(value, (Var, Lit, int, float)):
        return [value]
    return None


def is_fixed(part: Any) -> bool:
    """True for parts of lists and records that stay as they are: strings, bools, functions, None."""
    return isinstance(part, bool) or not isinstance(part, (Var, Lit, int, float, tuple, RecordValue, ListValue))


def rebuilt(value: Any, leaves: Any) -> Any:
    if isinstance(value, Perhaps):
        flag = next(leaves)
        return Perhaps(rebuilt(value.value, leaves), flag.value if isinstance(flag, Lit) else flag)
    if isinstance(value, tuple):
        return like(value, [part if isinstance(part, KNOWN) else rebuilt(part, leaves) for part in value])
    if isinstance(value, (RecordValue, ListValue)):
        inside = value.items if isinstance(value, ListValue) else value.fields.values()
        parts = [part if is_fixed(part) else rebuilt(part, leaves) for part in inside]
        shared = value.shared or "another run of the loop"
        return value.like(parts, shared) if isinstance(value, RecordValue) else ListValue(parts, shared)
    return next(leaves)


def unsealed(value: Any) -> Any:
    """A value that was rebuilt, with lists and records that are made here and that nothing else leads to."""
    for part in reached_from(value, []):
        if isinstance(part, Mutable):
            part.shared, part.serial = False, next(_serials)
    return value


def replaced(value: Any, parts: tuple[Any, ...], new: list[Any]) -> Any:
    """A tuple or record with these parts; itself where they are the same."""
    same = all(x is y for x, y in zip(parts, new, strict=True))
    return value if same else remade(value, new, "another run of the loop")


def alike(a: Any, b: Any, inside: bool = False) -> bool:
    """True for values of one structure of tuples; bools stay as they are inside of lists and records alone."""
    if isinstance(a, Perhaps) and isinstance(b, Perhaps):
        return alike(a.value, b.value, inside)
    if isinstance(a, RecordValue) and isinstance(b, RecordValue):
        if a.cls is not b.cls or list(a.fields) != list(b.fields):
            return False
        return all(alike(x, y, inside=True) for x, y in zip(a.fields.values(), b.fields.values(), strict=True))
    if isinstance(a, ListValue) and isinstance(b, ListValue):
        return len(a.items) == len(b.items) and all(alike(x, y, True) for x, y in zip(a.items, b.items, strict=True))
    if isinstance(a, View) or isinstance(b, View):  # of one dict
        return isinstance(a, View) and isinstance(b, View) and a.key == b.key and all(map(alike, a, b))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and joins.same_class(a, b) and all(map(alike, a, b))
    if isinstance(a, (tuple, RecordValue, ListValue)) or isinstance(b, (tuple, RecordValue, ListValue)):
        return False
    if not inside and isinstance(a, (bool, Var)) and isinstance(b, (bool, Var)):
        return True
    return a is b or joins.equal(a, b) or not (is_fixed(a) or is_fixed(b))
