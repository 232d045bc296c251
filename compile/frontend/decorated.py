"""Nested functions under decorators of Python's library: what `functools.wraps`, `functools.cache` and
`contextlib.contextmanager` make of a function of the program is that function, with what is known of it from then on.

A cache is an object with a dict (`ccc.compile.libraries.python_functions`).
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.boxed import may_be_bound_anew
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.names import free_names, in_scope
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.parameters import taken
from ccc.compile.frontend.parts import MISSING, is_cell
from ccc.compile.frontend.values import ClosureValue, Frame, RecordValue, is_function, variables_in
from ccc.objects import is_discrete

Handler = Callable[[Elaboration, list[Any], dict[str, Any], ast.AST, Frame], Any]
MANAGES = "is a context manager"
"""An attribute of a function that no program can name."""
COPIED = ("__name__", "__qualname__", "__doc__", "__module__")


def marked(function: ClosureValue, **attributes: Any) -> ClosureValue:
    """Another function that does the same, of which more is known."""
    found = function.twin(function.node, function.frame, function.defaults, function.block)
    found.attributes = {**{name: held(function, name) for name in function.attributes}, **attributes}
    return found


def update_wrapper(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`functools.update_wrapper(wrapper, wrapped)`: the wrapper, which is called as what it wraps."""
    kwargs = {name: value for name, value in kwargs.items() if name in ("wrapper", "wrapped")}
    wrapper, wrapped = taken("update_wrapper", args[:2], kwargs, "wrapper wrapped", e.place(node, frame))
    given = {name: found for name in COPIED if (found := described(wrapped, name)) is not MISSING}
    if isinstance(wrapper, ClosureValue):
        wrapper.attributes.update(given, __wrapped__=wrapped)
    elif isinstance(wrapper, RecordValue):
        from ccc.compile.frontend import records

        for name, value in given.items():
            records.put(e, wrapper, name, value, node, frame)
        records.put(e, wrapper, "__wrapped__", wrapped, node, frame)
    return wrapper


def held(function: ClosureValue, name: str) -> Any:
    """What a function has under the name of an attribute that it was given; MISSING where it was given none."""
    found = function.attributes.get(name, MISSING)
    return found.fields[name] if is_cell(found) else found


def described(function: Any, name: str) -> Any:
    """What Python says of a function under a name: its name, its text, its module; MISSING for what is not known."""
    if not isinstance(function, ClosureValue):
        return getattr(function, name, MISSING) if is_function(function) else MISSING
    if name in function.attributes or name not in COPIED:
        return held(function, name)
    if name == "__doc__":
        return ast.get_docstring(function.node, clean=False) if isinstance(function.node, ast.FunctionDef) else None
    if name == "__module__":
        return getattr(function.frame.function, "__module__", MISSING)
    own = getattr(function.node, "name", "<lambda>")
    outer = getattr(function.frame.function, "__qualname__", "")
    return own if name == "__name__" else f"{outer}.<locals>.{own}"


# -- context managers --------------------------------------------------------------------------------------------------


def context_manager(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`contextlib.contextmanager(function)`."""
    (function,) = taken("contextmanager", args, kwargs, "func", e.place(node, frame))
    if isinstance(function, ClosureValue):
        return marked(function, **{MANAGES: True})
    return contextlib.contextmanager(function)


def manages(function: Any) -> bool:
    """Whether calls of a nested function make context managers."""
    return isinstance(function, ClosureValue) and MANAGES in function.attributes


# -- caches ------------------------------------------------------------------------------------------------------------


class Decorator:
    """`functools.lru_cache(maxsize=...)`, which is given the function."""

    def __call__(self, function: Any) -> Any:
        return functools.cache(function)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        return cache(e, args, kwargs, node, frame)


def lru_cache(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`functools.lru_cache(function)` and `functools.lru_cache(maxsize=...)(function)`; how much it keeps at most shows
    in no value."""
    return cache(e, args[:1], {}, node, frame) if args and is_function(args[0]) else Decorator()


def cache(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`functools.cache(function)`."""
    (function,) = taken("cache", args, kwargs, "user_function", e.place(node, frame))
    return e.call(of_python("functions").Cached, [function], {}, node, frame)


class ComputedAnew:
    """Whether a function with a cache is computed anew for arguments, as for real numbers and arrays; refuses one for
    which that is another value than what the cache has."""

    def __call__(self, function: Any, args: Any, named: Any) -> bool:
        return any(isinstance(x, (float, np.ndarray, np.inexact)) for x in [*args, *named.values()])

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> bool:
        function, given, named = args
        if not any(not is_discrete(v.object) for v in variables_in((*given, *named.fields.values()))):
            return False
        if isinstance(function, ClosureValue):
            self.refuse(e, function, node, frame)
        return True

    def refuse(self, e: Any, function: ClosureValue, node: Any, frame: Any) -> None:
        what = "does more than compute" if acts(function.node) else ""
        for name in sorted(free_names(function.node)):
            home: Frame | None = function.frame
            while home is not None and name not in home.local:
                home = home.outer
            if home is not None and (name in home.cells or may_be_bound_anew(home, name)):
                what = what or f"reads `{name}`, which may be bound anew before it is called again"
        if what:
            raise unsupported("CC003", f"a cache by real numbers of `{function.name}`, which {what}",
                              e.place(node, frame), help="leave the cache out")


computed_anew = ComputedAnew()


def acts(function: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a function has statements that are there for what they do, or writes to what is not its own."""
    return not isinstance(function, ast.Lambda) and any(
        isinstance(part, (ast.Nonlocal, ast.Global, ast.Delete))
        or (isinstance(part, ast.Expr) and not isinstance(part.value, ast.Constant))
        or (isinstance(part, (ast.Subscript, ast.Attribute)) and isinstance(part.ctx, ast.Store))
        for part in in_scope(function.body))


DECORATORS: dict[Any, Handler] = {
    functools.update_wrapper: update_wrapper, functools.cache: cache, functools.lru_cache: lru_cache,
    contextlib.contextmanager: context_manager,
}
