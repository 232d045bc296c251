"""The ways through the text of a function: from each branch to the labels that it may lead to.

>>> lines = ["again:", "  br i1 %more, label %again, label %done, !prof !0", "done:", "  br label %leave", "leave:"]
>>> ways_in(lines), crossings(ways_in(lines), len(lines))
([(1, 0), (1, 2)], [0, 1, 1, 0, 0])
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

LABEL = re.compile(r"^([\w.]+):$", re.M)
TARGET = re.compile(r"label %([\w.]+)")
LEAVE = "leave"
"""The label where a function ends early: no way leads there."""


def ways_in(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The numbers of the line where each way begins and of that of its label."""
    labels = {found[1]: n for n, line in enumerate(lines) if (found := LABEL.match(line)) and found[1] != LEAVE}
    return [(n, labels[to]) for n, line in enumerate(lines) if "label %" in line for to in TARGET.findall(line)
            if to in labels]  # fmt: skip


def crossings(ways: Iterable[tuple[int, int]], count: int) -> list[int]:
    """How many ways lead from before each of so many lines to it or over it, or back from it."""
    steps = [0] * (count + 1)
    for n, to in ways:
        steps[min(n, to) + 1] += 1
        steps[max(n, to) + 1] -= 1
    return list(accumulate(steps[:count]))
