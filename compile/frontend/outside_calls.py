"""Functions and objects outside that are called for what they do: loggers, plots, locks, files, clocks.

    log.info("step %d: %.3f", i, loss)      time.sleep(0.1)      with lock: ...      began = time.perf_counter()

What nothing reads needs no rule: the program calls the function as it is, once and in order, with copies of the arrays
and lists that it is given. A clock is read where it stands, and its reading is a constant of the derivative.
"""

from __future__ import annotations

import ast
import enum
import functools
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.diagnostics import is_installed, unsupported
from ccc.compile.frontend import effects, outside_sets
from ccc.compile.frontend.attempts import is_exception
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.unrepeatable import is_clock
from ccc.compile.frontend.values import Frame, RecordValue
from ccc.objects import TEXT
from ccc.objects_of_values import object_of
from ccc.primitives import outside, registry

MAKING = frozenset({"collections", "dataclasses", "enum", "typing"})
"""Modules of Python whose functions make classes."""


def is_unused(node: ast.AST, frame: Frame | None) -> bool:
    """True for a call that is a statement: nothing reads what it gives."""
    return frame is not None and isinstance(frame.at, ast.Expr) and frame.at.value is node


def of_method(node: ast.AST, attribute: ast.Attribute) -> bool:
    """True for the call of what an attribute is."""
    return isinstance(node, ast.Call) and node.func is attribute


def is_inherited(function: Any, args: list[Any]) -> bool:
    """True for a method that a user's class has from one of Python's, as that of a `MutableMapping`: it calls others of
    the user's, so it is read."""
    return bool(args) and isinstance(args[0], RecordValue) and any(
        vars(base).get(getattr(function, "__name__", "")) is function for base in args[0].cls.__mro__)


def is_foreign(function: Any) -> bool:
    """True for functions and methods of what is installed, but for those of NumPy and SciPy, which compute, and ours.

    >>> import gc, logging
    >>> is_foreign(logging.getLogger("a").info), is_foreign(gc.collect), is_foreign(is_unused), is_foreign(print)
    (True, True, False, True)
    """
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (type, enum.Enum)) or not isinstance(
            function, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
        return False
    of: Any = function if owner is None or isinstance(owner, types.ModuleType) else type(owner)
    modules = {(getattr(x, "__module__", None) or "").partition(".")[0] for x in (of, function)}
    if modules & {"numpy", "scipy", "ccc", "compile"} or registry.is_holder(owner):
        return False
    return is_installed(of)


def looks_up(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """True for a call that gives what there is under a known name: a logger."""
    known = all(isinstance(value, str | None) for value in [*args, *kwargs.values()])
    return known and function is getattr(sys.modules.get("logging"), "getLogger", None)


def makes_class(function: Any) -> bool:
    """True for functions of Python's library that make classes, as `collections.namedtuple`.

    >>> import collections
    >>> makes_class(collections.namedtuple), makes_class(len)
    (True, False)
    """
    return getattr(function, "__module__", None) in MAKING and is_foreign(function)


def call(
    e: Elaboration, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> None:
    """Call a function when the program runs, for what it does."""
    if type(owner := getattr(function, "__self__", None)) is set:
        outside_sets.changing(e, owner, node, frame)
    for value in [*args, *kwargs.values()]:
        record = isinstance(value, RecordValue) and not is_exception(value)  # of which the text is given
        if record and value.cls is not dict and not hasattr(value.cls, "_fields"):
            raise unsupported("CC003", f"an object of the class `{value.cls.__name__}` is given to what is called as "
                              "it is", e.span(node, frame), help="give it numbers, arrays, texts, lists and dicts")
    forms, values = effects.arguments(e, [*args, *kwargs.values()], node, frame)
    e.recorder.span = e.span(node, frame)
    e.always(outside.done, (function, *values), forms=forms, names=tuple(kwargs))


def read_clock(e: Elaboration, function: Callable[[], float | str]) -> Any:
    """What a clock says when the program comes to it, or which text is made there."""
    found = function()
    return e.always(outside.clock, (function,), of=TEXT if isinstance(found, str) else object_of(found))


def is_manager(value: Any) -> bool:
    """True for an object outside whose class, which is no user's, has `__enter__` and `__exit__`."""
    cls = type(value)
    return is_installed(cls) and hasattr(cls, "__enter__") and hasattr(cls, "__exit__") and cls.__module__ != "numpy"


def enter(e: Elaboration, manager: Any) -> None:
    e.always(outside.done, (manager.__enter__,), forms=(), names=())


def leave(e: Elaboration, manager: Any, kind: type | None) -> Any:
    """Whether a manager that is left keeps back the exception of a class, by which it is left."""
    if kind is None:
        e.always(outside.done, (functools.partial(manager.__exit__, None, None, None),), forms=(), names=())
        return False
    return e.always(outside.left, (manager.__exit__, kind))


__all__ = [
    "call", "enter", "is_clock", "is_foreign", "is_inherited", "is_manager", "is_unused", "leave", "looks_up",
    "makes_class", "of_method", "read_clock",
]  # fmt: skip
