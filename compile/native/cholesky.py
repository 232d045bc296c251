"""What arrives at a symmetric matrix from its Cholesky factor: by blocks of columns of the factor, from the last one.

As many products of numbers as the factor takes, most of them in products of matrices of `tiles`; a block on the
diagonal has its inverse, which is small.

Reference: Murray, *Differentiation of the Cholesky decomposition* (2016), section 3.4.
"""

from __future__ import annotations

from collections.abc import Callable

from ccc.compile.native.items import item_of, load, store
from ccc.compile.native.layout import Arr
from ccc.compile.native.matrix_products import Part, of_tiles
from ccc.compile.native.systems import square
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import decompositions

BLOCK = decompositions.BLOCK


@handles(decompositions.cholesky_cotangent)
def cholesky_cotangent(m: Lowering, let: Let, ct: Arr, y: Arr) -> Arr:
    w, n = m.w, square(m, y)
    m.same_size(n, square(m, ct))
    out = Arr("float64", m.alloc(w.mul(w.mul(n, n), "8")), (n, n))
    factor = m.alloc(w.mul(w.mul(n, n), "8"))
    for source, ptr in ((ct, out.ptr), (y, factor)):
        below(m, n, lambda i, j, source=source: item_of(m, source, [i, j]).text, Part(ptr, n))
    moved = m.alloc(w.mul(w.mul(n, n), "8"))
    inverse, inner, both, rest = [Part(m.alloc(str(8 * BLOCK * BLOCK)), str(BLOCK)) for _ in range(4)]
    with w.counted(n, BLOCK) as done:
        size = w.call("i64", "llvm.smin.i64", ("i64", str(BLOCK)), ("i64", w.sub(n, done)))
        end = w.sub(n, done)
        step = Step(m, out.ptr, factor, n, end, w.sub(end, size), size, done)
        block(m, step, inverse, inner, both, rest, Part(moved, n))
    return out


class Step:
    """Where a block of columns stands, `first` to `end`, with so many rows that are `done` below it: each part of what
    arrives at the factor, and that of the factor."""

    def __init__(self, m: Lowering, out: str, factor: str, n: str, end: str, first: str, size: str, done: str) -> None:
        w = m.w

        def part(of: str, i: str, j: str) -> Part:
            return Part(w.at_index("double", of, w.add(w.mul(i, n), j)), n)

        self.first, self.size, self.done = first, size, done
        self.left, self.diagonal, self.corner, self.below = [
            [part(of, i, j) for of in (out, factor)] for i, j in (
                (first, "0"), (first, first), (end, "0"), (end, first))]


def block(m: Lowering, s: Step, inverse: Part, inner: Part, both: Part, rest: Part, moved: Part) -> None:
    """Go back over a block of columns."""
    w, size = m.w, s.size
    (left, L), (diagonal, D), (corner, C), (below_, B) = s.left, s.diagonal, s.corner, s.below
    inverted(m, D, inverse, size)
    some, more = w.compare("sgt", s.done, "0"), w.compare("sgt", s.first, "0")

    def rows_below() -> None:
        of_tiles(m, "float64", (s.done, size, size), below_, inverse, moved)
        each(m, s.done, size, lambda i, j: at(m, moved, i, j), below_)
        of_tiles(m, "float64", (size, size, s.done), below_.T, B, rest)
        below(m, size, lambda i, j: minus(m, at(m, diagonal, i, j), at(m, rest, i, j)), diagonal)

        def corner_moved() -> None:
            of_tiles(m, "float64", (s.done, s.first, size), below_, L, moved)
            each(m, s.done, s.first, lambda i, j: minus(m, at(m, corner, i, j), at(m, moved, i, j)), corner)
            of_tiles(m, "float64", (size, s.first, s.done), below_.T, C, moved)
            each(m, size, s.first, lambda i, j: minus(m, at(m, left, i, j), at(m, moved, i, j)), left)

        w.choose(more, corner_moved, lambda: None)

    def rows_left() -> None:
        of_tiles(m, "float64", (size, s.first, size), both, L, moved)
        each(m, size, s.first, lambda i, j: minus(m, at(m, left, i, j), at(m, moved, i, j)), left)

    def halved(x: Part) -> Callable[[str, str], str]:
        def item(i: str, j: str) -> str:
            half = w.select("double", w.compare("eq", i, j), real(0.5), real(1.0))
            return w.binary("fmul", "double", at(m, x, i, j), half)
        return item

    w.choose(some, rows_below, lambda: None)
    of_tiles(m, "float64", (size, size, size), D.T, diagonal, both)
    below(m, size, halved(both), inner)
    of_tiles(m, "float64", (size, size, size), inverse.T, inner, both)
    of_tiles(m, "float64", (size, size, size), both, inverse, rest)
    each(m, size, size, lambda i, j: w.binary("fadd", "double", at(m, rest, i, j), at(m, rest, j, i)), both)
    below(m, size, halved(both), diagonal)
    w.choose(more, rows_left, lambda: None)


def at(m: Lowering, x: Part, i: str, j: str) -> str:
    return load(m, "float64", x.ptr, m.w.add(m.w.mul(i, x.apart), j))


def minus(m: Lowering, x: str, y: str) -> str:
    return m.w.binary("fsub", "double", x, y)


def each(m: Lowering, rows: str, columns: str, item: Callable[[str, str], str], to: Part) -> None:
    """Write all items of a part."""
    with m.w.counted(rows) as i, m.w.each(columns) as j:
        store(m, Num("double", item(i, j)), "float64", to.ptr, m.w.add(m.w.mul(i, to.apart), j))


def below(m: Lowering, size: str, item: Callable[[str, str], str], to: Part) -> None:
    """Write the items of a square up to its diagonal, and zeros behind that."""
    w = m.w
    each(m, size, size, lambda i, j: w.select("double", w.compare("sgt", j, i), real(0.0), item(i, j)), to)


def inverted(m: Lowering, a: Part, to: Part, size: str) -> None:
    """Write the inverse of a triangle, row by row; leaves where it has none."""
    w = m.w
    with w.counted(size) as i:
        w.leave(w.compared("oeq", "double", at(m, a, i, i), real(0.0)))
        row = w.mul(i, to.apart)
        with w.each(size) as j:
            one = w.select("double", w.compare("eq", i, j), real(1.0), real(0.0))
            store(m, Num("double", one), "float64", to.ptr, w.add(row, j))
        with w.counted(i) as k:
            factor = at(m, a, i, k)
            with w.each(size) as j:
                less = w.binary("fmul", "double", factor, at(m, to, k, j))
                here = w.add(row, j)
                store(m, Num("double", minus(m, load(m, "float64", to.ptr, here), less)), "float64", to.ptr, here)
        divisor = at(m, a, i, i)
        with w.each(size) as j:
            here = w.add(row, j)
            x = w.binary("fdiv", "double", load(m, "float64", to.ptr, here), divisor)
            store(m, Num("double", x), "float64", to.ptr, here)
