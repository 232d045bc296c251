"""More than one error at a time: where a function was refused, it is read once more, past each statement that fails.

What a failed statement would have bound is poisoned, as is the value of a function that it was to return: to read them
fails as well, and such errors are not shown. Nothing of this runs for a function that compiles.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from compile.diagnostics import CompileError, Diagnostic, Span, TypeMismatch
from compile.names import same_scope
from compile.values import Frame, Unbound

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

    def past(self, e: Any, run: Callable[[], Any], node: ast.stmt, frame: Frame) -> Any:
        """What `run` gives for a statement of a function's body; None where it fails. Statements inside of others fail
        with these, since what follows there would mostly follow from the error."""
        if frame.node is None or any(frame.node is other for other in self.open):
            return run()
        self.open.append(frame.node)
        try:
            return run()
        except CompileError as error:
            self.note(e, error, node, frame)
            return None
        finally:
            self.open.pop()

    def note(self, e: Any, error: CompileError, node: ast.stmt, frame: Frame) -> None:
        """Remember why a statement failed, and poison what it would have bound."""
        calls: list[Span] = []
        here: Frame | None = frame
        while here is not None:
            caller = here.caller
            if caller is not None and caller[1] is not None:
                calls.append(e.span(*caller))
            here = caller[1] if caller is not None else here.outer
        self.diagnostics += [replace(found, calls=(*found.calls, *calls)) for found in error.diagnostics]
        self.failed.add(id(frame.node))
        for name in bound_by(node):
            frame.env[name] = Unbound("its value was refused", code=POISON)
        if len(self.diagnostics) > 4 * MOST:
            raise Enough

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


def bound_by(node: ast.AST) -> list[str]:
    """The names that a statement binds in its own scope."""
    found: list[str] = [getattr(node, "name", "")]
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.append(part.id)
        elif isinstance(part, ast.alias):
            found.append(part.asname or part.name.partition(".")[0])
        todo += same_scope(part)
    return found
