"""Training loops: networks as dicts of arrays, recurrence, attention, convolution, embeddings, early stopping."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import ccc


def initial(sizes: list[int], rng: Any) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for i, (m, n) in enumerate(itertools.pairwise(sizes)):
        params[f"W{i}"] = rng.normal(size=(m, n)) / np.sqrt(m)
        params[f"b{i}"] = np.zeros(n)
    return params


def forward(params: dict[str, Any], x: Any) -> Any:
    layers = len(params) // 2
    for i in range(layers):
        x = x @ params[f"W{i}"] + params[f"b{i}"]
        if i < layers - 1:
            x = np.maximum(x, 0.0)
    return x


def mean_square(params: dict[str, Any], x: Any, y: Any) -> float:
    return np.mean((forward(params, x)[:, 0] - y) ** 2)


def minibatches(x: Any, y: Any, size: int, rng: Any) -> Iterator[tuple[Any, Any]]:
    order = rng.permutation(len(x))
    for i in range(0, len(x), size):
        yield x[order[i : i + size]], y[order[i : i + size]]


def check_text_keyed_parameters() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (64, 1))
    y = np.abs(x[:, 0])
    params, slope = initial([1, 8, 1], rng), ccc.value_with_gradient(mean_square, wrt="params")
    first = mean_square(params, x, y)
    for _ in range(60):
        for a, b in minibatches(x, y, 16, rng):
            _, g = slope(params, a, b)
            params = {k: v - 0.1 * g[k] for k, v in params.items()}
    assert mean_square(params, x, y) < 0.1 * first


def recurrent(params: dict[str, Any], xs: Any) -> float:
    h = np.zeros(2)
    for x in xs:
        h = np.tanh(params["W"] @ h + params["u"] * x)
    return params["v"] @ h


def check_back_through_time() -> None:
    rng = np.random.default_rng(1)
    params = {"W": 0.5 * rng.normal(size=(2, 2)), "u": rng.normal(size=2), "v": rng.normal(size=2)}
    g, xs, h = ccc.gradient(recurrent, wrt="params")(params, np.array([0.3, -0.1, 0.8])), [0.3, -0.1, 0.8], 1e-6
    for i in range(2):
        d = np.zeros(2)
        d[i] = h
        up, down = (recurrent({**params, "u": params["u"] + s * d}, xs) for s in (1.0, -1.0))
        assert abs(g["u"][i] - (up - down) / (2.0 * h)) < 1e-8


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ k.T / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def check_attention_is_linear_in_values() -> None:
    rng = np.random.default_rng(2)
    q, k, v = (rng.normal(size=(3, 4)) for _ in range(3))
    slope = ccc.gradient(lambda v: np.sum(attention(q, k, v)))(v)
    assert np.allclose(slope.sum(), 12.0) and np.allclose(slope, slope[:, :1])


def convolve(image: Any, kernel: Any) -> Any:
    h, w = kernel.shape
    rows = image.shape[0] - h + 1
    columns = image.shape[1] - w + 1
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = np.sum(image[i : i + h, j : j + w] * kernel)
    return out


def check_a_convolution_layer() -> None:
    rng = np.random.default_rng(3)
    image, kernel = rng.normal(size=(5, 5)), rng.normal(size=(2, 2))
    a, b = ccc.gradient(lambda image, kernel: np.sum(convolve(image, kernel)))(image, kernel)
    assert np.allclose(b, [[image[i : i + 4, j : j + 4].sum() for j in range(2)] for i in range(2)])
    assert np.isclose(a[2, 2], kernel.sum()) and np.isclose(a[0, 0], kernel[0, 0])


def embedding_loss(table: Any, pairs: list[tuple[int, int]]) -> float:
    loss = 0.0
    for i, j in pairs:
        loss += np.sum((table[i] - table[j]) ** 2)
    return loss


def check_embeddings_touch_their_rows() -> None:
    table = np.arange(8.0).reshape(4, 2)
    slope = ccc.gradient(lambda t: embedding_loss(t, [(0, 1), (0, 3)]))(table)
    assert np.allclose(slope[2], 0.0) and np.allclose(slope[1], 4.0) and np.allclose(slope[0], -16.0)


class EarlyStopping(Exception):
    pass


class Monitor:
    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.best = np.inf
        self.waited = 0

    def update(self, loss: float) -> None:
        if loss < self.best - 1e-6:
            self.best, self.waited = loss, 0
            return
        self.waited += 1
        if self.waited >= self.patience:
            raise EarlyStopping


def trained(rate: float) -> float:
    """The loss where training stops, as a function of its rate."""
    monitor, w = Monitor(3), 5.0
    try:
        for _ in range(40):
            loss = (w - 1.0) ** 2
            monitor.update(loss)
            w -= rate * 2.0 * (w - 1.0)
    except EarlyStopping:
        pass
    return monitor.best


def check_the_slope_of_a_hyperparameter() -> None:
    value, slope = ccc.value_with_gradient(trained)(0.05)
    assert abs(value - 16.0 * 0.9**78) < 1e-9 and abs(slope + 16.0 * 78 * 2.0 * 0.9**77) < 1e-7
    assert abs(ccc.value_with_gradient(trained)(0.999)[0] - trained(0.999)) < 1e-9


def dropout(x: Any, rate: float, rng: Any) -> Any:
    return x * (rng.random(x.shape) >= rate) / (1.0 - rate)


def check_dropout_draws_once() -> None:
    x = np.ones(6)
    value, slope = ccc.value_with_gradient(lambda x: np.sum(dropout(x, 0.5, np.random.default_rng(4)) ** 2))(x)
    kept = np.random.default_rng(4).random(6) >= 0.5
    assert value == 4.0 * kept.sum() and np.allclose(slope, 8.0 * kept)


def policy_return(theta: Any, rewards: Any, steps: int = 5) -> float:
    """The expected reward of a chain with a softmax policy, by dynamic programming."""
    p = np.exp(theta) / np.sum(np.exp(theta))
    value = 0.0
    for _ in range(steps):
        value = p @ rewards + 0.9 * value
    return value


def check_a_policy_gradient() -> None:
    theta, rewards = np.zeros(3), np.array([0.0, 1.0, 2.0])
    slope = ccc.gradient(policy_return, wrt="theta")(theta, rewards)
    assert np.allclose(slope, (rewards - 1.0) / 3.0 * (1.0 - 0.9**5) / 0.1)
