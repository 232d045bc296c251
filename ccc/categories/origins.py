"""Which numbers of its arguments each number of a primitive's result is made of, as facts of the primitive say.

    by items      an item of the result, of that item of each argument, as they broadcast
    moved         where numbers stand that were told apart by their places
    linear        those of which the pullback of one number of the result is not zero
    else          all of them

The numbers of a value are counted in its order, through tuples, lists, records and arrays.

>>> import numpy as np
>>> from ccc.objects_of_values import object_of
>>> from ccc.primitives.shaping import flip
>>> x = np.array([1.0, 2.0, 4.0])
>>> [sorted(origins(Prim(flip, object_of(x), object_of(x)), (x,), [False], x[::-1])(k)) for k in range(3)]
[[2], [1], [0]]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from ccc.additive import ZERO, Components, Zero, dense
from ccc.arrows import Prim
from ccc.categories.layered import STILL, goes_by_items
from ccc.primitives.primitive import Primitive
from ccc.records import like, parts_of

Origins = Callable[[int], Collection[int]]
FIRST = 2**40 + 1


def origins(term: Prim, xs: Sequence[Any], skipped: Sequence[bool], y: Any) -> Origins:
    """By the number of a result, those of the arguments that it is made of, but for arguments that are `skipped`."""
    p, params = term.primitive, dict(term.params)
    starts = starts_of(xs)
    if p.work in STILL:
        ids = [x if skip else told_apart(x, start) for x, skip, start in zip(xs, skipped, starts, strict=True)]
        sources = numbers_of(p.value(*ids, **params))
        return lambda k: (int(sources[k]) - FIRST,) if sources[k] >= FIRST else ()
    if goes_by_items(term):
        places = [np.arange(count_of(x)).reshape(np.shape(x)) + start for x, start in zip(xs, starts, strict=True)]
        spread = [np.broadcast_to(at, np.shape(y)).ravel()
                  for at, skip in zip(places, skipped, strict=True) if not skip]
        return lambda k: [int(at[k]) for at in spread]
    groups = p.linear_of(params).groups(len(xs))
    straight = {i for group in groups for i in group} if p.pullback is not None else set[int]()
    whole = [k for i, (x, skip, start) in enumerate(zip(xs, skipped, starts, strict=True))
             if not skip and i not in straight for k in range(start, start + count_of(x))]
    at = [told_apart(x, 0) if len(groups) > 1 and i in straight else x for i, x in enumerate(xs)]
    moving = [i for i, skip in enumerate(skipped) if not skip and i in straight]
    of = linear(p, at, params, moving, starts) if moving else lambda k: ()
    return lambda k: [*whole, *of(k)]


def linear(
    p: Primitive, xs: Sequence[Any], params: dict[str, Any], moving: Sequence[int], starts: Sequence[int]
) -> Origins:
    """Those of `moving` arguments of which the pullback of one number is not zero, at arguments of which no number is.
    """
    y = p.value(*xs, **params)

    def of(k: int) -> Collection[int]:
        assert p.pullback is not None
        cts = p.pullback(unit(y, k), y, *xs, **params)
        return [starts[i] + j for i in moving for j, v in enumerate(numbers_of(filled(dense(cts[i]), xs[i]))) if v != 0]

    return of


def unit(y: Any, k: int) -> Any:
    """The value with one for its k-th number and zero for all others."""
    numbers = [0.0] * count_of(y)
    numbers[k] = 1.0
    return with_numbers(y, iter(numbers))


def filled(ct: Any, x: Any) -> Any:
    """A cotangent with numbers for all zeros."""
    if isinstance(ct, Zero):
        return with_numbers(x, iter([0.0] * count_of(x)))
    inside = parts_of(x)
    if inside is None:
        return ct
    cts = [ct.entries.get(i, ZERO) for i in range(ct.size)] if isinstance(ct, Components) else parts_of(ct) or ()
    return like(x, [filled(dense(part), of) for part, of in zip(cts, inside, strict=True)])


# -- numbers in a value ----------------------------------------------------------------------------------------------


def count_of(x: Any) -> int:
    """How many numbers stand in a value.

    >>> count_of([(1.0, 2), np.zeros((2, 3))])
    8
    """
    inside = parts_of(x)
    return np.size(x) if inside is None else sum(map(count_of, inside))


def starts_of(xs: Sequence[Any]) -> list[int]:
    """The number of the first number of each value."""
    return [0, *accumulate(map(count_of, xs))][: len(xs)]


def numbers_of(x: Any) -> list[Any]:
    """The numbers in a value."""
    inside = parts_of(x)
    if inside is not None:
        return [v for part in inside for v in numbers_of(part)]
    return x.ravel().tolist() if isinstance(x, np.ndarray) else [x]


def with_numbers(x: Any, numbers: Any) -> Any:
    """A value with the next of some numbers in the place of its own."""
    inside = parts_of(x)
    if inside is not None:
        return like(x, [with_numbers(part, numbers) for part in inside])
    if isinstance(x, np.ndarray):
        return np.array([next(numbers) for _ in range(x.size)], float).reshape(x.shape)
    return next(numbers)


def told_apart(x: Any, start: int) -> Any:
    """A value whose real numbers are their places, from a number on that no program says; what is no real number
    stays."""
    inside, first = parts_of(x), FIRST + start
    if inside is not None:
        return like(x, [told_apart(part, start + at) for part, at in zip(inside, starts_of(inside), strict=True)])
    if isinstance(x, np.ndarray):
        return (np.arange(x.size) + float(first)).reshape(x.shape) if x.dtype.kind == "f" else x
    return float(first) if isinstance(x, (float, np.floating, Fraction)) else x
