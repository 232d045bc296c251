"""Diffusion and reaction on a line, after finite differences: the Jacobian has three bands."""

from __future__ import annotations

import numpy as np


def rates(u: np.ndarray) -> np.ndarray:
    """How fast each entry changes, with zeros beyond both ends; there is diffusion, transport and a reaction."""
    padded = np.concatenate([np.zeros(1), u, np.zeros(1)])
    left, right = padded[:-2], padded[2:]
    return left - 2.0 * u + right - 0.5 * u * (right - left) + u * (1.0 - u * u)
