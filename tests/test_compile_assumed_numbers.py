"""Whole numbers among arguments are assumed to be sizes where they are in the first call, and code for other calls."""

import numpy as np
import pytest

import ccc
from ccc.compile.program.assumed import NUMBER, Axis, holds

BACKENDS = ("numpy", "native")


def rows_and_columns(m, data):
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m]
    return cov.sum()


def folded(n, k, a, c):
    a = a.copy()
    a[:] = np.reshape(np.reshape(a, (n, 1, k)) @ c, (n, k))
    return (a * a).sum()


def quotient(f, args, k, move):
    def at(step):
        return f(*[x + step * move if i == k else x for i, x in enumerate(args)])

    return (8.0 * (at(1e-4) - at(-1e-4)) - (at(2e-4) - at(-2e-4))) / 12e-4


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_loop_of_the_program_goes_where_its_sizes_fit(backend):
    data = np.random.default_rng(0).normal(size=(6, 5))
    g = ccc.gradient(rows_and_columns, wrt="data", backend=backend)
    move = np.random.default_rng(1).normal(size=data.shape)
    assert np.sum(g(5, data) * move) == pytest.approx(quotient(rows_and_columns, (5, data), 1, move), rel=1e-7)
    code = ccc.explain(ccc.gradient(rows_and_columns, wrt="data", backend="numpy"), 5, data).code
    assert "cov[" not in code


@pytest.mark.parametrize("backend", BACKENDS)
def test_other_numbers_have_code_of_their_own(backend):
    data = np.random.default_rng(0).normal(size=(6, 5))
    g = ccc.gradient(rows_and_columns, wrt="data", backend=backend)
    g(5, data)
    move = np.random.default_rng(1).normal(size=data.shape)
    assert np.sum(g(3, data) * move) == pytest.approx(quotient(rows_and_columns, (3, data), 1, move), rel=1e-7)
    with pytest.raises((IndexError, ValueError)):
        rows_and_columns(7, data)
    with pytest.raises((IndexError, ValueError)):
        g(7, data)
    with pytest.raises(ValueError):
        g(-1, data)
    np.testing.assert_array_equal(g(0, data), np.zeros_like(data))


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_array_is_folded_by_numbers_that_are_its_sizes(backend):
    rng = np.random.default_rng(2)
    a, c = rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
    g = ccc.gradient(folded, wrt=["a", "c"], backend=backend)
    for n in (4, -1, 4):
        by_a, by_c = g(n, 3, a, c)
        for k, by in ((2, by_a), (3, by_c)):
            move = rng.normal(size=by.shape)
            assert np.sum(by * move) == pytest.approx(quotient(folded, (n, 3, a, c), k, move), rel=1e-7)
    with pytest.raises(ValueError):
        g(5, 3, a, c)
    with pytest.raises(ValueError):
        g(4, 2, a, c)


def test_a_pattern_names_numbers():
    same = (Axis(0, (), NUMBER), Axis(1, (), 0))
    assert holds([same], [3, np.ones(3)]) and not holds([same], [2, np.ones(3)])
    assert str(same[0]) == "x0"
