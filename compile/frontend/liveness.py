"""Which names are read behind a statement before they are bound anew: live variables, from the syntax alone.

>>> tree = ast.parse("def f(xs):\\n    s = 0\\n    for v in xs:\\n        w = s = s + v\\n    return w")
>>> found = liveness(tree.body[0])
>>> loop = tree.body[0].body[1]
>>> sorted(found.behind(loop)), sorted(found.within(loop))
(['w'], ['s'])

References: Aho, Lam, Sethi, Ullman, Compilers, section 9.2.5.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from ccc.compile.frontend.names import FUNCTIONS, free_names, own_parts, same_scope

Names = frozenset[str]
NONE: Names = frozenset()
BRANCHING = ast.BoolOp | ast.IfExp | ast.Compare


class Liveness:
    """The live names of one function."""

    def __init__(self, node: Any) -> None:
        inner = [part for part in own_parts(node) if isinstance(part, FUNCTIONS)]
        self.captured: Names = frozenset().union(*[free_names(part) for part in inner])
        self.exits: dict[ast.AST, Names] = {}
        self.heads: dict[ast.AST, Names] = {}
        self.caught: Names = NONE
        self.first = self.inside(node.body, NONE) if isinstance(node, ast.Lambda) else self.body(
            node.body, NONE, NONE, NONE)

    def behind(self, node: ast.AST) -> Names:
        """The names that may be read behind a statement or test, wherever it leads to."""
        rest = getattr(node, "rest", NONE)
        node = getattr(node, "stands_for", node)
        return self.exits[node] | self.captured | rest if node in self.exits else rest

    def within(self, node: ast.AST) -> Names:
        """The names whose values of before a run of a loop's body may be read in it or behind it."""
        if node not in self.heads and hasattr(node, "stands_for"):
            return self.behind(node) | reads(node) | reads_of(node.body)  # type: ignore[attr-defined]
        return self.heads[node] | self.captured if node in self.heads else NONE

    # -- statements, from the last to the first -------------------------------------------------------------------

    def body(self, body: Sequence[ast.stmt], out: Names, broken: Names, next_: Names) -> Names:
        """The names that are live before statements; `out`, `broken` and `next_` are live where they lead to."""
        for statement in reversed(body):
            out = self.statement(statement, out, broken, next_)
        return out

    def statement(self, node: ast.stmt, out: Names, broken: Names, next_: Names) -> Names:
        out |= self.caught
        self.exits[node] = out | broken | next_
        if isinstance(node, ast.If):
            arms = self.body(node.body, out, broken, next_) | self.body(node.orelse, out, broken, next_)
            return self.inside(node.test, arms)
        if isinstance(node, (ast.For, ast.While)):
            return self.loop(node, out, broken, next_)
        if isinstance(node, ast.Try):
            return self.try_(node, out, broken, next_)
        if isinstance(node, ast.With):
            inner = self.body(node.body, out, broken, next_) | out - stored(
                [item.optional_vars for item in node.items if item.optional_vars is not None])
            return inner | reads_of(node.items)
        if isinstance(node, ast.Match):
            found = out
            for case in node.cases:
                found |= self.body(case.body, out, broken, next_)
                found |= self.inside(case.guard, found) if case.guard is not None else NONE
            return self.inside(node.subject, found)
        if isinstance(node, (ast.Break, ast.Continue)):
            return broken if isinstance(node, ast.Break) else next_
        if isinstance(node, (ast.Return, ast.Raise)):
            out = NONE
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.AugAssign, ast.Return, ast.Expr)):
            return self.simple(node, out)
        return out | reads(node)

    def try_(self, node: ast.Try, out: Names, broken: Names, next_: Names) -> Names:
        """Each statement of a `try` may lead to its handlers, and each way out through what stands in `finally`."""
        outer = self.caught
        ends = out | broken | next_ | outer
        last = self.body(node.finalbody, ends, broken, next_) if node.finalbody else out
        self.caught = outer | (last if node.finalbody else NONE)
        handlers = NONE
        for handler in node.handlers:
            handlers |= self.body(handler.body, last, broken | last, next_ | last) - {handler.name or ""}
            handlers |= NONE if handler.type is None else reads(handler.type)
        over = self.body(node.orelse, last, broken | last, next_ | last)
        self.caught |= handlers
        found = self.body(node.body, over, broken | last, next_ | last) | handlers
        self.caught = outer
        return found

    def loop(self, node: ast.For | ast.While, out: Names, broken: Names, next_: Names) -> Names:
        over = self.body(node.orelse, out, broken, next_)
        head = found = NONE
        while True:
            inner = self.body(node.body, head, out, head)
            found = inner if isinstance(node, ast.While) else inner - stored([node.target])
            before = self.inside(node.test, inner | over) if isinstance(node, ast.While) else found | over
            if before == head:
                break
            head = before
        self.heads[node] = before if isinstance(node, ast.While) else found
        return before if isinstance(node, ast.While) else self.inside(node.iter, before)

    def simple(self, node: ast.stmt, out: Names) -> Names:
        """A statement without others in it."""
        if isinstance(node, ast.FunctionDef):
            return (out - {node.name}) | reads(node)
        if isinstance(node, ast.Assign):
            return self.inside(node.value, (out - stored(node.targets)) | reads_of(node.targets))
        if isinstance(node, ast.AnnAssign):
            left = reads(node.target)
            return out | left if node.value is None else self.inside(node.value, (out - stored([node.target])) | left)
        if isinstance(node, ast.AugAssign):
            target = stored([node.target]) | reads(node.target)
            return self.inside(node.value, (out - stored([node.target])) | target) | target
        value = node.value  # type: ignore[attr-defined]
        return out if value is None else self.inside(value, out)

    def inside(self, node: ast.expr, out: Names) -> Names:
        """The names that are live before an expression; branches in it lead to the rest of it, and to what follows."""
        for part in [node, *own_expressions(node)]:
            if isinstance(part, BRANCHING):
                self.exits[part] = out | reads(node)
        needed, bound = order(node)
        return needed | (out - bound)


def reads(node: ast.AST) -> Names:
    """All names that are read where a node stands."""
    return frozenset([part.id for part in [node, *own_expressions(node)]
                      if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store)])


def reads_of(nodes: Iterable[ast.AST]) -> Names:
    return frozenset().union(*map(reads, nodes))


def own_expressions(node: ast.AST) -> list[ast.AST]:
    """What is in a node, without the bodies of functions."""
    found: list[ast.AST] = []
    todo = list(same_scope(node))
    while todo:
        part = todo.pop()
        found.append(part)
        todo += same_scope(part)
    return found


def stored(targets: Iterable[ast.expr]) -> Names:
    """The names that assigning to targets binds."""
    found: set[str] = set()
    for target in targets:
        if isinstance(target, ast.Name):
            found.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            found |= stored(target.elts)
        elif isinstance(target, ast.Starred):
            found |= stored([target.value])
    return frozenset(found)


def order(node: ast.AST) -> tuple[Names, Names]:
    """The names that an expression reads before it binds them, and those that it surely binds."""
    if isinstance(node, ast.Name):
        return (NONE, NONE) if isinstance(node.ctx, ast.Store) else (frozenset({node.id}), NONE)
    if isinstance(node, ast.NamedExpr):
        needed, bound = order(node.value)
        return needed, bound | {node.target.id}
    sure, perhaps = list(same_scope(node)), list[ast.AST]()
    if isinstance(node, ast.BoolOp):
        sure, perhaps = list(node.values[:1]), list(node.values[1:])
    elif isinstance(node, ast.IfExp):
        sure, perhaps = [node.test], [node.body, node.orelse]
    elif isinstance(node, ast.Compare):
        sure, perhaps = [node.left, node.comparators[0]], list(node.comparators[1:])
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return order(node.generators[0].iter)[0] | (
            frozenset().union(*[order(part)[0] for part in same_scope(node)])
            - stored([generator.target for generator in node.generators])), NONE
    needed, bound = NONE, NONE
    for part in sure:
        found, made = order(part)
        needed, bound = needed | (found - bound), bound | made
    running = bound
    for part in perhaps:
        found, made = order(part)
        needed |= found - (bound if isinstance(node, ast.IfExp) else running)
        running |= made
    return needed, bound


@lru_cache(maxsize=1024)
def liveness(node: Any) -> Liveness:
    """The live names of a function."""
    return Liveness(node)
