"""What nothing reads of a recursion is neither computed nor handed on: results, and parameters that only these read."""

import numpy as np
import pytest
from checks import agrees

import ccc


def captured(x, y, w, n):
    def go(i):
        return x[i] * w if i == 0 else y[i] * w + go(i - 1)

    return go(n)


def cost(f, wrt, n):
    counted = ccc.interpret(ccc.gradient(f, wrt=wrt), ccc.Cost())
    return int(counted((np.ones(n), 0.0), (np.ones(n), 0.0), (1.0, 0.0), (n - 1, 0.0))[1])


@pytest.mark.parametrize("wrt", [("w",), ("x",), ("x", "w")])
def test_cotangents_that_nothing_asks_for_are_not_computed(wrt):
    small, middle, large = [cost(captured, wrt, n) for n in (4, 8, 12)]
    assert large - middle == middle - small


def test_what_is_asked_for_is_computed():
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    dx, dw = ccc.gradient(captured, wrt=("x", "w"))(x, y, 2.0, 2)
    np.testing.assert_array_equal(dx, [2.0, 0.0, 0.0])
    assert dw == 1.0 + 5.0 + 6.0
    agrees(captured, x, y, 2.0, 2)


def unread(x, n):
    def go(i, u):
        return x * x if i == 0 else go(i - 1, u * 2.0) * x

    return go(n, x) + go(n + 1, x * x)


def first_of_two(x, n):
    def go(i):
        return (1.0, x) if i == 0 else (go(i - 1)[0] + x, x * x * i)

    return go(n)[0]


def mutual(x, n):
    def even(i):
        return x if i == 0 else odd(i - 1) * x

    def odd(i):
        return x * x if i == 0 else even(i - 1) + x

    return even(n) + odd(n)


@pytest.mark.parametrize("f", [unread, first_of_two, mutual])
def test_values_and_derivatives_stay(f):
    agrees(f, 1.5, 3)


def without_unread(x, n):
    def go(i):
        return x * x if i == 0 else go(i - 1) * x

    return go(n) + go(n + 1)


def test_a_derivative_costs_no_more_with_what_is_not_read():
    gradients = [ccc.interpret(ccc.gradient(f, wrt="x"), ccc.Cost()) for f in (unread, without_unread)]
    costs = [counted((1.5, 0.0), (5, 0.0))[1] for counted in gradients]
    assert costs[0] == costs[1]


def raising(x, n):
    def go(i):
        if i == 0:
            return 1.0, x
        value, other = go(i - 1)
        if i > 2:
            raise ValueError("too deep")
        return value + x, other * x

    return go(n)[0]


def test_what_raises_stays():
    assert ccc.compiled(raising)(2.0, 2) == 5.0
    for f in (ccc.compiled(raising), ccc.gradient(raising, wrt="x")):
        with pytest.raises(ValueError, match="too deep"):
            f(2.0, 3)


def handed_on(x, n):
    def go(i, u):
        return x if i == 0 else go(i - 1, u) * x

    def twice(f, i):
        return f(i, x) + f(i + 1, x)

    return twice(go, n) if n > 1 else go(n, x)


def test_a_function_that_is_a_value_stays_whole():
    agrees(handed_on, 1.5, 2)
