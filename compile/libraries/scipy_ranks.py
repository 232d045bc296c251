"""Statistics of `scipy.stats` that go by ranks, and what is there most often: SciPy computes them, and they move by
steps, so that their derivatives are zero wherever they have one.

>>> found = spearmanr(np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.7, 9.0]))
>>> float(found.statistic), float(found.correlation), len(found)
(1.0, 1.0, 2)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse
from ccc.compile.libraries.named_parts import Parts

stats: Any = scipy.stats


class Ranked(Parts):
    """A statistic and how likely it is by chance."""

    def __init__(self, statistic: Any, pvalue: Any) -> None:
        self.statistic = statistic
        self.pvalue = pvalue

    @property
    def correlation(self) -> Any:
        return self.statistic

    def parts(self) -> Any:
        return self.statistic, self.pvalue


def of_scipy(name: str, *args: Any, **options: Any) -> Any:
    found = getattr(stats, name)(*args, **options)
    return np.array([found.statistic, found.pvalue], float)


def by_ranks(name: str) -> Any:
    """The definition of a test of samples of one axis."""
    @definition_of(getattr(stats, name))
    def definition(*args: Any, **options: Any) -> Any:
        for x in args:
            if not isinstance(x, str) and np.ndim(x) > 1:
                refuse(f"scipy.stats.{name} is known for samples of one axis", "call it for each row")
        found = constant(of_scipy, np.zeros(2), name, *args, **options)
        return Ranked(found[0], found[1])

    return definition


spearmanr = by_ranks("spearmanr")
OTHERS = [by_ranks(name) for name in (
    "kendalltau", "weightedtau", "mannwhitneyu", "wilcoxon", "kruskal", "ranksums", "ks_2samp", "mood", "ansari",
    "brunnermunzel", "friedmanchisquare", "cramervonmises_2samp")]


def ranks_of_scipy(a: Any, method: str, axis: Any, nan_policy: str) -> Any:
    return np.asarray(stats.rankdata(a, method, axis=axis, nan_policy=nan_policy), float)


@definition_of(stats.rankdata)
def rankdata(a: Any, method: Any = "average", *, axis: Any = None, nan_policy: Any = "propagate") -> Any:
    a = np.ravel(np.asarray(a)) if axis is None else np.asarray(a)
    found = constant(ranks_of_scipy, a * 1.0, a, method, axis, nan_policy)
    return found if method == "average" else found.astype(int)


# -- the commonest -----------------------------------------------------------------------------------------------------


class Commonest(Parts):
    """What is there most often, and how often."""

    def __init__(self, mode: Any, count: Any) -> None:
        self.mode = mode
        self.count = count

    def parts(self) -> Any:
        return self.mode, self.count


def place_and_count(a: Any) -> Any:
    found = stats.mode(a)
    return np.array([np.argmax(np.asarray(a) == found.mode), found.count], int)


@definition_of(stats.mode)
def mode(a: Any, axis: Any = 0, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    """The first of the places where it is moves it."""
    a = np.asarray(a)
    if np.ndim(a) != 1 or nan_policy != "propagate" or keepdims:
        refuse("scipy.stats.mode is known for a sample of one axis without NaNs", "call it for each row")
    found = constant(place_and_count, np.zeros(2, int), a)
    return Commonest(a[found[0]], found[1])
