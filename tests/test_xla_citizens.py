"""Programs among those of JAX: on its arrays, and inside of what it traces and differentiates."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import WrongArguments
from ccc.objects_of_values import object_of

jax = pytest.importorskip("jax")
handing = pytest.importorskip("ccc.compile.xla.handing")
jnp = jax.numpy
on_xla: Any = partial(ccc.compiled, backend="xla")
gradient_on_xla: Any = partial(ccc.gradient, backend="xla")
R = np.random.default_rng(7)
W, X = (R.normal(size=shape).astype("float32") for shape in ((3, 2), (5, 3)))


def loss(p, x):
    h = x @ p["w"]
    for _ in range(2):
        h = np.tanh(h + p["b"])
    return np.mean(h * h)


def reference(p, x):
    h = x @ p["w"]
    for _ in range(2):
        h = jnp.tanh(h + p["b"])
    return jnp.mean(h * h)


P = {"w": jnp.asarray(W), "b": jnp.zeros(2, "float32")}
VALUE, SLOPES = on_xla(loss), gradient_on_xla(loss, wrt="p")


def close(found: Any, wanted: Any) -> None:
    """The same structure, all of JAX's arrays, of the same types, and equal as far as single precision says."""
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert isinstance(a, jax.Array) and a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_arrays_of_jax_give_arrays_of_jax():
    x = jnp.asarray(X)
    wanted = jax.grad(reference)(P, x)
    close(SLOPES(P, x), wanted)
    close(SLOPES(P, X), wanted)  # where some are NumPy's
    close(ccc.gradient(loss, wrt="p")(P, x), wanted)  # they ask for this target themselves
    close(ccc.value_with_pullback(loss, wrt="p", backend="xla")(P, x)[1](1.0), wanted)
    moved = ccc.value_with_differential(loss, wrt="p", backend="xla")(P, x)[1](P)
    close(moved, jax.jvp(lambda p: reference(p, x), (P,), (P,))[1])
    with pytest.raises(WrongArguments, match="it has the shape \\(2,\\), what it belongs to has \\(\\)"):
        ccc.value_with_pullback(loss, wrt="p", backend="xla")(P, x)[1](jnp.ones(2))
    assert ccc.explain(SLOPES, P, x).backend == ccc.explain(ccc.gradient(loss, wrt="p"), P, x).backend == "xla"
    assert isinstance(ccc.gradient(loss, wrt="p", backend="numpy")(jax.tree.map(np.asarray, P), X)["w"], np.ndarray)


def test_it_is_part_of_what_jax_traces():
    x = jnp.asarray(X)
    wanted = jax.grad(reference)(P, x)
    close(jax.jit(SLOPES)(P, x), wanted)
    close(jax.jit(jax.grad(VALUE))(P, x), wanted)
    rows = jax.vmap(jax.grad(VALUE), (None, 0))(P, x[:, None])
    close(rows, jax.vmap(jax.grad(reference), (None, 0))(P, x[:, None]))

    def step(slopes: Any) -> Any:
        return lambda p, _: (jax.tree.map(lambda a, d: a - 0.1 * d, p, slopes(p, x)), None)

    close(jax.lax.scan(step(SLOPES), P, None, 3)[0], jax.lax.scan(step(jax.grad(reference)), P, None, 3)[0])


def test_second_derivatives_by_jax_of_ours():
    slope = jax.grad(gradient_on_xla(lambda x: np.sin(x) * x))(jnp.float32(0.5))
    close(slope, jax.grad(jax.grad(lambda x: jnp.sin(x) * x))(jnp.float32(0.5)))


def test_an_artifact_runs():
    export = pytest.importorskip("jax.export")
    exported = export.export(jax.jit(SLOPES))(P, jnp.asarray(X))
    close(exported.call(P, jnp.asarray(X)), SLOPES(P, X))
    with pytest.raises(WrongArguments, match="which code there is depends on its sizes"):
        export.export(jax.jit(SLOPES))(P, jax.ShapeDtypeStruct(export.symbolic_shape("b, 3"), "float32"))


def test_explicit_axes_of_a_mesh_are_kept():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("b",), axis_types=(jax.sharding.AxisType.Explicit,))
    here = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("b"))
    found = gradient_on_xla(lambda x: np.sum(x * x))(jax.device_put(jnp.asarray(X), here))
    assert found.sharding.mesh == mesh
    close(found, 2.0 * jnp.asarray(X))


def at(xs, i):
    return xs[i] * 2.0


def test_what_raises():
    from jax.experimental import checkify

    f, x = on_xla(at), jnp.arange(3.0)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        f(x, 7)
    traced = jax.jit(f)
    assert traced(x, 1) == 2.0 and np.isnan(traced(x, 7))
    told, _ = checkify.checkify(traced)(x, 7)
    assert "Python raises here" in str(told.get())
    assert jax.jit(lambda y: y * f(np.arange(3.0), 2))(2.0) == 8.0  # computed while JAX traces


def rows_of(n, x):
    return np.sum(np.zeros(n) + x)


def factorial(x, n):
    return x if n == 0 else n * factorial(x, n - 1)


def changes(x):
    x[0] = 1.0
    return np.sum(x)


def test_what_is_refused_while_jax_traces_says_so():
    slope = gradient_on_xla(rows_of, wrt="x")
    with pytest.raises(WrongArguments, match="inside of what JAX traces, XLA does not take `np.zeros`"):
        jax.jit(slope)(3, jnp.asarray(2.0))
    assert slope(3, jnp.asarray(2.0)) == 3.0 and jax.jit(slope, static_argnums=0)(4, jnp.asarray(2.0)) == 4.0
    with pytest.raises(WrongArguments, match="inside of what JAX traces.*which calls itself"):
        jax.jit(gradient_on_xla(factorial, wrt="x"), static_argnums=1)(jnp.asarray(2.0), 3)
    assert float(gradient_on_xla(factorial, wrt="x")(jnp.asarray(2.0), 3)) == 6.0
    with pytest.raises(WrongArguments, match="arrays of JAX cannot be changed"):
        on_xla(changes)(jnp.ones(3))


def adaptive(y, end):
    t, h = 0.0, 0.1
    while t < end:
        k1 = -y * y
        k2 = -(y + h * k1) * (y + h * k1)
        if abs(h * (k2 - k1) * 0.5) < 1e-5:
            t, y, h = t + h, y + 0.5 * h * (k1 + k2), h * 1.2
        else:
            h = h * 0.5
    return y


@pytest.mark.nightly
def test_a_list_that_is_too_long_is_never_a_wrong_number():
    def second(y, end):  # it reads from its first item on what the derivative keeps
        return gradient_on_xla(adaptive, wrt="y")(y, end)

    slope, y = gradient_on_xla(second, wrt="y"), jnp.float32(1.0)
    assert np.isnan(jax.jit(slope)(y, 3.0))
    counted = slope(y, 3.0)  # outside of what is traced
    assert np.isclose(counted, ccc.gradient(second, wrt="y", backend="numpy")(np.float32(1.0), 3.0), rtol=1e-4)
    assert np.isclose(jax.jit(lambda y: slope(y, 3.0))(y), counted)


class Link:
    def __init__(self, at: float) -> None:
        self.at = at
        self.next: Any = self


def test_what_holds_itself_is_looked_at_once():
    with pytest.raises(ccc.CCCError, match="holds itself"):
        ccc.gradient(lambda link: link.at**2)(Link(2.0))


def scaled(p, x, k):
    return k * np.sum(p["w"] * x) ** 2


def long_ways(transform: Any) -> list[Any]:
    """The calls of a transform from now on that look its code up."""
    found, slowly = list[Any](), transform.found
    transform.found = lambda *args: found.append(args) or slowly(*args)
    return found


def test_calls_with_arrays_of_jax_take_the_shortest_way():
    slope, factor = gradient_on_xla(scaled, wrt="p"), 2.0
    p, x = {"w": jnp.arange(3.0)}, jnp.ones(3)
    for _ in range(4):
        slope(p, x, factor)
    looked_up = long_ways(slope)
    for scale in (1.0, 3.0):
        q = {"w": scale * jnp.arange(4.0)}
        close(slope(q, jnp.ones(4), factor), {"w": jnp.full(4, 24.0 * scale)})
    assert not looked_up
    close(slope({"w": jnp.arange(1.0)}, jnp.ones(3), factor), {"w": jnp.zeros(1)})  # one item, which is broadcast
    close(slope({"w": jnp.arange(3)}, x, factor), {"w": None})
    both = slope({"w": jnp.arange(3.0), "b": jnp.ones(2)}, x, factor)
    close(both, {"w": jnp.full(3, 12.0), "b": jnp.zeros(2)})
    assert isinstance(slope({"w": np.arange(3.0)}, np.ones(3), factor)["w"], np.ndarray)
    assert len(looked_up) == 4
    close(slope(p, x, factor), {"w": jnp.full(3, 12.0)})
    assert len(looked_up) == 4


def test_numbers_of_weak_types_cost_no_call_of_their_own():
    slope, factor = gradient_on_xla(with_slope, wrt="factor"), jnp.asarray(2.0)
    assert factor.weak_type and handing.leaf(factor, object_of(np.float32(2.0))) is factor
    for given in (factor, factor.astype(factor.dtype), 2.0):
        found = slope(jnp.ones(3), given)
        assert float(found) == 3.0 and not getattr(found, "weak_type", False)


def with_slope(x, factor):
    return np.sum(x * factor)


FACTOR = 2.0


def with_factor(x):
    return FACTOR * np.sum(x * x)


def test_what_is_read_from_outside_is_read_by_the_shortest_way(monkeypatch):
    slope, x = gradient_on_xla(with_factor), jnp.ones(2)
    for _ in range(5):
        close(slope(x), jnp.full(2, 4.0))
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    close(slope(x), jnp.full(2, 10.0))
    monkeypatch.setitem(globals(), "FACTOR", np.array([1.0, 2.0]))
    with pytest.raises(ccc.CCCError):  # no gradient of an array
        slope(x)


def test_the_shortest_way_raises_what_python_raises():
    f, x = on_xla(at), jnp.arange(3.0)
    for i in (0, 1, 2, 0, 1):
        close(f(x, i), jnp.asarray(2.0 * i, "float32"))
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        f(x, 7)
    close(jax.jit(f)(x, 1), jnp.asarray(2.0, "float32"))  # values that are not known take the long one


def norms(xs, ks):
    total = 0.0
    for x, k in zip(xs, ks, strict=True):
        total = total + k * np.sum(x * x)
    return total, [2.0 * x for x in xs], [k + 1.0 for k in ks]


def test_lists_are_handed_in_and_out_at_once():
    xs, ks = [np.arange(2.0), np.ones(2)], [1.0, 3.0]
    total, doubled, more = on_xla(norms)(xs, ks)
    assert (total, more) == (7.0, [2.0, 4.0]) and type(more[0]) is float
    np.testing.assert_array_equal(doubled, [[0.0, 2.0], [2.0, 2.0]])
    doubled[0][0] = 5.0  # an array of its own, which can be changed
    total, doubled, more = on_xla(norms)([jnp.asarray(x) for x in xs], ks)
    close(doubled, [jnp.array([0.0, 2.0]), jnp.full(2, 2.0)])
    assert [float(x) for x in (total, *more)] == [7.0, 2.0, 4.0] and more[0].dtype == np.dtype("float64")


def test_a_while_does_not_go_on_from_an_item_that_is_not_there():
    """JAX reads the last item in its place, from which this one never ends."""
    def doubled(x, i):
        y = x[i]
        while y < 0.0:
            y = y * 2.0
        return y * x[0]

    gradient = ccc.gradient(doubled, wrt="x", backend="xla")
    np.testing.assert_allclose(gradient(np.array([2.0, -1.0]), 0), [4.0, 0.0])
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 2"):
        gradient(np.array([2.0, -1.0]), 5)


def told(x):
    print("called")
    return np.sum(x * x)


@pytest.mark.usefixtures("doubles_of_jax")
def test_arrays_that_are_there_are_computed_with_at_once_inside_of_what_jax_traces(capsys: pytest.CaptureFixture[str]):
    there, slope = jnp.arange(3.0), ccc.gradient(told, backend="xla")

    @jax.jit
    def outer(x):
        value, pullback = ccc.value_with_pullback(told, backend="xla")(there)
        given = slope(there), value, pullback(2.0)
        assert not any(isinstance(part, jax.core.Tracer) for part in given)
        return x * given[0] + given[1] * given[2]

    assert np.allclose(outer(1.0), 2.0 * there + 5.0 * 4.0 * there)
    assert capsys.readouterr().out == "called\n" * 2
