"""`functools`, `operator` and folds of `math`: functions that take functions, and operators as functions."""

from __future__ import annotations

import ast
import builtins
import functools
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, unsupported, without_value
from ccc.compile.frontend import (
    alternatives,
    attribute_dicts,
    classes_at_run,
    conditions,
    effects,
    kinds_met,
    prelude,
    presence,
    records,
    sequences,
    sums,
)
from ccc.compile.frontend.builtin import class_looked_at
from ccc.compile.frontend.definitions import defined
from ccc.compile.frontend.describing import class_of, described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import IteratorValue, SpreadValue
from ccc.compile.frontend.names import located
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.parameters import taken
from ccc.compile.frontend.source import File
from ccc.compile.frontend.values import Frame, ListValue, OwnName, Perhaps, RecordValue, Unbound
from ccc.compile.program.lam import Apply, Var, joined_from
from ccc.objects import Array, Bool, List, Map, Real, Text
from ccc.primitives import arithmetic, effects as text_effects, elementary_math, folds

Handler = Callable[[Elaboration, list[Any], dict[str, Any], ast.AST, Frame], Any]
CACHE = OwnName("the cache of a function that calls itself")
CACHED = type(functools.lru_cache(lambda: None))
DISPATCHED = functools.singledispatch(lambda value: value).__code__  # type: ignore[attr-defined]


def reduce(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`functools.reduce(function, xs)` and `reduce(function, xs, initial)`."""
    missing: Any = object()
    function, xs, initial = taken("reduce", args, kwargs, "function iterable initial /", e.place(node, frame),
                                  initial=missing)
    items = sequences.items_of(e, xs, node, frame)
    if initial is missing:
        return defined(e, "reduced", [function, items], node, frame)
    return defined(e, "reduced_from", [function, items, initial], node, frame)


def prod(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`math.prod(xs, start=)`."""
    xs, start = taken("prod", args, kwargs, "iterable / * start", e.place(node, frame), start=1)
    return defined(e, "product_from", [sequences.items_of(e, xs, node, frame), start], node, frame)


def fsum(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`math.fsum(xs)`."""
    (xs,) = taken("fsum", args, kwargs, "iterable /", e.place(node, frame))
    return e.always(folds.fsum, (e.sequence(sequences.items_of(e, xs, node, frame), node, frame),))


def hypot(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`math.hypot(*xs)` of a list or array whose length is not known; what else it is given, it takes as it is."""
    if not any(isinstance(x, SpreadValue) for x in args):
        return NotImplemented
    return length_of(e, args[0].items, node, frame)


def length_of(e: Elaboration, xs: Any, node: ast.AST, frame: Frame) -> Any:
    """The length of a vector, as `math` computes it."""
    from ccc.primitives import norms  # which few programs need

    return e.always(norms.length_of, (e.call(np.asarray, [xs], {}, node, frame),))


def dist(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`math.dist(p, q)`: `math.hypot` of the differences, as `math` computes it too."""
    p, q = taken("dist", args, kwargs, "p q /", e.place(node, frame))
    xs, ys = known_items(p), known_items(q)
    if xs is None or ys is None:
        p, q = [e.sequence(sequences.items_of(e, x, node, frame), node, frame) for x in (p, q)]
        defined(e, "in_one_space", [p, q], node, frame)
        a, b = [e.call(np.asarray, [x], {}, node, frame) for x in (p, q)]
        return length_of(e, e.operate(ast.Sub(), a, b, node, frame), node, frame)
    if len(xs) != len(ys):
        raise mismatch("CC027", "ValueError: both points must have the same number of dimensions", e.place(node, frame),
                       help="give points of one length")
    differences = [e.operate(ast.Sub(), a, b, node, frame) for a, b in zip(xs, ys, strict=True)]
    return e.always(elementary_math.hypot, tuple(differences))


def operator_of(name: str) -> Handler:
    """A function of `operator`, by the operator itself."""

    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        count = getattr(prelude, name).__code__.co_argcount
        if kwargs or len(args) != count:
            raise mismatch("CC027", f"`operator.{name.rstrip('_')}` takes {count} arguments", e.place(node, frame),
                           help=f"give {count}")
        if any(isinstance(a, IteratorValue) for a in args):
            raise mismatch("CC027", "an operator met an iterator", e.place(node, frame), help="make it a list first")
        return defined(e, name, args, node, frame)

    return handler


def divmod_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`divmod(a, b)`."""
    return defined(e, "divided", taken("divmod", args, kwargs, "a b /", e.place(node, frame)), node, frame)


def bool_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`bool(x)`, as a test has it: of an object what its `__bool__` or `__len__` says."""
    (x,) = taken("bool", args, kwargs, "x /", e.place(node, frame), x=False)
    found = conditions.truth(e, x, node, frame)
    return arithmetic.truth(found) if isinstance(found, Var) and found.object != Bool() else found


# -- attributes by name ------------------------------------------------------------------------------------------------


def attribute_of(e: Elaboration, value: Any, name: str, node: ast.AST, frame: Frame) -> Any:
    """`value.name`."""
    from ccc.compile.frontend import comprehensions

    inner = comprehensions.inner_frame(frame, [])
    inner.env[comprehensions.OVER] = value
    owner = ast.Name(comprehensions.OVER, ast.Load())
    for part in name.split("."):
        owner = ast.Attribute(owner, part, ast.Load())
    e.frames.append(inner)
    try:
        return e.expression(located(owner, node), inner)
    finally:
        e.frames.pop()


def known_name(e: Elaboration, what: str, name: Any, node: ast.AST, frame: Frame) -> str:
    if not isinstance(name, str):
        raise unsupported("CC003", f"`{what}` needs a name that is known", e.place(node, frame),
                          help="write the name as a text, or keep the values in a dict: `values[name]`")
    return name


def by_each_name(
    e: Elaboration, what: str, owner: Any, name: Any, more: list[Any], node: ast.AST, frame: Frame
) -> Any:
    """What a function of an object and a name gives where branches and loops choose that of known ones, by a test for
    each; NotImplemented for others."""
    names = chosen_from(name)
    if not names:
        return NotImplemented
    return e.call(getattr(of_python("functions"), what), [names, owner, name, *more], {}, node, frame)


def chosen_from(name: Any) -> tuple[str, ...]:
    """The known texts of which branches and loops choose one; none where they may choose another."""
    todo, seen, found = [name], set[Any](), dict[str, None]()
    while todo:
        atom = todo.pop()
        if (text := known_text(atom)) is not None:
            found[text] = None
            continue
        met = joined_from(atom) if isinstance(atom, Var) and isinstance(atom.object, Text) else None
        if not met:
            return ()
        todo += [x for x in met if x not in seen]
        seen.update(met)
    return tuple(found)


def known_text(atom: Any) -> str | None:
    """The text that the program makes of nothing; None for others."""
    let = atom.definition if isinstance(atom, Var) else None
    if let is None or not isinstance(let.op, Apply) or let.op.primitive is not text_effects.text or let.args:
        return None
    form = let.op.params["form"]
    return "".join(form) if all(isinstance(piece, str) for piece in form) else None


def getattr_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`getattr(value, name)` and `getattr(value, name, default)`."""
    missing: Any = object()
    value, name, default = taken("getattr", args, kwargs, "object name default /", e.place(node, frame),
                                 default=missing)
    more = [] if default is missing else [default]
    if (found := by_each_name(e, "attribute_of_several", value, name, more, node, frame)) is not NotImplemented:
        return found
    name = known_name(e, "getattr", name, node, frame)
    if default is not missing and sums.is_sum(value):
        again = lambda x: getattr_(e, [x, name, default], {}, node, frame)  # noqa: E731
        return alternatives.dispatch(e, value, again, alternatives.never, node, frame)
    there = True if default is missing else presence.has(value, name)
    if there is not None:
        return attribute_of(e, value, name, node, frame) if there else default
    refuse_without_value(e, value, name, node, frame)
    return e.call(of_python("functions").attribute_or, [value, name, default], {}, node, frame)


def refuse_without_value(e: Elaboration, value: Any, name: str, node: ast.AST, frame: Frame) -> None:
    """Refuse to ask whether an object has an attribute, where it is not known on which paths it has it."""
    part = value.fields.get(name) if isinstance(value, RecordValue) else None
    if isinstance(part, Unbound) and not (isinstance(part, Perhaps) and presence.is_alone(value, name)):
        raise without_value(part, f".{name}", e.place(node, frame))


def hasattr_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`hasattr(value, name)`."""
    value, name = taken("hasattr", args, kwargs, "object name /", e.place(node, frame))
    name = known_name(e, "hasattr", name, node, frame)
    if sums.is_sum(value):
        return alternatives.asked_of_each(e, value, lambda x: hasattr_(e, [x, name], {}, node, frame), node, frame)
    if isinstance(value, Var) and isinstance(value.object, Real) and presence.has(value, name) is None:
        there = tuple([cls for cls in kinds_met.classes_of(value) if hasattr(cls, name)])
        return e.call(isinstance, [value, there], {}, node, frame)
    array = value.object if isinstance(value, Var) and isinstance(value.object, Array) else None
    if array is not None and array.axes is None and hasattr(np.ndarray, name) is not hasattr(float, name):
        found = e.call(isinstance, [value, (np.ndarray, np.generic)], {}, node, frame)  # or a number of Python's
        return found if hasattr(np.ndarray, name) else e.call(operator.not_, [found], {}, node, frame)
    found = presence.has(value, name)
    part = value.fields.get(name) if isinstance(value, RecordValue) else None
    if isinstance(part, Perhaps) and presence.is_alone(value, name):
        return part.bound
    if found is not None:
        return found
    refuse_without_value(e, value, name, node, frame)
    return e.call(of_python("functions").computes_attribute, [value, name], {}, node, frame)


def setattr_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`setattr(value, name, new)`."""
    owner, name, new = taken("setattr", args, kwargs, "object name value /", e.place(node, frame))
    if by_each_name(e, "put_one_of_several", owner, name, [new], node, frame) is not NotImplemented:
        return
    records.assign(e, owner, known_name(e, "setattr", name, node, frame), new, node, frame)


def vars_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`vars(value)`."""
    (value,) = taken("vars", args, kwargs, "object /", e.place(node, frame))
    return attribute_dicts.of(e, value, node, frame)


def dir_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`dir(value)`."""
    (value,) = taken("dir", args or [None], kwargs, "object /", e.place(node, frame))
    names = attribute_dicts.names(e, value, node, frame) if args else None
    if names is None:
        raise unsupported("CC003", f"`dir` of {described(value) if args else 'what a function knows'}",
                          e.place(node, frame), help="name the attributes: `for name in ('a', 'b')`")
    return ListValue(names)


def iterable(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`np.iterable`: whether a value has items."""
    (value,) = taken("iterable", args, kwargs, "y", e.place(node, frame))
    if sums.is_sum(value):
        return alternatives.asked_of_each(e, value, lambda x: iterable(e, [x], {}, node, frame), node, frame)
    if isinstance(value, Var) and isinstance(value.object, Array) and value.object.axes is None:
        return e.call(operator.gt, [e.call(np.ndim, [value], {}, node, frame), 0], {}, node, frame)
    if isinstance(value, Var) and isinstance(value.object, Array):
        return value.object.axes != ()
    if isinstance(value, Var) and isinstance(value.object, List | Map):
        return True
    return hasattr(class_of(value), "__iter__")


# -- functions that are objects ----------------------------------------------------------------------------------------


def cached(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a function with a cache, computed anew; of one that draws, that would be another. One that calls
    itself has a cache for that time."""
    lets = e.recorder.block.lets
    start = len(lets)
    here = next((held.env[CACHE] for held in e.frames if CACHE in held.env and held.function is function), None)
    if here is not None or not calls_itself(function):
        found = e.call(function.__wrapped__ if here is None else here, args, kwargs, node, frame)
    else:
        held = Frame("a cache", File(__file__, ()), function, None)
        held.env[CACHE] = e.call(of_python("functions").Cached, [function.__wrapped__], {}, node, frame)
        e.frames.append(held)
        try:
            found = e.call(held.env[CACHE], args, kwargs, node, frame)
        finally:
            e.frames.remove(held)
    if effects.drawn_from_outside(lets[start:]):
        raise unsupported("CC032", f"`{function.__name__}` keeps in its cache what it draws", e.place(node, frame),
                          help="draw in the function that calls it, and pass the value as an argument")
    return found


def calls_itself(function: Any) -> bool:
    """Whether a function with a cache seems to call itself, by its name."""
    code = getattr(function.__wrapped__, "__code__", None)
    return code is not None and function.__name__ in code.co_names


def called_object(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of calling an object of `operator` or `functools`; NotImplemented for others."""
    if isinstance(function, CACHED):
        return cached(e, function, args, kwargs, node, frame)
    if isinstance(function, types.FunctionType) and function.__code__ is DISPATCHED:
        return e.call(by_class(e, function, args[:1], node, frame), args, kwargs, node, frame)
    if isinstance(function, functools.singledispatchmethod):
        found = by_class(e, function.dispatcher, args[1:2], node, frame)
        if isinstance(found, staticmethod | classmethod):
            args = args[1:] if isinstance(found, staticmethod) else [class_of(args[0]), *args[1:]]
            found = found.__func__
        return e.call(found, args, kwargs, node, frame)
    if not isinstance(function, (operator.itemgetter, operator.attrgetter, operator.methodcaller)):
        return NotImplemented
    kind, parts = function.__reduce__()[:2]
    (value,) = taken(type(function).__name__, args, kwargs, "object /", e.place(node, frame))
    if isinstance(function, operator.itemgetter):
        name = "getitem" if len(parts) == 1 else "getitems"
        return defined(e, name, [value, *parts], node, frame)
    if isinstance(function, operator.attrgetter):
        found = [attribute_of(e, value, part, node, frame) for part in parts]
        return found[0] if len(found) == 1 else tuple(found)
    keywords = kind.keywords if isinstance(kind, functools.partial) else {}
    method, *first = parts if not isinstance(kind, functools.partial) else [*kind.args, *parts]
    return e.call(attribute_of(e, value, method, node, frame), first, dict(keywords), node, frame)


def by_class(e: Elaboration, function: Any, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    """The function that one of `functools.singledispatch` has for the class of an argument."""
    unknown = not args or classes_at_run.at_run(e, args[0], node, frame)
    if unknown or (found := class_looked_at(e, args[0])) is None:
        raise unsupported("CC003", "the class that this function is chosen by is not known", e.place(node, frame),
                          help="call the function for the class itself")
    return function.dispatch(found)


def getter(cls: Any) -> Handler:
    """`operator.itemgetter(...)` and its like made inside a program, of keys and names that are known."""

    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        if any(not isinstance(a, (int, float, str, tuple, slice)) for a in [*args, *kwargs.values()]):
            raise unsupported("CC003", f"`{cls.__name__}` needs keys and names that are known", e.place(node, frame),
                              help="write a lambda")
        return cls(*args, **kwargs)

    return handler


OPERATORS = {
    getattr(operator, name): operator_of({"pow": "pow_"}.get(name, name)) for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift",
        "neg", "pos", "invert", "lt", "le", "gt", "ge", "eq", "ne", "not_", "is_", "is_not", "contains", "getitem",
    )
}

FUNCTIONAL: dict[Any, Handler] = OPERATORS | {
    functools.reduce: reduce, math.prod: prod, math.fsum: fsum, math.dist: dist, math.hypot: hypot,
    builtins.divmod: divmod_, builtins.bool: bool_,
    builtins.getattr: getattr_, builtins.hasattr: hasattr_, builtins.setattr: setattr_,
    builtins.vars: vars_, builtins.dir: dir_, np.iterable: iterable,
    operator.itemgetter: getter(operator.itemgetter), operator.attrgetter: getter(operator.attrgetter),
    operator.methodcaller: getter(operator.methodcaller),
    operator.concat: operator_of("add"), operator.truth: lambda e, args, kwargs, node, frame: e.call(
        bool, args, kwargs, node, frame),
}
