"""Functions of `scipy.linalg` of stacks of matrices or vectors: SciPy calls them for each one, and so do programs.

    qr(a) for a of shape (..., m, n)  =  qr of each (m, n), stacked

How many axes an argument has that is no stack is read off what SciPy wraps its functions in; of those that take stacks
by themselves, it is said here. Several results are a list, as SciPy gives them.

>>> over_stacks(np.trace, (("a", 2),))(np.ones((3, 2, 2)))
array([2., 2., 2.])
"""

from __future__ import annotations

import inspect
import math
import types
from typing import Any

import numpy as np
import scipy.linalg

from ccc.compile.frontend.numpy_functions.table import STACKED

linalg: Any = scipy.linalg


BY_THEMSELVES: dict[Any, Any] = {
    getattr(linalg, name): cores for name, cores in {
        "expm": (("A", 2),), "sqrtm": (("A", 2),), "lu": (("a", 2),), "circulant": (("c", 1),), "fiedler": (("a", 1),),
        "companion": (("a", 1),), "toeplitz": (("c", 1), ("r", 1)), "convolution_matrix": (("a", 1),),
    }.items()
}
"""Functions that take stacks by themselves."""


def axes_of_one(x: Any, core: Any) -> Any:
    """How many of the axes of an argument are not of a stack; "1|2" are those of a vector, or else of a matrix."""
    return (min(np.ndim(x), 2) if core == "1|2" else core) if x is not None else 0


def stacked(rows: Any, shape: Any) -> Any:
    """Results of one shape in a stack of this shape."""
    if np.iscomplexobj(rows[0]):
        return stacked([np.real(z) for z in rows], shape) + 1j * stacked([np.imag(z) for z in rows], shape)
    found = np.array(rows) if np.ndim(rows[0]) == 0 else np.stack(rows)
    return np.reshape(found, (*shape, *np.shape(rows[0])))


def over_stacks(function: Any, cores: Any) -> Any:
    """The definition of a function at stacks of its first arguments, which have these names and axes."""
    names, itself = tuple([name for name, _ in cores]), function in BY_THEMSELVES

    def definition(*args: Any, **options: Any) -> Any:
        given = list(args[:len(cores)])
        for name in names[len(args):]:
            if name in options:
                given.append(options.pop(name))
        counts = [np.ndim(x) - axes_of_one(x, core) for x, (_, core) in zip(given, cores, strict=False)]
        shape = np.broadcast_shapes(*[np.shape(x)[:n] for x, n in zip(given, counts, strict=True) if x is not None])
        rows = [None if x is None else np.reshape(np.broadcast_to(x, (*shape, *np.shape(x)[n:])),
                                                  (math.prod(shape), *np.shape(x)[n:]))
                for x, n in zip(given, counts, strict=True)]
        found = [function(*[None if row is None else row[i] for row in rows], *args[len(cores):], **options)
                 for i in range(math.prod(shape))]
        if not isinstance(found[0], tuple):
            return stacked(found, shape)
        results = [stacked([parts[k] for parts in found], shape) for k in tuple(range(len(found[0])))]
        return tuple(results) if itself else results

    return definition


CORES = dict(BY_THEMSELVES)
for wrapped in vars(linalg).values():
    if isinstance(wrapped, types.FunctionType):
        cells = inspect.getclosurevars(wrapped).nonlocals
        if "n_arrays" in cells:
            CORES[wrapped] = tuple(zip(cells["names"], cells["ndims"], strict=True))
STACKED.update({function: (cores, over_stacks(function, cores)) for function, cores in CORES.items()})
