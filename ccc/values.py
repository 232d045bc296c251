"""Classes of values: made once, compared by what they hold, and never changed, which types say and nothing else checks.

A frozen dataclass checks it at each assignment, its own first ones too, by functions that are compiled for each class.
Terms, which users hold, are frozen; their types are made by the million, and by the compiler alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

C = TypeVar("C")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(*, eq: bool = True, repr: bool = True) -> Callable[[type[C]], type[C]]:
    """A decorator of a class whose objects are values; with `eq=False` the class says itself when two are equal.

    >>> @value(repr=False)
    ... class Axis:
    ...     name: str
    >>> Axis("n") == Axis("n"), len({Axis("n"), Axis("n"), Axis("m")}), Axis.__slots__
    (True, 2, ('name',))
    """
    return dataclass(eq=eq, repr=repr, unsafe_hash=eq, slots=True)
