"""Functions of `scipy.special` that linear equations of second order, and integrals of others, define.

    y'' = c(x) y' + b(x) y        so of the pair (y, y') the slopes are y' and what the equation says

Parabolic cylinder, Mathieu and spheroidal functions give the pair; Carlson's integrals are each other's derivatives. A
derivative in an order, in a degree or in a parameter of the equation is refused by name.

>>> import scipy.special
>>> [round(float(y), 12) for y in FUNCTIONS[scipy.special.pbdv](1.5, 0.7)]
[0.18106739178, 1.196974878176]
>>> round(float(FUNCTIONS[scipy.special.elliprf].pullback(1.0, 1.0, 1.0, 1.0, 1.0)[0]), 12)
-0.166666666667

References: *NIST Handbook of Mathematical Functions*, 9.10, 10.43, 11.7, 12.2, 19.18, 28.2, 30.2.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

from ccc.primitives.elementary_numpy import absolute, cos, cosh, exp, greater, less, sqrt, where
from ccc.primitives.guarded import times0
from ccc.primitives.scipy_characteristic import VALUES
from ccc.primitives.scipy_integrals import (
    airy_a,
    airy_b,
    modstruve,
    result,
    results,
    struve,
)
from ccc.primitives.scipy_special import DEGREE, fixed, functions_of, i0, j0, k0, special, ufunc, y0

Formula = Callable[..., Any]


# -- equations of second order ---------------------------------------------------------------------------------------


def solution(name: str, second: Formula, *parameters: str, unit: float = 1.0) -> Formula:
    """A function `(y, y')` of parameters and of x, where `second(y, y', *parameters, x)` is y''; the equation's
    argument is `unit` times x."""
    return results(*pair(name, second, *parameters, unit=unit))


def pair(
    name: str, second: Formula, *parameters: str, unit: float = 1.0, holds: Formula = lambda y, dy, *xs: 1.0,
) -> tuple[Formula, Formula]:
    """Both, apart; of what `holds(y, y', *parameters, x)` is NaN the slopes are NaN."""
    unknown = [fixed(name, argument, i) for i, argument in enumerate(parameters)]

    def risen(d: Any, y: Any, *xs: Any) -> Any:
        return times0(d, unit * slope(*xs) * holds(y, slope(*xs), *xs))

    def bent(d: Any, dy: Any, *xs: Any) -> Any:
        y = value(*xs)
        return times0(d, unit * second(y, dy, *xs) * holds(y, dy, *xs))

    value = result(0, name, *unknown, risen)
    slope = result(1, name, *unknown, bent)
    return value, slope


def spheroidal(name: str, shape: float, sign: float) -> dict[Any, Formula]:
    """A spheroidal wave function, whose cv is found or given, and `w = 1 + shape x^2`:
    `w y'' + 2 shape x y' = shape (cv + sign c^2 x^2 - m^2 / w) y`."""
    found = VALUES[name[:3] + "_cv"]

    def second(y: Any, dy: Any, m: Any, n: Any, c: Any, value: Any, x: Any) -> Any:
        w = 1.0 + shape * x * x
        return shape * ((value + sign * c * c * x * x - m * m / w) * y - 2.0 * x * dy) / w

    def with_own(y: Any, dy: Any, m: Any, n: Any, c: Any, x: Any) -> Any:
        return second(y, dy, m, n, c, found(m, n, c), x)

    known = {getattr(special, name): pair(name, with_own, "m", "n", "c"),
             getattr(special, f"{name}_cv"): pair(f"{name}_cv", second, "m", "n", "c", "cv")}
    if not name.endswith("rad1"):
        return {function: results(*both) for function, both in known.items()}

    def of_second_kind(first: tuple[Formula, Formula], to: str, of: Formula, *parameters: str) -> Formula:
        """The second solution, where what SciPy gives is one: its determinant with the first is 1 / |c w|."""
        def holds(y: Any, dy: Any, *xs: Any) -> Any:
            c, x = xs[2], xs[-1]
            determinant = c * (1.0 + shape * x * x) * (first[0](*xs) * dy - first[1](*xs) * y)
            return where(less(absolute(absolute(determinant) - 1.0), 1e-6), 1.0, nan)

        return results(*pair(to, of, *parameters, holds=holds))

    (one, both), (one_given, both_given) = known.items()
    second_name = name.replace("1", "2")
    return {one: results(*both), one_given: results(*both_given),
            getattr(special, second_name): of_second_kind(both, second_name, with_own, "m", "n", "c"),
            getattr(special, f"{second_name}_cv"): of_second_kind(
                both_given, f"{second_name}_cv", second, "m", "n", "c", "cv")}


def mathieu(name: str, of: str) -> Formula:
    """A Mathieu function: periodic ones take degrees."""
    found, modified = VALUES[of], "mod" in name

    def second(y: Any, dy: Any, m: Any, q: Any, x: Any) -> Any:
        if modified:
            return (found(m, q) - 2.0 * q * cosh(2.0 * x)) * y
        return (2.0 * q * cos(2.0 * DEGREE * x) - found(m, q)) * y

    return solution(name, second, "m", "q", unit=1.0 if modified else DEGREE)


EQUATIONS: dict[Any, Formula] = {
    special.pbdv: solution("pbdv", lambda y, dy, v, x: (0.25 * x * x - v - 0.5) * y, "v"),
    special.pbvv: solution("pbvv", lambda y, dy, v, x: (0.25 * x * x - v - 0.5) * y, "v"),
    special.pbwa: solution("pbwa", lambda y, dy, a, x: (a - 0.25 * x * x) * y, "a"),
    special.mathieu_cem: mathieu("mathieu_cem", "mathieu_a"), special.mathieu_sem: mathieu("mathieu_sem", "mathieu_b"),
    special.mathieu_modcem1: mathieu("mathieu_modcem1", "mathieu_a"),
    special.mathieu_modcem2: mathieu("mathieu_modcem2", "mathieu_a"),
    special.mathieu_modsem1: mathieu("mathieu_modsem1", "mathieu_b"),
    special.mathieu_modsem2: mathieu("mathieu_modsem2", "mathieu_b"),
    **spheroidal("pro_ang1", -1.0, -1.0), **spheroidal("pro_rad1", -1.0, -1.0),
    **spheroidal("obl_ang1", -1.0, 1.0), **spheroidal("obl_rad1", 1.0, -1.0),
}


# -- integrals -------------------------------------------------------------------------------------------------------


def integrals(name: str, *slopes: Formula) -> Formula:
    """A function with several results, by their derivatives."""
    return results(*[result(i, name, lambda d, y, x, slope=slope: times0(d, slope(x)))
                     for i, slope in enumerate(slopes)])


def root(x: Any) -> Any:
    """How fast the exponent grows by which Airy functions are scaled."""
    return where(greater(x, 0.0), sqrt(where(greater(x, 0.0), x, 1.0)), 0.0)


scaled_a = result(0, "airye", lambda d, y, x: times0(d, scaled_a_slope(x) + root(x) * y))
scaled_a_slope = result(1, "airye", lambda d, y, x: times0(d, x * scaled_a(x) + root(x) * y))
scaled_b = result(2, "airye", lambda d, y, x: times0(d, scaled_b_slope(x) - root(x) * y))
scaled_b_slope = result(3, "airye", lambda d, y, x: times0(d, x * scaled_b(x) - root(x) * y))
itstruve0 = ufunc("itstruve0", lambda d, y, x: times0(d, struve(0, x)))
it2struve0 = ufunc("it2struve0", lambda d, y, x: -times0(d, struve(0, x) / x))
itmodstruve0 = ufunc("itmodstruve0", lambda d, y, x: times0(d, modstruve(0, x)))
besselpoly = ufunc(
    "besselpoly", lambda d, y, a, n, v: times0(d, besselpoly(a, n + 1.0, v - 1.0) - besselpoly(a, n + 1.0, v + 1.0)),
    fixed("besselpoly", "lmb", 1), fixed("besselpoly", "nu", 2))
wright_bessel = ufunc("wright_bessel", fixed("wright_bessel", "a"), fixed("wright_bessel", "b", 1),
                      lambda d, y, a, b, x: times0(d, wright_bessel(a, a + b, x)))
log_wright_bessel = ufunc("log_wright_bessel", fixed("log_wright_bessel", "a"), fixed("log_wright_bessel", "b", 1),
                          lambda d, y, a, b, x: times0(d, exp(log_wright_bessel(a, a + b, x) - y)))


# -- Carlson's elliptic integrals ------------------------------------------------------------------------------------


def carlson_g_slope(x: Any, y: Any, z: Any) -> Any:
    """The derivative of `elliprg` in z."""
    there = greater(z, 0.0)
    return 0.25 * elliprf(x, y, z) - where(there, z * elliprd(x, y, where(there, z, 1.0)), 0.0) / 12.0


def carlson_d_slope(x: Any, y: Any, z: Any) -> Any:
    """The derivative of `elliprd` in x; NaN where x and z are one."""
    return (elliprd(y, z, x) - elliprd(x, y, z)) / (2.0 * (x - z))


def weighted(a: Any, slope: Formula) -> Any:
    """`a slope(a)`, which is 0 at a = 0, where the slope is infinite."""
    there = greater(a, 0.0)
    return where(there, a * slope(where(there, a, 1.0)), 0.0)


def carlson_d_last(x: Any, y: Any, z: Any, found: Any) -> Any:
    """That in z, by the degree -3/2 in all."""
    others = weighted(x, lambda x: carlson_d_slope(x, y, z)) + weighted(y, lambda y: carlson_d_slope(y, x, z))
    return -(1.5 * found + others) / z


def carlson_j_slope(x: Any, y: Any, z: Any, p: Any, found: Any) -> Any:
    """The derivative of `elliprj` in x; NaN where x and p are one."""
    return (elliprd(y, z, x) - found) / (2.0 * (x - p))


def carlson_j_last(x: Any, y: Any, z: Any, p: Any, found: Any) -> Any:
    moved = [weighted(a, lambda a, b=b, c=c: carlson_j_slope(a, b, c, p, found))
             for a, b, c in ((x, y, z), (y, x, z), (z, x, y))]
    return -(1.5 * found + sum(moved)) / p


def carlson_c_last(x: Any, y: Any, found: Any) -> Any:
    """The derivative of `elliprc` in y; with y < 0, of the principal value, by its degree and its sum."""
    inside = greater(y, 0.0)
    beside = where(inside, x + 1.0, x)
    outside = (x * (1.0 / (2.0 * sqrt(beside) * y)) - 0.5 * found) / (y - beside)
    return where(inside, -elliprd(x, where(inside, y, 1.0), where(inside, y, 1.0)) / 3.0, outside)


def carlson_c_first(x: Any, y: Any, found: Any) -> Any:
    return -1.0 / (2.0 * sqrt(x) * y) - carlson_c_last(x, y, found)


elliprf = ufunc("elliprf", lambda d, f, x, y, z: -times0(d, elliprd(y, z, x) / 6.0),
                lambda d, f, x, y, z: -times0(d, elliprd(x, z, y) / 6.0),
                lambda d, f, x, y, z: -times0(d, elliprd(x, y, z) / 6.0))
elliprg = ufunc("elliprg", lambda d, f, x, y, z: times0(d, carlson_g_slope(y, z, x)),
                lambda d, f, x, y, z: times0(d, carlson_g_slope(x, z, y)),
                lambda d, f, x, y, z: times0(d, carlson_g_slope(x, y, z)))
elliprd = ufunc("elliprd", lambda d, f, x, y, z: times0(d, carlson_d_slope(x, y, z)),
                lambda d, f, x, y, z: times0(d, carlson_d_slope(y, x, z)),
                lambda d, f, x, y, z: times0(d, carlson_d_last(x, y, z, f)))
elliprj = ufunc("elliprj", lambda d, f, x, y, z, p: times0(d, carlson_j_slope(x, y, z, p, f)),
                lambda d, f, x, y, z, p: times0(d, carlson_j_slope(y, x, z, p, f)),
                lambda d, f, x, y, z, p: times0(d, carlson_j_slope(z, x, y, p, f)),
                lambda d, f, x, y, z, p: times0(d, carlson_j_last(x, y, z, p, f)))
elliprc = ufunc("elliprc", lambda d, f, x, y: times0(d, carlson_c_first(x, y, f)),
                lambda d, f, x, y: times0(d, carlson_c_last(x, y, f)))


FUNCTIONS: dict[Any, Any] = functions_of(vars()) | EQUATIONS | {
    special.airye: results(scaled_a, scaled_a_slope, scaled_b, scaled_b_slope),
    special.itairy: integrals("itairy", airy_a, airy_b, lambda x: airy_a(-x), lambda x: airy_b(-x)),
    special.itj0y0: integrals("itj0y0", j0, y0), special.iti0k0: integrals("iti0k0", i0, k0),
    special.it2j0y0: integrals("it2j0y0", lambda x: (1.0 - j0(x)) / x, lambda x: -y0(x) / x),
    special.it2i0k0: integrals("it2i0k0", lambda x: (i0(x) - 1.0) / x, lambda x: -k0(x) / x),
}
