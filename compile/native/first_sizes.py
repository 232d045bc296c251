"""What an integer of the code is in the first call, where that follows from sizes of its arguments.

>>> half = Operation("i64", "sdiv", "%n", "2", name="%half")
>>> all_ = Operation("i64", "add", "%half", "%m", name="%all")
>>> made = {i.name: i for i in (half, all_)}
>>> evaluated("%all", {"%n": 9, "%m": 5}, made), evaluated("%all", {"%n": 9}, made)
(9, None)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, MutableMapping

from ccc.compile.native.code import Call, Choice, Comparison, Instruction, Operation, is_name
from ccc.compile.native.instructions import ADD, AND, MUL, OR, SMAX, SMIN, SUB


def quotient(a: int, b: int) -> int:
    """What a division gives that leaves out the fraction; of a division by 0 nobody reads it."""
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else 0


FOLDED = {i.name: i.fold for i in (ADD, SUB, MUL, AND, OR, SMAX, SMIN) if i.fold is not None}
OPERATIONS: Mapping[str, Callable[[int, int], int]] = FOLDED | {
    "xor": operator.xor, "sdiv": quotient, "srem": lambda a, b: a - b * quotient(a, b), "eq": operator.eq,
    "ne": operator.ne, "slt": operator.lt, "sle": operator.le, "sgt": operator.gt, "sge": operator.ge,
}  # fmt: skip
DEEP = 18
"""So many operations behind each other are looked through."""


def evaluated(
    name: str, known: MutableMapping[str, int | None], made: Mapping[str, Instruction], deep: int = DEEP
) -> int | None:
    """An operand, by what is known of others and how they were made; what is found is kept in `known`."""
    if not is_name(name):
        return constant(name)
    if name not in known and deep:
        known[name] = given(made[name], known, made, deep - 1) if name in made else None
    return known.get(name)


def folded(i: Instruction) -> str | None:
    """The constant that an instruction gives whose operands are constants.

    >>> folded(Operation("i64", "sdiv", "9", "2")), folded(Comparison("slt", "i64", "3", "2"))
    ('4', 'false')
    >>> folded(Operation("i64", "sdiv", "%n", "2")) is None
    True
    """
    if not isinstance(i, (Operation, Comparison, Choice)) or any(map(is_name, i.operands)):
        return None
    found = given(i, {}, {}, 0)
    if found is None:
        return None
    bit = i.type == "i1" or isinstance(i, Comparison)
    return ("true" if found else "false") if bit else str((found + (1 << 63)) % (1 << 64) - (1 << 63))


def constant(text: str) -> int | None:
    """An integer, or a truth value."""
    return int(text) if text.lstrip("-").isdigit() else {"true": 1, "false": 0}.get(text)


def given(
    i: Instruction, known: MutableMapping[str, int | None], made: Mapping[str, Instruction], deep: int
) -> int | None:
    """What an instruction gives."""
    match i:
        case Operation(type="i64" | "i1", op=op) | Comparison(of="i64", relation=op) | Call(type="i64", intrinsic=op):
            values = [evaluated(x, known, made, deep) for x in i.operands] if op in OPERATIONS else [None]
            return int(OPERATIONS[op](*values)) if None not in values else None  # type: ignore[arg-type]
        case Choice(type="i64", tests="i1", operands=(test, one, other)):
            found = evaluated(test, known, made, deep)
            return None if found is None else evaluated(one if found else other, known, made, deep)
        case _:
            return None
