"""NumPy's reductions under their own signatures, in terms of primitives.

>>> np_sum(np.ones((2, 3)), 0), np_var([1.0, 2.0, 4.0], where=[True, True, False])
(array([2., 2., 2.]), np.float64(0.25))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.objects import Array, Bool, is_discrete
from ccc.primitives import (
    arithmetic,
    bilinear,
    elementary_numpy,
    indexing,
    joining,
    products,
    reductions,
    running,
    shaping,
)
from ccc.primitives.adaptors import np_asarray, np_broadcast_to, np_ones_like, np_shape, real_array
from ccc.primitives.arguments import LEFT_OUT, dtype_name, flag, given, is_of_reals, over, real_dtype, static
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.reductions import dtype_of, places_of
from ccc.primitives.shaping import known_axes


def options(a: Any, initial: Any, where: Any) -> tuple[tuple[str, ...], list[Any]]:
    """The options of a reduction that are given: their names, and their values."""
    masked(a, where)
    begun(a, initial)
    found = {"initial": initial, "where": where}
    found = {name: value for name, value in found.items() if value is not LEFT_OUT and value is not True}
    return tuple(found), list(map(real_array, found.values()))


def masked(a: Any, where: Any) -> None:
    """Refuse a mask of what are no truth values, which NumPy counts as they are, or with more axes than the array."""
    if where is True:
        return
    mask = real_array(where)
    if dtype_of(kind_of(mask)) != "bool":
        raise TypeError("`where` of a reduction is made of truth values here")
    if (bilinear.rank_of(mask) or 0) > (bilinear.rank_of(a) or 0):
        raise TypeError("`where` of a reduction has at most the axes of the array here")


def begun(a: Any, initial: Any) -> None:
    """Refuse to begin with what is no number, or with a real one where whole ones are reduced."""
    if initial is LEFT_OUT:
        return
    if bilinear.rank_of(real_array(initial)):
        raise TypeError("`initial` of a reduction is a number")
    if is_discrete(kind_of(a)) and not is_discrete(kind_of(initial)):
        raise TypeError("`initial` of a reduction of integers is an integer here")


def np_sum(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    if dtype is not None and not is_of_reals(dtype):
        return in_integers(np_sum, a, dtype, axis, keepdims=keepdims, initial=initial, where=where)
    a = real_array(a)
    names, values = options(a, initial, where)
    found = given(axis=over(np.sum, a, axis), keepdims=keepdims)
    if not names and dtype is None:
        return reductions.sum_(a, **found)
    as_given = {} if dtype is None else {"dtype": real_dtype(dtype)}
    return products.sum_given(a, *values, names=names, **found, **as_given)


def in_integers(function: Any, a: Any, dtype: Any, axis: Any, **named: Any) -> Any:
    """What a reduction gives that is made of whole numbers of a dtype."""
    name = dtype_name(dtype)
    found = function(shaping.astype(np_asarray(a), dtype=name), axis, **named)
    return found if dtype_of(kind_of(found)) == name else shaping.astype(found, dtype=name)


def np_mean(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True
) -> Any:
    a = real_array(a)
    a = a if dtype is None else shaping.astype(np_asarray(a), dtype=real_dtype(dtype))
    if where is True:
        return reductions.mean(a, **given(axis=over(np.mean, a, axis), keepdims=keepdims))
    masked(a, where)
    there = np_broadcast_to(real_array(where), np_shape(a))
    found = elementary_numpy.divide(np_sum(a, axis, keepdims=keepdims, where=where),
                                    np_sum(there, axis, keepdims=keepdims))
    return found if is_discrete(kind_of(a)) else in_dtype_of(a, found)


def in_dtype_of(a: Any, found: Any) -> Any:
    """What a count has made wider, in the dtype of an array."""
    wanted = dtype_of(kind_of(a))
    return found if dtype_of(kind_of(found)) == wanted else shaping.astype(found, dtype=wanted)


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
    rank = bilinear.rank_of(a)
    if not rank:
        return of_two(a, initial)
    along = found.get("axis")
    if isinstance(along, int) or (along is None and not found.get("keepdims")):
        return p(_begun_with(a, initial, along), **found)
    places = places_of(rank, along)
    made = p(_begun_with(behind(a, places), initial, -1), axis=-1)
    return shaping.expand_dims(made, axis=places) if found.get("keepdims") else made


def _begun_with(a: Any, initial: Any, axis: int | None) -> Any:
    """An array with one more entry along the axis of a reduction, which may have none."""
    first = shaping.astype(np_asarray(initial), dtype=dtype_of(kind_of(a)))
    if axis is None:
        return joining.concatenate(shaping.ravel(a), shaping.ravel(first), axis=0)
    rank = bilinear.rank_of(a) or 0
    sizes = [1 if i == axis % rank else n for i, n in enumerate(np_shape(a))]
    return joining.concatenate(a, shaping.broadcast_to(first, *sizes), axis=axis)


def np_var(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:
    return _spread(reductions.var, np.var, a, axis, dtype, ddof, keepdims, where, mean, correction)


def np_std(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:
    return _spread(reductions.std, np.std, a, axis, dtype, ddof, keepdims, where, mean, correction)


def _spread(
    p: Any, function: Any, a: Any, axis: Any, dtype: Any, ddof: Any, keepdims: Any, where: Any, mean: Any,
    correction: Any,
) -> Any:
    """A variance or a deviation; with a mask, or around a mean that is given, by the formula."""
    if correction is not None and ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    less = ddof if correction is None else correction
    a = real_array(a)
    a = a if dtype is None else shaping.astype(np_asarray(a), dtype=real_dtype(dtype))
    if where is True and mean is None:
        return p(a, **given(axis=over(function, a, axis), ddof=less, keepdims=keepdims))
    masked(a, where)
    middle = np_mean(a, axis, keepdims=True, where=where) if mean is None else real_array(mean)
    distance = elementary_numpy.subtract(a, middle)
    total = np_sum(elementary_numpy.multiply(distance, distance), axis, keepdims=keepdims, where=where)
    there = np_ones_like(a) if where is True else np_broadcast_to(real_array(where), np_shape(a))
    count = elementary_numpy.subtract(np_sum(there, axis, keepdims=keepdims), less)
    found = elementary_numpy.divide(total, elementary_numpy.maximum(count, 0))
    found = found if is_discrete(kind_of(total)) else in_dtype_of(total, found)
    return root(found) if p is reductions.std else found


def root(x: Any) -> Any:
    """The root of a variance, with the slope 0 at 0."""
    none = elementary_numpy.equal(x, 0)
    found = elementary_numpy.where(none, elementary_numpy.multiply(x, 0), elementary_numpy.sqrt(
        elementary_numpy.where(none, 1, x)))
    return found if bilinear.rank_of(found) else indexing.index(found, pattern=())


def np_argmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return reductions.argmax(real_array(a), **given(axis=over(np.argmax, a, axis), keepdims=keepdims))


def np_argmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return reductions.argmin(real_array(a), **given(axis=over(np.argmin, a, axis), keepdims=keepdims))


def np_any(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    a = real_array(a)
    masked(a, where)
    if where is not True:
        a = elementary_numpy.logical_and(a, real_array(where))
    return reductions.any_(a, **given(axis=over(np.any, a, axis), keepdims=keepdims))


def np_all(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    a = real_array(a)
    masked(a, where)
    if where is not True:
        a = elementary_numpy.logical_or(a, elementary_numpy.logical_not(real_array(where)))
    return reductions.all_(a, **given(axis=over(np.all, a, axis), keepdims=keepdims))


def np_count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return reductions.count_nonzero(real_array(a), **given(axis=over(np.count_nonzero, a, axis), keepdims=keepdims))


def np_prod(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    if dtype is not None and not is_of_reals(dtype):
        return in_integers(np_prod, a, dtype, axis, keepdims=keepdims, initial=initial, where=where)
    a = real_array(a)
    if isinstance(static("axis", axis), tuple):
        return _prod_along(a, static("axis", axis), dtype, keepdims, initial, where)
    a = a if dtype is None else shaping.astype(np_asarray(a), dtype=real_dtype(dtype))
    names, values = options(a, initial, where)
    found = given(axis=over(np.prod, a, axis), keepdims=keepdims)
    if not names:
        return products.prod(a, **found)
    return products.prod_given(a, *values, names=names, **found)


def _prod_along(a: Any, axes: tuple[int, ...], dtype: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    """A product along several axes, which become one."""
    rank = bilinear.rank_of(a)
    if rank is None:
        raise TypeError("np.prod along several axes needs an array whose axes are known")
    masked(a, where)
    begun(a, initial)
    if where is not True:
        a = elementary_numpy.where(real_array(where), a, 1)
    places = places_of(rank, axes)
    found = np_prod(behind(a, places), -1, dtype, initial=initial)
    return shaping.expand_dims(found, axis=places) if flag("keepdims", keepdims) else found


def behind(a: Any, places: tuple[int, ...]) -> Any:
    """An array with some of its axes as one, behind the others."""
    left = [i for i in range(bilinear.rank_of(a) or 0) if i not in places]
    sizes = [np_shape(a)[i] for i in left]
    along = 1
    for place in places:
        along = arithmetic.mul(along, np_shape(a)[place])
    known = (*(known_axes(tuple(sizes)) or ()), "?")
    return shaping.reshape(shaping.transpose(a, axes=(*left, *places)), *sizes, along, known=known)


def np_cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _running(products.cumsum, a, axis, dtype)


def np_cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _running(products.cumprod, a, axis, dtype)


def _running(p: Any, a: Any, axis: Any, dtype: Any) -> Any:
    if dtype is not None and not is_of_reals(dtype):
        return in_integers(lambda x, axis: _running(p, x, axis, None), a, dtype, axis)
    a = real_array(a)
    a = a if dtype is None else shaping.astype(np_asarray(a), dtype=real_dtype(dtype))
    along = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    return p(shaping.atleast_1d(a) if bilinear.rank_of(a) == 0 else a, **given(axis=along))


def _extrema(p: Any) -> Any:
    def running_extrema(array: Any, axis: Any = 0, dtype: Any = None) -> Any:
        a = real_array(array)
        return p(a if dtype is None else shaping.astype(np_asarray(a), dtype=real_dtype(dtype)), axis=axis)

    return running_extrema


# -- what is not a number is left out ----------------------------------------------------------------------------------


def np_nansum(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    if dtype is None and initial is LEFT_OUT and where is True:
        return reductions.nansum(real_array(a), **given(axis=over(np.nansum, a, axis), keepdims=keepdims))
    return np_sum(without_nan(a, 0), axis, dtype, keepdims=keepdims, initial=initial, where=where)


def np_nanprod(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    return np_prod(without_nan(a, 1), axis, dtype, keepdims=keepdims, initial=initial, where=where)


def np_nanmean(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True
) -> Any:
    a = real_array(a)
    if dtype is None and where is True:
        return reductions.nanmean(a, **given(axis=over(np.nanmean, a, axis), keepdims=keepdims))
    masked(a, where)
    return np_mean(without_nan(a, 0), axis, dtype, keepdims=keepdims, where=there(a, where))


def np_nanmax(
    a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    return _extremum_of_numbers(reductions.nanmax, reductions.max_, elementary_numpy.fmax, np.nanmax, -np.inf, a, axis,
                                keepdims, initial, where)


def np_nanmin(
    a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = LEFT_OUT, where: Any = True
) -> Any:
    return _extremum_of_numbers(reductions.nanmin, reductions.min_, elementary_numpy.fmin, np.nanmin, np.inf, a, axis,
                                keepdims, initial, where)


def _extremum_of_numbers(
    plain: Any, p: Any, of_two: Any, function: Any, fill: float, a: Any, axis: Any, keepdims: Any, initial: Any,
    where: Any,
) -> Any:
    a = real_array(a)
    if initial is LEFT_OUT and where is True:
        return plain(a, **given(axis=over(function, a, axis), keepdims=keepdims))
    if where is not True and not isinstance(kind_of(a), Array):
        raise TypeError(f"`where` of `{function.__name__}` of a number is not taken here: make it an array")
    return _extremum(p, of_two, function, without_nan(a, fill), axis, keepdims, initial, where)


def without_nan(a: Any, value: float) -> Any:
    """An array with a value in place of what is no number."""
    a = real_array(a)
    return a if is_discrete(kind_of(a)) else elementary_numpy.where(elementary_numpy.isnan(a), value, a)


def there(a: Any, where: Any) -> Any:
    """Where an array has numbers, of the places that are asked for."""
    found = elementary_numpy.logical_not(elementary_numpy.isnan(a))
    return found if where is True else elementary_numpy.logical_and(found, real_array(where))


FUNCTIONS: dict[Any, Any] = {
    np.sum: np_sum, np.mean: np_mean, np.max: np_max, np.min: np_min, np.amax: np_max, np.amin: np_min,
    np.var: np_var, np.std: np_std, np.argmax: np_argmax, np.argmin: np_argmin, np.any: np_any, np.all: np_all,
    np.count_nonzero: np_count_nonzero, np.prod: np_prod, np.cumsum: np_cumsum, np.cumprod: np_cumprod,
    np.maximum.accumulate: _extrema(running.running_max), np.minimum.accumulate: _extrema(running.running_min),
    np.nansum: np_nansum, np.nanprod: np_nanprod, np.nanmean: np_nanmean, np.nanmax: np_nanmax, np.nanmin: np_nanmin,
}
