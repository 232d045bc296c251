"""The smallest example that still fails: a list of choices made shorter, then smaller, as long as it fails.

>>> shrunk([7, 1, 9, 4, 3], lambda choices: sum(choices) >= 9)
[9]
>>> shrunk([5, 0, 3, 8], lambda choices: len(choices) > 2 and choices[2] > 1)
[0, 0, 2]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence


def shrunk(choices: Sequence[int], fails: Callable[[list[int]], bool], *, tries: int = 2000) -> list[int]:
    """The least list reached from `choices`, by length and then item by item, that `fails`; the best one after
    `tries` tests."""
    best = list(choices)
    left = tries
    going = True
    while going and left > 0:
        going = False
        for candidate in _simpler(best):
            if left == 0:
                break
            left -= 1
            if fails(candidate):
                best, going = candidate, True
                break
    return best


def _simpler(choices: list[int]) -> Iterator[list[int]]:
    """Candidates before `choices` in length and then item by item, the boldest first."""
    n = len(choices)
    size = n
    while size >= 1:
        for start in range(0, n - size + 1, max(size // 2, 1)):
            yield choices[:start] + choices[start + size :]
        size //= 2
    size = n
    while size >= 1:
        for start in range(0, n - size + 1, size):
            if any(choices[start : start + size]):
                yield choices[:start] + [0] * size + choices[start + size :]
        size //= 2
    for i, c in enumerate(choices):
        for smaller in sorted({c // 2, c - 1}):
            if 0 < smaller < c:
                yield [*choices[:i], smaller, *choices[i + 1 :]]
        if c > 0 and 0 < i + c < n:  # one choice may say how many follow
            yield [*choices[:i], c - 1, *choices[i + 1 : i + 1], *choices[i + 2 :]]
