"""Initial value problems: SciPy chooses the times, and the program takes the steps.

    solve_ivp   the steps of a Runge-Kutta method at the times that SciPy came to
    events      g(t, y(t)) = 0  =>  dt = -dg / (g_t + g_y y'),  y the polynomial between steps
    odeint      LSODA's values; the derivative is that of the steps of RK45 at a relative tolerance of 1e-9

Times are constants but the first and the last, and those of events.

>>> round(float(solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], rtol=1e-9, atol=1e-9).y[0, -1]), 6)
0.367879

Reference: *Solving Ordinary Differential Equations I* (Hairer, Nørsett, Wanner), II.4, II.6.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.integrate

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.api.transforms import derivative
from ccc.compile.frontend.numpy_functions.table import constant, definition_of, lifted, refuse
from ccc.compile.libraries.arguments import further
from ccc.compile.libraries.results import Optimum
from ccc.compile.libraries.slopes import with_slope_of

integrate: Any = scipy.integrate
MATRIX = np.zeros((2, 2))
VECTOR = np.zeros(2)


# -- initial value problems --------------------------------------------------------------------------------------------


REACHED = "The solver successfully reached the end of the integration interval."


@dataclass
class Solved(Optimum):
    """What SciPy's result says that is known of a solution."""

    t: Any
    y: Any
    success: bool = True
    status: int = 0
    message: str = REACHED
    sol: Any = None
    t_events: Any = None
    y_events: Any = None


@dataclass
class Between:
    """A solution at any time, by the polynomials of its steps."""

    ts: Any
    ys: Any
    slopes: Any
    method: Any

    def __call__(self, t: Any) -> Any:
        found = between_steps(self.ts, self.ys, self.slopes, np.ravel(np.asarray(t) * 1.0), self.method)
        return np.reshape(found, (*np.shape(found)[:1], *np.shape(t)))


def times(fun: Any, captured: Any, t0: Any, t1: Any, y0: Any, options: Any) -> Any:
    """The times that SciPy's solver came to."""
    found = integrate.solve_ivp(lambda t, y: fun(t, y, *captured), (t0, t1), y0, **options)
    if not found.success:
        raise ValueError(f"scipy.integrate.solve_ivp did not reach the end: {found.message}")
    return found.t


METHODS = {"RK45": integrate.RK45, "RK23": integrate.RK23, "DOP853": integrate.DOP853}
STAGES = {name: len(cls.B) for name, cls in METHODS.items()}
DENSE = {name: cls.P for name, cls in METHODS.items() if isinstance(cls.P, np.ndarray)}
DEGREES = {name: p.shape[1] for name, p in DENSE.items()}
TABLES = {name: (cls.C, cls.A, cls.B) for name, cls in METHODS.items()}
"""The times within a step, the weights of slopes there, and at its end; `DENSE` has those of the polynomial between."""


def stages(fun: Any, captured: Any, method: Any, t: Any, y: Any, h: Any) -> Any:
    """The slopes within a step and at its end, a row each, and what is reached."""
    c, a, b = TABLES[method]
    slopes = [fun(t, y, *captured)]
    for s in tuple(range(1, STAGES[method])):
        dy = np.dot(np.transpose(np.stack(slopes)), a[s, :s]) * h
        slopes.append(fun(t + c[s] * h, y + dy, *captured))
    new = y + h * np.dot(np.transpose(np.stack(slopes)), b)
    slopes.append(fun(t + h, new, *captured))
    return np.stack(slopes), new


@definition_of(integrate.solve_ivp)
def solve_ivp(fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None,
              dense_output: Any = False, events: Any = None, vectorized: Any = False, args: Any = None, *,
              first_step: Any = None, max_step: Any = np.inf, rtol: Any = 1e-3, atol: Any = 1e-6) -> Any:
    given = () if args is None else args
    if events is not None:
        if method not in DENSE:
            refuse("scipy.integrate.solve_ivp has a derivative with events for the methods 'RK45' and 'RK23'",
                   "take method='RK45'")
        return until(fun, t_span, y0, method, t_eval, dense_output, tuple(events) if isinstance(
            events, (list, tuple)) else (events,), given, {
                "first_step": first_step, "max_step": max_step, "rtol": rtol, "atol": atol})
    if method in IMPLICIT and not dense_output:
        return by_finer_steps(fun, t_span, y0, t_eval, given, {
            "method": method, "first_step": first_step, "max_step": max_step, "rtol": rtol, "atol": atol})
    if method not in TABLES or ((t_eval is not None or dense_output) and method not in DENSE):
        refuse("scipy.integrate.solve_ivp has a derivative for the methods 'RK45' and 'RK23', for 'DOP853' without "
               "t_eval, and for 'LSODA', 'BDF' and 'Radau', for the last four without dense_output")
    t0, t1, start = t_span[0] * 1.0, t_span[1] * 1.0, np.asarray(y0) * 1.0
    f, captured = lifted(lambda t, y: np.asarray(fun(t, y, *given)) * 1.0, t0, start)
    options = {"method": method, "first_step": first_step, "max_step": max_step, "rtol": rtol, "atol": atol}
    ts = constant(times, VECTOR, f, captured, t0, t1, start, options)
    ts = np.concatenate([np.reshape(t0, (1,)), ts[1:-1], np.reshape(t1, (1,))])
    found, steps = stepped(f, captured, method, ts, start)
    sol = Between(ts, found, steps, method) if dense_output else None
    if t_eval is None:
        return Solved(ts, np.transpose(found), sol=sol)
    at = np.asarray(t_eval) * 1.0
    return Solved(at, between_steps(ts, found, steps, at, method), sol=sol)


def stepped(f: Any, captured: Any, method: Any, ts: Any, start: Any) -> Any:
    """What is reached at each time, a row each, and the slopes of each step."""
    y, ys, slopes = start, [start], []
    for i in range(len(ts) - 1):
        k, y = stages(f, captured, method, ts[i], y, ts[i + 1] - ts[i])
        ys.append(y)
        slopes.append(k)
    return np.stack(ys), np.stack(slopes)


# -- events ------------------------------------------------------------------------------------------------------------


def until(fun: Any, t_span: Any, y0: Any, method: Any, t_eval: Any, dense_output: Any, events: Any, given: Any,
          options: Any) -> Any:
    """A solution with the times of its events, at the first of which that ends it, it ends."""
    t0, t1, start = t_span[0] * 1.0, t_span[1] * 1.0, np.asarray(y0) * 1.0
    f, captured = lifted(lambda t, y: np.asarray(fun(t, y, *given)) * 1.0, t0, start)
    parts = tuple([(*lifted(lambda t, y, event=event: event(t, y, *given) * 1.0, t0, start),
                    getattr(event, "terminal", 0), getattr(event, "direction", 0.0)) for event in events])
    told = (f, captured, parts, t0, t1, start, {"method": method, **options})
    ts = constant(times_of_steps, VECTOR, *told)
    ends = constant(event_that_ends, 0, *told)
    last = np.reshape(np.where(ends < 0, t1, ts[-1]), (1,))
    ts = np.concatenate([np.reshape(t0, (1,)), ts[1:-1], last])
    ys, slopes = stepped(f, captured, method, ts, start)
    sol = Between(ts, ys, slopes, method)
    found = [moving(g, of_g, sol, constant(times_of_event, VECTOR, *told, j))
             for j, (g, of_g, _, _) in enumerate(parts)]
    end = last
    for j in tuple(range(len(events))):
        if ends == j:
            end = found[j][-1:]
    if t_eval is None:
        at = np.concatenate([ts[:-1], end])
    else:
        at = np.asarray(t_eval) * 1.0
        at = at[(at - end[0]) * np.sign(t1 - t0) <= 0.0]
    ended = ends >= 0
    return Solved(at, sol(at), True, int(ended), "A termination event occurred." if ended else REACHED,
                  sol if dense_output else None, found, [np.transpose(sol(t)) for t in found])


def moving(g: Any, of_g: Any, sol: Any, at: Any) -> Any:
    """The times of an event, which move as Newton's steps from where they are do: the first step has the first
    derivative of the solution of an equation, the second the next two. Of their values, which are no more than rounding
    errors, nothing is taken."""
    def away(t: Any) -> Any:
        return g(t, sol(t), *of_g)

    def step(t: Any) -> Any:
        found = away(t) / derivative(away)(t)
        return t - (found - without_derivative(found))

    return np.array([step(step(t)) for t in at])


def with_events(fun: Any, captured: Any, parts: Any, t0: Any, t1: Any, y0: Any, options: Any) -> Any:
    """SciPy's result."""
    events = []
    for g, of_g, terminal, direction in parts:
        def event(t: Any, y: Any, g: Any = g, of_g: Any = of_g) -> Any:
            return g(t, y, *of_g)

        event.terminal, event.direction = terminal, direction  # type: ignore[attr-defined]
        events.append(event)
    found = integrate.solve_ivp(lambda t, y: fun(t, y, *captured), (t0, t1), y0, events=events, dense_output=True,
                                **options)
    if not found.success:
        raise ValueError(f"scipy.integrate.solve_ivp did not reach the end: {found.message}")
    return found


def times_of_steps(*told: Any) -> Any:
    """The times that SciPy's solver came to, the last of them beyond the event at which it ends."""
    found = with_events(*told)
    return np.append(found.t[:-1], found.sol.interpolants[-1].t)


def times_of_event(*told: Any) -> Any:
    return with_events(*told[:-1]).t_events[told[-1]]


def event_that_ends(*told: Any) -> int:
    """Which event ends the solution; -1 where none does."""
    found, parts = with_events(*told), told[2]
    if found.status != 1:
        return -1
    return next(j for j, part in enumerate(parts) if part[2] and found.t[-1] in found.t_events[j])


IMPLICIT = ("LSODA", "BDF", "Radau")


def by_finer_steps(fun: Any, t_span: Any, y0: Any, t_eval: Any, given: Any, options: Any) -> Any:
    """The values of a solver for stiff equations, and derivatives of small explicit steps."""
    t0, t1, start = t_span[0] * 1.0, t_span[1] * 1.0, np.asarray(y0) * 1.0
    f, captured = lifted(lambda t, y: np.asarray(fun(t, y, *given)) * 1.0, t0, start)
    if t_eval is None:
        ts = constant(times, VECTOR, f, captured, t0, t1, start, options)
        at = np.concatenate([np.reshape(t0, (1,)), ts[1:-1], np.reshape(t1, (1,))])
        found = constant(by_solver, MATRIX, f, captured, t0, t1, start, options)
    else:
        at = np.asarray(t_eval) * 1.0
        found = constant(at_times, MATRIX, f, captured, t0, t1, start, at, options)
    fine = np.transpose(by_small_steps(f, captured, t0, t1, start, at))
    return Solved(at, with_slope_of(found, fine))


FINE = {"rtol": 1e-9, "atol": 1e-11}


def fine_times(fun: Any, captured: Any, t0: Any, t1: Any, y0: Any) -> Any:
    """The times that steps of order 8 come to: of the compiled solver, which is quick, where it reaches the end.

    >>> len(fine_times(lambda t, y: -y, (), 0.0, 1.0, np.ones(1)))
    5
    """
    found: list[float] = []
    solver = integrate.ode(lambda t, y: fun(t, y, *captured)).set_integrator("dop853", nsteps=100_000, **FINE)
    solver.set_solout(lambda t, y: found.append(t))
    solver.set_initial_value(y0, t0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where equations are stiff
        solver.integrate(t1)
    return np.array(found) if solver.successful() else times(fun, captured, t0, t1, y0, {"method": "DOP853", **FINE})


def by_small_steps(f: Any, captured: Any, t0: Any, t1: Any, start: Any, at: Any) -> Any:
    """The solution at given times, a row each, by steps that end there: a rule of high order needs few others."""
    between = constant(fine_times, VECTOR, f, captured, t0, t1, start)[1:-1]
    forward = np.where(t1 < t0, -1.0, 1.0)
    ts = forward * np.sort(forward * np.concatenate([np.reshape(t0, (1,)), between, at]))
    found, _ = stepped(f, captured, "DOP853", ts, start)
    return found[np.searchsorted(forward * ts, forward * at)]


def by_solver(fun: Any, captured: Any, t0: Any, t1: Any, y0: Any, options: Any) -> Any:
    return at_times(fun, captured, t0, t1, y0, None, options)


def at_times(fun: Any, captured: Any, t0: Any, t1: Any, y0: Any, at: Any, options: Any) -> Any:
    found = integrate.solve_ivp(lambda t, y: fun(t, y, *captured), (t0, t1), y0, t_eval=at, **options)
    if not found.success:
        raise ValueError(f"scipy.integrate.solve_ivp did not reach the end: {found.message}")
    return found.y


def between_steps(ts: Any, ys: Any, slopes: Any, at: Any, method: Any) -> Any:
    """The solution at given times, by the polynomial of the step that they lie in."""
    p = DENSE[method]
    forward = ts[-1] >= ts[0]
    passed = np.searchsorted(ts, at, side="left") if forward else len(ts) - np.searchsorted(ts[::-1], at, side="right")
    i = np.minimum(np.maximum(passed - 1, 0), len(ts) - 2)
    h = ts[i + 1] - ts[i]
    x = (at - ts[i]) / h
    powers = np.stack([x ** (k + 1) for k in tuple(range(DEGREES[method]))])
    return np.transpose(ys[i]) + h * np.einsum("msn,sk,km->nm", slopes[i], p, powers)


@definition_of(integrate.odeint)
def odeint(func: Any, y0: Any, t: Any, args: Any = (), rtol: Any = None, atol: Any = None, h0: Any = 0.0,
           hmax: Any = 0.0, hmin: Any = 0.0, mxstep: Any = 0, tfirst: Any = False) -> Any:
    start, t = np.atleast_1d(np.asarray(y0)) * 1.0, np.asarray(t) * 1.0
    given = further(args)
    slope = (lambda s, y: func(s, y, *given)) if tfirst else (lambda s, y: func(y, s, *given))
    f, captured = lifted(lambda s, y: np.asarray(slope(s, y)) * 1.0, t[0], start)
    options = {"rtol": rtol, "atol": atol, "h0": h0, "hmax": hmax, "hmin": hmin, "mxstep": mxstep, "tfirst": True}
    found = constant(by_lsoda, MATRIX, f, captured, start, t, options)
    fine = by_small_steps(f, captured, t[0], t[-1], start, t)
    return with_slope_of(found, fine)


def by_lsoda(f: Any, captured: Any, y0: Any, t: Any, options: Any) -> Any:
    return integrate.odeint(lambda s, y: f(s, y, *captured), y0, t, **options)
