"""Sums of the rows of a matrix, a vector of them at a time.

The sum of one row ends with the lanes of a vector that come together, and is stored alone: who then reads the sums as
vectors waits for stores of single numbers. Here as many rows as a vector has lanes are summed up, and their vectors
come together in squares, half as many at each step:

    a0 a1 a2 a3    b0 b1 b2 b3    →    a0+a1 b0+b1 a2+a3 b2+b3    →    Σa Σb Σc Σd
    c0 c1 c2 c3    d0 d1 d2 d3    →    c0+c1 d0+d1 c2+c3 d2+d3
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ccc.compile.native.body import SUM
from ccc.compile.native.code import LEAVE, Call, Fork, Instruction, Store, made
from ccc.compile.native.nests import between_rows
from ccc.compile.native.parallel_parts import counted
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.vectorize_loop import is_ours
from ccc.compile.native.writer import Gap, Writer, flat

MOST = 80
"""Rows whose sum takes more lines are summed up one after the other."""


def row_sums(
    m: Lowering, count: str, length: str, rows: Callable[[Sequence[str]], Sequence[str]], ptr: str
) -> None:
    """Write `count` sums, each of a `length`, to memory in whole vectors; `rows` writes the sums of some rows, by their
    indices, in one loop, and gives the places of them. Where runs of a loop around this go side by side, rows go one
    after the other."""
    w, sizes = m.w, m.sizes.copy()

    def row(k: str) -> str:
        (place,) = rows([k])
        return place

    with between_rows(m, count, length, (count, length)) as (start, stop, along):
        several, alone = w.gap(), w.gap()
        with w.within(alone), counted(w, start, stop) as k:
            along.append(k)
            w.store("double", w.load("double", row(k)), w.at_index("double", ptr, k))
        text = list(flat(alone))
        if not w.lanes or len(text) > MOST or any(is_ours(line) or leaves(line) for line in text):
            return
        several.plain = list(flat(alone, plain=True))
        alone.clear()
        m.sizes = sizes  # what the one has tested, the other has to test
        type_ = f"<{w.lanes} x double>"
        with w.within(several), w.reaching(apart=True):
            whole = w.add(start, w.binary("and", "i64", w.sub(stop, start), str(-w.lanes)))
            with counted(w, start, whole, str(w.lanes)) as k:
                square = w.gap()
                with w.within(square):
                    places = rows([w.add(k, str(r)) for r in range(w.lanes)])
                w.store(type_, together(w, square, places), w.at_index("double", ptr, k), align=8)
            left, found = w.sub(stop, whole), w.local(type_)
            w.store(type_, "zeroinitializer", found)
            with w.counted(left) as i:
                place = row(w.add(whole, i))
                w.store(type_, placed(w, type_, w.load("double", place), i, w.load(type_, found)), found)
            some = w.cast("zext", "i1", w.compare("sgt", left, "0"), "i64")
            with w.counted(some):
                w.store(type_, w.load(type_, found), w.at_index("double", ptr, whole), align=8)


def placed(w: Writer, type_: str, x: str, i: str, rest: str) -> str:
    """A vector with a number in one lane."""
    integers = f"<{w.lanes} x i64>"
    here = w.splat("i64", i)
    ids = ", ".join(f"i64 {k}" for k in range(w.lanes))
    hit = w.compared("eq", integers, here, f"<{ids}>")
    return w.chosen(type_, hit, w.splat("double", x), rest, f"<{w.lanes} x i1>")


def together(w: Writer, square: Gap, places: Sequence[str]) -> str:
    """The vector of the sums that a text leaves in some places."""
    text = list(flat(square))
    given = made(text)
    stored = {line.at: line.value for line in text if isinstance(line, Store) and line.of == "double"}
    found = [summed(given.get(stored[place])) for place in places]
    type_ = f"<{w.lanes} x double>"
    vectors = [one for one in found if one]
    if len(vectors) < len(places):
        whole = "poison"
        for i, place in enumerate(places):
            whole = w.placed(type_, whole, w.load("double", place), str(i))
        return whole
    width = 1
    while len(vectors) > 1:
        vectors = [halved(w, type_, width, a, b) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
        width *= 2
    return vectors[0]


def leaves(line: Instruction) -> bool:
    """Whether the function may end early here."""
    return isinstance(line, Fork) and LEAVE in (line.then, line.orelse)


def summed(line: Instruction | None) -> str:
    """The vector whose lanes a line adds up; "" where it does something else."""
    if not isinstance(line, Call) or line.intrinsic != "vector.reduce.fadd" or line.flags != "reassoc nsz":
        return ""
    return line.operands[1]


def halved(w: Writer, type_: str, width: int, a: str, b: str) -> str:
    """Sums of neighbouring groups of `width` lanes of two vectors, in turn."""
    low = [w.lanes * (i // width % 2) + i // (2 * width) * 2 * width + i % width for i in range(w.lanes)]
    parts = [shuffled(w, type_, a, b, places) for places in (low, [i + width for i in low])]
    return w.binary("fadd", type_, parts[0], parts[1], SUM)


def shuffled(w: Writer, type_: str, a: str, b: str, places: Sequence[int]) -> str:
    mask = ", ".join(f"i32 {i}" for i in places)
    return w.shuffled(type_, a, b, f"<{mask}>")
