"""Several runs of a loop at once: loops within it, memory of its own, sums into arrays, and what stays in order."""

import math

import numpy as np
import pytest
from native_checks import at_sizes

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

COUNTS = [0, 1, 2, 7, 8, 9, 16, 23, 40]


def polynomial(xs, cs):
    total = 0.0
    for x in xs:
        power, value = 1.0, 0.0
        for c in cs:
            value += c * power
            power *= x
        total += value * value
    return total


def nearest(points, centres):
    total = 0.0
    for p in points:
        total += np.min(np.sum((centres - p) ** 2, axis=1))
    return total


def recurrence(xs, cs):
    """Not to be taken apart: each run reads what the one before left."""
    s, t = 0.0, 1.0
    for x in xs:
        for c in cs:
            t = math.sin(t + c * x)
        s += t
    return s


def branching(xs, cs):
    """The test differs between runs."""
    s = 0.0
    for x in xs:
        if x > 0.0:
            for c in cs:
                s += c * x
        else:
            s -= x
    return s


def temporary(xs, cs):
    s = 0.0
    for x in xs:
        y = np.exp(-x * cs)
        z = y / (1.0 + np.sum(y))
        s += z @ cs
    return s


def shared(xs, cs):
    """An array that is the same in all runs, made in each."""
    s = 0.0
    for x in xs:
        w = np.zeros(3)
        for k in range(3):
            w[k] = k + cs[k]
        for k in range(3):
            s += w[k] * x
    return s


def filled(xs, cs):
    """A place that differs between runs is written."""
    s = 0.0
    for i in range(len(xs)):
        w = np.zeros(4)
        w[i % 3] = xs[i]
        w[1] += cs[0]
        for k in range(4):
            s += w[k] * w[k] * cs[k % 3]
    return s


def counted(xs, cs):
    n = 0
    for i in range(len(xs)):
        for j in range(len(cs)):
            n += i * j
    return n * cs[0]


def picked(xs, cs):
    """Sums into places that may be the same in two runs."""
    h = np.zeros(3)
    for i in range(len(xs)):
        h[(i * i) % 3] += xs[i]
    return h @ cs[:3]


def triangle(xs, cs):
    """The inner loop is longer in some runs than in others."""
    s = 0.0
    for i in range(len(xs)):
        for j in range(i):
            s += xs[i] * xs[j]
    return s


PROGRAMS = [polynomial, recurrence, branching, temporary, shared, filled, counted, picked, triangle]


@pytest.mark.share(2)
@at_sizes(COUNTS, first=23)
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_gradients_are_those_of_numpy(f, n):
    rng = np.random.default_rng(n)
    xs, cs = rng.normal(size=n), rng.normal(size=5)
    native = Transform(f, backend="native")
    np.testing.assert_allclose(native(xs, cs), f(xs, cs), rtol=1e-12, atol=1e-12)
    slopes = ccc.gradient(f, backend="native")
    for found, expected in zip(slopes(xs, cs), ccc.gradient(f, backend="numpy")(xs, cs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    for codes in (*native.codes.values(), *slopes.codes.values()):
        assert codes and not any(code.left_to for code in codes)


@pytest.mark.share(2)
@at_sizes([1, 8, 21], first=21)
@pytest.mark.parametrize("shape", [(1, 3), (2, 1), (5, 4), (3, 8), (12, 9), (4, 16), (5, 23), (300, 20)])
def test_rows_have_a_copy_for_each_lane(n, shape):
    rng = np.random.default_rng(n)
    points, centres = rng.normal(size=(n, shape[1])), rng.normal(size=shape)
    np.testing.assert_allclose(
        Transform(nearest, backend="native")(points, centres), nearest(points, centres), rtol=1e-12
    )
    found = ccc.gradient(nearest, backend="native")(points, centres)
    expected = ccc.gradient(nearest, backend="numpy")(points, centres)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def test_an_error_in_one_of_several_runs_is_raised():
    def f(xs, cs, at):
        s = 0.0
        for i in range(len(xs)):
            s += xs[i] * cs[at[i]]
        return s

    xs, cs, at = np.ones(20), np.ones(3), np.arange(20) % 3
    assert Transform(f, backend="native")(xs, cs, at) == 20.0
    at[17] = 5
    with pytest.raises(IndexError):
        Transform(f, backend="native")(xs, cs, at)


def test_loops_along_the_same_are_one_and_compute_once_what_both_do():
    def f(points, centres):
        slopes, along = ccc.value_with_differential(ccc.gradient(nearest, wrt="centres"), wrt="centres")(
            points, centres
        )
        first, last = np.zeros(2), 1.0
        for p in points:
            first[0] += p[0]
        for p in points:
            last = last * 0.5 + p[1]
        for p in points:
            first[1] += p[0] * last
        return slopes, along(np.ones(np.shape(centres))), first, last

    rng = np.random.default_rng(1)
    points, centres = rng.normal(size=(37, 3)), rng.normal(size=(5, 3))
    native = Transform(f, backend="native")
    for a, b in zip(native(points, centres), Transform(f, backend="numpy")(points, centres), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    assert [code.left_to for codes in native.codes.values() for code in codes] == [""]


# -- sums for each lane ------------------------------------------------------------------------------------------------


def weighted(xs, cs):
    """The gradient in `cs` is added to in an inner loop, by all lanes."""
    total = 0.0
    for x in xs:
        value, power = 0.0, 1.0
        for c in cs:
            value += c * power
            power *= x
        total += math.sin(value) if x > 0.25 else value * value
    return total


def weighted_rows(xs, cs):
    """So is a table, at two indices, and a row of it alone."""
    total, n = 0.0, len(cs)
    table = np.outer(cs, cs)
    for x in xs:
        value = 0.0
        for i in range(n):
            for j in range(n):
                value += table[i, j] * x
            value = math.tanh(value) * table[n - 1, i]
        total += value
    return total


@pytest.mark.share(2)
@pytest.mark.parametrize("count", [3, 64, 71, 1300])
@pytest.mark.parametrize(
    ("f", "items"), [(weighted, 1), (weighted, 8), (weighted, 300), (weighted_rows, 1), (weighted_rows, 4)])
def test_lanes_have_sums_of_their_own(f, items, count):
    r = np.random.default_rng(count)
    xs, cs = r.uniform(-0.9, 0.9, size=count), r.normal(size=items)
    native, numpy = [ccc.gradient(f, wrt="cs", backend=backend) for backend in ("native", "numpy")]
    np.testing.assert_allclose(native(xs, cs), numpy(xs, cs), rtol=1e-10, atol=1e-11)
    assert [code.left_to for codes in native.codes.values() for code in codes] == [""]


def test_sums_for_each_lane_are_in_the_code(monkeypatch):
    texts, lowered = [], target.lowered

    def noted(*args):
        texts.append(lowered(*args).text)
        return lowered(*args)

    monkeypatch.setattr(target, "lowered", noted)
    ccc.gradient(weighted, wrt="cs", backend="native")(np.ones(40), np.ones(40))
    assert "across" in texts[-1] or not target.engine.cpu().lanes
