"""Assignment to part of an array, as a function: `set_at(x, v, i)` is `x` with `x[i] = v`.

Its pullback takes from the cotangent what was written, and leaves zero there. With repeated indices the last write
counts, and only that one gets a cotangent.

>>> set_at(np.zeros(3), 2.0, 1, pattern=("i",))
array([0., 2., 0.])
>>> set_at.pullback(np.ones(3), None, np.zeros(3), 2.0, 1, pattern=("i",))
(array([1., 0., 1.]), np.float64(1.0), ZERO)

References: the index patterns are those of `ccc.primitives.indexing`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero
from ccc.objects import Array, Object
from ccc.primitives.broadcasting import fit, kind_of
from ccc.primitives.facts import MOVEMENT, NEW, jointly
from ccc.primitives.indexing import Pattern, add_at, index, index_shape, key_of, key_source, out_of_range, unfit
from ccc.primitives.primitive import Primitive
from ccc.primitives.zero_trees import filled


def _set(x: Any, v: Any, *numbers: Any, pattern: Pattern) -> Any:
    out = np.array(x)
    out[key_of(pattern, numbers)] = v
    return out


def _taken(x: Any, *numbers: Any, pattern: Pattern) -> Any:
    found = x[key_of(pattern, numbers)]
    return np.array(found) if isinstance(found, np.ndarray) else found


def _last_writes(x: Any, *numbers: Any, pattern: Pattern) -> Any:
    key = key_of(pattern, numbers)
    shape = np.shape(x[key])
    order = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    winners = np.full(np.shape(x), -1)
    winners[key] = order
    return (winners[key] == order).astype(x.dtype)


def _index_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return index.type_rule(index, args, params)


def _written(g: Any, numbers: tuple[Any, ...], pattern: Pattern) -> Any:
    """What of a cotangent belongs to the value that was written."""
    found = take_at(g, *numbers, pattern=pattern)
    kinds = [kind_of(n) for n in numbers]
    repeated = any(isinstance(a, Array) and a.dtype != "bool" for a in kinds)
    return found * last_writes(g, *numbers, pattern=pattern) if repeated else found


def _set_pullback(g: Any, y: Any, x: Any, v: Any, *numbers: Any, pattern: Pattern) -> tuple[Any, ...]:
    if all(code in ("s", ".") for code in pattern):  # nothing is left of x
        return (ZERO, fit(g, v))
    written = fit(_written(g, numbers, pattern), v)
    return (set_at(g, 0.0, *numbers, pattern=pattern), written, *[ZERO] * len(numbers))


def _set_differential(ds: tuple[Any, ...], y: Any, x: Any, v: Any, *numbers: Any, pattern: Pattern) -> Any:
    return set_at(filled(ds[0], x), 0.0 if isinstance(ds[1], Zero) else ds[1], *numbers, pattern=pattern)


def _take_pullback(ct: Any, y: Any, x: Any, *numbers: Any, pattern: Pattern) -> tuple[Any, ...]:
    return index.pullback(ct, y, x, *numbers, pattern=pattern)  # type: ignore[misc]


def _source(name: str) -> Any:
    return lambda *args, pattern: f"{name}({', '.join(args)}, pattern={pattern!r})"


def assignment_source(args: list[str], pattern: Pattern) -> str:
    """`x[key] = v` as a statement.

    >>> assignment_source(["x", "v", "i"], ("i",))
    'x[i] = v'
    """
    return f"{args[0]}[{key_source(pattern, args[2:])}] = {args[1]}"


def taken_source(args: list[str], pattern: Pattern, number: bool) -> str:
    """The expression that reads `x[key]` as it is now, of which a later change of x is not seen.

    >>> taken_source(["x", "i", "j"], ("i", "i"), number=True), taken_source(["x", "i"], ("s1",), number=False)
    ('x[i, j]', 'x[i:].copy()')
    """
    text = f"{args[0]}[{key_source(pattern, args[1:])}]"
    return text if number or "a" in pattern else f"{text}.copy()"


set_at = Primitive(
    "set_at", _set, lambda p, args, params: args[0], _source("set_at"), _set_pullback, _set_differential, exact=True,
    memory=NEW, work=MOVEMENT, overwrites=0, like=0, linear=jointly(0, 1), raises=unfit, writes=2,
)
take_at = Primitive(
    "take_at", _taken, _index_type, _source("take_at"), _take_pullback,
    lambda ds, y, x, *numbers, pattern: take_at(ds[0], *numbers, pattern=pattern), exact=True,
    memory=NEW, work=MOVEMENT, linear=jointly(0), shape=index_shape, raises=out_of_range, reads=1,
)
last_writes = Primitive(
    "last_writes", _last_writes, _index_type, _source("last_writes"),
    lambda ct, y, *xs, pattern: tuple([ZERO] * len(xs)), lambda ds, y, *xs, pattern: ZERO, exact=True,
    memory=NEW, work=MOVEMENT, sizes=(0,), raises=out_of_range,
)

__all__ = ["add_at", "assignment_source", "last_writes", "set_at", "take_at", "taken_source"]
