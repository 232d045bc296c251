"""The generators of random programs by name, and a limit of time for what is done with one program."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from random_aliases import aliases
from random_arrays import array_program
from random_choices import choices
from random_classes import classes
from random_closures import closures
from random_compositions import composition
from random_dicts import dicts
from random_exits import exits
from random_forms import form
from random_graphs import graphs
from random_indices import einsum, indexing
from random_layouts import layouts
from random_loops import loop_program
from random_nests import nest_program
from random_plain import without_dataclasses
from random_programs import Program, program
from random_raising import raising_program
from random_ranks import ranks
from random_rows import rows
from random_seams import seams
from random_views import views
from random_walks import walks
from random_yields import yields

GENERATORS: dict[str, Callable[[int], Program]] = {
    "aliases": aliases, "arrays": array_program, "closures": closures, "compositions": composition, "einsum": einsum,
    "choices": choices, "classes": classes, "dicts": dicts, "exits": exits, "forms": form, "graphs": graphs,
    "indices": indexing, "layouts": layouts, "loops": loop_program, "nests": nest_program,
    "programs": program, "plain": lambda seed: without_dataclasses(program(seed)), "raising": raising_program,
    "ranks": ranks, "rows": rows, "seams": seams, "views": views, "walks": walks, "yields": yields,
}  # fmt: skip
SECONDS = 300
"""For one program, on a busy machine."""


class TooLong(BaseException):
    """The time is over."""


@contextmanager
def limited(of_processor: bool = False) -> Iterator[None]:
    """Raise `TooLong` where what is inside takes longer than `SECONDS`, or as much time of the processor."""
    timer, sent = (signal.ITIMER_PROF, signal.SIGPROF) if of_processor else (signal.ITIMER_REAL, signal.SIGALRM)

    def over(*_: Any) -> None:
        raise TooLong

    before = signal.signal(sent, over)
    signal.setitimer(timer, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(sent, before)
