"""What users see when their code cannot be compiled: where (caret), what, why, and what to write instead.

>>> print(Diagnostic("CC003", "`try` is not supported", Span("m.py", 1, 0, 1, 3, ("try:",)), help="test first"))
error[CC003]: `try` is not supported
  --> m.py:1:1
  1 | try:
    | ^^^
  = help: test first
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from typing import Any

from ccc.errors import CCCError

CALLS = 3  # how many calls a diagnostic shows
WIDTH = 160  # how much of a line it shows


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source file: lines from 1, columns from 0 in characters."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    lines: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"

    def excerpt(self) -> list[str]:
        """The line and a caret line under the exact text."""
        if not 0 < self.line <= len(self.lines):
            return [f"{self.line:>3} | <source not available>"]
        text = self.lines[self.line - 1].rstrip("\n")
        end = self.end_column if self.end_line == self.line else len(text)
        shown = text.expandtabs(4)
        start = _width(text[: self.column].expandtabs(4))
        width = max(1, _width(text[:end].expandtabs(4)) - start)
        if len(shown) > WIDTH:
            left = max(0, min(start - WIDTH // 4, len(shown) - WIDTH))
            shown, start = shown[left : left + WIDTH], start - left
            width = min(width, WIDTH - start)
        number = str(self.line)
        return [f"{number:>3} | {shown}", f"{'':>{max(3, len(number))}} | {' ' * start}{'^' * width}"]


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: its code, message, place, facts and one edit that mends it."""

    code: str
    message: str
    span: Span | None = None
    notes: tuple[str, ...] = ()
    help: str = ""
    calls: tuple[Span, ...] = ()

    def __str__(self) -> str:
        lines = [f"error[{self.code}]: {self.message}"]
        if self.span is not None:
            lines += [f"  --> {self.span}", *self.span.excerpt()]
        lines += [f"  = note: {note}" for note in self.notes]
        shown = self.calls if len(self.calls) <= CALLS else (*self.calls[: CALLS - 1], self.calls[-1])
        for i, call in enumerate(shown):
            if len(self.calls) > CALLS and i == CALLS - 1:
                lines.append(f"  = note: ... {len(self.calls) - CALLS} more calls ...")
            lines.append(f"  = note: when differentiating this call --> {call}")
        if self.help:
            lines.append(f"  = help: {self.help}")
        return "\n".join(lines)


class CompileError(CCCError):
    """The function cannot be compiled; `diagnostics` says where and why."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = diagnostics
        super().__init__("\n\n".join(map(str, diagnostics)))

    def called_from(self, span: Span | None) -> None:
        """Note the call, one further out, that led here."""
        if span is not None:
            self.diagnostics = tuple([replace(d, calls=(*d.calls, span)) for d in self.diagnostics])
            self.args = ("\n\n".join(map(str, self.diagnostics)),)


class UnsupportedPython(CompileError, NotImplementedError):
    """A construct of Python that has no meaning here yet."""


class TypeMismatch(CompileError, TypeError):
    """Values do not fit: branches of different types, shapes that do not combine, a wrong argument."""


class WrongArguments(CCCError, TypeError):
    """A differential operator was called with arguments that it cannot take."""


def unsupported(code: str, message: str, span: Any, *notes: str, help: str = "") -> UnsupportedPython:
    """The error for a construct that is refused."""
    return UnsupportedPython(Diagnostic(code, message, span, notes, help))


def mismatch(code: str, message: str, span: Any, *notes: str, help: str = "") -> TypeMismatch:
    """The error for values that do not fit."""
    return TypeMismatch(Diagnostic(code, message, span, notes, help))
