"""Arrays: their items, and elementwise operations that wait for their reader.

An elementwise result is `Lazy` until something needs it in memory, so that chains of operations and the reduction at
their end are one loop. Sizes that are not surely equal are compared when the code runs; where they differ, the result
does not count, and another target broadcasts, or raises, as NumPy does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ccc.compile.native import conversions, scalars
from ccc.compile.native.code import is_name
from ccc.compile.native.copies import copied, is_turned
from ccc.compile.native.dtypes import REALS, item_dtype
from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.functions import Constant
from ccc.compile.native.items import Axes, item_of, load, offset, store
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative, canonical, number
from ccc.compile.native.nests import nest, product
from ccc.compile.native.notes import Filled
from ccc.compile.native.short_rows import each_item
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Gap, Num, real
from ccc.objects import Array, Object

DTYPES = {"double": "float64", "float": "float32", "i64": "int64", "i1": "bool"}
MANY = 1000
"""So many items an array among the constants may have."""


def flat_of(m: Lowering, v: Any, axes: Axes) -> Callable[[str], Num] | None:
    """How to read an item by its position among all of `axes`; None where the positions differ."""
    if isinstance(v, Num):
        return lambda k: v
    if [m.sizes.name(n) for n in v.axes] != [m.sizes.name(n) for n in axes]:
        one = len(v.axes) <= len(axes) and all(n == "1" for n in v.axes)
        return (lambda k: item_of(m, v, ["0"] * len(v.axes))) if one else None
    if isinstance(v, Arr):
        return lambda k: Num(number(v.dtype), load(m, v.dtype, v.ptr, k))
    if v.flat is None:
        return None
    flat = v.flat
    return lambda k: Num(number(v.dtype), flat(k))


ByRow = Callable[[str, str, str], Num]
"""What reads an item by its position, that of its row among all rows, and its place in the row."""


def by_row_of(m: Lowering, v: Any, axes: Axes) -> ByRow | None:
    """How to read an item of what is broadcast to `axes` along whole rows, or to each row; None for others."""
    flat, names = flat_of(m, v, axes), [m.sizes.name(n) for n in axes]
    if flat is not None:
        return lambda now, row, column: flat(now)
    own = [m.sizes.name(n) for n in v.axes]
    if own == names:
        found = v.by_row
        return None if found is None else lambda *at: Num(number(v.dtype), found(*at))
    if set(own[:-1]) <= {"1"} and own[-1:] == names[-1:]:
        return lambda now, row, column: item_of(m, v, [*["0"] * (len(own) - 1), column])
    rows = flat_of(m, v, (*axes[:-1], "1")) if own == [*names[:-1], "1"] else None
    return None if rows is None else lambda now, row, column: rows(row)


def lazy(m: Lowering, dtype: str, axes: Axes, args: Sequence[Any], f: Callable[..., Num]) -> Lazy:
    """The array of `f` at the items of arrays and numbers that are broadcast to `axes`."""
    type_, each = number(dtype), list({id(v): v for v in args}.values())  # what it reads twice is read once
    where = [next(i for i, x in enumerate(each) if x is v) for v in args]
    flats = [flat_of(m, v, axes) for v in each]
    flat = by_row = None
    if None not in flats:
        flat = partial(_at, m, f, flats, where, type_)
    elif axes and None not in (rows := [by_row_of(m, v, axes) for v in each]):
        by_row = partial(_at, m, f, rows, where, type_)

    def item(at: Any) -> str:
        found = [item_of(m, v, at) for v in each]
        return conversions.converted(m.w, f(*[found[i] for i in where]), type_).text

    return Lazy(dtype, axes, item, flat, by_row=by_row)


def _at(m: Lowering, f: Callable[..., Num], readers: Sequence[Any], where: Sequence[int], type_: str, *at: str) -> str:
    found = [read(*at) for read in readers]
    return conversions.converted(m.w, f(*[found[i] for i in where]), type_).text


def forced(m: Lowering, v: Lazy) -> Arr:
    """The array in memory of its own."""
    ptr = m.memory(v.dtype, product(m, v.axes))
    return into(m, v, Arr(v.dtype, ptr, v.axes), new=True)


def into(m: Lowering, v: Lazy, out: Arr, new: bool = False) -> Arr:
    """The items of an array, written into another one of its sizes."""
    w, ptr, size = m.w, out.ptr, product(m, v.axes)
    if v.flat is not None:
        with w.each(size) as k:
            if new and ptr in w.padded:
                w.do(Filled(ptr))  # see `spread`
            store(m, Num(number(v.dtype), v.flat(k)), v.dtype, ptr, k)
        return out

    if v.strided is not None and copied(m, v.strided, v.axes, ptr, new):
        return out

    def by_rows() -> None:
        with nest(m, v.axes, apart=new) as at:
            store(m, Num(number(v.dtype), v.item(tuple(at))), v.dtype, ptr, offset(m, v.axes, at))

    def at_once() -> None:
        with each_item(m, size, long[-1]) as k:
            if new and ptr in w.padded:
                w.do(Filled(ptr))
            store(m, Num(number(v.dtype), v.item(tuple(indices(m, v.axes, k)))), v.dtype, ptr, k)

    long = [n for n in v.axes if n != "1"]
    if len(long) < 2:
        by_rows()
    else:
        either(m, long[-1], at_once, by_rows)
    return out


def either(m: Lowering, length: str, few: Callable[[], None], many: Callable[[], None]) -> None:
    """One of two texts that compute the same: `few` where rows are shorter than a vector, of which it takes several at
    once; `many` alone where those of the first call are as long. Where runs of a loop around this go side by side, rows
    go one after the other."""
    w, usual = m.w, m.at_first(length)
    if not w.lanes or (usual is not None and usual >= w.lanes):
        many()
        return
    sizes = m.sizes.copy()

    def written(f: Callable[[], None]) -> Gap:
        gap = w.gap()
        with w.within(gap):
            f()
        m.sizes = sizes.copy()  # what the one has tested, the other has to test
        return gap

    if not is_name(length):
        gap, rows = written(few), written(many)
        gap.plain = list(rows)
        rows.clear()
        return
    one, other, done = w.block("few"), w.block("many"), w.block("chosen")
    before = w.gap()
    with w.within(before):
        w.fork(w.compare("slt", length, str(w.lanes)), one, other)
        w.label(one)
    short, between = written(few), w.gap()
    with w.within(between):
        w.jump(done)
        w.label(other)
    written(many)
    after = w.gap()
    with w.within(after):
        w.jump(done)
        w.label(done)
    before.plain, short.plain, between.plain, after.plain = [], [], [], []


def indices(m: Lowering, axes: Axes, k: str) -> list[str]:
    """The indices of an item by its position among all."""
    w = m.w
    at, rest = ["0"] * len(axes), k
    long = [i for i, n in enumerate(axes) if n != "1"]
    for i in reversed(long[1:]):
        at[i] = w.binary("urem", "i64", rest, axes[i])
        rest = w.binary("udiv", "i64", rest, axes[i])
    if long:
        at[long[0]] = rest
        m.flat[tuple(at)] = axes, k
    return at


def same_axes(m: Lowering, a: Axes, b: Axes) -> None:
    """Leave where sizes differ."""
    if len(a) != len(b):
        raise NotNative("arrays of different rank")
    for x, y in zip(a, b, strict=True):
        m.same_size(x, y)


def broadcast(m: Lowering, shapes: Sequence[Axes]) -> Axes:
    """The sizes that arrays are broadcast to: sizes that are not surely 1 have to be equal."""
    rank = max(map(len, shapes))
    found: list[str] = []
    for i in range(rank):
        sizes = [shape[i - rank + len(shape)] for shape in shapes if i - rank + len(shape) >= 0]
        wide = [size for size in dict.fromkeys(sizes) if size != "1"]
        for other in wide[1:]:
            m.same_size(wide[0], other)
        found.append(m.sizes.name(wide[0]) if wide else "1")
    return tuple(found)


def broadcast_onto(m: Lowering, axes: Axes, whole: Axes) -> None:
    """Leave where an array cannot be broadcast to these sizes."""
    for have, want in zip(axes, whole[len(whole) - len(axes):], strict=True):
        if have != "1":
            m.same_size(have, want)


def of_rank(m: Lowering, v: Any, rank: int) -> Any:
    """An array with axes of size 1 added in front, or without those that it has there; leaves where they are longer."""
    if not isinstance(v, (Arr, Lazy)) or len(v.axes) == rank:
        return v
    extra = len(v.axes) - rank
    for n in v.axes[: max(extra, 0)]:
        m.same_size(n, "1")
    axes = v.axes[extra:] if extra > 0 else ("1",) * -extra + v.axes
    if isinstance(v, Arr):
        return Arr(v.dtype, v.ptr, axes)
    item = v.item
    if extra > 0:
        return Lazy(v.dtype, axes, lambda at: item(("0",) * extra + tuple(at)), v.flat)
    return Lazy(v.dtype, axes, lambda at: item(tuple(at)[-extra:]), v.flat)


def aligned(m: Lowering, args: Sequence[Any]) -> tuple[Axes, list[Any]]:
    """The sizes that arguments are broadcast to, and the arguments under the same names of sizes."""
    args = [m.number(v) if isinstance(v, (Arr, Lazy)) and not v.axes else v for v in args]
    axes = broadcast(m, [v.axes if isinstance(v, (Arr, Lazy)) else () for v in args])
    found = {id(v): renamed(v, axes) for v in args}
    return axes, [found[id(v)] for v in args]


def renamed(v: Any, axes: Axes) -> Any:
    """An array whose sizes are known to be those of `axes` where they are not 1."""
    if not isinstance(v, (Arr, Lazy)):
        return v
    over = axes[len(axes) - len(v.axes):]
    own = tuple(["1" if have == "1" else want for have, want in zip(v.axes, over, strict=True)])
    if own == v.axes:
        return v
    if isinstance(v, Arr):
        return Arr(v.dtype, v.ptr, own)
    return Lazy(v.dtype, own, v.item, v.flat, view=v.view, alike=v.alike, strided=v.strided, by_row=v.by_row)


def dtype_of(a: Object) -> str:
    """The dtype of the arrays of an object."""
    if isinstance(a, Array) and a.dtype in ITEM:
        return a.dtype
    layout = canonical(a)
    return layout.dtype if hasattr(layout, "dtype") else DTYPES[layout.type]


def elementwise(m: Lowering, a: Object, args: Sequence[Any], f: Callable[..., Num]) -> Any:
    """An operation on numbers at all items. What is turned over is copied first: that reads memory as it lies."""
    args = [forced(m, v) if isinstance(v, Lazy) and is_turned(m, v.strided, v.axes) else v for v in args]
    axes, args = aligned(m, args)
    return lazy(m, dtype_of(a), axes, args, f)


def elementwise_sum(m: Lowering, a: Any, b: Any) -> Any:
    axes, args = aligned(m, [a, b])
    return lazy(m, a.dtype, axes, args, lambda x, y: scalars.add(m.w, False, x, y))


def added_to(m: Lowering, a: Arr, b: Any) -> Arr:
    """`a += b` of a float array, in its own memory."""
    if a.dtype not in REALS or (isinstance(b, (Arr, Lazy)) and len(b.axes) > len(a.axes)):
        raise NotNative("an addition in place of this rank or dtype")
    if isinstance(b, (Arr, Lazy)):
        broadcast_onto(m, b.axes, a.axes)
        if isinstance(b, Arr) and b.axes != a.axes:  # it may be a part of `a`, which changes meanwhile
            b = forced(m, fresh_copy(m, b))
        b = renamed(b, a.axes)
    whole = lazy(m, a.dtype, a.axes, [a, b], lambda x, y: scalars.add(m.w, False, x, y))
    return into(m, whole, a)


def constant_array(m: Lowering, value: np.ndarray) -> Arr:
    """An array that the program knows."""
    dtype = item_dtype(str(value.dtype))
    if dtype not in ITEM or value.size > MANY:
        raise NotNative("a large array, or one of this dtype, among the constants")
    text = real if dtype in REALS else str
    items = [text(x) for x in value.astype("i1" if dtype == "bool" else dtype).ravel().tolist()]
    item, name = ITEM[dtype], f"constant{m.module.known}"
    m.module.known += 1
    row = ", ".join(f"{item} {x}" for x in items)
    m.module.constants.append(Constant(name, f"internal constant [{len(items)} x {item}] [{row}]"))
    return Arr(dtype, f"@{name}", tuple(map(str, value.shape)))


def filled(m: Lowering, dtype: str, axes: Axes, x: Num) -> Lazy:
    """An array of one number."""
    text = conversions.converted(m.w, x, number(dtype)).text
    return Lazy(dtype, axes, lambda at: text, lambda k: text, alike=True)


def zeros_of(m: Lowering, v: Any) -> Lazy:
    if v.dtype == "bool":
        raise NotNative("the zero cotangent of bools")
    return filled(m, v.dtype if v.dtype in REALS else "float64", v.axes, Num("double", real(0.0)))


def in_dtype(m: Lowering, x: Any, dtype: str) -> Any:
    """An array as one of another dtype, which is wide enough or is what rounds it."""
    return x if x.dtype == dtype else lazy(m, dtype, x.axes, [x], lambda v: v)


def fresh_copy(m: Lowering, v: Any) -> Any:
    """An array like another, in memory of its own once it is there."""
    return v if isinstance(v, Lazy) and not isinstance(v, Member) else lazy(m, v.dtype, v.axes, [v], lambda x: x)
