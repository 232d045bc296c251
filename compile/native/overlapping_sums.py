"""Sums into an array at places next to each other: a vector of runs adds once to what all of them add to.

    for i:  dx[i - 1] += a;  dx[i] += b;  dx[i + 1] += c

Vectors that begin one item apart overlap, and a processor waits until what was stored in parts can be read as a whole.
So the vectors are put one over the other first, each moved by as many lanes as its place is further on; what is moved
beyond the end is kept for the next vector, and added behind the loop after the last one.

    dx[i - 1 ...] += a + (b moved by one) + (c moved by two)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ccc.compile.native.body import SUM, Body
from ccc.compile.native.builder import splat
from ccc.compile.native.code import Choice, Comparison, Instruction, Load, Operation, Store, is_name
from ccc.compile.native.dtypes import BYTES, FLOATING
from ccc.compile.native.instructions import CHECKED, NEUTRAL
from ccc.compile.native.lane_kinds import Kind
from ccc.compile.native.vector_memory import add_in_row, read_where, write_where
from ccc.values import slotted

NOTHING = NEUTRAL["fadd"]
"""What added to a number leaves it as it is."""
Form = tuple[tuple[str, ...], int]
"""A place that the next run has the next one of: the names that it is the sum of, and a constant."""


@slotted
class Slide:
    """What is kept from one vector to the next: its type, by its offset from the lowest place each vector, where the
    next vector begins, and how many runs the last one had."""

    type: str
    kept: Mapping[int, str]
    place: str
    runs: str

    @property
    def width(self) -> int:
        return max(self.kept)


def moved_on(op: str, x: str, y: str, b: Body) -> Form | None:
    """The form of a sum or difference with what is the same in all runs."""
    if x not in b.forms and op == "add":
        x, y = y, x
    if x not in b.forms or y in b.forms:
        return None
    names, constant = b.forms[x]
    if not is_name(y):
        return names, constant + (int(y) if op == "add" else -int(y))
    return tuple(sorted([*names, f"{op} {meaning(y, b)}"])), constant


def meaning(name: str, b: Body) -> str:
    """A text that is the same for names of the same value: what was computed alike of the same, and the array that is
    in a variable, which stays there."""
    found = b.meanings.get(name)
    if found is None:
        line = b.definitions.get(name)
        match line:
            case Operation():
                pure = line.op in CHECKED  # which give the same from the same, as choices and comparisons do
            case Load(type="ptr"):
                pure = line.at in b.added
            case _:
                pure = isinstance(line, (Choice, Comparison))
        means = {x: f"({meaning(x, b)})" for x in line.operands if is_name(x)} if line is not None and pure else {}
        found = line.renamed(means).body() if line is not None and pure else name
        b.meanings[name] = found
    return found


def form_of(at: str, b: Body) -> tuple[tuple[str, ...], int] | None:
    """Where an address lies: the same names for those that are a constant number of items apart, and that number."""
    type_, *parts = b.keys.get(at, ("",))
    running = [i for i in parts[1:] if i in b.forms]
    if type_ not in FLOATING or len(running) != 1:
        return None
    names, constant = b.forms[running[0]]
    others = [f"at {meaning(i, b)}" for i in parts[1:] if i not in b.forms]
    return (type_, meaning(parts[0], b), *names, *others), constant


def noted(at: str, x: str, b: Body) -> bool:
    """Note that a vector is to be added at a place; False where that has to be done at once."""
    if b.within or b.forked or b.parted or b.mask != b.tail:
        return False
    form = form_of(at, b)
    if form is None:
        return False
    b.additions.setdefault(form[0], []).append((form[1], at, x))
    return True


def slide(b: Body, left: str) -> None:
    """Add what was noted in the body. Where runs are masked, `left` is how many there are."""
    for names, additions in b.additions.items():
        by_place: dict[int, tuple[str, str]] = {}
        for place, at, x in additions:
            if place in by_place:
                x = b.binary("fadd", b.vector(names[0]), by_place[place][1], x, SUM)
            by_place[place] = at, x
        lowest = min(by_place)
        if 0 < max(by_place) - lowest < b.lanes:
            together(names, lowest, by_place, left, b)
        else:
            for at, x in by_place.values():
                add_in_row(names[0], at, x, Kind.LINEAR, b)
    b.additions.clear()


def together(
    names: tuple[str, ...], lowest: int, by_place: Mapping[int, tuple[str, str]], left: str, b: Body
) -> None:
    """Add vectors at places that overlap as one."""
    type_, vector, key = names[0], b.vector(names[0]), (*names, *map(str, sorted(by_place)))
    if key not in b.slides:
        b.slides[key] = begun(type_, [place - lowest for place in by_place if place > lowest], b)
    found = b.slides[key]
    at, total = by_place[lowest]
    for place, (_, x) in by_place.items():
        if place > lowest:
            slot = found.kept[place - lowest]
            moved = over(type_, b.load(vector, slot), x, place - lowest, b)
            total = b.binary("fadd", vector, total, moved, SUM)
            b.store(vector, x, slot)
    runs = left or str(b.lanes)
    add_below(type_, b.own(at), total, b.binary("add", "i64", runs, str(found.width)) if left else "", b)
    b.store("ptr", b.address(type_, b.own(at), str(b.lanes)), found.place)
    b.store("i64", runs, found.runs)


def begun(type_: str, offsets: Sequence[int], b: Body) -> Slide:
    """Variables in which nothing is kept, before the loop."""
    vector = b.vector(type_)
    found = Slide(type_, {offset: b.w.local(vector) for offset in offsets}, b.w.local("ptr"), b.w.local("i64"))
    b.before += [Store(vector, splat(type_, NOTHING), slot) for slot in found.kept.values()]
    b.before += [Store("ptr", "null", found.place), Store("i64", "0", found.runs)]
    return found


def over(type_: str, before: str, x: str, by: int, b: Body) -> str:
    """A vector moved by some lanes, after the end of the one before."""
    vector, lanes = b.vector(type_), b.lanes
    order = ", ".join(f"i32 {lanes - by + i}" for i in range(lanes))
    return b.shuffled(vector, before, x, f"<{order}>")


def add_below(type_: str, at: str, x: str, count: str, b: Body) -> None:
    """Add the first items of a vector, or all of them, to what stands at a place."""
    vector, align = b.vector(type_), BYTES[type_]
    mask = b.below(b.splat(count, "i64")) if count else ""
    before = read_where(mask, type_, at, align, b) if mask else b.load(vector, at, align)
    total = b.binary("fadd", vector, before, x, SUM)
    if mask:
        write_where(mask, type_, total, at, align, b)
    else:
        b.store(vector, total, at, align)


def ended(b: Body) -> list[Instruction]:
    """Add what is left when the loop ends."""
    b.lines = []
    for found in b.slides.values():
        type_, vector = found.type, b.vector(found.type)
        on, done = b.w.block("on"), b.w.block("done")
        at = b.load("ptr", found.place)
        b.fork(b.compared("eq", "ptr", at, "null"), done, on)
        b.start(on)
        total = ""
        for offset, slot in found.kept.items():
            x = over(type_, b.load(vector, slot), splat(type_, NOTHING), offset, b)
            total = x if not total else b.binary("fadd", vector, total, x, SUM)
        runs = b.load("i64", found.runs)
        add_below(type_, at, total, b.binary("add", "i64", runs, str(found.width - b.lanes)), b)
        b.jump(done)
        b.start(done)
    lines, b.lines = b.lines, []
    return lines
