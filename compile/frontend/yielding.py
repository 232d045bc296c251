"""What the syntax of a generator says: how it ends, whether it is given values, whether it acts when it is dropped."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ccc.compile.frontend.names import in_scope, local_names, located, own_parts, same_scope, written_within

YIELDS = ast.Yield | ast.YieldFrom


@lru_cache(maxsize=4096)
def yields(node: Any) -> bool:
    """True for functions whose own body yields."""
    return not isinstance(node, ast.Lambda) and any(isinstance(part, YIELDS) for part in own_parts(node))


@lru_cache(maxsize=1024)
def may_stop(node: Any) -> bool:
    """True for a generator in which `StopIteration` may be raised: it asks an iterator that may have no items."""
    return any((isinstance(part, ast.Call) and (
        (isinstance(part.func, ast.Name) and part.func.id == "next" and len(part.args) == 1) or (
            isinstance(part.func, ast.Attribute) and part.func.attr in ("__next__", "send", "throw")))) or (
        isinstance(part, ast.Raise) and part.exc is not None and any(is_name(x, "StopIteration") for x in ast.walk(
            part.exc))) for part in own_parts(node))


def without_stop(node: Any, body: list[ast.stmt], first: Sequence[ast.stmt] = ()) -> list[ast.stmt]:
    """The body of a generator, which is left by a `RuntimeError` where `StopIteration` is raised in it (PEP 479);
    `first` stands before that is raised."""
    if not may_stop(node):
        return body
    error = ast.Call(ast.Name("RuntimeError", ast.Load()), [ast.Constant("generator raised StopIteration")], [])
    handler = ast.ExceptHandler(ast.Name("StopIteration", ast.Load()), None, [*first, ast.Raise(error, None)])
    return [located(ast.Try(body, [handler], [], []), node.body[0])]


@lru_cache(maxsize=1024)
def is_given_values(node: Any) -> bool:
    """True for a generator that uses the value of a `yield` in more than an assignment, or that of a `yield from`."""
    parts = own_parts(node)
    plain = {part.value for part in parts if isinstance(part, ast.Expr) or (
        isinstance(part, ast.Assign) and isinstance(part.value, ast.Yield))}
    return any(isinstance(part, YIELDS) and part not in plain for part in parts)


@lru_cache(maxsize=1024)
def hears(node: Any) -> bool:
    """True for a generator that would catch what is raised in the body of a loop along it, if that were called where it
    yields, or gets values there."""
    return may_stop(node) or is_given_values(node) or any(
        isinstance(part, ast.Try) and part.handlers and any(isinstance(x, YIELDS) for x in in_scope(part.body))
        for part in own_parts(node))


def without_end(node: ast.AST) -> bool:
    """True for a loop that nothing in it leaves."""
    if not isinstance(node, ast.While) or not isinstance(node.test, ast.Constant) or not node.test.value:
        return False
    todo: list[tuple[ast.AST, bool]] = [(part, False) for part in node.body]
    while todo:
        part, looping = todo.pop()
        if isinstance(part, (ast.Return, ast.Raise)) or (isinstance(part, ast.Break) and not looping):
            return False
        looping = looping or isinstance(part, (ast.For, ast.While))
        todo += [(inner, looping) for inner in same_scope(part)]
    return True


def uses_values(node: Any) -> bool:
    """True for a generator that uses what one of its yields gives."""
    plain = {part.value for part in own_parts(node) if isinstance(part, ast.Expr)}
    return any(isinstance(part, YIELDS) and part not in plain for part in own_parts(node))


@lru_cache(maxsize=1024)
def acts_when_dropped(node: Any) -> bool:
    """True for a generator that does something where nobody asks it any more: it yields in a `try` whose `finally` runs
    then, or in a `with`."""
    return any(isinstance(part, ast.Try | ast.With) and any(isinstance(x, YIELDS) for x in in_scope(part.body)) and (
        isinstance(part, ast.With) or not computes(part.finalbody, node) or any(map(catches_all, part.handlers)))
        for part in own_parts(node))


def computes(body: list[ast.stmt], node: Any) -> bool:
    """True for statements that give numbers to local names alone."""
    own = ast.Assign | ast.AugAssign | ast.Pass | ast.Name | ast.Constant | ast.BinOp | ast.operator | ast.expr_context
    names = local_names(node) - written_within(node)
    return all(isinstance(part, own) and (not isinstance(part, ast.Name) or isinstance(part.ctx, ast.Load)
                                          or part.id in names) for x in body for part in ast.walk(x))


def catches_all(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches what a generator is closed by."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(not isinstance(kind, ast.Name) or kind.id in ("BaseException", "GeneratorExit") for kind in kinds)


def is_name(node: ast.AST, name: str) -> bool:
    """True for a name that is read."""
    return isinstance(node, ast.Name) and node.id == name
