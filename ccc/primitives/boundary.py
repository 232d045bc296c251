"""What crosses the boundary to the user: values and cotangents that nothing else can see, of the promised kinds.

    conform(ct, x)   the cotangent ct with the structure, kinds, dtypes and shape of x, in new arrays
    own(x)           x in new arrays, which lie in memory as those of x do: sums have the same order
    of_kind(d, x)    the number d as one of the kind that x has when it runs; of an int it is a float

>>> conform(np.float64(2), 1.0), conform(1.0, np.zeros(2)), conform([np.float64(1), None], [0.5, 3])
(2.0, array([1., 1.]), [1.0, None])
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero
from ccc.objects import Object
from ccc.primitives.broadcasting import fit
from ccc.primitives.domains import several, trees_differ
from ccc.primitives.facts import ENTRIES, FILLING, NEVER, NEW, jointly
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.zero_trees import all_zeros
from ccc.records import like, mapped, parts_of
from ccc.recursive_classes import group_of
from ccc.spaces import space_of


def _conformed(ct: Any, x: Any) -> Any:
    if x is None:
        return None
    if group_of(type(x)) is not None:
        return mapped(lambda leaf, ct: None if leaf is None else _conformed(ct, leaf), x, ct)
    if ct is None:
        return all_zeros(x)
    if isinstance(x, np.ndarray):
        if x.dtype.kind != "f":
            return None
        out = np.empty(x.shape, x.dtype)
        out[...] = ct
        return out
    if isinstance(x, (bool, int, np.integer, np.bool_)):
        return None
    if isinstance(x, (np.generic, float)):
        return type(x)(ct)
    if isinstance(x, Fraction):
        return ct
    if type(x) is dict:
        cts = ct if isinstance(ct, dict) else {}
        return {key: _conformed(cts.get(key), part) for key, part in x.items()}  # type: ignore[reportUnknownVariableType]
    if isinstance(ct, type(x)) and space_of(x) is not None:
        return ct
    parts = parts_of(x)
    if parts is not None:
        return like(x, [_conformed(c, part) for c, part in zip(parts_of(ct) or (), parts, strict=True)])
    return None


def _owned(x: Any) -> Any:
    return _owned_leaf(x) if isinstance(x, np.ndarray) else mapped(_owned_leaf, x)


def _owned_leaf(x: Any) -> Any:
    if not isinstance(x, np.ndarray):
        return x
    made = x.copy("K") if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))  # results may take this memory
    if made.strides == x.strides or min(x.strides, default=0) >= 0:
        return made
    turned = tuple([slice(None, None, -1 if step < 0 else 1) for step in x.strides])
    made = made[turned]  # backwards where `x` is: NumPy's loops round by the direction
    made[...] = x
    return made


def _of_kind(d: Any, x: Any) -> Any:
    return (type(x) if isinstance(x, (float, np.floating)) else float)(d)


def _second(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[1]


def _first(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[0]


conform = Primitive(
    "conform", _conformed, _second, "conform({}, {})",
    lambda g, y, ct, x: (fit(g, ct), ZERO),
    lambda ds, y, ct, x: ds[0] if isinstance(ds[0], Zero) else conform(ds[0], x), exact=True,
    memory=NEW, work=FILLING, sizes=(1,), like=1, linear=jointly(0), raises=trees_differ,
)
of_kind = linear("of_kind", _of_kind, _second, "of_kind({}, {})", lambda g, y, d, x: (g, ZERO),
                 memory=NEW, work=ENTRIES, sizes=(1,), raises=several)
own = Primitive("own", _owned, _first, "own({})", lambda g, y, x: (g,), lambda ds, y, x: ds[0], exact=True,
                memory=NEW, work=FILLING, like=0, linear=jointly(0), raises=NEVER, unchanged=True)
