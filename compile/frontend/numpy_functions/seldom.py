"""The definitions that most programs do without, loaded together when a function is asked for that may have one.

>>> import numpy as np
>>> from ccc.compile.frontend.numpy_functions.table import DEFINED
>>> np.interp in DEFINED, np.polyval in DEFINED
(True, True)
"""

from ccc.compile.frontend.numpy_functions import (
    calculus,
    elementwise,
    functional,
    iterators,
    joining,
    padding,
    polynomial_objects,
    polynomials,
    selections,
    shapes,
    statistics,
)

__all__ = ["calculus", "elementwise", "functional", "iterators", "joining", "padding", "polynomial_objects",
           "polynomials", "selections", "shapes", "statistics"]
