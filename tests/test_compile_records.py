"""Objects of dataclasses, named tuples and dicts: as arguments, results, globals and locals, changed, and refused."""

from __future__ import annotations

import functools
import math
from collections import namedtuple
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import pytest
from checks import agrees, agrees_in_value, runs_in_stores, same

import ccc
from ccc.compile.diagnostics import CompileError, WrongArguments


@dataclass
class Vector:
    x: float
    y: float

    @property
    def magnitude(self) -> float:
        return math.sqrt(self.x**2 + self.y**2)

    @classmethod
    def unit(cls, angle: float) -> Vector:
        return cls(math.cos(angle), math.sin(angle))

    @staticmethod
    def dot(a: Vector, b: Vector) -> float:
        return a @ b

    def __add__(self, other: Any) -> Vector:
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k: float) -> Vector:
        return Vector(self.x * k, self.y * k)

    def __rmul__(self, k: float) -> Vector:
        return self * k

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y)

    def __matmul__(self, other: Vector) -> float:
        return self.x * other.x + self.y * other.y

    def __getitem__(self, i: int) -> float:
        return self.x if i == 0 else self.y

    def __lt__(self, other: Vector) -> bool:
        return self.magnitude < other.magnitude

    def __len__(self) -> int:
        return 2

    def __call__(self, t: float) -> float:
        return self.x * t + self.y


@dataclass(frozen=True)
class DenseLayer:
    weight: np.ndarray
    bias: np.ndarray
    activation: Callable[[Any], Any] = field(default=np.tanh, metadata={"static": True})
    name: str = "dense"

    def __call__(self, x: Any) -> Any:
        return self.activation(x @ self.weight + self.bias)


class Layer(Protocol):
    def __call__(self, x: Any) -> Any: ...


@dataclass
class Scale:
    factor: float

    def __call__(self, x: Any) -> Any:
        return self.factor * x


@dataclass
class Model:
    layers: tuple[Layer, ...]
    power: int = 2
    tag: Any = None

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return np.sum(x**self.power)


class Point(NamedTuple):
    a: float
    b: float = 2.0

    @property
    def product(self) -> float:
        return self.a * self.b

    def twice(self) -> Point:
        return Point(2 * self.a, b=2 * self.b)


Pair = namedtuple("Pair", "left right")


@dataclass
class Base:
    width: float

    def __init__(self, width: float) -> None:
        self.width = width

    def area(self) -> float:
        return self.width * self.width


@dataclass
class Box(Base):
    height: float = 2.0
    history: list[Any] = field(default_factory=list)

    def __init__(self, width: float, height: float = 2.0) -> None:
        super().__init__(width)
        self.height = height

    def area(self) -> float:
        return super().area() * self.height


@dataclass(frozen=True)
class Disc:
    radius: float
    scale: InitVar[float] = 1.0
    area: float = field(init=False, default=0.0)

    def __post_init__(self, scale: float) -> None:
        object.__setattr__(self, "area", math.pi * self.radius**2 * scale)


class Counter:
    def __init__(self, start: float) -> None:
        self.total = start
        self.steps = 0

    def add(self, x: float) -> Counter:
        self.total += x
        self.steps += 1
        return self


ORIGIN = Vector(3.0, 4.0)
CONFIG: dict[str, Any] = {"rate": 0.5, "power": 3, "f": math.sin, "inner": {"k": 2.0}}


def magnitude(v: Vector) -> float:
    return v.magnitude


def operators(v: Vector, w: Vector, k: float) -> float:
    u = v + 2.0 * w * k + (-v) * 0.5
    chosen = u(k) if v < w else v(2 * k)
    return (u @ w) * u[0] + Vector.dot(u, Vector.unit(k)) + chosen * len(v)


def outside(v: Vector) -> float:
    return (v + ORIGIN).magnitude * CONFIG["rate"] * CONFIG["f"](v.x) ** CONFIG["power"] * CONFIG["inner"]["k"]


def apply(layer: Layer, x: Any) -> Any:
    return np.sum(layer(x))


def named_tuples(p: Point, q: Pair) -> float:
    a, b = p
    c = p.twice()
    return p.a * q.left.b + c.product * a + p[1] * b + q.right._replace(a=3.0).product + sum(p) + p._asdict()["a"]


def dicts(d: dict[str, float], x: float) -> float:
    s = 0.0
    for key, value in d.items():
        if key != "z":
            s = s + value * x
    e = {"s": s, **d}
    e["w"] = d.get("a") * 2  # type: ignore[operator]
    if "b" in d and "c" not in d:
        s = s + e["w"] * e["s"]
    e.update(a=s)
    for value in e.values():
        s = s + value * 0.1
    return s + d.get("c", 1.5) * x + len(e) + (e | {"a": x})["a"] + e.pop("w") + len(e)


def changed(x: float, y: float) -> float:
    v = Vector(x, y=y)
    w = replace(v, x=3 * x)
    v.x = v.x * 2
    u = v
    u.y += 1.0
    return v.magnitude * w.x + v.y


def in_branches(x: float, y: float) -> float:
    v = Vector(x, y)
    if x > 1:
        v.x = y * y
    else:
        v.y = x * x
    w = Vector(y, x) if y > 0 else Vector(x, 2 * y)
    return v.magnitude * w.x + w.y


def in_a_loop(v: Vector, xs: list[float]) -> float:
    s = Vector(0.0, 1.0)
    best = Vector(0.0, 0.0)
    for x in xs:
        s = s + v * x
        best.x = best.x + x * s.y
        if x > 0.7:
            best.y = s.x * x
    return s.magnitude * best.x + best.y


def aliased_in_a_loop(v: Vector, n: int, x: float) -> float:
    s = Vector(0.0, x)
    t = s
    d = {"k": 1.0, "n": 0}
    for i in range(n):
        if i > 1:
            s.x = s.x + v.x * x
        d["k"] *= t.x + 1.0
        d["n"] += 1
        t.y += s.x
    return s.x * t.y + d["k"] * d["n"]


def exchanged(v: Vector, n: int) -> float:
    a, b = v, Vector(1.0, 2.0)
    for _ in range(n):
        a, b = b, a + b * 0.5
    return a.x * b.y + a.y


def nested(d: dict[str, Any]) -> float:
    return d["p"].a * d["v"].x ** 2 + d["q"][0] * d["v"].y + d["q"][1]["z"] * d["p"].b


def closures(v: Vector, k: float) -> float:
    def shifted(w: Vector) -> Vector:
        return w + v * k

    def stretched(w: Vector, t: float) -> Vector:
        return Vector(w.x * t, w.y)

    a = shifted(v)
    return stretched(a, 2.0).magnitude + stretched(a, k) @ a


def captured_later(x: float) -> float:
    v = Vector(x, 1.0)

    def first() -> float:
        return v.x * v.y

    before = first()
    v.x = x * x
    return before + 10 * first()


def gradient_inside(v: Vector, k: float) -> float:
    g = ccc.gradient(lambda u: u.x**2 * u.y * k)(v)
    return g.x * g.y + ccc.gradient(magnitude)(v).x


def constructors(x: float) -> float:
    box, disc, counter = Box(x, height=3 * x), Disc(x, 2.0), Counter(x)
    box.history = [x]
    for i in range(3):
        counter.add(i * x).add(1.0)
    return box.area() + disc.area * disc.radius + counter.total * counter.steps + getattr(box, "none", 1.0)


def partial_application(v: Vector) -> float:
    half = functools.partial(Vector, y=0.5)
    scale = functools.partial(lambda k, w: w * k, 3.0)
    return scale(half(v.y)).magnitude * v.x


def items_of_a_list(points: list[Vector], k: float) -> float:
    total = 0.0
    for p in points:
        total = total + p.x * p.y * k
    return total + points[0].x + points[-1].magnitude


def while_it_grows(x: float) -> float:
    v = Vector(x, 1.0)
    while v.x < 10.0:
        v.x = v.x * 1.5 + v.y
        v.y += x
    return v.x * v.y


def leaves_the_loop(x: float, n: int) -> float:
    v = Vector(x, 1.0)
    d = {"c": 0.0}
    for i in range(n):
        v.x = v.x * 1.2 + v.y
        if v.x > 6:
            d["c"] = v.x * x
            break
        v.y += x
        if i == 1:
            continue
        d["c"] += v.y
    return v.x * v.y + d["c"]


def returns_in_a_loop(x: float, n: int) -> float:
    v = Vector(x, 1.0)
    for _ in range(n):
        v.x = v.x * x
        if v.x > 4.0:
            return v.x * v.y
        v.y += v.x
    return v.y


def collected(vs: list[Vector], k: float) -> float:
    ws = [Vector(v.x * k, v.y) for v in vs]
    return sum([w.x * w.y for w in ws]) + sum(v.x for v in vs) + ws[0].magnitude


def matched(v: Any, k: float) -> float:
    match v:
        case Point(a, b):
            return a - b
        case Vector(x=a, y=b) if k > 0:
            return a * b * k
    return 0.0


def carried_in_a_tuple(x: float, n: int) -> float:
    state = (Vector(x, 1.0), 0.0)
    i = 0
    while i < n:
        v, s = state
        state = (Vector(v.x * 1.1, v.y + v.x), s + v.x)
        i += 1
    return state[0].x * state[1] + state[0].y


def recursive(v: Vector, n: int) -> float:
    return v.x if n == 0 else recursive(Vector(v.x * v.y, v.y), n - 1) + v.y


def seen_by_all(x: float, k: float) -> float:
    p = Vector(x, k)
    r = [p, p]
    r[0].x = 5.0 * x

    def inner() -> float:
        p.y = p.y * p.x
        return p.y

    t = inner()
    return p.x * r[1].y + t + inner()


LAYER = DenseLayer(np.array([[0.3, 0.2], [0.1, 0.5]]), np.array([0.1, 0.2]))
SINE = DenseLayer(np.array([[0.4, 0.1], [0.6, -0.5]]), np.array([0.3, 0.2]), np.sin)
AGREE: list[tuple[Callable[..., float], tuple[Any, ...]]] = [
    (magnitude, (Vector(2.0, 2.0),)),
    (operators, (Vector(1.2, 0.7), Vector(0.3, 2.0), 0.9)),
    (operators, (Vector(0.2, 0.7), Vector(0.3, -2.0), 0.9)),
    (outside, (Vector(1.2, 0.7),)),
    (apply, (LAYER, np.array([[0.3, 0.4]]))),
    (apply, (Scale(0.7), np.array([0.3, 0.4]))),
    (lambda m, x: m(x), (Model((LAYER, Scale(2.0), SINE)), np.array([[1.2, -0.5]]))),
    (named_tuples, (Point(1.5, 0.4), Pair(Point(0.3), Point(0.2, 0.1)))),
    (dicts, ({"a": 1.0, "b": 2.0, "z": 3.0}, 0.7)),
    (changed, (1.2, 0.8)),
    (in_branches, (1.2, 0.8)),
    (in_branches, (0.2, -0.8)),
    (in_a_loop, (Vector(1.0, 0.5), [0.3, 0.9, 1.2])),
    (aliased_in_a_loop, (Vector(1.0, 0.5), 4, 0.7)),
    (exchanged, (Vector(1.0, 0.5), 5)),
    (nested, ({"p": Point(1.0, 2.0), "v": Vector(3.0, 4.0), "q": (1.5, {"z": 2.0})},)),
    (closures, (Vector(1.0, 0.5), 0.7)),
    (captured_later, (1.3,)),
    (gradient_inside, (Vector(1.0, 0.5), 0.7)),
    (constructors, (1.3,)),
    (partial_application, (Vector(1.0, 0.5),)),
    (while_it_grows, (1.1,)),
    (leaves_the_loop, (1.1, 9)),
    (leaves_the_loop, (0.5, 3)),
    (returns_in_a_loop, (1.2, 9)),
    (returns_in_a_loop, (0.5, 3)),
    (collected, ([Vector(1.0, 2.0), Vector(0.5, 0.3)], 0.7)),
    (matched, (Vector(1.0, 2.0), 0.7)),
    (matched, (Point(1.0, 2.0), 0.7)),
    (carried_in_a_tuple, (1.2, 4)),
    (recursive, (Vector(1.1, 1.2), 3)),
    (seen_by_all, (1.2, 0.7)),
    (items_of_a_list, ([Vector(1.0, 0.5), Vector(2.0, 0.3)], 0.7)),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), AGREE, ids=[f"{f.__name__}{i}" for i, (f, _) in enumerate(AGREE)])
def test_agrees_with_python_and_with_differences(f: Callable[..., float], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_the_gradient_of_the_magnitude_is_a_vector() -> None:
    value, found = ccc.value_with_gradient(magnitude)(Vector(2.0, 2.0))
    assert value == 2.8284271247461903
    assert found == Vector(x=0.7071067811865475, y=0.7071067811865475)


def test_the_pullback_of_a_dense_layer() -> None:
    layer = DenseLayer(np.ones((2, 2)), np.ones(2), lambda x: x)
    value, pullback = ccc.value_with_pullback(lambda layer, x: layer(x))(layer, np.array([[3.0, 3.0]]))
    d_layer, dx = pullback(np.array([[1.0, 1.0]]))
    assert value.tolist() == [[7.0, 7.0]]
    assert isinstance(d_layer, DenseLayer)
    assert (d_layer.weight.tolist(), d_layer.bias.tolist()) == ([[3.0, 3.0], [3.0, 3.0]], [1.0, 1.0])
    assert (d_layer.activation, d_layer.name, dx.tolist()) == (None, None, [[2.0, 2.0]])


def test_gradients_have_the_structure_of_the_argument() -> None:
    found = ccc.gradient(nested)({"p": Point(1.0, 2.0), "v": Vector(3.0, 4.0), "q": (1.5, {"z": 2.0})})
    assert list(found) == ["p", "v", "q"]
    assert same(found, {"p": Point(9.0, 2.0), "v": Vector(6.0, 1.5), "q": (4.0, {"z": 2.0})})
    model = Model((Scale(2.0),), power=3, tag="m")
    assert ccc.gradient(lambda m: m(2.0))(model) == Model((Scale(96.0),), power=64.0 * math.log(4.0), tag=None)  # type: ignore[arg-type]


def test_results_and_their_cotangents_have_structure() -> None:
    def f(v: Vector, k: float) -> Any:
        return {"v": v * k, "p": Point(k, k), "n": (1, v, None, "s")}

    value, pullback = ccc.value_with_pullback(f)(Vector(1.0, 2.0), 3.0)
    assert same(value, f(Vector(1.0, 2.0), 3.0))
    seed = {"v": Vector(0.5, 0.25), "p": Point(1.0, 0.0), "n": (None, Vector(1.0, 1.0), None, None)}
    assert pullback(seed) == (Vector(2.5, 1.75), 2.0)
    _, differential = ccc.value_with_differential(f)(Vector(1.0, 2.0), 3.0)
    assert differential(Vector(1.0, 0.0), 0.0)["v"] == Vector(3.0, 0.0)
    with pytest.raises(WrongArguments, match=r"cotangent\['v'\]: the value is a Vector, so must its cotangent be"):
        pullback({**seed, "v": (0.5, 0.25)})
    with pytest.raises(WrongArguments, match="dict with the keys 'v', 'p', 'n'"):
        pullback(Vector(1.0, 1.0))


def test_cotangents_are_made_without_init() -> None:
    made: list[float] = []

    @dataclass
    class Positive:
        value: float

        def __post_init__(self) -> None:
            made.append(self.value)
            if self.value < 0:
                raise ValueError(self.value)

    assert ccc.gradient(lambda p: -p.value)(Positive(2.0)).value == -1.0
    assert made == [2.0]


def test_static_fields_are_part_of_the_signature() -> None:
    @dataclass
    class Unit:
        k: float
        f: Callable[[float], float] = math.sin
        flag: bool = True
        order: int = field(default=2, metadata={"static": True})

    def g(u: Unit) -> float:
        return u.f(u.k) ** u.order if u.flag else u.k

    gradient = ccc.gradient(g)
    for unit, slope in (
        (Unit(0.5), math.sin(1.0)), (Unit(0.5, math.exp), 2 * math.exp(1.0)), (Unit(0.5, flag=False), 1.0),
        (Unit(0.5, order=1), math.cos(0.5)),
    ):
        found = gradient(unit)
        assert found.k == pytest.approx(slope)
        assert (found.f, found.flag, found.order) == (None, None, None)
    assert len(gradient.codes) == 4  # type: ignore[attr-defined]
    gradient(Unit(0.7))
    assert len(gradient.codes) == 4  # type: ignore[attr-defined]


def test_a_record_outside_is_read_at_each_call() -> None:
    point = Vector(1.0, 2.0)

    def f(x: float) -> float:
        return x * point.x + point.magnitude

    gradient = ccc.gradient(f)
    assert gradient(1.0) == 1.0
    point.x = 5.0
    assert gradient(1.0) == 5.0
    agrees_in_value(f, 2.0)


def test_an_object_with_call_and_a_bound_method_are_functions() -> None:
    assert ccc.gradient(Vector(3.0, 1.0))(2.0) == 3.0
    assert ccc.gradient(Vector(3.0, 1.0).__matmul__)(Vector(1.0, 1.0)) == Vector(3.0, 1.0)
    assert ccc.gradient(lambda v, t: v(t), wrt="t")(Vector(3.0, 1.0), 2.0) == 3.0


def assigns_a_frozen_field(x: float) -> Any:
    layer = Disc(x)
    layer.radius = 2.0  # type: ignore[misc]
    return layer.radius


def assigns_one_of_two(x: float) -> float:
    a, b = Vector(x, 1.0), Vector(1.0, x)
    c = a if x > 0 else b
    a.x = 5.0
    return c.x


def assigns_a_named_tuple(x: float) -> float:
    p = Point(x)
    p.a = 2.0  # type: ignore[misc]
    return p.a


def misses_a_key(x: float) -> float:
    return {"a": x}["b"]


def misses_an_attribute(v: Vector) -> Any:
    return v.z  # type: ignore[attr-defined]


def too_few(x: float) -> Any:
    return Vector(x).x  # type: ignore[call-arg]


REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (assigns_a_frozen_field, (1.0,), "FrozenInstanceError: cannot assign to field 'radius'"),
    (assigns_a_named_tuple, (1.0,), "`Point` is a named tuple: its field `a` is fixed"),
    (misses_a_key, (1.0,), "KeyError: 'b'"),
    (misses_an_attribute, (Vector(1.0, 2.0),), "`Vector` has no attribute `z`"),
    (too_few, (1.0,), "`Vector` misses its argument `y`"),
]


def test_one_of_two_objects_is_assigned_in_a_store() -> None:
    runs_in_stores(assigns_one_of_two, 1.0, says="a name that stands for one of two sees it too")


@pytest.mark.parametrize(("f", "args", "message"), REFUSED, ids=[f.__name__ for f, _, _ in REFUSED])
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CompileError) as found:
        ccc.gradient(f)(*args)
    assert message in str(found.value)
    assert f"{__file__.rpartition('/')[2]}:" in str(found.value)
    assert "^" in str(found.value)
