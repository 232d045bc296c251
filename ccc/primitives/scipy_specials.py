"""All functions of `scipy.special` that are known.

>>> import scipy.special
>>> FUNCTIONS[scipy.special.gammainc], FUNCTIONS[scipy.special.erf]
(Primitive('scipy.special.gammainc'), Primitive('scipy.special.erf'))
"""

from __future__ import annotations

from typing import Any

from ccc.primitives import (
    scipy_characteristic,
    scipy_complex,
    scipy_densities,
    scipy_equations,
    scipy_harmonics,
    scipy_incomplete,
    scipy_integrals,
    scipy_inverses,
    scipy_orthogonal,
    scipy_special,
)

FUNCTIONS: dict[Any, Any] = (
    scipy_special.FUNCTIONS | scipy_incomplete.FUNCTIONS | scipy_orthogonal.FUNCTIONS | scipy_integrals.FUNCTIONS
    | scipy_characteristic.FUNCTIONS | scipy_equations.FUNCTIONS | scipy_inverses.FUNCTIONS | scipy_complex.FUNCTIONS
    | scipy_harmonics.FUNCTIONS | scipy_densities.FUNCTIONS
)
COMPLEX: dict[Any, Any] = scipy_complex.COMPLEX
