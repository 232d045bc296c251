"""Loops along what changes meanwhile: each item is read when its turn comes, and a deque may not change in number."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.frontend.regions import Regions
from ccc.compile.frontend.turns import settled
from ccc.coproducts import NoSum


def along(x: float, n: int) -> Any:
    q, others = deque([x * i for i in range(n)]), deque([x])
    out = 0.0
    for i, v in enumerate(q):
        q[n - 1 - i] += v * x
        others.append(v)
        others[0] += 1.0
    for v in q:
        out += v
        if out > 2.0 * x:
            q.append(v * x)
            break
    return out + sum(q) * len(q) + others[0]


def mutated(x: float, n: int) -> Any:
    q = deque([x * i for i in range(n)])
    out = 0.0
    for v in q:
        out += v
        if v > 2.0 * x:
            q.append(q.popleft())
    return out


def rows(x: float, n: int) -> Any:
    """What is folded anew is a view where entries lie in order, as they do in what is computed from such arrays."""
    a = np.array([[x, 2.0], [3.0, x * x]]) * 1.5
    chosen = a if n > 3 else np.ones((2, 2))
    flat = a.reshape(4)
    for row in chosen:
        flat[1] += row[0]
        row *= x
        np.ravel(chosen)[n - 3] += 1.0
    return flat[0] * a[1, 1] + chosen[0, 1] * flat[3]


def test_a_deque_that_a_loop_runs_along() -> None:
    agrees(along, 1.3, 4, second=False, exponentials=("Delta",))
    assert ccc.value_with_gradient(mutated, wrt=0)(1.3, 3)[0] == mutated(1.3, 3)
    for backend in ("numpy", "native"):
        with pytest.raises(RuntimeError, match="^deque mutated during iteration"):
            ccc.gradient(mutated, wrt=0, backend=backend)(1.3, 4)


def test_rows_of_an_array_that_changes_through_views() -> None:
    agrees(rows, 1.3, 4, exponentials=("Delta",))
    value, slope = ccc.value_with_gradient(rows, wrt=0, backend="native")(0.7, 2)
    assert value == pytest.approx(rows(0.7, 2), rel=1e-14)
    assert slope == pytest.approx((rows(0.7 + 1e-6, 2) - rows(0.7 - 1e-6, 2)) / 2e-6, rel=1e-6)


def test_a_mistake_in_a_reading_is_no_refusal() -> None:
    def reading(error: Exception) -> Any:
        def read(regions: Any) -> Any:
            raise error

        return read

    assert settled(reading(NoSum("two types")), Regions()) is None
    with pytest.raises(IndexError, match="ours"):
        settled(reading(IndexError("ours")), Regions())
