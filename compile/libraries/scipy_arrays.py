"""What SciPy's own functions, which are read as those of users are, are wrapped in: namespaces of arrays, and axes.

    array_namespace(x) = numpy        apply_where(c, (x,), f, g)   f at the x where c holds, g at the others

A function that SciPy gives the parameters `axis`, `nan_policy` and `keepdims` works along the last axis, to which those
that are named are moved; a sample with NaNs has NaN as its result.

>>> apply_where(np.array([True, False]), np.array([1.0, 2.0]), np.negative, fill_value=0.0)
array([-1.,  0.])
"""

from __future__ import annotations

import functools
import inspect
import math
import types
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy._lib._array_api
import scipy._lib.array_api_compat.numpy
import scipy._lib.array_api_extra
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import DEFINED, MADE, definition_of, refuse

arrays: Any = scipy._lib._array_api
compatible: Any = scipy._lib.array_api_compat.numpy
extra: Any = scipy._lib.array_api_extra

DEFINED.update({
    wrapped: getattr(np, name) for name, wrapped in sorted(vars(compatible).items(), key=lambda pair: pair[0])
    if isinstance(wrapped, (types.FunctionType, functools.partial)) and hasattr(np, name)
    and wrapped is not getattr(np, name)
})
"""NumPy's functions in the place of those that make older versions of it alike."""


@definition_of(arrays.array_namespace)
def array_namespace(*arrays: Any) -> Any:
    return np


@definition_of(arrays.xp_result_type)
def xp_result_type(*args: Any, force_floating: Any = False, xp: Any = None) -> Any:
    given = [np.asarray(x) if isinstance(x, (list, tuple)) else x for x in args if x is not None]
    return np.result_type(*given, 1.0) if force_floating else np.result_type(*given)


@definition_of(arrays.xp_promote)
def xp_promote(*args: Any, broadcast: Any = False, force_floating: Any = False, xp: Any = None) -> Any:
    dtype = xp_result_type(*args, force_floating=force_floating)
    made = [None if x is None else as_dtype(x, dtype) for x in args]
    if broadcast:
        shape = np.broadcast_shapes(*[np.shape(x) for x in made if x is not None])
        made = [None if x is None else np.broadcast_to(x, shape) for x in made]
    return made[0] if len(made) == 1 else tuple(made)


def as_dtype(x: Any, dtype: Any) -> Any:
    if np.iscomplexobj(x):
        return x
    return np.asarray(x) + 0j if np.issubdtype(dtype, np.complexfloating) else np.asarray(x, dtype)


@dataclass
class At:
    """Items of an array, to be written."""

    x: Any
    idx: Any

    def __getitem__(self, idx: Any) -> Any:
        return At(self.x, idx)

    def set(self, y: Any, /, copy: Any = None, xp: Any = None) -> Any:
        if np.ndim(self.x) == 0:
            return np.where(self.idx, y, self.x)[()]
        x = np.copy(self.x) if copy else self.x
        x[self.idx] = y
        return x

    def add(self, y: Any, /, copy: Any = None, xp: Any = None) -> Any:
        return self.set(self.x[self.idx] + y, copy)

    def subtract(self, y: Any, /, copy: Any = None, xp: Any = None) -> Any:
        return self.set(self.x[self.idx] - y, copy)

    def multiply(self, y: Any, /, copy: Any = None, xp: Any = None) -> Any:
        return self.set(self.x[self.idx] * y, copy)

    def divide(self, y: Any, /, copy: Any = None, xp: Any = None) -> Any:
        return self.set(self.x[self.idx] / y, copy)


@definition_of(extra.at)
def at(x: Any, idx: Any = None, /) -> Any:
    return At(x, idx)


@definition_of(extra.apply_where)
def apply_where(cond: Any, args: Any, f1: Any, f2: Any = None, /, *, fill_value: Any = None, xp: Any = None) -> Any:
    given = args if isinstance(args, tuple) else (args,)
    cond, *given = np.broadcast_arrays(cond, *given)
    shape, mask = np.shape(cond), np.ravel(cond)
    given = [np.ravel(x) for x in given]
    first = f1(*[x[mask] for x in given])
    if f2 is None:
        found = np.full(np.shape(mask), fill_value, np.result_type(first, fill_value))
    else:
        second = f2(*[x[~mask] for x in given])
        found = np.zeros(np.shape(mask), np.result_type(first, second))
        found[~mask] = second
    found[mask] = first
    return np.reshape(found, shape)


@functools.cache
def along_axes(wrapper: Any) -> Any:
    """The definition of a function that SciPy gives `axis`, `nan_policy` and `keepdims`."""
    cells = inspect.getclosurevars(wrapper).nonlocals
    run, too_small, default_axis, paired = [cells[name] for name in (
        "hypotest_fun_in", "is_too_small", "default_axis", "paired")]
    of_samples, of_outputs, optional = cells["n_samples"], cells["n_outputs"], tuple(cells["kwd_samples"])
    to_tuple, from_tuple = cells["result_to_tuple"], cells["tuple_to_result"]
    names = tuple(inspect.signature(run).parameters)
    vectorized = "axis" in names and not cells["override"]["vectorization"]
    propagates = cells["override"]["nan_propagation"]
    title = f"scipy.stats.{run.__name__}"

    row_without_nans = without_nans(run, to_tuple, too_small, paired, propagates)

    def definition(*args: Any, axis: Any = default_axis, nan_policy: Any = "propagate", keepdims: Any = False,
                   _no_deco: Any = False, **options: Any) -> Any:
        if _no_deco:
            by_place = "axis" not in names[len(args):]
            return run(*args, **options) if by_place else run(*args, axis=axis, **options)
        given = dict(options)
        count, named = (len(args), ()) if of_samples is None else (of_samples, names[:len(args)])
        for name, value in zip(named, args, strict=False):
            given[name] = value
        if "axis" in given:
            axis = given.pop("axis")
        count = cast(int, count(given) if callable(count) else count)
        outputs = of_outputs(given) if callable(of_outputs) else of_outputs
        by_name = tuple([name for name in optional if given.get(name) is not None])
        samples = args if of_samples is None else tuple([given.pop(name) for name in (*names[:count], *by_name)])
        samples = [np.atleast_1d(np.asarray(x)) for x in samples]
        axes, samples = along_last(samples, axis, paired)
        refuse_missing(nan_policy, samples)
        if nan_policy == "omit":
            if by_name:
                refuse(f"{title} has a derivative for nan_policy='omit' without `{by_name[0]}`",
                       "leave NaNs out: `x[~np.isnan(x)]`")
            given = {name: value for name, value in given.items() if name not in optional}
            found = of_rows(samples, lambda xs: row_without_nans(xs, given, outputs))
            return from_tuple(*[np.expand_dims(x, axes) for x in found] if keepdims else found)
        if not vectorized and any([np.ndim(x) > 1 for x in samples]):
            refuse(f"{title} has a derivative for samples of one axis", "call it for each row")
        if vectorized and any([np.ndim(x) > 1 for x in samples]):
            given["axis"] = -1
        for name, x in zip(by_name, samples[count:], strict=True):
            given[name] = x
        found = to_tuple(run(*samples[:count], **given), outputs)
        if propagates:
            missing = np.any(np.stack([np.any(np.isnan(x), axis=-1) for x in samples]), axis=0)
            if all([np.ndim(x) == 1 for x in samples]):
                missing = missing | too_small(samples, given)
            found = [x if isinstance(x, int) else np.where(missing, np.nan, x)[()] for x in found]
        if keepdims:
            found = [x if isinstance(x, int) else np.expand_dims(x, axes) for x in found]
        return from_tuple(*found)

    return definition


def refuse_missing(nan_policy: Any, samples: Any) -> None:
    """Raise what SciPy raises of a policy that there is not, and where samples may miss nothing and do.

    >>> refuse_missing("omit", [np.array([np.nan])])
    """
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if nan_policy == "raise" and any([np.any(np.isnan(x)) for x in samples]):
        raise ValueError("The input contains nan values")


def without_nans(run: Any, to_tuple: Any, too_small: Any, paired: Any, propagates: Any) -> Any:
    """What gives the results of one row, of which what is missing is left out: of pairs, both."""
    def of_row(xs: Any, given: Any, outputs: Any) -> Any:
        there = [~np.isnan(x) for x in xs]
        if paired:
            there = [np.all(np.stack(there), axis=0)] * len(xs)
        left = [x[kept] for x, kept in zip(xs, there, strict=True)]
        found = to_tuple(run(*left, **given), outputs)
        return [np.where(too_small(left, given), np.nan, x)[()] for x in found] if propagates else found

    return of_row


def of_rows(samples: Any, of_row: Any) -> Any:
    """What `of_row` gives for each row of arrays that have the same, along the axes before the last one."""
    shape = np.shape(samples[0])[:-1]
    if len(shape) == 0:
        return of_row(samples)
    rows = [np.reshape(x, (-1, np.shape(x)[-1])) for x in samples]
    each = [of_row([x[i] for x in rows]) for i in range(len(rows[0]))]
    return [np.reshape(np.array([found[k] for found in each]), shape) for k in tuple(range(len(each[0])))]


def along_last(samples: Any, axis: Any, paired: Any) -> Any:
    """Which axes are reduced, and the samples with these as their last one."""
    if axis is None:
        return tuple(range(max([np.ndim(x) for x in samples]))), [np.ravel(x) for x in samples]
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(samples) > 1:
        samples = broadcast(samples, None if paired else axes)
    count = len(axes)
    moved = [np.moveaxis(x, axes, tuple(range(-count, 0))) for x in samples]
    return axes, [np.reshape(x, (*np.shape(x)[:-count], math.prod(np.shape(x)[-count:]))) for x in moved]


@definition_of(scipy.stats._axis_nan_policy._broadcast_arrays)  # type: ignore[attr-defined]
def broadcast(samples: Any, axis: Any = None, xp: Any = None) -> Any:
    """Samples of one shape, but for the axes of observations."""
    axes = axis if axis is None or isinstance(axis, tuple) else (axis,)
    if all([np.ndim(x) == 1 for x in samples]) and axes is not None:
        return samples
    if axes is None:
        return np.broadcast_arrays(*samples)
    rank = max([np.ndim(x) for x in samples])
    wide = [np.reshape(x, (*[1] * (rank - np.ndim(x)), *np.shape(x))) for x in samples]
    own = [i % rank for i in axes]
    shape = np.broadcast_shapes(*[tuple([1 if i in own else n for i, n in enumerate(np.shape(x))]) for x in wide])
    return [np.broadcast_to(x, tuple([n if i in own else shape[i] for i, n in enumerate(np.shape(x))])) for x in wide]


MADE[scipy.stats.skew.__code__] = along_axes
