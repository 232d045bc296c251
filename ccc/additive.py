"""The additive structure of cotangents: a commutative monoid (0, +) on every G[T].

Inside the core a zero is the symbol `ZERO`, whatever the type; `0 + x = x` and pullbacks take it to itself, so no
zero array is ever built where none is read. Real zeros appear only in what a user receives.

    add(ZERO, x) = x        add((a, b), (c, d)) = (add(a, c), add(b, d))

>>> add(ZERO, 2.0), add((1.0, ZERO), (2.0, 3.0)), total([1.0, ZERO, 4.0])
(2.0, (3.0, 3.0), 5.0)

A cotangent that touches part of a value is kept as that part: `Components` for a few components of a product,
`Contribution` for a few entries of an array.

References: *The Differentiable Curry* ("Need a notion of ≅ that respects 0 and +").
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from numbers import Number
from typing import Any

import numpy as np

from ccc.errors import CotangentMismatch
from ccc.records import is_sum_of_parts, like, parts_of
from ccc.spaces import space_of


class Zero:
    """The symbolic zero of every cotangent space.

    >>> ZERO, bool(ZERO)
    (ZERO, False)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "ZERO"

    def __bool__(self) -> bool:
        return False

    def __mul__(self, other: Any) -> Zero:
        return ZERO

    __rmul__ = __truediv__ = __mul__

    def __neg__(self) -> Zero:
        return ZERO


class ZeroLike(Zero):
    """A symbolic zero that knows a value of the space it is the zero of, for the day it must become numbers."""

    __slots__ = ("witness",)

    def __init__(self, witness: Any) -> None:
        self.witness = witness


class EmptySum(ZeroLike):
    """Where a sum begins to which cotangents are only added, so that it may as well begin at what it is added to."""

    __slots__ = ()


ZERO = Zero()


def is_zero(ct: Any) -> bool:
    """True for symbolic zeros, also inside tuples (numbers that happen to be 0.0 do not count).

    >>> is_zero(ZERO), is_zero((ZERO, ())), is_zero(0.0)
    (True, True, False)
    """
    if isinstance(ct, tuple):
        return all(map(is_zero, ct))  # type: ignore[arg-type]
    if isinstance(ct, Components):
        return all(map(is_zero, ct.entries.values()))
    return isinstance(ct, Zero)


class Components:
    """The cotangent of an n-ary product that touches only some components."""

    __slots__ = ("entries", "size")

    def __init__(self, size: int, entries: dict[int, Any]) -> None:
        self.size = size
        self.entries = entries

    def __repr__(self) -> str:
        return repr(parts(self, self.size))


def parts(ct: Any, size: int) -> tuple[Any, ...]:
    """The components of the cotangent of a product, `ZERO` where nothing was contributed.

    >>> parts(Components(3, {1: 2.0}), 3), parts(ZERO, 2)
    ((ZERO, 2.0, ZERO), (ZERO, ZERO))
    """
    if isinstance(ct, tuple):
        if len(ct) != size:  # type: ignore[arg-type]
            raise CotangentMismatch(f"a cotangent with {len(ct)} components met a product of {size}")  # type: ignore[arg-type]
        return ct  # type: ignore[return-value]
    if isinstance(ct, Components):
        entries = ct.entries
        return tuple([entries.get(i, ZERO) for i in range(size)])
    if isinstance(ct, Zero):
        return (ZERO,) * size
    raise CotangentMismatch(f"{type(ct).__name__} is no cotangent of a product of {size}")


class Contribution:
    """A cotangent of an array that touches part of it: `onto` adds it to a dense one, `dense` makes it one, `zero` is
    a dense zero of the same shape. A sum begins with those that have a number `starts`, in its order: they can add to
    what is there already before they are computed."""

    __slots__ = ()
    starts: float = math.inf

    def onto(self, accumulator: Any) -> Any:
        raise NotImplementedError

    def dense(self) -> Any:
        raise NotImplementedError

    def zero(self) -> Any:
        raise NotImplementedError


class Sum(Contribution):
    """A formal sum of contributions to one array (a rope: `+` is O(1))."""

    __slots__ = ("left", "right", "starts")

    def __init__(self, left: Contribution, right: Contribution) -> None:
        self.left = left
        self.right = right
        self.starts: float = min(left.starts, right.starts)

    def terms(self) -> list[Contribution]:
        found: list[Contribution] = []
        todo: list[Contribution] = [self]
        while todo:
            node = todo.pop()
            if isinstance(node, Sum):
                todo += (node.right, node.left)
            else:
                found.append(node)
        return found

    def ordered(self) -> list[Contribution]:
        """The terms in the order in which they are added."""
        return sorted(self.terms(), key=lambda term: term.starts)

    def onto(self, accumulator: Any) -> Any:
        for term in self.ordered():
            accumulator = term.onto(accumulator)
        return accumulator

    def zero(self) -> Any:
        return self.terms()[0].zero()

    def dense(self) -> Any:
        first, *rest = self.ordered()
        result = first.dense()
        for term in rest:
            result = term.onto(result)
        return result


def dense(ct: Any) -> Any:
    """The same cotangent with every `Contribution` turned into an array."""
    return ct.dense() if isinstance(ct, Contribution) else ct


def is_whole(value: Any) -> bool:
    """False for a record with parts to which nothing was contributed: None, or a symbolic zero."""
    parts = parts_of(value)
    return parts is None or not any([part is None or isinstance(part, Zero) for part in parts])


def add(a: Any, b: Any) -> Any:
    """The sum of two cotangents of one value.

    >>> add(1.0, 2.0), add([1.0], [2.0])
    (3.0, [3.0])

    Raises `CotangentMismatch` where the two cannot belong to one value.
    """
    if type(a) is type(b) and type(a) in _PLAIN:
        return a + b
    if isinstance(a, Zero):
        return b if not isinstance(b, Zero) or isinstance(b, ZeroLike) else a
    if isinstance(b, Zero):
        return a
    if a is None or b is None:  # the cotangent of what is not differentiable: the one element of the unit
        return b if a is None else a
    if isinstance(a, Components) or isinstance(b, Components):
        return _add_components(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):  # type: ignore[arg-type]
            raise CotangentMismatch("cotangents of products of different sizes cannot be added")
        return tuple(map(add, a, b))  # type: ignore[arg-type]
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):  # type: ignore[arg-type]
            raise CotangentMismatch("cotangents of lists of different lengths cannot be added")
        return [add(x, y) for x, y in zip(a, b, strict=True)]  # type: ignore[arg-type]
    if isinstance(a, Contribution):
        return Sum(a, b) if isinstance(b, Contribution) else a.onto(b)
    if isinstance(b, Contribution):
        return b.onto(a)
    if type(a) is dict and type(b) is dict:
        return a | {key: add(a[key], ct) if key in a else ct for key, ct in b.items()}  # type: ignore[reportUnknownVariableType]
    space = space_of(a)
    if space is not None and type(b) is type(a) and is_whole(a) and is_whole(b):
        return space.add(a, b)
    if not isinstance(a, _NUMBERS) and is_sum_of_parts(a):
        return like(a, [add(x, y) for x, y in zip(parts_of(a) or (), parts_of(b) or (), strict=True)])
    if _differ_in_kind(a, b):
        raise CotangentMismatch(f"cotangents {type(a).__name__} and {type(b).__name__} cannot be added")
    return a + b


def _differ_in_kind(a: Any, b: Any) -> bool:
    """True for a pair or a list beside something else; Python and NumPy would concatenate or broadcast them."""
    if isinstance(a, _STRUCTURES):
        return isinstance(b, (*_STRUCTURES, *_NUMBERS))
    return isinstance(b, _STRUCTURES) and isinstance(a, _NUMBERS)


_STRUCTURES = (tuple, list)
_NUMBERS = (Number, np.ndarray)
_PLAIN = frozenset((float, complex, Fraction))  # asked first: most cotangents are numbers of these types


def _add_components(a: Any, b: Any) -> Any:
    if not isinstance(a, Components):
        a, b = b, a
    if isinstance(b, tuple):
        return tuple([add(x, a.entries[i]) if i in a.entries else x for i, x in enumerate(b)])  # type: ignore[arg-type]
    if not isinstance(b, Components) or a.size != b.size:
        raise CotangentMismatch("cotangents of different products cannot be added")
    entries = dict(a.entries)
    for i, ct in b.entries.items():
        entries[i] = add(entries[i], ct) if i in entries else ct
    return Components(a.size, entries)


def total(cts: Iterable[Any]) -> Any:
    """The sum of any number of cotangents of one value; the empty sum is `ZERO`.

    >>> total([]), total([(1.0, ZERO), Components(2, {0: 1.0})])
    (ZERO, (2.0, ZERO))
    """
    result: Any = ZERO
    entries: dict[int, Any] = {}
    size = -1
    for ct in cts:
        if isinstance(ct, Components):
            if size not in (-1, ct.size):
                raise CotangentMismatch("cotangents of different products cannot be added")
            size = ct.size
            for i, part in ct.entries.items():
                entries[i] = add(entries[i], part) if i in entries else part
        else:
            result = add(result, ct)
    return add(result, Components(size, entries)) if entries else result
