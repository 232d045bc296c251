"""Lab 08, *Reverse Mode Differentiation*.

The introduction (`f(x, y) = x*y + sin(x)` and its Wengert list), "Forward & Backward Pass" (`TrackedReal`, `accum!` and
what `print_tree` prints), "Optimizing 2D Functions" (`descend`, `minimize`) and "Reverse AD with TrackedArrays"
(`sum(X * Y)`, the pullbacks of matrix multiplication, `abs2` and `σ`, and the network that learns `g`).

One printed number is wrong: the tracker keeps one of the two edges of `y*y`, so its `descend` prints 0.8 where the
gradient 2y gives 0.6.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ccc
from paper_examples.example import CURRIES, ROUNDING, Example, Outcome, close, compared
from paper_examples.tracked import (
    EveryEdge,
    TrackedArray,
    TrackedReal,
    accum,
    edges_of,
    hcat,
    naive_product,
    naive_run,
    naive_sum,
    track_each,
    tracked_run,
    tree_text,
)

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


def by_forward_mode() -> Outcome:
    """`dfdx = f(Dual(x,one(x)), Dual(y,zero(y)))` and `dfdy`: a run for each argument, where reverse mode needs one."""
    value, differential = ccc.value_with_differential(f)(2.0, 3.0)
    dfdx, dfdy = differential(1.0, 0.0), differential(0.0, 1.0)
    checks = [
        ("the value", value == 6.909297426825682),
        ("dfdx and dfdy are the gradient", (dfdx, dfdy) == ccc.gradient(f)(2.0, 3.0)),
        ("any direction is a sum of theirs", close(differential(2.0, -3.0), 2.0 * dfdx - 3.0 * dfdy, ROUNDING)),
    ]
    return compared(f, 2.0, 3.0, expected=(6.909297426825682, (dfdx, dfdy)), checks=checks)


# -- Reverse Mode AD: the computation graph ------------------------------------------------------------------------


def on_one_line(text: str) -> str:
    """The text as the document has it, where its line breaks are lost."""
    return " ".join(text.split())


PRINTED_TREES = (
    "x data: 2.0 grad: nothing └─ * data: 6.0 grad: nothing",
    "x data: 2.0 grad: nothing ├─ * data: 6.0 grad: nothing └─ sin data: 0.91 grad: nothing",
    "x data: 2.0 grad: nothing ├─ * data: 6.0 grad: nothing │ └─ + data: 6.91 grad: nothing "
    "└─ sin data: 0.91 grad: nothing └─ + data: 6.91 grad: nothing",
    "x data: 2.0 grad: 2.5838531634528574 ├─ * data: 6.0 grad: 1.0 │ └─ + data: 6.91 grad: 1.0 "
    "└─ sin data: 0.91 grad: 1.0 └─ + data: 6.91 grad: 1.0",
    "y data: 3.0 grad: nothing └─ * data: 6.0 grad: 1.0 └─ + data: 6.91 grad: 1.0",
)


def computation_graph() -> Outcome:
    """`print_tree(x)` after `a = x*y`, after `b = sin(x)`, after `z = a + b`, after `accum!(x)`, and `print_tree(y)`;
    the graph's numbers against the gradients of what the parts compute."""
    x, y = TrackedReal(2.0, "x"), TrackedReal(3.0, "y")
    trees = []
    a = x * y
    trees.append(tree_text(x))
    b = x.sin()
    trees.append(tree_text(x))
    z = a + b
    trees.append(tree_text(x))
    z.grad = 1.0
    dx = accum(x)
    trees += [tree_text(x), tree_text(y)]
    dy = accum(y)
    checks = [
        (f"tree {i} is as printed: {on_one_line(found)}", on_one_line(found) == printed)
        for i, (found, printed) in enumerate(zip(trees, PRINTED_TREES, strict=True))
    ]
    checks += [
        ("the edges of x are the partial derivatives", close(list(x.children.values()), [3.0, math.cos(2.0)])),
        ("our gradient is that of the graph", ccc.gradient(f)(2.0, 3.0) == (dx, dy)),
        ("ours of the sum alone are the cotangents of a and b",
         ccc.gradient(lambda a, b: a + b)(a.data, b.data) == (a.grad, b.grad)),
    ]  # fmt: skip
    notes = [line for text in (trees[2], trees[3]) for line in text.splitlines()]
    return compared(f, 2.0, 3.0, expected=(6.909297426825682, (2.5838531634528574, 2.0)), checks=checks, notes=notes)


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


def tracked_descent(kind: type[TrackedReal], rate: float, *args: float) -> tuple[tuple[float, ...], int]:
    """One step of `descend` on `g` with a tracker, and how many edges its `y` has."""
    x, y = (kind(value) for value in args)
    z = y * y + x.sin()
    z.grad = 1.0
    step = tuple([arg - rate * accum(t) for arg, t in zip(args, (x, y), strict=True)])
    return step, len(list(y.edges()))


def lost_edge() -> Outcome:
    """`descend(g, 0.2, 1.0, 1.0)`: the lab prints `(0.891939538826372, 0.8)`, since `y*y` registers its result twice
    as a child of `y` under one key; `∂g/∂y = 2y` gives 0.6, and so does the tracker once it keeps both edges."""
    theirs, kept = tracked_descent(TrackedReal, 0.2, 1.0, 1.0)
    corrected, both = tracked_descent(EveryEdge, 0.2, 1.0, 1.0)
    ours = descend(g, 0.2, 1.0, 1.0)
    checks = [
        ("the lab's tracker gives the printed step", theirs == (0.891939538826372, 0.8)),
        ("where g is the printed 1.4182910542267546", close(g(*theirs), 1.4182910542267546, ROUNDING)),
        ("it keeps one edge of y*y", kept == 1),
        ("a list keeps both", both == 2),
        ("with both the step is ours", corrected == ours),
        ("ours is (0.891939538826372, 0.6)", close(ours, (0.891939538826372, 0.6), ROUNDING)),
        ("and goes further down", g(*ours) < g(*theirs) < g(1.0, 1.0)),
    ]
    notes = [f"the lab's tracker {theirs}, {kept} edge of y*y", f"the tracker with both edges {corrected}",
             f"ours {ours}"]  # fmt: skip
    return compared(g, 1.0, 1.0, expected=(1.8414709848078965, (math.cos(1.0), 2.0)), checks=checks, notes=notes)


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


def least(run: Callable[[Any, Any], Any], x: Any, y: Any, runs: int = 20) -> float:
    """The shortest time of a run, in microseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        run(x, y)
        times.append(time.perf_counter() - start)
    return 1e6 * min(times)


def naive_against_arrays() -> Outcome:
    """`run()`, "Naively Vectorized Reverse AD" and with `TrackedArray`s, side by side with ours: one gradient, and what
    it costs. "Even for this tiny example we are already 10 times faster"."""
    ours = ccc.gradient(sum_of_product, wrt=1)
    by_hand = X.T @ np.ones((2, 2))
    runs = {"naive scalars": naive_run, "tracked arrays": tracked_run, "ours": ours}
    checks = [(f"the gradient by {name}", close(run(X, Y), by_hand, ROUNDING)) for name, run in runs.items()]
    x, y = track_each(X), track_each(Y)
    naive_sum(naive_product(x, y))
    # two edges for each of 12 products, 8 sums inside of dot products and 3 of their results
    checks.append(("the naive graph has an edge for each use of a number", edges_of(*x.ravel(), *y.ravel()) == 46))
    notes = []
    random = np.random.default_rng(8)
    for name, (a, b) in {
        "2×3 by 3×2": (X, Y), "10×20 by 20×10": (random.normal(size=(10, 20)), random.normal(size=(20, 10))),
    }.items():  # fmt: skip
        checks.append((f"{name}: all agree", all(close(run(a, b), ours(a, b), 1e-12) for run in runs.values())))
        times = {way: least(run, a, b, 20 if a is X else 5) for way, run in runs.items()}
        notes.append(f"{name}: " + ", ".join([f"{way} {t:.1f} µs" for way, t in times.items()]))
    expected = ((X @ Y).sum(), by_hand)
    return compared(sum_of_product, X, Y, wrt=1, expected=expected, tolerance=ROUNDING, checks=checks, notes=notes)


def sigma(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def mixed(x: Any, y: Any, v: Any) -> Any:
    """All the rules of the lab at once: `hcat`, `*`, `+`, `-`, `σ`, `abs2` and `sum`."""
    batch = np.hstack((x, y, v[:, None]))
    hidden = sigma(x @ y + y.T @ x.T - x @ y)
    return np.sum((hidden @ batch) ** 2)


def rules_of_arrays() -> Outcome:
    """The rules of `TrackedArray` in one function: the lab's tracker and ours."""
    x, y, v = X[:, :2], Y[:2], np.array([0.5, -1.5])
    tx, ty, tv = (TrackedArray(a) for a in (x, y, v))
    tyt, txt = TrackedArray(y.T), TrackedArray(x.T)
    ty.also(tyt, lambda Δ: Δ.T)
    tx.also(txt, lambda Δ: Δ.T)
    z = ((tx @ ty + tyt @ txt - tx @ ty).sigma() @ hcat(tx, ty, tv)).abs2().sum()
    z.grad = 1.0
    expected = (float(z.data), (tx.accum(), ty.accum(), tv.accum()))
    return compared(mixed, x, y, v, expected=expected, tolerance=100 * ROUNDING)


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


# -- "a simple implementation of a Neural Network that can learn an approximation to the function g" ---------------


@dataclass(frozen=True)
class Network:
    """One hidden layer with `σ`; points are columns, as `hcat` puts them."""

    w1: Any
    b1: Any
    w2: Any
    b2: Any

    def __call__(self, points: Any) -> Any:
        return self.w2 @ sigma(self.w1 @ points + self.b1) + self.b2


def error_of(net: Network, points: Any, targets: Any) -> Any:
    """The mean of `abs2` of what the network is off."""
    difference = net(points) - targets
    return np.sum(difference * difference) / points.shape[1]


def error_by_hand(net: Network, points: Any, targets: Any) -> tuple[float, Network]:
    """Value and gradient by the lab's pullbacks, composed by hand in plain NumPy."""
    hidden = 1 / (1 + np.exp(-(net.w1 @ points + net.b1)))
    difference = net.w2 @ hidden + net.b2 - targets
    after = 2 * difference / points.shape[1]
    before = (net.w2.T @ after) * hidden * (1 - hidden)
    return (difference**2).sum() / points.shape[1], Network(
        before @ points.T, before.sum(axis=1, keepdims=True), after @ hidden.T, after.sum(axis=1, keepdims=True)
    )


def stepped(net: Network, slope: Network, rate: float) -> Network:
    """One step of gradient descent; the gradient is a `Network` as well."""
    return Network(
        net.w1 - rate * slope.w1, net.b1 - rate * slope.b1, net.w2 - rate * slope.w2, net.b2 - rate * slope.b2
    )


def trained(net: Network, points: Any, targets: Any, rate: float, steps: int) -> Any:
    """The error after training, a program that asks for gradients; it has a gradient itself."""
    for _ in range(steps):
        net = stepped(net, ccc.gradient(error_of, wrt=0)(net, points, targets), rate)
    return error_of(net, points, targets)


def beginning() -> tuple[Network, Any, Any]:
    """A network, 64 points and the values of `g` there, from a fixed seed."""
    random = np.random.default_rng(4)
    points = random.uniform((-4.0, -2.0), (4.0, 2.0), size=(64, 2)).T
    targets = (points[1] * points[1] + np.sin(points[0]))[None, :]
    start = Network(random.normal(size=(8, 2)), np.zeros((8, 1)), random.normal(size=(1, 8)), np.zeros((1, 1)))
    return start, points, targets


def training() -> Outcome:
    """Fifty steps on 64 points of `g` from a fixed seed; then how the error after three depends on the rate λ."""
    start, points, targets = beginning()
    value_with_gradient = ccc.value_with_gradient(error_of, wrt=0)
    net, errors, checks = start, [], []
    for step in range(50):
        error, slope = value_with_gradient(net, points, targets)
        by_hand = error_by_hand(net, points, targets)
        checks.append((f"the gradient before step {step + 1}", close((error, slope), by_hand, 100 * ROUNDING)))
        errors.append(float(error))
        net = stepped(net, slope, 0.05)
    errors.append(float(error_of(net, points, targets)))
    checks += [
        ("the error falls with every step", all(b < a for a, b in itertools.pairwise(errors))),
        ("to less than two thirds of what it was", errors[-1] < errors[0] * 2 / 3),
        ("the gradient is a Network", type(slope) is Network),
    ]
    rate, h = 0.05, 1e-5
    there, back = (trained(start, points, targets, rate + d, 3) for d in (h, -h))
    for e in CURRIES:
        error, by_rate = ccc.value_with_gradient(trained, wrt=3, exponential=e)(start, points, targets, rate, 3)
        checks += [
            (f"training compiled with {e.name} is training step by step", close(float(error), errors[3], 1e-12)),
            (f"its slope in λ with {e.name}", close(float(by_rate), float(there - back) / (2 * h), 1e-6)),
        ]
    notes = [f"error {errors[0]:.4f}, after 10 steps {errors[10]:.4f}, after 50 {errors[-1]:.4f}"]
    expected = error_by_hand(start, points, targets)
    return compared(
        error_of, start, points, targets, wrt=0, expected=expected, tolerance=100 * ROUNDING, checks=checks, notes=notes
    )


EXAMPLES = (
    Example("f(x, y) = x*y + sin(x)", DOCUMENT, gradient_of_f),
    Example("f(Dual(x, 1), Dual(y, 0))", DOCUMENT, by_forward_mode),
    Example("print_tree, accum!", DOCUMENT, computation_graph),
    Example("descend, minimize", DOCUMENT, descent),
    Example("the lost edge of y*y", DOCUMENT, lost_edge),
    Example("sum(X * Y)", DOCUMENT, gradient_of_product),
    Example("naive scalars, arrays: run()", DOCUMENT, naive_against_arrays),
    Example("hcat and the other rules", DOCUMENT, rules_of_arrays),
    Example("sum(abs2(σ(x) - y))", DOCUMENT, gradient_of_loss),
    Example("a neural network learns g", DOCUMENT, training),
)
