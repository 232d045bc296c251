"""The functions of `scipy.special`: values are SciPy's to the last bit, derivatives those of mpmath with 50 digits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import MissingDerivative

special: Any = pytest.importorskip("scipy.special")
mp: Any = pytest.importorskip("mpmath")

from test_scipy_special_differences import CASES as DIFFERENCES  # noqa: E402 - only where SciPy is installed

from ccc.primitives import scipy_specials  # noqa: E402

BACKENDS = ["numpy", "native"]
TURNS = math.pi / 180


def reciprocal_hypergeometric(v: Any, z: Any) -> Any:
    return mp.hyp0f1(v, z)


def entropy(x: Any) -> Any:
    return -x * mp.log(x)


def inverse(f: Callable[[Any], Any], y: Any, start: Any) -> Any:
    return mp.findroot(lambda x: f(x) - y, start)


def student(df: Any, t: Any) -> Any:
    tail = mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
    return 1 - tail if t > 0 else tail


def boxcox(x: Any, n: Any) -> Any:
    return mp.log(x) if n == 0 else (x**n - 1) / n


def inv_boxcox(y: Any, n: Any) -> Any:
    return mp.exp(y) if n == 0 else mp.exp(mp.log(1 + n * y) / n)


def smooth_loss(delta: Any, r: Any) -> Any:
    return delta**2 * (mp.sqrt(1 + (r / delta) ** 2) - 1)


def owen(h: Any, a: Any) -> Any:
    return mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mp.pi)


def of_gamma(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def of_beta(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def of_f(m: Any, n: Any, x: Any) -> Any:
    return of_beta(m / 2, n / 2, m * x / (m * x + n))


def shifted_jacobi(n: Any, p: Any, q: Any, x: Any) -> Any:
    return mp.jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)


def sphere(f: Callable[..., Any], n: Any, z: Any) -> Any:
    return mp.sqrt(mp.pi / 2 / z) * f(n + mp.mpf(1) / 2, z)


def voigt(x: Any, sigma: Any, g: Any) -> Any:
    z = (x + 1j * g) / sigma / mp.sqrt(2)
    return mp.re(mp.exp(-z * z) * mp.erfc(-1j * z)) / sigma / mp.sqrt(2 * mp.pi)


def scaled(f: Callable[..., Any], sign: int) -> Callable[..., Any]:
    return lambda v, x: f(v, x) * mp.exp(sign * abs(x) if sign < 0 else x)


CASES: dict[str, tuple[Callable[..., Any], list[tuple[float, ...]]]] = {
    "gamma": (mp.gamma, [(0.3,), (1.7,), (-1.6,), (6.0,)]),
    "gammaln": (lambda x: mp.log(abs(mp.gamma(x))), [(0.3,), (1.7,), (40.5,), (-1.6,)]),
    "loggamma": (mp.loggamma, [(0.3,), (1.7,), (40.5,)]),
    "psi": (mp.digamma, [(0.3,), (1.7,), (40.5,)]),
    "polygamma": (lambda n, x: mp.polygamma(int(n), x), [(0, 1.7), (1, 1.7), (3, 0.4)]),
    "zeta": (mp.zeta, [(2.5, 1.7), (4.0, 0.4)]),
    "zetac": (lambda x: mp.zeta(x) - 1, [(2.5,), (0.5,), (20.0,)]),
    "beta": (mp.beta, [(1.3, 2.4), (0.2, 0.7)]),
    "betaln": (lambda a, b: mp.log(mp.beta(a, b)), [(1.3, 2.4), (0.2, 0.7), (30.0, 4.0)]),
    "binom": (mp.binomial, [(5.5, 2.25), (10.0, 3.0)]),
    "poch": (mp.rf, [(1.5, 2.25), (3.0, 0.5)]),
    "gammainc": (of_gamma, [(1.5, 0.7), (0.4, 2.0), (7.0, 6.5)]),
    "gammaincc": (lambda a, x: 1 - of_gamma(a, x), [(1.5, 0.7), (0.4, 2.0), (7.0, 6.5)]),
    "gammaincinv": (lambda a, p: inverse(lambda x: of_gamma(a, x), p, special.gammaincinv(float(a), float(p))),
                    [(1.5, 0.3), (4.0, 0.9)]),
    "gammainccinv": (lambda a, p: inverse(lambda x: 1 - of_gamma(a, x), p, special.gammainccinv(float(a), float(p))),
                     [(1.5, 0.3), (4.0, 0.9)]),
    "betainc": (of_beta, [(1.5, 2.5, 0.3), (0.5, 0.75, 0.8)]),
    "betaincc": (lambda a, b, x: 1 - of_beta(a, b, x), [(1.5, 2.5, 0.3), (0.5, 0.75, 0.8)]),
    "betaincinv": (lambda a, b, p: inverse(lambda x: of_beta(a, b, x), p, special.betaincinv(*map(float, (a, b, p)))),
                   [(1.5, 2.5, 0.3)]),
    "betainccinv": (
        lambda a, b, p: inverse(lambda x: 1 - of_beta(a, b, x), p, special.betainccinv(*map(float, (a, b, p)))),
        [(1.5, 2.5, 0.3)]),
    "chdtr": (lambda v, x: of_gamma(v / 2, x / 2), [(3.0, 2.5)]),
    "chdtrc": (lambda v, x: 1 - of_gamma(v / 2, x / 2), [(3.0, 2.5)]),
    "pdtr": (lambda k, m: 1 - of_gamma(k + 1, m), [(3.0, 2.5)]),
    "pdtrc": (lambda k, m: of_gamma(k + 1, m), [(3.0, 2.5)]),
    "stdtr": (student, [(3.5, 0.8), (2.0, -1.3)]),
    "stdtrit": (lambda df, p: inverse(lambda t: student(df, t), p, special.stdtrit(float(df), float(p))),
                [(3.5, 0.8), (2.0, 0.1)]),
    "chdtri": (lambda v, p: inverse(lambda x: 1 - of_gamma(v / 2, x / 2), p, special.chdtri(float(v), float(p))),
               [(3.0, 0.3)]),
    "gdtr": (lambda a, b, x: of_gamma(b, a * x), [(0.7, 2.5, 1.5)]),
    "gdtrc": (lambda a, b, x: 1 - of_gamma(b, a * x), [(0.7, 2.5, 1.5)]),
    "bdtr": (lambda k, n, p: of_beta(n - k, k + 1, 1 - p), [(2.0, 5, 0.3)]),
    "bdtrc": (lambda k, n, p: 1 - of_beta(n - k, k + 1, 1 - p), [(2.0, 5, 0.3)]),
    "nbdtr": (lambda k, n, p: of_beta(n, k + 1, p), [(2, 5, 0.3)]),
    "nbdtrc": (lambda k, n, p: 1 - of_beta(n, k + 1, p), [(2, 5, 0.3)]),
    "fdtr": (of_f, [(3.5, 7.0, 1.2), (2.0, 11.0, 0.3)]),
    "fdtrc": (lambda m, n, x: 1 - of_f(m, n, x), [(3.5, 7.0, 1.2)]),
    "fdtri": (lambda m, n, p: inverse(lambda x: of_f(m, n, x), p, special.fdtri(*map(float, (m, n, p)))),
              [(3.5, 7.0, 0.3)]),
    "eval_jacobi": (mp.jacobi, [(3, 0.5, 1.5, 0.3), (0, 0.5, 1.5, 0.3)]),
    "eval_sh_jacobi": (shifted_jacobi, [(3, 2.5, 1.5, 0.3)]),
    "eval_gegenbauer": (mp.gegenbauer, [(3, 0.7, 0.3), (1, 0.7, -0.4)]),
    "eval_legendre": (mp.legendre, [(4, 0.3), (0, 0.3), (1, -0.6), (2, 1.0)]),
    "eval_sh_legendre": (lambda n, x: mp.legendre(n, 2 * x - 1), [(4, 0.3)]),
    "eval_chebyt": (mp.chebyt, [(4, 0.3), (0, 0.3), (3, 1.5)]),
    "eval_chebyu": (mp.chebyu, [(4, 0.3), (0, 0.3)]),
    "eval_sh_chebyt": (lambda n, x: mp.chebyt(n, 2 * x - 1), [(4, 0.3)]),
    "eval_sh_chebyu": (lambda n, x: mp.chebyu(n, 2 * x - 1), [(4, 0.3)]),
    "eval_chebyc": (lambda n, x: 2 * mp.chebyt(n, x / 2), [(4, 0.3)]),
    "eval_chebys": (lambda n, x: mp.chebyu(n, x / 2), [(4, 0.3)]),
    "eval_hermite": (mp.hermite, [(4, 0.3), (0, 0.3)]),
    "eval_hermitenorm": (lambda n, x: mp.hermite(n, x / mp.sqrt(2)) / mp.sqrt(2) ** n, [(4, 0.3)]),
    "eval_laguerre": (lambda n, x: mp.laguerre(n, 0, x), [(4, 0.3), (0, 0.3)]),
    "eval_genlaguerre": (mp.laguerre, [(4, 0.5, 0.3)]),
    "lpmv": (lambda m, v, x: mp.legenp(v, m, x, type=2), [(1.0, 2.5, 0.3)]),
    "spherical_jn": (lambda n, z: sphere(mp.besselj, n, z), [(0, 0.7), (2, 5.5)]),
    "spherical_yn": (lambda n, z: sphere(mp.bessely, n, z), [(0, 0.7), (2, 5.5)]),
    "spherical_in": (lambda n, z: sphere(mp.besseli, n, z), [(0, 0.7), (2, 5.5)]),
    "spherical_kn": (lambda n, z: sphere(mp.besselk, n, z), [(0, 0.7), (2, 5.5)]),
    "ellipkinc": (mp.ellipf, [(0.7, 0.4), (2.5, -1.5), (0.7, 1e-4), (-1.2, 0.95)]),
    "ellipeinc": (mp.ellipe, [(0.7, 0.4), (2.5, -1.5), (0.7, 1e-4), (-1.2, 0.95)]),
    "ellipkm1": (lambda p: mp.ellipk(1 - p), [(0.3,), (0.9,), (1e-6,)]),
    "agm": (mp.agm, [(0.7, 2.5), (1.0, 1.0)]),
    "ber": (lambda x: mp.ber(0, x), [(0.7,), (5.5,)]),
    "bei": (lambda x: mp.bei(0, x), [(0.7,), (5.5,)]),
    "berp": (lambda x: mp.diff(lambda t: mp.ber(0, t), x), [(0.7,), (5.5,)]),
    "beip": (lambda x: mp.diff(lambda t: mp.bei(0, t), x), [(0.7,), (5.5,)]),
    "ker": (lambda x: mp.ker(0, x), [(0.7,), (5.5,)]),
    "kei": (lambda x: mp.kei(0, x), [(0.7,), (5.5,)]),
    "kerp": (lambda x: mp.diff(lambda t: mp.ker(0, t), x), [(0.7,), (5.5,)]),
    "keip": (lambda x: mp.diff(lambda t: mp.kei(0, t), x), [(0.7,), (5.5,)]),
    "struve": (mp.struveh, [(0.5, 0.7), (1.0, 5.5)]),
    "modstruve": (mp.struvel, [(0.5, 0.7), (1.0, 5.5)]),
    "voigt_profile": (voigt, [(0.7, 1.2, 0.4), (-2.5, 0.5, 0.1)]),
    "rgamma": (mp.rgamma, [(0.3,), (1.7,), (-1.6,)]),
    "powm1": (lambda x, y: x**y - 1, [(1.3, 0.7), (2.5, -1.5)]),
    "factorial": (lambda n: mp.gamma(n + 1), [(0.3,), (3.0,)]),
    "jve": (mp.besselj, [(1.5, 0.7), (0.0, 3.0), (2.0, 5.5)]),
    "yve": (mp.bessely, [(1.5, 0.7), (2.0, 5.5)]),
    "erf": (mp.erf, [(0.3,), (-2.0,), (0.0,)]),
    "erfc": (mp.erfc, [(0.3,), (-2.0,), (5.0,)]),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [(0.3,), (-2.0,), (3.0,)]),
    "erfi": (mp.erfi, [(0.3,), (-2.0,)]),
    "dawsn": (lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), [(0.3,), (-2.0,)]),
    "erfinv": (mp.erfinv, [(0.3,), (-0.95,), (0.0,)]),
    "erfcinv": (lambda x: mp.erfinv(1 - x), [(0.3,), (1.9,)]),
    "ndtr": (mp.ncdf, [(0.3,), (-4.0,)]),
    "ndtri": (lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), [(0.3,), (0.999,)]),
    "log_ndtr": (lambda x: mp.log(mp.ncdf(x)), [(0.3,), (-4.0,), (-30.0,), (3.0,)]),
    "ndtri_exp": (lambda y: mp.sqrt(2) * mp.erfinv(2 * mp.exp(y) - 1), [(-0.3,), (-5.0,)]),
    "owens_t": (owen, [(0.7, 0.4), (1.5, 2.0)]),
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), [(0.3,), (-20.0,), (30.0,)]),
    "logit": (lambda p: mp.log(p / (1 - p)), [(0.3,), (0.999,)]),
    "log_expit": (lambda x: -mp.log(1 + mp.exp(-x)), [(0.3,), (-20.0,), (30.0,)]),
    "xlogy": (lambda x, z: x * mp.log(z), [(0.3, 2.5), (-1.5, 0.25)]),
    "xlog1py": (lambda x, z: x * mp.log(1 + z), [(0.3, 2.5), (-1.5, 0.25)]),
    "entr": (entropy, [(0.3,), (2.0,)]),
    "rel_entr": (lambda x, z: x * mp.log(x / z), [(0.3, 0.5), (2.0, 0.1)]),
    "kl_div": (lambda x, z: x * mp.log(x / z) - x + z, [(0.3, 0.5), (2.0, 0.1)]),
    "exprel": (lambda x: mp.expm1(x) / x, [(0.3,), (-20.0,), (5.0,), (1e-6,)]),
    "cosm1": (lambda x: mp.cos(x) - 1, [(0.3,), (2.0,)]),
    "expm1": (mp.expm1, [(0.3,), (-2.0,)]),
    "exp2": (lambda x: mp.mpf(2) ** x, [(0.3,), (-2.0,)]),
    "exp10": (lambda x: mp.mpf(10) ** x, [(0.3,), (-2.0,)]),
    "log1p": (mp.log1p, [(0.3,), (-0.9,)]),
    "cbrt": (mp.cbrt, [(0.3,), (20.0,)]),
    "boxcox": (boxcox, [(2.5, 0.7), (0.3, -1.5), (3.0, 0.0), (2.0, 1e-5)]),
    "boxcox1p": (lambda x, n: boxcox(1 + x, n), [(2.5, 0.7), (0.3, -1.5), (3.0, 0.0)]),
    "inv_boxcox": (inv_boxcox, [(2.5, 0.7), (0.3, -1.5), (1.5, 0.0)]),
    "inv_boxcox1p": (lambda y, n: inv_boxcox(y, n) - 1, [(2.5, 0.7), (0.3, -1.5), (1.5, 0.0)]),
    "sindg": (lambda x: mp.sin(x * mp.pi / 180), [(30.0,), (100.0,)]),
    "cosdg": (lambda x: mp.cos(x * mp.pi / 180), [(30.0,), (100.0,)]),
    "tandg": (lambda x: mp.tan(x * mp.pi / 180), [(30.0,), (100.0,)]),
    "cotdg": (lambda x: mp.cot(x * mp.pi / 180), [(30.0,), (100.0,)]),
    "huber": (lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), [(1.5, 0.4), (1.5, -3.0)]),
    "pseudo_huber": (smooth_loss, [(1.5, 0.4), (0.3, -3.0)]),
    "jv": (mp.besselj, [(1.5, 0.7), (0.0, 3.0), (2.0, 5.5)]),
    "yv": (mp.bessely, [(1.5, 0.7), (2.0, 5.5)]),
    "yn": (mp.bessely, [(1, 0.7), (2, 5.5)]),
    "iv": (mp.besseli, [(1.5, 0.7), (2.0, 5.5)]),
    "kv": (mp.besselk, [(1.5, 0.7), (2.0, 5.5)]),
    "kn": (mp.besselk, [(1, 0.7), (2, 5.5)]),
    "ive": (scaled(mp.besseli, -1), [(1.5, 0.7), (2.0, 5.5)]),
    "kve": (scaled(mp.besselk, 1), [(1.5, 0.7), (2.0, 5.5)]),
    "j0": (lambda x: mp.besselj(0, x), [(0.7,), (5.5,), (0.0,)]),
    "j1": (lambda x: mp.besselj(1, x), [(0.7,), (5.5,), (0.0,)]),
    "y0": (lambda x: mp.bessely(0, x), [(0.7,), (5.5,)]),
    "y1": (lambda x: mp.bessely(1, x), [(0.7,), (5.5,)]),
    "i0": (lambda x: mp.besseli(0, x), [(0.7,), (-5.5,)]),
    "i1": (lambda x: mp.besseli(1, x), [(0.7,), (-5.5,)]),
    "i0e": (lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), [(0.7,), (-5.5,)]),
    "i1e": (lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), [(0.7,), (-5.5,)]),
    "k0": (lambda x: mp.besselk(0, x), [(0.7,), (5.5,)]),
    "k1": (lambda x: mp.besselk(1, x), [(0.7,), (5.5,)]),
    "k0e": (lambda x: mp.besselk(0, x) * mp.exp(x), [(0.7,), (5.5,)]),
    "k1e": (lambda x: mp.besselk(1, x) * mp.exp(x), [(0.7,), (5.5,)]),
    "expi": (mp.ei, [(0.7,), (-2.0,)]),
    "exp1": (mp.e1, [(0.7,), (2.0,)]),
    "expn": (lambda n, x: mp.expint(int(n), x), [(2, 0.7), (3, 2.0)]),
    "spence": (lambda z: mp.polylog(2, 1 - z), [(0.3,), (0.999,), (1.75,)]),
    "ellipk": (mp.ellipk, [(0.3,), (-2.0,), (0.95,)]),
    "ellipe": (mp.ellipe, [(0.3,), (-2.0,), (0.95,)]),
    "hyp0f1": (reciprocal_hypergeometric, [(1.5, 0.7), (2.0, -3.0)]),
    "hyp1f1": (mp.hyp1f1, [(1.5, 2.25, 0.7), (-0.5, 1.5, -3.0)]),
    "hyp2f1": (mp.hyp2f1, [(1.5, 2.25, 3.5, 0.4), (0.5, 1.0, 1.5, -2.0)]),
    "hyperu": (mp.hyperu, [(1.5, 2.25, 0.7)]),
    "wrightomega": (lambda x: mp.lambertw(mp.exp(x)).real, [(0.3,), (4.0,)]),
    "radian": (lambda a, m, s: (a + m / 60 + s / 3600) * mp.pi / 180, [(30.0, 20.0, 10.0)]),
}


def unknown_in(name: str) -> set[int]:
    """The arguments in which a function has no rule: its slope there is refused."""
    known = {"hyp1f1": {0, 1}, "hyperu": {0, 1}, "hyp2f1": {0, 1, 2}, "bdtr": {0, 1}, "bdtrc": {0, 1}, "nbdtr": {0, 1},
             "nbdtrc": {0, 1}, "lpmv": {0, 1}}
    first = {"polygamma", "expn", "hyp0f1", "pdtr", "pdtrc", "jv", "yv", "yn", "iv", "kn", "ive",
             "jve", "yve", "struve", "modstruve"}
    if name.startswith(("eval_", "spherical_")):
        return set(range(len(CASES[name][1][0]) - 1))
    return known.get(name, {0} if name in first else set())


def test_each_function_is_compared():
    """Those of SciPy's own are compared in distributions (`test_scipy_read_families`)."""
    assert {p.name.removeprefix("scipy.special.") for of, p in scipy_specials.FUNCTIONS.items()
            if isinstance(p, ccc.primitives.primitive.Primitive)  # type: ignore[attr-defined]
            and not of.__name__.startswith("_")} == {
                name for name in CASES if not name.startswith("spherical")} | {"gammasgn", "round"} | {
                    name for name, (_, points) in DIFFERENCES.items()
                    if not isinstance(getattr(special, name)(*points[0]), tuple)}


def along(name: str, xs: tuple[Any, ...], i: int) -> Callable[[Any], Any]:
    f = getattr(special, name)
    count, others = len(xs), [x if type(x) is int else float(x) for x in xs]
    if count == 1:
        return lambda x: f(x)
    if count == 2:
        other = others[1 - i]
        return (lambda x: f(x, other)) if i == 0 else (lambda x: f(other, x))
    a, b, c = others[0], others[1], others[2]
    if count == 3:
        return [lambda x: f(x, b, c), lambda x: f(a, x, c), lambda x: f(a, b, x)][i]
    d = others[3]
    return [lambda x: f(x, b, c, d), lambda x: f(a, x, c, d), lambda x: f(a, b, x, d), lambda x: f(a, b, c, x)][i]


def exact(name: str, xs: tuple[Any, ...], i: int, order: int) -> float:
    """The derivative of an order in argument i, with 50 digits."""
    with mp.workdps(50):
        given = [mp.mpf(x) for x in xs]
        f = CASES[name][0]
        return float(mp.diff(lambda x: f(*given[:i], x, *given[i + 1 :]), given[i], order, h=mp.mpf(10) ** -14,
                             relative=False))


@pytest.mark.share(16)
@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_mpmath(name: str):
    functions: dict[Any, Callable[[Any], Any]] = {}  # each is compiled once for all points on its line
    points = CASES[name][1]
    for xs, i in itertools.product(points, set(range(len(points[0]))) - unknown_in(name)):
        line = i, *xs[:i], *xs[i + 1 :]
        f, x = functions.setdefault(line, along(name, xs, i)), float(xs[i])
        first, second = exact(name, xs, i, 1), exact(name, xs, i, 2)
        for backend in BACKENDS:
            value = f(x) if backend == "numpy" else pytest.approx(f(x), rel=1e-14, abs=1e-15)
            assert ccc.compiled(f, backend=backend)(x) == value, name
            assert ccc.gradient(f, backend=backend)(x) == pytest.approx(first, rel=1e-11, abs=1e-14), (name, i)
            twice = ccc.gradient(ccc.gradient(f), backend=backend)(x)
            assert twice == pytest.approx(second, rel=1e-9, abs=1e-12), (name, i)
        assert ccc.derivative(f)(x) == pytest.approx(first, rel=1e-11, abs=1e-14)


WHOLE = {"bdtr", "bdtrc", "eval_hermite", "eval_hermitenorm"}
"""Functions that SciPy gives whole numbers alone."""


@pytest.mark.parametrize("name", [name for name in CASES if unknown_in(name) and name not in WHOLE])
def test_arguments_without_a_rule_are_refused_by_name(name: str):
    xs = CASES[name][1][0]
    for i in unknown_in(name):
        for verb in (ccc.gradient, ccc.derivative):
            with pytest.raises(MissingDerivative, match=f"`scipy.special.{name}` has no derivative in"):
                verb(along(name, tuple(map(float, xs)), i))(float(xs[i]))


def test_arrays_without_a_rule_are_refused_in_both_modes():
    p = np.array([1.5, 2.0])
    for f in (lambda p: special.jv(p[0], 2.0), lambda p: np.log(np.sum(special.jv(p, 2.0)))):
        with pytest.raises(MissingDerivative, match="`scipy.special.jv` has no derivative in `v`"):
            ccc.gradient(f)(p)
        with pytest.raises(MissingDerivative, match="`scipy.special.jv` has no derivative in `v`"):
            ccc.jvp(f, (p,), (p,))


def test_a_refusal_stands_at_the_call_and_is_mended_as_it_says():
    f = ccc.gradient(lambda v: v * special.jv(v, 2.0))
    with pytest.raises(MissingDerivative, match="test_scipy_special.py") as refused:
        f(1.5)
    assert "special.jv(v, 2.0)" in str(refused.value) and "ccc.without_derivative(...)" in str(refused.value)
    g = ccc.gradient(lambda v: v * special.jv(ccc.without_derivative(v), 2.0))
    assert g(1.5) == special.jv(1.5, 2.0)


def test_what_nothing_asks_for_is_not_refused():
    def f(v: float, x: float) -> Any:
        total = 0.0
        for i in range(3):
            total = total + special.kv(v + i, x)
        return total

    for backend in BACKENDS:
        found = ccc.gradient(f, wrt="x", backend=backend)(1.5, 2.0)
        assert found == pytest.approx(sum([exact("kv", (1.5 + i, 2.0), 1, 1) for i in range(3)]))
    with pytest.raises(MissingDerivative):
        ccc.gradient(lambda v: ccc.gradient(lambda x: special.jv(v, x))(2.0))(1.5)


def test_derivatives_in_both_arguments():
    density = ccc.gradient(lambda a: ccc.gradient(lambda x: special.gammainc(a, x))(2.0))
    expected = exact("gammainc", (1.5, 2.0), 1, 1) * (math.log(2.0) - special.psi(1.5))
    assert density(1.5) == pytest.approx(expected, rel=1e-12)
    turned = ccc.gradient(lambda x: ccc.gradient(lambda a: special.gammainc(a, x))(1.5))
    assert turned(2.0) == pytest.approx(expected, rel=1e-12)


def test_at_the_ends_of_a_support_slopes_in_parameters_are_zero():
    for x, slope in [(0.0, 0.0), (math.inf, 0.0), (-1.0, math.nan), (math.nan, math.nan)]:
        found = ccc.gradient(lambda a, x: special.gammainc(a, x), wrt=0)(0.5, x)
        assert found == pytest.approx(slope, abs=0.0, nan_ok=True)
    assert ccc.gradient(lambda v: special.stdtr(v, 0.0))(3.5) == 0.0
    assert ccc.gradient(lambda a: special.betainc(a, 2.0, 1.0))(0.5) == 0.0


SEVERAL: dict[str, tuple[Any, tuple[float, ...]]] = {
    "ellipj": (lambda u, m: [f(u, m=m) for f in (
        lambda u, m: mp.ellipfun("sn", u, m=m), lambda u, m: mp.ellipfun("cn", u, m=m),
        lambda u, m: mp.ellipfun("dn", u, m=m), lambda u, m: mp.asin(mp.ellipfun("sn", u, m=m)))], (0.7, 0.4)),
    "fresnel": (lambda x: [mp.fresnels(x), mp.fresnelc(x)], (0.7,)),
    "sici": (lambda x: [mp.si(x), mp.ci(x)], (0.7,)), "shichi": (lambda x: [mp.shi(x), mp.chi(x)], (0.7,)),
    "airy": (lambda x: [mp.airyai(x), mp.airyai(x, 1), mp.airybi(x), mp.airybi(x, 1)], (-1.3,)),
    "wofz": (lambda x: [f(mp.exp(-x * x) * mp.erfc(-1j * x)) for f in (mp.re, mp.im)], (0.7,)),
    "lambertw": (lambda z: [f(mp.lambertw(z)) for f in (mp.re, mp.im)], (0.7,)),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SEVERAL)
def test_functions_of_several_results(name: str, backend: str):
    f, (exact_of, xs) = getattr(special, name), SEVERAL[name]
    count = len(exact_of(*map(mp.mpf, xs)))
    part: Any = (lambda z, k: z.real if k == 0 else z.imag) if name in ("wofz", "lambertw") else lambda z, k: z[k]
    for k in range(count):
        g: Any = (lambda x, k=k: part(f(x), k)) if len(xs) == 1 else lambda x, m, k=k: part(f(x, m), k)
        assert ccc.compiled(g, backend=backend)(*xs) == pytest.approx(g(*xs), rel=1e-14)
        for i in range(len(xs)):
            with mp.workdps(40):
                before, behind = [mp.mpf(x) for x in xs[:i]], [mp.mpf(x) for x in xs[i + 1:]]
                at: Any = lambda t, before=before, behind=behind, k=k: exact_of(*before, t, *behind)[k]  # noqa: E731
                first, second = [float(mp.re(mp.diff(at, mp.mpf(xs[i]), n))) for n in (1, 2)]
            assert ccc.gradient(g, wrt=i, backend=backend)(*xs) == pytest.approx(first, rel=1e-10, abs=1e-13)
            twice = ccc.gradient(ccc.gradient(g, wrt=i), wrt=i, backend=backend)(*xs)
            assert twice == pytest.approx(second, rel=1e-8, abs=1e-11)


def test_lambertw_of_numbers_left_of_its_branch_point_is_complex():
    f = lambda x: np.abs(special.lambertw(x)) + np.abs(special.lambertw(0.1 * x, -1))  # noqa: E731
    assert ccc.compiled(f)(-1.5) == pytest.approx(f(-1.5), rel=1e-14)
    assert ccc.gradient(f)(-1.5) == pytest.approx((f(-1.5 + 1e-5) - f(-1.5 - 1e-5)) / 2e-5, rel=1e-8)


@pytest.mark.parametrize("name", ["jvp", "yvp", "ivp", "kvp", "spherical_jn", "spherical_kn"])
def test_derivatives_that_have_names(name: str):
    f, order = getattr(special, name), 2 if name.endswith("vp") else True
    g = lambda x: f(3, x, order)  # noqa: E731
    assert ccc.compiled(g)(2.5) == pytest.approx(g(2.5), rel=1e-13)
    assert ccc.gradient(g)(2.5) == pytest.approx((g(2.5 + 1e-4) - g(2.5 - 1e-4)) / 2e-4, rel=1e-6)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [name for name in CASES if name not in ("bdtr", "bdtrc")])
def test_arrays_and_float32(name: str):
    f, points = getattr(special, name), CASES[name][1]
    last = len(points[0]) - 1
    others = [x if type(x) is int else float(x) for x in points[0][:last]]
    xs = np.array([[float(p[last])] * 3 for p in points if p[:last] == points[0][:last]])
    if last == 0:
        g = lambda x: np.sum(f(x))  # noqa: E731
    elif last == 1:
        a = others[0]
        g = lambda x: np.sum(f(a, x))  # noqa: E731
    else:
        a, b, c = (*others, 0.0)[:3]
        g = (lambda x: np.sum(f(a, b, x))) if last == 2 else (lambda x: np.sum(f(a, b, c, x)))
    each = [[ccc.gradient(along(name, (*others, x), last))(float(x)) for x in row] for row in xs]
    for backend in BACKENDS:
        np.testing.assert_allclose(ccc.gradient(g, backend=backend)(xs), each, rtol=1e-13)
    found = ccc.gradient(g)(xs.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, each, rtol=2e-3, atol=1e-5)
