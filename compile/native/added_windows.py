"""Sums into windows of one array, one after the other, as loops that read and write each item once.

    x[:-2] += a;  x[1:-1] += b;  x[2:] += c            for i:  x[i] = x[i] + a[i] + b[i - 1] + c[i - 2]

is what a stencil has as its derivative. To each item the same is added, in the same order where all windows have it.
Items that only some of the windows have are few: those at the ends of a row, and rows at the borders of the others.
Windows that have the same places there are added to at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import conversions, scalars
from ccc.compile.native.apart import lie_apart
from ccc.compile.native.arrays import broadcast_onto, forced, fresh_copy
from ccc.compile.native.code import is_name
from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.items import item_of, load, offset, store
from ccc.compile.native.layout import Arr, Lazy, number
from ccc.compile.native.nests import product, shared_runs
from ccc.compile.native.slices import sliced
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Let
from ccc.values import value


@value(eq=False)
class Window:
    """A part of an array: where it starts, and how many places it has, on each axis; and what is added there."""

    starts: Sequence[str]
    counts: Sequence[str]
    added: Any


def may_wait(m: Lowering, let: Let, v: Any) -> bool:
    """Whether what a let adds is the same once the windows before it have been added to: nothing waits yet, or it lies
    elsewhere."""
    return not m.windows or lies_apart(m, let, v)


def lies_apart(m: Lowering, let: Let, v: Any) -> bool:
    """Whether what a let adds lies elsewhere than what it adds to."""
    if isinstance(v, Arr | Member) and v.axes:
        return lie_apart(m, *let.args[:2])
    return not isinstance(v, Lazy) or m.apart


def waiting(m: Lowering, let: Let, row: Sequence[Let], out: Arr, v: Any, numbers: Sequence[Any]) -> Arr:
    """The array that a let adds to: it is done with the last one of the row."""
    if not isinstance(v, (Arr, Lazy)) or not v.axes:
        v = m.number(v)
    elif not lies_apart(m, let, v):
        v = forced(m, fresh_copy(m, v)) if isinstance(v, Arr) else m.arr(v)
    elif isinstance(v, Member):
        v = m.arr(v)
    m.windows.append(window(m, out, let.application.params["pattern"], numbers, v))
    if let is row[-1]:
        add_waiting(m, out)
    return out


def add_waiting(m: Lowering, out: Arr) -> None:
    """Add what waits to be added to an array."""
    windows, m.windows = m.windows, []
    if windows:
        add_all(m, out, windows)


def window(m: Lowering, out: Arr, pattern: Sequence[str], numbers: Sequence[Any], v: Any) -> Window:
    """What slices say of an array."""
    given = iter(numbers)
    codes = [*pattern, *["s"] * (len(out.axes) - len(pattern))]
    parts = [sliced(m, code, [conversions.as_int(m.w, m.number(next(given))) for _ in code[1:]], n)
             for code, n in zip(codes, out.axes, strict=True)]
    counts = tuple([count for _, _, count in parts])
    if not isinstance(v, Num):
        broadcast_onto(m, v.axes, counts)
    return Window([start for start, _, _ in parts], counts, v)


def add_all(m: Lowering, out: Arr, windows: Sequence[Window]) -> None:
    """Write the loops for all windows."""
    w = m.w
    bounds = [borders(m, windows, axis) for axis in range(len(out.axes))]
    some = [borders(m, alike, -1) for alike in of_one_span(m, windows, range(len(out.axes) - 1))]

    def rows(axis: int, at: list[str]) -> None:
        if axis < len(out.axes) - 1:
            first, stop = (extreme(m, "smin", [x.starts[axis] for x in windows]),
                           extreme(m, "smax", [end(m, x, axis) for x in windows]))
            count, row = w.sub(stop, first), product(m, out.axes[axis + 1 :])
            with w.counted(count) if axis else shared_runs(m, count, row, (count, *out.axes[1:])) as i:
                rows(axis + 1, [*at, w.add(first, i)])
            return
        tests = [w.compare(how, i, bound) for i, (low, high) in zip(at, bounds, strict=False)
                 for how, bound in (("sge", low), ("slt", high))]
        chosen(m, tests, lambda: row_of_all(m, out, windows, at, bounds[-1]),
               lambda: some_of_all(m, out, windows, at, some))

    rows(0, [])


def chosen(m: Lowering, tests: Sequence[str], run: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """One text where all tests hold, another one where one does not."""
    if not tests:
        run()
        return
    test = tests[0]
    for other in tests[1:]:
        test = m.w.binary("and", "i1", test, other)
    m.w.choose(test, run, otherwise)


def borders(m: Lowering, windows: Sequence[Window], axis: int) -> tuple[str, str]:
    """Between which places on an axis all windows are: from the first on, below the second, which is not less."""
    low = extreme(m, "smax", [x.starts[axis] for x in windows])
    return low, extreme(m, "smax", [low, extreme(m, "smin", [end(m, x, axis) for x in windows])])


def end(m: Lowering, x: Window, axis: int) -> str:
    return m.w.add(x.starts[axis], x.counts[axis])


def extreme(m: Lowering, how: str, numbers: Sequence[str]) -> str:
    """The least (`smin`) or the largest (`smax`) of some integers."""
    known = [int(x) for x in numbers if not is_name(x)]
    literal = [str(min(known) if how == "smin" else max(known))] if known else []
    first, *others = dict.fromkeys([*literal, *filter(is_name, numbers)])
    for other in others:
        first = m.w.call("i64", f"llvm.{how}.i64", ("i64", first), ("i64", other))
    return first


def row_of_all(m: Lowering, out: Arr, windows: Sequence[Window], at: list[str], bounds: tuple[str, str]) -> None:
    """A row that all windows have: between its ends all at once, and there those that have the same places."""
    w, (low, high) = m.w, bounds
    with w.each(w.sub(high, low)) as i:
        add(m, out, windows, [*at, w.add(low, i)])
    for alike in of_one_span(m, windows, [len(at)]):
        start, stop = alike[0].starts[-1], end(m, alike[0], -1)
        if start != low:
            with w.counted(w.sub(extreme(m, "smin", [low, stop]), start)) as i:
                add(m, out, alike, [*at, w.add(start, i)])
        with w.counted(extreme(m, "smax", [w.sub(stop, high), "0"])) as i:
            add(m, out, alike, [*at, w.add(high, i)])


def of_one_span(m: Lowering, windows: Sequence[Window], axes: Sequence[int]) -> list[list[Window]]:
    """The windows in groups that have the same places on some axes."""
    found: dict[tuple[tuple[str, str], ...], list[Window]] = {}
    for x in windows:
        found.setdefault(tuple([(x.starts[k], m.sizes.name(x.counts[k])) for k in axes]), []).append(x)
    return list(found.values())


def some_of_all(
    m: Lowering, out: Arr, windows: Sequence[Window], at: list[str], bounds: Sequence[tuple[str, str]]
) -> None:
    """A row that some windows have: those at once that have the same rows; `bounds` are theirs on the last axis."""
    w = m.w

    def row(alike: list[Window], its: tuple[str, str]) -> None:
        if len(alike) > 1:
            row_of_all(m, out, alike, at, its)
            return
        with w.each(alike[0].counts[-1]) as i:
            add(m, out, alike, [*at, w.add(alike[0].starts[-1], i)])

    for alike, its in zip(of_one_span(m, windows, range(len(at))), bounds, strict=True):
        tests = [test for axis, i in enumerate(at) for test in (
            w.compare("sge", i, alike[0].starts[axis]), w.compare("slt", i, end(m, alike[0], axis)))]
        chosen(m, tests, lambda alike=alike, its=its: row(alike, its), lambda: None)


def add(m: Lowering, out: Arr, windows: Sequence[Window], at: Sequence[str]) -> None:
    """Add to one item what windows have there."""
    k = offset(m, out.axes, at)
    total = Num(number(out.dtype), load(m, out.dtype, out.ptr, k))
    for x in windows:
        here = [m.w.sub(i, start) for i, start in zip(at, x.starts, strict=True)]
        total = scalars.add(m.w, False, total, item_of(m, x.added, here))
    store(m, total, out.dtype, out.ptr, k)
