"""NumPy functions under their own signatures, in terms of primitives.

Arguments that shape the result (`axis`, `keepdims`, `k`, `dtype`) are Python values known to the compiler; what has no
derivative here (`out`, `where`, `order`) is no parameter, so that a call that uses it is refused by name.

>>> np_sum(np.ones((2, 3)), 0), np_array([[1.0, 2.0]])
(array([2., 2., 2.]), array([[1., 2.]]))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.base import Traced
from ccc.objects import Array, Bool, Int, List, Object, Product, Real, Static, is_discrete
from ccc.primitives import (
    arithmetic,
    bilinear,
    creation,
    elementary_numpy,
    indexing,
    joining,
    matrices,
    positions,
    products,
    reductions,
    shaping,
)
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.reductions import dtype_of
from ccc.primitives.shaping import known_axes
from ccc.primitives.structure import part, rows
from ccc.wording import in_words


def kinds(x: Any) -> Object | None:
    """The object of a traced value or of a number or array, None for a Python sequence of values."""
    return None if isinstance(x, list | tuple) else kind_of(x)


def items(xs: Any) -> list[Any]:
    """The items of a sequence that the compiler can count."""
    if isinstance(xs, list | tuple):
        return list(xs)  # type: ignore[reportUnknownArgumentType]
    a = kind_of(xs)
    if isinstance(a, Product):
        return [part(xs, index=i) for i in range(len(a.parts))]
    raise TypeError(f"needs a tuple or list whose length is known: found {in_words(a)}")


class NotConstant(TypeError):
    """A `value` is known only when the program runs, and has to be known to the compiler."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(f"`{name}` must be a constant: found {in_words(value.object)} that is computed")
        self.value = value


def static(name: str, value: Any) -> Any:
    """`value`, which must be known to the compiler; lists become tuples.

    Raises `NotConstant` for a value that is known only when the program runs, `TypeError` for what is no number.
    """
    if isinstance(value, list | tuple):
        return tuple([static(name, entry) for entry in value])  # type: ignore[reportUnknownVariableType]
    if isinstance(value, Traced):
        raise NotConstant(name, value)
    if not isinstance(value, int | float | np.integer | np.bool_ | str | None):
        raise TypeError(f"`{name}` must be a number or a tuple of numbers: found {value!r}")
    return int(value) if isinstance(value, np.integer | np.bool_ | bool) else value


def flag(name: str, value: Any) -> bool:
    """An option that is on or off, known to the compiler."""
    return bool(integer(name, value))


def integer(name: str, value: Any) -> int:
    """An integer that is known to the compiler.

    Raises `TypeError` for everything else.
    """
    found = static(name, value)
    if not isinstance(found, int):
        raise TypeError(f"`{name}` must be an integer: found {found!r}")
    return found


def given(*, keepdims: Any = False, ddof: Any = 0, **params: Any) -> dict[str, Any]:
    """The parameters that differ from NumPy's defaults."""
    found = {k: static(k, v) for k, v in params.items() if v is not None}
    less = static("ddof", ddof)
    if not isinstance(less, int | float):
        raise TypeError(f"`ddof` must be a number: found {ddof!r}")
    if less:
        found["ddof"] = less
    return found | ({"keepdims": True} if flag("keepdims", keepdims) else {})


def real_array(x: Any) -> Any:
    """`x`, with sequences turned into arrays.

    Raises `TypeError` for what is neither a number nor an array of some.
    """
    a = kinds(x)
    if isinstance(a, Static):
        raise TypeError(f"needs numbers or arrays: found {in_words(a)}")
    return np_array(x) if a is None or isinstance(a, List | Product) else x


def over(function: Any, a: Any, axis: Any) -> Any:
    """The axis of a reduction: a number has none, but some functions of NumPy take its first and its last.

    Raises what the function raises where it takes none.
    """
    kind = kinds(a)
    if axis is None or not (isinstance(kind, Real | Int | Bool) or (isinstance(kind, Array) and kind.axes == ())):
        return axis
    function(1.0, axis=static("axis", axis))
    return None


def sizes_of(shape: Any) -> tuple[Any, ...]:
    """The sizes of a shape given as an int or a tuple."""
    a = kinds(shape)
    sizes = tuple(items(shape)) if a is None or isinstance(a, Product) else (shape,)
    for size in map(kind_of, sizes):
        if isinstance(size, Real | Static | List) or (isinstance(size, Array) and (size.is_real or size.axes != ())):
            raise TypeError(f"the sizes of an array are integers: found {in_words(size)}")
    return sizes


def dtype_name(dtype: Any) -> str:
    """The name of a dtype."""
    return np.dtype(dtype).name


# -- reductions ------------------------------------------------------------------------------------------------------


LEFT_OUT: Any = object()
"""Stands for an option that is not given."""


def options(initial: Any, where: Any) -> tuple[tuple[str, ...], list[Any]]:
    """The options of a reduction that are given: their names, and their values."""
    found = {"initial": initial, "where": where}
    found = {name: value for name, value in found.items() if value is not LEFT_OUT and value is not True}
    return tuple(found), list(map(real_array, found.values()))


def masked(a: Any, where: Any) -> None:
    """Refuse a mask with more axes than the array."""
    if (bilinear.rank_of(where) or 0) > (bilinear.rank_of(a) or 0):
        raise TypeError("`where` of a reduction has at most the axes of the array here")


def begun(a: Any, initial: Any) -> None:
    """Refuse a real number to begin with where whole ones are reduced."""
    if initial is not LEFT_OUT and is_discrete(kind_of(a)) and not is_discrete(kind_of(initial)):
        raise TypeError("`initial` of a reduction of integers is an integer here")


def np_sum(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    a = real_array(a)
    names, values = options(initial, where)
    found = given(axis=over(np.sum, a, axis), keepdims=keepdims)
    if not names and dtype is None:
        return reductions.sum_(a, **found)
    masked(a, where)
    begun(a, initial)
    as_given = {} if dtype is None else {"dtype": real_dtype(dtype)}
    return products.sum_given(a, *values, names=names, **found, **as_given)


def real_dtype(dtype: Any) -> str:
    """The name of a dtype of reals, in which sums are made."""
    name = dtype_name(dtype)
    if not name.startswith("float"):
        raise TypeError(f"`dtype` of a sum is one of reals here: found {name}")
    return name


def np_mean(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True
) -> Any:
    a = real_array(a)
    a = a if dtype is None else shaping.astype(a, dtype=real_dtype(dtype))
    if where is True:
        return reductions.mean(a, **given(axis=over(np.mean, a, axis), keepdims=keepdims))
    there = np_broadcast_to(real_array(where), np_shape(a))
    return elementary_numpy.divide(np_sum(a, axis, keepdims=keepdims, where=where),
                                   np_sum(there, axis, keepdims=keepdims))


def np_max(
    a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    return _extremum(reductions.max_, elementary_numpy.maximum, np.max, a, axis, keepdims, initial, where)


def np_min(
    a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    return _extremum(reductions.min_, elementary_numpy.minimum, np.min, a, axis, keepdims, initial, where)


def _extremum(p: Any, of_two: Any, function: Any, a: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    a = real_array(a)
    found = given(axis=over(function, a, axis), keepdims=keepdims)
    if initial is LEFT_OUT:
        if where is not True:
            raise ValueError(f"reduction operation '{of_two.value.__name__}' does not have an identity, so to use a "
                             "where mask one has to specify 'initial'")
        return p(a, **found)
    masked(a, where)
    begun(a, initial)
    if isinstance(kind_of(a), Bool) or dtype_of(kind_of(a)) == "bool":
        raise TypeError(f"{of_two.value.__name__} with `initial` has a derivative for numbers: found truth values")
    if where is not True:
        a = elementary_numpy.where(real_array(where), a, initial)
    if not bilinear.rank_of(a):
        return of_two(a, initial)
    return p(_begun_with(a, initial, function, found), **found)


def _begun_with(a: Any, initial: Any, function: Any, found: dict[str, Any]) -> Any:
    """An array with one more entry along the axis of a reduction, which may have none."""
    first = shaping.astype(np_asarray(initial), dtype=dtype_of(kind_of(a)))
    axis = found.get("axis")
    if axis is None and not found.get("keepdims"):
        return joining.concatenate(shaping.ravel(a), shaping.ravel(first), axis=0)
    if not isinstance(axis, int):
        raise TypeError(f"np.{function.__name__} with `initial` has a derivative along one axis, or without `keepdims`")
    rank = bilinear.rank_of(a) or 0
    sizes = [1 if i == axis % rank else n for i, n in enumerate(np_shape(a))]
    return joining.concatenate(a, shaping.broadcast_to(first, *sizes), axis=axis)


def np_var(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    return reductions.var(real_array(a), **given(axis=over(np.var, a, axis), ddof=ddof, keepdims=keepdims))


def np_std(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    return reductions.std(real_array(a), **given(axis=over(np.std, a, axis), ddof=ddof, keepdims=keepdims))


def np_argmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return reductions.argmax(real_array(a), **given(axis=over(np.argmax, a, axis), keepdims=keepdims))


def np_argmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return reductions.argmin(real_array(a), **given(axis=over(np.argmin, a, axis), keepdims=keepdims))


def np_any(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    a = real_array(a)
    if where is not True:
        masked(a, where)
        a = elementary_numpy.logical_and(a, real_array(where))
    return reductions.any_(a, **given(axis=over(np.any, a, axis), keepdims=keepdims))


def np_all(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    a = real_array(a)
    if where is not True:
        masked(a, where)
        a = elementary_numpy.logical_or(a, elementary_numpy.logical_not(real_array(where)))
    return reductions.all_(a, **given(axis=over(np.all, a, axis), keepdims=keepdims))


def np_count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return reductions.count_nonzero(real_array(a), **given(axis=over(np.count_nonzero, a, axis), keepdims=keepdims))


def np_prod(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    if isinstance(static("axis", axis), tuple):
        raise TypeError("np.prod has a derivative along one axis or all: found a tuple of axes")
    a = real_array(a)
    a = a if dtype is None else shaping.astype(a, dtype=real_dtype(dtype))
    names, values = options(initial, where)
    found = given(axis=over(np.prod, a, axis), keepdims=keepdims)
    if not names:
        return products.prod(a, **found)
    masked(a, where)
    begun(a, initial)
    return products.prod_given(a, *values, names=names, **found)


def np_cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _running(products.cumsum, a, axis, dtype)


def np_cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _running(products.cumprod, a, axis, dtype)


def _running(p: Any, a: Any, axis: Any, dtype: Any) -> Any:
    a = real_array(a)
    a = a if dtype is None else shaping.astype(a, dtype=real_dtype(dtype))
    return p(shaping.atleast_1d(a) if bilinear.rank_of(a) == 0 else a, **given(axis=axis))


# -- products --------------------------------------------------------------------------------------------------------


def factor(x: Any) -> Any:
    """An argument of a product: an array, or a sequence from which one is made."""
    if kinds(x) is None and not len(x):
        raise TypeError("a product takes arrays: found an empty sequence, which has the dtype of the other argument")
    return real_array(x)


def np_dot(a: Any, b: Any) -> Any:
    return bilinear.dot(factor(a), factor(b))


def np_inner(a: Any, b: Any, /) -> Any:
    return bilinear.inner(factor(a), factor(b))


def np_vdot(a: Any, b: Any, /) -> Any:
    return bilinear.vdot(factor(a), factor(b))


def np_matmul(a: Any, b: Any, /) -> Any:
    return bilinear.np_matmul(factor(a), factor(b))


def np_outer(a: Any, b: Any) -> Any:
    return bilinear.outer(real_array(a), real_array(b))


def np_diag(v: Any, k: Any = 0) -> Any:
    return matrices.diag(real_array(v), **({"k": integer("k", k)} if integer("k", k) else {}))


# -- shapes ----------------------------------------------------------------------------------------------------------


def np_transpose(a: Any, axes: Any = None) -> Any:
    axes = static("axes", axes)
    return shaping.transpose(real_array(a), **given(axes=(axes,) if isinstance(axes, int) else axes))


def by_columns(name: str, order: Any) -> bool:
    """Whether entries are in the order of Fortran."""
    if order not in ("C", "F"):
        raise TypeError(f"`order` of {name} is 'C' or 'F' here: found {order!r}")
    return order == "F"


def np_reshape(a: Any, shape: Any, order: Any = "C") -> Any:
    a, sizes = real_array(a), sizes_of(shape)
    if not by_columns("np.reshape", order):
        return shaping.reshape(a, *sizes, known=known_axes(sizes))
    return np_transpose(shaping.reshape(np_transpose(a), *sizes[::-1], known=known_axes(sizes[::-1])))


def np_ravel(a: Any, order: Any = "C") -> Any:
    a = real_array(a)
    return shaping.ravel(np_transpose(a) if by_columns("np.ravel", order) else a)


def np_squeeze(a: Any, axis: Any = None) -> Any:
    return shaping.squeeze(real_array(a), **given(axis=axis))


def np_expand_dims(a: Any, axis: Any) -> Any:
    return shaping.expand_dims(real_array(a), axis=static("axis", axis))


def np_swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    return shaping.swapaxes(real_array(a), axis1=integer("axis1", axis1), axis2=integer("axis2", axis2))


def np_moveaxis(a: Any, source: Any, destination: Any) -> Any:
    return shaping.moveaxis(
        real_array(a), source=static("source", source), destination=static("destination", destination)
    )


def np_flip(m: Any, axis: Any = None) -> Any:
    return shaping.flip(real_array(m), **given(axis=axis))


def np_roll(a: Any, shift: Any, axis: Any = None) -> Any:
    a, kind = real_array(a), kinds(shift)
    if isinstance(kind, List):
        raise TypeError(f"np.roll takes a number, or a tuple of some: found {in_words(kind)}")
    several = kind is None or isinstance(kind, Product)
    shifts = items(shift) if several else [shift]
    if any((bilinear.rank_of(s) or 0) > (not several) for s in shifts):
        raise TypeError("np.roll takes a number, or a tuple or a vector of some")
    given_axes: list[Any] = list(axis) if isinstance(axis, tuple | list) else [axis]  # type: ignore[reportUnknownArgumentType]
    axes = [None if along is None else integer("axis", along) for along in given_axes]
    many = max(len(shifts), len(axes))
    if {len(shifts), len(axes)} - {1, many}:
        raise TypeError("np.roll takes one shift for each axis")
    for s, along in zip(shifts * (many // len(shifts)), axes * (many // len(axes)), strict=True):
        a = shaping.roll(a, s, **given(axis=along))
    return a


def np_broadcast_to(array: Any, shape: Any) -> Any:
    sizes = sizes_of(shape)
    return shaping.broadcast_to(real_array(array), *sizes, known=known_axes(sizes))


def np_atleast_1d(a: Any) -> Any:
    return shaping.atleast_1d(real_array(a))


def np_atleast_2d(a: Any) -> Any:
    return shaping.atleast_2d(real_array(a))


def np_shape(a: Any) -> Any:
    a = real_array(a)
    kind = kind_of(a)
    if isinstance(kind, Array) and kind.axes is None:
        return shaping.shape(a)
    rank = len(kind.axes or ()) if isinstance(kind, Array) else 0
    return tuple([shaping.dim(a, axis=i) for i in range(rank)])


def np_ndim(a: Any) -> Any:
    a = real_array(a)
    kind = kind_of(a)
    if isinstance(kind, Bool | Int | Real):
        return 0
    return shaping.ndim(a) if not isinstance(kind, Array) or kind.axes is None else len(kind.axes)


def np_size(a: Any) -> Any:
    return shaping.size(real_array(a))


# -- arrays from parts -----------------------------------------------------------------------------------------------


def np_array(object: Any, dtype: Any = None, *, copy: Any = True, ndmin: Any = 0) -> Any:
    made = _array(object, dtype) if flag("copy", True if copy is None else copy) else np_asarray(object, dtype)
    rank = bilinear.rank_of(made)
    if integer("ndmin", ndmin) and rank is not None and rank < ndmin:
        return shaping.expand_dims(made, axis=tuple(range(ndmin - rank)))
    return made


def _array(object: Any, dtype: Any = None) -> Any:
    kind = kinds(object)
    if isinstance(kind, List):
        made = joining.from_list(object)
    elif kind is None or isinstance(kind, Product):
        entries = [real_array(entry) for entry in items(object)]
        if not entries:
            return np_zeros(0, float if dtype is None else dtype)
        made = joining.array_of(*entries)
    else:
        made = shaping.copy(object)
    made_of = kind_of(made)
    if isinstance(made_of, Array) and dtype is not None and made_of.dtype == dtype_name(dtype):
        return made
    return made if dtype is None else shaping.astype(made, dtype=dtype_name(dtype))


def np_asarray(a: Any, dtype: Any = None) -> Any:
    kind = kinds(a)
    if isinstance(kind, Array):
        return a if dtype is None or dtype_name(dtype) == kind.dtype else shaping.astype(a, dtype=dtype_name(dtype))
    return np_array(a, dtype)


def np_float64(x: Any = 0.0, /) -> Any:
    kind = kinds(x)
    same = isinstance(kind, Array) and kind.dtype == "float64" and kind.axes != ()
    return x if same else arithmetic.to_float64(real_array(x))


def np_float32(x: Any = 0.0, /) -> Any:
    kind = kinds(x)
    same = isinstance(kind, Array) and kind.dtype == "float32" and kind.axes != ()
    return x if same else arithmetic.to_float32(real_array(x))


def np_copy(a: Any) -> Any:
    return shaping.copy(real_array(a))


def holds_arrays(xs: Any) -> bool:
    """True for a list of arrays whose length is not known."""
    kind = kinds(xs)
    return isinstance(kind, List) and isinstance(kind.item, Array)


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
    rank = bilinear.rank_of(xs) if isinstance(kinds(xs), Array) else None
    if rank is None:
        return xs
    if rank == 0:
        raise TypeError(f"{name} takes a sequence of arrays: found {in_words(kind_of(xs))}")
    return rows(shaping.expand_dims(xs, axis=1) if rank == 1 else xs)


def np_stack(arrays: Any, axis: Any = 0) -> Any:
    if isinstance(kinds(arrays), Array) and bilinear.rank_of(arrays) == 1:  # a stack of numbers has one axis
        if static("axis", axis) not in (0, -1):
            raise np.exceptions.AxisError(axis, 1)
        return joining.concatenate_list(listed(arrays, "np.stack"))
    arrays = listed(arrays, "np.stack")
    if holds_arrays(arrays):
        return joining.stack_list(arrays, **_axis(axis))
    return joining.stack(*map(real_array, items(arrays)), **_axis(axis))


def np_concatenate(arrays: Any, axis: Any = 0) -> Any:
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


def np_dtype(a: Any) -> Any:
    """The dtype of an array or of a scalar of NumPy, which is known."""
    kind = kind_of(a)
    name = kind.dtype if isinstance(kind, Array) else getattr(kind, "kind", "any")
    return np.dtype("bool" if name == "bool_" else name)


def _axis(axis: Any) -> dict[str, Any]:
    return {} if static("axis", axis) == 0 else {"axis": static("axis", axis)}


def np_vstack(tup: Any) -> Any:
    tup = listed(tup, "np.vstack")
    rank = rank_in(tup)
    if rank is not None:
        return joining.stack_list(tup) if rank == 1 else joining.concatenate_list(tup)
    return joining.concatenate(*[shaping.atleast_2d(real_array(a)) for a in items(tup)])


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


def np_zeros(shape: Any, dtype: Any = float) -> Any:
    sizes = sizes_of(shape)
    return creation.zeros(*sizes, known=known_axes(sizes), **_dtype(dtype))


def np_ones(shape: Any, dtype: Any = float) -> Any:
    sizes = sizes_of(shape)
    return creation.ones(*sizes, known=known_axes(sizes), **_dtype(dtype))


def _dtype(dtype: Any) -> dict[str, Any]:
    name = "float64" if dtype is None else dtype_name(dtype)
    return {} if name == "float64" else {"dtype": name}


def np_full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    sizes, fill_value = sizes_of(shape), real_array(fill_value)
    if dtype is not None:
        return shaping.astype(np_full(shape, fill_value), dtype=dtype_name(dtype))
    if (bilinear.rank_of(fill_value) or 0) > len(sizes):
        raise TypeError("np.full takes a value with at most as many axes as the result")
    return creation.full(fill_value, *sizes, known=known_axes(sizes))


def np_eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    sizes = (N, N if M is None else M)
    if type(k) is int and k == 0:
        found = creation.eye(*sizes, known=known_axes(sizes))
        return found if dtype_name(dtype) == "float64" else shaping.astype(found, dtype=dtype_name(dtype))
    row = shaping.expand_dims(arithmetic.add(creation.arange(sizes[0]), k), axis=1)
    return shaping.astype(elementary_numpy.equal(row, creation.arange(sizes[1])), dtype=dtype_name(dtype))


def np_arange(start: Any, /, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    if dtype is not None:
        return shaping.astype(np_arange(start, stop, step), dtype=real_dtype(dtype))
    if stop is None:
        return creation.arange(start) if step is None else creation.arange(0, start, step)
    return creation.arange(start, stop) if step is None else creation.arange(start, stop, step)


def np_identity(n: Any, dtype: Any = float) -> Any:
    return np_eye(n, dtype=dtype)


def np_zeros_like(a: Any, dtype: Any = None) -> Any:
    found = creation.zeros_like(real_array(a))
    return found if dtype is None else shaping.astype(found, dtype=dtype_name(dtype))


def np_ones_like(a: Any, dtype: Any = None) -> Any:
    found = creation.ones_like(real_array(a))
    return found if dtype is None else shaping.astype(found, dtype=dtype_name(dtype))


def np_linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: Any = 0
) -> Any:
    start, stop = real_array(start), real_array(stop)
    if kinds(num) is None:
        raise TypeError(f"`num` must be an integer: found {num!r}")
    closed = flag("endpoint", endpoint)
    count = num if closed else arithmetic.add(num, 1)
    found = creation.linspace(start, stop, count, known=known_axes((count,)))
    found = found if closed else indexing.index(found, -1, pattern=("s2",))
    found = found if dtype is None else shaping.astype(found, dtype=real_dtype(dtype))
    found = found if static("axis", axis) == 0 else shaping.moveaxis(found, source=0, destination=integer("axis", axis))
    if not flag("retstep", retstep):
        return found
    return found, elementary_numpy.divide(arithmetic.sub(stop, start), arithmetic.sub(num, 1) if closed else num)


# -- choices ---------------------------------------------------------------------------------------------------------


def np_where(condition: Any, x: Any = LEFT_OUT, y: Any = LEFT_OUT) -> Any:
    if x is LEFT_OUT and y is LEFT_OUT:
        condition = real_array(condition)
        rank = bilinear.rank_of(condition)
        if not rank:
            raise TypeError("np.where of a condition alone needs an array whose axes are known")
        return tuple([positions.nonzero_along(condition, axis=i) for i in range(rank)])
    if x is LEFT_OUT or y is LEFT_OUT:
        raise ValueError("either both or neither of x and y should be given")
    return elementary_numpy.where(real_array(condition), real_array(x), real_array(y))


NOT_GIVEN: Any = object()


def np_clip(
    a: Any, a_min: Any = NOT_GIVEN, a_max: Any = NOT_GIVEN, *, min: Any = NOT_GIVEN, max: Any = NOT_GIVEN
) -> Any:
    given = [bound is not NOT_GIVEN for bound in (a_min, a_max)]
    if given == [False, False]:
        return clipped(a, None if min is NOT_GIVEN else min, None if max is NOT_GIVEN else max)
    if not all(given):
        raise TypeError(f"clip() missing 1 required positional argument: '{'a_max' if given[0] else 'a_min'}'")
    if min is not NOT_GIVEN or max is not NOT_GIVEN:
        raise ValueError("np.clip takes its bounds once: found `a_min` and `a_max` beside `min` or `max`")
    return clipped(a, a_min, a_max)


def clipped(a: Any, low: Any, high: Any) -> Any:
    """`a` between two bounds, each of which may be None."""
    if low is None and high is None:
        return elementary_numpy.positive(real_array(a))
    if low is None or high is None:
        chosen = elementary_numpy.minimum if low is None else elementary_numpy.maximum
        return chosen(real_array(a), real_array(high if low is None else low))
    return elementary_numpy.clip(*map(real_array, (a, low, high)))


def np_round(a: Any, decimals: Any = 0) -> Any:
    return elementary_numpy.round_(real_array(a), decimals)
