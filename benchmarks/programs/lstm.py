"""The loss of a network of long short-term memory cells that predicts the next character; its weights are diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def cell(
    weight: np.ndarray, bias: np.ndarray, hidden: np.ndarray, state: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The next hidden value and state of a layer; the rows of weights are those of its four gates."""
    forget = sigmoid(x * weight[0] + bias[0])
    enter = sigmoid(hidden * weight[1] + bias[1])
    leave = sigmoid(x * weight[2] + bias[2])
    change = np.tanh(hidden * weight[3] + bias[3])
    state = state * forget + enter * change
    return leave * np.tanh(state), state


def loss(weights: np.ndarray, extra: np.ndarray, start: np.ndarray, sequence: np.ndarray) -> Any:
    """The mean cross entropy of the predictions.

    `weights` has the axes layer, weight or bias, gate, character bit; `extra` the rows weight of the input, weight and
    bias of the output; `start` the axes layer, hidden or state, bit.
    """
    layers = len(weights)
    hidden = [start[layer, 0] for layer in range(layers)]
    state = [start[layer, 1] for layer in range(layers)]
    total = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for layer in range(layers):
            hidden[layer], state[layer] = cell(weights[layer, 0], weights[layer, 1], hidden[layer], state[layer], x)
            x = hidden[layer]
        predicted = x * extra[1] + extra[2]
        normalised = predicted - np.log(np.sum(np.exp(predicted)) + 2.0)
        total += np.sum(sequence[t + 1] * normalised)
    return -total / (sequence.shape[1] * (len(sequence) - 1))
