"""Objects with functions in their attributes stand in stores, and sets of objects are gone through in some order: the
classic engine of reverse mode, as people write it, runs inside of a function that is differentiated."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from checks import agrees

import ccc


class Value:
    def __init__(self, data: Any, children: Any = (), op: str = "") -> None:
        self.data = data
        self.grad = 0.0
        self.backward_here: Any = lambda: None
        self.children = set(children)
        self.op = op

    def __add__(self, other: Any) -> Any:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def backward_here() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out.backward_here = backward_here
        return out

    def __mul__(self, other: Any) -> Any:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def backward_here() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.backward_here = backward_here
        return out

    def __pow__(self, other: Any) -> Any:
        assert isinstance(other, int | float), "powers of numbers"
        out = Value(self.data**other, (self,), f"**{other}")

        def backward_here() -> None:
            self.grad += (other * self.data ** (other - 1)) * out.grad

        out.backward_here = backward_here
        return out

    def tanh(self) -> Any:
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def backward_here() -> None:
            self.grad += (1 - t**2) * out.grad

        out.backward_here = backward_here
        return out

    def backward(self) -> None:
        topo = []
        visited = set()

        def build(v: Any) -> None:
            if v not in visited:
                visited.add(v)
                for child in v.children:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = 1
        for v in reversed(topo):
            v.backward_here()


def expression(x: float, y: float) -> Any:
    a, b = Value(x), Value(y)
    c = a * b + a**2
    d = c.tanh() + b * 3.0
    d.backward()
    return a.grad * y + 2.0 * b.grad + d.data


def in_a_loop(x: float, n: int) -> Any:
    a, out = Value(x), Value(0.0)
    for i in range(n):
        out = out + a * out + a * float(i)
    out.backward()
    return a.grad + out.data


def chained(x: float, n: int) -> Any:
    """Functions in attributes of objects of a list, which the loop makes and calls."""
    topo = [Value(x)]
    for i in range(n):
        topo.append(topo[-1] * (topo[0] if i % 2 else Value(2.0)))
    topo[-1].grad = 1.0
    for v in reversed(topo):
        v.backward_here()
    return topo[0].grad + 2.0 * topo[1].grad + topo[-1].data


def bound_behind(x: float, n: int) -> Any:
    """What the function reads is bound anew behind the statement that keeps it."""
    a = Value(x)
    factor = 2.0 * x

    def scale() -> None:
        a.grad = a.grad + factor

    a.backward_here = scale
    xs = [a, Value(1.0)]
    for i in range(n):
        xs.append(Value(x * i))
    xs[n - 3].backward_here()
    factor = 3.0 * x
    xs[n - 3].backward_here()
    return a.grad * factor


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), [(expression, (0.4, 0.7)), (chained, (0.8, 3))], ids=["expression", "chained"])
def test_the_classic_engine_runs_inside(f: Callable[..., Any], args: Any) -> None:
    agrees(f, *args, second=f is chained, exponentials=("Delta", "AdditiveMap"))


def test_the_engine_in_a_loop() -> None:
    value, slope = ccc.value_with_gradient(in_a_loop, wrt=0, backend="numpy")(0.4, 3)
    assert value == in_a_loop(0.4, 3)
    assert abs(slope - (in_a_loop(0.4 + 1e-6, 3) - in_a_loop(0.4 - 1e-6, 3)) / 2e-6) < 1e-7


def test_what_is_bound_anew_is_not_taken_for_what_it_was() -> None:
    agrees(bound_behind, 0.4, 3, exponentials=("Delta",))


class Bus:
    def __init__(self) -> None:
        self.handlers: Any = defaultdict(list)

    def on(self, name: str, handler: Any) -> None:
        self.handlers[name].append(handler)

    def emit(self, name: str, v: Any) -> None:
        for handler in self.handlers[name]:
            handler(v)


def on_a_bus(x: float) -> float:
    bus = Bus()
    seen: list[float] = []
    bus.on("x", lambda v: seen.append(v * x))
    bus.on("x", lambda v: seen.append(v + x))
    bus.on("y", lambda v: seen.append(v * v))
    bus.emit("x", 2.0)
    bus.emit("y", x)
    return sum(seen) * seen[0]


def test_functions_stand_in_lists_of_a_dict_that_makes_them() -> None:
    agrees(on_a_bus, 0.7)
