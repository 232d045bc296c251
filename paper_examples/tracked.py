"""The trackers of lab 08, in Python: `TrackedReal`, arrays of it, and `TrackedArray`.

A tracked value knows the results that it directly affects, each with what the chain rule needs: a number for
`TrackedReal`, a closure for `TrackedArray`. They are the document's own programs, to compare ours with.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


class TrackedReal:
    """`mutable struct TrackedReal`: a number, its cotangent, and the results that it directly affects, each with the
    local derivative, in a dictionary as in the lab. The second edge from a number to one result replaces the first."""

    def __init__(self, data: float, name: str = "") -> None:
        self.data = data
        self.name = name
        self.grad: float | None = None
        self.children: dict[TrackedReal, float] = {}

    def edge(self, result: TrackedReal, slope: float) -> None:
        self.children[result] = slope

    def edges(self) -> Iterable[tuple[TrackedReal, float]]:
        return self.children.items()

    def __mul__(self, other: TrackedReal) -> TrackedReal:
        z = type(self)(self.data * other.data, "*")
        self.edge(z, other.data)
        other.edge(z, self.data)
        return z

    def __add__(self, other: TrackedReal) -> TrackedReal:
        z = type(self)(self.data + other.data, "+")
        self.edge(z, 1.0)
        other.edge(z, 1.0)
        return z

    def sin(self) -> TrackedReal:
        z = type(self)(math.sin(self.data), "sin")
        self.edge(z, math.cos(self.data))
        return z


class EveryEdge(TrackedReal):
    """The tracker corrected: a list of edges, so that both of `y*y` stay."""

    def __init__(self, data: float, name: str = "") -> None:
        super().__init__(data, name)
        self.listed: list[tuple[TrackedReal, float]] = []

    def edge(self, result: TrackedReal, slope: float) -> None:
        self.listed.append((result, slope))

    def edges(self) -> Iterable[tuple[TrackedReal, float]]:
        return self.listed


def accum(x: TrackedReal) -> float:
    """`accum!`: the chain rule, summed over the results that `x` affects."""
    if x.grad is None:
        x.grad = sum(w * accum(v) for v, w in x.edges())
    return x.grad


def tree_text(x: TrackedReal) -> str:
    """What `print_tree(x)` prints."""
    def lines(node: TrackedReal) -> list[str]:
        grad = "nothing" if node.grad is None else str(node.grad)
        text = [f"{node.name} data: {round(node.data, 2)} grad: {grad}"]
        for i, child in enumerate(node.children):
            first, rest = ("└─ ", "   ") if i == len(node.children) - 1 else ("├─ ", "│  ")
            text += [(rest if k else first) + line for k, line in enumerate(lines(child))]
        return text

    return "\n".join(lines(x))


# -- Naively Vectorized Reverse AD ---------------------------------------------------------------------------------


def track_each(x: Any) -> Any:
    """`track(x::Array) = track.(x)`: an array of tracked numbers."""
    return np.array([TrackedReal(v) for v in x.ravel().tolist()], dtype=object).reshape(x.shape)


def dot(xs: Any, ys: Any) -> TrackedReal:
    """`LinearAlgebra.dot(xs::VecTracked, ys::VecTracked) = mapreduce(*, +, xs, ys)`"""
    return functools.reduce(operator.add, map(operator.mul, xs, ys))


def naive_product(x: Any, y: Any) -> Any:
    """`Base.:*(X::MatTracked, Y::MatTracked)`, a dot product for each entry."""
    return np.array([[dot(row, column) for column in y.T] for row in x], dtype=object)


def naive_sum(x: Any) -> TrackedReal:
    """`Base.sum(xs::AbstractArray{<:TrackedReal}) = reduce(+,xs)`"""
    return functools.reduce(operator.add, x.ravel())


def naive_run(x: Any, y: Any) -> Any:
    """`run()` with `Array{<:TrackedReal}`: the gradient of `sum(X * Y)` for `Y`."""
    tracked = track_each(y)
    z = naive_sum(naive_product(track_each(x), tracked))
    z.grad = 1.0
    return np.array([accum(v) for v in tracked.ravel()]).reshape(y.shape)


def edges_of(*roots: TrackedReal) -> int:
    """How many edges the graph over these numbers has."""
    seen: set[int] = set()
    count, todo = 0, list(roots)
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen.add(id(node))
            count += len(node.children)
            todo += node.children
    return count


# -- Reverse AD with TrackedArrays ---------------------------------------------------------------------------------


class TrackedArray:
    """`mutable struct TrackedArray`: an array, its cotangent, and the results that it affects, each with its pullback;
    a list keeps both edges of `x + x`."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.grad: Any = None
        self.children: list[tuple[TrackedArray, Callable[[Any], Any]]] = []

    def result(self, data: Any, back: Callable[[Any], Any]) -> TrackedArray:
        z = TrackedArray(data)
        self.children.append((z, back))
        return z

    def also(self, z: TrackedArray, back: Callable[[Any], Any]) -> TrackedArray:
        self.children.append((z, back))
        return z

    def __matmul__(self, other: TrackedArray) -> TrackedArray:
        z = self.result(self.data @ other.data, lambda Δ: Δ @ other.data.T)
        return other.also(z, lambda Δ: self.data.T @ Δ)

    def __add__(self, other: TrackedArray) -> TrackedArray:
        return other.also(self.result(self.data + other.data, lambda Δ: Δ), lambda Δ: Δ)

    def __sub__(self, other: TrackedArray) -> TrackedArray:
        return other.also(self.result(self.data - other.data, lambda Δ: Δ), lambda Δ: -Δ)

    def sum(self) -> TrackedArray:
        return self.result(self.data.sum(), lambda Δ: Δ * np.ones_like(self.data))

    def abs2(self) -> TrackedArray:
        return self.result(self.data**2, lambda Δ: Δ * 2 * self.data)

    def sigma(self) -> TrackedArray:
        d = 1 / (1 + np.exp(-self.data))
        return self.result(d, lambda Δ: Δ * d * (1 - d))

    def accum(self) -> Any:
        """`accum!`"""
        if self.grad is None:
            self.grad = sum(back(child.accum()) for child, back in self.children)
        return self.grad


def hcat(*xs: TrackedArray) -> TrackedArray:
    """`Base.hcat(xs::TrackedArray...)`: columns, or matrices side by side."""
    columns = [x.data[:, None] if x.data.ndim == 1 else x.data for x in xs]
    y = TrackedArray(np.hstack(columns))
    start = 0
    for x, column in zip(xs, columns, strict=True):
        stop = start + column.shape[1]
        x.also(y, lambda Δ, x=x, start=start, stop=stop: Δ[:, start:stop].reshape(x.data.shape))
        start = stop
    return y


def tracked_run(x: Any, y: Any) -> Any:
    """`run()` with `TrackedArray`."""
    tracked = TrackedArray(y)
    z = (TrackedArray(x) @ tracked).sum()
    z.grad = 1.0
    return tracked.accum()
