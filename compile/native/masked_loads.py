"""Masked loads that LLVM must not move: what is read before something is written has to stay before it.

    %x = masked load %p, %m                         %x.read = masked load %p, %m
    masked store 0, %p, %m                          %x = freeze %x.read
    %y = select %m, %x, %z                →         masked store 0, %p, %m
                                                    %y = select %m, %x, %z

LLVM 22 makes one masked load of a masked load and a choice by the same mask, and makes it where the choice stands,
whatever is written in between. It does not look through `freeze`, which is no instruction.

Reference: LLVM, "[InstCombine] Fix miscompile when folding a select into a masked load", 2026.

>>> from ccc.compile.native.code import Choice
>>> given = ("ptr", "<8 x i1>"), ("%p", "%m")
>>> print(*in_place([
...     Call("<8 x double>", "llvm.masked.load.v8f64.p0", *given, name="%x"),
...     Store("<8 x double>", "zeroinitializer", "%p"),
...     Choice("<8 x double>", "%m", "%x", "%z", "<8 x i1>", "%y"),
... ]), sep="\\n")
  %x.read = call <8 x double> @llvm.masked.load.v8f64.p0(ptr %p, <8 x i1> %m)
  %x = freeze <8 x double> %x.read
  store <8 x double> zeroinitializer, ptr %p
  %y = select <8 x i1> %m, <8 x double> %x, <8 x double> %z
"""

from __future__ import annotations

from collections.abc import Sequence

from ccc.compile.native.code import Begin, Call, Freeze, Instruction, Store, Variable


def in_place(lines: Sequence[Instruction]) -> list[Instruction]:
    """The lines of a body, with each masked load frozen that is used behind something that may write to its place."""
    reads = {line.name: n for n, line in enumerate(lines) if isinstance(line, Call) and line.intrinsic == READ}
    writes = [n for n, line in enumerate(lines) if may_write(line)] if reads else []
    if not writes:
        return list(lines)
    moved: set[int] = set()
    if any(isinstance(line, Begin) for line in lines):  # what stands behind a use may run before it
        moved.update(reads.values())
    else:
        for n in range(writes[0] + 1, len(lines)):
            for name in lines[n].operands:
                first = reads.get(name, n)
                if any(first < write < n for write in writes):
                    moved.add(first)
    return [part for n, line in enumerate(lines) for part in (frozen(line) if n in moved else (line,))]


READ = "masked.load"
COPIES = {"memcpy", "memmove", "memset"}


def may_write(line: Instruction) -> bool:
    """Whether a line may write to memory that a masked load reads: not to a variable, which nothing points to."""
    if isinstance(line, Store):
        return not isinstance(line.at, Variable)
    return isinstance(line, Call) and (line.inner or line.type == "void" or line.intrinsic in COPIES)


def frozen(line: Instruction) -> tuple[Instruction, Instruction]:
    read = f"{line.name}.read"
    return line.renamed({line.name: read}), Freeze(line.type, read, line.name)
