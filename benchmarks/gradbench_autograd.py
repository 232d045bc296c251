"""GradBench's functions as users of autograd write them; ht and particle take it minutes and are left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import autograd.numpy as np
from autograd import grad, make_vjp
from autograd.scipy.special import logsumexp

from benchmarks import gradbench_formulas as formulas


def run(f: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    return lambda *arguments: partial(f, *arguments)


def square(x: Any) -> Any:
    return x * x


def least_squares(x: Any, n: int) -> Any:
    t = np.linspace(-1.0, 1.0, n)
    return 0.5 * np.sum((np.sign(t) - np.vander(t, len(x), increasing=True) @ x) ** 2)


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def lstm_loss(weights: Any, extra: Any, start: Any, sequence: Any) -> Any:
    state = [(layer[0], layer[1]) for layer in start]
    total: Any = 0.0
    for now, after in pairwise(sequence):
        x = now * extra[0]
        for layer, (hidden, memory) in enumerate(state):
            w, b = weights[layer, 0], weights[layer, 1]
            forget, leave = sigmoid(x * w[0] + b[0]), sigmoid(x * w[2] + b[2])
            enter, change = sigmoid(hidden * w[1] + b[1]), np.tanh(hidden * w[3] + b[3])
            memory = memory * forget + enter * change
            x = leave * np.tanh(memory)
            state[layer] = (x, memory)
        predicted = x * extra[1] + extra[2]
        total = total + np.sum(after * (predicted - np.log(np.sum(np.exp(predicted)) + 2.0)))
    return -total / (sequence.shape[1] * (len(sequence) - 1))


def lower(q: Any, l: Any, d: int) -> Any:
    """The triangular factor from its columns, since autograd does not assign in place."""
    columns, start = [], 0
    for j in range(d):
        end = start + d - j - 1
        columns.append(np.concatenate([np.zeros(j), np.exp(q[j : j + 1]), l[start:end]]))
        start = end
    return np.stack(columns, axis=1)


def log_posterior(alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: float, m: int, normaliser: float) -> Any:
    n, d = x.shape
    factors = [lower(q[i], l[i], d) for i in range(len(alpha))]
    volumes = np.sum(q, axis=1)
    squares = [np.sum(((x - mean) @ Q.T) ** 2, axis=1) for mean, Q in zip(means, factors, strict=True)]
    scores = alpha + volumes - 0.5 * np.stack(squares, axis=1)
    prior = np.sum(m * volumes) - 0.5 * gamma**2 * sum([np.sum(Q**2) for Q in factors])
    constant = n * (0.5 * d * np.log(2.0 * np.pi) + logsumexp(alpha))
    return np.sum(logsumexp(scores, axis=1)) - constant + prior + normaliser


def observed(cameras: Any, points: Any, weights: Any, features: Any) -> Any:
    return np.stack(formulas.reprojection_error(np, cameras.T, points.T, weights, features.T))


def ba_errors(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
    u, v = observed(cameras[camera_of], points[point_of], weights, features)
    return u, v, 1.0 - weights**2


def ba_jacobian(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
    n, m, p = len(cameras), len(points), len(weights)
    given = (cameras[camera_of], points[point_of], weights)
    pullback, value = make_vjp(lambda given: observed(*given, features))(given)
    blocks = np.empty((p, 2, 15))
    for row in range(2):
        seed = np.zeros(value.shape)
        seed[row] = 1.0
        camera, point, weight = pullback(seed)
        blocks[:, row, :11], blocks[:, row, 11:14], blocks[:, row, 14] = camera, point, weight
    own = 11 * n + 3 * m + np.arange(p)
    columns = np.concatenate(
        [11 * camera_of[:, None] + np.arange(11), 11 * n + 3 * point_of[:, None] + np.arange(3), own[:, None]], 1
    )
    starts = np.concatenate([np.arange(0, 30 * p, 15), np.arange(30 * p, 31 * p + 1)])
    both = np.repeat(columns[:, None], 2, axis=1)
    return starts, np.concatenate([both.ravel(), own]), np.concatenate([blocks.ravel(), -2.0 * weights])


def kmeans_cost(points: Any, centres: Any) -> Any:
    distances = np.sum(centres**2, axis=1) - 2.0 * points @ centres.T
    return np.sum(points**2) + np.sum(np.min(distances, axis=1))


def kmeans_direction(points: Any, centres: Any) -> Any:
    slopes = grad(partial(kmeans_cost, points))
    pullback, value = make_vjp(slopes)(centres)
    return value / pullback(np.ones(centres.shape))


def trajectory_end(x: Any, steps: int) -> Any:
    h = 2.0 / steps

    def slope(y: Any) -> Any:
        return x * np.concatenate([np.ones(1), y[:-1]])

    y = np.zeros(len(x))
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def determinant(A: Any) -> Any:
    return formulas.determinant(A, 0, tuple(range(len(A))))


def saddle(start: Any) -> Any:
    start = np.array(start)

    def greatest(x: Any) -> Any:
        lowered = lambda y: np.sum(y**2) - np.sum(x**2)  # noqa: E731
        return formulas.minimum(np, lowered, grad(lowered), start)

    def cost(x: Any) -> Any:
        return np.sum(x**2) - np.sum(greatest(x) ** 2)

    x = formulas.minimum(np, cost, grad(cost), start)
    return x, greatest(x)


FUNCTIONS = {
    "hello": {"square": run(square), "double": run(grad(square))},
    "llsq": {"primal": run(least_squares), "gradient": run(grad(least_squares))},
    "lstm": {"objective": run(lstm_loss), "jacobian": run(grad(lstm_loss, (0, 1)))},
    "gmm": {"objective": run(log_posterior), "jacobian": run(grad(log_posterior, (0, 1, 2, 3)))},
    "ba": {"objective": run(ba_errors), "jacobian": run(ba_jacobian)},
    "kmeans": {"cost": run(kmeans_cost), "dir": run(kmeans_direction)},
    "saddle": {"rr": run(saddle)},
    "ode": {"primal": run(trajectory_end), "gradient": run(grad(lambda x, steps: trajectory_end(x, steps)[-1]))},
    "det": {"primal": run(determinant), "gradient": run(grad(determinant))},
    "lse": {"primal": run(logsumexp), "gradient": run(grad(logsumexp))},
}
