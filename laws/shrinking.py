"""The smallest example that still fails: a list of choices made shorter, then smaller, as long as it fails.

>>> shrunk([7, 1, 9, 4, 3], lambda choices: sum(choices) >= 9)
[9]
>>> shrunk([5, 0, 3, 8], lambda choices: len(choices) > 2 and choices[2] > 1)
[0, 0, 2]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ccc.laws.choices import Span

Spans = Callable[[list[int]], list[Span]]


def shrunk(
    choices: Sequence[int], fails: Callable[[list[int]], bool], *, tries: int = 2000, spans: Spans = lambda choices: [],
) -> list[int]:
    """The least list reached from `choices`, by length and then item by item, that `fails`; the best one after
    `tries` tests. `spans` says where the parts of an example lie."""
    search = Search(list(choices), fails, tries)
    while search.left > 0:
        before = search.best
        search.without_parts(spans)
        search.shorten()
        search.lower_counts()
        search.zero()
        search.lower()
        if search.best == before:
            break
    return search.best


class Search:
    """The best list so far, and the tests that are left; what was tested is not tested again."""

    def __init__(self, best: list[int], fails: Callable[[list[int]], bool], tries: int) -> None:
        self.best = best
        self.fails = fails
        self.left = tries
        self.known: set[tuple[int, ...]] = {tuple(best)}

    def accepts(self, candidate: list[int]) -> bool:
        """True, and the new best list, where a simpler candidate fails."""
        key = tuple(candidate)
        if self.left == 0 or key in self.known or (len(key), key) >= (len(self.best), tuple(self.best)):
            return False
        self.known.add(key)
        self.left -= 1
        if not self.fails(candidate):
            return False
        self.best = candidate
        return True

    def without_parts(self, spans: Spans) -> None:
        """Leave out a part and lower the count before it, or take a part for one that it is in, the longest first."""
        going = True
        while going and self.left > 0:
            known = sorted({s for s in spans(self.best) if s[0] < s[1] <= len(self.best)}, key=lambda s: s[0] - s[1])
            going = any(self.left_out(span) or self.hoisted(span, known) for span in known)

    def left_out(self, span: Span) -> bool:
        """True where the example fails without a part."""
        start, end = span
        counts = [i for i in range(start) if 0 < self.best[i] <= MANY][:-4:-1]
        return any(
            self.accepts([*self.best[:i], self.best[i] - 1, *self.best[i + 1 : start], *self.best[end:]])
            for i in counts
        )

    def hoisted(self, span: Span, known: list[Span]) -> bool:
        """True where the example fails with a part of a part for the whole of it."""
        start, end = span
        inner = [(a, b) for a, b in reversed(known) if start <= a and b <= end and b - a < end - start]
        return any(self.accepts(self.best[:start] + self.best[a:b] + self.best[end:]) for a, b in inner[:INNER])

    def shorten(self) -> None:
        """Leave out runs of choices, the longest first."""
        for size in halves(len(self.best)):
            start = 0
            while start + size <= len(self.best):
                if not self.accepts(self.best[:start] + self.best[start + size :]):
                    start += max(size // 2, 1)

    def lower_counts(self) -> None:
        """Lower a choice that may say how many follow, and leave out some that follow it."""
        i = 0
        while i < len(self.best):
            c = self.best[i]
            if not 0 < c <= MANY or not any(
                self.accepts([*self.best[:i], c - 1, *self.best[i + 1 + size :]])
                for size in range(min(LONGEST, len(self.best) - i - 1), 0, -1)
            ):
                i += 1

    def zero(self) -> None:
        """Take the simplest answer for runs of choices."""
        for size in halves(len(self.best)):
            for start in range(0, len(self.best) - size + 1, size):
                if any(self.best[start : start + size]):
                    self.accepts(self.best[:start] + [0] * size + self.best[start + size :])

    def lower(self) -> None:
        """Lower single choices."""
        for i in range(len(self.best)):
            while i < len(self.best) and any(
                self.accepts([*self.best[:i], smaller, *self.best[i + 1 :]])
                for smaller in sorted({0, self.best[i] // 2, self.best[i] - 1}) if 0 <= smaller < self.best[i]
            ):
                pass


MANY = 4
INNER = 6
LONGEST = 24


def halves(n: int) -> Iterator[int]:
    """`n`, its half, the half of that, down to 1.

    >>> list(halves(10))
    [10, 5, 2, 1]
    """
    while n >= 1:
        yield n
        n //= 2
