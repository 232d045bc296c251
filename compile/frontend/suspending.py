"""Where a generator is suspended: its yields as statements of their own, and its loops along iterators that it keeps.

    s += yield s                sent = yield s
                                s += sent
    for x in xs:                along = iter(xs)
        yield x                 for x in along:
                                    yield x
    r = yield from g            along = iter(g)
                                for item in along:
                                    yield item
                                r = getattr(along, "returned", None)

What is sent or thrown at the `yield` of a `yield from` is handed on (`resuming`): its `delegates` says to which name.
So what closes a generator closes what it delegates to: what is kept there is marked as `delegated`.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from ccc.compile.frontend.names import in_scope, located

YIELDS = ast.Yield | ast.YieldFrom
ALONG, ITEM, GIVEN = "_ccc_along_{}", "_ccc_item_{}", "_ccc_given_{}"
SIMPLE = ast.Expr | ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return


class Unsuspended(Exception):
    """A generator yields where it cannot go on."""


def yields_in(node: ast.AST) -> list[Any]:
    """The yields in a part of a function's own scope."""
    return [part for part in in_scope([node]) if isinstance(part, YIELDS)]


def suspended(node: Any) -> list[ast.stmt]:
    """The statements of a generator, each `yield` a statement that may give a name the value that is sent."""
    return Suspending().block(copy.deepcopy(node.body))


class Suspending:
    """Writes the statements anew, with a number for each name that is made."""

    def __init__(self) -> None:
        self.count = 0

    def new(self, text: str) -> str:
        self.count += 1
        return text.format(self.count)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [located(part, statement) for statement in body for part in self.statement(statement)]

    def statement(self, node: Any) -> list[ast.stmt]:
        if not yields_in(node):
            return [node]
        if isinstance(node, SIMPLE):
            return self.simple(node)
        if isinstance(node, (ast.If, ast.While, ast.For, ast.Try)):
            for field in ("body", "orelse", "finalbody"):
                if hasattr(node, field):
                    setattr(node, field, self.block(getattr(node, field)))
            for handler in getattr(node, "handlers", ()):
                handler.body = self.block(handler.body)
        if isinstance(node, ast.If):
            return [*self.before(node, "test"), node]
        if isinstance(node, ast.While):
            return self.while_(node)
        if isinstance(node, ast.For):
            return self.for_(node)
        if isinstance(node, ast.Try):
            return [node]
        raise Unsuspended

    def simple(self, node: Any) -> list[ast.stmt]:
        """A statement without others in it."""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.YieldFrom):
            return self.delegating(node.value.value)[0]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and not self.has(node.value.value):
            return [node]
        if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Name):
            raise Unsuspended
        return [*self.before(node, "value"), node]

    def has(self, node: ast.AST | None) -> bool:
        return node is not None and bool(yields_in(node))

    def while_(self, node: ast.While) -> list[ast.stmt]:
        if not self.has(node.test):
            return [node]
        if node.orelse:
            raise Unsuspended
        first = self.before(node, "test")
        leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        return [ast.While(ast.Constant(True), [*first, leave, *node.body], [])]

    def for_(self, node: ast.For) -> list[ast.stmt]:
        first = self.before(node, "iter")
        along = self.new(ALONG)
        made = ast.Assign([ast.Name(along, ast.Store())], iterator(node.iter))
        return [*first, made, ast.For(node.target, ast.Name(along, ast.Load()), node.body, node.orelse)]

    def before(self, node: Any, field: str) -> list[ast.stmt]:
        """The `yield` in an expression as statements before it; what is evaluated before it must change nothing."""
        whole: Any = getattr(node, field)
        found = [] if whole is None else yields_in(whole)
        if not found:
            return []
        made: list[ast.stmt]
        inner = found[0]
        if len(found) > 1 or not comes_first(whole, inner):
            raise Unsuspended
        if isinstance(inner, ast.YieldFrom):
            made, value = self.delegating(inner.value)
        else:
            given = self.new(GIVEN)
            made = [ast.Assign([ast.Name(given, ast.Store())], ast.Yield(inner.value))]
            value = ast.Name(given, ast.Load())
        setattr(node, field, Instead(inner, value).visit(whole))
        return made

    def delegating(self, value: Any) -> tuple[list[ast.stmt], ast.expr]:
        """`yield from`, and what it gives."""
        if self.has(value):
            raise Unsuspended
        along, item = self.new(ALONG), self.new(ITEM)
        step = ast.Expr(ast.Yield(ast.Name(item, ast.Load())))
        step.delegates = along  # type: ignore[attr-defined]
        made: list[ast.stmt] = [
            ast.Assign([ast.Name(along, ast.Store())], iterator(value)),
            ast.For(ast.Name(item, ast.Store()), ast.Name(along, ast.Load()), [step], [])]
        for part in ast.walk(made[0]):
            part.delegated = value  # type: ignore[attr-defined]
        asked: list[ast.expr] = [ast.Name(along, ast.Load()), ast.Constant("returned"), ast.Constant(None)]
        function: Any = getattr
        return made, ast.Call(ast.Constant(function), asked, [])


class Instead(ast.NodeTransformer):
    """Puts an expression in the place of another."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old = old
        self.new = new

    def visit(self, node: Any) -> Any:
        return self.new if node is self.old else super().visit(node)


def iterator(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("iter", ast.Load()), [value], [])


def comes_first(whole: Any, inner: ast.expr) -> bool:
    """Whether what is evaluated before a part of an expression is names and constants."""
    if whole is inner:
        return True
    if isinstance(whole, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return False
    parts = [part for part in ast.iter_child_nodes(whole) if isinstance(part, ast.expr)]
    i = next(i for i, part in enumerate(parts) if any(x is inner for x in ast.walk(part)))
    if isinstance(whole, (ast.BoolOp, ast.IfExp, ast.Compare)) and i > (1 if isinstance(whole, ast.Compare) else 0):
        return False
    before = [x for part in parts[:i] for x in ast.walk(part)]
    return not isinstance(whole, ast.IfExp | ast.BoolOp) and comes_first(parts[i], inner) and all(
        isinstance(x, (ast.Name, ast.Constant, ast.Attribute, ast.expr_context)) for x in before)


__all__ = ["SIMPLE", "YIELDS", "Unsuspended", "suspended", "yields_in"]
