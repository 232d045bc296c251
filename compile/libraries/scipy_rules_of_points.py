"""Rules of points for integrals: Kronrod's of 21 points on intervals that are small enough for the function itself.

    sum of w_i f(a + (b - a) t_i) (b - a)        to infinity over t in x = a + (1 - t) / t, as in SciPy

>>> round(float(np.sum(WEIGHTS)), 12), len(POINTS)
(2.0, 21)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.integrate

from ccc.compile.api.derivative_overrides import without_derivative

integrate: Any = scipy.integrate
MATRIX = np.zeros((2, 2))


def kronrod() -> tuple[Any, Any]:
    """The points and weights of Kronrod's rule of 21 points on (-1, 1)."""
    half = np.array([
        0.995657163025808080735527280689003, 0.973906528517171720077964012084452, 0.930157491355708226001207180059508,
        0.865063366688984510732096688423493, 0.780817726586416897063717578345042, 0.679409568299024406234327365114874,
        0.562757134668604683339000099272694, 0.433395394129247190799265943165784, 0.294392862701460198131126603103866,
        0.14887433898163121088482600112972])
    weights = np.array([
        0.011694638867371874278064396062192, 0.03255816230796472747881897245938964, 0.05475589657435199603138130024458,
        0.07503967481091995276704314091619, 0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
        0.123491976262065851077958109585166, 0.134709217311473325928054001771707, 0.142775938577060080797094273138717,
        0.147739104901338491374841515972068])
    return (np.concatenate([half, [0.0], -half]),
            np.concatenate([weights, [0.149445554002916905664936468389821], weights]))


POINTS, WEIGHTS = kronrod()


def places(f: Any, captured: Any, a: Any, b: Any) -> Any:
    """Points and weights between 0 and 1, on intervals that are small enough without extrapolation, and below them a
    one where they are to stay while the limits move."""
    if np.isfinite(a) and np.isfinite(b):
        size = b - a

        def inside(t: Any) -> Any:
            return f(a + size * t, *captured) * size
    else:
        def inside(t: Any) -> Any:
            return integrand(f, captured, a, b, t)

    low, high = np.sort(intervals(inside), axis=0).T
    half = 0.5 * (high - low)
    points = (0.5 * (high + low))[:, None] + half[:, None] * POINTS
    stay = np.full(points.size, float(is_rough_inside(half)))
    return np.array([np.ravel(points), np.ravel(half[:, None] * WEIGHTS), stay])


def intervals(f: Any) -> Any:
    """Parts of (0, 1) on each of which the rule is good enough for a function, without extrapolation. They are those of
    QUADPACK, which is quick, where these are good enough.

    >>> intervals(np.sin), len(intervals(np.sqrt)) > 5
    (array([[0., 1.]]), True)
    """
    if np.ndim(f(0.5)) == 0:
        report = integrate.quad(f, 0.0, 1.0, epsabs=1e-13, epsrel=1e-10, limit=100, full_output=1)[2]
        found, error, low, high = [report[name][:report["last"]] for name in ("rlist", "elist", "alist", "blist")]
        if np.sum(error) <= max(1e-13, 1e-10 * abs(np.sum(found))):
            return np.transpose([low, high])
    return integrate.quad_vec(f, 0.0, 1.0, epsabs=1e-13, epsrel=1e-10, limit=100, quadrature="gk21",
                              full_output=True)[2].intervals


def is_rough_inside(sizes: Any) -> bool:
    """Whether intervals are much smaller somewhere inside than on both sides of it, and not at the ends: the function
    may have a jump or a kink there, over which points would move. At the ends they would move with what is singular.

    >>> is_rough_inside(np.array([4.0, 0.1, 0.1, 2.0])), is_rough_inside(np.array([0.01, 0.1, 1.0, 4.0]))
    (True, False)
    """
    before, behind = np.maximum.accumulate(sizes), np.maximum.accumulate(sizes[::-1])[::-1]
    inside = bool(np.any(sizes * 16.0 <= np.minimum(before, behind)))
    return inside and bool(min(sizes[0], sizes[-1]) * 256.0 > np.max(sizes))


def integrand(f: Any, captured: Any, a: Any, b: Any, t: Any) -> Any:
    """What is integrated over `t` between 0 and 1."""
    if np.isfinite(a) and np.isfinite(b):
        return f(a + (b - a) * t, *captured) * (b - a)
    x = (1.0 - t) / t
    if np.isinf(a) and np.isinf(b):
        return (f(x, *captured) + f(-x, *captured)) / t**2 * np.sign(b)
    end, sign = (a, np.sign(b)) if np.isfinite(a) else (b, np.sign(a))
    return f(end + sign * x, *captured) / t**2 * (sign if np.isfinite(a) else -sign)


SHORT = ((0.5 - 0.15**0.5, 5 / 18), (0.5, 8 / 18), (0.5 + 0.15**0.5, 5 / 18))
"""Points and weights of Gauss for the way of a limit, which is of length zero: right up to the sixth derivative."""


def way_of(f: Any, captured: Any, limit: Any, stays: Any, inside: Any) -> Any:
    """The integral from where a limit is to where it moves, if the points stay."""
    moves = stays & np.isfinite(limit)
    at = np.where(moves, limit, inside)
    start = without_derivative(at)
    way = np.where(moves, at - start, 0.0)
    total = 0.0
    for point, weight in SHORT:
        total = total + weight * f(float(start + point * way), *captured) * way
    return total


def rule_of_points(f: Any, captured: Any, at: Any, a: Any, b: Any) -> Any:
    """The sum at the points. They are shares of the interval and move with its limits, or stay, which leaves the way of
    the limits."""
    stays = at[2, 0] > 0.0
    low, high = float(np.where(stays, without_derivative(a), a)), float(np.where(stays, without_derivative(b), b))
    total = 0.0
    for i in range(at.shape[1]):
        total = total + at[1, i] * integrand(f, captured, low, high, at[0, i])
    if stays:
        t = at[0, 10]
        inside = low + (high - low) * t if np.isfinite(low) and np.isfinite(high) else (1.0 - t) / t
        total = total + way_of(f, captured, b, stays, inside) - way_of(f, captured, a, stays, inside)
    return total
