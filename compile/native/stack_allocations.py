"""Memory of a known size that a program takes once a call, or that a run of a loop leaves behind for the next one: a
place in the frame of its entry point, not in the arena.

Nobody has to ask for it, and LLVM knows that what is written through one such pointer is not read through another one.

    in_frame(lines)    the lines of a function without the requests that have places, and the bytes of these by name

>>> again = Label("again")
>>> lines, found = in_frame([
...     Operation("i64", "add", "3", "0", name="%n"),
...     Operation("i64", "mul", "%n", "8", "nsw", "%bytes"),
...     Request("%bytes", name="%x"),
...     Begin(again),
...     Request("%bytes", name="%y"),
...     Fork("%more", again, Label("done")),
... ])
>>> len(lines), found
(5, {'%x': 24})
"""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.native.code import Begin, Call, Fork, Instruction, Label, Operation, Request, is_name  # noqa: F401
from ccc.compile.native.instructions import FOLDS
from ccc.compile.native.notes import Each
from ccc.compile.native.ways import ways_in

MOST = 16384
"""The bytes that may be in a frame."""
GRAIN = 64
"""Each place begins with a line of the cache, and ends one after what is written there."""


def computed(line: Instruction) -> tuple[str, str, str, str] | None:
    """How an integer is computed of two others, of which it is known how they are folded: the operation, what is said
    of it, and the operands."""
    match line:
        case Operation(type="i64") if line.op in FOLDS:
            a, b = line.operands
            return line.op, line.flags, a, b
        case Call(type="i64") if line.intrinsic in FOLDS:
            a, b = line.operands
            return line.intrinsic, "", a, b
        case _:
            return None


def in_frame(lines: Sequence[Instruction]) -> tuple[list[Instruction], dict[str, int]]:
    again = requested_again(lines)
    known: dict[str, int] = {}
    places: dict[str, int] = {}
    rest: list[Instruction] = []
    left = MOST

    def number(x: str) -> int:
        return known.get(x, -1) if is_name(x) else int(x)

    for n, line in enumerate(lines):
        if found := computed(line):
            op, _, a, b = found
            if (number(a) >= 0 or not is_name(a)) and (number(b) >= 0 or not is_name(b)):
                known[line.name] = FOLDS[op](number(a), number(b))
        elif isinstance(line, Request) and not line.kept and not again[n]:
            size = number(line.size)
            if 0 <= size <= left - GRAIN:
                places[line.name] = size
                left -= room(size)
                continue
        rest.append(line)
    return rest, places


def room(size: int) -> int:
    """The bytes of a place for so many."""
    return (size + 2 * GRAIN - 1) // GRAIN * GRAIN


def requested_again(lines: Sequence[Instruction]) -> list[bool]:
    """Which requests are made again while their memory may be in use: those in a loop, but for what each of its runs
    leaves behind."""
    around = innermost(lines)
    found = [loop is not None for loop in around]
    runs: list[int] = []
    for n, line in enumerate(lines):
        if isinstance(line, Each) and line.begins:
            runs.append(n)
        elif isinstance(line, Each):
            runs.pop()
        elif runs and around[n] == around[runs[-1]]:
            found[n] = False
    return found


def innermost(lines: Sequence[Instruction]) -> list[tuple[int, int] | None]:
    """The loop that each line stands in, from a label to a way back to it; the innermost of those."""
    loops = {to: n for n, to in ways_in(lines) if to < n}
    found: list[tuple[int, int] | None] = [None] * len(lines)
    for start, end in sorted(loops.items()):
        found[start:end] = [(start, end)] * (end - start)
    return found
