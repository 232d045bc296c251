"""Parts of arrays on XLA: windows that move, places counted from the end, slices that Python cuts off at the ends."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

jax = pytest.importorskip("jax")
R = np.random.default_rng(11)


def windows(x, w):
    total = 0.0
    for i in range(1, len(x) - 1):
        total += np.sum(w * x[i - 1 : i + 2]) ** 2
    return total


def beyond(x, n):
    total = 0.0
    for i in range(n):  # the last windows are cut off, those before the first are empty
        total += np.sum(x[i - 1 : i + 3] ** 2) * (i + 1)
    return total


def convolved(image, kernel):
    h, w = kernel.shape
    high, wide = image.shape
    out = np.zeros((high - h + 1, wide - w + 1))
    for i in range(h):
        for j in range(w):
            out += kernel[i, j] * image[i : i + high - h + 1, j : j + wide - w + 1]
    return np.sum(np.tanh(out))


def from_the_end(x):
    y = x.copy()
    for i in range(1, len(x) + 1):
        y[-i] = y[-i] ** 2 + (y[-i + 1] if i > 1 else 0.0)
    return np.sum(y * np.arange(len(y)))


def written(x, n):
    y = np.zeros((n + 2, 3))
    for i in range(n):
        y[i : i + 2, 1:] += x[i : i + 2, None] * 0.5
        y[i, ..., 0] = x[i] ** 2
    return np.sum(y[::2] ** 2) + np.sum(y[1:4, ::-1] * x[:3, None])


def shapes(x):
    y = x[:, None, :] * x[None, ..., None, 0] + x[-1][None, None]
    z = np.zeros_like(x)
    z[:] = x[0]
    z[1:2] = x[2:3] * 2.0
    z[-1, 1] = x[0, 0]
    return np.sum(y**2) + np.sum(z * x)


def shifted(x, steps):
    while steps > 0:
        k = steps - 1
        x[k : k + 2] = x[k : k + 2] * 1.5 + x[k + 1]
        steps -= 1
    return np.sum(x * x)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], Any, str]] = [
    (windows, (R.normal(size=7), R.normal(size=3)), (0, 1), "xla"), (beyond, (R.normal(size=5), 7), 0, "xla"),
    (convolved, (R.normal(size=(6, 5)), R.normal(size=(2, 3))), (0, 1), "xla"),
    (from_the_end, (R.normal(size=5),), 0, "xla"), (written, (R.normal(size=6), 4), 0, "xla"),
    (shapes, (R.normal(size=(3, 3)),), 0, "xla"), (shifted, (R.normal(size=6), 4), 0, "xla"),
]  # fmt: skip


@pytest.mark.share(4)
@pytest.mark.parametrize(("f", "args", "wrt", "backend"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_values_and_gradients_agree(f: Callable[..., Any], args: tuple[Any, ...], wrt: Any, backend: str):
    for verb, options in ((ccc.compiled, {}), (ccc.gradient, {"wrt": wrt})):
        on_xla: Any = verb(f, backend="xla", **options)
        found = on_xla(*copy.deepcopy(args))
        wanted = verb(f, backend="numpy", **options)(*copy.deepcopy(args))
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
            assert np.asarray(a).dtype == np.asarray(b).dtype
        assert ccc.explain(on_xla, *copy.deepcopy(args)).backend == backend


def names_in(jaxpr: Any) -> list[str]:
    """The names of all operations of JAX in what it traced."""
    found = [equation.primitive.name for equation in jaxpr.eqns]
    for inner in jax.tree.leaves([equation.params for equation in jaxpr.eqns]):
        if hasattr(inner, "eqns"):
            found += names_in(getattr(inner, "jaxpr", inner))
    return found


@pytest.mark.parametrize("f", [from_the_end, shapes, windows])
def test_nothing_is_gathered_or_scattered_and_what_is_known_is_not_asked(f: Callable[..., Any]):
    args = next(args for g, args, *_ in CASES if g is f)
    gradient: Any = ccc.gradient(f, wrt=0, backend="xla")
    found = names_in(gradient.found(args, {})[2].call.within.compiled.first.jaxpr)
    assert not {"gather", "scatter", "scatter-add"} & {*found}
    assert f is from_the_end or not {"lt", "gt", "or"} & {*found}, found


def looked_up(table, places):
    return np.sum(np.log(table[places] + 2.0) * table[places])


def gathered_again(x, places):
    for _ in range(3):
        x = x + np.tanh(x[places])
    return np.sum(x)


def smoothed(x, places):
    return np.sum(np.real(np.fft.ifft(np.fft.fft(x) * x)) ** 2)


@pytest.mark.parametrize(("f", "questions"), [(looked_up, 1), (gathered_again, 1), (smoothed, 0)])
def test_the_same_is_asked_of_an_array_once(f: Callable[..., Any], questions: int):
    args = (R.normal(size=3) ** 2, np.array([2, 0, -1]))
    gradient: Any = ccc.gradient(f, wrt=0, backend="xla")
    traced = gradient.found(args, {})[2].call.within.compiled.first.jaxpr
    assert names_in(traced).count("reduce_or") == questions, traced
    assert "reduce_or" not in [name for e in traced.eqns if e.primitive.name == "scan" for name in names_in(
        e.params["jaxpr"].jaxpr)]
    np.testing.assert_allclose(gradient(*args), ccc.gradient(f, wrt=0, backend="numpy")(*args), rtol=1e-9)
    if questions:
        with pytest.raises(IndexError):
            gradient(args[0], np.array([0, 3, 1]))


def systems(a, b):
    t = a.T
    total = np.sum(np.linalg.solve(t, np.linalg.solve(a, b)) ** 2)
    for _ in range(2):
        if total > 0.0:
            total = total + np.sum(np.linalg.solve(a, b[:, 0]))
    return total


def evidence(a, b):
    k = a @ a.T + np.eye(3)
    low = np.linalg.cholesky(k)
    alpha = np.linalg.solve(low.T, np.linalg.solve(low, b))
    return np.sum(b * alpha) + np.sum(np.log(np.diag(low)))


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "factored"), [(systems, 1), (evidence, 0)])
def test_a_matrix_is_factored_once_with_its_transpose(f: Callable[..., Any], factored: int):
    args = R.normal(size=(3, 3)), R.normal(size=(3, 2))
    gradient: Any = ccc.gradient(f, wrt=(0, 1), backend="xla")
    traced = gradient.found(args, {})[2].call.within.compiled.first.jaxpr
    assert sum([e.primitive.name == "lu" for e in traced.eqns]) == factored
    for found, wanted in zip(gradient(*args), ccc.gradient(f, wrt=(0, 1), backend="numpy")(*args), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
    if factored:
        with pytest.raises(np.linalg.LinAlgError):
            gradient(np.ones((3, 3)), args[1])


def blurred(image, kernel):
    h, w = kernel.shape
    high, wide = image.shape[0] - h + 1, image.shape[1] - w + 1
    out = np.zeros((high, wide))
    for i in range(h):
        for j in range(w):
            out = out + kernel[i, j] * np.tanh(image[i : i + high, j : j + wide])
        out = out * (1.0 + 0.1 * np.sin(out[0, 0]))
    return np.sum(np.tanh(out))


def test_short_loops_are_written_out_for_accelerators(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    args = R.normal(size=(5, 4)), R.normal(size=(2, 3))
    gradient: Any = ccc.gradient(blurred, wrt=(0, 1), backend="xla")
    traced = gradient.found(args, {})[2].call.within.compiled.first.jaxpr
    assert not {"scan", "dynamic_update_slice", "gather"} & {*names_in(traced)}
    for found, wanted in zip(gradient(*args), ccc.gradient(blurred, wrt=(0, 1), backend="numpy")(*args), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9)


def asked_in_one_branch(x, places, flag):
    total = 0.0
    if flag > 0.0:
        total = np.sum(x[places])
    for _ in range(2):
        if flag < 2.0:
            total = total + np.sum(x[places] ** 2)
    return total


def test_what_is_asked_in_one_branch_is_asked_in_others():
    x, gradient = R.normal(size=3), ccc.gradient(asked_in_one_branch, wrt=0, backend="xla")
    for flag in (1.0, -1.0):
        with pytest.raises(IndexError):
            gradient(x, np.array([0, 3]), flag)
    assert np.all(gradient(x, np.array([0, 1]), -1.0) == [4.0 * x[0], 4.0 * x[1], 0.0])


def eliminated(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return np.sum(np.log(np.abs(np.diag(a))))


def test_slices_of_another_size_in_each_turn_are_written_out_up_to_a_number_of_turns():
    gradient = ccc.gradient(eliminated, backend="xla")
    a = R.normal(size=(3, 3)) + 3.0 * np.eye(3)
    np.testing.assert_allclose(gradient(a), np.linalg.inv(a).T, rtol=1e-9)
    assert ccc.explain(gradient, a).backend == "xla"
    large = np.eye(40)
    assert ccc.explain(gradient, large).backend.endswith("a slice whose ends are known only when it runs")
    np.testing.assert_allclose(gradient(large), large)


def joined(xs, w):
    area = 0.0
    for (a, b), (c, d) in zip(xs, xs[1:] + xs[:1], strict=True):
        area += a * d - c * b
    return area * w + sum([x[0] for x in xs[::2] * 2])


def ordered(x, w):
    y = np.sort(x)
    return np.sum(y * w) + np.median(x) + np.quantile(x, 0.3) * w[0] + np.sum(np.triu(np.outer(x, w)) ** 2)


@pytest.mark.parametrize(("f", "args"), [
    (joined, ([(0.0, 0.1), (1.0, 0.2), (0.8, 1.1)], 0.5)), (ordered, (R.normal(size=5), R.normal(size=5))),
])  # fmt: skip
def test_lists_that_are_cut_and_arrays_that_are_sorted(f: Callable[..., Any], args: tuple[Any, ...]):
    found, wanted = (ccc.value_with_gradient(f, wrt=(0, 1), backend=backend)(*args) for backend in ("xla", "numpy"))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)
    assert ccc.explain(ccc.gradient(f, wrt=0, backend="xla"), *args).backend == "xla"
    assert ccc.explain(ccc.compiled(f, backend="xla"), *args).backend == "xla"


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray


def network(layers, x):
    for layer in layers:
        x = np.tanh(layer.w @ x + layer.b)
    return np.sum(x**2)


def test_lists_of_objects_that_jax_knows():
    layers = [Layer(R.normal(size=(n, m)), R.normal(size=n)) for n, m in ((3, 2), (2, 3))]
    x = R.normal(size=2)
    gradient, wanted = (ccc.gradient(network, wrt=0, backend=backend) for backend in ("xla", "numpy"))
    assert "it does with `jax.tree_util.register_dataclass(Layer)`" in ccc.explain(gradient, layers, x).backend
    jax.tree_util.register_dataclass(Layer)
    gradient = ccc.gradient(network, wrt=0, backend="xla")
    for layer, other in zip(gradient(layers, x), wanted(layers, x), strict=True):
        assert type(layer) is Layer
        np.testing.assert_allclose(layer.w, other.w, rtol=1e-9)
        np.testing.assert_allclose(layer.b, other.b, rtol=1e-9)
    assert ccc.explain(gradient, layers, x).backend == "xla"


def of_known_items(x, n):
    w = np.arange(3.0) * n  # known with `n`, on which a size depends, and all that the pullback reads
    return np.sum(w * x) + np.sum(np.zeros(n))


def in_a_list(x, n, k):
    a = np.zeros((3, 3))
    b = a[[0, 2, 1]] if x > 0.0 else np.transpose(a)
    a[:, k] = np.copy(a.flatten()[:3])
    a[n - 1] = 2.0 * x
    return float(np.sum(a * np.arange(9.0).reshape(3, 3)) + np.sum(b * np.arange(9.0).reshape(3, 3)))


@pytest.mark.parametrize(("f", "calls"), [
    (of_known_items, [(np.ones(3), 2), (np.ones(3), 4)]), (in_a_list, [(1.5, 3, 0), (-1.5, 2, 1)]),
], ids=lambda x: getattr(x, "__name__", ""))
def test_pullbacks_of_calls_between_which_integers_change(f, calls):
    pulled, other = [ccc.value_with_pullback(f, wrt="x", backend=backend) for backend in ("xla", "numpy")]
    for args in calls:
        np.testing.assert_allclose(pulled(*args)[1](1.0), other(*args)[1](1.0))
    assert ccc.explain(pulled, *calls[0]).backend == "xla"


def of_unequal_sizes(x, a, n):
    if n > 5:
        x = x + np.sum(a @ np.ones(3))
    return x * x


def test_what_numpy_raises_at_sizes_is_no_reason_to_leave_the_other_branch():
    slope, a = ccc.gradient(of_unequal_sizes, wrt="x", backend="xla"), np.ones((2, 2))
    assert slope(3.0, a, 1) == 6.0
    assert ccc.explain(slope, 3.0, a, 1).backend == "xla"
    with pytest.raises(ValueError, match="matmul"):
        slope(3.0, a, 7)


def taken(x, places):
    return np.take(x, places)


@pytest.mark.parametrize(("shape", "places"), [((2, 0), (2, 0)), ((0,), (0, 3)), ((2, 3), (2, 0)), ((0, 2), (3, 0, 1))])
def test_items_of_no_places_have_the_shape_of_the_places(shape, places):
    x, at = np.zeros(shape), np.zeros(places, np.int32)
    for verb in (ccc.compiled, ccc.value_with_pullback):
        found = verb(taken, backend="xla")(x, at)
        y = found[0] if isinstance(found, tuple) else found
        assert y.shape == np.take(x, at).shape
        if isinstance(found, tuple):
            assert found[1](y)[0].shape == shape
    with pytest.raises(IndexError, match="cannot do a non-empty take"):
        ccc.compiled(taken, backend="xla")(np.zeros((2, 0)), np.zeros((2, 1), int))
