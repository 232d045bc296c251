"""Of which kind a value in the body of a loop is, where it is read for several runs at once.

>>> Kind.LINEAR.moves, Kind.SAME.moves, Kind.by_step(-1), Kind.by_step(2)
(True, False, <Kind.FALLING>, None)
"""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """What is known of a value in the lanes of a vector, and by how much the next run has more, where that is."""

    SAME = "the same in all runs", 0
    LINEAR = "the next run has the next integer, or place in memory", 1
    FALLING = "the next run has the one before", -1
    VECTOR = "any values", None
    PLACES = "addresses", None
    PRIVATE = "an address of items side by side, one for each lane", None
    PAIR = "results, each with whether it overflowed", None
    SUM = "what is added to a sum of all runs", None

    def __init__(self, says: str, step: int | None) -> None:
        self.says = says
        self.step = step

    def __repr__(self) -> str:
        return f"<Kind.{self.name}>"

    @property
    def moves(self) -> bool:
        """Whether runs have numbers, or places, that follow each other."""
        return bool(self.step)

    @property
    def is_one(self) -> bool:
        """Whether it is one value, or one address, for all runs."""
        return self is Kind.SAME or self is Kind.PRIVATE

    @classmethod
    def by_step(cls, step: int) -> Kind | None:
        """The kind of what the next run has by so much more."""
        return next((kind for kind in cls if kind.step == step), None)
