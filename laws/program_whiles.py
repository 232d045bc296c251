"""Loops that end by a test of real numbers, in categories whose elements hold several: for some of these the loop goes
on where for others it has ended, and what is found has to hold the results of all. It may not be refused.

>>> from ccc.laws.choices import Replayed
>>> print(growing(Generator(Replayed([]))), end="")
def f(a, b, x, n):
    v, w, y, k = a, b, x, 0
    while v < 3.0:
        v, w, y, k = v + 1.0, w, y, k + 1
    return v + w, y
"""

from __future__ import annotations

from typing import Any

from ccc.categories.layered import Layered
from ccc.errors import CannotStage, MissingMeaning
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.meanings import meanings
from ccc.laws.program_meanings import In, in_layers, items, mistake
from ccc.laws.programs import Written, directions, flat, function_in
from ccc.laws.subjects import of_kind


def growing(g: Generator) -> str:
    """A program that counts a number up to a bound and changes others beside it."""
    steps, arrays = ("w", "w + v", "w - b", "w * 0.5", "v"), ("y", "y + x", "y * 0.5", "y + v", "x")
    by = g.pick(("1.0", "2.0", "1.0 + 0.25 * n"))
    bound = g.pick(("3.0", "6.0", "4.0 + b", "9.0"))
    test = g.pick((f"v < {bound}", f"v < {bound} and w < 40.0", f"not v > {bound}"))
    pair = g.chance(30)
    lines = [
        "def f(a, b, x, n):",
        "    v, w, y, k = a, b, x, 0",
        *["    p = (n, 1)"] * pair,
        f"    while {test}:",
        f"        v, w, y, k = v + {by}, {g.pick(steps)}, {g.pick(arrays)}, k + 1",
        *["        p = (p[1], p[0])"] * pair,
        f"    return {g.pick(('v + w', 'v', 'w', 'v * w'))}, y",
    ]
    return "\n".join([*lines, ""])


def _drawn(g: Generator, i: int) -> In:
    some = [k for k in meanings() if type(k).holds is not Layered.holds]
    return In(some[i % len(some)], Written(growing(g), (*directions(g), g.below(4)), directions(g)))


def _sound(comparison: Any, example: In) -> Judged:
    from ccc.compile.api.interpretation import interpret

    k, f, n = example.k, function_in(example.written), example.written.args[3]
    args, values = in_layers(k, comparison.draw)
    expected = flat(f(*values, n))
    try:
        found = items(interpret(f, k)(*args, k.alone(n)), k.layers)
    except (CannotStage, MissingMeaning) as error:
        raise mistake(error) or RuntimeError(str(error)) from error
    if not found:
        raise Discarded
    for item, value in zip(found, expected, strict=True):
        if not k.holds(item, value):
            return Judged(Difference(f"what is found in {type(k).__name__} does not hold the value", args, None, item,
                                     value))
    return Judged()


PROGRAM_WHILES: tuple[Check, ...] = (
    Check("program-while-sound", "soundness",
          "loops that end by tests of reals: if x stands for v, f x stands for f v, and is not refused", _drawn, _sound,
          applies=of_kind("values"), share=0.15, weight=3.0),
)
