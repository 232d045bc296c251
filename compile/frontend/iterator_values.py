"""What a `for` goes along that is no list: ranges, iterators, generators, pairs of several."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.frontend import interrupts
from ccc.compile.frontend.values import RecordValue
from ccc.compile.program.lam import Var


class RangeValue:
    """`range(start, stop, step)`, to be iterated."""

    __slots__ = ("bounds",)

    def __init__(self, bounds: tuple[Any, ...]) -> None:
        self.bounds = bounds


class IteratorValue:
    """What can be iterated once: it stays where it is written, and has neither a name nor another owner."""

    __slots__ = ()


CALLS = "calls a function that prints or changes something"
"""Why the turn of each item of an iterator matters; else that an item reads what the next one changes."""


TAKEN = (
    itertools.product, itertools.combinations, itertools.combinations_with_replacement, itertools.permutations,
)  # fmt: skip
"""Classes of iterators that have taken all that they run along when they are made."""


class OnceValue(IteratorValue):
    """`map(...)`, `filter(...)` and their like: `items` is the list or range that is iterated, `cls` the class,
    `sources` what Python reads one by one while this is iterated, `effects` says why the turn of each item matters, as
    where functions are called that print or change something, `owner` is the object whose `__iter__` gave it, `site` is
    where it is made, if it can be read in turn, `raises` says that making an item may raise, and `fails` that a
    statement may do so on the way."""

    __slots__ = ("cls", "effects", "fails", "items", "owner", "raises", "site", "sources")

    def __init__(self, cls: type, items: Any, sources: Iterable[Any] = ()) -> None:
        self.cls = cls
        self.items = items
        self.sources = tuple(sources)
        self.effects = ""
        self.owner: Any = None
        self.site: Any = None
        self.raises = False
        self.fails = False


class GeneratorValue(OnceValue):
    """What the call of a generator gives: `run` reads its body in a form that something else is made of, `forms` gives
    the one that collects. It is collected where its items are asked for; one that is `lazy` runs in turn with what
    consumes it, and an `endless` one does not end by itself. It is `made` where it is called; `called` is that of one
    of this library's. One that `acts` does something where it is dropped."""

    __slots__ = ("acts", "called", "collect", "endless", "found", "lazy", "made", "node", "run")

    def __init__(
        self, node: Any, run: Callable[..., Any], collect: Callable[[], OnceValue], sources: tuple[Any, ...],
        lazy: bool, endless: bool,
    ) -> None:  # fmt: skip
        self.cls = types.GeneratorType
        self.owner = None
        self.site = node
        self.node = node
        self.run = run
        self.collect = collect
        self.lazy = lazy
        self.endless = endless
        self.acts = False
        self.sources = sources
        self.owner = None
        self.found: OnceValue | None = None
        self.called: Any = None
        self.made: Any = None

    def collected(self) -> OnceValue:
        if self.found is None:
            self.found = self.collect()
        return self.found

    @property
    def items(self) -> Any:  # type: ignore[override]
        return self.collected().items

    @property
    def effects(self) -> str:  # type: ignore[override]
        return self.collected().effects

    @property
    def raises(self) -> bool:  # type: ignore[override]
        return self.collected().raises

    @property
    def fails(self) -> bool:  # type: ignore[override]
        return self.collected().fails


def is_in_turn(part: Any) -> bool:
    """True for a generator that runs in turn with what consumes it."""
    return isinstance(part, GeneratorValue) and part.lazy


def taking_turns(value: Any) -> Any:
    """An iterator that one which runs in turn asks: raises `InTurn` for one that was collected."""
    if isinstance(value, OnceValue) and value.site is not None and not is_in_turn(value):
        raise interrupts.InTurn(value.site)
    return value


def made_by_now(part: OnceValue) -> Any:
    """The items that an iterator has made; none of one that runs in turn with what consumes it, which to ask would run
    it."""
    return () if is_in_turn(part) and part.found is None else part.items  # type: ignore[attr-defined]


class ByKeyValue(IteratorValue):
    """The values of a dict of the program that changes meanwhile, each to be read by its key."""

    __slots__ = ("keys", "owner")

    def __init__(self, keys: Var, owner: RecordValue) -> None:
        self.keys = keys
        self.owner = owner


class EndlessValue(IteratorValue):
    """An iterator without end: `first(n)` gives its first `n` items; `numbers` is a range longer than any run, if its
    items are such. `kept` names the class that stands for it where it is kept, and has the arguments of that."""

    __slots__ = ("first", "kept", "numbers")

    def __init__(self, first: Callable[[Any], Any], kept: tuple[str, list[Any]], numbers: Any = None) -> None:
        self.first = first
        self.kept = kept
        self.numbers = numbers


class ZipValue(IteratorValue):
    """`zip(a, b, ...)`, to be iterated; `site` is where it is made."""

    __slots__ = ("parts", "site")

    def __init__(self, parts: tuple[Any, ...], site: Any = None) -> None:
        self.parts = parts
        self.site = site


class EnumerateValue(IteratorValue):
    """`enumerate(a, start)`, to be iterated; `site` is where it is made."""

    __slots__ = ("part", "site", "start")

    def __init__(self, part: Any, start: Any, site: Any = None) -> None:
        self.part = part
        self.start = start
        self.site = site


class SpreadValue:
    """A list of the program whose items are arguments, as many as there are."""

    __slots__ = ("items",)

    def __init__(self, items: Var) -> None:
        self.items = items


class TransposedValue:
    """The rows of a table as arguments of `zip`: what that gives."""

    __slots__ = ("columns",)

    def __init__(self, columns: Any) -> None:
        self.columns = columns
