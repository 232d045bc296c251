"""The distributions of `scipy.stats` of several variables.

    multivariate_normal.logpdf(x, mean, cov)  =  -(|L^-1 (x - mean)|^2 + d log(2 pi)) / 2 - sum of log diag L
    dirichlet.logpdf(x, alpha)  =  sum of (alpha - 1) log x - log B(alpha)

L is the Cholesky factor of the lower triangle of `cov`. Where it has none, this raises as NumPy does; SciPy's limit for
matrices that are nearly singular is not that of the factor. The other errors are SciPy's.

>>> multinormal_logpdf(np.zeros(2), np.zeros(2), 1.0).round(12)
np.float64(-1.837877066409)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.stats

from ccc.additive import ZERO, Zero
from ccc.objects import Array, Object, array
from ccc.primitives import matrices, shaping
from ccc.primitives.adaptors import np_broadcast_to, np_diag, np_reshape
from ccc.primitives.adaptors_reductions import np_sum
from ccc.primitives.arguments import flag
from ccc.primitives.arithmetic import to_float64
from ccc.primitives.bilinear import rank_of
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.decompositions import cholesky
from ccc.primitives.elementary_numpy import exp, log
from ccc.primitives.facts import ENTRIES, MAY, NEVER, NEW, SYSTEMS
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.scipy_linalg import triangular
from ccc.primitives.scipy_special import gammaln, xlogy
from ccc.primitives.scipy_univariate import number
from ccc.primitives.shaping import axes_of

stats: Any = scipy.stats


def squeezed(x: Any) -> Any:
    """Without axes of size 1; what has no axis left is a number."""
    found = shaping.squeeze(x) if axes_of(kind_of(x)) != () else x
    kind = kind_of(found)
    return to_float64(found) if isinstance(kind, Array) and kind.axes == () else found


# -- the normal distribution -----------------------------------------------------------------------------------------


def is_single(x: Any, mean: Any, cov: Any) -> bool:
    """Whether there is one component; raises `TypeError` where that is not known and `x` may be a point or several."""
    given = [axes_of(kind_of(a)) for a in (mean, cov) if a is not None]
    if given[0] == () or (mean is None and len(given[0] or ("", "")) < 2):
        return True
    sizes = {axes[0] for axes in given if axes and (len(axes) == 2 or axes is given[0])}
    if not sizes & {"1", "n"} and rank_of(x) != 2:
        raise TypeError("scipy.stats.multivariate_normal needs a mean whose size is known to be 1 or not, or points as "
                        "rows: np.atleast_2d(x)")
    return "1" in sizes


def covariance(cov: Any, mean: Any) -> Any:
    """The covariance of several components as a matrix: a number is that of each, a vector has one for each."""
    rank = rank_of(cov)
    if rank == 0:
        cov = np_broadcast_to(cov, (shaping.dim(mean, axis=0),))
    return cov if rank == 2 else np_diag(cov)


NEGLIGIBLE = 1e6 * np.finfo(float).eps
"""Of the largest eigenvalue, what SciPy takes for zero."""


def _regular(a: Any) -> Any:
    """A covariance, of which no eigenvalue is zero; raises `LinAlgError` for others."""
    found = np.abs(np.linalg.eigvalsh(a))
    if found.size and np.min(found) <= NEGLIGIBLE * np.max(found):
        raise np.linalg.LinAlgError("the covariance is singular: the density on its support is not supported")
    return np.array(a)


regular = Primitive(
    "regular_covariance", _regular, lambda p, args, params: args[0], "regular_covariance({})",
    lambda ct, y, a: (ct,), lambda ds, y, a: ds[0], memory=NEW, work=SYSTEMS, raises=MAY,
)


def multinormal_logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    x, cov, mean = number(x), number(1.0 if cov is None else cov), None if mean is None else number(mean)
    rank = rank_of(x)
    if rank is None or rank > 2:
        raise TypeError("scipy.stats.multivariate_normal has a derivative for a point and a matrix of points")
    if is_single(x, mean, cov):
        matrix = np_reshape(cov, (1, 1))
        x = np_reshape(x, (-1, 1)) if rank < 2 else x
        mean = None if mean is None else np_reshape(mean, (1,))
    else:
        matrix = covariance(cov, mean)
        x = np_reshape(x, (1, -1)) if rank < 2 else x
    away = x if mean is None else x - mean
    factor = cholesky(regular(matrix) if flag("allow_singular", allow_singular) else matrix)
    white = triangular(factor, matrices.turned(away), lower=True, trans=0, unit=False)
    constant = np_sum(log(np_diag(factor))) + shaping.dim(factor, axis=0) * (0.5 * math.log(2.0 * math.pi))
    return squeezed(-0.5 * np_sum(white * white, 0) - constant)


def multinormal_pdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    return exp(multinormal_logpdf(x, mean, cov, allow_singular))


# -- Dirichlet's distribution ----------------------------------------------------------------------------------------


def _completed(x: Any, alpha: Any) -> Any:
    """A point of the simplex, of which the last entry may be left out; raises what SciPy raises."""
    stats.dirichlet.logpdf(x, alpha)
    return _along(x, alpha) + (np.arange(len(alpha)) == len(x)).reshape(-1, *[1] * (np.ndim(x) - 1))


def _along(d: Any, alpha: Any) -> Any:
    return np.array(d) if len(d) == len(alpha) else np.concatenate([d, -np.sum(d, axis=0, keepdims=True)])


def _onto(ct: Any, x: Any) -> Any:
    return np.array(ct) if len(ct) == len(x) else ct[:-1] - ct[-1:]


def _completed_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    x, alpha = map(axes_of, args)
    return array("float64", None if x is None or alpha is None else (*alpha[:1], *x[1:]))


simplex_along = linear("simplex_along", _along, _completed_type, "simplex_along({}, {})",
                       lambda g, y, d, alpha: (simplex_onto(g, d), ZERO), memory=NEW, work=ENTRIES, sizes=(1,),
                       raises=NEVER)
simplex_onto = linear("simplex_onto", _onto, lambda p, args, params: args[1], "simplex_onto({}, {})",
                      lambda g, y, ct, x: (simplex_along(g, ct), ZERO), memory=NEW, work=ENTRIES, sizes=(1,),
                      raises=NEVER)
completed = Primitive(
    "on_simplex", _completed, _completed_type, "on_simplex({}, {})",
    lambda ct, y, x, alpha: (simplex_onto(ct, x), ZERO),
    lambda ds, y, x, alpha: ZERO if isinstance(ds[0], Zero) else simplex_along(ds[0], alpha), memory=NEW, work=ENTRIES,
    raises=MAY,
)


def dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    alpha = number(alpha)
    x = completed(number(x), alpha)
    if rank_of(x) not in (1, 2):
        raise TypeError("scipy.stats.dirichlet has a derivative for a point and a matrix of points")
    x = matrices.turned(x) if rank_of(x) == 2 else x
    return squeezed(np_sum(xlogy(alpha - 1.0, x), -1) + gammaln(np_sum(alpha)) - np_sum(gammaln(alpha)))


def dirichlet_pdf(x: Any, alpha: Any) -> Any:
    return exp(dirichlet_logpdf(x, alpha))


FUNCTIONS: dict[Any, Any] = {
    stats.multivariate_normal.logpdf: multinormal_logpdf, stats.multivariate_normal.pdf: multinormal_pdf,
    stats.dirichlet.logpdf: dirichlet_logpdf, stats.dirichlet.pdf: dirichlet_pdf,
}
