"""`ccc.scipy`: functions of structures as the functions of vectors that `scipy.optimize` takes.

>>> import numpy as np
>>> fit = objective(lambda p, x: np.sum((p["w"] * x - p["b"]) ** 2), {"w": np.ones(2), "b": 0.5}, np.array([1.0, 2.0]))
>>> fit.x0, fit(fit.x0)
(array([1. , 1. , 0.5]), (2.5, array([ 1.,  6., -4.])))
>>> fit.unravel(np.array([1.0, 2.0, 3.0]))
{'w': array([1., 2.]), 'b': 3.0}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.api.jacobians import jacobian
from ccc.compile.api.transforms import compiled, value_with_gradient
from ccc.compile.api.verbs import hvp
from ccc.compile.diagnostics import WrongArguments, public, telling
from ccc.records import mapped, parts_of


def varies(x: Any) -> bool:
    """Whether a leaf of a structure is a number or array that an optimiser varies."""
    return isinstance(x, (float, np.floating)) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")


def leaves_of(x: Any) -> list[Any]:
    """The leaves of a structure, left to right."""
    parts = parts_of(x)
    return [x] if parts is None else [leaf for part in parts for leaf in leaves_of(part)]


class Raveled:
    """A structure as a vector of float64: its real numbers and arrays, left to right; what else it holds stays."""

    def __init__(self, start: Any) -> None:
        self.start = start
        self.varied = [varies(leaf) for leaf in leaves_of(start)]
        if not any(self.varied):
            raise WrongArguments("there is no real number in what the optimiser starts at", "CC025",
                                 "give floats and arrays of floats")
        self.x0 = self.ravel(start)

    def ravel(self, structure: Any) -> Any:
        """The vector of a structure like the start, new and contiguous; where a cotangent is None it is zero."""
        found = [np.ravel(np.zeros_like(x) if leaf is None else leaf)
                 for leaf, x, there in zip(self.beside(structure), leaves_of(self.start), self.varied, strict=True)
                 if there]
        return np.concatenate(found).astype(float)

    def beside(self, structure: Any) -> list[Any]:
        """What a structure has at the leaves of the start."""
        found: list[Any] = []
        mapped(lambda _, other: found.append(other), self.start, structure)
        return found

    def unravel(self, x: Any) -> Any:
        """The structure of a vector, with the classes, shapes and dtypes of the start, and what else that holds."""
        return self.structure(x, moving=False)

    def structure(self, x: Any, moving: bool) -> Any:
        """The structure of a vector; of one that says how the others are `moving`, with None for what stays."""
        x, at = np.asarray(x, float), 0
        if x.shape != self.x0.shape:
            raise WrongArguments(f"the vector has the shape {x.shape}, that of the start has {self.x0.shape}",
                                 help="give a vector like `x0`")

        def leaf(like: Any) -> Any:
            nonlocal at
            if not varies(like):
                return None if moving else like
            part, at = x[at : at + np.size(like)], at + np.size(like)
            if isinstance(like, np.ndarray):
                return part.reshape(like.shape).astype(like.dtype)
            return type(like)(part[0])

        return mapped(leaf, self.start)


class Objective(Raveled):
    """A function of a structure as one of a vector: called, it gives the value and the gradient."""

    def __init__(self, f: Callable[..., Any], start: Any, args: tuple[Any, ...], backend: str | None) -> None:
        super().__init__(start)
        self.args = args
        self.both = value_with_gradient(f, wrt=0, backend=backend)
        self.product = hvp(f, backend=backend)

    @telling
    def __call__(self, x: Any) -> tuple[float, Any]:
        value, slope = self.both(self.unravel(x), *self.args)
        return float(value), self.ravel(slope)

    @telling
    def hessp(self, x: Any, p: Any) -> Any:
        """The Hessian at a vector times another."""
        return self.ravel(self.product(self.unravel(x), *self.args, self.structure(p, moving=True)))

    def hess(self, x: Any) -> Any:
        """The Hessian at a vector."""
        return np.array([self.hessp(x, unit) for unit in np.eye(len(self.x0))])


class Residuals(Raveled):
    """A function of a structure with an array for its value as one of a vector."""

    def __init__(self, f: Callable[..., Any], start: Any, args: tuple[Any, ...], backend: str | None) -> None:
        super().__init__(start)
        self.args = args
        self.value = compiled(f, backend=backend)
        self.rows = jacobian(f, backend=backend)

    @telling
    def __call__(self, x: Any) -> Any:
        return np.ravel(self.value(self.unravel(x), *self.args)).astype(float)

    @telling
    def jac(self, x: Any) -> Any:
        """The Jacobian at a vector: a row for each residual."""
        found, count = self.rows(self.unravel(x), *self.args), np.size(self(x))
        parts = [np.zeros((count, np.size(like))) if leaf is None else np.reshape(leaf, (count, np.size(like)))
                 for leaf, like, there in zip(self.beside(found), leaves_of(self.start), self.varied, strict=True)
                 if there]
        return np.concatenate(parts, 1).astype(float)


@public
def objective(f: Callable[..., Any], start: Any, *args: Any, backend: str | None = None) -> Objective:
    """A function of a structure, and of further arguments, for `scipy.optimize.minimize`.

    >>> import numpy as np
    >>> fit = objective(lambda p: (p["a"] - 1.0) ** 2 + (p["b"] - p["a"] ** 2) ** 2, {"a": 2.0, "b": 1.0})
    >>> fit(fit.x0), fit.hessp(fit.x0, np.array([1.0, 0.0]))
    ((10.0, array([26., -6.])), array([46., -8.]))

    `minimize(fit, fit.x0, jac=True, hessp=fit.hessp)` varies the real numbers and arrays of `start`, a number, array,
    list, tuple, dict or object of them; `fit.unravel(result.x)` is a structure like it. `fit(x)` gives a float and a
    new vector of float64, `fit.hess(x)` the Hessian. Raises what `gradient` raises.

    Source: *Differentiable functions and differentiation APIs*, `valueWithGradient(of:)`.
    """
    return Objective(f, start, args, backend)


@public
def residuals(f: Callable[..., Any], start: Any, *args: Any, backend: str | None = None) -> Residuals:
    """A function of a structure that gives an array, for `scipy.optimize.least_squares` and `root`.

    >>> import numpy as np
    >>> off = residuals(lambda p, x: p["a"] * x + p["b"], {"a": 2.0, "b": 1.0}, np.array([1.0, 3.0]))
    >>> off(off.x0).tolist(), off.jac(off.x0).tolist()
    ([3.0, 7.0], [[1.0, 1.0], [3.0, 1.0]])

    `least_squares(off, off.x0, jac=off.jac)` and `root(off, off.x0, jac=off.jac)` vary what `objective` varies. Raises
    what `jacobian` raises.

    Source: the Zygote notebook, "Jacobian".
    """
    return Residuals(f, start, args, backend)


__all__ = ["objective", "residuals"]
