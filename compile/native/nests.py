"""Loops over the indices of arrays, of which threads may share the outermost one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from ccc.compile.native import parallel_parts
from ccc.compile.native.code import is_name
from ccc.compile.native.row_access import by_rows
from ccc.compile.native.row_loops import Rows
from ccc.compile.native.under_way import Lowering


def product(m: Lowering, axes: Sequence[str]) -> str:
    """The number of items."""
    size = "1"
    for axis in axes:
        size = m.w.mul(size, axis)
    return size


@contextmanager
def nest(m: Lowering, axes: Sequence[str], ordered: bool = False, apart: bool = False) -> Iterator[list[str]]:
    """Loops over all indices, of which the innermost takes several items at once unless they are `ordered`. Where runs
    of the outermost one write to places that are `apart`, several threads may share them."""
    long = [i for i, axis in enumerate(axes) if axis != "1"]
    with ExitStack() as stack:
        def loop(i: int) -> AbstractContextManager[str]:
            if apart and len(long) > 1 and i == long[0]:
                return shared_runs(m, axes[i], product(m, [axes[k] for k in long[1:]]), axes)
            return m.w.each(axes[i]) if [i] == long[-1:] and not ordered else m.w.counted(axes[i])

        yield [stack.enter_context(loop(i)) for i in range(len(axes))]


@contextmanager
def shared_runs(m: Lowering, count: str, row: str, axes: Sequence[str], step: int = 1) -> Iterator[str]:
    """A loop along rows whose runs write to places of their own, see `between_rows`."""
    with (
        between_rows(m, count, row, axes) as (start, stop, along),
        parallel_parts.counted(m.w, start, stop, str(step)) as k,
    ):
        along.append(k)
        yield k


@contextmanager
def between_rows(
    m: Lowering, count: str, row: str, axes: Sequence[str]
) -> Iterator[tuple[str, str, list[str]]]:
    """Lines for the rows between two places, which write to places of their own: several threads share them where they
    may, and other loops along the same rows are joined (`strips`). Gives the names of the two, and a list which is to
    get the indices of rows."""
    w, along = m.w, list[str]()
    if not w.lanes or not is_name(count):
        yield "0", count, along
        return
    threads = may_share(m, count, row)

    def rows() -> Rows | None:
        return by_rows(m, along, count, reached)

    with w.reaching() as reached, parallel_parts.between(w, count, row, axes, rows, threads) as (start, stop):
        yield start, stop, along


def may_share(m: Lowering, count: str, row: str = "1") -> bool:
    """Whether several threads may share so many runs, each along a row of items: outside of loops, or in one where they
    are many in the first call, since each time takes the threads anew."""
    if m.inner or not m.w.lanes or not is_name(count):
        return False
    return not m.w.loops or parallel_parts.is_worth(m.at_first(count), m.at_first(row))
