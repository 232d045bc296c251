"""Memory of a known size that a program takes once a call: a place in the frame of its entry point, not in the arena.

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
from collections.abc import Callable, Sequence

MOST = 16384
"""The bytes that may be in a frame."""
GRAIN = 64
"""Each place begins with a line of the cache, and ends one after what is written there."""
COMPUTED = re.compile(r"  (%\S+) = (add|sub|mul|and|or|shl)(?: nsw| nuw)* i64 (\S+), (\S+)$")
EXTREMUM = re.compile(r"  (%\S+) = call i64 @llvm\.(smax|smin|umax|umin)\.i64\(i64 (\S+), i64 (\S+)\)$")
REQUEST = re.compile(r"  (%\S+) = call ptr @ccc_alloc\(ptr %arena, i64 (\S+)\)$")
LABEL = re.compile(r"([\w.]+):$")
TARGET = re.compile(r"label %([\w.]+)")
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "and": int.__and__, "or": int.__or__,
    "shl": int.__lshift__, "smax": max, "smin": min, "umax": max, "umin": min,
}  # fmt: skip


def in_frame(lines: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    looped = in_loops(lines)
    known: dict[str, int] = {}
    places: dict[str, int] = {}
    rest: list[str] = []
    left = MOST

    def number(x: str) -> int:
        return known.get(x, -1) if x.startswith("%") else int(x)

    for line, again in zip(lines, looped, strict=True):
        if found := COMPUTED.match(line) or EXTREMUM.match(line):
            name, op, a, b = found.groups()
            if (number(a) >= 0 or not a.startswith("%")) and (number(b) >= 0 or not b.startswith("%")):
                known[name] = OPERATIONS[op](number(a), number(b))
        elif not again and (found := REQUEST.match(line)):
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


def in_loops(lines: Sequence[str]) -> list[bool]:
    """Which lines stand in a loop: between a label and a way back to it."""
    labels: dict[str, int] = {}
    found = [False] * len(lines)
    for n, line in enumerate(lines):
        if label := LABEL.match(line):
            labels[label[1]] = n
        for target in TARGET.findall(line):
            start = labels.get(target, n)
            found[start:n] = [True] * (n - start)
    return found
