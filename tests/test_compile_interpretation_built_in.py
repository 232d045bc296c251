"""The categories of the project that `ccc.interpret` compiles, on programs with loops and branches and their gradients:
each holds what it says of plain Python."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import ccc
from ccc import laws
from ccc.errors import CannotStage, MissingMeaning
from ccc.primitives.elementary_numpy import arctan2

BACKENDS = ("numpy", "native")
Program = Callable[[float], float]


def newton(x: float) -> float:
    y = x
    for _ in range(4):
        y = 0.5 * (y + x / y) if y > 0.1 else y + 1.0
    return y


def wave(x: float) -> float:
    y = 0.0
    for i in range(5):
        y = y + math.sin((i + 1) * x) / (i + 1) if i != 2 else y - math.cos(x)
    return y


def growth(x: float) -> float:
    y = x
    while y < 5.0:
        y = y * 1.5 + 0.1 * math.exp(-x)
    return y


def logistic_map(x: float) -> float:
    for _ in range(6):
        x = 3.2 * x * (1.0 - x) if x < 0.9 else 0.5 * x
    return x


def pendulum(x: float) -> float:
    angle, speed = x, 0.0
    for _ in range(6):
        speed = speed - 0.1 * math.sin(angle)
        angle = angle + 0.1 * speed if angle > -1.0 else -1.0
    return angle


def horner(x: float) -> float:
    total = 0.0
    for c in (1.0, -2.0, 0.5, 3.0):
        total = total * x + c if c > 0.0 else total * x - c * x
    return total


def softened(x: float) -> float:
    y = x
    for _ in range(3):
        y = math.log(1.0 + math.exp(y)) if y < 3.0 else y
    return math.tanh(y)


def fraction(x: float) -> float:
    y = 1.0
    for i in range(5):
        y = 1.0 + x / y if i % 2 == 0 else 2.0 + x / y
    return y


def barrier(x: float) -> float:
    total = 0.0
    for i in range(4):
        d = abs(x - 0.7 * i)
        total += math.sqrt(d + 0.2) if d < 1.0 else 1.1
    return total


def recursive(x: float) -> float:
    def power(n: int, y: float) -> float:
        return y if n < 1 else power(n - 1, y * x + 0.25)

    return power(4, 1.0) if x < 2.0 else math.atan(x)


PROGRAMS: dict[Program, tuple[float, ...]] = {
    newton: (0.5, 1.3, 2.0), wave: (0.3, 1.0, 2.0), growth: (0.3, 1.1, 1.7), logistic_map: (0.2, 0.4, 0.6),
    pendulum: (0.4, 1.0, 2.0), horner: (-0.5, 0.5, 1.5), softened: (-1.0, 0.5, 2.0), fraction: (0.5, 1.0, 3.0),
    barrier: (0.2, 0.9, 1.6), recursive: (0.3, 0.8, 1.4),
}
WIDTH = 2.0**-8
every_program = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)


def exactly(f: Program) -> Callable[[Any], Any]:
    """The program on numbers of sixty digits."""
    return types.FunctionType(f.__code__, {**f.__globals__, "math": mpmath}, f.__name__, None, f.__closure__)


# -- intervals -----------------------------------------------------------------------------------------------------


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_intervals_hold_what_exact_numbers_give(f: Program, backend: str) -> None:
    bounds, reference = ccc.interpret(f, ccc.Intervals(), backend=backend), exactly(f)
    with mpmath.workdps(60):
        for x in PROGRAMS[f]:
            low, high = bounds((x, x))
            assert low <= reference(mpmath.mpf(x)) <= high and high - low < 1e-12 * (1.0 + abs(high))
            low, high = bounds((x, x + WIDTH))
            found = [reference(mpmath.mpf(x) + mpmath.mpf(WIDTH) * i / 7) for i in range(8)]
            assert low <= min(found) and max(found) <= high


@every_program
def test_intervals_of_gradients_hold_the_slopes(f: Program) -> None:
    slope = ccc.derivative(f)
    bounds = ccc.interpret(slope if f is growth else ccc.gradient(f), ccc.Intervals())  # a tape has a known length
    for x, width in product(PROGRAMS[f], (WIDTH, 0.5)):
        low, high = bounds((x, x + width))
        found = [slope(x + width * i / 7) for i in range(8)]
        assert low <= min(found) + 1e-12 * abs(min(found)) and max(found) - 1e-12 * abs(max(found)) <= high


def times_as_wide(f: Program, points: tuple[float, ...], bounds: Callable[[Any], Any], width: float) -> str:
    """How many times as wide the bounds are as the range of the values, at most over the points of a program."""
    found: list[float] = []
    for x in points:
        low, high = bounds((x, x + width))
        values = [f(x + width * i / 256) for i in range(257)]
        found.append((high - low) / (max(values) - min(values)))
    return f"{max(found):.2g}" if max(found) < 100.0 else f"{max(found):.0g}"


def widths() -> list[str]:
    """The rows of the table in docs/categories.md."""
    rows: list[str] = []
    for f in PROGRAMS:
        slope = ccc.derivative(f)
        bounds = [ccc.interpret(g, ccc.Intervals()) for g in (f, slope if f is growth else ccc.gradient(f))]
        pairs = product(zip((f, slope), bounds, strict=True), (WIDTH, 0.125))
        cells = [times_as_wide(g, PROGRAMS[f], k, width) for (g, k), width in pairs]
        rows.append(f"| `{f.__name__}` | {' | '.join(cells)} |")
    return rows


def test_bounds_are_as_wide_as_the_documents_say() -> None:
    page = (Path(__file__).parents[1] / "docs" / "categories.md").read_text("utf-8")
    found = widths()
    assert all(row in page for row in found), "\n".join(found)


def test_what_intervals_do_not_decide_holds_both() -> None:
    low, high = ccc.interpret(lambda x: 1.0 if x > 0.5 else -1.0, ccc.Intervals())((0.0, 1.0))
    assert (low, high) == (-1.0, 1.0)
    assert ccc.interpret(lambda x: 1.0 / x, ccc.Intervals())((-1.0, 1.0)) == (-math.inf, math.inf)
    assert ccc.interpret(growth, ccc.Intervals())((0.0, 3.0)) == (-math.inf, math.inf)

    def chosen(x: float) -> float:
        positive = x > 0.0
        return math.cos(x) if not positive else x

    low, high = ccc.interpret(chosen, ccc.Intervals())((-1.0, 2.0))
    assert low <= 0.0 and high >= 2.0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [
    lambda a: np.sum(a * a), lambda a: np.mean(a), lambda a: np.sum(a, axis=0), lambda a: np.cumsum(a[0]),
    lambda a: np.log(np.sum(np.exp(a))), lambda a: a[1:] - np.mean(a[:1]), ccc.gradient(lambda a: np.sum(a * a[0])),
])
def test_intervals_of_arrays_hold_what_exact_numbers_give(f: Any, backend: str) -> None:
    r = np.random.default_rng(0)
    for spread in (0.0, 1e-9, 1.0):
        low = r.normal(size=(3, 4)) * 10.0 ** r.integers(-8, 8, size=(3, 4))
        high = low + spread * r.uniform(size=(3, 4))
        with np.errstate(all="ignore"):
            bounds = ccc.interpret(f, ccc.Intervals(), backend=backend)((low, high))
            for at in (low, high, (low + high) / 2.0):
                exact = np.asarray(f(np.clip(at, low, high).astype(np.longdouble)), np.longdouble) if isinstance(
                    f, type(newton)) else f(np.clip(at, low, high))
                assert np.all(~np.isfinite(exact) | ((bounds[0] <= exact) & (exact <= bounds[1])))


PIECES: list[tuple[Any, int]] = [
    (lambda x: math.tan(x), 1), (lambda x: np.tan(x), 1), (lambda x: np.reciprocal(x), 1),
    (lambda y, x: math.atan2(y, x), 2), (lambda y, x: np.arctan2(y, x), 2), (lambda x, y: math.hypot(x, y, 0.5 * x), 2),
    (lambda x, y: np.hypot(x, y), 2), (lambda x, y: x % y, 2), (lambda x: x % 1.5, 1), (lambda x, y: np.mod(x, y), 2),
    (lambda x, y: math.fmod(x, y), 2), (lambda x, y: np.fmod(x, y), 2), (lambda x, y: max(x, y, 0.25), 2),
    (lambda x, y: np.minimum(np.maximum(x, y), 1.0), 2), (lambda x, y: x // y, 2),
    (lambda x: np.floor(x) + np.rint(x), 1),
    (lambda x, y: np.clip(x, -0.5, y), 2), (ccc.derivative(lambda x: max(x, 1.0 - x, 2.25)), 1),
    (ccc.derivative(lambda x: np.clip(x * x, 0.5, 2.0)), 1), (ccc.derivative(lambda x: math.hypot(x, 2.0)), 1),
    (ccc.derivative(lambda x: np.sign(x) * np.minimum(x, 2.0 * x)), 1),
]
OF_ARRAYS: list[Any] = [
    lambda a: np.diff(a), lambda a: np.diff(a, 2, axis=0), lambda a: np.where(a > 0.5, a * a, -a), lambda a: np.max(a),
    lambda a: np.where((a > 0.0) & (a < 1.0), a, 2.0), lambda a: np.sort(a, axis=0), lambda a: np.mod(a, 0.75),
    lambda a: np.where(np.logical_not(a[0] == a[1]), a[2], 0.5 * a[2]), lambda a: (a > 0.5) * a,
    ccc.gradient(lambda a: np.sum(np.diff(a) ** 2)), lambda a: np.min(np.hypot(a, 1.0), axis=1),
    lambda a: a @ a.T, lambda a: np.einsum("ij,kj,ij->k", a, a, a), ccc.gradient(lambda a: np.sum(a @ a.T)),
    lambda a: np.convolve(a[0], np.outer(a[1], a[2])[0]), ccc.gradient(lambda a: np.dot(a[0], np.maximum(a[1], a[2]))),
]


def holding(bounds: Any, y: Any) -> bool:
    """Whether numbers lie between bounds, which are close where the arguments are points."""
    return bool(np.all((bounds[0] <= y) & (y <= bounds[1])))


@pytest.mark.parametrize(("f", "count"), PIECES)
def test_intervals_of_functions_in_pieces_hold_their_values(f: Any, count: int) -> None:
    r, bounds = np.random.default_rng(1), ccc.interpret(f, ccc.Intervals(), backend="numpy")
    for width in (0.0, 0.125, 2.0):
        for _ in range(24):
            low = r.uniform(-4.0, 4.0, size=count)
            ends = [(float(a), float(a + width)) for a in low]
            found = bounds(*ends)
            for share in r.uniform(size=(8, count)):
                assert holding(found, f(*[float(a + width * t) for a, t in zip(low, share, strict=True)]))
            assert width > 0.0 or found[1] - found[0] < 1e-9 * (1.0 + abs(found[0])), (ends, found)


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", OF_ARRAYS)
def test_intervals_of_arrays_in_pieces_hold_their_values(f: Any, backend: str) -> None:
    r, bounds = np.random.default_rng(2), ccc.interpret(f, ccc.Intervals(), backend=backend)
    for width in (0.0, 0.25):
        low = r.uniform(-2.0, 2.0, size=(3, 4))
        found = bounds((low, low + width))
        assert all(holding(found, f(low + width * r.uniform(size=(3, 4)))) for _ in range(16))
        assert width > 0.0 or np.all(found[1] - found[0] < 1e-12)


def test_intervals_of_pieces_are_as_narrow_as_the_pieces() -> None:
    k = ccc.Intervals()
    assert ccc.interpret(lambda x: math.tan(x), k)((1.5, 1.6)) == (-math.inf, math.inf)
    assert ccc.interpret(lambda y, x: math.atan2(y, x), k)((1.0, 2.0), (-1.0, 1.0)) == pytest.approx(
        (math.pi / 4, 3 * math.pi / 4))
    assert ccc.interpret(lambda y, x: math.atan2(y, x), k)((-1.0, 1.0), (-2.0, -1.0)) == pytest.approx(
        (-math.pi, math.pi))
    assert ccc.interpret(lambda x, y: math.hypot(x, y), k)((-1.0, 2.0), (3.0, 4.0)) == pytest.approx((3.0, 20.0**0.5))
    assert ccc.interpret(lambda x: x % 2.0, k)((2.25, 3.5)) == pytest.approx((0.25, 1.5))
    assert ccc.interpret(lambda x: x % 2.0, k)((1.25, 3.5)) == pytest.approx((0.0, 2.0))
    assert ccc.interpret(lambda x: max(x, 2.0), k)((1.0, 3.0)) == (2.0, 3.0)
    assert ccc.interpret(ccc.derivative(lambda x: max(3.0 * x, 2.0)), k)((1.0, 3.0)) == pytest.approx((3.0, 3.0))
    assert float(np.arctan2(np.float32(0.0), np.float32(-1.0))) <= arctan2.bounds[1] < 3.1415930
    found = ccc.interpret(lambda a: np.where(a > 1.5, a + 1.0, -a), k)((np.array([0.0, 1.0]), np.array([1.0, 2.0])))
    assert np.allclose(found, [[-1.0, -2.0], [0.0, 3.0]])


@pytest.mark.parametrize(("f", "kind", "what"), [
    (lambda x: 1.0 * math.floor(x), CannotStage, "`math.floor` makes an integer of what is known by bounds only"),
    (lambda x: x * round(x), CannotStage, "`round` makes an integer of what is known by bounds only"),
    (lambda x: np.linalg.cholesky(x * np.eye(2))[0, 0], MissingMeaning, "does not say what `np.linalg.cholesky` means"),
    (lambda x: 1 if x > 1.0 else 2, CannotStage, "which of two whole numbers"),
    (lambda x: sorted([x, 1.0])[0], CannotStage, r"(?s)`order` makes a list.*np.sort\(np.array\(xs\)\)"),
    (ccc.gradient(growth), CannotStage, "a `while` whose test is not decided may have more outputs"),
])
def test_what_intervals_cannot_say_is_refused(f: Any, kind: type[Exception], what: str) -> None:
    with pytest.raises(kind, match=what):
        ccc.interpret(f, ccc.Intervals())((0.5, 1.5))


def left_early(x: float) -> float:
    y = x
    for i in range(6):
        if i == 1:
            continue
        if y > 4.0:
            return -y
        if y * x > 1.5:
            break
        y = y * 1.5
    return y


def flagged(x: float) -> float:
    done = False
    for _ in range(4):
        if x > 2.0:
            done = True
        if not done:
            x = x * 1.5
    return x


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [left_early, flagged], ids=lambda f: f.__name__)
def test_intervals_of_loops_that_are_left_hold_all_values(f: Program, backend: str) -> None:
    bounds = ccc.interpret(f, ccc.Intervals(), backend=backend)
    slopes = ccc.interpret(ccc.derivative(f), ccc.Intervals(), backend=backend)
    for x in (0.3, 0.5, 0.9, 1.3, 5.0):
        assert bounds((x, x)) == pytest.approx((f(x), f(x)), rel=1e-13)
        assert slopes((x, x)) == pytest.approx((ccc.derivative(f)(x),) * 2, rel=1e-13)
        low, high = bounds((x, 1.2 * x))
        assert all(low <= f(x + 0.2 * x * i / 9) <= high for i in range(10))


def counted(x: float) -> tuple[float, int]:
    n = 0
    while x < 1.0:
        x, n = 1.5 * x, n + 1
    return x, n


@pytest.mark.parametrize(("f", "what"), [
    (lambda x: x > 0.5, "a result is not decided"), (counted, "a result is not decided"),
    (lambda x: counted(x)[1] * x, "a whole number depends on a `while` whose test is not decided"),
])
def test_what_is_not_decided_is_no_result(f: Any, what: str) -> None:
    with pytest.raises(CannotStage, match=what):
        ccc.interpret(f, ccc.Intervals())((0.25, 0.75))


# -- Taylor series -------------------------------------------------------------------------------------------------


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_taylor_series_hold_the_derivatives(f: Program, backend: str) -> None:
    series, reference = ccc.interpret(f, ccc.Taylor(5), backend=backend), exactly(f)
    with mpmath.workdps(60):
        for x in PROGRAMS[f]:
            found = series((x, 1.0, 0.0, 0.0, 0.0, 0.0))
            assert found == pytest.approx([float(c) for c in mpmath.taylor(reference, x, 5)], rel=1e-9, abs=1e-11)


def test_taylor_series_of_gradients_and_of_arrays() -> None:
    found = ccc.interpret(ccc.gradient(wave), ccc.Taylor(3), backend="native")((0.3, 1.0, 0.0, 0.0))
    whole = ccc.interpret(wave, ccc.Taylor(4))((0.3, 1.0, 0.0, 0.0, 0.0))
    assert found == pytest.approx([(k + 1) * whole[k + 1] for k in range(4)], rel=1e-11)
    a, d = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([[1.0, 0.0], [2.0, -1.0]])
    y = ccc.interpret(lambda a: np.sum(np.exp(a @ a)), ccc.Taylor(2))((a, d, np.zeros((2, 2))))
    directed = ccc.derivative(lambda t: np.sum(np.exp((a + t * d) @ (a + t * d))))
    assert y[1:] == pytest.approx([directed(0.0), ccc.derivative(lambda t: directed(t))(0.0) / 2.0], rel=1e-12)


# -- uncertainty ---------------------------------------------------------------------------------------------------


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@every_program
def test_uncertainty_is_that_of_the_slopes(f: Program, backend: str) -> None:
    def both(x: float, y: float) -> float:
        return f(x) * y + f(x)

    k, covariance = ccc.Uncertainty(2), np.array([[0.04, 0.01], [0.01, 0.09]])
    for x in PROGRAMS[f]:
        slopes = np.array(ccc.gradient(both)(x, 0.5))
        found = ccc.interpret(both, k, backend=backend)((x, 1.0, 0.0), (0.5, 0.0, 1.0))
        assert found == pytest.approx([both(x, 0.5), *slopes], rel=1e-12)
        assert k.deviation(found, covariance.tolist()) == pytest.approx(math.sqrt(slopes @ covariance @ slopes))


# -- dependence ----------------------------------------------------------------------------------------------------


def stencil(x: np.ndarray) -> np.ndarray:
    y = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] * x[i + 1] - math.sin(x[i]) if x[i] > 0.0 else x[i]
    return y


def energy(x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x) - 1):
        total += x[i] * x[i + 1] if x[i] < 2.0 else x[i] ** 2
    return total


WEIGHTS = np.array([[1.0, 0.0, 2.0, 3.0], [0.0, 1.0, 0.0, 0.0]])
VECTOR = np.array([1.0, 2.0, -3.0, 4.0])


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "tight"), [
    (stencil, True), (lambda x: np.cumsum(x * x), True), (lambda x: WEIGHTS @ x, False), (lambda x: np.sort(x), False),
    (lambda x: np.mean(x[1:]) * x[:2], True), (lambda x: np.where(x > 0.0, x, x[::-1]), False),
    (lambda x: np.exp(x) / np.sum(np.exp(x)), True), (ccc.gradient(energy), True),
    (lambda x: np.diff(x), True), (lambda x: np.cross(x[:3], np.array([1.0, 2.0, 3.0])), True),
    (lambda x: np.fft.fft(x).real, False), (lambda x: np.concatenate([x[1:], np.array([1, 2])]), True),
    (ccc.gradient(lambda x: np.sum(x[1:] * x[:-1])), True), (lambda x: np.outer(x[:2], x[2:]).ravel(), True),
])
def test_marks_are_a_superset_of_the_jacobian(f: Any, tight: bool, backend: str) -> None:
    _, *marks = ccc.interpret(f, ccc.Dependence(4), backend=backend)((VECTOR, *np.eye(4)))
    found, jacobian = np.array(marks).T, ccc.jacobian(lambda x: f(x))(VECTOR)
    assert set(np.unique(found)) <= {0.0, 1.0} and np.all(found[jacobian != 0.0] == 1.0)
    assert not tight or np.array_equal(found != 0.0, jacobian != 0.0)


# -- laws ----------------------------------------------------------------------------------------------------------


@pytest.mark.share(4)
@pytest.mark.parametrize("k", [ccc.Taylor(2), ccc.Uncertainty(2), ccc.Dependence(2)], ids=lambda k: type(k).__name__)
def test_the_laws_of_categories_in_layers_hold(k: Any) -> None:
    report = laws.check(k, examples=5)
    outcomes = {verdict.check: verdict.outcome for verdict in report.verdicts}
    assert report.ok and {outcomes[name] for name in ("sound", "curry-beta", "cond-nested", "fix-unroll")} == {"tested"}


def test_intervals_are_sound_and_cartesian_closed() -> None:
    sections = ["soundness", "category", "terminal", "products", "functions"]
    report = laws.check(ccc.Intervals(), examples=20, only=sections)
    assert report.ok, str(report)
