"""Elliptic, oscillating and other functions of `scipy.special` that integrals and equations define.

    d S(x) = sin(pi x^2 / 2) dx        d Ai(x) = Ai'(x) dx        d Ai'(x) = x Ai(x) dx       dw = dz / (exp(w) (1 + w))

A function with several results is one primitive for each. That of complex numbers is one for each part: the slopes are
those of Cauchy and Riemann.

>>> import scipy.special
>>> [round(float(y), 12) for y in FUNCTIONS[scipy.special.fresnel](1.0)]
[0.43825914739, 0.779893400377]

References: *NIST Handbook of Mathematical Functions*, 4.13, 6.2, 7.2, 7.19, 9.2, 10.61, 11.4, 19.4, 22.13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO
from ccc.primitives.adaptors_fft import takes_complex
from ccc.primitives.arguments import flag
from ccc.primitives.complexes import Complex
from ccc.primitives.elementary_numpy import (
    cos,
    exp,
    greater_equal,
    less,
    less_equal,
    log,
    logical_and,
    power,
    sin,
    sinc,
    sqrt,
    where,
)
from ccc.primitives.facts import MAY, NEVER, NEW
from ccc.primitives.guarded import over0, times0
from ccc.primitives.pointwise import Slope, operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.scipy_special import (
    ROOT_PI,
    ROOT_TWO_PI,
    ellipe,
    ellipk,
    exprel,
    fixed,
    functions_of,
    gamma,
    hyp2f1,
    poch,
    psi,
    special,
    ufunc,
)

HALF_PI = 0.5 * math.pi
Formula = Callable[..., Any]


def result(index: int, of: str, *slopes: Slope) -> Primitive:
    """One of several results of the function `scipy.special.of`."""
    f = getattr(special, of)
    text = f"scipy.special.{of}({', '.join(['{}'] * len(slopes))})[{index}]"
    return operation(f"scipy.special.{of}[{index}]", lambda *xs: f(*xs)[index], text, *slopes, memory=NEW, raises=NEVER)


def results(*parts: Formula) -> Formula:
    return lambda *xs: tuple([p(*xs) for p in parts])


# -- elliptic integrals and functions --------------------------------------------------------------------------------


def difference_over(phi: Any, m: Any) -> Any:
    """`(F - E) / m`, by its series where m is small."""
    s, c, near = sin(phi), cos(phi), less(abs(m), 1e-3)
    total, weight, integral = 0.0, 1.0, phi
    for k in range(6):
        integral = ((2 * k + 1) * integral - power(s, 2 * k + 1) * c) / (2 * k + 2)
        total = total + weight * integral
        weight = weight * (2 * k + 1) / (2 * k + 2) * m
    divisor = where(near, 1.0, m)
    return where(near, total, (ellipkinc(phi, divisor) - ellipeinc(phi, divisor)) / divisor)


def kinc_in_parameter(phi: Any, m: Any, y: Any) -> Any:
    """The derivative of `y = ellipkinc(phi, m)` in `m`."""
    root = sqrt(1.0 - m * sin(phi) * sin(phi))
    return (y - difference_over(phi, m) - sin(phi) * cos(phi) / root) / (2.0 * (1.0 - m))


ellipkinc = ufunc("ellipkinc", lambda d, y, phi, m: over0(d, sqrt(1.0 - m * sin(phi) * sin(phi))),
                  lambda d, y, phi, m: times0(d, kinc_in_parameter(phi, m, y)))
ellipeinc = ufunc("ellipeinc", lambda d, y, phi, m: times0(d, sqrt(1.0 - m * sin(phi) * sin(phi))),
                  lambda d, y, phi, m: -times0(d, 0.5 * difference_over(phi, m)))
ellipkm1 = ufunc("ellipkm1", lambda d, y, p: -times0(d, where(
    less(p, 0.5), (ellipe(1.0 - p) - p * y) / (2.0 * p * (1.0 - p)), math.pi / 8.0 * hyp2f1(1.5, 1.5, 2.0, 1.0 - p))))


def amplitude_in_parameter(u: Any, m: Any) -> Any:
    """The derivative of the amplitude in `m`, at a fixed u, which is the integral up to it."""
    return -jacobi_dn(u, m) * kinc_in_parameter(jacobi_am(u, m), m, u)


def dn_in_parameter(u: Any, m: Any) -> Any:
    sn, cn = jacobi_sn(u, m), jacobi_cn(u, m)
    return -0.5 * sn * (sn + 2.0 * m * cn * amplitude_in_parameter(u, m)) / jacobi_dn(u, m)


jacobi_sn = result(0, "ellipj", lambda d, y, u, m: d * (jacobi_cn(u, m) * jacobi_dn(u, m)),
                   lambda d, y, u, m: times0(d, jacobi_cn(u, m) * amplitude_in_parameter(u, m)))
jacobi_cn = result(1, "ellipj", lambda d, y, u, m: -(d * (jacobi_sn(u, m) * jacobi_dn(u, m))),
                   lambda d, y, u, m: -times0(d, jacobi_sn(u, m) * amplitude_in_parameter(u, m)))
jacobi_dn = result(2, "ellipj", lambda d, y, u, m: -(d * (m * jacobi_sn(u, m) * jacobi_cn(u, m))),
                   lambda d, y, u, m: times0(d, dn_in_parameter(u, m)))
jacobi_am = result(3, "ellipj", lambda d, y, u, m: d * jacobi_dn(u, m),
                   lambda d, y, u, m: times0(d, amplitude_in_parameter(u, m)))


def mean_slope(a: Any, b: Any, y: Any) -> Any:
    """The derivative of the arithmetic-geometric mean in its first argument, by `pi (a + b) / (4 K)`."""
    total = a + b
    m = (a - b) * (a - b) / (total * total)
    return y / total - y / ellipk(m) * hyp2f1(1.5, 1.5, 2.0, m) * HALF_PI * b * (a - b) / (total * total * total)


agm = ufunc("agm", lambda d, y, a, b: times0(d, mean_slope(a, b, y)), lambda d, y, a, b: times0(d, mean_slope(b, a, y)))


# -- integrals of what oscillates ------------------------------------------------------------------------------------


def hyperbolic_ratio(x: Any) -> Any:
    """`sinh(x) / x`."""
    return 0.5 * (exprel(x) + exprel(-x))


fresnel_s = result(0, "fresnel", lambda d, y, x: d * sin(HALF_PI * x * x))
fresnel_c = result(1, "fresnel", lambda d, y, x: d * cos(HALF_PI * x * x))
sine_integral = result(0, "sici", lambda d, y, x: d * sinc(x / math.pi))
cosine_integral = result(1, "sici", lambda d, y, x: times0(d, cos(x) / x))
sinh_integral = result(0, "shichi", lambda d, y, x: times0(d, hyperbolic_ratio(x)))
cosh_integral = result(1, "shichi", lambda d, y, x: times0(d, 0.5 * (exp(x) + exp(-x)) / x))
airy_a = result(0, "airy", lambda d, y, x: times0(d, airy_a_slope(x)))
airy_a_slope = result(1, "airy", lambda d, y, x: times0(d, x * airy_a(x)))
airy_b = result(2, "airy", lambda d, y, x: times0(d, airy_b_slope(x)))
airy_b_slope = result(3, "airy", lambda d, y, x: times0(d, x * airy_b(x)))
ber = ufunc("ber", lambda d, y, x: d * berp(x))
bei = ufunc("bei", lambda d, y, x: d * beip(x))
berp = ufunc("berp", lambda d, y, x: times0(d, -bei(x) - y / x))
beip = ufunc("beip", lambda d, y, x: times0(d, ber(x) - y / x))
ker = ufunc("ker", lambda d, y, x: times0(d, kerp(x)))
kei = ufunc("kei", lambda d, y, x: times0(d, keip(x)))
kerp = ufunc("kerp", lambda d, y, x: times0(d, -kei(x) - y / x))
keip = ufunc("keip", lambda d, y, x: times0(d, ker(x) - y / x))


def struve_end(v: Any, x: Any) -> Any:
    return power(0.5 * x, v) / (ROOT_PI * gamma(v + 1.5))


struve = ufunc("struve", fixed("struve", "v"),
               lambda d, y, v, x: times0(d, 0.5 * (struve(v - 1.0, x) - struve(v + 1.0, x) + struve_end(v, x))))
modstruve = ufunc(
    "modstruve", fixed("modstruve", "v"),
    lambda d, y, v, x: times0(d, 0.5 * (modstruve(v - 1.0, x) + modstruve(v + 1.0, x) + struve_end(v, x))))


# -- functions of complex numbers ------------------------------------------------------------------------------------


def part(name: str, function: Formula, source: str, *slopes: Slope) -> Primitive:
    """A part of a complex result."""
    return operation(f"scipy.special.{name}", function, source, *slopes, memory=NEW, raises=NEVER)


def lambert_real_slope(z: Any, k: Any) -> Any:
    """The real part of `exp(-w) / (1 + w)`."""
    a, b = lambert_real(z, k), lambert_imag(z, k)
    return exp(-a) * ((1.0 + a) * cos(b) - b * sin(b)) / ((1.0 + a) * (1.0 + a) + b * b)


def lambert_imag_slope(z: Any, k: Any) -> Any:
    a, b = lambert_real(z, k), lambert_imag(z, k)
    return -exp(-a) * ((1.0 + a) * sin(b) + b * cos(b)) / ((1.0 + a) * (1.0 + a) + b * b)


lambert_real = part("lambertw.real", lambda z, k: special.lambertw(z, k).real, "scipy.special.lambertw({}, {}).real",
                    lambda d, y, z, k: times0(d, lambert_real_slope(z, k)), lambda d, y, z, k: ZERO)
lambert_imag = part("lambertw.imag", lambda z, k: special.lambertw(z, k).imag, "scipy.special.lambertw({}, {}).imag",
                    lambda d, y, z, k: times0(d, lambert_imag_slope(z, k)), lambda d, y, z, k: ZERO)


def sp_lambertw(z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    return Complex(lambert_real(z, k), lambert_imag(z, k))


def faddeeva_along(x: Any, y: Any) -> tuple[Any, Any]:
    """The parts of the derivative of w, `2i / sqrt(pi) - 2 z w`."""
    u, v = faddeeva_real(x, y), faddeeva_imag(x, y)
    return -2.0 * (x * u - y * v), 2.0 / ROOT_PI - 2.0 * (x * v + y * u)


faddeeva_real = part(
    "wofz.real", lambda x, y: special.wofz(x + 1j * y).real, "scipy.special.wofz({} + 1j * {}).real",
    lambda d, u, x, y: d * faddeeva_along(x, y)[0], lambda d, u, x, y: -(d * faddeeva_along(x, y)[1]))
faddeeva_imag = part(
    "wofz.imag", lambda x, y: special.wofz(x + 1j * y).imag, "scipy.special.wofz({} + 1j * {}).imag",
    lambda d, v, x, y: d * faddeeva_along(x, y)[1], lambda d, v, x, y: d * faddeeva_along(x, y)[0])


@takes_complex
def sp_wofz(z: Any) -> Any:
    x, y = (z.real, z.imag) if isinstance(z, Complex) else (z, 0.0)
    return Complex(faddeeva_real(x, y), faddeeva_imag(x, y))


def voigt_slopes(y: Any, x: Any, sigma: Any, g: Any) -> tuple[Any, Any, Any]:
    """Those of `Re w((x + i g) / (sigma sqrt 2)) / (sigma sqrt(2 pi))`."""
    width = sigma * math.sqrt(2.0)
    real, imag = faddeeva_along(x / width, g / width)
    scale = width * sigma * ROOT_TWO_PI
    return real / scale, -(y + (real * x - imag * g) / scale) / sigma, -imag / scale


voigt_profile = ufunc("voigt_profile", *[
    lambda d, y, x, sigma, g, i=i: times0(d, voigt_slopes(y, x, sigma, g)[i]) for i in range(3)])


# -- others ----------------------------------------------------------------------------------------------------------


rgamma = ufunc("rgamma", lambda d, y, x: -times0(d, y * psi(x)))
gammasgn = ufunc("gammasgn", lambda d, y, x: ZERO)
nearest = ufunc("round", lambda d, y, x: ZERO)
powm1 = ufunc("powm1", lambda d, z, x, y: times0(d, y * power(x, y - 1.0)),
              lambda d, z, x, y: times0(d, log(x) * (z + 1.0)))
factorial = operation("scipy.special.factorial", lambda n: special.factorial(n), "scipy.special.factorial({})",
                      lambda d, y, n: times0(d, y * psi(n + 1.0)), memory=NEW, raises=MAY)


def sp_factorial(n: Any, exact: Any = False, extend: Any = "zero") -> Any:
    if flag("exact", exact):
        raise TypeError("scipy.special.factorial has a derivative for exact=False only")
    return factorial(n)


def sp_perm(N: Any, k: Any, exact: Any = False) -> Any:
    if flag("exact", exact):
        raise TypeError("scipy.special.perm has a derivative for exact=False only")
    inside = logical_and(logical_and(less_equal(k, N), greater_equal(N, 0)), greater_equal(k, 0))
    return where(inside, poch(where(inside, N - k + 1, 1.0), where(inside, k, 0.0)), 0.0)


FUNCTIONS: dict[Any, Any] = functions_of(vars()) | {
    special.ellipj: results(jacobi_sn, jacobi_cn, jacobi_dn, jacobi_am), special.fresnel: results(fresnel_s, fresnel_c),
    special.sici: results(sine_integral, cosine_integral), special.shichi: results(sinh_integral, cosh_integral),
    special.airy: results(airy_a, airy_a_slope, airy_b, airy_b_slope), special.lambertw: sp_lambertw,
    special.wofz: sp_wofz, special.factorial: sp_factorial, special.perm: sp_perm,
}
