"""Loops as loops over vectors: several runs of a loop at once, one in each lane of a register.

The body of a loop is written for one run, as text of IR. `vectors` reads that text and writes the same for `lanes` runs
from `%k` on. What is the same in all runs stays as it is; what differs becomes a vector: a load at consecutive places
is a masked load, another one a gather, a sum in memory a sum for each lane. A mask leaves out the runs beyond the end,
so that no second copy of the body is needed. Short sums get a loop without masks before, on several vectors at once.

    %a = load double, ptr %at                     %a = call <8 x double> @llvm.masked.load...(ptr %at, ..., %mask, ...)
    %b = call double @ccc_exp(double %a)    →     %b = call <8 x double> @ccc_exp_v8(<8 x double> %a)

A body may contain loops and branches whose tests are the same in all runs; memory that it takes for itself holds an
item for each lane where these differ. Other bodies are left as they are: `vectors` gives None, LLVM may vectorise
them, and the loops within them may take several runs.

Reference: Pharr, Mark, ispc: A SPMD Compiler for High-Performance CPU Programming, InPar 2012.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from math import lcm
from typing import Any

from ccc.compile.native import guarded
from ccc.compile.native.body import SUM, Body, Gathered, Group, Unfit
from ccc.compile.native.builder import splat
from ccc.compile.native.code import (
    ARENA,
    ROLLED,
    WAYS,
    WHOLE,
    Address,
    Begin,
    Call,
    Choice,
    Comparison,
    Fork,
    Instruction,
    Jump,
    Load,
    Operation,
    Request,
    Store,
    Variable,
    is_name,
    made,
)
from ccc.compile.native.dtypes import BYTES, FLOATING
from ccc.compile.native.hoisted_allocations import outside
from ccc.compile.native.instructions import ADD, FADD, FMUL, IN_LANES, MUL, NEUTRAL, OR, SUB
from ccc.compile.native.lane_kinds import Kind
from ccc.compile.native.lane_offsets import DIVIDING
from ccc.compile.native.masked_loads import in_place
from ccc.compile.native.overlapping_sums import ended, slide
from ccc.compile.native.per_lane_sums import added_up
from ccc.compile.native.vectorize_line import translate
from ccc.compile.native.vectorize_memory import CHOICES, both, pair
from ccc.values import value

SHORT = 14
"""Bodies of sums of no more lines, in no other loop and without elementary functions, are unrolled `COPIES` times."""
COPIES = 4
PLAIN = 300
"""Bodies of no more lines that write to arrays, in other loops and without elementary functions, take whole vectors
without masks."""
MASKS_COST, UNMASKED = 4, 100
"""With so many lanes masks are vectors like others, and stores under one are slow: there bodies of no more lines that
write to arrays, or have elementary functions, take whole vectors without masks, wherever they are."""
PATTERNS = 7
"""So many vectors at most are a group, where they take a pattern in short rows."""
MANY = 32
"""So many runs are many."""
LINEAR = (ADD.name, SUB.name, MUL.name)
"""What is computed of indices."""
COMBINING = (FADD.name, FMUL.name, ADD.name, OR.name)
"""Operations that bring items together."""


@value()
class Free:
    """What is known of the runs of a loop: that their order is free but for what they gather in places, which are
    variables (`sums`, by name and type) and arrays that are only added to (`added`, by the variables that hold them,
    with how many items they have); and into which memory, that they do not read, they may write (`own`); into arrays in
    variables each elsewhere (`written`)."""

    sums: dict[str, str] = field(default_factory=dict[str, str])
    added: dict[str, str] = field(default_factory=dict[str, str])
    own: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()


@value()
class Wide:
    """A loop over vectors: its lines, what they declare, and the sizes of arrays of which each lane has its own."""

    lines: list[Instruction]
    declared: set[str]
    sizes: frozenset[str]
    gathered: tuple[Gathered, ...]


def vectors(
    text: Sequence[Instruction], now: str, count: str, w: Any, lanes: int, free: Free | None = None, start: str = "0"
) -> Wide | None:
    """A loop over vectors, of the runs from `start` on and below `count`; None where the body is not fit.

    Without `free`, the runs are known to be independent but for what the text gathers.
    """
    lanes *= 1 if free else narrow(text)
    try:
        gathered = gatherings(text, free.sums if free else {}, {*free.added, *free.written} if free else ())
        body = begun(text, now, count, w, lanes, free)
        return whole(text, start, count, w, body, gathered, free.sums if free else {})
    except Unfit:
        return None


def narrow(text: Sequence[Instruction]) -> int:
    """How many times as many lanes a register has for a loop as it has of doubles: twice as many where all that its
    straight body reads, computes and writes are floats."""
    found = set[str]()
    for line in text:
        inside = isinstance(line, Call) and (line.ours or line.intrinsic in IN_LANES)
        if isinstance(line, (Begin, *WAYS, Request, Call)) and not inside:
            return 1
        if not isinstance(line, Address):
            indices = isinstance(line, Operation) and line.op in LINEAR
            found.update([line.type, *line.types()] if not indices or line.type != "i64" else ())
    return BYTES["double"] // BYTES["float"] if "float" in found and found.isdisjoint(("double", "i64")) else 1


def groups_of_vectors(
    text: Sequence[Instruction], now: str, count: str, w: Any, counter: str, known: Mapping[str, int], copies: int
) -> Wide | None:
    """A loop over whole groups of so many vectors, which leaves in `counter` where it ends; None where the body is not
    fit. Some sizes are known to be these numbers."""
    try:
        if gatherings(text, {}):
            return None
        body = begun(text, now, count, w, w.lanes)
        body.aligned = True
        body.known = {name: n for name, n in known.items() if is_name(name)}
        lines = pass_over(text, count, w, body, {}, counter, copies, masked=False)
    except Unfit:
        return None
    return Wide([*body.before, *lines], body.declared, frozenset(body.sizes), ())


def begun(text: Sequence[Instruction], now: str, count: str, w: Any, lanes: int, free: Free | None = None) -> Body:
    """What is known of a body before it is read."""
    body = Body(now, lanes, w, free.own if free else None, free or Free())
    body.definitions = made(text)
    body.made, body.count = set(body.definitions), count
    return body


def unrolled(text: Sequence[Instruction], now: str, count: str, w: Any) -> list[Instruction] | None:
    """A loop that only makes a short sum, `COPIES` runs at a time, each into a place of its own, since additions wait
    for each other; None for other bodies."""
    if len(text) > SHORT or any(isinstance(line, (Begin, *WAYS)) or is_ours(line) for line in text):
        return None
    try:
        gathered = gatherings(text, {}).values()
    except Unfit:
        return None
    if not gathered or any(g.how not in (FADD.name, *CHOICES) for g in gathered):
        return None
    names = list(made(text))
    stands: list[dict[str, str]] = [{} for _ in range(COPIES)]
    out, ends = w.apart(), w.apart()
    for g in gathered:
        type_, neutral = g.type, NEUTRAL[g.how]
        for k in range(1, COPIES):
            stands[k][g.place] = slot = w.local(type_)
            out.append(Store(type_, neutral, slot))
            with w.within(ends):
                w.store(type_, both(g, type_, w.load(type_, g.place), w.load(type_, slot), w), g.place)
    counter = w.local("i64")
    out.append(Store("i64", "0", counter))
    with w.within(out):
        for step in (COPIES, 1):
            copied(text, names, now, count, counter, stands, step, w)
    return [*out, *ends]


def copied(
    text: Sequence[Instruction], names: Sequence[str], now: str, count: str, counter: str,
    stands: Sequence[Mapping[str, str]], step: int, w: Any,
) -> None:
    """A loop of so many runs at a time."""
    head, inside, done = w.block("head"), w.block("body"), w.block("done")
    start, end, more, after = [f"%{w.fresh()}" for _ in range(4)]
    w.jump(head)
    w.label(head)
    w.do(Load("i64", counter, name=start))
    w.do(Operation("i64", "add", start, str(step), "nsw", end))
    w.do(Comparison("sle", "i64", end, count, more))
    w.fork(more, inside, done)
    w.label(inside)
    for k in range(step):
        own = {now: start, **stands[k], **{name: f"%{w.fresh()}" for name in names}}
        if k:
            own[now] = f"%{w.fresh()}"
            w.do(Operation("i64", "add", start, str(k), "nsw", own[now]))
        w.here.extend([line.renamed(own) for line in text])
    w.do(Operation("i64", "add", start, str(step), "nsw", after))
    w.store("i64", after, counter)
    w.jump(head, ROLLED)
    w.label(done)


def is_ours(line: Instruction) -> bool:
    """Whether a line calls one of this library's own functions."""
    return isinstance(line, Request) or (isinstance(line, Call) and line.ours)


def gatherings(text: Sequence[Instruction], sums: Iterable[str], added: Iterable[str] = ()) -> dict[str, Gathered]:
    """The places in which a body gathers items; by the name of what is stored there."""
    given = made(text)
    found: dict[str, Gathered] = {}
    first: dict[str, Instruction] = {}
    times: Counter[str] = Counter()
    for line in text:
        times.update(line.named())
        if isinstance(line, (Load, Store)):
            first.setdefault(line.at, line)
    for line in text:
        if not isinstance(line, Store) or line.align or line.at in given or line.at in sums:
            continue
        place, value = line.at, line.value
        if isinstance(place, Variable) and isinstance(first[place], Store):
            continue  # it does not outlive a run
        if place == ARENA or place in added:
            continue
        kept = given.get(value)
        if isinstance(kept, Load) and kept.at == place and kept.type == line.of:
            continue  # it stays as it is
        if line.of == "ptr":
            raise Unfit
        loads = [x.name for x in given.values() if isinstance(x, Load) and x.at == place]
        how, flags, operands = combined(kept)
        before = next((x for x in operands if x in loads), "")
        many = len(loads) if how == OR.name else 1  # a test may be noted several times
        if not before or times[place] != 2 * many or times[before] != 2 or times[value] != 2:
            raise Unfit
        item = operands[1 - operands.index(before)]
        if item == before or (how in (FADD.name, FMUL.name) and "reassoc" not in flags):
            raise Unfit
        found[value] = Gathered(place, line.of, how, flags, before, item)
    return found


def combined(line: Instruction | None) -> tuple[str, str, tuple[str, ...]]:
    """The operation of a line that brings two operands together, its flags and operands."""
    match line:
        case Operation() if line.op in COMBINING:
            return line.op, line.flags, line.operands
        case Call() if line.intrinsic in CHOICES:
            return line.intrinsic, "nsz", line.operands
        case _:
            raise Unfit


def whole(
    text: Sequence[Instruction], start: str, count: str, w: Any, body: Body, gathered: dict[str, Gathered],
    sums: dict[str, str],
) -> Wide:
    """The loop: what is gathered is set to neutral before, and brought together behind."""
    counter = w.local("i64")
    straight = not any(isinstance(line, Begin) for line in text)
    elementary = any(is_ours(line) and getattr(line, "function", "") not in guarded.NAMES.values() for line in text)
    plain = straight and len(text) <= PLAIN and not elementary
    several, patterns = plain and gathered and len(text) <= SHORT and not w.loops, period(text, body.now, body.lanes)
    copies = patterns // body.lanes or (COPIES if several else 1)
    out: list[Instruction] = [Store("i64", start, counter)]
    for g in gathered.values():
        type_, neutral = g.type, NEUTRAL[g.how]
        g.slots = [w.local(body.vector(type_)) for _ in range(copies if g.how != OR.name else 1)]
        out += [Store(body.vector(type_), splat(type_, neutral), slot) for slot in g.slots]
    for place, type_ in sums.items():
        if any(place in line.operands for line in text):
            body.sums[place] = type_, w.local(body.vector(type_))
            out.append(Store(body.vector(type_), "zeroinitializer", body.sums[place][1]))
    costly = w.lanes == MASKS_COST and straight and len(text) <= UNMASKED
    apart = straight and len(text) <= PLAIN and any(map(partial(moves_on, body.now), text))
    writes = (w.loops or costly or apart) and any(map(writes_item, text))
    calls = costly and elementary
    few = count.isdigit() and int(count) < body.lanes * copies
    if patterns:  # whole rows without a mask, then what is left
        body.aligned = True
        out += pass_over(text, count, w, body, gathered, counter, copies, masked=False)
        body.aligned = False
        out += pass_over(text, count, w, body, gathered, counter, 1, masked=True)
    elif ((plain and (copies > 1 or writes)) or calls or apart) and not few:
        some = costly and not (plain and (copies > 1 or w.loops))
        limit, whole_ = worth_while(start, count, w, body, out) if some else (count, "")
        out += pass_over(text, limit, w, body, gathered, counter, copies, masked=False)
        skip, rest = w.block("all"), w.block("rest")
        out += [Fork(whole_, skip, rest), Begin(rest)] if some else []
        out += pass_over(text, count, w, body, gathered, counter, 1, masked=True)
        out += [Jump(skip), Begin(skip)] if some else []
    else:
        out += pass_over(text, count, w, body, gathered, counter, 1, masked=True)
    body.lines = []
    for g in gathered.values():
        brought_together(g, body)
    for place, (type_, slot) in body.sums.items():
        how = ADD.real if type_ in FLOATING else ADD.name
        flags = SUM if how == FADD.name else ""
        brought_together(Gathered(place, type_, how, flags, "", "", [slot]), body)
    lines = [*body.before, *out, *body.lines, *added_up(body), *ended(body)]
    return Wide(lines, body.declared, frozenset(body.sizes), tuple(gathered.values()))


def period(text: Sequence[Instruction], now: str, lanes: int) -> int:
    """After how many runs whole vectors begin at the same place of rows again, where a body divides positions by known
    lengths of short rows; 0 where it does not, or that is after too many."""
    lengths = [int(line.operands[1]) for line in text if isinstance(line, Operation) and line.op in DIVIDING
               and line.operands[0] == now and line.operands[1].isdigit()]
    found = lcm(lanes, *lengths) if lengths and all(lengths) else 0
    return found if found <= PATTERNS * lanes else 0


def moves_on(now: str, line: Instruction) -> bool:
    """Whether a line computes a place that goes on by more than one from run to run: whole vectors of such places are
    read and written as they lie (`windows`), others item by item."""
    return isinstance(line, Operation) and line.op == MUL.name and line.type == "i64" and now in line.operands


def writes_item(line: Instruction) -> bool:
    """Whether a line writes a number to memory."""
    return isinstance(line, Store) and line.of in FLOATING and not isinstance(line.at, Variable)


def worth_while(start: str, count: str, w: Any, body: Body, out: list[Instruction]) -> tuple[str, str]:
    """Where the runs end, or begin if they are few and not whole vectors: then vectors without masks save nothing. And
    whether they are whole vectors: then nothing is left."""
    runs, rest, whole_, many, both, limit = [f"%{w.fresh()}" for _ in range(6)]
    out += [
        Operation("i64", "sub", count, start, name=runs),
        Operation("i64", "and", runs, str(body.lanes - 1), name=rest),
        Comparison("eq", "i64", rest, "0", whole_),
        Comparison("sge", "i64", runs, str(MANY), many),
        Operation("i1", "or", whole_, many, name=both),
        Choice("i64", both, count, start, name=limit),
    ]
    return limit, whole_


def pass_over(
    text: Sequence[Instruction],
    count: str,
    w: Any,
    body: Body,
    gathered: dict[str, Gathered],
    counter: str,
    copies: int,
    masked: bool,
) -> list[Instruction]:
    """One loop: over whole groups of vectors without a mask, or over what is left with one."""
    head, inside, done = w.block("lanes"), w.block("each"), w.block("passed")
    body.lines = []
    k = body.load("i64", counter)
    start, body.lines = body.lines, []
    step = body.lanes * copies
    if masked:
        more = body.compared("slt", "i64", k, count)
    else:
        end = body.binary("add", "i64", k, str(step), "nsw")
        more = body.compared("sle", "i64", end, count)
    lines = [Jump(head), Begin(head), *start, *body.lines, Fork(more, inside, done), Begin(inside)]
    for copy in range(copies):
        body.group = Group(k, copy, copies) if body.aligned else None
        lines += in_place(settled(text, count, k, body, gathered, copy, masked))
    body.lines = []
    after = body.binary("add", "i64", k, str(step), "nuw nsw")
    return [
        *lines,
        *body.lines,
        Store("i64", after, counter),
        Jump(head, WHOLE),
        Begin(done),
    ]


def settled(
    text: Sequence[Instruction], count: str, k: str, body: Body, gathered: dict[str, Gathered], copy: int, masked: bool
) -> list[Instruction]:
    """The body for one vector of runs: read until nothing more is found to differ between them."""
    befores = {g.before for g in gathered.values()}
    before, shadows, slides = len(body.before), dict(body.shadows), dict(body.slides)
    while True:
        body.begin()
        left = ""
        here = k if not copy else body.binary("add", "i64", k, str(copy * body.lanes), "nuw nsw")
        if masked:
            left = body.binary("sub", "i64", count, here, "nsw")
            body.kinds[left] = Kind.SAME
            body.made.add(left)
            body.mask = body.tail = body.below(body.spread(left, "i64"))
        body.kinds[body.now], body.rename[body.now] = Kind.LINEAR, here
        body.forms[body.now] = (body.now,), 0
        try:
            for line in text:
                if line.name in befores:
                    continue
                if line.name in gathered:
                    gather(gathered[line.name], body, copy)
                elif not is_gathered(line, gathered):
                    translate(line, body)
            slide(body, left)
        except Unfit:
            if not body.changed:
                raise
        if not body.changed:
            return body.lines
        del body.before[before:]
        body.outside.clear()
        body.rooms.clear()
        body.shadows, body.slides = dict(shadows), dict(slides)


def is_gathered(line: Instruction, gathered: dict[str, Gathered]) -> bool:
    return isinstance(line, Store) and line.value in gathered and gathered[line.value].place == line.at


def gather(g: Gathered, b: Body, copy: int) -> None:
    """Bring the items of this vector to those before."""
    type_, neutral = g.type, NEUTRAL[g.how]
    vector = b.vector(type_)
    slot = g.slots[copy % len(g.slots)]
    item = b.masked_item(b.spread(g.item, type_), type_, neutral)
    before = b.load(vector, slot)
    b.store(vector, pair(g, vector, before, item, b), slot)


def brought_together(g: Gathered, body: Body) -> None:
    """The items of all lanes, and what stood in the place before, in the place."""
    type_, vector = g.type, body.vector(g.type)
    found = [body.load(vector, slot) for slot in g.slots]
    while len(found) > 1:
        last = found[len(found) // 2 * 2 :]
        found = [pair(g, vector, found[i], found[i + 1], body) for i in range(0, len(found) - 1, 2)] + last
    before = body.load(type_, g.place)
    if g.how in (FADD.name, FMUL.name):
        all_ = body.reduced(g.how, type_, found[0], before)
    else:
        all_ = pair(g, type_, before, body.reduced(g.how, type_, found[0]), body)
    body.store(type_, all_, g.place)


# -- loops in which there are loops --------------------------------------------------------------------------------

ROOM = 16384
"""The bytes that a run may take for one array, where several runs are made at once."""


def chosen(w: Any, text: Sequence[Instruction], count: str, wide: Wide, narrow: list[Any]) -> list[Any]:
    """Several runs at once where there are enough and each takes little memory, else one after the other."""
    given, test = made(text), f"%{w.fresh()}"
    lines: list[Instruction] = [Comparison("sge", "i64", count, str(w.lanes), test)]
    for size in sorted(wide.sizes):
        known = outside(w, size, given, lines)
        if is_name(known):
            small, both = f"%{w.fresh()}", f"%{w.fresh()}"
            lines += [Comparison("sle", "i64", known, str(ROOM), small), Operation("i1", "and", test, small, name=both)]
            test = both
    several, single, done = w.block("several"), w.block("single"), w.block("ran")
    return [
        *lines,
        Fork(test, several, single),
        Begin(several),
        *wide.lines,
        Jump(done),
        Begin(single),
        *narrow,
        Jump(done),
        Begin(done),
    ]
