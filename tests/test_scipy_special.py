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

from ccc.primitives import scipy_special  # noqa: E402 - only where SciPy is installed

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


def scaled(f: Callable[..., Any], sign: int) -> Callable[..., Any]:
    return lambda v, x: f(v, x) * mp.exp(sign * abs(x) if sign < 0 else x)


CASES: dict[str, tuple[Callable[..., Any], list[tuple[float, ...]]]] = {
    "gamma": (mp.gamma, [(0.3,), (1.7,), (-1.6,), (6.0,)]),
    "gammaln": (lambda x: mp.log(abs(mp.gamma(x))), [(0.3,), (1.7,), (40.5,), (-1.6,)]),
    "loggamma": (mp.loggamma, [(0.3,), (1.7,), (40.5,)]),
    "psi": (mp.digamma, [(0.3,), (1.7,), (40.5,)]),
    "polygamma": (lambda n, x: mp.polygamma(int(n), x), [(0, 1.7), (1, 1.7), (3, 0.4)]),
    "zeta": (mp.zeta, [(2.5, 1.7), (4.0, 0.4)]),
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
    known = {"polygamma": {0}, "zeta": {0}, "expn": {0}, "hyp0f1": {0}, "hyp1f1": {0, 1}, "hyperu": {0, 1},
             "hyp2f1": {0, 1, 2}, "betainc": {0, 1}, "betaincc": {0, 1}, "betaincinv": {0, 1}, "betainccinv": {0, 1}}
    first = {"gammainc", "gammaincc", "gammaincinv", "gammainccinv", "chdtr", "chdtrc", "pdtr", "pdtrc", "stdtr",
             "stdtrit", "jv", "yv", "yn", "iv", "kv", "kn", "ive", "kve"}
    return known.get(name, {0} if name in first else set())


def test_each_function_is_compared():
    assert {p.name.removeprefix("scipy.special.") for p in set(scipy_special.FUNCTIONS.values())
            if isinstance(p, ccc.primitives.primitive.Primitive)} == set(CASES)  # type: ignore[attr-defined]


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


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_mpmath(name: str):
    functions: dict[Any, Callable[[Any], Any]] = {}  # each is compiled once for all points on its line
    points = CASES[name][1]
    for xs, i in itertools.product(points, set(range(len(points[0]))) - unknown_in(name)):
        line = i, *xs[:i], *xs[i + 1 :]
        f, x = functions.setdefault(line, along(name, xs, i)), float(xs[i])
        first, second = exact(name, xs, i, 1), exact(name, xs, i, 2)
        for backend in BACKENDS:
            assert ccc.compiled(f, backend=backend)(x) == f(x), name
            assert ccc.gradient(f, backend=backend)(x) == pytest.approx(first, rel=1e-11, abs=1e-14), (name, i)
            twice = ccc.gradient(ccc.gradient(f), backend=backend)(x)
            assert twice == pytest.approx(second, rel=1e-9, abs=1e-12), (name, i)
        assert ccc.derivative(f)(x) == pytest.approx(first, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("name", [name for name in CASES if unknown_in(name)])
def test_arguments_without_a_rule_are_refused_by_name(name: str):
    xs = CASES[name][1][0]
    for i in unknown_in(name):
        for verb in (ccc.gradient, ccc.derivative):
            with pytest.raises(MissingDerivative, match=f"`scipy.special.{name}` has no derivative in"):
                verb(along(name, tuple(map(float, xs)), i))(float(xs[i]))


def test_a_refusal_stands_at_the_call_and_is_mended_as_it_says():
    f = ccc.gradient(lambda a: a * special.gammainc(a, 2.0))
    with pytest.raises(MissingDerivative, match="test_scipy_special.py") as refused:
        f(1.5)
    assert "special.gammainc(a, 2.0)" in str(refused.value) and "ccc.without_derivative(...)" in str(refused.value)
    g = ccc.gradient(lambda a: a * special.gammainc(ccc.without_derivative(a), 2.0))
    assert g(1.5) == special.gammainc(1.5, 2.0)


def test_what_nothing_asks_for_is_not_refused():
    def f(a: float, x: float) -> Any:
        total = 0.0
        for i in range(3):
            total = total + special.gammainc(a + i, x)
        return total

    for backend in BACKENDS:
        found = ccc.gradient(f, wrt="x", backend=backend)(1.5, 2.0)
        assert found == pytest.approx(sum([2.0 ** (0.5 + i) * math.exp(-2.0) / math.gamma(1.5 + i) for i in range(3)]))
    density = ccc.gradient(lambda a: ccc.gradient(lambda x: special.gammainc(a, x))(2.0))
    assert density(1.5) == pytest.approx(exact("gammainc", (1.5, 2.0), 1, 1) * (math.log(2.0) - special.psi(1.5)))
    with pytest.raises(MissingDerivative):
        ccc.gradient(lambda x: ccc.gradient(lambda a: special.gammainc(a, x))(2.0))(1.5)


@pytest.mark.parametrize("name", CASES)
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
