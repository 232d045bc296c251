"""Events of initial value problems, and boundary value problems: values are SciPy's, slopes those of differences."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError, UnsupportedPython

integrate: Any = pytest.importorskip("scipy.integrate")
P, U = np.array([1.0, 2.0]), np.array([1.0, -0.5])
FINE = {"rtol": 1e-9, "atol": 1e-9}


def ground(t: Any, y: Any) -> Any:
    return y[0]


def apex(t: Any, y: Any) -> Any:
    return y[1]


ground.terminal, ground.direction = True, -1  # type: ignore[attr-defined]


def thrown(p: Any) -> Any:
    s = integrate.solve_ivp(lambda t, y: [y[1], -9.81 - 0.1 * p[1] * y[1]], (0.0, 100.0), [p[0], 5.0], events=[
        ground, apex], **FINE)
    return s.t_events[1][0] * s.y_events[1][0, 0] + s.t[-1] + s.y[1, -1]


def local_attributes(p: Any) -> Any:
    def low(t: Any, y: Any) -> Any:
        return y[0] - 0.3 * p[1]

    low.terminal = True  # type: ignore[attr-defined]
    s = integrate.solve_ivp(lambda t, y: -p[0] * y, (0.0, 9.0), [1.0], "RK23", events=low, rtol=1e-7, atol=1e-9)
    return s.t_events[0][0] * p[0] + low.terminal


def swinging(p: Any) -> Any:
    s = integrate.solve_ivp(lambda t, y: [y[1], -p[1] ** 2 * y[0]], (0.0, 6.0), [1.0, p[0]], events=apex,
                            t_eval=np.linspace(0.0, 6.0, 7), dense_output=True, **FINE)
    return np.sum(s.t_events[0] ** 2) + np.sum(s.y[0]) + s.sol(2.2)[1]


def seen_until_it_lands(p: Any) -> Any:
    s = integrate.solve_ivp(lambda t, y: [y[1], -9.81 * p[1]], (0.0, 10.0), [0.5, 9.0 * p[0]], events=ground,
                            t_eval=np.linspace(0.0, 10.0, 21), **FINE)
    return np.sum(s.y) + s.t_events[0][0]


def backwards(p: Any) -> Any:
    s = integrate.solve_ivp(lambda t, y: [y[1], -9.81 * p[1]], (2.0, -3.0), [5.0, -20.0 * p[0]], events=apex, **FINE)
    return s.t_events[0][0] + s.y[1, -1]


def none_happens(p: Any) -> Any:
    s = integrate.solve_ivp(lambda t, y: [y[1], -p[1] * y[0]], (0.0, 0.1), [1.0, p[0]], events=apex)
    return np.sum(s.t_events[0]) + s.y[0, -1]


def bratu(p: Any) -> Any:
    s = integrate.solve_bvp(lambda x, y: np.vstack((y[1], -p[0] * np.exp(y[0]))),
                            lambda a, b: np.array([a[0], b[0] - 0.1 * p[1]]), np.linspace(0.0, p[1], 8) * 0.5,
                            np.zeros((2, 8)), tol=1e-8)
    return s.sol(0.5)[0] + s.sol(0.3, 1)[1] + s.y[1, 0] * s.yp[0, -1]


def eigenvalue(p: Any) -> Any:
    x = np.linspace(0.0, 1.0, 9)
    s = integrate.solve_bvp(lambda x, y, k: np.vstack((y[1], -(k[0] ** 2) * p[0] * y[0])),
                            lambda a, b, k: np.array([a[0], b[0], a[1] - k[0] * p[1]]), x,
                            np.vstack((np.sin(3.0 * x), 3.0 * np.cos(3.0 * x))), [3.0], tol=1e-8)
    return s.p[0] * s.sol(0.4)[0]


CASES: list[Callable[[Any], Any]] = [
    thrown, local_attributes, swinging, seen_until_it_lands, backwards, none_happens, bratu, eigenvalue]


@pytest.mark.share(8)
@pytest.mark.parametrize("f", CASES)
def test_values_and_derivatives(f: Any):
    slopes_agree(f, P, U, 1e-4, 1e-6)


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [thrown, bratu])
def test_second_derivatives_and_machine_code(f: Any):
    bends_agree(f, P, U, 1e-3, rtol=1e-5)
    np.testing.assert_allclose(
        ccc.gradient(f, backend="native")(P), ccc.gradient(f, backend="numpy")(P), rtol=1e-9)


def test_what_is_not_taken_is_refused():
    with pytest.raises(CompileError, match="events for the methods 'RK45' and 'RK23'"):
        ccc.gradient(lambda a: integrate.solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0], "LSODA",
                                                   events=ground).t[-1])(1.0)
    with pytest.raises(CompileError, match="S=None"):
        ccc.gradient(lambda a: integrate.solve_bvp(lambda x, y: a * y, lambda p, q: p - a, [0.0, 1.0], [[1.0, 2.0]],
                                                   S=np.zeros((1, 1))).y[0, 0])(1.0)
    with pytest.raises(ValueError, match="solve_bvp found nothing"):
        ccc.gradient(lambda a: integrate.solve_bvp(
            lambda x, y: np.vstack((y[1], -a * np.exp(y[0]))), lambda p, q: np.array([p[0], q[0]]),
            np.linspace(0.0, 1.0, 5), np.zeros((2, 5)), max_nodes=20).y[1, 0])(9.0)


def test_attributes_of_nested_functions():
    def f(x: float) -> Any:
        def g(y: float) -> Any:
            return y * y

        g.factor, g.name = 3.0, "g"  # type: ignore[attr-defined]
        twice = lambda y: g(y) * g.factor * getattr(g, "other", 2.0)  # type: ignore[attr-defined] # noqa: E731
        return twice(x) if hasattr(g, "factor") and g.name == "g" else 0.0  # type: ignore[attr-defined]

    assert f(2.0) == 24.0
    assert ccc.gradient(f)(2.0) == 24.0


@pytest.mark.parametrize("given", ["x", "2.0", "1.0 if x > 0.0 else 2.0"])
def test_attributes_that_change_are_those_of_the_last_assignment(given: str):
    scope: dict[str, Any] = {}
    source = ["def f(x):", "    def g(y): return y", "    g.factor = 1.0", f"    g.factor = {given}",
              "    return g.factor * x"]
    exec(compile("\n".join(source), "<attributes>", "exec"), scope)
    linecache.cache["<attributes>"] = (1, None, [line + "\n" for line in source], "<attributes>")
    value, slope = ccc.value_with_gradient(scope["f"])(1.0)
    assert value == scope["f"](1.0)
    assert slope == {"x": 2.0, "2.0": 2.0}.get(given, 1.0)


def test_an_attribute_that_was_asked_for_is_not_given_afterwards():
    def f(x: float) -> Any:
        def g(y: float) -> Any:
            return y * getattr(g, "factor", 2.0)

        first = g(x)
        g.factor = 3.0  # type: ignore[attr-defined]
        return first + g(x)

    assert f(1.0) == 5.0
    with pytest.raises(UnsupportedPython, match="where the function is made"):
        ccc.gradient(f)(1.0)
