"""The ways through a function: from each branch to where the blocks begin that it may lead to.

>>> again, done = Label("again"), Label("done")
>>> lines = [Begin(again), Fork("%more", again, done), Begin(done), Jump(LEAVE), Begin(LEAVE)]
>>> ways_in(lines), crossings(ways_in(lines), len(lines))
([(1, 0), (1, 2)], [0, 1, 1, 0, 0])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from ccc.compile.native.code import LEAVE, WAYS, Begin, Fork, Instruction, Jump, Label  # noqa: F401


def ways_in(lines: Sequence[Instruction]) -> list[tuple[int, int]]:
    """The numbers of the line where each way begins and of that where its block does; none leads to where a function
    leaves early."""
    places = {line.label: n for n, line in enumerate(lines) if isinstance(line, Begin) and line.label != LEAVE}
    return [(n, places[to]) for n, line in enumerate(lines) if isinstance(line, WAYS) for to in line.targets
            if to in places]  # fmt: skip


def crossings(ways: Iterable[tuple[int, int]], count: int) -> list[int]:
    """How many ways lead from before each of so many lines to it or over it, or back from it."""
    steps = [0] * (count + 1)
    for n, to in ways:
        steps[min(n, to) + 1] += 1
        steps[max(n, to) + 1] -= 1
    return list(accumulate(steps[:count]))
