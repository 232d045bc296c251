"""How many bytes the tape of a derivative holds at some arguments, value by value: the primal is run and looked at.

>>> from ccc.compile.api.phases import Part, phases
>>> from ccc.compile.frontend.elaborate import elaborate
>>> def f(x):
...     for i in range(3):
...         x = x * x
...     return x
>>> print(tape_memory(phases(elaborate(f, (2.0,)), (Part(0),), None, True), (2.0,)))
C_f holds 24 bytes
  24  x3  [R]  the x of each run
"""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.compile.api.phases import Phases
from ccc.compile.numpy_source.numpy_target import load
from ccc.records import parts_of
from ccc.sources import is_source

NUMBER = 8
"""The bytes of a number."""


def bytes_in(x: Any, held: dict[int, int]) -> int:
    """The bytes of the numbers and arrays in a value; `held` gets those of each piece of memory, by its owner.

    >>> held = {}
    >>> x = np.ones(4)
    >>> bytes_in([x[:2], x[:3], 1.0], held), sum(held.values())
    (48, 32)
    """
    if isinstance(x, np.ndarray):
        owner: Any = x
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        held[id(owner)] = max(held.get(id(owner), 0), x.nbytes)
        return x.nbytes
    if isinstance(x, np.generic):
        held[id(x)] = x.nbytes
        return x.nbytes
    if isinstance(x, (bool, int, float)):
        held[-1] = held.get(-1, 0) + NUMBER  # several may be one object of Python
        return NUMBER
    parts = x.values() if isinstance(x, dict) else parts_of(x)
    return sum([bytes_in(part, held) for part in parts or ()])


def tape_memory(found: Phases, args: Sequence[Any]) -> str:
    """The bytes of each value on the tape at some arguments, the largest first, and of all; memory that several show
    counts once for all. What the function prints is not shown, and what it is given stays as it is."""
    primal = load(found.primal_code)
    given = [copy.deepcopy(x) if holds_source(x) or isinstance(x, (np.ndarray, list, dict)) else x for x in args]
    with contextlib.redirect_stdout(io.StringIO()):
        tape, _ = primal(*given)
    held: dict[int, int] = {}
    rows = sorted([(bytes_in(x, held), row) for x, row in zip(tape, found.kept, strict=True)], key=lambda row: -row[0])
    head = f"C_{found.name} holds {sum(held.values()):,} bytes"
    if not rows:
        return head
    cells = [(f"{count:,}", text, str(a), place) for count, (text, a, place) in rows]
    widths = [max([len(cell[i]) for cell in cells]) for i in range(3)]
    return "\n".join([head, *[f"  {count:>{widths[0]}}  {text:{widths[1]}}  {a:{widths[2]}}  {place}".rstrip()
                              for count, text, a, place in cells]])


def holds_source(x: Any) -> bool:
    """Whether a value is a source of random numbers, or has one."""
    return is_source(x) or any(map(holds_source, parts_of(x) or ()))


__all__ = ["tape_memory"]
