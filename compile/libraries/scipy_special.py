"""Functions of `scipy.special` that give arrays of all degrees up to one, and sums of exponentials of complex numbers.

    (1 - x^2) y'' = 2 x y' - (n (n + 1) - m^2 / (1 - x^2)) y        of Legendre functions, given with slopes

>>> lqn(1, 0.0)[0]
array([ 0., -1.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import definition_of, hosted, refuse
from ccc.compile.libraries import (
    scipy_harmonics_of_ellipsoids as scipy_harmonics_of_ellipsoids,
    scipy_orthogonal_objects as scipy_orthogonal_objects,
    scipy_quadratures as scipy_quadratures,
)
from ccc.primitives.complex_functions import FUNCTIONS
from ccc.primitives.complex_order import as_arrays
from ccc.primitives.complexes import Complex

special: Any = scipy.special


def of_scipy(m: Any, n: Any, x: Any) -> Any:
    """Values and slopes of the second kind, of all orders up to `m` and degrees up to `n`."""
    return np.array(special.lqmn(m, n, x))


def legendre(m: Any, n: Any, x: Any) -> Any:
    return hosted(of_scipy, np.zeros((2, 2, 2)), m, n, x)


def legendre_rule(m: Any, n: Any, x: Any) -> Any:
    found = legendre(m, n, x)

    def pulled(ct: Any) -> Any:
        order, degree, w = np.arange(m + 1.0)[:, None], np.arange(n + 1.0), 1.0 - x * x
        bend = (2.0 * x * found[1] - (degree * (degree + 1.0) - order * order / w) * found[0]) / w
        return None, None, np.sum(ct[0] * found[1] + ct[1] * bend)

    return found, pulled


RULES[legendre] = legendre_rule


def at_a_real(z: Any) -> Any:
    if np.iscomplexobj(z) or np.ndim(z) > 0:
        refuse("Legendre functions of the second kind have derivatives at a real number", "take them one by one")
    return z * 1.0


@definition_of(special.lqmn)
def lqmn(m: Any, n: Any, z: Any) -> Any:
    found = legendre(m, n, at_a_real(z))
    return found[0], found[1]


@definition_of(special.lqn)
def lqn(n: Any, z: Any) -> Any:
    found = legendre(0, n, at_a_real(z))
    return found[0, 0], found[1, 0]


# -- characteristic values -------------------------------------------------------------------------------------------


def of_degrees(name: str) -> Any:
    """The definition of the characteristic values of all degrees up to one."""
    one = getattr(special, name)

    @definition_of(getattr(special, f"{name}_seq"))
    def definition(m: Any, n: Any, c: Any) -> Any:
        return one(m, np.arange(m, n + 1), c * 1.0)

    return definition


pro_cv_seq, obl_cv_seq = of_degrees("pro_cv"), of_degrees("obl_cv")


# -- sums of exponentials of complex numbers ---------------------------------------------------------------------------


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False) -> Any:
    """The greatest real part stands before the logarithm."""
    z = as_arrays(a)
    weights = as_arrays(1.0 if b is None else b)
    counts = weights != 0.0
    real = np.where(counts, z.real, -np.inf)
    top = np.max(real, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    raised = np.exp(Complex(real - top, np.where(counts, z.imag, 0.0)))
    total = np.sum(weights * raised, axis=axis, keepdims=True)
    found, sign = np.log(total) + top, np.sign(total)
    if not keepdims:
        found, sign = np.squeeze(found, axis)[()], np.squeeze(sign, axis)[()]
    return (found.real, sign) if return_sign else found


def softmax(x: Any, axis: Any = None) -> Any:
    raised = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return raised / np.sum(raised, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = None) -> Any:
    lowered = x - np.max(x, axis=axis, keepdims=True)
    return lowered - np.log(np.sum(np.exp(lowered), axis=axis, keepdims=True))


FUNCTIONS.update({special.logsumexp: logsumexp, special.softmax: softmax, special.log_softmax: log_softmax})
