"""Rows of all lanes, turned over in registers: squares of items whose rows become their columns."""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.native.body import Body
from ccc.compile.native.builder import Builder
from ccc.compile.native.code import Label
from ccc.compile.native.lane_kinds import Kind


def stored(at: str, row: str, count: str, done: Label, b: Body) -> None:
    """Write the rows of all lanes; where not all of them count, what follows does."""
    to, lanes, vector = b.region(at), b.lanes, b.vector("double")
    if b.kind(at) is not Kind.PLACES or b.kind(row) is not Kind.PRIVATE or not (to.outside and to.own) or to.added:
        return
    if b.region(row).arms != b.arms:
        return
    if b.mask:
        several, single = b.w.block("rows"), b.w.block("items")
        bits = b.cast("bitcast", b.vector("i1"), b.mask, f"i{lanes}")
        all_ = b.compared("eq", f"i{lanes}", bits, "-1")
        b.fork(all_, several, single)
        b.start(several)
        b.splats.clear()
    places = [b.lane(b.vector("ptr"), b.own(at), str(lane)) for lane in range(lanes)]
    for k in range(0, int(count), lanes):
        long = min(lanes, int(count) - k)
        square = ["poison"] * lanes
        for i in range(long):
            item = b.address(vector, b.own(row), str(k + i))
            square[i] = b.load(vector, item, 8)
        for x, place in zip(turned(square, vector, b), places, strict=True):
            here = b.address("double", place, str(k))
            if long == lanes:
                b.store(vector, x, here, 8)
                continue
            mask = b.vector("i1")
            name = b.intrinsic(f"llvm.masked.store.{b.masked('double')}.p0", "void", vector, "ptr", "i32", mask)
            some = ", ".join(f"i1 {str(i < long).lower()}" for i in range(lanes))
            b.run(name, (vector, x), ("ptr", here), ("i32", "8"), (mask, f"<{some}>"))
    b.jump(b.label(done))
    b.splats.clear()
    b.start(single if b.mask else b.w.block("items"))


def turned(square: Sequence[str], vector: str, b: Builder) -> list[str]:
    """A square of items, in vectors of a type, whose rows become its columns."""
    lanes, square, apart = len(square), list(square), 1
    while apart < lanes:
        for i in [i for i in range(lanes) if not i & apart]:
            upper = [e if not e & apart else lanes + e - apart for e in range(lanes)]
            lower = [e + apart if not e & apart else lanes + e for e in range(lanes)]
            pair = square[i], square[i + apart]
            for place, order in ((i, upper), (i + apart, lower)):
                mask = ", ".join(f"i32 {e}" for e in order)
                square[place] = b.shuffled(vector, *pair, f"<{mask}>")
        apart *= 2
    return square
