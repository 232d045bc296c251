"""About how long text of IR takes: whether a loop had better take several runs at once, or the loops in it.

What differs between runs and is written to memory goes to places that lie apart, a scatter, which is one store after
the other; in a loop within, which takes several items of one run, the same may be a store of a whole vector.

>>> inner = ["head1:", "  %more = icmp slt i64 %k, 11", "  br i1 %more, label %body1, label %done1", "body1:"]
>>> apart, ends = ["  call void @llvm.masked.scatter.v8f64.v8p0(<8 x double> %x)"], ["  br label %head1", "done1:"]
>>> cycles([*inner, *apart, *ends]) > 11 * SCATTER, cycles(apart) == SCATTER
(True, True)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LINE, CALL, GATHER, SCATTER = 0.4, 20.0, 10.0, 25.0
"""The cycles of a line, of an elementary function, and of reading or writing at places that lie apart."""
UNKNOWN = 8
"""How often a loop runs whose count is not known."""
MORE = 1.2
"""So many times as long as another text a text has to take to be given up for it."""
VARIABLE = re.compile(r"ptr %(v\d+|spoiled)$")
"""The end of a line that reads or sets a variable, which is in a register."""
COUNT = re.compile(r" = icmp sl[te] i64 \S+, (\d+)$")


def cycles(lines: Sequence[str], lanes: int = 8) -> float:
    """About how many cycles lines take, loops in them included; of the arms of a branch it counts all, but where a loop
    takes several runs at once or one after the other (`lanes.chosen`), the first."""
    total, around, single = 0.0, [1.0], 0
    for i, line in enumerate(lines):
        single += line.startswith("single") - bool(single and line.startswith("ran"))
        if single:
            continue
        if line.startswith(("head", "lanes")):
            around.append(around[-1] * runs(lines, i, lanes if line.startswith("lanes") else 1))
        elif line.startswith(("done", "passed")) and len(around) > 1:
            around.pop()
        total += around[-1] * weight(line)
    return total


def runs(lines: Sequence[str], head: int, step: int) -> float:
    """How often the loop runs whose head begins at a line."""
    for line in lines[head + 1 :]:
        found = COUNT.search(line)
        if found:
            return -(-int(found[1]) // step)
        if line.startswith("  br"):
            break
    return max(1.0, UNKNOWN / step)


def weight(line: str) -> float:
    """About how many cycles a line takes."""
    if VARIABLE.search(line) or line.endswith(":"):
        return 0.0
    if ".masked.scatter." in line:
        return SCATTER
    if ".masked.gather." in line:
        return GATHER
    return CALL if "call" in line and "@ccc_" in line and "@ccc_alloc" not in line else LINE


def wide_is_slower(wide: Sequence[str], narrow: Sequence[str], lanes: int) -> bool:
    """Whether several runs at once take longer than as many one after the other: they read or write places apart."""
    if not any(".masked.scatter." in line or ".masked.gather." in line for line in wide):
        return False
    return cycles(wide, lanes) > MORE * lanes * cycles(narrow, lanes)
