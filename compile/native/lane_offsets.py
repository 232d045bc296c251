"""Integers and places that differ between lanes by what is known: one number, and an offset for each lane.

    i * 3        for i, i + 1, ...:     3 i + (0, 3, 6, 9)
    k / 2        for k, k + 1, ...:     k / 2 + (0, 0, 1, 1)      where k is even
    x[i * 3]                            x + 3 i, and what stands there at (0, 3, 6, 9)

Where the offsets are constants, or become constants when LLVM knows the sizes (`windows`), nothing is gathered that is
read as it lies.
"""

from __future__ import annotations

from ccc.compile.native import windows
from ccc.compile.native.body import Body
from ccc.compile.native.code import is_name
from ccc.compile.native.instructions import ADD, FOLDS, MUL, SUB, UDIV, UREM
from ccc.compile.native.lane_kinds import Kind

DIVIDING = (UDIV.name, UREM.name)
LINEAR = {i.name: i for i in (ADD, SUB, MUL)}
Offsets = tuple[int, ...] | str
"""Constants, or a vector."""
Spots = tuple[str, Offsets]
"""A number, or a pointer, and what is to be added to it in each lane."""


def spots_of(x: str, b: Body) -> Spots | None:
    """An operand as a number and offsets; None where it is not known as such."""
    kind = b.kind(x)
    if kind is Kind.SAME:
        return b.own(x), (0,) * b.lanes
    if kind.step:
        return b.own(x), tuple([kind.step * i for i in range(b.lanes)])
    return b.spots.get(x)


def number(x: str, b: Body) -> int | None:
    """The value of an operand that is a constant, or known to be one here."""
    return b.known.get(x) if is_name(x) else int(x)


def combined(op: str, x: str, y: str, b: Body) -> Spots | None:
    """The result of an operation on integers; None where it is not of this form."""
    if op in DIVIDING:
        return divided(op, y, b) if x == b.now else None
    i = LINEAR.get(op)
    first, second = spots_of(x, b), spots_of(y, b)
    if first is None or second is None or i is None:
        return None
    if not i.additive:
        if b.kind(x) is Kind.SAME:
            x, y, first, second = y, x, second, first
        if b.kind(y) is not Kind.SAME:
            return None
        n, offsets = number(y, b), first[1]
        if n is not None and isinstance(offsets, tuple):
            offsets = tuple([n * k for k in offsets])
        else:
            offsets = b.binary("mul", b.vector("i64"), vector(offsets), b.spread(y, "i64"))
    elif isinstance(first[1], tuple) and isinstance(second[1], tuple):
        offsets = tuple(map(FOLDS[op], first[1], second[1]))
    else:
        offsets = b.binary(op, b.vector("i64"), vector(first[1]), vector(second[1]))
    return b.binary(op, "i64", first[0], second[0]), offsets


def divided(op: str, y: str, b: Body) -> Spots | None:
    """The quotient or the remainder of a position, where vectors go in groups that begin at a multiple of the
    divisor."""
    n = number(y, b)
    if not n or b.mask or b.group is None or b.group.copies * b.lanes % n:
        return None
    places = [b.group.copy * b.lanes + i for i in range(b.lanes)]
    if op == UREM.name:
        return "0", tuple([k % n for k in places])
    return b.binary("udiv", "i64", b.group.start, str(n)), tuple([k // n for k in places])


def vector(offsets: Offsets) -> str:
    """Offsets as an operand."""
    return offsets if isinstance(offsets, str) else f"<{', '.join(f'i64 {k}' for k in offsets)}>"


def noted(found: Spots, name: str, b: Body) -> tuple[Kind, str]:
    """The kind and the name of an integer of this form."""
    base, offsets = found
    first = offsets[0] if isinstance(offsets, tuple) else 0
    for kind in Kind:
        if kind.step is not None and offsets == tuple([first + kind.step * i for i in range(b.lanes)]):
            return kind, base if first == 0 else b.binary("add", "i64", base, str(first))
    b.spots[name] = found
    return Kind.VECTOR, b.binary("add", b.vector("i64"), b.splat(base, "i64"), vector(offsets))


def address(type_: str, ptr: str, i: str, name: str, b: Body) -> tuple[Kind, str] | None:
    """The kind and the name of places in memory of this form; None where they are not."""
    if ptr not in b.spots and i not in b.spots:
        return None
    start, further = spots_of(ptr, b), spots_of(i, b)
    if start is None or further is None:
        return None
    base = b.address(type_, start[0], further[0])
    if not isinstance(start[1], tuple) or any(start[1]):
        if not isinstance(further[1], tuple) or any(further[1]):
            return None
        offsets = start[1]
    else:
        offsets = further[1]
    b.spots[name] = base, offsets
    return Kind.PLACES, b.address(type_, base, vector(offsets), index_type=b.vector("i64"))


def read(type_: str, at: str, b: Body) -> str | None:
    """What stands at places of reals, by loads and a shuffle; None where these are not known, or far apart."""
    base, offsets = b.spots.get(at, ("", ""))
    if b.mask or not isinstance(offsets, tuple):
        return None
    found = windows.window(offsets, b.lanes)
    if found is None:
        return None
    return windows.read(found, b.lanes, type_, base, b)
