"""Views as places in memory: where the first item of an array lies, and how far apart items are along each axis.

    x[..., 1] of sizes (h, w, 3):    from 1 on, 3 w apart along the first axis, 3 along the second
                                     the k-th item of all stands at 1 + 3 k

So a loop over all items reads a view by their position wherever one axis goes on where the next one has ended, and
what reads it by position need not wait for a copy.

>>> step((2, ("%w",)), "3"), step((2, ("%w",)), "%h")
((6, ('%w',)), (2, ('%h', '%w')))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ccc.compile.native.code import is_name
from ccc.compile.native.items import Axes, load
from ccc.compile.native.layout import Arr, Lazy
from ccc.compile.native.under_way import Lowering
from ccc.values import value

Step = tuple[int, tuple[str, ...]]
"""A product of a number and of sizes."""


@value(eq=False)
class Strided:
    """What a view shows of the array `of`: its first item lies at the sum of `starts`, each an index times a step, and
    `steps` are those along its axes."""

    of: Arr
    starts: tuple[tuple[str, Step], ...]
    steps: tuple[Step, ...]


def step(of: Step, size: str) -> Step:
    """So many times a step."""
    number, sizes = of
    return (number, tuple(sorted([*sizes, size]))) if is_name(size) else (number * int(size), sizes)


def shown(m: Lowering, x: Arr | Lazy) -> Strided | None:
    """What a view shows; an array shows all of itself, and what is no view None."""
    if isinstance(x, Lazy):
        return x.strided
    steps, now = list[Step](), (1, ())
    for size in reversed(x.axes):
        steps.insert(0, now)
        now = step(now, m.sizes.name(size))
    return Strided(x, (), tuple(steps))


def part(of: Strided, pieces: Sequence[tuple[str, str] | None]) -> Strided | None:
    """What is left by an index: for each axis where it starts and, of a slice, how far apart it takes items, "" for an
    integer; None for a new axis. None where a step is not known."""
    starts, steps, along = list(of.starts), list[Step](), iter(of.steps)
    for piece in pieces:
        if piece is None:
            steps.append((0, ()))
            continue
        first, by = piece
        number, sizes = one = next(along)
        if first != "0":
            starts.append((first, one))
        if is_name(by):
            return None
        if by:
            steps.append((number * int(by), sizes))
    return Strided(of.of, tuple(starts), tuple(steps))


def permuted(of: Strided, order: Sequence[int]) -> Strided:
    """The same view with its axes in another order."""
    return Strided(of.of, of.starts, tuple([of.steps[i] for i in order]))


def moved(of: Strided | None, where: Sequence[int | None], rank: int) -> Strided | None:
    """The same view with other axes of size 1: `where` those that it has are now."""
    if of is None:
        return None
    steps: list[Step] = [(0, ())] * rank
    for one, i in zip(of.steps, where, strict=True):
        if i is not None:
            steps[i] = one
    return Strided(of.of, of.starts, tuple(steps))


def long_axes(m: Lowering, of: Strided, axes: Axes) -> tuple[list[str], list[Step]]:
    """The sizes and steps of a view with as few axes as can be: one that goes on where the next one has ended is one
    with it."""
    sizes, steps = list[str](), list[Step]()
    for size, one in zip(reversed(axes), reversed(of.steps), strict=True):
        if m.single(size):
            continue
        if steps and one == step(steps[0], m.sizes.name(sizes[0])):
            sizes[0] = m.w.mul(sizes[0], size)
            continue
        sizes.insert(0, size)
        steps.insert(0, one)
    return sizes, steps


def by_position(m: Lowering, of: Strided | None, axes: Axes) -> Callable[[str], str] | None:
    """What reads the k-th item of a view of these sizes; None where the items are not equally far apart."""
    if of is None:
        return None
    apart: Step | None = None
    for size, one in zip(reversed(axes), reversed(of.steps), strict=True):
        if size == "1":
            continue
        if apart is None:
            apart, further = one, step(one, m.sizes.name(size))
        elif one != further:
            return None
        else:
            further = step(further, m.sizes.name(size))
    by = apart or (1, ())

    def read(k: str) -> str:
        at = times(m, k, by)
        for index, one in of.starts:
            at = m.w.add(at, times(m, index, one))
        return load(m, of.of.dtype, of.of.ptr, at)

    return read


def times(m: Lowering, index: str, by: Step) -> str:
    """An index times a step."""
    number, sizes = by
    found = m.w.mul(index, str(number))
    for size in sizes:
        found = m.w.mul(found, size)
    return found
