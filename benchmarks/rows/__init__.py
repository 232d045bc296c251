"""A module for each program that is measured: its sizes, its arguments, and how the users of each system write it.

A row has

    SIZES          what is measured: the parameters of `arguments` by a label
    SMALL          parameters for the tests
    WRT            the positions of the arguments in which it is differentiated
    arguments      the arguments, as NumPy has them
    primal         the program as Python runs it, for difference quotients
    ours           functions of a backend: the program and its derivative compiled by this library, by name
    by_hand, jax, torch, autograd, casadi
                   the same functions by the other systems; what a system does not have is left out

and where they are not as usual

    along          a derivative applied to directions of the arguments in WRT; else a sum of inner products
    check          what judges a result in place of difference quotients
    EVAL           the name of an eval of GradBench, whose input is `given` of the same parameters
    SCALED         parameters of a size n, for the question how gradients scale

The first function of a row is its program, the others are derivatives. A function takes the arguments as its system has
them and is compiled by its first call, so that this is measured too.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.systems import SYSTEMS, System, flat

GRADBENCH = ("hello", "llsq", "lstm", "gmm", "ba", "kmeans", "ht", "saddle", "particle", "ode", "det", "lse")
NAMES = (
    *GRADBENCH, "gmm_hvp", "mlp", "attention", "scalar_rnn", "array_rnn", "rk4", "convolution", "kalman", "banded",
    "product_and_sine", "bump",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What a module of this package says, with what it leaves to us."""

    name: str
    module: ModuleType

    @property
    def sizes(self) -> Mapping[str, tuple[Any, ...]]:
        return self.module.SIZES

    @property
    def small(self) -> tuple[Any, ...]:
        return self.module.SMALL

    @property
    def wrt(self) -> tuple[int, ...]:
        return self.module.WRT

    @property
    def eval_name(self) -> str:
        return getattr(self.module, "EVAL", "")

    def arguments(self, size: str) -> tuple[Any, ...]:
        return self.module.arguments(*self.parameters(size))

    def parameters(self, size: str) -> tuple[Any, ...]:
        return self.small if size == "small" else self.sizes[size]

    def functions(self, system: System) -> Mapping[str, Callable[..., Any]]:
        """The functions of a system by name; none where it has no version."""
        version = getattr(self.module, system.version, None) if system.version else None
        if version is None:
            return {}
        return version(system.backend) if system.version == "ours" else version()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the functions, the program first."""
        return tuple(self.module.ours("numpy"))

    def agrees(self, what: str, arguments: Sequence[Any], result: Any) -> str:
        """What is wrong with a result in a row of numbers, against Python and difference quotients; "" if nothing."""
        judge = getattr(self.module, "check", None)
        if judge is not None:
            return judge(what, arguments, result)
        if what == self.names[0]:
            return close(result, flat(self.module.primal(*arguments)), 1e-9)
        moves = directions(arguments, self.wrt)
        along = getattr(self.module, "along", inner_product)
        return as_quotients(along(result, arguments, moves), self.module.primal, arguments, self.wrt, moves)


@cache
def row(name: str) -> Row:
    return Row(name, importlib.import_module(f"benchmarks.rows.{name}"))


def directions(arguments: Sequence[Any], wrt: Sequence[int], seed: int = 5) -> list[np.ndarray]:
    """Random directions of the arguments that are differentiated."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=np.shape(arguments[i])) for i in wrt]


STEPS = (1e-3, 1e-4, 1e-5)


def as_quotients(
    found: np.ndarray, f: Callable[..., Any], arguments: Sequence[Any], wrt: Sequence[int], moves: Sequence[Any],
    tolerance: float = 1e-5,
) -> str:  # fmt: skip
    """How far a derivative in a direction is from difference quotients of all steps; "" where it is near to one."""
    wrong = ""
    for step in STEPS:
        wrong = close(found, quotient(f, arguments, wrt, moves, step), tolerance)
        if not wrong:
            break
    return wrong


def quotient(
    f: Callable[..., Any], arguments: Sequence[Any], wrt: Sequence[int], moves: Sequence[Any], step: float
) -> np.ndarray:
    """The difference quotient of fourth order of a function in a direction."""

    def at(k: float) -> np.ndarray:
        moved = list(arguments)
        for i, move in zip(wrt, moves, strict=True):
            x = np.asarray(arguments[i]) + k * step * move
            moved[i] = float(x) if isinstance(arguments[i], float) else x
        return flat(f(*moved))

    return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * step)


def inner_product(result: np.ndarray, arguments: Sequence[Any], moves: Sequence[np.ndarray]) -> np.ndarray:
    return np.array([np.ravel(result) @ np.concatenate([np.ravel(move) for move in moves])])


def close(found: Any, expected: Any, tolerance: float) -> str:
    """How far numbers are from others, "" where they are near.

    >>> close(np.ones(2), np.array([1.0, 1.0 + 1e-12]), 1e-9)
    ''
    >>> close(np.ones(2), np.array([1.0, 3.0]), 1e-9)
    '1 where 3 was expected, entry 1'
    """
    found, expected = np.ravel(found), np.ravel(expected)
    if found.shape != expected.shape:
        return f"{found.size} numbers where {expected.size} were expected"
    scale = float(np.max(np.abs(expected), initial=1e-300))
    far = ~(np.abs(found - expected) <= tolerance * (np.abs(expected) + scale))
    if not np.any(far):
        return ""
    i = int(np.argmax(far))
    return f"{found[i]:.6g} where {expected[i]:.6g} was expected, entry {i}"


__all__ = ["GRADBENCH", "NAMES", "SYSTEMS", "Row", "row"]
