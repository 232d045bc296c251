"""Whether a function gives an int or a float, where it gives one or the other: each place where it returns says so.

    lambda x: x if x > 0 else 0        is asked as        lambda x: False if x > 0 else True
"""

from __future__ import annotations

import ast
import copy
import types
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import kinds_met
from ccc.compile.frontend.definitions import defaults_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.numpy_functions import table
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.values import ClosureValue, Frame
from ccc.compile.program.lam import Var
from ccc.objects import Int


class Asking(ast.NodeTransformer):
    """Asks of what is returned which class it has."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        return node if node.value is None else ast.copy_location(ast.Return(asked(node.value)), node)


def asked(given: ast.expr) -> ast.expr:
    if isinstance(given, ast.IfExp):
        return ast.copy_location(ast.IfExp(given.test, asked(given.body), asked(given.orelse)), given)
    known: Any = table.is_whole
    call = ast.Call(ast.copy_location(ast.Constant(known), given), [given], [])
    return ast.copy_location(call, given)


def gives_whole(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """Whether a function gives an int at these arguments."""
    function: Any = args[0]
    if isinstance(function, types.FunctionType):
        source = source_of(function)
        at: Any = source.node
        function = ClosureValue(at, Frame(function.__name__, source.file, function, None), defaults_of(function),
                                e.recorder.block)
    if not isinstance(function, ClosureValue):
        raise refusal(e, node, frame)
    made = copy.copy(function.node)
    if isinstance(made, ast.Lambda):
        made.body = asked(made.body)
    else:
        made.body = [Asking().visit(copy.deepcopy(statement)) if not isinstance(statement, ast.FunctionDef)
                     else statement for statement in made.body]
    twin = function.twin(made, function.frame, function.defaults, function.block)
    return e.call(twin, args[1:], kwargs, node, frame)


def is_whole(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> bool:
    """Whether a value is an int, where that is known."""
    (value,) = args
    if isinstance(value, Var):
        if kinds_met.is_int_or_float(value):
            raise refusal(e, node, frame)
        return isinstance(value.object, Int)
    return isinstance(value, int)


def refusal(e: Elaboration, node: ast.AST, frame: Frame) -> Exception:
    return unsupported("CC020", "np.vectorize gives results of the class of the first one, which is an int or a float "
                       "here", e.place(node, frame), help="say which: `np.vectorize(f, otypes=[float])`")
