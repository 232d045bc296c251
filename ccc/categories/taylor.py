"""Taylor series: beside a value stand coefficients of powers of t, to any order, by the differentials of primitives.

    y = p(x):   y_0 = p(x_0),   k y_k = (p'(x) x')_(k-1)

A differential is written with primitives, so it computes with series as with numbers. Coefficients are computed when
they are asked for: that of `exp` is made of `exp` itself, of lower order. No primitive has a rule of its own here, but
what is linear or bilinear is known by its facts to move coefficients as it does values.

>>> import ccc, math
>>> ccc.interpret(lambda x: math.exp(x * x), Taylor(4))((0.0, 1.0, 0.0, 0.0, 0.0))
(1.0, 0.0, 1.0, 0.0, 0.5)

Reference: Andreas Griewank and Andrea Walther, *Evaluating Derivatives* (2008), chapter 13.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ccc.additive import ZERO, Zero, add, dense
from ccc.arrows import Prim
from ccc.base import Base, Traced
from ccc.categories.layered import Layered, Layers
from ccc.errors import MissingDerivative
from ccc.objects_of_values import object_of
from ccc.primitives import zero_trees
from ccc.primitives.operators import Operators


class Taylor(Layered):
    """The coefficients of powers of t to an order; of an argument `x` that moves, `(x, 1.0, 0.0, ...)`.

    >>> import ccc
    >>> ccc.interpret(ccc.gradient(lambda x: x ** 3), Taylor(2))((2.0, 1.0, 0.0))
    (12.0, 12.0, 3.0)

    Raises `MissingDerivative` at a primitive that has no derivative and whose arguments move.
    """

    tangents = True

    def __init__(self, order: int = 2) -> None:
        super().__init__()
        self.layers = order + 1

    def element(self, number: Callable[[], Any]) -> Layers:
        return tuple([number() for _ in range(self.layers)])

    def operation(self, term: Prim, *xs: Layers) -> Any:
        coefficients = Coefficients(self.base)
        moving = {k: self.moving(term, [x[k] for x in xs]) for k in range(1, self.layers)}
        args = [Series(coefficients, [c if k == 0 or i in moving[k] else ZERO for k, c in enumerate(x)])
                for i, x in enumerate(xs)]
        y = coefficients.apply(term.primitive, tuple(args), dict(term.params), term.label)
        if not isinstance(y, Series):
            return y
        zero = self.base.apply(zero_trees.zeros_like, (y.at(0),), {}, None)
        found = [dense(y.at(k)) for k in range(self.layers)]
        return [zero if isinstance(c, Zero) else c for c in found]


class Series(Operators, Traced):
    """A series whose coefficients are known up to some order, and found as they are asked for beyond."""

    __slots__ = ("known", "more")

    def __init__(self, base: Coefficients, known: list[Any], more: Callable[[int], Any] = lambda k: ZERO) -> None:
        self.base = base
        self.known = known
        self.more = more
        value = known[0]
        self.object = value.object if isinstance(value, Traced) else object_of(value)

    def at(self, k: int) -> Any:
        """The coefficient of the k-th power."""
        while len(self.known) <= k:
            self.known.append(self.more(len(self.known)))
        return self.known[k]

    @property
    def still(self) -> bool:
        """Whether nothing moves: all coefficients but the first are known to be zero."""
        return len(self.known) > 1 and all(isinstance(c, Zero) for c in self.known[1:])


class Coefficients:
    """The base whose values are series over another base."""

    def __init__(self, base: Base) -> None:
        self.base = base

    def apply(self, p: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        """What a primitive makes of series and constants."""
        first = tuple([x.at(0) if isinstance(x, Series) else x for x in args])
        moving = [i for i, x in enumerate(args) if isinstance(x, Series) and not x.still and i not in p.sizes]
        value = self.base.apply(p, first, params, label)
        if not moving:
            return Series(self, [value, ZERO]) if any(isinstance(x, Series) for x in args) else value
        if p.differential is None:
            raise MissingDerivative(f"`{p.name}` has no derivative", "give it one with ccc.derivative_of")
        groups = p.linear_of(params).groups(len(args))
        if any(set(moving) <= set(group) for group in groups):
            return Series(self, [value], lambda k: self.moved(p, moving, args, first, value, params, k))
        if len(moving) == 2 and all((i,) in groups for i in moving):
            return Series(self, [value], lambda k: self.product(p, moving, args, first, params, k))
        return self.solved(p, moving, args, first, value, params)

    def solved(
        self, p: Any, moving: list[int], args: tuple[Any, ...], first: tuple[Any, ...], value: Any,
        params: dict[str, Any],
    ) -> Series:
        """What has a differential: `k y_k` is a coefficient of it, which may be made of those of y before."""
        y = Series(self, [value])

        @cache
        def derivative() -> Any:
            ds = tuple([slope(self, x) if i in moving else ZERO for i, x in enumerate(args)])
            xs = [x if i in moving else c for i, (x, c) in enumerate(zip(args, first, strict=True))]
            return p.differential(ds, y, *xs, **params)

        def more(k: int) -> Any:
            found = derivative()
            c = found.at(k - 1) if isinstance(found, Series) else found if k == 1 else ZERO
            return c if isinstance(c, Zero) else dense(c) / float(k)

        y.more = more
        return y

    def moved(
        self, p: Any, moving: list[int], args: tuple[Any, ...], first: tuple[Any, ...], value: Any,
        params: dict[str, Any], k: int,
    ) -> Any:
        """The k-th coefficient of what is linear in all that moves."""
        ds = tuple([args[i].at(k) if i in moving else ZERO for i in range(len(args))])
        return ZERO if all(isinstance(d, Zero) for d in ds) else p.differential(ds, value, *first, **params)

    def product(
        self, p: Any, moving: list[int], args: tuple[Any, ...], first: tuple[Any, ...], params: dict[str, Any], k: int
    ) -> Any:
        """The k-th coefficient of what is linear in each of two that move."""
        i, j = moving
        total: Any = ZERO
        for a in range(k + 1):
            x, y = args[i].at(a), args[j].at(k - a)
            if not isinstance(x, Zero) and not isinstance(y, Zero):
                given = [x if n == i else y if n == j else c for n, c in enumerate(first)]
                total = add(total, self.base.apply(p, tuple(given), params, None))
        return total


def slope(base: Coefficients, x: Series) -> Any:
    """The derivative of a series."""

    def more(k: int) -> Any:
        c = x.at(k + 1)
        return c if isinstance(c, Zero) else c * float(k + 1)

    first = more(0)
    zero = base.base.apply(zero_trees.zeros_like, (x.at(0),), {}, None) if isinstance(first, Zero) else first
    return Series(base, [zero], more)
