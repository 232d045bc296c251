"""Copies of views: by rows where these lie together; by squares of items that are turned over in registers where items
lie one behind the other along another axis, as in a transpose.

    out[i, j] = x[j, i]      a, b, ... = x[j, i : i + 8], x[j + 1, i : i + 8], ...
                             out[i, j : j + 8] = a[0], b[0], ...

So memory is read and written in whole vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from math import gcd, prod

from ccc.compile.native import strided
from ccc.compile.native.dtypes import bytes_of
from ccc.compile.native.items import Axes, offset
from ccc.compile.native.layout import ITEM
from ccc.compile.native.nests import nest, product, shared_runs
from ccc.compile.native.sizes import SMALL
from ccc.compile.native.turned_rows import turned
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import flat

LINE, SETS, WAYS = 64, 64, 16
"""Of the first cache: the bytes of a line, how many sets of lines it has, and twice how many are in each: few more than
fit lie in the next one."""
TILE = 32
"""So many rows of what is written are turned over side by side: of what is read, as many items lie together."""


def copied(m: Lowering, of: strided.Strided, axes: Axes, ptr: str, new: bool) -> bool:
    """Write the items of a view one behind the other, by whole rows or vectors, if they lie so; whether they do."""
    long, steps = strided.long_axes(m, of, axes)
    if len(long) < 2:
        return False
    if steps[-1] == (1, ()):
        rows_copied(m, of, tuple(long), steps, ptr, new)
        return True
    if not lost(m, of, long, steps):
        return False
    w, sizes = m.w, tuple(long)
    squares, plain = w.gap(), w.gap()
    with w.within(squares):
        turned_copied(m, of, sizes, steps, ptr, new)
    with w.within(plain), nest(m, sizes) as at:
        one_by_one(m, of, sizes, steps, ptr, dict(enumerate(at)))
    squares.plain = list(flat(plain, plain=True))  # where runs of a loop around this go side by side
    plain.clear()
    return True


def is_turned(m: Lowering, of: strided.Strided | None, axes: Axes) -> bool:
    """Whether a view had better be copied by squares before it is read in its order."""
    return of is not None and (1, ()) in of.steps[:-1] and lost(m, of, *strided.long_axes(m, of, axes))


def lost(m: Lowering, of: strided.Strided, long: Sequence[str], steps: Sequence[strided.Step]) -> bool:
    """Whether the items of a view lie one behind the other along an axis that is not the last one, both are long, and
    the lines of the cache that a row is read from are too many for the places that they may be in: then each would be
    read again for the next row. That is as it was in the first call; so it is where steps are powers of two."""
    if not m.w.lanes or of.of.dtype == "bool" or len(long) < 2 or (1, ()) not in steps[:-1]:
        return False
    number, sizes = steps[-1]
    known = [m.at_first(x) for x in (long[steps.index((1, ()))], long[-1], *sizes)]
    if None in known:
        return False
    rows, count, *factors = [int(n or 0) for n in known]
    places = max(1, SETS * LINE // gcd(prod([number, *factors]) * int(bytes_of(of.of.dtype)), SETS * LINE))
    return min(rows, count) > SMALL and count > WAYS * min(places, SETS)


def first_of(m: Lowering, of: strided.Strided, at: Sequence[tuple[str, strided.Step]]) -> str:
    """Where the item is that stands at some indices, each times a step."""
    first = "0"
    for index, one in (*of.starts, *at):
        first = m.w.add(first, strided.times(m, index, one))
    return first


def rows_copied(
    m: Lowering, of: strided.Strided, sizes: Axes, steps: Sequence[strided.Step], ptr: str, new: bool
) -> None:
    w, item = m.w, ITEM[of.of.dtype]
    with nest(m, sizes[:-1], ordered=True, apart=new) as at:
        first = first_of(m, of, list(zip(at, steps, strict=False)))
        row, to = w.at_index(item, of.of.ptr, first), w.at_index(item, ptr, offset(m, sizes, [*at, "0"]))
        with w.each(sizes[-1]) as k:
            w.store(item, w.load(item, w.at_index(item, row, k)), w.at_index(item, to, k))


def turned_copied(
    m: Lowering, of: strided.Strided, sizes: Axes, steps: Sequence[strided.Step], ptr: str, new: bool
) -> None:
    """Tile by tile: whole squares first, then the items that are in none."""
    w, lanes = m.w, m.w.lanes
    p, last = steps.index((1, ())), len(sizes) - 1
    others, tile = [i for i in range(last) if i != p], TILE // lanes * lanes
    below = product(m, sizes[p + 1 :])
    whole = w.binary("and", "i64", sizes[p], str(-lanes))
    tiles = w.sdiv(w.add(whole, str(tile - 1)), str(tile))
    columns = w.binary("and", "i64", sizes[last], str(-lanes))
    with ExitStack() as stack:
        row = product(m, [str(tile), *[sizes[i] for i in others], sizes[last]])
        runs = shared_runs(m, tiles, row, sizes) if new else w.counted(tiles)
        start = w.mul(stack.enter_context(runs), str(tile))
        end = w.call("i64", "llvm.smin.i64", ("i64", w.add(start, str(tile))), ("i64", whole))
        at = stack.enter_context(nest(m, [sizes[i] for i in others], ordered=True))
        square(m, of, sizes, steps, ptr, dict(zip(others, at, strict=True)), (p, start, end), columns, below)
    left = w.sub(sizes[p], whole)
    with nest(m, [*[sizes[i] for i in others], left, sizes[last]], ordered=True) as (*at, i, j):
        one_by_one(m, of, sizes, steps, ptr, {**dict(zip(others, at, strict=True)), p: w.add(whole, i), last: j})


def square(
    m: Lowering, of: strided.Strided, sizes: Axes, steps: Sequence[strided.Step], ptr: str, at: dict[int, str],
    rows: tuple[int, str, str], columns: str, below: str,
) -> None:
    """The rows of what is written from one on to below another one, along an axis."""
    w, lanes, item, last = m.w, m.w.lanes, ITEM[of.of.dtype], len(sizes) - 1
    p, start, end = rows
    vector = f"<{lanes} x {item}>"
    count = w.sub(end, start)
    with w.counted(columns, lanes) as j, w.counted(count, lanes) as k:
        i = w.add(start, k)
        found = list[str]()
        for r in range(lanes):
            here = {**at, p: i, last: w.add(j, str(r))}
            first = first_of(m, of, [(here[axis], steps[axis]) for axis in range(len(sizes))])
            found.append(w.load(vector, w.at_index(item, of.of.ptr, first), 8))
        to = offset(m, sizes, [{**at, p: i, last: j}[axis] for axis in range(len(sizes))])
        for r, x in enumerate(turned(found, vector, w)):
            w.store(vector, x, w.at_index(item, ptr, w.add(to, w.mul(below, str(r)))), 8)
    with w.counted(count) as k, w.counted(w.sub(sizes[last], columns)) as j:
        one_by_one(m, of, sizes, steps, ptr, {**at, p: w.add(start, k), last: w.add(columns, j)})


def one_by_one(
    m: Lowering, of: strided.Strided, sizes: Axes, steps: Sequence[strided.Step], ptr: str, at: dict[int, str]
) -> None:
    """The item at some indices."""
    w, item, axes = m.w, ITEM[of.of.dtype], range(len(sizes))
    x = w.load(item, w.at_index(item, of.of.ptr, first_of(m, of, [(at[axis], steps[axis]) for axis in axes])))
    w.store(item, x, w.at_index(item, ptr, offset(m, sizes, [at[axis] for axis in axes])))
