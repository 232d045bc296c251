"""`max` and `min` of lists whose length is not known: values as in plain Python, also among NaNs and zeros of both
signs; ties share the derivative equally, in both modes and under every exponential."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc

EXPONENTIALS = (ccc.Delta, ccc.AdditiveMap, ccc.AnyDerivative)


def greatest(xs: Any) -> float:
    return max([x * x for x in xs])


def least(xs: Any) -> float:
    return min(x * math.sin(x) for x in xs)


@pytest.mark.parametrize("exponential", EXPONENTIALS)
def test_ties_share_equally(exponential: Any) -> None:
    gradient = ccc.gradient(greatest, exponential=exponential())
    assert gradient([1.0, -1.0, 1.0, 0.5]) == [2 / 3, -2 / 3, 2 / 3, 0.0]
    assert gradient([0.5, 2.0]) == [0.0, 4.0]
    assert ccc.gradient(lambda xs: min(xs), exponential=exponential())([2.0] * 5 + [3.0]) == [0.2] * 5 + [0.0]


def test_forward_mode_takes_the_mean() -> None:
    _, differential = ccc.value_with_differential(lambda xs: max([x * 1.0 for x in xs]))([1.0, 1.0, 1.0, 0.0])
    assert differential([1.0, 2.0, 6.0, 40.0]) == 3.0


def test_several_arguments_and_lists_agree() -> None:
    of_arguments = ccc.gradient(lambda a, b, c: max(a, b, c))(1.0, 1.0, 1.0)
    assert list(of_arguments) == ccc.gradient(lambda xs: max(xs))([1.0, 1.0, 1.0])
    assert list(of_arguments) == list(ccc.gradient(lambda xs: np.max(xs))(np.ones(3)))


def test_away_from_ties() -> None:
    agrees(lambda xs: greatest(xs) ** 2, [0.3, 0.9, 0.5])
    agrees(lambda xs: least(xs) * greatest(xs), [0.3, 0.9, 0.5])
    agrees(lambda xs: max(xs) ** 2, np.array([0.3, 0.9, 0.5]))


@pytest.mark.parametrize(
    "xs", [[math.nan, 1.0], [1.0, math.nan, 2.0], [0.0, -0.0], [-0.0, 0.0], [1.0, 1.0], [math.inf, -math.inf]], ids=str
)
def test_values_are_those_of_plain_python(xs: list[float]) -> None:
    agrees_in_value(lambda xs: max([x * 1.0 for x in xs]), xs)
    agrees_in_value(lambda xs: min([x * 1.0 for x in xs]), xs)


def test_integers_and_nothing() -> None:
    agrees_in_value(lambda x, n: max([i * i - i for i in range(n)]) * x, 1.5, 5)
    agrees_in_value(lambda xs, n: max([x * 1.0 for x in xs[n:]]), [1.0, 2.0], 2)
