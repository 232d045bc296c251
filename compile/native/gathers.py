"""Indices that are arrays: of integers, of any ranks, broadcast together with the integers beside them; and masks.

    x[i]    x[mask]    x[i, j]    x[:, i, None, 2]

All indices are checked before anything is read. Arrays that stand together have their axes where they stand; where a
slice is between them, or an ellipsis, also one that stands for no axis, theirs come first, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import conversions
from ccc.compile.native.arrays import broadcast, renamed
from ccc.compile.native.code import is_name
from ccc.compile.native.elementwise_fusion import gathered
from ccc.compile.native.items import Axes, item_of, load, offset
from ccc.compile.native.layout import Arr, NotNative
from ccc.compile.native.nests import nest, product
from ccc.compile.native.slices import Region, index_checked, sliced, wrapped
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.primitives import indexing

WORD = 8
"""So many truths are looked at together: most masks have few, or many in a row."""
Take = Callable[[Sequence[str]], str]


class Parts:
    """What each part of an index says: the axes that it gives, and where the array is read along the next axis."""

    def __init__(self) -> None:
        self.axes: list[str] = []
        self.takes: list[Take | None] = []  # None for an index that is an array or beside one
        self.advanced: list[Any] = []
        self.places: list[tuple[int, int]] = []  # how many ellipses and axes stood before each of them


def gathering(m: Lowering, axes: Axes, codes: Sequence[str], numbers: Sequence[Any]) -> Region:
    """What an index with arrays says of an array with these axes."""
    found = parts(m, axes, codes, numbers)
    shapes = [x.axes if isinstance(x, Arr) else () for x in found.advanced]
    shared = broadcast(m, shapes)
    arrays = [renamed(x, shared) for x in found.advanced]
    first = indexing.first_of_shared(found.places)
    rank = len(shared)
    own = [i if i < first else i + rank for i in range(len(found.axes))]
    out = (*found.axes[:first], *shared, *found.axes[first:])

    def at(ks: Sequence[str]) -> list[str]:
        inside, outside = ks[first : first + rank], [ks[i] for i in own]
        given = iter(zip(arrays, advanced_axes, strict=True))
        places: list[str] = []
        for take in found.takes:
            if take is not None:
                places.append(take(outside))
                continue
            x, n = next(given)
            places.append(wrapped(m, item_of(m, x, inside).text, n) if isinstance(x, Arr) else x.text)
        return places

    advanced_axes = [n for n, take in zip(axes, found.takes, strict=True) if take is None]
    return Region(out, at, [], -1)


def parts(m: Lowering, axes: Axes, codes: Sequence[str], numbers: Sequence[Any]) -> Parts:
    """The parts of an index, one after the other."""
    w, found, given, position, dots = m.w, Parts(), iter(numbers), 0, 0
    for code in codes:
        here = len(found.axes)
        if code == ".":
            dots += 1
        elif code == "+":
            found.axes.append("1")
        elif code == "a":
            by = m.arr(next(given))
            taken = masked(m, by, axes[position : position + len(by.axes)]) if by.dtype == "bool" else [by]
            for x in taken:
                if by.dtype != "bool":
                    checked(m, x, axes[position])
                position += 1
                found.takes.append(None)
                found.advanced.append(x)
                found.places.append((dots, here))
        elif code == "i":
            i = index_checked(m, conversions.as_int(w, m.number(next(given))), axes[position])
            position += 1
            found.takes.append(None)
            found.advanced.append(Num("i64", i))
            found.places.append((dots, here))
        else:
            n = axes[position]
            position += 1
            start, step, count = "0", "1", n
            if code != "s":
                ends = [conversions.as_int(w, m.number(next(given))) for _ in code[1:]]
                start, step, count = sliced(m, code, ends, n)
            found.axes.append(count)
            found.takes.append(
                lambda ks, p=here, a=start, s=step: w.add(a, w.mul(ks[p], s)))
    return found


def checked(m: Lowering, by: Arr, n: str) -> None:
    """Leave where one of the indices is not that of an item; which is asked once of an array that does not change."""
    if by.dtype != "int64":
        raise NotNative(f"an index that is an array of {by.dtype}")
    w, n = m.w, m.sizes.name(n)
    fact = "within", by.ptr, n
    if m.sure or (fact in m.sizes.tested and m.module.indices_stay):
        return
    m.sizes.tested.add(fact)
    twice = w.mul(n, "2")

    def beyond(k: str) -> Num:
        moved = w.binary("add", "i64", load(m, "int64", by.ptr, k), n)
        return Num("i1", w.compare("uge", moved, twice))

    found = gathered(m, by.axes, beyond, "false", lambda a, v: w.binary("or", "i1", a, v.text), "i1")
    if found is not None:
        w.leave(found.text)
        return
    with w.counted(product(m, by.axes)) as k:
        w.leave(beyond(k).text)


def masked(m: Lowering, mask: Arr, axes: Axes) -> list[Arr]:
    """The indices of the items at which a mask is true, for each of its axes."""
    w = m.w
    if len(mask.axes) != len(axes) or not axes:
        raise NotNative("a mask of higher rank than the array")
    for have, want in zip(mask.axes, axes, strict=True):
        m.same_size(have, want)
    count = w.local("i64")
    w.store("i64", "0", count)
    n = product(m, mask.axes)
    with w.counted(n) as k:
        here = w.cast("zext", "i1", load(m, "bool", mask.ptr, k), "i64")
        w.store("i64", w.add(w.load("i64", count), here), count)
    length = w.load("i64", count)
    size = w.mul(w.add(length, "1"), "8")  # one more is written, and not read
    found = [Arr("int64", m.alloc(size), (length,)) for _ in axes]
    w.store("i64", "0", count)

    def at(outer: Sequence[str], first: str, k: str) -> None:
        """Where the mask is true the next place is that of the next one; where it is not, it is written again."""
        here = w.load("i64", count)
        for out, i in zip(found, (*outer, k), strict=True):
            w.store("i64", i, w.at_index("i64", out.ptr, here))
        true = w.cast("zext", "i1", load(m, "bool", mask.ptr, w.add(first, k)), "i64")
        w.store("i64", w.add(here, true), count)

    with nest(m, mask.axes[:-1], ordered=True) as outer:
        last = mask.axes[-1]
        first = offset(m, mask.axes, (*outer, "0"))
        whole = w.binary("and", "i64", last, str(-WORD)) if is_name(last) else str(int(last) // WORD * WORD)
        with w.counted(whole, WORD) as k:
            some, on = w.block("some"), w.block("none")
            word = w.load("i64", w.at_index("i8", mask.ptr, w.add(first, k)), align=1)
            w.fork(w.compare("ne", word, "0"), some, on)
            w.label(some)
            for i in range(WORD):
                at(outer, first, w.add(k, str(i)))
            w.jump(on)
            w.label(on)
        with w.counted(w.sub(last, whole)) as k:
            at(outer, first, w.add(whole, k))
    return found
