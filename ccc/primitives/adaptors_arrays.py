"""More NumPy functions under their own signatures: rearrangements, order statistics, contractions.

>>> np_median(np.array([3.0, 1.0, 2.0])), np_einsum("i,i->", np.ones(2), np.ones(2))
(np.float64(2.0), np.float64(2.0))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.objects import INT, Array, Bool, is_discrete
from ccc.primitives import (
    arithmetic,
    bilinear,
    contractions,
    elementary_numpy,
    indexing,
    rearranging,
    reductions,
    shaping,
)
from ccc.primitives.adaptors import (
    given,
    integer,
    items,
    kinds,
    np_max,
    np_mean,
    np_min,
    np_sum,
    over,
    real_array,
    static,
)
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.reductions import dtype_of
from ccc.wording import in_words


def np_tile(A: Any, reps: Any) -> Any:
    return rearranging.tile(real_array(A), reps=static("reps", reps))


def np_repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    return rearranging.repeat(real_array(a), real_array(repeats), **given(axis=axis))


def _k(k: Any, usual: int = 0) -> dict[str, Any]:
    return {} if integer("k", k) == usual else {"k": integer("k", k)}


def np_triu(m: Any, k: Any = 0) -> Any:
    return rearranging.triu(real_array(m), **_k(k))


def np_tril(m: Any, k: Any = 0) -> Any:
    return rearranging.tril(real_array(m), **_k(k))


def np_rot90(m: Any, k: Any = 1) -> Any:
    return rearranging.rot90(real_array(m), **_k(k, 1))


def np_pad(array: Any, pad_width: Any, mode: Any = "constant") -> Any:
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise TypeError(f"np.pad has a derivative for padding with zeros and with entries: found {mode!r}")
    width = static("pad_width", pad_width)
    return rearranging.pad(real_array(array), pad_width=width, **({} if mode == "constant" else {"mode": mode}))


def np_take(a: Any, indices: Any, axis: Any = None) -> Any:
    return rearranging.take(real_array(a), real_array(indices), **_axis(axis, None))


def _axis(axis: Any, usual: Any) -> dict[str, Any]:
    return {} if static("axis", axis) == usual else {"axis": static("axis", axis)}


def np_compress(condition: Any, a: Any, axis: Any = None) -> Any:
    return rearranging.compress(real_array(a), real_array(condition), **_axis(axis, None))


def np_extract(condition: Any, arr: Any) -> Any:
    return rearranging.compress(shaping.ravel(real_array(arr)), shaping.ravel(real_array(condition)))


def np_take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
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


def np_diff(a: Any, n: Any = 1, axis: Any = -1) -> Any:
    if static("n", n) == 0:
        return a
    return rearranging.diff(real_array(a), **({} if static("n", n) == 1 else {"n": static("n", n)}), **_axis(axis, -1))


def np_sort(a: Any, axis: Any = -1) -> Any:
    if axis is None:
        return rearranging.sort(shaping.ravel(real_array(a)))
    return rearranging.sort(real_array(a), **_axis(axis, -1))


def np_argsort(a: Any, axis: Any = -1) -> Any:
    if axis is None:
        return rearranging.argsort(shaping.ravel(real_array(a)))
    return rearranging.argsort(real_array(a), **_axis(axis, -1))


def np_searchsorted(a: Any, v: Any, side: Any = "left") -> Any:
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    return rearranging.searchsorted(real_array(a), real_array(v), **({} if side == "left" else {"side": "right"}))


def np_median(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    axis = over(np.median, a, axis)
    return rearranging.median(real_array(a), **one_axis("np.median", axis), **given(keepdims=keepdims))


def np_quantile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    axis = over(np.quantile, a, axis)
    return rearranging.quantile(real_array(a), q=_level("np.quantile", q), **one_axis("np.quantile", axis),
                                **given(keepdims=keepdims))


def np_percentile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    axis = over(np.percentile, a, axis)
    return rearranging.percentile(real_array(a), q=_level("np.percentile", q), **one_axis("np.percentile", axis),
                                  **given(keepdims=keepdims))


def _level(name: str, q: Any) -> Any:
    q = q if isinstance(q, bool) else static("q", q)
    if not isinstance(q, int | float) or isinstance(q, bool):
        raise TypeError(f"{name} has a derivative for one level: found {q}")
    return q


def one_axis(name: str, axis: Any) -> dict[str, Any]:
    """`axis` as a parameter; one that is a tuple is refused."""
    if isinstance(static("axis", axis), tuple):
        raise TypeError(f"{name} has a derivative along one axis or all: found a tuple of axes")
    return _axis(axis, None)


def np_ptp(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return arithmetic.sub(np_max(a, axis, keepdims=keepdims), np_min(a, axis, keepdims=keepdims))


def np_average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    if weights is None:
        return np_mean(a, axis)  # which raises for an axis of a number, as NumPy does
    a, weights = real_array(a), real_array(weights)
    if isinstance(kind_of(a), Bool) or isinstance(kind_of(weights), Bool):
        raise TypeError("np.average has a derivative for numbers: found a truth value")
    ranks = bilinear.rank_of(a), bilinear.rank_of(weights)
    if None in ranks or ranks[0] != ranks[1]:
        raise TypeError("np.average has a derivative for weights with the shape of the array")
    wide = np.result_type(*map(dtype_of, map(kind_of, (a, weights))), *(["f8"] if is_discrete(kind_of(a)) else []))
    a, weights = [
        x if dtype_of(kind_of(x)) == wide.name else arithmetic.to_float(x) if kind_of(x) == INT
        else shaping.astype(x, dtype=wide.name) for x in (a, weights)
    ]
    if ranks[0]:
        weights = reductions.weights_for(weights, a, **_axis(axis, None))
    scale = arithmetic.weight_sum(np_sum(weights, axis))
    return elementary_numpy.divide(np_sum(elementary_numpy.multiply(a, weights), axis), scale)


def np_trapezoid(y: Any, x: Any = None, dx: Any = 1.0) -> Any:
    y = real_array(y)
    ends = [indexing.index(y, bound, pattern=(".", code)) for bound, code in ((1, "s1"), (-1, "s2"))]
    step = real_array(dx) if x is None else np_diff(real_array(x))
    if x is not None and bilinear.rank_of(x) != 1:
        raise TypeError(f"np.trapezoid has a derivative for points on a line: found {in_words(kind_of(x))}")
    return np_sum(arithmetic.div(arithmetic.mul(step, arithmetic.add(*ends)), 2.0), -1)


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


# -- contractions ------------------------------------------------------------------------------------------------------


def np_einsum(subscripts: Any, *operands: Any) -> Any:
    if not isinstance(subscripts, str):
        raise TypeError("np.einsum has a derivative for indices that are given as a text")
    return contractions.einsum(*map(real_array, operands), subscripts=subscripts)


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


# -- what is not a number is left out ----------------------------------------------------------------------------------


def np_nan(name: str) -> Any:
    """`np.nanmax` and its like."""
    primitive = getattr(reductions, name)

    def adaptor(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
        return primitive(real_array(a), **given(axis=over(getattr(np, name), a, axis), keepdims=keepdims))

    return adaptor


FUNCTIONS: dict[Any, Any] = {
    np.tile: np_tile, np.repeat: np_repeat, np.triu: np_triu, np.tril: np_tril, np.rot90: np_rot90,
    np.pad: np_pad, np.take: np_take, np.compress: np_compress, np.extract: np_extract,
    np.take_along_axis: np_take_along_axis, np.fliplr: np_fliplr, np.flipud: np_flipud, np.diff: np_diff,
    np.sort: np_sort, np.argsort: np_argsort, np.searchsorted: np_searchsorted, np.median: np_median,
    np.quantile: np_quantile, np.percentile: np_percentile, np.ptp: np_ptp, np.average: np_average,
    np.select: np_select, np.einsum: np_einsum, np.kron: np_kron, np.convolve: np_convolve,
    np.correlate: np_correlate,
    np.nanmax: np_nan("nanmax"), np.nanmin: np_nan("nanmin"), np.nansum: np_nan("nansum"),
    np.nanmean: np_nan("nanmean"),
    getattr(np, "trapezoid", None) or getattr(np, "trapz"): np_trapezoid,  # noqa: B009 - its name before NumPy 2
}
