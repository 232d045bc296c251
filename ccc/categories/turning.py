"""Places where functions turn, jump or have no bounds, of which it is asked whether they lie between bounds.

>>> [(float(round(at / math.pi, 3)), bool(hit)) for at, hit in inside((1.0, 2.0), math.pi / 2, math.pi)]
[(0.5, True), (1.5, False)]
>>> places((-1.0, 2.0), 0.0, math.inf)
[-1.0, 2.0, 0.0]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ccc.categories.bounds import FAR, NO_BOUNDS, all_of, negated
from ccc.categories.layered import Layers, as_before, kind
from ccc.objects import Int
from ccc.primitives.arithmetic import less, less_equal
from ccc.primitives.elementary_numpy import ceil, where

FAR_AWAY = 2.0**20
"""Up to here places are off by so little that the square of it is less than a rounding."""


def beyond_range(xs: Sequence[Layers], least: float, most: float) -> tuple[list[Any], Sequence[Layers]]:
    """Whether bounds reach beyond numbers between which a function is known, and bounds that do not."""
    if (least, most) == NO_BOUNDS:
        return [], xs
    hits: list[Any] = []
    found: list[Layers] = []
    for low, high in xs:
        if isinstance(kind(low), Int):
            found.append((low, high))
            continue
        hit = negated(all_of(less(least, low), less(high, most)))
        hits.append(hit)
        found.append(tuple([as_before(where(hit, least + 1.0, end), end) for end in (low, high)]))
    return hits, found


def inside(x: Layers, first: float, step: float) -> list[tuple[Any, Any]]:
    """The first and the second of some places in equal steps that may lie between bounds, and whether they do."""
    low, high = x
    if first == math.inf:
        return []
    alone = step in (0.0, math.inf)
    if alone and first == 0.0:  # which is known exactly
        hit = all_of(less_equal(0.0, high), less_equal(low, 0.0))
        return [(at, hit) for at in ((0.0,) if step == math.inf else (0.0, -0.0))]
    slack = FAR * (abs(low) + abs(high) + (step if step != math.inf else 0.0))
    turn = first if alone else first + ceil((low - slack - first) / step) * step
    return [(at, all_of(less_equal(at, high + slack), less_equal(low - slack, at)))
            for at in ((turn,) if step == math.inf else (turn, -turn) if alone else (turn, turn + step))]


def places(x: Layers, first: float, step: float) -> list[Any]:
    """Where a function that turns at some places may be least or greatest between two bounds."""
    low, high = x
    return [low, high, *[as_before(where(hit, at, low), low) for at, hit in inside(x, first, step)]]


def far_turns(x: Layers, first: float, step: float) -> list[Any]:
    """Whether places in equal steps lie between bounds that are so far from 0 that floats miss them: what the function
    gives beside them is not what it gives there.

    >>> [bool(hit) for hit in far_turns((-1e17, 0.0), math.pi / 2, math.pi)], far_turns((-1e17, 0.0), 0.0, math.inf)
    ([True, True], [])
    """
    if step in (0.0, math.inf):
        return []
    return [all_of(hit, less(FAR_AWAY, abs(at))) for at, hit in inside(x, first, step)]


def beside(x: Layers, first: float, step: float, hits: Sequence[tuple[Any, Any]]) -> Layers:
    """Bounds, or a number that is no pole where one may lie between them."""
    low, high = x
    for _, hit in hits:
        low, high = [as_before(where(hit, first + (1.0 if step in (0.0, math.inf) else step / 2.0), y), y)
                     for y in (low, high)]
    return low, high
