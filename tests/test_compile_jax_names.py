"""The verbs with JAX's names: their parameters are JAX's, and so is what they give."""

from __future__ import annotations

import inspect
import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError, WrongArguments
from ccc.compile.terms.scalar_results import NotScalar

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.usefixtures("doubles_of_jax")

X, Y = np.array([0.5, 2.0]), np.array([1.5, 0.3])


def scalar(np: Any, x: Any, y: Any) -> Any:
    return np.sum(np.sin(x) * y)


def vector(np: Any, x: Any, y: Any) -> Any:
    return np.sin(x) * y * y


def scalar_and_more(np: Any, x: Any, y: Any) -> Any:
    return np.sum(np.sin(x) * y), {"mean": np.sum(x) / 2.0, "all": [x, 3.0]}


def vector_and_more(np: Any, x: Any, y: Any) -> Any:
    return np.sin(x) * y * y, (x + 1.0, 2.0)


def like(found: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(like(found[k], expected[k]) for k in expected)
    if isinstance(expected, tuple | list):
        return type(found) is type(expected) and len(found) == len(expected) and all(map(like, found, expected))
    return np.shape(found) == np.shape(expected) and np.allclose(found, expected, rtol=1e-12)


@pytest.mark.share(8)
@pytest.mark.parametrize("argnums", [0, 1, (0, 1), (1,)])
@pytest.mark.parametrize("name", ["grad", "value_and_grad", "jacrev", "jacfwd", "hessian"])
@pytest.mark.parametrize("has_aux", [False, True])
def test_verbs_give_what_those_of_jax_give(name: str, argnums: Any, has_aux: bool):
    if name == "hessian" and isinstance(argnums, tuple):
        pytest.skip("of one argument")
    of_one = name in ("grad", "value_and_grad", "hessian")
    f = (scalar_and_more if has_aux else scalar) if of_one else (vector_and_more if has_aux else vector)
    ours = getattr(ccc, name)(partial(f, np), argnums, has_aux)(X, Y)
    theirs = getattr(jax, name)(partial(f, jax.numpy), argnums, has_aux)(X, Y)
    assert like(ours, theirs)


@pytest.mark.parametrize("has_aux", [False, True])
def test_products_give_what_those_of_jax_give(has_aux: bool):
    f = vector_and_more if has_aux else vector
    ours = ccc.vjp(partial(f, np), X, Y, has_aux=has_aux)
    theirs = jax.vjp(partial(f, jax.numpy), X, Y, has_aux=has_aux)
    assert like(ours[0], theirs[0]) and like(ours[1](X), theirs[1](X)) and like(ours[2:], theirs[2:])
    moved = ccc.jvp(partial(f, np), (X, Y), (Y, X), has_aux)
    assert like(moved, jax.jvp(partial(f, jax.numpy), (X, Y), (Y, X), has_aux))
    value, differential = ccc.linearize(partial(vector, np), X, Y)
    value_, differential_ = jax.linearize(partial(vector, jax.numpy), X, Y)
    assert like(value, value_) and like(differential(Y, X), differential_(Y, X))


@pytest.mark.parametrize(
    "name",
    ["grad", "value_and_grad", "jacrev", "jacfwd", "hessian", "vjp", "jvp", "linearize", "custom_vjp", "custom_jvp"],
)
def test_parameters_are_those_of_jax(name: str):
    ours = list(inspect.signature(getattr(ccc, name)).parameters.values())
    theirs = inspect.signature(getattr(jax, name)).parameters
    positional = [p for p in ours if p.kind in (p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)][1:]
    assert [p.name for p in positional] == list(theirs)[1 : len(positional) + 1]
    assert all(p.default == theirs[p.name].default for p in positional)


def test_integers_where_they_are_allowed():
    def f(x: Any, n: Any) -> Any:
        return np.sum(x * n)

    found, nothing = ccc.grad(f, (0, 1), allow_int=True)(X, np.array([2, 3]))
    assert np.array_equal(found, [2.0, 3.0]) and nothing is None
    assert ccc.value_and_grad(f, 1, allow_int=True)(X, np.array([2, 3])) == (f(X, np.array([2, 3])), None)
    with pytest.raises(WrongArguments, match="derivatives need real numbers"):
        ccc.grad(f, (0, 1))(X, np.array([2, 3]))


def test_what_is_handed_out_is_differentiated_inside_programs():
    def f(x: float) -> float:
        slope, seen = ccc.grad(lambda t: (t**3, t * t), has_aux=True)(x)
        value, pullback, more = ccc.vjp(lambda t: (t * x, [t]), x, has_aux=True)
        return slope * seen + pullback(2.0)[0] + value + more[0]

    assert math.isclose(f(1.5), ccc.compiled(f)(1.5))
    assert math.isclose(ccc.gradient(f)(1.5), 12 * 1.5**3 + 2 + 2 * 1.5 + 1)
    for exponential in (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative()):
        held = ccc.value_with_gradient(lambda x: (math.sin(x), [x]), has_aux=True, exponential=exponential)
        assert held(0.3) == ((math.sin(0.3), [0.3]), math.cos(0.3))
    explained = ccc.explain(ccc.gradient(lambda x: (x * x, x), has_aux=True), 3.0)
    assert "return cotangents, value[1]" in explained.final_gradient


def test_wrong_results_are_refused_where_they_are_made():
    with pytest.raises(NotScalar, match=r"with has_aux=True `f` returns a pair; it returned a real number"):
        ccc.grad(lambda x: x * x, has_aux=True)(2.0)
    with pytest.raises(NotScalar, match="returned an array of float64 with 1 axis"):
        ccc.value_and_grad(lambda x: (x * x, x), has_aux=True)(X)


@ccc.custom_vjp
def product(x: float, y: float) -> float:
    return math.sin(x) * y


def product_fwd(x: float, y: float) -> Any:
    return product(x, y), (math.cos(x), math.sin(x), y)


def product_bwd(kept: Any, ct: float) -> Any:
    c, s, y = kept
    return c * ct * y, s * ct


product.defvjp(product_fwd, product_bwd)


@partial(ccc.custom_vjp, nondiff_argnums=(0,))
def clipped(bound: float, x: float) -> float:
    return x


clipped.defvjp(lambda bound, x: (x, None), lambda bound, kept, ct: (max(min(ct, bound), -bound),))


def test_custom_vjp():
    x, y = 0.3, 3.0
    assert product(x, y) == math.sin(x) * y
    assert ccc.gradient(product)(x, y) == (math.cos(x) * y, math.sin(x))
    assert math.isclose(ccc.grad(ccc.grad(product))(x, y), -math.sin(x) * y)
    assert ccc.jvp(product, (x, y), (1.0, 0.0)) == (math.sin(x) * y, math.cos(x) * y)
    assert ccc.grad(lambda x: 5.0 * clipped(1.0, x))(2.0) == 1.0
    for exponential in (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative()):
        found = ccc.gradient(lambda x: product(x, x) * x, exponential=exponential)(x)
        assert math.isclose(found, math.cos(x) * x * x + 2 * math.sin(x) * x)

    def loop(x: float, n: int) -> float:
        for _ in range(n):
            x = product(x, 2.0)
        return x

    assert math.isclose(ccc.gradient(loop, wrt="x")(0.5, 2), 4 * math.cos(0.5) * math.cos(2 * math.sin(0.5)))


def test_custom_vjp_says_what_is_missing():
    @ccc.custom_vjp
    def f(x: float, y: float) -> float:
        return x * y

    with pytest.raises(WrongArguments, match=r"`f` has no derivative yet"):
        ccc.gradient(f)(2.0, 3.0)
    f.defvjp(lambda x, y: (x * y, None), lambda kept, ct: ct)
    with pytest.raises(CompileError, match="gives 1 cotangent for 2 arguments"):
        ccc.gradient(f)(2.0, 3.0)


@ccc.custom_jvp
def scaled_sine(x: Any, y: float) -> Any:
    return np.sin(x) * y


@scaled_sine.defjvp
def scaled_sine_jvp(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return scaled_sine(x, y), np.cos(x) * dx * y + np.sin(x) * dy


@partial(ccc.custom_jvp, nondiff_argnums=(0,))
def powered(n: int, x: float) -> float:
    return x**n


@powered.defjvp
def powered_jvp(n: int, primals: Any, tangents: Any) -> Any:
    return powered(n, primals[0]), n * primals[0] ** (n - 1) * tangents[0]


def test_custom_jvp_is_transposed():
    def f(x: Any, y: float) -> Any:
        return np.sum(scaled_sine(x, y) ** 2)

    def same(x: Any, y: float) -> Any:
        return np.sum((np.sin(x) * y) ** 2)

    for exponential in (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative()):
        ours, theirs = ccc.gradient(f, exponential=exponential)(X, 3.0), ccc.gradient(same)(X, 3.0)
        assert np.allclose(ours[0], theirs[0], rtol=1e-14) and math.isclose(ours[1], theirs[1], rel_tol=1e-14)
    assert np.allclose(ccc.hessian(lambda x: f(x, 3.0))(X), ccc.hessian(lambda x: same(x, 3.0))(X), rtol=1e-13)
    at, moved = (X, 3.0), (Y, 0.5)
    assert np.allclose(ccc.jvp(scaled_sine, at, moved)[1], np.cos(X) * Y * 3.0 + np.sin(X) * 0.5, rtol=1e-14)
    assert np.array_equal(scaled_sine(X, 3.0), np.sin(X) * 3.0)


def test_custom_jvp_is_that_of_jax():
    @jax.custom_jvp
    def theirs(x: Any, y: Any) -> Any:
        return jax.numpy.sin(x) * y

    def jvp(primals: Any, tangents: Any) -> Any:  # not the derivative of the function: both must take this one
        (x, y), (dx, dy) = primals, tangents
        return x * y, 7.0 * dx * y - dy

    @ccc.custom_jvp
    def ours(x: Any, y: Any) -> Any:
        return np.sin(x) * y

    theirs.defjvp(jvp)
    assert ours.defjvp(jvp) is jvp
    assert like(ccc.grad(ours, (0, 1))(0.5, 3.0), jax.grad(theirs, (0, 1))(0.5, 3.0))
    assert like(ccc.jvp(ours, (0.5, 3.0), (1.0, 2.0))[1], jax.jvp(theirs, (0.5, 3.0), (1.0, 2.0))[1])


def test_custom_jvp_in_loops_and_what_is_not_differentiated():
    def loop(x: float, k: int) -> float:
        for _ in range(k):
            x = powered(3, x)
        return x

    assert math.isclose(ccc.gradient(loop, wrt="x")(1.1, 2), 9 * 1.1**8)
    assert math.isclose(ccc.derivative(ccc.derivative(lambda x: powered(4, x)))(1.5), 12 * 1.5**2)


def test_custom_jvp_says_what_is_missing():
    @ccc.custom_jvp
    def f(x: float) -> float:
        return x * x

    with pytest.raises(WrongArguments, match=r"`f` has no derivative yet"):
        ccc.gradient(f)(2.0)
