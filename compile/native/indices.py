"""Indices that are numbers and slices: the part of an array that they name, read and written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import columns, parts, scalars
from ccc.compile.native.arrays import (
    Axes,
    broadcast_onto,
    forced,
    fresh_copy,
    item_of,
    load,
    nest,
    of_rank,
    offset,
    store,
)
from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative, number
from ccc.compile.native.lowering import Lowering
from ccc.compile.native.table import Facts, applies, handles
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Let
from ccc.primitives import indexing, updating


def index_checked(m: Lowering, i: str, n: str) -> str:
    """A position below `n` from an index that may count from the end; leaves where there is no such item."""
    w = m.w
    if m.sure:
        return i
    if not i.startswith("%") and int(i) < 0:
        found = w.add(n, i)
        m.guard("slt", found, "0")
        return found
    known = m.counted.get(i)
    if known is not None:
        counted, moved = known
        surely = len(w.loops) == counted.depth and w.tests == 0
        start = int(counted.start) + moved if not counted.start.startswith("%") else -1
        if surely and start >= 0 and all(w.stands_before(x, counted.gap) for x in (n, counted.stop, counted.start)):
            with w.within(counted.gap):
                runs = w.compare("slt", counted.start, counted.stop)
                over = w.compare("sgt", w.add(counted.stop, str(moved)), n)
                w.leave(w.binary("and", "i1", runs, over))
            return i
    if i.startswith("%"):
        behind = w.compare("slt", i, "0")
        i = w.select("i64", behind, w.add(i, n), i)
    if not (i == "0" and n not in ("0",) and not n.startswith("%")):
        m.guard("uge", i, n)
    return i


class Region:
    """The part of an array that an index says: its axes, and where an item of it stands in the array."""

    def __init__(self, axes: Axes, at: Callable[[Sequence[str]], list[str]], lead: list[str], whole: int) -> None:
        self.axes = axes
        self.at = at
        self.lead = lead
        self.whole = whole  # axes of the array behind the leading integers that are taken whole; -1: others are not


def region(m: Lowering, axes: Axes, pattern: Sequence[str], numbers: Sequence[Any]) -> Region:
    """What an index pattern says of an array with these axes."""
    w = m.w
    given = iter(numbers)
    used = axes_used(pattern, numbers)
    if used > len(axes):
        raise NotNative("an index with too many parts")
    codes: list[str] = []
    for code in pattern:
        codes += ["s"] * (len(axes) - used) if code == "." else [code]
    if "." not in pattern:
        codes += ["s"] * (len(axes) - used)
    if "a" in codes and (codes.count("a") > 1 or "i" in codes or not plain_index(numbers[0], codes)):
        from ccc.compile.native.gathers import gathering

        return gathering(m, axes, codes, numbers)
    out: list[str] = []
    takes: list[Callable[[Sequence[str]], str]] = []
    lead: list[str] = []
    leading, plain, position = True, True, 0
    for code in codes:
        if code == "+":
            out.append("1")
            leading, plain = False, False
            continue
        n = axes[position]
        position += 1
        if code == "i":
            i = index_checked(m, scalars.as_int(w, m.number(next(given))), n)
            takes.append(lambda at, i=i: i)
            if leading:
                lead.append(i)
            else:
                plain = False
            continue
        leading = False
        place = len(out)
        if code == "s":
            out.append(n)
            takes.append(lambda at, p=place: at[p])
        elif code == "a":
            by = m.arr(next(given))
            with w.counted(by.axes[0]) as k:  # all of them before anything is read
                index_checked(m, load(m, "int64", by.ptr, k), n)
            out.append(by.axes[0])
            takes.append(lambda at, p=place, by=by, n=n: wrapped(m, load(m, "int64", by.ptr, at[p]), n))
            plain = False
        else:
            start, step, count = sliced(m, code, [scalars.as_int(w, m.number(next(given))) for _ in code[1:]], n)
            out.append(count)
            takes.append(lambda at, p=place, a=start, s=step: w.add(a, w.mul(at[p], s)))
            plain = False
    return Region(tuple(out), lambda at: [take(at) for take in takes], lead, len(axes) - len(lead) if plain else -1)


def axes_used(pattern: Sequence[str], numbers: Sequence[Any]) -> int:
    """How many axes an index speaks of: a mask of all that it has."""
    given, used = iter(numbers), 0
    for code in pattern:
        x = [next(given) for _ in (code[1:] if code[0] == "s" else code if code in "ia" else "")]
        used += len(x[0].axes) if code == "a" and x[0].dtype == "bool" else code not in (".", "+")
    return used


def plain_index(by: Any, codes: Sequence[str]) -> bool:
    """Whether an index starts with an array of integers of rank 1, and has slices of whole axes behind it."""
    return codes[0] == "a" and by.dtype == "int64" and len(by.axes) == 1 and set(codes[1:]) <= {"s"}


def wrapped(m: Lowering, i: str, n: str) -> str:
    w = m.w
    return w.select("i64", w.compare("slt", i, "0"), w.add(i, n), i)


def single(m: Lowering, start: str | None, stop: str | None, n: str) -> str:
    """The place of the only item of a slice `i : i + 1`, `: 1` or `-1 :` of an axis that has it, which may be
    broadcast; "" for other slices."""
    start = "0" if start is None else start
    from_end = start == "-1" if stop is None else start.startswith("-") and stop == str(int(start) + 1) != "0"
    if from_end:
        m.guard("ugt", start[1:], n)
        return m.w.sub(n, start[1:])
    if stop is None:
        return ""
    base, moved = m.moved.get(stop, (stop, 0)) if stop.startswith("%") else ("", int(stop))
    first, by = m.moved.get(start, (start, 0)) if start.startswith("%") else ("", int(start))
    if base != first or moved - by != 1 or (not base and by < 0):
        return ""
    m.guard("uge", start, n)
    return start


def sliced(m: Lowering, code: str, numbers: list[str], n: str) -> tuple[str, str, str]:
    """Start, step and count of a slice, clipped as Python does."""
    w = m.w
    given = iter(numbers)
    start, stop, step = [next(given) if c in code else None for c in "123"]
    if step is not None and step.startswith("%"):
        return sliced_by(m, start, stop, step, n)
    by = int(step) if step is not None else 1
    if by == 0:
        w.leave("true")
        by = 1
    if not any(x is not None and x.startswith("%") for x in (start, stop, n)):
        ends = [None if x is None else int(x) for x in (start, stop)]
        chosen = range(int(n))[ends[0] : ends[1] : by]
        return str(chosen.start), str(by), str(len(chosen))
    if step is None:
        one = single(m, start, stop, n)
        if one:
            return one, "1", "1"
        ends = left_out(start, stop)
        if ends is not None:
            return str(ends[0]), "1", shortened(m, n, sum(ends))
    if by == -1 and start is None and stop is None:
        return w.sub(n, "1"), "-1", n
    low, high = ("0", n) if by > 0 else ("-1", w.sub(n, "1"))

    def clipped(i: str | None, default: str) -> str:
        if i is None:
            return default
        if not i.startswith("%") and int(i) == 0 and by > 0:
            return "0"
        if i.startswith("%"):
            i = w.select("i64", w.compare("slt", i, "0"), w.add(i, n), i)
        elif int(i) < 0:
            i = w.add(n, i)
        i = w.call("i64", "llvm.smax.i64", ("i64", i), ("i64", low))
        return w.call("i64", "llvm.smin.i64", ("i64", i), ("i64", high))

    first, last = clipped(start, low if by > 0 else high), clipped(stop, high if by > 0 else low)
    gap = w.sub(last, first) if by > 0 else w.sub(first, last)
    if abs(by) > 1:
        gap = w.sdiv(w.add(gap, str(abs(by) - 1)), str(abs(by)))
    count = gap if first == "0" and last == n else w.call("i64", "llvm.smax.i64", ("i64", gap), ("i64", "0"))
    if not any(x is not None and x.startswith("%") for x in (start, stop)):
        same_each_time(m, n, (start, stop, by), count)
    return first, str(by), count


def left_out(start: str | None, stop: str | None) -> tuple[int, int] | None:
    """How many items a slice leaves out before and behind, where it says so: `x[1:-2]`, `x[3:]`, `x[:-1]`."""
    if any(end is not None and end.startswith("%") for end in (start, stop)) or stop == "0":
        return None
    before, behind = int(start or 0), -int(stop or 0)
    return (before, behind) if before >= 0 and behind >= 0 else None


def shortened(m: Lowering, n: str, by: int) -> str:
    """What is left of a size without so many items at the ends."""
    if by == 0 or not n.startswith("%"):
        return str(max(int(n) - by, 0)) if by else n
    w = m.w
    left = w.call("i64", "llvm.smax.i64", ("i64", w.sub(n, str(by))), ("i64", "0"))
    same_each_time(m, n, by, left)
    return left


def same_each_time(m: Lowering, n: str, part: Any, left: str) -> None:
    """Note how many items a part of an axis has, which is the same for each axis of that size."""
    if m.inside is None and left.startswith("%"):
        known = m.sizes.parts.setdefault((m.sizes.name(n), part), left)
        if known != left:
            m.sizes.equal[left] = known


def sliced_by(m: Lowering, start: str | None, stop: str | None, step: str, n: str) -> tuple[str, str, str]:
    """The same with a step that is computed; leaves where that is 0."""
    w = m.w
    m.guard("eq", step, "0")
    forward = w.compare("sgt", step, "0")
    low, high = w.select("i64", forward, "0", "-1"), w.select("i64", forward, n, w.sub(n, "1"))

    def clipped(i: str | None, default: str) -> str:
        if i is None:
            return default
        i = w.select("i64", w.compare("slt", i, "0"), w.binary("add", "i64", i, n), i)
        i = w.call("i64", "llvm.smax.i64", ("i64", i), ("i64", low))
        return w.call("i64", "llvm.smin.i64", ("i64", i), ("i64", high))

    first = clipped(start, w.select("i64", forward, low, high))
    last = clipped(stop, w.select("i64", forward, high, low))
    return first, step, steps(m, first, last, step)


def steps(m: Lowering, start: str, stop: str, step: str) -> str:
    """How many numbers there are from `start` until `stop` by a step that is not 0."""
    w = m.w
    forward = w.compare("sgt", step, "0")
    ends = [w.select("i64", forward, a, b) for a, b in ((stop, start), (start, stop))]
    size = w.select("i64", forward, step, w.binary("sub", "i64", "0", step))
    pair = w.checked("ssub", ends[0], ends[1])
    w.leave(w.part(pair, 1))
    gap = w.part(pair, 0)
    whole = w.binary("udiv", "i64", w.binary("sub", "i64", gap, "1"), size)
    return w.select("i64", w.compare("sgt", gap, "0"), w.binary("add", "i64", whole, "1"), "0")


@handles(indexing.index, updating.take_at, facts=Facts(reads=1))
def index(m: Lowering, let: Let, x: Any, *numbers: Any) -> Any:
    params = let.op.params  # type: ignore[attr-defined]
    pattern = params["pattern"]
    sizes = let.targets[0] in m.module.sizes_alone and isinstance(x, Arr | Lazy)
    source = x if sizes or (isinstance(x, Lazy) and x.view) else m.arr(x)
    r = region(m, source.axes, pattern, numbers)
    if not r.axes and "." not in pattern:
        return item_of(m, source, r.at(()))
    kept = m.columns.get(let.args[0]) if m.columns else None  # type: ignore[arg-type]
    if kept is not None and pattern in columns.PATTERNS and r.axes in (source.axes[:1], (source.axes[0], "1")):
        return columns.column(m, kept, r.at(["0"] * len(r.axes))[1], r.axes)
    if isinstance(source, Arr) and r.whole >= 0 and applies(let, indexing.index):
        position = offset(m, source.axes, [*r.lead, *["0"] * r.whole])
        return Arr(source.dtype, m.w.at_index(ITEM[source.dtype], source.ptr, position), r.axes)
    return Lazy(source.dtype, r.axes, lambda at: item_of(m, source, r.at(at)).text, view=True)


def writable(m: Lowering, let: Let, x: Any) -> Arr:
    """The array that a let may change: the one it is given, or a copy."""
    if not isinstance(x, Arr | Lazy | Member):
        raise NotNative("an array without axes that is indexed")
    if let in m.module.overwritten and isinstance(x, Arr | Member):
        return m.arr(x)
    return forced(m, fresh_copy(m, x))


@handles(updating.set_at, adds=False, facts=Facts(writes=2))
@handles(indexing.add_at, adds=True, facts=Facts(writes=2, adds=(0,)))
def set_at(m: Lowering, let: Let, x: Any, v: Any, *numbers: Any, adds: bool) -> Arr | Lazy:
    if adds and parts.places(m, let):
        return parts.placed(m, let, x.axes, v, numbers)
    out = writable(m, let, x)
    pattern = let.op.params["pattern"]  # type: ignore[attr-defined]
    r = region(m, out.axes, pattern, numbers)
    if isinstance(v, Arr) and v.axes:
        v = forced(m, fresh_copy(m, v))  # it may share memory with the array
    elif isinstance(v, Lazy) and not (m.apart and "a" not in pattern):
        v = m.arr(v)
    elif not isinstance(v, Arr | Lazy):
        v = m.number(v)
    if isinstance(v, Arr | Lazy) and len(v.axes) > len(r.axes):
        whole = not adds and (r.axes or "." in pattern) and not any(getattr(n, "dtype", "") == "bool" for n in numbers)
        if not whole:
            raise NotNative("an assignment that NumPy does not take")
        v = of_rank(m, v, len(r.axes))
    if isinstance(v, Arr | Lazy):
        broadcast_onto(m, v.axes, r.axes)
    with nest(m, r.axes, ordered="a" in pattern) as at:
        k = offset(m, out.axes, r.at(at))
        new = item_of(m, v, at)
        if adds:
            new = scalars.add(m.w, False, Num(number(out.dtype), load(m, out.dtype, out.ptr, k)), new)
        store(m, new, out.dtype, out.ptr, k)
    return out
