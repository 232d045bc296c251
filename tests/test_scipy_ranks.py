"""Statistics by ranks, which move by steps, and draws of distributions, which location and scale move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.errors import CCCError

stats: Any = pytest.importorskip("scipy.stats")

X, Y = np.random.default_rng(7).normal(size=(2, 10))
TWO = ("spearmanr", "kendalltau", "weightedtau", "mannwhitneyu", "wilcoxon", "kruskal", "ranksums", "ks_2samp", "mood",
       "ansari", "brunnermunzel", "cramervonmises_2samp")


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_statistic_of_ranks_is_that_of_scipy_and_moves_by_steps(name: str, backend: str) -> None:
    test = getattr(stats, name)

    def f(x: Any) -> Any:
        found = test(x, Y)
        return np.sum(x) * found.statistic + x[0] * (0.0 if name == "weightedtau" else found.pvalue)

    value, slope = ccc.value_with_gradient(f, backend=backend)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    found = test(X, Y)
    first = 0.0 if name == "weightedtau" else found.pvalue  # which has none
    np.testing.assert_allclose(slope, found.statistic + np.eye(10)[0] * first, rtol=1e-14)


def test_ranks_themselves() -> None:
    agrees(lambda x: np.sum(stats.rankdata(x) * x) + stats.rankdata(x, "min")[2], X)
    agrees(lambda m: np.sum(stats.rankdata(m, axis=1) * m), X.reshape(2, 5))
    agrees(lambda x: stats.spearmanr(x, Y).correlation * x[1] + sum(stats.friedmanchisquare(x, Y, x * Y)), X)


def test_the_commonest_value_moves_with_the_first_that_is_it() -> None:
    def f(x: Any) -> Any:
        found = stats.mode(np.append(x, x[2]))
        return found.mode * found.count

    value, slope = ccc.value_with_gradient(f)(X)
    assert value == f(X)
    np.testing.assert_array_equal(slope, 2.0 * np.eye(10)[2])


DRAWS: list[Callable[..., Any]] = [
    lambda a: np.mean(stats.norm.rvs(loc=a, scale=2.0, size=20, random_state=4) ** 2),
    lambda a: np.sum(stats.norm(a, 2.0).rvs(size=3, random_state=4)) + stats.expon.rvs(
        scale=a, size=(2, 2), random_state=1)[0, 1],
    lambda a: stats.uniform.rvs(random_state=3) * a + stats.norm.rvs(a, size=1, random_state=0)[0],
    lambda a: np.sum(stats.gamma.rvs(2.5, scale=a, size=3, random_state=4)) + np.sum(
        stats.poisson.rvs(3, size=2, random_state=1)) * a,
]


@pytest.mark.parametrize("f", DRAWS)
def test_draws_with_a_seed_move_with_location_and_scale(f: Callable[..., Any]) -> None:
    agrees(f, 1.5)


def test_draws_that_are_not_known_are_refused() -> None:
    with pytest.raises(CCCError, match="has no derivative"):
        ccc.gradient(lambda a: np.sum(stats.gamma.rvs(a, size=3, random_state=4)))(2.0)
    with pytest.raises(CCCError, match="a whole number as `random_state`"):
        ccc.gradient(lambda a: np.sum(stats.norm.rvs(a, size=3)))(2.0)
