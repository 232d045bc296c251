"""Verbs made of those of `compile.api`, in the language that is compiled: in programs they are read as any function.

Jacobians and Hessians are arrays with the axes of the value first, then those of the argument; each, and each product
with one, is one compiled program. The names of JAX have JAX's signatures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from compile.api import compiled, gradient, value_with_differential, value_with_gradient, value_with_pullback


def hvp(f: Callable[..., Any], *, backend: str | None = None) -> Callable[[Any, Any], Any]:
    """The Hessian of a function of one argument times a vector: `hvp(f)(x, v)`, forward mode over reverse mode.

    >>> import numpy as np
    >>> hvp(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    array([  6., 120.])

    Arguments and errors are those of `gradient`; the vector has the structure of `x`.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    gradient_and_its_differential = value_with_differential(gradient(f))

    def product(x: Any, v: Any) -> Any:
        _, differential = gradient_and_its_differential(x)
        return differential(v)

    return compiled(product, backend=backend)


def jacobian(f: Callable[..., Any], *, wrt: Any = 0, backend: str | None = None) -> Callable[..., Any]:
    """The Jacobian of a function of numbers and arrays in the argument `wrt`, by reverse mode, a row at a time.

    >>> import numpy as np
    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])

    The result has the shape of the value followed by that of the argument. Raises what `value_with_pullback` raises.

    Source: the Zygote notebook, "Jacobian".
    """
    at = value_with_pullback(f, wrt=wrt)

    def rows(*args: Any) -> Any:
        value, pullback = at(*args)
        if np.ndim(value) == 0:
            return pullback(1.0)
        size = np.size(value)
        seeds = np.reshape(np.eye(size), (size, *np.shape(value)))
        found = np.array([pullback(seed) for seed in seeds])
        return np.reshape(found, (*np.shape(value), *np.shape(found)[1:]))

    return compiled(rows, backend=backend)


def jacfwd(f: Callable[..., Any], argnums: int = 0, *, backend: str | None = None) -> Callable[..., Any]:
    """The Jacobian in one argument, by forward mode, a column at a time.

    >>> import numpy as np
    >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])

    The result is that of `jacobian`; the signature is JAX's. Raises what `value_with_differential` raises.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    at = value_with_differential(f, wrt=argnums)

    def columns(*args: Any) -> Any:
        value, differential = at(*args)
        x = args[argnums]
        if np.ndim(x) == 0:
            return differential(1.0)
        size = np.size(x)
        moves = np.reshape(np.eye(size), (size, *np.shape(x)))
        found = np.array([differential(move) for move in moves])
        return np.reshape(np.transpose(np.reshape(found, (size, -1))), (*np.shape(value), *np.shape(x)))

    return compiled(columns, backend=backend)


def jacrev(f: Callable[..., Any], argnums: int = 0, *, backend: str | None = None) -> Callable[..., Any]:
    """The Jacobian in one argument, by reverse mode: `jacobian` with JAX's signature.

    >>> import numpy as np
    >>> jacrev(lambda x, y: x * y, argnums=1)(np.array([1.0, 2.0]), 3.0)
    array([1., 2.])

    Shapes, dtypes and errors are those of `jacobian`.

    Source: the Zygote notebook, "Jacobian".
    """
    return jacobian(f, wrt=argnums, backend=backend)


def hessian(f: Callable[..., Any], *, wrt: int = 0, backend: str | None = None) -> Callable[..., Any]:
    """The matrix of second derivatives of a function with a scalar result, forward mode over reverse mode.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 3.0]))
    array([[6., 2.],
           [2., 0.]])

    The result has the axes of the argument `wrt` twice. Raises what `gradient` raises.

    Source: the Zygote notebook, "Hessian".
    """
    return jacfwd(gradient(f, wrt=wrt), wrt, backend=backend)


def grad(f: Callable[..., Any], argnums: Any = 0, *, backend: str | None = None) -> Callable[..., Any]:
    """`gradient` with JAX's signature: of the first argument, or of those in `argnums`.

    >>> grad(lambda x, y: x * y)(2.0, 3.0), grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    (3.0, (3.0, 2.0))

    Shapes, dtypes and errors are those of `gradient`.

    Source: *Differentiable functions and differentiation APIs*, `gradient(of:)`.
    """
    return gradient(f, wrt=argnums, backend=backend)


def value_and_grad(f: Callable[..., Any], argnums: Any = 0, *, backend: str | None = None) -> Callable[..., Any]:
    """`value_with_gradient` with JAX's signature.

    >>> value_and_grad(lambda x, y: x * y)(2.0, 3.0)
    (6.0, 3.0)

    Shapes, dtypes and errors are those of `gradient`.

    Source: *Differentiable functions and differentiation APIs*, `valueWithGradient(of:)`.
    """
    return value_with_gradient(f, wrt=argnums, backend=backend)


def vjp(f: Callable[..., Any], *primals: Any, backend: str | None = None) -> Any:
    """The value and the pullback, with JAX's signature: the pullback gives a tuple of cotangents.

    >>> value, pullback = vjp(lambda x: x * x, 3.0)
    >>> value, pullback(1.0)
    (9.0, (6.0,))

    Shapes, dtypes and errors are those of `value_with_pullback`.

    Source: *The Differentiable Curry*, `vjp`.
    """
    return value_with_pullback(f, wrt=tuple([i for i, _ in enumerate(primals)]), backend=backend)(*primals)


def jvp(f: Callable[..., Any], primals: Any, tangents: Any, *, backend: str | None = None) -> Any:
    """The value and its tangent, with JAX's signature.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)

    Shapes, dtypes and errors are those of `value_with_differential`.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    value, differential = value_with_differential(f, backend=backend)(*primals)
    return value, differential(*tangents)
