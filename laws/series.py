"""What stands beside a value behind its first tangent: the coefficients of a series, and the slopes in each source.

    series     f (x + u t + v t^2) = c0 + c1 t + c2 t^2 + ...,  by plain Python on polynomials
    functions  c_k of a curve that is moved along itself changes by (k + 1) c_(k+1)
    sources    beside f x stand J v and J u where v and u stand beside x

The first knows no functions but those of arithmetic; the second is asked of each elementwise primitive, by differences.

>>> [check.name for check in SERIES]
['program-series', 'series-of-functions', 'program-sources']
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ccc.categories.dependence import Dependence
from ccc.categories.layered import Layered
from ccc.categories.taylor import Taylor as Coefficients
from ccc.categories.uncertainty import Uncertainty
from ccc.denotation import functor
from ccc.errors import MissingDerivative
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.meanings import covers
from ccc.laws.program_meanings import In, in_layers, items, read_in
from ccc.laws.programs import LARGE, drawn, flat, function_in, reference
from ccc.laws.rules import Application, any_rule, limit
from ccc.laws.subjects import of_kind
from ccc.laws.taylor import Taylor, constant

ORDER = 3
SOURCES = 2


def _series(comparison: Any, example: In) -> Judged:
    """The coefficients of a program against plain Python."""
    args, _ = in_layers(example.k, comparison.draw)
    a, b, x = args
    along = np.array([Taylor(*entry) for entry in zip(*x, strict=True)], dtype=object)
    expected = [constant(y) for y in flat(function_in(example.written)(Taylor(*a), Taylor(*b), along,
                                                                       example.written.args[3]))]
    wanted = [(y.value, y.slope, y.half) for y in expected]
    if any(abs(part) > LARGE for item in wanted for part in item):
        raise Discarded
    found = items(read_in(example.k, example.written, args), example.k.layers)
    if found == wanted:
        return Judged()
    return Judged(Difference("coefficients differ", args, None, found, wanted))


def _of_functions(comparison: Any, example: Application) -> Judged:
    """The coefficients of a primitive along a curve, against differences of those before."""
    k = Coefficients(ORDER)
    draw = comparison.draw
    xs = example.x if isinstance(example.x, tuple) else (example.x,)
    curves = [(x, *[draw.below(64) / 64 - 0.5 for _ in range(ORDER)]) for x in xs]

    def coefficients(h: float) -> list[float]:
        layers = [[math.fsum([math.comb(n, i) * c * h ** (n - i) for n, c in enumerate(curve) if n >= i])
                   for curve in curves] for i in range(ORDER + 1)]
        with np.errstate(all="ignore"):
            found = functor(k, example.arrow)(tuple([
                tuple(layer) if isinstance(example.x, tuple) else layer[0] for layer in layers]))
        return [float(c) for c in found]

    try:
        here = coefficients(0.0)
        for i in range(ORDER):
            expected, error = limit(lambda h: coefficients(h)[i])  # noqa: B023
            if not math.isfinite(error) or error > 1e-2 * (1 + abs(expected)):
                raise Discarded  # at a pole, or where it turns
            if abs((i + 1) * here[i + 1] - expected) > error + 1e-9 * abs(expected):
                return Judged(Difference(f"coefficient {i + 1} is not that of the curve moved along itself", curves,
                                         None, here[i + 1], expected / (i + 1)))
    except (ValueError, ArithmeticError, MissingDerivative) as undefined:
        raise Discarded from undefined
    return Judged()


def _sources(comparison: Any, example: In) -> Judged:
    """Each layer behind the first against plain Python on dual numbers."""
    k = example.k
    args, _ = in_layers(k, comparison.draw)
    found = items(read_in(k, example.written, args), k.layers)
    for layer in range(1, k.layers):
        at = replace(example.written, args=(*[x[0] for x in args], example.written.args[3]),
                     tangents=tuple([x[layer] for x in args]))
        _, slope = reference(function_in(at), at)
        tangent = [item[layer] for item in found]
        if not (covers(tangent, slope) if isinstance(k, Dependence) else tangent == slope):
            return Judged(Difference(f"layer {layer} in {type(k).__name__} differs", args, None, tangent, slope))
    return Judged()


def _in(*some: Layered) -> Any:
    def draw(generator: Generator, i: int) -> In:
        return In(some[i % len(some)], drawn(generator, i))

    return draw


SERIES: tuple[Check, ...] = (
    Check("program-series", "soundness", "the coefficients of f are those of plain Python on polynomials",
          _in(Coefficients(2)), _series, applies=of_kind("values"), share=0.15, weight=4.0),
    Check("series-of-functions", "soundness", "coefficients of elementwise primitives are the slopes of those before",
          any_rule, _of_functions, applies=of_kind("values"), weight=3.0),
    Check("program-sources", "soundness", "beside f x stand the derivatives along all that stand beside x",
          _in(Uncertainty(SOURCES), Dependence(SOURCES)), _sources, applies=of_kind("values"), share=0.15, weight=4.0),
)
