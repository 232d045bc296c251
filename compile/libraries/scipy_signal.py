"""Filters of signals: a recurrence along an axis.

>>> lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0]))
array([1.  , 0.5 , 0.25])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from ccc.compile.frontend.numpy_functions.table import definition_of

signal: Any = scipy.signal


def padded(weights: Any, n: Any) -> Any:
    return np.concatenate([weights, np.zeros(n - len(weights))])


@definition_of(signal.lfilter)
def lfilter(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    b, a = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    n = max(len(a), len(b)) + 1
    b, a = padded(b / a[0], n), padded(a / a[0], n)
    rows = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    samples = np.transpose(rows)
    state = np.zeros((n - 1, *np.shape(samples)[1:]))
    still = np.zeros((1, *np.shape(samples)[1:]))
    found = []
    for i in range(len(samples)):
        y = b[0] * samples[i] + state[0]
        found.append(y)
        state = np.concatenate([state[1:], still]) + np.multiply.outer(b[1:], samples[i]) - np.multiply.outer(a[1:], y)
    return np.moveaxis(np.transpose(np.array(found)), -1, axis)
