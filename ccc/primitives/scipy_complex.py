"""Functions of `scipy.special` of complex numbers: one primitive for each part of a result, by Cauchy and Riemann.

    w = f(x + i y) = u + i v        u_x = v_y = Re f'(z)        v_x = -u_y = Im f'(z)

A function is given by `f'` as one of its value and of z, in which these functions and arithmetic stand. Where f' is not
known, as of `psi`, it is refused by name, and so are complex orders and parameters. `COMPLEX` says what stands for a
function where an argument is complex; those of `FUNCTIONS` are complex for real arguments.

>>> import scipy.special
>>> gamma = COMPLEX[scipy.special.gamma]
>>> w = gamma(Complex(1.0, 1.0))
>>> round(float(w.real), 12), round(float(w.imag), 12)
(0.498015668118, -0.154949828302)

References: *NIST Handbook of Mathematical Functions*, 4.13, 5.2, 6.2, 7.2, 8.2, 9.2, 10.4, 10.6, 10.61, 15.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ccc.primitives.adaptors import np_asarray
from ccc.primitives.adaptors_fft import takes_complex
from ccc.primitives.complexes import Complex, as_complex
from ccc.primitives.elementary_numpy import arctan2, cos, equal, exp, hypot, log, sin, where
from ccc.primitives.facts import NEVER, NEW
from ccc.primitives.guarded import times0
from ccc.primitives.pointwise import Slope, operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.scipy_integrals import bei, beip, ber, berp, kei, keip, ker, kerp, results
from ccc.primitives.scipy_orthogonal import derivatives
from ccc.primitives.scipy_special import ROOT_PI, ROOT_TWO_PI, fixed, special

Formula = Callable[..., Any]
HALF_PI = 0.5 * math.pi
UNIT = Complex(0.0, 1.0)


def exponential(z: Complex) -> Complex:
    size = exp(z.real)
    return Complex(size * cos(z.imag), size * sin(z.imag))


def logarithm(z: Complex) -> Complex:
    return Complex(log(hypot(z.real, z.imag)), arctan2(z.imag, z.real))


def sine(z: Complex) -> Complex:
    grows, falls = exponential(UNIT * z), exponential(-(UNIT * z))
    return (grows - falls) / Complex(0.0, 2.0)


def cosine(z: Complex) -> Complex:
    return 0.5 * (exponential(UNIT * z) + exponential(-(UNIT * z)))


def holomorphic(
    name: str, slope: Formula | None, *orders: str, index: int | None = None, turned: bool = False
) -> Formula:
    """A function of orders and of a complex number, by its derivative `slope(value, *orders, z)`; or one of several
    results, or `turned`, which takes the number first."""
    f, behind = getattr(special, name), "" if index is None else f"[{index}]"

    def source(*xs: str) -> str:
        z = f"{xs[-2]} + 1j * {xs[-1]}"
        return f"scipy.special.{name}({', '.join([z, *xs[:-2]] if turned else [*xs[:-2], z])}){behind}"

    def value(*xs: Any) -> Any:
        z = xs[-2] + 1j * xs[-1]
        found = f(z, *xs[:-2]) if turned else f(*xs[:-2], z)
        return found if index is None else found[index]

    def along(*xs: Any) -> Any:
        assert slope is not None
        return slope(found(*xs[:-2], Complex(*xs[-2:])), *xs[:-2], Complex(*xs[-2:]))

    def part(which: str, in_x: Formula, in_y: Formula) -> Primitive:
        slopes: list[Slope] = [in_x, in_y] if slope is not None else [fixed(name, "z", len(orders) + i) for i in (0, 1)]
        return operation(f"scipy.special.{name}{behind}.{which} of complex numbers",
                         lambda *xs: getattr(value(*xs), which), lambda *xs: f"{source(*xs)}.{which}",
                         *[fixed(name, order, i) for i, order in enumerate(orders)], *slopes, memory=NEW, raises=NEVER)

    real = part("real", lambda d, u, *xs: times0(d, along(*xs).real), lambda d, u, *xs: -times0(d, along(*xs).imag))
    imag = part("imag", lambda d, v, *xs: times0(d, along(*xs).imag), lambda d, v, *xs: times0(d, along(*xs).real))

    @takes_complex
    def found(*args: Any) -> Complex:
        if len(args) != len(orders) + 1:
            raise TypeError(f"scipy.special.{name} takes {len(orders) + 1} arguments")
        if any(isinstance(x, Complex) for x in args[:-1]):
            raise TypeError(f"scipy.special.{name} has a derivative for real {' and '.join(orders)}")
        z, given = as_complex(args[-1]), [np_asarray(x) if isinstance(x, (list, tuple)) else x for x in args[:-1]]
        return Complex(real(*given, z.real, z.imag), imag(*given, z.real, z.imag))

    return found


def with_results(name: str, *slopes: Formula) -> Formula:
    """A function with several results."""
    return takes_complex(results(*[holomorphic(name, slope, index=i) for i, slope in enumerate(slopes)]))


def between(name: str, before: float, behind: float, more: Formula | None = None) -> Formula:
    """A cylinder function: its derivative is `before f_{v-1} + behind f_{v+1}`, and maybe more."""

    def slope(w: Any, v: Any, z: Any) -> Any:
        found = before * function(v - 1, z) + behind * function(v + 1, z)
        return found if more is None else found + more(w)

    function = holomorphic(name, slope, "v")
    return function


def spherical(name: str, before: float, behind: float) -> Formula:
    """A spherical Bessel function, or its derivative."""

    def slope(w: Any, n: Any, z: Any) -> Any:
        lower = where(equal(n, 0), 1, n) - 1
        return (function(lower, z) * where(equal(n, 0), 0.0, before * n) + behind * (n + 1) * function(n + 1, z)) / (
            2 * n + 1)

    @takes_complex
    def found(n: Any, z: Any, derivative: Any = False) -> Any:
        return slope(None, n, z) if derivative else function(n, z)

    function = holomorphic(name, slope, "n")
    return found


psi = holomorphic("psi", None)
gamma = holomorphic("gamma", lambda w, z: w * psi(z))
erf = holomorphic("erf", lambda w, z: 2.0 / ROOT_PI * exponential(-(z * z)))
expi = holomorphic("expi", lambda w, z: exponential(z) / z)
hankel1, hankel2 = between("hankel1", 0.5, -0.5), between("hankel2", 0.5, -0.5)
hyp0f1 = holomorphic("hyp0f1", lambda w, v, z: hyp0f1(v + 1.0, z) / v, "v")
hyp1f1 = holomorphic("hyp1f1", lambda w, a, b, z: a / b * hyp1f1(a + 1.0, b + 1.0, z), "a", "b")
hyp2f1 = holomorphic("hyp2f1", lambda w, a, b, c, z: a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, z), "a", "b", "c")
lambert = holomorphic("lambertw", lambda w, k, z: exponential(-w) / (1.0 + w), "k", turned=True)
airy = with_results(
    "airy", lambda w, z: airy(z)[1], lambda w, z: z * airy(z)[0], lambda w, z: airy(z)[3], lambda w, z: z * airy(z)[2])


@takes_complex
def sp_lambertw(z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    return lambert(k, z)


ONES: dict[Any, Formula] = {
    special.psi: psi, special.gamma: gamma, special.loggamma: holomorphic("loggamma", lambda w, z: psi(z)),
    special.rgamma: holomorphic("rgamma", lambda w, z: -(w * psi(z))), special.erf: erf,
    special.erfc: holomorphic("erfc", lambda w, z: -2.0 / ROOT_PI * exponential(-(z * z))),
    special.erfi: holomorphic("erfi", lambda w, z: 2.0 / ROOT_PI * exponential(z * z)),
    special.erfcx: holomorphic("erfcx", lambda w, z: 2.0 * z * w - 2.0 / ROOT_PI),
    special.dawsn: holomorphic("dawsn", lambda w, z: 1.0 - 2.0 * z * w),
    special.ndtr: holomorphic("ndtr", lambda w, z: exponential(-0.5 * (z * z)) / ROOT_TWO_PI),
    special.log_ndtr: holomorphic("log_ndtr", lambda w, z: exponential(-0.5 * (z * z) - w) / ROOT_TWO_PI),
    special.expi: expi, special.exp1: holomorphic("exp1", lambda w, z: -(exponential(-z) / z)),
    special.expm1: holomorphic("expm1", lambda w, z: exponential(z)),
    special.log1p: holomorphic("log1p", lambda w, z: 1.0 / (1.0 + z)),
    special.spence: holomorphic("spence", lambda w, z: logarithm(z) / (1.0 - z)),
    special.wrightomega: holomorphic("wrightomega", lambda w, z: w / (1.0 + w)),
    special.sici: with_results("sici", lambda w, z: sine(z) / z, lambda w, z: cosine(z) / z),
    special.shichi: with_results("shichi", lambda w, z: 0.5 * (exponential(z) - exponential(-z)) / z,
                                 lambda w, z: 0.5 * (exponential(z) + exponential(-z)) / z),
    special.fresnel: with_results(
        "fresnel", lambda w, z: sine(HALF_PI * (z * z)), lambda w, z: cosine(HALF_PI * (z * z))),
    special.airy: airy, special.lambertw: sp_lambertw,
    special.jv: between("jv", 0.5, -0.5), special.yv: between("yv", 0.5, -0.5), special.iv: between("iv", 0.5, 0.5),
    special.kv: between("kv", -0.5, -0.5), special.kve: between("kve", -0.5, -0.5, lambda w: w),
    special.hyp0f1: hyp0f1, special.hyp1f1: hyp1f1, special.hyp2f1: hyp2f1,
    special.spherical_jn: spherical("spherical_jn", 1.0, -1.0),
    special.spherical_yn: spherical("spherical_yn", 1.0, -1.0),
    special.spherical_in: spherical("spherical_in", 1.0, 1.0),
    special.spherical_kn: spherical("spherical_kn", -1.0, -1.0),
}
COMPLEX: dict[Any, Formula] = ONES | {
    special.jvp: derivatives(ONES[special.jv], -1.0), special.yvp: derivatives(ONES[special.yv], -1.0),
    special.ivp: derivatives(ONES[special.iv], 1.0), special.kvp: derivatives(ONES[special.kv], 1.0, -1.0),
}


# -- complex results of real numbers ---------------------------------------------------------------------------------


def curve(name: str, index: int, slope: Formula) -> Formula:
    """One result of a function of a real number, by its derivative `slope(value, x)`."""
    f = getattr(special, name)
    both = [operation(f"scipy.special.{name}[{index}].{which}", lambda x, which=which: getattr(f(x)[index], which),
                      f"scipy.special.{name}({{}})[{index}].{which}",
                      lambda d, y, x, which=which: times0(d, getattr(slope(found(x), x), which)),
                      memory=NEW, raises=NEVER)
            for which in ("real", "imag")]

    def found(x: Any) -> Complex:
        return Complex(both[0](x), both[1](x))

    return found


def modified(name: str, sign: float) -> Formula:
    """A modified Fresnel integral, of `exp(sign i t^2)` from x on, and the same over its oscillation."""
    scale = 1.0 / ROOT_TWO_PI
    return results(
        curve(name, 0, lambda w, x: Complex(-cos(x * x), -sign * sin(x * x))),
        curve(name, 1, lambda w, x: Complex(0.0, -2.0 * sign * x) * w + Complex(-scale, sign * scale)))


def kelvin(x: Any) -> tuple[Complex, ...]:
    return Complex(ber(x), bei(x)), Complex(ker(x), kei(x)), Complex(berp(x), beip(x)), Complex(kerp(x), keip(x))


FUNCTIONS: dict[Any, Any] = {
    special.hankel1: hankel1, special.hankel2: hankel2,
    special.hankel1e: between("hankel1e", 0.5, -0.5, lambda w: -(UNIT * w)),
    special.hankel2e: between("hankel2e", 0.5, -0.5, lambda w: UNIT * w),
    special.h1vp: takes_complex(derivatives(hankel1, -1.0)), special.h2vp: takes_complex(derivatives(hankel2, -1.0)),
    special.kelvin: kelvin, special.modfresnelp: modified("modfresnelp", 1.0),
    special.modfresnelm: modified("modfresnelm", -1.0),
}
