"""Activations of user functions: how arguments are bound to parameters, and what a body gives."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import generators
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import GOES_ON
from ccc.compile.frontend.iterator_values import IteratorValue, SpreadValue
from ccc.compile.frontend.memory import interface
from ccc.compile.frontend.names import own_parts
from ccc.compile.frontend.parameters import unknown_keys
from ccc.compile.frontend.parts import cell
from ccc.compile.frontend.source import Source
from ccc.compile.frontend.values import ITEMS, Frame, RecordValue, closed


def bound_arguments(
    node: Any, name: str, args: list[Any], kwargs: dict[str, Any], defaults: Mapping[str, Any], where: Any,
    as_object: Callable[[Any], Any] | None = None, users: Any = None,
) -> dict[str, Any]:
    """Parameters and their values, as Python binds them; defaults are looked up only where they are used. `as_object`
    makes an object of an iterator that the function does not read first; `users` is the function where it is theirs."""
    spec = node.args
    only_placed = [a.arg for a in spec.posonlyargs]
    positional = [*only_placed, *[a.arg for a in spec.args]]
    named = [*positional[len(only_placed):], *[a.arg for a in spec.kwonlyargs]]
    args, kwargs = list(args), dict(kwargs)
    kept = list[str]()
    for key, at, value in [*[(i, args, v) for i, v in enumerate(args)], *[(k, kwargs, v) for k, v in kwargs.items()]]:
        if not isinstance(value, IteratorValue):
            continue
        called = key if isinstance(key, str) else positional[key] if key < len(positional) else None
        if called is not None and generators.consumed(node, called, value, users):
            kept.append(called)
            continue
        at[key] = value if as_object is None else as_object(value)  # type: ignore[index]
        if isinstance(at[key], IteratorValue):  # type: ignore[index]
            raise unsupported("CC003", "an iterator cannot be an argument", where,
                              "it would be empty when it is used again", help="write it where it is looped over")
    if len(args) > len(positional) and spec.vararg is None:
        raise mismatch("CC027", f"`{name}` was given {len(args)} arguments, it takes {len(positional)}", where,
                       help=takes(spec))
    found = dict(zip(positional, args, strict=False))
    if spec.vararg is not None:
        more = args[len(positional):]
        found[spec.vararg.arg] = more[0].items if more and isinstance(more[0], SpreadValue) else tuple(more)
    if ITEMS in kwargs and (spec.kwarg is None or named[1 if args and named[:1] == ["self"] else 0:]):
        raise unknown_keys(where)  # they may be those of other parameters
    others: dict[Any, Any] = {}
    for key, value in kwargs.items():
        if key not in named and spec.kwarg is not None:
            others[key] = value
            continue
        if key not in named:
            raise mismatch("CC027", f"`{name}` has no parameter `{key}` that can be named", where, help=takes(spec))
        if key in found:
            raise mismatch("CC027", f"`{name}` got `{key}` twice", where, help=takes(spec))
        found[key] = value
    for key in [*positional, *named]:
        if key not in found:
            if key not in defaults:
                raise mismatch("CC027", f"`{name}` misses its argument `{key}`", where, help=takes(spec))
            found[key] = defaults[key]
    if spec.kwarg is not None:
        found[spec.kwarg.arg] = RecordValue(dict, others)
    return {name: value if name in kept else closed(value) for name, value in found.items()}


def takes(spec: ast.arguments) -> str:
    """What a function takes, for messages."""
    return f"its parameters are ({ast.unparse(spec)})"


@lru_cache(maxsize=1024)
def returned(node: ast.Lambda) -> ast.stmt:
    """What a `lambda` gives, as the statement that a function has: where exceptions are caught it may go on in
    branches."""
    return ast.copy_location(ast.Return(node.body), node.body)


def body_of(e: Elaboration, source: Source, frame: Frame) -> Any:
    """What the body of a function gives in a new activation."""
    node = source.node
    frame.env.update({name: cell(name, value) for name, value in frame.env.items() if name in frame.cells})
    if e.stores is not None:
        interface.shared_variables.begun(e, frame)
    e.frames.append(frame)
    try:
        refuse_generator(node, e, frame)
        if isinstance(node, ast.Lambda):
            return e.run([returned(node)], frame) if e.attempts.active else e.expression(node.body, frame)
        outcome = e.run(node.body, frame)
        if outcome is GOES_ON and e.survey is not None:
            e.survey.returned(frame)
        return None if outcome is GOES_ON else outcome
    finally:
        e.frames.pop()


def refuse_generator(function: ast.AST, e: Elaboration, frame: Frame) -> None:
    """Refuse a function whose own body yields."""
    for node in own_parts(function) if generators.yields(function) else ():
        if type(node) in (ast.Yield, ast.YieldFrom):
            raise unsupported("CC004", "`yield` makes this a generator; derivatives need a returned value",
                              e.span(node, frame), help="collect the values in a tuple and return it")
