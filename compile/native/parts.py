"""Arrays made of parts of others, item by item, so that the loop that reads them need not wait for a copy: a
concatenation, and an array that is zero but for a slice.

    y = x * np.concatenate([np.ones(1), z[:-1]])       y[k] = x[k] * (1 if k < 1 else z[k - 1])

An item is read from each part where it is there (`guarded`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import conversions
from ccc.compile.native.arrays import broadcast_onto
from ccc.compile.native.code import Address, Choice, Comparison, Load, Operation, Variable, is_name
from ccc.compile.native.dtypes import FLOATING, ITEM, REALS
from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.guarded import guarded
from ccc.compile.native.instructions import CHECKED
from ccc.compile.native.items import item_of
from ccc.compile.native.layout import Arr, Lazy
from ccc.compile.native.slices import sliced
from ccc.compile.native.table import known
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Gap, Num, flat, real
from ccc.compile.program.lam import Let, Var

FEW = 3
"""So many parts an item is looked for in."""


def is_plain(line: Any) -> bool:
    """Whether a line computes an address, or reads an item."""
    match line:
        case Address():
            return line.inside
        case Comparison():
            return line.of == "i64"
        case Choice():
            return line.type == "i64"
        case Operation():
            return line.op in CHECKED and line.type == "i64"
        case Load():
            return line.type in FLOATING and is_name(line.at) and not isinstance(line.at, Variable)
        case _:
            return False


def readable(m: Lowering, v: Any) -> Any:
    """An array of which an item is read at an address that is computed from its index; one in memory, or a view."""
    return v if is_readable(m, v) else m.arr(v)


def is_readable(m: Lowering, v: Any) -> bool:
    """Whether an array is one of which an item is read at an address that is computed from its index."""
    if not isinstance(v, Lazy) or not v.view or isinstance(v, Member):
        return isinstance(v, Arr)
    trial = Gap()
    with m.w.within(trial):
        v.item(tuple([f"%t{k}" for k in range(len(v.axes))]))
    return all(map(is_plain, trial))


def read_where(m: Lowering, there: str, v: Any, *at: str) -> Num:
    """The item of a readable array at an index if it is there, else 0."""
    text = m.w.gap()
    with m.w.within(text):
        x = item_of(m, v, at)
    text[:] = guarded(flat(text), there)
    return x


def in_parts(m: Lowering, xs: Sequence[Any]) -> bool:
    """Whether a concatenation of these is read item by item: where the CPU reads vectors under masks."""
    return bool(m.w.lanes) and len(xs) <= FEW and all(map(is_row, xs)) and len({x.dtype for x in xs}) == 1


def is_row(x: Any) -> bool:
    """Whether a value is an array of reals of rank 1."""
    return isinstance(x, (Arr, Lazy)) and x.dtype in REALS and len(x.axes) == 1


def concatenated(m: Lowering, xs: Sequence[Any]) -> Lazy:
    """The concatenation of a few arrays of rank 1."""
    w, parts, dtype = m.w, [readable(m, x) for x in xs], xs[0].dtype
    starts, end = list[str](), "0"
    for part in parts:
        starts.append(end)
        end = together(m, end, part.axes[0])

    def item(k: str) -> str:
        found = ""
        for part, start in reversed(list(zip(parts, starts, strict=True))):
            here = w.sub(k, start)
            there = w.compare("ult", here, part.axes[0])
            x = read_where(m, there, part, here).text
            found = w.select(ITEM[dtype], there, x, found) if found else x
        return found

    return Lazy(dtype, (end,), lambda at: item(at[0]), item)


def together(m: Lowering, a: str, b: str) -> str:
    """The sum of two sizes, which is the same each time."""
    found = m.w.add(a, b)
    return m.sizes.parts.setdefault((m.sizes.name(a), ("and", m.sizes.name(b))), found)


def places(m: Lowering, let: Let) -> bool:
    """Whether a let adds a slice to zeros that are not there yet, and that nothing else reads."""
    zeros, v = let.args[:2]
    alone = isinstance(zeros, Var) and known(zeros.definition).fill == 0.0 and m.module.uses[zeros] == 1  # type: ignore[index]
    if not alone or not m.w.lanes:
        return False
    x, v, pattern = m.value(zeros), m.value(v), let.application.params["pattern"]
    one_slice = len(pattern) == 1 and pattern[0][0] == "s" and "3" not in pattern[0]
    return one_slice and isinstance(x, Lazy) and not isinstance(x, Member) and is_row(x) and is_row(v) and (
        x.dtype == v.dtype)


def placed(m: Lowering, let: Let, axes: tuple[str, ...], v: Any, numbers: Sequence[Any]) -> Lazy:
    """Zeros but for a slice, of which the items are given."""
    w = m.w
    (code,) = let.application.params["pattern"]
    start, _, count = sliced(m, code, [conversions.as_int(w, m.number(n)) for n in numbers], axes[0])
    broadcast_onto(m, v.axes, (count,))
    v = readable(m, v)

    def item(k: str) -> str:
        here = w.sub(k, start)
        there = w.compare("ult", here, count)
        x = read_where(m, there, v, here).text
        return w.select(ITEM[v.dtype], there, x, real(0.0))

    return Lazy(v.dtype, axes, lambda at: item(at[0]), item)
