"""Memory of the runs of a loop, taken back while the loop goes on.

What a run makes lives on in two ways: in what the loop gives out, a list with an item for each run, and in what it
carries, until the next run has made that anew. All else is of no use when the run ends. So the requests in a loop are
parted, by where their pointers go (`pointers`): what is given out comes from the memory around the loop, the rest from
a stack that is cut back as the runs pass. Before that, what the loop carries is copied to the bottom of the stack, if
it lies there, as a copying collector does; this happens whenever so much was taken that the copies do not matter.

    for y in ys:                          mark = top of the stack
        t = A @ x                         t, x: from the stack
        x = np.tanh(t) + y                if a lot was taken since the mark:
        -> x, t                               copy x, cut the stack back to the mark, copy x there
                                          t, if it is given out: from the memory around the loop

A loop that gives out nothing from memory cuts back the stack of what is around it: that of a function is its arena.
One that does has a stack of its own, and when it ends, what it carries moves out of it.

Reference: Cheney, A nonrecursive list compacting algorithm, CACM 1970.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ccc.compile.native import arena
from ccc.compile.native.layout import Block, Choice, Items, Parts, Pointer, words
from ccc.compile.native.pointers import Flow
from ccc.compile.native.writer import Gap, Writer, flat

MANY = 1 << 15
"""So many bytes, and `TIMES` those of what the loop carries, are taken before the stack is cut back."""
TIMES = 4
AHEAD = 4
"""So many runs ahead is fetched what runs gave out,"""
FEW = 32
"""if there are more than these,"""
LONGEST = 1 << 13
"""and it is less than so many bytes."""
LINE = 64
"""The bytes of a line of the cache."""
EACH_BEGINS, EACH_ENDS = "; each run begins", "; each run ends"
"""Around a run at whose end nothing is left of what it has requested, but where the line says that it is kept."""
KEPT = "  ; kept"
ARENA = re.compile(r"%arena\b")


@dataclass
class Runs:
    """A loop whose runs take memory: the layouts of what it carries and the variables of their words; the variables
    that hold what it gives out; the index of a run, and how many there are, where these are known."""

    carried: list[tuple[Any, list[str]]]
    out: list[str] = field(default_factory=list[str])
    now: str = ""
    count: str = ""


def noted(w: Writer, head: Gap, end: Gap, runs: Runs) -> str:
    """Note a loop, of which a run begins at `head` and ends at `end`; gives its number."""
    number = w.fresh("runs")
    w.runs[number] = runs
    head.append(f"  ; runs {number} begin")
    end.append(f"  ; runs {number} end")
    return number


def noted_along(w: Writer, number: str, now: str, reverse: bool) -> None:
    """Note that a run of a loop reads what the runs of another one gave out, forth or back."""
    w.do(f"; runs {number} {'back' if reverse else 'forth'} {now}")


@dataclass
class Placed:
    """A loop in the text of a function: the numbers of its first and last line, those of the requests in it which are
    for what it gives out, and of the others. Its stack has a number; less than 0, and it has none."""

    number: str
    runs: Runs
    first: int
    last: int
    flow: Flow
    out: set[int]
    own: set[int]
    parent: Placed | None = None
    level: int = -1


def stack_of(level: int) -> str:
    return f"%stack{level}" if level else "%arena"


def frame_of(level: int) -> str:
    """The first piece of a stack: it ends with the frame of the function."""
    return f"%first{level}"


def taken_back(w: Writer, inner: bool) -> None:
    """Let the loops of a function that is written take memory back; one that is called often (`inner`) has but its
    arena."""
    if not w.runs:
        return
    text = list(flat(w.body))
    before: dict[int, list[str]] = {}
    behind: dict[int, list[str]] = {}
    levels: dict[int, int] = {}  # of requests, and of other lines that name the arena
    highest = 0
    loops = found(text, w)
    for loop in loops:
        goes_to = {levels.get(n, 0) for n in loop.own}
        parent = loop.parent
        while parent is not None and parent.level < 0:
            parent = parent.parent
        around = parent.level if parent is not None else 0
        if not goes_to:
            continue
        if goes_to == {around} and all(levels.get(n, 0) < around for n in loop.out):
            loop.level = around
        elif inner:
            continue
        else:
            loop.level = around + 1
        for n in range(loop.first, loop.last):
            if n in loop.own or ("%arena" in text[n] and n not in loop.out):
                levels[n] = loop.level
        highest = max(highest, loop.level)
        cut(w, loop, min(goes_to), text, before, behind)
        for n in loop.out:
            text[n] = text[n].removesuffix(KEPT) + KEPT
    fetched_ahead(w, loops, text, levels, before, behind)
    for n, level in levels.items():
        text[n] = ARENA.sub(stack_of(level), text[n], count=1)
    lines = opened(w, highest)
    for n, line in enumerate(text):
        lines += [*before.get(n, ()), line, *behind.get(n, ())]
    w.body = Gap(lines)


def opened(w: Writer, highest: int) -> list[str]:
    """Stacks that begin in the frame of the function, and go on in its arena."""
    lines: list[str] = []
    for level in range(1, highest + 1):
        stack, first = stack_of(level), frame_of(level)
        w.head += [f"  {first} = alloca [{arena.FIRST} x i8], align 64", f"  {stack} = alloca [{arena.FIELDS} x i64]"]
        lines.append(f"  call void @ccc_part(ptr {stack}, ptr {first}, ptr %arena)")
    return lines


def found(text: Sequence[str], w: Writer) -> list[Placed]:
    """The loops of a text, those around others first."""
    begins: dict[str, int] = {}
    loops: list[Placed] = []
    for n, line in enumerate(text):
        if not line.startswith("  ; runs "):
            continue
        number, what = line.split()[2:4]
        if what == "begin":
            begins[number] = n
        elif what == "end":
            first = begins[number]
            runs = w.runs[number]
            if any(holds_tapes(layout) for layout, _ in runs.carried):
                continue
            flow = Flow(text[first:n])
            given = flow.given_out(runs.out)
            out = {first + k for k, memory in flow.requests.items() if memory.root() in given}
            loops.append(Placed(number, runs, first, n, flow, out, {first + k for k in flow.requests} - out))
    loops.sort(key=lambda loop: loop.first)
    for k, loop in enumerate(loops):
        around = [x for x in loops[:k] if x.last > loop.last]
        loop.parent = around[-1] if around else None
    return loops


def holds_tapes(layout: Any) -> bool:
    """Whether values of a layout point to what it does not tell."""
    match layout:
        case Pointer():
            return True
        case Items(item):
            return holds_tapes(item)
        case Parts(parts) | Choice(parts):
            return any(map(holds_tapes, parts))
        case _:
            return False


def cut(
    w: Writer, loop: Placed, to: int, text: Sequence[str], before: dict[int, list[str]], behind: dict[int, list[str]],
) -> None:
    """Write what cuts the stack of a loop back, `before` and `behind` lines; what the loop ends with moves to another
    stack."""
    flow, stack = loop.flow, stack_of(loop.level)
    stacked = {flow.requests[n - loop.first].root() for n in loop.own}
    moving = [(layout, slots) for layout, slots in loop.runs.carried if flow.reached(slots) & stacked]
    mark, piece, limit = [w.local(type_) for type_ in ("i64", "ptr", "i64")]
    with lines_at(w, before, loop.first - 2):
        w.store("i64", w.load("i64", stack), mark)
        w.store("ptr", w.load("ptr", w.at_index("i64", stack, "2")), piece)
        w.store("i64", str(MANY), limit)
    if not moving:
        behind.setdefault(loop.first, []).insert(0, f"  {EACH_BEGINS}")
    with lines_at(w, behind, loop.last):
        if not moving:
            w.do(EACH_ENDS)
        top = settled(w, stack, mark, piece)
        if moving:
            used = w.op("i64", f"sub i64 {top}, {w.load('i64', mark)}")
            much, on = w.fresh("much"), w.fresh("on")
            w.do(f"br i1 {w.compare('sgt', used, w.load('i64', limit))}, label %{much}, label %{on}, !prof !0")
            w.label(much)
            high, second = w.local("i64"), w.local("i1")
            low = w.load("i64", mark)
            w.store("i64", top, high)
            w.store("i1", "false", second)
            copy, again, kept = w.fresh("copy"), w.fresh("again"), w.fresh("kept")
            w.jump(copy)
            w.label(copy)
            live = moved(w, moving, stack, w.load("i64", mark), w.load("i64", high))
            same = w.op("i1", f"icmp eq ptr {w.load('ptr', w.at_index('i64', stack, '2'))}, {w.load('ptr', piece)}")
            few = w.compare("slt", live, w.op("i64", f"lshr i64 {used}, 1"))
            down = w.op("i1", f"and i1 {few}, {same}")
            w.fork(w.select("i1", w.load("i1", second), "false", down), again, kept)
            w.label(again)
            w.store("i64", w.load("i64", stack), high)
            w.store("i64", low, stack)
            w.store("i64", top, mark)
            w.store("i1", "true", second)
            w.jump(copy)
            w.label(kept)
            w.store("i64", low, mark)
            rest = w.op("i64", f"sub i64 {settled(w, stack, mark, piece)}, {w.load('i64', mark)}")
            more = w.op("i64", f"add i64 {rest}, {w.op('i64', f'mul i64 {live}, {TIMES}')}")
            w.store("i64", w.op("i64", f"add i64 {more}, {MANY}"), limit)
            w.jump(on)
            w.label(on)
        else:
            w.store("i64", w.load("i64", mark), stack)
    if to != loop.level:
        end = next(n for n in range(loop.last, len(text)) if text[n].startswith("done"))
        with lines_at(w, behind, end):
            top = settled(w, stack, mark, piece)
            if moving:
                moved(w, moving, stack_of(to), w.load("i64", mark), top)
                moved_out(w, moving, loop.level, to)
            w.store("i64", w.load("i64", mark), stack)


def fetched_ahead(
    w: Writer, loops: Sequence[Placed], text: Sequence[str], levels: dict[int, int], before: dict[int, list[str]],
    behind: dict[int, list[str]],
) -> None:
    """Fetch what the runs of a loop gave out into the cache, some runs before another loop reads it: it lies side by
    side, but the processor does not see which way that goes."""
    notes: dict[str, tuple[str, str]] = {}
    places = {loop.number: loop for loop in loops if loop.out and loop.runs.now}
    for n, line in enumerate(text):
        if not line.startswith("  ; runs ") or line.split()[2] not in places or len(line.split()) < 5:
            continue
        _, _, number, way, now = line.split()
        loop = places[number]
        if number not in notes:
            stack = stack_of(min(levels.get(k, 0) for k in loop.out))
            notes[number] = reached(w, loop, stack, before, behind)
        with lines_at(w, behind, n):
            fetched(w, *notes[number], now, way == "back")


def reached(
    w: Writer, loop: Placed, stack: str, before: dict[int, list[str]], behind: dict[int, list[str]]
) -> tuple[str, str]:
    """Note how far a stack reaches after each run; gives the variables for where the notes are, and how many: none
    where the loop did not run as it stands here."""
    runs = loop.runs
    notes, many = w.local("ptr"), w.local("i64")
    w.head.append(f"  store i64 0, ptr {many}")
    with lines_at(w, before, loop.first - 2):
        room = w.op("ptr", f"call ptr @ccc_alloc(ptr {stack}, i64 {w.mul(runs.count, '8')})")
        w.leave(w.op("i1", f"icmp eq ptr {room}, null"), guards=False)
        w.store("ptr", room, notes)
        w.store("i64", runs.count, many)
    with lines_at(w, behind, loop.last):
        w.store("i64", w.load("i64", stack), w.at_index("i64", room, runs.now))
    return notes, many


def fetched(w: Writer, notes: str, many: str, now: str, back: bool) -> None:
    """Fetch what a run some runs ahead will read."""
    count = w.load("i64", many)
    run = w.sub(w.sub(count, "1"), now) if back else now
    before = w.add(run, str(-AHEAD - 1 if back else AHEAD - 1))
    there = w.compare("ult", before, w.sub(count, "1"))
    ask, fetch, on = w.fresh("ask"), w.fresh("fetch"), w.fresh("on")
    w.fork(w.op("i1", f"and i1 {w.compare('sgt', count, str(FEW))}, {there}"), ask, on)
    w.label(ask)
    ends = w.at_index("i64", w.load("ptr", notes), before)
    low = w.load("i64", ends)
    size = w.op("i64", f"sub i64 {w.load('i64', w.at_index('i64', ends, '1'))}, {low}")
    w.fork(w.compare("ult", size, str(LONGEST)), fetch, on)
    w.label(fetch)
    start = w.op("ptr", f"inttoptr i64 {low} to ptr")
    w.declared.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    with w.counted(size, 4 * LINE) as k:
        for i in range(4):
            at = w.op("ptr", f"getelementptr i8, ptr {start}, i64 {w.add(k, str(i * LINE))}")
            w.do(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")
    w.jump(on)
    w.label(on)


@contextmanager
def lines_at(w: Writer, places: dict[int, list[str]], n: int) -> Iterator[None]:
    """Write lines that stand at a line of the text."""
    gap = Gap()
    with w.within(gap):
        yield
    places[n] = [*flat(gap), *places.get(n, [])]


def settled(w: Writer, stack: str, mark: str, piece: str) -> str:
    """The top of a stack. Where it has gone on in another piece, the mark is the beginning of that: what lies in pieces
    before stays there."""
    now, moved_, stays = w.load("ptr", w.at_index("i64", stack, "2")), w.fresh("piece"), w.fresh("stays")
    same = w.op("i1", f"icmp eq ptr {now}, {w.load('ptr', piece)}")
    w.do(f"br i1 {same}, label %{stays}, label %{moved_}, !prof !9")
    w.label(moved_)
    start = w.op("i64", f"ptrtoint ptr {now} to i64")
    w.store("i64", w.op("i64", f"add i64 {start}, {arena.BEFORE}"), mark)
    w.store("ptr", now, piece)
    w.jump(stays)
    w.label(stays)
    return w.load("i64", stack)


def moved_out(w: Writer, carried: Sequence[tuple[Any, list[str]]], level: int, to: int) -> None:
    """Copy what still lies in the frame of the function where a stack has gone on in other pieces: an array that runs
    have changed in place, or passed on, since the first one."""
    piece, out, on = w.load("ptr", w.at_index("i64", stack_of(level), "2")), w.fresh("out"), w.fresh("on")
    w.fork(w.op("i1", f"icmp eq ptr {piece}, null"), on, out)
    w.label(out)
    low = w.op("i64", f"ptrtoint ptr {frame_of(level)} to i64")
    moved(w, carried, stack_of(to), low, w.add(low, str(arena.FIRST)))
    w.jump(on)
    w.label(on)


def moved(w: Writer, carried: Sequence[tuple[Any, list[str]]], to: str, low: str, high: str) -> str:
    """Copy what lies from `low` to below `high`; gives the bytes that were copied or looked at."""
    size = w.op("i64", f"sub i64 {high}, {low}")
    live = w.local("i64")
    w.store("i64", "0", live)

    def counted(bytes_: str) -> None:
        w.store("i64", w.op("i64", f"add i64 {w.load('i64', live)}, {bytes_}"), live)

    def copied(at: str, count: str) -> None:
        old = w.load("ptr", at)
        new = w.op("ptr", f"call ptr @ccc_moved(ptr {to}, ptr {old}, i64 {count}, i64 {low}, i64 {size})")
        stays = w.op("i1", f"icmp eq ptr {new}, {old}")
        none = w.op("i1", f"icmp eq ptr {new}, null")
        w.leave(w.op("i1", f"and i1 {none}, {w.op('i1', f'xor i1 {stays}, true')}"), guards=False)
        w.store("ptr", new, at)
        counted(w.select("i64", stays, "0", count))

    def visit(layout: Any, at: Sequence[str]) -> None:
        match layout:
            case Block(dtype, rank):
                count = "1" if dtype == "bool" else "8"
                for place in at[1 : 1 + rank]:
                    count = w.op("i64", f"mul i64 {count}, {w.load('i64', place)}")
                copied(at[0], count)
            case Items(item) if item is not None:
                inside = len(words(item))
                if not inside:
                    return
                copied(at[0], w.op("i64", f"mul i64 {w.load('i64', at[2])}, {8 * inside}"))
                if "ptr" in words(item):
                    items, length = w.load("ptr", at[0]), w.load("i64", at[1])
                    counted(w.op("i64", f"mul i64 {length}, {8 * inside}"))
                    with w.counted(length) as k:
                        first = w.mul(k, str(inside))
                        visit(item, [w.at_index("i64", items, w.add(first, str(j))) for j in range(inside)])
            case Parts(parts):
                follow(parts, at)
            case Choice(alternatives):
                follow(alternatives, at[1:])
            case _:
                pass

    def follow(layouts: Sequence[Any], at: Sequence[str]) -> None:
        for layout in layouts:
            count = len(words(layout))
            visit(layout, at[:count])
            at = at[count:]

    for layout, slots in carried:
        visit(layout, slots)
    return w.load("i64", live)
