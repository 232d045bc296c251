"""Bounds of rounding errors over ranges of arguments: reverse mode of the marks of roundings, read in intervals.

    |computed - exact|  <=  unit * max over the box of  sum over roundings of |dresult/dy| |y|

Boxes whose bound is largest are halved, so bounds come close to that maximum. They hold whatever the roundings do, and
know that what a number is off by reaches the result along all its ways at once.

>>> import numpy as np
>>> found = rounding_error(lambda x: x * x - x, (0.5, 1.0), format=np.float32)
>>> found.bound <= 2.0 ** -24 * 1.51
True

Reference: Solovyev, Baranowski, Briggs, Jacobsen, Rakamaric and Gopalakrishnan, *Rigorous Estimation of Floating-Point
Round-Off Errors with Symbolic Taylor Expansions* (2018).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccc.categories.first_order import FirstOrder
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.compile.api.interpretation import Interpreted
from ccc.compile.diagnostics import WrongArguments, telling
from ccc.compile.passes.engine import run
from ccc.compile.passes.improve import PASSES
from ccc.compile.passes.inline_program_primitives import opened, substitute
from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.passes.rounding_marks import Roundings, with_rounding_marks, with_variable_marks
from ccc.compile.program.deep import deeply
from ccc.compile.program.lam import Lit, Node, Program, leaves
from ccc.compile.terms import derive
from ccc.compile.terms.plan import Interpretation, Plan
from ccc.compile.terms.wanted import Part
from ccc.objects import REAL

ONCE = PASSES[: [p.name for p in PASSES].index("redundancy") + 1]
"""What is computed twice is rounded in the same way."""
NEAR = 1.02
"""No box is halved where the largest bound is at most so many times what the middle of one shows."""


@dataclass(frozen=True, slots=True)
class RoundingError:
    """How far what floats give is from what exact numbers give, at most, on a box of arguments.

    >>> RoundingError(1e-16, (0.0, 1.0), 3).bound
    1e-16

    The `range` holds both, and so many `boxes` were looked at.
    """

    bound: float
    range: tuple[float, float]
    boxes: int


class Counting(Interpretation):
    """The value of a program and how much of its roundings reaches it, in intervals."""

    __slots__ = ("roundings",)

    def __init__(self, roundings: Roundings, plan: Interpretation) -> None:
        super().__init__(plan.given, plan.objects, plan.backend)
        self.roundings = roundings

    def of(self, program: Program) -> Program:
        program = copy_of_program(program)
        run(program, ONCE)
        with_rounding_marks(program, self.roundings, len(self.objects))
        return counted(program, len(program.params) - 1, bare=True, verb="rounding_error")


def counted(program: Program, first: int, bare: bool, verb: str) -> Program:
    """The derivative of a program in its parameters from one on, which are gone; for a `bare` one with the value."""
    wrt = [Part(i) for i in range(first, len(program.params))]
    found = derive.reverse(program, wrt, Reverse(), bare, bare, verb=verb)
    counts = [e for _, tree in found.params[first:] for e in leaves(tree)]
    del found.params[first:]
    for e in counts:
        found.block.params.remove(e)
    substitute(found, dict.fromkeys(counts, Lit(0.0, REAL)))
    return found


class ByVariable(Interpretation):
    """How much of what a narrower format loses of each variable reaches the result."""

    __slots__ = ("format",)

    def __init__(self, format: str, plan: Interpretation) -> None:
        super().__init__(plan.given, plan.objects, plan.backend)
        self.format = format

    def of(self, program: Program) -> Program:
        program = copy_of_program(program)
        opened(program)
        first = len(program.params)
        names = list(with_variable_marks(program, self.format))
        found = counted(program, first, bare=False, verb="narrowing_errors")
        assert isinstance(found.result, tuple)
        found.result = Node.of(dict, tuple(names), found.result)
        return found


class Narrowed(Interpreted):
    """A function whose variables are of a narrower format."""

    verb = "narrowing_errors"

    def __init__(self, function: Callable[..., Any], format: str) -> None:
        self.format = format
        super().__init__(function, Functions())

    def __ccc_form__(self) -> Any:
        return *super().__ccc_form__(), self.format

    def plan_for(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Plan:
        plan = super().plan_for(args, kwargs)
        assert isinstance(plan, Interpretation)
        return ByVariable(self.format, plan)


class Counted(Interpreted):
    """A function whose roundings are counted, called with bounds of its arguments."""

    verb = "rounding_error"

    def __init__(self, function: Callable[..., Any], category: FirstOrder, roundings: Roundings) -> None:
        self.roundings = roundings
        super().__init__(function, category, "native")

    def __ccc_form__(self) -> Any:
        return *super().__ccc_form__(), self.roundings

    def plan_for(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Plan:
        plan = super().plan_for(args, kwargs)
        assert isinstance(plan, Interpretation)
        return Counting(self.roundings, plan)


@telling
@deeply
def rounding_error(
    f: Callable[..., Any], *bounds: Any, format: Any = np.float64, functions: float = 8.0, rounded: bool = False,
    decimals: bool = False, boxes: int = 2000,
) -> RoundingError:
    """A bound of how far what a function computes in a format of floats is from what exact numbers give, for all
    arguments between bounds.

    >>> found = rounding_error(lambda x, y: (x + y) * x, (1.0, 2.0), (1.0, 2.0))
    >>> found.bound <= 2.0 ** -53 * 16.1, found.range[0] <= 2.0, found.range[1] >= 8.0
    (True, True, True)

    An argument is a pair of numbers or of arrays, or what stands for itself. The operations `+ - * /` are off by half a
    unit in the last place, others by `functions` such halves. Arguments are numbers of the format, or with `rounded`
    are rounded to it; a literal stands for the float that it is, or with `decimals` for the number that is written.
    The result is a number. The bound is proved, and infinite where nothing is known: where a box, however small, holds
    a branch that is not decided, a step or a kink, or what may overflow.

    Raises `MissingMeaning` for what `Intervals` does not say, and for an operation whose roundings are not known, and
    `WrongArguments` for bounds that are none.

    Source: Solovyev et al., *Rigorous Estimation of Floating-Point Round-Off Errors with Symbolic Taylor Expansions*.
    """
    k = FirstOrder(format)
    meaning = Counted(f, k, Roundings(k.format.name, functions, rounded, decimals))
    box = tuple(map(whole, bounds))
    search = Search(meaning, box)
    most = search.largest(boxes)
    bound = 0.0 if most == 0.0 else math.nextafter(most * k.unit, math.inf)
    if not all(map(math.isfinite, search.range)):
        bound = math.inf
    return RoundingError(bound, search.range, search.count)


def whole(x: Any) -> Any:
    """Bounds of an argument: a pair of floats, or of arrays of them; what is none as it is."""
    if not isinstance(x, tuple):
        return x
    if len(x) != 2:
        raise WrongArguments("bounds of an argument are two numbers, or two arrays of the same shape",
                             help="write rounding_error(f, (0.0, 1.0))")
    low, high = [np.asarray(end, float) for end in x]
    if low.shape != high.shape or not np.all(low <= high):
        raise WrongArguments("of the bounds of an argument the lower one is first, and both have one shape",
                             help="write rounding_error(f, (0.0, 1.0))")
    return (low, high) if low.ndim else (float(low), float(high))


@dataclass(frozen=True, slots=True)
class Found:
    """A bound of the sum on a box, and one of the result; what is largest comes first."""

    most: float
    low: float
    high: float
    box: tuple[Any, ...]

    def __lt__(self, other: Found) -> bool:
        return self.most > other.most


class Search:
    """The largest sum of roundings on a box, by halving those boxes of which it is not known to be smaller."""

    def __init__(self, meaning: Callable[..., Any], box: tuple[Any, ...]) -> None:
        self.meaning, self.box, self.count = meaning, box, 1
        self.range = -math.inf, math.inf

    def largest(self, boxes: int) -> float:
        """A bound of the sum, from so many boxes at most."""
        queue, kept, reached = [self.at(self.box)], list[Found](), 0.0
        while queue and self.count + 2 <= boxes and queue[0].most > reached * NEAR:
            found = heapq.heappop(queue)
            reached = max(reached, self.at(middle(found.box)).most)
            parts = halves(found.box, self.box)
            if parts is None:
                kept.append(found)
                break
            self.count += 2
            for part in parts:
                heapq.heappush(queue, self.at(part))
        kept += queue
        self.range = min([x.low for x in kept]), max([x.high for x in kept])
        return max([x.most for x in kept])

    def at(self, box: tuple[Any, ...]) -> Found:
        """What is found on a box: nothing is known of the result there where that raises."""
        try:
            with np.errstate(all="ignore"):
                (low, _), (high, most) = self.meaning(*box)
        except (ValueError, OverflowError, ZeroDivisionError):
            return Found(math.inf, -math.inf, math.inf, box)
        return Found(float(most), float(low), float(high), box)


def middle(box: tuple[Any, ...]) -> tuple[Any, ...]:
    """The box of one point in the middle of a box.

    >>> middle(((0.0, 1.0), 3))
    ((0.5, 0.5), 3)
    """
    return tuple([(x[0] * 0.5 + x[1] * 0.5,) * 2 if isinstance(x, tuple) else x for x in box])


def halves(box: tuple[Any, ...], around: tuple[Any, ...]) -> list[tuple[Any, ...]] | None:
    """The halves of a box along the side that is longest beside that of the box around it; None where there is none."""
    best, where = 0.0, None
    for i, (x, outer) in enumerate(zip(box, around, strict=True)):
        if not isinstance(x, tuple):
            continue
        width, full = np.ravel(x[1] - x[0]), np.ravel(outer[1] - outer[0])
        share = np.where(full > 0.0, width / np.where(full > 0.0, full, 1.0), 0.0)
        at = int(np.argmax(share)) if share.size else 0
        if share.size and share[at] > best:
            best, where = float(share[at]), (i, at)
    if where is None:
        return None
    i, at = where
    low, high = [np.array(end, float) for end in box[i]]
    middle = float(low.flat[at] * 0.5 + high.flat[at] * 0.5)
    if not low.flat[at] < middle < high.flat[at]:
        return None
    left, right = high.copy(), low.copy()
    left.flat[at] = right.flat[at] = middle
    return [(*box[:i], (end if low.ndim else float(end), other if low.ndim else float(other)), *box[i + 1 :])
            for end, other in ((low, left), (right, high))]


@telling
@deeply
def narrowing_errors(f: Callable[..., Any], *, format: Any = np.float32) -> Callable[..., dict[str, float]]:
    """By how much the result of a function would be off, were all that it assigns to a variable rounded to a narrower
    format: `narrowing_errors(f)(*args)` estimates it for each of its variables, from one gradient.

    >>> def f(x):
    ...     y = x * x
    ...     z = y + 0.5
    ...     return z
    >>> {name: error > 0.0 for name, error in narrowing_errors(f)(1.1).items()}
    {'y': True, 'z': True, 'x': True}

    What is lost of a number is known, and the derivative says how much of it reaches the result, to first order; the
    magnitudes are added up. Variables of functions that it calls count by their names. Raises what `ccc.gradient`
    raises.

    Source: Singh et al., *Fast And Automatic Floating Point Error Analysis With CHEF-FP* (2023).
    """
    return Narrowed(f, np.dtype(format).name)


__all__ = ["RoundingError", "narrowing_errors", "rounding_error"]
