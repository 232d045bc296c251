"""Run the worked examples: a table, one line an example, and as the last line `N passed, M failed`.

    python3 -m paper_examples                 all of them
    python3 -m paper_examples lab08 tanh      those of a document or with a word in their name
    python3 -m paper_examples --list          the names
    python3 -m paper_examples --plots DIR     and write the pictures and animations of lab 08, and the figures of the
                                              open question
    python3 -m paper_examples --record        write what each module prints beside it, times and places masked, and the
                                              figures of the open question among the pictures of the documents

The exit status is 1 if an example failed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import ccc
from paper_examples import (
    adev,
    differentiable_curry,
    differentiable_functions,
    lab08,
    open_question,
    open_question_figures,
    pictures,
    swift_ad,
    zygote_notebook,
)
from paper_examples.example import Example, Outcome, short

MODULES = (differentiable_curry, differentiable_functions, zygote_notebook, swift_ad, lab08, adev, open_question)
COLUMNS = (
    ("example", 29), ("document", 24), ("value", 10), ("gradient", 17), ("expected", 17), ("curries", 7), ("time", 8),
)  # fmt: skip


WIDTH = sum(width for _, width in COLUMNS) + len(COLUMNS) - 1


def examples() -> tuple[Example, ...]:
    """Every example, in the order of the documents."""
    return tuple(example for module in MODULES for example in module.EXAMPLES)


def selected(words: Sequence[str]) -> tuple[Example, ...]:
    """The examples with one of the words in their name, their document or the name of its module; all without words."""
    named = [(module.__name__.rpartition(".")[2], example) for module in MODULES for example in module.EXAMPLES]
    return tuple(
        example
        for module, example in named
        if not words or any(w.lower() in f"{module} {example.document} {example.name}".lower() for w in words)
    )


def outcome_of(example: Example) -> Outcome:
    """The outcome of an example; an exception is a failure with its message."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ccc.CCCWarning)  # derivatives that are zero are among the examples
            return example.run()
    except Exception as error:
        return Outcome(None, None, (None, None), None, (f"{type(error).__name__}: {error}",))


def row(cells: Iterable[Any]) -> str:
    return " ".join([short(cell, width).ljust(width) for cell, (_, width) in zip(cells, COLUMNS, strict=True)]).rstrip()


AGREE = {True: "agree", False: "differ", None: "-"}


def line(example: Example, outcome: Outcome, seconds: float) -> str:
    """The example's line of the table; what is expected is shown of the gradient."""
    numbers = ["-" if x is None else x for x in (outcome.value, outcome.gradient, outcome.expected[1])]
    return row([example.name, example.document, *numbers, AGREE[outcome.curries_agree], f"{seconds * 1000:.0f} ms"])


def report(chosen: Sequence[Example]) -> int:
    """Print the table and the closing line; gives the number of failures."""
    print(row(name for name, _ in COLUMNS))
    print(row("─" * width for _, width in COLUMNS))
    notes: list[str] = []
    failed = 0
    for example in chosen:
        start = time.perf_counter()
        outcome = outcome_of(example)
        print(line(example, outcome, time.perf_counter() - start))
        if not outcome.passed:
            failed += 1
            for what in outcome.wrong or ("the curries differ",):
                print("    FAILED: " + what.replace("\n", "\n            "))
        if outcome.notes:
            notes += ["", f"{example.name} ({example.document})"]
            notes += [folded for note in outcome.notes for folded in textwrap.wrap(
                note, WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8, break_long_words=False,
                replace_whitespace=False, break_on_hyphens=False,
            )]  # fmt: skip
    print("\n".join(notes))
    print()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return failed


def plotted(folder: Path, *drawings: Callable[[Path], list[Path]]) -> str:
    """What became of the pictures, which need matplotlib."""
    try:
        return "\n".join([f"wrote {path}" for drawn in drawings for path in drawn(folder)])
    except ModuleNotFoundError as error:
        return f"no pictures: {error.name} is missing; pip install 'ccc-ad[plots]'"


def masked(text: str) -> str:
    """What a module prints, without what changes from run to run: times, and lines of our own files.

    >>> masked("f  Lab 08  agree   12 ms"), masked("naive scalars 26.8 µs"), masked("t  R  math.tanh(x), line 231")
    ('f  Lab 08  agree   … ms', 'naive scalars … µs', 't  R  math.tanh(x), line …')
    """
    text = re.sub(r"\d+ ms$", "… ms", text, flags=re.MULTILINE)
    text = re.sub(r"\d+(\.\d+)? µs", "… µs", text)
    return re.sub(r", line \d+$", ", line …", text, flags=re.MULTILINE)


def record_of(module: Any) -> Path:
    """The file that holds what a module prints."""
    return Path(module.__file__).with_suffix(".txt")


def recorded() -> int:
    """Write down what each module prints; gives the number of failures."""
    failed = 0
    for module in MODULES:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            failed += report(module.EXAMPLES)
        record_of(module).write_text(masked(printed.getvalue()), "utf-8")
        print(f"wrote {record_of(module)}")
    print(plotted(open_question_figures.FOLDER, open_question_figures.drawn))
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m paper_examples", description="Worked examples, verified.")
    parser.add_argument("words", nargs="*", help="a document's module or a word of an example's name; by default all")
    parser.add_argument("--list", action="store_true", help="print the names and run nothing")
    parser.add_argument("--plots", metavar="DIR", type=Path, help="write the pictures to DIR")
    parser.add_argument("--record", action="store_true", help="write what each module prints beside it")
    given = parser.parse_args(arguments)
    if given.record:
        return 1 if recorded() else 0
    chosen = selected(given.words)
    if not chosen:
        print(f"no example is named like {' or '.join(given.words)}; --list shows the names", file=sys.stderr)
        return 2
    if given.list:
        print("\n".join(f"{example.document}: {example.name}" for example in chosen))
        return 0
    if given.plots is not None:
        print(plotted(given.plots, pictures.drawn, open_question_figures.drawn))
    return 1 if report(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
