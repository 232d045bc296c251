"""What JAX has beside NumPy's and SciPy's functions: activations, control as functions, and `jit`.

    relu        max(x, 0), slope 0 at 0     silu        x sigmoid(x)        softplus    log(1 + e^x)
    elu         e^x - 1 below 0             gelu        x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    scan        (c, y) = f(c, x) along x    while_loop  c = f(c) while test(c)

>>> relu(np.array([-1.0, 2.0])), fori_loop(0, 3, lambda i, x: x + i, 1)
(array([0., 2.]), 4)
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.tree
import numpy as np
from jax import lax, nn, tree_util

from ccc.compile.api.derivative_overrides import without_derivative
from ccc.compile.frontend.counterparts import counterpart
from ccc.compile.frontend.numpy_functions.table import definition_of, refuse

functions: Any = nn
control: Any = lax


def of_jax(*originals: Any) -> Any:
    """Enter a definition as that of functions of JAX's."""
    return definition_of(*map(counterpart, originals))


@of_jax(functions.relu)
def relu(x: Any) -> Any:
    return np.where(x <= 0.0, 0.0, x)


@of_jax(functions.relu6)
def relu6(x: Any) -> Any:
    return np.where(x <= 0.0, 0.0, np.where(x >= 6.0, 6.0, x))


@of_jax(functions.sigmoid, control.logistic)
def sigmoid(x: Any) -> Any:
    return np.exp(-np.logaddexp(0.0, -x))


@of_jax(functions.log_sigmoid)
def log_sigmoid(x: Any) -> Any:
    return -np.logaddexp(0.0, -x)


@of_jax(functions.softplus)
def softplus(x: Any) -> Any:
    return np.logaddexp(x, 0.0)


@of_jax(functions.silu, functions.swish)
def silu(x: Any) -> Any:
    return x * sigmoid(x)


@of_jax(functions.gelu)
def gelu(x: Any, approximate: Any = True) -> Any:
    if not approximate:
        refuse("`gelu` by the error function", "write it: `x * scipy.special.ndtr(x)`")
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


@of_jax(functions.elu)
def elu(x: Any, alpha: Any = 1.0) -> Any:
    return np.where(x > 0.0, x, alpha * np.expm1(np.where(x > 0.0, 0.0, x)))


@of_jax(functions.leaky_relu)
def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    return np.where(x >= 0.0, x, negative_slope * x)


@of_jax(functions.softmax)
def softmax(x: Any, axis: Any = -1) -> Any:
    powers = np.exp(x - without_derivative(np.max(x, axis=axis, keepdims=True)))
    return powers / np.sum(powers, axis=axis, keepdims=True)


@of_jax(functions.log_softmax)
def log_softmax(x: Any, axis: Any = -1) -> Any:
    shifted = x - without_derivative(np.max(x, axis=axis, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@of_jax(functions.one_hot)
def one_hot(x: Any, num_classes: Any) -> Any:
    return np.where(np.expand_dims(x, -1) == np.arange(num_classes), 1.0, 0.0)


@of_jax(control.fori_loop)
def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    for i in range(lower, upper):
        init_val = body_fun(i, init_val)
    return init_val


@of_jax(control.while_loop)
def while_loop(cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
    while cond_fun(init_val):
        init_val = body_fun(init_val)
    return init_val


@of_jax(control.cond)
def cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any) -> Any:
    return true_fun(*operands) if pred else false_fun(*operands)


@of_jax(control.scan)
def scan(f: Any, init: Any, xs: Any = None, length: Any = None) -> Any:
    if isinstance(xs, dict):
        refuse("`scan` along a dict", "give a tuple of arrays")
    rows = range(length) if xs is None else zip(*xs, strict=True) if isinstance(xs, tuple) else xs
    found = []
    for x in rows:
        init, y = f(init, x)
        found.append(y)
    if not found or found[0] is None:
        return init, None
    if isinstance(found[0], tuple):
        return init, tuple([np.stack(ys) for ys in zip(*found, strict=True)])
    return init, np.stack(found)


@of_jax(control.stop_gradient)
def stop_gradient(x: Any) -> Any:
    return without_derivative(x)


@of_jax(control.rsqrt)
def rsqrt(x: Any) -> Any:
    return 1.0 / np.sqrt(x)


@of_jax(jax.jit, jax.checkpoint)
def jit(fun: Any, **options: Any) -> Any:
    return fun


@of_jax(jax.tree.map, tree_util.tree_map)
def tree_map(f: Any, tree: Any, *rest: Any) -> Any:
    if tree is None:
        return None
    if isinstance(tree, dict):
        return {k: tree_map(f, x, *[other[k] for other in rest]) for k, x in tree.items()}
    if isinstance(tree, tuple):
        return tuple([tree_map(f, *xs) for xs in zip(tree, *rest, strict=True)])
    if isinstance(tree, list):
        return [tree_map(f, *xs) for xs in zip(tree, *rest, strict=True)]
    return f(tree, *rest)


@of_jax(jax.tree.leaves, tree_util.tree_leaves)
def tree_leaves(tree: Any) -> Any:
    if tree is None:
        return []
    parts = [tree[k] for k in sorted(tree)] if isinstance(tree, dict) else tree
    if isinstance(tree, (dict, list, tuple)):
        return [leaf for part in parts for leaf in tree_leaves(part)]
    return [tree]


class At:
    """`x.at`: what has the same entries as an array but for some."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        return Entries(self.array, key)


class Entries:
    """`x.at[key]`."""

    def __init__(self, array: Any, key: Any) -> None:
        self.array = array
        self.key = key

    def get(self) -> Any:
        return self.array[self.key]

    def set(self, values: Any) -> Any:
        found = np.copy(self.array)
        found[self.key] = values
        return found

    def add(self, values: Any) -> Any:
        found = np.copy(self.array)
        np.add.at(found, self.key, values)
        return found

    def multiply(self, values: Any) -> Any:
        found = np.copy(self.array)
        found[self.key] = found[self.key] * values
        return found
