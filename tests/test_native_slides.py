"""Sums into an array at places next to each other: the same as one run after the other, whatever the number of runs."""

import linecache
import random
from typing import Any

import numpy as np
import pytest
from native_checks import at_sizes, gradients_agree

import ccc
from ccc.compile.native import overlapping_sums, target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def stencil(x, w):
    total = 0.0
    for i in range(1, len(x) - 1):
        total += w[i] * (x[i - 1] - 2 * x[i] + x[i + 1]) * x[i]
    return total


def one_sided(x, w):
    """Places far from each other, and twice the same."""
    total = 0.0
    for i in range(len(x) - 6):
        total += w[i] * x[i + 6] * x[i] * x[i] + w[i + 1] * x[i + 2]
    return total


def too_far(x, w):
    """Further than a vector is long."""
    total = 0.0
    for i in range(len(x) - 20):
        total += w[i] * x[i + 20] * x[i] + x[i + 1]
    return total


def in_rows(x, w):
    total = 0.0
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            total += w[i, j] * x[i, j] * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4 * x[i, j])
    return total


def where_positive(x, w):
    """Some runs add to some places only."""
    total = 0.0
    for i in range(len(x) - 2):
        if x[i] > 0:
            total += w[i] * x[i + 1] * x[i]
        total += x[i + 2] * x[i]
    return total


def with_inner_loops(x, w):
    total = 0.0
    for i in range(len(x) - 3):
        for k in range(2):
            total += w[k] * x[i + k] * x[i + 3]
        total += x[i + 1] * x[i]
    return total


@at_sizes([1, 2, 3, 7, 8, 9, 10, 11, 15, 16, 17, 18, 24, 25, 40, 100], first=11)
@pytest.mark.parametrize("f", [stencil, one_sided, too_far, where_positive])
def test_programs(f, n):
    rng = np.random.default_rng(n)
    gradients_agree(f, rng.normal(size=n), rng.normal(size=n))


@at_sizes([4, 9, 12, 30], first=12)
def test_loops_with_loops_in_them(n):
    rng = np.random.default_rng(n)
    gradients_agree(with_inner_loops, rng.normal(size=n), rng.normal(size=n))


@pytest.mark.parametrize("shape", [(3, 3), (3, 10), (4, 11), (5, 18), (6, 19), (10, 26)])
def test_rows(shape):
    rng = np.random.default_rng(shape)
    gradients_agree(in_rows, rng.normal(size=shape), rng.normal(size=shape))


def test_they_are_added_together(monkeypatch):
    """Three places of a row, and the rows beside it each alone."""
    found = []
    together = overlapping_sums.together

    def noted(names, lowest, by_place, left, b):
        found.append(sorted(place - lowest for place in by_place))
        together(names, lowest, by_place, left, b)

    monkeypatch.setattr(overlapping_sums, "together", noted)
    ccc.gradient(in_rows, backend="native")(*np.ones((2, 40, 50)))
    assert found and all(offsets == [0, 1, 2] for offsets in found)


def test_what_is_infinite_or_no_number_stays_where_it_is():
    """Vectors are moved, not multiplied by zeros."""
    x, w = np.ones(30), np.ones(30)
    w[[4, 20]], x[11] = [np.inf, np.nan], -0.0
    found = ccc.gradient(stencil, wrt=(0, 1), backend="native")(x, w)
    wanted = ccc.gradient(stencil, wrt=(0, 1), backend="numpy")(x, w)
    for part, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(part, want)


def random_program(seed):
    """A loop whose runs read items of two arrays near each other."""
    rng = random.Random(seed)
    low, high = rng.randint(0, 3), rng.randint(0, 5)

    def item():
        return f"{rng.choice('xxxw')}[i + {rng.randint(-low, high)}]"

    terms = [" * ".join(item() for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 6))]
    body = [f"        total += {term}" for term in terms]
    if rng.random() < 0.3:
        body.insert(rng.randrange(len(body)), f"        s = s * 0.5 + {item()}\n        total += s * {item()}")
    if rng.random() < 0.3:
        body.append(f"        y[i] = {item()} * {item()}")
    text = "\n".join([
        "def f(x, w):", "    total, s, y = 0.0, 0.0, np.zeros(len(x))",
        f"    for i in range({low}, len(x) - {high}):", *body, "    return total + np.sum(y * y) * 0.1",
    ])
    name = f"<slides {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    return space["f"]


@pytest.mark.share(2)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed):
    f, rng = random_program(seed), np.random.default_rng(seed)
    n = int(rng.integers(9, 45))
    gradients_agree(f, rng.normal(size=n), rng.normal(size=n))
