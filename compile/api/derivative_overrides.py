"""Derivatives that users give, stop, replace or compute again.

    @derivative_of(f)               the rule of a function: its value and its pullback
    differentiable_function(vjp)    a function that is known by its rule
    without_derivative(x)           x, as a constant; a function, as one of constants
    replace_gradient(x, fn)         x, whose cotangent is what `fn` makes of it
    checkpointed(f)                 f, which its pullback computes once more instead of keeping what it computed
    @differentiable(wrt=...)        f, checked where it is defined

Outside of derivatives they are what they look like: the rule is not called, and `x` is `x`.
"""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ccc.compile.api import wrapper
from ccc.compile.diagnostics import UnsupportedPython, WrongArguments, is_installed, nearest, unsupported
from ccc.compile.frontend import custom, known_functions
from ccc.compile.frontend.grammar import refused_in
from ccc.compile.frontend.memory.interface import is_reached
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.values import ListValue, Mutable, RecordValue, is_function
from ccc.compile.program.lam import Node, Var
from ccc.primitives.barriers import stop

F = TypeVar("F", bound=Callable[..., Any])

METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
"""Methods of classes that are written in C."""


def derivative_of(f: Callable[..., Any]) -> Callable[[F], F]:
    """A decorator: the function below it is the derivative of `f`, wherever `f` is called.

    >>> def cube(x):
    ...     return x * x * x
    >>> @derivative_of(cube)
    ... def cube_with_pullback(x):
    ...     return cube(x), lambda ct: ct * 3.0 * x * x
    >>> from ccc.compile.api.transforms import gradient
    >>> gradient(cube)(2.0), gradient(gradient(cube))(2.0)
    (12.0, 12.0)

    The rule takes the arguments of `f`, numbers, arrays and structures of them, and gives the value and a pullback: the
    cotangents of the arguments, of their shapes and dtypes and None for none, from the cotangent of the value. It is
    compiled, so it has derivatives of every order, and forward mode is its transpose. `f` may be a function of another
    module, a method of a class of yours, a property, or one that cannot be compiled; a rule that cannot be compiled is
    called as it is, and has derivatives of order one. Raises `WrongArguments` where `f` is no function, or a method of
    a library's class; a derivative raises `CompileError` where the rule gives something else, and `NotLinear` in
    forward mode where the pullback is not linear.

    Source: *Differentiable functions and differentiation APIs*, `@differentiating`.
    """
    target = f.fget if isinstance(f, property) else getattr(f, "__func__", f)
    if not callable(target) or isinstance(target, type):
        raise WrongArguments(f"derivative_of takes a function, found {type(f).__name__}",
                             help="write `@ccc.derivative_of(f)` with the function itself, not what it gives")
    if isinstance(f, METHODS) or is_method_of_library(f):
        name: str = target.__name__  # type: ignore[attr-defined]
        raise WrongArguments(f"`{name}` is a method of a library's class: no rule is asked where a program calls it",
                             help=f"give the derivative to a function of your own: `def {name.strip('_')}(x): ...`")

    if is_object_of_user(target):
        name = type(target).__name__
        raise WrongArguments(f"derivative_of takes a function, found an object of `{name}`",
                             help=f"write `@ccc.derivative_of({name}.__call__)`, whose rule takes the object first")

    def register(rule: F) -> F:
        if not callable(rule):
            raise WrongArguments(f"the derivative of a function is a function, found {type(rule).__name__}",
                                 help="write `@ccc.derivative_of(f)` above `def rule(...)`")
        custom.RULES[target] = rule
        wrapper.forget()
        return rule

    return register


def is_method_of_library(f: Any) -> bool:
    """Whether a function, or a bound method, is of a class that is installed."""
    if isinstance(f, types.MethodType):
        return is_installed(type(f.__self__))
    return isinstance(f, types.FunctionType) and "." in f.__qualname__ and "<locals>" not in f.__qualname__ and (
        is_installed(f))


def is_object_of_user(f: Any) -> bool:
    """Whether what is called is a method of a class in Python that is no library's, and none of ours."""
    called = inspect.getattr_static(type(f), "__call__", None)
    ours = type(f).__module__.partition(".")[0] == __name__.partition(".")[0]
    return isinstance(called, types.FunctionType) and not ours and not is_installed(type(f))


def differentiable(f: Any = None, *, wrt: Any = None) -> Any:
    """A decorator: `f` is differentiable, with respect to the parameters `wrt`, and is checked where it is defined.

    >>> @differentiable(wrt=("x", "y"))
    ... def f(x, y, n):
    ...     return x ** n * y
    >>> from ccc.compile.api.transforms import gradient
    >>> gradient(f)(2.0, 5.0, 3)
    (60.0, 8.0)

    It gives `f` itself, or the property that it was given. The derivatives of `f` are with respect to `wrt` where they
    name nothing else: a name or an index, or a tuple of them, also of `self`; their shapes and dtypes are those that
    `gradient` takes. Raises `WrongArguments` where `f` has no such parameter, and `CompileError`, with every place, for
    what no derivative can be taken of; the rest is checked when a derivative is taken.

    Source: *Differentiable functions and differentiation APIs*, `@differentiable(wrt: ...)`.
    """
    if f is None:
        return lambda f: differentiable(f, wrt=wrt)
    if isinstance(f, property):
        differentiable(f.fget, wrt=wrt)
        return f
    function = f.__func__ if isinstance(f, (staticmethod, classmethod)) else f
    if not isinstance(function, types.FunctionType):
        raise WrongArguments(f"differentiable takes a function, found {type(f).__name__}",
                             help="write `@ccc.differentiable` above the `def`")
    function.__dict__["__ccc_wrt__"] = named(function, wrt)
    source = source_of(function)
    found = list(refused_in(source.node, source.span))
    if found:
        raise UnsupportedPython(*found)
    return f


def named(function: types.FunctionType, wrt: Any) -> Any:
    """Parameters of a function by their names.

    >>> named(lambda x, y: x, (1, "x"))
    ('y', 'x')
    """
    parameters = list(inspect.signature(function).parameters)

    def name(wanted: Any) -> str:
        if isinstance(wanted, str) and wanted in parameters:
            return wanted
        if type(wanted) is int and -len(parameters) <= wanted < len(parameters):
            return parameters[wanted]
        raise WrongArguments(f"wrt={wanted!r} is no parameter of `{function.__name__}`; it has "
                             f"{', '.join(parameters) or 'none'}",
                             help=nearest(str(wanted), parameters, "name one of these"))

    if wrt is None:
        return None
    return tuple(map(name, wrt)) if isinstance(wrt, (tuple, list)) else name(wrt)


class Called:
    """A function of Python that means something else to derivatives than its body."""

    __slots__ = ("__dict__", "function")
    what = ""

    def __init__(self, function: Any) -> None:
        if not callable(function) and not is_function(function):
            raise WrongArguments(f"{self.what} takes a function, found {type(function).__name__}",
                                 help=f"write `{self.what}(f)(x)`, with the function itself")
        self.function: Any = function
        self.__wrapped__ = function
        self.__name__ = getattr(function, "__name__", "function")

    def __repr__(self) -> str:
        return f"{self.what}({self.__name__})"

    def __ccc_form__(self) -> Any:
        """All of it but its function."""
        return type(self)

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return self if owner is None else type(self)(self.function.__get__(owner, cls))


class _Differentiable(Called):
    what = "differentiable_function"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)[0]

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        return custom.from_rule(e, self.function, (args, kwargs), node, frame)


class _Checkpointed(Called):
    what = "checkpointed"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        return custom.checkpoint(e, self.function, (args, kwargs), node, frame)


def differentiable_function(vjp: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a rule is the derivative of: `vjp(*args)` gives its value and its pullback.

    >>> multiply = differentiable_function(lambda x, y: (x * y, lambda v: (v * y, v * x)))
    >>> from ccc.compile.api.transforms import gradient
    >>> multiply(2.0, 3.0), gradient(multiply)(2.0, 3.0)
    (6.0, (3.0, 2.0))

    Shapes, dtypes and errors are those of a rule of `derivative_of`; it may be a function inside a program, where it
    must not capture what is differentiated.

    Source: *Differentiable functions and differentiation APIs*, `differentiableFunction(from:)`.
    """
    return _Differentiable(vjp)


def checkpointed(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, of which a pullback keeps the arguments alone and computes the rest once more.

    >>> import math
    >>> from ccc.compile.api.transforms import gradient
    >>> gradient(lambda x: checkpointed(lambda y: math.sin(math.sin(y)))(x))(0.5) == gradient(
    ...     lambda x: math.sin(math.sin(x)))(0.5)
    True

    Arguments and results have the shapes and dtypes of those of `f`; what `f` captures is differentiated as ever. It
    nests: each checkpoint around a call runs it once more. Effects happen once. Raises what `f` raises.

    Source: *Automatic Differentiation in Swift*, "Derivative surgery" (checkpointing).
    """
    return _Checkpointed(f)


def without_derivative(x: Any) -> Any:
    """The value itself, as a constant: nothing of it is differentiated.

    >>> from ccc.compile.api.transforms import gradient
    >>> gradient(lambda x: x * without_derivative(x))(3.0)
    3.0

    A number, an array, or a list, tuple or record of them, whose shape and dtype it keeps: it is the same object. Of a
    function, also as a decorator, one whose results are constants. No error is raised.

    Source: *Differentiable functions and differentiation APIs*, `withoutDerivative()`.
    """
    function = inspect.isroutine(x) or isinstance(x, (np.ufunc, functools.partial))
    return functools.update_wrapper(_constant(x), x) if function else x


def _constant(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function of constants."""
    def constant(*args: Any, **options: Any) -> Any:
        return without_derivative(f(*args, **options))

    return constant


def replace_gradient(x: Any, fn: Callable[[Any], Any]) -> Any:
    """The value itself, whose cotangent is what `fn` makes of it: clipping, scaling, or looking at it.

    >>> from ccc.compile.api.transforms import gradient
    >>> gradient(lambda x: replace_gradient(x, lambda ct: max(min(ct, 1.0), -1.0)) * 5.0)(2.0)
    1.0

    `fn` gets the whole cotangent once, with the structure, shape and dtype of `x`, and gives one like it. It need not
    be linear: then forward mode raises `NotLinear`. Raises `CompileError` for a cotangent of another structure.

    Source: *Automatic Differentiation in Swift*, "Derivative surgery", `replaceGradient(of:)`.
    """
    if not callable(fn):
        raise WrongArguments(f"replace_gradient takes a function of the cotangent, found {type(fn).__name__}",
                             help="write `ccc.replace_gradient(x, lambda ct: ...)`")
    return x


def _stopped(e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
    (given,) = [*args, *kwargs.values()]
    if is_function(given):
        return e.call(_constant, [given], {}, node, frame)

    def stopped(value: Any) -> Any:
        if isinstance(value, Var):
            return e.always(stop, (value,))
        if isinstance(value, Mutable) and is_reached(e, value):  # in Python it is the same object
            value.shared = value.shared or "what `without_derivative` gave"
        if isinstance(value, ListValue):
            return ListValue([stopped(v) for v in value.items], value.shared)
        if isinstance(value, RecordValue):
            return value.like([stopped(v) for v in value.fields.values()])
        if isinstance(value, Node):
            return value.like([stopped(v) for v in value])
        return tuple(map(stopped, value)) if isinstance(value, tuple) else value

    return stopped(given)


def _replaced(e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
    given = {**dict(zip(("x", "fn"), args, strict=False)), **kwargs}
    return custom.replaced(e, given["x"], given["fn"], node, frame)


def _outside(name: str) -> Callable[..., Any]:
    """The refusal of a decorator that says something about a function once for all."""

    def refused(e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        raise unsupported("CC003", f"`{name}` inside a function that is compiled", e.place(node, frame),
                          help="write it in the module, above the function")

    return refused


derivative_of.__ccc_inline__ = _outside("derivative_of")  # type: ignore[attr-defined]
differentiable.__ccc_inline__ = _outside("differentiable")  # type: ignore[attr-defined]
for _same in (without_derivative, replace_gradient):  # in Python they give the object that they get
    _same.__ccc_same__ = True  # type: ignore[attr-defined]
without_derivative.__ccc_inline__ = _stopped  # type: ignore[attr-defined]
replace_gradient.__ccc_inline__ = _replaced  # type: ignore[attr-defined]
known_functions.OPERATORS.update({differentiable_function: differentiable_function, checkpointed: checkpointed})
