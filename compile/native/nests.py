"""Loops over the indices of arrays, of which threads may share the outermost one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from ccc.compile.native import parallel_parts
from ccc.compile.native.code import is_name
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


def shared_runs(
    m: Lowering, count: str, row: str, axes: Sequence[str], step: int = 1
) -> AbstractContextManager[str]:
    """A loop along rows whose runs write to places of their own, which several threads share where they may."""
    shared = may_share(m, count, row)
    return parallel_parts.counted(m.w, count, row, axes, step) if shared else m.w.counted(count, step)


def may_share(m: Lowering, count: str, row: str = "1") -> bool:
    """Whether several threads may share so many runs, each along a row of items: outside of loops, or in one where they
    are many in the first call, since each time takes the threads anew."""
    if m.inner or not m.w.lanes or not is_name(count):
        return False
    return not m.w.loops or parallel_parts.is_worth(m.at_first(count), m.at_first(row))
