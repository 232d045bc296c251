"""What `np.pad` puts beside arrays, where these are no entries of them.

>>> pad([1.0, 2.0], 1, mode="mean"), pad([1.0, 2.0], (0, 2), mode="linear_ramp")
(array([1.5, 1. , 2. , 1.5]), array([1., 2., 1., 0.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import beyond, refuse
from ccc.primitives.complex_arrays import FUNCTIONS, imag_of, real_of
from ccc.primitives.complexes import Complex, as_complex

MODES = ("constant", "linear_ramp", "maximum", "mean", "median", "minimum", "empty", "reflect", "symmetric", "edge",
         "wrap")


@beyond(np.pad)
def pad(
    array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0, end_values: Any = 0,
    stat_length: Any = None, reflect_type: Any = "even",
) -> Any:
    """One axis after the other: later ones go over what earlier ones have put there."""
    array = np.asarray(array)
    if mode not in MODES:
        refuse(f"np.pad with mode={mode!r} has no derivative here")
    if mode in ("mean", "median") and np.isdtype(array.dtype, "integral"):
        refuse(f"np.pad with mode={mode!r} has a derivative for real arrays")
    rank = np.ndim(array)
    widths, lengths = pairs(pad_width, rank), pairs(stat_length, rank)
    given = pairs(end_values if mode == "linear_ramp" else constant_values, rank)
    found = array
    for axis in tuple(range(rank)):
        rows = np.moveaxis(found, axis, 0)
        parts = beside(rows, mode, widths[axis], lengths[axis], given[axis], reflect_type)
        found = np.moveaxis(np.concatenate([parts[0].astype(array.dtype), rows, parts[1].astype(array.dtype)]), 0, axis)
    return found


def pairs(x: Any, rank: Any) -> Any:
    """What stands before and behind along each axis."""
    if isinstance(x, dict):
        given = {i % rank: x[i] for i in x}  # axes may be counted from the last one
        return tuple([pairs(given[i], 1)[0] if i in given else (0, 0) for i in tuple(range(rank))])
    if not isinstance(x, (tuple, list)):
        return ((x, x),) * rank
    if len(x) == 1:
        return pairs(x[0], rank)
    if not isinstance(x[0], (tuple, list)):
        return ((x[0], x[1]),) * rank
    return tuple([(y[0], y[1]) if len(y) == 2 else (y[0], y[0]) for y in x])


def beside(rows: Any, mode: Any, width: Any, length: Any, given: Any, reflect_type: Any) -> Any:
    """The rows before others, and those behind them."""
    if mode in ("reflect", "symmetric"):
        return mirrored(rows, width, 1 if mode == "reflect" else 0, reflect_type)
    inner = np.shape(rows)[1:]
    if mode in ("constant", "empty"):
        return [np.broadcast_to(np.asarray(given[i]), (width[i], *inner)) for i in (0, 1)]
    if mode == "linear_ramp":
        before = np.linspace(np.broadcast_to(np.asarray(given[0]) * 1.0, inner), rows[0], width[0], endpoint=False)
        behind = np.linspace(np.broadcast_to(np.asarray(given[1]) * 1.0, inner), rows[-1], width[1], endpoint=False)
        return [before, behind[::-1]]
    if mode == "edge":
        return [np.broadcast_to(rows[0], (width[0], *inner)), np.broadcast_to(rows[-1], (width[1], *inner))]
    if mode == "wrap":
        return [rows[(np.arange(width[0]) - width[0]) % len(rows)], rows[np.arange(width[1]) % len(rows)]]
    first = rows if length[0] is None else rows[:length[0]]
    last = rows if length[1] is None else rows[-length[1]:]
    found = [statistic(mode, first), statistic(mode, last)]
    return [np.broadcast_to(found[i], (width[i], *inner)) for i in (0, 1)]


def statistic(mode: Any, rows: Any) -> Any:
    if mode == "mean":
        return np.mean(rows, axis=0)
    if mode == "median":
        return np.median(rows, axis=0)
    return np.max(rows, axis=0) if mode == "maximum" else np.min(rows, axis=0)


def mirrored(rows: Any, width: Any, edge: Any, reflect_type: Any) -> Any:
    """The rows at both ends in mirrors, `edge` rows in from them; odd ones turned over at the end."""
    behind = onward(rows, len(rows) + np.arange(width[1]), edge, reflect_type)
    before = onward(rows, edge + np.arange(width[0])[::-1], edge, reflect_type)
    return [before if reflect_type == "even" else 2 * rows[:1] - before, behind]


def onward(rows: Any, places: Any, edge: Any, reflect_type: Any) -> Any:
    """The rows at places that count from the first one, between mirrors at both ends."""
    size = len(rows)
    period = np.maximum(2 * (size - edge), 1)
    rest = places % period
    turned = rest >= size
    found = rows[np.where(turned, period - 1 + edge - rest, rest)]
    if reflect_type == "even":
        return found
    shape = (len(places),) + (1,) * (np.ndim(rows) - 1)
    turned, round_ = np.reshape(turned, shape), np.reshape(places // period, shape)
    return np.where(turned, 2 * rows[-1:] - found, found) + 2 * round_ * (rows[-1:] - rows[:1])


def complex_pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    """Of both parts, but where an order of the numbers decides."""
    a = as_complex(np.asarray(array))
    if mode in ("maximum", "minimum", "median"):
        return pad(a, pad_width, mode, **options)
    return Complex(np.pad(a.real, pad_width, mode, **{k: real_of(x) for k, x in options.items()}),
                   np.pad(a.imag, pad_width, mode, **{k: imag_of(x) for k, x in options.items()}))


FUNCTIONS[np.pad] = complex_pad
