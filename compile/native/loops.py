"""Loops: what they carry and give out, the memory of a run taken back, several runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import conversions
from ccc.compile.native.code import ARENA, WAYS, Address, Begin, Call, Instruction, Operation, Request, Store, is_name
from ccc.compile.native.costs import wide_is_slower
from ccc.compile.native.dtypes import FLOATING, REALS, bytes_of
from ccc.compile.native.fusion import is_sum
from ccc.compile.native.layout import (
    Arr,
    Column,
    Entries,
    Fixed,
    Items,
    Lst,
    Rng,
    Tup,
    Word,
    known_axes,
    layout_of,
    operands,
    rebuilt,
    words,
)
from ccc.compile.native.lifetimes import Runs, noted, noted_along
from ccc.compile.native.lowering import lowers
from ccc.compile.native.meeting import joined
from ccc.compile.native.notes import Each, Filled, Held
from ccc.compile.native.ranks import of_any_rank
from ccc.compile.native.row_stores import announced
from ccc.compile.native.scattering import writes_apart
from ccc.compile.native.stacks import cut_back, latest, piece_of
from ccc.compile.native.table import known
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.vectorize_loop import Free, chosen, vectors
from ccc.compile.native.writer import Gap, Num, Writer, flat
from ccc.compile.program.lam import Apply, Atom, Let, Loop, Var, While

MANY = 64
"""In a `while` with so many operations on numbers, LLVM looks for those that are alike, and does them at once."""


def carried(m: Lowering, params: Sequence[Var], inits: Sequence[Atom]) -> list[Any]:
    """Places for what a loop carries, holding the first values; arrays keep their sizes, but for those that a run may
    have to make first."""
    places: list[Any] = []
    for param, atom in zip(params, inits, strict=True):
        v = m.there(m.fitted(atom, param))
        layout = m.module.ranks.layout(param, param.object, v) if not isinstance(v, Arr) or of_any_rank(
            param.object) else layout_of(v)
        if isinstance(layout, (Items, Entries)):
            layout = joined(layout, layout_of(v)) if not isinstance(v, Fixed) else layout
        v = m.brought(v, layout)
        slots = [m.w.local(type_) for type_ in words(layout)]
        for slot, type_, text in zip(slots, words(layout), operands(v), strict=True):
            m.w.store(type_, text, slot)
        if param in m.module.unmade:
            v = Fixed(None)
        places.append((layout, slots, v, param))
    return places


def enter(m: Lowering, params: Sequence[Var], places: Sequence[Any]) -> None:
    """Let parameters stand for what the places hold now."""
    for param, (layout, slots, init, _) in zip(params, places, strict=True):
        if isinstance(init, Arr):  # an array in a loop keeps its sizes, which is checked at its end
            ptr = m.w.load("ptr", slots[0])
            m.values[param] = Arr(init.dtype, ptr, init.axes)
            continue
        texts = [m.w.load(type_, slot) for slot, type_ in zip(slots, words(layout), strict=True)]
        m.values[param] = known_axes(rebuilt(layout, iter(texts)), param.object)


def step(m: Lowering, results: Sequence[Atom], places: Sequence[Any]) -> None:
    """Keep what the body gives for the next run."""
    found = [m.there(m.fitted(atom, place[3])) for atom, place in zip(results, places, strict=True)]
    for v, (layout, slots, init, param) in zip(found, places, strict=True):
        layout = m.module.ranks.layout(param, param.object, v) if of_any_rank(param.object) else layout
        v = m.brought(v, layout)
        if isinstance(init, Arr):
            for have, want in zip(v.axes, init.axes, strict=True):
                if have != want:
                    m.w.leave(m.w.compare("ne", have, want))
        for slot, type_, text in zip(slots, words(layout), operands(v), strict=True):
            m.w.store(type_, text, slot)


def summing(m: Lowering, op: Loop) -> None:
    """The additions by which a loop makes its sums: their order is free."""
    body = op.body
    for param, result in zip(body.params, body.results[: op.carries], strict=False):
        let = result.definition if isinstance(result, Var) else None
        if let is None or result.home is not body or m.module.uses[param] != 1:  # type: ignore[union-attr]
            continue
        sums = isinstance(let.op, Apply) and known(let).exact is not None and any(
            let.args[i] is param for i in let.op.primitive.adds)
        if sums and m.module.uses[result] == 1:  # type: ignore[index]
            m.sums.add(let)


@lowers(Loop)
def loop(m: Lowering, op: Loop, let: Let) -> None:
    from ccc.compile.native.sequences import Sequence_, sequence

    w = m.w
    values = [m.value(a) for a in let.args[op.carries :]]
    sequences: list[Sequence_] = [sequence(m, v) for v in values]
    m.settle()
    places = carried(m, op.body.params[: op.carries], let.args[: op.carries])
    summing(m, op)
    count = shortest(w, [s.length for s in sequences])
    if let in m.module.must_run and (is_name(count) or count == "0"):
        w.leave(w.compare("eq", count, "0"))
    room = Room(m, count) if m.inner and len(op.body.results) > op.carries + 1 else None
    outputs = [Output(m, count, room) for _ in op.body.results[op.carries :]]
    whole = w.gap()
    with w.within(whole), w.loop() as (before, body, done):
        head = w.gap()
        i = w.local("i64")
        before.append(Store("i64", "0", i))
        now = w.load("i64", i)
        w.fork(w.compare("slt", now, count), body, done)
        w.label(body)
        begins, text, ends = w.gap(), w.gap(), w.gap()
        tables = [v.table if isinstance(v, Column) else v for v in values]
        for number in dict.fromkeys([w.made_by[v.ptr] for v in tables if isinstance(v, Lst) and v.ptr in w.made_by]):
            with w.within(begins):
                noted_along(w, number, now, op.reverse)
        with w.within(text), m.scope():
            enter(m, op.body.params[: op.carries], places)
            kept = [m.values[param] for param in op.body.params[: op.carries]]
            for param, s in zip(op.body.params[op.carries :], sequences, strict=True):
                k = w.sub(w.sub(s.length, "1"), now) if op.reverse else now
                m.values[param] = known_axes(s.item(k, now, before, op.reverse), param.object)
            m.block(op.body)
            k = w.sub(w.sub(count, "1"), now) if op.reverse else now
            for output, atom in zip(outputs, op.body.results[op.carries :], strict=True):
                output.put(m.value(atom), k)
            after = [m.there(m.value(atom)) for atom in op.body.results[: op.carries]]
            same = [isinstance(x, Arr) and isinstance(y, Arr) and x.ptr == y.ptr for x, y in zip(
                kept, after, strict=True)]
            stays = all(map(keeps, kept, after)) and all(scalar(output.layout) for output in outputs)
            step(m, op.body.results[: op.carries], places)
            m.settle()
        if len(places) == 1:
            announced(m, op, places[0][2], count, before, text, done)
        if takes_memory(text):
            if stays:
                take_back(m, begins, ends)
            else:
                runs = Runs([(layout, slots) for layout, slots, *_ in places], [], now, count)
                w.made_by |= dict.fromkeys([output.ptr for output in outputs], noted(w, head, ends, runs))
        w.store("i64", w.binary("add", "i64", now, "1", "nuw nsw"), i)
    if room is not None:
        room.take()
    with w.within(before):
        known = free(m, op, let, places, {output.ptr for output in outputs})
    recurs = any(layout == Word("double") and slots[0] not in known.sums for layout, slots, *_ in places)
    if let not in m.module.order.around:
        widen(m, whole, before, [begins, text, ends], now, count, known, recurs)
    give_out(m, op, let, places, same, outputs)


def shortest(w: Writer, lengths: Sequence[str]) -> str:
    """How often a loop runs along lists of these lengths."""
    count = lengths[0]
    for length in lengths[1:]:
        if length != count:
            count = w.select("i64", w.compare("slt", length, count), length, count)
    return count


def give_out(
    m: Lowering, op: Loop, let: Let, places: Sequence[Any], same: Sequence[bool], outputs: Sequence[Output]
) -> None:
    """Let the targets of a loop stand for what its places and outputs hold behind it; `same` says which arrays are
    those that it began with."""
    enter(m, let.targets[: op.carries], places)
    for target, place, stands in zip(let.targets, places, same, strict=False):
        if stands and isinstance(place[2], Arr):
            m.values[target] = place[2]
    for target, output in zip(let.targets[op.carries :], outputs, strict=True):
        found = output.list()
        along = m.module.uses[target] == m.module.along[target]
        m.values[target] = Column(found, 0, found.layout, output.axes) if along and output.axes else found


def take_back(m: Lowering, begins: Gap, ends: Gap) -> None:
    """What a run of a loop took of the arena, the next one may take."""
    w = m.w
    with w.within(begins):
        w.do(Each(True))
        top, piece, since = w.load("i64", ARENA), piece_of(w, ARENA), latest(w, ARENA)
    with w.within(ends):
        w.do(Each(False))
        cut_back(w, ARENA, top, piece, since)


def widen(
    m: Lowering, whole: Gap, before: Gap, parts: list[Gap], now: str, count: str, known: Free, recurs: bool
) -> None:
    """Let a loop take several runs at once, where these depend on each other only by what they gather. A loop that
    `recurs` hands numbers from run to run: there LLVM's vectors would only make each run wait longer."""
    w = m.w
    lines = [line for part in parts for line in flat(part, plain=True)]
    nested = any(isinstance(line, Begin) for line in lines)
    few = nested and count.isdigit() and int(count) < w.lanes  # see `chosen`
    found = vectors(lines, now, count, w, w.lanes, known) if w.lanes and not few else None
    narrow = [line for part in parts for line in flat(part)]
    if found is not None and nested and wide_is_slower(found.lines, narrow, w.lanes):
        return
    if found is not None:
        w.declared |= found.declared
        w.innermost = False
        whole.plain = list(whole)
        if nested:
            whole[:] = [before, *chosen(w, lines, count, found, [x for x in whole if x is not before])]
        else:
            whole[:] = [before, *found.lines]
    elif not recurs and not any(isinstance(line, WAYS) for line in narrow):
        m.module.plain = True


def free(m: Lowering, op: Loop, let: Let, places: Sequence[Any], own: set[str]) -> Free:
    """What is known of the runs of a loop."""
    from ccc.compile.native.nests import product

    sums: dict[str, str] = {}
    added: dict[str, str] = {}
    written: set[str] = set()
    body = op.body
    for k, (param, result, (layout, slots, init, *_)) in enumerate(
            zip(body.params, body.results, places, strict=False)):
        if not is_sum(body, param, result, m.module.uses):
            around = m.module.bounds.from_zero
            if isinstance(init, Arr) and writes_apart(op, let.args[op.carries :], k, m.module.uses, around):
                written.add(slots[0])
            continue
        if isinstance(layout, Word) and layout.type != "i1":
            sums[slots[0]] = layout.type
        elif isinstance(init, Arr) and init.dtype in REALS:
            added[slots[0]] = product(m, init.axes)
    return Free(sums, added, frozenset(own), frozenset(written))


def keeps(before: Any, after: Any) -> bool:
    """Whether what a loop carries needs no memory of its last run."""
    return isinstance(after, (Num, Fixed, Rng)) or (
        isinstance(after, Arr) and isinstance(before, Arr) and after.ptr == before.ptr)


@lowers(While)
def while_(m: Lowering, op: While, let: Let) -> None:
    w = m.w
    m.settle()
    places = carried(m, op.test.params, let.args)
    given = let.targets[op.carries :]
    columns = [target for target in given if m.module.uses[target] == m.module.along[target]]
    lists = {target: Growing(m) for target in given if target not in columns}
    table = Growing(m)
    ran = w.local("i1") if let in m.module.must_run else ""
    if ran:
        w.store("i1", "false", ran)
    text = w.gap()
    with w.within(text), w.loop() as (_, body, done), m.scope():
        head = w.gap()
        enter(m, op.test.params, places)
        m.block(op.test)
        test = conversions.as_bool(w, m.number(m.value(op.test.results[0])))
        m.settle()
        spoiled = w.binary("xor", "i1", w.load("i1", "%spoiled"), "true")
        w.fork(w.binary("and", "i1", test, spoiled), body, done)
        w.label(body)
        if ran:
            w.store("i1", "true", ran)
        enter(m, op.body.params, places)
        m.block(op.body)
        results = {target: m.value(atom) for target, atom in zip(given, op.body.results[op.carries :], strict=True)}
        for target, output in lists.items():
            output.put(results[target])
        parts = [m.there(results[target]) for target in columns]
        if parts:
            table.put(Tup(tuple(parts)))
        step(m, op.body.results[: op.carries], places)
        m.settle()
        outputs = [*lists.values(), table] if parts else lists.values()
        noted(w, head, w.gap(), Runs([(layout, slots) for layout, slots, *_ in places], [
            output.slots[0] for output in outputs]))
    m.module.plain |= sum(map(on_numbers, flat(text))) >= MANY
    if ran:
        w.leave(w.binary("xor", "i1", w.load("i1", ran), "true"))
    enter(m, let.targets[: op.carries], places)
    for target, output in lists.items():
        m.values[target] = output.list()
    if parts:
        whole, at = table.list(), 0
        for target, part in zip(columns, parts, strict=True):
            layout = layout_of(part)
            m.values[target] = Column(whole, at, layout, sizes_before(w, part, text))
            at += len(words(layout))


def sizes_before(w: Writer, v: Any, place: Gap) -> tuple[str, ...]:
    """The sizes of an array that can be read at a place before its loop: they are the same in all runs."""
    return v.axes if isinstance(v, Arr) and all(w.stands_before(axis, place) for axis in v.axes) else ()


def takes_memory(text: Gap) -> bool:
    """Whether code may take memory of the arena."""
    return any(isinstance(line, Request) or (isinstance(line, Call) and line.inner) for line in flat(text))


def on_numbers(line: Instruction) -> bool:
    """Whether a line adds, subtracts, multiplies or divides numbers."""
    return isinstance(line, Operation) and line.type in FLOATING and line.op in ("fadd", "fsub", "fmul", "fdiv")


def scalar(layout: Any) -> bool:
    """Whether values of a layout hold no pointers."""
    return "ptr" not in words(layout)


class Room:
    """Memory of all lists that a loop makes, one behind the other. Functions that are called often make such lists for
    their tapes; where arrays are results, each has memory of its own, which can be given away."""

    def __init__(self, m: Lowering, count: str) -> None:
        self.m = m
        self.count = count
        self.words = 0
        self.gap = m.w.gap()
        self.ptr = f"%{m.w.fresh()}"

    def part(self, words: int) -> str:
        """Memory for so many words of each run."""
        w = self.m.w
        before, self.words = self.words, self.words + words
        return w.at_index("i64", self.ptr, w.mul(self.count, str(before))) if before else self.ptr

    def take(self) -> None:
        w = self.m.w
        with w.within(self.gap):
            found = self.m.alloc(w.mul(self.count, str(8 * self.words))) if self.words else "null"
            w.do(Address("i8", found, "0", name=self.ptr))


class Output:
    """A list that a loop makes, of known length."""

    def __init__(self, m: Lowering, count: str, room: Room | None) -> None:
        self.m = m
        self.count = count
        self.room = room
        self.layout: Any = None
        self.axes: tuple[str, ...] = ()
        """The sizes of arrays that have the same in all runs."""
        self.ptr = "null"
        self.gap = m.w.gap()

    def put(self, v: Any, k: str) -> None:
        w = self.m.w
        v = self.m.there(v)
        self.layout = layout_of(v)
        size = len(words(self.layout))
        if not size:
            return
        with w.within(self.gap):
            if self.room is None:
                vectors = scalar(self.layout) and size == 1
                self.ptr = self.m.memory("int64", self.count) if vectors else self.m.alloc(
                    w.mul(self.count, str(8 * size)))
            else:
                self.ptr = self.room.part(size)
        at = w.at_index("i64", self.ptr, w.mul(k, str(size)))
        self.axes = sizes_before(w, v, self.gap)
        if isinstance(v, Arr) and bytes_of(v.dtype) == "8":
            items = "1"
            for axis in v.axes:
                items = w.mul(items, axis)
            w.do(Held(v.ptr, items))  # see `spread`
        if self.ptr in w.padded:
            w.do(Filled(self.ptr))  # see `spread`
        self.m.write(v, self.layout, at)

    def list(self) -> Lst:
        return Lst(self.layout, self.ptr, self.count, self.count)


class Growing:
    """A list that a `while` makes."""

    def __init__(self, m: Lowering) -> None:
        self.m = m
        self.layout: Any = None
        w = m.w
        self.slots = [w.local("ptr"), w.local("i64"), w.local("i64")]
        w.store("ptr", "null", self.slots[0])
        w.store("i64", "0", self.slots[1])
        w.store("i64", "0", self.slots[2])

    def put(self, v: Any) -> None:
        from ccc.compile.native.sequences import appended

        v = self.m.there(v)
        self.layout = layout_of(v)
        new = appended(self.m, self.list(), v)
        for slot, type_, text in zip(self.slots, ("ptr", "i64", "i64"), operands(new), strict=True):
            self.m.w.store(type_, text, slot)

    def list(self) -> Lst:
        w = self.m.w
        return Lst(self.layout, w.load("ptr", self.slots[0]), w.load("i64", self.slots[1]),
                   w.load("i64", self.slots[2]))
