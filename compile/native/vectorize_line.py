"""Lines of IR for one run of a loop as lines for several runs, one in each lane: see `lanes`.

A branch whose test differs between runs is both its arms, one after the other, each under the mask of its runs: it
sets the items of these runs alone in what other runs see. What only the arm itself names needs no mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ccc.compile.native import guarded, lane_offsets, overlapping_sums, per_lane_sums
from ccc.compile.native.body import STEPS, SUM, Body, Gathered, Parted, Region, Unfit, shared
from ccc.compile.native.builder import Builder
from ccc.compile.native.code import (
    ARENA,
    LEAVE,
    ROLLED,
    UNLIKELY,
    Address,
    Begin,
    Call,
    Cast,
    Checked,
    Choice,
    Comparison,
    Fork,
    Instruction,
    Jump,
    Label,
    Load,
    Negation,
    Operation,
    Part,
    Request,
    Store,
    Variable,
)
from ccc.compile.native.dtypes import BYTES, FLOATING
from ccc.compile.native.hoisted_allocations import taken_once
from ccc.compile.native.instructions import (
    FOLDS,
    IN_LANES,
    INSTRUCTIONS,
    MAXIMUM,
    MINIMUM,
    NEUTRAL,
    OR,
    SUFFIX,
    UDIV,
    UREM,
)
from ccc.compile.native.notes import Along, Each, Filled, Held, Row, Runs, StoredRow
from ccc.compile.native.turned_rows import stored, turned
from ccc.compile.native.vector_memory import add_across, add_in_row, blended, loaded, put

WORDS = frozenset({*FLOATING, "i64", "i1", "i8", "ptr"})
"""The types of what one run computes: no vectors."""
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


# -- lines ---------------------------------------------------------------------------------------------------------


def translate(i: Instruction, b: Body) -> None:
    """Write an instruction of the body for all lanes."""
    if not i.name:
        control(i, b)
        return
    if b.skipped:
        return
    translated = TRANSLATIONS.get(type(i))
    if translated is None or (i.type not in WORDS and not isinstance(i, Checked)):
        raise Unfit
    b.kinds[i.name], b.rename[i.name] = translated(i, b, i.name)


def control(i: Instruction, b: Body) -> None:
    """One without a value: where a block begins, a jump, a fork, a store, or a note."""
    if isinstance(i, Begin):
        begun(i.label, b)
        return
    if b.skipped:
        return
    match i:
        case Row():
            copied(i.operands[0], i.operands[1], b)
        case StoredRow():
            stored(i.operands[0], i.operands[1], i.operands[2], i.done, b)
        case Filled():
            b.filled.add(i.operands[0])
        case Held():
            b.arrays[i.operands[0]] = i.operands[1]
        case Runs() | Along() | Each():
            pass  # see `lifetimes` and `frames`
        case Jump():
            to = i.to
            if b.parted and to.role == "join":
                branch = b.parted[-1]
                branch.join = to
                to = branch.orelse if branch.test and b.arms[-1] == branch.then else to
            b.jump(b.label(to), i.loop)
        case Fork():
            forked(i, b)
        case Store() if i.of in WORDS and not i.align:
            store(i.of, i.value, i.at, b)
        case Call(ours=True) if ARENA in i.operands and all(b.kind(x) == "same" for x in i.operands):
            b.do(i.renamed({x: b.own(x) for x in i.operands}))
        case _:
            raise Unfit


def begun(label: Label, b: Body) -> None:
    """A block begins."""
    b.splats.clear()
    b.within += (label.role == "head") - (label.role == "done")
    if b.skipped is None or b.skipped == label:
        b.skipped = None
        b.start(b.label(label))
        if b.parted:
            entered(label, b)


def forked(f: Fork, b: Body) -> None:
    test, then, orelse = f.operands[0], f.then, f.orelse
    b.splats.clear()
    if then.role == "large":  # the library knows nothing of lanes
        b.jump(b.label(orelse))
        b.skipped = orelse
        return
    if b.kind(test) == "same":
        test = b.own(test)
        if then.role == "then":
            b.parted.append(Parted("", b.mask, then, orelse))
        elif then.role != "body" and LEAVE not in (then, orelse):
            b.forked = True
    elif then == LEAVE:
        test = b.reduced(OR.name, "i1", b.masked_item(b.spread(test, "i1"), "i1", "false"))
    elif then.role == "then" and orelse.role == "else":
        b.parted.append(Parted(b.spread(test, "i1"), b.mask, then, orelse))
        b.arms = (*b.arms, "")
        turn(then, b)
        b.fork(b.reduced("or", "i1", b.mask), b.label(then), b.label(orelse))
        return
    else:
        raise Unfit
    b.fork(test, b.label(then), b.label(orelse), f.weight)


def turn(arm: Label, b: Body) -> None:
    """From here on only the runs in an arm count."""
    branch, vector = b.parted[-1], b.vector("i1")
    test = branch.test if arm == branch.then else b.binary("xor", vector, branch.test, "splat (i1 true)")
    b.mask = b.binary("and", vector, branch.mask, test) if branch.mask else test
    b.arms = (*b.arms[:-1], arm)


def entered(name: Label, b: Body) -> None:
    """A block of a branch whose test differs begins."""
    branch = b.parted[-1]
    if name == branch.orelse and branch.test:
        turn(name, b)
    elif name == branch.join:
        b.parted.pop()
        if branch.test:
            b.mask, b.arms = branch.mask, b.arms[:-1]


Translated = tuple[str, str]
INTEGERS = ("i64", "i8", "i1")
CONVERSIONS = ("sitofp", "uitofp", "zext", "trunc", "fptosi", "fpext", "fptrunc")
ITEMS = frozenset(BYTES)
MOVING = {i.name for i in INSTRUCTIONS if i.additive}


def moved(op: str, x: str, y: str) -> str | None:
    """The kind of a sum or a difference of indices, of which one is the same in all lanes.

    >>> moved("sub", "same", "linear"), moved("add", "linear", "same"), moved("add", "linear", "linear")
    ('falling', 'linear', None)
    """
    if op not in MOVING or (x in STEPS) + (y in STEPS) != 1 or "same" not in (x, y):
        return None
    step = FOLDS[op](STEPS.get(x, 0), STEPS.get(y, 0))
    return next(kind for kind, n in STEPS.items() if n == step)


def binary(f: Operation, b: Body, name: str) -> Translated:
    op, flags, type_, (x, y) = f.op, f.flags, f.type, f.operands
    if op == "fadd" and (x in b.sum_loads or y in b.sum_loads):
        if x not in b.sum_loads:
            x, y = y, x
        b.sum_adds[name] = b.sum_loads[x], y
        return "sum", ""
    kinds = {b.kind(x), b.kind(y)}
    if kinds == {"same"}:
        return "same", b.binary(op, type_, b.own(x), b.own(y), flags)
    stays = moved(op, b.kind(x), b.kind(y)) if type_ == "i64" else None
    if stays is not None:
        form = overlapping_sums.moved_on(op, x, y, b) if stays == "linear" else None
        if form is not None:
            b.forms[name] = form
        return stays, b.binary(op, type_, b.own(x), b.own(y), flags)
    found = lane_offsets.combined(op, x, y, b) if type_ == "i64" else None
    if found is not None:
        return lane_offsets.noted(found, name, b)
    if type_ in INTEGERS:
        flags = ""  # lanes beyond the end may overflow
    first, second = b.spread(x, type_), b.spread(y, type_)
    if op in (UDIV.name, UREM.name):
        return "vector", divided(op, first, second, b)
    if op in ("sdiv", "srem"):  # lanes beyond the end may hold anything
        first, second = b.masked_item(first, type_, "0"), b.masked_item(second, type_, "1")
    return "vector", b.binary(op, b.vector(type_), first, second, flags)


def divided(op: str, x: str, n: str, b: Body) -> str:
    """Quotients or remainders of positions by sizes: half an item further, so that rounding does no harm."""
    i, d = b.vector("i64"), b.vector("double")
    size, place = b.cast("sitofp", i, n, d), b.cast("sitofp", i, x, d)
    part = b.binary("fdiv", d, "splat (double 1.0)", size)
    whole = b.binary("fadd", d, place, "splat (double 0.5)")
    quotient = b.cast("fptosi", d, b.binary("fmul", d, whole, part), i)
    return quotient if op == UDIV.name else b.binary("sub", i, x, b.binary("mul", i, quotient, n))


def negation(f: Negation, b: Body, name: str) -> Translated:
    (x,) = f.operands
    if b.kind(x) == "same":
        return "same", b.negative(f.type, b.own(x))
    return "vector", b.negative(b.vector(f.type), b.spread(x, f.type))


def comparison(f: Comparison, b: Body, name: str) -> Translated:
    relation, type_, (x, y) = f.relation, f.of, f.operands
    if type_ == "ptr" and b.kind(x) in ("same", "private") and b.kind(y) == "same":
        return "same", b.compared(relation, "ptr", b.own(x), b.own(y))
    if b.kind(x) == b.kind(y) == "same":
        return "same", b.compared(relation, type_, b.own(x), b.own(y))
    return "vector", b.compared(relation, b.vector(type_), b.spread(x, type_), b.spread(y, type_))


def choice(f: Choice, b: Body, name: str) -> Translated:
    type_, (test, x, y) = f.type, f.operands
    if b.kind(test) == "same" and b.kind(x) == b.kind(y) == "same":
        return "same", b.chosen(type_, b.own(test), b.own(x), b.own(y))
    vector, x, y = b.vector(type_), b.spread(x, type_), b.spread(y, type_)
    if b.kind(test) == "same":
        return "vector", b.chosen(vector, b.own(test), x, y)
    return "vector", b.chosen(vector, b.spread(test, "i1"), x, y, b.vector("i1"))


def conversion(f: Cast, b: Body, name: str) -> Translated:
    op, have, (x,), want = f.op, f.have, f.operands, f.type
    if op not in CONVERSIONS:
        raise Unfit
    if b.kind(x) == "same":
        return "same", b.cast(op, have, b.own(x), want)
    return "vector", b.cast(op, b.vector(have), b.spread(x, have), b.vector(want))


def call(f: Call, b: Body, name: str) -> Translated:
    if f.function in guarded.NAMES.values():
        return where(f, b, name)
    type_, function = f.type, f.function
    if f.flags or type_ not in (*FLOATING, "i64") or not (f.ours or f.intrinsic in IN_LANES):
        raise Unfit
    args = list(zip(f.given, f.operands, strict=True))
    if all(b.kind(x) == "same" for _, x in args):
        return "same", b.call(type_, function, *[(t, b.own(x)) for t, x in args])
    given = [(b.vector(t), b.spread(x, t)) for t, x in args]
    if f.ours:
        return "vector", b.call(b.vector(type_), f"{function}_v{b.lanes}", *given)
    vector = b.vector(type_)
    called = b.intrinsic(f"llvm.{f.intrinsic}.{b.masked(type_)}", vector, *[b.vector(t) for t, _ in args])
    return "vector", b.call(vector, called, *given)


def checked(f: Checked, b: Body, name: str) -> Translated:
    x, y = f.operands
    if b.kind(x) == b.kind(y) == "same":
        return "same", b.give(Checked(f.op, "i64", b.own(x), b.own(y)))
    i = b.vector("i64")
    made = Checked(f.op, i, b.spread(x, "i64"), b.spread(y, "i64"), b.masked("i64"))
    b.intrinsic(made.function, made.type, i, i)
    return "pair", b.give(made)


def extract(f: Part, b: Body, name: str) -> Translated:
    (pair_,) = f.operands
    if b.kind(pair_) == "same":
        return "same", b.part(b.own(pair_), f.index)
    return "vector", b.part(b.own(pair_), f.index, b.vector("i64"))


# -- memory --------------------------------------------------------------------------------------------------------


def taken(f: Request, b: Body, name: str) -> Translated:
    """Memory for one run, or for as many as there are lanes."""
    if b.kind(f.size) != "same" or f.operands[0] != ARENA:
        raise Unfit
    region = b.regions.setdefault(name, Region(False, name=name)).root()
    region.arms = b.arms if region.name == name else shared(region.arms, b.arms)
    b.pointees[name] = region
    if region.private:
        b.sizes.add(f.size)
    return "private" if region.private else "same", taken_once(b, f.size, b.lanes if region.private else 1, name)


def copied(row: str, count: str, b: Body) -> None:
    """Copy rows of which each lane has its own side by side, so that they are not gathered again and again."""
    kind, region = b.kind(row), b.region(row)
    if kind in ("same", "private") or region.added or region.private or b.kind(count) != "same":
        return
    own = b.regions.setdefault(f"row {row}", Region(False))
    own.private, own.arms = True, b.arms
    n = b.own(count)
    room = taken_once(b, count, 8 * b.lanes, f"row {row}")
    start = turned_over(row, room, n, b) if kind == "places" else "0"
    with counted(room, n, b, start) as k:
        kind, at = address(Address("double", row, k, True), b, "")
        b.kinds["%item"], b.rename["%item"] = kind, at
        _, x = loaded("double", "%item", kind, b)
        place = b.address(b.vector("double"), room, k)
        b.store(b.vector("double"), x, place, 8)
    b.kinds[row], b.rename[row] = "private", room
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
        for i, column in enumerate(turned(square, b)):
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
    b.kinds[k] = "same"
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
        if kind == "private" and of == "same":
            return "private", b.address(b.vector(type_), at, b.own(i))
        wide = b.binary("mul", b.vector("i64"), b.spread(i, "i64"), f"splat (i64 {b.lanes})")
        if kind == "private":
            wide = b.binary("add", b.vector("i64"), wide, b.numbered())
            return "places", b.address(type_, at, wide, index_type=b.vector("i64"))
        return "places", b.address(type_, at, wide, index_type=b.vector("i64"), at_type=b.vector("ptr"))
    if kind == "same" and (of == "same" or of in STEPS):
        return of, (b.at_index if inside else b.address)(type_, at, b.own(i))
    if kind in STEPS and of == "same":
        return kind, (b.at_index if inside else b.address)(type_, at, b.own(i))
    found = lane_offsets.address(type_, ptr, i, name, b)
    if found is not None:
        return found
    if kind in STEPS:
        raise Unfit
    wide = b.spread(i, "i64")
    return "places", b.address(type_, at, wide, b.vector("i64"), "ptr" if kind == "same" else b.vector("ptr"))


def load(f: Load, b: Body, name: str) -> Translated:
    type_, at = f.type, f.at
    if f.align:
        raise Unfit
    if isinstance(at, Variable):
        return variable(type_, at, b, name)
    region, kind = b.region(at), b.kind(at)
    if type_ == "ptr":
        if kind not in ("same", "private") or region.private:
            raise Unfit
        if region.points_to is None:
            region.points_to = Region(region.outside)
        pointee = region.points_to.root()
        b.pointees[name] = pointee
        return "private" if pointee.private else "same", b.load("ptr", b.own(at))
    if region.added:
        b.sum_loads[name] = key_of(at, b)
        return "sum", ""
    if type_ == "i1" and kind != "same":
        found, x = loaded("i64", at, kind, b)  # which lists hold in a word each
        return found, b.cast("trunc", b.vector("i64"), x, b.vector("i1"))
    known = lane_offsets.read(type_, at, b) if type_ in FLOATING and kind == "places" else None
    return ("vector", known) if known is not None else loaded(type_, at, kind, b)


def where(f: Call, b: Body, name: str) -> Translated:
    """An item that is read where a test holds."""
    test, at = f.operands
    region, kind = b.region(at), b.kind(at)
    if region.added or region.private or kind == "private":
        raise Unfit
    if kind == b.kind(test) == "same":
        return "same", b.call(f.type, f.function, ("i1", b.own(test)), ("ptr", b.own(at)))
    mask, vector = b.mask, b.vector("i1")
    there = b.spread(test, "i1")
    b.mask = b.binary("and", vector, mask, there) if mask else there
    if kind == "same":
        b.kinds[name], b.rename[name] = "places", b.splat(b.own(at), "ptr")
        at, kind = name, "places"
    found = loaded(f.type, at, kind, b)
    b.mask = mask
    return found


def variable(type_: str, at: str, b: Body, name: str) -> Translated:
    """The value of a variable."""
    b.everywhere(at)
    if at in b.sums:
        return "vector", b.load(b.vector(type_), b.sums[at][1])
    if type_ == "ptr":
        region = b.held.get(at)
        if region is None:
            region = b.held[at] = Region(True, at in b.written, at in b.added)
        b.pointees[name] = region.root()
        return "private" if region.root().private else "same", b.load("ptr", at)
    if at in b.slots:
        return "vector", b.load(b.vector(type_), b.slots[at][1])
    return "same", b.load(type_, at)


def store(type_: str, value: str, at: str, b: Body) -> None:
    if isinstance(at, Variable):
        assign(type_, value, at, b)
        return
    region, kind = b.region(at), b.kind(at)
    if at == ARENA or b.keys.get(at, ("",) * 2)[1] == ARENA:
        if b.kind(value) != "same":
            raise Unfit
        b.store(type_, b.own(value), b.own(at))
    elif type_ == "ptr":
        keep(value, at, region, kind, b)
    elif region.added:
        add(type_, value, at, kind, b)
    elif region.outside:
        if kind == "same" or not region.own:
            raise Unfit
        put(type_, b.spread(value, type_), at, kind, b)
    elif b.kind(value) == "same" and kind == "same" and region.arms == b.arms:
        b.store(type_, b.own(value), b.own(at))
    else:
        b.differ(region)
        if kind == "same":  # it will be another one when the body is read once more
            return
        put(type_, b.spread(value, type_), at, kind, b)


def keep(value: str, at: str, region: Region, kind: str, b: Body) -> None:
    """Store a pointer: in memory of the body, which all runs see alike, or in a list that the loop makes."""
    if region.outside and region.own and kind in ("linear", "places") and value in b.arrays:
        put("ptr", given_out(value, b), at, kind, b)
        return
    if region.outside or region.private or kind != "same" or b.kind(value) not in ("same", "private") or (
            region.arms != b.arms):
        raise Unfit
    pointee = b.region(value)
    region.points_to = pointee if region.points_to is None else b.joined(region.points_to, pointee)
    b.store("ptr", b.own(value), b.own(at))


def given_out(array: str, b: Body) -> str:
    """Pointers to an array for each lane, one behind the other, with the items of an array of the body."""
    if b.kind(b.arrays[array]) != "same" or b.kind(array) not in ("same", "private"):
        raise Unfit
    n, kind, vector = b.own(b.arrays[array]), b.kind(array), b.vector("double")
    size = b.binary("mul", "i64", n, str(8 * b.lanes))
    room = b.request(size)
    starts = b.binary("mul", b.vector("i64"), b.splat(n, "i64"), b.numbered())
    with counted(room, n, b) as k:
        at = b.address(vector if kind == "private" else "double", b.own(array), k)
        b.kinds["%item"], b.rename["%item"] = kind, at
        of, x = loaded("double", "%item", kind, b)
        if of == "same":
            x = b.splat(x, "double")
        base = b.address("double", room, k)
        b.kinds["%place"] = "places"
        b.rename["%place"] = b.address("double", base, starts, index_type=b.vector("i64"))
        put("double", x, "%place", "places", b)
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
        if b.kind(value) not in ("same", "private") or not everywhere:
            raise Unfit
        region = b.region(value)
        b.held[at] = region if at not in b.held else b.joined(b.held[at], region)
        b.store("ptr", b.own(value), at)
    elif b.kind(value) == "same" and at not in b.slots and everywhere:
        b.store(type_, b.own(value), at)
    else:
        slot = b.slot(at, type_)
        x = b.spread(value, type_)
        b.store(b.vector(type_), x if everywhere else blended(type_, x, slot, b), slot)


def key_of(at: str, b: Body) -> str:
    """The same text for addresses that are the same."""
    return " ".join(b.keys.get(at, (at,)))


def add(type_: str, value: str, at: str, kind: str, b: Body) -> None:
    """Add the items of all lanes to what stands in memory that is only added to."""
    key, item = b.sum_adds.get(value, ("", ""))
    if key != key_of(at, b):
        raise Unfit
    vector, at_ = b.vector(type_), b.own(at)
    x = b.masked_item(b.spread(item, type_), type_, NEUTRAL["fadd"])
    if kind == "same":
        if not b.within or not per_lane_sums.add(type_, at, x, b):
            add_across(type_, at, x, b)
        return
    if kind in STEPS:
        if kind != "linear" or not overlapping_sums.noted(at, x, b):
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


TRANSLATIONS: dict[type[Instruction], Callable[[Any, Body, str], Translated]] = {
    Operation: binary,
    Negation: negation,
    Comparison: comparison,
    Choice: choice,
    Cast: conversion,
    Request: taken,
    Checked: checked,
    Call: call,
    Part: extract,
    Address: address,
    Load: load,
}
