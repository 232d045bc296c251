"""Lines of IR for one run of a loop as lines for several runs, one in each lane: see `lanes`.

A branch whose test differs between runs is both its arms, one after the other, each under the mask of its runs: it
sets the items of these runs alone in what other runs see. What only the arm itself names needs no mask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.native import guarded, lane_offsets, overlapping_sums
from ccc.compile.native.body import Body, Parted, Unfit
from ccc.compile.native.code import (
    ARENA,
    LEAVE,
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
)
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.instructions import FOLDS, IN_LANES, INSTRUCTIONS, OR, UDIV, UREM
from ccc.compile.native.lane_kinds import Kind
from ccc.compile.native.notes import Along, Each, Filled, Held, Row, Runs, StoredRow
from ccc.compile.native.turned_rows import stored
from ccc.compile.native.vectorize_memory import Translated, address, copied, load, store, taken, where

WORDS = frozenset({*FLOATING, "i64", "i1", "i8", "ptr"})
"""The types of what one run computes: no vectors."""


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
        case Call(ours=True) if ARENA in i.operands and all(b.kind(x) is Kind.SAME for x in i.operands):
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
    if b.kind(test) is Kind.SAME:
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


INTEGERS = ("i64", "i8", "i1")
CONVERSIONS = ("sitofp", "uitofp", "zext", "trunc", "fptosi", "fpext", "fptrunc")

MOVING = {i.name for i in INSTRUCTIONS if i.additive}


def moved(op: str, x: Kind, y: Kind) -> Kind | None:
    """The kind of a sum or a difference of indices, of which one is the same in all lanes.

    >>> moved("sub", Kind.SAME, Kind.LINEAR), moved("add", Kind.LINEAR, Kind.LINEAR)
    (<Kind.FALLING>, None)
    """
    if op not in MOVING or x.moves + y.moves != 1 or Kind.SAME not in (x, y):
        return None
    return Kind.by_step(FOLDS[op](x.step or 0, y.step or 0))


def binary(f: Operation, b: Body, name: str) -> Translated:
    op, flags, type_, (x, y) = f.op, f.flags, f.type, f.operands
    if op == "fadd" and (x in b.sum_loads or y in b.sum_loads):
        if x not in b.sum_loads:
            x, y = y, x
        b.sum_adds[name] = b.sum_loads[x], y
        return Kind.SUM, ""
    kinds = {b.kind(x), b.kind(y)}
    if kinds == {Kind.SAME}:
        return Kind.SAME, b.binary(op, type_, b.own(x), b.own(y), flags)
    stays = moved(op, b.kind(x), b.kind(y)) if type_ == "i64" else None
    if stays is not None:
        form = overlapping_sums.moved_on(op, x, y, b) if stays is Kind.LINEAR else None
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
        return Kind.VECTOR, divided(op, first, second, b)
    if op in ("sdiv", "srem"):  # lanes beyond the end may hold anything
        first, second = b.masked_item(first, type_, "0"), b.masked_item(second, type_, "1")
    return Kind.VECTOR, b.binary(op, b.vector(type_), first, second, flags)


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
    if b.kind(x) is Kind.SAME:
        return Kind.SAME, b.negative(f.type, b.own(x))
    return Kind.VECTOR, b.negative(b.vector(f.type), b.spread(x, f.type))


def comparison(f: Comparison, b: Body, name: str) -> Translated:
    relation, type_, (x, y) = f.relation, f.of, f.operands
    if type_ == "ptr" and b.kind(x).is_one and b.kind(y) is Kind.SAME:
        return Kind.SAME, b.compared(relation, "ptr", b.own(x), b.own(y))
    if b.kind(x) is b.kind(y) is Kind.SAME:
        return Kind.SAME, b.compared(relation, type_, b.own(x), b.own(y))
    return Kind.VECTOR, b.compared(relation, b.vector(type_), b.spread(x, type_), b.spread(y, type_))


def choice(f: Choice, b: Body, name: str) -> Translated:
    type_, (test, x, y) = f.type, f.operands
    if b.kind(test) is Kind.SAME and b.kind(x) is b.kind(y) is Kind.SAME:
        return Kind.SAME, b.chosen(type_, b.own(test), b.own(x), b.own(y))
    vector, x, y = b.vector(type_), b.spread(x, type_), b.spread(y, type_)
    if b.kind(test) is Kind.SAME:
        return Kind.VECTOR, b.chosen(vector, b.own(test), x, y)
    return Kind.VECTOR, b.chosen(vector, b.spread(test, "i1"), x, y, b.vector("i1"))


def conversion(f: Cast, b: Body, name: str) -> Translated:
    op, have, (x,), want = f.op, f.have, f.operands, f.type
    if op not in CONVERSIONS:
        raise Unfit
    if b.kind(x) is Kind.SAME:
        return Kind.SAME, b.cast(op, have, b.own(x), want)
    return Kind.VECTOR, b.cast(op, b.vector(have), b.spread(x, have), b.vector(want))


def call(f: Call, b: Body, name: str) -> Translated:
    if f.function in guarded.NAMES.values():
        return where(f, b, name)
    type_, function = f.type, f.function
    if f.flags or type_ not in (*FLOATING, "i64") or not (f.ours or f.intrinsic in IN_LANES):
        raise Unfit
    args = list(zip(f.given, f.operands, strict=True))
    if all(b.kind(x) is Kind.SAME for _, x in args):
        return Kind.SAME, b.call(type_, function, *[(t, b.own(x)) for t, x in args])
    given = [(b.vector(t), b.spread(x, t)) for t, x in args]
    if f.ours:
        return Kind.VECTOR, b.call(b.vector(type_), f"{function}_v{b.lanes}", *given)
    vector = b.vector(type_)
    called = b.intrinsic(f"llvm.{f.intrinsic}.{b.masked(type_)}", vector, *[b.vector(t) for t, _ in args])
    return Kind.VECTOR, b.call(vector, called, *given)


def checked(f: Checked, b: Body, name: str) -> Translated:
    x, y = f.operands
    if b.kind(x) is b.kind(y) is Kind.SAME:
        return Kind.SAME, b.give(Checked(f.op, "i64", b.own(x), b.own(y)))
    i = b.vector("i64")
    made = Checked(f.op, i, b.spread(x, "i64"), b.spread(y, "i64"), b.masked("i64"))
    b.intrinsic(made.function, made.type, i, i)
    return Kind.PAIR, b.give(made)


def extract(f: Part, b: Body, name: str) -> Translated:
    (pair_,) = f.operands
    if b.kind(pair_) is Kind.SAME:
        return Kind.SAME, b.part(b.own(pair_), f.index)
    return Kind.VECTOR, b.part(b.own(pair_), f.index, b.vector("i64"))


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
