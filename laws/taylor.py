"""Second derivatives of programs: the pullback and the differential of a gradient, against plain Python.

    <v, H v> = 2 c2        f (x + t v) = c0 + c1 t + c2 t^2 + ...        H by reverse over reverse, forward over reverse
    <u, H v> = <v, H u>    by polarisation

The reference is the program itself, run by Python on polynomials in t that are cut off after the square.

>>> t = Taylor(3.0, 1.0, 0.0)
>>> t * t
Taylor(value=9.0, slope=6.0, half=1.0)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ccc.categories.forward import Forward
from ccc.errors import CannotStage
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.compiling import kept_function
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.programs import LARGE, PARAMETERS, Scope, Writer, Written, directions, drawn
from ccc.laws.scalars import RATIONALS
from ccc.laws.subjects import Subject

WEIGHTS = (2.0, 3.0, -1.0, 5.0)


@dataclass(frozen=True, slots=True)
class Taylor:
    """`value + slope t + half t^2`.

    >>> 1.0 - Taylor(3.0, 1.0, 2.0)
    Taylor(value=-2.0, slope=-1.0, half=-2.0)
    """

    value: float
    slope: float
    half: float

    def __add__(self, other: Any) -> Taylor:
        b = constant(other)
        return Taylor(self.value + b.value, self.slope + b.slope, self.half + b.half)

    __radd__ = __add__

    def __neg__(self) -> Taylor:
        return Taylor(-self.value, -self.slope, -self.half)

    def __sub__(self, other: Any) -> Taylor:
        return self + -constant(other)

    def __rsub__(self, other: Any) -> Taylor:
        return constant(other) + -self

    def __mul__(self, other: Any) -> Taylor:
        b = constant(other)
        half = self.value * b.half + self.slope * b.slope + self.half * b.value
        return Taylor(self.value * b.value, self.value * b.slope + self.slope * b.value, half)

    __rmul__ = __mul__

    def __lt__(self, other: Any) -> bool:
        return self.value < constant(other).value

    def __gt__(self, other: Any) -> bool:
        return self.value > constant(other).value


def constant(x: Any) -> Taylor:
    """A number as a polynomial."""
    return x if isinstance(x, Taylor) else Taylor(float(x), 0.0, 0.0)


def weighted(source: str) -> str:
    """A program that gives one number: the weighted sum of what the function of `source` gives.

    >>> print(weighted("def f(a, b, x, n):\\n    return a\\n").splitlines()[4])
        y = f(a, b, x, n)
    """
    first, *rest = [f"{w}" for w in WEIGHTS]
    total = f"{first} * y[0] + np.sum(y[1] * np.array([{', '.join(rest)}]))" if _gives_two(source) else f"{first} * y"
    return f"{source}\ndef h(a, b, x, n):\n    y = f(a, b, x, n)\n    return {total}\n"


def recurring(g: Generator, i: int) -> Written:
    """A program and a point; every second program calls itself, more often than is known while compiling."""
    example = drawn(g, i)
    if i % 2 == 0:
        return example
    writer = Writer(g)
    scope = writer.recursion(Scope(("a", "b"), ("x",)))
    result = f"{scope.recursive[0]}(n, {writer.number(scope, 1)}) + a * {writer.number(scope, 1)}"
    source = "\n".join([f"def f({', '.join(PARAMETERS)}):", *writer.lines, f"    return {result}", ""])
    return replace(example, source=source, args=(*example.args[:-1], 1 + g.below(2)))


def _gives_two(source: str) -> bool:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    last = function.body[-1]
    return isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)


def curvature(h: Any, example: Written) -> float:
    """<v, H v>, by plain Python."""
    a, b, x, n = example.args
    da, db, dx = example.tangents
    xs = np.array([Taylor(p, q, 0.0) for p, q in zip(x.tolist(), dx.tolist(), strict=True)], dtype=object)
    found = constant(h(Taylor(a, da, 0.0), Taylor(b, db, 0.0), xs, n))
    if any(abs(part) > LARGE for part in (found.value, found.slope, found.half)):
        raise Discarded
    return 2.0 * found.half


def _paired(cts: Any, tangents: Any) -> float:
    return sum(float(np.sum(ct * v)) for ct, v in zip(cts, tangents, strict=False))


def _mixed(h: Any, example: Written, u: tuple[Any, ...]) -> float:
    """<u, H v>, by plain Python: it is bilinear and symmetric."""
    whole = tuple([a + b for a, b in zip(u, example.tangents, strict=True)])
    each = [curvature(h, replace(example, tangents=along)) for along in (whole, u, example.tangents)]
    return (each[0] - each[1] - each[2]) / 2.0


def _hessian(comparison: Any, example: Written) -> Judged:
    """The curvature along the tangents, by two passes of the category over it or by one over a gradient."""
    from ccc.compile.api.transforms import gradient, value_with_differential, value_with_pullback

    h = kept_function(f"import numpy as np\n{weighted(example.source)}", "h")
    expected = curvature(h, example)
    v = (*example.tangents, None)
    try:
        if isinstance(comparison.k, Forward):
            found = value_with_differential(gradient(h))(*example.args)[1](*v)
        else:
            exponential = comparison.k.exponential
            slope = gradient(h, exponential=exponential)
            first, pullback = value_with_pullback(slope, exponential=exponential)(*example.args)
            found = pullback((*example.tangents, None if first[3] is None else 0.0))
    except CannotStage as error:
        raise Discarded from error
    if _paired(found, example.tangents) != expected:
        return Judged(Difference("<v, H v> differs", example.args, v, _paired(found, example.tangents), expected))
    u = directions(comparison.draw)
    mixed = _mixed(h, example, u)
    if _paired(found, u) == mixed:
        return Judged()
    return Judged(Difference("<u, H v> differs", example.args, (u, v), _paired(found, u), mixed))


def _derivatives(subject: Subject) -> bool:
    return subject.kind != "values" and subject.compiled and subject.numbers is RATIONALS


SECOND: tuple[Check, ...] = (
    Check("program-second", "programs", "<u, H v> = <v, H u>, by second derivatives along u, v, u + v in plain Python",
          recurring, _hessian, applies=_derivatives, share=0.25, weight=3.0),
)
