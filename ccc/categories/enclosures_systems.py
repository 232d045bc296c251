"""Bounds of inverses, solutions and determinants of matrices that are known by bounds.

With R an inverse of the middle, as it is rounded, and E = I - R A, of which the magnitudes are known for all A:

    inv A = (I + E + E^2 + ...) R        det A / det M = det (I - E) / det (I - F)        F that of the middle M alone
    log det (I - E) = - (tr E + tr E^2 / 2 + ...)        |tr E^k| <= the sum of the rows, times the longest to k - 1

and the sums converge where rows of E are shorter than 1; elsewhere nothing is known of the inverse, and of the
determinant Hadamard's bound. The determinant of M is that of a matrix near M, as its factors are rounded.

>>> import numpy as np
>>> a = np.array([[2.0, 0.5], [0.25, 1.5]])
>>> low, high = of_inverse(inv, (a - 0.1, a + 0.1), close=2.0 ** -53)
>>> bool(np.all(low < np.linalg.inv(a)) and np.all(np.linalg.inv(a) < high) and np.max(high - low) < 0.3)
True

References: Siegfried Rump, *Verification methods* (2010), section 10; Nicholas Higham, *Accuracy and Stability of
Numerical Algorithms*, sections 9.3 and 14.6.
"""

from __future__ import annotations

import math
from typing import Any

from ccc.categories.enclosures import LOST, Bounds
from ccc.primitives.arithmetic import less, to_float
from ccc.primitives.bilinear import np_matmul as matmul, rank_of
from ccc.primitives.creation import eye
from ccc.primitives.elementary_numpy import exp, exp2, maximum, minimum, where
from ccc.primitives.matrices import det, inv, turned
from ccc.primitives.norms import inverse_or_nan
from ccc.primitives.primitive import Primitive
from ccc.primitives.products import prod
from ccc.primitives.reductions import max_, sum_
from ccc.primitives.shaping import dim, expand_dims, squeeze


def middle_of(x: Bounds, close: float) -> Bounds:
    """The middle of bounds, and how far from it they are."""
    low, high = x
    middle = (low + high) * 0.5
    return middle, maximum(high - middle, middle - low) + abs(middle) * (4.0 * close) + LOST


def residuals(r: Any, middle: Any, apart: Any, close: float) -> Any:
    """How large the entries of I - R A are, at most, for matrices that are so far apart from the middle."""
    n = dim(middle, axis=-1)
    slack = (4.0 * close) * (to_float(n) + 4.0)
    off = abs(eye(n) - matmul(r, middle)) + matmul(abs(r), apart + abs(middle) * slack + LOST)
    return off + off * slack


def solved(a: Bounds, right: Bounds | None, close: float) -> Bounds:
    """Bounds of inv A B for matrices A and B between bounds; of inv A where there is no B."""
    middle, apart = middle_of(a, close)
    r = inverse_or_nan(middle)
    e, slack = residuals(r, middle, apart, close), (4.0 * close) * (to_float(dim(middle, axis=-1)) + 4.0)
    first, around = r, 0.0 * r
    if right is not None:
        given, beside = middle_of(right, close)
        first, around = matmul(r, given), matmul(abs(r), beside + abs(given) * slack + LOST)
    rows = sum_(e, axis=-1, keepdims=True)
    longest = max_(rows, axis=-2, keepdims=True)
    once = matmul(e, abs(first) + around)
    rest = 1.0 - longest
    off = around + once + rows * max_(once, axis=-2, keepdims=True) / where(less(0.0, rest), rest, 1.0)
    off = where(less(0.0, rest), off + off * (4.0 * slack), math.inf)
    return first - off, first + off


def of_inverse(p: Primitive, a: Bounds, *, close: float) -> Bounds:
    """The rule of inverses."""
    return solved(a, None, close)


def of_solution(p: Primitive, a: Any, b: Any, *, close: float) -> Bounds:
    """The rule of solutions of systems; what is no pair of bounds is known."""
    a, b = [x if isinstance(x, tuple) else (x, x) for x in (a, b)]
    if rank_of(b[0]) != 1:
        return solved(a, b, close)
    low, high = solved(a, (expand_dims(b[0], axis=-1), expand_dims(b[1], axis=-1)), close)
    return squeeze(low, axis=-1), squeeze(high, axis=-1)


def logarithm(e: Any) -> Bounds:
    """A bound of the magnitude of log det (I - E), the sum of tr E^k / k; and the longest row, which is less than 1
    where it is one."""
    rows = sum_(e, axis=-1)
    longest, total = max_(rows, axis=-1), sum_(rows, axis=-1)
    rest = where(less(longest, 1.0), 1.0 - longest, 1.0)
    trace = sum_(sum_(e * eye(dim(e, axis=-1)), axis=-1), axis=-1)
    return trace + total * longest / (2.0 * rest), longest


def of_determinant(p: Primitive, a: Bounds, *, close: float) -> Bounds:
    """The rule of determinants."""
    middle, apart = middle_of(a, close)
    size = to_float(dim(middle, axis=-1))
    slack = (4.0 * close) * (size + 4.0)
    largest = max_(max_(abs(middle), axis=-1, keepdims=True), axis=-2, keepdims=True)
    lost = 0.0 * apart + largest * (slack * size * exp2(size)) + LOST  # as factors may grow while they are found
    r = inverse_or_nan(middle)
    both = [residuals(r, middle, off, close) for off in (apart + lost, lost)]
    logs = [logarithm(e) for e in both]
    known = less(logs[0][1], 1.0)
    size_of_log = where(known, logs[0][0] + logs[1][0], 0.0) * (1.0 + 8.0 * slack)
    ends = [p(middle) * exp(size_of_log) * (1.0 + 8.0 * slack), p(middle) * exp(-size_of_log) * (1.0 - 8.0 * slack)]
    ends += [p(middle) * exp(size_of_log) * (1.0 - 8.0 * slack), p(middle) * exp(-size_of_log) * (1.0 + 8.0 * slack)]
    bound = prod(sum_(abs(middle) + apart, axis=-1), axis=-1) * (1.0 + 8.0 * slack) + LOST
    return (where(known, minimum(minimum(*ends[:2]), minimum(*ends[2:])), -bound),
            where(known, maximum(maximum(*ends[:2]), maximum(*ends[2:])), bound))


def of_cofactors(p: Primitive, a: Bounds, *, close: float) -> Bounds:
    """The rule of matrices of cofactors: det A inv A, turned."""
    x, scale = of_inverse(inv, a, close=close), of_determinant(det, a, close=close)
    scale = [y if rank_of(a[0]) == 2 else expand_dims(expand_dims(y, axis=-1), axis=-1) for y in scale]
    corners = [turned(end) * y for end in x for y in scale]
    return (minimum(minimum(*corners[:2]), minimum(*corners[2:])) - LOST,
            maximum(maximum(*corners[:2]), maximum(*corners[2:])) + LOST)
