"""`wrt` names parts of arguments by a path: of dicts, objects, tuples and lists, in both modes, also in programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import WrongArguments
from ccc.compile.frontend.wanted_parts import parsed
from ccc.compile.terms.wanted import reach


@dataclass
class Layer:
    w: np.ndarray
    b: float
    times: int = 2


@dataclass
class Net:
    layers: list[Layer]
    scale: float

    def loss(self, x: Any) -> Any:
        for layer in self.layers:
            x = np.tanh(x * layer.w + layer.b) * layer.times
        return np.sum(x) * self.scale


def net() -> Net:
    return Net([Layer(np.array([1.0, 2.0]), 0.5), Layer(np.array([3.0, 4.0]), 0.25)], 2.0)


def loss(net: Net, x: Any) -> Any:
    return net.loss(x)


X = np.array([0.1, 0.2])
PATHS = ["net.scale", "net.layers", "net.layers[0]", "net.layers[1].w", "net.layers[-1].b"]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, Layer):
        return type(b) is Layer and same(a.w, b.w) and same(a.b, b.b) and same(a.times, b.times)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=0.0)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_part_has_the_cotangent_that_it_has_in_that_of_the_whole(backend: str):
    whole = ccc.gradient(loss, wrt="net", backend=backend)(net(), X)
    for path in PATHS:
        assert same(ccc.gradient(loss, wrt=path, backend=backend)(net(), X), reach(whole, parsed(path)[1])), path
    several = ccc.gradient(loss, wrt=("net.layers[1]", "x", "net.scale"), backend=backend)(net(), X)
    assert same(several[0], whole.layers[1]) and same(several[2], whole.scale)
    assert same(several[1], ccc.gradient(loss, wrt="x", backend=backend)(net(), X))


def test_inside_a_program_it_is_the_same():
    for path in (*PATHS, ("net.scale", "net.layers[0].b", "x")):
        inside = ccc.compiled(lambda net, x, path=path: ccc.gradient(loss, wrt=path)(net, x))
        assert same(inside(net(), X), ccc.gradient(loss, wrt=path)(net(), X)), path


def test_the_differential_moves_the_part_alone_and_in_the_order_asked():
    paths = ("net.layers[0].b", "net.scale", "net.layers[1].w")
    slopes = ccc.gradient(loss, wrt=paths)(net(), X)
    moves = 1.0, -2.0, np.array([0.5, 3.0])
    expected = sum([np.sum(slope * move) for slope, move in zip(slopes, moves, strict=True)])
    value, differential = ccc.value_with_differential(loss, wrt=paths)(net(), X)
    assert value == loss(net(), X) and np.isclose(differential(*moves), expected, rtol=1e-12)
    inside = ccc.compiled(lambda net, x, a, b, c: ccc.value_with_differential(loss, wrt=paths)(net, x)[1](a, b, c))
    assert np.isclose(inside(net(), X, *moves), expected, rtol=1e-12)


def test_tangents_come_in_the_order_of_wrt():
    def f(x, y):
        return x * x * y

    differential = ccc.value_with_differential(f, wrt=("y", "x"))(2.0, 5.0)[1]
    assert (differential(1.0, 0.0), differential(0.0, 1.0)) == (4.0, 20.0)
    inside = ccc.compiled(lambda x, y: ccc.value_with_differential(f, wrt=("y", "x"))(x, y)[1](1.0, 0.0))
    assert inside(2.0, 5.0) == 4.0
    assert ccc.jacfwd(f, (1, 0))(2.0, 5.0) == (4.0, 20.0) == ccc.jacrev(f, (1, 0))(2.0, 5.0)


def test_tangents_of_what_is_named_twice_are_added():
    def f(p):
        return p["x"] ** 2 * p["y"]

    p = {"x": 2.0, "y": 5.0}
    differential = ccc.value_with_differential(f, wrt=("p['x']", "p", "p['x']"))(p)[1]
    assert differential(1.0, {"x": 0.5, "y": 1.0}, 2.0) == 3.5 * 20.0 + 4.0
    lists = ccc.value_with_differential(lambda v: v[0] ** 2 * v[1], wrt=("v[0]", "v[1]", "v"))([2.0, 5.0])[1]
    assert lists(1.0, 1.0, [1.0, 0.0]) == 2 * 20.0 + 4.0


def test_second_derivatives_in_parts():
    def f(p):
        return p["x"] ** 3 * p["y"] ** 2

    inner = ccc.gradient(f, wrt="p['x']")
    assert ccc.gradient(inner, wrt="p['y']")({"x": 2.0, "y": 5.0}) == 3 * 4.0 * 2 * 5.0
    assert ccc.jacobian(f, wrt="p['x']")({"x": 2.0, "y": 5.0}) == 300.0


def test_integers_in_other_parts_stay_integers():
    def f(p):
        return p["x"] * p["k"], p["k"]

    (value, kept), pullback = ccc.value_with_pullback(f, wrt="p['x']")({"x": 2.0, "k": 3})
    assert (value, kept, type(kept)) == (6.0, 3, int) and pullback((1.0, 0.0)) == 3.0
    assert ccc.gradient(lambda p: f(p)[0], wrt="p['k']")({"x": 2.0, "k": 3}) == 2.0


def test_tuples_and_positions_from_the_end():
    def f(t):
        return t[0] * t[1][0]

    assert ccc.gradient(f, wrt=("t[0]", "t[1][-1]", "t[-1]"))((2.0, (3.0,))) == (3.0, 2.0, (2.0,))
    assert ccc.value_with_differential(f, wrt=("t[-1][0]", "t[-2]"))((2.0, (3.0,)))[1](1.0, 10.0) == 2.0 + 30.0


def test_a_part_does_not_pay_for_the_others():
    def f(p):
        hidden = np.tanh(p["first"] @ p["x"])
        return np.sum(np.tanh(p["second"] @ hidden))

    p = {"first": np.ones((3, 2)), "second": np.ones((2, 3)), "x": np.ones(2)}
    code = {wrt: ccc.explain(ccc.gradient(f, wrt=wrt), p).code for wrt in ("p", "p['second']", "p['x']")}
    lines = {wrt: len(text.splitlines()) for wrt, text in code.items()}
    assert lines["p['second']"] < lines["p['x']"] < lines["p"]
    alone = ccc.explain(
        ccc.gradient(lambda a, b, x: f({"first": a, "second": b, "x": x}), wrt="b"), *p.values()).code
    assert lines["p['second']"] <= len(alone.splitlines()) + 3  # where the parts are read


def test_a_method_is_differentiated_in_the_object_by_the_function():
    whole = ccc.gradient(loss, wrt="net.scale")(net(), X)
    assert ccc.gradient(Net.loss, wrt="self.scale")(net(), X) == whole
    assert same(ccc.gradient(net().loss)(X), ccc.gradient(loss, wrt="x")(net(), X))
    with pytest.raises(WrongArguments, match=r"take it of the function: gradient\(Net.loss, wrt='self'\)"):
        ccc.gradient(net().loss, wrt="self.scale")(X)


@pytest.mark.parametrize(
    ("path", "message", "mend"),
    [
        ("net.layer", "`net` has no part `.layer`", 'write "net.layers"'),
        ("net.layers[5]", "`net.layers` has no part `[5]`", 'write "net.layers[1]"'),
        ("net.layers[0].c", "`net.layers[0]` has no part `.c`", 'write "net.layers[0].w"'),
        ("net.layers.w", "`net.layers` has no part `.w`", 'write "net.layers"'),
        ("net['scale']", "`net` has no part `['scale']`", 'write "net.scale"'),
        ("net.layers[0].w[1]", "`net.layers[0].w` is an array", "take `[1]` of the gradient"),
        ("net.layers[", "is no path", '"params.w"'),
        ("other.w", "was given no argument `other`", "name one of net, x"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_by_the_nearest(path: str, message: str, mend: str):
    with pytest.raises(WrongArguments) as caught:
        ccc.gradient(loss, wrt=path)(net(), X)
    assert message in str(caught.value) and mend in str(caught.value)


def test_so_is_one_inside_a_program():
    with pytest.raises(WrongArguments, match=r"`net.layers\[0\]` has no part `.c`"):
        ccc.compiled(lambda net, x: ccc.gradient(loss, wrt="net.layers[0].c")(net, x))(net(), X)
