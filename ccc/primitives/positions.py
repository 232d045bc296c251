"""Places of entries and how often they are: integers, which have no derivative; and sums of weights at places.

    <ct, bincount(x, dw)> = <ct[x], dw>

>>> nonzero_along(np.array([0.0, 2.0, 3.0]), axis=0), weighed.pullback(np.array([5.0, 7.0]), None, V, I, 0)[0]
(array([1, 2]), array([5., 7., 7.]))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.objects import Object, array
from ccc.primitives.domains import unranked
from ccc.primitives.facts import ENTRIES, MAY, NEVER, NEW, ORDER, SUMS, Raises
from ccc.primitives.pointwise import flat, no_cotangents, no_tangent
from ccc.primitives.primitive import Primitive, TypeRule, linear
from ccc.primitives.reductions import call_source, dtype_of
from ccc.primitives.shaping import axes_of

V = np.array([0.5, 1.0, 2.0])
I = np.array([0, 1, 1])


def _some(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array("int64", ("?",))


def _each(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array("int64", axes_of(args[0]))


def integers(name: str, value: Callable[..., Any], rule: TypeRule = _some, raises: Raises = MAY) -> Primitive:
    """A function that gives places, or counts, and is locally constant."""
    return Primitive(name, value, rule, call_source(name), no_cotangents, no_tangent, memory=NEW, work=ORDER,
                     raises=raises)


def _partitioned(x: Any, kth: Any, axis: int) -> Any:
    """Where the entries of a partition stood before."""
    found = np.argsort(np.partition(x, kth, axis), axis, kind="stable")
    places = np.empty_like(found)
    np.put_along_axis(places, found, np.argsort(x, axis, kind="stable"), axis)
    return places


def joined(real: Any, imag: Any) -> Any:
    """The complex numbers of these parts."""
    found = np.empty(np.shape(real), np.result_type(real, np.complex64))
    found.real, found.imag = real, imag
    return found


nonzero_along = integers("nonzero_along", lambda x, axis: np.nonzero(x)[axis], raises=unranked)
partitioned = integers("partitioned", _partitioned, _each)
argpartition = integers("argpartition", lambda x, kth, axis: np.argpartition(x, kth, axis), _each)
argpartition_of_parts = integers(
    "argpartition_of_parts", lambda real, imag, kth, axis: np.argpartition(joined(real, imag), kth, axis), _each)
argsort_by = integers("argsort_by", lambda x, kind, axis=-1: np.argsort(x, axis, kind), _each, unranked)
lexsort = integers("lexsort", lambda *keys, axis=-1: np.lexsort(keys, axis), _each)
unique_places = integers("unique_places", lambda x: np.unique(x, return_index=True)[1], raises=NEVER)
unique_inverse = integers("unique_inverse", lambda x: np.unique(x, return_inverse=True)[1].reshape(-1), _each, NEVER)
unique_counts = integers("unique_counts", lambda x: np.unique(x, return_counts=True)[1], raises=NEVER)
counted = integers("counted", lambda x, least: np.bincount(x, minlength=least))
without = integers("without", lambda out, size: np.delete(np.arange(size), out))
"""The places that are left where some are left out."""

exponent = flat("exponent", lambda x: np.frexp(x)[1], "exponent({})", memory=NEW, raises=NEVER)


# -- sums of weights -------------------------------------------------------------------------------------------------


def _counts(x: Any, edges: Any, uniform: bool = False) -> Any:
    bins, inside = _in_bins(x, edges, uniform)
    return np.bincount(bins[inside], minlength=len(edges) - 1)


def _sums(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(dtype_of(args[0]), ("?",))


def _doubles(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array("float64", ("?",))


def _like_third(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(dtype_of(args[0]), axes_of(args[1]))


def _in_bins(x: Any, edges: Any, uniform: bool = False) -> tuple[Any, Any]:
    """The bin of each number, and whether there is one. That of one width is computed, and set right by its edges."""
    last = len(edges) - 2
    inside = (x >= edges[0]) & (x <= edges[-1])
    width = edges[-1] - edges[0] if uniform else 0.0
    if 0.0 < width < np.inf:
        part = (np.where(inside, x, edges[0]) - edges[0]) / width * (last + 1)
        found = np.minimum(part.astype(np.intp), last)
        found -= (x < edges[found]) & (found > 0)
        return found + ((x >= edges[found + 1]) & (found < last)), inside
    return np.clip(np.searchsorted(edges, x, "right") - 1, 0, last), inside


def _histogram(w: Any, x: Any, edges: Any, uniform: bool = False) -> Any:
    if not uniform:
        return np.histogram(x, edges, weights=w)[0]
    bins, inside = _in_bins(x, edges, uniform)
    return np.bincount(bins[inside], w[inside], len(edges) - 1).astype(w.dtype)


def _histogram_onto(ct: Any, x: Any, edges: Any, uniform: bool = False) -> Any:
    bins, inside = _in_bins(x, edges, uniform)
    return np.where(inside, ct[bins], ct.dtype.type(0))


histogram_counts = integers("histogram_counts", _counts)
weighed = linear(
    "weighed", lambda w, x, least: np.bincount(x, w, least), _doubles, call_source("weighed"),
    lambda ct, y, w, x, least: (at_places(ct, x), ZERO, ZERO), memory=NEW, work=SUMS, raises=MAY,
)
at_places = linear(
    "at_places", lambda ct, x: ct[x], _like_third, call_source("at_places"),
    lambda g, y, ct, x: (weighed_like(g, x, ct), ZERO), memory=NEW, work=ENTRIES, raises=MAY,
    adding=True,
)
weighed_like = linear(
    "weighed_like", lambda w, x, like: np.bincount(x, w, len(like)).astype(like.dtype), lambda p, args, params: args[2],
    call_source("weighed_like"), lambda ct, y, w, x, like: (at_places(ct, x), ZERO, ZERO), memory=NEW, work=SUMS,
    sizes=(2,), raises=MAY,
)
histogram_weights = linear(
    "histogram_weights", _histogram, _sums, call_source("histogram_weights"),
    lambda ct, y, w, x, edges, **params: (histogram_onto(ct, x, edges, **params), ZERO, ZERO), memory=NEW, work=SUMS,
    raises=MAY,
)
histogram_onto = linear(
    "histogram_onto", _histogram_onto, _like_third, call_source("histogram_onto"),
    lambda g, y, ct, x, edges, **params: (histogram_weights(g, x, edges, **params), ZERO, ZERO), memory=NEW,
    work=ENTRIES, raises=MAY, adding=True,
)
