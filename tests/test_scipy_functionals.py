"""Functions of SciPy that are given functions: values are SciPy's, derivatives in what these capture differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc
from ccc import errors
from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend.custom import RULES

integrate, optimize = pytest.importorskip("scipy.integrate"), pytest.importorskip("scipy.optimize")

P = np.array([0.7, 1.3])
ONES = np.array([1.0, 1.0])
WEIGHTS = np.array([1.0, 2.0])
TIMES = np.linspace(0.0, 2.0, 7)
Case = Callable[[Any], Any]


def cubic(t: Any, a: Any, b: Any) -> Any:
    return t**3 * a - b


def oscillator(t: Any, y: Any, a: Any) -> Any:
    return [y[1], -a * y[0] + t]


def well(x: Any, p: Any) -> Any:
    return (x[0] - p[0]) ** 4 + (x[0] - p[0] * p[1]) ** 2 + (x[1] - x[0] * p[1]) ** 2


def pair(x: Any, p: Any) -> Any:
    return np.array([x[0] ** 2 - p[0], x[1] ** 3 * p[0] - p[1]])


ROOTS: dict[str, Case] = {
    "brentq": lambda p: optimize.brentq(lambda t: t**3 * p[0] - p[1], 0.0, 5.0),
    "brenth, args": lambda p: optimize.brenth(cubic, 0, 5, args=(p[0], p[1]), xtol=1e-13),
    "ridder": lambda p: optimize.ridder(lambda t: cubic(t, p[0], p[1]), 0.0, 5.0),
    "bisect": lambda p: optimize.bisect(lambda t: math.exp(t) * p[0] - p[1], -3.0, 5.0, xtol=1e-14),
    "toms748": lambda p: optimize.toms748(lambda t: t**3 * p[0] - p[1], 0.0, 5.0, xtol=1e-14),
    "newton": lambda p: optimize.newton(lambda t: t**3 * p[0] - p[1], 1.0),
    "newton, slope": lambda p: optimize.newton(lambda t: cubic(t, p[0], p[1]), 1.0, fprime=lambda t: 3.0 * t**2 * p[0]),
    "newton, array": lambda p: np.sum(optimize.newton(lambda t: t**3 - p, ONES, tol=1e-13)),
    "root_scalar": lambda p: optimize.root_scalar(lambda t: t**3 * p[0] - p[1], bracket=(0.0, 5.0)).root,
    "root": lambda p: np.sum(WEIGHTS * optimize.root(lambda x: pair(x, p), ONES, tol=1e-13).x),
    "root, slope": lambda p: optimize.root(
        lambda x: pair(x, p), [1.0, 1.0], tol=1e-13,
        jac=lambda x: np.array([[2.0 * x[0], 0.0], [0.0, 3.0 * x[1] ** 2 * p[0]]])).x[1],
    "fsolve": lambda p: optimize.fsolve(lambda x, a: x**2 - a, [1.0, 1.0], args=p, xtol=1e-13)[1],
    "fixed_point": lambda p: optimize.fixed_point(lambda x: np.cos(x * p[0]) + p[1], 1.0, xtol=1e-13),
    "fixed_point, array": lambda p: np.sum(optimize.fixed_point(lambda x: np.cos(x * p) / 2.0, ONES, xtol=1e-13)),
    "roots in a loop": lambda p: sum(
        [optimize.brentq(lambda t, i: t**i * p[0] - 1.0, 0.0, 3.0, args=(i,)) for i in (1, 2)]),
}
MINIMA: dict[str, Case] = {
    "minimize": lambda p: np.sum(WEIGHTS * optimize.minimize(lambda x: well(x, p), ONES, tol=1e-9).x),
    "minimize, value": lambda p: optimize.minimize(well, ONES, args=(p,), tol=1e-9).fun,
    "minimize, slope": lambda p: optimize.minimize(
        lambda x, a: (x[0] - a) ** 2 + a * x[0] ** 3, 1.0, args=(p[0],),
        jac=lambda x, a: np.array([2.0 * (x[0] - a) + 3.0 * a * x[0] ** 2]), options={"gtol": 1e-10}).x[0],
    "minimize_scalar": lambda p: optimize.minimize_scalar(
        lambda x: (x - p[0]) ** 4 + (x - p[0] * p[1]) ** 2, bounds=(-3, 4), options={"xatol": 1e-11}).x,
    "least_squares": lambda p: optimize.least_squares(
        lambda x: np.array([x[0] * p[0] - 1.0, x[1] ** 2 - p[1]]), ONES, xtol=1e-14, ftol=1e-14, gtol=1e-14).x[1],
    "curve_fit": lambda p: np.sum(optimize.curve_fit(
        lambda t, a, b: a * np.exp(b * t), np.arange(4.0), np.exp(0.3 * np.arange(4.0)) * p[0], [1.0, 0.3])[0]),
}
INTEGRALS: dict[str, Case] = {
    "quad": lambda p: integrate.quad(lambda t: math.exp(-p[0] * t * t) * p[1], 0.0, 2.0)[0],
    "quad, limits": lambda p: integrate.quad(lambda t, a: math.exp(-t * t) * a, p[0], p[1] * 3, args=(p[1],))[0],
    "quad, from -inf": lambda p: integrate.quad(lambda t: math.exp(-p[0] * t * t), -np.inf, p[1])[0],
    "quad, of all": lambda p: integrate.quad(lambda t: math.exp(-p[0] * t * t + p[1] * t), -np.inf, np.inf)[0],
    "quad, singular": lambda p: integrate.quad(lambda t: p[1] * t ** (-0.25 * p[0]), 0.0, 1.0)[0],
    "quad, kink": lambda p: integrate.quad(lambda t: abs(t - 0.3) * p[0], 0.0, p[1], points=[0.3])[0],
    "fixed_quad": lambda p: integrate.fixed_quad(lambda t: np.sin(p[0] * t), 0.0, p[1])[0],
    "cumulative_trapezoid": lambda p: np.sum(WEIGHTS * integrate.cumulative_trapezoid(
        np.array([1.0, 4.0]) * p[0] ** 2, x=np.array([0.0, 3.0]) * p[1], initial=0)),
    "dblquad": lambda p: integrate.dblquad(
        lambda y, x, a: math.exp(-a * x * y), 0.0, p[1], 0.0, lambda x: 1.0 + x * p[0], args=(p[0],))[0],
    "romb": lambda p: integrate.romb(np.sin(np.arange(5.0) * p[0]), dx=p[1]),
}
PROBLEMS: dict[str, Case] = {
    "end": lambda p: np.sum(WEIGHTS * integrate.solve_ivp(
        lambda t, y: np.array([y[1], -p[0] * y[0]]), (0.0, 2.0), [1.0, p[1]], rtol=1e-6, atol=1e-6).y[:, -1]),
    "times": lambda p: np.sum(np.arange(14.0).reshape(2, 7) * integrate.solve_ivp(
        oscillator, (0, 2), [1.0, p[1]], t_eval=TIMES, args=(p[0],), rtol=1e-8, atol=1e-8).y),
    "RK23, moving end": lambda p: np.sum(integrate.solve_ivp(
        oscillator, (0.0, p[1]), [1.0, p[1]], args=(p[0],), method="RK23", rtol=1e-8, atol=1e-8).y[:, -1]),
    "DOP853": lambda p: np.sum(integrate.solve_ivp(
        oscillator, (0.0, 2.0), [1.0, p[1]], args=(p[0],), method="DOP853", rtol=1e-9, atol=1e-9).y[:, -1]),
    "odeint": lambda p: np.sum(integrate.odeint(
        lambda y, t: [y[1], -p[0] * y[0]], [1.0, p[1]], TIMES, rtol=1e-11, atol=1e-12) ** 2),
    "odeint, times": lambda p: np.sum(integrate.odeint(
        lambda t, y, a: -a * y * t, p[1], TIMES * p[0], args=(p[0],), tfirst=True, rtol=1e-11, atol=1e-12)),
    "LSODA": lambda p: np.sum(np.arange(14.0).reshape(2, 7) * integrate.solve_ivp(
        oscillator, (0.0, 2.0), [1.0, p[1]], "LSODA", TIMES, args=(p[0],), rtol=1e-11, atol=1e-12).y),
    "Radau, moving end": lambda p: np.sum(integrate.solve_ivp(
        oscillator, (0.0, p[1]), [1.0, p[0]], "Radau", args=(p[0],), rtol=1e-10, atol=1e-12).y[:, -1]),
    "dense output": lambda p: (lambda sol: sol(p[0])[0] + np.sum(sol(TIMES) * sol(p[1])[1]))(integrate.solve_ivp(
        oscillator, (0.0, 2.0), [1.0, p[1]], args=(p[0],), dense_output=True, rtol=1e-8, atol=1e-8).sol),
    "backwards": lambda p: np.sum(integrate.solve_ivp(
        oscillator, (2.0, p[0]), [1.0, p[1]], args=(p[0],), t_eval=[1.5, 0.9], rtol=1e-9, atol=1e-9).y[:, -1]),
}


SECOND = {"brenth, args", "root", "fixed_point, array", "minimize, slope", "fixed_quad", "romb", "RK23, moving end"}
LONG = {
    "root_scalar", "root, slope", "newton, slope", "newton, array", "ridder", "toms748", "minimize_scalar", "backwards",
    "quad, singular", "quad, kink", "quad, of all", "RK23, moving end", "minimize",
}


def named(cases: dict[str, Case]) -> list[Any]:
    """The names of cases; those that take long are for the night."""
    return [pytest.param(name, marks=pytest.mark.nightly) if name in LONG else name for name in cases]


def check(f: Case, rtol: float, second: bool = True) -> None:
    value, slope = ccc.value_with_gradient(f, backend="numpy")(P)
    assert value == pytest.approx(f(P), rel=1e-13)
    np.testing.assert_allclose(slope, differences(f, P, 1e-3), rtol=rtol, atol=rtol)
    assert ccc.jvp(f, (P,), (WEIGHTS,))[1] == pytest.approx(slope @ WEIGHTS, rel=1e-9)
    if second:
        along = lambda p: np.sum(WEIGHTS * ccc.gradient(f, backend="numpy")(p))  # noqa: E731
        expected = differences(ccc.compiled(along, backend="numpy"), P, 1e-3)
        np.testing.assert_allclose(ccc.gradient(along, backend="numpy")(P), expected, rtol=100 * rtol, atol=100 * rtol)


@pytest.mark.parametrize("name", named(ROOTS))
def test_roots(name: str):
    check(ROOTS[name], 1e-8, second=name in SECOND)


@pytest.mark.parametrize("name", named(MINIMA))
def test_minima(name: str):
    check(MINIMA[name], 1e-4 if name == "curve_fit" else 1e-5, second=name in SECOND)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", named(INTEGRALS))
def test_integrals(name: str):
    check(INTEGRALS[name], 1e-8, second=name in SECOND)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", named(PROBLEMS))
def test_initial_value_problems(name: str):
    check(PROBLEMS[name], 1e-5, second=name in SECOND)


def test_machine_code_calls_out():
    f = ROOTS["brentq"]
    assert ccc.compiled(f, backend="native")(P) == f(P)
    np.testing.assert_allclose(ccc.gradient(f, backend="native")(P), ccc.gradient(f, backend="numpy")(P), rtol=1e-14)


def test_a_root_is_exact_to_the_third_order():
    root = lambda a: optimize.brentq(lambda x: x * x - a, 0.1, 5.0)  # noqa: E731
    assert ccc.gradient(ccc.gradient(ccc.gradient(root)))(4.0) == pytest.approx(3 / 8 * 4.0**-2.5, rel=1e-10)


def test_an_integral_in_a_root_in_an_integral():
    f = lambda p: integrate.fixed_quad(  # noqa: E731
        lambda s: np.array([optimize.brentq(cubic, -1.0, 3.0, args=(p[0], x * p[1])) for x in s]), 0.5, 1.0)[0]
    check(f, 1e-8, second=False)


def test_what_finds_nothing_raises():
    with pytest.raises(ValueError, match=r"f\(a\) and f\(b\) must have different signs"):
        ccc.gradient(lambda a: optimize.brentq(lambda x: x * x + a, 0.0, 5.0))(1.0)
    with pytest.raises(ValueError, match=r"scipy.optimize.root found nothing, so there is no derivative"):
        ccc.gradient(lambda a: optimize.root(lambda x: x * x + a, [1.0]).x[0])(1.0)
    with pytest.raises(ValueError, match="found an end of the interval"):
        ccc.gradient(lambda a: optimize.minimize_scalar(lambda x: a * x, bounds=(0.0, 1.0)).x)(1.0)


def test_a_rule_that_is_not_found_is_no_zero(monkeypatch):
    from ccc.compile.libraries.solutions import solution

    monkeypatch.delitem(RULES, solution)
    with pytest.raises(errors.MissingDerivative, match="`hosted_"):
        ccc.gradient(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 5.0))(1.0)


def test_what_is_not_taken_is_refused():
    with pytest.raises(CompileError, match="hessp=None"):
        ccc.gradient(lambda a: optimize.minimize(lambda x: np.sum(x - a) ** 2, [0.0], hessp=lambda x, p: p).x[0])(1.0)


def test_functions_of_libraries_are_not_said_to_be_unreadable():
    signal, stats = pytest.importorskip("scipy.signal"), pytest.importorskip("scipy.stats")
    for f in (lambda x: stats.ecdf(x).cdf.quantiles, lambda x: signal.max_len_seq(x)):
        with pytest.raises(CompileError) as found:
            ccc.gradient(lambda x, f=f: np.sum(f(x)))(P)
        text = str(found.value)
        assert "whose source could be read" not in text and "@ccc.derivative_of(" in text and "def rule(" in text
