"""`backend="auto"`: whether machine code is worth making for a program, decided once, before it is made.

A function whose last digits change between two of its calls, or that stops in the middle to be compiled, would be a
surprise. So nothing is counted or timed: the choice follows from the program, from how long its machine code is before
LLVM has seen it, and from the sizes of the arguments of the first call. The figures are seconds on a processor of 2024.
Native code is made

- where making it takes no longer than `SOON`, or than the first call in NumPy, in which its loops run as often as these
  sizes say, times `CALLS`;
- unless the time of the call goes into products of large matrices, which both backends leave to one library.

>>> making(1000) < SOON < making(10_000)
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.records import parts_of
from compile.backends.work import work
from compile.lam import Apply, Program

SOON = 0.2
"""What making native code may take without a question."""
CALLS = 10
"""How many calls of a long function are expected, at least."""
FIXED, LINE = 0.01, 45e-6
"""What it takes to make a function of machine code, and more for each line of the text that LLVM is given."""
LEAST = 8
"""The lines that a let becomes, at least."""
STEP, ITEM = 3e-7, 1e-9
"""What a let takes in NumPy code, and more for each item of an array."""
LARGE = 1 << 14
"""The items of arrays from which on a matrix product takes longer than all that is around it."""
PRODUCTS = frozenset({"matmul", "np.matmul", "np.dot"})


def making(lines: int) -> float:
    """About how long it takes to make machine code of a text of so many lines."""
    return FIXED + LINE * lines


def declined(program: Program, args: Sequence[Any], lines: int = 0) -> str:
    """Why a program stays with NumPy, though native code may take it; "" where it does not. `args` are those of the
    first call, `lines` is the length of its native code where that is known."""
    found = work(program, args)
    lines = lines or LEAST * found.lets
    items = most_items(args)
    if not found.loops and items >= LARGE and multiplies(program):
        return "a program whose time goes into products of large matrices"
    if making(lines) > max(SOON, CALLS * found.steps * (STEP + ITEM * items * (not found.loops))):
        return "a program that takes longer to make than calls with arguments of these sizes"
    return ""


def most_items(args: Sequence[Any]) -> int:
    """The items of the largest array among arguments."""
    largest, todo = 0, list(args)
    while todo:
        x = todo.pop()
        if isinstance(x, np.ndarray):
            largest = max(largest, x.size)
        else:
            todo += () if type(x) is list and x and type(x[0]) is float else parts_of(x) or ()
    return largest


def multiplies(program: Program) -> bool:
    """Whether a program holds a product of matrices."""
    todo = [program.block]
    while todo:
        for let in todo.pop().lets:
            if isinstance(let.op, Apply) and let.op.primitive.name in PRODUCTS:
                return True
            todo += let.op.blocks
    return False
