"""`ccc.sympy`: functions as expressions of SymPy, and expressions as functions with derivatives (extra `symbolic`).

The term of a function is read on expressions in place of numbers; a branch becomes a `Piecewise`. A function of
NumPy's or Python's `math` is SymPy's of that name, which may mean another thing: what comes out is compared with the
function at points before it is handed out.

>>> import math
>>> import sympy
>>> x, y = sympy.symbols("x y")
>>> expression(lambda x, y: math.sin(x) * y + x ** 2.0, x, y)
x**2 + y*sin(x)
>>> from ccc.compile.api.transforms import gradient
>>> gradient(function(x ** 2 * y, x, y))(3.0, 2.0)
(12.0, 9.0)
"""

from __future__ import annotations

import builtins
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

from ccc.base import Host, Thunk
from ccc.categories.functions import Functions
from ccc.compile.api.transforms import compiled
from ccc.compile.diagnostics import CompileError, telling, unsupported
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.program.lam import Absent
from ccc.compile.program.sharing import is_foreign
from ccc.compile.terms.abstract import abstract
from ccc.denotation import functor
from ccc.diagnostics import Span, call_site
from ccc.objects import REAL
from ccc.primitives import arithmetic
from ccc.primitives.primitive import Primitive

POINTS = 12
"""At so many points an expression is compared with the function, of which one has to be in its domain."""

symbolic: Any = sympy


def refused(what: str, place: Span | None) -> CompileError:
    return unsupported("CC003", f"SymPy has no expression for {what}", place or call_site(),
                       help="write it in functions of numbers that SymPy has, or use ccc.explain(f).arrow")


class Symbols(Host):
    """The base whose numbers are expressions."""

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any = None) -> Any:
        if primitive.program is not None:
            return primitive.program.value(self, args)
        if not any([isinstance(x, symbolic.Basic) for x in args]):
            return primitive.value(*args, **params)
        name = primitive.name.rpartition(".")[2].replace("arc", "a").removesuffix("0")  # guarded against 0 * inf
        if getattr(builtins, name, getattr(np, name, None)) in (float, np.float64):
            return args[0]
        found: Any = None if is_foreign(primitive) else getattr(symbolic, name, None)
        plain = primitive if is_foreign(primitive) else getattr(arithmetic, name, primitive)
        try:
            if isinstance(found, symbolic.FunctionClass) or found is symbolic.sqrt:
                return found(*args)
            return (plain if isinstance(plain, Primitive) else primitive).value(*args, **params)
        except (TypeError, AttributeError, ValueError) as error:
            raise refused(f"`{primitive.name}`", label.place if label is not None else None) from error

    def const(self, value: Any, a: Any) -> Any:
        """A literal; a float that is whole is the integer."""
        if not isinstance(value, float) or not math.isfinite(value):
            return value
        return symbolic.Integer(int(value)) if value.is_integer() else symbolic.Float(value)

    def cond(self, test: Any, then: Thunk, orelse: Thunk) -> Any:
        return self.chosen(test, then(), orelse()) if isinstance(test, symbolic.Basic) else super().cond(
            test, then, orelse)

    def chosen(self, test: Any, a: Any, b: Any) -> Any:
        """One of two values with the same structure, by a condition."""
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple([self.chosen(test, x, y) for x, y in zip(a, b, strict=True)])
        if a is b or (isinstance(a, (int, float, symbolic.Basic)) and a == b):
            return a
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Absent):  # what the other branch alone has
                return other
        return symbolic.Piecewise((a, test), (b, True))


@telling
def expression(f: Callable[..., Any], *symbols: Any) -> Any:
    """The value of a function of numbers as an expression of SymPy, at symbols or expressions.

    >>> import sympy
    >>> from ccc.compile.api.transforms import derivative
    >>> x = sympy.Symbol("x", real=True)
    >>> expression(lambda x: x * x if x > 0.0 else -x, x)
    Piecewise((x**2, x > 0), (-x, True))
    >>> expression(derivative(lambda x: x ** 3.0), x)
    3*x**2

    Numbers in, a number or a tuple of numbers out. Derivatives in it are taken by this library; loops over known
    numbers are unrolled, and `if` becomes a `Piecewise`. Raises `CompileError` for what SymPy has no expression for:
    arrays, loops whose number of runs depends on a symbol, functions that it has not, or means otherwise.

    Source: *Differentiable functions and differentiation APIs*.
    """
    program = elaborate(f, [REAL for _ in symbols], settles=True)
    xs = tuple([symbolic.sympify(x) for x in symbols])
    dummies = tuple([symbolic.Dummy(f"x{i}", real=True) for i, _ in enumerate(xs)])
    run = functor(Functions(Symbols()), abstract(program.program))
    try:
        found = run(dummies[0] if len(dummies) == 1 else dummies)
    except (TypeError, AttributeError, ValueError) as error:
        raise refused(f"what `{getattr(f, '__name__', 'f')}` does: {error}", None) from error
    parts = found if isinstance(found, tuple) else (found,)
    parts = tuple([symbolic.sympify(part) for part in parts])
    compare(f, dummies, parts)
    there = dict(zip(dummies, xs, strict=True))
    parts = tuple([part.xreplace(there) for part in parts])
    return parts if isinstance(found, tuple) else parts[0]


def compare(f: Callable[..., Any], symbols: tuple[Any, ...], parts: tuple[Any, ...]) -> None:
    """Raise where expressions have other values than the function, or where no point was found in its domain."""
    run, draw, met = compiled(f, backend="numpy"), random.Random(0), 0
    name = getattr(f, "__name__", "f")
    for k in range(POINTS):
        at = [draw.uniform(0.1, 0.9) if k % 3 == 0 else draw.uniform(-2.5, 2.5) for _ in symbols]
        try:
            wanted = run(*at)
        except (ArithmeticError, ValueError):
            continue
        for part, y in zip(parts, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
            if not math.isfinite(y):
                continue
            met += 1
            z = complex(part.evalf(subs=dict(zip(symbols, at, strict=True))))
            if not abs(z - y) <= 1e-9 * max(1.0, abs(y)):
                raise refused(f"what `{name}` does: at {at} it gives {y:.6g}, {part} gives {z:.6g}", None)
    if not met:
        raise refused(f"`{name}` that could be compared with it: no point tried is in its domain", None)


def function(expr: Any, *symbols: Any) -> Callable[..., Any]:
    """The function of numbers and arrays that an expression of SymPy is, for derivatives and `compiled`.

    >>> import sympy
    >>> from ccc.compile.api.transforms import gradient
    >>> a, b = sympy.symbols("a b")
    >>> gradient(function(sympy.exp(a) * b, a, b))(0.0, 3.0)
    (3.0, 1.0)

    Arguments are given in the order of the symbols; values have the shapes of NumPy's broadcasting. It is what
    `sympy.lambdify` writes, and raises what that raises.

    Source: SymPy, `lambdify`.
    """
    return symbolic.lambdify(symbols, expr, "numpy")


__all__ = ["expression", "function"]
