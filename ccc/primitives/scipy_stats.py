"""What is known of `scipy.stats`: distributions of one variable and of several, and what they give when called.

>>> import scipy.stats
>>> FUNCTIONS[scipy.stats.norm.cdf](0.0), FROZEN[scipy.stats.norm].of is scipy.stats.norm
(np.float64(0.5), True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.stats

from ccc.primitives import scipy_multivariate, scipy_univariate
from ccc.primitives.frozen import ARGUMENTS, FROZEN, HOLDERS, Arguments, frozen_class

stats: Any = scipy.stats
FUNCTIONS: dict[Any, Any] = scipy_univariate.FUNCTIONS | scipy_multivariate.FUNCTIONS
UNIVARIATE = {(type(of), of.name): of for of in vars(stats).values()
              if isinstance(of, (stats.rv_continuous, stats.rv_discrete))}
"""Distributions of one variable: one class may have some, as those of von Mises on the circle and on the line."""
KEPT: dict[str, tuple[str, ...]] = {
    "multivariate_t": ("loc", "shape", "df"), "wishart": ("df", "scale"), "invwishart": ("df", "scale"),
    "matrix_normal": ("mean", "rowcov", "colcov"), "multinomial": ("n", "p"), "dirichlet_multinomial": ("alpha", "n"),
}
"""What frozen distributions of several variables keep."""
SEVERAL = {name: getattr(stats, name) for name in ("multivariate_normal", "dirichlet", *KEPT)}


def base_of(x: Any, name: str) -> type:
    """The class of this name among those of an object."""
    return next(cls for cls in type(x).__mro__ if cls.__name__ == name)


def univariate(x: Any) -> Arguments | None:
    """Of a frozen distribution of one variable, where it is one of SciPy's."""
    of = UNIVARIATE.get((type(x.dist), x.dist.name))
    return None if of is None or (x.dist.a, x.dist.b) != (of.a, of.b) else (of, x.args, x.kwds)


def multinormal(x: Any) -> Arguments | None:
    """Of a frozen normal distribution that is not singular."""
    singular = x.allow_singular
    return None if singular else (stats.multivariate_normal, (x.mean, x.cov_object.covariance), {})


def dirichlet(x: Any) -> Arguments | None:
    return stats.dirichlet, (x.alpha,), {}


def kept(name: str) -> Callable[[Any], Arguments | None]:
    """Of a frozen distribution that keeps its parameters as they are, where no matrix may be singular."""
    return lambda x: None if getattr(x, "allow_singular", False) else (
        SEVERAL[name], tuple([getattr(x, label) for label in KEPT[name]]), {})


RV_FROZEN = base_of(stats.norm(), "rv_frozen")
FROZEN.update({of: frozen_class(of, of.name, RV_FROZEN) for of in UNIVARIATE.values()})
FROZEN.update({of: frozen_class(of, name) for name, of in SEVERAL.items()})
HOLDERS.extend([base_of(stats.norm, "rv_generic"), base_of(stats.dirichlet, "multi_rv_generic")])
ARGUMENTS.update({
    RV_FROZEN: univariate, type(stats.multivariate_normal()): multinormal,
    type(stats.dirichlet([1.0, 1.0])): dirichlet,
})
ARGUMENTS.update({type(made): kept(name) for name, made in {
    "multivariate_t": stats.multivariate_t(), "wishart": stats.wishart(1, 1), "invwishart": stats.invwishart(1, 1),
    "matrix_normal": stats.matrix_normal(), "multinomial": stats.multinomial(1, [1.0]),
    "dirichlet_multinomial": stats.dirichlet_multinomial([1.0], 1),
}.items()})
