"""Contiguous parts of arrays, which are cut out and written as such: XLA takes a gather or scatter item by item.

A slice whose ends are known only when it runs has a known size where both ends are the same number plus constants, as
in `x[i - 1 : i + 2]`. Where its ends are not inside of the array, which those of Python may be, a flag says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ccc.compile.program.target import NotTaken
from ccc.compile.xla.frames import Run
from ccc.compile.xla.values import is_traced
from ccc.primitives.indexing import Pattern

UNKNOWN = "a slice whose ends are known only when it runs"


FEW = 4096
"""What is added to a part of an array of so few items, or to much of one, is added to all of it with zeros around it,
which XLA fuses with what is added before and after: parts that are changed one after the other are a launch each."""


class OfManySizes(NotTaken):
    """A slice whose size is another in each turn of a loop."""


class Block:
    """The part of an array that an index names: where it begins and its sizes, and the shape in which it is read."""

    def __init__(self, shape: tuple[int, ...], starts: list[Any], sizes: list[int], view: list[int]) -> None:
        self.shape, self.starts, self.sizes, self.view = shape, starts, sizes, view

    @property
    def is_whole(self) -> bool:
        """Whether it is all of the array."""
        return tuple(self.sizes) == self.shape

    def read(self, x: Any) -> Any:
        """The part."""
        if self.is_whole:
            return x.reshape(self.view)
        if any(map(is_traced, self.starts)):
            return self.cut(x).reshape(self.view)
        ends = [start + size for start, size in zip(self.starts, self.sizes, strict=True)]
        return jax.lax.slice(x, self.starts, ends).reshape(self.view)

    def fitted(self, v: Any, dtype: Any) -> Any:
        """What is written, in the shape of the part."""
        v = jnp.asarray(v, dtype)
        while v.ndim > len(self.view) and v.shape[0] == 1:
            v = v[0]
        return jnp.broadcast_to(v, self.view).reshape(self.sizes)

    def write(self, x: Any, v: Any) -> Any:
        """The array with other items there."""
        v = self.fitted(v, x.dtype)
        return v if self.is_whole else self.put(x, v)

    def add(self, x: Any, v: Any, blank: bool) -> Any:
        """The array with something added there; `blank` says that it is zero."""
        v = self.fitted(v, x.dtype)
        if self.is_whole and not blank:
            return x + v
        if not any(map(is_traced, self.starts)) and (blank or x.size <= max(FEW, 4 * v.size)):
            ends = [n - start - size for n, start, size in zip(self.shape, self.starts, self.sizes, strict=True)]
            spread = jax.lax.pad(v, jnp.zeros((), v.dtype), [(a, b, 0) for a, b in zip(self.starts, ends, strict=True)])
            return spread if blank else x + spread
        if any(map(is_traced, self.starts)):
            before = self.cut(x)
        else:
            before = jax.lax.slice(x, self.starts, [a + n for a, n in zip(self.starts, self.sizes, strict=True)])
        return self.put(x, before + v)

    def cut(self, x: Any) -> Any:
        return jax.lax.dynamic_slice(x, self.starts, self.sizes, allow_negative_indices=False)

    def put(self, x: Any, v: Any) -> Any:
        return jax.lax.dynamic_update_slice(x, v, self.starts, allow_negative_indices=False)


def block_of(e: Run, shape: tuple[int, ...], pattern: Pattern, numbers: Sequence[Any]) -> Block | None:
    """The part that an index names; None where it is not contiguous. Raises `OfManySizes` for a slice of which nothing
    is known before it runs; places of numbers have been looked at."""
    given = iter(numbers)
    starts: list[Any] = []
    sizes: list[int] = []
    view: list[int] = []
    taken = sum([code[0] not in ".+" for code in pattern])
    full = [*pattern] if "." in pattern else [*pattern, "."]
    for code in full:
        if code == "+":
            view.append(1)
        elif code == ".":
            rest = shape[len(starts) : len(starts) + len(shape) - taken]
            starts, sizes, view = [*starts, *[0] * len(rest)], [*sizes, *rest], [*view, *rest]
        elif code == "i":
            i, n = next(given), shape[len(starts)]
            if np.ndim(i) or not np.issubdtype(jnp.result_type(i), np.integer):
                return None
            starts.append(from_start(e, i, n))
            sizes.append(1)
        elif code == "a":
            return None
        else:
            ends = {place: next(given) for place in code[1:]}
            cut = _slice(e, ends, shape[len(starts)])
            if cut is None:
                return None
            starts.append(cut[0])
            sizes.append(cut[1])
            view.append(cut[1])
    if any(map(is_traced, starts)):
        starts = [jnp.asarray(start, "int64") for start in starts]
    return Block(shape, starts, sizes, view)


def _slice(e: Run, ends: dict[str, Any], n: int) -> tuple[Any, int] | None:
    """Where a slice begins, and its size; None for one with steps."""
    start, stop, step = ends.get("1"), ends.get("2"), ends.get("3")
    if not any(map(is_traced, (start, stop, step))):
        known = range(n)[slice(*[None if x is None else int(x) for x in (start, stop, step)])]
        return (known.start, len(known)) if known.step == 1 or len(known) == 1 else None
    if step is not None and (is_traced(step) or int(step) != 1):
        raise OfManySizes(UNKNOWN)
    size = e.distance(start, stop)
    if size is None:
        raise OfManySizes(UNKNOWN)
    inside(e, start, 0, n - size)
    return start, max(size, 0)


def inside(e: Run, i: Any, low: int, high: int) -> None:
    """Python computes where an integer, or one of an array, is less than `low` or more than `high`."""
    least, most = e.interval(i)
    below = least is None or least < low
    above = most is None or most > high
    if not (below or above):
        return
    if not e.is_asked_outside(i, low, high):
        i = jnp.asarray(i)
        e.failing((i < low) | (i > high) if below and above else i < low if below else i > high)
    if is_traced(i) and low <= high:
        e.between(i, low if least is None else max(low, least), high if most is None else min(high, most))


def from_start(e: Run, i: Any, n: int) -> Any:
    """A place counted from the start, of one that may be counted from the end."""
    if not is_traced(i):
        return int(i) % n
    least, _ = e.interval(i)
    return i if least is not None and least >= 0 else jnp.where(i < 0, i + n, i)
