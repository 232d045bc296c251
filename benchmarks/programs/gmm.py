"""The log posterior of a mixture of Gaussians with a Wishart prior on its precision matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def factor(q: np.ndarray, l: np.ndarray) -> np.ndarray:
    """The lower triangular matrix with the diagonal exp(q) and, column by column, the entries l below it."""
    d = len(q)
    Q = np.zeros((d, d))
    start = 0
    for j in range(d):
        end = start + d - j - 1
        Q[j, j] = np.exp(q[j])
        Q[j + 1 :, j] = l[start:end]
        start = end
    return Q


def logsumexp(x: np.ndarray, axis: int) -> np.ndarray:
    top = np.max(x, axis=axis)
    return top + np.log(np.sum(np.exp(x - np.expand_dims(top, axis)), axis=axis))


def log_normaliser(d: int, k: int, gamma: float, m: int) -> float:
    """What the prior on k precisions adds whatever they are; with the logarithm of the multivariate gamma function."""
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum([math.lgamma(0.5 * (freedom - j)) for j in range(d)])
    return k * (freedom * d * math.log(gamma / math.sqrt(2.0)) - log_gamma)


def log_posterior(
    alpha: np.ndarray,
    means: np.ndarray,
    q: np.ndarray,
    l: np.ndarray,
    x: np.ndarray,
    gamma: float,
    m: int,
    normaliser: float,
) -> Any:
    """In the weights alpha, the means and the factors of the precisions; gamma and m are the prior's."""
    n, d = x.shape
    k = len(alpha)
    scores = np.zeros((k, n))
    prior = 0.0
    for i in range(k):
        Q = factor(q[i], l[i])
        volume = np.sum(q[i])
        scores[i] = alpha[i] + volume - 0.5 * np.sum(((x - means[i]) @ Q.T) ** 2, axis=1)
        prior += m * volume - 0.5 * gamma**2 * np.sum(Q**2)
    likelihood = np.sum(logsumexp(scores, 0)) - n * (0.5 * d * math.log(2.0 * math.pi) + logsumexp(alpha, 0))
    return likelihood + prior + normaliser
