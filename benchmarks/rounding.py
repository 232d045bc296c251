"""Bounds of rounding errors beside those of FPTaylor, and which variables may have 32 bits, as CHEF-FP chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

import ccc
from benchmarks import rounding_programs, rounding_variables
from benchmarks.rounding_programs import EXPRESSIONS, Expression
from benchmarks.rounding_variables import Program
from benchmarks.tables import Target, at_most

BOXES = 100_000
POINTS = 1000
FUNCTIONS = 1.5
"""By so many halves of a unit in the last place FPTaylor takes other functions than `+ - * /` to be off."""


@dataclass(frozen=True)
class Errors:
    """Rows of a table of errors under a question, then the targets."""

    question: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    targets: Sequence[Target]

    def text(self) -> str:
        """The table as text."""
        lines = [list(self.columns), *[list(row) for row in self.rows]]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        table = ["  ".join([line[0].ljust(widths[0]), *[x.rjust(n) for x, n in zip(line[1:], widths[1:], strict=True)]])
                 for line in lines]
        return "\n".join([self.question, "", *[line.rstrip() for line in table], "",
                          *[target.text() for target in self.targets]])

    def data(self) -> dict[str, Any]:
        """The table as JSON has it."""
        return {"question": self.question, "columns": list(self.columns), "rows": [list(row) for row in self.rows],
                "targets": [{"what": t.what, "measured": t.measured, "wanted": t.wanted} for t in self.targets]}


def bound(e: Expression, boxes: int = BOXES) -> float:
    """The bound of an expression, for what FPTaylor's is for: arguments are rounded, literals are decimals."""
    return ccc.rounding_error(e.function, *e.box, rounded=True, decimals=True, functions=FUNCTIONS, boxes=boxes).bound


def exactly(f: Callable[..., Any], mp: Any) -> Callable[..., Any]:
    """The function on numbers of so many digits as mpmath is set to, with the decimals that it writes."""
    code = f.__code__
    constants = tuple([mp.mpf(repr(c)) if isinstance(c, float) else c for c in code.co_consts])
    space = {**f.__globals__, "math": mp}
    if f.__name__.startswith("doppler_"):
        space["doppler"] = exactly(rounding_programs.doppler, mp)
    return FunctionType(code.replace(co_consts=constants), space, f.__name__)


def largest(e: Expression, points: int, seed: int = 0) -> float:
    """The largest error of an expression at random points of its box, against fifty digits."""
    import mpmath

    mp: Any = mpmath.mp
    r, worst = np.random.default_rng(seed), 0.0
    with mp.workdps(50):
        reference = exactly(e.function, mp)
        for _ in range(points):
            xs = [mp.mpf(low) + (mp.mpf(high) - mp.mpf(low)) * mp.mpf(int(r.integers(0, 2**62))) / 2**62
                  for low, high in e.box]
            worst = max(worst, float(abs(e.function(*map(float, xs)) - reference(*xs))))
    return worst


def of_expressions() -> Errors:
    """The expressions, their bounds and the largest errors."""
    rows, ratios, tight, outside = list[list[str]](), list[float](), list[float](), 0
    for e in EXPRESSIONS:
        most, found = bound(e), largest(e, POINTS)
        outside += found > most
        ratios.append(most / e.of_magnitudes)
        tight.append(most / e.of_places)
        rows.append([e.name, f"{found:.2e}", f"{most:.2e}", f"{e.of_magnitudes:.2e}", f"{ratios[-1]:.2f}",
                     f"{e.of_places:.2e}", f"{tight[-1]:.2f}"])
    return Errors("rounding: bounds of errors, beside FPTaylor's of half a unit of magnitudes and of last places",
                  ("", f"largest of {POINTS}", "bound", "magnitudes", "/", "places", "/"), rows,
                  [at_most("expressions with an error beyond the bound", float(outside), 0.0),
                   at_most("bound / of magnitudes", max(ratios), 2.0), at_most("bound / of places", max(tight), 2.0)])


def of_variables(p: Program) -> Errors:
    """What each variable of a program loses in 32 bits, as estimated and as it is, and that of the chosen ones."""
    errors = ccc.narrowing_errors(p.function)(*p.args)
    exact = p.function(*p.args)

    def measured(names: Sequence[str]) -> float:
        return float(abs(rounding_variables.narrowed(p.function, names)(*p.args) - exact))

    rows = [[name, f"{error:.1e}", f"{measured([name]):.1e}"] for name, error in errors.items()]
    names = rounding_variables.chosen(errors, p.threshold)
    together = measured(names)
    rows.append([f"together: {', '.join(names)}", f"{sum(errors[name] for name in names):.1e}", f"{together:.1e}"])
    return Errors(f"{p.function.__name__}: variables of 32 bits", ("", "estimated", "measured"), rows,
                  [at_most("error of the chosen variables", together, p.threshold)])


def measure(rounds: int, plot: Path | None = None) -> list[Errors]:
    """The tables; nothing is timed or drawn."""
    return [of_expressions(), *map(of_variables, rounding_variables.programs())]
