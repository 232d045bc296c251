"""Functions of matrices of `scipy.linalg` that are power series, and their derivatives of every order.

    f([[A, E], [0, A]])  =  [[f(A), Df(A)(E)], [0, f(A)]]           and so on, with a block for each set of directions
    <C, D^k f(A)(E, F, ..)>  =  <E, D^k f(A^T)(C, F^T, ..)>         d<C, f(A)>  =  <dA, Df(A^T)(C)>

>>> scipy_function("sinm")(np.zeros((1, 1))), slope(np.ones((1, 1)), np.zeros((1, 1)), of="sinm", order=1)
(array([[0.]]), array([[1.]]))

References: *Functions of Matrices* (Higham), 3.2; Mathias, *A chain rule for matrix functions and applications* (1996).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.additive import Zero, total
from ccc.objects import Object
from ccc.primitives.facts import MAY, NEW, SYSTEMS, separately
from ccc.primitives.matrices import matrix_type, turned
from ccc.primitives.primitive import Primitive
from ccc.primitives.reductions import call_source

linalg: Any = scipy.linalg


def real_value(a: Any, of: str) -> Any:
    """What a function gives of a real matrix; raises `ValueError` where that is not real."""
    found = getattr(linalg, of)(a)
    if np.iscomplexobj(found):
        raise ValueError(f"scipy.linalg.{of}: what it gives of this matrix is not real")
    return np.asarray(found, a.dtype)


def _slope(*xs: Any, of: str, order: int) -> Any:
    """The derivative along several directions: a block of the function of a matrix of 2^order by 2^order blocks."""
    *ds, a = xs
    n, count = len(a), 2**order
    wide = np.zeros((count * n, count * n), a.dtype)
    for i in range(count):
        wide[i * n : (i + 1) * n, i * n : (i + 1) * n] = a
        for k, d in enumerate(ds):
            if not i >> k & 1:
                j = i | 1 << k
                wide[i * n : (i + 1) * n, j * n : (j + 1) * n] = d
    return real_value(wide, of)[:n, -n:].copy()


def _last_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return matrix_type(p, args[-1:], {})


def _pullback(ct: Any, y: Any, *xs: Any, of: str, order: int) -> tuple[Any, ...]:
    flipped = [turned(x) for x in xs]
    along = [slope(ct, *flipped[:k], *flipped[k + 1 :], of=of, order=order) for k in range(order)]
    return *along, slope(ct, *flipped, of=of, order=order + 1)


def _differential(ds: tuple[Any, ...], y: Any, *xs: Any, of: str, order: int) -> Any:
    found = [slope(*xs[:k], d, *xs[k + 1 :], of=of, order=order)
             for k, d in enumerate(ds[:-1]) if not isinstance(d, Zero)]
    if not isinstance(ds[-1], Zero):
        found.append(slope(*xs[:-1], ds[-1], xs[-1], of=of, order=order + 1))
    return total(found)


slope = Primitive(
    "matrix_slope", _slope, _last_type, call_source("matrix_slope"), _pullback, _differential, memory=NEW, work=SYSTEMS,
    linear=lambda params: separately(*range(params.get("order", 1))), raises=MAY,
)
"""`slope(d, e, a, of="expm", order=2)`: the second derivative of a function at a, along d and e."""


def scipy_function(name: str) -> Primitive:
    """The primitive that stands for a function of matrices."""
    return Primitive(
        f"scipy.linalg.{name}", lambda a: real_value(a, name), matrix_type, f"scipy.linalg.{name}({{}})",
        lambda ct, y, a: (slope(ct, turned(a), of=name, order=1),), lambda ds, y, a: slope(ds[0], a, of=name, order=1),
        memory=NEW, work=SYSTEMS, raises=MAY,
    )
