"""Recurrent cells with one number and with eight numbers of state, and their derivatives by hand.

>>> import ccc
>>> arguments = scalar_rnn_arguments(3)
>>> ccc.gradient(scalar_rnn, wrt=("w", "u", "b"))(*arguments) == scalar_rnn_gradient(*arguments)
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


def scalar_rnn(w: float, u: float, b: float, xs: Sequence[float]) -> float:
    """The last state of a recurrent cell with one number of state; the cell is a closure."""

    def cell(h: float, x: float) -> float:
        return math.tanh(w * h + u * x + b)

    h = 0.0
    for x in xs:
        h = cell(h, x)
    return h


def scalar_rnn_gradient(w: float, u: float, b: float, xs: Sequence[float]) -> tuple[float, float, float]:
    h = 0.0
    states = [h]
    for x in xs:
        h = math.tanh(w * h + u * x + b)
        states.append(h)
    dw = du = db = 0.0
    dh = 1.0
    for i in range(len(xs) - 1, -1, -1):
        da = dh * (1.0 - states[i + 1] * states[i + 1])
        dw += da * states[i]
        du += da * xs[i]
        db += da
        dh = da * w
    return dw, du, db


def array_rnn(w: Reals, u: Reals, b: Reals, xs: Reals) -> Any:
    """The sum of the last state of a recurrent cell with a vector of state, over the rows of `xs`."""
    h = np.zeros(8)
    for x in xs:
        h = np.tanh(w @ h + u @ x + b)
    return np.sum(h)


def array_rnn_gradient(w: Reals, u: Reals, b: Reals, xs: Reals) -> tuple[Reals, Reals, Reals]:
    h = np.zeros(8)
    states = [h]
    for x in xs:
        h = np.tanh(w @ h + u @ x + b)
        states.append(h)
    das = np.empty((len(xs), len(h)))
    dh = np.ones(8)
    for i in range(len(xs) - 1, -1, -1):
        das[i] = da = dh * (1.0 - states[i + 1] * states[i + 1])
        dh = da @ w
    return das.T @ np.array(states[:-1]), das.T @ xs, das.sum(axis=0)


def array_rnn_arguments(steps: int, seed: int = 0) -> tuple[Reals, Reals, Reals, Reals]:
    """Weights that neither saturate nor die out, and inputs."""
    rng = np.random.default_rng(seed)
    w, u = rng.normal(size=(8, 8)) / 3.0, rng.normal(size=(8, 3)) / 3.0
    return w, u, rng.normal(size=8) / 3.0, rng.normal(size=(steps, 3))


def scalar_rnn_arguments(steps: int, seed: int = 0) -> tuple[float, float, float, list[float]]:
    rng = np.random.default_rng(seed)
    return 0.7, 0.4, 0.1, rng.normal(size=steps).tolist()
