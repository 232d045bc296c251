"""Lists repeated, `xs * n`, and the sums of the cotangents of the copies."""

from __future__ import annotations

from typing import Any

from ccc.compile.native.cotangents import added, zeros
from ccc.compile.native.layout import Lst, words
from ccc.compile.native.sequences import item_at, listed, place
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.program.lam import Let
from ccc.primitives import lists


@handles(lists.repeated, facts=Facts(structural=True))
def repeated(m: Lowering, let: Let, xs: Any, n: Any) -> Lst:
    w, found = m.w, listed(m, xs)
    if found.layout is None:
        return found
    count = times(m, n)
    length = w.mul(found.length, count)
    size = w.mul(found.length, str(8 * len(words(found.layout))))
    out = Lst(found.layout, m.alloc(w.mul(size, count)), length, length)
    with w.counted(count) as k:
        at = place(m, out, w.mul(k, found.length))
        w.run("llvm.memcpy.p0.p0.i64", ("ptr", at), ("ptr", found.ptr), ("i64", size), ("i1", "false"))
    return out


@handles(lists.folded)
def folded(m: Lowering, let: Let, cts: Any, xs: Any, n: Any) -> Any:
    w, copies, whole = m.w, listed(m, cts), listed(m, xs)
    out = zeros(m, whole)
    if copies.layout is None or not isinstance(out, Lst) or out.layout is None:
        return out
    with w.counted(times(m, n)) as k:
        first = w.mul(k, whole.length)
        with w.counted(whole.length) as i:
            ct, at = item_at(m, copies, w.add(first, i)), place(m, out, i)
            m.write(added(m, m.read(out.layout, at), ct), out.layout, at)
    return out


def times(m: Lowering, n: Any) -> str:
    """How often, which is no time for a negative number."""
    return m.w.call("i64", "llvm.smax.i64", ("i64", m.number(n, "i64").text), ("i64", "0"))
