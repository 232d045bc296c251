"""Items of an array in other places: each primitive says where an item of its result comes from.

    flip    result[k] = x[n - 1 - k]        tril    result[i, j] = x[i, j] where j <= i, else 0

The result waits for its reader, as elementwise results do. The transpose, called `..._onto`, adds the cotangent of each
item to where the item came from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.compile.native import conversions, scalars
from ccc.compile.native.arrays import dtype_of
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import REALS, bytes_of
from ccc.compile.native.gathers import checked, masked
from ccc.compile.native.items import Axes, item_of, load, offset, store
from ccc.compile.native.layout import ITEM, ZERO_OF, Arr, Lazy, NotNative, number
from ccc.compile.native.nests import nest, product
from ccc.compile.native.parts import is_readable, read_where
from ccc.compile.native.reshaping import permuted
from ccc.compile.native.slices import index_checked, wrapped
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import products, rearranging, shaping
from ccc.primitives.primitive import Primitive
from ccc.values import slotted

At = Sequence[str]
Source = Callable[[At], tuple[list[str], str]]


@slotted
class Moved:
    """The sizes of a result, and for the indices of an item those of where it comes from and whether it is there: a
    test, or "" for always. Where an item comes from one of two `parts`, these are both, each with its test."""

    axes: Axes
    source: Source
    parts: Callable[[At], list[tuple[str, list[str]]]] | None = None


Rule = Callable[[Lowering, Axes, dict[str, Any], Sequence[Any]], Moved]


def rule(
    primitive: Primitive, onto: Primitive | None = None, flat: bool = False, same: bool = False
) -> Callable[[Rule], Rule]:
    """Say where the items of the results of a primitive, and of its transpose, come from. One that is `flat` sees an
    array without an axis as one row; where it is the `same` one, too, the result has the shape of the array."""

    def add(f: Rule) -> Rule:
        handles(primitive, rule=f, flat=flat, same=same)(rearranged)
        if onto is not None:
            handles(onto, rule=f, flat=flat)(transposed)
        return f

    return add


def rearranged(m: Lowering, let: Let, x: Any, *places: Any, rule: Rule, flat: bool, same: bool) -> Any:
    """The result of a primitive with a rule."""
    op: Any = let.op
    params = op.params
    if not isinstance(x, (Arr, Lazy)):
        raise NotNative(f"`{op.primitive.name}` of a number")
    source = x if isinstance(x, Lazy) and x.view else m.arr(x)
    flattens = flat and params.get("axis") is None
    if flattens:
        source = flattened(m, source)
    found = rule(m, source.axes, params, places)
    if not found.axes:
        return item_of(m, source, found.source(())[0])
    reads = read
    if found.parts is not None and m.w.lanes and source.dtype in REALS and is_readable(m, source):
        reads = read_of_parts
    result = Lazy(source.dtype, found.axes, lambda at: reads(m, source, found, at).text, view=True)
    if not same or not flattens or len(x.axes) == 1:
        return result
    whole = m.arr(result)
    return Arr(whole.dtype, whole.ptr, x.axes)


def read(m: Lowering, source: Any, found: Moved, at: At) -> Num:
    """An item of the result."""
    w = m.w
    here, there = found.source(at)
    if not there:
        return item_of(m, source, here)
    zero = ZERO_OF[number(source.dtype)]
    safe = [w.select("i64", there, i, "0") for i in here]
    if any(is_name(n) for n in source.axes):  # of an array without items none may be read
        first = w.local(number(source.dtype))
        return Num(number(source.dtype), guarded(m, source, safe, there, first, zero))
    return Num(number(source.dtype), w.select(number(source.dtype), there, item_of(m, source, safe).text, zero))


def read_of_parts(m: Lowering, source: Any, found: Moved, at: At) -> Num:
    """An item that one of two parts has, each of which is read under a test: several next to each other are there."""
    assert found.parts is not None
    type_ = number(source.dtype)
    (first, here), (second, there) = found.parts(at)
    x, y = read_where(m, first, source, *here), read_where(m, second, source, *there)
    return Num(type_, m.w.select(type_, first, x.text, y.text))


def guarded(m: Lowering, source: Any, here: At, there: str, place: str, zero: str) -> str:
    """An item that is read only where a test holds."""
    w, type_ = m.w, number(source.dtype)
    w.store(type_, zero, place)
    then, on = w.block("there"), w.block("on")
    w.fork(there, then, on)
    w.label(then)
    w.store(type_, item_of(m, source, here).text, place)
    w.jump(on)
    w.label(on)
    return w.load(type_, place)


def transposed(m: Lowering, let: Let, ct: Any, x: Any, *places: Any, rule: Rule, flat: bool) -> Arr:
    """The cotangent of what was rearranged."""
    op: Any = let.op
    w, params = m.w, op.params
    if not isinstance(x, (Arr, Lazy)) or not isinstance(ct, (Arr, Lazy, Num)):
        raise NotNative(f"`{op.primitive.name}` of a number")
    whole = x.axes
    axes = (product(m, whole),) if flat and params.get("axis") is None else whole
    found = rule(m, axes, params, places)
    size = product(m, whole)
    dtype = dtype_of(let.targets[0].object)
    out = Arr(dtype, m.alloc(w.mul(size, bytes_of(dtype))), axes)
    with w.each(size) as k:
        w.store(ITEM[dtype], real(0.0), w.at_index(ITEM[dtype], out.ptr, k))
    given = m.number(ct, ITEM[dtype]) if isinstance(ct, Num) or not ct.axes else m.arr(ct)
    if isinstance(given, Arr):
        if len(given.axes) != len(found.axes):
            given = Arr(given.dtype, given.ptr, found.axes)
        for have, want in zip(given.axes, found.axes, strict=True):
            m.same_size(have, want)
    with nest(m, found.axes, ordered=True) as at:
        here, there = found.source(at)
        x_ = given if isinstance(given, Num) else item_of(m, Arr(given.dtype, given.ptr, found.axes), at)
        if there:
            then, on = w.block("there"), w.block("on")
            w.fork(there, then, on)
            w.label(then)
        k = offset(m, axes, here)
        before = Num(ITEM[dtype], load(m, dtype, out.ptr, k))
        store(m, scalars.add(w, False, before, x_), dtype, out.ptr, k)
        if there:
            w.jump(on)
            w.label(on)
    return Arr(dtype, out.ptr, whole)


def flattened(m: Lowering, x: Any) -> Arr:
    a = m.arr(x)
    return Arr(a.dtype, a.ptr, (product(m, a.axes),))


def replaced(at: At, axis: int, i: str) -> list[str]:
    return [*at[:axis], i, *at[axis + 1 :]]


def minus(m: Lowering, a: str, b: str) -> str:
    return m.w.sub(a, b)


@rule(shaping.flip)
def flip(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    axis = params.get("axis")
    turned = range(len(axes)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    which = {i % len(axes) for i in turned}

    def source(at: At) -> tuple[list[str], str]:
        return [minus(m, minus(m, n, "1"), k) if i in which else k for i, (n, k) in enumerate(
            zip(axes, at, strict=True))], ""

    return Moved(axes, source)


@rule(rearranging.tile, rearranging.tile_onto)
def tile(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    w, reps = m.w, params["reps"]
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
    if any(not isinstance(r, int) or r < 0 for r in reps):
        raise NotNative("`np.tile` so many times")
    rank = max(len(reps), len(axes))
    reps = (1,) * (rank - len(reps)) + reps
    wide = ("1",) * (rank - len(axes)) + axes

    def source(at: At) -> tuple[list[str], str]:
        found = ["0" if n == "1" else k if r == 1 else w.binary("urem", "i64", k, n)
                 for n, r, k in zip(wide, reps, at, strict=True)]
        return found[rank - len(axes) :], ""

    return Moved(tuple([w.mul(n, str(r)) for n, r in zip(wide, reps, strict=True)]), source)


@rule(rearranging.repeat, rearranging.repeat_onto, flat=True)
def repeat(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    w = m.w
    axis = (params.get("axis") or 0) % len(axes)
    if not isinstance(places[0], Num):
        raise NotNative("`np.repeat` by several numbers")
    times = conversions.as_int(w, places[0])
    m.guard("slt", times, "0")
    out = replaced(axes, axis, w.mul(axes[axis], times))
    return Moved(tuple(out), lambda at: (replaced(at, axis, w.binary("sdiv", "i64", at[axis], times)), ""))


def triangle(what: str) -> Rule:
    def f(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
        if len(axes) < 2:
            raise NotNative("a triangle of a vector")
        k = str(params.get("k", 0))

        def source(at: At) -> tuple[list[str], str]:
            return list(at), m.w.compare(what, minus(m, at[-1], at[-2]), k)

        return Moved(axes, source)

    return f


rule(rearranging.tril, rearranging.tril_onto)(triangle("sle"))
rule(rearranging.triu, rearranging.triu_onto)(triangle("sge"))


def beside(moved: str, what: str) -> Rule:
    """Along the last axis the item at a place that is so far off, where that is the first one or any."""

    def f(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
        w = m.w

        def source(at: At) -> tuple[list[str], str]:
            k = w.add(at[-1], moved)
            return [*at[:-1], k], w.compare("ult", k, axes[-1]) if what == "inside" else w.compare("eq", k, "0")

        return Moved(axes, source)

    return f


rule(products.before)(beside("-1", "inside"))
rule(products.after)(beside("1", "inside"))
rule(products.first_of)(beside("0", "first"))


@rule(rearranging.rot90, rearranging.rot90_onto)
def rot90(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    times = params.get("k", 1) % 4
    if len(axes) < 2:
        raise NotNative("`np.rot90` of a vector")
    n, k = axes[:2]

    def source(at: At) -> tuple[list[str], str]:
        i, j = at[:2]
        if times == 0:
            found = [i, j]
        elif times == 1:
            found = [j, minus(m, minus(m, k, "1"), i)]
        elif times == 2:
            found = [minus(m, minus(m, n, "1"), i), minus(m, minus(m, k, "1"), j)]
        else:
            found = [minus(m, minus(m, n, "1"), j), i]
        return [*found, *at[2:]], ""

    return Moved((k, n, *axes[2:]) if times % 2 else axes, source)


@rule(rearranging.diagonal, rearranging.diagonal_onto)
def diagonal(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    rank = len(axes)
    k, one, two = params.get("offset", 0), params.get("axis1", 0) % rank, params.get("axis2", 1) % rank
    rest = [i for i in range(rank) if i not in (one, two)]
    n = diagonal_length(m, axes[one], axes[two], k)

    def source(at: At) -> tuple[list[str], str]:
        found = [""] * rank
        for i, x in zip(rest, at, strict=False):
            found[i] = x
        found[one] = m.w.add(at[-1], str(max(-k, 0)))
        found[two] = m.w.add(at[-1], str(max(k, 0)))
        return found, ""

    return Moved((*[axes[i] for i in rest], n), source)


def diagonal_length(m: Lowering, height: str, width: str, k: int) -> str:
    """How many items a diagonal has."""
    w = m.w
    if m.sizes.name(height) == m.sizes.name(width) and k == 0:
        return height
    ends = [w.sub(height, str(max(-k, 0))), w.sub(width, str(max(k, 0)))]
    n = w.call("i64", "llvm.smin.i64", ("i64", ends[0]), ("i64", ends[1]))
    return w.call("i64", "llvm.smax.i64", ("i64", n), ("i64", "0"))


@rule(rearranging.pad, rearranging.pad_onto)
def pad(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    w, mode = m.w, params.get("mode", "constant")
    widths = [(int(a), int(b)) for a, b in np.broadcast_to(params["pad_width"], (len(axes), 2))]
    if any(a < 0 or b < 0 for a, b in widths):
        raise NotNative("`np.pad` by a negative width")
    if mode != "constant":
        for n, (a, b) in zip(axes, widths, strict=True):
            m.guard("slt", n, str(max(a, b, 1) + (mode == "reflect")))

    def one(k: str, n: str, before: int) -> tuple[str, str]:
        i = minus(m, k, str(before))
        if mode == "constant":
            return i, w.compare("ult", i, n)
        last = minus(m, n, "1")
        low, high = w.compare("slt", i, "0"), w.compare("sgt", i, last)
        ends = {
            "edge": ("0", last),
            "reflect": (minus(m, "0", i), minus(m, w.mul(last, "2"), i)),
            "symmetric": (minus(m, "-1", i), minus(m, w.add(w.mul(last, "2"), "1"), i)),
            "wrap": (w.add(i, n), minus(m, i, n)),
        }[mode]
        return w.select("i64", low, ends[0], w.select("i64", high, ends[1], i)), ""

    def source(at: At) -> tuple[list[str], str]:
        found = [one(k, n, a) for k, n, (a, _) in zip(at, axes, widths, strict=True)]
        tests = [test for _, test in found if test]
        there = tests[0] if tests else ""
        for test in tests[1:]:
            there = w.binary("and", "i1", there, test)
        return [i for i, _ in found], there

    return Moved(tuple([w.add(n, str(a + b)) for n, (a, b) in zip(axes, widths, strict=True)]), source)


@rule(rearranging.take, rearranging.take_onto, flat=True)
def take(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    axis = (params.get("axis") or 0) % len(axes)
    n, by = axes[axis], places[0]
    if not isinstance(by, (Arr, Lazy)) or not by.axes:
        i = index_checked(m, conversions.as_int(m.w, m.number(by)), n)
        return Moved((*axes[:axis], *axes[axis + 1 :]), lambda at: ([*at[:axis], i, *at[axis:]], ""))
    indices = m.arr(by)
    checked(m, indices, n)
    rank = len(indices.axes)

    def source(at: At) -> tuple[list[str], str]:
        i = wrapped(m, item_of(m, indices, at[axis : axis + rank]).text, n)
        return [*at[:axis], i, *at[axis + rank :]], ""

    return Moved((*axes[:axis], *indices.axes, *axes[axis + 1 :]), source)


@rule(rearranging.compress, rearranging.compress_onto, flat=True)
def compress(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    axis = (params.get("axis") or 0) % len(axes)
    if not isinstance(places[0], (Arr, Lazy)) or places[0].dtype != "bool" or len(places[0].axes) != 1:
        raise NotNative("`np.compress` by these values")
    (kept,) = masked(m, m.arr(places[0]), (axes[axis],))

    def source(at: At) -> tuple[list[str], str]:
        return replaced(at, axis, item_of(m, kept, [at[axis]]).text), ""

    return Moved(tuple(replaced(axes, axis, kept.axes[0])), source)


@rule(rearranging.take_along_axis, rearranging.take_along_axis_onto)
def take_along_axis(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    if params["axis"] is None or not isinstance(places[0], (Arr, Lazy)) or len(places[0].axes) != len(axes):
        raise NotNative("`np.take_along_axis` of these values")
    axis = params["axis"] % len(axes)
    indices = m.arr(places[0])
    for i, (have, want) in enumerate(zip(indices.axes, axes, strict=True)):
        if i != axis:
            m.same_size(have, want)
    checked(m, indices, axes[axis])

    def source(at: At) -> tuple[list[str], str]:
        return replaced(at, axis, wrapped(m, item_of(m, indices, at).text, axes[axis])), ""

    return Moved(indices.axes, source)


@rule(shaping.broadcast_to)
def broadcast_to(m: Lowering, axes: Axes, params: dict[str, Any], places: Sequence[Any]) -> Moved:
    known = params.get("known") or ("?",) * len(places)
    out = ["1" if name == "1" else conversions.as_int(m.w, m.number(n)) for name, n in zip(known, places, strict=True)]
    if len(out) < len(axes):
        raise NotNative("`np.broadcast_to` a lower rank")
    for n in out:
        if is_name(n):
            m.guard("slt", n, "0")
    for have, want in zip(axes, out[len(out) - len(axes) :], strict=True):
        if have != "1":
            m.same_size(have, want)

    def source(at: At) -> tuple[list[str], str]:
        return ["0" if n == "1" else k for n, k in zip(axes, at[len(at) - len(axes) :], strict=True)], ""

    return Moved(tuple(out), source)


@handles(shaping.moveaxis)
def moveaxis(m: Lowering, let: Let, x: Any) -> Any:
    params = let.application.params
    order = np.moveaxis(np.empty(tuple(range(len(x.axes)))), params["source"], params["destination"]).shape
    return permuted(m, x, tuple(order))
