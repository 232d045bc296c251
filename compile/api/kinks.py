"""Where a function has a kink: the step of its program whose slopes to the left and to the right differ.

>>> name, place = first_kink(lambda x: x * abs(x - 1.0), (1.0,))
>>> name, place.lines[place.line - 1][place.column : place.end_column]
('abs', 'abs(x - 1.0)')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.categories.functions import Functions
from ccc.compile.api.pipeline import given
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.host import Once, unit
from ccc.denotation import functor
from ccc.diagnostics import Span


class Found(Exception):
    """The first kink: the name of a primitive and its place."""


class Watching(Once):
    """The host base, which compares the slopes of every step."""

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any = None) -> Any:
        y = super().apply(primitive, args, params, label)
        if primitive.pullback is not None and primitive.program is None:
            for i, x in enumerate(args):
                if is_real(x) and is_real(y) and kinked(along(primitive, args, params, i), x):
                    raise Found(primitive.name, label.span if label else None)
        return y


def is_real(x: Any) -> bool:
    return isinstance(x, (float, np.floating)) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")


def along(primitive: Any, args: tuple[Any, ...], params: dict[str, Any], i: int) -> Callable[[float], float]:
    """The sum of what a primitive gives as one argument moves."""
    draw = np.random.default_rng(0)
    direction = draw.uniform(0.5, 1.5, np.shape(args[i]))

    def moved(t: float) -> float:
        x = args[i] + t * (direction if np.ndim(args[i]) else 1.0)
        return float(np.sum(primitive.value(*args[:i], x, *args[i + 1 :], **params)))

    return moved


def step_at(x: Any) -> float:
    """A step for differences at a number or an array."""
    size = float(np.max(np.abs(x), initial=1.0))
    return float(np.finfo(getattr(x, "dtype", float)).eps ** (1 / 3) * max(1.0, size))


def sides(f: Callable[[float], float], step: float) -> tuple[float, float]:
    """The slopes of `t |-> f(t)` to the left and to the right of 0."""
    before, here, after = f(-step), f(0.0), f(step)
    return (here - before) / step, (after - here) / step


def kinked(f: Callable[[float], float], at: Any, tolerance: float = 1e-4) -> bool:
    """Whether the slopes of `t |-> f(t)` differ at 0 however small the step is: curvature shrinks with it."""
    step = step_at(at)
    try:
        with np.errstate(all="ignore"):
            (left, right), (near_left, near_right) = sides(f, step), sides(f, step / 8.0)
    except (ArithmeticError, ValueError, TypeError):  # not defined beside
        return False
    jump, near = abs(right - left), abs(near_right - near_left)
    return bool(jump > tolerance * max(1.0, abs(left), abs(right)) and near > 0.5 * jump)


def first_kink(f: Callable[..., Any], args: Sequence[Any]) -> tuple[str, Span | None]:
    """The first step of a function's program that has a kink at these arguments; without a name where none is found."""
    elaborated = elaborate(f, args, writes=True, settles=True)
    program = elaborated.program
    values = [unit(tree, x) for (_, tree), x in zip(program.params, given(f, elaborated, args, {}), strict=True)]
    try:
        functor(Functions(Watching()), abstract(program))(values[0] if len(values) == 1 else tuple(values))
    except Found as found:
        name, place = found.args
        return name, place
    return "", None


__all__ = ["first_kink", "kinked", "sides", "step_at"]
