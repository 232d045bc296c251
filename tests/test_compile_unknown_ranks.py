"""Arrays that have more or fewer axes by what the program finds: their shapes are tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc


def either(x: Any) -> Any:
    return x if x.sum() > 0 else np.zeros((0,))


CASES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: either(x).shape,
    "equal": lambda x: either(x).shape == (2, 2),
    "unequal": lambda x: either(x).shape != (2, 2),
    "a list": lambda x: either(x).shape == [2, 2],
    "of another": lambda x: either(x).shape == x.shape,
    "on the right": lambda x: np.shape(x) == np.shape(either(x)),
    "among others": lambda x: either(x).shape in [(2, 2), (3,)],
    "longer": lambda x: (*either(x).shape, 1, *either(x).shape),
    "turned": lambda x: either(x).shape[::-1],
    "ordered": lambda x: either(x).shape < (2, 3),
    "its class": lambda x: isinstance(either(x).shape, tuple) and not isinstance(either(x).shape, list),
    "a text": lambda x: f"{either(x).shape}",
    "of what is the same": lambda x: either(x).shape == either(x + 1).shape,
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_shape_of_any_length_is_a_tuple(name: str, backend: str):
    for x in (np.full((2, 2), 0.5), -np.ones((2, 2))):
        found, expected = ccc.compiled(CASES[name], backend=backend)(x), CASES[name](x)
        assert found == expected and type(found) is type(expected)


def test_what_goes_by_a_shape_has_its_gradient():
    def f(x):
        y = either(x)
        if y.shape != (2, 2):
            raise ValueError(f"a shape {y.shape}")
        return np.sum(y * y)

    x = np.array([[1.0, -0.5], [0.25, 2.0]])
    assert np.array_equal(ccc.gradient(f)(x), 2.0 * x)
    with pytest.raises(ValueError, match=r"a shape \(0,\)"):
        ccc.gradient(f)(-x)


def first_or_whole(x: Any, least: int) -> Any:
    y = 0.0
    if x[0] > 0.0:
        y = x
    a = np.array(y, ndmin=least)
    if a.ndim != least:
        raise ValueError(f"{a.ndim} axes")
    return np.sum(a * a)


@pytest.mark.parametrize("least", [1, 2])
def test_an_array_of_unknown_rank_has_at_least_so_many_axes(least: int):
    x = np.array([0.5, 2.0])
    assert np.array_equal(ccc.gradient(first_or_whole, wrt="x")(x, least), 2.0 * x)
    assert ccc.compiled(first_or_whole)(-x, least) == 0.0


def test_what_no_function_of_numpy_makes_of_an_unknown_rank_is_refused():
    with pytest.raises(ccc.CCCError, match="no ndmin above 2"):
        ccc.compiled(first_or_whole)(np.ones(2), 3)
