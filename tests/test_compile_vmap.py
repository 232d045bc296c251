"""Functions mapped along axes of their arguments: what plain loops give, and JAX."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import WrongArguments

X, Y, W = np.arange(6.0).reshape(3, 2) / 3.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.5])


@dataclass
class Params:
    w: np.ndarray
    b: float


def loss(p: Any, x: Any, y: Any) -> Any:
    return (np.tanh(np.sum(p.w * x) + p.b) - y) ** 2


P = Params(W, 0.3)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_gradients_of_each_example_have_the_structure_of_one(backend: str):
    found = ccc.vmap(ccc.gradient(loss, wrt="p"), in_axes=(None, 0, 0), backend=backend)(P, X, Y)
    each = [ccc.gradient(loss, wrt="p")(P, x, y) for x, y in zip(X, Y, strict=True)]
    assert type(found) is Params
    np.testing.assert_allclose(found.w, [one.w for one in each], rtol=1e-12)
    np.testing.assert_allclose(found.b, [one.b for one in each], rtol=1e-12)
    part = ccc.vmap(ccc.value_with_gradient(loss, wrt="p.b"), in_axes=(None, 0, 0), backend=backend)(P, X, Y)
    np.testing.assert_allclose(part[0], [loss(P, x, y) for x, y in zip(X, Y, strict=True)], rtol=1e-12)
    np.testing.assert_allclose(part[1], found.b, rtol=1e-12)


@pytest.mark.usefixtures("doubles_of_jax")
def test_axes_are_those_of_jax():
    jax = pytest.importorskip("jax")

    def f(x, y):
        return {"s": x[0] * y, "x": (x * 2.0, y)}

    for in_axes, out_axes, args in [
        ((1, None), 0, (X, 2.0)), ((0, 0), -1, (X, Y)), ((-1, None), {"s": 0, "x": (1, 0)}, (X, 3.0)),
        ([0, None], {"s": 0, "x": 0}, (X, 1.5)), ((0, None), 1, (X, 1.5)),
    ]:  # fmt: skip
        g = f if out_axes not in (-1, 1) else (lambda x, y: x * y) if out_axes == -1 else lambda x, y: [x, y * x]
        ours, theirs = ccc.vmap(g, in_axes, out_axes), jax.vmap(g, tuple(in_axes), out_axes)
        jax.tree_util.tree_map(np.testing.assert_array_equal, ours(*args), theirs(*args))


def test_structures_lists_and_keywords():
    def f(d, x):
        return d["a"] * x + d["b"]

    def over(d, x):
        return np.array([f({"a": a, "b": d["b"]}, one) for a, one in zip(d["a"], x, strict=True)])

    d = {"a": Y, "b": 2.0}
    np.testing.assert_array_equal(ccc.vmap(f, in_axes=({"a": 0, "b": None}, 0))(d, Y), over(d, Y))
    np.testing.assert_array_equal(ccc.vmap(lambda a, b: a[0] * a[1] - b)([Y, Y + 1.0], b=Y), Y * (Y + 1.0) - Y)
    np.testing.assert_array_equal(ccc.vmap(ccc.vmap(lambda x, y: x * y, (None, 0)), (0, None))(Y, W), np.outer(Y, W))
    np.testing.assert_array_equal(ccc.vmap(lambda x, i: x[i], (None, 0))(Y, np.array([2, 0])), [3.0, 1.0])
    assert ccc.vmap(lambda x: x > 1.5)(Y).tolist() == [False, True, True]
    inside = ccc.compiled(lambda d, x: ccc.vmap(f, in_axes=({"a": 0, "b": None}, 0))(d, x))
    np.testing.assert_array_equal(inside(d, Y), over(d, Y))


def test_derivatives_of_each_item_and_of_each_row():
    np.testing.assert_array_equal(ccc.vmap(ccc.derivative(math.sin))(Y), [math.cos(y) for y in Y])
    found = ccc.vmap(ccc.hessian(lambda x: np.prod(x)))(X)
    np.testing.assert_array_equal(found, [[[0.0, 1.0], [1.0, 0.0]]] * 3)
    np.testing.assert_array_equal(ccc.vmap(ccc.gradient(ccc.gradient(lambda x: x**3)))(Y), 6.0 * Y)
    parts = ccc.vmap(ccc.gradient(lambda p: p["a"] ** 2 * p["n"]))({"a": Y, "n": np.array([1, 2, 3])})
    np.testing.assert_array_equal(parts["a"], 2.0 * Y * np.array([1, 2, 3]))
    assert parts["n"] is None


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_is_mapped_is_differentiated(backend: str):
    def f(x):
        return np.sum(ccc.vmap(lambda row: np.prod(np.sin(row)), 1)(x) ** 2)

    def plain(x):
        return np.sum(np.prod(np.sin(x), 0) ** 2)

    x = X + 1.0
    expected = ccc.gradient(plain)(x)
    np.testing.assert_allclose(ccc.gradient(f, backend=backend)(x), expected, rtol=1e-12)
    value, differential = ccc.value_with_differential(f, backend=backend)(x)
    np.testing.assert_allclose([value, differential(X)], [plain(x), np.sum(expected * X)], rtol=1e-12)
    np.testing.assert_allclose(ccc.hvp(f, backend=backend)(x, X), ccc.hvp(plain)(x, X), rtol=1e-10)


def test_a_pullback_that_was_made_outside_is_mapped_call_by_call():
    def f(p, x):
        return {"a": p["w"] * x, "c": p["b"] * 2.0}

    _, pullback = ccc.vjp(f, {"w": np.ones(2), "b": 1.0}, np.array([2.0, 3.0]))
    p, x = ccc.vmap(pullback)({"a": np.eye(2), "c": np.zeros(2)})
    np.testing.assert_array_equal(p["w"], [[2.0, 0.0], [0.0, 3.0]])
    np.testing.assert_array_equal(x, np.eye(2))
    np.testing.assert_array_equal(p["b"], [0.0, 0.0])
    _, along = ccc.linearize(lambda x: np.array([x[0] * x[1], x[1], x[0]]), np.array([2.0, 3.0]))
    np.testing.assert_array_equal(ccc.vmap(along, out_axes=-1)(np.eye(2)), [[3.0, 2.0], [0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="several sizes, 2 and 3"):
        ccc.vmap(pullback)({"a": np.eye(2), "c": np.zeros(3)})
    with pytest.raises(WrongArguments, match="vmap along axis 1 of an array of 1 axis"):
        ccc.vmap(pullback, in_axes=1)({"a": np.eye(2), "c": np.zeros(2)})
    with pytest.raises(WrongArguments, match="out_axes=None"):
        ccc.vmap(along, out_axes=None)(np.eye(2))


def test_sizes_have_to_agree():
    with pytest.raises(ValueError, match="several sizes"):
        ccc.vmap(lambda x, y: x * y)(Y, X[:2])
    with pytest.raises(ValueError, match="no items"):
        ccc.vmap(lambda x: x)(np.zeros(0))
    with pytest.raises(ValueError, match="several sizes"):
        ccc.vmap(lambda xs: xs[0])([Y, Y[:2]])


def test_a_number_has_no_axis():
    with pytest.raises(WrongArguments, match="vmap along axis 0 of a real number"):
        ccc.vmap(lambda x, y: x * y)(Y, 2.0)
