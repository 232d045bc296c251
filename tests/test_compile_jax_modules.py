"""Programs written with JAX's modules: values and gradients are those of JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import ccc

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.usefixtures("doubles_of_jax")
jnp, lax, nn = jax.numpy, jax.lax, jax.nn
logsumexp = pytest.importorskip("jax.scipy.special").logsumexp
norm = pytest.importorskip("jax.scipy.stats").norm

X = np.array([0.3, -0.4, 1.2])


def of_arrays(x: Any) -> Any:
    h = jnp.where(x > 0.0, x, jnp.zeros_like(x))
    w = jnp.eye(3) + jnp.outer(x, x)
    rows = jnp.stack([jnp.array([x[0], 2.0 * x[1]]), x[1:]])
    return jnp.sum(jnp.linalg.solve(w, h)) + jnp.linalg.norm(x) + jnp.einsum("i,i->", x, x) + jnp.trace(rows)


def of_scipy(x: Any) -> Any:
    return logsumexp(x) + norm.logpdf(x, 0.0, 2.0).sum() + jax.scipy.special.gammaln(x**2 + 1.0).sum()


def of_activations(x: Any) -> Any:
    found = nn.relu(x) + nn.relu6(4.0 * x) + nn.sigmoid(x) + nn.softplus(x) + nn.silu(x) + nn.gelu(x) + nn.elu(x)
    found = found + nn.leaky_relu(x) + nn.log_sigmoid(x) + nn.softmax(x) * nn.one_hot(1, 3) + nn.log_softmax(x)
    return jnp.sum(found * x) + nn.logsumexp(jnp.outer(x, x), axis=1).sum()


@jax.jit
def squared(x: Any) -> Any:
    return jnp.sum(x**2)


@partial(jax.jit, static_argnums=1)
def power(x: Any, n: int) -> Any:
    return jnp.sum(x**n)


def of_compiled(x: Any) -> Any:
    return squared(x) * power(x, 3) + jax.jit(lambda v: jnp.prod(v))(x)


def of_control(x: Any) -> Any:
    carried, rows = lax.scan(lambda c, v: (c * v + 1.0, (c + v, c * v)), 1.0, x)
    looped = lax.fori_loop(0, 3, lambda i, c: c * x[2] + i, 1.0)
    return carried + jnp.sum(rows[0] * rows[1]) + looped + lax.cond(x[0] > 0.0, lambda a: a * a, lambda a: a, x[1])


def of_entries(x: Any) -> Any:
    changed = x.at[0].set(2.0 * x[1]).at[:2].multiply(3.0)
    return jnp.sum(changed**2) + jnp.prod(x.at[jnp.array([1, 1])].add(x[0])) + x.at[2].get()


def of_verbs(x: Any) -> Any:
    inner = jax.grad(lambda a: jnp.sum(a**3))(x)
    return jnp.sum(inner * jax.vmap(lambda a: a * a)(x)) + jnp.sum(lax.stop_gradient(x) * x)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(
    "f", [of_arrays, of_scipy, of_activations, of_compiled, of_control, of_entries, of_verbs, squared],
    ids=lambda f: f.__name__)
def test_values_and_gradients_are_those_of_jax(f: Callable[..., Any], backend: Any):
    value, slope = ccc.value_with_gradient(f, backend=backend)(X)
    assert np.allclose(value, f(jnp.asarray(X)), rtol=1e-12)
    assert np.allclose(slope, jax.grad(f)(X), rtol=1e-11)


def test_structures_are_mapped_leaf_by_leaf():
    def loss(params: Any, x: Any) -> Any:
        moved = jax.tree.map(lambda p, q: p + 0.1 * q, params, params)
        return jnp.mean(jnp.tanh(x @ moved["w"] + moved["b"][0]) ** 2) + 0.1 * sum(
            jnp.sum(p**2) for p in jax.tree_util.tree_leaves(params))

    params = {"w": np.ones((3, 2)), "b": [np.zeros(2)]}
    found, expected = ccc.grad(loss)(params, X), jax.grad(loss)(params, X)
    assert np.allclose(found["w"], expected["w"]) and np.allclose(found["b"][0], expected["b"][0])


@pytest.mark.parametrize("f", [nn.relu, nn.elu, nn.leaky_relu, nn.relu6], ids=lambda f: f.__name__)
def test_slopes_at_kinks_are_those_of_jax(f: Any):
    assert float(ccc.grad(lambda x: f(x))(0.0)) == float(jax.grad(lambda x: f(x))(0.0))
