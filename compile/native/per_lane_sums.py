"""Sums into an array, an array for each lane: added up once, when the loop ends.

What all lanes add to one item is added up across the lanes, which takes longer than to compute it. Where a loop has
many runs and the array few items, each lane adds to items of its own, side by side, instead.

    dx[j] += sum of <8 x double> %x          shadow[j] += %x ... and behind the loop: dx[j] += sum of shadow[j]
"""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.native.body import SUM, Body
from ccc.compile.native.code import (
    LEAVE,
    ROLLED,
    UNLIKELY,
    Address,
    Begin,
    Call,
    Comparison,
    Fork,
    Instruction,
    Jump,
    Load,
    Operation,
    Store,
)
from ccc.compile.native.dtypes import BYTES
from ccc.compile.native.vector_memory import add_across
from ccc.values import slotted

MOST = 256
"""An array has no more items,"""
RUNS = 4
"""and the loop this many times as many runs, and"""
LEAST = 64
"""at least these."""


@slotted
class Shadow:
    """The items for each lane of an array in a variable: of which type, where they are, how many, and whether they are
    used."""

    type: str
    place: str
    items: str
    used: str
    memory: str


def shadow_of(at: str, b: Body) -> tuple[Shadow, str] | None:
    """The shadow of the memory that is added to, and the position in it; None where that is not known."""
    key = list(b.keys.get(at, ()))
    load = b.definitions.get(key[1]) if len(key) > 2 else None
    place = load.at if isinstance(load, Load) and load.type == "ptr" else ""
    if not b.count or place not in b.added or b.pointees[at].root() is not b.held[place].root() or b.pointees[
            at].root().joins:
        return None
    type_ = key[0]
    position, *more = [b.own(i) for i in key[2:]]
    for i in more:
        position = b.binary("add", "i64", position, i, "nsw")
    if place not in b.shadows:
        b.shadows[place] = made(type_, place, b.added[place], b)
    return b.shadows[place], position


def made(type_: str, place: str, items: str, b: Body) -> Shadow:
    """A shadow of zeros, before the loop, where it is worth while."""
    lines, b.lines = b.lines, []
    enough = b.compared("sge", "i64", b.count, b.binary("mul", "i64", items, str(RUNS), "nsw"))
    many = b.compared("sge", "i64", b.count, str(LEAST))
    few = b.compared("sle", "i64", items, str(MOST))
    used = b.binary("and", "i1", few, b.binary("and", "i1", many, enough))
    size = b.chosen("i64", used, b.binary("mul", "i64", items, str(8 * b.lanes), "nsw"), "0")
    memory, on = b.request(size), b.w.block("on")
    b.fork(b.compared("eq", "ptr", memory, "null"), LEAVE, on, UNLIKELY)
    b.start(on)
    found = Shadow(type_, place, items, used, memory)
    at, k = [f"%{b.w.fresh()}" for _ in range(2)]
    b.lines += each(found, b, at, k, [Store(b.vector(type_), "zeroinitializer", at, BYTES[type_])])
    b.before += b.lines
    b.lines = lines
    return found


def added_up(b: Body) -> list[Instruction]:
    """Add the items of all lanes to the arrays."""
    out: list[Instruction] = []
    for found in b.shadows.values():
        type_, vector = found.type, b.vector(found.type)
        name = b.intrinsic(f"llvm.vector.reduce.fadd.{b.masked(type_)}", type_, type_, vector)
        array, x, y, total, at, k = [f"%{b.w.fresh()}" for _ in range(6)]
        between = [
            Load("ptr", found.place, name=array),
            Address(type_, array, k, True, name=f"{array}.at"),
            Load(vector, at, BYTES[type_], x),
            Load(type_, f"{array}.at", name=y),
            Call(type_, name, (type_, vector), (y, x), "reassoc", name=total),
            Store(type_, total, f"{array}.at"),
        ]
        out += each(found, b, at, k, between)
    return out


def each(found: Shadow, b: Body, at: str, k: str, body: Sequence[Instruction]) -> list[Instruction]:
    """A loop over the items of a shadow, if that is used: `at` is where one is, and `k` which one."""
    counter = b.w.local("i64")
    head, inside, done = [b.w.block(x) for x in ("head", "body", "done")]
    more, after = [f"%{b.w.fresh()}" for _ in range(2)]
    return [
        Store("i64", "0", counter),
        Fork(found.used, head, done),
        Begin(head),
        Load("i64", counter, name=k),
        Comparison("slt", "i64", k, found.items, more),
        Fork(more, inside, done),
        Begin(inside),
        Address(b.vector(found.type), found.memory, k, name=at),
        *body,
        Operation("i64", "add", k, "1", "nuw nsw", after),
        Store("i64", after, counter),
        Jump(head, ROLLED),
        Begin(done),
    ]


def add(type_: str, at: str, x: str, b: Body) -> bool:
    """Add a vector to the shadow of a number, or its sum to the number; False where there is no shadow."""
    found = shadow_of(at, b)
    if found is None:
        return False
    shadow, position = found
    vector = b.vector(type_)
    own, across, on = [b.w.block(x) for x in ("own", "across", "on")]
    b.fork(shadow.used, own, across)
    b.start(own)
    place = b.address(vector, shadow.memory, position)
    before = b.load(vector, place, BYTES[type_])
    b.store(vector, b.binary("fadd", vector, before, x, SUM), place, BYTES[type_])
    b.jump(on)
    b.start(across)
    add_across(type_, at, x, b)
    b.jump(on)
    b.start(on)
    b.splats.clear()
    return True
