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

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ccc.compile.native import guarded
from ccc.compile.native.body import SUM, Body, Gathered, Group, Unfit
from ccc.compile.native.hoisted_allocations import outside
from ccc.compile.native.instructions import ADD, FADD, FMUL, MAXIMUM, MINIMUM, NEUTRAL, OR, either
from ccc.compile.native.masked_loads import in_place
from ccc.compile.native.overlapping_sums import ended, slide
from ccc.compile.native.per_lane_sums import added_up
from ccc.compile.native.vectorize_line import CHOICES, both, named, pair, translate

SHORT = 14
"""Bodies of sums of no more lines, in no other loop and without elementary functions, are unrolled `COPIES` times."""
COPIES = 4
PLAIN = 300
"""Bodies of no more lines that write to arrays, in other loops and without elementary functions, take whole vectors
without masks."""
MASKS_COST, UNMASKED = 4, 100
"""With so many lanes masks are vectors like others, and stores under one are slow: there bodies of no more lines that
write to arrays, or have elementary functions, take whole vectors without masks, wherever they are."""
MANY = 32
"""So many runs are many."""
LOAD = re.compile(r"load (\w+), ptr (\S+)$")
STORE = re.compile(r"store (\w+) (\S+), ptr (\S+)$")
COMBINED = re.compile(rf"{either(FADD, FMUL, ADD, OR)}((?: [a-z]+)*) \w+ (\S+), (\S+)$")
CHOSEN = re.compile(rf"call double @llvm\.{either(MAXIMUM, MINIMUM)}\.f64\(double (\S+), double (\S+)\)$")
OPERAND = re.compile(r"%\w+")


@dataclass(frozen=True)
class Free:
    """What is known of the runs of a loop: that their order is free but for what they gather in places, which are
    variables (`sums`, by name and type) and arrays that are only added to (`added`, by the variables that hold them,
    with how many items they have); and into which memory, that they do not read, they may write (`own`); into arrays in
    variables each elsewhere (`written`)."""

    sums: dict[str, str] = field(default_factory=dict[str, str])
    added: dict[str, str] = field(default_factory=dict[str, str])
    own: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Wide:
    """A loop over vectors: its lines, what they declare, and the sizes of arrays of which each lane has its own."""

    lines: list[str]
    declared: set[str]
    sizes: frozenset[str]
    gathered: tuple[Gathered, ...]


def vectors(
    text: list[str], now: str, count: str, w: Any, lanes: int, free: Free | None = None, start: str = "0"
) -> Wide | None:
    """A loop over vectors, of the runs from `start` on and below `count`; None where the body is not fit.

    Without `free`, the runs are known to be independent but for what the text gathers.
    """
    try:
        gathered = gatherings(text, free.sums if free else {}, {*free.added, *free.written} if free else ())
        body = begun(text, now, count, w, lanes, free)
        return whole(text, start, count, w, body, gathered, free.sums if free else {})
    except Unfit:
        return None


def groups_of_vectors(
    text: list[str], now: str, count: str, w: Any, counter: str, known: Mapping[str, int], copies: int
) -> Wide | None:
    """A loop over whole groups of so many vectors, which leaves in `counter` where it ends; None where the body is not
    fit. Some sizes are known to be these numbers."""
    try:
        if gatherings(text, {}):
            return None
        body = begun(text, now, count, w, w.lanes)
        body.aligned = True
        body.known = {name: n for name, n in known.items() if name.startswith("%")}
        lines = pass_over(text, count, w, body, {}, counter, copies, masked=False)
    except Unfit:
        return None
    return Wide([*body.before, *lines], body.declared, frozenset(body.sizes), ())


def begun(text: list[str], now: str, count: str, w: Any, lanes: int, free: Free | None = None) -> Body:
    """What is known of a body before it is read."""
    body = Body(now, lanes, w, free.own if free else None, free or Free())
    body.definitions = dict(filter(lambda pair: pair[0], map(named, text)))
    body.made, body.count = set(body.definitions), count
    return body


def unrolled(text: list[str], now: str, count: str, w: Any) -> list[str] | None:
    """A loop that only makes a short sum, `COPIES` runs at a time, each into a place of its own, since additions wait
    for each other; None for other bodies."""
    if len(text) > SHORT or any(line.endswith(":") or "@ccc_" in line or "  br " in line for line in text):
        return None
    try:
        gathered = gatherings(text, {}).values()
    except Unfit:
        return None
    if not gathered or any(g.how not in (FADD.name, *CHOICES) for g in gathered):
        return None
    made = [name for line in text if (name := named(line)[0])]
    out: list[str] = []
    stands: list[dict[str, str]] = [{} for _ in range(COPIES)]
    ends: list[str] = []
    for g in gathered:
        type_, neutral = NEUTRAL[g.how]
        for k in range(1, COPIES):
            stands[k][g.place] = slot = w.local(type_)
            out.append(f"  store {type_} {neutral}, ptr {slot}")
            one, other, all_ = [f"%{w.fresh()}" for _ in range(3)]
            ends += [f"  {one} = load {type_}, ptr {g.place}", f"  {other} = load {type_}, ptr {slot}"]
            ends += [f"  {all_} = {both(g, type_, one, other)}", f"  store {type_} {all_}, ptr {g.place}"]
    counter = w.local("i64")
    out.append(f"  store i64 0, ptr {counter}")
    for step in (COPIES, 1):
        head, inside, done = w.fresh("head"), w.fresh("body"), w.fresh("done")
        start, end, more, after = [f"%{w.fresh()}" for _ in range(4)]
        out += [f"  br label %{head}", f"{head}:", f"  {start} = load i64, ptr {counter}"]
        out += [f"  {end} = add nsw i64 {start}, {step}", f"  {more} = icmp sle i64 {end}, {count}"]
        out += [f"  br i1 {more}, label %{inside}, label %{done}", f"{inside}:"]
        for k in range(step):
            own = {now: start, **stands[k], **{name: f"%{w.fresh()}" for name in made}}
            if k:
                own[now] = f"%{w.fresh()}"
                out.append(f"  {own[now]} = add nsw i64 {start}, {k}")
            out += [OPERAND.sub(lambda x, own=own: own.get(x[0], x[0]), line) for line in text]
        out += [f"  {after} = add nsw i64 {start}, {step}", f"  store i64 {after}, ptr {counter}"]
        out += [f"  br label %{head}, !llvm.loop !4", f"{done}:"]
    return [*out, *ends]


def gatherings(text: list[str], sums: Iterable[str], added: Iterable[str] = ()) -> dict[str, Gathered]:
    """The places in which a body gathers items; by the name of what is stored there."""
    made: dict[str, str] = dict(filter(lambda pair: pair[0], map(named, text)))
    found: dict[str, Gathered] = {}
    first: dict[str, str] = {}
    times: dict[str, int] = {}
    for line in text:
        for name in OPERAND.findall(line):
            times[name] = times.get(name, 0) + 1
        rest = named(line)[1]
        at = STORE.match(rest) or LOAD.match(rest)
        if at:
            first.setdefault(at[at.lastindex or 0], rest)
    for line in text:
        stored = STORE.match(line.strip())
        if not stored or stored[3] in made or stored[3] in sums:
            continue
        place, value = stored[3], stored[2]
        if place.startswith("%v") and first[place].startswith("store"):
            continue  # it does not outlive a run
        if place.startswith("%arena") or place in added:
            continue
        if made.get(value) == f"load {stored[1]}, ptr {place}":
            continue  # it stays as it is
        if stored[1] == "ptr":
            raise Unfit
        loads = [name for name, rest in made.items() if (at := LOAD.match(rest)) and at[2] == place]
        how, flags, operands = combined(made.get(value, ""))
        before = next((x for x in operands if x in loads), "")
        many = len(loads) if how == OR.name else 1  # a test may be noted several times
        if not before or times[place] != 2 * many or times[before] != 2 or times[value] != 2:
            raise Unfit
        item = operands[1 - operands.index(before)]
        if item == before or (how in (FADD.name, FMUL.name) and "reassoc" not in flags):
            raise Unfit
        found[value] = Gathered(place, how, flags, before, item)
    return found


def combined(text: str) -> tuple[str, str, list[str]]:
    """The operation of a line that brings two operands together, its flags and operands."""
    found, chosen = COMBINED.match(text), CHOSEN.match(text)
    if found:
        return found[1], found[2], [found[3], found[4]]
    if chosen:
        return chosen[1], " nsz", [chosen[2], chosen[3]]
    raise Unfit


def whole(
    text: list[str], start: str, count: str, w: Any, body: Body, gathered: dict[str, Gathered], sums: dict[str, str]
) -> Wide:
    """The loop: what is gathered is set to neutral before, and brought together behind."""
    counter = w.local("i64")
    straight = not any(line.endswith(":") for line in text)
    elementary = any("@ccc_" in line and guarded.CALL not in line for line in text)
    plain = straight and len(text) <= PLAIN and not elementary
    copies = COPIES if plain and gathered and len(text) <= SHORT and not w.loops else 1
    out: list[str] = [f"  store i64 {start}, ptr {counter}"]
    for g in gathered.values():
        type_, neutral = NEUTRAL[g.how]
        g.slots = [w.local(body.vector(type_)) for _ in range(copies if g.how != OR.name else 1)]
        out += [f"  store {body.vector(type_)} splat ({type_} {neutral}), ptr {slot}" for slot in g.slots]
    for place, type_ in sums.items():
        if any(place in line for line in text):
            body.sums[place] = type_, w.local(body.vector(type_))
            out.append(f"  store {body.vector(type_)} zeroinitializer, ptr {body.sums[place][1]}")
    costly = body.lanes == MASKS_COST and straight and len(text) <= UNMASKED
    writes = (w.loops or costly) and any(line.startswith("  store double") and "ptr %v" not in line for line in text)
    calls = costly and elementary
    if ((plain and (copies > 1 or writes)) or calls) and not (count.isdigit() and int(count) < body.lanes * copies):
        some = costly and not (plain and (copies > 1 or w.loops))
        limit, whole_ = worth_while(start, count, w, body, out) if some else (count, "")
        out += pass_over(text, limit, w, body, gathered, counter, copies, masked=False)
        skip, rest = w.fresh("all"), w.fresh("rest")
        out += [f"  br i1 {whole_}, label %{skip}, label %{rest}", f"{rest}:"] if some else []
        out += pass_over(text, count, w, body, gathered, counter, 1, masked=True)
        out += [f"  br label %{skip}", f"{skip}:"] if some else []
    else:
        out += pass_over(text, count, w, body, gathered, counter, 1, masked=True)
    body.lines = []
    for g in gathered.values():
        brought_together(g, body)
    for place, (type_, slot) in body.sums.items():
        how = ADD.real if type_ == "double" else ADD.name
        flags = f" {SUM}" if how == FADD.name else ""
        brought_together(Gathered(place, how, flags, "", "", [slot]), body)
    lines = [*body.before, *out, *body.lines, *added_up(body), *ended(body)]
    return Wide(lines, body.declared, frozenset(body.sizes), tuple(gathered.values()))


def worth_while(start: str, count: str, w: Any, body: Body, out: list[str]) -> tuple[str, str]:
    """Where the runs end, or begin if they are few and not whole vectors: then vectors without masks save nothing. And
    whether they are whole vectors: then nothing is left."""
    runs, rest, whole_, many, both, limit = [f"%{w.fresh()}" for _ in range(6)]
    out += [
        f"  {runs} = sub i64 {count}, {start}",
        f"  {rest} = and i64 {runs}, {body.lanes - 1}",
        f"  {whole_} = icmp eq i64 {rest}, 0",
        f"  {many} = icmp sge i64 {runs}, {MANY}",
        f"  {both} = or i1 {whole_}, {many}",
        f"  {limit} = select i1 {both}, i64 {count}, i64 {start}",
    ]
    return limit, whole_


def pass_over(
    text: list[str],
    count: str,
    w: Any,
    body: Body,
    gathered: dict[str, Gathered],
    counter: str,
    copies: int,
    masked: bool,
) -> list[str]:
    """One loop: over whole groups of vectors without a mask, or over what is left with one."""
    head, inside, done = w.fresh("lanes"), w.fresh("each"), w.fresh("passed")
    body.lines = []
    k = body.op(f"load i64, ptr {counter}")
    start, body.lines = body.lines, []
    step = body.lanes * copies
    if masked:
        more = body.op(f"icmp slt i64 {k}, {count}")
    else:
        end = body.op(f"add nsw i64 {k}, {step}")
        more = body.op(f"icmp sle i64 {end}, {count}")
    lines = [
        f"  br label %{head}",
        f"{head}:",
        *start,
        *body.lines,
        f"  br i1 {more}, label %{inside}, label %{done}",
        f"{inside}:",
    ]
    for copy in range(copies):
        body.group = Group(k, copy, copies) if body.aligned else None
        lines += in_place(settled(text, count, k, body, gathered, copy, masked))
    body.lines = []
    after = body.op(f"add nuw nsw i64 {k}, {step}")
    return [
        *lines,
        *body.lines,
        f"  store i64 {after}, ptr {counter}",
        f"  br label %{head}, !llvm.loop !1",
        f"{done}:",
    ]


def settled(
    text: list[str], count: str, k: str, body: Body, gathered: dict[str, Gathered], copy: int, masked: bool
) -> list[str]:
    """The body for one vector of runs: read until nothing more is found to differ between them."""
    befores = {g.before for g in gathered.values()}
    before, shadows, slides = len(body.before), dict(body.shadows), dict(body.slides)
    while True:
        body.begin()
        left = ""
        here = k if not copy else body.op(f"add nuw nsw i64 {k}, {copy * body.lanes}")
        if masked:
            left = body.op(f"sub nsw i64 {count}, {here}")
            body.kinds[left] = "same"
            body.made.add(left)
            body.mask = body.tail = body.below(body.spread(left, "i64"))
        body.kinds[body.now], body.rename[body.now] = "linear", here
        body.forms[body.now] = (body.now,), 0
        try:
            for line in text:
                name, rest = named(line)
                if name in befores:
                    continue
                if name in gathered:
                    gather(gathered[name], body, copy)
                elif not (rest.startswith("store") and is_gathered(rest, gathered)):
                    translate(name, rest, body)
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


def is_gathered(text: str, gathered: dict[str, Gathered]) -> bool:
    found = STORE.match(text)
    return found is not None and found[2] in gathered and gathered[found[2]].place == found[3]


def gather(g: Gathered, b: Body, copy: int) -> None:
    """Bring the items of this vector to those before."""
    type_, neutral = NEUTRAL[g.how]
    vector = b.vector(type_)
    slot = g.slots[copy % len(g.slots)]
    item = b.masked_item(b.spread(g.item, type_), type_, neutral)
    before = b.op(f"load {vector}, ptr {slot}")
    b.lines.append(f"  store {vector} {b.op(pair(g, vector, before, item, b))}, ptr {slot}")


def brought_together(g: Gathered, body: Body) -> None:
    """The items of all lanes, and what stood in the place before, in the place."""
    type_, _ = NEUTRAL[g.how]
    vector = body.vector(type_)
    found = [body.op(f"load {vector}, ptr {slot}") for slot in g.slots]
    while len(found) > 1:
        found = [body.op(pair(g, vector, found[i], found[i + 1], body)) for i in range(0, len(found), 2)]
    before = body.op(f"load {type_}, ptr {g.place}")
    if g.how in (FADD.name, FMUL.name):
        all_ = body.reduced(g.how, type_, found[0], before)
    else:
        all_ = body.op(pair(g, type_, before, body.reduced(g.how, type_, found[0]), body))
    body.lines.append(f"  store {type_} {all_}, ptr {g.place}")


# -- loops in which there are loops --------------------------------------------------------------------------------

ROOM = 16384
"""The bytes that a run may take for one array, where several runs are made at once."""


def chosen(w: Any, text: list[str], count: str, wide: Wide, narrow: list[Any]) -> list[Any]:
    """Several runs at once where there are enough and each takes little memory, else one after the other."""
    made = dict(map(named, text))
    lines: list[str] = []
    test = f"%{w.fresh()}"
    lines.append(f"  {test} = icmp sge i64 {count}, {w.lanes}")
    for size in sorted(wide.sizes):
        known = outside(w, size, made, lines)
        if known.startswith("%"):
            small, both = f"%{w.fresh()}", f"%{w.fresh()}"
            lines += [f"  {small} = icmp sle i64 {known}, {ROOM}", f"  {both} = and i1 {test}, {small}"]
            test = both
    several, single, done = w.fresh("several"), w.fresh("single"), w.fresh("ran")
    return [
        *lines,
        f"  br i1 {test}, label %{several}, label %{single}",
        f"{several}:",
        *wide.lines,
        f"  br label %{done}",
        f"{single}:",
        *narrow,
        f"  br label %{done}",
        f"{done}:",
    ]
