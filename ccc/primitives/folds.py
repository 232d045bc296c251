"""Sums of lists: Python's `sum`, which keeps what rounding loses, and `math.fsum`.

    d sum(xs, start) = sum(dxs) + dstart

>>> fsum([0.1] * 10), sum_.pullback(2.0, 3.0, [1.0, 2.0], 0)
(1.0, ([2.0, 2.0], 2.0))
"""

from __future__ import annotations

import math
from typing import Any

from ccc.additive import ZERO, add
from ccc.objects import REAL, List, Object
from ccc.primitives import arithmetic
from ccc.primitives.domains import rows_differ
from ccc.primitives.facts import MAY, NEVER, NEW, STORAGE, SUMS, copies_of, jointly, may_be
from ccc.primitives.primitive import Primitive, linear


def _sum_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    xs, start = args
    assert isinstance(xs, List)
    return arithmetic.add.type_of((start, xs.item), {})


def _item_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    xs = args[0]
    assert isinstance(xs, List)
    return xs.item


def _real(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return REAL


def _copies(ct: Any, xs: list[Any]) -> list[Any]:
    return [None if isinstance(x, int) or x is None else ct for x in xs]


added = linear(
    "added", lambda ds: sum([d for d in ds if d is not None]), _item_type, "added({})",
    lambda g, y, ds: (copies(g, ds),), exact=True, memory=may_be(), work=SUMS, raises=rows_differ,
    adding=True,
)
"""The sum of the tangents of the items of a list; None for what is not differentiable."""

copies = linear(
    "copies", _copies, lambda p, args, params: args[1], "copies({}, {})",
    lambda g, y, ct, xs: (added(g), ZERO), exact=True, memory=copies_of(0), work=STORAGE, raises=NEVER,
)
"""One cotangent for every item of a list that is differentiable."""

sum_ = Primitive(
    "sum", sum, _sum_type, "sum({}, {})",
    lambda ct, y, xs, start: (copies(ct, xs), ct),
    lambda ds, y, xs, start: add(ds[0] if ds[0] is ZERO else added(ds[0]), ds[1]), exact=True,
    memory=may_be(), work=SUMS, linear=jointly(0, 1), raises=rows_differ, adding=True,
)
fsum = Primitive(
    "math.fsum", math.fsum, _real, "math.fsum({})",
    lambda ct, y, xs: (copies(ct, xs),), lambda ds, y, xs: added(ds[0]), memory=NEW, work=SUMS,
    linear=jointly(0), raises=MAY, adding=True,
)
