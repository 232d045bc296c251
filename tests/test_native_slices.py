"""Slices that leave out a few items at the ends: sizes that are the same are known to be, and little is kept."""

import numpy as np
import pytest

import ccc
from compile.backends.native import lowering, target
from compile.lam import Loop

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def agree(f, *args):
    wrt = tuple(range(len(args)))
    native, numpy = [ccc.value_with_gradient(f, wrt=wrt, backend=backend) for backend in ("native", "numpy")]
    value, cotangents = numpy(*args)
    for _ in range(3):  # the code for these sizes, and that for any
        found, parts = native(*args)
        np.testing.assert_allclose(found, value, rtol=1e-12)
        for part, want in zip(parts, cotangents, strict=True):
            np.testing.assert_allclose(part, want, rtol=1e-12, atol=1e-13)
    assert not any(code.left_to for codes in native.codes.values() for code in codes)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 9])
def test_slices_of_short_arrays(n):
    def f(x):
        total = np.sum(x[1:]) + np.sum(x[:-1] ** 2) + np.sum(x[2:] ** 3) + np.sum(x[1:-1] * x[2:] * x[:-2])
        total += np.sum(x[3:-2] * x[2:-3]) + np.sum(np.sin(x[0:-4]))
        return total + np.sum(x[:0]) + np.sum(x[-2:]) * np.sum(x[:3])

    agree(f, np.random.default_rng(n).normal(size=n))


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 5), (3, 2), (4, 4)])
def test_slices_of_short_matrices(shape):
    def f(x):
        inner = x[1:-1, 1:-1]
        return np.sum(inner * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])) + np.sum(x[:, 1:] * x[:, :-1])

    agree(f, np.random.default_rng(shape).normal(size=shape))


def diffused(u, k, steps):
    for _ in range(steps):
        u = u.copy()
        u[1:-1] += k[1:-1] * (u[:-2] - 2 * u[1:-1] + u[2:]) * u[1:-1]
    return np.sum(u * u)


@pytest.mark.parametrize("n", [2, 3, 10, 41])
def test_steps_by_slices(n):
    rng = np.random.default_rng(n)
    agree(lambda u, k: diffused(u, k, 3), 0.1 * rng.normal(size=n), rng.random(n))


def test_one_array_is_kept_of_each_step(monkeypatch):
    """The others are computed from it again."""
    kept = []
    made = lowering.Module.__init__

    def noted(self, program, sizes):
        made(self, program, sizes)
        loops = [let for let in program.block.lets if isinstance(let.op, Loop)]
        kept.append(sum(len(let.targets) - let.op.carries for let in loops))

    monkeypatch.setattr(lowering.Module, "__init__", noted)
    ccc.gradient(diffused, wrt=(0, 1), backend="native")(np.ones(9), np.ones(9), 3)
    assert kept[-1] == 1


def test_slices_of_other_sizes_are_added_as_in_numpy():
    """Sizes that only seem to be the same are compared."""
    f = ccc.gradient(lambda x, y: np.sum(x[1:-1] * y[1:-1]), wrt=(0, 1), backend="native")
    found = f(np.arange(5.0), np.array([1.0, 2.0, 3.0]))  # one item, which is broadcast
    np.testing.assert_array_equal(found[0], [0.0, 2.0, 2.0, 2.0, 0.0])
    np.testing.assert_array_equal(found[1], [0.0, 6.0, 0.0])
    with pytest.raises(ValueError, match="broadcast"):
        f(np.arange(5.0), np.arange(4.0))
