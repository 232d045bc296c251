"""A function of which a pullback keeps the arguments alone has the derivative that it has otherwise.

>>> from ccc.laws.choices import Replayed
>>> print(keeping(Generator(Replayed([])), 0).source, end="")
import math
import ccc
def f(a, b, n):
    def part(u, v):
        w = u
        for i in range(2):
            w = u if w > v else u * u
        return w + v * a
    for _ in range(n):
        a, b = b, ccc.checkpointed(part)(a, b)
    return a * b
"""

from __future__ import annotations

from typing import Any

from ccc.laws.checks import Check, Judged
from ccc.laws.compiling import function_of
from ccc.laws.economy import Text
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.machine_code import quotients
from ccc.laws.programs import released
from ccc.laws.subjects import of_kind

WORD = "ccc.checkpointed(part)"
POINTS = (0.5, 0.75, 2), (-1.25, 0.5, 3), (1.5, -0.25, 1)


def keeping(g: Generator, i: int) -> Text:
    """A loop that calls a function with loops and branches, which is not kept."""
    one, other = (quotients(g, ("u", "w", "v", "a"), g.below(3)) for _ in range(2))
    call = g.pick((f"{WORD}(a, b)", f"{WORD}(b, a) * a", f"{WORD}({WORD}(a, b), b)"))
    lines = ["    def part(u, v):", "        w = u", "        for i in range(2):",
             f"            w = {one} if w > v else u * {other}", "        return w + v * a",
             "    for _ in range(n):", f"        a, b = b, {call}", "    return a * b"]
    return Text("import math\nimport ccc\ndef f(a, b, n):\n" + "\n".join(lines) + "\n")


def _same(comparison: Any, example: Text) -> Judged:
    import numpy as np

    from ccc.compile.api.transforms import gradient

    at = POINTS[comparison.draw.below(len(POINTS))]
    found: list[Any] = []
    for source in (example.source, example.source.replace(WORD, "part")):
        f, _ = function_of(source)
        with np.errstate(all="ignore"):
            found.append(gradient(f, wrt=("a", "b"), backend="numpy")(*at))
        released(f)
    if np.allclose(*found, rtol=1e-9, atol=1e-12, equal_nan=True):
        return Judged()
    return Judged(Difference("gradients differ", at, None, *found))


CHECKPOINTS: tuple[Check, ...] = (
    Check("checkpoint", "programs", "a checkpoint changes no gradient", keeping, _same, applies=of_kind("values"),
          share=0.1, weight=8.0),
)
