"""Probabilities of corners, `x <= c` in each component, of normal distributions of several variables.

    dF/dx_i = n(x_i) F(the others, given x_i)        dF/dS_ij = n(x_i, x_j) F(the others, given both)    for i != j

    dF/dS_ii = -(x_i dF/dx_i + sum_j!=i S_ij dF/dS_ij) / (2 S_ii)

n is the density and S the covariance, of which the lower triangle is read. Conditional distributions are normal, so
derivatives of every order are made of the same function. SciPy integrates by draws in three dimensions and more: where
none are asked for by `rng`, the value is as exact as `abseps` says, and so are derivatives.

Source: *A Reduction Formula for Normal Multivariate Integrals* (Plackett, 1954).

>>> corner(np.zeros((1, 2)), np.eye(2), {}).round(9)
array([0.25])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats

from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import definition_of, hosted, refuse
from ccc.compile.libraries.scipy_several import matrix

stats: Any = scipy.stats


def corner(x: Any, cov: Any, options: Any) -> Any:
    """The probability below each of some points."""
    return hosted(below_points, x[:, 0] if np.shape(x)[1] > 0 else np.zeros(np.shape(x)[0]), x, cov, options)


def below_points(x: Any, cov: Any, options: Any) -> Any:
    if np.shape(x)[1] == 0:
        return np.ones(np.shape(x)[0])
    cov = np.tril(cov) + np.tril(cov, -1).T
    return np.atleast_1d(stats.multivariate_normal.cdf(x, None, cov, **options))


def below_given(x: Any, cov: Any, known: Any) -> Any:
    """At each point the probability of the components that are not known, given those that are, times their density."""
    d = np.shape(x)[1]
    others = np.array([k for k in range(d) if k not in known], dtype=int)
    known = np.array(known)
    inside = np.linalg.inv(cov[known][:, known])
    across = cov[others][:, known] @ inside
    at = x[:, known]
    density = np.exp(-0.5 * np.sum((at @ inside) * at, axis=1)) * np.sqrt(np.linalg.det(inside / (2.0 * np.pi)))
    return density * corner(x[:, others] - at @ across.T, cov[others][:, others] - across @ cov[known][:, others],
                            {})


def corner_rule(x: Any, cov: Any, options: Any) -> Any:
    y = corner(x, cov, options)

    def pulled(ct: Any) -> Any:
        d = np.shape(x)[1]
        whole = np.tril(cov) + np.tril(cov, -1).T
        dx, ds = np.zeros(np.shape(x)), np.zeros((d, d))
        for i in range(d):
            slopes = below_given(x, whole, [i])
            dx[:, i] = ct * slopes
            turn = np.sum(ct * x[:, i] * slopes)
            for j in range(d):
                if i != j:
                    both = np.sum(ct * below_given(x, whole, [i, j]))
                    turn = turn + whole[i, j] * both
                    if j < i:
                        ds[i, j] = both
            ds[i, i] = -0.5 * turn / whole[i, i]
        return dx, ds, None

    return y, pulled


RULES[corner] = corner_rule


# -- the names of SciPy ----------------------------------------------------------------------------------------------


@definition_of(stats.multivariate_normal.cdf)
def normal_cdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False, maxpts: Any = None,
               abseps: Any = 1e-5, releps: Any = 1e-5, *, lower_limit: Any = None, rng: Any = None) -> Any:
    if allow_singular or lower_limit is not None or rng is not None:
        refuse("scipy.stats.multivariate_normal.cdf has a derivative without allow_singular, lower_limit and rng")
    size = np.size(mean) if mean is not None else np.shape(np.atleast_1d(cov))[0]
    x = np.asarray(x) * 1.0
    if size == 1:
        x = np.reshape(x, (*np.shape(x), 1)) if np.ndim(x) < 2 else x
    away = x if mean is None else x - np.reshape(mean, (-1,))
    points = np.reshape(away, (-1, size))
    found = corner(points, matrix(cov, size), {"maxpts": maxpts, "abseps": abseps, "releps": releps})
    return np.squeeze(np.reshape(found, np.shape(away)[:-1]))[()]


@definition_of(stats.multivariate_normal.logcdf)
def normal_logcdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False, maxpts: Any = None,
                  abseps: Any = 1e-5, releps: Any = 1e-5, *, lower_limit: Any = None, rng: Any = None) -> Any:
    return np.log(normal_cdf(x, mean, cov, allow_singular, maxpts, abseps, releps, lower_limit=lower_limit, rng=rng))
