"""Positions and slices along an axis, checked and clipped as Python does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native.code import is_name
from ccc.compile.native.items import Axes
from ccc.compile.native.under_way import Lowering


def index_checked(m: Lowering, i: str, n: str) -> str:
    """A position below `n` from an index that may count from the end; leaves where there is no such item."""
    w = m.w
    if m.sure:
        return i
    if not is_name(i) and int(i) < 0:
        found = w.add(n, i)
        m.guard("slt", found, "0")
        return found
    known = m.counted.get(i)
    if known is not None:
        counted, moved = known
        surely = len(w.loops) == counted.depth and w.tests == 0
        start = int(counted.start) + moved if not is_name(counted.start) else -1
        if surely and start >= 0 and all(w.stands_before(x, counted.gap) for x in (n, counted.stop, counted.start)):
            with w.within(counted.gap):
                runs = w.compare("slt", counted.start, counted.stop)
                over = w.compare("sgt", w.add(counted.stop, str(moved)), n)
                w.leave(w.binary("and", "i1", runs, over))
            return i
    if is_name(i):
        i = wrapped(m, i, n)
    if i != "0" or n == "0" or is_name(n):
        m.guard("uge", i, n)
    return i


def wrapped(m: Lowering, i: str, n: str) -> str:
    """A place on an axis, which may be counted from its end."""
    w = m.w
    return w.select("i64", w.compare("slt", i, "0"), w.add(i, n), i)


class Region:
    """The part of an array that an index says: its axes, and where an item of it stands in the array; of integers and
    slices, where each starts and how far apart it takes items (`strided.part`)."""

    def __init__(
        self, axes: Axes, at: Callable[[Sequence[str]], list[str]], lead: list[str], whole: int,
        pieces: Sequence[tuple[str, str] | None] | None = None,
    ) -> None:
        self.pieces = pieces
        self.axes = axes
        self.at = at
        self.lead = lead
        self.whole = whole  # axes of the array behind the leading integers that are taken whole; -1: others are not


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
    base, moved = m.moved.get(stop, (stop, 0)) if is_name(stop) else ("", int(stop))
    first, by = m.moved.get(start, (start, 0)) if is_name(start) else ("", int(start))
    if base != first or moved - by != 1 or (not base and by < 0):
        return ""
    m.guard("uge", start, n)
    return start


def sliced(m: Lowering, code: str, numbers: list[str], n: str) -> tuple[str, str, str]:
    """Start, step and count of a slice, clipped as Python does."""
    w = m.w
    given = iter(numbers)
    start, stop, step = [next(given) if c in code else None for c in "123"]
    if step is not None and is_name(step):
        return sliced_by(m, start, stop, step, n)
    by = int(step) if step is not None else 1
    if by == 0:
        w.leave("true")
        by = 1
    if not any(x is not None and is_name(x) for x in (start, stop, n)):
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
        if not is_name(i) and int(i) == 0 and by > 0:
            return "0"
        if is_name(i):
            i = wrapped(m, i, n)
        elif int(i) < 0:
            i = w.add(n, i)
        i = w.call("i64", "llvm.smax.i64", ("i64", i), ("i64", low))
        return w.call("i64", "llvm.smin.i64", ("i64", i), ("i64", high))

    first, last = clipped(start, low if by > 0 else high), clipped(stop, high if by > 0 else low)
    gap = w.sub(last, first) if by > 0 else w.sub(first, last)
    if abs(by) > 1:
        gap = w.sdiv(w.add(gap, str(abs(by) - 1)), str(abs(by)))
    count = gap if first == "0" and last == n else w.call("i64", "llvm.smax.i64", ("i64", gap), ("i64", "0"))
    if not any(x is not None and is_name(x) for x in (start, stop)):
        same_each_time(m, n, (start, stop, by), count)
    return first, str(by), count


def left_out(start: str | None, stop: str | None) -> tuple[int, int] | None:
    """How many items a slice leaves out before and behind, where it says so: `x[1:-2]`, `x[3:]`, `x[:-1]`."""
    if any(end is not None and is_name(end) for end in (start, stop)) or stop == "0":
        return None
    before, behind = int(start or 0), -int(stop or 0)
    return (before, behind) if before >= 0 and behind >= 0 else None


def shortened(m: Lowering, n: str, by: int) -> str:
    """What is left of a size without so many items at the ends."""
    if by == 0 or not is_name(n):
        return str(max(int(n) - by, 0)) if by else n
    w = m.w
    left = w.call("i64", "llvm.smax.i64", ("i64", w.sub(n, str(by))), ("i64", "0"))
    same_each_time(m, n, by, left)
    return left


def same_each_time(m: Lowering, n: str, part: Any, left: str) -> None:
    """Note how many items a part of an axis has, which is the same for each axis of that size."""
    if m.inside is None and is_name(left):
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
