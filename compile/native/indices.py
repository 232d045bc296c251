"""Indices that are numbers and slices: the part of an array that they name, read and written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ccc.compile.native import added_windows, columns, conversions, parts, scalars, side_by_side, strided
from ccc.compile.native.apart import lie_apart
from ccc.compile.native.arrays import broadcast_onto, dtype_of, forced, fresh_copy, in_dtype, of_rank
from ccc.compile.native.code import is_name
from ccc.compile.native.column_reads import PATTERNS
from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.gathers import gathering
from ccc.compile.native.items import Axes, item_of, load, offset, store
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative, number
from ccc.compile.native.nests import nest, product
from ccc.compile.native.slices import Region, index_checked, sliced, wrapped
from ccc.compile.native.table import applies, handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.compile.program.sharing import are_slices
from ccc.primitives import indexing, updating


def region(m: Lowering, axes: Axes, pattern: Sequence[str], numbers: Sequence[Any]) -> Region:
    """What an index pattern says of an array with these axes."""
    w = m.w
    given = iter(numbers)
    used = axes_used(pattern, numbers)
    if used > len(axes):
        raise NotNative("an index with too many parts")
    codes: list[str] = []
    for code in pattern:
        codes += [code, *["s"] * (len(axes) - used)] if code == "." else [code]
    if "." not in pattern:
        codes += ["s"] * (len(axes) - used)
    if "a" in codes and (codes.count("a") > 1 or "i" in codes or not plain_index(numbers[0], codes)):
        return gathering(m, axes, codes, numbers)
    codes = [code for code in codes if code != "."]
    out: list[str] = []
    takes: list[Callable[[Sequence[str]], str]] = []
    lead: list[str] = []
    pieces: list[tuple[str, str] | None] = []
    leading, plain, position = True, True, 0
    for code in codes:
        if code == "+":
            out.append("1")
            pieces.append(None)
            leading, plain = False, False
            continue
        n = axes[position]
        position += 1
        if code == "i":
            i = index_checked(m, conversions.as_int(w, m.number(next(given))), n)
            takes.append(lambda at, i=i: i)
            pieces.append((i, ""))
            if leading:
                lead.append(i)
            else:
                plain = False
            continue
        leading = False
        place = len(out)
        if code == "s":
            out.append(n)
            pieces.append(("0", "1"))
            takes.append(lambda at, p=place: at[p])
        elif code == "a":
            by = m.arr(next(given))
            with w.counted(by.axes[0]) as k:  # all of them before anything is read
                index_checked(m, load(m, "int64", by.ptr, k), n)
            out.append(by.axes[0])
            takes.append(lambda at, p=place, by=by, n=n: wrapped(m, load(m, "int64", by.ptr, at[p]), n))
            plain = False
        else:
            start, step, count = sliced(m, code, [conversions.as_int(w, m.number(next(given))) for _ in code[1:]], n)
            out.append(count)
            pieces.append((start, step))
            takes.append(lambda at, p=place, a=start, s=step: w.add(a, w.mul(at[p], s)))
            plain = False
    whole = len(axes) - len(lead) if plain else -1
    return Region(tuple(out), lambda at: [take(at) for take in takes], lead, whole, None if "a" in codes else pieces)


def axes_used(pattern: Sequence[str], numbers: Sequence[Any]) -> int:
    """How many axes an index speaks of: a mask of all that it has."""
    given, used = iter(numbers), 0
    for code in pattern:
        x = [next(given) for _ in (code[1:] if code[0] == "s" else code if code in "ia" else "")]
        if code == "a" and isinstance(x[0], Num):
            raise NotNative("an array without axes as an index")
        used += len(x[0].axes) if code == "a" and x[0].dtype == "bool" else code not in (".", "+")
    return used


def plain_index(by: Any, codes: Sequence[str]) -> bool:
    """Whether an index starts with an array of integers of rank 1, and has slices of whole axes behind it."""
    return codes[0] == "a" and by.dtype == "int64" and len(by.axes) == 1 and set(codes[1:]) <= {"s", "."}


@handles(indexing.index, updating.take_at)
def index(m: Lowering, let: Let, x: Any, *numbers: Any) -> Any:
    params = let.application.params
    pattern = params["pattern"]
    sizes = let.targets[0] in m.module.sizes_alone and isinstance(x, (Arr, Lazy))
    again = isinstance(x, Lazy) and not isinstance(x, Member) and let.targets[0] in m.module.again
    source = x if sizes or again or (isinstance(x, Lazy) and x.view) else m.arr(x)
    r = region(m, source.axes, pattern, numbers)
    if not r.axes and "." not in pattern:
        return item_of(m, source, r.at(()))
    kept = m.columns.get(let.args[0]) if m.columns else None  # type: ignore[arg-type]
    if kept is not None and pattern in PATTERNS and r.axes in (source.axes[:1], (source.axes[0], "1")):
        return columns.column(m, kept, r.at(["0"] * len(r.axes))[1], r.axes)
    if isinstance(source, Arr) and r.whole >= 0 and applies(let, indexing.index):
        return Arr(source.dtype, first_place(m, source, [*r.lead, *["0"] * r.whole]), r.axes)
    view = not isinstance(source, Lazy) or source.view
    found = Lazy(source.dtype, r.axes, lambda at: item_of(m, source, r.at(at)).text, view=view or not again)
    of = strided.shown(m, source) if r.pieces is not None else None
    if of is not None and r.pieces is not None:
        found.strided = strided.part(of, r.pieces)
        found.flat = strided.by_position(m, found.strided, r.axes) or found.flat
    if are_slices(pattern) and isinstance(source, Arr) and len(source.axes) == 2:
        found.in_rows = partial(rows_within, m, source, r)
    return found


def first_place(m: Lowering, source: Arr, at: Sequence[str]) -> str:
    """Where an item of an array lies: said before the first open loop over items that may read there."""
    w, names = m.w, [x for x in (source.ptr, *source.axes, *at) if is_name(x)]
    group = next((g for g in m.groups[m.open_from :] if g.open() and all(map(g.there, names))), None)
    if group is None:
        return w.at_index(ITEM[source.dtype], source.ptr, offset(m, source.axes, at))
    with w.within(group.before):
        ptr = w.at_index(ITEM[source.dtype], source.ptr, offset(m, source.axes, at))
    if ptr != source.ptr:
        m.order[ptr] = group.opened
    return ptr


def rows_within(m: Lowering, source: Arr, r: Region) -> tuple[Arr, bool]:
    """The rows of a matrix within another one, as far apart as those."""
    start = m.w.at_index(ITEM[source.dtype], source.ptr, offset(m, source.axes, r.at(("0", "0"))))
    return Arr(source.dtype, start, (r.axes[0], source.axes[1])), False


def writable(m: Lowering, let: Let, x: Any) -> Arr:
    """The array that a let may change: the one it is given, or a copy."""
    if not isinstance(x, (Arr, Lazy, Member)):
        raise NotNative("an array without axes that is indexed")
    if let in m.module.overwritten and isinstance(x, (Arr, Member)):
        return m.arr(x)
    return forced(m, fresh_copy(m, x))


@handles(updating.set_at, adds=False)
@handles(indexing.add_at, adds=True)
def set_at(m: Lowering, let: Let, x: Any, v: Any, *numbers: Any, adds: bool) -> Arr | Lazy:
    if adds and parts.places(m, let):
        return parts.placed(m, let, x.axes, v, numbers)
    found = side_by_side.column(m, let)
    if found is not None:
        return side_by_side.with_column(m, x, *found, v)
    out = writable(m, let, x)
    pattern = let.application.params["pattern"]
    row = m.module.windows.get(let)
    if row is not None:
        if added_windows.may_wait(m, let, v):
            return added_windows.waiting(m, let, row, out, v, numbers)
        added_windows.add_waiting(m, out)
    r = region(m, out.axes, pattern, numbers)
    if isinstance(v, Arr) and v.axes:
        if let in m.module.overwritten and not lie_apart(m, *let.args[:2]):
            v = forced(m, fresh_copy(m, v))
    elif isinstance(v, Lazy) and not (m.apart and "a" not in pattern):
        v = m.arr(v)
    elif not isinstance(v, (Arr, Lazy)):
        v = m.number(v)
    if isinstance(v, (Arr, Lazy)) and len(v.axes) > len(r.axes):
        whole = not adds and (r.axes or "." in pattern) and not any(getattr(n, "dtype", "") == "bool" for n in numbers)
        if not whole:
            raise NotNative("an assignment that NumPy does not take")
        v = of_rank(m, v, len(r.axes))
    if isinstance(v, (Arr, Lazy)):
        broadcast_onto(m, v.axes, r.axes)
    with nest(m, r.axes, ordered="a" in pattern) as at:
        k = offset(m, out.axes, r.at(at))
        new = item_of(m, v, at)
        if adds:
            new = scalars.add(m.w, False, Num(number(out.dtype), load(m, out.dtype, out.ptr, k)), new)
        store(m, new, out.dtype, out.ptr, k)
    return out


@handles(updating.last_writes)
def last_writes(m: Lowering, let: Let, x: Any, *numbers: Any) -> Any:
    """1 where an index is the last one that says its item, and 0 where a later one says the same."""
    w = m.w
    r = region(m, x.axes, let.application.params["pattern"], numbers)
    winners = m.alloc(w.mul(product(m, x.axes), "8"))
    with nest(m, r.axes, ordered=True) as at:
        w.store("i64", offset(m, r.axes, at), w.at_index("i64", winners, offset(m, x.axes, r.at(at))))

    def last(at: Sequence[str]) -> str:
        winner = w.load("i64", w.at_index("i64", winners, offset(m, x.axes, r.at(at))))
        return w.select("double", w.compare("eq", winner, offset(m, r.axes, at)), real(1.0), real(0.0))

    return in_dtype(m, Lazy("float64", r.axes, last), dtype_of(let.targets[0].object))
