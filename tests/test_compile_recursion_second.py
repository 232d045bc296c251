"""Second derivatives of recursive functions that are made in other ones, in their branches and in their loops."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from checks import check_second


def made_within(x: float, n: int) -> float:
    def outer(v: float, n: int) -> float:
        def inner(m: int) -> float:
            return v if m == 0 else v * inner(m - 1)

        return inner(n) if n == 0 else inner(n) + outer(v * x, n - 1)

    return outer(x, n)


def made_in_a_branch(x: float, n: int) -> float:
    def outer(v: float, n: int) -> float:
        if n % 2 == 0:
            w = v * x

            def inner(m: int) -> float:
                return w if m == 0 else w * inner(m - 1)

            return inner(n) if n == 0 else inner(n) + outer(v * x, n - 1)
        return outer(v * v, n - 1) * v

    return outer(x, n)


def made_in_a_loop(x: float, n: int) -> float:
    def outer(v: float, n: int) -> float:
        t = v
        for i in range(n):
            u = t * x

            def inner(m: int, u: float = u) -> float:
                return u if m == 0 else u * inner(m - 1) + v

            t = t + inner(i)
        return t if n == 0 else t * outer(v + x, n - 1)

    return outer(x, n)


def three_deep(x: float, n: int) -> float:
    def a(v: float, n: int) -> float:
        def b(w: float, m: int) -> float:
            def c(k: int) -> float:
                return v * w if k == 0 else w * c(k - 1)

            return c(m) if m == 0 else c(m) + b(w * v, m - 1)

        return b(v, n) if n == 0 else b(x, n) + a(v * x, n - 1)

    return a(x, n)


def each_calls_the_other(x: float, n: int) -> float:
    def a(v: float, n: int) -> float:
        def b(w: float, m: int) -> float:
            return w * v if m == 0 else (a(w, m - 1) * v if m % 2 else b(w * v, m - 1))

        return v if n == 0 else b(v, n - 1) + v

    return a(x, n)


def chosen_by_a_branch(x: float, n: int) -> float:
    def chain(m: int, v: float) -> float:
        return v if m == 0 else v * chain(m - 1, v * x)

    def outer(v: float, n: int, h: Callable[[float], float]) -> float:
        return h(v) if n == 0 else outer(v * x, n - 1, lambda w: h(w) * chain(n, v))

    return outer(x, n, lambda w: w)


@pytest.mark.parametrize("f", [
    made_within, made_in_a_branch, made_in_a_loop, three_deep, each_calls_the_other, chosen_by_a_branch,
])  # fmt: skip
def test_the_second_derivative_is_that_of_differences(f: Callable[[float, int], float]) -> None:
    check_second(lambda x: f(x, 3), (1.2,), 1)
