"""What stands left of an assignment or of a method's name is read several times while elaborating; Python evaluates it
once, so the calls in it are made once: `get().xs += [x]`, `get().xs.append(x)`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend.names import children

COUNTED = {ast.Call, ast.NamedExpr, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp}
ALONE = {ast.Name, ast.Constant, ast.Lambda}
"""What has no calls in it that are made where it stands."""


class Given(dict[ast.AST, Any]):
    """What the parts of a statement in a `try` have given, which is read again where one of them raised."""


class Once:
    """The calls on the ways to what is under way, inner ones last, with what they have given so far."""

    def __init__(self) -> None:
        self.open: list[dict[ast.AST, Any]] = []

    def during(self, calls: list[ast.AST], run: Callable[[], Any]) -> Any:
        """What `run` gives; meanwhile each of the calls is made once."""
        if not calls:
            return run()
        around: dict[ast.AST, Any] = next((known for known in reversed(self.open) if isinstance(known, Given)), {})
        return self.given({call: around.get(call, MISSING) for call in calls}, run)

    def given(self, values: dict[ast.AST, Any], run: Callable[[], Any]) -> Any:
        """What `run` gives, where nodes have these values."""
        self.open.append(values)
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
    if isinstance(node, (ast.Assign, ast.Delete)):
        return [call for target in node.targets for call in calls_on_the_way(target)]
    return calls_on_the_way(node.target) if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else []


def calls_on_the_way(node: ast.AST) -> list[ast.AST]:
    """The outermost calls in an expression, and what else is not to be done twice: a choice that may make one."""
    found, todo = list[ast.AST](), [node]
    while todo:
        here = todo.pop()
        kind = type(here)
        if kind in COUNTED:
            found.append(here)
        elif kind is ast.IfExp or kind is ast.BoolOp:  # what is called in an arm is known in that arm alone
            if any(type(inner) in COUNTED for inner in ast.walk(here)):
                found.append(here)
        elif kind not in ALONE:
            todo += reversed(children(here))
    return found
