"""Vectors read from memory and written there, at places of each kind: see `body`."""

from __future__ import annotations

from ccc.compile.native.body import SUM, Body, Unfit
from ccc.compile.native.dtypes import BYTES
from ccc.compile.native.lane_kinds import Kind


def aligned(type_: str) -> int:
    """At a multiple of so many bytes stands what has a type; truths and pointers have words of eight."""
    return BYTES.get(type_, 8)


def loaded(type_: str, at: str, kind: Kind, b: Body) -> tuple[Kind, str]:
    """The kind and the name of what stands somewhere."""
    vector, align, at_ = b.vector(type_), aligned(type_), b.own(at)
    if kind is Kind.SAME:
        return Kind.SAME, b.load(type_, at_)
    if kind is Kind.PRIVATE or (kind is Kind.LINEAR and (not b.mask or b.reaches(at, b.w.padded))):
        return Kind.VECTOR, b.load(vector, at_, align)
    mask, all_ = b.vector("i1"), b.all()
    if kind.moves:
        if kind is Kind.FALLING:
            at_, all_ = b.lowest(at_, type_), b.turned(all_, "i1")
        found = read_where(all_, type_, at_, align, b)
        return Kind.VECTOR, b.turned(found, type_) if kind is Kind.FALLING else found
    if kind is not Kind.PLACES:
        raise Unfit
    places = b.vector("ptr")
    name = b.intrinsic(f"llvm.masked.gather.{b.masked(type_)}.v{b.lanes}p0", vector, places, "i32", mask, vector)
    return Kind.VECTOR, b.call(
        vector, name, (places, at_), ("i32", str(align)), (mask, all_), (vector, "zeroinitializer"))


def put(type_: str, x: str, at: str, kind: Kind, b: Body) -> None:
    """Store a vector somewhere."""
    if type_ == "i1":  # which lists hold in a word each
        x, type_ = b.cast("zext", b.vector("i1"), x, b.vector("i64")), "i64"
    vector, align, at_, all_ = b.vector(type_), aligned(type_), b.own(at), b.all()
    mask = b.vector("i1")
    if kind is Kind.PRIVATE and b.region(at).arms != b.arms:
        b.store(vector, blended(type_, x, at_, b), at_, align)
    elif kind is Kind.PRIVATE or (kind is Kind.LINEAR and (not b.mask or b.reaches(at, b.filled))):
        b.store(vector, x, at_, align)
    elif kind.moves:
        if kind is Kind.FALLING:
            x, at_, all_ = b.turned(x, type_), b.lowest(at_, type_), b.turned(all_, "i1")
        write_where(all_, type_, x, at_, align, b)
    elif kind is Kind.PLACES:
        places = b.vector("ptr")
        name = b.intrinsic(f"llvm.masked.scatter.{b.masked(type_)}.v{b.lanes}p0", "void", vector, places, "i32", mask)
        b.run(name, (vector, x), (places, at_), ("i32", str(align)), (mask, all_))
    else:
        raise Unfit


def read_where(mask: str, type_: str, at: str, align: int, b: Body) -> str:
    """A vector whose items stand in a row, zero where a mask is not set."""
    vector, flags = b.vector(type_), b.vector("i1")
    name = b.intrinsic(f"llvm.masked.load.{b.masked(type_)}.p0", vector, "ptr", "i32", flags, vector)
    return b.call(vector, name, ("ptr", at), ("i32", str(align)), (flags, mask), (vector, "zeroinitializer"))


def write_where(mask: str, type_: str, x: str, at: str, align: int, b: Body) -> None:
    """Store the items of a vector for which a mask is set."""
    vector, flags = b.vector(type_), b.vector("i1")
    name = b.intrinsic(f"llvm.masked.store.{b.masked(type_)}.p0", "void", vector, "ptr", "i32", flags)
    b.run(name, (vector, x), ("ptr", at), ("i32", str(align)), (flags, mask))


def blended(type_: str, x: str, at: str, b: Body) -> str:
    """A vector with the items of those runs that are not in this arm as they are in memory."""
    vector = b.vector(type_)
    old = b.load(vector, at, aligned(type_))
    return b.chosen(vector, b.all(), x, old, b.vector("i1"))


def add_across(type_: str, at: str, x: str, b: Body) -> None:
    """Add the sum of a vector to one number."""
    before = b.load(type_, b.own(at))
    b.store(type_, b.reduced("fadd", type_, x, before), b.own(at))


def add_in_row(type_: str, at: str, x: str, kind: Kind, b: Body) -> None:
    """Add a vector to what stands in a row."""
    _, before = loaded(type_, at, kind, b)
    put(type_, b.binary("fadd", b.vector(type_), before, x, SUM), at, kind, b)
