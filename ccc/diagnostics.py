"""A finding about a user's code: its code, where it is (caret), what, why, and what to write instead.

>>> print(Diagnostic("CC003", "`try` is not supported", Span("m.py", 1, 0, 1, 3, ("try:",)), help="test first"))
error[CC003]: `try` is not supported
  --> m.py:1:1
  1 | try:
    | ^^^
  = help: test first
"""

from __future__ import annotations

import inspect
import linecache
import unicodedata
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import field
from itertools import islice
from typing import Any

from ccc.values import value

SHOWN = 5  # how many diagnostics an error shows
CALLS = 3  # how many calls a diagnostic shows
WIDTH = 160  # how much of a line it shows


@value(checked=True)
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


@value(checked=True)
class Diagnostic:
    """One finding: its code, message, place, facts and one edit that mends it."""

    code: str
    message: str
    span: Span | None = None
    notes: tuple[str, ...] = ()
    help: str = ""
    calls: tuple[Span, ...] = ()
    severity: str = "error"

    def __str__(self) -> str:
        lines = [f"{self.severity}[{self.code}]: {self.message}"]
        if self.span is not None:
            lines += [f"  --> {self.span}", *self.span.excerpt()]
        lines += [f"  = note: {note}" for note in self.notes]
        shown = self.calls if len(self.calls) <= CALLS else (*self.calls[: CALLS - 1], self.calls[-1])
        for i, call in enumerate(shown):
            if len(self.calls) > CALLS and i == CALLS - 1:
                lines.append(f"  = note: ... {len(self.calls) - CALLS} more calls ...")
            lines.append(f"  = note: in this call --> {call}")
        if self.help:
            lines.append(f"  = help: {self.help}")
        return "\n".join(lines)


def shown(diagnostics: Sequence[Diagnostic]) -> str:
    """The first diagnostics, and how many more there are."""
    more = len(diagnostics) - SHOWN
    rest = [f"... and {more} more {'places' if more > 1 else 'place'}"] if more > 0 else []
    return "\n\n".join([*map(str, diagnostics[:SHOWN]), *rest])


def as_data(d: Diagnostic) -> dict[str, Any]:
    """A diagnostic as data for JSON."""
    def place(span: Span | None) -> Any:
        if span is None:
            return None
        start, end = (span.line, span.column + 1), (span.end_line, span.end_column + 1)
        return {"file": span.file, "line": start[0], "column": start[1], "end_line": end[0], "end_column": end[1]}

    return {
        "code": d.code, "severity": d.severity, "message": d.message, "place": place(d.span), "notes": list(d.notes),
        "help": d.help, "calls": [place(call) for call in d.calls],
    }


OURS = ("ccc", "contextlib", "functools", "jax")
"""What stands between a user and us in a stack: we, and what hands on calls."""


SITE: ContextVar[Span | None] = ContextVar("SITE", default=None)
"""Where the code that is not ours called us, in a thread that works for another one."""


def call_site() -> Span | None:
    """Where the code that is not ours called us."""
    if (known := SITE.get()) is not None:
        return known
    frame: Any = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        frame = frame.f_back
    if frame is None:
        return None
    return span_of_frame(frame.f_code, frame.f_lasti, frame.f_lineno, frame.f_globals)


def span_of_frame(code: Any, instruction: int, line: int, space: dict[str, Any] | None = None) -> Span:
    """The place of an instruction of running code."""
    lines = tuple(linecache.getlines(code.co_filename, space))
    found = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    start, end, left, right = found
    if start is None or end is None or left is None or right is None or not 0 < start <= len(lines):
        text = lines[line - 1].rstrip() if 0 < line <= len(lines) else ""
        return Span(code.co_filename, line, len(text) - len(text.lstrip()), line, len(text), lines)

    def column(number: int, offset: int) -> int:
        text = lines[number - 1] if number <= len(lines) else ""
        return len(text.encode()[:offset].decode(errors="ignore"))

    return Span(code.co_filename, start, column(start, left), end, column(end, right), lines)
