"""Loops along the same rows, one behind the other, as one loop along strips of rows: what one of them has written, the
next one reads from the cache.

    for i in range(n): s[i] = Σ_k x[i, k]²               for i in range(0, n, 16):
    for i in range(n): s[i] = sqrt(s[i])           →         for j in range(i, i + 16): s[j] = Σ_k x[j, k]²
    for i, k: y[i, k] = x[i, k] / s[i]                       for j in range(i, i + 16): s[j] = sqrt(s[j])
                                                             for j, k: y[j, k] = x[j, k] / s[j]

They may be so where each run of each loop touches only its own rows of whatever one of them writes to. An array that
nothing else touches has memory for a strip alone, which all strips of a thread use.

Reference: Wolfe, High Performance Compilers for Parallel Computing, 1996, chapters 9 and 11 (strip mining, fusion).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import ceil, prod

from ccc.compile.native.code import (
    LEAVE,
    SPOILED,
    Address,
    Call,
    Comparison,
    Fork,
    Instruction,
    Jump,
    Load,
    Request,
    Store,
    Variable,
)
from ccc.compile.native.notes import Note, Shareable
from ccc.compile.native.parallel_parts import CYCLES, Loop, alone, counted, told
from ccc.compile.native.polynomials import Polynomial, renamed
from ccc.compile.native.row_loops import Rows, Touched
from ccc.compile.native.writer import Writer, flat
from ccc.values import slotted

STRIP = 1 << 15
"""So many bytes of arrays a strip touches, about."""
LEAST = 16
"""A strip has a multiple of so many rows, which are whole vectors of items: loops write whole vectors past their end,
which the next strip writes again, or which is memory beyond the array. So it is with `GRAIN` and parts of threads."""
LONG = 1 << 20
"""Strips are of no use where the least one touches more bytes."""
SMALL = 1 << 18
"""Arrays of fewer bytes stay in the cache anyway."""


RESULTS = "%results"
"""Where what is given to the caller is described."""
ITEMS = {8: "double", 4: "float", 1: "i8"}


@slotted
class Noted:
    """A loop as it stands in a text: its name and its lines."""

    name: str
    lines: list[Instruction]


class Strip:
    """Loops that may be one, in order: the lines as they stand (`plain`), those `between` the loops, and those `behind`
    the last one. The one loop stands where the last one does: what is between them goes before it."""

    def __init__(self, w: Writer, first: Noted, rows: Rows) -> None:
        self.w = w
        self.names: list[str] = []
        self.loops: list[Loop] = []
        self.rows: list[Rows] = []
        self.touched: dict[str, Touched] = {}
        self.written: set[str] = set()
        self.used: set[str] = set()
        self.plain: list[Instruction] = []
        self.between: list[Instruction] = []
        self.behind: list[Instruction] = []
        self.add(first, rows)

    def add(self, noted: Noted, rows: Rows) -> None:
        """Take one loop more, which joins."""
        self.names.append(noted.name)
        self.loops.append(self.w.shared[noted.name])
        self.rows.append(rows)
        self.between += self.behind
        self.plain += [*self.behind, *noted.lines]
        self.behind = []
        self.written |= rows.written
        self.used |= rows.used
        for at, x in rows.touched.items():
            old = self.touched.get(at, x)
            row = x.row if old.row is not None else None
            self.touched[at] = Touched(row, x.bytes_, x.writes or old.writes)

    def passes(self, line: Instruction) -> bool:
        """Whether a line that stands behind the loops may stand before them."""
        match line:
            case Store():
                return line.at not in self.used if is_variable(line.at) else self.meets_none(line.at)
            case Load():
                return is_variable(line.at) and line.at not in self.written
            case Call():
                return bool(line.intrinsic) and "ptr" not in (line.type, *line.given)
            case Fork():
                return LEAVE in (line.then, line.orelse)
            case _:
                return not isinstance(line, (Jump, Note))

    def meets_none(self, at: str) -> bool:
        """Whether a place lies in what is given to the caller, or was requested for something else than these loops
        touch."""
        made = self.w.makers
        while isinstance(line := made.get(at), Address):
            at = line.operands[0]
        others = all(self.distinct(at, x) for x in self.touched)
        return at == RESULTS or (at not in self.touched and others)

    def joins(self, noted: Noted, rows: Rows) -> bool:
        """Whether a loop behind these may be one with them, if there are as many rows as it seems."""
        a, b = self.rows[0], rows
        if a.sizes.name(a.count) != b.sizes.name(b.count) and a.at_first(a.count) != b.at_first(b.count):
            return False
        if self.loops[0].threads != self.w.shared[noted.name].threads:
            return False
        mine, its = self.written - {SPOILED}, rows.written - {SPOILED}
        if mine & rows.used or its & self.used:
            return False
        return all(self.apart(at, x, rows) for at, x in rows.touched.items())

    def apart(self, at: str, x: Touched, rows: Rows) -> bool:
        """Whether what another loop does with an array meets what these do in the same rows alone."""
        old, name = self.touched.get(at), rows.sizes.name
        if old is not None and (old.writes or x.writes):
            if old.row is None or x.row is None or old.bytes_ != x.bytes_:
                return False
            if renamed(old.row, name) != renamed(x.row, name):
                return False
        others = [y for y, found in self.touched.items() if y != at and (found.writes or x.writes)]
        return all(self.distinct(at, y) if x.writes else self.distinct(y, at) for y in others)

    def distinct(self, written: str, other: str) -> bool:
        """Whether two names stand for different memory: what is written was requested for that."""
        made, ages = self.w.makers, self.w.ages
        if not isinstance(made.get(written), Request):
            return False
        return isinstance(made.get(other), Request) or ages.get(other, 0) < ages[written]

    def agree(self) -> bool:
        """Whether there are surely as many rows in all loops: they will stand where the last one does."""
        counts = {rows.count for rows in self.rows}
        for rows in self.rows:
            counts = {rows.sizes.name(count) for count in counts}
        return len(counts) == 1

    def value(self, a: Polynomial) -> int | None:
        """What a polynomial is in the first call."""
        found = 0
        for monomial, n in a.items():
            sizes = [self.rows[0].at_first(x) for x in monomial]
            if None in sizes:
                return None
            found += n * prod([size or 0 for size in sizes])
        return found

    def bytes_(self) -> int | None:
        """How many bytes of their own a row of all arrays has in the first call."""
        known = [(self.value(x.row), x.bytes_) for x in self.touched.values() if x.row is not None]
        return None if any(n is None for n, _ in known) else sum((n or 0) * size for n, size in known)

    def is_worth(self) -> bool:
        """Whether these loops had better be one."""
        if len(self.loops) < 2:
            return False
        each, count = self.bytes_(), self.rows[0].at_first(self.rows[0].count)
        return bool(each and count and each * count >= SMALL and each * LEAST <= LONG and count >= 2 * LEAST)

    def text(self, mentions: Counter[str]) -> list[Instruction]:
        """What stands for all, by how often the function mentions names."""
        if not self.agree() or not self.is_worth():
            return [*self.plain, *self.behind]
        inside = mentioned([line for loop in self.loops for line in loop.lines])
        own = [at for at, x in self.touched.items() if x.writes and x.row is not None and inside[at] == mentions[at]]
        before, loop = self.joined(own)
        for name in self.names:
            del self.w.shared[name]
        return [*self.between, *before, *told(self.w, loop), *self.behind]

    def joined(self, own: list[str]) -> tuple[list[Instruction], Loop]:
        """What stands before the loop along strips, and this; what nothing else touches, its `own`, has memory for a
        strip alone."""
        w, before, all_ = self.w, self.w.apart(), self.w.apart()
        start, stop = f"%{w.fresh('start')}", f"%{w.fresh('stop')}"
        with w.within(before):
            scales = [operand(w, rows.scale) for rows in self.rows]
            lengths = {at: operand(w, x.row) for at, x in self.touched.items() if x.row is not None}
            bytes_ = "1"
            for at, length in lengths.items():
                bytes_ = w.add(bytes_, w.mul(length, str(self.touched[at].bytes_)))
            fit = w.binary("and", "i64", w.binary("udiv", "i64", str(STRIP), bytes_), str(-LEAST))
            step = w.call("i64", "llvm.smax.i64", ("i64", fit), ("i64", str(LEAST)))
        with w.within(all_), counted(w, start, stop, step) as i:
            end = w.add(i, step)
            end = w.select("i64", w.compare("slt", end, stop), end, stop)
            back, moved = w.sub(start, i), dict[str, str]()
            for at in own:
                moved[at] = w.address(ITEMS[self.touched[at].bytes_], at, w.mul(back, lengths[at]))
            for loop, scale in zip(self.loops, scales, strict=True):
                new = {**moved, loop.start: w.mul(i, scale), loop.stop: w.mul(end, scale)}
                w.here.extend([elsewhere(line, moved).renamed(new) for line in loop.lines])
        gathered = {g.place: g for loop in self.loops for g in loop.gathered}
        main = max(range(len(self.loops)), key=lambda k: self.items(k))
        with w.within(before):
            row = w.mul(scales[main], self.loops[main].row)
        cycles = sum(CYCLES / loop.least * self.items(k) for k, loop in enumerate(self.loops)) / self.items(main)
        return list(flat(before)), Loop(
            list(flat(all_)), start, stop, self.rows[0].count, ceil(CYCLES / max(1.0, cycles)), self.loops[main].axes,
            tuple(gathered.values()), row, None, self.loops[0].threads)

    def items(self, k: int) -> int:
        """How many items a row of a loop has in the first call."""
        rows = self.rows[k]
        return max(1, (self.value(rows.scale) or 1) * (rows.at_first(self.loops[k].row) or 1))


def elsewhere(line: Instruction, moved: dict[str, str]) -> Instruction:
    """A line of which the address, where the array is moved, is not known to lie within what was requested."""
    if not isinstance(line, Address) or line.operands[0] not in moved:
        return line
    at, index = line.operands
    return Address(line.item, at, index, False, line.index_type, line.at_type, line.name)


def operand(w: Writer, a: Polynomial) -> str:
    """The operand of a polynomial."""
    found = "0"
    for monomial, n in a.items():
        part = str(n)
        for x in monomial:
            part = w.mul(part, x)
        found = w.add(found, part)
    return found


def is_variable(at: str) -> bool:
    return isinstance(at, Variable) or at == SPOILED


def mentioned(lines: list[Instruction]) -> Counter[str]:
    """How often lines mention what is no test of it."""
    return Counter([x for line in lines if not isinstance(line, Comparison) for x in line.operands])


def pieces(w: Writer) -> Iterator[Instruction | Noted]:
    """The loops and the other lines of a function, in order."""
    within: Noted | None = None
    for line in flat(w.body):
        if within is None and not (isinstance(line, Shareable) and line.begins and line.loop in w.shared):
            yield line
            continue
        if within is None:
            assert isinstance(line, Shareable)
            within = Noted(line.loop, [])
        within.lines.append(line)
        if isinstance(line, Shareable) and not line.begins and line.loop == within.name:
            yield within
            within = None


def join(w: Writer) -> None:
    """Put the loops of a function together that had better be one."""
    if sum(loop.rows is not None for loop in w.shared.values()) < 2:
        return
    mentions, out, strip = mentioned(list(flat(w.body))), list[Instruction](), None
    for piece in pieces(w):
        if not isinstance(piece, Noted) and strip is not None and strip.passes(piece):
            strip.behind.append(piece)
            continue
        loop = w.shared[piece.name] if isinstance(piece, Noted) else None
        rows = None if loop is None or any(map(alone, loop.lines)) else loop.rows
        if strip is not None and isinstance(piece, Noted) and rows is not None and strip.joins(piece, rows):
            strip.add(piece, rows)
            continue
        out += strip.text(mentions) if strip is not None else []
        strip = None
        if isinstance(piece, Noted) and rows is not None:
            strip = Strip(w, piece, rows)
        else:
            out += piece.lines if isinstance(piece, Noted) else [piece]
    w.body[:] = [*out, *(strip.text(mentions) if strip is not None else [])]
