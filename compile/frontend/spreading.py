"""`f(*xs)` of lists and arrays whose length is not known: of a function with `*args`, of one with so many parameters
or a class, `print`, `max`, `min` and `zip`.

A parameter `*args` is a tuple in Python. It may be a list here where the function does nothing by which the two differ:
it is iterated, read at an index, measured, spread again, or given to a builtin that iterates it.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import math
import types
from collections.abc import Collection
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import records
from ccc.compile.frontend.defaults import Defaults
from ccc.compile.frontend.definitions import defined
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.names import own_parts
from ccc.compile.frontend.parts import MISSING, generated
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.statements import unpacked
from ccc.compile.frontend.values import ClosureValue, Frame, ListValue, SpreadValue, TransposedValue
from ccc.compile.program.lam import Var
from ccc.objects import Array, List, Product, Record

ITERATING = frozenset({
    "len", "sum", "max", "min", "any", "all", "enumerate", "zip", "map", "sorted", "list", "reversed", "filter",
})


def spread(
    e: Elaboration, function: Any, before: int, named: Collection[str | None], value: Any, part: ast.Starred,
    frame: Frame,
) -> list[Any]:  # fmt: skip
    """What a function is given by `*value`, behind so many other arguments and beside those with these names."""
    refused = unsupported("CC003", "`*` needs a tuple of known length here", e.span(part, frame),
                          help="write the arguments out")
    if not isinstance(value, Var) or not isinstance(value.object, List | Array):
        raise refused
    if function is builtins.print:
        return [SpreadValue(e.call(list, [value], {}, part, frame))]
    if function in (builtins.zip, builtins.map) and before == (function is builtins.map):
        return columns(e, value, part, frame)
    if e.attempts.active:  # what raises here is caught nowhere
        raise refused
    if function in (builtins.max, builtins.min) and before == 0:
        return [defined(e, "at_least_two", [e.call(list, [value], {}, part, frame)], part, frame)]
    syntax, bound = syntax_of(function)
    spec = None if syntax is None else syntax.args
    if spec is not None and spec.vararg is not None and len(spec.posonlyargs) + len(spec.args) == bound + before and (
            is_iterated(syntax, spec.vararg.arg)):
        return [SpreadValue(e.call(list, [value], {}, part, frame))]
    found = parameters_of(e, function, part, frame)
    if found is None or len(found) < before or None in named:
        raise refused
    left = {name: default for name, default in list(found.items())[before:] if name not in named}
    least = sum(default is MISSING for default in left.values())
    name, bounds = ("so_many", [least]) if least == len(left) else ("between", [least, len(left)])
    items = defined(e, name, [e.call(list, [value], {}, part, frame), *bounds], part, frame)
    first = list(unpacked(e, items, least, part, frame)) if least == len(left) else [
        defined(e, "letter", [items, i], part, frame) for i in range(least)]
    return [*first, *[defined(e, "item_or", [items, i, default], part, frame)
                      for i, default in enumerate(left.values()) if i >= least]]


def parameters_of(e: Elaboration, function: Any, part: ast.AST, frame: Frame) -> dict[str, Any] | None:
    """What may be given to a function or a class without a name, with the defaults; None where that is not known."""
    if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
        cls: Any = function
        return {name: cls._field_defaults.get(name, MISSING) for name in cls._fields}
    if isinstance(function, type) and generated(function, "__init__"):
        fields = [f for f in dataclasses.fields(function) if f.init and not f.kw_only]  # type: ignore[arg-type]
        return {f.name: records.default_of(e, f, function, part, frame) for f in fields}
    if isinstance(function, type):
        if not isinstance(function.__init__, types.FunctionType) or not records.can_make(function):
            return None
        return dict(list((parameters_of(e, function.__init__, part, frame) or {}).items())[1:])
    syntax, bound = syntax_of(function)
    if syntax is None or syntax.args.vararg is not None:
        return None
    names = [a.arg for a in [*syntax.args.posonlyargs, *syntax.args.args]]
    if isinstance(function, types.MethodType):
        function = function.__func__
    defaults = function.defaults if isinstance(function, ClosureValue) else Defaults(e, function, part, frame)
    return {name: defaults.get(name, MISSING) for name in names[bound:]}


def columns(e: Elaboration, rows: Var, part: ast.Starred, frame: Frame) -> list[Any]:
    """What `zip(*rows)` runs along: of rows with so many parts each column; else the columns as a list."""
    item = rows.object.item if isinstance(rows.object, List) else None
    if isinstance(item, Product) and not isinstance(item, Record):
        count = len(item.parts)
        defined(e, "refuse_no_rows", [rows, count], part, frame)
        found = [defined(e, "column", [rows, i], part, frame) for i in range(count)]
        e.columns.update(found)
        return [TransposedValue(ListValue(found))]
    found = defined(e, "transposed", [rows], part, frame)
    e.transposed.add(found)
    return [TransposedValue(found)]


def syntax_of(function: Any) -> tuple[Any, int]:
    """The syntax of a user's function, and how many of its parameters are bound; None for others."""
    if isinstance(function, ClosureValue):
        return function.node, 0
    bound = 0
    if isinstance(function, types.MethodType):
        function, bound = function.__func__, 1
    known = isinstance(function, types.FunctionType) and not (function.__module__ or "").startswith("ccc.")
    return (source_of(function).node, bound) if known else (None, 0)


def is_iterated(syntax: Any, name: str) -> bool:
    """True where a function does nothing with a parameter by which a tuple and a list differ."""
    fine: set[ast.AST] = set()
    for part in own_parts(syntax):
        if isinstance(part, ast.For | ast.comprehension):
            fine.add(part.iter)
        elif isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Slice):
            fine |= {part.value} if isinstance(part.ctx, ast.Load) else set()
        elif isinstance(part, ast.Call):
            fine |= {a.value for a in part.args if isinstance(a, ast.Starred)}
            callee = part.func
            if (isinstance(callee, ast.Name) and callee.id in ITERATING) or (
                    isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name)
                    and callee.value.id in ("np", "numpy", math.__name__)):
                fine |= set(part.args)
    body: list[Any] = [syntax.body] if isinstance(syntax, ast.Lambda) else syntax.body
    inside = [part for statement in body for part in ast.walk(statement)]
    return all(part in fine for part in inside if isinstance(part, ast.Name) and part.id == name)


__all__ = ["spread"]
