"""Convolutions of `scipy.signal` along one axis, by those of NumPy; of `same` the size is that of the first argument.

>>> import numpy as np, scipy.signal
>>> FUNCTIONS[scipy.signal.fftconvolve](np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0]), mode="same")
array([1., 3., 5.])
"""

from __future__ import annotations

from typing import Any

import scipy.signal

from ccc.primitives import arithmetic, shaping
from ccc.primitives.adaptors import real_array
from ccc.primitives.adaptors_arrays import np_convolve
from ccc.primitives.arguments import Left
from ccc.primitives.bilinear import rank_of
from ccc.primitives.indexing import index

signal: Any = scipy.signal


def sp_convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    a, b = real_array(in1), real_array(in2)
    if rank_of(a) != 1 or rank_of(b) != 1:
        raise Left("a convolution of other arrays than vectors is left to a definition")
    if mode != "same":
        return np_convolve(a, b, mode)
    n = shaping.dim(a, axis=0)
    start = arithmetic.floordiv(arithmetic.sub(shaping.dim(b, axis=0), 1), 2)
    return index(np_convolve(a, b, "full"), start, arithmetic.add(start, n), pattern=("s12",))


def sp_fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    if axes is not None:
        raise Left("a convolution along some axes is left to a definition")
    return sp_convolve(in1, in2, mode)


FUNCTIONS: dict[Any, Any] = {signal.convolve: sp_convolve, signal.fftconvolve: sp_fftconvolve}
