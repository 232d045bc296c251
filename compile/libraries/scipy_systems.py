"""Fractions and systems in discrete time of `scipy.signal`.

    b(s) / a(s) = k(s) + sum of r_i / (s - p_i)        r_i = b(p_i) / a'(p_i)
    place_poles:  det(s - (A - B K)) = prod (s - p_i), which one input can do in one way

Poles that are equal have no derivative, since they part as roots do.

>>> r, p, k = residue([1.0, 3.0], [1.0, 3.0, 2.0])
>>> r.round(12), p.round(12)
(array([ 2., -1.]), array([-1., -2.]))

Reference: *Linear Systems* (Kailath), 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate
import scipy.signal

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.compile.libraries.scipy_filters import System, lti, of_parts
from ccc.compile.libraries.solutions import solved

signal: Any = scipy.signal


# -- partial fractions -------------------------------------------------------------------------------------------------


def apart(poles: Any, tol: Any) -> Any:
    """Raise where two poles are one to SciPy."""
    away = np.abs(poles[:, None] - poles[None, :]) + 2.0 * (tol + 1.0) * np.eye(len(poles))
    if np.any(away <= tol):
        raise ValueError("the fractions of scipy.signal have a derivative where no two poles are equal")


def of_fraction(b: Any, a: Any) -> Any:
    """Two polynomials without zeros in front."""
    return np.trim_zeros(np.atleast_1d(b) * 1.0, "f"), np.trim_zeros(np.atleast_1d(a) * 1.0, "f")


@definition_of(signal.residue)
def residue(b: Any, a: Any, tol: Any = 1e-3, rtype: Any = "avg") -> Any:
    b, a = of_fraction(b, a)
    poles = np.roots(a)
    poles = poles[np.argsort(np.abs(poles))]
    apart(poles, tol)
    k, rest = np.polydiv(b, a) if len(b) >= len(a) else (np.zeros(0), b)
    return np.polyval(rest, poles) / np.polyval(np.polyder(a), poles), poles, k


@definition_of(signal.residuez)
def residuez(b: Any, a: Any, tol: Any = 1e-3, rtype: Any = "avg") -> Any:
    b, a = np.trim_zeros(np.atleast_1d(b) * 1.0, "b"), np.trim_zeros(np.atleast_1d(a) * 1.0, "b")
    if a[0] == 0.0:
        raise ValueError("First coefficient of determinant `a` must be non-zero.")
    poles = np.roots(a)
    poles = poles[np.argsort(np.abs(poles))]
    apart(poles, tol)
    up, down = b[::-1], a[::-1]
    k, rest = np.polydiv(up, down) if len(b) >= len(a) else (np.zeros(0), up)
    return -poles * np.polyval(rest, 1.0 / poles) / np.polyval(np.polyder(down), 1.0 / poles), poles, k[::-1]


def products(p: Any) -> Any:
    """For each pole, the product of all factors but its own, lowest powers last; and of all."""
    n = len(p)
    others = [np.poly(np.concatenate([p[:i], p[i + 1:]])) for i in tuple(range(n))]
    return others, np.poly(p)


def joined(r: Any, p: Any, k: Any, tol: Any, order: Any) -> Any:
    """The fraction that others add up to; with an order of -1 of polynomials whose lowest powers come first."""
    r, p = np.atleast_1d(r) * 1.0, np.atleast_1d(p) * 1.0
    apart(p, tol)
    others, whole = products(p)
    found = np.zeros(1)
    if len(k) > 0:
        found = np.polymul((np.atleast_1d(k) * 1.0)[::order], whole[::order])
    for i in tuple(range(len(p))):
        found = np.polyadd(found, r[i] * others[i][::order])
    return found[::order], whole


@definition_of(signal.invres)
def invres(r: Any, p: Any, k: Any, tol: Any = 1e-3, rtype: Any = "avg") -> Any:
    return joined(r, p, k, tol, 1)


@definition_of(signal.invresz)
def invresz(r: Any, p: Any, k: Any, tol: Any = 1e-3, rtype: Any = "avg") -> Any:
    return joined(r, p, k, tol, -1)


@definition_of(signal.ss2tf)
def ss2tf(A: Any, B: Any, C: Any, D: Any, input: Any = 0) -> Any:
    A, B, C, D = [np.asarray(m) * 1.0 for m in signal.abcd_normalize(A, B, C, D)]
    if input >= np.shape(D)[1]:
        raise ValueError("System does not have the input specified.")
    den, column = np.poly(A), B[:, input:input + 1]
    return np.stack([np.poly(A - np.dot(column, C[k:k + 1])) + (D[k, input] - 1.0) * den
                     for k in range(np.shape(C)[0])]), den


# -- gains that place poles --------------------------------------------------------------------------------------------


@dataclass
class Placed:
    """What SciPy's result says of a gain that has a derivative."""

    gain_matrix: Any
    requested_poles: Any


def gain(A: Any, B: Any, poles: Any) -> Any:
    return np.ravel(signal.place_poles(A, B, poles).gain_matrix)


@definition_of(signal.place_poles)
def place_poles(A: Any, B: Any, poles: Any, method: Any = "YT", rtol: Any = 1e-3, maxiter: Any = 30) -> Any:
    A, B, poles = np.asarray(A) * 1.0, np.asarray(B) * 1.0, np.asarray(poles) * 1.0
    if np.iscomplexobj(poles):
        refuse("scipy.signal.place_poles has a derivative for real poles")
    if np.shape(B)[1] != 1:
        raise ValueError("scipy.signal.place_poles has a derivative for one input: with more, gains are many")
    wanted, start = np.poly(poles)[1:], np.zeros(np.shape(A)[0])
    found = solved(lambda k: np.poly(A - np.dot(B, np.reshape(k, (1, -1))))[1:] - wanted, gain, (A, B, poles), start)
    return Placed(np.reshape(found, (1, -1)), np.sort(poles))


# -- systems in discrete time ------------------------------------------------------------------------------------------


@dataclass
class Stepped:
    """`x[k + 1] = A x[k] + B u[k]`, `y = C x + D u`, with a step of time."""

    A: Any
    B: Any
    C: Any
    D: Any
    dt: Any

    def _as_ss(self) -> Any:
        return self


@definition_of(signal.dlti)
def dlti(*system: Any, dt: Any = True) -> Any:
    of = lti(*system)
    return Stepped(of.A, of.B, of.C, of.D, dt)


def in_steps(system: Any) -> Any:
    if isinstance(system, Stepped):
        return system
    if isinstance(system, System):
        raise AttributeError("dlsim can only be used with discrete-time dlti systems.")
    return dlti(*system[:-1], dt=system[-1])


@definition_of(signal.dlsim)
def dlsim(system: Any, u: Any, t: Any = None, x0: Any = None) -> Any:
    of = in_steps(system)
    u = np.atleast_1d(np.asarray(u) * 1.0)
    u = u[:, None] if np.ndim(u) == 1 else u
    steps = len(u)
    end = (steps - 1) * (of.dt * 1.0)
    if t is not None:
        given = np.asarray(t) * 1.0
        end, steps = given[-1], int(np.floor(given[-1] / of.dt)) + 1
        u = scipy.interpolate.make_interp_spline(given, u, k=1)(np.linspace(0.0, given[-1], steps))
    A, B, C, D = [np.asarray(m) * 1.0 for m in (of.A, of.B, of.C, of.D)]
    x = np.zeros((steps, np.shape(A)[0]))
    if x0 is not None:
        x[0] = np.asarray(x0) * 1.0
    for i in range(steps - 1):
        x[i + 1] = np.dot(A, x[i]) + np.dot(B, u[i])
    y = np.dot(x, np.transpose(C)) + np.dot(u, np.transpose(D))
    return np.linspace(0.0, end, steps), y


def response(system: Any, x0: Any, t: Any, n: Any, of_one: Any) -> Any:
    """What each input alone makes, which `of_one(steps)` gives."""
    of = in_steps(system)
    count = 100 if n is None else n
    times = np.linspace(0.0, count * (of.dt * 1.0), count, endpoint=False) if t is None else np.asarray(t) * 1.0
    inputs, found = np.shape(of.B)[1], []
    for i in tuple(range(inputs)):
        u = np.zeros((len(times), inputs))
        u[:, i] = of_one(len(times))
        found = [*found, dlsim(of, u, times, x0)[1]]
    return times, tuple(found)


@definition_of(signal.dstep)
def dstep(system: Any, x0: Any = None, t: Any = None, n: Any = None) -> Any:
    return response(system, x0, t, n, np.ones)


def unit(n: Any) -> Any:
    return np.where(np.arange(n) == 0, 1.0, 0.0)


@definition_of(signal.dimpulse)
def dimpulse(system: Any, x0: Any = None, t: Any = None, n: Any = None) -> Any:
    return response(system, x0, t, n, unit)


@definition_of(signal.dfreqresp)
def dfreqresp(system: Any, w: Any = None, n: Any = 10000, whole: Any = False) -> Any:
    if w is None or not isinstance(system, tuple) or len(system) == 5:
        refuse("scipy.signal.dfreqresp has a derivative for the coefficients or the zeros of a system and for `w`",
               "give it two or three arrays and the step, and the frequencies as `w`")
    b, a = of_parts(system[:-1])
    z = np.exp(1j * (np.asarray(w) * 1.0))
    return np.asarray(w) * 1.0, np.polyval(b, z) / np.polyval(a, z)


@definition_of(signal.dbode)
def dbode(system: Any, w: Any = None, n: Any = 100) -> Any:
    w, y = dfreqresp(system, w, n)
    return w / system[-1], 20.0 * np.log10(np.abs(y)), np.rad2deg(np.unwrap(np.arctan2(np.imag(y), np.real(y))))
