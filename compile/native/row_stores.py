"""Rows that a loop writes item by item, as rows: `values[start + k] = row[k]` for all k.

Where several runs of a loop around this go side by side, each has a row of its own, and the k-th items of all rows lie
side by side. To store these means to write to places apart, as often as rows are long. Here squares of items are
turned over in registers first, and each row is stored in whole vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ccc.compile.native.body import Body
from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.layout import Arr
from ccc.compile.native.table import applies
from ccc.compile.native.vectorize_line import label, turned
from ccc.compile.native.writer import Gap, flat
from ccc.compile.program.lam import Let, Loop, Var
from ccc.primitives import arithmetic, indexing, updating
from ccc.primitives.primitive import Primitive

if TYPE_CHECKING:
    from ccc.compile.native.lowering import Lowering

LONGEST = 64
"""Rows of more items are written item by item."""


def announced(m: Lowering, op: Loop, array: Any, count: str, before: Gap, text: Gap, done: str) -> None:
    """Say in the text before a loop that it writes a row, if it does nothing else."""
    found = row_of(m, op)
    if found is None or not isinstance(array, Arr) or not count.isdigit() or int(count) > LONGEST:
        return
    lines = list(flat(text))
    if any(line.startswith("  br") or " call " in line or line.endswith(":") for line in lines):
        return
    row, start = m.values.get(found[0]), "0" if found[1] is None else m.number(m.value(found[1])).text
    row = row.made.memory if isinstance(row, Member) else row
    w = m.w
    if isinstance(row, Arr) and all(w.stands_before(x, before) for x in (row.ptr, start, array.ptr)):
        with w.within(before):
            at = w.at_index("double", array.ptr, start)
            w.do(f"; store row {at} {row.ptr} {count} {done}")


def row_of(m: Lowering, op: Loop) -> tuple[Var, Any] | None:
    """The row that a loop writes to the array it carries, and from where on, None for 0; None where it does more."""
    body = op.body
    if op.carries != 1 or len(body.params) != 2 or len(body.results) != 1 or len(body.lets) not in (2, 3):
        return None
    array, k = body.params
    write = body.results[0].definition if isinstance(body.results[0], Var) else None
    if not isinstance(write, Let) or write not in m.module.bounds.inside or k not in m.module.bounds.from_zero:
        return None
    if not applies(write, updating.set_at) or write.args[0] is not array or len(write.args) != 3:
        return None
    read = write.args[1].definition if isinstance(write.args[1], Var) else None
    if not applied(read, indexing.index, body) or read.args[1:] != [k] or read.args[0].home is body:  # type: ignore[union-attr]
        return None
    row = read.args[0]  # type: ignore[union-attr]
    if {x.object.dtype for x in (array, row)} != {"float64"} or len(row.object.axes or ()) != 1:  # type: ignore[union-attr]
        return None
    if write.args[2] is k:
        return row, None  # type: ignore[return-value]
    place = write.args[2].definition if isinstance(write.args[2], Var) else None
    if not applied(place, arithmetic.add, body) or k not in place.args:  # type: ignore[union-attr]
        return None
    start = next((x for x in place.args if x is not k), k)  # type: ignore[union-attr]
    return None if isinstance(start, Var) and start.home is body else (row, start)  # type: ignore[return-value]


def applied(let: Any, primitive: Primitive, body: Any) -> bool:
    """Whether a let of a block applies a primitive."""
    return applies(let, primitive) and let in body.lets


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
    b.lines.append(f"  br label %{label(done, b)}")
    b.splats.clear()
    b.lines.append(f"{single if b.mask else b.w.fresh('items')}:")
