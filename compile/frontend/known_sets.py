"""Sets that are known while compiling: `{a, b, ...}`, `set(...)` and `frozenset(...)` of known things.

The order in which Python goes through a set follows from the hashes of its items, those of texts in this process, and
from how the set was made. So a known set is made here as Python makes it: item by item, or, of three or more constants
in a display, of the frozenset that stands in the code of the function.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.memory.interface import dicts
from ccc.compile.frontend.values import Frame, KnownSet, RecordValue

CONSTANTS = 3
"""So many constants in a display are one constant of the code."""
CONSTANT = (ast.Constant, ast.Tuple, ast.Load, ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator)
"""The syntax that Python makes constants of, tuples of such among it."""


def displayed(e: Elaboration, found: list[Any], node: ast.Set, frame: Frame) -> Any:
    """`{a, b, ...}` of known things."""
    if e.stores is not None and not frame.of_library:
        starred = any(isinstance(element, ast.Starred) for element in node.elts)
        one_by_one = not starred and (len(found) < CONSTANTS or not is_constant(node))
        return e.call(set, [tuple(found), one_by_one], {}, node, frame)
    for item in found:
        dicts.refuse_unhashable(e, item, node, frame)
    if not all(map(dicts.is_known, found)):
        raise unsupported("CC003", "sets are supported where their items are known", e.span(node, frame),
                          help="use a dict, whose keys may vary")
    constants = is_constant(node)
    iterated = frame.at is not None and any(getattr(part, "iter", None) is node for part in ast.walk(frame.at))
    if not constants or (len(found) < CONSTANTS and not iterated):
        return KnownSet(found, set(found))
    constant = constant_of(frame, frozenset(found))
    if constant is None:
        return KnownSet(found, None)
    return KnownSet(found, constant if iterated else set[Any]().union(constant))


def is_constant(node: ast.Set) -> bool:
    """Whether all items of a display are constants of the code."""
    return all(isinstance(part, CONSTANT) for element in node.elts for part in ast.walk(element))


def constant_of(frame: Frame | None, items: frozenset[Any]) -> frozenset[Any] | None:
    """The constant of the code around an activation that holds these; None where there is none."""
    while frame is not None:
        todo = [frame.function.__code__] if isinstance(frame.function, types.FunctionType) else []
        while todo:
            for constant in todo.pop().co_consts:
                if isinstance(constant, types.CodeType):
                    todo.append(constant)
                elif isinstance(constant, frozenset) and constant == items:
                    return constant
        frame = frame.outer
    return None


def set_of(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`set(...)` of known things."""
    return made(e, set, args, node, frame)


def frozen_set_of(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`frozenset(...)` of known things."""
    found = made(e, frozenset, args, node, frame)
    return frozenset(found) if found.real is None else found.real


def made(e: Elaboration, cls: type, args: list[Any], node: ast.AST, frame: Frame) -> KnownSet:
    """A set of known things, which Python makes of another set or a dict in a way of its own."""
    of = args[0] if args else ()
    found = list(of) if isinstance(of, KnownSet) else known_items(of)
    for item in found or ():
        dicts.refuse_unhashable(e, item, node, frame)
    if found is None or not all(map(dicts.is_known, found)):
        raise unsupported("CC003", "sets are supported where their items are known", e.place(node, frame),
                          help="use a dict, whose keys may vary")
    if isinstance(of, KnownSet):
        return KnownSet(found, None if of.real is None else cls(of.real))
    return KnownSet(found, cls(dict.fromkeys(found)) if isinstance(of, RecordValue) else cls(found))


def combined(a: frozenset[Any], b: frozenset[Any], by: Callable[[Any, Any], Any]) -> frozenset[Any]:
    """What an operator gives of two known sets, made as Python makes it, of the class of the first.

    >>> import operator
    >>> list(combined(KnownSet([1, 9], {1, 9}), frozenset([9, 1]), operator.or_).real)  # type: ignore[attr-defined]
    [1, 9]
    """
    found = by(frozenset(a), frozenset(b))
    if not isinstance(a, KnownSet):
        return found
    one, other = [x.real if isinstance(x, KnownSet) else x for x in (a, b)]
    return KnownSet(found, None if one is None or other is None else by(one, other))


__all__ = ["combined", "displayed", "frozen_set_of", "set_of"]
