"""A module with a long function as several units, of which machine code is made side by side.

The stretches of the function are parted among them; all else is in the first unit, and the others declare it. What they
call of the small functions of every module, and what constants they read, they have themselves.

>>> stretch = "define internal i32 @f0_stretch{0}(ptr %kept) noinline {{\\n  ret i32 {0}\\n}}\\n"
>>> calls = "  %a = call i32 @f0_stretch0(ptr %k)\\n  %b = call i32 @f0_stretch1(ptr %k)\\n  ret i32 %b\\n"
>>> text = f"define i32 @f0(ptr %k) {{\\n{calls}}}\\n" + stretch.format(0) + stretch.format(1)
>>> first, second = in_units(text, 2, least=1)
>>> print(first)
define hidden i32 @f0(ptr %k) {
  %a = call i32 @f0_stretch0(ptr %k)
  %b = call i32 @f0_stretch1(ptr %k)
  ret i32 %b
}
define hidden i32 @f0_stretch0(ptr %kept) noinline {
  ret i32 0
}
declare hidden i32 @f0_stretch1(ptr %kept)
<BLANKLINE>
>>> print(second)
define hidden i32 @f0_stretch1(ptr %kept) noinline {
  ret i32 1
}
<BLANKLINE>
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

STRETCH = "_stretch"
"""What stands in the names of functions that are parts of long ones."""
LEAST = 6
"""So many stretches a unit has at least."""
BEGINS = re.compile(r"^(?=define )", re.M)
HEAD = re.compile(r"define (?:internal |hidden )?([^@\n]*@([\w.]+)\([^)\n]*\))")
ENDS = "\n}\n"
CONSTANT = re.compile(r"@([\w.]+) = internal ")
NAME = re.compile(r"@([\w.]+)")
OWN = "ccc_"
"""How the names of the small functions begin."""


class Function:
    """A function of a module: its text, what that says from the type of the result to the parameters, and the names of
    the functions and constants that it reads."""

    def __init__(self, text: str) -> None:
        found = HEAD.match(text)
        assert found is not None
        self.text, self.head, self.name, self.rest = text, found[1], found[2], text[found.end() :]
        self.reads = dict.fromkeys(NAME.findall(self.rest))
        self.own = self.name.startswith(OWN)

    def linked(self, linkage: str) -> str:
        """Its text with this linkage."""
        return f"define {linkage} {self.head}{self.rest}"

    def declared(self) -> str:
        """Its declaration, for another unit."""
        return f"declare hidden {self.head}\n"


def in_units(text: str, most: int, least: int = LEAST) -> list[str]:
    """The texts of at most so many units; the module alone where it has few stretches."""
    if most < 2 or STRETCH not in text:
        return [text]
    outside, *parts = BEGINS.split(text if text.endswith("\n") else f"{text}\n")
    functions = dict[str, Function]()
    for part in parts:
        end = part.index(ENDS) + len(ENDS)
        outside += part[end:]
        found = Function(part[:end])
        functions[found.name] = found
    stretches = [f for f in functions.values() if STRETCH in f.name]
    count = min(most, len(stretches) // least)
    if count < 2:
        return [text]
    _, *others = shared_out(stretches, count)
    elsewhere = {f.name for group in others for f in group}
    first = [f.declared() if f.name in elsewhere else f.text if f.own else f.linked("hidden")
             for f in functions.values()]  # fmt: skip
    return ["".join([outside, *first]), *[unit(outside, functions, group) for group in others]]


def shared_out(functions: Sequence[Function], count: int) -> list[list[Function]]:
    """So many groups of functions, whose texts are of about the same length together."""
    groups: list[list[Function]] = [[] for _ in range(count)]
    whole, before = sum(len(f.text) for f in functions), 0
    for f in functions:
        groups[(before + len(f.text) // 2) * count // whole].append(f)
        before += len(f.text)
    return groups


def unit(outside: str, functions: Mapping[str, Function], group: Sequence[Function]) -> str:
    """The text of a unit with a group of functions."""
    there, declared, todo = {f.name for f in group}, list[str](), list(group)
    texts, used = [f.linked("hidden") for f in group], set[str]()
    while todo:
        reads = todo.pop().reads
        used.update(reads)
        for f in [functions[name] for name in reads if name in functions and name not in there]:
            there.add(f.name)
            if f.own:
                texts.append(f.linked("internal"))
                todo.append(f)
            else:
                declared.append(f.declared())
    lines = [line for line in outside.splitlines(keepends=True)
             if not (found := CONSTANT.match(line)) or found[1] in used]  # fmt: skip
    return "".join([*lines, *declared, *texts])
