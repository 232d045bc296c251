"""Where primitives raise: predicates of what is known of their arguments when a program is compiled.

A predicate takes the arguments, each as `Known`, and the parameters; it is true where the value may raise at some such
arguments. What is elementwise says it of items: that arrays of other sizes do not combine is known of all of it.

>>> from ccc.objects import INT, REAL
>>> divides_by_zero(Known(REAL), Known(REAL)), divides_by_zero(Known(REAL), Known(REAL, 1e-30))
(True, False)
>>> not_finite(Known(REAL)), not_finite(Known(INT)), not_finite(Known(REAL, 2.0, 2.0))
(True, False, False)
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ccc.objects import Array, Bool, Coproduct, Int, List, Map, Object, Product, Real, Static, Text
from ccc.primitives.sizes import ONE, Size, Sized, is_size

OF_PYTHON = frozenset({"float", "fraction", "any", "int", "bool"})
"""The kinds of numbers that are Python's own, or may be."""
LARGEST = 1e30
"""Finite numbers count up to this: that the square of a larger one may overflow is found where it is read."""
LIMIT = math.log(sys.float_info.max)
"""Where the exponential function overflows."""
HYPERBOLIC = LIMIT + math.log(2.0)
"""Where hyperbolic functions do."""


class Sizes(NamedTuple):
    """What is known of the sizes of arguments, when two sizes surely are the same, and when a number surely is not
    negative."""

    of: Sequence[Sized]
    same: Callable[[Size, Size], bool] = operator.eq
    natural: Callable[[Size], bool] = is_size


class Known:
    """An argument: its object, and between which its numbers lie; of what is no literal they may be no numbers. What is
    known of its sizes is `sized`; `same` says which of them are equal, and `natural` which are not negative. No finite
    number counts for more than `largest`."""

    __slots__ = ("high", "largest", "low", "natural", "object", "same", "sized")

    def __init__(
        self, a: Object, low: float = -math.inf, high: float = math.inf, sized: Sized | None = None,
        same: Callable[[Size, Size], bool] = operator.eq, natural: Callable[[Size], bool] = is_size,
        largest: float = LARGEST,
    ) -> None:  # fmt: skip
        self.object = a
        self.largest = largest
        self.sized = Sized(a) if sized is None else sized
        self.same, self.natural = same, natural
        least, most = _range(a)
        self.low = low if low != low else max(low, least)
        self.high = high if high != high else min(high, most)

    def has(self, x: float) -> bool:
        """Whether the number may be `x`."""
        return self.low <= x <= self.high

    @property
    def finite(self) -> bool:
        return -math.inf < self.low and self.high < math.inf

    @property
    def of_python(self) -> bool:
        """Whether it is a number of Python's own, whose operators raise."""
        return isinstance(self.object, (Real, Int, Bool)) and self.object.kind in OF_PYTHON

    @property
    def axes(self) -> tuple[str, ...] | None:
        """The axes that it has as an array."""
        return self.object.axes if isinstance(self.object, Array) else ()

    @property
    def single(self) -> bool:
        """Whether it is one number, or an array of one."""
        return self.axes is not None and all(axis == "1" for axis in self.axes)

    def size(self, axis: int) -> Size | None:
        """The size along an axis, None where nothing is known of it."""
        if self.axes and self.axes[axis] == "1":
            return ONE
        return None if self.sized.shape is None else self.sized.shape[axis]

    def has_items(self, axis: int) -> bool:
        """Whether there surely is something along an axis."""
        size = self.size(axis)
        return size is not None and not size.terms and size.constant > 0

    def has_size(self, axis: int, size: Size | None) -> bool:
        """Whether it surely has a size along an axis."""
        own = self.size(axis)
        return own is not None and size is not None and self.same(own, size)

    def counts(self) -> bool:
        """Whether the number surely is not negative."""
        return self.low >= 0 or (self.sized.number is not None and self.natural(self.sized.number))

    def names_place(self, size: Size | None) -> bool:
        """Whether the number surely names a place, counted from the front or the back, among as many as a size."""
        if size is None or self.sized.ends is None:
            return False
        first, last = self.sized.ends
        if not last.terms and last.constant < 0:
            return self.natural(size + first)
        return self.natural(first) and self.natural(size - ONE - last)


def _range(a: Object) -> tuple[float, float]:
    """Between which the numbers of an object lie."""
    kind = a.dtype if isinstance(a, Array) else getattr(a, "kind", "float")
    if isinstance(a, Bool) or kind == "bool":
        return 0.0, 1.0
    if kind.startswith("uint"):
        return 0.0, sys.float_info.max
    if isinstance(a, Int) or kind.startswith("int") or kind == "fraction":
        return -sys.float_info.max, sys.float_info.max
    return -math.inf, math.inf


def combine(xs: Sequence[Sized], same: Callable[[Size, Size], bool] = operator.eq) -> bool:
    """Whether arrays broadcast together whatever their sizes are, as far as these are not known."""
    arrays = [(x.object.axes, x.shape) for x in xs if isinstance(x.object, Array)]
    if len(arrays) < 2:
        return True
    if any([axes is None for axes, _ in arrays]):
        return False
    columns: dict[int, Size | None] = {}
    for axes, shape in arrays:
        for place, axis in enumerate(reversed(axes or ()), 1):
            if axis == "1":
                continue
            size = None if shape is None else shape[-place]
            if place not in columns:
                columns[place] = size
                continue
            wide = columns[place]
            if size is None or wide is None or not same(size, wide):
                return False
    return True


def alike(x: Known, y: Known) -> bool:
    """Whether two arrays surely have one shape."""
    if x.axes is None or y.axes is None or len(x.axes) != len(y.axes):
        return False
    return all(x.has_size(i, y.size(i)) for i, _ in enumerate(x.axes))


def spreads(x: Known, shape: Sequence[Size | None]) -> bool:
    """Whether an array is surely broadcast to a shape."""
    axes = x.axes
    if axes is None or len(axes) > len(shape):
        return False
    return all(axes[i] == "1" or x.has_size(i, shape[i]) for i in range(-len(axes), 0))


# -- numbers ---------------------------------------------------------------------------------------------------------


def below(bound: float, place: int = 0) -> Callable[..., bool]:
    """Where an argument is less than a number."""
    return lambda *xs, **params: xs[place].low < bound


def up_to(bound: float) -> Callable[..., bool]:
    """Where the argument is a number or less."""
    return lambda x: x.low <= bound


def above(bound: float) -> Callable[..., bool]:
    """Where the argument is more than a number."""
    return lambda x: x.high > bound


def beyond(bound: float) -> Callable[..., bool]:
    """Where the argument is more than a number, or less than its negative."""
    return lambda x: x.high > bound or x.low < -bound


def any_below(bound: float) -> Callable[..., bool]:
    """Where one of the arguments is less than a number."""
    return lambda *xs, **params: any(x.low < bound for x in xs)


def not_finite(x: Known) -> bool:
    """Where the argument is infinite or not a number."""
    return not x.finite


def several(*xs: Known) -> bool:
    """Where the first argument is an array of none or several, or a text."""
    return not xs[0].single or isinstance(xs[0].object, Text)


def several_or_not_finite(x: Known) -> bool:
    """Where the argument is not one finite number."""
    return several(x) or not x.finite


def zero(x: Known) -> bool:
    """Where the argument is zero."""
    return x.has(0.0)


def no_order(n: Known, x: Known) -> bool:
    """Where the order of a derivative is negative, or so large that its coefficients overflow."""
    return n.low < 0 or n.high > 100


def divides_by_zero(a: Known, b: Known) -> bool:
    """Where Python's own numbers are divided by zero; those of NumPy are not refused."""
    return a.of_python and b.of_python and b.has(0.0)


def goes_beyond(*args: Known) -> bool:
    """Where an integer of Python's stands beside one of a dtype that has none such, as 300 beside one of uint8."""
    return any(is_none_of(n, other.object) for n in args for other in args)


def is_none_of(n: Known, a: Object) -> bool:
    """Whether an integer of Python's may be none of the dtype of an object; those of int64 are as large as any here."""
    dtype = a.dtype if isinstance(a, Array) else a.kind if isinstance(a, Int) else "int64"
    if not (isinstance(n.object, Int) and n.of_python) or dtype in ("int", "any", "int64") or "int" not in dtype:
        return False
    info = np.iinfo(dtype)
    return n.low < info.min or n.high > info.max


def shifts_back(a: Known, b: Known) -> bool:
    """Where Python's own integers are shifted by less than nothing."""
    return a.of_python and b.of_python and b.low < 0


def remainder_of_infinity(a: Known, b: Known) -> bool:
    """Where the remainder of what is infinite is asked for, or that by zero."""
    return not a.finite or b.has(0.0)


def power_of_integers(a: Known, n: Known) -> bool:
    """Where an integer of NumPy has a negative power."""
    return not _is_real(a.object) and not _is_real(n.object) and n.low < 0


def power(a: Known, n: Known) -> bool:
    """Where Python's own zero has a negative power, or a power overflows; or `power_of_integers` raises."""
    if not (a.of_python and n.of_python):
        return power_of_integers(a, n)
    exact = not _is_float(a.object) and not _is_float(n.object)
    return (n.low < 0 and a.has(0.0)) or (not exact and _overflows(a, n))


def real_power(a: Known, n: Known) -> bool:
    """The same of `math.pow`, which refuses powers of negative numbers that are not real."""
    whole = n.low == n.high and n.low % 1 == 0
    return (n.low < 0 and a.has(0.0)) or _overflows(a, n) or (a.low < 0 and not whole and _is_real(n.object))


def complex_power(d: Known, a: Known, n: Known) -> bool:
    """Where a negative number of Python's has a power that is no whole number, which is complex."""
    whole = n.low == n.high and n.low % 1 == 0
    return a.of_python and n.of_python and a.low < 0 and not whole and _is_real(n.object)


def _overflows(a: Known, n: Known) -> bool:
    ends = [abs(x) if a.low == a.high else min(abs(x), a.largest) for x in (a.low, a.high)]
    most, least = max(ends), max(0.0 if a.has(0.0) else min(ends), 1.0 / a.largest)
    return (most > 1 and n.high * math.log(most) > LIMIT) or (least < 1 and n.low * math.log(least) > LIMIT)


def _is_float(a: Object) -> bool:
    return isinstance(a, Real) and a.kind != "fraction"


def _is_real(a: Object) -> bool:
    return isinstance(a, Real) or (isinstance(a, Array) and a.is_real)


# -- sizes -----------------------------------------------------------------------------------------------------------


def unranked(*xs: Known, **params: Any) -> bool:
    """Where axes are named of an array whose rank is not known."""
    named = any(value is not None and value is not False for value in params.values())
    return named and any(x.axes is None for x in xs)


def unknown_rank(*xs: Known, **params: Any) -> bool:
    """Where the rank of an array is not known."""
    return any(x.axes is None for x in xs)


def ranked(x: Known, **params: Any) -> bool:
    """Where an array may have axes, and where a value may be none."""
    return isinstance(x.object, Coproduct) or (isinstance(x.object, Array) and x.object.axes != ())


def uncombined(*xs: Known, **params: Any) -> bool:
    """Where the sizes of arrays do not combine."""
    return not combine([x.sized for x in xs], xs[0].same)


def not_single(*xs: Known, **params: Any) -> bool:
    """Where one of the arguments has an axis of a size that is not known to be 1."""
    return not all(x.single for x in xs)


def first_two_not_single(a: Known, b: Known, *others: Known, **params: Any) -> bool:
    """Where the first or the second argument has an axis of a size that is not known to be 1."""
    return not (a.single and b.single)


def first_not_single(*xs: Known, **params: Any) -> bool:
    """Where the first argument has an axis of a size that is not known to be 1."""
    return not xs[0].single


def empty(x: Known, axis: Any = None, **params: Any) -> bool:
    """Where there may be nothing along the axes of a reduction."""
    if x.axes is None:
        return True
    places = range(len(x.axes)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return not all(x.has_items(i) for i in places)


def negative_sizes(*sizes: Known, **params: Any) -> bool:
    """Where the size of an array is negative."""
    return not all(n.counts() for n in sizes)


def unequal(*xs: Known, **params: Any) -> bool:
    """Where several arrays have not the same sizes."""
    return not_single(*xs) and not all(alike(xs[0], x) for x in xs[1:])


def trees_differ(*xs: Known, **params: Any) -> bool:
    """Where arrays and lists in two values of one structure have not the sizes that combine."""
    return _differ(*[x.object for x in xs[:2]])


def _differ(a: Object, b: Object) -> bool:
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        return any(map(_differ, a.parts, b.parts))
    if isinstance(a, Map) and isinstance(b, Map):
        return _differ(a.item, b.item)
    plain = (Real, Int, Bool, Array, Static, Text)
    return not (isinstance(a, plain) and isinstance(b, plain) and combine([Sized(a), Sized(b)]))


def shapes_differ(x: Known, y: Known, **params: Any) -> bool:
    """Where arrays and lists in two values of one structure are not surely of one shape: an array and a number are
    not."""
    return not _alike(x.object, y.object)


def _alike(a: Object, b: Object) -> bool:
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        return all(map(_alike, a.parts, b.parts))
    if isinstance(a, Array) and isinstance(b, Array):
        return a.axes == b.axes is not None and all(axis == "1" for axis in a.axes or ())
    plain = (Real, Int, Bool, Static, Text)
    return isinstance(a, plain) and isinstance(b, plain)


def rows_differ(xs: Known, *others: Known, **params: Any) -> bool:
    """Where the items of a list are arrays or lists of several sizes."""
    a = xs.object.item if isinstance(xs.object, List) else xs.object
    return isinstance(a, List) or not Known(a).single
