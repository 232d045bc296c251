"""Slices that leave out a few items at the ends: sizes that are the same are known to be, and little is kept."""

import numpy as np
import pytest
from native_checks import at_sizes, gradients_agree, seen

import ccc
from ccc.compile.native import target
from ccc.compile.program.lam import Loop

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


@at_sizes([0, 1, 2, 3, 4, 5, 9], first=5)
def test_slices_of_short_arrays(n):
    def f(x):
        total = np.sum(x[1:]) + np.sum(x[:-1] ** 2) + np.sum(x[2:] ** 3) + np.sum(x[1:-1] * x[2:] * x[:-2])
        total += np.sum(x[3:-2] * x[2:-3]) + np.sum(np.sin(x[0:-4]))
        return total + np.sum(x[:0]) + np.sum(x[-2:]) * np.sum(x[:3])

    gradients_agree(f, np.random.default_rng(n).normal(size=n))


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 5), (3, 2), (4, 4)])
def test_slices_of_short_matrices(shape):
    def f(x):
        inner = x[1:-1, 1:-1]
        return np.sum(inner * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])) + np.sum(x[:, 1:] * x[:, :-1])

    gradients_agree(f, np.random.default_rng(shape).normal(size=shape))


def diffused(u, k, steps):
    for _ in range(steps):
        u = u.copy()
        u[1:-1] += k[1:-1] * (u[:-2] - 2 * u[1:-1] + u[2:]) * u[1:-1]
    return np.sum(u * u)


@at_sizes([2, 3, 10, 41], first=10)
def test_steps_by_slices(n):
    rng = np.random.default_rng(n)
    gradients_agree(lambda u, k: diffused(u, k, 3), 0.1 * rng.normal(size=n), rng.random(n))


def test_one_array_is_kept_of_each_step(monkeypatch):
    """The others are computed from it again."""
    def kept(lets):
        return sum([len(let.targets) - let.op.carries for let in lets if isinstance(let.op, Loop)])

    assert seen(kept, diffused, monkeypatch, np.ones(9), np.ones(9), 3) == 1


def test_slices_of_other_sizes_are_added_as_in_numpy():
    """Sizes that only seem to be the same are compared."""
    f = ccc.gradient(lambda x, y: np.sum(x[1:-1] * y[1:-1]), wrt=(0, 1), backend="native")
    found = f(np.arange(5.0), np.array([1.0, 2.0, 3.0]))  # one item, which is broadcast
    np.testing.assert_array_equal(found[0], [0.0, 2.0, 2.0, 2.0, 0.0])
    np.testing.assert_array_equal(found[1], [0.0, 6.0, 0.0])
    with pytest.raises(ValueError, match="broadcast"):
        f(np.arange(5.0), np.arange(4.0))
