"""Calls of what holds a function: bound methods, `functools.partial`, `np.vectorize`, what `np.errstate` decorates."""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import types
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import frozen, records
from ccc.compile.frontend.captures import Within, item, keyword
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.unread_calls import no_rule
from ccc.compile.frontend.user_calls import call_user
from ccc.compile.frontend.values import Frame
from ccc.primitives import registry
from ccc.primitives.raising import within

DECORATED = np.errstate()(lambda: None).__code__
"""That of functions which `np.errstate` decorates."""


def call_bound(
    e: Elaboration, function: types.MethodType, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """The result of a method of a value that is known: of one that a program may change, by what it is there."""
    if isinstance(function.__self__, enum.Enum):
        return e.call(function.__func__, [function.__self__, *args], kwargs, node, frame)  # type: ignore[arg-type]
    if registry.is_holder(function.__self__):
        if function.__name__.startswith("_"):  # a formula of a library's object, in what the library writes
            return call_user(e, function.__func__, [function.__self__, *args], kwargs, node, frame)  # type: ignore[arg-type]
        raise no_rule(e, function, args, node, frame)
    given = frozen.from_outside(e, function.__self__, node, frame)
    if given is not None:
        return e.call(records.attribute(e, given, function.__name__, node, frame), args, kwargs, node, frame)  # type: ignore[arg-type]
    return records.call_method(e, function, args, kwargs, node, frame)


def call_vectorized(
    e: Elaboration, function: np.vectorize, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of what `np.vectorize` makes of a function."""
    otypes = tuple(vars(function)["otypes"]) if vars(function)["otypes"] else None
    from ccc.compile.frontend.numpy_functions import functional

    if not function.signature:
        return e.call(functional.vectorized, [function.pyfunc, otypes, tuple(function.excluded), *args], kwargs, node,
                      frame)
    names = [*inspect.signature(function.pyfunc).parameters]
    if list(kwargs) != names[len(args) : len(args) + len(kwargs)]:
        raise unsupported("CC020", "`np.vectorize` with arguments by name is not supported", e.place(node, frame),
                          help="give them in the order of the parameters")
    cores = tuple([len(core) for core in function._in_and_out_core_dims[0]])  # type: ignore[attr-defined]
    return e.call(functional.by_signature, [function.pyfunc, otypes, cores, *args, *kwargs.values()], {}, node, frame)


def given_by_partial(
    e: Elaboration, function: functools.partial[Any], node: ast.AST, frame: Frame | None
) -> tuple[list[Any], dict[str, Any]]:
    """What `functools.partial` was given outside, as values of the program."""
    reader = e.reader(function)

    def value(name: str, part: Any, label: Any, x: Any) -> Any:
        owner = Within(reader, getattr, "args") if part is item else reader
        return e.read(name, (id(function), label), x, Within(owner, part, label), node, frame)

    given = [value(f"arg{i}", item, i, x) for i, x in enumerate(function.args)]
    return given, {name: value(name, keyword, name, x) for name, x in function.keywords.items()}


def under_modes(
    e: Elaboration, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """The result of a function that `np.errstate` decorates."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    state, around = cells["self"].cell_contents, e.recorder.errors
    given = {name: getattr(state, f"_{name}", None) for name in ("all", "divide", "over", "under", "invalid")}
    handler = getattr(state, "_call", None)
    e.recorder.errors = within(around, {**given, **({"call": handler} if callable(handler) else {})})
    try:
        return e.call(cells["func"].cell_contents, args, kwargs, node, frame)
    finally:
        e.recorder.errors = around
