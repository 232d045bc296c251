"""Memory of a known size that a program takes once a call, or that a run of a loop leaves behind for the next one: a
place in the frame of its entry point, not in the arena.

Nobody has to ask for it, and LLVM knows that what is written through one such pointer is not read through another one.

    in_frame(lines)    the lines of a function without the requests that have places, and the bytes of these by name

>>> lines, found = in_frame([
...     "  %n = add i64 3, 0",
...     "  %bytes = mul nsw i64 %n, 8",
...     "  %x = call ptr @ccc_alloc(ptr %arena, i64 %bytes)",
...     "again:",
...     "  %y = call ptr @ccc_alloc(ptr %arena, i64 %bytes)",
...     "  br i1 %more, label %again, label %done",
... ])
>>> len(lines), found
(5, {'%x': 24})
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ccc.compile.native.code import Each
from ccc.compile.native.instructions import ADD, AND, FOLDS, MUL, OR, SHL, SMAX, SMIN, SUB, UMAX, UMIN, either
from ccc.compile.native.ways import ways_in

MOST = 16384
"""The bytes that may be in a frame."""
GRAIN = 64
"""Each place begins with a line of the cache, and ends one after what is written there."""
EACH_BEGINS, EACH_ENDS = Each(True).body(), Each(False).body()
COMPUTED = re.compile(rf"  (%\S+) = {either(ADD, SUB, MUL, AND, OR, SHL)}(?: nsw| nuw)* i64 (\S+), (\S+)$")
EXTREMUM = re.compile(rf"  (%\S+) = call i64 @llvm\.{either(SMAX, SMIN, UMAX, UMIN)}\.i64\(i64 (\S+), i64 (\S+)\)$")
REQUEST = re.compile(r"  (%\S+) = call ptr @ccc_(?:alloc|next)\(ptr %\S+, i64 (\S+)\)$")


def in_frame(lines: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    again = requested_again(lines)
    known: dict[str, int] = {}
    places: dict[str, int] = {}
    rest: list[str] = []
    left = MOST

    def number(x: str) -> int:
        return known.get(x, -1) if x.startswith("%") else int(x)

    for n, line in enumerate(lines):
        if found := COMPUTED.match(line) or EXTREMUM.match(line):
            name, op, a, b = found.groups()
            if (number(a) >= 0 or not a.startswith("%")) and (number(b) >= 0 or not b.startswith("%")):
                known[name] = FOLDS[op](number(a), number(b))
        elif (found := REQUEST.match(line)) and not again[n]:
            size = number(found[2])
            if 0 <= size <= left - GRAIN:
                places[found[1]] = size
                left -= room(size)
                continue
        rest.append(line)
    return rest, places


def room(size: int) -> int:
    """The bytes of a place for so many."""
    return (size + 2 * GRAIN - 1) // GRAIN * GRAIN


def requested_again(lines: Sequence[str]) -> list[bool]:
    """Which requests are made again while their memory may be in use: those in a loop, but for what each of its runs
    leaves behind."""
    around = innermost(lines)
    found = [loop is not None for loop in around]
    runs: list[int] = []
    for n, line in enumerate(lines):
        if line == f"  {EACH_BEGINS}":
            runs.append(n)
        elif line == f"  {EACH_ENDS}":
            runs.pop()
        elif runs and around[n] == around[runs[-1]]:
            found[n] = False
    return found


def innermost(lines: Sequence[str]) -> list[tuple[int, int] | None]:
    """The loop that each line stands in, from a label to a way back to it; the innermost of those."""
    loops = {to: n for n, to in ways_in(lines) if to < n}
    found: list[tuple[int, int] | None] = [None] * len(lines)
    for start, end in sorted(loops.items()):
        found[start:end] = [(start, end)] * (end - start)
    return found
