"""Elementwise operations on arrays of the same sizes as one loop: what passes from one to the next stays in registers.

    t = x * y;  u = np.sin(t);  s = np.sum(u * t);  v = t + u        one loop over the items of x and y

A group is such a loop that is still being written. It stands where it was opened; a later operation joins it if all
that it reads was there by then, which the names in its text tell: they are numbered. An array of a group gets memory
only if something else than the group reads it, and is written by the same loop. What changes memory, and every way out
that may guard an access, closes the groups before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from math import lcm
from operator import attrgetter
from typing import Any

from ccc.compile.native import code, parallel_parts
from ccc.compile.native.code import (
    ARENA,
    SPOILED,
    WAYS,
    Address,
    Begin,
    Call,
    Cast,
    Choice,
    Comparison,
    Instruction,
    Load,
    Operation,
    Store,
    is_name,
)
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.instructions import IN_LANES
from ccc.compile.native.items import item_of, load, store
from ccc.compile.native.layout import Arr, Lazy, number
from ccc.compile.native.notes import Filled
from ccc.compile.native.row_access import along
from ccc.compile.native.sizes import SMALL
from ccc.compile.native.under_way import Lowering, OpenLoop
from ccc.compile.native.vectorize_loop import PATTERNS, unrolled
from ccc.compile.native.writer import Gap, Num, flat

CHEAP = ("fadd", "fsub", "fmul")
"""Operations that cost less than to write an item and to read it."""
DEEP = 6
"""So many operations behind each other, on numbers, are computed before a loop once more."""
UNNUMBERED = {ARENA, SPOILED, "%results"}
"""Names that are there from the beginning."""
OPENED = attrgetter("opened")


class Group(OpenLoop):
    """A loop over the items of arrays of some sizes, under way."""

    def __init__(self, m: Lowering, axes: tuple[str, ...], opened: int) -> None:
        w = m.w
        self.m = m
        self.axes = axes
        self.opened = opened  # names with no higher number are there before the loop
        self.before, self.place, self.after = w.gap(), w.gap(), w.gap()
        self.guards = w.guards
        self.sizes = m.sizes.known()
        self.body = Gap()
        self.body.loops = (*w.loops, -1 - w.count)
        self.now = f"%{w.fresh('k')}"
        self.known: set[str] = {self.now, *axes}
        self.made: dict[str, Any] = {}
        self.copies: dict[str, str] = {}  # what is computed before the loop once more
        self.closed = False
        self.ended = False
        with w.within(self.before):
            self.count = "1"
            for axis in axes:
                self.count = w.mul(self.count, axis)

    def open(self) -> bool:
        """Whether an operation may join it that is written now: behind a loop, no group that was opened in that."""
        around = self.place.loops
        return not self.closed and self.guards == self.m.w.guards and around == tuple(self.m.w.loops[: len(around)])

    def there(self, name: str) -> bool:
        """Whether what a name stands for can be read in the loop."""
        return name in self.known or self.m.age(name) <= self.opened

    def may_read(self, names: Iterable[str]) -> bool:
        """Whether names that another group could not read may be there in this one."""
        return all(self.there(name) or self.m.owners.get(name) is self for name in names)

    def written(self, item: Callable[[str], Num], first: bool) -> tuple[Num | None, set[str]]:
        """Write the computation of an item; None, and nothing is written, where it cannot stand here, and what it reads
        that is not there."""
        w, m = self.m.w, self.m
        scratch = Gap()
        scratch.loops = self.body.loops
        inside, m.inside = m.inside, self
        guards = w.guards
        with w.within(scratch):
            found = item(self.now)
        m.inside = inside
        text = list(flat(scratch))
        made = code.made(text)
        read = {name for line in text for name in line.named()} - UNNUMBERED
        if first:
            m.owners.update(dict.fromkeys([name for name in read if not self.there(name)], self))
            self.known |= read
        fits = w.guards == guards and not any(isinstance(line, (*WAYS, Begin)) for line in text)
        needed = read.union([found.text] if is_name(found.text) else []) - made.keys()
        missing = {name for name in needed if not self.there(name)}
        if not fits:
            return None, missing
        if missing:
            before = {name: self.before_it(name) for name in missing}
            if "" in before.values():
                return None, missing
            text, found = [line.renamed(before) for line in text], Num(found.type, before.get(found.text, found.text))
            made = code.made(text)
        self.known |= made.keys()
        self.made |= made
        self.body.extend(text)
        return found, missing

    def before_it(self, name: str, deep: int = DEEP) -> str:
        """What stands for a number in the loop: the same computed before it, where that is by few operations on what is
        there; "" where it cannot be there."""
        if not is_name(name) or self.there(name):
            return name
        if name in self.copies:
            return self.copies[name]
        line = self.m.w.makers.get(name)
        if not deep or line is None or not is_pure(line):
            return ""
        operands = [self.before_it(x, deep - 1) for x in line.operands]
        if "" in operands:
            return ""
        copy = line.renamed({})
        copy.operands = tuple(operands)
        with self.m.w.within(self.before):
            found = self.m.w.give(copy)
        self.known.add(found)
        self.copies[name] = found
        return found

    def end(self) -> None:
        """Write the loop: no more can be added."""
        if self.ended:
            return
        self.ended = self.closed = True
        w = self.m.w
        text = list(flat(self.body))
        if not any(isinstance(line, Store) for line in text):
            return
        with w.within(self.place):
            if self.count == "1":
                w.here.extend([Operation("i64", "add", "0", "0", name=self.now), *text])
                return
            with w.counted(self.count) as k:
                w.here.extend([Operation("i64", "add", k, "0", name=self.now), *text])
        found = self.wide(text) if w.lanes else None
        if found is None:
            self.m.module.plain = True
            return
        self.place.plain = unrolled(text, self.now, self.count, w) or list(self.place)
        self.place[:] = found

    def wide(self, text: list[Instruction]) -> list[Instruction] | None:
        """The loop over vectors; None where the text is not fit."""
        w = self.m.w
        each = parallel_parts.cycles(text, w.lanes) if self.place.loops else 0.0
        threads = not self.m.inner and (not each or parallel_parts.is_worth(self.m.at_first(self.count), 1, each))
        rows = along(self.m, self.sizes, self.now, self.axes, text)
        return parallel_parts.noted(w, text, self.now, self.count, self.axes, rows, threads)


def is_pure(line: Instruction) -> bool:
    """Whether a line computes a number of numbers, wherever it stands."""
    if isinstance(line, Operation):
        return line.op not in ("sdiv", "srem", "udiv", "urem")
    return isinstance(line, (Cast, Choice, Comparison)) or (isinstance(line, Call) and line.intrinsic in IN_LANES)


class Made:
    """What a group computes for an array, and where it is stored, if it is."""

    __slots__ = ("axes", "dtype", "group", "memory", "text")

    def __init__(self, group: Group, dtype: str, text: str) -> None:
        self.group = group
        self.dtype = dtype
        self.axes = group.axes
        self.text = text
        self.memory: Arr | None = None

    def at(self, k: str) -> str:
        """An item in a register, by its position."""
        if self.group.m.inside is self.group and k == self.group.now:
            return self.text
        found = self.again(k) if self.memory is None and self.group.open() else None
        if found is not None:
            return found
        return load(self.group.m, self.dtype, self.stored().ptr, k)

    def again(self, k: str) -> str | None:
        """An item computed anew, where that is one cheap operation on items of memory, which costs less than to store
        it; None where it is more."""
        w, made = self.group.m.w, self.group.made
        found = made.get(self.text)
        if not isinstance(found, Operation) or found.op not in CHEAP or found.type not in FLOATING:
            return None
        places: list[Any] = []
        for x in found.operands:
            read = made.get(x)
            place = made.get(read.at) if isinstance(read, Load) and read.type == found.type else None
            at, index = "", ""
            if isinstance(place, Address) and place.item == found.type and place.inside:
                at, index = place.operands
            if x in made and (index != self.group.now or at in made):
                return None
            places.append(at)
        xs = [w.load(found.type, w.at_index(found.type, place, k)) if place else x
              for x, place in zip(found.operands, places, strict=True)]
        return w.binary(found.op, found.type, xs[0], xs[1], found.flags)

    def item_at(self, at: Any) -> str:
        if len(self.axes) == 1:
            return self.at(at[0])
        return item_of(self.group.m, self.stored(), at).text

    def stored(self) -> Arr:
        """The array in memory, into which the group writes it."""
        if self.memory is None:
            g, m = self.group, self.group.m
            w = m.w
            if g.ended:
                raise AssertionError("an array of a loop that is written already")
            with w.within(g.before):
                ptr = m.memory(self.dtype, g.count)
            m.order[ptr] = g.opened + 0.5
            m.owners[ptr] = g
            self.memory = Arr(self.dtype, ptr, self.axes)
            with w.within(g.body):
                if ptr in w.padded:
                    w.do(Filled(ptr))  # see `spread`
                store(m, Num(number(self.dtype), self.text), self.dtype, ptr, g.now)
        return self.memory


class Member(Lazy):
    """An array that a group computes."""

    __slots__ = ("made",)

    def __init__(self, made: Made) -> None:
        super().__init__(made.dtype, made.axes, made.item_at, made.at)
        self.made = made


def grouped(m: Lowering, v: Lazy) -> Member | None:
    """An array as a member of a group; None where its items are not read by their position."""
    if isinstance(v, Member):
        return v
    read = v.flat or in_patterns(m, v)
    if read is None:
        return None
    type_ = number(v.dtype)
    found = joined(m, v.axes, lambda k: Num(type_, read(k)))
    return None if found is None else Member(Made(found[0], v.dtype, found[1].text))


def in_patterns(m: Lowering, v: Lazy) -> Callable[[str], str] | None:
    """How to read an item by its position where that has to be divided by the length of rows, which is known and
    short: vectors take patterns in them. None where rows are not read so."""
    w, by_row, length = m.w, v.by_row, v.axes[-1] if v.axes else ""
    if by_row is None or not w.lanes or not length.isdigit() or not 1 < int(length) <= SMALL:
        return None
    if lcm(w.lanes, int(length)) > PATTERNS * w.lanes:
        return None
    return lambda k: by_row(k, w.binary("udiv", "i64", k, length), w.binary("urem", "i64", k, length))


def joined(m: Lowering, axes: tuple[str, ...], item: Callable[[str], Num]) -> tuple[Group, Num] | None:
    """The first group that can compute an item; or a new one."""
    own, missing = [m.sizes.name(n) for n in axes], set[str]()
    while m.open_from < len(m.groups) and not m.groups[m.open_from].open():
        m.open_from += 1
    i = m.open_from
    while i < len(m.groups):
        group = m.groups[i]
        assert isinstance(group, Group)
        i += 1
        if not group.open() or not group.may_read(missing):
            continue
        if group.axes == axes or [m.sizes.name(n) for n in group.axes] == own:
            found, unread = group.written(item, first=False)
            if found is not None:
                return group, found
            missing |= unread
            needed = max([m.owners[x].opened if x in m.owners else m.age(x) for x in missing], default=-1.0)
            i = bisect_left(m.groups, needed, i, key=OPENED)  # they stand in the order in which they were opened
    group = Group(m, axes, m.began)
    found, _ = group.written(item, first=True)
    if found is None:
        return None
    m.groups.append(group)
    return group, found


def gathered(
    m: Lowering, axes: tuple[str, ...], item: Callable[[str], Num], start: str, step: Callable[[str, Num], str],
    type_: str,
) -> Num | None:
    """One number from all items; None where no group can compute them."""
    found = joined(m, axes, item)
    if found is None:
        return None
    (group, x), w = found, m.w
    place = w.local(type_)
    with w.within(group.before):
        w.store(type_, start, place)
    with w.within(group.body):
        w.store(type_, step(w.load(type_, place), x), place)
    with w.within(group.after):
        result = w.load(type_, place)
    m.order[result] = group.opened + 0.5
    return Num(type_, result)
