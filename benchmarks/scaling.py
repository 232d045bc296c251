"""How the ratio of gradient to program grows with n, over a thousandfold: it should stay flat."""

from __future__ import annotations

import math
import statistics
import time
import timeit
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import rows
from benchmarks.systems import SYSTEMS
from benchmarks.tables import aligned, number
from benchmarks.timing import batch

QUADRATIC = ("attention",)
"""Programs whose work grows with the square of n: they go to 100 times as much."""
LEAST = {"attention": 4, "convolution": 36}
NAMES = ("llsq", "lse", "lstm", "gmm", "attention", "scalar_rnn", "array_rnn", "rk4", "convolution", "kalman", "bump")
COLUMNS = ("ccc numpy", "ccc native")
FACTORS = (1, 10, 100, 1000)
MOST = 4.0


@dataclass(frozen=True)
class Scaling:
    """The sizes and ratios of each program by each target."""

    lines: Mapping[tuple[str, str], Sequence[tuple[int, float]]]

    def text(self) -> str:
        """The table as it is printed."""
        cells = [["", *[f"×{factor}" for factor in FACTORS], "exponent"]]
        for (name, column), line in self.lines.items():
            shown = [number(r) for _, r in line] + ["-"] * (len(FACTORS) - len(line))
            cells.append([f"{name} from {line[0][0]}, {column}", *shown, number(exponent(line))])
        most = max(r for line in self.lines.values() for _, r in line)
        above = sum(line[-1][1] > MOST for line in self.lines.values())
        remark = f"at most {number(most)}; {above} of {len(self.lines)} above {MOST:.0f} at the largest size"
        return "\n".join(["scaling: gradient over program, as n grows", "", *aligned(cells), "", remark])

    def data(self) -> list[dict[str, Any]]:
        return [{"row": name, "column": column, "ratios": list(line)} for (name, column), line in self.lines.items()]


def measure(
    repeats: int, plot: Path | None = None, names: Sequence[str] = NAMES, columns: Sequence[str] = COLUMNS
) -> list[Scaling]:
    """The ratios, and the lines of them in a file, if one is given and matplotlib is there."""
    found: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for column in columns:
        if SYSTEMS[column].installed():
            for name in names:
                found[name, column] = ratios(name, column, repeats)
                print(
                    f"{name}, {column}: " + ", ".join([f"{r:.2f} at {n:,}" for n, r in found[name, column]]), flush=True
                )
    if plot is not None:
        drawn(found, plot)
    return [Scaling(found)]


def ratios(name: str, column: str, repeats: int) -> list[tuple[int, float]]:
    """The sizes and the ratios of the derivative's time to the program's."""
    row, functions, found = rows.row(name), pair(name, column), list[tuple[int, float]]()
    for factor in FACTORS[:-1] if name in QUADRATIC else FACTORS:
        n = LEAST.get(name, 10) * factor
        found.append((n, ratio(functions, row.module.arguments(*row.module.SCALED(n)), repeats)))
    return found


def pair(name: str, column: str) -> list[Callable[..., Any]]:
    """The program of a row, and its gradient."""
    return list(rows.row(name).functions(SYSTEMS[column]).values())[:2]


def ratio(functions: Sequence[Callable[..., Any]], arguments: Sequence[Any], repeats: int) -> float:
    """The ratio of the second function's time to that of the first, of the fastest turn of each; the time is that of
    the processor, so that other work of the machine does not count."""
    timers = [timeit.Timer(partial(f, *arguments), timer=time.process_time) for f in functions]
    sizes = [batch(timer, 2e-3) for timer in timers]
    turns = [[timer.timeit(k) / k for timer, k in zip(timers, sizes, strict=True)] for _ in range(3 * repeats)]
    before, after = map(min, zip(*turns, strict=True))
    return after / before


def exponent(line: Sequence[tuple[int, float]]) -> float:
    """The slope of a line of logarithms, by least squares: 0 where the ratio stays flat.

    >>> round(exponent([(1, 3.0), (10, 3.0), (100, 3.0)]), 6), round(exponent([(1, 1.0), (10, 10.0)]), 6)
    (0.0, 1.0)
    """
    xs, ys = [math.log(n) for n, _ in line], [math.log(r) for _, r in line]
    x, y = statistics.mean(xs), statistics.mean(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def drawn(found: Mapping[tuple[str, str], Sequence[tuple[int, float]]], path: Path) -> None:
    """The lines, both axes logarithmic."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed", flush=True)
        return
    matplotlib.use("Agg")
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "scaling"}  # the same lines are the same file
    from matplotlib import pyplot

    columns = list(dict.fromkeys([column for _, column in found]))
    figure, parts = pyplot.subplots(1, len(columns), sharey=True, figsize=(11, 5), squeeze=False)
    for part, column in zip(parts[0], columns, strict=True):
        part.set_prop_cycle(color=matplotlib.colormaps["tab20"].colors)
        for (name, other), line in found.items():
            if other == column:
                part.loglog(*zip(*line, strict=True), marker="o", label=name)
        part.axhline(MOST, color="grey", linestyle="--")
        part.set(title=column, xlabel="n")
        part.grid(True, which="both", alpha=0.3)
    parts[0][0].set_ylabel("gradient / program")
    parts[0][-1].legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    ticks = [0.5, 1, 2, 4, 8]
    parts[0][0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    parts[0][0].minorticks_off()
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
