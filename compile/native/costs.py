"""About how long text of IR takes: whether a loop had better take several runs at once, or the loops in it.

What differs between runs and is written to memory goes to places that lie apart, a scatter, which is one store after
the other; in a loop within, which takes several items of one run, the same may be a store of a whole vector.

>>> from ccc.compile.native.code import Fork, Jump, Label
>>> head, body, done = [Label(role, role) for role in ("head", "body", "done")]
>>> inner = [Begin(head), Comparison("slt", "i64", "%k", "11"), Fork("%more", body, done), Begin(body)]
>>> apart = [Call("void", "llvm.masked.scatter.v8f64.v8p0", ("<8 x double>",), ("%x",))]
>>> cycles([*inner, *apart, Jump(head), Begin(done)]) > 11 * SCATTER, cycles(apart) == SCATTER
(True, True)
"""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.native.code import SPOILED, WAYS, Begin, Call, Comparison, Instruction, Load, Request, Store, Variable

LINE, CALL, GATHER, SCATTER = 0.4, 20.0, 10.0, 25.0
"""The cycles of a line, of an elementary function, and of reading or writing at places that lie apart."""
APART = ("masked.scatter", "masked.gather")
UNKNOWN = 8
"""How often a loop runs whose count is not known."""
MORE = 1.2
"""So many times as long as another text a text has to take to be given up for it."""


def cycles(lines: Sequence[Instruction], lanes: int = 8) -> float:
    """About how many cycles lines take, loops in them included; of the arms of a branch it counts all, but where a loop
    takes several runs at once or one after the other (`lanes.chosen`), the first."""
    total, around, single = 0.0, [1.0], 0
    for i, line in enumerate(lines):
        role = line.role if isinstance(line, Begin) else ""
        single += (role == "single") - bool(single and role == "ran")
        if single:
            continue
        if role in STEPS:
            around.append(around[-1] * runs(lines, i, lanes if role == "lanes" else 1))
        elif role in ENDS and len(around) > 1:
            around.pop()
        total += around[-1] * weight(line)
    return total


STEPS, ENDS = ("head", "lanes"), ("done", "passed")
"""Where loops begin, and where they have ended."""


def runs(lines: Sequence[Instruction], head: int, step: int) -> float:
    """How often the loop runs whose head begins at a line."""
    for line in lines[head + 1 :]:
        if isinstance(line, Comparison) and line.relation in ("slt", "sle") and line.operands[1].isdigit():
            return -(-int(line.operands[1]) // step)
        if isinstance(line, WAYS):
            break
    return max(1.0, UNKNOWN / step)


def weight(line: Instruction) -> float:
    """About how many cycles a line takes."""
    match line:
        case Begin():
            return 0.0
        case Load() | Store() if not line.align and (isinstance(line.at, Variable) or line.at == SPOILED):
            return 0.0  # it is in a register
        case Call(intrinsic="masked.scatter"):
            return SCATTER
        case Call(intrinsic="masked.gather"):
            return GATHER
        case Call(ours=True) | Request(take="ccc_next"):
            return CALL
        case _:
            return LINE


def wide_is_slower(wide: Sequence[Instruction], narrow: Sequence[Instruction], lanes: int) -> bool:
    """Whether several runs at once take longer than as many one after the other: they read or write places apart."""
    if not any(isinstance(line, Call) and line.intrinsic in APART for line in wide):
        return False
    return cycles(wide, lanes) > MORE * lanes * cycles(narrow, lanes)
