"""Masked loads that LLVM must not move: what is read before something is written has to stay before it.

    %x = masked load %p, %m                         %x.read = masked load %p, %m
    masked store 0, %p, %m                          %x = freeze %x.read
    %y = select %m, %x, %z                →         masked store 0, %p, %m
                                                    %y = select %m, %x, %z

LLVM 22 makes one masked load of a masked load and a choice by the same mask, and makes it where the choice stands,
whatever is written in between. It does not look through `freeze`, which is no instruction.

Reference: LLVM, "[InstCombine] Fix miscompile when folding a select into a masked load", 2026.

>>> print(*in_place('''  %x = call <8 x double> @llvm.masked.load.v8f64.p0(ptr %p, <8 x i1> %m)
...   store <8 x double> zeroinitializer, ptr %p
...   %y = select <8 x i1> %m, <8 x double> %x, <8 x double> %z'''.splitlines()), sep="\\n")
  %x.read = call <8 x double> @llvm.masked.load.v8f64.p0(ptr %p, <8 x i1> %m)
  %x = freeze <8 x double> %x.read
  store <8 x double> zeroinitializer, ptr %p
  %y = select <8 x i1> %m, <8 x double> %x, <8 x double> %z
"""

from __future__ import annotations

import re
from collections.abc import Sequence

READ = re.compile(r"  (%[\w.]+) = call (<\d+ x \w+>) @llvm\.masked\.load\.(.*)$")
NAME = re.compile(r"%[\w.]+")
OWN = re.compile(r"  store [^%]*(?:%[\w.]+)?, ptr %v\d+(?:,|$)")
"""A store to a variable of the function, which nothing else points to."""


def in_place(lines: Sequence[str]) -> list[str]:
    """The lines of a body, with each masked load frozen that is used behind something that may write to its place."""
    reads = {found[1]: n for n, line in enumerate(lines) if "masked.load" in line and (found := READ.match(line))}
    writes = [n for n, line in enumerate(lines) if may_write(line)] if reads else []
    if not writes:
        return list(lines)
    moved: set[int] = set()
    if any(line.endswith(":") for line in lines):  # what stands behind a use may run before it
        moved.update(reads.values())
    else:
        for n in range(writes[0] + 1, len(lines)):
            for name in NAME.findall(lines[n]):
                first = reads.get(name, n)
                if any(first < write < n for write in writes):
                    moved.add(first)
    return [part for n, line in enumerate(lines) for part in (frozen(line) if n in moved else (line,))]


def may_write(line: str) -> bool:
    """Whether a line may write to memory that a masked load reads."""
    if line.startswith("  store "):
        return not OWN.match(line)
    return "call void " in line or "@llvm.mem" in line or ("call " in line and "@f" in line)


def frozen(line: str) -> tuple[str, str]:
    found = READ.match(line)
    assert found is not None
    name, type_, rest = found.groups()
    return f"  {name}.read = call {type_} @llvm.masked.load.{rest}", f"  {name} = freeze {type_} {name}.read"
