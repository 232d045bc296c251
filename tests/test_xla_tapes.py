"""Loops of unknown length in reverse with little memory: what runs again gives what is kept, in value and gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import WrongArguments

jax = pytest.importorskip("jax")


def adaptive(y, end, tolerance):
    t, h = 0.0, 0.1
    while t < end:
        k1 = -y * y
        k2 = -(y + h * k1) * (y + h * k1)
        if abs(h * (k2 - k1) * 0.5) < tolerance:
            t, y, h = t + h, y + 0.5 * h * (k1 + k2), h * 1.2
        else:
            h = h * 0.5
    return y


def turned(x, n):
    while n > 0:
        x = np.sin(x) * 1.001 + 0.01 * x
        n -= 1
    return np.sum(x * x)


def nested(x, n):
    while n > 1:
        m = n
        while m > 0:
            x = np.sin(x) + 0.1 * x
            m -= 2
        n -= 1
    return np.sum(x)


def along(x, ys):
    for y in ys:
        x = np.sin(x) * y + 0.1 * x
    return np.sum(x)


def left_early(x):
    k = 0
    while True:
        x = x * 1.5 + 0.1
        k += 1
        if np.sum(x) > 30.0 or k > 100:
            break
        if k % 3 == 0:
            continue
        x = np.cos(x)
    return np.sum(x) * k


X = np.array([0.5, 1.0])
CASES: list[tuple[Callable[..., Any], int, list[tuple[Any, ...]]]] = [
    (adaptive, 200, [(1.0, 3.0, 1e-4), (1.0, 3.0, 1e-7)]), (turned, 1, [(X, n) for n in (0, 1, 2, 300)]),
    (turned, 2000, [(X, n) for n in (63, 64, 1000)]), (nested, 200, [(X, 6)]),
    (along, 300, [(X, np.linspace(0.5, 1.5, 100))]), (left_early, 1, [(X,)]),
]  # fmt: skip
"""Limits: three states and one turn; some turns, so that many run again several times; more, so that they do once."""


@pytest.mark.share(8)
@pytest.mark.parametrize(("f", "limit", "calls"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_gradients_agree_within_a_limit(f: Callable[..., Any], limit: int, calls: list[tuple[Any, ...]]):
    with ccc.tape_limit(limit):
        gradient = ccc.gradient(f, wrt=0, backend="xla")
        for args in calls:
            np.testing.assert_allclose(gradient(*args), ccc.gradient(f, wrt=0, backend="numpy")(*args), rtol=1e-9)
            assert ccc.explain(gradient, *args).backend == "xla"


def test_pullbacks_agree_within_a_limit():
    with ccc.tape_limit(200):
        value, pull = ccc.value_with_pullback(turned, wrt=0, backend="xla")(X, 300)
    assert np.isclose(value, turned(X, 300))
    np.testing.assert_allclose(pull(2.0), 2.0 * ccc.gradient(turned, wrt=0, backend="numpy")(X, 300), rtol=1e-9)


@pytest.mark.share(2)
@pytest.mark.parametrize("limit", [None, 200])
def test_in_jit_vmap_and_grad_of_jax_any_number_of_turns_is_right(limit: int | None):
    counts = np.array([0, 3, 70, 5000])
    wanted = [ccc.gradient(turned, wrt=0, backend="numpy")(X, int(n)) for n in counts]
    with jax.enable_x64(True), ccc.tape_limit(limit):
        gradient = ccc.gradient(turned, wrt=0, backend="xla")
        jitted = jax.jit(gradient)
        np.testing.assert_allclose([jitted(X, n) for n in counts], wanted, rtol=1e-9)
        np.testing.assert_allclose(jax.vmap(gradient, (None, 0))(X, counts), wanted, rtol=1e-9)
        by_jax = jax.jit(jax.grad(ccc.compiled(turned, backend="xla")))
        np.testing.assert_allclose([by_jax(X, n) for n in counts], wanted, rtol=1e-9)


def test_memory_does_not_grow_with_the_number_of_turns():
    from ccc.compile.api.wrapper import Transform

    sizes: dict[int | None, int] = {}
    for limit in (None, 4000):
        with ccc.tape_limit(limit):
            gradient: Any = ccc.gradient(turned, wrt=0, backend="xla")
            gradient(X, 20_000)
            assert isinstance(gradient, Transform)
            within: Any = gradient.found((X, 20_000), {})[2].call.within  # type: ignore[attr-defined]
            with jax.enable_x64(True):
                traced = within.compiled.traced((X, 20_000))
                sizes[limit] = traced.lower().compile().memory_analysis().temp_size_in_bytes
    assert sizes[4000] < 10_000 and (sizes[None] or 0) > 20_000 * 16


def test_what_a_loop_says_is_said_once(capsys: pytest.CaptureFixture[str]):
    def f(x):
        while x < 3.0:
            print("at", x)
            x = x * 1.5
        return x

    with ccc.tape_limit(1):
        assert ccc.gradient(f, backend="xla")(1.0) == 1.5**3
    assert capsys.readouterr().out == "at 1.0\nat 1.5\nat 2.25\n"


def test_what_raises_in_a_turn_raises():
    def f(x, n):
        while n > 0:
            x = 1.0 / (x - 1.0)
            n -= 1
        return x

    with ccc.tape_limit(1):
        gradient = ccc.gradient(f, wrt="x", backend="xla")
        np.testing.assert_allclose(gradient(3.0, 9), ccc.gradient(f, wrt="x", backend="numpy")(3.0, 9), rtol=1e-9)
        with pytest.raises(ZeroDivisionError):
            gradient(2.0, 9)


def test_second_derivatives_are_kept_whole_within_a_limit():
    def f(y):
        return adaptive(y, 3.0, 1e-4)

    with ccc.tape_limit(1):
        found = ccc.hvp(f, backend="xla")(1.0, 1.0)
    np.testing.assert_allclose(found, ccc.hvp(f, backend="numpy")(1.0, 1.0), rtol=1e-9)


@pytest.mark.parametrize("limit", [0, 1.5, True])
def test_a_limit_is_a_number_of_bytes(limit: Any):
    with pytest.raises(WrongArguments, match="tape_limit takes a number of bytes"), ccc.tape_limit(limit):
        pass
