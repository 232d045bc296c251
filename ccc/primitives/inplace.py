"""What augmented assignment leaves in an array: the new numbers in the old shape and dtype.

>>> updated(np.ones(2), np.zeros(2, np.float32)).dtype
dtype('float32')
>>> updated(np.ones((2, 2)), np.zeros(2))
Traceback (most recent call last):
ValueError: non-broadcastable output operand with shape (2,) doesn't match the broadcast shape (2,2)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero
from ccc.objects import Array, Object
from ccc.primitives.broadcasting import fit, kind_of
from ccc.primitives.domains import Known, alike, not_single
from ccc.primitives.facts import MOVEMENT, jointly, may_be
from ccc.primitives.primitive import Primitive
from ccc.primitives.reductions import call_source


def _updated(new: Any, old: Any, spread: bool = False) -> Any:
    if not isinstance(old, np.ndarray):
        return new
    found = np.asarray(new)
    if spread and found.shape != old.shape and np.broadcast_shapes(found.shape, old.shape) == old.shape:
        found = np.array(np.broadcast_to(found, old.shape))
    if found.shape != old.shape:
        raise ValueError(f"non-broadcastable output operand with shape {_text(old.shape)} "
                         f"doesn't match the broadcast shape {_text(found.shape)}")
    if found.ndim > 1 and found.flags.c_contiguous != old.flags.c_contiguous:  # sums follow how an array lies
        found, new = np.empty_like(old), found
        found[...] = new
    return found.astype(old.dtype, copy=False)


def _text(shape: tuple[int, ...]) -> str:
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _old(p: Any, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[1] if isinstance(args[1], Array) else args[0]


def _tangent(ds: tuple[Any, ...], y: Any, new: Any, old: Any, spread: bool = False) -> Any:
    """The tangent of `new`, which has its shape, in the dtype of `old`."""
    d = ds[0]
    a, b = (None, None) if isinstance(d, Zero) else (kind_of(d), kind_of(y))
    same = isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype and a.axes is not None and (
        b.axes is not None and len(a.axes) == len(b.axes))
    if (same and not spread) or isinstance(d, Zero):
        return d
    return updated(d, old, spread=True) if spread else updated(d, old)


def _unlike(new: Known, old: Known, spread: bool = False) -> bool:
    """Where a value has not the shape of an array."""
    return not_single(new, old) and not alike(new, old)


updated = Primitive(
    "updated", _updated, _old, call_source("updated"),
    lambda ct, y, new, old, spread=False: (fit(ct, new), ZERO), _tangent, exact=True,
    memory=may_be(0), work=MOVEMENT, like=1, linear=jointly(0), raises=_unlike,
)
"""`updated(new, old)`: `new` as it stands in the array `old` after `old[...] = new`; where `old` is a scalar, `new`. It
has the shape of `old`; with `spread`, as `out=` takes it, it may have fewer axes or axes of size 1."""
