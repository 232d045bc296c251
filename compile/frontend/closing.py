"""Generators that do something where they are dropped, under a name that alone leads to them: they are closed where the
function returns.

    def f(x):                   def f(x):
        it = g(x)                   it = g(x)
        return next(it)             given = next(it)
                                    it.close()
                                    return given
"""

from __future__ import annotations

import ast
import copy
from functools import lru_cache
from typing import Any

from ccc.compile.frontend import generators, python_functions
from ccc.compile.frontend.interrupts import InTurn
from ccc.compile.frontend.names import Own, in_scope, located, own_parts, parameters
from ccc.compile.frontend.values import Frame, meant
from ccc.compile.frontend.yielding import is_name, yields

CLOSED = "closed"
GIVEN = "_ccc_given"
ASKED = ("__next__", "close", "send", "throw")


def is_closed(e: Any, target: ast.AST, frame: Frame) -> bool:
    """Whether what a name is given is closed where the function returns. Where it can be, the function is read anew, as
    one that does so."""
    node: Any = frame.node
    if isinstance(along := getattr(target, "delegated", None), ast.Call):  # what delegates closes it
        return generators.generator_of(meant(frame, along.func)) is not None
    if not isinstance(target, ast.Name) or not isinstance(node, ast.FunctionDef) or yields(node):
        return False
    if e.attempts.active or not alone(node, target.id, frame):
        return False
    first, names = getattr(node, "closes", (node, ()))
    if target.id not in names and (CLOSED, first, target.id) not in e.in_turn:
        raise InTurn((CLOSED, first, target.id))
    return target.id in names


def alone(node: ast.FunctionDef, name: str, frame: Frame) -> bool:
    """Whether a name is bound once, before the function may return, and nothing but it leads to the iterator that it
    stands for: it is looped over, asked for items, or taken by what keeps nothing. A `finally` or `with` around a
    `return` would be done before the iterator is closed."""
    found = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name]
    bound = [i for i, part in enumerate(node.body) if isinstance(part, ast.Assign) and any(
        isinstance(to, ast.Name) and to.id == name for to in part.targets)]
    if len(bound) != 1 or any(a.arg == name for a in parameters(node)):
        return False
    own = own_parts(node)
    early = [part for part in in_scope(node.body[:bound[0]]) if isinstance(part, ast.Return)]
    kept = [part for part in own if isinstance(part, (ast.Nonlocal, ast.Global)) and name in part.names]
    uses = [use for part in own for use in asked(part, name, frame)]
    return not early and not kept and len(found) == len(uses) + 1 and not any(map(is_done_after, own))


def is_done_after(part: Any) -> bool:
    """Whether a statement does something after the `return` in it has its value."""
    around = isinstance(part, ast.With) or bool(getattr(part, "finalbody", ()))
    return around and any(isinstance(inner, ast.Return) for inner in in_scope([part]))


def asked(part: Any, name: str, frame: Frame) -> list[ast.AST]:
    """Where syntax asks what a name stands for, and does not keep it."""
    if isinstance(part, ast.For) and is_name(part.iter, name):
        return [part.iter]
    if not isinstance(part, ast.Call):
        return []
    if isinstance(part.func, ast.Attribute) and is_name(part.func.value, name) and part.func.attr in ASKED:
        return [part.func.value]
    function = meant(frame, part.func)
    takes = function is next or python_functions.of(function).takes in ("all", "some")
    return [part.args[0]] if takes and part.args and is_name(part.args[0], name) else []


def closing(e: Any, node: Any) -> Any:
    """A function, as one that closes what it is known to."""
    known = [site[2] for site in e.in_turn.known if isinstance(site, tuple) and site[:2] == (CLOSED, node)]
    return closed_at_end(node, tuple(sorted(known))) if known else node


@lru_cache(maxsize=1024)
def closed_at_end(node: ast.FunctionDef, names: tuple[str, ...]) -> ast.FunctionDef:
    """The function that closes these before it returns, those first that it binds first."""
    made: Any = copy.copy(node)
    assigned = [part for part in node.body if isinstance(part, ast.Assign)]
    first = sorted(names, key=[to.id for part in assigned for to in part.targets if isinstance(to, ast.Name)].index)
    body = [found for part in copy.deepcopy(node.body) for found in Returning(first).statements(part)]
    made.body = body if isinstance(body[-1], (ast.Return, ast.Raise)) else [*body, *closes(first, node.body[-1])]
    made.closes = (node, names)
    return made


def closes(names: list[str], where: ast.AST) -> list[ast.stmt]:
    return [located(ast.Expr(ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "close", ast.Load()), [], [])), where)
            for name in names]


class Returning(Own):
    """A `return` of the function closes these before."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is None:
            return [*closes(self.names, node), node]
        given = located(ast.Assign([ast.Name(GIVEN, ast.Store())], node.value), node)
        return [given, *closes(self.names, node), located(ast.Return(ast.Name(GIVEN, ast.Load())), node)]


__all__ = ["closing", "is_closed"]
