"""NumPy functions under their own signatures, in terms of primitives.

Arguments that shape the result (`axis`, `keepdims`, `k`, `dtype`) are Python values known to the compiler; what has no
derivative here (`out`) is no parameter, so that a call that uses it is refused by name.

>>> np_transpose(np.ones((2, 3))).shape, np_array([[1.0, 2.0]])
((3, 2), array([[1., 2.]]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.errors import UnknownDtype
from ccc.objects import INT, REAL, Array, Bool, Int, List, Object, Product, Real, Static, dtypes_in, is_discrete
from ccc.primitives import (
    arithmetic,
    bilinear,
    creation,
    elementary_numpy,
    indexing,
    joining,
    matrices,
    positions,
    reductions,
    shaping,
)
from ccc.primitives.arguments import (
    LEFT_OUT,
    dtype_name,
    flag,
    given,
    integer,
    is_of_reals,
    items,
    kinds,
    real_dtype,
    sizes_of,
    static,
)
from ccc.primitives.broadcasting import is_number_of_numpy, kind_of
from ccc.wording import in_words


def real_array(x: Any) -> Any:
    """`x`, with sequences turned into arrays.

    Raises `TypeError` for what is neither a number nor an array of some.
    """
    if isinstance(a := kinds(x), Static):
        return shaping.copy(x)
    return np_array(x) if a is None or isinstance(a, (List, Product)) else x


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


def by_columns(name: str, order: Any, a: Any) -> bool:
    """Whether entries are in the order of Fortran; the order of a vector is that of its entries, however it lies."""
    if order in ("A", "K") and (order == "A" or name == "np.ravel"):
        axes = shaping.axes_of(kind_of(a))
        if axes is not None and len(axes) < 2:
            return False
        raise TypeError(f"`order={order!r}` of {name} depends on how the array lies in memory, which is not known here")
    if order not in ("C", "F"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return order == "F"


def np_reshape(a: Any, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    if copy is not None:
        if not flag("copy", copy):
            raise TypeError("np.reshape with `copy=False` raises where the array does not lie in order")
        return shaping.copy(np_reshape(a, shape, order))
    a, sizes = real_array(a), sizes_of(shape)
    if not sizes and is_number_of_numpy(kind_of(a)):
        return a
    if not by_columns("np.reshape", order, a):
        return shaping.reshape(a, *sizes, known=shaping.known_axes(sizes))
    return np_transpose(shaping.reshape(np_transpose(a), *sizes[::-1], known=shaping.known_axes(sizes[::-1])))


def by_columns_laid(a: Any) -> Any:
    """An array whose entries lie one behind another by columns: itself, where they do."""
    a, sizes = real_array(a), np_shape(a)
    if len(sizes) < 2:
        return np_reshape(shaping.ravel(a), sizes) if sizes else a
    return np_transpose(np_reshape(shaping.ravel(np_transpose(a)), sizes[::-1]))


def laid_out(a: Any, order: Any) -> Any:
    """A new array in an order of memory, which says who shares memory with what is made of it."""
    if order not in (None, "K", "A", "C", "F"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return shaping.copy(a, order="F") if order == "F" else a


def np_ravel(a: Any, order: Any = "C") -> Any:
    a = real_array(a)
    return shaping.ravel(np_transpose(a) if by_columns("np.ravel", order, a) else a)


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
    given_axes: list[Any] = list(axis) if isinstance(axis, (tuple, list)) else [axis]  # type: ignore[reportUnknownArgumentType]
    axes = [None if along is None else integer("axis", along) for along in given_axes]
    many = max(len(shifts), len(axes))
    if {len(shifts), len(axes)} - {1, many}:
        raise TypeError("np.roll takes one shift for each axis")
    for s, along in zip(shifts * (many // len(shifts)), axes * (many // len(axes)), strict=True):
        a = shaping.roll(a, s, **given(axis=along))
    return a


def np_broadcast_to(array: Any, shape: Any) -> Any:
    sizes = sizes_of(shape)
    return shaping.broadcast_to(real_array(array), *sizes, known=shaping.known_axes(sizes))


def np_atleast_1d(*arys: Any) -> Any:
    found = tuple([shaping.atleast_1d(real_array(a)) for a in arys])
    return found if len(found) != 1 else found[0]


def np_atleast_2d(*arys: Any) -> Any:
    found = tuple([shaping.atleast_2d(real_array(a)) for a in arys])
    return found if len(found) != 1 else found[0]


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
    if isinstance(kind, (Bool, Int, Real)):
        return 0
    return shaping.ndim(a) if not isinstance(kind, Array) or kind.axes is None else len(kind.axes)


def np_size(a: Any, axis: Any = None) -> Any:
    a = real_array(a)
    if axis is None:
        return shaping.size(a)
    axes = static("axis", axis)
    total: Any = 1
    for one in axes if isinstance(axes, tuple) else (axes,):
        total = arithmetic.mul(total, shaping.dim(a, axis=one))
    return total


# -- arrays from parts -----------------------------------------------------------------------------------------------


def np_array(
    object: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K", subok: Any = False, ndmin: Any = 0
) -> Any:
    same = copy is None or not flag("copy", copy)
    made = np_asarray(object, dtype, order) if same else laid_out(_array(object, dtype), order)
    rank, least = bilinear.rank_of(made), ndmin if integer("ndmin", ndmin) else 0
    if rank is None and least > 2:
        raise TypeError("`np.array` takes no ndmin above 2 for an array whose number of axes is not known")
    if rank is None and least:
        return shaping.atleast_1d(made) if least == 1 else shaping.atleast_2d(made)
    return shaping.expand_dims(made, axis=tuple(range(least - rank))) if rank is not None and rank < least else made


def _array(object: Any, dtype: Any = None) -> Any:
    kind = kinds(object)
    if isinstance(kind, List):
        made = joining.from_list(object)
        all_within(kind, made, dtype)
    elif kind is None or isinstance(kind, Product):
        entries = [converted(entry, dtype) for entry in items(object)]
        if not entries:
            return np_zeros(0, float if dtype is None else dtype)
        made = joining.array_of(*entries)
    else:
        made = shaping.copy(within(object, dtype))
    made_of = kind_of(made)
    same = isinstance(made_of, Array) and dtype is not None and made_of.dtype == dtype_name(dtype)
    if same and not isinstance(kind, List):  # of an empty list NumPy makes floats
        return made
    return made if dtype is None else shaping.astype(made, dtype=dtype_name(dtype))


def of_integers(dtype: Any) -> bool:
    """Whether a dtype is asked for that holds integers."""
    return dtype is not None and np.dtype(dtype_name(dtype)).kind in "iu"


def converted(entry: Any, dtype: Any) -> Any:
    """An item of what an array is made of, or the array of those in it."""
    a = kinds(entry)
    if of_integers(dtype) and (a is None or isinstance(a, (List, Product))):
        return np_array(entry, dtype)
    return within(real_array(entry), dtype)


def within(value: Any, dtype: Any) -> Any:
    """A number of Python's as an integer of a dtype, raised where that has none such: arrays go round. Any other value,
    and what becomes no integer, itself."""
    of = kind_of(value)
    if not of_integers(dtype) or of not in (INT, REAL):
        return value
    if type(value) in (int, float):
        np.array(value, dtype=dtype_name(dtype))
        return value
    whole = arithmetic.to_int(value) if of == REAL else value
    return whole if dtype_name(dtype) == "int64" else arithmetic.add(np_scalar(dtype_name(dtype))(0), whole)


def all_within(kind: Object, made: Any, dtype: Any) -> None:
    """The same of all numbers of Python's in a list of them, of which an array is made."""
    while isinstance(kind, List):
        kind = kind.item
    if kind in (INT, REAL) and of_integers(dtype) and dtype_name(dtype) != "int64":
        info, at_end = np.iinfo(dtype_name(dtype)), 0 if kind == INT else 0.0
        found = joining.concatenate(shaping.ravel(made), joining.array_of(at_end), axis=0)
        fits = elementary_numpy.greater(found, float(info.min) - 1.0)
        fits = elementary_numpy.logical_and(fits, elementary_numpy.less(found, float(info.max) + 1.0))
        first = reductions.argmax(elementary_numpy.logical_not(fits))
        within(arithmetic.to_int(indexing.index(found, first, pattern=("i",))), dtype)


def np_asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Any:
    kind = kinds(a)
    if copy is not None and flag("copy", copy):
        return np_array(a, dtype, order=order)
    if not isinstance(kind, Array):
        return np_array(a, dtype, order=order)
    if dtype is not None and dtype_name(dtype) != kind.dtype:
        return laid_out(shaping.astype(a, dtype=dtype_name(dtype)), order)
    if order == "C":
        return np_reshape(shaping.ravel(a), np_shape(a))
    return by_columns_laid(a) if order == "F" else laid_out(a, order)


def np_float64(x: Any = 0.0, /) -> Any:
    kind = kinds(x)
    same = isinstance(kind, Array) and kind.dtype == "float64" and kind.axes != ()
    return x if same else arithmetic.to_float64(real_array(x))


def np_float32(x: Any = 0.0, /) -> Any:
    kind = kinds(x)
    same = isinstance(kind, Array) and kind.dtype == "float32" and kind.axes != ()
    return x if same else arithmetic.to_float32(real_array(x))


def np_scalar(dtype: str) -> Any:
    """`np.int64` and its like."""

    def adaptor(x: Any = 0, /) -> Any:
        if type(x) in (int, float):
            np.dtype(dtype).type(x)  # raises where the dtype has no such number
        if dtype == "uint64" and type(x) is int and 2**63 <= x < 2**64:  # integers of the program have a sign
            return arithmetic.bit_or(arithmetic.left_shift(adaptor(x >> 32), adaptor(32)), adaptor(x & (2**32 - 1)))
        made = np_asarray(x, dtype)
        return made if bilinear.rank_of(made) else indexing.index(made, pattern=())

    return adaptor


def np_copy(a: Any, order: Any = "K", subok: Any = False) -> Any:
    return shaping.copy(real_array(a), order="C") if order == "C" else laid_out(shaping.copy(real_array(a)), order)


def known_dtype(a: Object) -> None:
    """Raise `UnknownDtype` for the object of arrays or numbers of which some are of one dtype and some of another."""
    if dtypes_in(a) or (isinstance(a, (Real, Int)) and a.kind == "any"):
        raise UnknownDtype(f"the dtype of this is known only when it runs: {a}",
                           "convert what it is made of first, by `x.astype(float)` or `np.float64(x)`")


def np_dtype(a: Any) -> Any:
    """The dtype of an array or of a scalar of NumPy, which is known."""
    kind = kind_of(a)
    known_dtype(kind)
    name = kind.dtype if isinstance(kind, Array) else getattr(kind, "kind", "any")
    return np.dtype("bool" if name == "bool_" else name)


def np_zeros(shape: Any, dtype: Any = float, order: Any = "C") -> Any:
    sizes = sizes_of(shape)
    return laid_out(creation.zeros(*sizes, known=shaping.known_axes(sizes), **_dtype(dtype)), order)


def np_ndarray(
    shape: Any, dtype: Any = float, buffer: Any = None, offset: Any = 0, strides: Any = None, order: Any = None
) -> Any:
    """A new array; what NumPy leaves in it is zeros here."""
    if buffer is not None or strides is not None:
        raise TypeError("np.ndarray of a buffer, or with strides, has no meaning here: np.frombuffer in the caller")
    return np_zeros(shape, dtype, order)


def np_ones(shape: Any, dtype: Any = float, order: Any = "C") -> Any:
    sizes = sizes_of(shape)
    return laid_out(creation.ones(*sizes, known=shaping.known_axes(sizes), **_dtype(dtype)), order)


def _dtype(dtype: Any) -> dict[str, Any]:
    name = "float64" if dtype is None else dtype_name(dtype)
    return {} if name == "float64" else {"dtype": name}


def np_full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C") -> Any:
    if order not in ("C", None):
        return laid_out(np_full(shape, fill_value, dtype), order)
    sizes, fill_value = sizes_of(shape), real_array(fill_value)
    if dtype is not None and type(fill_value) is int and fill_value >= 2**63 and dtype_name(dtype) == "uint64":
        return creation.full(np_scalar("uint64")(fill_value), *sizes, known=shaping.known_axes(sizes))
    if dtype is not None:
        fill_value = within(fill_value, dtype) if kind_of(fill_value) == INT else fill_value  # others go round
        return shaping.astype(np_full(shape, fill_value), dtype=dtype_name(dtype))
    if (bilinear.rank_of(fill_value) or 0) > len(sizes):
        raise TypeError("np.full takes a value with at most as many axes as the result")
    return creation.full(fill_value, *sizes, known=shaping.known_axes(sizes))


def np_eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    sizes = (N, N if M is None else M)
    if type(k) is int and k == 0:
        found = creation.eye(*sizes, known=shaping.known_axes(sizes))
        return found if dtype_name(dtype) == "float64" else shaping.astype(found, dtype=dtype_name(dtype))
    row = shaping.expand_dims(arithmetic.add(creation.arange(sizes[0]), k), axis=1)
    return shaping.astype(elementary_numpy.equal(row, creation.arange(sizes[1])), dtype=dtype_name(dtype))


def np_arange(start: Any, /, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    if dtype is not None:
        found = np_arange(start, stop, step)
        if not is_of_reals(dtype) and not is_discrete(kind_of(found)):
            raise TypeError("np.arange of whole numbers takes whole numbers here: found real ones")
        if is_discrete(kind_of(found)):  # NumPy converts the first two, and goes on from them
            all_within(INT, indexing.index(found, 2, pattern=("s2",)), dtype)
        return shaping.astype(found, dtype=dtype_name(dtype) if is_discrete(kind_of(found)) else real_dtype(dtype))
    if stop is None:
        return creation.arange(start) if step is None else creation.arange(0, start, step)
    return creation.arange(start, stop) if step is None else creation.arange(start, stop, step)


def np_identity(n: Any, dtype: Any = float) -> Any:
    return np_eye(n, dtype=dtype)


def np_zeros_like(a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None) -> Any:
    return _like(creation.zeros_like, np_zeros, a, dtype, order, shape)


def np_ones_like(a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None) -> Any:
    return _like(creation.ones_like, np_ones, a, dtype, order, shape)


def _like(like: Any, of_shape: Any, a: Any, dtype: Any, order: Any, shape: Any) -> Any:
    """A new array with the shape and dtype of another one, or with those that are given."""
    a = real_array(a)
    if shape is not None:
        return laid_out(of_shape(shape, reductions.dtype_of(kind_of(a)) if dtype is None else dtype), order)
    return laid_out(like(a) if dtype is None else shaping.astype(like(a), dtype=dtype_name(dtype)), order)


def np_linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: Any = 0
) -> Any:
    start, stop = real_array(start), real_array(stop)
    if kinds(num) is None:
        raise TypeError(f"`num` must be an integer: found {num!r}")
    closed = flag("endpoint", endpoint)
    count = num if closed else arithmetic.add(num, 1)
    found = creation.linspace(start, stop, count, known=shaping.known_axes((count,)))
    found = found if closed else indexing.index(found, -1, pattern=("s2",))
    found = found if dtype is None else shaping.astype(found, dtype=real_dtype(dtype))
    found = found if static("axis", axis) == 0 else shaping.moveaxis(found, source=0, destination=integer("axis", axis))
    if not flag("retstep", retstep):
        return found
    between = arithmetic.sub(num, 1) if closed else num
    nothing = isinstance(between, int) and between <= 0
    return found, np.float64(np.nan) if nothing else elementary_numpy.divide(arithmetic.sub(stop, start), between)


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
