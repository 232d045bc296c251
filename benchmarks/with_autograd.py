"""The programs as users of autograd write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import autograd.numpy as np
from autograd import grad, value_and_grad

Call = Callable[[], Any]


def product_and_sine(x: float, y: float) -> Call:
    return partial(grad(lambda x, y: x * y + np.sin(x), (0, 1)), x, y)


def bump(x: Any) -> Call:
    return partial(grad(lambda x: np.sum(np.tanh(x) * np.exp(-x * x))), x)


def _scalar_rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
    h = 0.0
    for x in xs:
        h = np.tanh(w * h + u * x + b)
    return h


def scalar_rnn(w: float, u: float, b: float, xs: Any) -> Call:
    f = value_and_grad(_scalar_rnn, (0, 1, 2))
    return lambda: f(w, u, b, xs)[1]


def _array_rnn(w: Any, u: Any, b: Any, xs: Any) -> Any:
    h = np.zeros(len(b))
    for x in xs:
        h = np.tanh(np.dot(w, h) + np.dot(u, x) + b)
    return np.sum(h)


def array_rnn(w: Any, u: Any, b: Any, xs: Any) -> Call:
    f = value_and_grad(_array_rnn, (0, 1, 2))
    return lambda: f(w, u, b, xs)[1]


def first_call(f: Callable[..., Any], x: Any, y: Any) -> Any:
    """The gradient of a function of two arguments, by tape."""
    return grad(f, (0, 1))(x, y)[0]
