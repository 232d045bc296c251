"""Statistics and optimisation: fits, likelihoods, descent, Newton, constraints; answers that are known otherwise."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ccc

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = X @ np.array([1.0, -2.0, 0.5]) + 0.1 * RNG.normal(size=60)


def check_least_squares() -> None:
    loss = lambda w: np.mean((X @ w - Y) ** 2)  # noqa: E731
    w = np.zeros(3)
    w -= np.linalg.solve(ccc.hessian(loss)(w), ccc.gradient(loss)(w))
    assert np.allclose(w, np.linalg.lstsq(X, Y, rcond=None)[0])


def check_ridge() -> None:
    loss = lambda w, c: np.sum((X @ w - Y) ** 2) + c * np.sum(w**2)  # noqa: E731
    best = np.linalg.solve(X.T @ X + 2.0 * np.eye(3), X.T @ Y)
    assert np.allclose(ccc.gradient(loss, wrt="w")(best, 2.0), 0.0, atol=1e-9)


def check_logistic_regression() -> None:
    labels = (X[:, 0] - X[:, 1] > 0.3).astype(float)

    def loss(params: dict[str, Any]) -> float:
        z = X @ params["w"] + params["b"]
        return np.mean(np.logaddexp(0.0, z) - labels * z) + 0.01 * np.sum(params["w"] ** 2)

    params, slope = {"w": np.zeros(3), "b": 0.0}, ccc.gradient(loss)
    for _ in range(300):
        g = slope(params)
        params = {name: params[name] - g[name] for name in params}
    assert np.mean((X @ params["w"] + params["b"] > 0.0) == labels) > 0.95


def check_poisson_regression() -> None:
    counts = np.round(np.exp(0.3 + 0.5 * X[:, 0]))
    nll = lambda p: np.sum(np.exp(p[0] + p[1] * X[:, 0]) - counts * (p[0] + p[1] * X[:, 0]))  # noqa: E731
    p = np.zeros(2)
    for _ in range(20):
        p = p - np.linalg.solve(ccc.hessian(nll)(p), ccc.gradient(nll)(p))
    assert np.allclose(ccc.gradient(nll)(p), 0.0, atol=1e-8) and abs(p[1] - 0.5) < 0.15


def rosenbrock(p: Any) -> float:
    return sum(100.0 * (b - a**2) ** 2 + (1.0 - a) ** 2 for a, b in itertools.pairwise(p))


def check_newton_on_rosenbrock() -> None:
    slope, bend = ccc.gradient(rosenbrock), ccc.hessian(rosenbrock)
    p = np.array([-1.2, 1.0, 0.8])
    for _ in range(100):
        step, rate = np.linalg.solve(bend(p) + 1e-6 * np.eye(3), slope(p)), 1.0
        while rosenbrock(p - rate * step) > rosenbrock(p) and rate > 1e-4:
            rate *= 0.5
        p = p - rate * step
    assert np.allclose(p, 1.0, atol=1e-5)


def descend(f: Callable[[float], float], x: float, rate: float) -> Iterator[float]:
    slope = ccc.gradient(f)
    while True:
        yield x
        x -= rate * slope(x)


def check_descent_as_a_generator() -> None:
    path = list(itertools.islice(descend(lambda x: (x - 3.0) ** 2, 0.0, 0.25), 20))
    assert path[1] == 1.5 and abs(path[-1] - 3.0) < 1e-5


def square_root(a: float) -> float:
    """Newton's method for a root, with the number of its steps open."""
    x = a
    for _ in itertools.count():
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-14:
            return new
        x = new
    raise AssertionError


def check_the_slope_of_an_iteration() -> None:
    value, slope = ccc.value_with_gradient(square_root)(2.0)
    assert abs(value - math.sqrt(2.0)) < 1e-14 and abs(slope - 0.5 / math.sqrt(2.0)) < 1e-12


def bisect(f: Callable[[float], float], low: float, high: float) -> float:
    if f(low) * f(high) > 0.0:
        raise ValueError("no change of sign")
    for _ in range(60):
        middle = 0.5 * (low + high)
        if f(low) * f(middle) <= 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def root_or_nan(a: float) -> float:
    """The place where a polynomial is zero, and what it is at 1 where there is none."""
    try:
        x = bisect(lambda x: x**3 - a, 0.0, 10.0)
    except ValueError:
        return 1.0 - a
    return x * a


def check_a_root_that_may_not_be_there() -> None:
    assert abs(ccc.value_with_gradient(root_or_nan)(8.0)[0] - 16.0) < 1e-9
    assert ccc.value_with_gradient(root_or_nan)(-8.0) == (9.0, -1.0)


def gauss_newton(p: Any, residuals: Callable[[Any], Any]) -> Any:
    for _ in range(15):
        j, r = ccc.jacobian(residuals)(p), residuals(p)
        p = p - np.linalg.lstsq(j, r, rcond=None)[0]
    return p


def check_decay_is_fitted() -> None:
    t = np.linspace(0.0, 2.0, 12)
    seen = 3.0 * np.exp(-1.5 * t)
    assert np.allclose(gauss_newton(np.array([2.0, 1.0]), lambda p: p[0] * np.exp(-p[1] * t) - seen), [3.0, 1.5])


def mixture(params: tuple[Any, Any], x: Any, spread: float = 0.3) -> float:
    weights, means = params
    w = np.exp(weights) / np.sum(np.exp(weights))
    parts = [w[k] * np.exp(-0.5 * ((x - means[k]) / spread) ** 2) / spread for k in range(2)]
    return -np.sum(np.log(parts[0] + parts[1]))


def check_two_clusters() -> None:
    x = np.concatenate([np.linspace(-2.2, -1.8, 20), np.linspace(0.8, 1.2, 20)])
    params: Any = (np.zeros(2), np.array([-1.0, 0.5]))
    slope = ccc.gradient(mixture, wrt="params")
    for _ in range(60):
        g = slope(params, x)
        params = tuple(p - 0.004 * d for p, d in zip(params, g, strict=True))
    assert np.allclose(params[1], [-2.0, 1.0], atol=0.05)


def grouped_loss(shift: float, rows: list[tuple[str, float]]) -> float:
    """The sum over groups of the squared mean, with the groups in a dict."""
    groups = defaultdict(list)
    for name, value in rows:
        groups[name].append(value - shift)
    return sum((sum(values) / len(values)) ** 2 for values in groups.values())


ROWS = [("a", 1.0), ("b", 2.0), ("a", 3.0), ("c", 5.0)]


def check_groups() -> None:
    assert abs(ccc.gradient(lambda s: grouped_loss(s, ROWS))(1.0) + 2.0 * (1.0 + 1.0 + 4.0)) < 1e-12


def huber(r: float, delta: float = 1.0) -> float:
    return 0.5 * r * r if abs(r) <= delta else delta * (abs(r) - 0.5 * delta)


def check_a_robust_mean() -> None:
    data, m = [1.0, 1.2, 0.8, 30.0], 0.0
    slope = ccc.gradient(lambda m: sum(huber(x - m) for x in data))
    for _ in range(200):
        m -= 0.2 * slope(m)
    assert abs(m - 4.0 / 3.0) < 1e-9


def soft_median(x: Any, data: list[float]) -> float:
    return sum(math.sqrt((v - x) ** 2 + 1e-4) for v in data)


def check_the_median() -> None:
    low, high, slope = 0.0, 10.0, ccc.gradient(soft_median, wrt="x")
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle, [1.0, 2.0, 4.0, 8.0, 9.0]) < 0.0 else (low, middle)
    assert abs(low - 4.0) < 1e-2


def check_kmeans_loss_of_centres() -> None:
    points = np.array([[0.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    loss = lambda c: sum(min(np.sum((p - q) ** 2) for q in c) for p in points)  # noqa: E731
    slope = ccc.gradient(loss)(np.array([[0.0, 1.0], [5.0, 5.0]]))
    assert np.allclose(slope, 0.0)


def entropy(logits: Any) -> float:
    p = np.exp(logits - np.max(logits))
    p = p / p.sum()
    return -np.sum(p * np.log(p))


def check_entropy_is_largest_at_equal_chances() -> None:
    value, slope = ccc.value_with_gradient(entropy)(np.zeros(4))
    assert abs(value - math.log(4.0)) < 1e-12 and np.allclose(slope, 0.0)


def check_lagrange_multipliers() -> None:
    def lagrangian(p: Any) -> float:
        x, y, m = p
        return x * y - m * (x**2 + y**2 - 2.0)

    p = np.array([0.8, 1.3, 0.3])
    for _ in range(20):
        p = p - np.linalg.solve(ccc.hessian(lagrangian)(p), ccc.gradient(lagrangian)(p))
    assert np.allclose(p, [1.0, 1.0, 0.5])


def polynomial(coefficients: list[float], x: float) -> float:
    value = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


def check_coefficients_of_a_polynomial() -> None:
    assert ccc.gradient(polynomial)([1.0, 2.0, 3.0], 2.0) == ([1.0, 2.0, 4.0], 14.0)
