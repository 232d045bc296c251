"""`f(*xs)` of lists and arrays whose length is not known: of a function with `*args`, of one with so many parameters
or a class, `print`, `max`, `min` and `zip`.

A parameter `*args` is a tuple in Python. It may be a list here where the function does nothing by which the two differ:
it is iterated, read at an index, measured, spread again, or given to a builtin that iterates it.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import inspect
import math
import types
from collections.abc import Collection
from typing import Any

import numpy as np

from ccc.compile.diagnostics import UnsupportedPython, unsupported
from ccc.compile.frontend import definitions, python_functions, record_making, records, unpacking
from ccc.compile.frontend.builtin import settled_items
from ccc.compile.frontend.defaults import Defaults
from ccc.compile.frontend.definitions import defined
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import SpreadValue, TransposedValue
from ccc.compile.frontend.names import own_parts
from ccc.compile.frontend.parts import MISSING, class_attribute, generated
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.values import ClosureValue, Frame, ListValue, RecordValue, meant
from ccc.compile.frontend.wrapped_calls import given_by_partial
from ccc.compile.program.lam import Lit, Node, Var
from ccc.objects import REAL, Array, List, Product, Real, Record


def spread(
    e: Elaboration, function: Any, args: list[Any], named: Collection[str | None], rest: list[tuple[bool, Any]],
    part: ast.Starred, frame: Frame,
) -> list[Any]:  # fmt: skip
    """What a function is given by position: `args`, then `*value`, and what stands behind that; `rest` has these, each
    with whether a star stands before it. `named` are the names of the other arguments."""
    try:
        return of_any_length(e, function, args, named, rest, part, frame)
    except UnsupportedPython:
        items = [settled_items(e, value, part, frame) if starred else (value,) for starred, value in rest]
        if any(of is None for of in items):
            raise
        return [*args, *[x for of in items for x in of or ()]]


def of_any_length(
    e: Elaboration, function: Any, args: list[Any], named: Collection[str | None], rest: list[tuple[bool, Any]],
    part: ast.Starred, frame: Frame,
) -> list[Any]:  # fmt: skip
    """What a function is given that takes a list of any length, or as many as it has parameters."""
    refused = unsupported("CC003", "`*` needs a tuple of known length here", e.span(part, frame),
                          help="write the arguments out")
    if isinstance(function, functools.partial) or records.is_partial(function):
        inner, first, names = of_partial(e, function, part, frame)
        found = spread(e, inner, [*first, *args], {*names, *named}, rest, part, frame)
        if any(x is not y for x, y in zip(first, found, strict=False)):
            raise refused
        return found[len(first) :]
    if function is builtins.print:
        return [*args, *[x for starred, value in rest for x in (shown(e, value, part, frame) if starred else [value])]]
    extreme = python_functions.of(function).one
    first = 0 if extreme else number_of_first(function)
    if first is not None and first < len(args):
        rest, args = [*[(False, x) for x in args[first:]], *rest], args[:first]
    found = before_others(e, function, args, named, rest, part, frame)
    if found is not None:
        return found
    if extreme and not named and are_of_several(rest):
        found = chosen_in_turn(e, function, rest, part, frame)
        if found is not None:
            return found
    if are_of_several(rest):  # a list of them all would make them of one type
        items = [settled_items(e, value, part, frame) if starred else (value,) for starred, value in rest]
        if None not in items:
            return [*args, *[x for of in items for x in of or ()]]
        found = by_number(e, function, args, named, rest, part, frame)
        if found is not None:
            return found
    value = rest[0][1] if len(rest) == 1 else definitions.joined(e, rest, part, frame)
    if not isinstance(value, Var) or not isinstance(value.object, (List, Array)):
        raise refused
    if function in (builtins.zip, builtins.map) and len(args) == (function is builtins.map):
        return [*args, *columns(e, value, part, frame)]
    if e.attempts.active:  # what raises here is caught nowhere
        raise refused
    if extreme:
        return [defined(e, "at_least_two", [e.call(list, [value], {}, part, frame)], part, frame)]
    if first == len(args):
        return [*args, SpreadValue(e.call(list, [value], {}, part, frame))]
    left = parameters_left(e, function, args, named, part, frame)
    if left is None:
        raise refused
    return [*args, *one_by_one(e, value, left, part, frame)]


def chosen_in_turn(
    e: Elaboration, function: Any, rest: list[tuple[bool, Any]], part: ast.Starred, frame: Frame
) -> list[Any] | None:
    """The largest or smallest of lists of unknown length and of what stands beside them, of which each keeps its own
    class: the one of each list, and then of these. None where nothing stands beside them."""
    ways: list[tuple[bool, Any]] = []
    for starred, value in rest:
        known = known_items(value) if starred else [value]
        ways += [(True, value)] if known is None else [(False, x) for x in known]
    single = [i for i, (many, _) in enumerate(ways) if not many]
    if not single or e.attempts.active or any(
            many and not (isinstance(x, Var) and isinstance(x.object, (List, Array))) for many, x in ways):
        return None
    if len(single) == 1 and len(ways) == 2:
        ways = [(many, defined(e, "one_at_least", [x], part, frame) if many else x) for many, x in ways]
    best = ways[single[-1]][1]
    for _, x in ways[single[-1] + 1 :]:
        best = defined(e, "chosen_behind", [function, best, x], part, frame)
    for many, x in reversed(ways[: single[-1]]):
        best = defined(e, "chosen_before", [function, x, best], part, frame) if many else e.call(
            function, [x, best], {}, part, frame)
    return [ListValue([best])]


def before_others(
    e: Elaboration, function: Any, args: list[Any], named: Collection[str | None], rest: list[tuple[bool, Any]],
    part: ast.Starred, frame: Frame,
) -> list[Any] | None:  # fmt: skip
    """What a function is given, all of whose parameters are needed, by one list before arguments whose number is known:
    the list has as many items as these leave, and each of these keeps its own type. None for all else."""
    value, last = rest[0][1], behind(rest)
    left = parameters_left(e, function, args, named, part, frame)
    if last is None or e.attempts.active or left is None or len(left) < len(last) or any(
            default is not MISSING for default in left.values()):
        return None
    return [*args, *one_by_one(e, value, dict(list(left.items())[: len(left) - len(last)]), part, frame), *last]


def behind(rest: list[tuple[bool, Any]]) -> list[Any] | None:
    """What stands behind one list of unknown length, where that is known."""
    found = [[x] if not starred else known_items(x) for starred, x in rest[1:]]
    value = rest[0][1]
    if not found or None in found or not isinstance(value, Var) or not isinstance(value.object, (List, Array)):
        return None
    return [x for items in found for x in items or ()]


def are_of_several(rest: list[tuple[bool, Any]]) -> bool:
    """Whether the numbers of a list of unknown length are of another kind than those that stand beside it."""
    kinds = set[Any]()
    for starred, value in rest:
        known = known_items(value) if starred else [value]
        if known is not None:
            kinds |= {x.object if isinstance(x, (Var, Lit)) else type(x) for x in known}
        elif isinstance(value, Var) and isinstance(value.object, List):
            kinds.add(value.object.item)
        elif isinstance(value, Var) and isinstance(value.object, Array):
            kinds.add(Real(value.object.dtype))
    return len({REAL if kind is float else kind for kind in kinds}) > 1


def by_number(
    e: Elaboration, function: Any, args: list[Any], named: Collection[str | None], rest: list[tuple[bool, Any]],
    part: ast.Starred, frame: Frame,
) -> list[Any] | None:  # fmt: skip
    """What a function with defaults is given by one list before arguments whose number is known: which parameter has
    which, the number of the list's items says when it runs, so each keeps its own type. None for all else."""
    last, left = behind(rest), parameters_left(e, function, args, named, part, frame)
    if last is None or e.attempts.active or left is None or len(left) < len(last):
        return None
    needed = sum(default is MISSING for default in left.values())
    fewest, most = max(needed - len(last), 0), len(left) - len(last)
    items = defined(e, "between", [e.call(list, [rest[0][1]], {}, part, frame), fewest, most], part, frame)
    found: list[Any] = []
    for i, default in enumerate(left.values()):
        if i < fewest:
            found.append(defined(e, "letter", [items, i], part, frame))
            continue
        given = [(i - k, x) for k, x in enumerate(last) if fewest <= i - k <= most]
        value = default if i - len(last) >= fewest else given.pop()[1]
        for count, x in reversed(given):
            value = defined(e, "where_so_many", [items, count, x, value], part, frame)
        found.append(defined(e, "item_or", [items, i, value], part, frame) if i < most else value)
    return [*args, *found]


def parameters_left(
    e: Elaboration, function: Any, args: list[Any], named: Collection[str | None], part: ast.Starred, frame: Frame
) -> dict[str, Any] | None:
    """The parameters that neither `args` nor the names of other arguments give, with their defaults; None where these
    are not known."""
    found = parameters_of(e, function, part, frame)
    if found is None or len(found) < len(args) or None in named:
        return None
    return {name: default for name, default in list(found.items())[len(args) :] if name not in named}


def shown(e: Elaboration, value: Any, part: ast.AST, frame: Frame) -> list[Any]:
    """What `print(*value)` is given."""
    known = known_items(value)
    return [SpreadValue(e.call(list, [value], {}, part, frame))] if known is None else known


def one_by_one(e: Elaboration, value: Any, left: dict[str, Any], part: ast.AST, frame: Frame) -> list[Any]:
    """The items of a list for parameters with these defaults."""
    least = sum(default is MISSING for default in left.values())
    name, bounds = ("so_many", [least]) if least == len(left) else ("between", [least, len(left)])
    items = defined(e, name, [e.call(list, [value], {}, part, frame), *bounds], part, frame)
    first = list(unpacking.unpacked(e, items, least, part, frame)) if least == len(left) else [
        defined(e, "letter", [items, i], part, frame) for i in range(least)]
    return [*first, *[defined(e, "item_or", [items, i, default], part, frame)
                      for i, default in enumerate(left.values()) if i >= least]]


def number_of_first(function: Any) -> int | None:
    """How many arguments stand before `*args`, of which a list may take the place; None where it may not."""
    if function is math.hypot:
        return 0
    syntax, bound = syntax_of(function)
    if syntax is None or syntax.args.vararg is None or not is_iterated(
            entered(function)[0], syntax, syntax.args.vararg.arg):
        return None
    return len(syntax.args.posonlyargs) + len(syntax.args.args) - bound


def of_partial(e: Elaboration, function: Any, part: ast.AST, frame: Frame) -> tuple[Any, list[Any], list[str]]:
    """The function of `functools.partial`, the arguments that it has by position, and the names of the others."""
    if isinstance(function, functools.partial):
        first, named = given_by_partial(e, function, part, frame)
        return function.func, first, list(named)
    inner, first, names, _ = function.__self__
    return inner, list(first), list(names)


def parameters_of(e: Elaboration, function: Any, part: ast.AST, frame: Frame) -> dict[str, Any] | None:
    """What may be given to a function or a class without a name, with the defaults; None where that is not known."""
    if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
        cls: Any = function
        return {name: cls._field_defaults.get(name, MISSING) for name in cls._fields}
    if isinstance(function, type) and generated(function, "__init__"):
        fields = [f for f in dataclasses.fields(function) if f.init and not f.kw_only]  # type: ignore[arg-type]
        return {f.name: record_making.default_of(e, f, function, part, frame) for f in fields}
    syntax, bound = syntax_of(function)
    if syntax is None:
        return of_library(function)
    if syntax.args.vararg is not None:
        return None
    names = [a.arg for a in [*syntax.args.posonlyargs, *syntax.args.args]]
    function = entered(function)[0]
    defaults = function.defaults if isinstance(function, ClosureValue) else Defaults(e, function, part, frame)
    return {name: defaults.get(name, MISSING) for name in names[bound:]}


def of_library(function: Any) -> dict[str, Any] | None:
    """The parameters of a function that is not written in Python, where all of them are needed.

    >>> list(of_library(math.atan2) or ()), of_library(math.hypot), len(of_library(np.hypot) or ())
    (['y', 'x'], None, 2)
    """
    if isinstance(function, np.ufunc):
        return {f"x{i}": MISSING for i in range(function.nin)}
    if not isinstance(function, types.BuiltinFunctionType):
        return None
    try:
        found = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return None
    needed = all(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in found)
    return {p.name: MISSING for p in found} if needed else None


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


def entered(function: Any) -> tuple[Any, int]:
    """The function whose body a call runs, as that of a method or of a class, and how many of its parameters are
    bound then."""
    if isinstance(function, types.MethodType):
        return function.__func__, 1
    if isinstance(function, type):
        init = function.__init__ if record_making.can_make(function) and not generated(function, "__init__") else None
        return init, 1
    if isinstance(function, (RecordValue, Node)):
        return class_attribute(class_behind(function.cls), "__call__"), 1  # type: ignore[union-attr]
    if records.is_record(function):
        return class_attribute(type(function), "__call__"), 1
    return function, 0


def syntax_of(function: Any) -> tuple[Any, int]:
    """The syntax of a user's function, and how many of its parameters are bound; None for others."""
    function, bound = entered(function)
    if isinstance(function, ClosureValue):
        return function.node, bound
    known = isinstance(function, types.FunctionType) and not (function.__module__ or "").startswith("ccc.")
    return (source_of(function).node, bound) if known else (None, 0)


def is_iterated(function: Any, syntax: Any, name: str) -> bool:
    """True where a function does nothing with a parameter by which a tuple and a list differ."""
    fine: set[ast.AST] = set()
    for part in own_parts(syntax):
        if isinstance(part, (ast.For, ast.comprehension)):
            fine.add(part.iter)
        elif isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Slice):
            fine |= {part.value} if isinstance(part.ctx, ast.Load) else set()
        elif isinstance(part, ast.Call):
            fine |= {a.value for a in part.args if isinstance(a, ast.Starred)}
            if takes_either(function, part.func):
                fine |= set(part.args)
    body: list[Any] = [syntax.body] if isinstance(syntax, ast.Lambda) else syntax.body
    inside = [part for statement in body for part in ast.walk(statement)]
    return all(part in fine for part in inside if isinstance(part, ast.Name) and part.id == name)


def takes_either(function: Any, callee: ast.AST) -> bool:
    """Whether what a function calls does the same with a tuple and a list: a builtin that iterates it or counts its
    items, or a function of `math` or `numpy`."""
    if isinstance(callee, ast.Attribute):
        module = meant(function, callee.value)
        return module is math or module is np
    found = meant(function, callee)
    return found is len or found is reversed or python_functions.of(found).iterating


__all__ = ["spread"]
