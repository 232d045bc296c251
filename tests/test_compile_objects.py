"""Objects of ordinary classes as arguments and as `self`: read, differentiated, changed and given back."""

from __future__ import annotations

import abc
import argparse
import enum
import logging
import types
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.errors import CCCError

R = np.random.default_rng(5)
X, Y = R.normal(size=3), R.normal(size=2)
BACKENDS = ("numpy", "native")
T = TypeVar("T")


class Linear:
    """A layer."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self.W = R.normal(size=(outputs, inputs))
        self.b = np.zeros(outputs)

    def __call__(self, x: Any) -> Any:
        return self.W @ x + self.b


class MLP:
    """Layers in a list, a function, numbers and a text."""

    def __init__(self, *sizes: int) -> None:
        self.layers = [Linear(a, b) for a, b in pairwise(sizes)]
        self.scale = 2.0
        self.activation = np.tanh
        self.name = "net"

    @property
    def depth(self) -> int:
        return len(self.layers)

    def forward(self, x: Any) -> Any:
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x) * self.scale

    def loss(self, x: Any, y: Any) -> Any:
        return np.sum((self.forward(x) - y) ** 2) / self.depth


class Ridge(MLP):
    """One that inherits."""

    penalty = 0.1

    def loss(self, x: Any, y: Any) -> Any:
        return super().loss(x, y) + self.penalty * sum(np.sum(layer.W**2) for layer in self.layers)


class Scaled(abc.ABC, Generic[T]):
    """An abstract class."""

    factor = 3.0

    @abc.abstractmethod
    def at(self, x: Any) -> Any: ...

    @staticmethod
    def squared(x: Any) -> Any:
        return x * x


class Line(Scaled[float]):
    """A concrete one, with a class method and a property that is set."""

    def __init__(self, slope: Any) -> None:
        self._slope = slope

    @property
    def slope(self) -> Any:
        return self._slope

    @slope.setter
    def slope(self, value: Any) -> None:
        self._slope = value

    @classmethod
    def steeper(cls, line: Line) -> Line:
        return cls(line.slope * 2.0)

    def at(self, x: Any) -> Any:
        return self._slope * self.squared(x) * self.factor


class Slotted:
    """No `__dict__`."""

    __slots__ = ("bias", "unset", "weight")

    def __init__(self, weight: Any, bias: Any) -> None:
        self.weight = weight
        self.bias = bias


def of_model(net: Any, x: Any, y: Any) -> Any:
    return net.loss(x, y)


def of_line(line: Any, x: Any) -> Any:
    return Line.steeper(line).at(x) + line.at(x)


def of_slots(s: Any, x: Any) -> Any:
    return s.weight**2 * x + s.bias


class Factor:
    """A sum of its own that is no sum of its attributes."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __add__(self, other: Any) -> Any:
        return Factor(self.v * other.v)


def of_factors(factors: Any, x: Any) -> Any:
    total = factors[0] + factors[1]
    for i in range(3):
        total = total + (factors[0] if x > i else factors[i % 2])
    return total.v * x


def of_bag(p: Any, x: Any) -> Any:
    return p.w**2 * x


@pytest.mark.parametrize(("f", "args"), [
    (of_model, (MLP(3, 4, 2), X, Y)),
    (of_model, (Ridge(3, 2), X, Y)),
    (of_line, (Line(2.0), 3.0)),
    (of_slots, (Slotted(2.0, 1.0), 3.0)),
    (of_factors, ([Factor(2.0), Factor(3.0)], 1.5)),
    (of_bag, (types.SimpleNamespace(w=2.0, name="a"), 3.0)),
    (of_bag, (argparse.Namespace(w=2.0), 3.0)),
])  # fmt: skip
def test_objects_are_arguments(f: Any, args: Any):
    agrees(f, *args)
    assert type(ccc.gradient(f)(*args)[0]) is type(args[0])
    found, expected = [ccc.gradient(f, wrt=1, backend=backend)(*args) for backend in BACKENDS]
    assert np.allclose(found, expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_bound_methods_read_their_object(backend: str):
    net = MLP(3, 4, 2)
    dx, dy = ccc.gradient(net.loss, backend=backend)(X, Y)
    _, expected, _ = ccc.gradient(of_model, backend=backend)(net, X, Y)
    assert np.array_equal(dx, expected) and dy.shape == (2,)
    net.scale = 0.5
    assert ccc.compiled(net.loss, backend=backend)(X, Y) == pytest.approx(net.loss(X, Y))
    assert ccc.jacobian(net.layers[0], backend=backend)(X) == pytest.approx(net.layers[0].W)


def test_second_derivatives_in_objects():
    net = MLP(3, 4, 2)

    def slope(x: Any) -> Any:
        return np.sum(ccc.gradient(of_model, wrt="net")(net, x, Y).layers[0].W)

    step = 1e-5 * np.array([1.0, 0.0, 0.0])
    expected = (slope(X + step) - slope(X - step)) / 2e-5
    for backend in BACKENDS:
        assert ccc.gradient(slope, backend=backend)(X)[0] == pytest.approx(expected, rel=1e-6)


class Counted:
    """A model that trains in place, counts its calls and keeps what it has seen."""

    def __init__(self) -> None:
        self.W = R.normal(size=(2, 3))
        self.calls = 0
        self.mean = np.zeros(2)
        self.history: list[Any] = []
        self.cache: Any = None

    def loss(self, x: Any, y: Any) -> Any:
        self.calls += 1
        out = self.W @ x
        self.mean = 0.9 * self.mean + 0.1 * out
        self.cache = (x, out)
        self.last = out * 1.0
        off = np.sum((self.cache[1] - y) ** 2)
        self.history.append(off)
        return off


@pytest.mark.parametrize("backend", BACKENDS)
def test_training_in_place_writes_back_and_compiles_once(backend: str):
    net, plain = Counted(), Counted()
    plain.W = net.W.copy()
    step = ccc.value_with_gradient(of_model, wrt="net", backend=backend)
    assert step(net, X, Y)[0] == pytest.approx(of_model(plain, X, Y))
    made = 0
    for i in range(20):
        value, slope = step(net, X, Y)
        net.W -= 0.05 * slope.W
        assert value == pytest.approx(of_model(plain, X, Y))
        plain.W -= 0.1 * np.outer(plain.W @ X - Y, X)
        made = made or (len(step.codes) if i == 1 else 0)
    assert len(step.codes) == made
    assert net.calls == plain.calls == 21 and type(net.calls) is int
    assert net.mean == pytest.approx(plain.mean) and net.last == pytest.approx(plain.last)
    assert net.history == pytest.approx(plain.history)


class Colour(enum.Enum):
    """Values that are known."""

    RED = 1


class Full:
    """Attributes that have no derivative beside one that has."""

    def __init__(self) -> None:
        self.w = 2.0
        self.log = logging.getLogger("full")
        self.colour = Colour.RED
        self.error = ValueError("none")
        self.dtype = np.float32
        self.apply = lambda x: x * self.factor
        self.factor = 3.0
        self.options = {"rate": 0.5, "mode": "fast"}
        self.on = True


def of_full(full: Any, x: Any) -> Any:
    return full.w * x * full.options["rate"] if full.colour is Colour.RED and full.on else x


def test_what_has_no_derivative_has_the_cotangent_none():
    found = ccc.gradient(of_full, wrt="full")(Full(), 3.0)
    assert (found.w, found.factor, found.options) == (1.5, 0.0, {"rate": 6.0, "mode": None})
    assert {vars(found)[name] for name in ("log", "colour", "error", "dtype", "apply", "on")} == {None}


class Column:
    """An array of another library."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array([1.0, 2.0])


def series() -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.Series([1.0, 2.0])


@pytest.mark.parametrize("make", [Column, series])
def test_arrays_of_other_libraries_are_refused_by_what_to_write(make: Any):
    x = make()
    with pytest.raises(CCCError, match=r"`x` is a \w+, an array of another library[^$]*give `np.asarray\(x\)`"):
        ccc.gradient(lambda x: np.sum(x**2))(x)
    with pytest.raises(CCCError, match=r"give `np.asarray\(p\['w'\]\)`"):
        ccc.gradient(lambda p: np.sum(p["w"]))({"w": x})
    assert np.array_equal(ccc.gradient(lambda x: np.sum(x**2))(np.asarray(x)), [2.0, 4.0])


@pytest.mark.parametrize("library", ["attrs", "pydantic"])
def test_classes_of_libraries(library: str):
    found = pytest.importorskip(library)
    if library == "attrs":
        line = found.make_class("Model", ["w", "name"])(2.0, "line")
    else:
        line = found.create_model("Model", w=(float, ...), name=(str, "line"))(w=2.0)
    slope, dx = ccc.gradient(of_bag)(line, 3.0)
    assert (type(slope), slope.w, slope.name, dx) == (type(line), 12.0, None, 4.0)


def test_converters_factories_and_validators_of_attrs():
    attrs: Any = pytest.importorskip("attrs")
    fields = {"coef": attrs.field(factory=list, converter=list),
              "scale": attrs.field(validator=attrs.validators.gt(0), default=attrs.Factory(lambda p: p.coef[0], True))}
    for frozen in (False, True):
        series = attrs.make_class("Series", fields, frozen=frozen, slots=True)

        def f(x: float, series: Any = series) -> float:
            s = series((x, 2.0))
            return s.scale * s.coef[1] * x + len(series(scale=2.0).coef)

        assert ccc.value_with_gradient(f, wrt="x")(3.0) == (18.0, 12.0)


class Doubled:
    """What it gives is not what its attributes are."""

    def __init__(self) -> None:
        self.w = 2.0

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__(self, name)
        return found * 2.0 if name == "w" else found


class Selfish:
    """A cycle."""

    def __init__(self) -> None:
        self.w = 2.0
        self.me = self


@pytest.mark.parametrize(("value", "text"), [
    (Doubled(), "attributes of `Doubled` objects"), (Selfish(), "holds itself: structures with cycles"),
])  # fmt: skip
def test_what_is_refused(value: Any, text: str):
    with pytest.raises(CCCError, match=text):
        ccc.gradient(of_bag)(value, 2.0)
