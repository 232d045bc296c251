"""Programs in the styles of Python: exceptions, managers, generators, decorators, dispatch, patterns, protocols."""

from __future__ import annotations

import abc
import contextlib
import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

import ccc


class ConvergenceError(Exception):
    def __init__(self, steps: int, x: float) -> None:
        super().__init__(f"no convergence after {steps} steps")
        self.steps = steps
        self.x = x


def fixed_point(f: Callable[[float], float], x: float, most: int = 30) -> float:
    for _ in range(most):
        new = f(x)
        if abs(new - x) < 1e-13:
            return new
        x = new
    raise ConvergenceError(most, x)


def cosine_or_last(a: float) -> float:
    try:
        return fixed_point(lambda x: math.cos(a * x), 0.5, 100)
    except ConvergenceError as error:
        return error.x * error.steps


def check_a_solver_that_may_give_up() -> None:
    x, slope = ccc.value_with_gradient(cosine_or_last)(0.5)
    assert abs(x - math.cos(0.5 * x)) < 1e-12
    assert abs(slope + x * math.sin(0.5 * x) / (1.0 + 0.5 * math.sin(0.5 * x))) < 1e-9
    assert ccc.value_with_gradient(cosine_or_last)(1.5)[0] == cosine_or_last(1.5) > 1.0


def safely(default: float) -> Callable[[Callable[..., float]], Callable[..., float]]:
    def around(f: Callable[..., float]) -> Callable[..., float]:
        @functools.wraps(f)
        def wrapper(*args: float) -> float:
            try:
                return f(*args)
            except (ValueError, ZeroDivisionError):
                return default
        return wrapper
    return around


@safely(default=-1.0)
def log_ratio(x: float, y: float) -> float:
    return math.log(x / y)


def check_a_decorator_that_catches() -> None:
    slope = ccc.value_with_gradient(log_ratio)
    assert slope(2.0, 2.0) == (0.0, (0.5, -0.5))
    assert slope(2.0, 0.0) == slope(-2.0, 1.0) == (-1.0, (0.0, 0.0))


class Tape:
    """Keeps what is done while it is open."""

    def __init__(self) -> None:
        self.entries: list[float] = []
        self.open = False

    def __enter__(self) -> Tape:
        self.open = True
        return self

    def __exit__(self, *error: Any) -> None:
        self.open = False

    def add(self, x: float) -> None:
        if not self.open:
            raise RuntimeError("the tape is closed")
        self.entries.append(x)


def taped(x: float) -> float:
    with Tape() as tape:
        tape.add(x)
        tape.add(x * x)
    with contextlib.suppress(RuntimeError):
        tape.add(100.0 * x)
    return sum(tape.entries)


def check_managers() -> None:
    assert ccc.value_with_gradient(taped)(3.0) == (12.0, 7.0)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...

    def cost(self, price: float = 2.0) -> float:
        return price * self.area()


@dataclass
class Disc(Shape):
    radius: float

    def area(self) -> float:
        return math.pi * self.radius**2


@dataclass
class Box(Shape):
    width: float
    height: float

    @property
    def perimeter(self) -> float:
        return 2.0 * (self.width + self.height)

    def area(self) -> float:
        return self.width * self.height


def check_abstract_classes() -> None:
    disc, box = ccc.gradient(lambda shapes: sum(s.cost() for s in shapes))((Disc(1.0), Box(2.0, 3.0)))
    assert abs(disc.radius - 4.0 * math.pi) < 1e-12 and (box.width, box.height) == (6.0, 4.0)


def moment(shape: Shape) -> float:
    match shape:
        case Disc(radius=r) if r > 10.0:
            return 0.0
        case Disc(r):
            return math.pi * r**4 / 4.0
        case Box(w, h):
            return w * h**3 / 12.0
    raise TypeError("no shape")


def check_patterns() -> None:
    assert abs(ccc.gradient(moment)(Disc(2.0)).radius - 8.0 * math.pi) < 1e-12
    assert ccc.gradient(moment)(Box(12.0, 1.0)).height == 3.0


@functools.singledispatch
def scale(x: Any, k: float) -> Any:
    return x * k


@scale.register
def _(x: list, k: float) -> Any:
    return [v * k for v in x]


def check_dispatch() -> None:
    assert ccc.gradient(lambda x: scale(x, 2.0) + sum(scale([x, x * x], 3.0)))(1.0) == 11.0


class Layer(Protocol):
    def __call__(self, x: Any) -> Any: ...


def pipeline(*layers: Layer) -> Layer:
    return lambda x: functools.reduce(lambda value, layer: layer(value), layers, x)


def check_a_pipeline_of_functions() -> None:
    model = pipeline(np.sin, lambda x: x**2, functools.partial(operator.mul, 3.0))  # pyright: ignore[reportArgumentType]
    assert abs(ccc.gradient(model)(0.4) - 3.0 * math.sin(0.8)) < 1e-12


@dataclass
class Node:
    value: float
    children: list[Node] = field(default_factory=list)


def depths(node: Node, depth: int = 1) -> float:
    return depth * node.value + sum(depths(child, depth + 1) for child in node.children)


def check_a_tree() -> None:
    tree = Node(1.0, [Node(2.0), Node(3.0, [Node(4.0)])])
    slope = ccc.gradient(depths)(tree)
    assert slope.value == 1.0 and slope.children[1].children[0].value == 3.0


def windows(xs: list[float], n: int) -> Iterator[list[float]]:
    for i in range(len(xs) - n + 1):
        yield xs[i : i + n]


def check_moving_averages() -> None:
    slope = ccc.gradient(lambda xs: sum(max(w) for w in windows(xs, 2)))([1.0, 3.0, 2.0, 5.0])
    assert slope == [0.0, 2.0, 0.0, 1.0]


def evaluate(tokens: list[str], x: float) -> float:
    """A calculator with a stack."""
    operations = {"+": operator.add, "*": operator.mul, "-": operator.sub}
    stack: list[float] = []
    for token in tokens:
        if token in operations:
            b, a = stack.pop(), stack.pop()
            stack.append(operations[token](a, b))
        elif token == "x":
            stack.append(x)
        else:
            try:
                stack.append(float(token))
            except ValueError:
                stack.append(0.0)
    return stack.pop()


TOKENS = ["x", "x", "*", "3", "x", "*", "+", "what", "-"]


def check_a_calculator() -> None:
    assert ccc.value_with_gradient(lambda x: evaluate(TOKENS, x))(2.0) == (10.0, 7.0)


class Vector:
    def __init__(self, *parts: float) -> None:
        self.parts = parts

    def __add__(self, other: Vector) -> Vector:
        return Vector(*[a + b for a, b in zip(self.parts, other.parts, strict=True)])

    def __mul__(self, k: float) -> Vector:
        return Vector(*[a * k for a in self.parts])

    __rmul__ = __mul__

    def __matmul__(self, other: Vector) -> float:
        return sum(a * b for a, b in zip(self.parts, other.parts, strict=True))

    def __iter__(self) -> Iterator[float]:
        yield from self.parts


def check_operators_of_a_class() -> None:
    def f(x: float) -> float:
        v = 2.0 * Vector(x, 1.0) + Vector(0.0, x)
        return v @ v + sum(v)

    assert ccc.value_with_gradient(f)(1.0) == (18.0, 17.0)


def check_memoised_recursion() -> None:
    @functools.cache
    def partitions(n: int, k: int) -> int:
        if n == 0:
            return 1
        return 0 if n < 0 or k == 0 else partitions(n, k - 1) + partitions(n - k, k)

    assert abs(ccc.gradient(lambda x: sum(partitions(n, n) * x**n for n in range(5)))(1.0) - (1 + 4 + 9 + 20)) < 1e-12


def softmax_by_hand(xs: list[float]) -> list[float]:
    top = max(xs)
    exponentials = [math.exp(x - top) for x in xs]
    total = sum(exponentials)
    return [e / total for e in exponentials]


def check_softmax_of_a_list() -> None:
    slope = ccc.gradient(lambda xs: -math.log(softmax_by_hand(xs)[1]))([1.0, 2.0, 3.0])
    assert np.allclose(slope, np.array(softmax_by_hand([1.0, 2.0, 3.0])) - [0.0, 1.0, 0.0])


def edit_cost(gap: float, a: str = "kitten", b: str = "sitting") -> float:
    """The cost of turning one word into another, where a gap costs `gap` and a change 1."""
    row = [j * gap for j in range(len(b) + 1)]
    for i, p in enumerate(a, 1):
        above, row = row, [i * gap]
        for j, q in enumerate(b, 1):
            row.append(min(above[j] + gap, row[j - 1] + gap, above[j - 1] + (0.0 if p == q else 1.0)))
    return row[-1]


def check_edits() -> None:
    assert ccc.value_with_gradient(edit_cost)(0.9) == (2.9, 1.0)


def check_products_of_choices() -> None:
    f = lambda x: sum(math.prod(c) for c in itertools.product([x, 1.0], repeat=3))  # noqa: E731
    assert abs(ccc.gradient(f)(2.0) - 27.0) < 1e-12


def check_a_running_total() -> None:
    f = lambda x: list(itertools.accumulate([x, x * x, 3.0], operator.mul))[-1]  # noqa: E731
    assert abs(ccc.gradient(f)(2.0) - 36.0) < 1e-12
