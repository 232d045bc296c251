"""Verbs made of those of `ccc.compile.api.transforms`, in the language that is compiled: in programs they are read as
any function.

Each product with a Jacobian or Hessian is one compiled program. The names of JAX have JAX's signatures.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ccc.compile.api.differentials import at_once
from ccc.compile.api.jacobians import complex_gradient, has_numbers, leaves_with_ways, names_in, put
from ccc.compile.api.transforms import (
    compiled,
    compiled_for,
    gradient,
    value_with_differential,
    value_with_gradient,
    value_with_pullback,
)
from ccc.compile.diagnostics import WrongArguments, counted, public
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.memory.interface import lists
from ccc.compile.frontend.parts import items_in, mapped

P = ParamSpec("P")
R = TypeVar("R")


@public
def hvp(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, backend: str | None = None
) -> Callable[..., Any]:
    """The Hessian times a vector: `hvp(f)(x, v)`, or `hvp(f)(x, y, v)` in `x`, forward mode over reverse mode.

    >>> import numpy as np
    >>> hvp(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    array([  6., 120.])
    >>> hvp(lambda x, y: x * x * y, argnums=(0, 1))(2.0, 3.0, (1.0, 0.0))
    (6.0, 4.0)

    Arguments and errors are those of `gradient`; the vector comes last of those without a name, and has the structure
    of the argument, or is a tuple of such where `argnums` is one. With `has_aux=True` the function returns a pair, of
    which the other part is handed out beside. Raises `DirectionMismatch` where sizes of the vector are others.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    several = isinstance(argnums, (tuple, list))
    at = value_with_differential(gradient(f, wrt=argnums, has_aux=has_aux), wrt=argnums)

    def product(*args: Any, **kwargs: Any) -> Any:
        both, differential = at(*with_vector(args, "hvp"), **kwargs)
        moved = differential(*args[-1]) if several else differential(args[-1])
        return (moved[0], both[1]) if has_aux else moved

    return compiled(product, backend=backend)


@public
def vhp(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, backend: str | None = None
) -> Callable[..., Any]:
    """A vector times the Hessian: `vhp(f)(x, v)`, reverse mode over reverse mode.

    >>> import numpy as np
    >>> vhp(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    array([  6., 120.])

    Arguments, result and errors are those of `hvp`. It is what `hvp` is, as far as second derivatives may be exchanged,
    and goes through what has no forward mode.

    Source: *Differentiable functions and differentiation APIs*, `valueWithPullback(at:in:)`.
    """
    at = value_with_pullback(gradient(f, wrt=argnums, has_aux=has_aux), wrt=argnums, has_aux=has_aux)

    def product(*args: Any, **kwargs: Any) -> Any:
        both, pullback = at(*with_vector(args, "vhp"), **kwargs)
        moved = pullback(args[-1])
        return (moved, both[1]) if has_aux else moved

    return compiled(product, backend=backend)


class WithVector:
    """The arguments that stand before a vector."""

    def __call__(self, args: Any, verb: str) -> Any:
        return args[:-1]

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        given, verb = args
        if len(given) < 2:
            raise WrongArguments(f"{verb}(f) takes the arguments of f and a vector, {counted(len(given))} "
                                 f"{'was' if len(given) == 1 else 'were'} given", help=f"write {verb}(f)(x, v)")
        return given[:-1]


with_vector = WithVector()


@public
def laplacian(
    f: Callable[..., Any], argnums: int = 0, has_aux: bool = False, *, backend: str | None = None
) -> Callable[..., Any]:
    """The trace of the Hessian in an argument, the sum of the second derivatives: no Hessian is made.

    >>> import numpy as np
    >>> float(laplacian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0])))
    18.0
    >>> laplacian(lambda x, a: a * x ** 4)(2.0, 0.5)
    24.0
    >>> float(laplacian(lambda p: p["x"] ** 2 + p["y"] ** 3)({"x": 1.0, "y": 2.0}))
    14.0

    The argument is a number, an array, or a tuple, dict or object of them, of which the entries of all parts count. The
    value may be a number or an array, and has its shape; it is differentiated twice along each entry, forward mode over
    forward mode. With `has_aux=True` the function returns a pair, of which the other part is handed out beside. Raises
    what `value_with_differential` raises.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    if type(argnums) is not int:
        raise WrongArguments(f"laplacian is that in one argument, found argnums={argnums!r}",
                             help="give the position of one argument: argnums=0")
    first = value_with_differential(f, wrt=argnums, has_aux=has_aux)

    def slope(move: Any, *args: Any, **kwargs: Any) -> Any:
        both, along = first(*args, **kwargs)
        return (along(move), both[1]) if has_aux else along(move)

    second = value_with_differential(slope, wrt=argnums + 1 if argnums >= 0 else argnums, has_aux=has_aux)

    def trace(*args: Any, **kwargs: Any) -> Any:
        def bent(move: Any) -> Any:
            return second(move, *args, **kwargs)[1](move)

        found = over_leaves(args, argnums, bent)
        return (found, f(*args, **kwargs)[1]) if has_aux else found

    return compiled_for(f, trace, backend)


class OverLeaves:
    """The sum of what `bent` gives along each entry of one of the arguments."""

    def __call__(self, given: Any, argnums: int, bent: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        given, argnums, bent = args
        if not -len(given) <= argnums < len(given):
            raise WrongArguments(f"laplacian is that in argument {argnums}, and {counted(len(given), 'argument')} "
                                 f"{'was' if len(given) == 1 else 'were'} given without a name",
                                 help="write laplacian(f)(x)")
        x = given[argnums]
        total: Any = None
        for way, leaf in leaves_with_ways(x):
            if lists.is_list(leaf):
                raise WrongArguments(f"laplacian is for numbers and arrays, found {described(leaf)}",
                                     help="take it in a tuple, or in an array: "
                                          "ccc.laplacian(lambda v: f([v[0], v[1]]))(np.array(xs))")
            if not has_numbers(leaf) and type(leaf) is not int and way:
                continue
            found = e.call(along_entries, [leaf, Placed(x, way), bent], {}, node, frame)
            total = found if total is None else e.call(operator.add, [total, found], {}, node, frame)
        if total is None:
            raise WrongArguments(f"laplacian is for numbers and arrays, found {described(x)}",
                                 help="name an argument that holds some: ccc.laplacian(f, argnums=1)")
        return total


class Placed:
    """The direction of a structure that is one of a leaf there, and zero elsewhere."""

    def __init__(self, of: Any, way: tuple[Any, ...]) -> None:
        self.of, self.way = of, way

    def __call__(self, d: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        return put(e, self.of, self.way, args[0], node, frame)


def along_entries(x: Any, placed: Any, bent: Any) -> Any:
    """The sum of what `bent` gives along the entries of a number or array."""
    if np.ndim(x) == 0:
        return bent(placed(1.0))
    moves = np.reshape(np.eye(np.size(x), dtype=x.dtype), (np.size(x), *np.shape(x)))
    return np.sum(np.array([bent(placed(move)) for move in moves]), axis=0)


over_leaves = OverLeaves()


@public
def jet(f: Callable[..., Any], primals: Any, series: Any, *, backend: str | None = None) -> Any:
    """The value and the derivatives along a curve, of any order, with the signature of JAX's: `(y, [y1, y2, ...])`.

    >>> import math
    >>> jet(lambda x: x ** 3, (2.0,), ((1.0, 0.0, 0.0),))
    (8.0, [12.0, 12.0, 6.0])
    >>> jet(lambda x, y: x * y, (2.0, 3.0), ((1.0, 0.0), (1.0, 0.0)))
    (6.0, [5.0, 2.0])

    The curve begins at `primals`, a tuple of arguments; `series` holds the derivatives of each along it, as many as are
    wanted of the value, each with the structure of the argument. Forward mode over forward mode: the program grows with
    the square of the order. Raises what `derivative` raises, and `WrongArguments` for series of several lengths.

    Source: *The Differentiable Curry*, "Recipe for AD: compile first to CCC algebra".
    """
    given = [tuple(one) if isinstance(one, (tuple, list)) else None for one in series] if isinstance(
        series, (tuple, list)) else [None]
    orders = {len(one) for one in given if one is not None}
    if not isinstance(primals, (tuple, list)) or None in given or len(given) != len(primals) or len(orders) != 1:
        raise WrongArguments("jet takes a tuple of arguments, and for each a tuple of derivatives, all equally long",
                             help="write jet(f, (x,), ((dx, ddx),))")
    found = compiled(taylor(f, orders.pop()), backend=backend)(tuple(primals), tuple(given))
    return found[0], list(found[1:])


def taylor(f: Callable[..., Any], order: int) -> Callable[..., Any]:
    """The function that gives the derivatives of `f` along a curve, up to an order."""
    def curve(t: Any, primals: Any, series: Any) -> Any:
        return f(*[on_curve(t, x, cs) for x, cs in zip(primals, series, strict=True)])

    along: list[Callable[..., Any]] = [curve]
    for _ in range(order):
        along.append(slope_of(along[-1]))
    return lambda primals, series: tuple([g(0.0, primals, series) for g in along])


def slope_of(g: Callable[..., Any]) -> Callable[..., Any]:
    at = value_with_differential(g, wrt=0)
    return lambda t, primals, series: at(t, primals, series)[1](1.0)


class OnCurve:
    """The point of a curve, part by part: x + t c1 + t**2/2 c2 + ..."""

    def __call__(self, t: Any, x: Any, cs: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        t, x, cs = args
        return self.point(e, t, x, items_in(cs), node, frame)

    def point(self, e: Any, t: Any, x: Any, cs: Any, node: Any, frame: Any) -> Any:
        parts = items_in(x)
        if parts is None:
            if lists.is_list(x):
                raise WrongArguments(f"jet is for numbers and arrays, found {described(x)}",
                                     help="take it in a tuple: ccc.jet(f, (tuple(xs),), ((tuple(dxs),),))")
            moves = [c for c in cs if c is not None]
            return e.call(on_curve_of_numbers, [t, x, tuple(cs)], {}, node, frame) if moves else x
        for c in cs:
            if list(names_in(c)) != list(names_in(x)):
                raise WrongArguments(f"jet: a derivative of {described(x)} is {described(c)}",
                                     help="give each the structure of the argument")
        along = dict(zip(names_in(x), zip(*map(items_in, cs), strict=True), strict=True))
        return mapped(x, lambda label, part: self.point(e, t, part, along[label], node, frame))


on_curve = OnCurve()


def on_curve_of_numbers(t: Any, x: Any, cs: Any) -> Any:
    for k, c in enumerate(cs):
        if c is not None:
            x = x + c * (t ** (k + 1) / math.factorial(k + 1))
    return x


def with_integers(transform: Any) -> Any:
    """The transform, which gives None for integers."""
    transform.allows_integers = True
    return transform


@public
def grad(
    f: Callable[P, Any], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False,
    *, backend: str | None = None, memory_limit: int | None = None,
) -> Callable[P, Any]:
    """`gradient` with JAX's signature: of the first argument, or of those in `argnums`.

    >>> grad(lambda x, y: x * y)(2.0, 3.0), grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    (3.0, (3.0, 2.0))
    >>> grad(lambda x: (x * x, "seen"), has_aux=True)(3.0)
    (6.0, 'seen')

    >>> grad(lambda z: z * z, holomorphic=True)(1 + 2j), grad(lambda z: abs(z) ** 2)(1 + 2j)
    ((2+4j), (2-4j))

    Shapes, dtypes and errors, and the `memory_limit`, are those of `gradient`; with `allow_int=True` the gradient of
    integers is None. The gradient in a complex number *x + iy* is *∂f/∂x − i ∂f/∂y*. With `holomorphic=True` arguments
    and value are complex, and so is the derivative; where the function has none, as at any point of `abs`, this raises
    `ValueError`, and `WrongArguments` where something is real.

    Source: *Differentiable functions and differentiation APIs*, `gradient(of:)`.
    """
    if holomorphic:
        return complex_gradient(f, argnums, has_aux, backend=backend)
    found = gradient(f, wrt=argnums, backend=backend, has_aux=has_aux, memory_limit=memory_limit)
    return with_integers(found) if allow_int else found


@public
def value_and_grad(
    f: Callable[P, R], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False,
    *, backend: str | None = None, memory_limit: int | None = None,
) -> Callable[P, tuple[R, Any]]:
    """`value_with_gradient` with JAX's signature.

    >>> value_and_grad(lambda x, y: x * y)(2.0, 3.0)
    (6.0, 3.0)

    Shapes, dtypes and errors are those of `grad`.

    Source: *Differentiable functions and differentiation APIs*, `valueWithGradient(of:)`.
    """
    if holomorphic:
        return complex_gradient(f, argnums, has_aux, True, backend)
    found = value_with_gradient(f, wrt=argnums, backend=backend, has_aux=has_aux, memory_limit=memory_limit)
    return with_integers(found) if allow_int else found


@public
def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False, backend: str | None = None) -> Any:
    """The value and the pullback, with JAX's signature: the pullback gives a tuple of cotangents.

    >>> value, pullback = vjp(lambda x: x * x, 3.0)
    >>> value, pullback(1.0)
    (9.0, (6.0,))

    With `has_aux=True` the function returns a pair, and the result is the first part, its pullback and the other part.
    Shapes, dtypes and errors are those of `value_with_pullback`.

    Source: *The Differentiable Curry*, `vjp`.
    """
    at = value_with_pullback(f, wrt=tuple([i for i, _ in enumerate(primals)]), backend=backend, has_aux=has_aux)
    value, pullback = at(*primals)
    return (value[0], pullback, value[1]) if has_aux else (value, pullback)


@public
def jvp(
    f: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False, *, backend: str | None = None
) -> Any:
    """The value and its tangent, with JAX's signature.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)

    With `has_aux=True` the function returns a pair, and the result is the first part, its tangent and the other part.
    Shapes, dtypes and errors are those of `value_with_differential`.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    sequences(primals, tangents)
    value, tangent = at_once(value_with_differential(f, backend=backend, has_aux=has_aux), primals, tangents)
    return (value[0], tangent, value[1]) if has_aux else (value, tangent)


def sequences(primals: Any, tangents: Any) -> None:
    """Refuse primals and tangents that are no tuples or lists."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise WrongArguments("jvp takes the arguments as a tuple, and their tangents as another",
                             help="write jvp(f, (x,), (dx,))")


@public
def linearize(f: Callable[..., Any], *primals: Any, has_aux: bool = False, backend: str | None = None) -> Any:
    """The value and the differential, with JAX's signature.

    >>> value, differential = linearize(lambda x, y: x * y, 2.0, 3.0)
    >>> value, differential(1.0, 0.0)
    (6.0, 3.0)

    With `has_aux=True` the function returns a pair, and the result is the first part, its differential and the other
    part. Shapes, dtypes and errors are those of `value_with_differential`.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    value, differential = value_with_differential(f, backend=backend, has_aux=has_aux)(*primals)
    return (value[0], differential, value[1]) if has_aux else (value, differential)
