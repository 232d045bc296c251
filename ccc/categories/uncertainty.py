"""First-order uncertainty: beside a value stand its slopes in so many sources of error, all found in one run.

    cov(y)  =  J C J^T        J the slopes, C the covariances of the sources

Where two arguments share a source, they are correlated; so are all results. `x - x` is certain.

>>> import ccc
>>> k = Uncertainty(2)
>>> y = ccc.interpret(lambda a, b: a * b, k)((3.0, 1.0, 0.0), (4.0, 0.0, 1.0))
>>> y, k.deviation(y, [[0.01, 0.0], [0.0, 0.04]])
((12.0, 4.0, 3.0), 0.7211102550927979)

Reference: *Guide to the Expression of Uncertainty in Measurement* (JCGM 100:2008), section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, dense
from ccc.arrows import Prim
from ccc.categories.layered import Layered, Layers
from ccc.errors import MissingDerivative
from ccc.primitives import zero_trees


class Uncertainty(Layered):
    """Values with their slopes in a number of `sources`; of an argument that is the i-th, slope 1 in it.

    >>> import ccc
    >>> ccc.interpret(lambda x: x - x, Uncertainty(1))((2.0, 1.0))
    (0.0, 0.0)

    Raises `MissingDerivative` at a primitive that has no derivative and whose arguments move.
    """

    tangents = True

    def __init__(self, sources: int = 1) -> None:
        super().__init__()
        self.layers = sources + 1

    def element(self, number: Callable[[], Any]) -> Layers:
        return tuple([number() for _ in range(self.layers)])

    def operation(self, term: Prim, *xs: Layers) -> Any:
        p, params, values = term.primitive, dict(term.params), [x[0] for x in xs]
        y = self.base.apply(p, tuple(values), params, term.label)
        zero = self.base.apply(zero_trees.zeros_like, (y,), {}, None)
        found = [y]
        for layer in range(1, self.layers):
            moving = self.moving(term, [x[layer] for x in xs])
            ds = tuple([x[layer] if i in moving else ZERO for i, x in enumerate(xs)])
            if not moving:
                found.append(zero)
                continue
            if p.differential is None:
                raise MissingDerivative(f"`{p.name}` has no derivative", "give it one with ccc.derivative_of")
            dy = dense(p.differential(ds, y, *values, **params))
            found.append(zero if isinstance(dy, Zero) else dy)
        return found

    def deviation(self, y: Layers, covariance: Sequence[Sequence[float]]) -> Any:
        """The standard deviations of a result, for covariances of the sources.

        >>> Uncertainty(1).deviation((5.0, np.array([3.0, -4.0])), [[0.25]])
        array([1.5, 2. ])
        """
        slopes = np.stack([np.asarray(layer, float) for layer in y[1:]])
        found = np.sqrt(np.einsum("i...,ij,j...->...", slopes, np.asarray(covariance, float), slopes))
        return float(found) if found.ndim == 0 else found
