"""Functions of NumPy's that take functions, and methods of its elementwise functions.

>>> vectorized(lambda a, b: a * b, None, (), [1.0, 2.0], 3.0), outer(np.subtract, [1.0, 2.0], [1.0])
(array([3., 6.]), array([[0.],
       [1.]]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.joining import size_along
from ccc.compile.frontend.numpy_functions.statistics import as_rows, axes_of, sizes_left
from ccc.compile.frontend.numpy_functions.table import definition_of, dtype_along, gives_whole, int_or_float, refuse
from ccc.primitives.complex_functions import FUNCTIONS


def vectorized(function: Any, otypes: Any, fixed: Any, *args: Any, **named: Any) -> Any:
    """What `np.vectorize(function)` gives: the results item by item, of arguments that are not fixed."""
    places, names = tuple(range(len(args))), tuple(named)
    order: tuple[Any, ...] = tuple([k for k in places if k not in fixed] + [n for n in names if n not in fixed])
    arrays = np.broadcast_arrays(*[args[k] if k in places else named[k] for k in order])
    shape, rows = np.shape(arrays[0]), [np.ravel(a) for a in arrays]
    if len(rows[0]) == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    row = {k: order.index(k) for k in order}

    def item(i: Any) -> Any:
        return function(*[rows[row[k]][i] if k in order else args[k] for k in places],
                        **{n: rows[row[n]][i] if n in order else named[n] for n in names})

    first = None
    if otypes is None:  # NumPy computes the first result twice then, and gives all its class
        first = item(0)
        parts = first if isinstance(first, tuple) else (first,)
        if True in [int_or_float(parts[k]) for k in tuple(range(len(parts)))]:
            if isinstance(first, tuple):
                refuse("np.vectorize gives results of the class of the first one, which is an int or a float here",
                       "say which: `np.vectorize(f, otypes=[float])`")
            if gives_whole(function, *[rows[row[k]][0] if k in order else args[k] for k in places],
                           **{n: rows[row[n]][0] if n in order else named[n] for n in names}):
                raise TypeError("np.vectorize gives ints where the first result is one, as here: say which it gives, "
                                "`np.vectorize(f, otypes=[float])`")
    found = [item(i) for i in range(len(rows[0]))]
    if otypes is not None:
        first = found[0]
    if not isinstance(first, tuple):
        return of_type(np.reshape(np.array(found), shape), otypes, 0)
    return tuple([of_type(np.reshape(np.array([item[k] for item in found]), shape), otypes, k)
                  for k in tuple(range(len(first)))])


def item_by_item(function: Any, *args: Any) -> Any:
    """What `np.frompyfunc(function, n, 1)` gives: of numbers what the function does, of arrays an array of that."""
    if max([np.ndim(a) for a in args]) == 0:
        return function(*args)
    arrays = np.broadcast_arrays(*args)
    rows = [np.ravel(a) for a in arrays]
    return np.reshape(np.array([function(*[row[i] for row in rows]) for i in range(len(rows[0]))]), np.shape(arrays[0]))


def of_type(a: Any, otypes: Any, k: Any) -> Any:
    return a if otypes is None else a.astype(otypes[k])


def by_signature(function: Any, otypes: Any, cores: Any, *args: Any) -> Any:
    """What `np.vectorize(function, signature=...)` gives, of arguments with so many axes of their own."""
    places = tuple(range(len(args)))
    arrays = [np.asarray(a) for a in args]
    around = [np.shape(arrays[k])[:np.ndim(arrays[k]) - cores[k]] for k in places]
    rank = max([len(shape) for shape in around])
    loop = tuple([size_along(around, i) for i in tuple(range(-rank, 0))])
    if rank == 0:
        found = function(*arrays)
        return found if isinstance(found, tuple) else np.asarray(found)
    rows = []
    for k in places:
        core = np.shape(arrays[k])[np.ndim(arrays[k]) - cores[k]:]
        rows.append(np.reshape(np.broadcast_to(arrays[k], loop + core), (-1, *core)))
    first = function(*[row[0] for row in rows])
    found = [function(*[row[i] for row in rows]) for i in range(len(rows[0]))]
    if not isinstance(first, tuple):
        return of_type(np.reshape(np.array(found), loop + np.shape(first)), otypes, 0)
    return tuple([of_type(np.reshape(np.array([item[k] for item in found]), loop + np.shape(first[k])), otypes, k)
                  for k in tuple(range(len(first)))])


@definition_of(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    moved = np.moveaxis(np.asarray(arr), axis, -1)
    around = np.shape(moved)[:-1]
    rows = np.reshape(moved, (-1, np.shape(moved)[-1]))
    if len(rows) == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    found = np.stack([np.asarray(func1d(rows[i], *args, **kwargs)) for i in range(len(rows))])
    inner = np.shape(found)[1:]
    found = np.reshape(found, around + inner)
    first = axis % np.ndim(arr)
    for i in tuple(range(len(inner))):
        found = np.moveaxis(found, len(around) + i, first + i)
    return found


@definition_of(np.fromiter)
def fromiter(iter: Any, dtype: Any, count: Any = -1) -> Any:
    found = [x for x in iter]
    if len(found) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(found)} items.")
    return np.array(found if count < 0 else found[:count]).astype(dtype)


# -- methods of elementwise functions --------------------------------------------------------------------------------


def outer(function: Any, A: Any, B: Any, /, **options: Any) -> Any:
    a, b = np.asarray(A), np.asarray(B)
    return function(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b, **options)


def of_loop(function: Any, array: Any, dtype: Any) -> Any:
    """An array in the dtype in which an elementwise function goes along it: truth values for `np.logical_xor`."""
    array = np.asarray(array) if dtype is None else np.asarray(array).astype(dtype)
    return array.astype(dtype_along(function, array.dtype))


def reduce(
    function: Any, array: Any, axis: Any = 0, dtype: Any = None, *, keepdims: Any = False, initial: Any = None,
    where: Any = None,
) -> Any:
    """Along an axis, or along several that become one: in the order of their places."""
    array = of_loop(function, array, dtype)
    places, identity = axes_of(axis, np.ndim(array)), function.identity
    if len(places) > 1 and identity is None:
        raise ValueError(f"reduction operation '{function.__name__}' is not reorderable, so at most one axis may be "
                         "specified")
    if where is not None and initial is None and identity is None:
        raise ValueError(f"reduction operation '{function.__name__}' does not have an identity, so to use a where mask "
                         "one has to specify 'initial'")
    rows, start = as_rows(array, places).T, identity if initial is None else initial
    if len(rows) == 0 and start is None:
        raise ValueError(f"zero-size array to reduction operation {function.__name__} which has no identity")
    if initial is None and where is None and len(rows) > 0:
        total = rows[0]
        for i in range(1, len(rows)):
            total = function(total, rows[i])
    else:
        masks = as_rows(np.broadcast_to(True if where is None else where, np.shape(array)), places).T
        total = np.full(np.shape(rows)[1:], start, array.dtype)
        for i in range(len(rows)):
            total = np.where(masks[i], function(total, rows[i]), total)
    return np.reshape(total, sizes_left(array, places, keepdims))[()]


def accumulate(function: Any, array: Any, axis: Any = 0, dtype: Any = None) -> Any:
    rows = np.moveaxis(of_loop(function, array, dtype), axis, 0)
    if len(rows) == 0:
        return np.moveaxis(np.copy(rows), 0, axis)
    found = [rows[0]]
    for i in range(1, len(rows)):
        found.append(function(found[-1], rows[i]))
    return np.moveaxis(np.array(found), 0, axis)


def reduced_between(reduction: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Any:
    """What `reduceat` gives by a reduction that has a name."""
    rows = np.moveaxis(np.asarray(array) if dtype is None else np.asarray(array).astype(dtype), axis, 0)
    starts = [i for i in indices]
    ends = [*starts[1:], len(rows)]
    found = [reduction(rows[i:j] if i < j else rows[i:i + 1], axis=0) for i, j in zip(starts, ends, strict=True)]
    return np.moveaxis(np.array(found), 0, axis)


def reduceat(function: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Any:
    rows = np.moveaxis(of_loop(function, array, dtype), axis, 0)
    starts = [i for i in indices]
    ends = [*starts[1:], len(rows)]
    found = []
    for k in range(len(starts)):
        total = rows[starts[k]]
        for i in range(starts[k] + 1, ends[k]):
            total = function(total, rows[i])
        found.append(total)
    return np.moveaxis(np.array(found), 0, axis)


def at(function: Any, a: Any, indices: Any, b: Any = None, /) -> Any:
    """One place after the other, each of which may stand there several times."""
    if isinstance(indices, int):
        a[indices] = function(a[indices]) if b is None else function(a[indices], b)
        return
    places = np.reshape(np.arange(a.size), np.shape(a))[indices]
    flat, new = np.ravel(places), a.flatten()
    values = None if b is None else np.ravel(np.broadcast_to(np.asarray(b), np.shape(places)))
    for k in range(len(flat)):
        new[flat[k]] = function(new[flat[k]]) if values is None else function(new[flat[k]], values[k])
    a[...] = np.reshape(new, np.shape(a))


METHODS = {"outer": outer, "reduce": reduce, "accumulate": accumulate, "reduceat": reduceat, "at": at}
REDUCTIONS: dict[Any, Any] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min, np.logical_and: np.all,
    np.logical_or: np.any,
}
"""The reductions that have a name."""
RUNNING: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}
FUNCTIONS[np.apply_along_axis] = apply_along_axis
