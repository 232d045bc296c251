"""What machine code needs of memory: a loop takes as much for many turns as for few, where it keeps nothing of them.

>>> from ccc.laws.choices import Replayed
>>> print(turning(Generator(Replayed([])), 0).source, end="")
import numpy as np
def f(a, n):
    x, y, k = np.ones(4), np.zeros(4), 0
    while k < n and np.sum(x * x) < 100.0:
        x = np.tanh(a @ x) + 0.1
        k = k + 1
    return np.sum(x * y) + k
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.laws.checks import Check, Judged
from ccc.laws.compiling import function_of
from ccc.laws.economy import Text
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.programs import released
from ccc.laws.subjects import on_target

FEW, MANY, MORE = 100, 10_000, 1 << 17
"""So many more bytes may be taken for the more turns: half of what these would take for one array each."""
MATRIX = np.linspace(-0.25, 0.25, 16).reshape(4, 4)
STEPS = (
    ("x = np.tanh(a @ x) + 0.1",), ("y = 0.5 * y + x",), ("x, y = y, np.sin(x + a[0])",),
    ("if k % 3 == 1:", "    y = np.cos(x)"), ("for row in a:", "    x = 0.5 * (x + row)"),
)


def turning(g: Generator, i: int) -> Text:
    """A loop that makes arrays in its turns, and hands some on to the next."""
    test = "while k < n and np.sum(x * x) < 100.0:" if i % 2 == 0 else "for _ in range(n):"
    steps = [line for _ in range(1 + g.below(3)) for line in g.pick(STEPS)]
    lines = ["x, y, k = np.ones(4), np.zeros(4), 0", test, *[f"    {line}" for line in (*steps, "k = k + 1")],
             "return np.sum(x * y) + k"]
    return Text("import numpy as np\ndef f(a, n):\n    " + "\n    ".join(lines) + "\n")


def taken(f: Callable[..., Any], *args: Any) -> int:
    """The bytes of the pieces of memory that a call of machine code takes."""
    from ccc.compile.native import arena

    f(*args)
    arena.KEPT_PIECES.value = None
    f(*args)
    found, at = 0, arena.KEPT_PIECES.value
    while at:
        at, size = (ctypes.c_uint64 * 2).from_address(at)
        found += size
    return found


def _for_turns(comparison: Any, example: Text) -> Judged:
    from ccc.compile.api.transforms import compiled

    f, _ = function_of(example.source)
    code = compiled(f, backend="native")
    code(MATRIX, 3)
    few, many = [taken(code, MATRIX, n) for n in (FEW, MANY)]
    released(f)
    return Judged(None if many <= few + MORE else Difference("more turns take more", (FEW, MANY), None, many, few))


MEMORY: tuple[Check, ...] = (
    Check("machine-code-turns", "costs", "a loop takes no more memory for more turns", turning, _for_turns,
          applies=on_target("values", "native"), share=0.02, weight=20.0),
)
