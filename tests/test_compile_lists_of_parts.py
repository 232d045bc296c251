"""Lists whose items have no common type, of the caller's and of the function: read item by item, as records are;
and the attributes of objects by their names."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.coproducts import NoSum, sum_of
from ccc.objects import REAL, Array, Record
from ccc.objects_of_values import object_of

BACKENDS = ("numpy", "native")


class Layer:
    def parameters(self):
        for part in vars(self).values():
            if isinstance(part, Layer):
                yield from part.parameters()
            elif isinstance(part, list):
                for inner in part:
                    yield from inner.parameters()
            elif isinstance(part, np.ndarray):
                yield part


class Linear(Layer):
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return x @ self.w + self.b


class Activation(Layer):
    def __init__(self, kind):
        self.kind = kind

    def __call__(self, x):
        return np.tanh(x) if self.kind == "tanh" else np.maximum(x, 0.1 * x)


class Sequential(Layer):
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def network():
    rng = np.random.default_rng(0)
    return Sequential(Linear(rng.normal(size=(3, 4)), rng.normal(size=4)), Activation("relu"),
                      Linear(rng.normal(size=(4, 2)), np.zeros(2)), Activation("tanh"))


def loss(net, x):
    return (net(x) ** 2).mean() + 0.1 * sum((p**2).sum() for p in net.parameters())


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_network_of_layers_of_several_classes(backend: str):
    x = np.random.default_rng(1).normal(size=(5, 3))
    found = ccc.gradient(loss, wrt="net", backend=backend)(network(), x)
    assert [type(part) for part in found.layers] == [Linear, Activation, Linear, Activation]
    for k, name in ((0, "w"), (0, "b"), (2, "w"), (2, "b")):
        direction = np.random.default_rng(2).normal(size=getattr(network().layers[k], name).shape)

        def moved(step: float, k=k, name=name, direction=direction) -> float:
            net = network()
            setattr(net.layers[k], name, getattr(net.layers[k], name) + step * direction)
            return loss(net, x)

        differences = (moved(1e-6) - moved(-1e-6)) / 2e-6
        assert np.sum(getattr(found.layers[k], name) * direction) == pytest.approx(differences, rel=1e-6)


def mixed(xs):
    s = 0.0
    for x in xs:
        s = s + (x.sum() if isinstance(x, np.ndarray) else x[0] * x[1])
    return s * xs[0][1]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("exponential", [ccc.Delta(), ccc.AdditiveMap()])
def test_gradients_are_lists_of_what_the_items_have(backend: str, exponential):
    xs = [(2.0, 3.0), np.array([1.0, 2.0]), (0.5, 4.0)]
    found = ccc.gradient(mixed, backend=backend, exponential=exponential)(xs)
    assert type(found) is list
    assert found[0] == (9.0, pytest.approx(6.0 + 11.0))
    np.testing.assert_array_equal(found[1], [3.0, 3.0])
    assert found[2] == (12.0, 1.5)


def changed(xs, t):
    xs.append(t * 2.0)
    xs[0] = xs[1].sum() * t
    return xs[0] * xs[-1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_the_function_changes_is_written_back(backend: str):
    given, there = [1.0, np.ones(2)], [1.0, np.ones(2)]
    value = changed(there, 3.0)
    found, (of_list, of_t) = ccc.value_with_gradient(changed, backend=backend)(given, 3.0)
    assert found == value and given[0] == there[0] and given[2:] == there[2:]
    assert of_list[0] == 0.0 and of_t == pytest.approx(24.0)
    np.testing.assert_array_equal(of_list[1], [18.0, 18.0])


def power(xs):
    return xs[0] ** 2 * xs[1][1] ** 3


def inside(x):
    a = ccc.gradient(power)([x, (x, 2 * x)])
    return a[0] * a[1][1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_second_order_and_derivatives_inside(backend: str):
    xs = [2.0, (1.0, 3.0)]
    assert ccc.hessian(power, backend=backend)(xs) == [[54.0, (0.0, 108.0)], ([0.0, (0.0, 0.0)], [108.0, (0.0, 72.0)])]
    value, differential = ccc.value_with_differential(power, backend=backend)(xs)
    assert (value, differential([1.0, (5.0, 1.0)])) == (108.0, 216.0)
    assert ccc.gradient(inside, backend=backend)(2.0) == pytest.approx(1536 * 2.0**7)
    assert ccc.gradient(power, wrt="xs[1]", backend=backend)(xs) == (0.0, 108.0)


def returned(x):
    return [x * x, (x, 2 * x), {"a": x}]


@pytest.mark.parametrize("backend", BACKENDS)
def test_lists_of_several_types_are_returned(backend: str):
    assert ccc.compiled(returned, backend=backend)(3.0) == returned(3.0)
    value, pullback = ccc.value_with_pullback(returned, backend=backend)(3.0)
    assert value == returned(3.0) and pullback([1.0, (2.0, 3.0), {"a": 10.0}]) == 6.0 + 2.0 + 6.0 + 10.0
    with pytest.raises(ccc.errors.CCCError, match="a list of 3"):
        pullback([1.0, (2.0, 3.0)])
    with pytest.raises(ccc.errors.CCCError):
        pullback([1.0, 2.0, {"a": 10.0}])


def test_arrays_of_several_ranks_keep_their_ranks():
    a = object_of([np.ones((2, 2)), np.ones(2)])
    assert a == Record((Array("float64", ("n", "n")), Array("float64", ("n",))), list, (0, 1))
    many = object_of([np.ones((2, 2)), np.ones(2)] * 40)
    assert not isinstance(many, Record)
    assert object_of([1.0, np.ones(2)]) == Record((REAL, Array("float64", ("n",))), list, (0, 1))


def stacked(ws, x):
    for w, b in zip(ws[::2], ws[1::2], strict=True):
        x = np.tanh(w @ x + b)
    return x.sum()


@pytest.mark.parametrize("layers", [2, 40])
def test_weights_and_biases_in_one_list(layers: int):
    rng = np.random.default_rng(0)
    ws = [part for _ in range(layers) for part in (rng.normal(size=(3, 3)), rng.normal(size=3))]
    x = rng.normal(size=3)
    found = ccc.gradient(stacked, wrt="ws")(ws, x)
    moved = copy.deepcopy(ws)
    moved[-2][1, 2] += 1e-6
    assert found[-2][1, 2] == pytest.approx((stacked(moved, x) - stacked(ws, x)) / 1e-6, rel=1e-4)


@dataclass
class Point:
    a: float
    b: float


def scaled(p):
    d = vars(p)
    p.a = p.a * 3.0
    return d["a"] * p.__dict__["b"] + sum(x * x for x in vars(p).values())


def made(x):
    q = SimpleNamespace()
    q.first = x
    q.second = x * x
    return sum(vars(q).values()) + len(vars(q)) * (3.0 if "second" in vars(q) else 100.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_attributes_by_their_names_are_those_of_now(backend: str):
    p = Point(2.0, 5.0)
    value, found = ccc.value_with_gradient(scaled, backend=backend)(p)
    assert value == scaled(Point(2.0, 5.0)) and p.a == 6.0
    assert (found.a, found.b) == (3.0 * 5.0 + 2 * 6.0 * 3.0, 6.0 + 10.0)
    assert ccc.value_with_gradient(made, backend=backend)(3.0) == (18.0, 7.0)


def through(p):
    vars(p)["a"] = 7.0
    return p.a


def test_the_object_sees_what_is_put_into_the_dict_of_its_attributes():
    p = Point(1.0, 2.0)
    assert ccc.compiled(through)(p) == p.a == 7.0


def several(x):
    return [2.0 * x, x * x]


def of_several_types(xs):
    return [xs[0] * xs[1][0], (xs[0],)]


def pulled(x):
    value, pullback = ccc.value_with_pullback(returned)(x)
    return pullback([1.0, (2.0, x), {"a": value[0]}])


def pulled_wrongly(x):
    return ccc.value_with_pullback(of_several_types)([x, (x, x)])[1]([1.0, 2.0])


def pulled_wrongly_inside(x):
    return ccc.value_with_pullback(of_several_types)([x, (x, x)])[1]([1.0, ((2.0,),)])


def test_a_part_of_a_list_is_named_by_its_place():
    with pytest.raises(ccc.errors.CCCError, match=r"the cotangent of `value\[1\]\[0\]`"):
        ccc.compiled(pulled_wrongly_inside)(2.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_jacobians_and_pullbacks_of_lists(backend: str):
    assert ccc.jacobian(several, backend=backend)(3.0) == [2.0, 6.0]
    found = ccc.jacobian(of_several_types, backend=backend)([2.0, (1.0, 3.0)])
    assert found == [[1.0, (2.0, 0.0)], ([1.0, (0.0, 0.0)],)]
    assert ccc.value_with_gradient(pulled, backend=backend)(3.0) == (6.0 + 2.0 + 2 * 3.0 + 9.0, 2.0 + 2.0 + 6.0)
    with pytest.raises(ccc.errors.CCCError, match="the cotangent of `value"):
        ccc.compiled(pulled_wrongly, backend=backend)(2.0)


def applied(layers):
    total = 0.0
    for layer in layers:
        total += layer["w"] * sum(layer.get("options", {}).values())
    return total


@pytest.mark.parametrize("backend", BACKENDS)
def test_dicts_of_which_some_hold_dicts(backend: str):
    layers = [{"w": 2.0, "options": {"slope": 3.0}}, {"w": 5.0}]
    found = 6.0, [{"w": 3.0, "options": {"slope": 2.0}}, {"w": 0.0}]
    assert ccc.value_with_gradient(applied, backend=backend)(layers) == found


def grows(xs, y, n):
    for i in range(n):
        xs.append(y * i)
    return sum(xs)


def grows_in_ranks(xs, y, n):
    for _ in range(n):
        xs.append(np.ones(2) * y)
    return xs[-1].sum()


@pytest.mark.parametrize("backend", BACKENDS)
def test_lists_of_the_callers_that_grow(backend: str):
    assert ccc.value_with_gradient(lambda d, y: sum(y * v for k in d for v in d[k]), backend=backend)(
        {"a": [], "b": [1.0, 2.0]}, 3.0) == (9.0, ({"a": [], "b": [3.0, 3.0]}, 3.0))
    for given in ([], [1.0]):
        ours, theirs = list(given), list(given)
        assert ccc.compiled(grows, backend=backend)(ours, 2.0, 3) == grows(theirs, 2.0, 3) and ours == theirs


def test_a_list_that_is_read_item_by_item_is_not_forgotten_where_it_grows():
    ours = [np.ones((2, 2)), np.ones(2)]
    with pytest.raises(ccc.errors.CCCError, match="changes in a loop"):
        ccc.compiled(grows_in_ranks)(ours, 2.0, 3)
    assert len(ours) == 2


def in_their_order(x, rows):
    total = 0.0
    for row in rows:
        for k in row or {}:
            total = total * 0.5 + row[k] * x
    return total


@dataclass
class Entry:
    weight: float
    terms: dict[int, float]
    rest: Entry | None = None


def along_the_rest(x, entry):
    total = 0.0
    while entry is not None:
        for k in entry.terms:
            total = total * 0.5 + entry.terms[k] * entry.weight * x
        entry = entry.rest
    return total


def of_entries(x, entries):
    return sum(along_the_rest(x, Entry(entry.weight, entry.terms)) * 0.5**i for i, entry in enumerate(entries))


def test_records_of_other_names_have_no_common_type():
    a, b, c = (Record((REAL, REAL), dict, names) for names in (("a", "b"), ("b", "a"), ("a", "c")))
    for other in (b, c):
        with pytest.raises(NoSum):
            sum_of((a, other))
    assert sum_of((a, a)).alternatives == (a,)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "given"), [
    (in_their_order, [{1: 2.0, 2: 3.0}, {2: 4.0, 1: 5.0}]), (in_their_order, [{"a": 2.0}, {"b": 4.0}]),
    (in_their_order, [None, {"a": 2.0, "b": 3.0}, {"b": 4.0, "a": 5.0}]),
    (in_their_order, [{(1, 2): 2.0}, {(2, 1): 4.0}]),
    (along_the_rest, Entry(1.0, {1: 2.0, 2: 3.0}, Entry(2.0, {2: 4.0, 1: 5.0}))),
    (along_the_rest, Entry(1.0, {1: 2.0, 2: 3.0}, Entry(2.0, {2: 4.0, 3: 5.0}))),
    (of_entries, [Entry(1.0, {1: 2.0, 2: 3.0}), Entry(2.0, {2: 4.0, 1: 5.0})]),
])
def test_dicts_of_as_many_keys_each_have_their_own_keys_in_their_order(backend: str, f: Any, given: Any):
    value, (slope, found) = ccc.value_with_gradient(f, backend=backend)(1.5, given)
    assert value == f(1.5, given) and np.isclose(slope, value / 1.5, rtol=1e-14)
    if f is in_their_order:
        assert [row and list(row) for row in found] == [row and list(row) for row in given]
    moved = copy.deepcopy(given)
    last = moved[-1] if isinstance(moved, list) else moved.rest
    there = found[-1] if isinstance(found, list) else found.rest
    terms, ct = (last, there) if f is in_their_order else (last.terms, there.terms)
    for k in terms:
        terms[k] += 1.0
        assert np.isclose(f(1.5, moved) - value, ct[k], rtol=1e-13)
        terms[k] -= 1.0
