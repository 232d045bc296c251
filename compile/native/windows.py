"""Gathers from places that lie close together, in known order, as loads and one shuffle, and scatters to such places.

    gather x[0], x[2], x[4], x[6]    →    load x[0:4], load x[3:7], shuffle

A processor gathers item by item. What a vector takes along a small axis, once the size of that is known, are items of a
short piece of memory: the places are constants then. The piece is read from the first of them to the last, no further.
Scatters behind each other that leave no gap between them are written as whole vectors.

    scatter x[0], x[2], x[4], x[6];  scatter x[1], x[3], x[5], x[7]    →    shuffle, store x[0:4], shuffle, store x[4:8]
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
SCATTER = re.compile(
    r"  (?:tail )?call void @llvm\.masked\.scatter\.\w+\.\w+\(<(\d+) x (double|float|i64)> "
    r"(%[\w.]+|\w+|splat \([^)]*\)|<[^>]*>), <\d+ x ptr> (?:align \d+ )?(%[\w.]+), <\d+ x i1> splat \(i1 true\)\)"
)
SUM = re.compile(r"  (%[\w.]+) = (?:add|or disjoint) [\w ]*?i64 (%[\w.]+), (-?\d+)$")
PURE = re.compile(r"  %[\w.]+ = (?!load|call|tail|atomicrmw|cmpxchg|invoke)")
MOST = {4: 2, 8: 4}
"""So many loads at most instead of a gather, by the number of lanes."""

Places = tuple[str, list[tuple[str, str]], list["int | None"]]
"""Where lanes read: a pointer, what is added to it in all lanes with its unit, and how many bytes further each does."""


TOGETHER = 4
"""So many scatters at most that are written as whole vectors."""


def read_whole(ir: str) -> str:
    """A text of IR with such gathers and scatters replaced; the same text where there are none."""
    if "masked.gather" not in ir and "masked.scatter" not in ir:
        return ir
    parts = ir.split("\ndefine ")  # names are those of a function
    found = [read_in_function(part) for part in parts]
    return "\ndefine ".join(found) if found != parts else ir


def read_in_function(text: str) -> str:
    """The same in the text of one function."""
    if "masked.gather" not in text and "masked.scatter" not in text:
        return text
    lines = text.split("\n")
    known = places_in(lines)
    for i, line in enumerate(lines):
        found = GATHER.match(line)
        new = replaced(found, known) if found else None
        if new is not None:
            lines[i] = "\n".join(new)
    write_whole(lines, known)
    return "\n".join(lines)


def places_in(lines: Sequence[str]) -> dict[str, Places]:
    """The vectors of places in the lines of a function that are known, by their names."""
    known: dict[str, Places] = {}
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
    return known


def write_whole(lines: list[str], known: Mapping[str, Places]) -> None:
    """Replace scatters behind each other, nothing else between them that touches memory, which leave no gap."""
    if not any("masked.scatter" in line for line in lines):
        return
    sums = {found[1]: (found[2], int(found[3])) for found in map(SUM.match, lines) if found}
    waiting: list[tuple[int, re.Match[str], Places, list[int]]] = []
    for i, line in enumerate(lines):
        found = SCATTER.match(line)
        if not found or found[4] not in known:
            waiting = [] if found or not PURE.match(line) else waiting
            continue
        (ptr, steps, bytes_), size = known[found[4]], BYTES[found[2]]
        start, base = 0, list[tuple[str, str]]()
        for unit, step in steps:
            name, more = sums.get(step, (step, 0)) if step.startswith("%") else ("", int(step))
            start += more * BYTES[unit]
            base += [(unit, name)] if name else []
        items = [(start + x) // size for x in bytes_ if x is not None and not (start + x) % size]
        if len(items) < len(bytes_):
            waiting = []
            continue
        place: Places = ptr, base, []
        if waiting and (waiting[-1][2] != place or waiting[-1][1][2] != found[2]):
            waiting = []
        waiting = [*waiting, (i, found, place, items)][-TOGETHER:]
        for first in range(len(waiting) - 1):
            whole = waiting[first:]
            all_ = sorted(x for _, _, _, items in whole for x in items)
            if all_ == list(range(all_[0], all_[0] + len(all_))):
                lines[i] = "\n".join(written(i, found, place, [(one[1][3], one[3]) for one in whole]))
                for n, *_ in whole[:-1]:
                    lines[n] = ""
                waiting = []
                break


def written(i: int, found: re.Match[str], place: Places, parts: Sequence[tuple[str, Sequence[int]]]) -> list[str]:
    """The lines that write vectors to places that are together without a gap, each at its own ones."""
    lanes, item, (ptr, steps, _) = int(found[1]), found[2], place
    to, whole, base = Lines(f"%written{i}"), f"<{lanes} x {item}>", ptr
    for unit, step in steps:
        base = to.address(unit, base, step)
    where = {x: (k, lane) for k, (_, items) in enumerate(parts) for lane, x in enumerate(items)}
    for start in range(min(where), min(where) + len(where), lanes):
        here = [where[start + lane] for lane in range(lanes)]
        used = sorted({k for k, _ in here})
        x, ways = parts[used[0]][0], [lane if k == used[0] else None for k, lane in here]
        for k in used[1:]:
            from_ = [at if at is None else n for n, at in enumerate(ways)]
            ways = [lanes + lane if own == k else old for (own, lane), old in
                    zip(here, ways if k == used[1] else from_, strict=True)]
            x = to.shuffled(whole, x, parts[k][0], mask(ways))
        if len(used) == 1:
            x = to.shuffled(whole, x, "poison", mask(ways))
        to.store(whole, x, to.address(item, base, str(start)), BYTES[item])
    return list(map(str, to.made))


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
        self.made.append(i)

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
