"""Programs as scientists write them: each agrees with plain Python and with a reference of its own.

The programs stand in the folder `corpus`, and only those that nest derivatives know that they are differentiated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from checks import EXPONENTIALS, agrees, agrees_in_value, asked_of, numbers, same
from corpus import dynamics, filtering, formulas, geometry, learning, nested, solving

import ccc

R = np.random.default_rng(7)


def spd(n: int) -> np.ndarray:
    """A well conditioned positive definite matrix."""
    A = R.normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


def log_rows(*shape: int) -> np.ndarray:
    """Log probabilities that sum to one along the last axis."""
    p = R.uniform(0.2, 1.0, shape)
    return np.log(p / np.sum(p, axis=-1, keepdims=True))


HMM = (log_rows(3), log_rows(3, 3), log_rows(3, 2), (0, 1, 1, 0, 1))
POINTS = R.normal(size=(6, 3)) + np.array([0.0, 0.0, -6.0])
CAMERA = np.array([0.1, -0.2, 0.3, 0.1, 0.2, -0.5, 1.5, 0.01, -0.002])
FINGER = ([(0.3, 0.1), (0.5, -0.2), (0.4, 0.05)], [1.0, 0.7, 0.5], np.array([1.0, 1.2, 0.3]))
KNOTS = np.array([0.0, 0.7, 1.5, 2.1, 3.0, 3.6])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (filtering.kalman, (np.array([0.3, 0.9, 1.2, 2.5]), 0.1, 0.4)),
    (filtering.autoregressive, (R.normal(size=6), 0.6, -0.3)),
    (filtering.moving_average, (R.normal(size=7), 3)),
    (filtering.hmm_forward, HMM),
    (filtering.viterbi, HMM),
    (filtering.time_warping, (np.array([0.1, 0.8, 1.7, 1.1]), np.array([0.3, 1.4, 0.9]))),
    (filtering.survival, (np.array([0.9, 1.1, 1.3]), np.array([1.0, 2.0, 1.0]), np.array([9.0, 7.0, 4.0]))),
    (filtering.fourier_power, (R.normal(size=8), 3)),
    (dynamics.lotka_volterra, (np.array([1.0, 0.8]), np.array([1.1, 0.5, 0.4, 0.9]), 0.1, 8)),
    (dynamics.logistic_growth, (0.2, 1.3)),
    (dynamics.pendulum_energy, (0.8, 0.3, 1.2)),
    (dynamics.harmonic_leapfrog, (0.4, 0.7, 1.3)),
    (dynamics.three_bodies, (R.normal(size=(3, 2)), R.normal(size=(3, 2)), np.array([1.0, 0.6, 1.7]))),
    (dynamics.bouncing_ball, (1.0, 0.5, 0.8)),
    (dynamics.euler, (R.normal(size=(3, 3)), R.normal(size=3), 6)),
    (dynamics.escape, (0.4, 0.5, 100)),
    (learning.k_means, (R.normal(size=(5, 2)), R.normal(size=(3, 2)))),
    (learning.gaussian_mixture, (R.normal(size=(4, 2)), R.normal(size=3), R.normal(size=(3, 2)), R.normal(size=3) / 5)),
    (learning.perceptron, (
        R.normal(size=(3, 4)), R.normal(size=4), R.normal(size=(4, 2)), R.normal(size=2), R.normal(size=(5, 3)),
        R.normal(size=(5, 2)),
    )),
    (learning.deep, ([R.normal(size=(4, 3)), R.normal(size=(3, 4)), R.normal(size=(2, 3))], R.normal(size=3))),
    (learning.lstm, (0.5 * R.normal(size=(12, 5)), R.normal(size=12), R.normal(size=(4, 2)))),
    (learning.attention, (R.normal(size=(4, 3)), R.normal(size=(3, 2)), R.normal(size=(3, 2)), R.normal(size=(3, 2)))),
    (learning.convolution, (R.normal(size=(4, 5)), R.normal(size=(2, 3)))),
    (learning.cross_entropy, (R.normal(size=(4, 3)), (0, 2, 1, 1))),
    (learning.logistic_regression, (R.normal(size=3), 0.2, R.normal(size=(6, 3)), np.array([1.0, 0, 1, 1, 0, 0]))),
    (learning.ridge, (R.normal(size=(5, 3)), R.normal(size=5), 0.7)),
    (learning.gaussian_process, (np.array([0.0, 0.4, 1.1, 1.9]), np.array([0.2, 0.7, 0.1, -0.5]), 0.8, 0.3)),
    (learning.tree_network, (((0.3, (0.1, 0.7)), ((0.4, 0.2), 0.9)), 0.8)),
    (learning.recursive_network, (R.normal(size=(5, 2)), R.normal(size=(2, 4)))),
    (solving.newton_root, (5.0,)),
    (solving.kepler, (0.9, 0.4)),
    (solving.bisected_logarithm, (2.3,)),
    (solving.fixed_point, (3.0,)),
    (solving.descent, (R.normal(size=(4, 2)), R.normal(size=4), 0.1, 5)),
    (solving.pagerank, (R.uniform(0.1, 1.0, (4, 4)), 0.6)),
    (solving.largest_eigenvalue, (np.array([[4.0, 1.0, 0.2], [1.0, 2.0, 0.3], [0.2, 0.3, 1.0]]),)),
    (solving.minors, (R.normal(size=(4, 4)),)),
    (solving.lu_determinant, (R.normal(size=(4, 4)),)),
    (solving.cholesky_logdet, (spd(4),)),
    (solving.gram_schmidt, (R.normal(size=(4, 3)),)),
    (solving.spline_energy, (KNOTS, R.normal(size=6))),
    (geometry.reprojection, (CAMERA, POINTS, R.normal(size=(6, 2)))),
    (geometry.finger, FINGER),
    (geometry.planar_arm, (np.array([0.3, 0.5, -0.2]),)),
    (geometry.blur, (R.normal(size=(5, 6)), 0.2)),
    (formulas.horner, ([2.0, -1.0, 0.5, 3.0], 1.3)),
    (formulas.cubic_integral, (0.2, 1.7, 0.6)),
    (formulas.black_scholes, (100.0, 95.0, 0.03, 0.25, 1.5)),
    (formulas.asian_option, (1.1, 0.3, R.normal(size=(4, 6)))),
    (formulas.monte_carlo, (0.5, 1.2, R.normal(size=8))),
    (formulas.rosenbrock, (np.array([1.2, 0.9, 1.1, 0.7]),)),
    (formulas.ackley, (np.array([0.4, -0.7, 1.1]),)),
    (nested.inner_minimum, (1.7,)),
    (nested.saddle, (0.6,)),
    (nested.particle, (0.0,)),
    (nested.learned_rate, (0.05, np.array([0.5, 1.7, 1.2]))),
]
# Bisection moves in steps; only the first derivative of its last, smooth step is that of the root.
FIRST_ORDER = {solving.bisected_logarithm}


@pytest.mark.share(16)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_a_program_agrees_with_plain_python_and_with_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args, second=f not in FIRST_ORDER)


def complex_step(f: Callable[..., Any], *args: Any) -> list[float]:
    """The gradient by all real numbers of the arguments, from imaginary steps that lose no digits."""
    found: list[float] = []
    for i, x in enumerate(args):
        if isinstance(x, np.ndarray):
            for index in np.ndindex(x.shape):
                moved = x.astype(complex)
                moved[index] += 1e-30j
                found.append(np.imag(f(*args[:i], moved, *args[i + 1:])) / 1e-30)
        elif isinstance(x, float):
            found.append(np.imag(f(*args[:i], x + 1e-30j, *args[i + 1:])) / 1e-30)
    return found


def agree(found: Any, expected: Any, precision: float = 1e-9) -> None:
    """The numbers of both are equal up to a relative precision of the largest."""
    a, b = np.array(list(numbers(found))), np.array(list(numbers(expected)))
    assert a.shape == b.shape
    assert np.max(np.abs(a - b)) <= precision * (1 + np.max(np.abs(b))), (found, expected)


def args_of(f: Callable[..., Any]) -> tuple[Any, ...]:
    return next(args for g, args in PROGRAMS if g is f)


# Formulas for the same numbers that share no step with the programs, and hold for complex numbers too.


def joint_normal(ys: Any, q: Any, r: Any) -> Any:
    """The log density of all observations of the local linear trend at once."""
    n = len(ys)
    F = np.array([[1.0, 1.0], [0.0, 1.0]])
    moves = [np.linalg.matrix_power(F, t) for t in range(n + 1)]
    covariance = np.zeros((n, n), complex)
    for s in range(1, n + 1):
        for t in range(1, n + 1):
            state = moves[s] @ moves[t].T
            for u in range(1, min(s, t) + 1):
                state = state + q * moves[s - u] @ moves[t - u].T
            covariance[s - 1, t - 1] = state[0, 0] + (r if s == t else 0.0)
    return normal(ys, covariance)


def normal(y: Any, covariance: Any) -> Any:
    """The log density of a centred normal vector."""
    inside = y @ np.linalg.solve(covariance, y) + np.log(np.linalg.det(covariance + 0j))
    return -0.5 * (inside + len(y) * np.log(2 * np.pi))


def every_path(combine: Callable[[Any], Any]) -> Callable[..., Any]:
    """The hidden Markov model by enumeration of its paths."""

    def total(start: Any, move: Any, emit: Any, seen: tuple[int, ...]) -> Any:
        scores = []
        for path in np.ndindex(*[len(start)] * len(seen)):
            score = start[path[0]] + sum(emit[j, o] for j, o in zip(path, seen, strict=True))
            scores.append(score + sum(move[i, j] for i, j in pairwise(path)))
        return combine(np.array(scores))

    return total


def every_alignment(x: Any, y: Any) -> Any:
    """The cheapest monotone alignment by enumeration."""

    def costs(i: int, j: int) -> list[Any]:
        here = (x[i] - y[j]) ** 2
        if i == j == 0:
            return [here]
        steps = [(i - 1, j), (i, j - 1), (i - 1, j - 1)]
        return [here + c for a, b in steps if a >= 0 and b >= 0 for c in costs(a, b)]

    return min(costs(len(x) - 1, len(y) - 1), key=np.real)


def impulse_response(x: Any, a: Any, b: Any) -> Any:
    """The energy of the filter's output by solving its banded system."""
    n = len(x)
    y = np.linalg.solve(np.eye(n) - a * np.eye(n, k=-1) - b * np.eye(n, k=-2), x)
    return y @ y


def averages(x: Any, width: int) -> Any:
    mean = np.array([np.sum(x[i:i + width]) / width for i in range(len(x) - width + 1)])
    return mean[0] ** 2 + np.sum((mean[1:] - mean[:-1]) ** 2)


def spectrum(x: Any, k: int) -> Any:
    rows = np.arange(len(x)) * (2 * np.pi * k / len(x))
    return (x @ np.cos(rows)) ** 2 + (x @ np.sin(rows)) ** 2


def oscillator(x: Any, v: Any, omega: Any) -> Any:
    """The leapfrog of the harmonic oscillator as a matrix power."""
    s = (0.1 * omega) ** 2
    kick = -0.1 * omega**2 * (1 - s / 4)
    step = np.array([[1 - s / 2, 0.1], [kick, 1 - s / 2]])
    return (np.linalg.matrix_power(step, 15) @ np.array([x, v]))[0]


def energy(positions: Any, velocities: Any, masses: Any) -> Any:
    gaps = positions[:, None] - positions[None]
    upper = np.triu_indices(len(masses), 1)
    distances = np.sqrt(np.sum(gaps**2, axis=2)[upper])
    kinetic = 0.5 * np.sum(masses[:, None] * velocities**2)
    return kinetic - np.sum(np.outer(masses, masses)[upper] / distances)


def mixture(x: Any, logits: Any, means: Any, log_scales: Any) -> Any:
    weights = np.exp(logits) / np.sum(np.exp(logits))
    variances = np.exp(log_scales) ** 2
    squares = np.sum((x[:, None] - means[None]) ** 2, axis=2)
    densities = np.exp(-squares / variances / 2) / (2 * np.pi * variances) ** (x.shape[1] / 2)
    return np.sum(np.log(densities @ weights))


def nearest(points: Any, centres: Any) -> Any:
    squares = np.sum((points[:, None] - centres[None]) ** 2, axis=2)
    chosen = np.argmin(np.real(squares), axis=1)
    return np.sum(squares[np.arange(len(points)), chosen])


def entropy(logits: Any, labels: tuple[int, ...]) -> Any:
    p = np.exp(logits) / np.sum(np.exp(logits), axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(len(labels)), list(labels)]))


def windows(image: Any, kernel: Any) -> Any:
    patches = np.lib.stride_tricks.sliding_window_view(image, kernel.shape)
    return np.sum(np.einsum("ijab,ab->ij", patches, kernel) ** 2)


def process(x: Any, y: Any, scale: Any, noise: Any) -> Any:
    gaps = x[:, None] - x[None, :]
    return normal(y, np.exp(-(gaps**2) / (2 * scale**2)) + noise**2 * np.eye(len(x)))


def dual_ridge(X: Any, y: Any, penalty: Any) -> Any:
    w = X.T @ np.linalg.solve(X @ X.T + penalty * np.eye(len(y)), y)
    return w @ w


def spline(knots: Any, values: Any) -> Any:
    """The bending energy through the dense matrices of the natural spline."""
    h = knots[1:] - knots[:-1]
    n = len(h)
    Q = np.zeros((n + 1, n - 1), complex)
    G = np.zeros((n - 1, n - 1), complex)
    for j in range(n - 1):
        Q[j:j + 3, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
        G[j, j] = (h[j] + h[j + 1]) / 3
        if j:
            G[j, j - 1] = G[j - 1, j] = h[j] / 6
    right = Q.T @ values
    return right @ np.linalg.solve(G, right)


def google(links: Any, damping: Any) -> Any:
    n = len(links)
    return np.linalg.solve(np.eye(n) - damping * links / np.sum(links, axis=0), np.ones(n) * (1 - damping) / n)[0]


def residual(A: Any, b: Any, rate: Any, steps: int) -> Any:
    """The residual after descent, which a polynomial of A A' multiplies."""
    left = np.linalg.matrix_power(np.eye(len(b)) - rate * A @ A.T, steps) @ b
    return left @ left


def reach(angles: Any) -> Any:
    return np.sum(np.cos(np.cumsum(angles)))


def volume(A: Any) -> Any:
    return np.sqrt(np.linalg.det(A.T @ A))


def diffusion(image: Any, strength: Any) -> Any:
    """Two steps of the blur with the fixed rim as a mask."""
    inside = np.zeros(image.shape)
    inside[1:-1, 1:-1] = 1.0
    for _ in range(2):
        around = sum(np.roll(image, shift, axis) for shift in (1, -1) for axis in (0, 1))
        image = image + strength * inside * (around - 4 * image)
    return np.sum(inside * image**2)


def projected(camera: Any, points: Any, seen: Any) -> Any:
    """Bundle adjustment with the rotation as a series of the exponential of a matrix."""
    a, b, c = camera[:3]
    K = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    rotation, term = np.eye(3), np.eye(3)
    for i in range(1, 25):
        term = term @ K / i
        rotation = rotation + term
    p = points @ rotation.T + camera[3:6]
    xy = -p[:, :2] / p[:, 2:]
    r2 = np.sum(xy**2, axis=1, keepdims=True)
    return np.sum((camera[6] * (1 + camera[7] * r2 + camera[8] * r2**2) * xy - seen) ** 2)


FORMULAS: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (filtering.kalman, joint_normal),
    (filtering.autoregressive, impulse_response),
    (filtering.moving_average, averages),
    (filtering.hmm_forward, every_path(lambda scores: np.log(np.sum(np.exp(scores))))),
    (filtering.viterbi, every_path(lambda scores: scores[np.argmax(np.real(scores))])),
    (filtering.time_warping, every_alignment),
    (filtering.survival, lambda h, e, n: np.sum(np.cumprod(1 - h * e / n))),
    (filtering.fourier_power, spectrum),
    (dynamics.lotka_volterra, dynamics.lotka_volterra),
    (dynamics.harmonic_leapfrog, oscillator),
    (dynamics.three_bodies, energy),
    (dynamics.euler, lambda A, z, n: np.sum(np.linalg.matrix_power(np.eye(len(z)) + 0.1 * A, n) @ z)),
    (learning.k_means, nearest),
    (learning.gaussian_mixture, mixture),
    (learning.perceptron, learning.perceptron),
    (learning.lstm, learning.lstm),
    (learning.convolution, windows),
    (learning.cross_entropy, entropy),
    (learning.ridge, dual_ridge),
    (learning.gaussian_process, process),
    (learning.recursive_network, learning.recursive_network),
    (solving.descent, residual),
    (solving.pagerank, google),
    (solving.gram_schmidt, volume),
    (solving.spline_energy, spline),
    (geometry.reprojection, projected),
    (geometry.planar_arm, reach),
    (geometry.blur, diffusion),
    (formulas.rosenbrock, lambda x: sum(100 * (v - u * u) ** 2 + (1 - u) ** 2 for u, v in pairwise(x))),
    (formulas.ackley, formulas.ackley),
    (formulas.monte_carlo, lambda m, s, z: m**2 + 2 * m * s * np.mean(z) + s**2 * np.mean(z**2)),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "formula"), FORMULAS, ids=lambda x: getattr(x, "__name__", ""))
def test_the_gradient_is_that_of_a_formula(f: Callable[..., Any], formula: Callable[..., Any]) -> None:
    args = args_of(f)
    agree(float(np.real(f(*args))), float(np.real(formula(*args))))
    for name in ("Delta", "AdditiveMap"):
        real = tuple([i for i, x in enumerate(args) if not isinstance(x, int)])
        found = ccc.gradient(f, wrt=real, exponential=getattr(ccc, name)())(*args)
        agree(found, complex_step(formula, *args))


# Gradients by hand, and identities.


def test_roots_have_the_gradients_of_what_they_solve() -> None:
    agree(ccc.gradient(solving.newton_root)(5.0), 5.0 ** (-2 / 3) / 3)
    agree(ccc.gradient(solving.fixed_point)(3.0), 0.5 / math.sqrt(3.0))
    agree(ccc.gradient(solving.bisected_logarithm)(2.3), 1 / 2.3)
    E = solving.kepler(0.9, 0.4)
    agree(ccc.gradient(solving.kepler)(0.9, 0.4), (1 / (1 - 0.4 * math.cos(E)), math.sin(E) / (1 - 0.4 * math.cos(E))))


def test_the_second_derivative_of_a_root_too() -> None:
    agree(ccc.gradient(ccc.gradient(solving.newton_root))(5.0), -2 / 9 * 5.0 ** (-5 / 3))
    agree(ccc.gradient(ccc.gradient(solving.fixed_point))(3.0), -0.25 * 3.0**-1.5)


def test_the_minimiser_has_the_gradient_of_the_implicit_function() -> None:
    x = nested.inner_minimum(1.7)
    agree(ccc.gradient(nested.inner_minimum)(1.7), 1 / (3 * x**2 + 1))
    agree(ccc.gradient(ccc.gradient(nested.inner_minimum))(1.7), -6 * x / (3 * x**2 + 1) ** 3)


@pytest.mark.parametrize("f", [solving.minors, solving.lu_determinant])
def test_the_gradient_of_a_determinant_is_the_cofactor_matrix(f: Callable[..., Any]) -> None:
    (A,) = args_of(f)
    agree(ccc.gradient(f)(A), np.linalg.det(A) * np.linalg.inv(A).T)


def test_the_gradient_of_a_log_determinant_is_the_inverse() -> None:
    (A,) = args_of(solving.cholesky_logdet)
    found = ccc.gradient(solving.cholesky_logdet)(A)
    assert same(found, np.tril(found))
    agree(found + found.T, np.linalg.inv(A) * 2 - np.diag(np.diag(np.linalg.inv(A))) + np.diag(np.diag(found)))


def test_the_gradient_of_an_eigenvalue_is_the_square_of_its_vector() -> None:
    (A,) = args_of(solving.largest_eigenvalue)
    v = np.linalg.eigh(A)[1][:, -1]
    agree(ccc.gradient(solving.largest_eigenvalue)(A), np.outer(v, v))


def test_growth_has_the_gradient_of_its_closed_form() -> None:
    e = math.exp(1.3)
    y = 0.2 * e / (1 + 0.2 * (e - 1))
    agree(ccc.gradient(dynamics.logistic_growth)(0.2, 1.3), (e / (1 + 0.2 * (e - 1)) ** 2, y * (1 - y)), 1e-6)


def test_a_trajectory_has_the_gradient_of_its_adjoint() -> None:
    """Euler's method run backwards on the adjoint state."""
    A, z, steps = args_of(dynamics.euler)
    states = [z]
    for _ in range(steps):
        states.append(states[-1] + 0.1 * A @ states[-1])
    adjoint, dA = np.ones(3), np.zeros((3, 3))
    for state in reversed(states[:-1]):
        dA += 0.1 * np.outer(adjoint, state)
        adjoint = adjoint + 0.1 * A.T @ adjoint
    agree(ccc.gradient(dynamics.euler)(A, z, steps), (dA, adjoint))


def test_leapfrog_keeps_the_area_of_phase_space() -> None:
    """The derivative of the flow has determinant one: rows by position, and by its conjugate half step."""
    rows = []
    for omega in (0.9, 1.3):
        dx, dv, _ = ccc.gradient(dynamics.harmonic_leapfrog)(0.4, 0.7, omega)
        trace = 2 * math.cos(15 * math.acos(1 - (0.1 * omega) ** 2 / 2))
        agree(2 * dx, trace)
        rows.append(dv * omega**2 * (1 - (0.1 * omega) ** 2 / 4) * dv + dx * dx)
    agree(rows, [1.0, 1.0])


def test_chosen_steps_have_the_gradient_of_the_steps_taken() -> None:
    agrees_in_value(dynamics.adaptive, 1.2, 1.5, 1e-3)
    found = ccc.gradient(dynamics.adaptive)(1.2, 1.5, 1e-3)
    agree(found, [*complex_step(lambda y, rate: dynamics.adaptive(y, rate, 1e-3), 1.2, 1.5), 0.0])


def test_bounces_have_the_gradient_of_ballistics() -> None:
    """By hand, between the second bounce and the third."""

    def height(h: Any, v: Any, e: Any) -> Any:
        impact = np.sqrt(v**2 + 2 * 9.81 * h)
        first = (v + impact) / 9.81
        rising = e * impact
        left = 2.0 - first
        while np.real(left - 2 * rising / 9.81) > 0:
            left, rising = left - 2 * rising / 9.81, e * rising
        return rising * left - 0.5 * 9.81 * left**2

    agree(ccc.gradient(dynamics.bouncing_ball)(1.0, 0.5, 0.8), complex_step(height, 1.0, 0.5, 0.8))


def test_an_option_has_the_greeks_of_the_formula() -> None:
    s, k, r, v, t = args_of(formulas.black_scholes)
    root = v * math.sqrt(t)
    d1 = (math.log(s / k) + (r + v * v / 2) * t) / root
    density, discount = math.exp(-d1 * d1 / 2) / math.sqrt(2 * math.pi), math.exp(-r * t)
    n1, n2 = formulas.normal_cdf(d1), formulas.normal_cdf(d1 - root)
    vega = s * density * math.sqrt(t)
    expected = (n1, -discount * n2, k * t * discount * n2, vega, vega * v / (2 * t) + r * k * discount * n2)
    agree(ccc.gradient(formulas.black_scholes)(s, k, r, v, t), expected)
    gamma = ccc.gradient(lambda x: ccc.derivative(lambda y: formulas.black_scholes(y, k, r, v, t))(x))(s)
    agree(gamma, density / (s * root))


def test_an_integral_has_the_gradient_of_the_fundamental_theorem() -> None:
    a, b, c = args_of(formulas.cubic_integral)
    agree(ccc.gradient(formulas.cubic_integral)(a, b, c), (-c * a**3 - a, c * b**3 + b, (b**4 - a**4) / 4))


def test_a_polynomial_has_the_gradient_of_its_powers() -> None:
    coefficients, x = args_of(formulas.horner)
    expected = ([x**3, x**2, x, 1.0], 3 * coefficients[0] * x**2 + 2 * coefficients[1] * x + coefficients[2])
    agree(ccc.gradient(formulas.horner)(coefficients, x), expected)


def test_a_spline_has_the_gradient_of_its_differences() -> None:
    t, controls = 3.4, np.array([0.3, 1.1, -0.4, 0.8, 1.6])
    agrees(formulas.b_spline, t, controls, second=False)
    knots = tuple(float(i) for i in range(9))
    slope = sum((controls[i] - controls[i - 1]) * formulas.basis(i, 2, t, knots) for i in range(1, 5))
    slope += controls[0] * formulas.basis(0, 2, t, knots)
    expected = (slope, np.array([formulas.basis(i, 3, t, knots) for i in range(5)]))
    agree(ccc.gradient(formulas.b_spline)(t, controls), expected)


def test_logistic_regression_has_the_gradient_of_its_residuals() -> None:
    w, b, X, y = args_of(learning.logistic_regression)
    z = X @ w + b
    miss = 1 / (1 + np.exp(-z)) - y
    agree(ccc.gradient(learning.logistic_regression)(w, b, X, y), (X.T @ miss, np.sum(miss), np.outer(miss, w), -z))


def test_a_perceptron_has_the_gradient_of_backpropagation() -> None:
    W1, b1, W2, b2, X, y = args_of(learning.perceptron)
    hidden = np.tanh(X @ W1 + b1)
    out = 2 * (hidden @ W2 + b2 - y) / y.size
    inner = (out @ W2.T) * (1 - hidden**2)
    expected = (X.T @ inner, inner.sum(0), hidden.T @ out, out.sum(0), inner @ W1.T, -out)
    agree(ccc.gradient(learning.perceptron)(W1, b1, W2, b2, X, y), expected)


def test_a_softmax_does_not_see_a_common_shift() -> None:
    X = args_of(learning.attention)[0]
    value, differential = ccc.value_with_differential(learning.softmax)(X)
    agree(differential(np.ones((4, 3))), np.zeros((4, 3)))
    for row, p in enumerate(value):
        shift = np.zeros((4, 3))
        shift[row, 1] = 1.0
        agree(differential(shift)[row], p * ((np.arange(3) == 1) - p[1]))


def test_descent_along_an_own_gradient_agrees_with_the_loop_written_out() -> None:
    rate, target = args_of(nested.learned_rate)

    def written_out(rate: Any, target: Any) -> Any:
        x = np.ones(len(target))
        for _ in range(3):
            x = x - rate * 4 * x * (x**2 - target)
        return np.sum((x**2 - target) ** 2)

    agree(ccc.gradient(nested.learned_rate)(rate, target), complex_step(written_out, rate, target))


@pytest.mark.parametrize(("f", "args"), PROGRAMS[::12], ids=lambda x: getattr(x, "__name__", ""))
def test_without_functions_all_exponentials_give_one_code(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """That is why `agrees` asks one of them for these."""
    if asked_of(f, args, EXPONENTIALS) == EXPONENTIALS:
        pytest.skip("it has functions")
    verbs = [ccc.value_with_gradient(f, exponential=getattr(ccc, name)(), backend="numpy") for name in EXPONENTIALS]
    assert len({ccc.explain(verb, *args).code for verb in verbs}) == 1
