"""Taylor enclosures: AutoBound's example, containment of what exact numbers give, and nothing known where a program
branches, steps or has a kink."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from test_compile_interpretation_built_in import exactly

import ccc
from ccc import enclosure
from ccc.compile.diagnostics import WrongArguments
from ccc.errors import MissingMeaning


def autobound(x: float) -> float:
    return 1.5 * math.exp(3.0 * x) - 25.0 * x * x


def wave(x: float) -> float:
    y = 0.0
    for i in range(3):
        y = y + math.sin((i + 1) * x) / (i + 1) if i != 1 else y - math.cos(x) * x
    return y


def quotient(x: float) -> float:
    return math.log(2.0 + x) / (1.0 + x * x)


def test_the_example_of_autobound() -> None:
    found = enclosure(autobound, 0.5, 0.0, 1.0)
    assert [(round(low, 4), round(high, 4)) for low, high in found.coefficients] == [(0.4725,) * 2, (-4.8324,) * 2]
    assert [round(bound, 3) for bound in found.rest] == [-5.555, 28.288]
    e = math.exp(1.5)
    ends = [(1.5 * math.exp(3.0 * x) - 25.0 * x * x - (1.5 * e - 6.25) - (4.5 * e - 25.0) * (x - 0.5)) / 0.25
            for x in (0.0, 1.0)]
    assert found.rest == pytest.approx(ends, rel=1e-13) and found.rest[0] <= ends[0] <= ends[1] <= found.rest[1]


@pytest.mark.share(8)
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(("f", "at", "low", "high"), [
    (autobound, 0.5, 0.0, 1.0), (wave, 0.2, -0.5, 1.5), (quotient, 0.0, -1.0, 2.0), (wave, 1.0, 1.0, 1.25),
    (lambda x: -x * x * x, -1.0, -2.0, -1.0),
])
def test_what_exact_numbers_give_lies_within(f: Any, at: float, low: float, high: float, order: int) -> None:
    found, reference = enclosure(f, at, low, high, order=order), exactly(f)
    assert len(found.coefficients) == order and all(map(math.isfinite, found.rest))
    with mpmath.workdps(60):
        for i in range(41):
            x = low + (high - low) * i / 40
            least, most = found.bounds(x)
            assert least <= reference(mpmath.mpf(x)) <= most


def test_more_pieces_and_higher_orders_make_it_smaller() -> None:
    widths = [b - a for a, b in (enclosure(wave, 0.2, -0.5, 1.5, depth=depth).rest for depth in (0, 3, 6))]
    assert widths[0] > widths[1] > widths[2]
    within = [b - a for a, b in (enclosure(quotient, 0.0, 0.0, 0.25, order=n).bounds(0.25) for n in (1, 2, 3))]
    assert within[0] > within[1] > within[2]


@pytest.mark.parametrize("f", [
    lambda x: abs(x - 0.25), lambda x: x if x < 0.25 else 0.25, lambda x: math.tanh(1.0 if x < 0.25 else x),
    lambda x: 1.0 / (x - 0.25), lambda x: math.sqrt(x - 0.25), lambda x: ccc.without_derivative(x),
    lambda x: max(x, 0.25), lambda x: np.minimum(x, 0.25), lambda x: x % 0.25,
    lambda x: math.atan2(x - 0.25, -1.0),
])
def test_nothing_is_known_of_what_is_not_smooth(f: Any) -> None:
    found = enclosure(f, 0.5, 0.0, 1.0)
    assert found.rest == (-math.inf, math.inf) and found.bounds(0.3) == (-math.inf, math.inf)


def test_what_cannot_be_enclosed_is_refused() -> None:
    for at, low, high, order in ((2.0, 0.0, 1.0, 2), (0.5, 1.0, 0.0, 2), (0.5, 0.0, math.inf, 2), (0.5, 0.0, 1.0, 0)):
        with pytest.raises(WrongArguments, match="enclosure takes a point in a range"):
            enclosure(autobound, at, low, high, order=order)
    with pytest.raises(MissingMeaning, match=r"does not say what `math.remainder` means"):
        enclosure(lambda x: math.remainder(x, 0.3), 1.0, 0.5, 1.5)
    with pytest.raises(ValueError, match="from `low` to `high` only"):
        enclosure(autobound, 0.5, 0.0, 1.0).bounds(1.5)
