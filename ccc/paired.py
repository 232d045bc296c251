"""Complex numbers and arrays of Python and NumPy as pairs of reals, which they are in programs, and back.

>>> is_complex(1j), complex_of(1.0, -0.0)
(True, (1-0j))
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ccc.later import run

PAIRS: list[type] = []
"""The class of the pairs that complex numbers are in programs, which enters itself when its module is loaded."""
PAIRED = "ccc.primitives.complexes"
"""That module."""


def is_complex(value: Any) -> bool:
    """Whether a value is a complex number or array of Python's or NumPy's.

    >>> is_complex(1j), is_complex(np.ones(2, complex)), is_complex(np.ones(2)), is_complex(1.0)
    (True, True, False, False)
    """
    cls: type = type(value)
    if cls is np.ndarray or cls is np.memmap:  # which computes as any array does
        return value.dtype.kind == "c"
    return cls is complex or issubclass(cls, np.complexfloating)


def pair_class() -> type:
    """The class of the pairs, whose module is loaded where it is not yet.

    >>> pair_class().__name__
    'Complex'
    """
    run(importlib.import_module(PAIRED))
    return PAIRS[0]


def complex_of(real: Any, imag: Any) -> Any:
    """The complex number or array of Python's or NumPy's with these parts; None where these are no numbers of theirs.

    >>> complex_of(1.0, -0.0), complex_of(np.float32(1), np.float32(2)), complex_of(np.ones(1), np.zeros(1))
    ((1-0j), np.complex64(1+2j), array([1.+0.j]))
    """
    if type(real) is float and type(imag) is float:
        return complex(real, imag)
    for part in (real, imag):
        if not isinstance(part, (int, float, np.number, np.ndarray)) or (
                isinstance(part, np.ndarray) and part.dtype.kind == "c"):
            return None
    if not isinstance(real, (np.ndarray, np.number)) and not isinstance(imag, (np.ndarray, np.number)):
        return complex(real, imag)
    found = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), np.result_type(real, imag, np.complex64))
    found.real, found.imag = real, imag
    return found if isinstance(real, np.ndarray) or isinstance(imag, np.ndarray) else found[()]
