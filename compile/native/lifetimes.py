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
One that does has a stack of its own, and when it ends, what it carries moves out of it. What is a large part of its
piece of memory is not copied: the piece stays, or goes to the other stack (`arena`).

Reference: Cheney, A nonrecursive list compacting algorithm, CACM 1970.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from ccc.compile.native import arena, notes, stacks
from ccc.compile.native.code import ARENA, LIKELY, UNLIKELY, Begin, Call, Instruction, Request, Room, Store
from ccc.compile.native.layout import Choice, Entries, Items, Node, Parts, Pointer
from ccc.compile.native.notes import Along, Each
from ccc.compile.native.pointers import Flow
from ccc.compile.native.stacks import (
    Mark,
    cut_back,
    frame_of,
    marked,
    moved,
    moved_out,
    overwritten,
    piece_of,
    poisoned,
    settled,
    stack_of,
    swept,
    taken,
)
from ccc.compile.native.writer import Gap, Writer, flat
from ccc.values import slotted, value

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


Lines = dict[int, list[Instruction]]
"""What stands before or behind lines of a text, by their numbers."""


@slotted
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
    head.append(notes.Runs(number, True))
    end.append(notes.Runs(number, False))
    return number


def noted_along(w: Writer, number: str, now: str, reverse: bool) -> None:
    """Note that a run of a loop reads what the runs of another one gave out, forth or back."""
    w.do(Along(number, now, reverse))


@slotted
class Placed:
    """A loop in the text of a function: the numbers of its first and last line, those of the requests in it which are
    for what it gives out, and of the others. Its stack has a number; less than 0, and it has none. It may own that."""

    number: str
    runs: Runs
    first: int
    last: int
    flow: Flow
    out: set[int]
    own: set[int]
    parent: Placed | None = None
    level: int = -1
    owns: bool = False
    goes_to: set[int] = field(default_factory=set[int])


def kept(line: Instruction) -> Instruction:
    """A request of what is kept when a run ends; what else requests memory is kept by its function."""
    if not isinstance(line, Request):
        return line
    found = line.renamed({})
    found.kept = True
    return found


def is_done(line: Instruction) -> bool:
    """Whether a loop has ended."""
    return isinstance(line, Begin) and line.role == "done"


def taken_back(w: Writer, inner: bool) -> None:
    """Let the loops of a function that is written take memory back; one that is called often (`inner`) has but its
    arena."""
    if not w.runs:
        return
    text = list(flat(w.body))
    before: Lines = {}
    behind: Lines = {}
    levels: dict[int, int] = {}  # of requests, and of other lines that name the arena
    highest = 0
    loops = found(text, w)
    for loop in loops:
        goes_to = loop.goes_to = {levels.get(n, 0) for n in loop.own}
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
            loop.level, loop.owns = around + 1, True
        for n in range(loop.first, loop.last):
            if n in loop.own or (ARENA in text[n].operands and n not in loop.out):
                levels[n] = loop.level
        highest = max(highest, loop.level)
    for loop in loops:
        if loop.level >= 0:
            cut(w, loop, text, before, behind)
            for n in loop.out:
                text[n] = kept(text[n])
    for first, last in left_behind(text) if stacks.POISONED else ():
        stack = stack_of(levels.get(first + 1, 0))  # where the mark is read
        with lines_at(w, behind, first):
            mark = marked(w, stack)
        with lines_at(w, behind, last):
            overwritten(w, mark)
    fetched_ahead(w, loops, text, levels, before, behind)
    for n, level in levels.items():
        text[n] = text[n].renamed({ARENA: stack_of(level)})
    lines = opened(w, highest)
    for n, line in enumerate(text):
        lines += [*before.get(n, ()), line, *behind.get(n, ())]
    w.body = Gap(lines)


def left_behind(text: Sequence[Instruction]) -> list[tuple[int, int]]:
    """The first and last lines of runs and calls that leave nothing behind, and cut their stack back themselves."""
    begun: list[int] = []
    found: list[tuple[int, int]] = []
    for n, line in enumerate(text):
        if isinstance(line, Each) and line.begins:
            begun.append(n)
        elif isinstance(line, Each):
            found.append((begun.pop(), n))
    return found


def opened(w: Writer, highest: int) -> list[Instruction]:
    """Stacks that begin in the frame of the function, and go on in pieces of its arena."""
    lines: list[Instruction] = []
    for level in range(1, highest + 1):
        stack, first = stack_of(level), frame_of(level)
        w.head += [Room("i8", first, arena.FIRST, 64), Room("i64", stack, arena.FIELDS)]
        lines.append(Call("void", "ccc_part", ("ptr",) * 3, (stack, first, ARENA)))
    return lines


def found(text: Sequence[Instruction], w: Writer) -> list[Placed]:
    """The loops of a text, those around others first."""
    begins: dict[str, int] = {}
    loops: list[Placed] = []
    for n, line in enumerate(text):
        if not isinstance(line, notes.Runs):
            continue
        if line.begins:
            begins[line.number] = n
        else:
            number = line.number
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
        case Pointer() | Node():
            return True
        case Items(item):
            return holds_tapes(item)
        case Parts(parts) | Choice(parts) | Entries(parts=parts):
            return any(map(holds_tapes, parts))
        case _:
            return False


def cut(w: Writer, loop: Placed, text: Sequence[Instruction], before: Lines, behind: Lines) -> None:
    """Write what cuts the stack of a loop back, `before` and `behind` lines; what the loop ends with moves to another
    stack."""
    flow, stack, to = loop.flow, stack_of(loop.level), min(loop.goes_to)
    stacked = {flow.requests[n - loop.first].root() for n in loop.own}
    moving = [(layout, slots) for layout, slots in loop.runs.carried if flow.reached(slots) & stacked]
    with lines_at(w, before, loop.first - 2):
        mark = marked(w, stack, own=loop.owns)
        limit = Limit(w.local("i64"), w.local("i64")) if moving else None
        if limit is not None:
            w.store("i64", str(MANY), limit.bytes)
            w.store("i64", taken(w, stack), limit.taken)
    if limit is None:
        behind.setdefault(loop.first, []).insert(0, Each(True))
    with lines_at(w, behind, loop.last):
        if limit is not None:
            limited(w, moving, mark, limit)
        else:
            w.do(Each(False))
            overwritten(w, mark)
            cut_back(w, stack, w.load("i64", mark.top), w.load("ptr", mark.piece), w.load("i64", mark.since))
    if to != loop.level:
        end = next(n for n in range(loop.last, len(text)) if is_done(text[n]))
        with lines_at(w, behind, end):
            ended(w, moving, mark, loop.level, stack_of(to))


def ended(w: Writer, moving: Sequence[tuple[Any, list[str]]], mark: Mark, level: int, to: str) -> None:
    """Write what moves what a loop carries out of its stack, which is cut back then, to another one."""
    top = settled(w, mark)
    if moving:
        moved(w, moving, to, w.load("i64", mark.top), top, mark)
        moved_out(w, moving, mark, level, to)
    swept(w, mark, to, str(arena.ALL))
    cut_, on = w.block("cut"), w.block("on")
    w.fork(w.compared("eq", "ptr", piece_of(w, mark.stack), w.load("ptr", mark.piece)), cut_, on, LIKELY)
    w.label(cut_)
    poisoned(w, w.load("i64", mark.top), top)
    w.store("i64", w.load("i64", mark.top), mark.stack)
    w.jump(on)
    w.label(on)


@value()
class Limit:
    """Where is kept how many bytes may be taken before a stack is cut back again, and how many its pieces had when it
    was last."""

    bytes: str
    taken: str


def limited(w: Writer, moving: Sequence[tuple[Any, list[str]]], mark: Mark, limit: Limit) -> None:
    """Write what cuts a stack back where more than a limit was taken. What the loop carries is copied to the top, and
    then to where the stack is cut, if it is little and lies in one piece."""
    stack = mark.stack
    top = settled(w, mark)
    in_piece = w.binary("sub", "i64", top, w.load("i64", mark.top))
    in_others = w.binary("sub", "i64", taken(w, stack), w.load("i64", limit.taken))
    used = w.binary("add", "i64", in_piece, in_others)
    much, on = w.block("much"), w.block("on")
    w.fork(w.compare("sgt", used, w.load("i64", limit.bytes)), much, on, UNLIKELY)
    w.label(much)
    high, second, until = w.local("i64"), w.local("i1"), w.local("i64")
    low = w.load("i64", mark.top)
    w.store("i64", top, high)
    w.store("i1", "false", second)
    before = w.call("i64", "ccc_before", ("ptr", w.load("ptr", mark.piece)), ("i64", w.load("i64", mark.since)))
    w.store("i64", before, until)
    copy, again, kept = w.block("copy"), w.block("again"), w.block("kept")
    w.jump(copy)
    w.label(copy)
    live = moved(w, moving, stack, w.load("i64", mark.top), w.load("i64", high), mark, until)
    bare = w.call("i1", "ccc_bare", ("ptr", stack), ("ptr", w.load("ptr", mark.piece)))
    few = w.compare("slt", live, w.binary("lshr", "i64", used, "1"))
    down = w.binary("and", "i1", few, bare)
    w.fork(w.select("i1", w.load("i1", second), "false", down), again, kept)
    w.label(again)
    w.store("i64", w.load("i64", stack), high)
    w.store("i64", low, stack)
    w.store("i64", top, mark.top)
    w.store("i1", "true", second)
    w.jump(copy)
    w.label(kept)
    w.store("i64", low, mark.top)
    if stacks.POISONED:
        end = w.select("i64", w.load("i1", second), w.load("i64", high), w.load("i64", stack))
        poisoned(w, w.load("i64", stack), end)
    swept(w, mark, stack, w.load("i64", until))
    rest = w.binary("sub", "i64", settled(w, mark), w.load("i64", mark.top))
    more = w.binary("add", "i64", rest, w.binary("mul", "i64", live, str(TIMES)))
    w.store("i64", w.binary("add", "i64", more, str(MANY)), limit.bytes)
    w.store("i64", taken(w, stack), limit.taken)
    w.jump(on)
    w.label(on)


def fetched_ahead(
    w: Writer, loops: Sequence[Placed], text: Sequence[Instruction], levels: dict[int, int], before: Lines,
    behind: Lines,
) -> None:
    """Fetch what the runs of a loop gave out into the cache, some runs before another loop reads it: it lies side by
    side, but the processor does not see which way that goes."""
    notes: dict[str, tuple[str, str]] = {}
    places = {loop.number: loop for loop in loops if loop.out and loop.runs.now}
    for n, line in enumerate(text):
        if not isinstance(line, Along) or line.number not in places:
            continue
        number = line.number
        loop = places[number]
        if number not in notes:
            stack = stack_of(min(levels.get(k, 0) for k in loop.out))
            notes[number] = reached(w, loop, stack, before, behind)
        with lines_at(w, behind, n):
            fetched(w, *notes[number], line.operands[0], line.back)


def reached(
    w: Writer, loop: Placed, stack: str, before: Lines, behind: Lines
) -> tuple[str, str]:
    """Note how far a stack reaches after each run; gives the variables for where the notes are, and how many: none
    where the loop did not run as it stands here."""
    runs = loop.runs
    notes, many = w.local("ptr"), w.local("i64")
    w.head.append(Store("i64", "0", many))
    with lines_at(w, before, loop.first - 2):
        room = w.request(w.mul(runs.count, "8"), stack)
        w.leave(w.compared("eq", "ptr", room, "null"), guards=False)
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
    ask, fetch, on = w.block("ask"), w.block("fetch"), w.block("on")
    w.fork(w.binary("and", "i1", w.compare("sgt", count, str(FEW)), there), ask, on)
    w.label(ask)
    ends = w.at_index("i64", w.load("ptr", notes), before)
    low = w.load("i64", ends)
    size = w.binary("sub", "i64", w.load("i64", w.at_index("i64", ends, "1")), low)
    w.fork(w.compare("ult", size, str(LONGEST)), fetch, on)
    w.label(fetch)
    start = w.cast("inttoptr", "i64", low, "ptr")
    w.declared.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    with w.counted(size, 4 * LINE) as k:
        for i in range(4):
            at = w.address("i8", start, w.add(k, str(i * LINE)))
            w.run("llvm.prefetch.p0", ("ptr", at), ("i32", "0"), ("i32", "3"), ("i32", "1"))
    w.jump(on)
    w.label(on)


@contextmanager
def lines_at(w: Writer, places: Lines, n: int) -> Iterator[None]:
    """Write lines that stand at a line of the text."""
    gap = Gap()
    with w.within(gap):
        yield
    places[n] = [*flat(gap), *places.get(n, [])]
