"""Functions that JAX calls while it runs, and its functions in programs: values, derivatives, what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import UnsupportedPython, WrongArguments

jax: Any = pytest.importorskip("jax")
jnp = jax.numpy
R = np.random.default_rng(5)
W, X = R.normal(size=(3, 2)), R.normal(size=(4, 3))


def squares(w, x):
    return np.sum(np.tanh(x @ w) ** 2, axis=0)


def reference(w, x):
    return jnp.sum(jnp.tanh(x @ w) ** 2, axis=0)


def close(found: Any, wanted: Any, rtol: float = 1e-11) -> None:
    assert isinstance(found, jax.Array) and found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-12)


TRANSFORMED = {
    "grad": lambda f: jax.jit(jax.grad(lambda w, x: f(w, x).sum(), (0, 1)))(W, X)[1],
    "hessian": lambda f: jax.hessian(lambda w: f(w, X)[0])(W),
    "reverse over reverse": lambda f: jax.jit(jax.jacrev(jax.grad(lambda w: f(w, X)[0])))(W),
    "vmap of grad": lambda f: jax.vmap(jax.grad(lambda w, x: f(w, x)[0]), (None, 0))(W, jnp.stack([X, X + 1.0])),
    "linearize": lambda f: jax.linearize(lambda w: f(w, X), W)[1](W),
    "scan": lambda f: jax.lax.scan(lambda w, _: (w - 0.1 * jax.grad(lambda w: f(w, X)[1])(w), None), W, None, 3)[0],
}


@pytest.mark.share(8)
@pytest.mark.parametrize("name", TRANSFORMED)
def test_what_jax_transforms(name: str, doubles_of_jax: None):
    run = TRANSFORMED[name]
    close(run(ccc.to_jax(squares, backend="numpy")), run(reference))


def test_the_third_derivative(doubles_of_jax: None):
    third = jax.jit(jax.jacfwd(jax.jacrev(jax.grad(ccc.to_jax(lambda x: np.exp(x) * x, backend="numpy")))))
    assert third(0.3) == pytest.approx(np.exp(0.3) * 3.3, rel=1e-12)


@dataclass
class Layer:
    w: Any
    b: Any


jax.tree_util.register_dataclass(Layer, ["w", "b"], [])


def test_structures_singles_and_integers():
    def f(layer, x, n, name="seen"):
        y = np.tanh(x @ layer.w + layer.b)
        return {"y": y * n, "n": n * np.arange(2), "loss": float(np.sum(y)), "name": name}

    layer = Layer(jnp.asarray(W, "float32"), jnp.zeros(2, "float32"))
    g = ccc.to_jax(f, backend="numpy")
    outside = g(layer, jnp.asarray(X, "float32"), 2, name="known")
    assert outside["name"] == "known" and outside["y"].dtype == np.float32 and outside["loss"].dtype == np.float32

    @jax.jit
    def slope(layer, x, n):
        return jax.grad(lambda layer: g(layer, x, n)["loss"])(layer), g(layer, x, n)["n"]

    found, whole = slope(layer, jnp.asarray(X, "float32"), jnp.asarray(3))
    wanted = ccc.gradient(lambda w, b: np.sum(np.tanh(X @ w + b)), backend="numpy")(W, np.zeros(2))
    assert isinstance(found, Layer) and found.w.dtype == np.float32
    np.testing.assert_allclose(found.w, wanted[0], rtol=1e-5)
    np.testing.assert_array_equal(whole, [0, 3])


def test_arrays_that_are_large():
    x = jnp.linspace(0.0, 1.0, 1 << 18)
    f = ccc.to_jax(lambda x: np.sum(x * x), backend="numpy")
    np.testing.assert_allclose(jax.jit(jax.grad(f))(x * 1.0), 2.0 * np.asarray(x), rtol=1e-6)


def test_on_xla_it_is_part_of_what_is_compiled():
    f = ccc.to_jax(squares, backend="xla")
    w = W.astype("float32")
    assert isinstance(f(w, X.astype("float32")), jax.Array)
    np.testing.assert_allclose(jax.jit(f)(w, X.astype("float32")), reference(w, X.astype("float32")), rtol=1e-5)


def test_what_is_not_known_is_refused(doubles_of_jax: None):
    inverse = ccc.to_jax(lambda a: np.linalg.inv(a), backend="numpy")
    with pytest.raises(WrongArguments, match="it raises LinAlgError at numbers made up"):
        jax.jit(inverse)(np.zeros((3, 3)))
    said = ccc.to_jax(lambda a: np.linalg.inv(a), backend="numpy", like=np.ones((3, 3)))
    close(jax.jit(said)(2.0 * np.eye(3)), jnp.eye(3) / 2.0)
    chosen = ccc.to_jax(lambda x: x[x > 0.5], backend="numpy")
    assert chosen(jnp.array([0.2, 0.7])).shape == (1,)
    with pytest.raises(Exception, match="gives an array of the shape"):
        jax.jit(chosen)(jnp.array([0.7, 0.8])).block_until_ready()
    with pytest.raises(WrongArguments, match="to_jax takes a function"):
        ccc.to_jax(2.0)  # type: ignore[arg-type]


# -- JAX in ours -------------------------------------------------------------------------------------------------------

net = ccc.from_jax(jax.jit(lambda p, x: jnp.tanh(x @ p["w"] + p["b"])))
softplus = ccc.from_jax(jax.nn.softplus)


def loss(w, b, x):
    return np.sum(net({"w": w, "b": b}, x) ** 2) * 0.5


def test_a_function_of_jax_is_called_in_a_program(doubles_of_jax: None):
    b = np.array([0.3, -0.2])
    wanted = jax.grad(lambda w, b: jnp.sum(jnp.tanh(X @ w + b) ** 2) * 0.5, (0, 1))(W, b)
    found = ccc.gradient(loss, wrt=("w", "b"), backend="numpy")(W, b, X)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-13)
    v = np.ones_like(W)
    second = jax.jvp(jax.grad(lambda w: jnp.sum(jnp.tanh(X @ w + b) ** 2) * 0.5), (W,), (v,))[1]
    for product in (ccc.hvp, ccc.vhp):
        np.testing.assert_allclose(product(loss, backend="numpy")(W, b, X, v), second, rtol=1e-10, atol=1e-12)


def test_precision_is_that_of_numpy():
    assert softplus(np.float64(0.3)).dtype == np.float64
    slope = ccc.derivative(ccc.derivative(lambda x: softplus(x), backend="numpy"))(0.3)
    s = 1.0 / (1.0 + np.exp(-0.3))
    assert slope == pytest.approx(s * (1.0 - s), rel=1e-13)
    single = ccc.gradient(lambda x: np.sum(softplus(x)), backend="numpy")(X.astype("float32"))
    assert single.dtype == np.float32
    inside = jax.jit(lambda x: softplus(x))(jnp.float32(0.3))
    assert isinstance(inside, jax.Array)


def test_structures_and_loops():
    parts = ccc.from_jax(lambda x: {"n": jnp.argmax(x), "both": (x.sum(), [x.mean(0)])})

    def program(x, n):
        for _ in range(n):
            x = softplus(x) * 0.5
        found = parts(x)
        (mean,) = found["both"][1]
        return found["both"][0] * np.sum(mean) * found["n"]

    assert ccc.compiled(program, backend="numpy")(X, 2) == pytest.approx(program(X, 2), rel=1e-14)
    ccc.check_derivative(lambda x: program(x, 2), X)


def test_on_xla_functions_of_jax_are_part_of_what_is_compiled(doubles_of_jax: None):
    b = np.array([0.3, -0.2])
    wanted = ccc.gradient(loss, wrt=("w", "b"), backend="numpy")(W, b, X)
    on_xla = ccc.gradient(loss, wrt=("w", "b"), backend="xla")
    for ours, theirs in zip(on_xla(W, b, X), wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-13)
    assert ccc.explain(on_xla, W, b, X).backend.startswith("xla")
    inside = jax.jit(lambda w: ccc.gradient(loss, wrt="w", backend="xla")(w, b, X))(jnp.asarray(W))
    np.testing.assert_allclose(inside, wanted[0], rtol=1e-11, atol=1e-13)


def test_what_jax_refuses_is_refused_at_its_place():
    wrong = ccc.from_jax(lambda x: x @ jnp.ones(5))
    with pytest.raises(UnsupportedPython, match="`function` of JAX refuses what it is given here"):
        ccc.gradient(lambda x: np.sum(wrong(x)))(X)
    with pytest.raises(WrongArguments, match="from_jax of a function that the program makes"):
        ccc.gradient(lambda x: np.sum(ccc.from_jax(lambda y: y)(x)))(X)
    with pytest.raises(WrongArguments, match="from_jax takes a function"):
        ccc.from_jax(2.0)  # type: ignore[arg-type]


def test_a_function_that_jax_has_of_numpy_may_be_taken_inside_of_a_program() -> None:
    def long(x: Any) -> Any:
        return ccc.from_jax(jnp.linalg.norm)(x) * ccc.from_jax(jnp.sin)(x[0]) * ccc.from_jax(jax.nn.logsumexp)(x)

    x = np.array([0.5, 1.5, -0.25])
    expected = jax.grad(lambda x: jnp.linalg.norm(x) * jnp.sin(x[0]) * jax.nn.logsumexp(x))(x)
    for backend in ("numpy", "xla"):
        np.testing.assert_allclose(ccc.gradient(long, backend=backend)(x), expected, rtol=1e-5)
