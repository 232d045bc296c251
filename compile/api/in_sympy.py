"""`ccc.sympy`: functions as expressions of SymPy, and expressions as functions with derivatives (extra `symbolic`).

The term of a function is read on expressions in place of numbers; a branch becomes a `Piecewise`. Of a test of what a
test chose SymPy makes conditions that it simplifies for minutes, and the test of a `while` chooses nothing: such a
program is read once for each way through it. A function of NumPy's or Python's `math` is SymPy's of that name, which
may mean another thing: what comes out is compared with the function at points before it is handed out.

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
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import sympy
from sympy.codegen import cfunctions
from sympy.core.function import Application
from sympy.printing.numpy import SciPyPrinter
from sympy.printing.pycode import PythonCodePrinter

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
from ccc.primitives import arithmetic, guarded
from ccc.primitives.primitive import Primitive

POINTS = 12
"""At so many points an expression is compared with the function, of which one has to be in its domain."""

WAYS, TESTS = 256, 16
"""Through a program, at most, and tests that its symbols leave open on each."""

symbolic: Any = sympy


def refused(what: str, place: Span | None) -> CompileError:
    return unsupported("CC003", f"SymPy has no expression for {what}", place or call_site(),
                       help="write it in functions of numbers that SymPy has, or use ccc.explain(f).arrow")


@cache
def named(name: str) -> Any:
    """SymPy's function, or connective, of the name of one of Python's or NumPy's, or None: its printers say how these
    are called where they are called otherwise.

    >>> [named(name).__name__ for name in ("arctan", "lgamma", "log1p", "ceil", "maximum", "not")]
    ['atan', 'loggamma', 'log1p', 'ceiling', 'Max', 'Not']
    >>> named("interp")
    """
    theirs = *SciPyPrinter().known_functions.items(), *PythonCodePrinter().known_functions.items()
    called = {text.rpartition(".")[2]: of for of, text in theirs}
    names = name, called.get(name, name), name.removesuffix("imum").capitalize()
    for found in (*[getattr(symbolic, of, None) for of in names], getattr(cfunctions, name, None)):
        if found is symbolic.sqrt or (isinstance(found, type) and issubclass(found, Application)):
            return found
    return None


def shared(d: Any, y: Any, x: Any, *others: Any) -> Any:
    """What one of several has of a tangent of the greatest, or the least, which those that are it share equally."""
    one, none = symbolic.Integer(1), symbolic.Integer(0)
    as_many = [symbolic.Piecewise((one, symbolic.Eq(other, y)), (none, True)) for other in others]
    return d * symbolic.Piecewise((1 / sum(as_many, one), symbolic.Eq(x, y)), (none, True))


class Undecided(Exception):
    """A test is one of what tests chose, or that of a `while`."""


class Symbols(Host):
    """The base whose numbers are expressions, and whose branches are `Piecewise`."""

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any = None) -> Any:
        if primitive.program is not None:
            return primitive.program.value(self, args)
        if not any([isinstance(x, symbolic.Basic) for x in args]):
            return primitive.value(*args, **params)
        name = primitive.name.rpartition(".")[2].replace("signum", "sign")
        if getattr(builtins, name, getattr(np, name, None)) in (float, np.float64):
            return args[0]
        plain = primitive if is_foreign(primitive) else getattr(
            arithmetic, name.removesuffix("0"), primitive)  # guarded against 0 * inf
        written = str(getattr(plain, "source", "")).split()
        try:
            if len(written) == 3 and written[1] in symbolic.Rel.ValidRelationOperator:
                return symbolic.Rel(*args, written[1])
            if name == "where":
                return self.chosen(*args)
            if primitive is guarded.share:
                return shared(*args)
            found = None if is_foreign(primitive) else named(name)
            if found is not None:
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
        if not isinstance(test, symbolic.Basic):
            return super().cond(test, then, orelse)
        if test.has(symbolic.Piecewise):
            raise Undecided
        return self.chosen(test, then(), orelse())

    def iterate(
        self, test: Callable[[Any], Any], step: Callable[[Any], tuple[Any, tuple[Any, ...]]], init: Any, outputs: int
    ) -> tuple[Any, tuple[Any, ...]]:
        return super().iterate(lambda state: self.decided(test(state)), step, init, outputs)

    def decided(self, test: Any) -> bool:
        if isinstance(test, symbolic.Basic) and not isinstance(test, symbolic.logic.boolalg.BooleanAtom):
            raise Undecided
        return bool(test)

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


class OneWay(Symbols):
    """The base that goes one way through a program: as `turns` says at tests that symbols leave open, then where they
    hold. `tests` are those it met."""

    def __init__(self, turns: Sequence[bool]) -> None:
        super().__init__()
        self.turns, self.tests = turns, dict[Any, bool]()

    def cond(self, test: Any, then: Thunk, orelse: Thunk) -> Any:
        return then() if self.decided(test) else orelse()

    def decided(self, test: Any) -> bool:
        if not isinstance(test, symbolic.Basic) or isinstance(test, symbolic.logic.boolalg.BooleanAtom):
            return bool(test)
        if test not in self.tests and symbolic.Not(test) in self.tests:
            return not self.tests[symbolic.Not(test)]
        at = len(self.tests)
        if at == TESTS and test not in self.tests:
            raise refused(f"what hangs on more than {TESTS} tests of its symbols, as a loop while one holds", None)
        return self.tests.setdefault(test, at >= len(self.turns) or self.turns[at])


def every_way(run_on: Callable[[Host], Any]) -> Any:
    """What a program gives on all ways through it: one for each way of its tests, in the tests that it met."""
    left = WAYS

    def beyond(turns: tuple[bool, ...]) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise refused(f"what goes more than {WAYS} ways through its tests", None)
        base = OneWay(turns)
        found = run_on(base)
        for at, test in reversed([*enumerate(base.tests)][len(turns):]):
            found = base.chosen(test, found, beyond((*turns, *[True] * (at - len(turns)), False)))
        return found

    return beyond(())


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
    numbers are unrolled, and `if` becomes a `Piecewise`, as does a `while` that ends soon whatever the symbols are.
    Raises `CompileError` for what SymPy has no expression for: arrays, programs that go more than 256 ways or meet more
    than 16 open tests on one, functions that it has not, or means otherwise.

    Source: *Differentiable functions and differentiation APIs*.
    """
    program = elaborate(f, [REAL for _ in symbols], settles=True)
    xs = tuple([symbolic.sympify(x) for x in symbols])
    dummies = tuple([symbolic.Dummy(f"x{i}", real=True) for i, _ in enumerate(xs)])
    term, given = abstract(program.program), dummies[0] if len(dummies) == 1 else dummies

    def on(base: Host) -> Any:
        return functor(Functions(base), term)(given)

    try:
        try:
            found = on(Symbols())
        except Undecided:
            found = every_way(on)
    except (TypeError, AttributeError, ValueError) as error:
        raise refused(f"what `{getattr(f, '__name__', 'f')}` does: {error}", None) from error
    parts = tuple([symbolic.sympify(part) for part in (found if isinstance(found, tuple) else (found,))])
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
            if isinstance(y, complex) or not math.isfinite(y):
                continue
            met += 1
            z = part.evalf(subs=dict(zip(symbols, map(symbolic.Float, at), strict=True)))
            if not z.is_finite or not abs(complex(z) - y) <= 1e-9 * max(1.0, abs(y)):
                raise refused(f"what `{name}` does: at {at} it gives {y:.6g}, {part} gives {z}", None)
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
