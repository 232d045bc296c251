"""Progress of a long run on one line: how much is done, how fast, and how long it will take.

>>> import io
>>> clock = iter([0.0, 10.0])
>>> out = io.StringIO()
>>> meter = Progress(100, out, clock=lambda: next(clock))
>>> meter.advance(25, "curry-eta")
>>> print(out.getvalue().strip())
25 %  2.5 examples/s  0:30 left  curry-eta
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TextIO

SECONDS_BETWEEN = 0.2


class Progress:
    """A line that is written over itself; with no stream, nothing."""

    def __init__(
        self, total: int, stream: TextIO | None, clock: Callable[[], float] = monotonic, unit: str = "examples/s"
    ) -> None:
        self.total = max(total, 1)
        self.done = 0
        self.stream = stream
        self.clock = clock
        self.unit = unit
        self.start = clock() if stream is not None else 0.0
        self.shown = self.start

    def advance(self, n: int, what: str = "") -> None:
        """`n` more are done, the last of them of `what`."""
        self.reach(self.done + n, what)

    def reach(self, done: int, what: str = "") -> None:
        """So many are done by now."""
        self.done = min(done, self.total)
        if self.stream is None:
            return
        now = self.clock()
        if now - self.shown < SECONDS_BETWEEN and self.done < self.total:
            return
        self.shown = now
        rate = self.done / max(now - self.start, 1e-9)
        left = round((self.total - self.done) / max(rate, 1e-9))
        shown = rate * (60 if self.unit.endswith("/min") else 1)
        time = f"{left // 60}:{left % 60:02d}"
        line = f"{100 * self.done // self.total:3d} %  {shown:.1f} {self.unit}  {time} left  {what}"
        self.stream.write(f"\r{line:<78.78}")
        self.stream.flush()

    def close(self) -> None:
        """Clear the line."""
        if self.stream is not None:
            self.stream.write("\r" + " " * 78 + "\r")
            self.stream.flush()
