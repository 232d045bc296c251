"""Memory that each run of a loop takes anew, of a size that is known before the loop: taken once, there.

What several runs at once take for themselves is of no use when they end: the next ones may write over it. In a loop
within, whose runs may read what the run before left, each request stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ccc.compile.native.code import LEAVE, UNLIKELY, Begin, Comparison, Fork, Instruction, Operation, Request
from ccc.compile.native.instructions import FOLDS


def taken_once(b: Any, size: str, times: int, key: str) -> str:
    """Memory for `times` as many bytes as an operand of the body says; it is that of the request `key`."""
    lines: list[Instruction] = []
    known = outside(b.w, size, b.definitions, lines) if not b.within else ""
    if not known:
        return b.request(b.own(size) if times == 1 else b.binary("mul", "i64", b.own(size), str(times)))
    if key not in b.rooms:
        names = [f"%{b.w.fresh()}" for _ in range(3)]
        on = b.w.block("on")
        b.rooms[key] = names[1]
        b.before += [
            *lines,
            Operation("i64", "mul", known, str(times), name=names[0]),
            Request(names[0], name=names[1]),
            Comparison("eq", "ptr", names[1], "null", names[2]),
            Fork(names[2], LEAVE, on, UNLIKELY),
            Begin(on),
        ]
    return b.rooms[key]


def outside(w: Any, size: str, made: Mapping[str, Instruction], lines: list[Instruction]) -> str:
    """A size as it is known before the loop; "" where it is not."""
    if size not in made:
        return size
    found = made[size]
    if not isinstance(found, Operation) or found.op not in FOLDS or found.type != "i64":
        return ""
    a, b = [outside(w, x, made, lines) for x in found.operands]
    if not a or not b:
        return ""
    name = f"%{w.fresh()}"
    lines.append(Operation("i64", found.op, a, b, found.flags, name))
    return name
