"""Activations of functions that may be recursive: what a call was given, and what is assumed of its result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ccc.compile.frontend.parts import parts_in, remade, same_names
from ccc.compile.frontend.regions import is_reference
from ccc.compile.frontend.values import ITEMS, RecordValue, atom_of
from ccc.compile.program.lam import Block, Var
from ccc.objects import Object


class Restart(Exception):
    """An activation turned out to be recursive, or its parameters wider than assumed."""

    def __init__(self, activation: Activation, objects: list[Object]) -> None:
        super().__init__()
        self.activation = activation
        self.objects = objects


WRITTEN_OUT = 512
"""How many calls a recursion that cannot be a λ may have in all, where each is known to be made."""
SELDOM = 40
"""How many where nothing is known of its arguments, and no way ends it."""
UNSURE = 40
"""How many of these a call counts as that may not be made."""


class WrittenOut:
    """A recursion that is written out, since it ends by what is known: how many calls it may still have."""

    def __init__(self, home: Block, calls: int) -> None:
        self.home = home
        self.left = calls

    def count(self, block: Block, recurs: bool) -> None:
        """Count a call. Raises `TooMany` for one too many."""
        if recurs:
            self.left -= 1 if block is self.home else UNSURE
            if self.left < 0:
                raise TooMany


class TooMany(Exception):
    """A recursion does not end by what is known, or late."""


class Activation:
    """A function being elaborated: its key, its arguments, and, once it is a λ, the variable and the assumed result."""

    __slots__ = (
        "caught", "cells", "dicts", "function", "given", "key", "name", "objects", "opened", "origins", "params",
        "raises", "result", "same", "written",
    )

    def __init__(self, key: Any, name: str, given: dict[str, Any]) -> None:
        self.key = key
        self.name = name
        self.given = given
        self.function: Var | None = None
        self.objects: list[Object] = objects_in(given)
        self.result: Any = None
        self.cells: list[Any] = []  # the arrays from outside that it changes
        self.dicts: dict[RecordValue, Object] = {}  # the dicts that it changes, with the objects of their maps
        self.written: list[int] = []  # the positions of the arguments that it changes
        self.params: list[Var] = []
        self.opened = 0  # where its block stands among those under way
        self.origins: list[list[Any]] = [[leaf] for leaf in leaves_of(given)]
        self.caught: list[tuple[type, ...]] = []  # the classes that the `try`s around calls catch
        self.raises: list[Any] = []  # which of these it raises
        self.same: dict[int, Any] = {}  # the results that are arrays known to the caller


def leaves_of(value: Any) -> list[Any]:
    """The numbers, arrays and lists in a value that can be parameters."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves_of(part)]
    parts = None if is_own_map(value) else parts_in(value)
    if parts is not None:
        return [leaf for part in parts for leaf in leaves_of(part)]
    return [value] if is_leaf(value) else []


class AnotherCall(str):
    """Who sees a dict that was given to a recursive function: another call; `original` is the dict that was given."""

    original: Any = None


def is_own_map(value: Any) -> bool:
    """True for a dict of the program that only the program sees: every call is given the very dict."""
    return isinstance(value, RecordValue) and ITEMS in value.fields and not value.shared


def is_leaf(value: Any) -> bool:
    return isinstance(value, Var) or (isinstance(value, (int, float)) and not isinstance(value, bool))


def is_unknown(value: Any) -> bool:
    """Whether nothing is known of what an argument is when the program runs, or of where it stands."""
    return isinstance(value, Var) or is_reference(value)


def objects_in(given: dict[str, Any]) -> list[Object]:
    return [atom_of(leaf).object for leaf in leaves_of(given)]


def names_of_leaves(given: dict[str, Any]) -> list[str]:
    return [name for name, value in given.items() for _ in leaves_of(value)]


def rebuilt(value: Any, leaves: Any) -> Any:
    """A value with its leaves replaced in order."""
    if isinstance(value, dict):
        return {key: rebuilt(part, leaves) for key, part in value.items()}
    parts = None if is_own_map(value) else parts_in(value)
    if parts is not None:
        return seen_by_another(value, [rebuilt(part, leaves) for part in parts])
    return next(leaves) if is_leaf(value) else value


def seen_by_another(value: Any, parts: Iterable[Any]) -> Any:
    """A tuple or record with other parts, which another call may see."""
    seen = AnotherCall("another call")
    seen.original = value
    return remade(value, parts, seen)


def alike(a: Any, b: Any) -> bool:
    """True for values that differ in numbers, arrays and lists alone."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if is_own_map(a) or is_own_map(b):
        return a is b
    parts, others = parts_in(a), parts_in(b)
    if parts is not None or others is not None:
        if parts is None or others is None or not same_names(a, b):
            return False
        return len(parts) == len(others) and all(map(alike, parts, others))
    if is_leaf(a) or is_leaf(b):
        return is_leaf(a) and is_leaf(b)
    return a is b or (isinstance(a, (str, bool)) and a == b)


def repeats(activation: Activation, given: dict[str, Any]) -> bool:
    """True where a call has the types of an activation around it, none of whose arguments is a known number."""
    known = [leaf for leaf in leaves_of(activation.given) if not isinstance(leaf, Var)]
    return not known and activation.objects == objects_in(given)
