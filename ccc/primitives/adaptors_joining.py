"""Functions of NumPy's that put arrays together, under their own signatures: one array or several, or a list of them
whose length is not known.

>>> np_stack([np.ones(2), np.zeros(2)]), np_hstack((1.0, np.ones(2)))
(array([[1., 1.],
       [0., 0.]]), array([1., 1., 1.]))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.objects import Array, Bool, Int, List, Real
from ccc.primitives import bilinear, joining, shaping
from ccc.primitives.adaptors import np_asarray, np_ravel, real_array
from ccc.primitives.arguments import dtype_name, items, kinds, static
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.reductions import dtype_of
from ccc.primitives.structure import rows
from ccc.wording import in_words


def holds_arrays(xs: Any) -> bool:
    """True for a list of arrays whose length is not known."""
    kind = kinds(xs)
    return isinstance(kind, List) and isinstance(kind.item, Array)


def numbers_as_array(xs: Any) -> Any:
    """A sequence to be joined: a list of numbers whose length is not known is an array of them."""
    kind = kinds(xs)
    return np_asarray(xs) if isinstance(kind, List) and isinstance(kind.item, (Real, Int, Bool)) else xs


def rank_in(xs: Any) -> int | None:
    """How many axes the arrays have in a list whose length is not known; None for other sequences."""
    kind = kinds(xs)
    item = kind.item if isinstance(kind, List) else None
    if not isinstance(item, Array):
        return None
    if item.axes is None:
        raise TypeError("needs arrays whose number of axes is known: write np.concatenate with an axis")
    return len(item.axes)


def listed(xs: Any, name: str) -> Any:
    """A sequence to be joined: of an array, the list of its rows, where numbers count as rows of one."""
    xs = numbers_as_array(xs)
    rank = bilinear.rank_of(xs) if isinstance(kinds(xs), Array) else None
    if rank is None:
        return xs
    if rank == 0:
        raise TypeError(f"{name} takes a sequence of arrays: found {in_words(kind_of(xs))}")
    return rows(shaping.expand_dims(xs, axis=1) if rank == 1 else xs)


def typed(join: Callable[..., Any]) -> Callable[..., Any]:
    """A function that puts arrays together, of a dtype if it is given."""

    def adaptor(*args: Any, dtype: Any = None, casting: Any = "same_kind", **named: Any) -> Any:
        found = join(*args, **named)
        if dtype is None:
            return found
        if not np.can_cast(dtype_of(kind_of(found)), dtype, casting):
            raise TypeError(f"Cannot cast array data from {np.dtype(dtype_of(kind_of(found)))!r} to "
                            f"{np.dtype(dtype)!r} according to the rule {casting!r}")
        return shaping.astype(found, dtype=dtype_name(dtype))

    return adaptor


@typed
def np_stack(arrays: Any, axis: Any = 0) -> Any:
    arrays = numbers_as_array(arrays)
    if isinstance(kinds(arrays), Array) and bilinear.rank_of(arrays) == 1:  # a stack of numbers has one axis
        if static("axis", axis) not in (0, -1):
            raise np.exceptions.AxisError(axis, 1)
        return joining.concatenate_list(listed(arrays, "np.stack"))
    arrays = listed(arrays, "np.stack")
    if holds_arrays(arrays):
        return joining.stack_list(arrays, **_axis(axis))
    return joining.stack(*map(real_array, items(arrays)), **_axis(axis))


@typed
def np_concatenate(arrays: Any, axis: Any = 0) -> Any:
    arrays = numbers_as_array(arrays)
    if isinstance(kinds(arrays), Array):
        if bilinear.rank_of(arrays) == 1 and axis is not None:
            raise ValueError("zero-dimensional arrays cannot be concatenated")
        arrays = listed(arrays, "np.concatenate")
    if holds_arrays(arrays) and axis is None and isinstance(kinds(arrays), List):
        return shaping.ravel(joining.stack_list(arrays))
    if holds_arrays(arrays):
        return joining.concatenate_list(arrays, **_axis(axis))
    parts = [real_array(a) for a in items(arrays)]
    if axis is None:
        return joining.concatenate(*map(shaping.ravel, parts))
    return joining.concatenate(*parts, **_axis(axis))


def np_append(arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np_concatenate([np_ravel(arr), np_ravel(values)])
    return np_concatenate([np_asarray(arr), np_asarray(values)], axis)


def _axis(axis: Any) -> dict[str, Any]:
    return {} if static("axis", axis) == 0 else {"axis": static("axis", axis)}


@typed
def np_vstack(tup: Any) -> Any:
    tup = listed(tup, "np.vstack")
    rank = rank_in(tup)
    if rank is not None:
        return joining.stack_list(tup) if rank == 1 else joining.concatenate_list(tup)
    return joining.concatenate(*[shaping.atleast_2d(real_array(a)) for a in items(tup)])


@typed
def np_hstack(tup: Any) -> Any:
    tup = listed(tup, "np.hstack")
    rank = rank_in(tup)
    if rank is not None:
        return joining.concatenate_list(tup, **_axis(0 if rank == 1 else 1))
    parts = [shaping.atleast_1d(real_array(a)) for a in items(tup)]
    rows = set(_ranks("np.hstack", parts)) == {1}
    return joining.concatenate(*parts) if rows else joining.concatenate(*parts, axis=1)


def np_column_stack(tup: Any) -> Any:
    tup = listed(tup, "np.column_stack")
    rank = rank_in(tup)
    if rank is not None:
        return joining.stack_list(tup, axis=1) if rank == 1 else joining.concatenate_list(tup, axis=1)
    parts = [real_array(a) for a in items(tup)]
    ranks = _ranks("np.column_stack", parts)
    columns = [shaping.expand_dims(a, axis=1) if rank == 1 else a for a, rank in zip(parts, ranks, strict=True)]
    return joining.concatenate(*columns, axis=1)


def _ranks(name: str, arrays: Sequence[Any]) -> list[int]:
    """The ranks of the arguments of a function that does something else with each of them."""
    ranks = [bilinear.rank_of(a) for a in arrays]
    if None in ranks:
        raise TypeError(f"{name} needs arrays whose rank is known: write np.concatenate with an axis")
    return [rank for rank in ranks if rank is not None]


FUNCTIONS: dict[Any, Any] = {
    np.stack: np_stack, np.concatenate: np_concatenate, np.vstack: np_vstack, np.hstack: np_hstack,
    np.column_stack: np_column_stack, np.append: np_append,
}
