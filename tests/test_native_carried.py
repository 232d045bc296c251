"""What loops carry in machine code: arrays that a run has to make first, and sizes of one in what they keep."""

import numpy as np
import pytest
from native_checks import gradients_agree, never_left

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

RNG = np.random.default_rng(0)


def last_residual(x, a):
    for _ in range(4):
        residual = a @ x
        x = x - 0.1 * residual
    return np.sum(x * x) + np.sum(residual**2)


def first_seen_in_an_inner_loop(x, a):
    for _ in range(3):
        for k in range(2):
            step = np.tanh(a @ x) * (k + 1.0)
            x = x + 0.1 * step
    return np.sum(step * x)


def made_in_some_runs(x, a):
    for k in range(5):
        if k % 2 == 1:
            kept = a @ x
        x = np.sin(x)
    return np.sum(kept**2) + np.sum(x)


def made_in_a_while(x, a):
    k = 0
    while k < 3:
        move = a @ x
        x = x + 0.1 * move
        k += 1
    return np.sum(move * x)


def handed_on(x, a):
    for k in range(3):
        if k > 0:
            x = x + 0.1 * before  # noqa: F821
        before = a @ x
    return np.sum(before**2)


PROGRAMS = [last_residual, first_seen_in_an_inner_loop, made_in_some_runs, made_in_a_while, handed_on]


@pytest.mark.parametrize("f", PROGRAMS)
def test_an_array_that_a_run_makes_first_is_read_behind_the_loop(f):
    with never_left():
        gradients_agree(f, RNG.normal(size=7), RNG.normal(size=(7, 7)))


def test_a_loop_without_a_run_raises_as_python_does():
    def f(x, n):
        for _ in range(n):
            y = 2.0 * x
        return np.sum(y)

    run = ccc.gradient(f, wrt="x", backend="native")
    run(np.ones(3), 2)
    with pytest.raises(UnboundLocalError):
        run(np.ones(3), 0)


def centres(x, c):
    for _ in range(3):
        new = np.zeros_like(c)
        for k in range(c.shape[0]):
            near = np.exp(-np.abs(x[:, 0] - c[k, 0]))
            inside = near > 0.5
            new[k] = (x * near[:, None] * inside[:, None]).sum(axis=0) / (1.0 + inside.sum())
        c = new
    return np.sum(c**2)


def kept_in_tuples(x, c):
    total = 0.0
    for _ in range(3):
        rows = [(x[:, None] - c[k], np.sin(c[k])) for k in range(2)]
        for a, b in rows:
            total = total + np.sum(np.exp(-(a**2)) * b)
        c = c * 0.5
    return total


def test_sizes_of_one_are_known_in_what_loops_within_loops_keep():
    with never_left():
        gradients_agree(centres, RNG.normal(size=(40, 2)), RNG.normal(size=(3, 2)))
        gradients_agree(kept_in_tuples, RNG.normal(size=5), RNG.normal(size=(2, 4)))
