"""Lab 08, *Reverse Mode Differentiation*.

The introduction (`f(x, y) = x*y + sin(x)` and its Wengert list), "Optimizing 2D Functions" (`descend`, `minimize`) and
"Reverse AD with TrackedArrays" (`sum(X * Y)` and the pullbacks of matrix multiplication, `abs2` and `σ`).

One printed number is wrong: the tracker keeps one of the two edges of `y*y`, so its `descend` prints 0.8 where the
gradient 2y gives 0.6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from paper_examples.example import ROUNDING, Example, Outcome, close, compared

DOCUMENT = "Lab 08"


# -- f(x,y) = x*y + sin(x) -----------------------------------------------------------------------------------------


def f(x: float, y: float) -> float:
    return x * y + math.sin(x)


def wengert(x: float, y: float) -> float:
    a = x * y  # da/dx = y; da/dy = x
    b = math.sin(x)  # db/dx = cos(x)
    z = a + b  # dz/da = 1; dz/db = 1
    return z


def gradient_of_f() -> Outcome:
    """`julia> gradient(f, 2.0, 3.0)` gives `(2.5838531634528574, 2.0)`; `z` is `6.909297426825682`."""
    printed = (6.909297426825682, (2.5838531634528574, 2.0))
    checks = [
        ("dx ≈ y + cos(x)", close(ccc.gradient(f)(2.0, 3.0), (3.0 + math.cos(2.0), 2.0), ROUNDING)),
        ("the Wengert list has the same gradient", ccc.value_with_gradient(wengert)(2.0, 3.0) == printed),
        ("the Wengert list has the same term", ccc.arrow(wengert, 2.0, 3.0) == ccc.arrow(f, 2.0, 3.0)),
    ]
    return compared(f, 2.0, 3.0, expected=printed, checks=checks, notes=[f"f = {ccc.arrow(f, 2.0, 3.0)}"])


# -- Optimizing 2D Functions ---------------------------------------------------------------------------------------


def g(x: float, y: float) -> float:
    return y * y + math.sin(x)


def descend(function: Callable[..., float], rate: float, *args: float) -> tuple[float, ...]:
    """`args .- λ .* gradient(f, args...)`."""
    return tuple([x - rate * dx for x, dx in zip(args, ccc.gradient(function)(*args), strict=True)])


def minimize(
    function: Callable[..., float], *args: float, steps: int = 20, rate: float = 0.01
) -> list[tuple[float, ...]]:
    path = []
    for _ in range(steps):
        args = descend(function, rate, *args)
        path.append(args)
    return path


def by_hand(x: float, y: float, *, steps: int, rate: float) -> list[tuple[float, float]]:
    """The same path by the formulas `∂g/∂x = cos x` and `∂g/∂y = 2y`."""
    path = []
    for _ in range(steps):
        x, y = x - rate * math.cos(x), y - rate * (2 * y)
        path.append((x, y))
    return path


def descent() -> Outcome:
    """`descend(g, 0.2, 1.0, 1.0)` gives `(0.891939538826372, 0.8)`, the 0.8 being 0.6; then both runs of `minimize`."""
    x, y = descend(g, 0.2, 1.0, 1.0)
    first = minimize(g, 1.5, -2.4, rate=0.2, steps=34)
    second = minimize(g, 1.8, -2.4, rate=0.2, steps=16)
    checks = [
        ("g(1, 1) is the printed 1.8414709848078965", g(1.0, 1.0) == 1.8414709848078965),
        ("the step in x is the printed 0.891939538826372", x == 0.891939538826372),
        ("the step in y is 1 - 0.2 * 2", y == 1.0 - 0.2 * 2.0),
        ("a step down", g(x, y) < g(1.0, 1.0)),
        ("the path from (1.5, -2.4)", close(first, by_hand(1.5, -2.4, rate=0.2, steps=34), 1e-12)),
        ("the path from (1.8, -2.4)", close(second, by_hand(1.8, -2.4, rate=0.2, steps=16), 1e-12)),
        ("the minimum (-π/2, 0)", close(minimize(g, 1.5, -2.4, rate=0.2, steps=200)[-1], (-math.pi / 2, 0.0), 1e-9)),
        ("the minimum (3π/2, 0)", close(minimize(g, 1.8, -2.4, rate=0.2, steps=200)[-1], (1.5 * math.pi, 0.0), 1e-9)),
    ]
    expected = (1.8414709848078965, (math.cos(1.0), 2.0))
    notes = [f"descend(g, 0.2, 1.0, 1.0) = {(x, y)}; the lab prints 0.8 for y, its tracker loses an edge of y*y"]
    return compared(g, 1.0, 1.0, expected=expected, checks=checks, notes=notes)


def draw(folder: Path) -> Path:
    """The contours of `g` with the path from (1.5, -2.4), as a picture in `folder`; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    x, y = np.meshgrid(np.arange(-4, 4.05, 0.1), np.arange(-2.5, 2.55, 0.1))
    path = np.array([(1.5, -2.4), *minimize(g, 1.5, -2.4, rate=0.2, steps=34)])
    figure, axes = plt.subplots(figsize=(7, 4))
    figure.colorbar(axes.contourf(x, y, y * y + np.sin(x), levels=12, cmap="RdYlBu_r"), ax=axes)
    axes.plot(path[:, 0], path[:, 1], "k.-", label="gradient descent")
    axes.plot(*path[0], "r*", markersize=12, label="initial point")
    axes.plot(-math.pi / 2, 0, "k*", markersize=12, label="minimum")
    axes.set(xlabel="x", ylabel="y", title="g(x, y) = y*y + sin(x)")
    axes.legend(loc="upper right")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "gradient_descent.png"
    figure.savefig(target, dpi=120)
    plt.close(figure)
    return target


# -- Reverse AD with TrackedArrays ---------------------------------------------------------------------------------

X = np.array([[0.568133, 0.229745, 0.0320755], [0.576668, 0.823949, 0.530281]])
Y = np.array([[0.336348, 0.609139], [0.745683, 0.0816237], [0.596278, 0.17523]])


def product(x: Any, y: Any) -> Any:
    return x @ y


def sum_of_product(x: Any, y: Any) -> Any:
    return np.sum(x @ y)


def gradient_of_product() -> Outcome:
    """`X.children[Z] = Δ -> Δ * Y.data'` and `Y.children[Z] = Δ -> X.data' * Δ`, at the printed X and Y."""
    z, pullback = ccc.value_with_pullback(product)(X, Y)
    seed = np.array([[1.0, -2.0], [0.5, 3.0]])
    ones = np.ones((2, 2))
    printed = np.array([[0.945487, 0.827306, 0.771508]] * 2)
    checks = [
        ("Z is as printed", close(z, np.array([[0.381533, 0.370445], [1.12456, 0.511446]]), 5e-6)),
        ("the pullback is (Δ Yᵀ, Xᵀ Δ)", close(pullback(seed), (seed @ Y.T, X.T @ seed), ROUNDING)),
        ("Ω̄ Yᵀ is as printed", close(pullback(ones)[0], printed, 1e-6)),
    ]
    expected = ((X @ Y).sum(), (ones @ Y.T, X.T @ ones))
    return compared(sum_of_product, X, Y, expected=expected, tolerance=ROUNDING, checks=checks)


def sigma(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def loss(x: Any, y: Any) -> Any:
    """`sum(abs2(σ(x) - y))`, of which `σ`, `-`, `abs2` and `sum` have rules in the lab."""
    difference = sigma(x) - y
    return np.sum(difference * difference)


def gradient_of_loss() -> Outcome:
    """`Δ -> Δ .* d .* (1 .- d)`, `Δ -> -Δ`, `Δ -> Δ .* 2x.data`, `Δ -> Δ*ones(...)`, composed."""
    target = Y.T
    d = 1 / (1 + np.exp(-X))
    after = 2 * (d - target)
    expected = (((d - target) ** 2).sum(), (after * d * (1 - d), -after))
    return compared(loss, X, target, expected=expected, tolerance=ROUNDING)


EXAMPLES = (
    Example("f(x, y) = x*y + sin(x)", DOCUMENT, gradient_of_f),
    Example("descend, minimize", DOCUMENT, descent),
    Example("sum(X * Y)", DOCUMENT, gradient_of_product),
    Example("sum(abs2(σ(x) - y))", DOCUMENT, gradient_of_loss),
)
