"""Where the steps of a program stand: what is listed of it, and of its derivatives, points at the line that says so.

    listed lines that print, or call a function with a rule of its own, have the line of the text that does

>>> from ccc.laws.choices import Replayed
>>> from ccc.laws.generate import Generator
>>> print(_calling(Generator(Replayed([])), 0).source, end="")
import ccc
def g0(x, a):
    print('g0', x)
    return ((x + x) + (x + x))
@ccc.derivative_of(g0)
def d0(x, a):
    return g0(x, a), lambda ct: (ct * (x + x), ct * (x + x))
def f(x, a):
    y = (x + x)
    y = g0(y, a)
    return y
"""

from __future__ import annotations

import re
from typing import Any

from ccc.laws.checks import Check, Judged
from ccc.laws.compiling import function_of
from ccc.laws.economy import Text, number
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.programs import released
from ccc.laws.subjects import of_kind

RULES = 2
SAID = re.compile(r"\b(g\d|print)\(")
SECTIONS = "λ-program", "derivative program", "generated code"


def _calling(g: Generator, i: int) -> Text:
    """A function that prints, and calls functions with rules, which print too."""
    lines = ["import ccc"]
    many = 1 + g.below(RULES)
    for k in range(many):
        lines += [f"def g{k}(x, a):", f"    print('g{k}', x)", f"    return {number(g, ('x', 'a'), 2)}"]
        if k and g.chance(40):
            lines[-2] = "    x = x + a"  # one that only computes
        slopes = [number(g, ("x", "a"), 1) for _ in "xa"]
        lines += [f"@ccc.derivative_of(g{k})", f"def d{k}(x, a):",
                  f"    return g{k}(x, a), lambda ct: (ct * {slopes[0]}, ct * {slopes[1]})"]
    lines += ["def f(x, a):", f"    y = {number(g, ('x', 'a'), 1)}"]
    for n in range(1 + g.below(3)):
        call = g.pick((f"y = g{g.below(many)}(y, a)", "print(y)", f"y = y * g{g.below(many)}(x, y)"))
        match g.below(3):
            case 0:
                lines.append(f"    {call}")
            case 1:
                lines += [f"    for i{n} in range(2):", f"        {call}"]
            case _:
                lines += ["    if y > a:", f"        {call}", "    else:", f"        y = {number(g, ('y', 'a'), 1)}"]
    return Text("\n".join([*lines, "    return y", ""]))


def _placed(comparison: Any, example: Text) -> Judged:
    from ccc.compile.api.explanation import explain
    from ccc.compile.api.transforms import compiled, gradient

    f, _ = function_of(example.source)
    written = example.source.splitlines()
    slope = gradient(f, wrt="x")
    try:
        for what in (compiled(f), slope, gradient(slope, wrt="x")):
            found = explain(what, 2.0, 3.0)
            for section in SECTIONS:
                for text, place in zip(found.sections[section].splitlines(), found.lines[section], strict=False):
                    line = "" if place is None else written[place.line - 1]
                    if not set(SAID.findall(text)) <= set(SAID.findall(line)):
                        return Judged(Difference("a line points elsewhere", section, None, text.strip(), line.strip()))
    finally:
        released(f)
    return Judged()


PLACES: tuple[Check, ...] = (
    Check("places", "programs", "lines that print and call, in listings of f and its slopes, have their place",
          _calling, _placed, applies=of_kind("values"), share=0.03, weight=20.0),
)
