"""More NumPy functions under their own signatures: rearrangements, order statistics, contractions.

>>> np_median(np.array([3.0, 1.0, 2.0])), np_einsum("i,i->", np.ones(2), np.ones(2))
(np.float64(2.0), np.float64(2.0))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.base import Traced
from ccc.objects import INT, Array, Bool, List, is_discrete
from ccc.primitives import (
    arithmetic,
    bilinear,
    contractions,
    creation,
    elementary_numpy,
    indexing,
    joining,
    matrices,
    positions,
    rearranging,
    reductions,
    shaping,
)
from ccc.primitives.adaptors import np_asarray, np_shape, np_size, real_array
from ccc.primitives.adaptors_joining import np_concatenate
from ccc.primitives.adaptors_reductions import behind, np_max, np_mean, np_min, np_sum
from ccc.primitives.arguments import LEFT_OUT, Left, flag, given, integer, items, kinds, over, static
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.einsum_indices import subscripts_of, with_letters
from ccc.primitives.reductions import dtype_of, places_of
from ccc.primitives.shaping import known_axes
from ccc.wording import in_words


def np_tile(A: Any, reps: Any) -> Any:
    if any(isinstance(n, Traced) for n in (reps if isinstance(reps, (list, tuple)) else (reps,))):
        raise Left("np.tile of numbers of copies that are computed")
    return rearranging.tile(real_array(A), reps=static("reps", reps))


def np_repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    return rearranging.repeat(real_array(a), real_array(repeats), **given(axis=axis))


def _k(k: Any, usual: int = 0) -> dict[str, Any]:
    return {} if integer("k", k) == usual else {"k": integer("k", k)}


def np_triu(m: Any, k: Any = 0) -> Any:
    return rearranging.triu(real_array(m), **_k(k))


def np_tril(m: Any, k: Any = 0) -> Any:
    return rearranging.tril(real_array(m), **_k(k))


def np_rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    m, axes = real_array(m), static("axes", axes)
    if axes == (0, 1):
        return rearranging.rot90(m, **_k(k, 1))
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first = shaping.moveaxis(m, source=axes, destination=(0, 1))
    return shaping.moveaxis(rearranging.rot90(first, **_k(k, 1)), source=(0, 1), destination=axes)


def np_pad(
    array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0, reflect_type: Any = "even",
    **options: Any,
) -> Any:
    if callable(mode):
        raise TypeError("np.pad with a function has no derivative here")
    known = isinstance(pad_width, (int, list, tuple, np.ndarray, np.integer, Traced))
    if options or not known or reflect_type != "even" or mode not in (
        "constant", "edge", "reflect", "symmetric", "wrap"
    ):
        raise Left(f"np.pad with mode={mode!r} of these options")
    if mode == "constant" and not (isinstance(constant_values, (int, float)) and constant_values == 0):
        if isinstance(constant_values, (list, tuple)):
            raise Left("np.pad with several values")
        array, value = real_array(array), real_array(constant_values)
        if bilinear.rank_of(value) != 0:
            raise TypeError("`constant_values` of np.pad are numbers: found an array")
        inside = np_pad(creation.ones_like(array), pad_width)
        value = shaping.astype(np_asarray(value), dtype=dtype_of(kind_of(array)))
        return elementary_numpy.where(elementary_numpy.equal(inside, 1), np_pad(array, pad_width), value)
    width = static("pad_width", pad_width)
    return rearranging.pad(real_array(array), pad_width=width, **({} if mode == "constant" else {"mode": mode}))


def np_take(a: Any, indices: Any, axis: Any = None, *, mode: Any = "raise") -> Any:
    whole = kinds(indices) == List(INT)  # of none, NumPy would make an array of floats
    a, indices = real_array(a), np_asarray(indices, "int64") if whole else real_array(indices)
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if mode != "raise":
        count = shaping.size(a) if axis is None else shaping.dim(a, axis=integer("axis", axis))
        indices = elementary_numpy.mod(indices, count) if mode == "wrap" else elementary_numpy.maximum(
            elementary_numpy.minimum(indices, arithmetic.sub(count, 1)), 0)
    return rearranging.take(a, indices, **_axis(axis, None))


def _axis(axis: Any, usual: Any) -> dict[str, Any]:
    return {} if static("axis", axis) == usual else {"axis": static("axis", axis)}


def np_compress(condition: Any, a: Any, axis: Any = None) -> Any:
    return rearranging.compress(real_array(a), real_array(condition), **_axis(axis, None))


def np_extract(condition: Any, arr: Any) -> Any:
    return rearranging.compress(shaping.ravel(real_array(arr)), shaping.ravel(real_array(condition)))


def np_take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    for name, x in (("arr", arr), ("indices", indices)):
        kind = kinds(x)
        if not isinstance(kind, Array):
            raise TypeError(f"`{name}` must be an array: found {'a list' if kind is None else in_words(kind)}")
    if axis is None:
        return rearranging.take_along_axis(shaping.ravel(arr), indices, axis=0)
    return rearranging.take_along_axis(arr, indices, axis=static("axis", axis))


def np_fliplr(m: Any) -> Any:
    m = real_array(m)
    if bilinear.rank_of(m) in (0, 1):
        raise ValueError("Input must be >= 2-d.")
    return shaping.flip(m, axis=1)


def np_flipud(m: Any) -> Any:
    return shaping.flip(real_array(m), axis=0)


def np_diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = LEFT_OUT, append: Any = LEFT_OUT) -> Any:
    if integer("n", n) == 0:
        return a
    if prepend is not LEFT_OUT or append is not LEFT_OUT:
        a = real_array(a)
        parts = [_beside(a, prepend, axis), a, _beside(a, append, axis)]
        a = np_concatenate([part for part in parts if part is not LEFT_OUT], axis)
    a, n = real_array(a), integer("n", n)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    for _ in range(n):
        a = _difference(a, integer("axis", axis))
    return a


def _difference(a: Any, axis: int) -> Any:
    """The differences of neighbours along an axis."""
    rank = bilinear.rank_of(a)
    if rank == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    if rank is not None:
        (axis,) = places_of(rank, axis)
    before, behind = (("s",) * axis, ()) if axis >= 0 else ((".",), ("s",) * (-axis - 1))
    right, left = [indexing.index(a, end, pattern=(*before, f"s{place}", *behind))
                   for end, place in ((1, "1"), (-1, "2"))]
    return elementary_numpy.not_equal(right, left) if dtype_of(kind_of(a)) == "bool" else arithmetic.sub(right, left)


def _beside(a: Any, x: Any, axis: Any) -> Any:
    """What stands beside an array along an axis: a number as an array with one entry there."""
    if x is LEFT_OUT:
        return x
    x, rank = real_array(x), bilinear.rank_of(a)
    if bilinear.rank_of(x) != 0 or not rank:
        return x
    (place,) = places_of(rank, static("axis", axis))
    sizes = [1 if i == place else size for i, size in enumerate(np_shape(a))]
    return shaping.broadcast_to(x, *sizes, known=known_axes(tuple(sizes)))


def _kind(kind: Any, stable: Any) -> str:
    """The way to sort."""
    if kind is not None and stable is not None:
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time. Use only one of them.")
    return "stable" if stable else kind or "quicksort"


def np_sort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    _kind(kind, stable)  # the values are the same in all ways
    if axis is None:
        return rearranging.sort(shaping.ravel(real_array(a)))
    return rearranging.sort(real_array(a), **_axis(axis, -1))


def np_argsort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    if (way := _kind(kind, stable)) != "quicksort":
        a = shaping.ravel(real_array(a)) if axis is None else real_array(a)
        return positions.argsort_by(a, kind=way, axis=-1 if axis is None else static("axis", axis))
    if axis is None:
        return rearranging.argsort(shaping.ravel(real_array(a)))
    return rearranging.argsort(real_array(a), **_axis(axis, -1))


def np_searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    a = a if sorter is None else np_take(a, sorter)
    return rearranging.searchsorted(real_array(a), real_array(v), **({} if side == "left" else {"side": "right"}))


def np_median(a: Any, axis: Any = None, *, overwrite_input: Any = False, keepdims: Any = False) -> Any:
    return _statistic(rearranging.median, np.median, a, axis, keepdims)


def np_quantile(
    a: Any, q: Any, axis: Any = None, overwrite_input: Any = False, method: Any = "linear", keepdims: Any = False, *,
    weights: Any = None,
) -> Any:
    if weights is not None:
        raise Left("np.quantile with weights")
    return _levels("np.quantile", rearranging.quantile, np.quantile, a, q, axis, method, keepdims)


def np_percentile(
    a: Any, q: Any, axis: Any = None, overwrite_input: Any = False, method: Any = "linear", keepdims: Any = False, *,
    weights: Any = None,
) -> Any:
    if weights is not None:
        raise Left("np.percentile with weights")
    return _levels("np.percentile", rearranging.percentile, np.percentile, a, q, axis, method, keepdims)


def _levels(name: str, p: Any, function: Any, a: Any, q: Any, axis: Any, method: Any, keepdims: Any) -> Any:
    """A statistic at one level or at several, which stand along the first axis."""
    levels = q if isinstance(q, (list, tuple)) else [q]
    if any(isinstance(level, (Traced, np.ndarray, list, tuple)) for level in levels):
        raise Left(f"{name} at levels that are computed")
    by = {} if method == "linear" else {"method": static("method", method)}
    if isinstance(q, (list, tuple)):
        if not q:
            raise TypeError(f"{name} has a derivative for levels that are given: found none")
        return joining.stack(*[_statistic(p, function, a, axis, keepdims, q=_level(name, level), **by) for level in q])
    return _statistic(p, function, a, axis, keepdims, q=_level(name, q), **by)


def _statistic(p: Any, function: Any, a: Any, axis: Any, keepdims: Any, **params: Any) -> Any:
    """A statistic along an axis, along several, which become one, or of all entries."""
    a = real_array(a)
    rank = bilinear.rank_of(a)
    if not isinstance(static("axis", axis), tuple) or not rank:
        sample = {**params, "q": 0.5} if params else {}
        axis = over(lambda x, axis: function(x, axis=axis, **sample), a, axis)
        return p(a, **_axis(axis, None), **given(keepdims=keepdims), **params)
    places = places_of(rank, static("axis", axis)) or ()
    found = p(behind(a, places), axis=-1, **params)
    return shaping.expand_dims(found, axis=places) if flag("keepdims", keepdims) else found


def _level(name: str, q: Any) -> Any:
    q = q if isinstance(q, bool) else static("q", q)
    if not isinstance(q, (int, float)) or isinstance(q, bool):
        raise TypeError(f"{name} has a derivative for one level: found {q}")
    return q


def np_ptp(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return arithmetic.sub(np_max(a, axis, keepdims=keepdims), np_min(a, axis, keepdims=keepdims))


def np_average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False
) -> Any:
    found, scale = _averaged(a, axis, weights, keepdims)
    if not flag("returned", returned):
        return found
    return found, shaping.broadcast_to(scale, *np_shape(found)) if bilinear.rank_of(found) else scale


def _averaged(a: Any, axis: Any, weights: Any, keepdims: Any) -> tuple[Any, Any]:
    """An average, and the sum of its weights."""
    if weights is None:  # the mean raises for an axis of a number, as NumPy does
        found = np_mean(a, axis, keepdims=keepdims)
        return found, arithmetic.to_float64(arithmetic.div(np_size(a), np_size(found)))
    a, weights = real_array(a), real_array(weights)
    if isinstance(kind_of(a), Bool) or isinstance(kind_of(weights), Bool):
        raise TypeError("np.average has a derivative for numbers: found a truth value")
    ranks = bilinear.rank_of(a), bilinear.rank_of(weights)
    along = ranks[1] == 1 and ranks[0] != 1 and isinstance(static("axis", axis), int)
    if isinstance(static("axis", axis), tuple) and ranks[0] != ranks[1]:
        raise Left("np.average has a derivative for weights along axes that are known")
    if None in ranks or (ranks[0] != ranks[1] and not along):
        raise TypeError("np.average has a derivative for weights with the shape of the array, or of its axis")
    wide = np.result_type(*map(dtype_of, map(kind_of, (a, weights))), *(["f8"] if is_discrete(kind_of(a)) else []))
    a, weights = [
        x if dtype_of(kind_of(x)) == wide.name else arithmetic.to_float(x) if kind_of(x) == INT
        else shaping.astype(x, dtype=wide.name) for x in (a, weights)
    ]
    if along:
        weights = reductions.weights_along(weights, a, axis=axis)
        behind = tuple(range(1, (ranks[0] or 0) - places_of(ranks[0] or 0, axis)[0]))
        weights = shaping.expand_dims(weights, axis=behind) if behind else weights
        front = tuple(range((ranks[0] or 0) - 1 - len(behind)))
        weights = shaping.expand_dims(weights, axis=front) if front else weights
    elif ranks[0]:
        weights = reductions.weights_for(weights, a, **_axis(axis, None))
    scale = arithmetic.weight_sum(np_sum(weights, axis, keepdims=keepdims))
    return elementary_numpy.divide(np_sum(elementary_numpy.multiply(a, weights), axis, keepdims=keepdims), scale), scale


def np_select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    result, conditions, choices = real_array(default), list(map(real_array, items(condlist))), items(choicelist)
    if len(conditions) != len(choices):
        raise ValueError("list of cases must be same length as list of conditions")
    if not conditions:
        raise ValueError("select with an empty condition list is not possible")
    for i, a in enumerate(map(kind_of, conditions)):
        if not isinstance(a, Bool) and not (isinstance(a, Array) and a.dtype == "bool"):
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        result = elementary_numpy.where(condition, real_array(choice), result)
    return result


# -- diagonals --------------------------------------------------------------------------------------------------------


def known_rank(name: str, x: Any) -> int:
    """The rank of an array, which decides what the function does with it.

    Raises `TypeError` where it is not known.
    """
    rank = bilinear.rank_of(x)
    if rank is None:
        raise TypeError(f"{name} needs an array whose rank is known: found {in_words(kind_of(x))}")
    return rank


def but_for(usual: dict[str, Any], **params: Any) -> dict[str, Any]:
    """Those of the parameters that are known which differ from what is usual."""
    found = {k: static(k, v) for k, v in params.items()}
    return {k: v for k, v in found.items() if v != usual[k]}


def np_diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    params = but_for({"offset": 0, "axis1": 0, "axis2": 1}, offset=offset, axis1=axis1, axis2=axis2)
    return rearranging.diagonal(real_array(a), **params)


def np_trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Any:
    a = real_array(a)
    usual = {"offset": 0, "axis1": 0, "axis2": 1}
    if dtype is None and bilinear.rank_of(a) == 2 and not but_for(usual, offset=offset, axis1=axis1, axis2=axis2):
        return matrices.trace(a)
    if known_rank("np.trace", a) < 2:
        raise TypeError(f"np.trace has a derivative for matrices: found {in_words(kind_of(a))}")
    return np_sum(np_diagonal(a, offset, axis1, axis2), -1, dtype)


# -- contractions ------------------------------------------------------------------------------------------------------


def np_einsum(
    *operands: Any, optimize: Any = False, dtype: Any = None, casting: Any = "safe", order: Any = "K"
) -> Any:
    """In whatever order products are made: `optimize` chooses one, which changes what sums are rounded to."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand, or at least one "
                         "operand and its corresponding subscripts list")
    subscripts, given = subscripts_of(operands)
    arrays = list(map(real_array, given))
    if dtype is not None:
        for found in [np.dtype(dtype_of(kind_of(a))) for a in arrays]:
            if not np.can_cast(found, dtype, casting):
                raise TypeError(f"Iterator operand 0 dtype could not be cast from {found!r} to {np.dtype(dtype)!r} "
                                f"according to the rule {casting!r}")
        arrays = [np_asarray(a, dtype) for a in arrays]
    parts, out = with_letters(subscripts, [bilinear.rank_of(a) for a in arrays])
    pairs = [_once_each(a, part) for a, part in zip(arrays, parts, strict=True)]
    text = f"{','.join([part for _, part in pairs])}->{out}"
    plain = "." not in subscripts and all(len(set(part)) == len(part) for part in parts)
    return contractions.einsum(*[a for a, _ in pairs], subscripts=subscripts if plain else text)


def _once_each(a: Any, part: str) -> tuple[Any, str]:
    """An operand along whose repeated indices the diagonal is taken."""
    while repeated := next((c for c in part if part.count(c) > 1), None):
        first = part.index(repeated)
        second = part.index(repeated, first + 1)
        a = rearranging.diagonal(a, axis1=first, axis2=second)
        part = part[:first] + part[first + 1 : second] + part[second + 1 :] + repeated
    return a, part


def np_kron(a: Any, b: Any) -> Any:
    return contractions.kron(real_array(a), real_array(b))


def np_convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    return getattr(contractions, f"convolve_{_mode(mode)}")(*map(_row, (a, v)))


def np_correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    if 0 in map(bilinear.rank_of, (a, v)):
        raise ValueError("object of too small depth for desired array")
    return getattr(contractions, f"correlate_{_mode(mode)}")(real_array(a), real_array(v))


MODES = ("valid", "same", "full")


def _mode(mode: Any) -> str:
    """How much of a convolution is asked for, by name or by number."""
    mode = static("mode", mode)
    found = MODES[mode] if isinstance(mode, int) and 0 <= mode < len(MODES) else mode
    if found not in MODES:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    return found


def _row(a: Any) -> Any:
    """A number as an array of it."""
    a = real_array(a)
    return shaping.atleast_1d(a) if bilinear.rank_of(a) == 0 else a


FUNCTIONS: dict[Any, Any] = {
    np.tile: np_tile, np.repeat: np_repeat, np.triu: np_triu, np.tril: np_tril, np.rot90: np_rot90,
    np.pad: np_pad, np.take: np_take, np.compress: np_compress, np.extract: np_extract,
    np.take_along_axis: np_take_along_axis, np.fliplr: np_fliplr, np.flipud: np_flipud, np.diff: np_diff,
    np.sort: np_sort, np.argsort: np_argsort, np.searchsorted: np_searchsorted, np.median: np_median,
    np.quantile: np_quantile, np.percentile: np_percentile, np.ptp: np_ptp, np.average: np_average,
    np.select: np_select, np.einsum: np_einsum, np.kron: np_kron, np.convolve: np_convolve,
    np.correlate: np_correlate, np.trace: np_trace, np.diagonal: np_diagonal,
}
