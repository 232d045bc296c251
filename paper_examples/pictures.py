"""The pictures of lab 08, written to files: the contours of `g` with both paths, and the two animations.

They need matplotlib (extra `plots`), which is imported when the first one is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from paper_examples.lab08 import beginning, error_of, g, minimize, stepped

RUNS = (((1.5, -2.4), 34, "k"), ((1.8, -2.4), 16, "b"))
"""The starting points of `minimize` in the lab, how many steps it takes from each, and a colour."""
FRAMES, STEPS, RATE = 30, 20, 0.05
"""Of the network's animation: how many pictures, the training steps between two, and their rate λ."""


def plotting() -> Any:
    """The module `matplotlib.pyplot`, which draws without a window."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def paths() -> list[tuple[Any, str]]:
    """Both paths of `minimize`, from their starting points, each with its colour."""
    return [
        (np.array([start, *minimize(g, *start, rate=0.2, steps=steps)]), colour) for start, steps, colour in RUNS
    ]


def landscape(plt: Any) -> tuple[Any, Any]:
    """A figure with the contours of `g`, the minima and the starting points."""
    x, y = np.meshgrid(np.arange(-4, 6.05, 0.1), np.arange(-2.5, 2.55, 0.1))
    figure, axes = plt.subplots(figsize=(7, 4))
    figure.colorbar(axes.contourf(x, y, y * y + np.sin(x), levels=12, cmap="RdYlBu_r"), ax=axes)
    axes.plot([-math.pi / 2, 1.5 * math.pi], [0, 0], "k*", markersize=12, linestyle="", label="minimum")
    axes.plot(*zip(*[start for start, _, _ in RUNS], strict=True), "r*", markersize=12, label="initial point")
    axes.set(xlabel="x", ylabel="y", title="g(x, y) = y*y + sin(x)")
    return figure, axes


def contour(folder: Path) -> Path:
    """The contours of `g` with both paths of the gradient descent."""
    plt = plotting()
    figure, axes = landscape(plt)
    for (path, colour), (start, steps, _) in zip(paths(), RUNS, strict=True):
        axes.plot(path[:, 0], path[:, 1], f"{colour}.-", label=f"{steps} steps from {start}")
    axes.legend(loc="upper left", fontsize=7)
    target = folder / "gradient_descent.png"
    figure.savefig(target, dpi=120)
    plt.close(figure)
    return target


def animated(figure: Any, frame: Callable[[int], Any], count: int, target: Path) -> Path:
    """Draw so many frames of a figure into a GIF."""
    from matplotlib.animation import PillowWriter

    writer = PillowWriter(fps=8)
    with writer.saving(figure, str(target), dpi=70):
        for i in range(count):
            frame(i)
            writer.grab_frame()
    return target


def descent_animation(folder: Path) -> Path:
    """Both paths as they grow, a step a frame."""
    plt = plotting()
    figure, axes = landscape(plt)
    drawn = [(path, axes.plot([], [], f"{colour}.-")[0]) for path, colour in paths()]

    def frame(i: int) -> None:
        for path, line in drawn:
            line.set_data(path[: i + 1, 0], path[: i + 1, 1])

    target = animated(figure, frame, max(len(path) for path, _ in drawn), folder / "gradient_descent.gif")
    plt.close(figure)
    return target


def network_animation(folder: Path) -> Path:
    """How the network learns `g`: what it computes, beside `g`, as training goes on."""
    plt = plotting()
    x, y = np.meshgrid(np.arange(-4, 4.05, 0.2), np.arange(-2, 2.05, 0.2))
    grid = np.stack((x.ravel(), y.ravel()))
    net, points, targets = beginning()
    value_with_gradient = ccc.value_with_gradient(error_of, wrt=0)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True)
    levels = np.linspace(-1.2, 5.2, 13)
    left.contourf(x, y, y * y + np.sin(x), levels=levels, cmap="RdYlBu_r", extend="both")
    left.plot(points[0], points[1], "k.", markersize=3)
    left.set(title="g and the points", xlabel="x", ylabel="y")

    def frame(i: int) -> None:
        nonlocal net
        for _ in range(STEPS if i else 0):
            _, slope = value_with_gradient(net, points, targets)
            net = stepped(net, slope, RATE)
        right.clear()
        right.contourf(x, y, net(grid).reshape(x.shape), levels=levels, cmap="RdYlBu_r", extend="both")
        right.set(title=f"the network after {i * STEPS} steps: error {error_of(net, points, targets):.2f}", xlabel="x")

    target = animated(figure, frame, FRAMES, folder / "network.gif")
    plt.close(figure)
    return target


def drawn(folder: Path) -> list[Path]:
    """All pictures, in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    return [contour(folder), descent_animation(folder), network_animation(folder)]
