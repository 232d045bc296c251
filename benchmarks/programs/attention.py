"""Self-attention of one head: each row of x becomes a mean of the values of all rows, weighted by a softmax."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def attention(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    scores = queries @ keys.T / math.sqrt(keys.shape[1])
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return (weights / np.sum(weights, axis=1, keepdims=True)) @ values


def loss(wq: np.ndarray, wk: np.ndarray, wv: np.ndarray, x: np.ndarray, target: np.ndarray) -> Any:
    """Half the mean square of what attention has over a target."""
    difference = attention(x @ wq, x @ wk, x @ wv) - target
    return 0.5 * np.mean(difference * difference)
