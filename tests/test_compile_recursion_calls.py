"""Recursive functions that call other functions, and that give arrays which nobody reads."""

from __future__ import annotations

import numpy as np
import pytest
from checks import agrees

import ccc

X = np.array([0.5, -1.25, 2.0])


def calls_a_function_from_outside(a, x):
    def outer(s):
        return s * np.sum(x)

    def f(n, s):
        if n < 1:
            return a
        t = f(n - 1, outer(s))
        return t * a + s

    return outer(f(3, a)) + a * outer(a)


def gives_an_array_too(n, b, x):
    def f(m, s, y):
        if m < 1:
            return sum(x[:n]), x - y
        t, z = f(m - 1, s, x + x)
        return t + s, z * y

    v, _ = f(n, b, x)
    return v


def reads_the_array_of_one_call(n, b, x):
    def f(m, s, y):
        if m < 1:
            return s, x * y
        t, z = f(m - 1, s * b, y + x)
        u, _ = f(m - 1, t, z)
        return t + u, z + y

    v, z = f(n, b, x)
    return v + z[1]


@pytest.mark.parametrize(
    ("f", "args"),
    [(calls_a_function_from_outside, (0.75, X)), (gives_an_array_too, (2, 0.5, X)), (gives_an_array_too, (0, 0.5, X)),
     (reads_the_array_of_one_call, (2, 0.5, X))],
)
def test_they_have_derivatives_under_every_exponential(f, args):
    agrees(f, *args)
    expected = ccc.gradient(f)(*args)
    for exponential in (ccc.AdditiveMap(), ccc.AnyDerivative()):
        found = ccc.gradient(f, exponential=exponential)(*args)
        for a, b in zip(found, expected, strict=True):
            assert (a is None and b is None) or np.allclose(a, b)  # type: ignore[reportArgumentType]
