"""What users hold: differential operators on plain Python functions.

    value_with_pullback(f)(*args) -> (value, pullback)     the core; the others are a few lines over it
    gradient(f)(*args)            -> cotangents
    compiled(f)(*args)            -> value

`backend="native"` computes in machine code what it can (extra `native`), `"numpy"` in NumPy, and `"auto"`, the default,
in what a clock finds to be the faster of both (`ccc.compile.api.choice`).

Cotangents: one argument gives one cotangent; several give a tuple with None for what holds nothing differentiable.
`wrt="x"` or `wrt=0` gives that one, `wrt=("x",)` a tuple in the order asked; `wrt="model.layers[0].w"` or
`wrt="p['w']"` that of a part of an argument alone, for which what the other parts need is not computed. Keyword
arguments are differentiated only when `wrt` names them. A cotangent has the structure and kinds of its argument.

A Python int in a differentiated argument is read as the float that it is, with the same answer, unless the function
needs an integer there: for a range, an index, a shape, a key, `//`, `%`, bits, `int`, `round`, or where it asks for the
class. Then it stays an int, its cotangent is None, and a tangent of it that is not zero is refused. Integers of NumPy,
arrays of them and bools have no cotangents. What is not differentiated stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from ccc.arrows import Arrow
from ccc.categories import pointwise
from ccc.categories.exponentials import FormalSum
from ccc.compile.api import cotangents, linear
from ccc.compile.api.differentials import Compiled, ValueWithDifferential
from ccc.compile.api.guests import Hosted
from ccc.compile.api.in_one import in_one
from ccc.compile.diagnostics import WrongArguments, telling
from ccc.compile.frontend import known_functions
from ccc.compile.frontend.derivation import names_of
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.program.deep import deeply
from ccc.compile.program.lam import FunctionLeaf, Var, leaves
from ccc.compile.terms import derive
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.plan import Kind
from ccc.errors import BoundaryMismatch
from ccc.objects import REAL, Array, Exponential, Object
from ccc.objects_of_values import object_of

P = ParamSpec("P")
R = TypeVar("R")


class _Gradient(Hosted):
    kind = Kind.GRADIENT


class _ValueWithGradient(Hosted):
    kind = Kind.VALUE_WITH_GRADIENT


class _ValueWithPullback(Hosted):
    kind = Kind.PULLBACK

    def called(self, *args: Any, **kwargs: Any) -> Any:
        (value, function), code = self.compiled(args, kwargs)
        if code is None:
            return value, function
        run = cotangents.pullback_function(code, function, value, self.aux)
        return value, linear.Linear(run, self, args, kwargs, code.readers)


class _Pullback(_ValueWithPullback):
    def __ccc_inline__(self, *place: Any) -> Any:
        return super().__ccc_inline__(*place)[1]

    def called(self, *args: Any, **kwargs: Any) -> Any:
        return super().called(*args, **kwargs)[1]


class _Derivative(Hosted):
    kind = Kind.DERIVATIVE

    def called(self, *args: Any, **kwargs: Any) -> Any:
        if not self.is_plain(args, kwargs):
            return self.in_one(*args, **kwargs)
        if isinstance(args[0], np.ndarray) and args[0].ndim:
            self.refuse_items(object_of(args[0]))
            return self.in_one(args[0])
        return super().called(*args)

    def is_plain(self, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
        """Whether the one argument is all there is."""
        if not args and not kwargs:
            raise WrongArguments("derivative is that in an argument, none was given", help="write derivative(f)(x)")
        return len(args) == 1 and not kwargs and self.wrt is None and not self.aux

    def refuse_items(self, a: Object) -> None:
        """Refuse an array of what is not real."""
        self.refuse_integers(names_of(self.function, 1, {})[0], a, 1)

    @cached_property
    def in_one(self) -> Hosted:
        """The derivative in one of several arguments, or of each item of an array."""
        return compiled_for(self.function, self.written(), self.backend)

    def written(self) -> Callable[..., Any]:
        """The derivative in the language that is compiled."""
        at = ValueWithDifferential(self.function, 0 if self.wrt is None else self.wrt, aux=self.aux)
        return in_one(at, self.aux)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        if not self.is_plain(args, kwargs):
            return e.call(self.written(), args, kwargs, node, frame)
        a = args[0].object if isinstance(args[0], Var) else None
        if isinstance(a, Array) and a.axes:
            self.refuse_items(a)
            return e.call(self.written(), args, kwargs, node, frame)
        return super().__ccc_inline__(e, args, kwargs, node, frame)


def function_only(verb: str, misplaced: tuple[Any, ...]) -> None:
    """Refuse `gradient(f, x)`, which is written `gradient(f)(x)`."""
    if misplaced:
        raise WrongArguments(f"{verb} takes the function alone and gives a function", help=f"write {verb}(f)(...)")


@overload
def compiled(f: Callable[P, R], *misplaced: Any, backend: str | None = None) -> Callable[P, R]: ...


@overload
def compiled(
    f: Callable[..., Any], *misplaced: Any, backend: str | None = None,
    category: pointwise.Pointwise | type[pointwise.Pointwise],
) -> Callable[..., Any]: ...


@telling
def compiled(
    f: Callable[..., Any], *misplaced: Any, backend: str | None = None,
    category: pointwise.Pointwise | type[pointwise.Pointwise] | None = None,
) -> Callable[..., Any]:
    """The function itself, compiled; derivatives that it takes inside are part of the one program.

    >>> slope = compiled(lambda x: derivative(lambda y: y * y + x * y)(x))
    >>> slope(3.0)
    9.0

    Arguments and errors are those of `gradient`, except that ints stay ints and nothing needs a cotangent. The value
    is that of plain Python bit for bit with `backend="numpy"`, and within the rounding of sums and of elementary
    functions in machine code, where arrays in the value are always new.

    With a `category` it is the meaning of the function there, `interpret(f, category)`:

    >>> import ccc
    >>> compiled(lambda x, y: x * y, category=ccc.Forward())((2.0, 1.0), (3.0, 0.0))
    (6.0, 3.0)

    Source: *The Differentiable Curry*, "Recipe for AD: compile first to CCC algebra".
    """
    function_only("compiled", misplaced)
    if category is not None:
        from ccc.compile.api.interpretation import interpret

        return interpret(f, category, backend=backend)
    return Compiled(f, backend=backend)


def compiled_for(f: Callable[..., Any], found: Callable[..., Any], backend: str | None) -> Any:
    """What takes the arguments of `f`, compiled; its parameters have the names of those."""
    made = Compiled(found, backend=backend)
    made.arguments_of = f
    return made


@telling
def gradient(
    f: Callable[P, Any], *misplaced: Any, wrt: Any = None, exponential: Any = None, backend: str | None = None,
    has_aux: bool = False, memory_limit: int | None = None,
) -> Callable[P, Any]:
    """The gradient of a function with a scalar result: `gradient(f)(*args)` gives the cotangents of its arguments.

    >>> gradient(lambda x, y: x * y + x)(2.0, 3.0)
    (4.0, 2.0)
    >>> gradient(lambda x: x ** 3)(2.0)
    12.0
    >>> gradient(lambda p, x: p["w"] * x + p["b"], wrt="p['w']")({"w": 2.0, "b": 1.0}, 3.0)
    3.0

    Arguments are floats, NumPy arrays of real dtype, and lists, tuples, dicts and objects of them; each cotangent
    has the structure, shape and dtype of its argument. Ints are read as floats unless the function needs integers there
    (a range, an index, a shape, a key, `//`, `%`, bits), which have the cotangent None.

    Raises `CompileError` (file, line and caret) for what cannot be compiled, `NotScalar` for a result that is not one
    real number, `HigherOrderBoundary` for a result that holds a function.

    `backend="native"` computes in machine code what it can (extra `native`), `"numpy"` in NumPy, and `"auto"`, the
    default, in NumPy until machine code is worth making, then in the faster of both; `explain(...).backend` says which.

    With `has_aux=True` the function returns a pair; its first part is differentiated, the other handed out beside the
    gradient: `gradient(lambda x: (x * x, "seen"), has_aux=True)(3.0)` is `(6.0, "seen")`.

    With a `memory_limit` what loops keep for the derivative takes no more than so many bytes: a `for` that would keep
    more runs in segments, from whose beginnings they run again on the way back
    ([arguments](../arguments.md)). Raises `WrongArguments` where that does not suffice.

    Source: *Differentiable functions and differentiation APIs*, `gradient(of:)`; *The Differentiable Curry*.
    """
    function_only("gradient", misplaced)
    return _Gradient(f, wrt, exponential, backend, has_aux, memory_limit)


@telling
def value_with_gradient(
    f: Callable[P, R], *misplaced: Any, wrt: Any = None, exponential: Any = None, backend: str | None = None,
    has_aux: bool = False, memory_limit: int | None = None,
) -> Callable[P, tuple[R, Any]]:
    """The value together with the gradient.

    >>> value_with_gradient(lambda x: x * x)(3.0)
    (9.0, 6.0)
    >>> value_with_gradient(lambda x: (x * x, x + 1.0), has_aux=True)(3.0)
    ((9.0, 4.0), 6.0)

    Arguments, cotangents and errors are those of `gradient`.

    Source: *Differentiable functions and differentiation APIs*, `valueWithGradient(of:)`.
    """
    function_only("value_with_gradient", misplaced)
    return _ValueWithGradient(f, wrt, exponential, backend, has_aux, memory_limit)


@telling
def value_with_pullback(
    f: Callable[P, R], *misplaced: Any, wrt: Any = None, exponential: Any = None, backend: str | None = None,
    has_aux: bool = False, memory_limit: int | None = None,
) -> Callable[P, tuple[R, Callable[..., Any]]]:
    """The value and the pullback, which takes a cotangent of the value to the cotangents of the arguments.

    >>> value, pullback = value_with_pullback(lambda x, y: (x * y, x))(2.0, 3.0)
    >>> value, pullback((1.0, 10.0))
    ((6.0, 2.0), (13.0, 2.0))

    The pullback owns copies of the arrays that it reads and can be called any number of times; it takes a cotangent
    with the structure, shapes and dtypes of the value and returns new arrays. With `has_aux=True` the value is a pair,
    and the pullback takes a cotangent of its first part. Raises `HigherOrderBoundary` where the
    value holds a function, `WrongArguments` or `DirectionMismatch` for a cotangent of another structure or shape.

    Source: *Differentiable functions and differentiation APIs*, `valueWithPullback(at:in:)`; *The Differentiable
    Curry*.
    """
    function_only("value_with_pullback", misplaced)
    return _ValueWithPullback(f, wrt, exponential, backend, has_aux, memory_limit)


@telling
def pullback(
    f: Callable[P, Any], *misplaced: Any, wrt: Any = None, exponential: Any = None, backend: str | None = None
) -> Callable[P, Callable[..., Any]]:
    """The pullback alone.

    >>> pullback(lambda x: x * x)(3.0)(1.0)
    6.0

    Shapes, dtypes and errors are those of `value_with_pullback`.

    Source: *Differentiable functions and differentiation APIs*, `pullback(at:in:)`.
    """
    function_only("pullback", misplaced)
    return _Pullback(f, wrt, exponential, backend)


@telling
def derivative(
    f: Callable[P, Any], *misplaced: Any, wrt: Any = 0, backend: str | None = None, has_aux: bool = False
) -> Callable[P, Any]:
    """The derivative f' of a function in a number, or in each item of an array; it nests.

    >>> derivative(derivative(lambda x: x ** 3))(2.0)
    12.0
    >>> derivative(lambda x, n: x ** n)(np.array([1.0, 2.0]), 3)
    array([ 3., 12.])
    >>> derivative(lambda x, a: x * a ** 2, wrt="a")(2.0, 3.0)
    12.0

    It is that in the first argument, or in the one that `wrt` names, by position, name or path. At a float the result
    has the shape and dtype of the value of `f`, at an array those of the array: `f` is given the array, and each item
    of its value depends on the same item alone, which is checked at each call. A function of numbers is mapped:
    `vmap(derivative(f))(xs)`. With `has_aux=True` the function returns a pair, of which the other part is handed out
    beside. Raises `CompileError` for what cannot be compiled, `WrongArguments` for an argument that is neither, and
    `ValueError` for a value of another shape and for items that depend on others.

    Source: the Zygote notebook, `f'`.
    """
    function_only("derivative", misplaced)
    return _Derivative(f, None if wrt == 0 else wrt, backend=backend, aux=has_aux)


@telling
def value_with_differential(
    f: Callable[P, R], *misplaced: Any, wrt: Any = None, backend: str | None = None, has_aux: bool = False
) -> Callable[P, tuple[R, Callable[..., Any]]]:
    """The value and the differential, which takes tangents of the arguments to the tangent of the value.

    >>> value, differential = value_with_differential(lambda x, y: x * y)(2.0, 3.0)
    >>> value, differential(1.0, 0.0)
    (6.0, 3.0)

    One tangent for each differentiated argument, of its shape and dtype; None for what holds nothing differentiable.
    With `has_aux=True` the value is a pair, and the tangent is that of its first part. Forward mode, the mirror of
    `value_with_pullback`; the same errors.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    function_only("value_with_differential", misplaced)
    return ValueWithDifferential(f, wrt, backend=backend, aux=has_aux)


@telling
@deeply
def arrow(f: Callable[..., Any], *types: Any) -> Arrow:
    """The combinator term of a function at types given as objects or example values.

    >>> print(arrow(lambda x, w, b: x * w + b, 1.0, 1.0, 1.0))
    prod(proj_left o mult, proj_right) o add

    Raises `CompileError` for what cannot be compiled.

    Source: *The Differentiable Curry*, "Recipe for AD: compile first to CCC algebra".
    """
    program = elaborate(f, [_example(t) for t in types]).program
    derive.check_first_order(program)
    return abstract(program)


_ANNOTATIONS: dict[Any, Any] = {float: 1.0, int: 1, bool: True}


def _example(kind: Any) -> Any:
    if isinstance(kind, type) and kind in _ANNOTATIONS:
        return _ANNOTATIONS[kind]
    return tuple(map(_example, kind)) if isinstance(kind, tuple) else kind


@telling
@deeply
def vjp_probe(
    f: Callable[[Any], Any] | Arrow, t: Any, probes: Sequence[tuple[Any, Any]], *, exponential: Any = None
) -> Any:
    """For a function `f` whose result is a function: what cotangents of its results at chosen points mean for `t`.

    >>> vjp_probe(lambda x: lambda b: x * b, 2.0, [(3.0, 1.0), (5.0, 10.0)])
    53.0

    Each probe is a point of the returned function and a cotangent of its result there, of that result's shape and
    dtype; the answer has the structure of `t`. All exponentials agree. Raises `HigherOrderBoundary` where anything
    else is a function, `BoundaryMismatch` where `f` returns none.

    Source: *The Differentiable Curry*, "Artificial exponentials".
    """
    import ccc.probes as _probes

    if isinstance(f, Arrow):
        return _probes.vjp_probe(f, t, probes, exponential=exponential)
    point = probes[0][0] if probes else t
    program = elaborate(f, [t], called_with=[point]).program
    if isinstance(program.result, tuple) and any(isinstance(leaf, FunctionLeaf) for leaf in leaves(program.result)):
        raise BoundaryMismatch("vjp_probe needs a function as the whole result: found one beside others",
                               "let it return a function")
    term = abstract(program)
    return _probes.vjp_probe(term, t, probes, exponential=exponential)


@telling
@deeply
def functional_grad(
    f: Callable[[Any], Any] | Arrow, g: Callable[[Any], Any] | Arrow, ct: Any = 1.0, *, at: Object = REAL,
    exponential: Any = None,
) -> FormalSum:
    """For a function `f` of a function: the calls that it makes of `g`, a formal sum of (argument, cotangent).

    >>> calls = functional_grad(lambda g: 2.0 * g(3.0) + g(5.0), lambda x: x * x)
    >>> calls.fold(lambda argument, ct: argument * ct)
    11.0

    `at` is the object of `g`'s argument. Only `fold` with an additive function can look at the result, whose order
    means nothing. Raises `HigherOrderBoundary` where anything else is a function.

    Source: *The Differentiable Curry*, "Artificial exponentials" and "Results (I)".
    """
    import ccc.probes as _probes

    inner = g if isinstance(g, Arrow) else arrow(g, at)
    outer = f if isinstance(f, Arrow) else arrow(f, Exponential(inner.dom, inner.cod))
    return _probes.functional_grad(outer, inner, ct, exponential=exponential)


known_functions.OPERATORS.update({
    verb: verb for verb in (
        compiled, compiled_for, gradient, value_with_gradient, derivative, value_with_pullback, pullback,
        value_with_differential,
    )
})
