"""What compiled programs spend beside their operations: copies, warnings, and sums of what is not known yet.

    copies      arrays that a program makes itself and writes to are not copied
    warnings    a program warns of what plain Python warns of, and its derivative of no more
    recursion   the derivative of a recursion costs, for many rounds over many numbers, what that of the loop does

>>> [check.name for check in ECONOMY]
['writes-in-place', 'warnings', 'recursion-is-loop']
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccc.categories.cost import Cost
from ccc.laws.checks import Check, Judged
from ccc.laws.compiling import function_of, kept_function
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.programs import released
from ccc.laws.subjects import of_kind

SIZE = 4


@dataclass(frozen=True, slots=True)
class Text:
    """A program."""

    source: str

    def named(self) -> list[tuple[str, Any]]:
        """The text."""
        return [("program", self.source.rstrip())]


def number(g: Generator, names: tuple[str, ...], depth: int) -> str:
    """An expression in sums and products of names."""
    if depth <= 0 or g.chance(30):
        return g.pick(names)
    return f"({number(g, names, depth - 1)} {g.pick(('+', '*', '-'))} {number(g, names, depth - 1)})"


# -- copies ----------------------------------------------------------------------------------------------------------


def _writing(g: Generator, i: int) -> Text:
    """A function of an array and a number that writes to an array of its own in loops."""
    lines = [f"y = {g.pick(('x * a', 'np.zeros(len(x))', 'np.ones_like(x)', 'x + x'))}"]
    for k in range(1 + g.below(2)):
        item = number(g, (f"y[i{k}]", f"x[i{k}]", "a"), 2)
        match g.below(3):
            case 0:
                lines += [f"for i{k} in range(len(x)):", f"    y[i{k}] = {item}"]
            case 1:
                lines += [f"i{k} = 0", f"while i{k} < len(x):", f"    y[i{k}] = {item}", f"    i{k} = i{k} + 1"]
            case _:
                lines += [f"for i{k} in range(len(x)):", f"    if x[i{k}] > a:", f"        y[i{k}] = {item}"]
    lines.append(f"return {g.pick(('y', 'np.sum(y * y)', 'y[0]'))}")
    return Text("import numpy as np\ndef f(x, a):\n    " + "\n    ".join(lines) + "\n")


def _copies(comparison: Any, example: Text) -> Judged:
    from ccc.compile.api.transforms import compiled

    f, args = kept_function(example.source), (np.array([1.0, 2.0, 3.0, 1.0]), 2.0)
    code = compiled(f, backend="numpy")
    code(*args)
    found = _calls(lambda: code(*args))["copy"]
    return Judged(Difference("arrays are copied", args, None, found, 0) if found else None)


def _calls(run: Callable[[], Any]) -> Counter[str]:
    """How often functions that are no Python are called, by name."""
    found: Counter[str] = Counter()

    def note(frame: Any, event: str, called: Any) -> None:
        if event == "c_call":
            found[called.__name__] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return found


# -- warnings --------------------------------------------------------------------------------------------------------


def _loud(g: Generator, i: int) -> Text:
    """A function of an array and a number, at some of whose entries NumPy warns."""
    loud = g.pick(("np.log(x - {})", "1.0 / (x - {})", "np.sqrt(x - {})", "np.exp(400.0 * (x - {}))",
                   "(x - {}) / (x - {})"))
    lines = [f"y = {loud.replace('{}', str(1.0 + g.below(4)))}"]
    if g.chance(40):
        lines.append(f"y = y * {g.pick(('x', 'a', 'y', 'np.sin(x)'))}")
    lines.append(f"return np.sum({g.pick(('y', 'y + x', 'np.where(x > a, y, x)', 'y * y'))}) * a")
    return Text("import numpy as np\ndef f(x, a):\n    " + "\n    ".join(lines) + "\n")


def _warned(run: Callable[[], Any]) -> set[str]:
    """What is warned of, without the function that it happens in."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    return {str(one.message).partition(" encountered")[0] for one in found if one.category is RuntimeWarning}


def _warnings(comparison: Any, example: Text) -> Judged:
    from ccc.compile.api.transforms import compiled, value_with_gradient

    f, args = kept_function(example.source), (np.array([1.0, 2.0, 3.0, 4.0]), 2.0)
    expected = _warned(lambda: f(*args))
    for made in (compiled(f, backend="numpy"), value_with_gradient(f, backend="numpy")):
        found = _warned(lambda: made(*args))  # noqa: B023
        if found != expected:
            return Judged(Difference("warnings differ", args, None, sorted(found), sorted(expected)))
    return Judged()


# -- recursion -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Both(Text):
    """A recursion and a loop that add up the same numbers, and what their derivative is asked for."""

    loop: str = ""
    wrt: tuple[str, ...] = ()

    def named(self) -> list[tuple[str, Any]]:
        """The text, and what is asked for."""
        return [*super(Both, self).named(), ("wrt", ", ".join(self.wrt))]


def _adding(g: Generator, i: int) -> Both:
    item = number(g, ("x[i]", "w", "y[i]"), 2)
    recursion = ["def go(i):", f"    return x[i] * w if i == 0 else {item} + go(i - 1)", "return go(n)"]
    loop = ["s = x[0] * w", "for i in range(1, n + 1):", f"    s = {item} + s", "return s"]
    first, second = ["\n    ".join(["def f(x, y, w, n):", *lines, ""]) for lines in (recursion, loop)]
    wrt = tuple([name for name in ("x", "y", "w") if g.chance(60)])
    return Both(first, second, wrt or (g.pick(("x", "y", "w")),))


def growth(source: str, wrt: tuple[str, ...]) -> float:
    """The part of what a gradient costs that grows with the square of the size, from three sizes."""
    from ccc.compile.api.interpretation import interpret
    from ccc.compile.api.transforms import gradient

    f, _ = function_of(source)
    counted = interpret(gradient(f, wrt=wrt), Cost())
    costs: list[float] = []
    for n in (SIZE, 2 * SIZE, 3 * SIZE):
        found = counted((np.ones(n), 0.0), (np.ones(n), 0.0), (1.0, 0.0), (n - 1, 0.0))
        costs.append(found[1])
    released(f)
    return float(costs[0] - 2.0 * costs[1] + costs[2]) / (2 * SIZE**2)


def _recursion(comparison: Any, example: Both) -> Judged:
    found, expected = [growth(source, example.wrt) for source in (example.source, example.loop)]
    if found <= expected:
        return Judged()
    return Judged(Difference("a recursion costs more", (example.loop, example.wrt), None, found, expected))


ECONOMY: tuple[Check, ...] = (
    Check("writes-in-place", "costs", "compiled f copies no array that f makes and writes to", _writing, _copies,
          applies=of_kind("values"), share=0.1, weight=3.0),
    Check("warnings", "programs", "compiled f, and f with its gradient, warn where f warns", _loud, _warnings,
          applies=of_kind("values"), share=0.1, weight=3.0),
    Check("recursion-is-loop", "costs", "for many rounds, the gradient of a recursion costs what that of the loop does",
          _adding, _recursion, applies=of_kind("values"), share=0.03, weight=8.0),
)
