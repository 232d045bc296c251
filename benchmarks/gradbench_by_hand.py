"""GradBench's derivatives written by hand in NumPy; what nobody differentiates by hand is left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.programs import gmm, hello, lse, lstm, ode


def run(f: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    return lambda *arguments: partial(f, *arguments)


def residuals(x: Any, n: int) -> tuple[Any, Any]:
    t = np.linspace(-1.0, 1.0, n)
    powers = np.vander(t, len(x), increasing=True)
    return powers @ x - np.sign(t), powers


def least_squares(x: Any, n: int) -> Any:
    r, _ = residuals(x, n)
    return 0.5 * r @ r


def least_squares_gradient(x: Any, n: int) -> Any:
    r, powers = residuals(x, n)
    return r @ powers


def logsumexp_gradient(x: Any) -> Any:
    weights = np.exp(x - np.max(x))
    return weights / np.sum(weights)


def nearest(points: Any, centres: Any) -> Any:
    """The squared distances to the centres, less what all centres have in common."""
    return np.sum(centres**2, axis=1) - 2.0 * points @ centres.T


def kmeans_cost(points: Any, centres: Any) -> Any:
    return np.sum(np.min(nearest(points, centres), axis=1)) + np.sum(points**2)


def kmeans_direction(points: Any, centres: Any) -> Any:
    """Centres less the means of the points that are nearest to them."""
    k = len(centres)
    owner = np.argmin(nearest(points, centres), axis=1)
    sums = np.stack([np.bincount(owner, column, k) for column in points.T], axis=1)
    return centres - sums / np.bincount(owner, minlength=k)[:, None]


def trajectory_gradient(x: Any, steps: int) -> Any:
    n, h = len(x), 2.0 / steps
    shift = lambda y: np.concatenate([np.ones(1), y[:-1]])  # noqa: E731
    back = lambda dy: np.concatenate([dy[1:], np.zeros(1)])  # noqa: E731
    y, tape = np.zeros(n), []
    for _ in range(steps):
        s1 = shift(y)
        s2 = shift(y + 0.5 * h * (k1 := x * s1))
        s3 = shift(y + 0.5 * h * (k2 := x * s2))
        s4 = shift(y + h * (k3 := x * s3))
        tape.append((s1, s2, s3, s4))
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + x * s4)
    dx, dy = np.zeros(n), np.zeros(n)
    dy[-1] = 1.0
    for s1, s2, s3, s4 in reversed(tape):
        d4 = h / 6.0 * dy
        y4 = back(x * d4)
        d3 = h / 3.0 * dy + h * y4
        y3 = back(x * d3)
        d2 = h / 3.0 * dy + 0.5 * h * y3
        y2 = back(x * d2)
        d1 = h / 6.0 * dy + 0.5 * h * y2
        dx += d1 * s1 + d2 * s2 + d3 * s3 + d4 * s4
        dy = dy + y4 + y3 + y2 + back(x * d1)
    return dx


def lstm_gradient(weights: Any, extra: Any, start: Any, sequence: Any) -> Any:
    layers, steps = len(weights), len(sequence) - 1
    state = [(layer[0], layer[1]) for layer in start]
    tape = []
    for t in range(steps):
        x = sequence[t] * extra[0]
        for layer in range(layers):
            hidden, memory = state[layer]
            w, b = weights[layer]
            forget, enter = lstm.sigmoid(x * w[0] + b[0]), lstm.sigmoid(hidden * w[1] + b[1])
            leave, change = lstm.sigmoid(x * w[2] + b[2]), np.tanh(hidden * w[3] + b[3])
            new = memory * forget + enter * change
            bent = np.tanh(new)
            tape.append((x, hidden, memory, forget, enter, leave, change, bent))
            x = leave * bent
            state[layer] = (x, new)
        e = np.exp(x * extra[1] + extra[2])
        tape.append((x, e / (np.sum(e) + 2.0)))
    dw, de = np.zeros(weights.shape), np.zeros(extra.shape)
    ahead = [(0.0, 0.0)] * layers
    scale = -1.0 / (sequence.shape[1] * steps)
    for t in range(steps - 1, -1, -1):
        x, share = tape.pop()
        after = sequence[t + 1]
        dp = scale * (after - np.sum(after) * share)
        de[1] += dp * x
        de[2] += dp
        dx = dp * extra[1]
        for layer in range(layers - 1, -1, -1):
            x, hidden, memory, forget, enter, leave, change, bent = tape.pop()
            dh, dc = ahead[layer]
            dh = dh + dx
            dc = dc + dh * leave * (1.0 - bent * bent)
            gates = (
                dc * memory * forget * (1.0 - forget), dc * change * enter * (1.0 - enter),
                dh * bent * leave * (1.0 - leave), dc * enter * (1.0 - change * change),
            )  # fmt: skip
            for gate, (d, given) in enumerate(zip(gates, (x, hidden, x, hidden), strict=True)):
                dw[layer, 0, gate] += d * given
                dw[layer, 1, gate] += d
            w = weights[layer, 0]
            dx = gates[0] * w[0] + gates[2] * w[2]
            ahead[layer] = (gates[1] * w[1] + gates[3] * w[3], dc * forget)
        de[0] += dx * sequence[t]
    return dw, de


def posterior_gradient(alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: float, m: int, _: float) -> Any:
    n, d = x.shape
    k = len(alpha)
    rows, columns = np.tril_indices(d, -1)
    order = np.argsort(columns, kind="stable")
    rows, columns = rows[order], columns[order]
    Q = np.zeros((k, d, d))
    Q[:, rows, columns] = l
    Q[:, range(d), range(d)] = np.exp(q)
    centred = x - means[:, None]
    moved = centred @ Q.transpose(0, 2, 1)
    scores = (alpha + np.sum(q, axis=1))[:, None] - 0.5 * np.sum(moved**2, axis=2)
    shares = np.exp(scores - np.max(scores, axis=0))
    shares /= np.sum(shares, axis=0)
    weighted = shares[:, :, None] * moved
    counts = np.sum(shares, axis=1)
    dQ = -(weighted.transpose(0, 2, 1) @ centred) - gamma**2 * Q
    dmeans = (np.sum(weighted, axis=1)[:, None] @ Q)[:, 0]
    dq = dQ[:, range(d), range(d)] * np.exp(q) + (counts + m)[:, None]
    return counts - n * logsumexp_gradient(alpha), dmeans, dq, dQ[:, rows, columns]


FUNCTIONS = {
    "hello": {"square": run(hello.square), "double": run(lambda x: 2.0 * x)},
    "llsq": {"primal": run(least_squares), "gradient": run(least_squares_gradient)},
    "lstm": {"objective": run(lstm.loss), "jacobian": run(lstm_gradient)},
    "gmm": {"objective": run(gmm.log_posterior), "jacobian": run(posterior_gradient)},
    "kmeans": {"cost": run(kmeans_cost), "dir": run(kmeans_direction)},
    "ode": {"primal": run(ode.trajectory_end), "gradient": run(trajectory_gradient)},
    "lse": {"primal": run(lse.logsumexp), "gradient": run(logsumexp_gradient)},
}
