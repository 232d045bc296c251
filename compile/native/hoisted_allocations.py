"""Memory that each run of a loop takes anew, of a size that is known before the loop: taken once, there.

What several runs at once take for themselves is of no use when they end: the next ones may write over it. In a loop
within, whose runs may read what the run before left, each request stays.
"""

from __future__ import annotations

import re
from typing import Any

SIZED = re.compile(r"((?:add|sub|mul|and)(?: [a-z]+)*) i64 (\S+), (\S+)$")


def taken_once(b: Any, size: str, times: int, key: str) -> str:
    """Memory for `times` as many bytes as an operand of the body says; it is that of the request `key`."""
    lines: list[str] = []
    known = outside(b.w, size, b.definitions, lines) if not b.within else ""
    if not known:
        bytes_ = b.own(size) if times == 1 else b.op(f"mul i64 {b.own(size)}, {times}")
        return b.op(f"call ptr @ccc_alloc(ptr %arena, i64 {bytes_})")
    if key not in b.rooms:
        names = [f"%{b.w.fresh()}" for _ in range(3)]
        on = b.w.fresh("on")
        b.rooms[key] = names[1]
        b.before += [
            *lines,
            f"  {names[0]} = mul i64 {known}, {times}",
            f"  {names[1]} = call ptr @ccc_alloc(ptr %arena, i64 {names[0]})",
            f"  {names[2]} = icmp eq ptr {names[1]}, null",
            f"  br i1 {names[2]}, label %leave, label %{on}, !prof !0",
            f"{on}:",
        ]
    return b.rooms[key]


def outside(w: Any, size: str, made: dict[str, str], lines: list[str]) -> str:
    """A size as it is known before the loop; "" where it is not."""
    if size not in made:
        return size
    found = SIZED.match(made[size])
    if not found:
        return ""
    a, b = [outside(w, x, made, lines) for x in (found[2], found[3])]
    if not a or not b:
        return ""
    name = f"%{w.fresh()}"
    lines.append(f"  {name} = {found[1]} i64 {a}, {b}")
    return name
