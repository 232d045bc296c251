"""Where the decisions of a generator come from: randomness, hypothesis, or a list that is replayed.

A generator asks for numbers below a bound, and 0 is always the simplest answer; so the list of the answers is the
example, and a shorter or smaller list is a simpler one. `ccc.laws.shrinking` works on such lists.

>>> source = Randomly("curry-eta", 17)
>>> drawn = [source.below(10) for _ in range(3)]
>>> again = Replayed(source.taken)
>>> [again.below(10) for _ in range(4)] == [*drawn, 0]
True

References: David MacIver and Alastair Donaldson, *Test-Case Reduction via Test-Case Generation: Insights from the
Hypothesis Reducer* (ECOOP 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from random import Random
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


Span = tuple[int, int]


class Marks:
    """Where the parts of an example lie among its choices, so that shrinking can take a part for the whole."""

    def __init__(self, source: Any) -> None:
        self.spans: list[Span] = getattr(source, "spans", [])
        taken: list[int] | None = getattr(source, "taken", None)
        self.at: Callable[[], int] = getattr(source, "at", (lambda: 0) if taken is None else taken.__len__)


def marked(draw: Callable[..., T]) -> Callable[..., T]:
    """A method of something with `Marks` that draws one part of an example.

    >>> class Pairs(Marks):
    ...     def __init__(self, source):
    ...         super().__init__(source)
    ...         self.below = source.below
    ...     @marked
    ...     def pair(self):
    ...         return self.below(5), self.below(5)
    >>> pairs = Pairs(Replayed([1, 2, 3, 4]))
    >>> pairs.pair(), pairs.pair(), pairs.spans
    ((1, 2), (3, 4), [(0, 2), (2, 4)])
    """

    @wraps(draw)
    def drawn(self: Any, *args: Any) -> T:
        start = self.at()
        found = draw(self, *args)
        self.spans.append((start, self.at()))
        return found

    return drawn


class Choices(Protocol):
    """A source of decisions."""

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, where 0 stands for the simplest."""
        ...


class Randomly:
    """Random decisions that are a function of the seed and are remembered."""

    def __init__(self, *seed: str | int) -> None:
        self.random = Random(" ".join(map(str, seed))).random
        self.taken: list[int] = []

    def below(self, n: int) -> int:
        found = int(self.random() * n)
        self.taken.append(found)
        return found


class Replayed:
    """The decisions of a list, each brought into its bounds; where the list has ended, those of `then` or 0."""

    def __init__(self, choices: Sequence[int], then: Choices | None = None) -> None:
        self.choices = choices
        self.then = then
        self.taken: list[int] = []

    def below(self, n: int) -> int:
        i = len(self.taken)
        self.taken.append(min(self.choices[i], n - 1) if i < len(self.choices) else self.beyond(n))
        return self.taken[-1]

    def beyond(self, n: int) -> int:
        return 0 if self.then is None else self.then.below(n)


class Asked:
    """The decisions of a function, such as one that draws from hypothesis."""

    def __init__(self, ask: Callable[[int], int]) -> None:
        self.ask = ask

    def below(self, n: int) -> int:
        return self.ask(n) if n > 1 else 0
