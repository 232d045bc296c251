"""Loops by a binomial schedule: derivatives of the plain loop, as few steps as theory says, and memory of the slots."""

from __future__ import annotations

import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.api.checkpoint_schedules import split, steps_again
from ccc.compile.diagnostics import TypeMismatch


def grown(x: float, rate: float, n: int) -> Any:
    return ccc.checkpointed_loop(lambda i, x: x + rate * x * (1.0 - x) / (i + 1), x, n, slots=3)


def plain(x: float, rate: float, n: int) -> Any:
    for i in range(n):
        x = x + rate * x * (1.0 - x) / (i + 1)
    return x


def test_the_derivatives_are_those_of_the_plain_loop():
    slopes = {b: ccc.value_with_gradient(grown, wrt=("x", "rate"), backend=b) for b in ("numpy", "native")}
    for n in (0, 1, 2, 7, 40):
        value, cts = ccc.value_with_gradient(plain, wrt=("x", "rate"))(0.1, 0.7, n)
        assert slopes["numpy"](0.1, 0.7, n)[0] == grown(0.1, 0.7, n) == value
        for slope in slopes.values():
            np.testing.assert_allclose(slope(0.1, 0.7, n)[1], cts, rtol=1e-13)
    along = ccc.value_with_differential(grown, wrt=("x", "rate"))(0.1, 0.7, 7)[1]
    assert along(0.3, 2.0) == pytest.approx(np.dot((0.3, 2.0), slopes["numpy"](0.1, 0.7, 7)[1]), rel=1e-13)
    bend = ccc.gradient(ccc.gradient(lambda rate: grown(0.1, rate, 7)))(0.7)
    assert type(bend) is float
    assert bend == pytest.approx(ccc.derivative(ccc.derivative(lambda rate: plain(0.1, rate, 7)))(0.7), rel=1e-12)


def test_structures_and_what_the_body_reads():
    def step(w, i, s):
        return {"x": np.tanh(w @ s["x"]) + 0.1 * i, "e": s["e"] + np.sum(s["x"]), "n": s["n"] + 1}

    def f(s, w, k):
        s = ccc.checkpointed_loop(lambda i, s: step(w, i, s), s, k)
        return s["e"] * s["n"] + np.sum(s["x"] ** 2)

    def g(s, w, k):
        for i in range(k):
            s = step(w, i, s)
        return s["e"] * s["n"] + np.sum(s["x"] ** 2)

    args = {"x": np.array([0.1, 0.2]), "e": 0.0, "n": 0}, np.array([[0.5, 0.1], [0.2, 0.3]]), 17
    found, wanted = [ccc.gradient(h, wrt=("s['x']", "w"))(*args) for h in (f, g)]
    np.testing.assert_array_equal(found[0], wanted[0])
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-13)


@cache
def least(n: int, s: int) -> int:
    """The fewest steps without being reversed, by trying all schedules."""
    if n <= 1 or s == 1:
        return n * (n - 1) // 2
    return min([m + least(n - m, s - 1) + least(m, s) for m in range(1, n)])


def taken(n: int, s: int) -> int:
    found = 0
    while n > 1:
        m = split(n, s)
        found, n = found + m + taken(n - m, s - 1), m
    return found


def test_no_schedule_takes_fewer_steps():
    for s in range(1, 7):
        for n in range(1, 40):
            assert least(n, s) == steps_again(n, s) == taken(n, s)


def test_as_many_steps_are_computed():
    calls: list[float] = []

    def counted(x) -> float:
        calls.append(x)
        return eval("x * x")

    ccc.derivative_of(counted)(lambda x: (x * x, lambda ct: ct * 2.0 * x))
    slope = ccc.value_with_gradient(lambda x, n: ccc.checkpointed_loop(lambda i, x: counted(x), x, n, slots=3), wrt="x")
    for n in (1, 5, 20):
        slope(1.0, n)
        calls.clear()
        assert slope(1.0, n) == (1.0, 2.0**n)
        assert len(calls) == 1 + steps_again(n, 3)  # the last step is taken once, and reversed by its rule


def test_memory_is_that_of_the_slots():
    x = np.linspace(0.0, 1.0, 20_000)

    def peak(f: Any) -> int:
        slope = ccc.gradient(f, backend="numpy")
        slope(x)
        tracemalloc.start()
        slope(x)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found // x.nbytes

    def tape(x):
        for _ in range(64):
            x = np.sin(x) * x
        return np.sum(x)

    assert peak(tape) > 64
    assert peak(lambda x: np.sum(ccc.checkpointed_loop(lambda i, x: np.sin(x) * x, x, 64, slots=4))) < 20


def test_a_state_of_another_type_is_refused():
    with pytest.raises(TypeMismatch, match="a step of the loop makes"):
        ccc.gradient(lambda x: ccc.checkpointed_loop(lambda i, x: (x, x), x, 3))(0.5)


def held(f: Any, *args: Any) -> int:
    """The bytes on the tape of a gradient."""
    return int(str(ccc.explain(f, *args).memory).split(" holds ")[1].split(" bytes")[0].replace(",", ""))


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_as_many_states_are_kept_as_a_limit_of_memory_holds(backend: str):
    x, steps, state = np.linspace(0.0, 1.0, 50), 60, 400

    def loop(limit: int) -> Any:
        def f(x: Any, rate: float) -> Any:
            return np.sum(ccc.checkpointed_loop(lambda i, y: y + rate * np.sin(y), x, steps, memory_limit=limit))

        return f

    def plain(x, rate):
        for _ in range(steps):
            x = x + rate * np.sin(x)
        return np.sum(x)

    wanted = ccc.gradient(plain, wrt=(0, 1))(x, 0.1)
    for limit in (10**6, 10 * state, state):
        for a, b in zip(ccc.gradient(loop(limit), wrt=(0, 1), backend=backend)(x, 0.1), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        numbers = 8 * (min(limit // state, steps) + 2)  # where the states stand, beside the first and the last one
        assert held(loop(limit), x, 0.1) <= min(limit, steps * state) + 4 * state + numbers
    for call in (loop(state - 1), ccc.gradient(loop(state - 1), backend=backend)):
        with pytest.raises(ValueError, match="one state of checkpointed_loop needs more bytes"):
            call(x, 0.1)


def test_a_limit_counts_all_parts_of_a_state():
    def f(x, limit):
        def step(i, state):
            y, t, n = state
            return np.float32(0.5) * y, t + np.sum(y), n + 1

        return ccc.checkpointed_loop(step, (x, 0.0, 0), 4, memory_limit=56)[1]

    x = np.ones(10, dtype=np.float32)  # 40 bytes, and two numbers
    assert np.allclose(ccc.gradient(f, wrt="x")(x, 0), 1.875)
    with pytest.raises(ValueError, match="memory_limit"):
        ccc.gradient(f, wrt="x")(np.ones(11, dtype=np.float32), 0)
