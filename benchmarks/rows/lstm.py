"""The loss of a recurrent network of two layers of 14 bits that predicts the next character."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs import lstm
from benchmarks.programs.lstm import loss as primal

EVAL = "lstm"
SIZES = {"2,32": (2, 32, 14), "2,1024": (2, 1024, 14)}
SMALL = (2, 5, 4)
WRT = (0, 1)


def SCALED(n: int) -> tuple[Any, ...]:
    return (2, n, 14)


def given(layers: int, characters: int, bits: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "main_params": rng.random((2 * layers, 4 * bits)).tolist(), "extra_params": rng.random((3, bits)).tolist(),
        "state": rng.random((2 * layers, bits)).tolist(),
        "sequence": rng.integers(0, 2, (characters, bits)).astype(float).tolist(),
    }  # fmt: skip


def arguments(layers: int, characters: int, bits: int) -> tuple[Any, ...]:
    return evals.lstm_arguments(given(layers, characters, bits))


def ours(backend: str) -> Mapping[str, Any]:
    gradient = library.gradient(primal, ("weights", "extra"), backend)
    return {"objective": library.run(primal, backend), "jacobian": gradient}


def by_hand() -> Mapping[str, Any]:
    def gradient(weights: Any, extra: Any, start: Any, sequence: Any) -> Any:
        layers, steps = len(weights), len(sequence) - 1
        state = [(layer[0], layer[1]) for layer in start]
        tape = []
        for t in range(steps):
            x = sequence[t] * extra[0]
            for layer in range(layers):
                hidden, memory = state[layer]
                w, b = weights[layer]
                forget, enter = lstm.sigmoid(x * w[0] + b[0]), lstm.sigmoid(hidden * w[1] + b[1])
                leave, change = lstm.sigmoid(x * w[2] + b[2]), np.tanh(hidden * w[3] + b[3])
                new = memory * forget + enter * change
                bent = np.tanh(new)
                tape.append((x, hidden, memory, forget, enter, leave, change, bent))
                x = leave * bent
                state[layer] = (x, new)
            e = np.exp(x * extra[1] + extra[2])
            tape.append((x, e / (np.sum(e) + 2.0)))
        dw, de = np.zeros(weights.shape), np.zeros(extra.shape)
        ahead = [(0.0, 0.0)] * layers
        scale = -1.0 / (sequence.shape[1] * steps)
        for t in range(steps - 1, -1, -1):
            x, share = tape.pop()
            after = sequence[t + 1]
            dp = scale * (after - np.sum(after) * share)
            de[1] += dp * x
            de[2] += dp
            dx = dp * extra[1]
            for layer in range(layers - 1, -1, -1):
                x, hidden, memory, forget, enter, leave, change, bent = tape.pop()
                dh, dc = ahead[layer]
                dh = dh + dx
                dc = dc + dh * leave * (1.0 - bent * bent)
                gates = (
                    dc * memory * forget * (1.0 - forget), dc * change * enter * (1.0 - enter),
                    dh * bent * leave * (1.0 - leave), dc * enter * (1.0 - change * change),
                )  # fmt: skip
                for gate, (d, seen) in enumerate(zip(gates, (x, hidden, x, hidden), strict=True)):
                    dw[layer, 0, gate] += d * seen
                    dw[layer, 1, gate] += d
                w = weights[layer, 0]
                dx = gates[0] * w[0] + gates[2] * w[2]
                ahead[layer] = (gates[1] * w[1] + gates[3] * w[3], dc * forget)
            de[0] += dx * sequence[t]
        return dw, de

    return {"objective": primal, "jacobian": gradient}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def loss(weights: Any, extra: Any, start: Any, sequence: Any) -> Any:
        def step(carry: Any, seen: Any) -> Any:
            state, (now, after) = carry, seen
            x, new = now * extra[0], []
            for layer, (hidden, memory) in enumerate(state):
                w, b = weights[layer, 0], weights[layer, 1]
                forget, leave = jax.nn.sigmoid(x * w[0] + b[0]), jax.nn.sigmoid(x * w[2] + b[2])
                enter, change = jax.nn.sigmoid(hidden * w[1] + b[1]), jnp.tanh(hidden * w[3] + b[3])
                memory = memory * forget + enter * change
                x = leave * jnp.tanh(memory)
                new.append((x, memory))
            predicted = x * extra[1] + extra[2]
            return new, jnp.sum(after * (predicted - jnp.log(jnp.sum(jnp.exp(predicted)) + 2.0)))

        first = [(layer[0], layer[1]) for layer in start]
        _, terms = jax.lax.scan(step, first, (sequence[:-1], sequence[1:]))
        return -jnp.sum(terms) / (sequence.shape[1] * (len(sequence) - 1))

    return {"objective": jax.jit(loss), "jacobian": jax.jit(jax.grad(loss, WRT))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def loss(weights: Any, extra: Any, start: Any, sequence: Any) -> Any:
        state = [(layer[0], layer[1]) for layer in start]
        total: Any = 0.0
        for now, after in pairwise(sequence):
            x = now * extra[0]
            for layer, (hidden, memory) in enumerate(state):
                w, b = weights[layer, 0], weights[layer, 1]
                forget, leave = torch.sigmoid(x * w[0] + b[0]), torch.sigmoid(x * w[2] + b[2])
                enter, change = torch.sigmoid(hidden * w[1] + b[1]), torch.tanh(hidden * w[3] + b[3])
                memory = memory * forget + enter * change
                x = leave * torch.tanh(memory)
                state[layer] = (x, memory)
            predicted = x * extra[1] + extra[2]
            total = total + torch.sum(after * (predicted - torch.log(torch.sum(torch.exp(predicted)) + 2.0)))
        return -total / (sequence.shape[1] * (len(sequence) - 1))

    return {"objective": with_torch.value(loss), "jacobian": with_torch.gradient(loss, WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def sigmoid(x: Any) -> Any:
        return 1.0 / (1.0 + np.exp(-x))

    def loss(weights: Any, extra: Any, start: Any, sequence: Any) -> Any:
        state = [(layer[0], layer[1]) for layer in start]
        total: Any = 0.0
        for now, after in pairwise(sequence):
            x = now * extra[0]
            for layer, (hidden, memory) in enumerate(state):
                w, b = weights[layer, 0], weights[layer, 1]
                forget, leave = sigmoid(x * w[0] + b[0]), sigmoid(x * w[2] + b[2])
                enter, change = sigmoid(hidden * w[1] + b[1]), np.tanh(hidden * w[3] + b[3])
                memory = memory * forget + enter * change
                x = leave * np.tanh(memory)
                state[layer] = (x, memory)
            predicted = x * extra[1] + extra[2]
            total = total + np.sum(after * (predicted - np.log(np.sum(np.exp(predicted)) + 2.0)))
        return -total / (sequence.shape[1] * (len(sequence) - 1))

    return {"objective": loss, "jacobian": grad(loss, WRT)}
