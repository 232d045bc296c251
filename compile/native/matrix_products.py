"""Products of matrices: by rows where a side is small, of tiles where all are large."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial, reduce
from typing import Any

from ccc.compile.native import conversions, tiles, vector_products
from ccc.compile.native.arrays import indices, into
from ccc.compile.native.body import SUM
from ccc.compile.native.code import is_name
from ccc.compile.native.columns import all_of, few
from ccc.compile.native.dtypes import ITEM, bytes_of
from ccc.compile.native.instructions import SUFFIX
from ccc.compile.native.items import item_of, load, offset, store
from ccc.compile.native.layout import Arr, Lazy
from ccc.compile.native.nests import product
from ccc.compile.native.short_rows import each_item
from ccc.compile.native.totals import STEPS, plus
from ccc.compile.native.under_way import KeptColumns, Lowering
from ccc.compile.native.writer import Num, real
from ccc.values import value

LARGE = {4: 32, 8: 48}
"""From this size on a product of matrices is made of tiles, by the doubles that a register holds."""
WIDE = {4: 8, 8: 17}
"""Where it has fewer columns it is made by rows all the same: they would leave most of a tile empty."""
DENSE = 128
"""A matrix of so many items is multiplied with a vector by `vector_products`."""
SHORT = 8
"""And where another side is shorter."""
TERMS = 4
"""Items of so few terms are computed where they are written, or read: that takes as long as writing them."""
SOME = 96
"""So many columns of the product of a matrix with its transpose are made at once."""


@value(eq=False)
class Part:
    """A matrix, or a part of one, in memory: where it begins, how far its rows are apart, and whether it stands for its
    transpose."""

    ptr: str
    apart: str
    turned: bool = False

    @property
    def T(self) -> Part:
        return Part(self.ptr, self.apart, not self.turned)


def untransposed(m: Lowering, a: Any) -> tuple[Arr, bool]:
    """A matrix in memory, and whether it stands for its transpose."""
    if isinstance(a, Lazy) and a.turned is not None:
        return a.turned, True
    return m.arr(a), False


def in_rows(m: Lowering, a: Any) -> tuple[Arr, bool]:
    """A matrix whose rows are in memory, as far apart as its second size says, and whether it stands for its
    transpose."""
    within = a.in_rows if isinstance(a, Lazy) else None
    return untransposed(m, a) if within is None else within()


def times(m: Lowering, x: Num, y: Num) -> Num:
    """A product that is added to others: a double, which holds that of two floats as it is."""
    return Num("double", m.w.binary("fmul", "double", conversions.as_real(m.w, x), conversions.as_real(m.w, y), SUM))


def times_vector(m: Lowering, a: Any, x: Arr, turned: bool) -> Arr:
    """A @ x, or x @ A where `turned`: by functions of its own unless it is small."""
    A, flipped = in_rows(m, a)
    return of_matrix(m, A, x, flipped is turned, a.axes[not flipped])


def of_matrix(m: Lowering, A: Arr, x: Arr, by_rows: bool, columns: str = "") -> Arr:
    """The products of a vector with the rows of a matrix in memory, or with its columns, as many of them as its rows
    have if nothing else is said."""
    w, sizes = m.w, (A.axes[0], columns or A.axes[1])
    size = sizes[not by_rows]
    out = Arr(A.dtype, m.alloc(w.mul(size, bytes_of(A.dtype))), (size,))
    if not any(map(is_name, sizes)) and int(sizes[0]) * int(sizes[1]) < DENSE:
        vector_by_items(m, A, x, by_rows, out, sizes)
        return out
    whole = w.gap()
    with w.within(whole):
        vector_by_items(m, A, x, by_rows, out, sizes)
    fast = w.gap()
    with w.within(fast):
        dense, small, done = w.block("dense"), w.block("small"), w.block("multiplied")
        is_dense = w.compare("sge", w.mul(*sizes), str(DENSE))
        w.fork(is_dense, dense, small)
        w.label(dense)
        name = vector_products.NAMES[ITEM[A.dtype]][not by_rows]
        w.run(name, *[("i64", n) for n in sizes], ("ptr", A.ptr), ("i64", A.axes[1]), ("ptr", x.ptr), ("ptr", out.ptr))
        w.jump(done)
        w.label(small)
        vector_by_items(m, A, x, by_rows, out, sizes, rare=m.at_first(is_dense) == 1)
        w.jump(done)
        w.label(done)
    whole.plain = list(whole)
    whole[:] = list(fast)
    fast.clear()
    return out


def vector_by_items(
    m: Lowering, A: Arr, x: Arr, by_rows: bool, out: Arr, sizes: tuple[str, str], rare: bool = False
) -> None:
    """Write the product of a matrix and a vector, whose sums are doubles while they are made; in little text where that
    is `rare`."""
    w = m.w
    each = w.counted if rare else w.each
    (rows, columns), apart = sizes, A.axes[1]

    def read(v: Arr, k: str) -> Num:
        return Num(ITEM[v.dtype], load(m, v.dtype, v.ptr, k))

    if by_rows:
        with w.counted(rows) as i:
            base = w.mul(i, apart)
            place = w.local("double")
            w.store("double", real(0.0), place)
            with each(columns) as j:
                y = times(m, read(A, w.add(base, j)), read(x, j))
                w.store("double", plus(m, w.load("double", place), y), place)
            store(m, Num("double", w.load("double", place)), A.dtype, out.ptr, i)
        return
    ptr = out.ptr if A.dtype == "float64" else m.alloc(w.mul(columns, "8"))
    with each(columns) as j:
        w.store("double", real(0.0), w.at_index("double", ptr, j))
    with w.counted(rows) as i:
        base, factor = w.mul(i, apart), read(x, i)
        with each(columns) as j:
            y = times(m, read(A, w.add(base, j)), factor)
            at = w.at_index("double", ptr, j)
            w.store("double", plus(m, w.load("double", at), y), at)
    if ptr != out.ptr:
        with each(columns) as j:
            store(m, Num("double", w.load("double", w.at_index("double", ptr, j))), A.dtype, out.ptr, j)


def times_matrix(m: Lowering, a: Any, b: Any) -> Arr:
    """A @ B: by loops where one side is small, else of `tiles`."""
    w = m.w
    (A, a_turned), (B, b_turned) = in_rows(m, a), in_rows(m, b)
    rows, inner, columns = m.sizes.name(a.axes[0]), m.sizes.name(a.axes[1]), m.sizes.name(b.axes[1])
    out = Arr(A.dtype, m.alloc(w.mul(w.mul(rows, columns), bytes_of(A.dtype))), (rows, columns))
    multiplied_into(m, A, a_turned, B, b_turned, out, inner)
    return out


def multiplied_into(m: Lowering, A: Arr, a_turned: bool, B: Arr, b_turned: bool, out: Arr, inner: str) -> None:
    """Write a product of matrices, each of which may stand for its transpose."""
    w, (rows, columns) = m.w, out.axes
    tiled, small, done = w.block("tiled"), w.block("small"), w.block("multiplied")
    is_tiled = in_tiles(m, rows, inner, columns)
    w.fork(is_tiled, tiled, small)
    w.label(tiled)
    if A.ptr == B.ptr and a_turned is not b_turned:
        with_itself(m, A, a_turned, out, inner)
    else:
        a, b = Part(A.ptr, A.axes[1], a_turned), Part(B.ptr, B.axes[1], b_turned)
        of_tiles(m, A.dtype, (rows, columns, inner), a, b, Part(out.ptr, columns))
    w.jump(done)
    w.label(small)
    whole = w.gap()
    with w.within(whole):
        by_items(m, A, a_turned, B, b_turned, out, inner)
    if w.lanes and columns != "1" and m.at_first(is_tiled) != 1:
        fast = w.gap()
        with w.within(fast):
            by_rows_or_items(m, A, a_turned, B, b_turned, out, inner)
        whole.plain = list(whole)
        whole[:] = list(fast)
        fast.clear()
    w.jump(done)
    w.label(done)


def of_tiles(m: Lowering, dtype: str, sizes: Sequence[str], a: Part, b: Part, to: Part) -> None:
    """Write a product of matrices of tiles, of so many rows, columns and terms."""
    factors = [[("ptr", x.ptr), ("i64", x.apart), ("i1", str(int(x.turned)))] for x in (a, b)]
    m.w.run(tiles.NAMES[ITEM[dtype]], *[("i64", n) for n in sizes], *factors[0], *factors[1], ("ptr", to.ptr),
            ("i64", to.apart))


def with_itself(m: Lowering, A: Arr, turned: bool, out: Arr, inner: str) -> None:
    """Write the product of a matrix with its transpose: some columns at a time, from the diagonal down, and then above
    it what stands below."""
    w, size, item = m.w, out.axes[0], ITEM[A.dtype]
    with w.counted(size, SOME) as first:
        left = w.sub(size, first)
        some = w.call("i64", "llvm.smin.i64", ("i64", left), ("i64", str(SOME)))
        below = Part(w.at_index(item, A.ptr, first if turned else w.mul(first, A.axes[1])), A.axes[1], turned)
        to = w.at_index(item, out.ptr, offset(m, out.axes, (first, first)))
        of_tiles(m, A.dtype, (left, some, inner), below, below.T, Part(to, size))
    with w.counted(size) as i, w.counted(i) as j:
        store(m, Num(ITEM[out.dtype], load(m, out.dtype, out.ptr, offset(m, out.axes, (i, j)))), out.dtype, out.ptr,
              offset(m, out.axes, (j, i)))


def of_few_terms(m: Lowering, a: Any, b: Any) -> Lazy | None:
    """A @ B as items that are computed where they are read; None unless they are known to be sums of few terms, and
    rows and columns to be longer."""
    rows, inner, columns = a.axes[0], a.axes[1], b.axes[1]
    if is_name(inner) or not 0 < int(inner) <= TERMS or any(not is_name(n) or few(m, n) for n in (rows, columns)):
        return None
    (A, a_turned), (B, b_turned) = in_rows(m, a), in_rows(m, b)
    type_ = ITEM[A.dtype]

    def item(at: Sequence[str]) -> str:
        i, c = at
        found = real(0.0)
        for j in map(str, range(int(inner))):
            x = load(m, A.dtype, A.ptr, offset(m, A.axes, (j, i) if a_turned else (i, j)))
            y = load(m, B.dtype, B.ptr, offset(m, B.axes, (c, j) if b_turned else (j, c)))
            found = m.w.binary("fadd", type_, found, m.w.binary("fmul", type_, x, y, SUM), SUM)
        return found

    return Lazy(A.dtype, (rows, columns), item)


def where_read(m: Lowering, a: Any, b: Any, kept: KeptColumns | None) -> Lazy | None:
    """A @ B as sums that are computed where they are read, and A by its columns where these are `kept`; None where the
    sums are long, or the rows of the result at least a vector."""
    rows, inner, short = m.sizes.name(a.axes[0]), m.sizes.name(a.axes[1]), m.sizes.name(b.axes[1])
    if m.usual(rows) is not None or not few(m, inner) or not few(m, short, m.w.lanes - 1):
        return None
    A, a_turned = untransposed(m, a)
    B, b_turned = untransposed(m, b)
    if kept is not None and not a_turned:
        A, a_turned = all_of(m, kept), True
    return Lazy(A.dtype, (rows, short), lambda at: summed(m, A, a_turned, B, b_turned, at[0], at[1], inner))


def summed(m: Lowering, A: Arr, a_turned: bool, B: Arr, b_turned: bool, i: str, c: str, inner: str) -> str:
    """An item of a product of matrices."""
    w, type_ = m.w, ITEM[A.dtype]
    place = w.local("double")
    w.store("double", real(0.0), place)
    with w.counted(inner) as j:
        x = load(m, A.dtype, A.ptr, offset(m, A.axes, (j, i) if a_turned else (i, j)))
        y = load(m, B.dtype, B.ptr, offset(m, B.axes, (c, j) if b_turned else (j, c)))
        w.store("double", plus(m, w.load("double", place), times(m, Num(type_, x), Num(type_, y))), place)
    return conversions.converted(w, Num("double", w.load("double", place)), type_).text


def in_tiles(m: Lowering, rows: str, inner: str, columns: str) -> str:
    """Whether a product of these sizes is large enough for tiles, and fills them."""
    w, lanes = m.w, m.w.lanes or min(LARGE)
    short = w.call("i64", "llvm.smin.i64", ("i64", rows), ("i64", inner))
    work = w.mul(w.mul(rows, columns), inner)
    tests = [w.compare("sgt", work, str(LARGE[lanes] ** 3)), w.compare("sge", columns, str(WIDE[lanes])),
             w.compare("sge", short, str(SHORT))]
    return reduce(lambda x, y: w.binary("and", "i1", x, y), tests)


def by_items(
    m: Lowering, A: Arr, a_turned: bool, B: Arr, b_turned: bool, out: Arr, inner: str, several: bool = False
) -> None:
    """A product of matrices, item by item, or `several` at once."""
    w, (rows, columns) = m.w, out.axes
    with ExitStack() as stack:
        if several:
            at = stack.enter_context(each_item(m, product(m, out.axes), columns, sure=True))
            i, c = indices(m, out.axes, at)
        else:
            i, c = stack.enter_context(w.counted(rows)), stack.enter_context(w.counted(columns))
        item = summed(m, A, a_turned, B, b_turned, i, c, inner)
        store(m, Num(ITEM[out.dtype], item), out.dtype, out.ptr, offset(m, out.axes, (i, c)))


def by_rows_or_items(m: Lowering, A: Arr, a_turned: bool, B: Arr, b_turned: bool, out: Arr, inner: str) -> None:
    """A product of matrices, several items at once: of a row, or of several where rows of the first call are short."""
    w, sizes = m.w, [(size, m.usual(size)) for size in (out.axes[1], inner)]
    if any(n is None or n >= w.lanes for _, n in sizes):
        by_rows(m, A, a_turned, B, b_turned, out, inner)
        return
    tests = [w.compare("eq", size, str(n)) for size, n in sizes if is_name(size)]
    short = partial(by_items, m, A, a_turned, B, b_turned, out, inner, several=True)
    if not tests:
        short()
        return
    w.choose(tests[0] if len(tests) == 1 else w.binary("and", "i1", tests[0], tests[1]), short,
             partial(by_rows, m, A, a_turned, B, b_turned, out, inner))


ROWS = 4
"""So many rows of a product are made at once; or half as many, where the first call has no more, in `STEPS` sums each,
which do not wait for each other."""


def by_rows(m: Lowering, A: Arr, a_turned: bool, B: Arr, b_turned: bool, out: Arr, inner: str) -> None:
    """A product of matrices, a vector of columns in several rows at once; what lies beyond is not written."""
    w, lanes = m.w, m.w.lanes
    rows, columns = out.axes
    if b_turned:
        turned = Lazy(B.dtype, (inner, columns), lambda at: item_of(m, B, (at[1], at[0])).text)
        B = into(m, turned, Arr(B.dtype, m.alloc(w.mul(w.mul(inner, columns), bytes_of(B.dtype))), turned.axes))
    with w.counted(columns, lanes) as c:
        left = m.w.splat("i64", w.sub(columns, c))
        numbers = ", ".join(f"i64 {k}" for k in range(lanes))
        mask = w.compared("slt", f"<{lanes} x i64>", f"<{numbers}>", left)
        made = partial(columns_of_rows, m, A, a_turned, B, out, inner, c, mask)
        few, many, usual = partial(made, ROWS // 2, STEPS), partial(made, ROWS, 1), m.usual(rows)
        if usual is None or usual > ROWS // 2:
            many()
        elif not is_name(rows):
            few()
        else:
            w.choose(w.compare("sle", rows, str(ROWS // 2)), few, many)


def columns_of_rows(
    m: Lowering, A: Arr, a_turned: bool, B: Arr, out: Arr, inner: str, c: str, mask: str, many: int, steps: int
) -> None:
    """A vector of columns of a product, in all rows: so `many` at once, each in as many sums as `steps`."""
    w, lanes = m.w, m.w.lanes
    rows, columns = out.axes
    type_, align = ITEM[out.dtype], bytes_of(out.dtype)
    vector, test, suffix = f"<{lanes} x {type_}>", f"<{lanes} x i1>", f"v{lanes}{SUFFIX[type_]}.p0"
    w.declared |= {f"declare {vector} @llvm.masked.load.{suffix}(ptr, i32, {test}, {vector})",
                   f"declare void @llvm.masked.store.{suffix}({vector}, ptr, i32, {test})"}
    last = w.sub(rows, "1")
    sums = [[w.local(vector) for _ in range(steps)] for _ in range(many)]

    def added(j: str, step: int) -> None:
        at = w.at_index(type_, B.ptr, w.add(w.mul(j, B.axes[1]), c))
        y = w.call(vector, f"llvm.masked.load.{suffix}", ("ptr", at), ("i32", align), (test, mask),
                   (vector, "zeroinitializer"))
        for row, slots in zip(here, sums, strict=True):
            x = w.splat(type_, load(m, A.dtype, A.ptr, offset(m, A.axes, (j, row) if a_turned else (row, j))))
            term = w.binary("fmul", vector, x, y, SUM)
            w.store(vector, w.binary("fadd", vector, w.load(vector, slots[step]), term, SUM), slots[step])

    with w.counted(rows, many) as i:
        here = [i] + [w.call("i64", "llvm.smin.i64", ("i64", w.add(i, str(r))), ("i64", last))
                      for r in range(1, many)]
        for slot in (slot for slots in sums for slot in slots):
            w.store(vector, "zeroinitializer", slot)
        for j, step in w.in_steps(inner, steps):
            added(j, step)
        for row, slots in zip(here, sums, strict=True):
            total_ = w.load(vector, slots[0])
            for slot in slots[1:]:
                total_ = w.binary("fadd", vector, total_, w.load(vector, slot), SUM)
            at = w.at_index(type_, out.ptr, w.add(w.mul(row, columns), c))
            w.run(f"llvm.masked.store.{suffix}", (vector, total_), ("ptr", at), ("i32", align), (test, mask))
