"""Long loops in parts, of which each is a call of a function: several threads share them, see `threads`. In loops of a
program those are shared which are long in the first call.

A loop over vectors reads names of the function around it, and variables of that; it writes to arrays, each run at a
place of its own, and gathers sums and the like. As a function it reads the names from a context in memory, has its own
variables, and gathers each part in a cell, which the caller brings together in the order of the parts.

    loop over 0 ... n           define void @f0_part7(context, from, below, cell):  loop over from ... below
      y[k] = exp(x[k])    →     context = x, y;  parts = ccc_share(f0_part7, context, cells, ..., n, ...)
      s += y[k]                 s += the sum in each cell

The text of a program has the loop as it was, between two lines; `chosen` puts the parts in its place when machine code
is made, but where its length is known then, and short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil, prod

from ccc.compile.native.body import Gathered
from ccc.compile.native.code import (
    ARENA,
    LEAVE,
    SPOILED,
    Address,
    Call,
    Fork,
    Instruction,
    Load,
    Operation,
    Request,
    Room,
    Store,
    Variable,
    is_name,
)
from ccc.compile.native.costs import weight
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.functions import FIRST, Code, Function, Param, Return
from ccc.compile.native.instructions import NEUTRAL
from ccc.compile.native.notes import Shareable
from ccc.compile.native.row_loops import Rows, completed
from ccc.compile.native.threads import FEW, GRAIN, MOST
from ccc.compile.native.vectorize_loop import period, vectors
from ccc.compile.native.vectorize_memory import both
from ccc.compile.native.writer import Gap, Writer, flat
from ccc.values import slotted, value

CYCLES = 1 << 15
"""What a part takes at least, about."""
READ, WRITE = 2.5, 10.0
"""The cycles of reading and of writing a vector of an array that is not in the cache."""
CELL = 64
"""Cells of different parts share no line of the cache."""
INTEGERS = 64
"""So many integers at most are given to a part, or computed in it."""
SHARE = "ccc_share"
WORDS = (*FLOATING, "i64", "i1", "ptr")


@slotted
class Loop:
    """A loop that may be put together with others, or shared by threads: its lines, of the runs from `start` to below
    `stop`, of which there are `count`; the items of all `axes`, each run those of a `row`, and `least` in a part; what
    it gathers; what is known of its rows; and whether threads may share it."""

    lines: list[Instruction]
    start: str
    stop: str
    count: str
    least: int
    axes: Sequence[str]
    gathered: tuple[Gathered, ...] = ()
    row: str = "1"
    rows: Rows | None = None
    threads: bool = True


@value()
class Shared:
    """A loop in parts: the lines that stand for it, the function of a part, how many runs are worth that, and whether
    it runs along the items of an argument of the program, so that there are no more runs than these."""

    lines: Sequence[Instruction]
    function: Function
    few: int
    along: bool


def noted(
    w: Writer, text: list[Instruction], now: str, count: str, axes: Sequence[str], rows: Rows | None, threads: bool
) -> list[Instruction] | None:
    """The lines of a loop over vectors, noted; None where the body is not fit."""
    least = ceil(CYCLES / cycles(text, w.lanes) / GRAIN) * GRAIN
    short = not is_name(count) and int(count) < FEW * least
    start, stop = ("0", count) if short else (f"%{w.fresh('start')}", f"%{w.fresh('stop')}")
    pattern = 0 if short else period(text, now, w.lanes)
    before, (first, last) = rounded(w, [start, stop], pattern, count) if pattern else ([], (start, stop))
    found = vectors(text, now, last, w, w.lanes, start=first)
    if found is None:
        return None
    w.declared |= found.declared
    if short:
        return found.lines
    lines, rows = [*before, *found.lines], None if pattern else rows
    return told(w, Loop(lines, start, stop, count, least, axes, found.gathered, "1", rows, threads))


def rounded(w: Writer, places: Sequence[str], by: int, count: str) -> tuple[list[Instruction], list[str]]:
    """What moves places on to the next multiple of a number, or to the end, and the operands of these."""
    moved = w.apart()
    with w.within(moved):
        found = list[str]()
        for place in places:
            up = w.mul(w.binary("udiv", "i64", w.add(place, str(by - 1)), str(by)), str(by))
            found.append(w.select("i64", w.compare("slt", up, count), up, count))
    return list(flat(moved)), found


def is_worth(count: int | None, row: int | None, each: float = 2.0) -> bool:
    """Whether so many runs along rows of so many items, as they are in the first call, are surely worth several threads
    where an item takes so many cycles."""
    return count is not None and row is not None and count * row * each >= FEW * CYCLES


def told(w: Writer, loop: Loop) -> list[Instruction]:
    """The lines of a loop for all runs, noted."""
    name = f"{w.name}_{w.fresh('part')}"
    for line in loop.lines:
        if isinstance(line, Shareable):
            w.shared.pop(line.loop, None)
    loop.lines = [line for line in loop.lines if not isinstance(line, Shareable)]
    if loop.rows is not None:
        loop.rows = completed(loop.rows, loop.lines, w.makers)
    w.shared[name] = loop
    lines = [line.renamed({loop.start: "0", loop.stop: loop.count}) for line in loop.lines]
    return [Shareable(name, loop.axes, True), *lines, Shareable(name, loop.axes, False)]


@contextmanager
def between(
    w: Writer, count: str, row: str, axes: Sequence[str], rows: Callable[[], Rows | None] = lambda: None,
    threads: bool = True,
) -> Iterator[tuple[str, str]]:
    """Lines for what is between two of `count` places, each a `row` of the items of some axes. They write to places of
    their own, and are noted. Gives the names of the two."""
    start, stop, all_ = f"%{w.fresh('start')}", f"%{w.fresh('stop')}", w.gap()
    with w.within(all_):
        yield start, stop
    lines = list(flat(all_))
    all_.plain = [line.renamed({start: "0", stop: count}) for line in flat(all_, plain=True)]
    least = ceil(CYCLES / max(1.0, cycles(lines, w.lanes or 1)))
    all_[:] = told(w, Loop(lines, start, stop, count, least, axes, (), row, rows(), threads))


@contextmanager
def counted(w: Writer, start: str, stop: str, step: str = "1") -> Iterator[str]:
    """A loop as that of `Writer.counted`, between two places."""
    with w.loop() as (before, body, done):
        i = w.local("i64")
        before.append(Store("i64", start, i))
        now = w.is_below(w.load("i64", i), stop)
        w.fork(w.compare("slt", now, stop), body, done)
        w.label(body)
        yield now
        w.store("i64", w.binary("add", "i64", now, step, "nuw nsw"), i)


def cycles(text: Sequence[Instruction], lanes: int) -> float:
    """About how many cycles a run takes."""
    items = {line.name: (line.item, line.operands) for line in text if isinstance(line, Address) and line.inside}
    read = {items[line.at] for line in text if isinstance(line, Load) and line.at in items and not line.align}
    written = {items[line.at] for line in text if isinstance(line, Store) and line.at in items and not line.align}
    return (sum(map(weight, text)) + READ * len(read) + WRITE * len(written)) / lanes


def shared(w: Writer) -> dict[str, Shared]:
    """The loops of a function that is written that can be shared, by their names."""
    if not w.shared:
        return {}
    text = list(flat(w.body))
    times = Counter(x for line in text for x in line.operands if isinstance(x, Variable) or x == SPOILED)
    own = {line.name: line for line in [Room("i1", SPOILED), *w.head] if isinstance(line, Room)}
    types = {line.name: line.type for line in text} | {name: type_ for type_, name in w.params}
    types |= dict.fromkeys(own, "ptr")
    whole = {line.name: line for line in text if isinstance(line, Operation) and line.type == "i64"}
    found = {name: parted(w, name, loop, times, own, types, whole) for name, loop in w.shared.items()}
    return {name: x for name, x in found.items() if x is not None}


def computed_again(free: Sequence[str], whole: Mapping[str, Operation]) -> tuple[list[str], list[Instruction]]:
    """What a part is given instead of some names, and the lines that compute these of it: integers of integers, so that
    what is known of sizes is known in a part."""
    given, lines, seen = list[str](), list[Instruction](), set[str]()

    def visit(x: str) -> None:
        if x in seen or len(seen) > INTEGERS:
            return
        seen.add(x)
        line = whole.get(x)
        if line is None:
            given.append(x)
            return
        for y in filter(is_name, line.operands):
            visit(y)
        lines.append(line)

    for x in free:
        visit(x)
    return (list(free), []) if len(seen) > INTEGERS else (given, lines)


def parted(
    w: Writer, name: str, loop: Loop, times: Counter[str], own: Mapping[str, Room], types: Mapping[str, str],
    whole: Mapping[str, Operation],
) -> Shared | None:
    """A loop as calls of a function; None where threads could not share it."""
    if not loop.threads or any(map(alone, loop.lines)):
        return None
    made = {loop.start, loop.stop, *[line.name for line in loop.lines]}
    inside = Counter(name for line in loop.lines for name in line.named())
    places = {g.place: g for g in loop.gathered}
    local = [x for x in inside if x in own and x not in places and inside[x] == times[x]]
    free = [x for x in inside if x not in made and x not in places and x not in local]
    read = Counter(line.at for line in loop.lines if isinstance(line, Load) and not line.align)
    if any(types.get(x) not in WORDS or (x in own and inside[x] != read[x]) for x in free):
        return None
    free, again = computed_again(free, whole)
    names = [(types[x], x) for x in free]
    size = -(-8 * len(places) // CELL) * CELL
    calling = Gap()
    with w.within(calling):
        context = w.local("i64", max(2, len(names)))
        cells = "null"
        if places:
            cells = w.local("i64", MOST * size // 8)
            w.head[-1].align = CELL  # type: ignore[attr-defined]
        for i, (type_, x) in enumerate(names):
            w.store(type_, x, w.at_index("i64", context, str(i)))
        least = str(loop.least)
        if loop.row != "1":
            row = w.call("i64", "llvm.smax.i64", ("i64", "1"), ("i64", loop.row))
            least = w.call("i64", "llvm.smax.i64", ("i64", "1"), ("i64", w.binary("sdiv", "i64", least, row)))
        parts = w.call("i64", SHARE, *[("ptr", x) for x in (f"@{name}", context, cells)],
                       *[("i64", n) for n in (str(size), loop.count, least)])
        if places:
            with w.counted(parts) as k:
                cell = w.at_index("i8", cells, w.mul(k, str(size)))
                for i, g in enumerate(places.values()):
                    brought_together(w, g, w.at_index("i64", cell, str(i)))
    params = [Param("ptr", "%context"), Param("i64", loop.start), Param("i64", loop.stop), Param("ptr", "%cell")]
    lines: list[Instruction] = [own[x] for x in local]
    for i, (type_, x) in enumerate(names):
        lines += [Address("i64", "%context", str(i), name=f"{x}.at"), Load(type_, f"{x}.at", name=x)]
    lines += again
    for i, g in enumerate(places.values()):
        type_, neutral = g.type, NEUTRAL[g.how]
        lines += [Address("i64", "%cell", str(i), name=g.place), Store(type_, neutral, g.place)]
    function = Function(name, params, [*lines, *loop.lines, Return()], result="void")
    return Shared(list(flat(calling)), function, FEW * loop.least, along(w, loop.axes))


def alone(line: Instruction) -> bool:
    """Whether only the calling thread may do this: take memory, write results, leave, and call libraries."""
    match line:
        case Fork() if LEAVE in (line.then, line.orelse):
            return True
        case Call(type="void", ours=True) | Request():
            return True
        case _:
            return ARENA in line.operands or "%results" in line.operands


def along(w: Writer, axes: Sequence[str]) -> bool:
    """Whether a loop runs along the items, rows or columns of an argument of the program."""
    long = Counter(axis for axis in axes if axis != "1")
    return any(not long - Counter(sizes) for sizes in w.given)


def brought_together(w: Writer, g: Gathered, cell: str) -> None:
    """Bring what a part has gathered to what stands in the place."""
    type_ = g.type
    a, b = w.load(type_, g.place), w.load(type_, cell)
    w.store(type_, both(g, type_, a, b, w), g.place)


def limit(loops: Mapping[str, Shared]) -> int:
    """How many items arguments have to have for a loop along one of them to be worth sharing; 0 where there is none."""
    return min([loop.few for loop in loops.values() if loop.along], default=0)


def chosen(code: Code, loops: Mapping[str, Shared], known: Mapping[str, int], small: bool) -> Code:
    """A module with its loops in parts, but for those that are short: for sizes that are known, the words of the
    arguments of its first function by their names; or along an argument, where all are `small`."""
    functions: list[Function] = []

    def worth(begin: Shareable, here: Mapping[str, int]) -> Shared | None:
        loop = loops.get(begin.loop)
        sizes = [int(x) if x.isdigit() else here.get(x, -1) for x in begin.axes]
        short = loop is None or (small and loop.along) or (min(sizes) >= 0 and prod(sizes) < loop.few)
        return None if short else loop

    def lines(f: Function) -> Iterator[Instruction]:
        within: Shared | None = None
        for line in f.lines:
            if isinstance(line, Shareable):
                within = worth(line, known if f.name == FIRST else {}) if line.begins else None
                if within is not None:
                    yield from within.lines
                    functions.append(told_sizes(within.function, known if f.name == FIRST else {}))
            elif within is None:
                yield line

    pieces = [replace(x, lines=list(lines(x))) if isinstance(x, Function) else x for x in code.pieces]
    return code.of([*pieces, *functions])


def told_sizes(f: Function, known: Mapping[str, int]) -> Function:
    """The function of a part, told which sizes are known."""
    lines = [Operation("i64", "add", str(known[line.name]), "0", name=line.name)
             if isinstance(line, Load) and line.name in known else line for line in f.lines]
    return replace(f, lines=lines)
