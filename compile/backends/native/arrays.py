"""Arrays: elementwise operations that wait for their reader, reductions, indices, products.

An elementwise result is `Lazy` until something needs it in memory, so that chains of operations and the reduction at
their end are one loop. Sizes that are not surely equal are compared when the code runs; where they differ, the result
does not count, and another target broadcasts, or raises, as NumPy does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import numpy as np

from ccc.objects import Array, Object
from compile.backends.native import scalars
from compile.backends.native.groups import Member, gathered
from compile.backends.native.layout import (
    ITEM,
    Arr,
    Block,
    Fixed,
    Items,
    Lazy,
    Lst,
    NotNative,
    Rng,
    Rows,
    Tup,
    Word,
    canonical,
    number,
    words,
)
from compile.backends.native.lowering import SUM, Lowering, handles
from compile.backends.native.writer import Num, real
from compile.lam import Let

Axes = tuple[str, ...]
DTYPES = {"double": "float64", "i64": "int64", "i1": "bool"}
MANY = 1000
"""So many items an array among the constants may have."""
LARGE = 32  # from this size on a matrix product is left to the library


# -- items ---------------------------------------------------------------------------------------------------------


def product(m: Lowering, axes: Sequence[str]) -> str:
    """The number of items."""
    size = "1"
    for axis in axes:
        size = m.w.int_op("mul", size, axis)
    return size


def offset(m: Lowering, axes: Axes, at: Sequence[str]) -> str:
    """The position of an item among all."""
    found = "0"
    for axis, i in zip(axes, at, strict=True):
        found = m.w.int_op("add", m.w.int_op("mul", found, axis), i)
    return found


def load(m: Lowering, dtype: str, ptr: str, position: str) -> str:
    """An item in a register."""
    found = m.w.load(ITEM[dtype], m.w.at_index(ITEM[dtype], ptr, position))
    return m.w.op("i1", f"trunc i8 {found} to i1") if dtype == "bool" else found


def store(m: Lowering, x: Num, dtype: str, ptr: str, position: str) -> None:
    """Write an item."""
    w = m.w
    text = scalars.converted(w, x, number(dtype)).text
    if dtype == "bool":
        text = w.op("i8", f"zext i1 {text} to i8")
    w.store(ITEM[dtype], text, w.at_index(ITEM[dtype], ptr, position))


def item_of(m: Lowering, v: Any, at: Sequence[str]) -> Num:
    """The item of an array at indices, those of broadcast axes included; or the number itself."""
    if isinstance(v, Num):
        return v
    here = at[len(at) - len(v.axes):] if v.axes else ()
    here = tuple(["0" if axis == "1" else i for axis, i in zip(v.axes, here, strict=True)])
    if isinstance(v, Lazy):
        return Num(number(v.dtype), v.item(here))
    return Num(number(v.dtype), load(m, v.dtype, v.ptr, offset(m, v.axes, here)))


def flat_of(m: Lowering, v: Any, axes: Axes) -> Callable[[str], Num] | None:
    """How to read an item by its position among all of `axes`; None where the positions differ."""
    if isinstance(v, Num):
        return lambda k: v
    if [m.size(n) for n in v.axes] != [m.size(n) for n in axes]:
        return None
    if isinstance(v, Arr):
        return lambda k: Num(number(v.dtype), load(m, v.dtype, v.ptr, k))
    if v.flat is None:
        return None
    flat = v.flat
    return lambda k: Num(number(v.dtype), flat(k))


def lazy(m: Lowering, dtype: str, axes: Axes, args: Sequence[Any], f: Callable[..., Num]) -> Lazy:
    """The array of `f` at the items of arrays and numbers that are broadcast to `axes`."""
    type_ = number(dtype)
    flats = [flat_of(m, v, axes) for v in args]
    flat = None
    if all(x is not None for x in flats):
        flat = partial(_at, m, f, flats, type_)

    return Lazy(dtype, axes, lambda at: scalars.converted(m.w, f(*[item_of(m, v, at) for v in args]), type_).text, flat)


def _at(m: Lowering, f: Callable[..., Num], flats: Sequence[Any], type_: str, k: str) -> str:
    return scalars.converted(m.w, f(*[read(k) for read in flats]), type_).text


@contextmanager
def nest(m: Lowering, axes: Sequence[str], ordered: bool = False) -> Iterator[list[str]]:
    """Loops over all indices, of which the innermost takes several items at once unless they are `ordered`."""
    last = max([i for i, axis in enumerate(axes) if axis != "1"], default=-1)
    with ExitStack() as stack:
        yield [stack.enter_context(m.w.each(axis) if i == last and not ordered else m.w.counted(axis))
               for i, axis in enumerate(axes)]


def forced(m: Lowering, v: Lazy) -> Arr:
    """The array in memory of its own."""
    w = m.w
    size = w.int_op("mul", product(m, v.axes), "1" if v.dtype == "bool" else "8")
    return into(m, v, Arr(v.dtype, m.alloc(size), v.axes))


def into(m: Lowering, v: Lazy, out: Arr) -> Arr:
    """The items of an array, written into another one of its sizes."""
    w, ptr, size = m.w, out.ptr, product(m, v.axes)
    if v.flat is not None:
        with w.each(size) as k:
            store(m, Num(number(v.dtype), v.flat(k)), v.dtype, ptr, k)
        return out
    with nest(m, v.axes) as at:
        store(m, Num(number(v.dtype), v.item(tuple(at))), v.dtype, ptr, offset(m, v.axes, at))
    return out


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
        found.append(m.size(wide[0]) if wide else "1")
    return tuple(found)


def aligned(m: Lowering, args: Sequence[Any]) -> tuple[Axes, list[Any]]:
    """The sizes that arguments are broadcast to, and the arguments under the same names of sizes."""
    args = [m.number(v) if isinstance(v, Arr | Lazy) and not v.axes else v for v in args]
    axes = broadcast(m, [v.axes if isinstance(v, Arr | Lazy) else () for v in args])
    return axes, [renamed(v, axes) for v in args]


def renamed(v: Any, axes: Axes) -> Any:
    """An array whose sizes are known to be those of `axes` where they are not 1."""
    if not isinstance(v, Arr | Lazy):
        return v
    over = axes[len(axes) - len(v.axes):]
    own = tuple(["1" if have == "1" else want for have, want in zip(v.axes, over, strict=True)])
    if own == v.axes:
        return v
    return Arr(v.dtype, v.ptr, own) if isinstance(v, Arr) else Lazy(v.dtype, own, v.item, v.flat)


def dtype_of(a: Object) -> str:
    """The dtype of the arrays of an object."""
    if isinstance(a, Array) and a.dtype in ITEM:
        return a.dtype
    layout = canonical(a)
    return layout.dtype if hasattr(layout, "dtype") else DTYPES[layout.type]


def elementwise(m: Lowering, a: Object, args: Sequence[Any], f: Callable[..., Num]) -> Any:
    """An operation on numbers at all items."""
    axes, args = aligned(m, args)
    return lazy(m, dtype_of(a), axes, args, f)


def elementwise_sum(m: Lowering, a: Any, b: Any) -> Any:
    axes, args = aligned(m, [a, b])
    return lazy(m, a.dtype, axes, args, lambda x, y: scalars.OPERATIONS["add"](m.w, False, x, y))


def added_to(m: Lowering, a: Arr, b: Any) -> Arr:
    """`a += b` of a float array, in its own memory."""
    if a.dtype != "float64" or (isinstance(b, Arr | Lazy) and len(b.axes) > len(a.axes)):
        raise NotNative("an addition in place of this rank or dtype")
    if isinstance(b, Arr | Lazy):
        broadcast_onto(m, b.axes, a.axes)
        if isinstance(b, Arr) and b.axes != a.axes:  # it may be a part of `a`, which changes meanwhile
            b = forced(m, fresh_copy(m, b))
        b = renamed(b, a.axes)
    whole = lazy(m, a.dtype, a.axes, [a, b], lambda x, y: scalars.OPERATIONS["add"](m.w, False, x, y))
    return into(m, whole, a)


def constant_array(m: Lowering, value: np.ndarray) -> Arr:
    """An array that the program knows."""
    dtype = str(value.dtype)
    if dtype not in ITEM or value.size > MANY:
        raise NotNative("a large array, or one of this dtype, among the constants")
    items = [{"float64": lambda x: real(float(x)), "bool": lambda x: str(int(x))}.get(dtype, str)(x)
             for x in value.ravel().tolist()]
    item, name = ITEM[dtype], f"@constant{len(m.module.constants)}"
    text = ", ".join(f"{item} {x}" for x in items)
    m.module.constants.append(f"{name} = internal constant [{len(items)} x {item}] [{text}]")
    return Arr(dtype, name, tuple(map(str, value.shape)))


def filled(m: Lowering, dtype: str, axes: Axes, x: Num) -> Lazy:
    """An array of one number."""
    text = scalars.converted(m.w, x, number(dtype)).text
    return Lazy(dtype, axes, lambda at: text, lambda k: text)


def zeros_of(m: Lowering, v: Any) -> Lazy:
    if v.dtype == "bool":
        raise NotNative("the zero cotangent of bools")
    return filled(m, "float64", v.axes, Num("double", real(0.0)))


def fresh_copy(m: Lowering, v: Any) -> Any:
    """An array like another, in memory of its own once it is there."""
    return v if isinstance(v, Lazy) and not isinstance(v, Member) else lazy(m, v.dtype, v.axes, [v], lambda x: x)


# -- indices -------------------------------------------------------------------------------------------------------


def index_checked(m: Lowering, i: str, n: str) -> str:
    """A position below `n` from an index that may count from the end; leaves where there is no such item."""
    w = m.w
    if not i.startswith("%") and int(i) < 0:
        found = w.int_op("add", n, i)
        m.guard("slt", found, "0")
        return found
    known = m.counted.get(i)
    if known is not None:
        counted, moved = known
        surely = len(w.loops) == counted.depth and w.tests == 0
        start = int(counted.start) + moved if not counted.start.startswith("%") else -1
        if surely and start >= 0 and all(w.stands_before(x, counted.gap) for x in (n, counted.stop, counted.start)):
            with w.within(counted.gap):
                runs = w.compare("slt", counted.start, counted.stop)
                over = w.compare("sgt", w.int_op("add", counted.stop, str(moved)), n)
                w.leave(w.op("i1", f"and i1 {runs}, {over}"))
            return i
    if i.startswith("%"):
        behind = w.compare("slt", i, "0")
        i = w.select("i64", behind, w.int_op("add", i, n), i)
    if not (i == "0" and n not in ("0",) and not n.startswith("%")):
        m.guard("uge", i, n)
    return i


class Region:
    """The part of an array that an index says: its axes, and where an item of it stands in the array."""

    def __init__(self, axes: Axes, at: Callable[[Sequence[str]], list[str]], lead: list[str], whole: int) -> None:
        self.axes = axes
        self.at = at
        self.lead = lead
        self.whole = whole  # axes of the array behind the leading integers that are taken whole; -1: others are not


def region(m: Lowering, axes: Axes, pattern: Sequence[str], numbers: Sequence[Any]) -> Region:
    """What an index pattern says of an array with these axes."""
    w = m.w
    given = iter(numbers)
    used = axes_used(pattern, numbers)
    if used > len(axes):
        raise NotNative("an index with too many parts")
    codes: list[str] = []
    for code in pattern:
        codes += ["s"] * (len(axes) - used) if code == "." else [code]
    if "." not in pattern:
        codes += ["s"] * (len(axes) - used)
    if "a" in codes and (codes.count("a") > 1 or "i" in codes or not plain_index(numbers[0], codes)):
        from compile.backends.native.gathers import gathering

        return gathering(m, axes, codes, numbers)
    out: list[str] = []
    takes: list[Callable[[Sequence[str]], str]] = []
    lead: list[str] = []
    leading, plain, position = True, True, 0
    for code in codes:
        if code == "+":
            out.append("1")
            leading, plain = False, False
            continue
        n = axes[position]
        position += 1
        if code == "i":
            i = index_checked(m, scalars.as_int(w, m.number(next(given))), n)
            takes.append(lambda at, i=i: i)
            if leading:
                lead.append(i)
            else:
                plain = False
            continue
        leading = False
        place = len(out)
        if code == "s":
            out.append(n)
            takes.append(lambda at, p=place: at[p])
        elif code == "a":
            by = m.arr(next(given))
            with w.counted(by.axes[0]) as k:  # all of them before anything is read
                index_checked(m, load(m, "int64", by.ptr, k), n)
            out.append(by.axes[0])
            takes.append(lambda at, p=place, by=by, n=n: wrapped(m, load(m, "int64", by.ptr, at[p]), n))
            plain = False
        else:
            start, step, count = sliced(m, code, [scalars.as_int(w, m.number(next(given))) for _ in code[1:]], n)
            out.append(count)
            takes.append(lambda at, p=place, a=start, s=step: w.int_op("add", a, w.int_op("mul", at[p], s)))
            plain = False
    return Region(tuple(out), lambda at: [take(at) for take in takes], lead, len(axes) - len(lead) if plain else -1)


def axes_used(pattern: Sequence[str], numbers: Sequence[Any]) -> int:
    """How many axes an index speaks of: a mask of all that it has."""
    given, used = iter(numbers), 0
    for code in pattern:
        x = [next(given) for _ in (code[1:] if code[0] == "s" else code if code in "ia" else "")]
        used += len(x[0].axes) if code == "a" and x[0].dtype == "bool" else code not in (".", "+")
    return used


def plain_index(by: Any, codes: Sequence[str]) -> bool:
    """Whether an index starts with an array of integers of rank 1, and has slices of whole axes behind it."""
    return codes[0] == "a" and by.dtype == "int64" and len(by.axes) == 1 and set(codes[1:]) <= {"s"}


def wrapped(m: Lowering, i: str, n: str) -> str:
    w = m.w
    return w.select("i64", w.compare("slt", i, "0"), w.int_op("add", i, n), i)


def single(m: Lowering, start: str, stop: str, n: str) -> str:
    """The place of the only item of a slice `i : i + 1`, which may be broadcast; "" for other slices."""
    base, moved = m.moved.get(stop, (stop, 0)) if stop.startswith("%") else ("", int(stop))
    first, by = m.moved.get(start, (start, 0)) if start.startswith("%") else ("", int(start))
    if base != first or moved - by != 1 or (not base and by < 0):
        return ""
    m.guard("uge", start, n)
    return start


def sliced(m: Lowering, code: str, numbers: list[str], n: str) -> tuple[str, str, str]:
    """Start, step and count of a slice, clipped as Python does."""
    w = m.w
    given = iter(numbers)
    start, stop, step = [next(given) if c in code else None for c in "123"]
    if step is not None and step.startswith("%"):
        return sliced_by(m, start, stop, step, n)
    by = int(step) if step is not None else 1
    if by == 0:
        w.leave("true")
        by = 1
    if code == "s12":
        one = single(m, numbers[0], numbers[1], n)
        if one:
            return one, "1", "1"
    low, high = ("0", n) if by > 0 else ("-1", w.int_op("sub", n, "1"))

    def clipped(i: str | None, default: str) -> str:
        if i is None:
            return default
        if not i.startswith("%") and int(i) == 0 and by > 0:
            return "0"
        if i.startswith("%"):
            i = w.select("i64", w.compare("slt", i, "0"), w.int_op("add", i, n), i)
        elif int(i) < 0:
            i = w.int_op("add", n, i)
        i = w.op("i64", f"call i64 @llvm.smax.i64(i64 {i}, i64 {low})")
        return w.op("i64", f"call i64 @llvm.smin.i64(i64 {i}, i64 {high})")

    first, last = clipped(start, low if by > 0 else high), clipped(stop, high if by > 0 else low)
    gap = w.int_op("sub", last, first) if by > 0 else w.int_op("sub", first, last)
    if abs(by) > 1:
        gap = w.int_op("sdiv", w.int_op("add", gap, str(abs(by) - 1)), str(abs(by)))
    count = gap if first == "0" and last == n else w.op("i64", f"call i64 @llvm.smax.i64(i64 {gap}, i64 0)")
    return first, str(by), count


def sliced_by(m: Lowering, start: str | None, stop: str | None, step: str, n: str) -> tuple[str, str, str]:
    """The same with a step that is computed; leaves where that is 0."""
    w = m.w
    m.guard("eq", step, "0")
    forward = w.compare("sgt", step, "0")
    low, high = w.select("i64", forward, "0", "-1"), w.select("i64", forward, n, w.int_op("sub", n, "1"))

    def clipped(i: str | None, default: str) -> str:
        if i is None:
            return default
        i = w.select("i64", w.compare("slt", i, "0"), w.op("i64", f"add i64 {i}, {n}"), i)
        i = w.op("i64", f"call i64 @llvm.smax.i64(i64 {i}, i64 {low})")
        return w.op("i64", f"call i64 @llvm.smin.i64(i64 {i}, i64 {high})")

    first = clipped(start, w.select("i64", forward, low, high))
    last = clipped(stop, w.select("i64", forward, high, low))
    return first, step, steps(m, first, last, step)


def steps(m: Lowering, start: str, stop: str, step: str) -> str:
    """How many numbers there are from `start` until `stop` by a step that is not 0."""
    w = m.w
    forward = w.compare("sgt", step, "0")
    ends = [w.select("i64", forward, a, b) for a, b in ((stop, start), (start, stop))]
    size = w.select("i64", forward, step, w.op("i64", f"sub i64 0, {step}"))
    pair = w.op("", f"call {{i64, i1}} @llvm.ssub.with.overflow.i64(i64 {ends[0]}, i64 {ends[1]})")
    w.leave(w.op("i1", f"extractvalue {{i64, i1}} {pair}, 1"))
    gap = w.op("i64", f"extractvalue {{i64, i1}} {pair}, 0")
    whole = w.op("i64", f"udiv i64 {w.op('i64', f'sub i64 {gap}, 1')}, {size}")
    return w.select("i64", w.compare("sgt", gap, "0"), w.op("i64", f"add i64 {whole}, 1"), "0")


@handles("index", "take_at")
def index(m: Lowering, let: Let, x: Any, *numbers: Any) -> Any:
    params = let.op.params  # type: ignore[attr-defined]
    pattern = params["pattern"]
    source = x if isinstance(x, Lazy) and x.view else m.arr(x)
    r = region(m, source.axes, pattern, numbers)
    if not r.axes and "." not in pattern:
        return item_of(m, source, r.at(()))
    if isinstance(source, Arr) and r.whole >= 0 and let.op.primitive.name == "index":  # type: ignore[attr-defined]
        position = offset(m, source.axes, [*r.lead, *["0"] * r.whole])
        return Arr(source.dtype, m.w.at_index(ITEM[source.dtype], source.ptr, position), r.axes)
    return Lazy(source.dtype, r.axes, lambda at: item_of(m, source, r.at(at)).text, view=True)


def writable(m: Lowering, let: Let, x: Any) -> Arr:
    """The array that a let may change: the one it is given, or a copy."""
    if let in m.module.overwritten and isinstance(x, Arr | Member):
        return m.arr(x)
    return forced(m, fresh_copy(m, x))


@handles("set_at", "add_at")
def set_at(m: Lowering, let: Let, x: Any, v: Any, *numbers: Any) -> Arr:
    adds = let.op.primitive.name == "add_at"  # type: ignore[attr-defined]
    out = writable(m, let, x)
    pattern = let.op.params["pattern"]  # type: ignore[attr-defined]
    r = region(m, out.axes, pattern, numbers)
    if isinstance(v, Arr) and v.axes:
        v = forced(m, fresh_copy(m, v))  # it may share memory with the array
    elif isinstance(v, Lazy):
        v = m.arr(v)
    elif not isinstance(v, Arr):
        v = m.number(v)
    if isinstance(v, Arr) and len(v.axes) > len(r.axes):
        raise NotNative("an assignment of an array of higher rank")
    if isinstance(v, Arr):
        broadcast_onto(m, v.axes, r.axes)
    with nest(m, r.axes, ordered="a" in pattern) as at:
        k = offset(m, out.axes, r.at(at))
        new = item_of(m, v, at)
        if adds:
            new = scalars.OPERATIONS["add"](m.w, False, Num(number(out.dtype), load(m, out.dtype, out.ptr, k)), new)
        store(m, new, out.dtype, out.ptr, k)
    return out


def broadcast_onto(m: Lowering, axes: Axes, whole: Axes) -> None:
    """Leave where an array cannot be broadcast to these sizes."""
    for have, want in zip(axes, whole[len(whole) - len(axes):], strict=True):
        if have != "1":
            m.same_size(have, want)


# -- new arrays ----------------------------------------------------------------------------------------------------


def sizes(m: Lowering, let: Let, xs: Sequence[Any]) -> Axes:
    """The sizes of a new array; those that the type says are 1 are."""
    known = getattr(let.targets[0].object, "axes", None)
    found = [scalars.as_int(m.w, m.number(x)) for x in xs]
    for n in found:
        if n.startswith("%"):
            m.w.leave(m.w.compare("slt", n, "0"))
    return tuple(["1" if kind == "1" else n for n, kind in zip(found, known or found, strict=True)])


def constant_of(dtype: str, one: bool) -> Num:
    """The 0 or the 1 of a dtype."""
    if dtype == "float64":
        return Num("double", real(float(one)))
    return Num("i64", str(int(one))) if dtype == "int64" else Num("i1", str(one).lower())


@handles("np.zeros", "np.ones", "np.full", "np.empty")
def new(m: Lowering, let: Let, *xs: Any) -> Any:
    name = let.op.primitive.name  # type: ignore[attr-defined]
    dtype = dtype_of(let.targets[0].object)
    first = m.number(xs[0]) if name == "np.full" else constant_of(dtype, name == "np.ones")
    axes = sizes(m, let, xs[1:] if name == "np.full" else xs)
    return filled(m, dtype, axes, first)


@handles("np.zeros_like", "np.ones_like", "spread_zero")
def new_like(m: Lowering, let: Let, x: Any) -> Any:
    one = let.op.primitive.name == "np.ones_like"  # type: ignore[attr-defined]
    number_ = Num("double", real(float(one)))
    if isinstance(x, Num):
        return number_
    return filled(m, dtype_of(let.targets[0].object), x.axes, number_)


@handles("np.eye", "np.identity")
def eye(m: Lowering, let: Let, *xs: Any) -> Any:
    axes = sizes(m, let, (xs * 2)[:2])

    def at(ij: Any) -> str:
        return m.w.select("double", m.w.compare("eq", ij[0], ij[1]), real(1.0), real(0.0))

    return Lazy("float64", axes, at)


@handles("np.arange")
def arange(m: Lowering, let: Let, *xs: Any) -> Any:
    w = m.w
    given = [m.number(x) for x in xs]
    if any(x.type == "double" for x in given):
        return real_range(m, *[scalars.as_real(w, x) for x in given])
    if len(xs) == 3 and given[2].text != "1":
        a, b, by = [scalars.as_int(w, x) for x in given]
        w.leave(w.compare("eq", by, "0"))
        n = steps(m, a, b, by)

        def at(k: str) -> str:
            return w.op("i64", f"add i64 {a}, {w.op('i64', f'mul i64 {k}, {by}')}")

        return Lazy("int64", (n,), lambda ks: at(ks[0]), at)
    xs = xs[:2]
    numbers = [m.number(x).text for x in xs]
    start, stop = ("0", numbers[0]) if len(numbers) == 1 else numbers
    n = w.op("i64", f"call i64 @llvm.smax.i64(i64 {w.int_op('sub', stop, start)}, i64 0)")
    return Lazy("int64", (n,), lambda at: w.int_op("add", start, at[0]), lambda k: w.int_op("add", start, k))


def real_range(m: Lowering, *xs: str) -> Lazy:
    """`np.arange` of reals: each number is the start and so many times the step, as it is rounded at the start."""
    w = m.w
    start, stop = (real(0.0), xs[0]) if len(xs) == 1 else xs[:2]
    step = xs[2] if len(xs) == 3 else real(1.0)
    over = w.op("double", f"fdiv double {w.op('double', f'fsub double {stop}, {start}')}, {step}")
    length = scalars.call(w, "llvm.ceil.f64", over)
    small = w.op("i1", f"fcmp olt double {scalars.call(w, 'llvm.fabs.f64', length)}, {real(2.0**40)}")
    w.leave(w.op("i1", f"xor i1 {small}, true"))
    n = w.op("i64", f"call i64 @llvm.smax.i64(i64 {w.op('i64', f'fptosi double {length} to i64')}, i64 0)")
    by = w.op("double", f"fsub double {w.op('double', f'fadd double {start}, {step}')}, {start}")

    def at(k: str) -> str:
        moved = w.op("double", f"fmul double {scalars.as_real(w, Num('i64', k))}, {by}")
        return w.op("double", f"fadd double {start}, {moved}")

    return Lazy("float64", (n,), lambda ks: at(ks[0]), at)


@handles("places")
def places(m: Lowering, let: Let, x: Any) -> Lazy:
    if not isinstance(x, Arr | Lazy) or len(x.axes) != 1:
        raise NotNative("the places of an array of higher rank")
    w = m.w
    if x.dtype == "int64":
        return Lazy("int64", x.axes, lambda ks: ks[0], lambda k: k)
    return Lazy("float64", x.axes, lambda ks: scalars.as_real(w, Num("i64", ks[0])),
                lambda k: scalars.as_real(w, Num("i64", k)))


@handles("np.linspace")
def linspace(m: Lowering, let: Let, a: Any, b: Any, n: Any) -> Any:
    w = m.w
    x, y = (m.number(v, "double").text for v in (a, b))
    axes = sizes(m, let, [n])
    last = w.int_op("sub", axes[0], "1")
    w.leave(w.compare("slt", axes[0], "2"))
    step = w.op("double", f"fdiv double {w.op('double', f'fsub double {y}, {x}')}, "
                          f"{scalars.as_real(w, Num('i64', last))}")

    def at(k: str) -> str:
        here = w.op("double", f"fmul double {scalars.as_real(w, Num('i64', k))}, {step}")
        return w.select("double", w.compare("eq", k, last), y, w.op("double", f"fadd double {here}, {x}"))

    return Lazy("float64", axes, lambda ks: at(ks[0]), at)


@handles("np.array", "np.stack")
def array_of(m: Lowering, let: Let, *xs: Any) -> Any:
    params = let.op.params  # type: ignore[attr-defined]
    dtype = dtype_of(let.targets[0].object)
    count = str(len(xs))
    if all(isinstance(x, Num) for x in xs):
        ptr = m.alloc(str(8 * len(xs)))
        for k, x in enumerate(xs):
            store(m, x, dtype, ptr, str(k))
        return Arr(dtype, ptr, (count,))
    found = [m.arr(x) for x in xs]
    axis = params.get("axis", 0) % (len(found[0].axes) + 1)
    for x in found[1:]:
        same_axes(m, found[0].axes, x.axes)
    axes = (*found[0].axes[:axis], count, *found[0].axes[axis:])
    ptr = m.alloc(m.w.int_op("mul", product(m, axes), "8"))
    for k, x in enumerate(found):
        with nest(m, x.axes) as at:
            store(m, item_of(m, Arr(x.dtype, x.ptr, found[0].axes), at), dtype, ptr,
                  offset(m, axes, [*at[:axis], str(k), *at[axis:]]))
    return Arr(dtype, ptr, axes)


@handles("np.concatenate")
def concatenate(m: Lowering, let: Let, *xs: Any) -> Any:
    w = m.w
    axis = let.op.params.get("axis", 0)  # type: ignore[attr-defined]
    if axis is None:
        raise NotNative("`np.concatenate` along no axis")
    found = [m.arr(x) for x in xs]
    axis %= len(found[0].axes)
    dtype = dtype_of(let.targets[0].object)
    total = "0"
    for x in found:
        same_axes(m, (*x.axes[:axis], *x.axes[axis + 1:]), (*found[0].axes[:axis], *found[0].axes[axis + 1:]))
        total = w.int_op("add", total, x.axes[axis])
    axes = (*found[0].axes[:axis], total, *found[0].axes[axis + 1:])
    ptr = m.alloc(w.int_op("mul", product(m, axes), "8"))
    base = "0"
    for x in found:
        with nest(m, x.axes) as at:
            moved = w.int_op("add", base, at[axis])
            store(m, item_of(m, x, at), dtype, ptr, offset(m, axes, [*at[:axis], moved, *at[axis + 1:]]))
        base = w.int_op("add", base, x.axes[axis])
    return Arr(dtype, ptr, axes)


@handles("piece")
def piece(m: Lowering, let: Let, ct: Any, *xs: Any) -> Any:
    params = let.op.params  # type: ignore[attr-defined]
    place, axis = params["place"], params.get("axis", 0)
    if axis is None or not all(isinstance(x, Arr | Lazy) for x in xs):
        raise NotNative("a part of a concatenation along no axis")
    axis %= len(ct.axes)
    base = "0"
    for x in xs[:place]:
        base = m.w.int_op("add", base, x.axes[axis])
    axes = (*ct.axes[:axis], xs[place].axes[axis], *ct.axes[axis + 1:])
    source = m.arr(ct)
    return Lazy(ct.dtype, axes, lambda at: item_of(
        m, source, [*at[:axis], m.w.int_op("add", base, at[axis]), *at[axis + 1:]]).text, view=True)


# -- shapes --------------------------------------------------------------------------------------------------------


@handles("dim")
def dim(m: Lowering, let: Let, x: Any) -> Num:
    return Num("i64", x.axes[let.op.params["axis"]])  # type: ignore[attr-defined]


@handles("count")
def count(m: Lowering, let: Let, x: Any) -> Num:
    params = let.op.params  # type: ignore[attr-defined]
    if not isinstance(x, Arr | Lazy):
        return Num("i64", "1")
    axes = picked(x, params.get("axis"))
    n = product(m, [x.axes[i] for i in axes])
    n = m.w.int_op("sub", n, str(params.get("ddof", 0)))
    return Num("i64", m.w.op("i64", f"call i64 @llvm.smax.i64(i64 {n}, i64 1)"))


@handles("np.size")
def size(m: Lowering, let: Let, x: Any) -> Num:
    return Num("i64", product(m, x.axes) if isinstance(x, Arr | Lazy) else "1")


@handles("np.transpose", "transpose")
def transpose(m: Lowering, let: Let, x: Any, *rest: Any) -> Any:
    axes = let.op.params.get("axes")  # type: ignore[attr-defined]
    order = tuple(axes) if axes is not None else tuple(reversed(range(len(x.axes))))
    return permuted(m, x, tuple([i % len(x.axes) for i in order]))


@handles("np.swapaxes")
def swapaxes(m: Lowering, let: Let, x: Any) -> Any:
    params = let.op.params  # type: ignore[attr-defined]
    order = list(range(len(x.axes)))
    i, j = params["axis1"] % len(order), params["axis2"] % len(order)
    order[i], order[j] = order[j], order[i]
    return permuted(m, x, tuple(order))


def permuted(m: Lowering, x: Any, order: tuple[int, ...]) -> Any:
    """An array with its axes in another order."""
    if order == tuple(range(len(order))):
        return x
    source = x if isinstance(x, Lazy) and x.view else m.arr(x)

    def at(ks: Sequence[str]) -> str:
        back = [""] * len(order)
        for k, i in zip(ks, order, strict=True):
            back[i] = k
        return item_of(m, source, back).text

    turned = source if order == (1, 0) and isinstance(source, Arr) else None
    return Lazy(x.dtype, tuple([x.axes[i] for i in order]), at, None, turned, view=True)


@handles("np.ravel", "ravel")
def ravel(m: Lowering, let: Let, x: Any) -> Any:
    a = m.arr(x)
    return Arr(a.dtype, a.ptr, (product(m, a.axes),))


@handles("np.reshape", "reshape")
def reshape(m: Lowering, let: Let, x: Any, *xs: Any) -> Any:
    w = m.w
    a = m.arr(x)
    found = [scalars.as_int(w, m.number(n)) for n in xs]
    total = product(m, a.axes)
    if "-1" in found:
        others = product(m, [n for n in found if n != "-1"])
        w.leave(w.compare("slt", others, "1"))
        found[found.index("-1")] = w.int_op("sdiv", total, others) if others != "1" else total
    axes = tuple(found)
    if product(m, axes) != total:
        w.leave(w.compare("ne", product(m, axes), total))
    for n in axes:
        if n.startswith("%"):
            w.leave(w.compare("slt", n, "0"))
    return Arr(a.dtype, a.ptr, axes)


@handles("reshape_like")
def reshape_like(m: Lowering, let: Let, x: Any, like: Any) -> Any:
    w = m.w
    if not isinstance(like, Arr | Lazy):
        return m.number(x) if not isinstance(x, Arr | Lazy) else item_of(m, x, ["0"] * len(x.axes))
    if not isinstance(x, Arr | Lazy):
        return filled(m, "float64", like.axes, m.number(x))
    a = m.arr(x)
    have, want = product(m, a.axes), product(m, like.axes)
    if have != want:
        w.leave(w.compare("ne", have, want))
    return Arr(a.dtype, a.ptr, like.axes)


@handles("np.expand_dims", "np.squeeze", "np.atleast_2d")
def expand_dims(m: Lowering, let: Let, x: Any) -> Any:
    name, axis = let.op.primitive.name, let.op.params.get("axis")  # type: ignore[attr-defined]
    if isinstance(x, Num):
        rank = 2 if name == "np.atleast_2d" else len(axis) if isinstance(axis, tuple) else 1
        return filled(m, dtype_of(let.targets[0].object), ("1",) * rank, x)
    a = m.arr(x)
    axes = list(a.axes)
    if name == "np.atleast_2d":
        axes = ["1"] * (2 - len(axes)) + axes
    elif name == "np.squeeze":
        gone = [i for i, n in enumerate(axes) if n == "1"] if axis is None else picked(a, axis)
        if any(axes[i] != "1" for i in gone) or (axis is None and any(n.startswith("%") for n in axes)):
            raise NotNative("`np.squeeze` of a size that is not known")
        axes = [n for i, n in enumerate(axes) if i not in gone]
    else:
        new = axis if isinstance(axis, tuple) else (axis,)
        rank = len(axes) + len(new)
        for i in sorted(i % rank for i in new):
            axes.insert(i, "1")
    found = Arr(a.dtype, a.ptr, tuple(axes))
    return found if axes else item_of(m, found, ())


@handles("np.copy", "np.atleast_1d", "np.asarray", "places_of")
def copy(m: Lowering, let: Let, x: Any) -> Any:
    if not isinstance(x, Arr | Lazy) or not x.axes:
        raise NotNative("a copy of a number")
    return fresh_copy(m, x)


@handles("updated")
def updated(m: Lowering, let: Let, new: Any, old: Any) -> Any:
    if not isinstance(new, Arr | Lazy) or not isinstance(old, Arr | Lazy) or new.dtype != old.dtype:
        raise NotNative("an update by another kind of value")
    same_axes(m, new.axes, old.axes)
    return renamed(new, old.axes)


@handles("broadcast_like")
def broadcast_like(m: Lowering, let: Let, x: Any, like: Any) -> Any:
    return conformed(m, x, like, exact=False)


def conformed(m: Lowering, x: Any, like: Any, exact: bool = True) -> Any:
    """A number or array in the shape of another."""
    if not isinstance(like, Arr | Lazy) or not like.axes:
        return m.number(x)
    if isinstance(x, Num):
        return filled(m, like.dtype if like.dtype == "float64" else "float64", like.axes, x)
    if not isinstance(x, Arr | Lazy):
        raise NotNative("a cotangent that is not there")
    broadcast_onto(m, x.axes, like.axes)
    found = renamed(x, like.axes)
    return found if not exact and found.axes == like.axes else lazy(m, "float64", like.axes, [found], lambda v: v)


@handles("expanded")
def expanded(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    gone = picked(x, let.op.params["axis"])  # type: ignore[attr-defined]
    axes = list(ct.axes) if isinstance(ct, Arr | Lazy) else []
    for i in gone:
        axes.insert(i, "1")
    source = ct if isinstance(ct, Num) else m.arr(ct)
    wide = source if isinstance(source, Num) else Arr(source.dtype, source.ptr, tuple(axes))
    return conformed(m, wide, x, exact=False)


@handles("unbroadcast")
def unbroadcast(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    if not isinstance(x, Arr | Lazy) or not x.axes:
        return total(m, ct) if isinstance(ct, Arr | Lazy) else ct
    if not isinstance(ct, Arr | Lazy):
        return conformed(m, ct, x)
    extra = len(ct.axes) - len(x.axes)
    if extra < 0:
        raise NotNative("a cotangent of lower rank")
    gone = [*range(extra), *[i + extra for i, n in enumerate(x.axes) if n == "1" and ct.axes[i + extra] != "1"]]
    for i, n in enumerate(x.axes):
        if n != "1":
            m.same_size(ct.axes[i + extra], n)
    if not gone:
        return renamed(ct, x.axes)
    found = summed(m, ct, gone, [])
    return Arr(found.dtype, found.ptr, x.axes)


# -- reductions ----------------------------------------------------------------------------------------------------


def picked(x: Any, axis: Any) -> list[int]:
    """The axes that a reduction is over."""
    rank = len(x.axes)
    if axis is None:
        return list(range(rank))
    return sorted(i % rank for i in (axis if isinstance(axis, tuple) else (axis,)))


def reduced(m: Lowering, x: Any, start: str, step: Callable[[str, Num], str], type_: str = "double") -> Num:
    """One number from all items."""
    w = m.w
    flat = flat_of(m, x, x.axes)
    found = None if flat is None else gathered(m, x.axes, flat, start, step, type_)
    if found is not None:
        return found
    place = w.local(type_)
    w.store(type_, start, place)
    with nest(m, x.axes) as at:
        w.store(type_, step(w.load(type_, place), item_of(m, x, at)), place)
    return Num(type_, w.load(type_, place))


def plus(m: Lowering, a: str, x: Num) -> str:
    return m.w.op("double", f"fadd {SUM} double {a}, {scalars.as_real(m.w, x)}")


def total(m: Lowering, x: Any) -> Num:
    """The sum of all items."""
    if not isinstance(x, Arr | Lazy):
        return m.number(x)
    if x.dtype != "float64":
        return reduced(m, x, "0", lambda a, v: m.w.op("i64", f"add i64 {a}, {scalars.as_int(m.w, v)}"), "i64")
    return reduced(m, x, real(0.0), lambda a, v: plus(m, a, v))


def summed(m: Lowering, x: Any, gone: Sequence[int], kept: Sequence[int]) -> Arr:
    """Sums over some axes; those in `kept` stay with size 1."""
    return along(m, x, gone, real(0.0), lambda a, v: plus(m, a, v), kept)


def along(
    m: Lowering, x: Any, gone: Sequence[int], start: str, step: Callable[[str, Num], str], kept: Sequence[int],
    dtype: str = "float64",
) -> Arr:
    """A reduction over some axes."""
    w, type_ = m.w, ITEM[dtype]
    stays = [i for i in range(len(x.axes)) if i not in gone]
    axes = tuple([x.axes[i] for i in stays])
    ptr = m.alloc(w.int_op("mul", product(m, axes), "8"))
    if len(x.axes) - 1 in gone:
        with nest(m, axes) as outer:
            place = w.local(type_)
            w.store(type_, start, place)
            with nest(m, [x.axes[i] for i in gone]) as inner:
                at = [""] * len(x.axes)
                for i, k in [*zip(stays, outer, strict=True), *zip(gone, inner, strict=True)]:
                    at[i] = k
                w.store(type_, step(w.load(type_, place), item_of(m, x, at)), place)
            w.store(type_, w.load(type_, place), w.at_index(type_, ptr, offset(m, axes, outer)))
    else:
        with w.each(product(m, axes)) as k:
            w.store(type_, start, w.at_index(type_, ptr, k))
        with nest(m, x.axes) as at:
            here = w.at_index(type_, ptr, offset(m, axes, [at[i] for i in stays]))
            w.store(type_, step(w.load(type_, here), item_of(m, x, at)), here)
    shown = tuple(["1" if i in gone else x.axes[i] for i in range(len(x.axes)) if i in stays or i in kept])
    return Arr(dtype, ptr, shown)


@handles("np.sum", "sum_all", "np.mean")
def sum_(m: Lowering, let: Let, x: Any) -> Any:
    params = let.op.params  # type: ignore[attr-defined]
    if isinstance(x, Num) and not params:
        return x
    if not set(params) <= {"axis", "keepdims"} or not isinstance(x, Arr | Lazy):
        raise NotNative(f"`{let.op.primitive.name}` with these options")  # type: ignore[attr-defined]
    gone = picked(x, params.get("axis"))
    mean = let.op.primitive.name == "np.mean"  # type: ignore[attr-defined]
    if x.dtype != "float64" and mean:
        x = lazy(m, "float64", x.axes, [x], lambda v: Num("double", scalars.as_real(m.w, v)))
    if len(gone) == len(x.axes) and not params.get("keepdims"):
        found = total(m, x)
        return found if not mean else scalars.divide(m.w, False, found, Num("i64", product(m, x.axes)))
    kept = gone if params.get("keepdims") else []
    if x.dtype != "float64":
        return along(m, m.arr(x), gone, "0", lambda a, v: m.w.op("i64", f"add i64 {a}, {scalars.as_int(m.w, v)}"),
                     kept, "int64")
    out = summed(m, x, gone, kept)
    if not mean:
        return out
    n = Num("double", scalars.as_real(m.w, Num("i64", product(m, [x.axes[i] for i in gone]))))
    return lazy(m, "float64", out.axes, [out], lambda v: scalars.divide(m.w, False, v, n))


@handles("np.max", "np.min")
def extremum(m: Lowering, let: Let, x: Any) -> Any:
    w = m.w
    params = let.op.params  # type: ignore[attr-defined]
    largest = let.op.primitive.name == "np.max"  # type: ignore[attr-defined]
    if not isinstance(x, Arr | Lazy) or x.dtype == "bool" or not set(params) <= {"axis", "keepdims"}:
        raise NotNative("the largest of these values")
    gone = picked(x, params.get("axis"))
    for i in gone:
        if x.axes[i].startswith("%"):
            w.leave(w.compare("eq", x.axes[i], "0"))
    f = "llvm.maximum.f64" if largest else "llvm.minimum.f64"
    start = real(float("-inf") if largest else float("inf"))
    if x.dtype == "int64":
        f, start = ("llvm.smax.i64", str(-(2**63))) if largest else ("llvm.smin.i64", str(2**63 - 1))

    def step(a: str, v: Num) -> str:
        return w.op(v.type, f"call {v.type} @{f}({v.type} {a}, {v.type} {v.text})")

    if len(gone) == len(x.axes) and not params.get("keepdims"):
        return reduced(m, x, start, step, number(x.dtype))
    return along(m, m.arr(x), gone, start, step, gone if params.get("keepdims") else [], x.dtype)


@handles("spread_ties")
def spread_ties(m: Lowering, let: Let, ct: Any, y: Any, x: Any) -> Any:
    params = let.op.params  # type: ignore[attr-defined]
    x = m.arr(x)
    gone = picked(x, params.get("axis"))
    wide_y, wide_ct = [widened(m, v, x, gone, params.get("keepdims", False)) for v in (y, ct)]
    number_ = ties(m, wide_y, x, gone)

    def f(v: Num, top: Num, n: Num, d: Num) -> Num:
        part = m.w.op("double", f"fdiv double {d.text}, {n.text}")
        return Num("double", m.w.select("double", scalars.compared(m.w, "eq", v, top), part, real(0.0)))

    return lazy(m, "float64", x.axes, [x, wide_y, number_, wide_ct], f)


@handles("mean_ties")
def mean_ties(m: Lowering, let: Let, dx: Any, y: Any, x: Any) -> Any:
    params = let.op.params  # type: ignore[attr-defined]
    x = m.arr(x)
    gone = picked(x, params.get("axis"))
    wide_y = widened(m, y, x, gone, params.get("keepdims", False))
    number_ = ties(m, wide_y, x, gone)

    def f(v: Num, top: Num, n: Num, d: Num) -> Num:
        part = m.w.op("double", f"fdiv double {d.text}, {n.text}")
        return Num("double", m.w.select("double", scalars.compared(m.w, "eq", v, top), part, real(0.0)))

    weighted = lazy(m, "float64", x.axes, [x, wide_y, number_, dx], f)
    if len(gone) == len(x.axes) and not params.get("keepdims"):
        return total(m, weighted)
    return summed(m, weighted, gone, gone if params.get("keepdims") else [])


def widened(m: Lowering, v: Any, x: Arr, gone: Sequence[int], keeps: bool) -> Any:
    """The result of a reduction, or its cotangent, with the axes of what was reduced."""
    if not isinstance(v, Arr | Lazy):
        return m.number(v, "double")
    a = m.arr(v)
    if keeps or not a.axes:
        return a if a.axes else m.number(a)
    axes = list(a.axes)
    for i in gone:
        axes.insert(i, "1")
    broadcast_onto(m, tuple(axes), x.axes)
    return renamed(Arr(a.dtype, a.ptr, tuple(axes)), x.axes)


def ties(m: Lowering, y: Any, x: Arr, gone: Sequence[int]) -> Any:
    """How many items are equal to the extremum, at least 1."""
    w = m.w

    def tie(v: Num, top: Num) -> Num:
        return Num("double", scalars.as_real(w, Num("i1", scalars.compared(w, "eq", v, top))))

    same = lazy(m, "float64", x.axes, [x, y], tie)
    one = Num("double", real(1.0))
    if len(gone) == len(x.axes) and isinstance(y, Num):
        return Num("double", scalars.call(w, "llvm.maximum.f64", total(m, same).text, one.text))
    found = summed(m, same, gone, gone)
    return lazy(m, "float64", found.axes, [found], lambda n: Num(
        "double", scalars.call(w, "llvm.maximum.f64", n.text, one.text)))


# -- products ------------------------------------------------------------------------------------------------------


@handles("matmul", "np.matmul", "np.dot", "np.inner", "np.vdot", "np.outer")
def matmul(m: Lowering, let: Let, a: Any, b: Any) -> Any:
    from compile.backends.native.contractions import multiplied

    name = let.op.primitive.name  # type: ignore[attr-defined]
    if not isinstance(a, Arr | Lazy) or not isinstance(b, Arr | Lazy):
        if name in ("np.dot",):
            return elementwise(m, let.targets[0].object, [a, b], lambda x, y: scalars.OPERATIONS["mul"](
                m.w, False, x, y))
        return multiplied(m, let, a, b)
    ranks = len(a.axes), len(b.axes)
    if a.dtype != "float64" or b.dtype != "float64" or not set(ranks) <= {1, 2}:
        return multiplied(m, let, a, b)
    if name == "np.outer" and ranks == (1, 1):
        return outer(m, let, a, b)
    if name == "np.outer" or (name in ("np.inner", "np.vdot") and ranks != (1, 1)):
        return multiplied(m, let, a, b)
    w = m.w
    inner, other = a.axes[-1], b.axes[0]
    if inner != other:
        m.same_size(inner, other)
    if ranks == (1, 1):
        both = lazy(m, "float64", (inner,), [renamed(a, (inner,)), renamed(b, (inner,))],
                    lambda x, y: scalars.OPERATIONS["mul"](w, False, x, y))
        return total(m, both)
    if ranks == (2, 1):
        return times_vector(m, a, m.arr(b), turned=False)
    if ranks == (1, 2):
        return times_vector(m, b, m.arr(a), turned=True)
    return times_matrix(m, a, b)


def untransposed(m: Lowering, a: Any) -> tuple[Arr, bool]:
    """A matrix in memory, and whether it stands for its transpose."""
    if isinstance(a, Lazy) and a.turned is not None:
        return a.turned, True
    return m.arr(a), False


def times_vector(m: Lowering, a: Any, x: Arr, turned: bool) -> Arr:
    """A @ x, or x @ A where `turned`."""
    w = m.w
    A, flipped = untransposed(m, a)
    rows, columns = A.axes
    if flipped is turned:  # a row of memory gives one result
        ptr = m.alloc(w.int_op("mul", rows, "8"))
        with w.counted(rows) as i:
            base = w.int_op("mul", i, columns)
            place = w.local("double")
            w.store("double", real(0.0), place)
            with w.each(columns) as j:
                y = w.op("double", f"fmul {SUM} double {load(m, 'float64', A.ptr, w.int_op('add', base, j))}, "
                                   f"{load(m, 'float64', x.ptr, j)}")
                w.store("double", plus(m, w.load("double", place), Num("double", y)), place)
            w.store("double", w.load("double", place), w.at_index("double", ptr, i))
        return Arr("float64", ptr, (rows,))
    ptr = m.alloc(w.int_op("mul", columns, "8"))
    with w.each(columns) as j:
        w.store("double", real(0.0), w.at_index("double", ptr, j))
    with w.counted(rows) as i:
        base, factor = w.int_op("mul", i, columns), load(m, "float64", x.ptr, i)
        with w.each(columns) as j:
            y = w.op("double", f"fmul {SUM} double {load(m, 'float64', A.ptr, w.int_op('add', base, j))}, {factor}")
            at = w.at_index("double", ptr, j)
            w.store("double", plus(m, w.load("double", at), Num("double", y)), at)
    return Arr("float64", ptr, (columns,))


def times_matrix(m: Lowering, a: Any, b: Any) -> Arr:
    """A @ B: by loops where one side is small, else by the library."""
    w = m.w
    A, a_turned = untransposed(m, a)
    B, b_turned = untransposed(m, b)
    n, inner, k = m.size(a.axes[0]), m.size(a.axes[1]), m.size(b.axes[1])
    ptr = m.alloc(w.int_op("mul", w.int_op("mul", n, k), "8"))
    out = Arr("float64", ptr, (n, k))
    large, small, done = w.fresh("large"), w.fresh("small"), w.fresh("multiplied")
    if m.module.dgemm:
        work = w.int_op("mul", w.int_op("mul", n, k), inner)
        least = w.op("i64", f"call i64 @llvm.smin.i64(i64 {n}, i64 {k})")
        least = w.op("i64", f"call i64 @llvm.smin.i64(i64 {least}, i64 {inner})")
        much, wide = w.compare("sgt", work, str(LARGE**3)), w.compare("sge", least, "8")
        w.fork(w.op("i1", f"and i1 {much}, {wide}"), large, small)
        w.label(large)
        lead_a, lead_b = A.axes[1], B.axes[1]
        flags = [112 if t else 111 for t in (a_turned, b_turned)]
        w.do(f"call void @ccc_dgemm(i32 101, i32 {flags[0]}, i32 {flags[1]}, i64 {n}, i64 {k}, i64 {inner}, "
             f"double {real(1.0)}, ptr {A.ptr}, i64 {lead_a}, ptr {B.ptr}, i64 {lead_b}, double {real(0.0)}, "
             f"ptr {ptr}, i64 {k})")
        w.jump(done)
        w.label(small)
    whole = w.gap()
    with w.within(whole):
        by_items(m, A, a_turned, B, b_turned, out, inner)
    if w.lanes and k != "1":
        fast = w.gap()
        with w.within(fast):
            by_rows(m, A, a_turned, B, b_turned, out, inner)
        whole.plain = list(whole)
        whole[:] = list(fast)
        fast.clear()
    if m.module.dgemm:
        w.jump(done)
        w.label(done)
    return out


def by_items(m: Lowering, A: Arr, a_turned: bool, B: Arr, b_turned: bool, out: Arr, inner: str) -> None:
    """A product of matrices, item by item."""
    w = m.w
    with w.counted(out.axes[0]) as i, w.counted(out.axes[1]) as c:
        place = w.local("double")
        w.store("double", real(0.0), place)
        with w.counted(inner) as j:
            x = load(m, "float64", A.ptr, offset(m, A.axes, (j, i) if a_turned else (i, j)))
            y = load(m, "float64", B.ptr, offset(m, B.axes, (c, j) if b_turned else (j, c)))
            y = w.op("double", f"fmul {SUM} double {x}, {y}")
            w.store("double", plus(m, w.load("double", place), Num("double", y)), place)
        at = w.at_index("double", out.ptr, offset(m, out.axes, (i, c)))
        w.store("double", w.load("double", place), at)


ROWS = 4
"""So many rows of a product are made at once."""


def by_rows(m: Lowering, A: Arr, a_turned: bool, B: Arr, b_turned: bool, out: Arr, inner: str) -> None:
    """A product of matrices, a vector of columns in several rows at once; what lies beyond is not written."""
    w, lanes = m.w, m.w.lanes
    rows, columns = out.axes
    vector, test = f"<{lanes} x double>", f"<{lanes} x i1>"
    if b_turned:
        turned = Lazy("float64", (inner, columns), lambda at: item_of(m, B, (at[1], at[0])).text)
        B = into(m, turned, Arr("float64", m.alloc(w.int_op("mul", w.int_op("mul", inner, columns), "8")),
                                turned.axes))
    w.declared |= {f"declare {vector} @llvm.masked.load.v{lanes}f64.p0(ptr, i32, {test}, {vector})",
                   f"declare void @llvm.masked.store.v{lanes}f64.p0({vector}, ptr, i32, {test})"}
    last = w.int_op("sub", rows, "1")
    sums = [w.local(vector) for _ in range(ROWS)]
    with w.counted(columns, lanes) as c:
        left = splat(m, "i64", w.int_op("sub", columns, c))
        steps = ", ".join(f"i64 {k}" for k in range(lanes))
        mask = w.op(test, f"icmp slt <{lanes} x i64> <{steps}>, {left}")
        with w.counted(rows, ROWS) as i:
            here = [i] + [w.op("i64", f"call i64 @llvm.smin.i64(i64 {w.int_op('add', i, str(r))}, i64 {last})")
                          for r in range(1, ROWS)]
            for slot in sums:
                w.store(vector, "zeroinitializer", slot)
            with w.counted(inner) as j:
                at = w.at_index("double", B.ptr, w.int_op("add", w.int_op("mul", j, columns), c))
                y = w.op(vector, f"call {vector} @llvm.masked.load.v{lanes}f64.p0(ptr {at}, i32 8, {test} {mask}, "
                                 f"{vector} zeroinitializer)")
                for row, slot in zip(here, sums, strict=True):
                    x = splat(m, "double", load(m, "float64", A.ptr, offset(m, A.axes, (j, row) if a_turned
                                                                             else (row, j))))
                    term = w.op(vector, f"fmul {SUM} {vector} {x}, {y}")
                    w.store(vector, w.op(vector, f"fadd {SUM} {vector} {w.load(vector, slot)}, {term}"), slot)
            for row, slot in zip(here, sums, strict=True):
                at = w.at_index("double", out.ptr, w.int_op("add", w.int_op("mul", row, columns), c))
                w.do(f"call void @llvm.masked.store.v{lanes}f64.p0({vector} {w.load(vector, slot)}, ptr {at}, i32 8, "
                     f"{test} {mask})")


def splat(m: Lowering, type_: str, x: str) -> str:
    """A number in all lanes."""
    w, vector = m.w, f"<{m.w.lanes} x {type_}>"
    one = w.op(vector, f"insertelement {vector} poison, {type_} {x}, i64 0")
    return w.op(vector, f"shufflevector {vector} {one}, {vector} poison, <{w.lanes} x i32> zeroinitializer")


def outer(m: Lowering, let: Let, a: Any, b: Any) -> Any:
    if not all(isinstance(x, Arr | Lazy) and len(x.axes) == 1 for x in (a, b)):
        raise NotNative("`np.outer` of these values")
    x, y = m.arr(a), m.arr(b)
    return Lazy("float64", (x.axes[0], y.axes[0]), lambda at: m.w.op(
        "double", f"fmul double {load(m, 'float64', x.ptr, at[0])}, {load(m, 'float64', y.ptr, at[1])}"))


def as_rows(m: Lowering, xs: Lst, x: Any, item_at: Callable[[Lowering, Lst, str], Any]) -> Any:
    """A list of the cotangents of rows as the cotangent of the array."""
    w = m.w
    if xs.layout is None:
        return zeros_of(m, x)
    if xs.length != x.axes[0]:
        w.leave(w.compare("ne", xs.length, x.axes[0]))
    if len(x.axes) == 1 and words(xs.layout) == ["double"]:
        return fresh_copy(m, Arr("float64", xs.ptr, x.axes))
    if len(words(xs.layout)) != len(x.axes):
        raise NotNative("rows of other rank")
    ptr = m.alloc(w.int_op("mul", product(m, x.axes), "8"))
    with w.counted(xs.length) as k:
        row = item_at(m, xs, k)
        if isinstance(row, Tup | Fixed | Num):
            raise NotNative("rows that are no arrays")
        same_axes(m, row.axes, x.axes[1:])
        with nest(m, x.axes[1:]) as at:
            store(m, item_of(m, Arr("float64", row.ptr, x.axes[1:]), at), "float64", ptr, offset(m, x.axes, [k, *at]))
    return Arr("float64", ptr, x.axes)


@handles("from_list")
def from_list(m: Lowering, let: Let, xs: Any) -> Any:
    """A list of numbers, of arrays or of lists of numbers as an array."""
    w = m.w
    if isinstance(xs, Rows):
        return fresh_copy(m, xs.array)
    if isinstance(xs, Rng):
        start, step = xs.start, xs.step
        return Lazy("int64", (xs.length,), lambda at: w.int_op("add", start, w.int_op("mul", at[0], step)))
    dtype = dtype_of(let.targets[0].object)
    if not isinstance(xs, Lst) or xs.layout is None:
        raise NotNative(f"an array of a {type(xs).__name__}")
    kinds = words(xs.layout)
    if len(kinds) == 1 and kinds[0] != "ptr":
        if kinds != [number(dtype)] or dtype == "bool":
            raise NotNative("an array of a list of bools")
        return fresh_copy(m, Arr(dtype, xs.ptr, (xs.length,)))
    if not isinstance(xs.layout, Block | Items) or words(getattr(xs.layout, "item", Word("double"))) != ["double"]:
        raise NotNative("an array of a list of these items")
    m.guard("slt", xs.length, "1")
    size, rank = str(len(kinds)), getattr(xs.layout, "rank", 1)
    axes = tuple([w.load("i64", w.at_index("i64", xs.ptr, str(1 + i))) for i in range(rank)])
    ptr = m.alloc(w.int_op("mul", w.int_op("mul", xs.length, product(m, axes)), "8"))
    with w.counted(xs.length) as k:
        here = w.int_op("mul", k, size)
        for i, n in enumerate(axes):
            found = w.load("i64", w.at_index("i64", xs.ptr, w.int_op("add", here, str(1 + i))))
            w.leave(w.compare("ne", found, n))
        row = w.load("ptr", w.at_index("i64", xs.ptr, here))
        start = w.at_index("double", ptr, w.int_op("mul", k, product(m, axes)))
        with w.each(product(m, axes)) as j:
            store(m, Num("double", load(m, "float64", row, j)), "float64", start, j)
    return Arr("float64", ptr, (xs.length, *axes))
