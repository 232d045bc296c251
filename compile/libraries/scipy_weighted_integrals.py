"""Integrals of a function times a weight, as `quad` has them: SciPy's value, and the derivative of a rule of points in
which the weight is no longer singular.

    (x-a)^p (b-x)^q    x = a + (b - a) s,  s = 1 / (1 + e^-y),  y = pi sinh u        over u, where all decays
    1 / (x - c)        the integral of (f(c + (b-c) t) - f(c - (c-a) t)) / t over (0, 1), and f(c) log((b-c) / (c-a))
    cos(w x), sin(w x) times f; to infinity at x = M g(t) / w, where g(t) = t / (1 - e^(-2 pi sinh t)) ends at the zeros

Where the rule does not come to SciPy's value this raises `ValueError`.

>>> round(weighted(lambda x: 1.0, 0.0, 4.0, "alg", (-0.5, 0.0), {})[0], 9)
4.0

References: QUADPACK (Piessens, de Doncker-Kapenga, Überhuber, Kahaner); Ooura and Mori, *The double exponential formula
for oscillatory functions over the half infinite interval* (1991).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.integrate

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.frontend.numpy_functions.table import constant, lifted
from ccc.compile.libraries.scipy_rules_of_points import MATRIX, places, rule_of_points

integrate: Any = scipy.integrate
VECTOR = np.zeros(2)
NEAR = 1e-6
"""How close the rule comes to the value, as a share of the sum of sizes."""


def by_scipy(f: Any, captured: Any, a: Any, b: Any, weight: Any, wvar: Any, options: Any) -> Any:
    """The integral and its error, as SciPy finds them."""
    return np.array(integrate.quad(lambda x: f(x, *captured), a, b, weight=weight, wvar=wvar, **options))


def weighted(func: Any, a: Any, b: Any, weight: Any, wvar: Any, options: Any) -> Any:
    """An integral with a weight, and its error."""
    f, captured = lifted(lambda x: func(x) * 1.0, 0.5)
    found = constant(by_scipy, VECTOR, f, captured, a, b, weight, wvar, options)
    if weight not in ("cos", "sin"):
        low, high = np.minimum(a, b) * 1.0, np.maximum(a, b) * 1.0
        total = between(f, captured, low, high, weight, wvar)
    elif np.isfinite(a) and np.isfinite(b):
        low, high = np.minimum(a, b) * 1.0, np.maximum(a, b) * 1.0
        turned = np.cos if weight == "cos" else np.sin
        total = over_places(lambda x: f(x, *captured) * turned(wvar * x), places, low, high)
    elif np.isfinite(a) or np.isfinite(b):
        total = to_infinity(f, captured, a, b, weight, wvar)
    else:
        raise ValueError("Cannot integrate with this weight from -Inf to +Inf.")
    total = total * np.where(np.asarray(b) < np.asarray(a), -1.0, 1.0)
    off = constant(missed, 0.0, found, without_derivative(total))
    return float(found[0] + (total - without_derivative(total)) + off), float(found[1])


def missed(found: Any, total: Any) -> float:
    """Zero, where a rule comes to the value that was found."""
    value, error = found
    if not abs(total - value) <= NEAR * abs(value) + 10.0 * error + 1e-9:
        raise ValueError(f"scipy.integrate.quad finds {value} with this weight, and a rule of points {total}: there is "
                         "no derivative. Give the function in parts that are smooth")
    return 0.0


# -- on intervals ------------------------------------------------------------------------------------------------------


def over_places(run: Any, find: Any, low: Any, high: Any) -> Any:
    """The integral of a function without singularities at the places that `find` finds."""
    f, captured = lifted(run, 0.5)
    return rule_of_points(f, captured, constant(find, MATRIX, f, captured, low, high), low, high)


def smooth(f: Any, captured: Any, low: Any, high: Any) -> Any:
    """Places which move, and over no jump."""
    found = places(f, captured, low, high)
    if found[2, 0]:
        raise ValueError("scipy.integrate.quad has no derivative with this weight of a function that jumps, bends or "
                         "has a narrow peak inside: integrate its smooth parts one by one")
    return found


def between(f: Any, captured: Any, a: Any, b: Any, weight: Any, wvar: Any) -> Any:
    """The integral with a weight that is singular, from the lower to the upper end."""
    if weight == "cauchy":
        return principal(f, captured, a, b, wvar * 1.0)
    if weight not in ("alg", "alg-loga", "alg-logb", "alg-log"):
        raise ValueError(f"{weight} not a recognized weighting function.")
    p, q = wvar[0] * 1.0, wvar[1] * 1.0
    end = constant(where_all_decays, 0.5, p, q)
    size = np.log(b - a)

    def at(u: Any) -> Any:
        y = np.pi * np.sinh(u)
        low, high = -np.logaddexp(0.0, -y), -np.logaddexp(0.0, y)  # log s and log (1 - s)
        found = f(a + (b - a) * np.exp(low), *captured) * np.cosh(u) * np.exp(
            (p + 1.0) * low + (q + 1.0) * high + (p + q + 1.0) * size)
        of_a = found * (low + size) if weight in ("alg-loga", "alg-log") else found
        return np.pi * (of_a * (high + size) if weight in ("alg-logb", "alg-log") else of_a)

    return over_places(at, smooth, -end, end)


def where_all_decays(p: Any, q: Any) -> float:
    return float(np.arcsinh(45.0 / (np.pi * min(p + 1.0, q + 1.0, 1.0))))


def principal(f: Any, captured: Any, a: Any, b: Any, c: Any) -> Any:
    """Cauchy's principal value, or the integral where `c` is outside."""
    if c < a or c > b:
        return over_places(lambda x: f(x, *captured) / (x - c), places, a, b)
    both = over_places(lambda t: (f(c + (b - c) * t, *captured) - f(c - (c - a) * t, *captured)) / t, smooth, 0.0, 1.0)
    return both + f(c, *captured) * np.log((b - c) / (c - a))


# -- to infinity -------------------------------------------------------------------------------------------------------


def nodes(count: int) -> Any:
    """Ooura's and Mori's points and weights for the sine, and below them those for the cosine."""
    h = 3.0 / count
    which = np.arange(-(3 * count) // 2, count + 1)
    rows = []
    for shift in (0.0, 0.5):
        t = (which + shift) * h
        middle = t == 0.0
        t = np.where(middle, 1.0, t)
        y, size = 2.0 * np.pi * np.sinh(t), np.pi / h
        fast = np.exp(-np.abs(y))
        below = np.where(y > 0.0, 1.0, -1.0) * -np.expm1(-np.abs(y))  # 1 - e^-y, or that times e^y
        x = np.where(middle, 0.5 / np.pi, t * np.where(y > 0.0, 1.0, fast) / below)
        slope = np.where(y > 0.0, 1.0, fast) / below - t * 2.0 * np.pi * np.cosh(t) * fast / below**2
        slope = np.where(middle, 0.5, slope)
        sign = np.where(which % 2 == 0, 1.0, -1.0)
        behind = np.sin(size * t * fast / below) * sign * (-1.0 if shift else 1.0)  # as far from a zero
        wave = np.where((y > 0.0) & ~middle, behind, np.cos(size * x) if shift else np.sin(size * x))
        rows += [size * x, np.pi * slope * wave]
    return np.array(rows)


def enough(f: Any, captured: Any, end: Any, sign: Any, of_sine: Any, of_cosine: Any, w: Any) -> Any:
    """As many points as two rules agree on."""
    before, size = 0.0, abs(w)
    for count in (40, 80, 160, 320, 640):
        at = nodes(count)
        sines, cosines = [
            sum([at[k + 1, i] * f(end + sign * at[k, i] / size, *captured) for i in range(at.shape[1])]) / size
            for k in (0, 2)]
        total = of_sine * sines + of_cosine * cosines
        if count > 40 and abs(total - before) <= 1e-11 * (abs(sines) + abs(cosines)):
            break
        before = total
    return at


def to_infinity(f: Any, captured: Any, a: Any, b: Any, weight: Any, wvar: Any) -> Any:
    """The integral over a half line, whose end may be on either side, from the lower to the upper end."""
    end = (a if np.isfinite(a) else b) * 1.0
    sign = 1.0 if max(a, b) > 1e308 else -1.0
    w = wvar * 1.0
    size = np.abs(w)
    sine, cosine = np.sin(w * end), np.cos(w * end)
    way = np.sign(w) * sign
    of_sine, of_cosine = (-sine * way, cosine) if weight == "cos" else (cosine * way, sine)
    at = constant(enough, MATRIX, f, captured, end, sign, of_sine, of_cosine, w)
    total = 0.0
    for i in range(at.shape[1]):
        total = total + of_sine * at[1, i] * f(end + sign * at[0, i] / size, *captured)
        total = total + of_cosine * at[3, i] * f(end + sign * at[2, i] / size, *captured)
    return total / size
