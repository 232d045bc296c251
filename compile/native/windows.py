"""Gathers from places that lie close together, in known order, as loads and one shuffle.

    gather x[0], x[2], x[4], x[6]    →    load x[0:4], load x[3:7], shuffle

A processor gathers item by item. What a vector takes along a small axis, once the size of that is known, are items of a
short piece of memory: the places are constants then. The piece is read from the first of them to the last, no further.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ccc.compile.native.builder import Builder
from ccc.compile.native.code import Instruction
from ccc.compile.native.dtypes import BYTES
from ccc.values import value

GATHER = re.compile(
    r"  (%[\w.]+) = (?:tail )?call <(\d+) x (double|float|i64)> @llvm\.masked\.gather\.\w+\.\w+"
    r"\(<\d+ x ptr> (?:align \d+ )?(%[\w.]+), <\d+ x i1> (splat \(i1 true\)|<[^>]*>), "
    r"<\d+ x \w+> (\w+|splat \([^)]*\)|<[^>]*>)\)"
)
PLACES = re.compile(r"  (%[\w.]+) = getelementptr [\w ]*?(double|float|i64|i8), ptr (%[\w.]+), <\d+ x i64> <([^>]*)>")
FURTHER = re.compile(r"  (%[\w.]+) = getelementptr [\w ]*?(double|float|i64|i8), <\d+ x ptr> (%[\w.]+), i64 ([%\w.-]+)")
MOST = {4: 2, 8: 4}
"""So many loads at most instead of a gather, by the number of lanes."""

Places = tuple[str, list[tuple[str, str]], list["int | None"]]
"""Where lanes read: a pointer, what is added to it in all lanes with its unit, and how many bytes further each does."""


def read_whole(ir: str) -> str:
    """A text of IR with such gathers replaced; the same text where there are none."""
    if "masked.gather" not in ir:
        return ir
    parts = ir.split("\ndefine ")  # names are those of a function
    found = [read_in_function(part) for part in parts]
    return "\ndefine ".join(found) if found != parts else ir


def read_in_function(text: str) -> str:
    """The same in the text of one function."""
    if "masked.gather" not in text:
        return text
    known: dict[str, Places] = {}
    lines = text.split("\n")
    for line in lines:
        found = PLACES.match(line)
        places = [constant(x, found[2]) for x in found[4].split(", ")] if found else []
        if found:
            known[found[1]] = found[3], [], places
    for line in lines:
        found = FURTHER.match(line)
        if found and found[3] in known:
            ptr, steps, items = known[found[3]]
            known[found[1]] = ptr, [*steps, (found[2], found[4])], items
    for i, line in enumerate(lines):
        found = GATHER.match(line)
        new = replaced(found, known) if found else None
        if new is not None:
            lines[i] = "\n".join(new)
    return "\n".join(lines)


def constant(text: str, unit: str) -> int | None:
    """How many bytes further a lane reads: None for any."""
    number = text.split(" ")[1]
    return None if number == "poison" else int(number) * BYTES[unit]


@value()
class Window:
    """Which vectors of a `size` to read, from which places on, and for each lane which of them has its item, and
    where."""

    size: int
    starts: list[int]
    order: list[tuple[int, int] | None]


def window(places: Sequence[int | None], lanes: int) -> Window | None:
    """What to read for such places, no further than from the first to the last of them; None where that is much."""
    there = sorted({x for x in places if x is not None})
    span, found = there[-1] - there[0] + 1, None
    size = 1
    while size <= min(span, lanes):
        starts: list[int] = []
        for x in there:
            if not starts or x >= starts[-1] + size:
                starts.append(min(x, there[-1] - size + 1))
        if size > 1 or span == 1:
            found = (size, starts) if found is None or len(starts) < len(found[1]) else found
        size *= 2
    if found is None or len(found[1]) > MOST.get(lanes, 2):
        return None
    size, starts = found
    order = [None if x is None else next((k, x - s) for k, s in enumerate(starts) if s <= x < s + size)
             for x in places]
    return Window(size, starts, order)


def read(found: Window, lanes: int, item: str, base: str, to: Builder) -> str:
    """The items of all lanes."""
    whole, part = f"<{lanes} x {item}>", f"<{found.size} x {item}>"
    parts = [to.load(part, to.address(item, base, str(start)), align=BYTES[item]) for start in found.starts]
    order = f"<{lanes} x i32>"

    def pair(first: int) -> str:
        ways = [None if at is None or at[0] - first not in (0, 1) else at[1] + found.size * (at[0] - first)
                for at in found.order]
        second = parts[first + 1] if first + 1 < len(parts) else "poison"
        return to.shuffled(part, parts[first], second, mask(ways), order)

    if len(parts) < 3:
        return pair(0)
    low, high = pair(0), pair(2)
    ways = [None if at is None else i + lanes * (at[0] > 1) for i, at in enumerate(found.order)]
    return to.shuffled(whole, low, high, mask(ways))


def mask(order: Sequence[int | None]) -> str:
    """The operand of a shuffle."""
    return f"<{', '.join('i32 poison' if k is None else f'i32 {k}' for k in order)}>"


class Lines(Builder):
    """Lines that stand for the one that makes a name."""

    def __init__(self, name: str) -> None:
        self.name = f"%at{name[1:]}" if name[1].isdigit() else name  # a number would have to be the next one
        self.made: list[Instruction] = []

    def give(self, i: Instruction) -> str:
        i.name = f"{self.name}.part{len(self.made)}"
        self.made.append(i)
        return i.name

    def do(self, i: Instruction) -> None:
        raise AssertionError("what gives nothing stands for nothing")

    def lines(self, last: str) -> list[str]:
        """All of them, of which the last one makes a name."""
        self.made[-1].name = last
        return list(map(str, self.made))


def replaced(found: re.Match[str], known: Mapping[str, Places]) -> list[str] | None:
    """The lines that read what a gather does; None where its places are not known or far apart."""
    name, lanes, item, at, test, rest = found[1], int(found[2]), found[3], found[4], found[5], found[6]
    if at not in known:
        return None
    ptr, steps, bytes_ = known[at]
    if any(x is not None and x % BYTES[item] for x in bytes_):
        return None
    items = [None if x is None else x // BYTES[item] for x in bytes_]
    runs = [True] * lanes if test.startswith("splat") else [x.endswith("true") for x in test[1:-1].split(", ")]
    places = [x if run else None for x, run in zip(items, runs, strict=True)]
    if not any(runs) or any(run and x is None for run, x in zip(runs, places, strict=True)):
        return None
    these = window(places, lanes)
    if these is None:
        return None
    to, base = Lines(name), ptr
    for unit, step in steps:
        base = to.address(unit, base, step)
    all_ = read(these, lanes, item, base, to)
    if rest != "poison" and not all(runs):
        to.chosen(f"<{lanes} x {item}>", test, all_, rest, f"<{lanes} x i1>")
    return to.lines(name)
