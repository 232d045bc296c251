"""What is known of the loops inside of one that is recorded once more.

A loop is recorded until its carries are stable: which of them are zero shows when its body has been recorded, and then
it is recorded again. The loops in that body are the same in each recording, and what is no zero there is none later. So
they begin with what they found before; else each would be recorded twice for each time that the one around it is, which
doubles the work with each loop within a loop.
"""

from __future__ import annotations

from typing import Any


class Found:
    """Of a loop: for each leaf of its state what showed that it is no zero, if anything did, its object, and what was
    found of the loops inside of it."""

    __slots__ = ("inside", "objects", "shown")

    def __init__(self, count: int) -> None:
        self.shown: list[Any] = [None] * count
        self.objects: list[Any] = [None] * count
        self.inside: list[Found] = []


class Recording:
    """One recording of a body: what was found of its loops the last time, in their order, and what is found now."""

    __slots__ = ("before", "now")

    def __init__(self, before: list[Found]) -> None:
        self.before = before
        self.now: list[Found] = []

    def next(self, count: int) -> Found:
        """What is known of the next loop, whose state has so many leaves.

        >>> found = Recording([Found(1)]).next(2)
        >>> found.shown, found.inside
        ([None, None], [])
        """
        at = len(self.now)
        known = self.before[at] if at < len(self.before) and len(self.before[at].shown) == count else Found(count)
        self.now.append(known)
        return known
