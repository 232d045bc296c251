"""Lines of IR for one run of a loop as lines for several runs, one in each lane: see `lanes`.

A branch whose test differs between runs is both its arms, one after the other, each under the mask of its runs: it
sets the items of these runs alone in what other runs see. What only the arm itself names needs no mask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ccc.compile.native import guarded, lane_offsets, overlapping_sums, per_lane_sums
from ccc.compile.native.body import STEPS, SUM, Body, Gathered, Parted, Region, Unfit, shared
from ccc.compile.native.hoisted_allocations import taken_once
from ccc.compile.native.instructions import FOLDS, IN_LANES, INSTRUCTIONS, MAXIMUM, MINIMUM, OR, UDIV, UREM, either
from ccc.compile.native.turned_rows import stored, turned
from ccc.compile.native.vector_memory import add_across, add_in_row, blended, loaded, put

BINARY = re.compile(rf"{either(*INSTRUCTIONS)}((?: [a-z]+)*) (double|i64|i1|i8) (\S+), (\S+)$")
NEGATION = re.compile(r"fneg double (\S+)$")
COMPARISON = re.compile(r"([fi]cmp) (\w+) (\w+) (\S+), (\S+)$")
SELECT = re.compile(r"select i1 (\S+), (\w+) (\S+), \w+ (\S+)$")
CONVERSION = re.compile(r"(sitofp|uitofp|zext|trunc|fptosi) (\w+) (\S+) to (\w+)$")
CALL = re.compile(r"call (double|i64) @([\w.]+)\((.*)\)$")
CHECKED = re.compile(r"call \{i64, i1\} @(llvm\.\w+\.with\.overflow)\.i64\(i64 (\S+), i64 (\S+)\)$")
TAKEN = re.compile(r"call ptr @ccc_(?:alloc|next)\(ptr %arena, i64 (\S+)\)$")
EXTRACT = re.compile(r"extractvalue \{i64, i1\} (\S+), ([01])$")
LOAD = re.compile(r"load (double|i64|i8|i1|ptr), ptr (\S+)$")
ADDRESS = re.compile(r"getelementptr (inbounds )?(double|i64|i8), ptr (\S+), i64 (\S+)$")
WHERE = re.compile(rf"call double {re.escape(guarded.CALL)}i1 (\S+), ptr (\S+)\)$")
STORE = re.compile(r"store (double|i64|i8|i1|ptr) (\S+), ptr (\S+)$")
FORK = re.compile(r"br i1 (\S+), label %(\w+), label %(\w+)(.*)$")
JUMP = re.compile(r"br label %(\w+)(.*)$")
OWN = re.compile(r"ccc_([a-z]\w*)$")
CHOICES = (MAXIMUM.name, MINIMUM.name)
"""What gathers by one of LLVM's intrinsics."""


def named(line: str) -> tuple[str, str]:
    """The name that a line defines, or "", and what it does."""
    name, equals, rest = line.strip().partition(" = ")
    return (name, rest) if equals else ("", line.strip())


def pair(g: Gathered, type_: str, a: str, b: str, body: Body) -> str:
    """The operation that gathers, on two operands."""
    suffix = "f64" if type_ == "double" else body.masked("double")
    if g.how in CHOICES:
        body.intrinsic(f"llvm.{g.how}.{suffix}", type_, type_, type_)
    return both(g, type_, a, b, suffix)


def both(g: Gathered, type_: str, a: str, b: str, suffix: str = "f64") -> str:
    """The same for numbers, or for vectors of which the name of an intrinsic says so."""
    if g.how in CHOICES:
        return f"call{g.flags} {type_} @llvm.{g.how}.{suffix}({type_} {a}, {type_} {b})"
    return f"{g.how}{g.flags} {type_} {a}, {b}"


# -- lines ---------------------------------------------------------------------------------------------------------


def translate(name: str, text: str, b: Body) -> None:
    """Write a line of the body for all lanes."""
    if not name:
        control(text, b)
        return
    if b.skipped:
        return
    word = text.partition(" ")[0]
    for pattern, translated in TRANSLATIONS.get(word, ()):
        found = pattern.match(text)
        if found:
            kind, out = translated(found, b, name)
            b.kinds[name] = kind
            b.rename[name] = out
            return
    raise Unfit


def control(text: str, b: Body) -> None:
    """A line without a value: a label, a jump, a fork or a store."""
    if text.endswith(":"):
        b.splats.clear()
        b.within += text.startswith("head") - text.startswith("done")
        if b.skipped in ("", text[:-1]):
            b.skipped = ""
            b.lines.append(f"{b.label(text[:-1])}:")
            if b.parted:
                entered(text[:-1], b)
        return
    if b.skipped:
        return
    if text.startswith("; row"):
        _, _, row, count = text.split()
        copied(row, count, b)
        return
    if text.startswith("; store row"):
        _, _, _, at, row, count, done = text.split()
        stored(at, row, count, done, b)
        return
    if text.startswith("; whole"):
        b.filled.add(text.split()[2])
        return
    if text.startswith("; array"):
        _, _, array, count = text.split()
        b.arrays[array] = count
        return
    if text.startswith(("; runs", "; each run")):  # see `lifetimes` and `frames`
        return
    jump, fork = JUMP.match(text), FORK.match(text)
    if jump:
        to = jump[1]
        if b.parted and to.startswith("join"):
            branch = b.parted[-1]
            branch.join = to
            to = branch.orelse if branch.test and b.arms[-1] == branch.then else to
        b.lines.append(f"  br label %{b.label(to)}{jump[2]}")
    elif fork:
        forked(fork, b)
    elif text.startswith("store"):
        found = STORE.match(text)
        if not found:
            raise Unfit
        store(found[1], found[2], found[3], b)
    else:
        raise Unfit


def forked(f: re.Match[str], b: Body) -> None:
    test, then, orelse, rest = f.groups()
    b.splats.clear()
    if then.startswith("large"):  # the library knows nothing of lanes
        b.lines.append(f"  br label %{b.label(orelse)}")
        b.skipped = orelse
        return
    if b.kind(test) == "same":
        test = b.own(test)
        if then.startswith("then"):
            b.parted.append(Parted("", b.mask, then, orelse))
        elif not then.startswith("body") and "leave" not in (then, orelse):
            b.forked = True
    elif then == "leave":
        test = b.reduced(OR.name, "i1", b.masked_item(b.spread(test, "i1"), "i1", "false"))
    elif then.startswith("then") and orelse.startswith("else"):
        b.parted.append(Parted(b.spread(test, "i1"), b.mask, then, orelse))
        b.arms = (*b.arms, "")
        turn(then, b)
        b.lines.append(f"  br i1 {b.reduced('or', 'i1', b.mask)}, label %{b.label(then)}, label %{b.label(orelse)}")
        return
    else:
        raise Unfit
    b.lines.append(f"  br i1 {test}, label %{b.label(then)}, label %{b.label(orelse)}{rest}")


def turn(arm: str, b: Body) -> None:
    """From here on only the runs in an arm count."""
    branch, vector = b.parted[-1], b.vector("i1")
    test = branch.test if arm == branch.then else b.op(f"xor {vector} {branch.test}, splat (i1 true)")
    b.mask = b.op(f"and {vector} {branch.mask}, {test}") if branch.mask else test
    b.arms = (*b.arms[:-1], arm)


def entered(name: str, b: Body) -> None:
    """A block of a branch whose test differs begins."""
    branch = b.parted[-1]
    if name == branch.orelse and branch.test:
        turn(name, b)
    elif name == branch.join:
        b.parted.pop()
        if branch.test:
            b.mask, b.arms = branch.mask, b.arms[:-1]


Translated = tuple[str, str]
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


def binary(f: re.Match[str], b: Body, name: str) -> Translated:
    op, flags, type_, x, y = f.groups()
    if op == "fadd" and (x in b.sum_loads or y in b.sum_loads):
        if x not in b.sum_loads:
            x, y = y, x
        b.sum_adds[name] = b.sum_loads[x], y
        return "sum", ""
    kinds = {b.kind(x), b.kind(y)}
    if kinds == {"same"}:
        return "same", b.op(f"{op}{flags} {type_} {b.own(x)}, {b.own(y)}")
    stays = moved(op, b.kind(x), b.kind(y)) if type_ == "i64" else None
    if stays is not None:
        form = overlapping_sums.moved_on(op, x, y, b) if stays == "linear" else None
        if form is not None:
            b.forms[name] = form
        return stays, b.op(f"{op}{flags} {type_} {b.own(x)}, {b.own(y)}")
    found = lane_offsets.combined(op, x, y, b) if type_ == "i64" else None
    if found is not None:
        return lane_offsets.noted(found, name, b)
    flags = flags.replace(" nsw", "").replace(" nuw", "")  # lanes beyond the end may overflow
    first, second = b.spread(x, type_), b.spread(y, type_)
    if op in (UDIV.name, UREM.name):
        return "vector", divided(op, first, second, b)
    if op in ("sdiv", "srem"):  # lanes beyond the end may hold anything
        first, second = b.masked_item(first, type_, "0"), b.masked_item(second, type_, "1")
    return "vector", b.op(f"{op}{flags} {b.vector(type_)} {first}, {second}")


def divided(op: str, x: str, n: str, b: Body) -> str:
    """Quotients or remainders of positions by sizes: half an item further, so that rounding does no harm."""
    i, d = b.vector("i64"), b.vector("double")
    size, place = b.op(f"sitofp {i} {n} to {d}"), b.op(f"sitofp {i} {x} to {d}")
    part = b.op(f"fdiv {d} splat (double 1.0), {size}")
    whole = b.op(f"fadd {d} {place}, splat (double 0.5)")
    quotient = b.op(f"fptosi {d} {b.op(f'fmul {d} {whole}, {part}')} to {i}")
    return quotient if op == UDIV.name else b.op(f"sub {i} {x}, {b.op(f'mul {i} {quotient}, {n}')}")


def negation(f: re.Match[str], b: Body, name: str) -> Translated:
    if b.kind(f[1]) == "same":
        return "same", b.op(f"fneg double {b.own(f[1])}")
    return "vector", b.op(f"fneg {b.vector('double')} {b.spread(f[1], 'double')}")


def comparison(f: re.Match[str], b: Body, name: str) -> Translated:
    op, relation, type_, x, y = f.groups()
    if type_ == "ptr" and b.kind(x) in ("same", "private") and b.kind(y) == "same":
        return "same", b.op(f"{op} {relation} ptr {b.own(x)}, {b.own(y)}")
    if b.kind(x) == b.kind(y) == "same":
        return "same", b.op(f"{op} {relation} {type_} {b.own(x)}, {b.own(y)}")
    return "vector", b.op(f"{op} {relation} {b.vector(type_)} {b.spread(x, type_)}, {b.spread(y, type_)}")


def choice(f: re.Match[str], b: Body, name: str) -> Translated:
    test, type_, x, y = f.groups()
    if b.kind(test) == "same" and b.kind(x) == b.kind(y) == "same":
        return "same", b.op(f"select i1 {b.own(test)}, {type_} {b.own(x)}, {type_} {b.own(y)}")
    vector, x, y = b.vector(type_), b.spread(x, type_), b.spread(y, type_)
    if b.kind(test) == "same":
        return "vector", b.op(f"select i1 {b.own(test)}, {vector} {x}, {vector} {y}")
    return "vector", b.op(f"select {b.vector('i1')} {b.spread(test, 'i1')}, {vector} {x}, {vector} {y}")


def conversion(f: re.Match[str], b: Body, name: str) -> Translated:
    op, have, x, want = f.groups()
    if b.kind(x) == "same":
        return "same", b.op(f"{op} {have} {b.own(x)} to {want}")
    return "vector", b.op(f"{op} {b.vector(have)} {b.spread(x, have)} to {b.vector(want)}")


def call(f: re.Match[str], b: Body, name: str) -> Translated:
    type_, function, rest = f.groups()
    args = [part.strip().split(" ") for part in rest.split(",")]
    if any(len(arg) != 2 for arg in args):
        raise Unfit
    own = OWN.match(function)
    parts = function.split(".")
    if own is None and not (parts[0] == "llvm" and len(parts) == 3 and parts[1] in IN_LANES):
        raise Unfit
    if all(b.kind(x) == "same" for _, x in args):
        return "same", b.op(f"call {type_} @{function}({', '.join(f'{t} {b.own(x)}' for t, x in args)})")
    given = ", ".join(f"{b.vector(t)} {b.spread(x, t)}" for t, x in args)
    if own is not None:
        return "vector", b.op(f"call {b.vector(type_)} @{function}_v{b.lanes}({given})")
    vector = b.vector(type_)
    called = b.intrinsic(f"llvm.{parts[1]}.{b.masked(type_)}", vector, *[b.vector(t) for t, _ in args])
    return "vector", b.op(f"call {vector} {called}({given})")


def checked(f: re.Match[str], b: Body, name: str) -> Translated:
    function, x, y = f.groups()
    if b.kind(x) == b.kind(y) == "same":
        return "same", b.op(f"call {{i64, i1}} @{function}.i64(i64 {b.own(x)}, i64 {b.own(y)})")
    i, t = b.vector("i64"), b.vector("i1")
    called = b.intrinsic(f"{function}.{b.masked('i64')}", f"{{{i}, {t}}}", i, i)
    return "pair", b.op(f"call {{{i}, {t}}} {called}({i} {b.spread(x, 'i64')}, {i} {b.spread(y, 'i64')})")


def extract(f: re.Match[str], b: Body, name: str) -> Translated:
    if b.kind(f[1]) == "same":
        return "same", b.op(f"extractvalue {{i64, i1}} {b.own(f[1])}, {f[2]}")
    return "vector", b.op(f"extractvalue {{{b.vector('i64')}, {b.vector('i1')}}} {b.own(f[1])}, {f[2]}")


# -- memory --------------------------------------------------------------------------------------------------------


def taken(f: re.Match[str], b: Body, name: str) -> Translated:
    """Memory for one run, or for as many as there are lanes."""
    if b.kind(f[1]) != "same":
        raise Unfit
    region = b.regions.setdefault(name, Region(False, name=name)).root()
    region.arms = b.arms if region.name == name else shared(region.arms, b.arms)
    b.pointees[name] = region
    if region.private:
        b.sizes.add(f[1])
    return "private" if region.private else "same", taken_once(b, f[1], b.lanes if region.private else 1, name)


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
        kind, at = address(ADDRESS.match(f"getelementptr inbounds double, ptr {row}, i64 {k}"), b, "")  # type: ignore
        b.kinds["%item"], b.rename["%item"] = kind, at
        _, x = loaded("double", "%item", kind, b)
        place = b.op(f"getelementptr {b.vector('double')}, ptr {room}, i64 {k}")
        b.lines.append(f"  store {b.vector('double')} {x}, ptr {place}, align 8")
    b.kinds[row], b.rename[row] = "private", room
    b.pointees[row] = own


def turned_over(row: str, room: str, n: str, b: Body) -> str:
    """Copy as many items of rows as make whole vectors, if no lane is masked: the rows of a square of items become its
    columns. Gives how many items there are now."""
    lanes, vector = b.lanes, b.vector("double")
    end = b.op(f"and i64 {n}, {-lanes}")
    if b.mask:
        bits = b.op(f"bitcast {b.vector('i1')} {b.mask} to i{lanes}")
        end = b.op(f"select i1 {b.op(f'icmp eq i{lanes} {bits}, -1')}, i64 {end}, i64 0")
    rows = [b.op(f"extractelement {b.vector('ptr')} {b.own(row)}, i64 {lane}") for lane in range(lanes)]
    with counted(room, end, b, step=lanes) as k:
        items = [b.op(f"getelementptr double, ptr {at}, i64 {k}") for at in rows]
        square = [b.op(f"load {vector}, ptr {at}, align 8") for at in items]
        for i, column in enumerate(turned(square, b)):
            place = b.op(f"getelementptr {vector}, ptr {room}, i64 {b.op(f'add nuw nsw i64 {k}, {i}')}")
            b.lines.append(f"  store {vector} {column}, ptr {place}, align 8")
    return end


@contextmanager
def counted(room: str, n: str, b: Body, start: str = "0", step: int = 1) -> Iterator[str]:
    """A loop over the items of an array for which there is `room`, in all lanes; leaves where there is none."""
    none = b.op(f"icmp eq ptr {room}, null")
    on, head, body, done = [b.w.fresh(x) for x in ("on", "head", "body", "done")]
    counter = b.w.local("i64")
    b.lines += [f"  br i1 {none}, label %leave, label %{on}, !prof !0", f"{on}:", f"  store i64 {start}, ptr {counter}",
                f"  br label %{head}", f"{head}:"]
    k = b.op(f"load i64, ptr {counter}")
    more = b.op(f"icmp slt i64 {k}, {n}")
    b.lines += [f"  br i1 {more}, label %{body}, label %{done}", f"{body}:"]
    b.splats.clear()
    b.kinds[k] = "same"
    b.made.add(k)
    yield k
    after = b.op(f"add nuw nsw i64 {k}, {step}")
    b.lines += [f"  store i64 {after}, ptr {counter}", f"  br label %{head}, !llvm.loop !4", f"{done}:"]
    b.splats.clear()


def address(f: re.Match[str], b: Body, name: str) -> Translated:
    inside, type_, ptr, i = f.groups()
    region, kind, of = b.region(ptr), b.kind(ptr), b.kind(i)
    b.pointees[name] = region
    b.keys[name] = (type_, ptr, i) if ptr not in b.keys else (type_, *b.keys[ptr], i)
    at = b.own(ptr)
    if region.private:
        if kind == "private" and of == "same":
            return "private", b.op(f"getelementptr {b.vector(type_)}, ptr {at}, i64 {b.own(i)}")
        wide = b.op(f"mul {b.vector('i64')} {b.spread(i, 'i64')}, splat (i64 {b.lanes})")
        if kind == "private":
            wide = b.op(f"add {b.vector('i64')} {wide}, {b.numbered()}")
            return "places", b.op(f"getelementptr {type_}, ptr {at}, {b.vector('i64')} {wide}")
        return "places", b.op(f"getelementptr {type_}, {b.vector('ptr')} {at}, {b.vector('i64')} {wide}")
    if kind == "same" and (of == "same" or of in STEPS):
        return of, b.op(f"getelementptr {inside or ''}{type_}, ptr {at}, i64 {b.own(i)}")
    if kind in STEPS and of == "same":
        return kind, b.op(f"getelementptr {inside or ''}{type_}, ptr {at}, i64 {b.own(i)}")
    found = lane_offsets.address(type_, ptr, i, name, b)
    if found is not None:
        return found
    if kind in STEPS:
        raise Unfit
    wide = f"{b.vector('i64')} {b.spread(i, 'i64')}"
    if kind == "same":
        return "places", b.op(f"getelementptr {type_}, ptr {at}, {wide}")
    return "places", b.op(f"getelementptr {type_}, {b.vector('ptr')} {at}, {wide}")


def load(f: re.Match[str], b: Body, name: str) -> Translated:
    type_, at = f.groups()
    if at.startswith("%v"):
        return variable(type_, at, b, name)
    region, kind = b.region(at), b.kind(at)
    if type_ == "ptr":
        if kind not in ("same", "private") or region.private:
            raise Unfit
        if region.points_to is None:
            region.points_to = Region(region.outside)
        pointee = region.points_to.root()
        b.pointees[name] = pointee
        return "private" if pointee.private else "same", b.op(f"load ptr, ptr {b.own(at)}")
    if region.added:
        b.sum_loads[name] = key_of(at, b)
        return "sum", ""
    if type_ == "i1" and kind != "same":
        found, x = loaded("i64", at, kind, b)  # which lists hold in a word each
        return found, b.op(f"trunc {b.vector('i64')} {x} to {b.vector('i1')}")
    known = lane_offsets.read(at, b) if type_ == "double" and kind == "places" else None
    return ("vector", known) if known is not None else loaded(type_, at, kind, b)


def where(f: re.Match[str], b: Body, name: str) -> Translated:
    """An item that is read where a test holds."""
    test, at = f.groups()
    region, kind = b.region(at), b.kind(at)
    if region.added or region.private or kind == "private":
        raise Unfit
    if kind == b.kind(test) == "same":
        return "same", b.op(f"call double {guarded.CALL}i1 {b.own(test)}, ptr {b.own(at)})")
    mask, vector = b.mask, b.vector("i1")
    there = b.spread(test, "i1")
    b.mask = b.op(f"and {vector} {mask}, {there}") if mask else there
    if kind == "same":
        b.kinds[name], b.rename[name] = "places", b.splat(b.own(at), "ptr")
        at, kind = name, "places"
    found = loaded("double", at, kind, b)
    b.mask = mask
    return found


def variable(type_: str, at: str, b: Body, name: str) -> Translated:
    """The value of a variable."""
    b.everywhere(at)
    if at in b.sums:
        return "vector", b.op(f"load {b.vector(type_)}, ptr {b.sums[at][1]}")
    if type_ == "ptr":
        region = b.held.get(at)
        if region is None:
            region = b.held[at] = Region(True, at in b.written, at in b.added)
        b.pointees[name] = region.root()
        return "private" if region.root().private else "same", b.op(f"load ptr, ptr {at}")
    if at in b.slots:
        return "vector", b.op(f"load {b.vector(type_)}, ptr {b.slots[at][1]}")
    return "same", b.op(f"load {type_}, ptr {at}")


def store(type_: str, value: str, at: str, b: Body) -> None:
    if at.startswith("%v"):
        assign(type_, value, at, b)
        return
    region, kind = b.region(at), b.kind(at)
    if at == "%arena" or b.keys.get(at, ("",) * 2)[1] == "%arena":
        if b.kind(value) != "same":
            raise Unfit
        b.lines.append(f"  store {type_} {b.own(value)}, ptr {b.own(at)}")
    elif type_ == "ptr":
        keep(value, at, region, kind, b)
    elif region.added:
        add(value, at, kind, b)
    elif region.outside:
        if kind == "same" or not region.own:
            raise Unfit
        put(type_, b.spread(value, type_), at, kind, b)
    elif b.kind(value) == "same" and kind == "same" and region.arms == b.arms:
        b.lines.append(f"  store {type_} {b.own(value)}, ptr {b.own(at)}")
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
    b.lines.append(f"  store ptr {b.own(value)}, ptr {b.own(at)}")


def given_out(array: str, b: Body) -> str:
    """Pointers to an array for each lane, one behind the other, with the items of an array of the body."""
    if b.kind(b.arrays[array]) != "same" or b.kind(array) not in ("same", "private"):
        raise Unfit
    n, kind, vector = b.own(b.arrays[array]), b.kind(array), b.vector("double")
    size = b.op(f"mul i64 {n}, {8 * b.lanes}")
    room = b.op(f"call ptr @ccc_alloc(ptr %arena, i64 {size})")
    starts = b.op(f"mul {b.vector('i64')} {b.splat(n, 'i64')}, {b.numbered()}")
    with counted(room, n, b) as k:
        at = b.op(f"getelementptr {vector if kind == 'private' else 'double'}, ptr {b.own(array)}, i64 {k}")
        b.kinds["%item"], b.rename["%item"] = kind, at
        of, x = loaded("double", "%item", kind, b)
        if of == "same":
            x = b.splat(x, "double")
        base = b.op(f"getelementptr double, ptr {room}, i64 {k}")
        b.kinds["%place"] = "places"
        b.rename["%place"] = b.op(f"getelementptr double, ptr {base}, {b.vector('i64')} {starts}")
        put("double", x, "%place", "places", b)
    return b.op(f"getelementptr double, ptr {room}, {b.vector('i64')} {starts}")


def assign(type_: str, value: str, at: str, b: Body) -> None:
    """Give a variable a value."""
    everywhere = b.everywhere(at)
    if at in b.sums:
        vector, slot = b.vector(type_), b.sums[at][1]
        new, old = b.spread(value, type_), b.op(f"load {vector}, ptr {slot}")
        new = b.op(f"select {b.vector('i1')} {b.all()}, {vector} {new}, {vector} {old}")
        b.lines.append(f"  store {vector} {new}, ptr {slot}")
    elif type_ == "ptr":
        if b.kind(value) not in ("same", "private") or not everywhere:
            raise Unfit
        region = b.region(value)
        b.held[at] = region if at not in b.held else b.joined(b.held[at], region)
        b.lines.append(f"  store ptr {b.own(value)}, ptr {at}")
    elif b.kind(value) == "same" and at not in b.slots and everywhere:
        b.lines.append(f"  store {type_} {b.own(value)}, ptr {at}")
    else:
        slot = b.slot(at, type_)
        x = b.spread(value, type_)
        b.lines.append(f"  store {b.vector(type_)} {x if everywhere else blended(type_, x, slot, b)}, ptr {slot}")


def key_of(at: str, b: Body) -> str:
    """The same text for addresses that are the same."""
    return " ".join(b.keys.get(at, (at,)))


def add(value: str, at: str, kind: str, b: Body) -> None:
    """Add the items of all lanes to what stands in memory that is only added to."""
    key, item = b.sum_adds.get(value, ("", ""))
    if key != key_of(at, b):
        raise Unfit
    vector, at_ = b.vector("double"), b.own(at)
    x = b.masked_item(b.spread(item, "double"), "double", "0x8000000000000000")
    if kind == "same":
        if not b.within or not per_lane_sums.add(at, x, b):
            add_across(at, x, b)
        return
    if kind in STEPS:
        if kind != "linear" or not overlapping_sums.noted(at, x, b):
            add_in_row(at, x, kind, b)
        return
    dummy = b.w.local("double")
    b.lines.append(f"  store double {'0x0000000000000000'}, ptr {dummy}")
    places = b.vector("ptr")
    there = b.op(f"select {b.vector('i1')} {b.all()}, {places} {at_}, {places} {b.splat(dummy, 'ptr')}")
    for k in range(b.lanes):  # one after the other: two may be the same
        here = b.op(f"extractelement {places} {there}, i64 {k}")
        before = b.op(f"load double, ptr {here}")
        part = b.op(f"extractelement {vector} {x}, i64 {k}")
        b.lines.append(f"  store double {b.op(f'fadd {SUM} double {before}, {part}')}, ptr {here}")


Translation = tuple[re.Pattern[str], Callable[[re.Match[str], Body, str], Translated]]
TRANSLATIONS: dict[str, tuple[Translation, ...]] = {
    **dict.fromkeys([i.name for i in INSTRUCTIONS], ((BINARY, binary),)),
    "fneg": ((NEGATION, negation),),
    **dict.fromkeys(["fcmp", "icmp"], ((COMPARISON, comparison),)),
    "select": ((SELECT, choice),),
    **dict.fromkeys(["sitofp", "uitofp", "zext", "trunc", "fptosi"], ((CONVERSION, conversion),)),
    "call": ((TAKEN, taken), (CHECKED, checked), (WHERE, where), (CALL, call)),
    "extractvalue": ((EXTRACT, extract),),
    "getelementptr": ((ADDRESS, address),),
    "load": ((LOAD, load),),
}
