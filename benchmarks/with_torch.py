"""The programs as users of PyTorch write them, in double precision on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Call = Callable[[], Any]


def _variables(*values: Any) -> list[Any]:
    return [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]


def product_and_sine(x: float, y: float) -> Call:
    a, b = _variables(x, y)
    return lambda: torch.autograd.grad(a * b + torch.sin(a), (a, b))


def bump(x: Any) -> Call:
    (a,) = _variables(x)
    return lambda: torch.autograd.grad(torch.sum(torch.tanh(a) * torch.exp(-a * a)), (a,))


def scalar_rnn(w: float, u: float, b: float, xs: Any) -> Call:
    weights = _variables(w, u, b)
    inputs = torch.tensor(xs, dtype=torch.float64)

    def run() -> Any:
        h = torch.zeros((), dtype=torch.float64)
        for x in inputs:
            h = torch.tanh(weights[0] * h + weights[1] * x + weights[2])
        return torch.autograd.grad(h, weights)

    return run


def array_rnn(w: Any, u: Any, b: Any, xs: Any) -> Call:
    weights = _variables(w, u, b)
    inputs = torch.tensor(xs, dtype=torch.float64)

    def run() -> Any:
        h = torch.zeros(len(b), dtype=torch.float64)
        for x in inputs:
            h = torch.tanh(weights[0] @ h + weights[1] @ x + weights[2])
        return torch.autograd.grad(torch.sum(h), weights)

    return run


def first_call(f: Callable[..., Any], x: Any, y: Any) -> Any:
    """The gradient of a function of two arguments, by tape."""
    a, b = _variables(x, y)
    return torch.autograd.grad(f(a, b), (a, b))[0]
