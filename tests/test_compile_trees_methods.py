"""Trees of many classes, whose methods call those of their parts: each class is read once, whatever the others call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


class Expr:
    def at(self, x: float) -> float:
        raise NotImplementedError

    def slope(self) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return Add(self, other)

    def __mul__(self, other: Any) -> Any:
        return Mul(self, other)


@dataclass
class Const(Expr):
    value: float

    def at(self, x: float) -> float:
        return self.value

    def slope(self) -> Any:
        return Const(0.0)


@dataclass
class Here(Expr):
    def at(self, x: float) -> float:
        return x

    def slope(self) -> Any:
        return Const(1.0)


@dataclass
class Add(Expr):
    a: Expr
    b: Expr

    def at(self, x: float) -> float:
        return self.a.at(x) + self.b.at(x)

    def slope(self) -> Any:
        return self.a.slope() + self.b.slope()


@dataclass
class Mul(Expr):
    a: Expr
    b: Expr

    def at(self, x: float) -> float:
        return self.a.at(x) * self.b.at(x)

    def slope(self) -> Any:
        return self.a.slope() * self.b + self.a * self.b.slope()


@dataclass
class Sin(Expr):
    a: Expr

    def at(self, x: float) -> float:
        return math.sin(self.a.at(x))

    def slope(self) -> Any:
        return Cos(self.a) * self.a.slope()


@dataclass
class Cos(Expr):
    a: Expr

    def at(self, x: float) -> float:
        return math.cos(self.a.at(x))

    def slope(self) -> Any:
        return Const(-1.0) * Sin(self.a) * self.a.slope()


@dataclass
class Power(Expr):
    a: Expr
    n: float

    def at(self, x: float) -> float:
        return self.a.at(x) ** self.n

    def slope(self) -> Any:
        return Const(self.n) * Power(self.a, self.n - 1.0) * self.a.slope()


TREE = Add(Const(2.0), Mul(Power(Cos(Sin(Here())), 2.0), Const(0.4)))


def evaluated(tree: Any, x: float) -> float:
    return tree.at(x)


def derived(tree: Any, x: float) -> float:
    return tree.slope().at(x)


class Kernel:
    def __call__(self, a: Any, b: Any) -> Any:
        raise NotImplementedError


@dataclass
class Radial(Kernel):
    scale: float

    def __call__(self, a: Any, b: Any) -> Any:
        return np.exp(-((a[:, None] - b[None, :]) ** 2) / self.scale)


@dataclass
class Both(Kernel):
    one: Kernel
    two: Kernel

    def __call__(self, a: Any, b: Any) -> Any:
        return self.one(a, b) + self.two(a, b)


@dataclass
class Product(Kernel):
    one: Kernel
    two: Kernel

    def __call__(self, a: Any, b: Any) -> Any:
        return self.one(a, b) * self.two(a, b)


@dataclass
class Scaled(Kernel):
    kernel: Kernel
    by: float

    def __call__(self, a: Any, b: Any) -> Any:
        return self.by * self.kernel(a, b)


KERNEL = Both(Scaled(Radial(1.2), 2.0), Product(Radial(0.7), Both(Radial(2.0), Radial(0.5))))


def covariance(kernel: Any, x: Any) -> Any:
    return np.linalg.slogdet(kernel(x, x) + 0.1 * np.eye(len(x)))[1]


def test_trees_of_seven_classes() -> None:
    agrees(evaluated, TREE, 1.3)
    agrees(derived, TREE, 1.3)


def test_objects_that_are_called() -> None:
    agrees(covariance, KERNEL, np.linspace(0.0, 1.0, 4))


@pytest.mark.parametrize(("f", "args"), [(evaluated, (TREE, 1.3)), (covariance, (KERNEL, np.linspace(0.0, 1.0, 4)))])
def test_one_function_recurs_for_all_classes(f: Any, args: tuple[Any, ...]) -> None:
    assert str(ccc.explain(f, *args).lam).count("λ") == 2
