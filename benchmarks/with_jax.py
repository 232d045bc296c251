"""The programs as users of JAX write them: jitted, in double precision, and waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)

Call = Callable[[], Any]


def _product_and_sine(x: Any, y: Any) -> Any:
    return x * y + jnp.sin(x)


def product_and_sine(x: float, y: float) -> Call:
    f = jax.jit(jax.grad(_product_and_sine, argnums=(0, 1)))
    return lambda: f(x, y)[0].block_until_ready()


def product_and_sine_on_device(x: float, y: float) -> Call:
    return product_and_sine(jnp.asarray(x), jnp.asarray(y))  # type: ignore[arg-type]


def bump(x: Any) -> Call:
    f = jax.jit(jax.grad(lambda x: jnp.sum(jnp.tanh(x) * jnp.exp(-x * x))))
    x = jnp.asarray(x)
    return lambda: f(x).block_until_ready()


def _rnn(start: Any, last: Callable[[Any], Any], product: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def run(w: Any, u: Any, b: Any, xs: Any) -> Any:
        h, _ = lax.scan(lambda h, x: (jnp.tanh(product(w, h) + product(u, x) + b), None), start, xs)
        return last(h)

    return run


def scalar_rnn(w: float, u: float, b: float, xs: Any) -> Call:
    rnn = _rnn(jnp.zeros(()), lambda h: h, lambda a, x: a * x)
    f = jax.jit(jax.value_and_grad(rnn, argnums=(0, 1, 2)))
    arguments = tuple(map(jnp.asarray, (w, u, b, xs)))
    return lambda: f(*arguments)[1][0].block_until_ready()


def array_rnn(w: Any, u: Any, b: Any, xs: Any) -> Call:
    rnn = _rnn(jnp.zeros(len(b)), jnp.sum, lambda a, x: a @ x)
    f = jax.jit(jax.value_and_grad(rnn, argnums=(0, 1, 2)))
    arguments = tuple(map(jnp.asarray, (w, u, b, xs)))
    return lambda: f(*arguments)[1][0].block_until_ready()


def first_call(f: Callable[..., Any], x: Any, y: Any) -> Any:
    """The gradient of a function of two arguments, traced, compiled and run."""
    return jax.jit(jax.grad(f, argnums=(0, 1)))(x, y)[0].block_until_ready()
