"""Statistics and learning: mixtures, clusters, networks, regressions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def k_means(points: np.ndarray, centres: np.ndarray) -> float:
    """The sum of squared distances to the nearest centre."""
    cost = 0.0
    for p in points:
        best = np.inf
        for c in centres:
            d = np.sum((p - c) ** 2)
            if d < best:
                best = d
        cost += best
    return cost


def logsumexp(x: np.ndarray) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def gaussian_mixture(x: np.ndarray, logits: np.ndarray, means: np.ndarray, log_scales: np.ndarray) -> float:
    """The log likelihood of a mixture of spherical Gaussians."""
    log_weights = logits - logsumexp(logits)
    dimension = x.shape[1]
    total = 0.0
    for point in x:
        distances = np.sum((point - means) ** 2, axis=1)
        scores = log_weights - 0.5 * distances * np.exp(-2 * log_scales) - dimension * log_scales
        total += logsumexp(scores) - 0.5 * dimension * np.log(2 * np.pi)
    return total


def perceptron(W1: np.ndarray, b1: np.ndarray, W2: np.ndarray, b2: np.ndarray, X: np.ndarray, y: np.ndarray) -> Any:
    """The mean squared error of a network with one hidden layer."""
    hidden = np.tanh(X @ W1 + b1)
    output = hidden @ W2 + b2
    return np.mean((output - y) ** 2)


def deep(weights: list[np.ndarray], x: np.ndarray) -> float:
    """A deep network over a list of weights, with rectifiers between."""
    for i, W in enumerate(weights):
        x = W @ x
        if i < len(weights) - 1:
            x = np.maximum(x, 0.1 * x)
    return np.sum(x**2)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def lstm(W: np.ndarray, b: np.ndarray, xs: np.ndarray) -> float:
    """The final state of a long short-term memory cell over a sequence."""
    size = len(b) // 4
    h = np.zeros(size)
    c = np.zeros(size)
    for x in xs:
        gates = W @ np.concatenate([x, h]) + b
        forget = sigmoid(gates[:size])
        enter = sigmoid(gates[size:2 * size])
        leave = sigmoid(gates[2 * size:3 * size])
        c = forget * c + enter * np.tanh(gates[3 * size:])
        h = leave * np.tanh(c)
    return np.sum(h**2)


def softmax(x: np.ndarray) -> np.ndarray:
    weights = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return weights / np.sum(weights, axis=-1, keepdims=True)


def attention(X: np.ndarray, Wq: np.ndarray, Wk: np.ndarray, Wv: np.ndarray) -> float:
    """The squared output of self-attention."""
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    scores = Q @ K.T / math.sqrt(K.shape[1])
    return np.sum((softmax(scores) @ V) ** 2)


def convolution(image: np.ndarray, kernel: np.ndarray) -> float:
    """The squared output of a convolution by loops."""
    rows = image.shape[0] - kernel.shape[0] + 1
    columns = image.shape[1] - kernel.shape[1] + 1
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            for a in range(kernel.shape[0]):
                for b in range(kernel.shape[1]):
                    out[i, j] += image[i + a, j + b] * kernel[a, b]
    return np.sum(out**2)


def cross_entropy(logits: np.ndarray, labels: tuple[int, ...]) -> float:
    """The mean negative log probability of the labels."""
    total = 0.0
    for row, label in zip(logits, labels):  # noqa: B905
        total -= row[label] - logsumexp(row)
    return total / len(labels)


def logistic_regression(w: np.ndarray, b: float, X: np.ndarray, y: np.ndarray) -> float:
    """The negative log likelihood of labels 0 and 1."""
    z = X @ w + b
    return np.sum(np.logaddexp(0.0, z) - y * z)


def ridge(X: np.ndarray, y: np.ndarray, penalty: float) -> float:
    """The squared norm of the ridge estimate."""
    A = X.T @ X + penalty * np.eye(X.shape[1])
    w = np.linalg.solve(A, X.T @ y)
    return np.dot(w, w)


def cholesky(A: np.ndarray) -> np.ndarray:
    """The lower triangular factor, column by column in place."""
    n = A.shape[0]
    L = np.zeros((n, n))
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - np.sum(L[j, :j] ** 2))
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - np.sum(L[i, :j] * L[j, :j])) / L[j, j]
    return L


def gaussian_process(x: np.ndarray, y: np.ndarray, scale: float, noise: float) -> float:
    """The log marginal likelihood of a Gaussian process with a squared exponential kernel."""
    n = len(x)
    difference = x[:, None] - x[None, :]
    K = np.exp(-0.5 * (difference / scale) ** 2) + noise**2 * np.eye(n)
    L = cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return -0.5 * (y @ alpha) - np.sum(np.log(np.diag(L))) - 0.5 * n * np.log(2 * np.pi)


def tree_network(tree: Any, w: float) -> float:
    """A network along a binary tree of nested pairs."""
    left, right = tree
    l = tree_network(left, w) if isinstance(left, tuple) else left
    r = tree_network(right, w) if isinstance(right, tuple) else right
    return math.tanh(w * l + 0.5 * r)


def halves(leaves: np.ndarray, W: np.ndarray) -> np.ndarray:
    """The state of a balanced tree over the rows, by recursion on halves."""
    n = len(leaves)
    if n == 1:
        return leaves[0]
    left = halves(leaves[:n // 2], W)
    right = halves(leaves[n // 2:], W)
    return np.tanh(W @ np.concatenate([left, right]))


def recursive_network(leaves: np.ndarray, W: np.ndarray) -> float:
    """The squared state of a balanced tree."""
    return np.sum(halves(leaves, W) ** 2)
