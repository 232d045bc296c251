"""Results that take the memory of an operand: the same bits, and nothing overwritten that something else sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import agrees, same

import ccc


def code_of(f: Any, *args: Any) -> str:
    return ccc.explain(ccc.compiled(f, backend="numpy"), *args).code


def chained(x: np.ndarray, y: np.ndarray) -> float:
    z = np.exp(x) * y + np.sin(x * y)
    return np.sum(np.log(1 + z * z) / (1 + np.exp(-z)))


def test_temporaries_are_written_over():
    x = np.linspace(0.1, 1.0, 5)
    code = code_of(chained, x, x + 0.5)
    assert code.count("out=") >= 3
    assert "+= 1" in code
    agrees(chained, x, x + 0.5)


def seen_twice(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a = x * 2.0
    b = a - 1.0
    return a, b


def view_of_a_temporary(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    tail = a[::-1]
    b = a - 1.0
    return b * tail


def in_a_tuple(x: np.ndarray) -> float:
    a = x * 2.0
    pair = (a, x)
    b = np.exp(a)
    return np.sum(b * pair[0])


def argument(x: np.ndarray) -> np.ndarray:
    return x * 2.0 - x


def of_integers(x: np.ndarray) -> np.ndarray:
    a = np.array([1, 2, 3]) * 2
    return a / 4 + x


def wider(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    return a - x.reshape(3, 1)


def of_a_branch(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    b = a - 1.0 if x[0] > 0 else a
    return b * 3.0


def of_a_loop(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    for i in range(3):
        a = 1.0 - a * x[i]
    return a


def of_a_loop_over_an_argument(x: np.ndarray) -> np.ndarray:
    a = x
    for i in range(3):
        a = 1.0 - a * x[i]
    return a


def kept_by_a_function(x: np.ndarray) -> np.ndarray:
    a = x * 2.0

    def scaled(t: float) -> np.ndarray:
        return a * t

    b = a - 1.0
    return b * scaled(2.0)


def in_a_list(x: np.ndarray) -> float:
    kept = []
    a = x * 2.0
    for i in range(3):
        a = a * x[i]
        kept.append(a)
    return np.sum(kept[0]) + np.sum(kept[1] * kept[2])


def taken_from(x: np.ndarray) -> np.ndarray:
    rows = [x * 2.0, x * 3.0]
    a = rows[0]
    b = a - 1.0
    return b + rows[0]


FUNCTIONS = [
    seen_twice, view_of_a_temporary, in_a_tuple, argument, of_integers, wider, of_a_branch, of_a_loop,
    of_a_loop_over_an_argument, kept_by_a_function, in_a_list, taken_from,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_nothing_is_overwritten_that_is_seen(f: Any):
    x = np.array([0.5, -1.5, 2.0])
    given = x.copy()
    assert same(ccc.compiled(f, backend="numpy")(given), f(x.copy()))
    np.testing.assert_array_equal(given, x)

    def loss(v: np.ndarray) -> float:
        found = f(v)
        if isinstance(found, tuple):
            return np.sum(found[0] * found[1])
        return np.sum(found * found)

    agrees(loss, x)
    np.testing.assert_array_equal(given, x)


def recursive(x: np.ndarray) -> float:
    def go(k: int, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if k == 0:
            return h, c
        z = c * x[k] + x[0] * h
        return go(k - 1, np.tanh(z) * x[1], z)

    found = go(2, x, x)
    return np.sum(found[0] * found[1])


def test_what_a_function_hands_back_is_not_overwritten():
    """The pullback of the last call gives its cotangents themselves."""
    x = np.array([0.5, -1.5, 2.0])
    agrees(recursive, x)

    def twice(v: np.ndarray) -> float:
        return recursive(v) + recursive(2.0 * v) * recursive(v)

    agrees(twice, x)


def of_either_kind(x: float, v: np.ndarray) -> np.ndarray:
    t = np.float64(0.2) if x < 0 else -0.1
    return v * 0.5 + t


def test_a_number_of_either_kind_decides_the_dtype():
    v = np.array([0.1, 0.2], np.float32)
    for x in (-1.0, 1.0):
        assert same(ccc.compiled(of_either_kind, backend="numpy")(x, v), of_either_kind(x, v))
