"""More than one error at a time: where a function was refused, it is read once more, past each statement that fails.

What a failed statement would have bound or changed is poisoned, as is the value of a function that it was to return: to
read them fails as well, and such errors are not shown. Nothing of this runs for a function that compiles.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ccc.compile.diagnostics import CompileError, Diagnostic, Span, TypeMismatch
from ccc.compile.frontend.names import assigned, same_scope
from ccc.compile.frontend.source import span_in
from ccc.compile.frontend.values import Frame, ListValue, RecordValue, Unbound
from ccc.compile.program.lam import Var
from ccc.objects import Bool, Int, Real

MOST = 20  # how many errors are collected
POISON = "poisoned"


class Enough(Exception):
    """As many errors as are collected."""


class Survey:
    """The errors found so far, and the functions whose statements are being read."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.open: list[Any] = []
        self.failed: set[int] = set()
        self.poisoned: set[tuple[int, str]] = set()

    def past(self, run: Callable[[], Any], node: ast.stmt, frame: Frame) -> Any:
        """What `run` gives for a statement of a function's body; None where it fails. Statements inside of others fail
        with these, since what follows there would mostly follow from the error."""
        if frame.node is None or any(frame.node is other for other in self.open):
            return run()
        self.open.append(frame.node)
        try:
            return run()
        except CompileError as error:
            self.note(error, node, frame)
            return None
        finally:
            self.open.pop()

    def note(self, error: CompileError, node: ast.stmt, frame: Frame) -> None:
        """Remember why a statement failed, and poison what it would have bound or changed."""
        calls: list[Span] = []
        here: Frame | None = frame
        while here is not None:
            caller = here.caller
            if caller is not None and caller[1] is not None:
                calls.append(span_in(caller[1].file, caller[0]))
            here = caller[1] if caller is not None else here.outer
        self.diagnostics += [replace(found, calls=(*found.calls, *calls)) for found in error.diagnostics]
        self.failed.add(id(frame.node))
        for name in touched_by(node, frame):
            frame.env[name] = Unbound("its value was refused", code=POISON)
            self.poisoned.add((id(frame.node), name))
        if len(self.diagnostics) > 4 * MOST:
            raise Enough

    def code(self, found: Unbound, name: str, frame: Frame) -> str:
        """The code of an error for reading a name without a value: why it has none may follow from another error."""
        return POISON if (id(frame.node), name) in self.poisoned else found.code

    def returned(self, frame: Frame) -> None:
        """Fail where a function gave nothing since one of its statements failed."""
        if id(frame.node) in self.failed:
            raise TypeMismatch(Diagnostic(POISON, "its value was refused"))

    def further(self, first: Sequence[Diagnostic]) -> list[Diagnostic]:
        """What else was found: each place once, in the order of the file, nothing that follows from another."""
        seen = {found for d in first for found in (d.span, (d.code, d.message))}
        rest: list[Diagnostic] = []
        for d in self.diagnostics:
            if d.code == POISON or d.span is None or d.span in seen or (d.code, d.message) in seen:
                continue
            seen |= {d.span, (d.code, d.message)}
            rest.append(d)
        rest.sort(key=lambda d: (d.span.file, d.span.line, d.span.column))  # type: ignore[union-attr]
        return rest[: MOST - len(first)]


def touched_by(node: ast.stmt, frame: Frame) -> list[str]:
    """The names that a statement binds, and those of what it may change: of what it assigns into, whose methods it
    calls, and of the lists, objects and arrays that it passes on."""
    found = assigned([node])
    todo: list[ast.AST] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load):
            found.append(root(part))
        elif isinstance(part, ast.Call):
            given = [a.id for a in part.args if isinstance(a, ast.Name)]
            found += [name for name in given if may_change(frame.env.get(name))]
            if isinstance(part.func, ast.Attribute):
                found.append(root(part.func))
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            found += part.names
        todo += same_scope(part)
    return found


def root(node: ast.AST) -> str:
    """The name of what an expression is a part of."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def may_change(value: Any) -> bool:
    """True for a value that a function may change where it is passed to it."""
    return isinstance(value, (ListValue, RecordValue)) or (
        isinstance(value, Var) and not isinstance(value.object, (Real, Int, Bool)))
