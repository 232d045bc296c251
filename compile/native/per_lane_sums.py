"""Sums into an array, an array for each lane: added up once, when the loop ends.

What all lanes add to one item is added up across the lanes, which takes longer than to compute it. Where a loop has
many runs and the array few items, each lane adds to items of its own, side by side, instead.

    dx[j] += sum of <8 x double> %x          shadow[j] += %x ... and behind the loop: dx[j] += sum of shadow[j]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ccc.compile.native.body import SUM, Body
from ccc.compile.native.vector_memory import add_across

MOST = 256
"""An array has no more items,"""
RUNS = 4
"""and the loop this many times as many runs, and"""
LEAST = 64
"""at least these."""


@dataclass
class Shadow:
    """The items for each lane of an array in a variable: where they are, how many, and whether they are used."""

    place: str
    items: str
    used: str
    memory: str


def shadow_of(at: str, b: Body) -> tuple[Shadow, str] | None:
    """The shadow of the memory that is added to, and the position in it; None where that is not known."""
    key: tuple[str, ...] = b.keys.get(at, ())
    place = b.definitions.get(key[1], "").partition("load ptr, ptr ")[2] if len(key) > 2 else ""
    if not b.count or place not in b.added or b.pointees[at].root() is not b.held[place].root() or b.pointees[
            at].root().joins:
        return None
    position, *more = [b.own(i) for i in key[2:]]
    for i in more:
        position = b.op(f"add nsw i64 {position}, {i}")
    if place not in b.shadows:
        b.shadows[place] = made(place, b.added[place], b)
    return b.shadows[place], position


def made(place: str, items: str, b: Body) -> Shadow:
    """A shadow of zeros, before the loop, where it is worth while."""
    lines, b.lines = b.lines, []
    enough = b.op(f"icmp sge i64 {b.count}, {b.op(f'mul nsw i64 {items}, {RUNS}')}")
    many = b.op(f"icmp sge i64 {b.count}, {LEAST}")
    few = b.op(f"icmp sle i64 {items}, {MOST}")
    used = b.op(f"and i1 {few}, {b.op(f'and i1 {many}, {enough}')}")
    size = b.op(f"select i1 {used}, i64 {b.op(f'mul nsw i64 {items}, {8 * b.lanes}')}, i64 0")
    memory, on = b.op(f"call ptr @ccc_alloc(ptr %arena, i64 {size})"), b.w.fresh("on")
    b.lines += [f"  br i1 {b.op(f'icmp eq ptr {memory}, null')}, label %leave, label %{on}, !prof !0", f"{on}:"]
    found = Shadow(place, items, used, memory)
    b.lines += each(found, b, lambda at: [f"  store {b.vector('double')} zeroinitializer, ptr {at[0]}, align 8"])
    b.before += b.lines
    b.lines = lines
    return found


def added_up(b: Body) -> list[str]:
    """Add the items of all lanes to the arrays."""
    out: list[str] = []
    vector = b.vector("double")
    name = b.intrinsic(f"llvm.vector.reduce.fadd.{b.masked('double')}", "double", "double", vector)
    for found in b.shadows.values():
        array, x, y, total = [f"%{b.w.fresh()}" for _ in range(4)]
        out += each(found, b, lambda at, found=found, array=array, x=x, y=y, total=total: [
            f"  {array} = load ptr, ptr {found.place}",
            f"  {array}.at = getelementptr inbounds double, ptr {array}, i64 {at[1]}",
            f"  {x} = load {vector}, ptr {at[0]}, align 8",
            f"  {y} = load double, ptr {array}.at",
            f"  {total} = call reassoc double {name}(double {y}, {vector} {x})",
            f"  store double {total}, ptr {array}.at",
        ])
    return out


def each(found: Shadow, b: Body, body: Any) -> list[str]:
    """A loop over the items of a shadow, if that is used."""
    counter = b.w.local("i64")
    head, inside, done = [b.w.fresh(x) for x in ("head", "body", "done")]
    k, more, at, after = [f"%{b.w.fresh()}" for _ in range(4)]
    return [
        f"  store i64 0, ptr {counter}",
        f"  br i1 {found.used}, label %{head}, label %{done}",
        f"{head}:",
        f"  {k} = load i64, ptr {counter}",
        f"  {more} = icmp slt i64 {k}, {found.items}",
        f"  br i1 {more}, label %{inside}, label %{done}",
        f"{inside}:",
        f"  {at} = getelementptr {b.vector('double')}, ptr {found.memory}, i64 {k}",
        *body((at, k)),
        f"  {after} = add nuw nsw i64 {k}, 1",
        f"  store i64 {after}, ptr {counter}",
        f"  br label %{head}, !llvm.loop !4",
        f"{done}:",
    ]


def add(at: str, x: str, b: Body) -> bool:
    """Add a vector to the shadow of a number, or its sum to the number; False where there is no shadow."""
    found = shadow_of(at, b)
    if found is None:
        return False
    shadow, position = found
    vector = b.vector("double")
    own, across, on = [b.w.fresh(x) for x in ("own", "across", "on")]
    b.lines += [f"  br i1 {shadow.used}, label %{own}, label %{across}", f"{own}:"]
    place = b.op(f"getelementptr {vector}, ptr {shadow.memory}, i64 {position}")
    before = b.op(f"load {vector}, ptr {place}, align 8")
    b.lines.append(f"  store {vector} {b.op(f'fadd {SUM} {vector} {before}, {x}')}, ptr {place}, align 8")
    b.lines += [f"  br label %{on}", f"{across}:"]
    add_across(at, x, b)
    b.lines += [f"  br label %{on}", f"{on}:"]
    b.splats.clear()
    return True
