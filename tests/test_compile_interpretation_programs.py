"""Every category of the project on ten programs with a loop and a branch each, in both targets where it has targets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from test_compile_interpretation_built_in import (
    BACKENDS,
    PROGRAMS,
    Program,
    every_program,
    exactly,
    fraction,
    growth,
    horner,
    recursive,
    wave,
)

import ccc
from ccc.errors import CannotStage

FAR = np.array([0.25, 0.125, -0.0625])


def woven(f: Program) -> Callable[[Any], Any]:
    """Three results of three numbers: of one alone, of two, and of one without the program."""
    return lambda v: np.array([f(v[0]), f(v[1]) * v[2], v[2] + 1.0])


READ = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
"""Which number each of these results is made of."""


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_tangents_are_slopes(f: Program, backend: str) -> None:
    tangent = ccc.interpret(f, ccc.Forward(), backend=backend)
    for x in PROGRAMS[f]:
        y, dy = tangent((x, 2.0))
        assert y == f(x) and dy == pytest.approx(2.0 * ccc.gradient(f)(x), rel=1e-12)


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_marks_reach_what_a_result_is_made_of(f: Program, backend: str) -> None:
    marked = ccc.interpret(woven(f), ccc.Dependence(3), backend=backend)
    for x in PROGRAMS[f]:
        y, *marks = marked((x + FAR, *np.eye(3)))
        np.testing.assert_allclose(y, woven(f)(x + FAR), rtol=1e-14)
        found, slopes = np.array(marks).T, ccc.jacobian(woven(f))(x + FAR)
        assert np.all(found <= READ) and np.all(found[slopes != 0.0] == 1.0)


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_costs_are_those_of_any_target_and_of_gradients_a_few_times_as_many(f: Program, backend: str) -> None:
    plain, reverse = [ccc.interpret(g, ccc.Cost(), backend=backend) for g in (f, ccc.gradient(f))]
    for x in PROGRAMS[f]:
        (value, n), (slope, m) = plain((x, 0.0)), reverse((x, 0.0))
        assert value == pytest.approx(f(x), rel=1e-14) and slope == pytest.approx(ccc.gradient(f)(x), rel=1e-12)
        assert n > 0 and m <= 4 * n
        assert n == ccc.interpret(f, ccc.Cost(), backend="numpy")((x, 0.0))[1]


@pytest.mark.share(2)
@every_program
def test_a_result_asks_for_the_numbers_that_it_is_made_of(f: Program) -> None:
    def both(x: float, y: float, z: float) -> tuple[float, float, float]:
        return f(x), f(y) * z, z + 1.0

    args = tuple((PROGRAMS[f][0] + FAR).tolist())
    _, asks = ccc.Provenance().behind(ccc.arrow(both, *args), args)
    labels = ccc.Labels("one"), ccc.Labels("two"), ccc.Labels("three")
    assert asks(labels) == (labels[0], labels[1], labels[1] + labels[2])


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_what_is_mapped_gives_what_each_gives(f: Program, backend: str) -> None:
    xs = np.array(PROGRAMS[f])
    for g in (f, ccc.gradient(f)):
        np.testing.assert_allclose(ccc.vmap(g, backend=backend)(xs), [g(x) for x in PROGRAMS[f]], rtol=1e-12)


def settled(x: float) -> float:
    y, n = x, 0
    while y < 5.0 and n < 6:
        y = y * 1.5 + 0.1 * math.exp(-x)
        n += 1
    return y


FORMULAS = {f: points for f, points in PROGRAMS.items() if f is not growth} | {settled: PROGRAMS[growth]}
"""The programs, and for the one that no formula is one that goes on for a while."""


@pytest.mark.share(2)
@pytest.mark.parametrize("f", FORMULAS, ids=lambda f: f.__name__)
def test_expressions_of_sympy_give_what_the_program_gives(f: Program) -> None:
    sympy: Any = pytest.importorskip("sympy")
    x = sympy.symbols("x", real=True)
    found, slope = [ccc.sympy.expression(g, x) for g in (f, ccc.derivative(f))]
    back = ccc.sympy.function(found, x)
    assert found.has(sympy.Piecewise) == (f not in (wave, horner, fraction))  # whose branches hang on no symbol
    for at in FORMULAS[f]:
        assert float(found.evalf(subs={x: at})) == pytest.approx(f(at), rel=1e-12)
        assert float(slope.evalf(subs={x: at})) == pytest.approx(ccc.derivative(f)(at), rel=1e-12)
        assert ccc.gradient(back, backend="numpy")(at) == pytest.approx(ccc.gradient(f)(at), rel=1e-9)


def test_a_loop_that_takes_any_number_of_turns_is_no_formula() -> None:
    """Where its step stands still the loop of `growth` never ends; nearer to there it takes more and more turns."""
    sympy: Any = pytest.importorskip("sympy")
    still = float(mpmath.lambertw(-0.2))
    assert still * 1.5 + 0.1 * math.exp(-still) == pytest.approx(still, rel=1e-14)

    def turns(x: float) -> int:
        y, n = x, 0
        while y < 5.0:
            y, n = y * 1.5 + 0.1 * math.exp(-x), n + 1
        return n

    assert [turns(still + 10.0**-k) for k in (2, 5, 8)] == [17, 34, 51]
    with pytest.raises(ccc.CCCError, match="SymPy has no expression for what hangs on more than 16 tests"):
        ccc.sympy.expression(growth, sympy.symbols("x", real=True))


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_means_of_a_choice_are_exact(f: Program, backend: str) -> None:
    def chosen(theta: float, chance: ccc.Chance) -> float:
        return f(theta) if chance.flip(theta / 4.0, by="enumeration") else f(theta + 0.125)

    means = ccc.value_with_gradient(ccc.expectation(chosen), wrt=0, backend=backend)
    for x in PROGRAMS[f]:
        slope, other = ccc.gradient(f)(x), ccc.gradient(f)(x + 0.125)
        mean = f(x) * x / 4.0 + f(x + 0.125) * (1.0 - x / 4.0)
        by_hand = slope * x / 4.0 + other * (1.0 - x / 4.0) + (f(x) - f(x + 0.125)) / 4.0
        if 0.0 < x < 4.0:
            assert means(x, np.random.default_rng(0)) == pytest.approx((mean, by_hand), rel=1e-11)


WIDTH = 2.0**-16


def bend(f: Program, x: float, sign: int) -> Any:
    """How far the program, or its negative, lies above its chords, at most; one that is convex lies nowhere above."""
    reference = exactly(f)
    with mpmath.workdps(60):
        ys = [reference(mpmath.mpf(x) + mpmath.mpf(WIDTH) * i / 32) for i in range(33)]
        return max(sign * (ys[i] - (ys[i - 1] + ys[i + 1]) / 2) for i in range(1, 32))


@pytest.mark.share(2)
@every_program
def test_what_is_proved_convex_lies_below_its_chords(f: Program) -> None:
    proved = 0
    if f in (growth, recursive):  # what a tape has of a branch or loop that is not decided is not known
        with pytest.raises(CannotStage, match="depends on a `while`|may have more outputs"):
            ccc.convex_on(f, PROGRAMS[f][0], PROGRAMS[f][0] + WIDTH)
        return
    for x in PROGRAMS[f]:
        for sign, g in ((1, f), (-1, lambda x: -f(x))):
            if ccc.convex_on(g, x, x + WIDTH):
                proved += 1
                assert bend(f, x, sign) <= 0
    assert proved


@pytest.mark.share(2)
@every_program
def test_polynomials_with_what_they_leave_hold_the_program(f: Program) -> None:
    known = 0
    for x in PROGRAMS[f]:
        found = ccc.enclosure(f, x, x - 1 / 512, x + 1 / 512, order=2)
        known += math.isfinite(found.rest[1] - found.rest[0])
        for i in range(-8, 9):
            low, high = found.bounds(x + i / 4096)
            assert low <= f(x + i / 4096) <= high
    assert known
