"""Dicts of constant keys and mixed items of the caller's objects, changed in loops and seen under other names."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc


class Tanh:
    def fn(self, z):
        return np.tanh(z)

    def grad(self, z):
        return 1.0 - np.tanh(z) ** 2


class Layer:
    def __init__(self, n_in, n_out, seed):
        rng = np.random.default_rng(seed)
        self.hyperparameters = {"act_fn": Tanh(), "n_out": n_out, "init": "glorot", "lr": 0.1}
        self.parameters = {"W": rng.normal(size=(n_in, n_out)), "b": np.zeros((1, n_out)), "components": {}}
        self.derived = {"X": None, "Z": None, "calls": 0}
        self.gradients = {"W": None, "b": None}

    def forward(self, X):
        Z = X @ self.parameters["W"] + self.parameters["b"]
        self.derived["X"] = X
        self.derived["Z"] = Z
        self.derived["calls"] += 1
        return self.hyperparameters["act_fn"].fn(Z)

    def backward(self, dY):
        dZ = dY * self.hyperparameters["act_fn"].grad(self.derived["Z"])
        self.gradients["W"] = self.derived["X"].T @ dZ
        self.gradients["b"] = dZ.sum(axis=0, keepdims=True)
        return dZ @ self.parameters["W"].T

    def update(self):
        for k in self.gradients:
            self.parameters[k] = self.parameters[k] - self.hyperparameters["lr"] * self.gradients[k]


class Keeping(Layer):
    """What was seen is kept in lists until the update, which sets gradients to zero while it runs along them."""

    def __init__(self, n_in, n_out, seed):
        super().__init__(n_in, n_out, seed)
        self.gradients = {"W": np.zeros((n_in, n_out)), "b": np.zeros((1, n_out))}
        self.derived = {"X": [], "Z": [], "calls": 0}

    def forward(self, X):
        Z = X @ self.parameters["W"] + self.parameters["b"]
        self.derived["X"].append(X)
        self.derived["Z"].append(Z)
        self.derived["calls"] += 1
        return self.hyperparameters["act_fn"].fn(Z)

    def backward(self, dY):
        dX = dY
        for X, Z in zip(self.derived["X"], self.derived["Z"], strict=True):
            dZ = dY * self.hyperparameters["act_fn"].grad(Z)
            self.gradients["W"] += X.T @ dZ
            self.gradients["b"] += dZ.sum(axis=0, keepdims=True)
            dX = dZ @ self.parameters["W"].T
        return dX

    def update(self):
        for k, v in self.gradients.items():
            if k in self.parameters:
                self.parameters[k] -= self.hyperparameters["lr"] * v
        for k, v in self.gradients.items():
            self.gradients[k] = np.zeros_like(v)
        self.derived = {"X": [], "Z": [], "calls": 0}


def one_step(layer, X, Y):
    d = layer.forward(X) - Y
    layer.backward(d)
    layer.update()
    return np.sum(d**2)


def trained(layer, X, Y):
    losses = []
    for _ in range(3):
        losses.append(one_step(layer, X, Y))
    return losses


def trained_together(layers, X, Y):
    out = X
    for layer in layers:
        out = layer.forward(out)
    d = out - Y
    for layer in reversed(layers):
        d = layer.backward(d)
    for layer in layers:
        layer.update()
    return np.sum((out - Y) ** 2)


X, Y = np.arange(6.0).reshape(3, 2) / 5, np.array([[1.0], [0.0], [1.0]])


def contents(value: Any) -> Any:
    """What is in lists, dicts and objects, with the classes of numbers."""
    if isinstance(value, dict):
        return [(k, contents(v)) for k, v in value.items()]
    if isinstance(value, list | tuple):
        return [type(value), *map(contents, value)]
    if isinstance(value, np.ndarray):
        return value.shape, np.round(value, 9).tolist()
    if hasattr(value, "__dict__"):
        return type(value), contents(vars(value))
    return (type(value), round(float(value), 9)) if isinstance(value, float) else value


def agrees(f: Callable[..., Any], *args: Any) -> None:
    """A function gives and changes what plain Python does."""
    plain, ours = copy.deepcopy(args), copy.deepcopy(args)
    assert contents(ccc.compiled(f)(*ours)) == contents(f(*plain))
    assert contents(ours) == contents(plain)


@pytest.mark.share(4)
@pytest.mark.parametrize("f", [one_step, trained])
@pytest.mark.parametrize("cls", [Layer, Keeping])
def test_layers_are_trained(f: Callable[..., Any], cls: type) -> None:
    agrees(f, cls(2, 1, 0), X, Y)


def test_layers_in_a_list_are_trained() -> None:
    agrees(trained_together, [Layer(2, 3, 0), Layer(3, 1, 1)], X, Y)


def test_the_caller_has_the_array_itself_in_a_list_that_was_empty() -> None:
    layer = Keeping(2, 1, 0)
    ccc.compiled(lambda layer, X: layer.forward(X))(layer, X)
    assert layer.derived["X"][0] is X


class Model:
    def __init__(self):
        self.p = {"W": np.ones(2), "n": 0, "name": "m", "sub": {"a": 1.0, "b": np.zeros(2)}, "none": None}
        self.q = {"k": [1.0], "v": np.ones(2)}


def along_what_changes(m, x):
    seen = []
    for _ in range(2):
        for _, v in m.p["sub"].items():
            m.p["sub"]["b"] = m.p["sub"]["b"] + x
            m.p["sub"]["a"] = m.p["sub"]["a"] * 2
            seen.append(float(np.sum(v)))
    return seen


def under_two_names(m, x):
    d, other = m.p, m.q
    for i in range(3):
        d["n"] += 1
        d["W"] = d["W"] * x
        m.p["sub"]["a"] += d["n"]
        other["k"].append(x * i)
        other["v"] = d["W"]
    return d["n"], m.p["n"], d is m.p


def another_one(m, x):
    old = m.q
    for _ in range(2):
        m.q = {"k": [x], "v": m.q["v"] + 1}
        m.q["k"].append(2 * x)
    old["k"].append(9.0)
    return old["k"], m.q["k"]


def another_key(m, x):
    for _ in range(2):
        m.q["v"] = m.q["v"] * x
        m.q["k"].append(x)
    m.q["z"] = 5.0
    return len(m.q), "z" in m.q, "y" in m.q, list(m.q)


def shared_by_two(m, x):
    a, b = Model(), Model()
    a.p["sub"] = m.p["sub"]
    for i in range(3):
        a.p["sub"]["a"] *= x
        b.p["n"] += i
        m.p["n"] += 10
    return a.p["sub"]["a"], m.p["sub"]["a"], b.p["n"], a.p["sub"] is m.p["sub"]


def copied(m, x):
    for _ in range(2):
        m.q["k"].append(x)
    deep, flat, other = copy.deepcopy(m.q), dict(m.q), m.q.copy()
    deep["k"].append(100.0)
    deep["v"] = deep["v"] + 1
    flat["v"] = 0.0
    other["k"] = []
    return deep["k"], m.q["k"], flat["v"], len(other["k"])


def by_its_methods(m, x):
    for _ in range(2):
        for k in m.q:
            if k == "v":
                m.q[k] = m.q[k] * x
            else:
                m.q[k].append(x)
        m.p.update(n=m.p["n"] + 1, none=None)
        m.p.update({"W": m.p["W"] + 1})
    return m.p.get("n"), m.p.get("zz", 7), m.p.setdefault("n", 3), sorted(m.q), m.p["name"]


@pytest.mark.parametrize("f", [
    along_what_changes, under_two_names, another_one, another_key, shared_by_two, copied, by_its_methods])
def test_changes_are_those_of_python(f: Callable[..., Any]) -> None:
    agrees(f, Model(), 1.5)


def test_gradients_go_through_them() -> None:
    def f(x, m):
        seen = along_what_changes(m, x)
        under_two_names(m, x)
        another_one(m, x)
        return sum(seen) * x + np.sum(m.q["v"]) + sum(m.q["k"]) + np.sum(m.p["W"]) + m.p["sub"]["a"] * x

    slope = ccc.gradient(f)(1.5, Model())
    slope = slope[0] if isinstance(slope, tuple) else slope
    assert slope == pytest.approx((f(1.5 + 1e-6, Model()) - f(1.5 - 1e-6, Model())) / 2e-6, rel=1e-6)
