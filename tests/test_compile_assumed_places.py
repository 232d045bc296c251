"""Arrays are assumed to have the items that are read or written at a place, where they do in a first call."""

from __future__ import annotations

import numpy as np
import pytest
from checks import agrees
from test_compile_redundancy import code_of

import ccc

R = np.random.default_rng(7)
BACKENDS = ("numpy", "native")


def waves(e, h, source, steps):
    """A stencil of two fields, each of which a loop changes, with a border that it writes to."""
    e, h = e.copy(), h.copy()
    for t in range(steps):
        e[0, :] = source[t]
        e[-1, :] = 0.0
        e[1:-1, :] -= 0.5 * (h[1:-1, :] - h[:-2, :])
        h[:-1, :-1] -= 0.7 * (e[1:, :-1] - e[:-1, 1:])
    return np.sum(h) + np.sum(e)


def sweeps(n, u, steps):
    """Loops one behind the other in a loop: each begins with what the one before leaves."""
    p, q = np.empty(u.shape), np.empty(u.shape)
    u = u.copy()
    for _ in range(steps):
        p[1 : n - 1, 0] = 0.0
        q[1 : n - 1, 0] = u[1 : n - 1, 0]
        for j in range(1, n - 1):
            p[1 : n - 1, j] = 0.5 / (2.0 - 0.5 * p[1 : n - 1, j - 1])
            q[1 : n - 1, j] = (u[1 : n - 1, j] + u[0 : n - 2, j] - 0.5 * q[1 : n - 1, j - 1]) / (
                2.0 - 0.5 * p[1 : n - 1, j - 1])
        for j in range(n - 2, 0, -1):
            u[1 : n - 1, j] = p[1 : n - 1, j] * u[1 : n - 1, j + 1] + q[1 : n - 1, j]
    return np.sum(u)


def first_and_last(x, y):
    z = x * 2.0
    z[0] = 1.0
    z[-2] = 3.0
    return np.sum(y * x[1])


def test_a_loop_that_only_derivatives_of_others_ran_goes_and_nothing_is_put_back():
    args = R.random((6, 7)), R.random((6, 7)), R.random(3), 3
    code = code_of(ccc.gradient(waves, wrt=("e", "h", "source")), *args)
    assert code.count("for ") == 1
    assert "append" not in code and "unbroadcast" not in code
    assert code.count("= 0.0") == 2  # of what was written over
    agrees(waves, *args)


def test_the_sizes_of_what_loops_change_one_after_the_other_are_known():
    args = 5, R.random((5, 5)), 2
    assert "unbroadcast" not in code_of(ccc.gradient(sweeps, wrt="u"), *args)
    agrees(sweeps, *args)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_assumed_of_places_is_looked_at(backend):
    gradient = ccc.gradient(first_and_last, wrt=("x", "y"), backend=backend)
    x, y = R.random(4), R.random(3)
    for _ in range(3):
        by_x, by_y = gradient(x, y)
        np.testing.assert_allclose(by_x, [0.0, np.sum(y), 0.0, 0.0], rtol=1e-15)
        np.testing.assert_array_equal(by_y, np.full(3, x[1]))
    np.testing.assert_allclose(gradient(x[:2], y)[0], [0.0, np.sum(y)], rtol=1e-15)
    for short in (x[:0], x[:1]):
        with pytest.raises(IndexError) as expected:
            first_and_last(short, y)
        with pytest.raises(IndexError) as raised:
            gradient(short, y)
        assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_loop_that_went_raises_where_it_would_have(backend):
    gradient = ccc.gradient(waves, wrt=("e", "h"), backend=backend)
    e, h, source = R.random((6, 7)), R.random((6, 7)), R.random(3)
    for _ in range(3):
        gradient(e, h, source, 3)
    with pytest.raises(IndexError):
        gradient(e, h, source, 4)
    with pytest.raises(IndexError):
        gradient(e[:0], h[:0], source, 3)
    with pytest.raises(ValueError):
        gradient(e[:5], h, source, 3)
    for by, x in zip(gradient(e[:0], h[:0], source, 0), (e, h), strict=True):
        np.testing.assert_array_equal(by, np.zeros_like(x[:0]))
