"""The forms of what joins and cuts lists whose lengths are known: item by item, as Python does it."""

from __future__ import annotations

from typing import Any

from ccc.compile.program.target import NotTaken
from ccc.compile.xla.forms import form
from ccc.compile.xla.frames import Run
from ccc.compile.xla.of_arrays import zeros
from ccc.compile.xla.of_numbers import add_trees
from ccc.compile.xla.values import is_traced, items_of, stacked
from ccc.primitives import lists


def known(numbers: tuple[Any, ...]) -> list[int]:
    """Places in a list. Raises `NotTaken` where they are known only when it runs."""
    if any(map(is_traced, numbers)):
        raise NotTaken("part of a list whose ends are known only when it runs")
    return [int(n) for n in numbers]


@form(lists.concat)
def concat(e: Run, xs: Any, ys: Any) -> Any:
    return stacked([*items_of(xs), *items_of(ys)])


@form(lists.behind)
def behind(e: Run, cts: Any, xs: Any) -> Any:
    return stacked(items_of(cts)[len(items_of(xs)) :])


@form(lists.sliced)
def sliced(e: Run, xs: Any, *numbers: Any, places: str) -> Any:
    return stacked(lists.sliced.value(items_of(xs), *known(numbers), places=places))


@form(lists.spread)
def spread(e: Run, cts: Any, xs: Any, *numbers: Any, places: str) -> Any:
    """The cotangents of part of a list, and zeros for the other items."""
    items, at = items_of(xs), known(numbers)
    found = [zeros(e, x) for x in items]
    for i, ct in zip(lists.sliced.value(list(range(len(items))), *at, places=places), items_of(cts), strict=True):
        found[i] = ct
    return stacked(found)


@form(lists.repeated)
def repeated(e: Run, xs: Any, n: Any) -> Any:
    return stacked(items_of(xs) * known((n,))[0])


@form(lists.folded)
def folded(e: Run, cts: Any, xs: Any, n: Any) -> Any:
    """The cotangents of a list that was repeated, summed."""
    items = items_of(xs)
    found = [zeros(e, x) for x in items]
    for i, ct in enumerate(items_of(cts)):
        found[i % len(items)] = add_trees(e, found[i % len(items)], ct)
    return stacked(found)

