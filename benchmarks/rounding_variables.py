"""The five programs with which CHEF-FP chooses variables that may have 32 bits, at sizes of our own: the length of an
arc, Simpson's rule, distances to the nearest of some centres, the prices of options, and conjugate gradients with a
stencil of 27 points. They are written anew, after what the programs of the paper compute."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np


def wave(x):
    scale = 1.0
    height = x
    for _ in range(5):
        scale = 2.0 * scale
        height = height + math.sin(scale * x) / scale
    return height


def arc_length(pi, n):
    h = pi / n
    before = 0.0
    length = 0.0
    for i in range(n):
        after = wave((i + 1) * h)
        length = length + math.sqrt(h * h + (after - before) * (after - before))
        before = after
    return length


def simpson(a, b, n):
    h = (b - a) / (2.0 * n)
    x = a
    total = math.pi * math.sin(a * math.pi) + math.pi * math.sin(b * math.pi)
    for _ in range(n):
        x = x + h
        angle = x * math.pi
        sine = math.sin(angle)
        total = total + 4.0 * sine
        x = x + h
        angle = x * math.pi
        sine = math.sin(angle)
        total = total + 2.0 * sine
    third = h * math.pi / 3.0
    return total * third


def k_means(points, centres):
    total = 0.0
    for i in range(len(points)):
        nearest = 1e30
        for k in range(len(centres)):
            distance = np.sum((points[i] - centres[k]) ** 2)
            if distance < nearest:
                nearest = distance
        total = total + nearest
    return total


def normal(x):
    size = abs(x)
    density = 0.39894228040143270286 * math.exp(-0.5 * size * size)
    k = 1.0 / (1.0 + 0.2316419 * size)
    series = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    below = 1.0 - series * density
    return 1.0 - below if x < 0.0 else below


def black_scholes(spot, strike, rate, volatility, time):
    root = math.sqrt(time)
    logarithm = math.log(spot / strike)
    power = 0.5 * volatility * volatility
    spread = volatility * root
    d1 = ((rate + power) * time + logarithm) / spread
    d2 = d1 - spread
    future = strike * math.exp(-rate * time)
    price = spot * normal(d1) - future * normal(d2)
    return price


def conjugate_gradients(values, b, places, n):
    x = np.zeros(len(b))
    r = b * 1.0
    p = b * 1.0
    rr = np.sum(r * r)
    for _ in range(n):
        ap = np.sum(values * p[places], axis=1)
        alpha = rr / np.sum(p * ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = np.sum(r * r)
        beta = new / rr
        p = r + beta * p
        rr = new
    return np.sum(x)


def grid(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The matrix of a stencil of 27 points on a cube by rows: 27 in the middle, -1 beside it, 0 beyond the border; its
    product with ones; and the places of the numbers."""
    at = np.indices((n, n, n)).reshape(3, -1).T
    steps = np.indices((3, 3, 3)).reshape(3, -1).T - 1
    beside = at[:, None, :] + steps[None, :, :]
    inside = np.all((beside >= 0) & (beside < n), axis=2)
    places = np.where(inside, beside @ np.array([n * n, n, 1]), 0)
    values = np.where(inside, np.where(np.all(steps == 0, axis=1), 27.0, -1.0), 0.0)
    return values, np.sum(values, axis=1), places


@dataclass(frozen=True)
class Program:
    """A program, its arguments and how far its result may be off."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    threshold: float


def programs() -> list[Program]:
    """The five, at sizes that Python takes a moment for."""
    r = np.random.default_rng(5)
    values, b, places = grid(6)
    return [
        Program(arc_length, (math.pi, 10_000), 1e-5),
        Program(simpson, (0.0, 1.0, 10_000), 1e-6),
        Program(k_means, (r.uniform(0.0, 1.0, (500, 4)), r.uniform(0.0, 1.0, (5, 4))), 1e-5),
        Program(black_scholes, (42.0, 40.0, 0.1, 0.2, 0.5), 1e-6),
        Program(conjugate_gradients, (values, b * r.uniform(0.5, 1.5, len(b)), places, 6), 1e-6),
    ]


def narrow(x: Any) -> Any:
    """A number or array as the nearest of 32 bits."""
    if isinstance(x, np.ndarray):
        return x.astype(np.float32).astype(np.float64) if x.dtype == np.float64 else x
    return float(np.float32(x)) if isinstance(x, float) else x


class Narrowing(ast.NodeTransformer):
    """What is assigned to some names is rounded; of a function, what is given under these."""

    def __init__(self, names: Collection[str], function: str) -> None:
        self.names, self.function = names, function

    def visit_Assign(self, node: ast.Assign) -> Any:
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.names:
            node.value = called(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.generic_visit(node)
        if node.name == self.function:
            node.body[:0] = [ast.Assign([ast.Name(a.arg, ast.Store())], called(ast.Name(a.arg, ast.Load())))
                             for a in node.args.args if a.arg in self.names]
        return node


def called(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("narrow", ast.Load()), [value], [])


def narrowed(f: Callable[..., Any], names: Collection[str]) -> Callable[..., Any]:
    """The program with what it assigns to these names rounded to 32 bits, run by Python."""
    space: dict[str, Any] = {**globals()}
    for g in (wave, normal, f):
        tree = Narrowing(names, f.__name__).visit(ast.parse(inspect.getsource(g)))
        exec(compile(ast.fix_missing_locations(tree), "narrowed", "exec"), space)
    return space[f.__name__]


def chosen(errors: dict[str, float], threshold: float) -> list[str]:
    """The variables that may be narrower together, from the one that matters least on."""
    found, total = list[str](), 0.0
    for name, error in sorted(errors.items(), key=lambda item: item[1]):
        total += error
        if total > threshold:
            break
        found.append(name)
    return found
