"""Loops over the items of arrays whose rows are shorter than a vector: what a vector takes is a pattern in them.

    x[i, j] - y[j]   with rows of 2:     x[k : k + 4] - (y[0], y[1], y[0], y[1])      k = 0, 4, 8, ...
    x[i, j] * c[i]                       x[k : k + 4] * (c[i], c[i], c[i + 1], c[i + 1])      i = k / 2

Position k of such an array is in row k / n, at item k mod n. Where as many vectors as make whole rows go together,
these are a number and a constant for each lane (`spots`), and what stands there is a load and a shuffle. There is
such a loop for the length of rows that the first call has, and another one for any other. The last items, which are
no such group, go one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import lcm

from ccc.compile.native.code import is_name
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.vectorize_loop import groups_of_vectors, vectors
from ccc.compile.native.writer import flat


@contextmanager
def each_item(m: Lowering, count: str, length: str, sure: bool = False) -> Iterator[str]:
    """A loop over the positions of an array with rows of a length, whose order is free; gives the position. Within,
    `udiv` and `urem` divide it by the length, which may be `sure` to be that of the first call."""
    w, n = m.w, m.usual(length)
    if n is None or not 1 < n < w.lanes or (count.isdigit() and int(count) < w.lanes):
        with w.each(count) as now:
            yield now
        return
    all_ = w.gap()
    with w.within(all_):
        counter = w.local("i64")
        w.store("i64", "0", counter)
        ways = w.gap()
        with w.loop() as (_, body, done):
            now = w.load("i64", counter)
            w.fork(w.compare("slt", now, count), body, done)
            w.label(body)
            text = w.gap()
            with w.within(text):
                yield now
            w.store("i64", w.binary("add", "i64", now, "1", "nuw nsw"), counter)
    lines, ways.plain, all_.plain = list(flat(text)), [], list(all_)
    here = groups_of_vectors(lines, now, count, w, counter, {length: n}, lcm(n, w.lanes) // w.lanes)
    sure = here is not None and (sure or not is_name(length))
    other = None if sure else vectors(lines, now, count, w, w.lanes)
    for found in (here, other):
        w.declared |= found.declared if found else set()
        w.innermost = w.innermost and found is None
    if here is None:
        all_[:] = other.lines if other is not None else all_
        return
    with w.within(ways):
        if other is None:
            w.here.extend(here.lines)
            return
        rows, any_, rest, over = [w.block(x) for x in ("rows", "other", "rest", "over")]
        w.fork(w.compare("eq", length, str(n)), rows, any_)
        w.label(rows)
        w.here.extend(here.lines)
        w.jump(rest)
        w.label(any_)
        w.here.extend(other.lines)
        w.jump(over)
        w.label(rest)
    with w.within(all_):
        w.jump(over)
        w.label(over)
