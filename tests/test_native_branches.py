"""Branches in loops that take several runs at once, and cotangents of extrema, which reach few rows."""

from collections.abc import Callable

import numpy as np
import pytest
from native_checks import at_sizes

import ccc
from ccc.compile.native import fusion, target, vectorize_loop
from ccc.compile.native.code import Begin

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def clipped(x):
    """Both arms, one variable of either, one sum in one arm."""
    total, most = 0.0, 0.0
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.3:
            y = np.exp(x[i])
            total += y
        else:
            y = x[i] * x[i]
        if y > 1.2:
            most += 1.0
        out[i] = y
    return total, most, out


def nested(x):
    """Branches in arms, the same test in all runs and different ones, with loops inside."""
    total = 0.0
    for v in x:
        y = v
        if v > 0.0:
            for k in range(3):
                if k > 1:
                    y = y + v * k
                elif v > 0.5:
                    y = y - 0.25
            total += y
        elif len(x) > 20:
            total += y * y
    return total


def rows(x):
    """Rows of a matrix, changed in one arm only, and a row that belongs to an arm."""
    m = np.reshape(x, (-1, 1)) * np.array([1.0, 2.0, 3.0])
    total = np.zeros(3)
    for row in m:
        if np.sum(row) > 0.0:
            part = row * 2.0
            total += part * part[0]
        else:
            total += row
    return total


def rare(x):
    """An arm that no run takes, in which no sum is touched."""
    total = np.zeros(3)
    for v in x:
        if v > 1e9:
            total[0] += 1.0 / v
        else:
            total[1] += v
    return total


def alike(a, b):
    if isinstance(a, tuple):
        return all(map(alike, a, b))
    return np.allclose(a, b, rtol=1e-13, atol=1e-13)


@at_sizes([0, 1, 5, 8, 9, 16, 23, 64, 100], first=9)
@pytest.mark.parametrize("f", [clipped, nested, rows, rare])
def test_arms_set_what_is_theirs(f, n):
    x = np.random.default_rng(n).normal(size=n)
    g = ccc.compiled(f, backend="native")
    assert alike(g(x), f(x))
    assert g.codes and not any(code.left_to for codes in g.codes.values() for code in codes)
    if f is not clipped:
        slope = [ccc.gradient(lambda x, f=f: np.sum(f(x)), backend=backend)(x) for backend in ("native", "numpy")]
        assert alike(*slope)


def test_branches_are_taken_by_several_runs_at_once(monkeypatch):
    found = []
    whole = vectorize_loop.whole

    def noted(text, *args):
        wide = whole(text, *args)
        found.append(any(isinstance(line, Begin) and line.role == "then" for line in text))
        return wide

    monkeypatch.setattr(vectorize_loop, "whole", noted)
    x = np.random.default_rng(0).normal(size=100)
    assert alike(ccc.compiled(nested, backend="native")(x), nested(x))
    assert any(found) or not target.engine.cpu().lanes


# -- extrema -------------------------------------------------------------------------------------------------------


def nearest(points, centres):
    total = 0.0
    for point in points:
        total += np.min(np.sum((centres - point) ** 2, axis=1))
    return total


def furthest(points, centres):
    total = 0.0
    for point in points:
        total += np.max(np.sum(centres * point, axis=1)) ** 2
    return total


def of_one(points, centres):
    return np.max(np.sum(np.exp(centres) - points[0], axis=1))


def twice(points, centres):
    """The same cotangent is added to one array twice."""
    total = 0.0
    for point in points:
        d = np.min(np.sum((centres - point) ** 2 + centres * point, axis=1))
        total += d * d
    return total


def slopes_of(f):
    def direction(points, centres):
        slopes, differential = ccc.value_with_differential(ccc.gradient(f, wrt="centres"), wrt="centres")(
            points, centres
        )
        return slopes, differential(np.ones(np.shape(centres)))

    return direction


@pytest.mark.share(2)
@pytest.mark.parametrize("k", [1, 3, 10, 40])
@pytest.mark.parametrize("f", [nearest, furthest, of_one, twice])
def test_cotangents_of_extrema_are_shared_by_ties(f, k):
    r = np.random.default_rng(k)
    points, centres = r.integers(-1, 2, (23, 2)) * 1.0, r.integers(-1, 2, (k, 2)) * 1.0  # many are equal
    expected = ccc.gradient(f, backend="numpy")(points, centres)
    assert np.any(expected[0]) and np.any(expected[1])
    for native, numpy in (
        (ccc.gradient(f, backend="native"), ccc.gradient(f, backend="numpy")),
        (ccc.compiled(slopes_of(f), backend="native"), ccc.compiled(slopes_of(f), backend="numpy")),
    ):
        assert alike(native(points, centres), numpy(points, centres))
        assert not any(code.left_to for codes in native.codes.values() for code in codes)


def quarters(points, centres):
    total = 0.0
    for point in points:
        total += np.min(np.sum((centres - point) ** 2, axis=1) / 4.0)
    return total


@pytest.mark.share(2)
@pytest.mark.parametrize("rows", [
    [[1.0, 2.0], [np.inf, 3.0], [0.5, 1.0]], [[1.0, 2.0], [np.inf, np.inf], [-np.inf, 1.0]],
    [[np.inf, 2.0], [np.inf, np.inf], [-np.inf, 1.0]], [[1.0, 2.0], [np.nan, 3.0], [0.5, 1.0]],
    [[0.0, 0.0], [np.inf, 0.7], [1e308, 1e308]], [[1e29, 1.0], [1e200, 2.0], [3.0, 4.0]],
])  # fmt: skip
@pytest.mark.parametrize("f", [nearest, furthest, of_one, twice, quarters])
@pytest.mark.filterwarnings("ignore:invalid value", "ignore:overflow")
def test_rows_that_get_zero_times_infinity_are_those_of_numpy(f, rows):
    centres = np.array(rows)
    for points in (np.array([[0.5, 1.0], [0.0, 0.0]]), np.array([[0.5, np.inf], [0.0, 0.0]])):
        g, expected = ccc.gradient(f, backend="native"), ccc.gradient(f, backend="numpy")
        g(np.ones((2, 2)), np.ones((3, 2)))  # machine code that leaves its first call is not called again
        for found, wanted in zip(g(points, centres), expected(points, centres), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


def replaced(x: float, c: float, n: int) -> float:
    for _ in range(n):
        x = c
    return c + x


def replaced_in_arms(x: float, c: float, n: int) -> float:
    for i in range(n):
        x = c * 2.0 if i > 1 else c
    return c + x


@pytest.mark.parametrize("f", [replaced, replaced_in_arms])
def test_what_a_loop_replaces_is_no_sum(f: Callable[..., float]) -> None:
    for n in (0, 1, 3):
        found, expected = [ccc.value_with_gradient(f, backend=b)(2.0, 0.5, n) for b in ("native", "numpy")]
        assert found == expected


def next_to_a_long_integer(n: int, x: float) -> tuple[float, bool, bool]:
    a = 2**53 + 1
    b = a if n > 0 else x
    return b - 2**53, n == x, max(x, n) == x


def test_long_integers_are_not_rounded_beside_reals():
    found = ccc.compiled(next_to_a_long_integer, backend="native")
    for n, x in ((3, 1.5), (2**53 + 1, 2.0**53), (-2, 1.5)):
        assert found(n, x) == next_to_a_long_integer(n, x)


def corners(x, a, b):
    total = 0.0
    for i in range(len(a)):
        total += x
        if i == 0:
            a[i] = x
            b[i] = x
        elif i == 1:
            a[i] = 2.0 * x
            b[i] = a[i] * x
        elif i == 2:
            a[i] = 3.0 * x
            b[i] = a[i] * x
        elif i == 3:
            a[i] = 4.0 * x
            b[i] = a[i] * x
        elif i == 4:
            a[i] = 5.0 * x
            b[i] = a[i] * x
        elif i == 5:
            a[i] = 6.0 * x
            b[i] = a[i] * x
        elif i == 6:
            a[i] = 7.0 * x
            b[i] = a[i] * x
        else:
            a[i] = x * x
    return total * np.sum(a * b)


def test_arms_are_asked_once_for_what_they_add(monkeypatch):
    """Each branch asked its arms again for each of its results: the work doubled with each test of a chain."""
    asked, inner = [], fusion.added
    monkeypatch.setattr(fusion, "added", lambda *args: asked.append(args) or inner(*args))
    a, b = np.ones(9), np.ones(9)
    differences = (corners(1.5 + 1e-6, a.copy(), b.copy()) - corners(1.5 - 1e-6, a.copy(), b.copy())) / 2e-6
    assert ccc.gradient(corners, wrt="x", backend="native")(1.5, a, b) == pytest.approx(differences, rel=1e-8)
    assert 0 < len(asked) < 1000
