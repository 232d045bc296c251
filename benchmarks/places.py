"""How many bytes an access to a list, dict or object in a store takes, from 10² to 10⁵ places: it should stay flat.

Counts, not clocks: what each line of NumPy's source allocates, copies among it, is added up (`allocated`).

    python3 -m benchmarks.places
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

import ccc
from benchmarks.tables import aligned

SIZES = (100, 1_000, 10_000, 100_000)


def allocated(call: Callable[[], Any]) -> int:
    """How many bytes a call allocates in all, line by line, given back or not."""
    total = last = 0

    def line(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal total, last
        total += max(0, tracemalloc.get_traced_memory()[1] - last)
        tracemalloc.reset_peak()
        last = tracemalloc.get_traced_memory()[0]
        return line

    tracemalloc.start(1)
    outer = sys.gettrace()
    sys.settrace(line)
    try:
        call()
    finally:
        sys.settrace(outer)
        tracemalloc.stop()
    return total


@dataclass
class Part:
    v: float
    w: float = 1.0


def rows_under_two_names(x: float, n: int) -> float:
    rows = [[x, 1.0] for _ in range(n)]
    other = [[2.0, x]]
    for i in range(n):
        row = rows[i] if i % 3 else other[0]
        row[0] = row[0] * x
        rows[i][1] += row[0]
    return sum([row[1] for row in rows])


def one_long_row(x: float, n: int) -> float:
    rows = [[x for _ in range(n)], [2.0]]
    row = rows[0] if x > 1.0 else rows[1]
    for i in range(n):
        row[i] = row[i] * x + rows[0][0]
    return row[-1]


def objects_by_index(x: float, n: int) -> float:
    parts = [Part(x) for _ in range(n)]
    last = parts[0]
    for i in range(n):
        part = parts[i]
        part.v = part.v * x + last.w
        last.w = part.v * 0.5
        last = part
    return last.w + parts[0].v


@dataclass
class Body:
    place: Any
    speed: Any


def arrays_of_objects(x: float, n: int) -> float:
    bodies = [Body(np.array([x, 2.0]), np.array([1.0, x])) for _ in range(n)]
    last = bodies[0]
    for i in range(n):
        body = bodies[i]
        if i % 3:
            body.speed = body.speed + 0.1 * (last.place - body.place)
        body.place += body.speed * 0.1
        last = body
    return np.sum(last.place * bodies[0].speed)


def arrays_by_index(x: float, n: int) -> float:
    arrays = [np.array([x, 2.0]) for _ in range(n)]
    for i in range(n):
        arrays[i] = np.sin(arrays[i]) * arrays[i // 2]
        if i % 3:
            arrays[i - 1] = arrays[i] * x
    return np.sum(arrays[n - 1])


def rows_that_are_replaced(x: float, n: int) -> float:
    rows = [[x, 1.0] for _ in range(n)]
    for i in range(n):
        rows[i] = [rows[i][0] * x + rows[i // 2][1], x]
    return rows[0][0] + rows[-1][0]


def rows_that_grow(x: float, n: int) -> float:
    rows = [[x], [2.0]]
    for i in range(n):
        row = rows[i % 2]
        row.append(row[-1] * 0.5 + x)
    rows[0], rows[1] = rows[1], rows[0]
    return rows[0][-1] + rows[1][-1]


def changed(rows: list[list[float]], x: float) -> float:
    """A function that changes the rows of its caller."""
    first = rows[0]
    for row in rows:
        row[0] = row[0] * x
        first[1] += row[0]
    return first[1]


PROGRAMS = (
    rows_under_two_names, one_long_row, objects_by_index, arrays_of_objects, arrays_by_index, rows_that_are_replaced,
    rows_that_grow,
)


def per_place(f: Callable[..., Any], sizes: Sequence[int], backward: bool) -> list[int]:
    """The bytes for each place, of the value or of value and gradient."""
    call = ccc.value_with_gradient(f, wrt=0, backend="numpy") if backward else ccc.compiled(f, backend="numpy")
    for _ in range(4):
        call(1.00001, 8)
    return [allocated(lambda n=n: call(1.00001, n)) // n for n in sizes]


def of_the_caller(sizes: Sequence[int], backward: bool) -> list[int]:
    """The bytes for each row of a list that the caller gives."""
    call = ccc.value_with_gradient(changed, wrt=1, backend="numpy") if backward else ccc.compiled(
        changed, backend="numpy")
    for _ in range(4):
        call([[1.0, 1.0] for _ in range(8)], 1.00001)
    found: list[int] = []
    for n in sizes:
        rows = [[1.0, 1.0] for _ in range(n)]
        found.append(allocated(lambda rows=rows: call(rows, 1.00001)) // n)
    return found


def table(sizes: Sequence[int] = SIZES) -> str:
    """The table as it is printed."""
    cells = [["bytes for each place", *[str(n) for n in sizes]]]
    for backward in (False, True):
        what = "value and gradient" if backward else "value"
        for f in PROGRAMS:
            cells.append([f"{f.__name__}, {what}", *map(str, per_place(f, sizes, backward))])
        cells.append([f"rows of the caller, {what}", *map(str, of_the_caller(sizes, backward))])
    return "\n".join(aligned(cells))


if __name__ == "__main__":
    print(table())
