"""Zeros and sums of the cotangents of all values: of a list those of its items, of a tuple those of its parts. What is
not differentiable inside one has the cotangent None.

>>> zeros_like([1.0, (2, np.ones(2))])
[0.0, (None, array([0., 0.]))]
>>> add_trees([1.0, (None, 2.0)], [10.0, (None, 20.0)])
[11.0, (None, 22.0)]
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, is_whole
from ccc.base import Traced
from ccc.coproducts import join
from ccc.objects import UNIT, List, Map, Object, Real, is_discrete
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import trees_differ
from ccc.primitives.facts import FILLING, NEVER, NEW, NOTHING, STORAGE, jointly, may_be
from ccc.primitives.primitive import Primitive
from ccc.records import Code, like, mapped, parts_of
from ccc.recursive_classes import group_of
from ccc.spaces import space_of

PLAIN = frozenset({np.ndarray, np.float64, float})
"""What is added by `+`, and has no parts."""


NUMBERS = (float, np.float64, np.float32)


def zeros_of(x: Any) -> Any:
    if isinstance(x, (bool, np.bool_, int, np.integer)):
        return None
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype) if x.dtype.kind == "f" else None
    if isinstance(x, (float, np.floating, Fraction)):
        return type(x)(0)
    space = space_of(x)
    if space is not None:
        return space.zero(x)
    if group_of(type(x)) is not None or isinstance(x, Code):
        return None  # of a tree, which is not walked for its zero, or of one of several functions
    parts = parts_of(x)
    if parts is None:
        return None
    zeros = list(map(zeros_of, parts))
    return like(x, of_one_type(zeros) if isinstance(x, list) else zeros)


def of_one_type(zeros: list[Any]) -> list[Any]:
    """The zeros of the items of a list, which have one type: an integer beside reals stands for one.

    >>> of_one_type([None, 0.0]), of_one_type([[0.0, None], [None, None]]), of_one_type([(None, 0.0), (None, None)])
    ([0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]], [(None, 0.0), (None, 0.0)])
    """
    kinds = set(map(type, zeros))
    if type(None) in kinds and not kinds.isdisjoint(NUMBERS):
        return [0.0 if zero is None else zero for zero in zeros]
    if kinds == {list}:
        flat = of_one_type([zero for row in zeros for zero in row])
        rest = iter(flat)
        return [list(islice(rest, len(row))) for row in zeros]
    if kinds == {tuple} and len(set(map(len, zeros))) == 1:
        return list(zip(*[of_one_type(list(column)) for column in zip(*zeros, strict=True)], strict=True)) or zeros
    return zeros


def all_zeros(x: Any) -> Any:
    """The zero cotangent of a value with numbers everywhere."""
    if group_of(type(x)) is None:
        parts = parts_of(x)
        return zeros_of(x) if parts is None else like(x, list(map(all_zeros, parts)))
    return mapped(lambda leaf: None if leaf is None else all_zeros(leaf), x)


def sum_of_trees(a: Any, b: Any) -> Any:
    if type(a) in PLAIN and type(b) in PLAIN:
        return a + b
    if a is None or isinstance(a, Zero):
        return b
    if b is None or isinstance(b, Zero):
        return a
    space = space_of(a) or space_of(b)
    if space is not None and is_whole(a) and is_whole(b):
        return space.add(a, b) if type(a) is type(b) else a if type(a) is space.cls else b
    a, b = _as_rows(a, b), _as_rows(b, a)
    parts, others = parts_of(a), parts_of(b)
    if (parts is None) is not (others is None) or is_record_of_another(a, b):
        return of_one(a, b)
    if parts is None or others is None:
        return a + b
    if type(a) is dict and type(b) is dict:  # maps may lack keys, at which they are zero
        return a | {key: sum_of_trees(a.get(key), ct) for key, ct in b.items()}  # type: ignore[reportUnknownVariableType]
    return like(a, [sum_of_trees(x, y) for x, y in zip(parts, others, strict=True)])


def is_record_of_another(a: Any, b: Any) -> bool:
    """Whether two cotangents are records of two classes."""
    return type(a) is not type(b) and isinstance(a, Code) and isinstance(b, Code)


def of_one(a: Any, b: Any) -> Any:
    """The sum of cotangents of two alternatives, one of which is zero: what the variable held before, or did not.

    >>> of_one((1.0, 2.0), 0.0), of_one(np.ones(2), (0.0, None))
    ((1.0, 2.0), array([1., 1.]))
    """
    if is_nothing(a):
        return b
    if not is_nothing(b):
        raise TypeError(f"cotangents of {type(a).__name__} and {type(b).__name__} do not add up")
    return a


def is_nothing(x: Any) -> bool:
    """Whether all numbers of a cotangent are zero."""
    if x is None or isinstance(x, Zero):
        return True
    if isinstance(x, np.ndarray):
        return not np.any(x)
    parts = parts_of(x)
    return not x if parts is None else all(map(is_nothing, parts))


def _as_rows(x: Any, other: Any) -> Any:
    """An array that stands for the list of its rows, beside a list."""
    return list(x) if isinstance(x, np.ndarray) and isinstance(other, list) else x


def of_first(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """The object of the first argument."""
    return args[0]


def _widest(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, b = args
    return (join(a, b) or a) if isinstance(a, Map) and isinstance(b, Map) else a


def _zeros_or_zero(x: Any) -> Any:
    """The zero cotangent of a value; of one that a branch did not make, the number 0, which adds to any, and of
    integers that stand for reals, real zeros."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "fi":
        return np.zeros(x.shape, x.dtype if x.dtype.kind == "f" else float)
    return 0.0 if x is None or type(x) is int else zeros_of(x)


empty_map = Primitive(
    "empty_map", lambda of: {}, lambda p, args, params: params["of"], lambda of: "{}",
    lambda ct, y, of: (), lambda ds, y, of: ZERO, exact=True, memory=NEW, work=FILLING,
    bounds=NOTHING, raises=NEVER,
)


def empty_like(x: Any) -> Any:
    """The map without items, which is the zero cotangent of every map; `x` says its type alone."""
    return x.base.apply(empty_map, (), {"of": x.object}, None) if isinstance(x, Traced) else {}


zeros_like = Primitive(
    "zeros_like", _zeros_or_zero, of_first, "zeros_like({})", lambda ct, y, x: (ZERO,), lambda ds, y, x: ZERO,
    exact=True, memory=NEW, work=FILLING, sizes=(0,), like=0, bounds=NOTHING, raises=NEVER,
)


def _spread_zero(x: Any) -> Any:
    if x is None:  # what no run has made so far
        return 0.0
    return np.broadcast_to(np.zeros((), getattr(x, "dtype", float)), np.shape(x))


spread_zero = Primitive(
    "spread_zero", _spread_zero, of_first, "spread_zero({})", lambda ct, y, x: (ZERO,), lambda ds, y, x: ZERO,
    exact=True, memory=NEW, read_only=True, work=FILLING, sizes=(0,), like=0, bounds=NOTHING, raises=NEVER,
)
"""Zeros in the shape of an array, in the memory of one: what is kept of an array of which nothing else is read."""


add_trees = Primitive(
    "add_trees", sum_of_trees, _widest, "add_trees({}, {})",
    lambda ct, y, a, b: (ct, ct),
    lambda ds, y, a, b: ds[0] if isinstance(ds[1], Zero) else ds[1] if isinstance(ds[0], Zero) else add_trees(*ds),
    exact=True, memory=may_be(), work=STORAGE, overwrites=0, linear=jointly(0, 1), adds=(0,), raises=trees_differ,
)


def zero_for(x: Any) -> Any:
    """A real zero cotangent of `x`, traced or not; nothing is recorded for a scalar."""
    a = kind_of(x)
    if isinstance(a, Real):
        return Fraction(0) if a.kind == "fraction" else 0.0
    return empty_like(x) if isinstance(a, Map) else zeros_like(x)


def filled(ct: Any, x: Any) -> Any:
    """`ct`, or a real zero where it is symbolic; None for what is not differentiable."""
    a = kind_of(x)
    if is_discrete(a) and not (isinstance(a, (List, Map)) and a.item == UNIT):
        return None
    return zero_for(x) if isinstance(ct, Zero) else ct
