"""Time series: filters, state space models and hidden Markov models."""

from __future__ import annotations

import math

import numpy as np


def kalman(ys: np.ndarray, q: float, r: float) -> float:
    """The log likelihood of a local linear trend by the Kalman filter."""
    F = np.array([[1.0, 1.0], [0.0, 1.0]])
    H = np.array([1.0, 0.0])
    mean = np.zeros(2)
    P = np.eye(2)
    total = 0.0
    for y in ys:
        mean = F @ mean
        P = F @ P @ F.T + q * np.eye(2)
        innovation = y - H @ mean
        s = H @ P @ H + r
        gain = P @ H / s
        mean = mean + gain * innovation
        P = P - np.outer(gain, H @ P)
        total += -0.5 * (np.log(2 * np.pi * s) + innovation**2 / s)
    return total


def autoregressive(x: np.ndarray, a: float, b: float) -> float:
    """The energy of a second-order recursive filter's output."""
    y = np.zeros(len(x))
    for t in range(len(x)):
        y[t] = x[t]
        if t >= 1:
            y[t] += a * y[t - 1]
        if t >= 2:
            y[t] += b * y[t - 2]
    return np.sum(y**2)


def moving_average(x: np.ndarray, width: int) -> float:
    """The roughness of a moving average, with a running sum."""
    window = 0.0
    previous = 0.0
    roughness = 0.0
    for i, value in enumerate(x):
        window += value
        if i >= width:
            window -= x[i - width]
        if i < width - 1:
            continue
        average = window / width
        roughness += (average - previous) ** 2
        previous = average
    return roughness


def hmm_forward(log_start: np.ndarray, log_move: np.ndarray, log_emit: np.ndarray, seen: tuple[int, ...]) -> float:
    """The log likelihood of a hidden Markov model by the forward algorithm."""
    alpha = log_start + log_emit[:, seen[0]]
    for symbol in seen[1:]:
        scores = alpha[:, None] + log_move
        top = np.max(scores, axis=0)
        alpha = top + np.log(np.sum(np.exp(scores - top), axis=0)) + log_emit[:, symbol]
    top = np.max(alpha)
    return top + np.log(np.sum(np.exp(alpha - top)))


def viterbi(log_start: np.ndarray, log_move: np.ndarray, log_emit: np.ndarray, seen: tuple[int, ...]) -> float:
    """The log probability of the best path, filled into a table."""
    states = len(log_start)
    best = np.zeros((len(seen), states))
    best[0] = log_start + log_emit[:, seen[0]]
    for t in range(1, len(seen)):
        for j in range(states):
            best[t, j] = np.max(best[t - 1] + log_move[:, j]) + log_emit[j, seen[t]]
    return np.max(best[-1])


def time_warping(x: np.ndarray, y: np.ndarray) -> float:
    """The dynamic time warping distance, an edit distance of real sequences."""
    n, m = len(x), len(y)
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]


def survival(hazards: np.ndarray, events: np.ndarray, at_risk: np.ndarray) -> float:
    """The restricted mean of a product-limit survival curve with scaled hazards."""
    alive = 1.0
    area = 0.0
    for i in range(len(hazards)):
        alive *= 1.0 - hazards[i] * events[i] / at_risk[i]
        area += alive
    return area


def fourier_power(x: np.ndarray, k: int) -> float:
    """The power at one frequency, summed by a loop."""
    real = 0.0
    imaginary = 0.0
    n = len(x)
    for t in range(n):
        angle = 2 * math.pi * k * t / n
        real += x[t] * math.cos(angle)
        imaginary -= x[t] * math.sin(angle)
    return real * real + imaginary * imaginary
