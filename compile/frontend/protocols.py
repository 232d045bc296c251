"""What loops and builtins mean for an object whose class defines them: `__iter__`, `__abs__`, `__float__`, ..."""

from __future__ import annotations

import ast
import builtins
import itertools
import math
from typing import Any

from ccc.compile.frontend import records
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.parts import defined
from ccc.compile.frontend.values import Frame

METHODS: dict[Any, str] = {
    builtins.abs: "__abs__", builtins.float: "__float__", builtins.int: "__int__", builtins.round: "__round__",
    builtins.divmod: "__divmod__", builtins.reversed: "__reversed__", math.floor: "__floor__", math.ceil: "__ceil__",
    math.trunc: "__trunc__",
}
"""Builtins that are methods of their first argument."""

ITERATING: set[Any] = {
    builtins.sum, builtins.any, builtins.all, builtins.min, builtins.max, builtins.list, builtins.tuple,
    builtins.sorted, builtins.set, builtins.frozenset, builtins.zip, builtins.enumerate, builtins.map, builtins.filter,
    builtins.iter, math.prod, math.fsum, itertools.chain, itertools.islice, itertools.product, itertools.zip_longest,
    itertools.accumulate, itertools.takewhile, itertools.dropwhile, itertools.pairwise,
}
"""Builtins that iterate their arguments, `min` and `max` where they have one."""


def iterated(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What iterating a value iterates: what the `__iter__` of an object gives, or the value itself."""
    if stored.is_container(value):
        return stored.shown(e, value)
    if not defined(value, "__iter__"):
        return value
    return records.special(e, value, "__iter__", [], {}, node, frame)


def as_method(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a builtin that is a method of its first argument, else NotImplemented."""
    name = METHODS.get(function)
    if name is None or not args or not defined(args[0], name):
        return NotImplemented
    return records.special(e, args[0], name, args[1:], kwargs, node, frame)


def arguments(e: Elaboration, function: Any, args: list[Any], node: ast.AST, frame: Frame | None) -> list[Any]:
    """The arguments of a builtin, those that it iterates as what they are iterated as."""
    if function not in ITERATING or (function in (builtins.min, builtins.max) and len(args) > 1):
        return args
    return [iterated(e, a, node, frame) for a in args]
