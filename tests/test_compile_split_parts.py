"""Parts that `np.split` gives are views: what is written into one is written into the array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from users_checks import agrees_with_python


def halves(x: Any) -> Any:
    a, b = np.split(x, 2)
    a[0] = 100.0
    return a.sum() * b.sum() + x[0] * x[1]


def columns(x: Any) -> Any:
    y = x.T
    a, b = np.split(y, 2)
    x[0, 0] = 50.0
    b += 1.0
    return a.sum() * b.sum() + (x * x).sum()


def planes(x: Any) -> Any:
    red, green = np.split(x, 2, axis=-1)
    red *= 2.0
    return (red * green).sum() + (x * x).sum() - np.hsplit(x, 2)[1].sum()


@pytest.mark.parametrize(("f", "shape"), [(halves, (8,)), (columns, (2, 4)), (planes, (2, 3, 4))])
def test_parts_are_written_where_they_lie(f: Any, shape: tuple[int, ...]) -> None:
    agrees_with_python(f, np.random.default_rng(0).normal(size=shape))
