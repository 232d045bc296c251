"""What stands left of an assignment or of a method's name is read several times while elaborating; Python evaluates it
once, so the calls in it are made once: `get().xs += [x]`, `get().xs.append(x)`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

COUNTED = ast.Call | ast.NamedExpr | ast.ListComp | ast.DictComp | ast.SetComp | ast.GeneratorExp


class Once:
    """The calls on the ways to what is under way, inner ones last, with what they have given so far."""

    def __init__(self) -> None:
        self.open: list[dict[ast.AST, Any]] = []

    def during(self, calls: list[ast.AST], run: Callable[[], Any]) -> Any:
        """What `run` gives; meanwhile each of the calls is made once."""
        if not calls:
            return run()
        self.open.append(dict.fromkeys(calls, MISSING))
        try:
            return run()
        finally:
            self.open.pop()

    def value(self, node: ast.AST, run: Callable[[], Any]) -> Any:
        """What a node gives."""
        for given in reversed(self.open):
            if node in given:
                if given[node] is MISSING:
                    given[node] = run()
                return given[node]
        return run()


class _Missing:
    """A call that was not made so far."""


MISSING = _Missing()


def targets(node: ast.AST) -> list[ast.AST]:
    """The calls in the targets of a statement."""
    if isinstance(node, ast.Assign | ast.Delete):
        return [call for target in node.targets for call in calls_on_the_way(target)]
    return list(calls_on_the_way(node.target)) if isinstance(node, ast.AugAssign | ast.AnnAssign) else []


def calls_on_the_way(node: ast.AST) -> Iterator[ast.AST]:
    """The outermost calls in an expression, and what else is not to be done twice: a choice that may make one."""
    if isinstance(node, COUNTED):
        yield node
    elif isinstance(node, ast.IfExp | ast.BoolOp):  # what is called in an arm is known in that arm alone
        if any(isinstance(inner, COUNTED) for inner in ast.walk(node)):
            yield node
    elif not isinstance(node, ast.Lambda):
        for inner in ast.iter_child_nodes(node):
            yield from calls_on_the_way(inner)
