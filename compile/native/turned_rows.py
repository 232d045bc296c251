"""Rows of all lanes, turned over in registers: squares of items whose rows become their columns."""

from __future__ import annotations

from ccc.compile.native.body import Body


def stored(at: str, row: str, count: str, done: str, b: Body) -> None:
    """Write the rows of all lanes; where not all of them count, what follows does."""
    to, lanes, vector = b.region(at), b.lanes, b.vector("double")
    if (b.kind(at), b.kind(row)) != ("places", "private") or not (to.outside and to.own) or to.added:
        return
    if b.region(row).arms != b.arms:
        return
    if b.mask:
        several, single = b.w.fresh("rows"), b.w.fresh("items")
        bits = b.op(f"bitcast {b.vector('i1')} {b.mask} to i{lanes}")
        all_ = b.op(f"icmp eq i{lanes} {bits}, -1")
        b.lines += [f"  br i1 {all_}, label %{several}, label %{single}", f"{several}:"]
        b.splats.clear()
    places = [b.op(f"extractelement {b.vector('ptr')} {b.own(at)}, i64 {lane}") for lane in range(lanes)]
    for k in range(0, int(count), lanes):
        long = min(lanes, int(count) - k)
        square = ["poison"] * lanes
        for i in range(long):
            item = b.op(f"getelementptr {vector}, ptr {b.own(row)}, i64 {k + i}")
            square[i] = b.op(f"load {vector}, ptr {item}, align 8")
        for x, place in zip(turned(square, b), places, strict=True):
            here = b.op(f"getelementptr double, ptr {place}, i64 {k}")
            if long == lanes:
                b.lines.append(f"  store {vector} {x}, ptr {here}, align 8")
                continue
            mask = b.vector("i1")
            name = b.intrinsic(f"llvm.masked.store.{b.masked('double')}.p0", "void", vector, "ptr", "i32", mask)
            some = ", ".join(f"i1 {str(i < long).lower()}" for i in range(lanes))
            b.lines.append(f"  call void {name}({vector} {x}, ptr {here}, i32 8, {mask} <{some}>)")
    b.lines.append(f"  br label %{b.label(done)}")
    b.splats.clear()
    b.lines.append(f"{single if b.mask else b.w.fresh('items')}:")


def turned(square: list[str], b: Body) -> list[str]:
    """A square of items whose rows become its columns."""
    lanes, vector, square, apart = b.lanes, b.vector("double"), list(square), 1
    while apart < lanes:
        for i in [i for i in range(lanes) if not i & apart]:
            upper = [e if not e & apart else lanes + e - apart for e in range(lanes)]
            lower = [e + apart if not e & apart else lanes + e for e in range(lanes)]
            pair = f"{vector} {square[i]}, {vector} {square[i + apart]}"
            for place, order in ((i, upper), (i + apart, lower)):
                mask = ", ".join(f"i32 {e}" for e in order)
                square[place] = b.op(f"shufflevector {pair}, <{lanes} x i32> <{mask}>")
        apart *= 2
    return square
