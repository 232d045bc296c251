"""Rows that a loop writes item by item, as rows: `values[start + k] = row[k]` for all k.

Where several runs of a loop around this go side by side, each has a row of its own, and the k-th items of all rows lie
side by side. To store these means to write to places apart, as often as rows are long. Here squares of items are
turned over in registers first, and each row is stored in whole vectors.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.native.code import WAYS, Begin, Call, Checked, Label, Request
from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.layout import Arr
from ccc.compile.native.notes import StoredRow
from ccc.compile.native.table import applies
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Gap, flat
from ccc.compile.program.lam import Let, Loop, Var
from ccc.primitives import arithmetic, indexing, updating
from ccc.primitives.primitive import Primitive

LONGEST = 64
"""Rows of more items are written item by item."""


def announced(m: Lowering, op: Loop, array: Any, count: str, before: Gap, text: Gap, done: Label) -> None:
    """Say in the text before a loop that it writes a row, if it does nothing else."""
    found = row_of(m, op)
    if found is None or not isinstance(array, Arr) or not count.isdigit() or int(count) > LONGEST:
        return
    if any(isinstance(line, (*WAYS, Begin, Call, Checked, Request)) for line in flat(text)):
        return
    row, start = m.values.get(found[0]), "0" if found[1] is None else m.number(m.value(found[1])).text
    row = row.made.memory if isinstance(row, Member) else row
    w = m.w
    if isinstance(row, Arr) and all(w.stands_before(x, before) for x in (row.ptr, start, array.ptr)):
        with w.within(before):
            at = w.at_index("double", array.ptr, start)
            w.do(StoredRow(at, row.ptr, count, done))


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
