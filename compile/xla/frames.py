"""What is found out while a program runs: whether Python would raise, and how long the longest tape has to be.

Both are numbers of the program that its branches and loops hand on: `failed` becomes true where an index is out of
range, a number leaves what Python allows, or a `raise` is reached; `needed` is the length of a list that has got more
items than there is memory for.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import jax.numpy as jnp


class Frame(NamedTuple):
    """What one block has found out so far. Python raises also where one of the items of `items` holds, arrays of
    several sizes: those of one size are asked at once, since each question is a reduction of its own on a device."""

    failed: Any
    needed: Any
    items: tuple[Any, ...] = ()

    def joined(self, other: Frame) -> Frame:
        """What both have found out."""
        return Frame(_either(self.failed, other.failed), _larger(self.needed, other.needed),
                     (*self.items, *other.items))

    def asked(self) -> Any:
        """Whether Python raises."""
        failed, of_shape = self.failed, dict[tuple[int, ...], Any]()
        for x in self.items:
            of_shape[x.shape] = x if x.shape not in of_shape else of_shape[x.shape] | x
        for x in of_shape.values():
            failed = _either(failed, jnp.any(x))
        return failed

    def traced(self) -> Frame:
        """The same as numbers that loops can carry."""
        return Frame(jnp.asarray(self.asked(), bool), jnp.asarray(self.needed, "int32"))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found out, and nothing can be."""
        return self.failed is False and not self.items and type(self.needed) is int and self.needed == 0

    def handed_out(self) -> Frame:
        """The same as JAX hands it out, None for what is known to be nothing."""
        asked = self.asked()
        failed = None if asked is False else jnp.asarray(asked, bool)
        return Frame(failed, None if type(self.needed) is int and self.needed == 0 else jnp.asarray(self.needed))


START = Frame(False, 0)


def _either(a: Any, b: Any) -> Any:
    if a is False:
        return b
    return a if b is False else a | b


def _larger(a: Any, b: Any) -> Any:
    if type(a) is int and a == 0:
        return b
    return a if type(b) is int and b == 0 else jnp.maximum(a, b)


class Run(Protocol):
    """What a form of a primitive can tell the run that it is part of, and ask it."""

    frame: Frame
    matrices: Any

    def failing(self, condition: Any) -> None:
        """Python raises where the condition holds, or one of its items."""
        ...

    def says(self, say: Any, values: Any) -> None:
        """Something is said of values, once and in order."""
        ...

    def distance(self, a: Any, b: Any) -> int | None:
        """How much larger one integer is than another, where that is known before it runs."""
        ...

    def moved(self, found: Any, a: Any, b: Any, by: Any) -> None:
        """An integer is the sum, or the difference, of two others."""
        ...

    def interval(self, x: Any) -> tuple[int | None, int | None]:
        """Between which an integer is, or all of an array, where that is known."""
        ...

    def between(self, x: Any, low: int, high: int) -> None:
        """An integer, or all of an array, is between two others, these included."""
        ...

    def is_asked_outside(self, x: Any, low: int, high: int) -> bool:
        """Whether it is asked before a loop that runs at least once if integers that it is given lie there."""
        ...

    def counts(self, n: Any, mask: Any) -> None:
        """An integer is how many items a mask selects."""
        ...

    def counted_by(self, n: Any) -> Any:
        """The mask that selects so many items; None where that is not known."""
        ...

    def blank(self, x: Any) -> Any:
        """An array of zeros, which is known to be one."""
        ...

    def is_blank(self, x: Any) -> bool:
        """Whether an array is known to be zero."""
        ...
