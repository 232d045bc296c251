"""Jacobians and Hessians of and in structures, products with them, Laplacians and derivatives along curves."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import WrongArguments
from ccc.compile.terms.scalar_results import NotScalar

X, Y = np.array([0.5, 2.0]), np.array([1.5, 0.3])


@dataclass
class Params:
    w: np.ndarray
    b: float


def flat(p: Params) -> np.ndarray:
    return np.array([*p.w, p.b])


def of(v: Any) -> Params:
    return Params(np.array(v[:2]), float(v[2]))


def loss(p: Any, x: Any) -> Any:
    return np.sum(np.sin(p.w * x) * p.b**2) + p.b * p.w[0]


def quotients(f: Any, x: Any, h: float = 1e-5) -> Any:
    """Central differences, the axes of the value first."""
    moves = np.eye(np.size(x)).reshape(np.size(x), *np.shape(x)) * h
    columns = [(np.asarray(f(x + d)) - np.asarray(f(x - d))) / (2 * h) for d in moves]
    return np.moveaxis(np.array(columns), 0, -1).reshape(*np.shape(columns[0]), *np.shape(x))


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_hessian_in_an_object_has_its_structure_twice(backend: str):
    p = Params(X, 3.0)
    found = ccc.hessian(loss, backend=backend)(p, Y)
    assert type(found) is Params and type(found.w) is Params
    whole = np.block([[found.w.w, found.w.b[:, None]], [found.b.w[None, :], np.array([[found.b.b]])]])  # pyright: ignore[reportAttributeAccessIssue]
    slope = ccc.gradient(loss, wrt=0)
    np.testing.assert_allclose(whole, quotients(lambda v: flat(slope(of(v), Y)), flat(p)), rtol=1e-7, atol=1e-8)
    np.testing.assert_array_equal(ccc.hessian(loss, "p.w", backend=backend)(p, Y), found.w.w)
    assert ccc.hessian(loss, "p.b", backend=backend)(p, x=Y) == found.b.b  # pyright: ignore[reportAttributeAccessIssue]


def test_a_hessian_in_several_arguments_is_a_tuple_of_tuples():
    def f(x, y):
        return np.sum(x**3 * y**2)

    found = ccc.hessian(f, (0, 1))(X, Y)
    assert type(found) is tuple and all(type(row) is tuple for row in found)
    np.testing.assert_allclose(found[0][0], np.diag(6 * X * Y**2))
    np.testing.assert_allclose(found[0][1], np.diag(6 * X**2 * Y))
    np.testing.assert_allclose(found[1][0], found[0][1].T)
    np.testing.assert_allclose(found[1][1], np.diag(2 * X**3))
    named = ccc.hessian(f, ("y", "x"))(X, Y)
    np.testing.assert_array_equal(named[0][0], found[1][1])
    np.testing.assert_array_equal(named[0][1], found[1][0])


def test_a_hessian_of_values_in_a_structure_has_theirs_before():
    def both(p, x):
        return {"rows": np.sin(p.w * x) * p.b**2, "loss": loss(p, x)}

    p = Params(X[:2], 0.7)
    found = ccc.hessian(both)(p, Y[:2])
    np.testing.assert_array_equal(found["loss"].w.w, ccc.hessian(loss)(p, Y[:2]).w.w)
    slopes = ccc.jacobian(both, "p.w")
    for of, name in ((found["rows"].w.b, "p.b"), (found["rows"].w.w, "p.w")):
        np.testing.assert_allclose(of, ccc.jacobian(slopes, name)(p, x=Y[:2])["rows"], rtol=1e-14)
    np.testing.assert_allclose(found["rows"].w.b, np.diag(2 * p.b * Y[:2] * np.cos(p.w * Y[:2])))


def test_what_wraps_a_function_has_the_names_of_its_arguments():
    @functools.wraps(loss)
    def twice(*args: Any, **kwargs: Any) -> Any:
        return 2.0 * loss(*args, **kwargs)

    p = Params(X, 3.0)
    np.testing.assert_array_equal(ccc.gradient(twice, wrt="x")(p, Y), 2.0 * ccc.gradient(loss, wrt="x")(p, Y))
    np.testing.assert_array_equal(ccc.hessian(twice, "x")(p, Y), 2.0 * ccc.hessian(loss, "x")(p, Y))


def test_a_list_has_a_jacobian_by_columns_for_each_item():
    assert [part.tolist() for part in ccc.jacfwd(lambda x: [x[0] * x[1], x[0]])(X[:2])] == [[X[1], X[0]], [1.0, 0.0]]


@pytest.mark.parametrize("verb", [ccc.jacobian, ccc.jacfwd, ccc.jacrev])
def test_a_jacobian_of_a_structure_has_that_of_the_argument_at_each_part(verb: Any):
    def f(p, x):
        return {"all": np.sin(p.w * x), "more": (p.b * p.w[1], np.outer(x, p.w)), "name": "f"}

    p = Params(X, 3.0)
    found = verb(f)(p, Y)
    assert list(found) == ["all", "more", "name"] and type(found["all"]) is Params and found["name"] is None
    wanted = quotients(lambda v: np.sin(v[:2] * Y), flat(p))
    np.testing.assert_allclose(found["all"].w, wanted[:, :2], rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(found["all"].b, np.zeros(2))
    np.testing.assert_allclose(found["more"][0].w, [0.0, 3.0])
    assert found["more"][0].b == X[1]
    np.testing.assert_allclose(found["more"][1].w, quotients(lambda w: np.outer(Y, w), X), rtol=1e-7, atol=1e-9)
    several = verb(f, ("x", "p.b"))(p, Y)
    assert several["more"][0][1] == X[1] and several["all"][0].shape == (2, 2)


@pytest.mark.parametrize("verb", [ccc.jacobian, ccc.jacfwd, ccc.hessian])
def test_single_precision_stays(verb: Any):
    found = verb(lambda x: np.sum(x**3))(X.astype(np.float32))
    assert found.dtype == np.float32


def test_what_is_handed_out_beside():
    def f(x, y):
        return np.sum(x**3 * y), {"seen": x, "name": "f"}

    def check(found):
        assert found["name"] == "f" and np.array_equal(found["seen"], X)

    for verb in (ccc.hvp, ccc.vhp):
        product, aux = verb(f, has_aux=True)(X, Y, Y)
        np.testing.assert_allclose(product, 6 * X * Y * Y)
        check(aux)
    matrix, aux = ccc.hessian(f, has_aux=True)(X, Y)
    np.testing.assert_allclose(matrix, np.diag(6 * X * Y))
    check(aux)
    value, differential, aux = ccc.linearize(f, X, Y, has_aux=True)
    assert value == f(X, Y)[0] and np.isclose(differential(Y, X), np.sum(3 * X**2 * Y * Y + X**3 * X))
    check(aux)
    both, differential = ccc.value_with_differential(f, wrt="x", has_aux=True)(X, Y)
    check(both[1])
    assert np.isclose(differential(Y), np.sum(3 * X**2 * Y * Y))
    inside = ccc.compiled(lambda x, y: ccc.value_with_differential(f, wrt="x", has_aux=True)(x, y)[1](y))
    assert inside(X, Y) == differential(Y)


def test_products_in_several_arguments():
    def f(x, y):
        return np.sum(x**3 * y**2)

    full = ccc.hessian(f, (0, 1))(X, Y)
    for verb in (ccc.hvp, ccc.vhp):
        dx, dy = verb(f, (0, 1))(X, Y, (Y, X))
        np.testing.assert_allclose(dx, full[0][0] @ Y + full[0][1] @ X)
        np.testing.assert_allclose(dy, full[1][0] @ Y + full[1][1] @ X)
        np.testing.assert_allclose(verb(f)(X, Y, Y), full[0][0] @ Y)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_laplacian_is_the_trace_of_the_hessian(backend: str):
    def f(x, y):
        return np.prod(np.sin(x)) * np.sum(x * y**3)

    for k in (0, 1, -1):
        full = ccc.hessian(f, k % 2)(X, Y)
        np.testing.assert_allclose(ccc.laplacian(f, k, backend=backend)(X, Y), np.trace(full), rtol=1e-12)
    field = ccc.laplacian(lambda x: x**3 * x[0], backend=backend)(X)
    np.testing.assert_allclose(field, [12 * X[0] ** 2, 6 * X[0] * X[1]])
    assert ccc.laplacian(math.sin, backend=backend)(0.5) == pytest.approx(-math.sin(0.5), rel=1e-15)
    inside = ccc.compiled(lambda x, y: ccc.gradient(lambda x: ccc.laplacian(f)(x, y))(x), backend=backend)
    np.testing.assert_allclose(inside(X, Y), quotients(lambda x: ccc.laplacian(f)(x, Y), X), rtol=1e-6)


def test_derivatives_along_a_curve():
    value, terms = ccc.jet(math.sin, (0.3,), ((1.0, 0.0, 0.0, 0.0, 0.0),))
    sin, cos = math.sin(0.3), math.cos(0.3)
    assert value == sin and terms == pytest.approx([cos, -sin, -cos, sin, cos], rel=1e-14)

    def f(x, y):
        for _ in range(3):
            x = np.sin(x) * y if x[0] < 3.0 else x
        return {"x": x, "s": np.sum(x)}["x"]

    value, terms = ccc.jet(f, (X, Y), ((Y, X, Y), (X, Y, X)))
    h = 1e-2

    def at(t):
        return f(X + t * Y + t**2 / 2 * X + t**3 / 6 * Y, Y + t * X + t**2 / 2 * Y + t**3 / 6 * X)

    np.testing.assert_allclose(value, at(0.0))
    points = np.array([at(k * h) for k in range(-3, 4)])
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / (180 * h**2)
    third = np.array([1, -8, 13, 0, -13, 8, -1]) / (8 * h**3)
    for found, weights, tolerance in zip(terms, (first, second, third), (1e-7, 1e-6, 1e-3), strict=True):
        np.testing.assert_allclose(found, weights @ points, rtol=tolerance)


@pytest.mark.usefixtures("doubles_of_jax")
def test_jets_are_those_of_jax():
    jax = pytest.importorskip("jax")
    from jax.experimental.jet import jet

    theirs = jet(lambda x, y: jax.numpy.exp(x) * y, (X, Y), ((X, Y, X), (Y, X, Y)))
    ours = ccc.jet(lambda x, y: np.exp(x) * y, (X, Y), ((X, Y, X), (Y, X, Y)))
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12)


class Bends:
    def __init__(self, w: Any, b: Any, n: Any = 2):
        self.w, self.b, self.n = w, b, n


def bent(p):
    return np.sum(p.w**p.n * p.b**3)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_laplacian_adds_up_all_parts_of_a_structure(backend: str):
    w, b = np.array([1.0, 2.0]), 0.5
    expected = np.sum(2.0 * b**3) * 2 + np.sum(w**2) * 6.0 * b
    assert ccc.laplacian(bent, backend=backend)(Bends(w, b)) == pytest.approx(expected, rel=1e-13)
    seen = ccc.laplacian(lambda p, k=1.0: (k * p["w"] ** 2 * p["b"], "seen"), has_aux=True, backend=backend)
    assert seen({"w": 3.0, "b": 0.5}, k=2.0) == (2.0, "seen")


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_jet_runs_along_curves_of_structures(backend: str):
    p, along = {"x": 0.3, "y": 2}, ({"x": 1.0, "y": 0.5}, {"x": 0.0, "y": None})
    value, terms = ccc.jet(lambda p: np.sin(p["x"]) * p["y"], (p,), (along,), backend=backend)
    assert value == pytest.approx(2 * math.sin(0.3), rel=1e-14)
    np.testing.assert_allclose(terms, [2 * math.cos(0.3) + 0.5 * math.sin(0.3), math.cos(0.3) - 2 * math.sin(0.3)])
    still = (Bends(np.array([1.0, 0.0]), 0.0, None), Bends(np.zeros(2), 0.0, None))
    value, terms = ccc.jet(bent, (Bends(np.array([3.0, 1.0]), 1.0),), (still,), backend=backend)
    assert [value, *terms] == [10.0, 6.0, 2.0]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_jacobian_of_a_list_of_unlike_items_is_one(backend: str):
    for verb in (ccc.jacobian, ccc.jacfwd):
        number, array = verb(lambda t: [t**2, np.array([t, 2 * t])], backend=backend)(2.0)
        assert number == 4.0
        np.testing.assert_array_equal(array, [1.0, 2.0])
        found = verb(lambda x: {"u": [x[0] * x, np.sum(x)]}, backend=backend)(X)
        np.testing.assert_allclose(found["u"][0], X[0] * np.eye(len(X)) + np.outer(X, np.eye(len(X))[0]), rtol=1e-14)
        np.testing.assert_array_equal(found["u"][1], np.ones(len(X)))
        assert list(verb(lambda t: [t**2, t**3], backend=backend)(2.0)) == [4.0, 12.0]


def test_products_with_a_hessian_take_arguments_by_name():
    def f(x, k=1.0):
        return k * np.sum(x**3)

    for verb in (ccc.hvp, ccc.vhp):
        np.testing.assert_allclose(verb(f)(X, Y, k=2.0), 12.0 * X * Y, rtol=1e-14)


def test_a_value_that_is_no_pair_has_nothing_beside_it():
    for verb in (ccc.jvp, ccc.linearize):
        with pytest.raises(NotScalar, match="with has_aux=True `cubed` returns a pair; it returned a real number"):
            verb(cubed, *([(2.0,), (1.0,)] if verb is ccc.jvp else [2.0]), has_aux=True)


def cubed(x):
    return x**3


def test_what_has_no_such_derivative_is_refused():
    with pytest.raises(WrongArguments, match="hessian is for arguments of numbers and arrays, found a list"):
        ccc.hessian(lambda xs: xs[0] * xs[1])([1.0, 2.0])
    assert ccc.hessian(lambda xs: xs[0] ** 2 * xs[1], "xs[0]")([1.0, 2.0]) == 4.0
    with pytest.raises(WrongArguments, match="laplacian is for numbers and arrays, found a list"):
        ccc.laplacian(lambda x: x[0] * x[1])([1.0, 2.0])
    with pytest.raises(WrongArguments, match="jet takes a tuple of arguments"):
        ccc.jet(math.sin, (0.3,), (1.0,))
    with pytest.raises(WrongArguments, match="laplacian is that in one argument"):
        ccc.laplacian(math.sin, (0,))(1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_jacobian_in_a_list_of_objects_is_a_list(backend: str):
    def f(layers, x):
        for layer in layers:
            x = np.tanh(layer.w * x) + layer.b
        return x

    layers = [Params(X, 0.3), Params(Y, -0.2)]
    found = ccc.jacobian(f, backend=backend)(layers, Y)
    assert type(found) is list and type(found[1]) is Params
    for k in (0, 1):
        def at(v, k=k):
            return f([of(v) if i == k else layer for i, layer in enumerate(layers)], Y)

        wanted = quotients(at, flat(layers[k]))
        np.testing.assert_allclose(found[k].w, wanted[:, :2], rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(found[k].b, wanted[:, 2], rtol=1e-7, atol=1e-9)
