"""`@differentiable`: what is checked where a function is defined, and what derivatives are with respect to."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError, WrongArguments


@ccc.differentiable(wrt=("x", "y"))
def scaled(x: float, y: float, n: int = 2) -> float:
    return x**n * y


def test_derivatives_are_with_respect_to_what_is_named():
    assert ccc.gradient(scaled)(2.0, 5.0, 3) == (60.0, 8.0)
    assert ccc.gradient(scaled, wrt="y")(2.0, 5.0, 3) == 8.0
    assert ccc.value_with_gradient(scaled)(2.0, 5.0) == (20.0, (20.0, 4.0))
    assert ccc.value_with_pullback(scaled)(2.0, 5.0)[1](1.0) == (20.0, 4.0)
    assert ccc.value_with_differential(scaled)(2.0, 5.0)[1](1.0, 0.0) == 20.0
    assert ccc.gradient(lambda x: ccc.gradient(scaled)(x, 5.0)[0])(2.0) == 10.0
    assert scaled(2.0, 5.0) == 20.0 and scaled.__name__ == "scaled"


@pytest.mark.parametrize(
    ("wrt", "expected"), [("y", 2.0), (0, 3.0), (-1, 2.0), (("y", 0), (2.0, 3.0)), (["x"], (3.0,)), (None, (3.0, 2.0))]
)
def test_a_name_an_index_or_a_tuple(wrt: Any, expected: Any):
    @ccc.differentiable(wrt=wrt)
    def f(x: float, y: float) -> float:
        return x * y

    assert ccc.gradient(f)(2.0, 3.0) == expected


def test_without_arguments():
    @ccc.differentiable
    def f(x: float, y: float) -> float:
        return x * y

    assert ccc.gradient(f)(2.0, 3.0) == (3.0, 2.0)


@dataclass
class Vector:
    x: float
    y: float

    @property
    @ccc.differentiable
    def magnitude(self) -> float:
        return math.sqrt(self.x * self.x + self.y * self.y)

    @ccc.differentiable(wrt="self")
    @property
    def area(self) -> float:
        return self.x * self.y

    @ccc.differentiable(wrt=("self", "k"))
    def dot(self, k: float, n: int) -> float:
        return (self.x + self.y) * k * n

    @staticmethod
    @ccc.differentiable(wrt="b")
    def of(a: float, b: float) -> float:
        return a * b


def test_methods_and_properties():
    v = Vector(3.0, 4.0)
    found = ccc.gradient(Vector.magnitude.fget)(v)  # type: ignore[attr-defined]
    assert [found.x, found.y] == pytest.approx([0.6, 0.8])
    found = ccc.gradient(lambda v: v.magnitude * v.area)(v)
    assert [found.x, found.y] == pytest.approx([0.6 * 12 + 20, 0.8 * 12 + 15])
    assert ccc.gradient(Vector.dot)(v, 2.0, 3) == (Vector(6.0, 6.0), 21.0)
    assert ccc.gradient(v.dot)(2.0, 3) == (21.0,)
    assert ccc.gradient(v.dot, wrt="k")(2.0, 3) == 21.0
    assert ccc.gradient(Vector.of)(2.0, 3.0) == 2.0


def test_unknown_parameters_are_refused_where_the_function_is_defined():
    for wrt in ("z", 2, ("x", "z"), 1.5, True):
        with pytest.raises(WrongArguments, match=r"is no parameter of `f`; it has x, y"):
            @ccc.differentiable(wrt=wrt)
            def f(x: float, y: float) -> float:
                return x * y

    for wrong in (3.0, math.sin, functools.partial(scaled, 1.0), Vector):
        with pytest.raises(WrongArguments, match="differentiable takes a function"):
            ccc.differentiable(wrong)


def test_every_place_that_is_refused_is_shown():
    with pytest.raises(CompileError) as raised:
        @ccc.differentiable
        def f(x: float) -> Any:
            try:
                y = x
            except* ValueError:
                y = 2.0 * x
            yield y

    found = raised.value.diagnostics
    assert sorted([d.code for d in found]) == ["CC003", "CC004"]
    assert all(d.span is not None and d.span.file.endswith("test_compile_differentiable.py") for d in found)


def test_a_convolution_with_respect_to_input_and_filter():
    @ccc.differentiable(wrt=("x", "kernel"))
    def conv(x: Any, kernel: Any, stride: int) -> Any:
        return np.sum(np.convolve(x, kernel, "valid")[::stride])

    dx, dk = ccc.gradient(conv)(np.arange(5.0), np.array([1.0, -1.0]), 2)
    assert np.array_equal(dx, [-1.0, 1.0, -1.0, 1.0, 0.0]) and np.array_equal(dk, [4.0, 2.0])
