"""The log likelihood of observations of a state that moves linearly, both with Gaussian noise, by the Kalman filter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def log_likelihood(A: np.ndarray, C: np.ndarray, Q: np.ndarray, R: np.ndarray, ys: np.ndarray) -> Any:
    """A moves the state and C is what is seen of it, with noise of the covariances Q and R; ys has a row a step."""
    n = len(A)
    mean, covariance = np.zeros(n), np.eye(n)
    total = 0.0
    for y in ys:
        mean = A @ mean
        covariance = A @ covariance @ A.T + Q
        surprise = y - C @ mean
        S = C @ covariance @ C.T + R
        gain = np.linalg.solve(S, C @ covariance).T
        total -= 0.5 * (surprise @ np.linalg.solve(S, surprise) + np.linalg.slogdet(S)[1])
        mean = mean + gain @ surprise
        covariance = covariance - gain @ C @ covariance
    return total - 0.5 * ys.size * math.log(2.0 * math.pi)
