"""Arguments of NumPy's functions as these declare them: what is given as it is by default is left out, and `out`, where
it is given by its place, has its name. Objects that are sequences are lists of their items."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from typing import Any

import numpy as np

from ccc.compile.frontend import records
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.library_calls import is_of_numpy
from ccc.compile.frontend.parts import MISSING, class_attribute, defined
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import Frame, MethodValue

OPTIONS: dict[str, Any] = {"out": None, "where": True, "casting": "same_kind", "order": "K", "dtype": None,
                           "subok": True, "signature": None}
"""What elementwise functions take besides their arguments, and their defaults."""
OF_METHODS = {"keepdims": False, "where": True}
"""The options of methods of elementwise functions, which their signatures leave out."""
OF_CLASSES = "subok"
"""The option that makes no difference to arrays, which are of no class of their own."""
GIVEN_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def as_declared(function: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call of NumPy's, those that are needed by place and `out` by its name, without defaults.

    >>> as_declared(np.sum, [1.0, None, None, 2.0], {"keepdims": True}), as_declared(np.prod, [], {"a": 1.0})
    (([1.0, None, None], {'keepdims': True, 'out': 2.0}), ([1.0], {}))
    >>> as_declared(np.add, [1.0, 2.0], {"where": True, "order": "F"})
    ([1.0, 2.0], {'order': 'F'})
    """
    if isinstance(function, np.ufunc):
        return of_elementwise(function, args, kwargs)
    owner = getattr(function, "__self__", None)
    if not isinstance(owner, np.ufunc) and not is_numpys(function):
        return args, kwargs
    of = getattr(np.ndarray, function.name) if isinstance(function, MethodValue) else function
    placed, defaults = parameters(of)
    defaults = defaults | OF_METHODS if isinstance(owner, np.ufunc) else defaults
    if len(args) > len(placed):
        return args, kwargs
    known = {k: x for k, x in kwargs.items() if k not in defaults or not is_default(x, defaults[k])}
    known = {k: x for k, x in known.items() if k != OF_CLASSES}
    found = list(args)
    while len(found) < len(placed) and placed[len(found)] in known and placed[len(found)] not in defaults:
        found.append(known.pop(placed[len(found)]))
    if "out" in placed[: len(found)]:
        at = placed.index("out")
        named = dict(zip(placed[at:], found[at:], strict=False))
        known |= {k: x for k, x in named.items() if not is_default(x, defaults.get(k, inspect.Parameter.empty))}
        found = found[:at]
    return found, known


def from_sequences(
    e: Elaboration, function: Any, args: list[Any], node: ast.AST, frame: Frame | None
) -> list[Any]:
    """The arguments as NumPy takes them: of an object that is measured, iterated and read at indices, as a deque is,
    the list of its items; of one that says which array it is, that."""
    if frame is None or not (isinstance(function, np.ufunc) or is_numpys(function)):
        return args
    args = [records.special(e, a, "__array__", [], {}, node, frame) if says_array(a) else a for a in args]
    return [e.call(list, [a], {}, node, frame) if is_sequence(a) else a for a in args]


def says_array(x: Any) -> bool:
    """True for an object that says to NumPy which array it is, and leaves the rest to it."""
    return defined(x, "__array__") and all([
        class_attribute(class_behind(x.cls), name) is MISSING for name in ("__array_ufunc__", "__array_function__")])


def is_sequence(x: Any) -> bool:
    """True for an object that NumPy takes for a sequence."""
    return all([defined(x, name) for name in ("__len__", "__getitem__", "__iter__")]) and not any(
        [defined(x, name) for name in ("__array__", "__array_ufunc__", "__array_function__", "keys")])


def of_method(function: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a method of an array; those of another value as they are."""
    return as_declared(function, args, kwargs) if isinstance(function, MethodValue) else (args, kwargs)


def is_numpys(function: Any) -> bool:
    """True for functions of NumPy's, and methods of its arrays, that are no draws and no masked ones."""
    if isinstance(function, MethodValue):
        return hasattr(np.ndarray, function.name)
    module = getattr(function, "__module__", None) or ""
    written = isinstance(function, (types.FunctionType, types.BuiltinFunctionType, type(np.sum)))
    return written and is_of_numpy(function) and not module.startswith(("numpy.random", "numpy.ma"))


def of_elementwise(
    function: np.ufunc, args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Those of an elementwise function, whose results may be written to several arrays."""
    named = {k: x for k, x in kwargs.items() if k != OF_CLASSES and not is_default(x, OPTIONS.get(k, OPTIONS))}
    into = args[function.nin:]
    if len(into) > function.nout:  # which no call of it takes
        return args, named
    if not into or "out" in kwargs or all(x is None for x in into):
        return args[: function.nin] if into and "out" not in kwargs else args, named
    out = into[0] if function.nout == 1 else tuple([*into, *[None] * (function.nout - len(into))])
    return args[: function.nin], {**named, "out": out}


def is_default(value: Any, default: Any) -> bool:
    """Whether what is given is what would be there without it."""
    if value is default:
        return True
    return type(value) in (bool, np.bool_, str, int) and type(value) in (type(default), np.bool_) and (
        type(default) in (bool, str, int) and bool(value == default))


@functools.cache
def parameters(function: Any) -> tuple[list[str], dict[str, Any]]:
    """The names of what a function is given by place, and what its parameters are by default; of a method of a class
    without what it is a method of."""
    try:
        declared = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of what is not written in Python, before NumPy 2.4
        return [], {}
    declared = [q for q in declared if q.name != "self"]
    by_place = not any(p.kind is p.VAR_POSITIONAL for p in declared)
    return [p.name for p in declared if by_place and p.kind in GIVEN_BY_PLACE], {
        p.name: p.default for p in declared if p.default is not p.empty}
