"""What is known of a number from how it was computed: that it is not negative, far from zero, or finite.

All three are of every entry of an array, and but for NaN. They look a few definitions back.

>>> from ccc.compile.program.lam import Lit
>>> from ccc.objects import REAL
>>> positive(Lit(2.0, REAL)), positive(Lit(-2.0, REAL)), not_negative(Lit(0.0, REAL)), finite(Lit(1e300, REAL))
(True, False, True, False)
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from ccc.compile.program.lam import Apply, Lit, Var
from ccc.objects import Int
from ccc.primitives import arithmetic, reductions, shaping
from ccc.primitives.facts import ANY, MOVEMENT, NEW, SIZES
from ccc.primitives.primitive import Primitive

DEPTH = 8
"""How many definitions back."""
SMALLEST, LARGEST = 1e-30, 1e30
"""What is far from zero, and what is far from infinity: `DEPTH` such numbers have a finite product."""

def definition(x: Any) -> tuple[Primitive | None, tuple[Any, ...]]:
    """The primitive that gives a variable, and what it is applied to."""
    let = x.definition if isinstance(x, Var) else None
    if let is None or not isinstance(let.op, Apply):
        return None, ()
    return let.op.primitive, tuple(let.args)


def increases(p: Primitive | None, args: tuple[Any, ...]) -> bool:
    """Whether it is an increasing function of one argument; a maximum increases in each of several."""
    return p is not None and p.increasing and len(args) == 1


def at_zero(p: Primitive | None, args: tuple[Any, ...]) -> float:
    """What an increasing function of one number gives at zero; NaN where it is none, or gives nothing.

    >>> from ccc.primitives import elementary_numpy
    >>> at_zero(elementary_numpy.exp, (0.5,)), at_zero(elementary_numpy.maximum, (0.5, 0.0))
    (1.0, nan)
    """
    return value_at_zero(p) if p is not None and increases(p, args) else math.nan


@cache
def value_at_zero(p: Primitive) -> float:
    with np.errstate(all="ignore"), suppress(ValueError, TypeError):
        return float(p.value(0.0))
    return math.nan


def bounds_of(p: Primitive | None) -> tuple[float, float]:
    return ANY if p is None else p.bounds


def same_entries(p: Primitive | None) -> bool:
    """Whether a result has entries of the first argument, and no others."""
    return p is not None and p.work == MOVEMENT and p.places and p.memory is not NEW


def constant(x: Any) -> float | None:
    value = x.value if isinstance(x, Lit) else x
    return float(value) if type(value) in (int, float) else None


def positive(x: Any, depth: int = DEPTH) -> bool:
    """Whether it is at least `SMALLEST`, or infinite."""
    value = constant(x)
    if value is not None or not depth:
        return value is not None and value >= SMALLEST
    p, args = definition(x)
    if p is arithmetic.add:
        a, b = args
        return any(positive(y, depth - 1) and not_negative(z, depth - 1) for y, z in ((a, b), (b, a)))
    if at_zero(p, args) >= SMALLEST and not_negative(args[0], depth - 1):
        return True
    return bounds_of(p)[0] >= SMALLEST or softened(x) or (same_entries(p) and positive(args[0], depth - 1))


def softened(x: Any) -> bool:
    """Whether it is the sum of exp(a - m), where m is the largest of a along the same axis: one of them is exp(0), and
    none is negative."""
    p, args = definition(x)
    if p is not reductions.sum_ or not plain(x) or shifted(args[0]) != (axes_of(x),):
        return False
    f, inner = definition(args[0])
    return bounds_of(f)[0] >= 0.0 and at_zero(f, inner) >= SMALLEST


def shifted(x: Any) -> tuple[Any, ...]:
    """The axis along which x is f(a - m), where f is increasing and m is the largest of a; nothing where it is not."""
    p, args = definition(x)
    if not increases(p, args):
        return ()
    p, args = definition(args[0])
    if p is not arithmetic.sub:
        return ()
    a, top = args
    p, inner = definition(top)
    spread = axes_of(top) if p is shaping.expand_dims else None
    if spread is not None:
        top = inner[0]
        p, inner = definition(top)
    if p is not reductions.max_ or inner != (a,) or not plain(top):
        return ()
    axis = axes_of(top)
    aligned = axis in (None, 0) or top.definition.op.params.get("keepdims") is True
    return (axis,) if (aligned if spread is None else spread == axis) else ()


def plain(x: Any) -> bool:
    """Whether a reduction takes all entries along its axis, and nothing else."""
    return len(x.definition.args) == 1 and x.definition.op.params.keys() <= {"axis", "keepdims"}


def axes_of(x: Any) -> Any:
    """The axis along which a variable was computed."""
    return x.definition.op.params.get("axis")


def not_negative(x: Any, depth: int = DEPTH) -> bool:
    """Whether it is at least zero."""
    value = constant(x)
    if value is not None or not depth:
        return value is not None and value >= 0.0
    p, args = definition(x)
    size = p is not None and p.work == SIZES and isinstance(x.object, Int)
    if bounds_of(p)[0] >= 0.0 or size or (p is arithmetic.mul and args[0] is args[1]):
        return True
    if p is not None and p.powers and constant(args[1]) in (2.0, 4.0):
        return True
    if at_zero(p, args) >= 0.0 and not_negative(args[0], depth - 1):
        return True
    if p is not None and p.adding:
        parts = of_sum(p, x)
        return bool(parts) and all(not_negative(args[i], depth - 1) for i in parts)
    return same_entries(p) and not_negative(args[0], depth - 1)


def of_sum(p: Primitive, x: Any) -> list[int]:
    """Of which arguments a sum is made, or products of which are added up; none where it is not linear."""
    groups = p.linear_of(x.definition.op.params).groups(len(x.definition.args))
    return sorted({i for group in groups for i in group})


def finite(x: Any, depth: int = DEPTH) -> bool:
    """Whether it is not infinite: of at most `LARGEST`, times `LARGEST` for each quotient."""
    value = constant(x)
    if value is not None or not depth:
        return value is not None and abs(value) <= LARGEST
    p, args = definition(x)
    if p is arithmetic.div:
        return finite(args[0], depth - 1) and positive(args[1], depth - 1)
    kept = p is arithmetic.neg or same_entries(p)
    low, high = bounds_of(p)
    if shifted(x):
        high = min(high, at_zero(p, args))
    return max(-low, high) <= LARGEST or (kept and finite(args[0], depth - 1))
