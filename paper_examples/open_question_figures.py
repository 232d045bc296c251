"""The figures of the open question: which laws fail strictly under which curry, and what pullbacks cost.

Each is an SVG that holds the numbers it shows, as JSON in its description, so that a test compares them with those of
today without drawing. To draw them needs matplotlib (extra `plots`); `python3 -m paper_examples --record` writes them
to `docs/pictures`, and `--plots DIR` to a folder.

>>> sorted(numbers()["recursion"]["counts"]["II"])
[11, 21, 41, 81]
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

from ccc.laws.catalogue import chosen
from paper_examples.open_question import (
    NAMES,
    POWERS,
    ROUNDS,
    SECTIONS,
    SHORT,
    SIZES,
    SQUARES,
    grows,
    recursions,
    weak_laws,
    works,
)
from paper_examples.pictures import plotting

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
COLOURS = ("#4c78a8", "#f58518", "#e45756", "#72b7b2", "#9d5fb0", "#54a24b")
MARKS = "osD^vx"
NUMBERS = re.compile(r"<dc:description>(.*?)</dc:description>", re.DOTALL)


def numbers() -> dict[str, Any]:
    """What each figure shows, by its name."""
    weak = weak_laws()
    rows = [check.name for check in chosen(SECTIONS) if any(check.name in found for found in weak.values())]
    return {
        "strict": {name: [law not in found for law in rows] for name, found in weak.items()} | {"laws": rows},
        "work": {title: {name: {"counts": counts, "theory": grows(counts, SIZES, POWERS)}
                         for name, counts in found.items()} for title, found in works().items()},
        "recursion": {"counts": recursions(), "theory": {
            name: grows(counts, ROUNDS, SQUARES) for name, counts in recursions().items()}},
    }


def strict(plt: Any, shown: Any) -> Any:
    """A row for each law that some curry has up to ≅ only, a column for each curry."""
    rows = shown["laws"]
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    cells = [[shown[name][i] for name in NAMES] for i in range(len(rows))]
    axes.imshow(cells, cmap=plt.matplotlib.colors.ListedColormap(["#f2b8a0", "#cfe3d4"]), aspect="auto", vmin=0, vmax=1)
    for i, row in enumerate(cells):
        for j, holds in enumerate(row):
            axes.text(j, i, "=" if holds else "≅", ha="center", va="center", fontsize=12)
    axes.set_xticks(range(len(NAMES)), [name.replace(" ", "\n", 1) for name in NAMES])
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.set_xticks([j + 0.5 for j in range(len(NAMES) - 1)], minor=True)
    axes.set_yticks([i + 0.5 for i in range(len(rows) - 1)], minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="minor", length=0)
    axes.set_title("Laws of functions: strict (=), or up to what programs observe (≅)", fontsize=10)
    return figure


def lines(axes: Any, sizes: Any, counts: dict[str, list[int]], theory: dict[str, str]) -> None:
    """A line for each theory, with the names of all curries that follow it."""
    groups: dict[str, list[str]] = {}
    for name in counts:
        groups.setdefault(theory[name], []).append(name)
    for formula, names in groups.items():
        i = list(counts).index(names[0])
        shown = formula.replace(" * ", r" \cdot " if "2^" in formula else " ")
        axes.plot(sizes, counts[names[0]], color=COLOURS[i], marker=MARKS[i], markersize=5, linewidth=1.2,
                  label=f"{', '.join(names)}: ${shown}$")
    axes.legend(fontsize=8, frameon=False, loc="upper left")


def work(plt: Any, shown: Any) -> Any:
    """A panel for each family of programs: what is run again and pulled back, by size."""
    figure, panels = plt.subplots(1, len(shown), figsize=(9.6, 3.4), layout="constrained")
    for axes, (title, found) in zip(panels, shown.items(), strict=True):
        named = dict(zip(SHORT, found.values(), strict=True))
        axes.set(title=title, xlabel="n", yscale="log" if title == "nested" else "linear")
        lines(axes, SIZES, *[{name: one[what] for name, one in named.items()} for what in ("counts", "theory")])
        axes.set_ylim(top=axes.get_ylim()[1] * (5 if title == "nested" else 1.35))
    panels[0].set_ylabel("primitives run again and pulled back")
    return figure


def recursion(plt: Any, shown: Any) -> Any:
    """Operations of compiled gradients, by the number of calls, with what they are by theory."""
    figure, axes = plt.subplots(figsize=(5.4, 3.4), layout="constrained")
    axes.set(xlabel="calls n", ylabel="operations", title="Compiled gradients of a recursion, by the cost category")
    lines(axes, ROUNDS, shown["counts"], shown["theory"])
    return figure


FIGURES: dict[str, Callable[[Any, Any], Any]] = {"strict": strict, "work": work, "recursion": recursion}


def place(folder: Path, name: str) -> Path:
    """The file of a figure."""
    return folder / f"open_question_{name}.svg"


def shown_by(picture: Path) -> Any:
    """The numbers that a figure holds, read from its file."""
    found = NUMBERS.search(picture.read_text("utf-8"))
    return json.loads(unescape(found[1])) if found else None


def drawn(folder: Path) -> list[Path]:
    """All figures, in `folder`; raises `ModuleNotFoundError` without matplotlib."""
    plt, found = plotting(), numbers()
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context({"svg.hashsalt": "open question", "svg.fonttype": "none", "font.size": 9}):
        for name, draw in FIGURES.items():
            figure = draw(plt, found[name])
            held = json.dumps(found[name], ensure_ascii=False)
            figure.savefig(place(folder, name), metadata={"Description": held, "Date": None})
            plt.close(figure)
    return [place(folder, name) for name in FIGURES]
