"""A generator that is asked for one item after the other, as a function that goes on where it yielded.

    def pairs(xs):              def pairs(xs):
        for x in xs:                at, along, x = 0, None, None
            yield x                 def resume():
            yield -x                    nonlocal at, along, x
                                        go, at = at, ENDED
                                        if go == 0:
                                            along = iter(xs)
                                        while go in (1, 2) or (go == 0 and along.__ccc_more__()):
                                            if go == 0:
                                                x = along.__next__()
                                                item, at = x, 1
                                                return item
                                            if go == 1:
                                                go, item, at = 0, -x, 2
                                                return item
                                            go = 0
                                        raise StopIteration
                                    return Resumed(resume)

Each statement stands there once. `go` is 0 where it runs, else the number of the `yield` that it has still to come to:
a statement with that `yield` in it is entered whatever its test says, others are passed over. Names that several
statements read are variables which the inner function writes to, so branches and loops carry them as they carry any
others.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ccc.compile.frontend.liveness import liveness
from ccc.compile.frontend.names import Own, assigned, in_scope, local_names, located, own_parts, parameters
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.suspending import Unsuspended, suspended
from ccc.compile.frontend.values import UNSET
from ccc.compile.frontend.yielding import without_stop

AT, GO, ITEM, RESUME, OWNER, SENT, THROWN = (
    "_ccc_at", "_ccc_go", "_ccc_item", "_ccc_resume", "_ccc_owner", "_ccc_sent", "_ccc_thrown")
RUNNING, ENDED = 0, -1
LEAVING = (ast.Return, ast.Break, ast.Continue)


@lru_cache(maxsize=1024)
def resuming(node: Any) -> ast.FunctionDef | None:
    """A generator as a function that gives such an iterator; None for one that yields where nothing goes on."""
    if isinstance(node, ast.Lambda):
        return None
    try:
        body = suspended(node)
        return Resuming(node, body).made()
    except Unsuspended:
        return None


class Resuming:
    """Writes the function that goes on; `marks` are the numbers of the yields in its statements."""

    def __init__(self, node: Any, body: list[ast.stmt]) -> None:
        self.node = node
        self.body = body
        self.read = copy.copy(node)
        self.read.body = body
        found = [part for part in own_parts(self.read) if isinstance(part, ast.stmt) and is_yield(part)]
        self.numbers: dict[ast.AST, int] = {part: i for i, part in enumerate(found, 1)}

    def made(self) -> ast.FunctionDef:
        node, local = self.node, local_names(self.read)
        live = liveness(self.read)
        given = {a.arg for a in parameters(node)}
        if live.first & local - given or any(isinstance(part, ast.Delete) for part in own_parts(self.read)):
            raise Unsuspended  # a name may be read that has no value
        outside = [part for part in own_parts(self.read) if isinstance(part, (ast.Nonlocal, ast.Global))]
        written = sorted({AT} | (set(assigned(self.body)) & local - self.within_one()))
        steps = self.block(self.body)
        end = ast.Raise(ast.Name("StopIteration", ast.Load()), None)
        early = ast.BoolOp(ast.And(), [equal(AT, RUNNING), is_given(SENT)])
        error = ast.Call(ast.Name("TypeError", ast.Load()), [
            ast.Constant("can't send non-None value to a just-started generator")], [])
        head = [ast.Nonlocal(written), *outside, ast.If(early, [ast.Raise(error, None)], []),
                ast.Assign([name(GO, ast.Store)], name(AT)), ast.Assign([name(AT, ast.Store)], ast.Constant(ENDED)),
                ast.If(is_given(THROWN), [
                    ast.If(ast.Compare(name(GO), [ast.LtE()], [ast.Constant(RUNNING)]), [ast.Raise(name(THROWN), None)],
                           [])], []),
                ast.If(equal(GO, ENDED), [copy.deepcopy(end)], [])]
        arguments = ast.arguments([], [ast.arg(OWNER), ast.arg(SENT), ast.arg(THROWN)], None, [], [], None, [
            ast.Constant(None), ast.Constant(None)])
        returns: list[ast.stmt] = [ast.If(equal(GO, ENDED), [copy.deepcopy(end)], [])]
        resume = ast.FunctionDef(RESUME, arguments, [*head, *without_stop(node, steps, returns), end], [])
        first: dict[str, Any] = {n: RUNNING if n == AT else UNSET for n in written if n not in given}
        begin = [ast.Assign([name(n, ast.Store)], ast.Constant(value)) for n, value in first.items()]
        kind = ast.Call(ast.Constant(of_python("iterators").Resumed), [name(RESUME)], [])
        made = copy.copy(node)
        made.body = [located(part, node.body[0]) for part in [*begin, resume, ast.Return(kind)]]
        return made

    def within_one(self) -> set[str]:
        """The names that stand in one statement alone, which does not yield."""
        found: dict[str, set[ast.AST]] = {}
        todo: list[tuple[ast.AST, ast.AST | None]] = [(part, None) for part in self.body]
        while todo:
            part, whole = todo.pop()
            whole = part if whole is None and isinstance(part, ast.stmt) and not self.marks(part) else whole
            if isinstance(part, ast.Name):
                found.setdefault(part.id, set()).add(whole or part)
            todo += [(inner, whole) for inner in ast.iter_child_nodes(part)]
        return {n for n, where in found.items() if len(where) == 1 and all(isinstance(w, ast.stmt) for w in where)} - {
            a.arg for a in parameters(self.node)}

    # -- statements ----------------------------------------------------------------------------------------------------

    def marks(self, part: Any) -> list[int]:
        """The numbers of the yields in a statement, or in several."""
        parts: list[ast.AST] = part if isinstance(part, list) else [part]
        return sorted(self.numbers[inner] for inner in in_scope(parts) if inner in self.numbers)

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements of which those are passed over that stand before the `yield` to come to."""
        found: list[ast.stmt] = []
        plain: list[ast.stmt] = []
        left = [bool(self.marks([*body[i:]])) for i in range(len(body))] + [False]
        for i, statement in enumerate(body):
            if not self.marks(statement):
                if isinstance(statement, (ast.Nonlocal, ast.Global)):
                    continue
                done = self.plain(statement)
                if left[i]:
                    plain += done
                else:
                    found += done
            else:
                if plain:
                    found.append(located(ast.If(equal(GO, RUNNING), plain, []), plain[0]))
                    plain = []
                found += [located(part, statement) for part in self.suspending(statement, left[i + 1])]
        return found

    def plain(self, statement: ast.stmt) -> list[ast.stmt]:
        """A statement that does not yield, and may return."""
        if not any(isinstance(part, ast.Return) for part in in_scope([statement])):
            return [statement]
        found = Returning().visit(copy.deepcopy(statement))
        return found if isinstance(found, list) else [found]

    def suspending(self, node: Any, more: bool) -> list[ast.stmt]:
        """A statement that yields; `more` says that others that do follow it in its block."""
        if node in self.numbers:
            return self.given(node, more)
        body = self.marks(node.body)
        if isinstance(node, ast.If):
            other: list[ast.stmt] = self.block(node.orelse)
            if other and (more or self.marks(node.orelse)):
                other = [*[ast.If(self.enters(self.marks(node.orelse)), other, [])]]
            return [ast.If(self.enters(body, node.test), self.block(node.body), other)]
        if isinstance(node, ast.While):
            return self.loop(node, ast.While(self.enters(body, node.test), self.block(node.body), []), body)
        if isinstance(node, ast.For):
            made = ast.For(node.target, node.iter, self.block(node.body), [])
            made.goes_on = GO, body  # type: ignore[attr-defined]
            return self.loop(node, made, body)
        if isinstance(node, ast.Try):
            return self.trying(node)
        raise Unsuspended

    def loop(self, node: Any, made: Any, body: list[int]) -> list[ast.stmt]:
        if self.marks(node.orelse):
            raise Unsuspended
        over = self.block(node.orelse)
        made.orelse = [ast.If(equal(GO, RUNNING), over, [])] if over else []
        return [ast.If(self.enters(body), [made], [])]

    def trying(self, node: ast.Try) -> list[ast.stmt]:
        if self.marks([*node.handlers, *node.orelse, *node.finalbody]):
            raise Unsuspended
        if node.handlers and any(isinstance(part, ast.Return) for part in in_scope(node.body)) and any(
                map(catches_the_end, node.handlers)):
            raise Unsuspended
        last = self.block(node.finalbody)
        left = ast.Compare(name(AT), [ast.Lt()], [ast.Constant(0)])
        ending: list[ast.stmt] = [ast.If(left, last, [])] if last else []
        handlers = [ast.ExceptHandler(h.type, h.name, self.block(h.body)) for h in node.handlers]
        made = ast.Try(self.block(node.body), handlers, self.block(node.orelse), ending)
        return [ast.If(self.enters(self.marks(node.body)), [made], [])]

    def given(self, node: Any, more: bool) -> list[ast.stmt]:
        """Give an item and leave, or go on behind it."""
        number = self.numbers[node]
        value = node.value.value or ast.Constant(None)
        thrown: ast.stmt = ast.If(is_given(THROWN), [ast.Raise(name(THROWN), None)], [])
        if (along := getattr(node, "delegates", None)) is not None:
            thrown = handing_on(along, number)
        back: list[ast.stmt] = [ast.Assign([name(GO, ast.Store)], ast.Constant(RUNNING)), thrown]
        if isinstance(node, ast.Assign):
            back.append(ast.Assign(node.targets, name(SENT)))
        leave = [ast.Assign([name(ITEM, ast.Store)], value),  # which may raise: then the generator has ended
                 ast.Assign([name(AT, ast.Store)], ast.Constant(number)), ast.Return(name(ITEM))]
        first = ast.If(equal(GO, RUNNING), leave, [])
        return [first, ast.If(equal(GO, number), back, [])] if more else [first, *back]

    def enters(self, marks: list[int], test: ast.expr | None = None) -> ast.expr:
        """Whether a statement is entered: its test says so, or it has the `yield` to come to."""
        runs = equal(GO, RUNNING)
        plain: ast.expr = runs if test is None else ast.BoolOp(ast.And(), [runs, test])
        return ast.BoolOp(ast.Or(), [*map(lambda k: equal(GO, k), marks), plain]) if marks else plain


class Returning(Own):
    """A `return` of a generator ends it."""

    def visit_Return(self, node: ast.Return) -> Any:
        error = ast.Name("StopIteration", ast.Load())
        found: list[ast.stmt] = [ast.Assign([name(GO, ast.Store)], ast.Constant(ENDED)), ast.Raise(error, None)]
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            found = [ast.Assign([ast.Attribute(name(OWNER), "returned", ast.Store())], node.value), found[0],
                     ast.Raise(ast.Call(error, [ast.Attribute(name(OWNER), "returned", ast.Load())], []), None)]
        return [located(part, node) for part in found]


def catches_the_end(handler: ast.ExceptHandler) -> bool:
    """Whether a handler may catch what ends a generator."""
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(not isinstance(n, ast.Name) or n.id in ("StopIteration", "Exception", "BaseException") for n in names)


def handing_on(along: str, number: int) -> ast.stmt:
    """What is sent or thrown where a generator runs along another one goes there, and what that yields is yielded;
    where that has ended, the loop along it ends."""
    found: dict[str, ast.stmt] = {}
    for given, method in ((SENT, "send"), (THROWN, "throw")):
        item = ast.Call(ast.Attribute(name(along), method, ast.Load()), [name(given)], [])
        leave = [ast.Assign([name(AT, ast.Store)], ast.Constant(number)), ast.Return(name(ITEM))]
        over = ast.ExceptHandler(ast.Name("StopIteration", ast.Load()), None, [ast.Pass()])
        found[method] = ast.Try([ast.Assign([name(ITEM, ast.Store)], item)], [over], leave, [])
    has: Any = hasattr
    hears = ast.Call(ast.Constant(has), [name(along), ast.Constant("throw")], [])
    thrown = ast.If(hears, [found["throw"]], [ast.Raise(name(THROWN), None)])
    return ast.If(is_given(THROWN), [thrown], [ast.If(is_given(SENT), [found["send"]], [])])


def is_given(text: str) -> ast.expr:
    """Whether a value was sent, or an exception thrown."""
    return ast.Compare(name(text), [ast.IsNot()], [ast.Constant(None)])


def is_yield(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Yield)


def name(text: str, how: Any = ast.Load) -> ast.Name:
    return ast.Name(text, how())


def equal(text: str, number: int) -> ast.expr:
    return ast.Compare(name(text), [ast.Eq()], [ast.Constant(number)])


__all__ = ["resuming"]
