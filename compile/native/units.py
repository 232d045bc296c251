"""A module with a long function as several units, of which machine code is made side by side.

The stretches of the function are parted among them; all else is in the first unit, and the others declare it. What they
call of the small functions of every module, and what constants they read, they have themselves.

>>> kept = [Param("ptr", "%kept")]
>>> stretches = [Function(f"f0_stretch{k}", kept, [Return("i32", k)], " noinline") for k in "01"]
>>> calls = [Call("i32", f.name, ("ptr",), ("%k",), name="%x") for f in stretches]
>>> f = Function("f0", [Param("ptr", "%k")], [*calls, Return("i32", "%x")], "")
>>> first, second = in_units(Code([f, *stretches]), 2, least=1)
>>> print(first)
define hidden i32 @f0(ptr %k) {
entry:
  %x = call i32 @f0_stretch0(ptr %k)
  %x = call i32 @f0_stretch1(ptr %k)
  ret i32 %x
}
define hidden i32 @f0_stretch0(ptr %kept) noinline {
entry:
  ret i32 0
}
declare hidden i32 @f0_stretch1(ptr %kept)
>>> print(second)
define hidden i32 @f0_stretch1(ptr %kept) noinline {
entry:
  ret i32 1
}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ccc.compile.native.code import Call  # noqa: F401
from ccc.compile.native.functions import Code, Constant, Defined, Function, Param, Piece, Return, Written  # noqa: F401

STRETCH = "_stretch"
"""What stands in the names of functions that are parts of long ones."""
LEAST = 6
"""So many stretches a unit has at least."""


def in_units(code: Code, most: int, least: int = LEAST) -> list[str]:
    """The texts of at most so many units; the module alone where it has few stretches."""
    stretches = [f for f in code.functions() if STRETCH in f.name]
    count = min(most, len(stretches) // least)
    if count < 2:
        return [str(code)]
    functions = {f.name: f for f in code.pieces if isinstance(f, Defined)}
    outside = [x for x in code.pieces if not isinstance(x, Defined)]
    _, *others = shared_out(stretches, count)
    elsewhere = {f.name for group in others for f in group}
    first = [f.declared() if f.name in elsewhere else str(f) if f.own else f.linked("hidden ")
             for f in functions.values()]  # fmt: skip
    return ["\n".join([*map(str, outside), *first]), *[unit(outside, functions, group) for group in others]]


def shared_out(functions: Sequence[Function], count: int) -> list[list[Function]]:
    """So many groups of functions, which have about the same number of instructions together."""
    groups: list[list[Function]] = [[] for _ in range(count)]
    whole, before = sum(len(f.lines) for f in functions), 0
    for f in functions:
        groups[(before + len(f.lines) // 2) * count // whole].append(f)
        before += len(f.lines)
    return groups


def unit(outside: Sequence[Piece], functions: Mapping[str, Defined], group: Sequence[Function]) -> str:
    """The text of a unit with a group of functions."""
    there, declared = {f.name for f in group}, list[str]()
    todo, texts, used = list[Function | Written](group), [f.linked("hidden ") for f in group], set[str]()
    while todo:
        reads = todo.pop().reads
        used.update(reads)
        for f in [functions[name] for name in reads if name in functions and name not in there]:
            there.add(f.name)
            if isinstance(f, Written) and f.own:
                texts.append(f.linked("internal "))
                todo.append(f)
            else:
                declared.append(f.declared())
    kept = [str(x) for x in outside if not isinstance(x, Constant) or x.name in used]
    return "\n".join([*kept, *declared, *texts])
