"""Pointwise categories: an arrow is a Python function on what stands for a value there, over a base.

    Functions   x |-> y                  Forward   (x, dx) |-> (y, dy)                  Reverse   x |-> (y, pullback)

What they compute with is the base's, so each of them reads a term on numbers as well as on the staged values of the
compiler.

>>> from ccc.arrows import Id
>>> from ccc.denotation import functor
>>> from ccc.objects import REAL
>>> functor(Pointwise().over(HOST), Id(REAL))(1.5)
1.5
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self

from ccc.arrows import Const, Prod, Proj, Terminal, Unfold
from ccc.base import HOST, Base
from ccc.category import Category
from ccc.objects import BOOL, UNIT, List, Object, Product, of_shape

_AT = Product((UNIT, UNIT))
NO_OUTPUTS = Unfold(Const(_AT, False, BOOL), Prod((Proj(_AT, 1), Terminal(_AT))))
"""A `while` with outputs that has none."""


class FunctionValue:
    """A function as a value, where a category needs more of it than that it can be called: the environment that it
    captured, and `zero`, from the zero of that to the zero of the function."""

    __slots__ = ("environment", "zero")

    def __init__(self, environment: Any, zero: Callable[[Any], Any] = lambda env: env) -> None:
        self.environment = environment
        self.zero = zero


class Pointwise(Category):
    """What these categories share: composition is that of functions, unless a category says otherwise, and `iterate` is
    `unfold` without outputs. `ccc.interpret` compiles functions in them.

    >>> from ccc.categories.functions import Functions
    >>> issubclass(Functions, Pointwise), Pointwise().identity(UNIT)(1.5)
    (True, 1.5)
    """

    def __init__(self, base: Base = HOST) -> None:
        self.base = base

    @property
    def instead(self) -> str:
        """What to take instead where no value can stand for one of a program, but its pullback, too; else nothing."""
        return ""

    def over(self, base: Base) -> Self:
        """The same category over another base."""
        k = copy(self)
        k.base = base
        return k

    def of(self, a: Object) -> Object:
        """The object of what stands for a value of `a`, where that holds no pullbacks."""
        return a

    def under(self, a: Object) -> Object | None:
        """The object of values for which what is of the object `a` stands; None where that stands for nothing.

        >>> from ccc.objects import REAL
        >>> Pointwise().under(REAL) == REAL
        True
        """
        if self.of(a) == a:
            return a
        inside = a.parts if isinstance(a, Product) else (a.item,) if isinstance(a, List) else ()
        found = list(inside)
        parts = [part for part in map(self.under, inside) if part is not None]
        if len(parts) == len(inside):
            found += [of_shape(a, tuple(parts))] if isinstance(a, Product) else list(map(List, parts))
        return next((part for part in found if self.of(part) == a), None)

    def identity(self, a: Object) -> Any:
        return lambda x: x

    def compose(self, *arrows: Callable[[Any], Any]) -> Any:
        def composite(x: Any) -> Any:
            for f in arrows:
                x = f(x)
            return x

        return composite

    def iterate(self, test: Any, body: Any) -> Any:
        loop = self.unfold(test, self.prod(body, self.terminal(UNIT)), NO_OUTPUTS)
        return self.compose(loop, self.proj(NO_OUTPUTS.cod, 0))
