"""What Python raises where one of several functions is called with arguments that it does not take."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from typing import Any

from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.values import ClosureValue
from ccc.errors import CCCError


def misfit(function: Any, count: int, names: Iterable[str]) -> tuple[type, str] | None:
    """The exception of a call with so many arguments and with these names; None for functions that take them, and for
    what is no function of Python."""
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        if type(function.__self__) is tuple:  # partly applied
            return None
        return misfit(function.__func__, count + 1, names)
    try:
        if isinstance(function, ClosureValue):
            node, outer = function.node, function.frame.function
            name = ".<locals>.".join([outer.__qualname__, *way_to(source_of(outer).node, node)])
        elif isinstance(function, types.FunctionType):
            node, name = source_of(function).node, function.__qualname__
        else:
            return None
    except CCCError:
        return None
    try:
        twin(node.args, name)(*[None] * count, **dict.fromkeys(names))
    except TypeError as error:
        return TypeError, str(error)
    return None


def twin(arguments: ast.arguments, name: str) -> types.FunctionType:
    """A function that takes the same arguments and does nothing.

    >>> twin(ast.parse("lambda a, *, b=1: a").body[0].value.args, "f")(1, 2)
    Traceback (most recent call last):
    TypeError: f() takes 1 positional argument but 2 were given
    """
    def bare(arg: ast.arg) -> ast.arg:
        return ast.arg(arg.arg)

    nothing = ast.Constant(None)
    own = ast.arguments(
        [*map(bare, arguments.posonlyargs)], [*map(bare, arguments.args)], arguments.vararg and bare(arguments.vararg),
        [*map(bare, arguments.kwonlyargs)], [default and nothing for default in arguments.kw_defaults],
        arguments.kwarg and bare(arguments.kwarg), [nothing for _ in arguments.defaults])
    found = eval(compile(ast.fix_missing_locations(ast.Expression(ast.Lambda(own, nothing))), "", "eval"))
    found.__qualname__ = name
    return found


def way_to(outer: Any, node: ast.AST) -> list[str]:
    """The names of the functions inside one that lead to a function in it, which is the last."""
    for part in ast.iter_child_nodes(outer):
        own = [getattr(part, "name", "<lambda>")] if isinstance(part, (ast.FunctionDef, ast.Lambda)) else []
        if part is node:
            return own
        if any(inner is node for inner in ast.walk(part)):
            return own + way_to(part, node)
    return [getattr(node, "name", "<lambda>")]
