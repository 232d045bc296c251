"""GradBench's nested programs in their four mode combinations: each is one compiled program, with the published answers
and those of descents that share nothing with them but the algorithm."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import ccc
import ccc.compile.terms.host
from benchmarks.programs import descent as modes_of, particle, saddle
from ccc.compile.api.wrapper import Transform
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.numpy_source.numpy_target import emit

MODES = ("rr", "rf", "fr", "ff")
SADDLE, PARTICLE = 8.246324826140356e-06, 0.2071918746486116  # what GradBench expects


@pytest.fixture(autouse=True)
def staged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here runs on the host base."""

    def refused(*_: Any) -> None:
        raise AssertionError("the program was not staged")

    monkeypatch.setattr(ccc.compile.terms.host, "on_host", refused)


def descent(cost: Callable[[Any], float], slopes: Callable[[Any], Sequence[float]], x: Sequence[float]) -> list[float]:
    """The algorithm as its description has it, on lists."""
    size = lambda v: math.sqrt(math.fsum(a * a for a in v))  # noqa: E731
    x, eta, count = list(x), 1e-5, 0
    fx, gx = cost(x), slopes(x)
    while size(gx) > 1e-5:
        if count == 10:
            eta, count = 2 * eta, 0
            continue
        further = [a - eta * g for a, g in zip(x, gx, strict=True)]
        if size([a - b for a, b in zip(x, further, strict=True)]) <= 1e-5:
            break
        value = cost(further)
        if value < fx:
            x, fx, gx, count = further, value, slopes(further), count + 1
        else:
            eta, count = eta / 2, 0
    return x


def expected_saddle(start: Sequence[float]) -> tuple[list[float], list[float]]:
    """With derivatives by hand: those of |x|**2 - |y|**2 in x are 2 x wherever the maximum in y is."""
    square = lambda v: math.fsum(a * a for a in v)  # noqa: E731
    double = lambda v: [2 * a for a in v]  # noqa: E731
    greatest = descent(square, double, start)
    return descent(lambda x: square(x) - square(greatest), double, start), greatest


def expected_landing(w: Any) -> Any:
    """With forces by hand; for complex w as well."""
    x, y, vx, vy, dt = 0.0, 8.0, 0.75, 0.0, 0.1
    while (y + dt * vy).real > 0:
        ax = ay = 0.0
        for charge in (10.0 - w, 0.0):
            cube = cmath.sqrt((x - 10.0) ** 2 + (y - charge) ** 2) ** 3
            ax, ay = ax + (x - 10.0) / cube, ay + (y - charge) / cube
        x, y = x + dt * vx, y + dt * vy
        vx, vy = vx + dt * ax, vy + dt * ay
    return (x - y / vy * vx) ** 2


def expected_slope(w: float) -> float:
    return expected_landing(w + 1e-30j).imag / 1e-30


@pytest.mark.parametrize("modes", MODES)
def test_the_saddle_point(modes: str) -> None:
    f = getattr(saddle, f"saddle_{modes}")
    x, y = Transform(f)((1.0, 1.0))
    assert [*x, *y] == pytest.approx([SADDLE] * 4, rel=1e-12)
    x, y = Transform(f)((0.7, -1.3))
    expected = expected_saddle((0.7, -1.3))
    assert [*x, *y] == pytest.approx([*expected[0], *expected[1]], rel=1e-9)


@pytest.mark.share(2)
@pytest.mark.parametrize("modes", MODES)
def test_the_particle(modes: str) -> None:
    f = Transform(getattr(particle, f"particle_{modes}"))
    assert f(0.0) == pytest.approx(PARTICLE, rel=1e-12)
    expected = descent(lambda w: expected_landing(w[0]).real, lambda w: [expected_slope(w[0])], [0.1])
    assert f(0.1) == pytest.approx(expected[0], rel=1e-9)


def test_the_answers_do_not_depend_on_the_mode() -> None:
    found = [Transform(getattr(particle, f"particle_{modes}"))(0.0) for modes in MODES]
    assert max(found) - min(found) <= 1e-14


@pytest.mark.parametrize("exponential", [ccc.Delta, ccc.AdditiveMap, ccc.AnyDerivative])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_the_landing_place_under_each_exponential(exponential: Any, mode: str) -> None:
    inner = getattr(modes_of, mode)

    def landing(w: float) -> float:
        return particle.landing(inner, w)

    value, slope = ccc.value_with_gradient(landing, exponential=exponential())(0.1)
    assert value == pytest.approx(expected_landing(0.1).real, rel=1e-12)
    assert slope == pytest.approx(expected_slope(0.1), rel=1e-9)
    _, differential = ccc.value_with_differential(landing)(0.1)
    assert differential(1.0) == pytest.approx(slope, rel=1e-11)


@pytest.mark.parametrize("name", [f"{program}_{modes}" for program in ("saddle", "particle") for modes in MODES])
def test_each_is_one_program(name: str) -> None:
    f = getattr(saddle if name.startswith("saddle") else particle, name)
    start: Any = (1.0, 1.0) if name.startswith("saddle") else 0.0
    emitted = emit(elaborate(f, [start]).program)
    assert not [x for x in emitted.namespace.values() if isinstance(x, Transform)]
    assert "while " in emitted.source and emitted.source.count("def ") < 40
