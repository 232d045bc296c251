"""Recursive filters: SciPy runs them, and the cotangents of what they make run through them backwards.

    sum_k a_k y_n-k = sum_k b_k x_n-k        v_n = c_n - sum_k>0 a_k v_n+k    where c is the cotangent of y and a_0 = 1

    dx_n = sum_k b_k v_n+k        db_k = sum_n x_n v_n+k        da_k = - sum_n y_n v_n+k

Samples are along the first axis.

>>> recursion(np.array([1.0]), np.array([1.0, -0.5]), np.array([1.0, 0.0, 0.0]))
array([1.  , 0.5 , 0.25])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import hosted

signal: Any = scipy.signal


def recursion(b: Any, a: Any, x: Any) -> Any:
    """What a filter, whose `a[0]` is 1, makes of samples when it was at rest."""
    return hosted(filtered_at_rest, x, b, a, x)


def filtered_at_rest(b: Any, a: Any, x: Any) -> Any:
    return signal.lfilter(b, a, x, 0)


def recursion_rule(b: Any, a: Any, x: Any) -> Any:
    y = recursion(b, a, x)

    def pulled(ct: Any) -> Any:
        back = ct[::-1]
        v = recursion(np.ones(1, a.dtype), a, back)[::-1]
        return lagged(x, v, len(b)), -lagged(y, v, len(a)), recursion(b, a, back)[::-1]

    return y, pulled


RULES[recursion] = recursion_rule


def lagged(x: Any, v: Any, count: Any) -> Any:
    """The sums of products of samples with later ones, for each distance below `count`."""
    n = len(x)
    return np.array([np.sum(x[: max(n - k, 0)] * v[min(k, n) : n]) for k in range(count)])


def recursion_from(b: Any, a: Any, x: Any, state: Any) -> Any:
    """What a filter makes of samples when it begins in a state, and below that the state in which it ends."""
    return hosted(filtered_from, x, b, a, x, state)


def filtered_from(b: Any, a: Any, x: Any, state: Any) -> Any:
    return np.concatenate(signal.lfilter(b, a, x, 0, state))


def from_rule(b: Any, a: Any, x: Any, state: Any) -> Any:
    """The cotangent of the last state is what `v` is behind the samples, that of the first one what `v` begins with."""
    found = recursion_from(b, a, x, state)
    n, order = len(x), len(state)
    y = found[:n]

    def pulled(ct: Any) -> Any:
        later = ct[n:]
        places = np.arange(order)[:, None] + np.arange(order) + 1
        known = np.where(places < len(a), a[np.minimum(places, len(a) - 1)], 0.0)
        back = recursion_from(np.ones(1, a.dtype), padded(a, order + 1), ct[:n][::-1], -np.tensordot(known, later, 1))
        v = np.concatenate([back[:n][::-1], later])
        return (
            lagged_behind(x, v, len(b)),
            -lagged_behind(y, v, len(a)),
            recursion(b, np.ones(1, a.dtype), v[::-1])[order:][::-1],
            v[:order],
        )

    return found, pulled


RULES[recursion_from] = from_rule


def lagged_behind(x: Any, v: Any, count: Any) -> Any:
    """The same where there is `v` behind the samples."""
    return np.array([np.sum(x * v[k : k + len(x)]) for k in range(count)])


def padded(weights: Any, n: Any) -> Any:
    """With zeros behind, `n` in all."""
    return np.concatenate([weights, np.zeros(n - len(weights), weights.dtype)])


def sections(sos: Any, x: Any) -> Any:
    """What filters of order two, whose `a[0]` is 1, make of samples one after the other."""
    return hosted(filtered_by_sections, x, sos, x)


def filtered_by_sections(sos: Any, x: Any) -> Any:
    return signal.sosfilt(sos, x, 0)


def sections_rule(sos: Any, x: Any) -> Any:
    def pulled(ct: Any) -> Any:
        made = [x]
        for i in range(len(sos)):
            made.append(recursion(sos[i, :3], sos[i, 3:], made[i]))
        back, rows = ct[::-1], []
        for i in range(len(sos) - 1, -1, -1):
            v = recursion(np.ones(1, sos.dtype), sos[i, 3:], back)[::-1]
            rows.append(np.concatenate([lagged(made[i], v, 3), -lagged(made[i + 1], v, 3)]))
            back = recursion(sos[i, :3], sos[i, 3:], back)
        return np.array(rows[::-1]), sections(sos, ct[::-1])[::-1]

    return sections(sos, x), pulled


RULES[sections] = sections_rule


# -- rates -------------------------------------------------------------------------------------------------------------


def at_rates(h: Any, x: Any, up: Any, down: Any) -> Any:
    """What a filter makes of samples between which zeros are put, at every so many places."""
    return hosted(filtered_at_rates, x, h, x, up, down)


def filtered_at_rates(h: Any, x: Any, up: Any, down: Any) -> Any:
    return signal.upfirdn(h, x, up, down, 0)


def rates_rule(h: Any, x: Any, up: Any, down: Any) -> Any:
    """The transpose is the filter turned round, with the rates exchanged."""
    y = at_rates(h, x, up, down)

    def pulled(ct: Any) -> Any:
        n, m = len(x), len(h)
        beyond = (m - 1 + up - 1) // up  # samples that the filter is long
        back = at_rates(padded(h, beyond * up + 1)[::-1], ct, down, up)
        level = np.zeros((beyond + n, *np.shape(x)[1:]), x.dtype)
        places, moved = np.arange(len(y)) * down, []
        for k in range(m):
            i = (places - k) // up
            there = (places - k == i * up) & (i >= 0) & (i < n)
            moved.append(np.sum(ct[there] * x[i[there]]))
        return np.array(moved), np.concatenate([back, level])[beyond:beyond + n], None, None

    return y, pulled


RULES[at_rates] = rates_rule
