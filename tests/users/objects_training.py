"""Models and optimizers as classes: a line, a network, stochastic descent and Adam, trained in place."""

from __future__ import annotations

from typing import Any

import numpy as np

import ccc


class LinearRegression:
    """`fit` and `predict`, as scikit-learn has them."""

    def __init__(self, rate: float = 0.1, epochs: int = 200) -> None:
        self.rate = rate
        self.epochs = epochs

    def predict(self, X: Any) -> Any:
        return X @ self.coef + self.intercept

    def loss(self, X: Any, y: Any) -> Any:
        return np.mean((self.predict(X) - y) ** 2)

    def fit(self, X: Any, y: Any) -> LinearRegression:
        self.coef = np.zeros(X.shape[1])
        self.intercept = 0.0
        slope = ccc.gradient(LinearRegression.loss, wrt="self")
        for _ in range(self.epochs):
            g = slope(self, X, y)
            self.coef -= self.rate * g.coef
            self.intercept -= self.rate * g.intercept
        return self


def check_linear_regression() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X @ np.array([1.0, -2.0, 0.5]) + 0.3
    model = LinearRegression().fit(X, y)
    assert np.allclose(model.coef, [1.0, -2.0, 0.5], atol=1e-6) and abs(model.intercept - 0.3) < 1e-6


class Layer:
    """Weights of an affine map."""

    def __init__(self, inputs: int, outputs: int, rng: Any) -> None:
        self.W = rng.normal(0.0, 1.0 / np.sqrt(inputs), (inputs, outputs))
        self.b = np.zeros(outputs)

    def __call__(self, x: Any) -> Any:
        return x @ self.W + self.b

    def parameters(self) -> list[Any]:
        return [self.W, self.b]


class Network:
    """Layers with tanh between them."""

    def __init__(self, sizes: list[int], seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.layers = [Layer(sizes[i], sizes[i + 1], rng) for i in range(len(sizes) - 1)]
        self.steps = 0

    def __call__(self, x: Any) -> Any:
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i < len(self.layers) - 1:
                x = np.tanh(x)
        return x

    def parameters(self) -> list[Any]:
        return [p for layer in self.layers for p in layer.parameters()]


class Adam:
    """The optimizer: moments of each parameter."""

    def __init__(self, parameters: list[Any], rate: float = 0.05) -> None:
        self.parameters = parameters
        self.rate = rate
        self.first = [np.zeros_like(p) for p in parameters]
        self.second = [np.zeros_like(p) for p in parameters]
        self.t = 0

    def step(self, slopes: list[Any]) -> None:
        self.t += 1
        for p, g, m, v in zip(self.parameters, slopes, self.first, self.second, strict=True):
            m[...] = 0.9 * m + 0.1 * g
            v[...] = 0.999 * v + 0.001 * g * g
            p -= self.rate * (m / (1 - 0.9**self.t)) / (np.sqrt(v / (1 - 0.999**self.t)) + 1e-8)


def cross_entropy(net: Network, x: Any, labels: Any) -> Any:
    """The mean loss of a classifier, which also counts its calls."""
    net.steps += 1
    logits = net(x)
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(logs[np.arange(len(labels)), labels])


def check_classifier_with_adam() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 2))
    labels = (x[:, 0] * x[:, 1] > 0).astype(int)
    net = Network([2, 8, 2])
    adam = Adam(net.parameters())
    step = ccc.value_with_gradient(cross_entropy, wrt="net")
    losses = []
    for _ in range(120):
        loss, slope = step(net, x, labels)
        adam.step(slope.parameters())
        losses.append(loss)
    assert losses[-1] < 0.2 < 0.6 < losses[0]
    assert np.mean(np.argmax(net(x), axis=1) == labels) > 0.93
    assert net.steps == 120 and len(step.codes) == 1


class BatchNorm:
    """Normalises by the batch, and keeps running statistics."""

    def __init__(self, size: int) -> None:
        self.gamma = np.ones(size)
        self.beta = np.zeros(size)
        self.mean = np.zeros(size)
        self.var = np.ones(size)
        self.training = True

    def __call__(self, x: Any) -> Any:
        if self.training:
            mean, var = x.mean(axis=0), x.var(axis=0)
            self.mean = 0.9 * self.mean + 0.1 * mean
            self.var = 0.9 * self.var + 0.1 * var
        else:
            mean, var = self.mean, self.var
        return self.gamma * (x - mean) / np.sqrt(var + 1e-5) + self.beta


def check_running_statistics() -> None:
    rng = np.random.default_rng(2)
    norm, x = BatchNorm(3), rng.normal(2.0, 3.0, (50, 3))
    slope = ccc.gradient(lambda norm, x: np.sum(norm(x) ** 3), wrt="norm")
    for _ in range(60):
        g = slope(norm, x)
    assert np.allclose(norm.mean, x.mean(axis=0), atol=0.02) and np.allclose(norm.var, x.var(axis=0), rtol=0.02)
    z = (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 1e-5)
    assert np.allclose(g.gamma, np.sum(3 * z**3, axis=0)) and np.allclose(g.beta, np.sum(3 * z**2, axis=0))
    norm.training = False
    assert np.allclose(slope(norm, x).beta, np.sum(3 * norm(x) ** 2, axis=0))
