"""Programs written with autograd's modules, whose functions wrap those of NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from checks import agrees

np = pytest.importorskip("autograd.numpy")
stats = pytest.importorskip("autograd.scipy.stats")
concatenate, exp, mean = np.concatenate, np.exp, np.mean
solve = pytest.importorskip("autograd.numpy.linalg").solve
gammaln = pytest.importorskip("autograd.scipy.special").gammaln


def of_the_module(w: Any) -> Any:
    hidden = np.tanh(w * np.array([0.5, -1.0, 2.0])) + np.ones(3, dtype=np.float64)
    return np.mean(np.logaddexp(0.0, hidden)) + np.linalg.norm(np.vstack([hidden, w])) + np.std(hidden)


def of_its_names(w: Any) -> Any:
    return mean(exp(-w)) + np.sum(solve(np.eye(3) + np.outer(w, w), concatenate([w[:1], w[1:]]))) + gammaln(w[0] + 2.0)


def of_scipy(w: Any) -> Any:
    return np.sum(stats.norm.logpdf(w, 0.1, 1.5)) + np.sum(np.where(w > 0.0, w, 2.0 * w))


@pytest.mark.parametrize("f", [of_the_module, of_its_names, of_scipy], ids=lambda f: f.__name__)
def test_functions_of_autograd_are_those_that_they_wrap(f: Callable[..., Any]):
    agrees(f, numpy.array([0.3, -0.4, 1.2]))
