"""Lines of IR that read and write memory for one run of a loop, as lines for several runs: see `vectorize_line`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ccc.compile.native import lane_offsets, overlapping_sums, per_lane_sums
from ccc.compile.native.body import SUM, Body, Gathered, Region, Unfit, shared
from ccc.compile.native.builder import Builder
from ccc.compile.native.code import (
    ARENA,
    LEAVE,
    ROLLED,
    UNLIKELY,
    Address,
    Call,
    Load,
    Request,
    Variable,
)
from ccc.compile.native.dtypes import BYTES, FLOATING
from ccc.compile.native.hoisted_allocations import taken_once
from ccc.compile.native.instructions import MAXIMUM, MINIMUM, NEUTRAL, SUFFIX
from ccc.compile.native.lane_kinds import Kind
from ccc.compile.native.turned_rows import turned
from ccc.compile.native.vector_memory import add_across, add_in_row, blended, loaded, put

CHOICES = (MAXIMUM.name, MINIMUM.name)
"""What gathers by one of LLVM's intrinsics."""


def pair(g: Gathered, type_: str, a: str, b: str, body: Body) -> str:
    """The result of the operation that gathers, for two operands."""
    suffix = SUFFIX[type_] if type_ in SUFFIX else body.masked(g.type)
    if g.how in CHOICES:
        body.intrinsic(f"llvm.{g.how}.{suffix}", type_, type_, type_)
    return both(g, type_, a, b, body, suffix)


def both(g: Gathered, type_: str, a: str, b: str, to: Builder, suffix: str = "") -> str:
    """The same for numbers, or for vectors of which the name of an intrinsic says so."""
    if g.how in CHOICES:
        return to.call(type_, f"llvm.{g.how}.{suffix or SUFFIX[g.type]}", (type_, a), (type_, b), flags=g.flags)
    return to.binary(g.how, type_, a, b, g.flags)


Translated = tuple[Kind, str]

ITEMS = frozenset(BYTES)


def taken(f: Request, b: Body, name: str) -> Translated:
    """Memory for one run, or for as many as there are lanes."""
    if b.kind(f.size) is not Kind.SAME or f.operands[0] != ARENA:
        raise Unfit
    region = b.regions.setdefault(name, Region(False, name=name)).root()
    region.arms = b.arms if region.name == name else shared(region.arms, b.arms)
    b.pointees[name] = region
    if region.private:
        b.sizes.add(f.size)
    return Kind.PRIVATE if region.private else Kind.SAME, taken_once(b, f.size, b.lanes if region.private else 1, name)


def copied(row: str, count: str, b: Body) -> None:
    """Copy rows of which each lane has its own side by side, so that they are not gathered again and again."""
    kind, region = b.kind(row), b.region(row)
    if kind.is_one or region.added or region.private or b.kind(count) is not Kind.SAME:
        return
    own = b.regions.setdefault(f"row {row}", Region(False))
    own.private, own.arms = True, b.arms
    n = b.own(count)
    room = taken_once(b, count, 8 * b.lanes, f"row {row}")
    start = turned_over(row, room, n, b) if kind is Kind.PLACES else "0"
    with counted(room, n, b, start) as k:
        kind, at = address(Address("double", row, k, True), b, "")
        b.kinds["%item"], b.rename["%item"] = kind, at
        _, x = loaded("double", "%item", kind, b)
        place = b.address(b.vector("double"), room, k)
        b.store(b.vector("double"), x, place, 8)
    b.kinds[row], b.rename[row] = Kind.PRIVATE, room
    b.pointees[row] = own


def turned_over(row: str, room: str, n: str, b: Body) -> str:
    """Copy as many items of rows as make whole vectors, if no lane is masked: the rows of a square of items become its
    columns. Gives how many items there are now."""
    lanes, vector = b.lanes, b.vector("double")
    end = b.binary("and", "i64", n, str(-lanes))
    if b.mask:
        bits = b.cast("bitcast", b.vector("i1"), b.mask, f"i{lanes}")
        end = b.chosen("i64", b.compared("eq", f"i{lanes}", bits, "-1"), end, "0")
    rows = [b.lane(b.vector("ptr"), b.own(row), str(lane)) for lane in range(lanes)]
    with counted(room, end, b, step=lanes) as k:
        items = [b.address("double", at, k) for at in rows]
        square = [b.load(vector, at, 8) for at in items]
        for i, column in enumerate(turned(square, vector, b)):
            place = b.address(vector, room, b.binary("add", "i64", k, str(i), "nuw nsw"))
            b.store(vector, column, place, 8)
    return end


@contextmanager
def counted(room: str, n: str, b: Body, start: str = "0", step: int = 1) -> Iterator[str]:
    """A loop over the items of an array for which there is `room`, in all lanes; leaves where there is none."""
    none = b.compared("eq", "ptr", room, "null")
    on, head, body, done = [b.w.block(x) for x in ("on", "head", "body", "done")]
    counter = b.w.local("i64")
    b.fork(none, LEAVE, on, UNLIKELY)
    b.start(on)
    b.store("i64", start, counter)
    b.jump(head)
    b.start(head)
    k = b.load("i64", counter)
    more = b.compared("slt", "i64", k, n)
    b.fork(more, body, done)
    b.start(body)
    b.splats.clear()
    b.kinds[k] = Kind.SAME
    b.made.add(k)
    yield k
    after = b.binary("add", "i64", k, str(step), "nuw nsw")
    b.store("i64", after, counter)
    b.jump(head, ROLLED)
    b.start(done)
    b.splats.clear()


def address(f: Address, b: Body, name: str) -> Translated:
    inside, type_, (ptr, i) = f.inside, f.item, f.operands
    if type_ not in ITEMS or f.index_type != "i64":
        raise Unfit
    region, kind, of = b.region(ptr), b.kind(ptr), b.kind(i)
    b.pointees[name] = region
    b.keys[name] = (type_, ptr, i) if ptr not in b.keys else (type_, *b.keys[ptr], i)
    at = b.own(ptr)
    if region.private:
        if kind is Kind.PRIVATE and of is Kind.SAME:
            return Kind.PRIVATE, b.address(b.vector(type_), at, b.own(i))
        wide = b.binary("mul", b.vector("i64"), b.spread(i, "i64"), f"splat (i64 {b.lanes})")
        if kind is Kind.PRIVATE:
            wide = b.binary("add", b.vector("i64"), wide, b.numbered())
            return Kind.PLACES, b.address(type_, at, wide, index_type=b.vector("i64"))
        return Kind.PLACES, b.address(type_, at, wide, index_type=b.vector("i64"), at_type=b.vector("ptr"))
    if kind is Kind.SAME and (of is Kind.SAME or of.moves):
        return of, (b.at_index if inside else b.address)(type_, at, b.own(i))
    if kind.moves and of is Kind.SAME:
        return kind, (b.at_index if inside else b.address)(type_, at, b.own(i))
    found = lane_offsets.address(type_, ptr, i, name, b)
    if found is not None:
        return found
    if kind.moves:
        raise Unfit
    wide = b.spread(i, "i64")
    return Kind.PLACES, b.address(type_, at, wide, b.vector("i64"), "ptr" if kind is Kind.SAME else b.vector("ptr"))


def load(f: Load, b: Body, name: str) -> Translated:
    type_, at = f.type, f.at
    if f.align:
        raise Unfit
    if isinstance(at, Variable):
        return variable(type_, at, b, name)
    region, kind = b.region(at), b.kind(at)
    if type_ == "ptr":
        if not kind.is_one or region.private:
            raise Unfit
        if region.points_to is None:
            region.points_to = Region(region.outside)
        pointee = region.points_to.root()
        b.pointees[name] = pointee
        return Kind.PRIVATE if pointee.private else Kind.SAME, b.load("ptr", b.own(at))
    if region.added:
        b.sum_loads[name] = key_of(at, b)
        return Kind.SUM, ""
    if type_ == "i1" and kind is not Kind.SAME:
        found, x = loaded("i64", at, kind, b)  # which lists hold in a word each
        return found, b.cast("trunc", b.vector("i64"), x, b.vector("i1"))
    known = lane_offsets.read(type_, at, b) if type_ in FLOATING and kind is Kind.PLACES else None
    return (Kind.VECTOR, known) if known is not None else loaded(type_, at, kind, b)


def where(f: Call, b: Body, name: str) -> Translated:
    """An item that is read where a test holds."""
    test, at = f.operands
    region, kind = b.region(at), b.kind(at)
    if region.added or region.private or kind is Kind.PRIVATE:
        raise Unfit
    if kind is b.kind(test) is Kind.SAME:
        return Kind.SAME, b.call(f.type, f.function, ("i1", b.own(test)), ("ptr", b.own(at)))
    mask, vector = b.mask, b.vector("i1")
    there = b.spread(test, "i1")
    b.mask = b.binary("and", vector, mask, there) if mask else there
    if kind is Kind.SAME:
        b.kinds[name], b.rename[name] = Kind.PLACES, b.splat(b.own(at), "ptr")
        at, kind = name, Kind.PLACES
    found = loaded(f.type, at, kind, b)
    b.mask = mask
    return found


def variable(type_: str, at: str, b: Body, name: str) -> Translated:
    """The value of a variable."""
    b.everywhere(at)
    if at in b.sums:
        return Kind.VECTOR, b.load(b.vector(type_), b.sums[at][1])
    if type_ == "ptr":
        region = b.held.get(at)
        if region is None:
            region = b.held[at] = Region(True, at in b.written, at in b.added)
        b.pointees[name] = region.root()
        return Kind.PRIVATE if region.root().private else Kind.SAME, b.load("ptr", at)
    if at in b.slots:
        return Kind.VECTOR, b.load(b.vector(type_), b.slots[at][1])
    return Kind.SAME, b.load(type_, at)


def store(type_: str, value: str, at: str, b: Body) -> None:
    if isinstance(at, Variable):
        assign(type_, value, at, b)
        return
    region, kind = b.region(at), b.kind(at)
    if at == ARENA or b.keys.get(at, ("",) * 2)[1] == ARENA:
        if b.kind(value) is not Kind.SAME:
            raise Unfit
        b.store(type_, b.own(value), b.own(at))
    elif type_ == "ptr":
        keep(value, at, region, kind, b)
    elif region.added:
        add(type_, value, at, kind, b)
    elif region.outside:
        if kind is Kind.SAME or not region.own:
            raise Unfit
        put(type_, b.spread(value, type_), at, kind, b)
    elif b.kind(value) is Kind.SAME and kind is Kind.SAME and region.arms == b.arms:
        b.store(type_, b.own(value), b.own(at))
    else:
        b.differ(region)
        if kind is Kind.SAME:  # it will be another one when the body is read once more
            return
        put(type_, b.spread(value, type_), at, kind, b)


def keep(value: str, at: str, region: Region, kind: Kind, b: Body) -> None:
    """Store a pointer: in memory of the body, which all runs see alike, or in a list that the loop makes."""
    if region.outside and region.own and kind in (Kind.LINEAR, Kind.PLACES) and value in b.arrays:
        put("ptr", given_out(value, b), at, kind, b)
        return
    if region.outside or region.private or kind is not Kind.SAME or not b.kind(value).is_one or (
            region.arms != b.arms):
        raise Unfit
    pointee = b.region(value)
    region.points_to = pointee if region.points_to is None else b.joined(region.points_to, pointee)
    b.store("ptr", b.own(value), b.own(at))


def given_out(array: str, b: Body) -> str:
    """Pointers to an array for each lane, one behind the other, with the items of an array of the body."""
    if b.kind(b.arrays[array]) is not Kind.SAME or not b.kind(array).is_one:
        raise Unfit
    n, kind, vector = b.own(b.arrays[array]), b.kind(array), b.vector("double")
    size = b.binary("mul", "i64", n, str(8 * b.lanes))
    room = b.request(size)
    starts = b.binary("mul", b.vector("i64"), b.splat(n, "i64"), b.numbered())
    with counted(room, n, b) as k:
        at = b.address(vector if kind is Kind.PRIVATE else "double", b.own(array), k)
        b.kinds["%item"], b.rename["%item"] = kind, at
        of, x = loaded("double", "%item", kind, b)
        if of is Kind.SAME:
            x = b.splat(x, "double")
        base = b.address("double", room, k)
        b.kinds["%place"] = Kind.PLACES
        b.rename["%place"] = b.address("double", base, starts, index_type=b.vector("i64"))
        put("double", x, "%place", Kind.PLACES, b)
    return b.address("double", room, starts, index_type=b.vector("i64"))


def assign(type_: str, value: str, at: str, b: Body) -> None:
    """Give a variable a value."""
    everywhere = b.everywhere(at)
    if at in b.sums:
        vector, slot = b.vector(type_), b.sums[at][1]
        new, old = b.spread(value, type_), b.load(vector, slot)
        new = b.chosen(vector, b.all(), new, old, b.vector("i1"))
        b.store(vector, new, slot)
    elif type_ == "ptr":
        if not b.kind(value).is_one or not everywhere:
            raise Unfit
        region = b.region(value)
        b.held[at] = region if at not in b.held else b.joined(b.held[at], region)
        b.store("ptr", b.own(value), at)
    elif b.kind(value) is Kind.SAME and at not in b.slots and everywhere:
        b.store(type_, b.own(value), at)
    else:
        slot = b.slot(at, type_)
        x = b.spread(value, type_)
        b.store(b.vector(type_), x if everywhere else blended(type_, x, slot, b), slot)


def key_of(at: str, b: Body) -> str:
    """The same text for addresses that are the same."""
    return " ".join(b.keys.get(at, (at,)))


def add(type_: str, value: str, at: str, kind: Kind, b: Body) -> None:
    """Add the items of all lanes to what stands in memory that is only added to."""
    key, item = b.sum_adds.get(value, ("", ""))
    if key != key_of(at, b):
        raise Unfit
    vector, at_ = b.vector(type_), b.own(at)
    x = b.masked_item(b.spread(item, type_), type_, NEUTRAL["fadd"])
    if kind is Kind.SAME:
        if not b.within or not per_lane_sums.add(type_, at, x, b):
            add_across(type_, at, x, b)
        return
    if kind.moves:
        if kind is not Kind.LINEAR or not overlapping_sums.noted(at, x, b):
            add_in_row(type_, at, x, kind, b)
        return
    dummy = b.w.local(type_)
    b.store(type_, "0x0000000000000000", dummy)
    places = b.vector("ptr")
    there = b.chosen(places, b.all(), at_, b.splat(dummy, "ptr"), b.vector("i1"))
    for k in range(b.lanes):  # one after the other: two may be the same
        here = b.lane(places, there, str(k))
        before = b.load(type_, here)
        part = b.lane(vector, x, str(k))
        b.store(type_, b.binary("fadd", type_, before, part, SUM), here)
