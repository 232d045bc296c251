"""What is known of integers and arrays beside their sizes before a program runs: by how much integers differ, between
which they are, which of them count what a mask selects, and which arrays are zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.xla.values import is_traced


class Places:
    """Integers as others plus constants, and arrays of zeros, by the values of JAX, which are held meanwhile."""

    def __init__(self) -> None:
        self.offsets: dict[int, tuple[Any, Any, int]] = {}
        self.bounds: dict[int, tuple[Any, int, int]] = {}
        self.zeros: dict[int, Any] = {}
        self.masks: dict[int, tuple[Any, Any]] = {}
        self.outside: dict[int, Any] = {}
        self.postponed: list[tuple[Any, int, int]] = []

    def moved(self, found: Any, a: Any, b: Any, by: Callable[[Any, Any], Any]) -> None:
        """An integer is the sum, or the difference, of two others."""
        if is_traced(found) and not is_traced(b):
            base, offset = self.base(a)
            self.offsets[id(found)] = found, base, int(by(offset, b))
        elif is_traced(found) and not is_traced(a) and by(0, 1) == 1:
            base, offset = self.base(b)
            self.offsets[id(found)] = found, base, int(offset + a)

    def base(self, x: Any) -> tuple[Any, int]:
        """The integer that another one is, plus a constant."""
        if not is_traced(x):
            return None, int(x)
        _, base, offset = self.offsets.get(id(x), (x, x, 0))
        return base, offset

    def distance(self, a: Any, b: Any) -> int | None:
        """How much larger the second integer is than the first, where that is known; None is no integer."""
        if a is None or b is None or np.ndim(a) or np.ndim(b):
            return None
        (one, begin), (other, end) = self.base(a), self.base(b)
        return end - begin if one is other else None

    def between(self, x: Any, low: int, high: int) -> None:
        """An integer, or all of an array, is between two others, these included."""
        if is_traced(x):
            base, offset = self.base(x)
            self.bounds[id(base)] = base, low - offset, high - offset

    def interval(self, x: Any) -> tuple[int | None, int | None]:
        """Between which an integer is, or all of an array, where that is known."""
        if np.ndim(x) and not is_traced(x):
            return None, None
        base, offset = self.base(x)
        if base is None:
            return offset, offset
        _, low, high = self.bounds.get(id(base), (None, None, None))
        return (None, None) if low is None or high is None else (low + offset, high + offset)

    def is_asked_outside(self, x: Any, low: int, high: int) -> bool:
        """Whether it is asked before a loop that runs at least once if integers that it is given lie there."""
        if id(x) in self.outside:
            self.postponed.append((x, low, high))
        return id(x) in self.outside

    def counts(self, n: Any, mask: Any) -> None:
        """An integer is how many items a mask selects."""
        self.masks[id(n)] = n, mask

    def counted_by(self, n: Any) -> Any:
        """The mask that selects so many items; None where that is not known."""
        return self.masks.get(id(n), (None, None))[1]

    def blank(self, x: Any) -> Any:
        """An array of zeros, which is known to be one."""
        self.zeros[id(x)] = x
        return x

    def is_blank(self, x: Any) -> bool:
        """Whether an array is known to be zero."""
        return id(x) in self.zeros
