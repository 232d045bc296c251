"""Seeing a value at a wider object: an int as a real, one kind of scalar as any. The value stays what it is.

>>> widen(3)
3
"""

from __future__ import annotations

from ccc.primitives.facts import NEVER, SIZES, jointly, same
from ccc.primitives.primitive import Primitive

widen = Primitive(
    "widen", lambda x: x, lambda p, args, params: args[0], "{}",
    lambda ct, y, x: (ct,), lambda ds, y, x: ds[0], exact=True, chooses=True, unseen=True, memory=same(), work=SIZES,
    linear=jointly(0), raises=NEVER,
)
