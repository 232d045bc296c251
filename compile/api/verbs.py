"""Verbs made of those of `ccc.compile.api.transforms`, in the language that is compiled: in programs they are read as
any function.

Jacobians and Hessians are arrays with the axes of the value first, then those of the argument; each, and each product
with one, is one compiled program. The names of JAX have JAX's signatures.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ccc.compile.api.transforms import (
    compiled,
    gradient,
    value_with_differential,
    value_with_gradient,
    value_with_pullback,
)
from ccc.compile.diagnostics import WrongArguments
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.parts import of_class, parts_in
from ccc.compile.frontend.values import ListValue, RecordValue
from ccc.compile.program.lam import Var
from ccc.objects import Array, List, Product, Record, is_discrete


def hvp(f: Callable[..., Any], *, backend: str | None = None) -> Callable[[Any, Any], Any]:
    """The Hessian of a function of one argument times a vector: `hvp(f)(x, v)`, forward mode over reverse mode.

    >>> import numpy as np
    >>> hvp(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    array([  6., 120.])

    Arguments and errors are those of `gradient`; the vector has the structure of `x`. Raises
    `DirectionMismatch` where its sizes are others.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    gradient_and_its_differential = value_with_differential(gradient(f))

    def product(x: Any, v: Any) -> Any:
        _, differential = gradient_and_its_differential(x)
        return differential(v)

    return compiled(product, backend=backend)


def jacobian(
    f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False, *, backend: str | None = None
) -> Callable[..., Any]:
    """The Jacobian of a function of numbers and arrays in the argument `wrt`, by reverse mode, a row at a time.

    >>> import numpy as np
    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])

    The result has the shape of the value followed by that of the argument; for a tuple of arguments it is a tuple, for
    an argument that is a dict or dataclass it is one of the Jacobians in its parts. With
    `has_aux=True` the function returns a pair, and the result is the Jacobian of the first part and the other part.
    Raises what `value_with_pullback` raises.

    Source: the Zygote notebook, "Jacobian".
    """
    at = value_with_pullback(f, wrt=wrt, has_aux=has_aux)

    def one(args: Any) -> Any:
        found, pullback = at(*args)
        value = alone(found[0] if has_aux else found)
        rest = found[1] if has_aux else ()
        if np.ndim(value) == 0:
            return pullback(1.0), rest
        size, shape = np.size(value), shape_of(value)
        seeds = np.reshape(np.eye(size), (size, *shape))
        return stacked([along(pullback, seed) for seed in seeds], shape, wanted(at, args)), rest

    return compiled(joined(one, has_aux), backend=backend)


class Alone:
    """A value that is one number or array; others have no Jacobian."""

    def __call__(self, value: Any) -> Any:
        return value

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        value = args[0]
        if isinstance(value, tuple | RecordValue):
            raise WrongArguments(f"a Jacobian is that of one number or array; the value is {described(value)}",
                                 help="take that of each part: ccc.jacobian(lambda x: f(x)[0])")
        if is_list(value):
            raise WrongArguments(f"a Jacobian is that of one number or array; the value is {described(value)}",
                                 help="make it an array: ccc.jacobian(lambda x: np.array(f(x)))")
        return value


class ShapeOf:
    """The shape of a value; the number of its axes is known."""

    def __call__(self, value: Any) -> Any:
        return np.shape(value)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        (value,) = args
        if isinstance(value, Var) and isinstance(value.object, Array) and value.object.axes is None:
            raise WrongArguments("a Jacobian needs to know how many axes the value has; it may have none, or several",
                                 help="begin with an array where it begins with 0.0: np.zeros_like(x)")
        return e.call(np.shape, args, kwargs, node, frame)


class InArray:
    """An argument of a verb that gives one array: a number or array."""

    def __init__(self, verb: str) -> None:
        self.verb = verb

    def __call__(self, x: Any) -> Any:
        return x

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        x = args[0]
        if is_list(x):
            raise self.refused(x, f"pass an array: ccc.{self.verb}(lambda v: f(list(v)))(np.array(xs))")
        if isinstance(x, tuple | RecordValue):
            raise self.refused(x, f"take it in each part: ccc.{self.verb}(lambda a: f((a, b)))(a)")
        return x

    def refused(self, x: Any, mend: str) -> WrongArguments:
        return WrongArguments(f"{self.verb} is for arguments that are one number or array, found {described(x)}",
                              help=mend)


in_array = cache(InArray)


def is_list(value: Any) -> bool:
    """True for lists while elaborating."""
    return isinstance(value, ListValue) or (isinstance(value, Var) and isinstance(value.object, List))


class Wanted:
    """The arguments in which a transform differentiates, as its pullback gives their cotangents."""

    def __call__(self, at: Any, args: Any) -> Any:
        positions, form = at.positions(args, {})
        found = tuple([args[i] for i in positions])
        return found[0] if form == "bare" else found

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        return self(*args)


class Stacked:
    """The rows of a Jacobian as one array, or as a tuple or record of them where the argument `x` is one."""

    def __call__(self, rows: Any, shape: Any, x: Any) -> Any:
        return stacked_rows(rows, shape, np.shape(x))

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        rows, shape, x = args
        item = rows.object.item
        if not isinstance(item, Product):
            of_x = e.call(np.shape, [x], {}, node, frame)
            return e.call(stacked_rows, [rows, shape, of_x], {}, node, frame)
        names = item.names if isinstance(item, Record) else range(len(item.parts))
        read = read_fields if isinstance(item, Record) and item.cls is not dict else read_items

        def part(name: Any, a: Any, x: Any) -> Any:
            if is_discrete(a):
                return None
            return self.__ccc_inline__(e, [e.call(read, [rows, name], {}, node, frame), shape, x], {}, node, frame)

        parts = [part(name, a, of_x) for name, a, of_x in zip(names, item.parts, parts_in(x) or (), strict=True)]
        return of_class(item.cls, item.names, parts) if isinstance(item, Record) else tuple(parts)


def stacked_rows(rows: Any, shape: Any, of_x: Any) -> Any:
    """The array of the rows, which has all its axes also where there is no row."""
    return np.reshape(np.array(rows), (*shape, *of_x))


def read_items(rows: Any, name: Any) -> Any:
    return [row[name] for row in rows]


def read_fields(rows: Any, name: Any) -> Any:
    return [getattr(row, name) for row in rows]


stacked = Stacked()
wanted = Wanted()
alone = Alone()
shape_of = ShapeOf()


class Along:
    """A pullback or differential at directions that are of the right sizes, as nobody has to see."""

    def __call__(self, linear: Any, *ds: Any) -> Any:
        return linear(*ds)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        linear, *ds = args
        return linear.apply(ds, node, frame, fits=True)


along = Along()


def joined(one: Callable[[Any], Any], has_aux: bool) -> Callable[..., Any]:
    """The Jacobian that `one` gives, or those in several arguments, with what is handed out beside."""

    def found(*args: Any) -> Any:
        jacobian, aux = one(args)
        return (jacobian, aux) if has_aux else jacobian

    return found


def jacfwd(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, *,
    backend: str | None = None,
) -> Callable[..., Any]:
    """The Jacobian in one argument, by forward mode, a column at a time.

    >>> import numpy as np
    >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])

    The result is that of `jacobian`; the signature is JAX's. Raises what `value_with_differential` raises.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    real_only(holomorphic)
    return by_columns(f, argnums, has_aux, backend, in_array("jacfwd"))


def by_columns(f: Callable[..., Any], argnums: Any, has_aux: bool, backend: str | None, array: InArray) -> Any:
    """The Jacobian by forward mode; the function runs once, also for several arguments."""
    several = isinstance(argnums, tuple | list)
    places = tuple(argnums) if several else (argnums,)
    at = value_with_differential(f, wrt=places)

    def moved(differential: Any, xs: Any, k: int, d: Any) -> Any:
        found = along(differential, *[d if j == k else np.zeros_like(x) for j, x in enumerate(xs)])
        return found[0] if has_aux else found

    def columns(value: Any, differential: Any, xs: Any, k: int) -> Any:
        x = xs[k]
        if np.ndim(x) == 0:
            return moved(differential, xs, k, 1.0)
        size = np.size(x)
        moves = np.reshape(np.eye(size), (size, *np.shape(x)))
        found = np.array([moved(differential, xs, k, move) for move in moves])
        return np.reshape(np.transpose(np.reshape(found, (size, np.size(value)))), (*shape_of(value), *np.shape(x)))

    def one(args: Any) -> Any:
        xs = tuple([array(args[n]) for n in places])
        both, differential = at(*args)
        value = alone(both[0] if has_aux else both)
        found = tuple([columns(value, differential, xs, k) for k, _ in enumerate(places)])
        return found if several else found[0], both[1] if has_aux else ()

    return compiled(joined(one, has_aux), backend=backend)


def jacrev(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, *,
    backend: str | None = None,
) -> Callable[..., Any]:
    """The Jacobian in one argument, by reverse mode: `jacobian` with JAX's signature.

    >>> import numpy as np
    >>> jacrev(lambda x, y: x * y, argnums=1)(np.array([1.0, 2.0]), 3.0)
    array([1., 2.])

    Shapes, dtypes and errors are those of `jacobian`.

    Source: the Zygote notebook, "Jacobian".
    """
    real_only(holomorphic)
    return jacobian(f, argnums, has_aux, backend=backend)


def hessian(
    f: Callable[..., Any], argnums: int = 0, has_aux: bool = False, holomorphic: bool = False, *,
    backend: str | None = None,
) -> Callable[..., Any]:
    """The matrix of second derivatives of a function with a scalar result, forward mode over reverse mode.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 3.0]))
    array([[6., 2.],
           [2., 0.]])

    The result has the axes of the argument twice; the signature is JAX's. Raises what `gradient` raises.

    Source: the Zygote notebook, "Hessian".
    """
    real_only(holomorphic)
    return by_columns(gradient(f, wrt=argnums, has_aux=has_aux), argnums, has_aux, backend, in_array("hessian"))


def real_only(holomorphic: bool) -> None:
    """Refuse the derivatives that JAX gives of complex functions."""
    if holomorphic:
        raise WrongArguments("holomorphic=True: there is no complex derivative", "CC025",
                             "differentiate in the real and the imaginary part")


def with_integers(transform: Any) -> Any:
    """The transform, which gives None for integers."""
    transform.allows_integers = True
    return transform


def grad(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False,
    *, backend: str | None = None,
) -> Callable[..., Any]:
    """`gradient` with JAX's signature: of the first argument, or of those in `argnums`.

    >>> grad(lambda x, y: x * y)(2.0, 3.0), grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    (3.0, (3.0, 2.0))
    >>> grad(lambda x: (x * x, "seen"), has_aux=True)(3.0)
    (6.0, 'seen')

    Shapes, dtypes and errors are those of `gradient`; with `allow_int=True` the gradient of integers is None, and
    `holomorphic=True` raises `WrongArguments`: there is no complex derivative.

    Source: *Differentiable functions and differentiation APIs*, `gradient(of:)`.
    """
    real_only(holomorphic)
    found = gradient(f, wrt=argnums, backend=backend, has_aux=has_aux)
    return with_integers(found) if allow_int else found


def value_and_grad(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False,
    *, backend: str | None = None,
) -> Callable[..., Any]:
    """`value_with_gradient` with JAX's signature.

    >>> value_and_grad(lambda x, y: x * y)(2.0, 3.0)
    (6.0, 3.0)

    Shapes, dtypes and errors are those of `grad`.

    Source: *Differentiable functions and differentiation APIs*, `valueWithGradient(of:)`.
    """
    real_only(holomorphic)
    found = value_with_gradient(f, wrt=argnums, backend=backend, has_aux=has_aux)
    return with_integers(found) if allow_int else found


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
    value, differential = value_with_differential(f, backend=backend)(*primals)
    tangent = differential(*tangents)
    return (value[0], tangent[0], value[1]) if has_aux else (value, tangent)


def sequences(primals: Any, tangents: Any) -> None:
    """Refuse primals and tangents that are no tuples or lists."""
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise WrongArguments("jvp takes the arguments as a tuple, and their tangents as another",
                             help="write jvp(f, (x,), (dx,))")


def linearize(f: Callable[..., Any], *primals: Any, backend: str | None = None) -> Any:
    """The value and the differential, with JAX's signature.

    >>> value, differential = linearize(lambda x, y: x * y, 2.0, 3.0)
    >>> value, differential(1.0, 0.0)
    (6.0, 3.0)

    Shapes, dtypes and errors are those of `value_with_differential`.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    return value_with_differential(f, backend=backend)(*primals)
