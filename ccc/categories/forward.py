"""Forward mode: arrows on values with tangents, `(x, dx) |-> (y, dy)`.

The tangent of a function value is the tangent of its captured environment, the mirror of `Delta`.

>>> from ccc.arrows import Id, Prod
>>> from ccc.denotation import functor
>>> from ccc.objects import REAL
>>> functor(Forward(), Prod((Id(REAL), Id(REAL))))((3.0, 1.0))
((3.0, 3.0), (1.0, 1.0))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO, Zero, add, dense, is_zero, parts
from ccc.arrows import Const, Curry, Fix, Prim, Scan, Unfold
from ccc.base import recorded
from ccc.categories.functions import arguments
from ccc.categories.pointwise import FunctionValue, Pointwise
from ccc.errors import CCCError, MissingDerivative
from ccc.objects import UNIT, Exponential, Object, Product, is_discrete

Dual = tuple[Any, Any]
Pushed = Callable[[Dual], Dual]


class TangentClosure(FunctionValue):
    """A function value in forward mode: `apply(denv, (s, ds)) = (r, dr)`."""

    __slots__ = ("apply",)

    def __init__(self, environment: Any, apply: Callable[[Any, Dual], Dual]) -> None:
        super().__init__(environment)
        self.apply = apply


class Forward(Pointwise):
    """Functions on pairs of value and tangent, over a base.

    >>> from ccc.arrows import Proj
    >>> from ccc.denotation import functor
    >>> from ccc.objects import REAL
    >>> functor(Forward(), Proj(Product((REAL, REAL)), 1))(((3.0, 4.0), (1.0, 10.0)))
    (4.0, 10.0)

    Raises `MissingDerivative` where a tangent reaches a primitive that has no derivative.
    """

    def of(self, a: Object) -> Object:
        return Product((a, tangents(a)))

    def terminal(self, a: Object) -> Pushed:
        return lambda x: ((), ZERO)

    def prod(self, *arrows: Pushed) -> Pushed:
        def fork(x: Dual) -> Dual:
            ys, dys = zip(*[f(x) for f in arrows], strict=True)
            return ys, dys

        return fork

    def proj(self, a: Product, index: int) -> Pushed:
        size = len(a.parts)
        return lambda x: (x[0][index], parts(x[1], size)[index])

    def curry(self, body: Pushed, term: Curry) -> Pushed:
        def new_f(x: Dual) -> Dual:
            t, dt = x
            return TangentClosure(t, lambda dt, s: body(((t, s[0]), (dt, s[1])))), dt

        return new_f

    def eval(self, function: Exponential) -> Pushed:
        def applied(x: Dual) -> Dual:
            (g, s), dx = x
            denv, ds = parts(dx, 2)
            return g.apply(denv, (s, ds))

        return applied

    def const(self, term: Const) -> Pushed:
        return lambda x: (self.base.const(term.value, term.cod), ZERO)

    def primitive(self, term: Prim) -> Pushed:
        p, params, dom = term.primitive, dict(term.params), term.dom
        domains = arguments(dom.parts if isinstance(dom, Product) else dom, dom)
        flat = [is_discrete(a) for a in domains]
        constant = is_discrete(term.cod)

        def pushed(x: Dual) -> Dual:
            outer, self.base.deriving = self.base.deriving, term.label.place
            try:
                return moved(x)
            except CCCError as error:
                error.at(term.label.span)
                raise
            finally:
                self.base.deriving = outer

        def moved(x: Dual) -> Dual:
            xs = arguments(x[0], dom)
            if p.program is not None and not constant and not is_zero(x[1]):
                dxs = parts(x[1], len(xs)) if isinstance(dom, Product) else (x[1],)
                return p.program.forward(self, xs, tuple(map(dense, dxs)))
            y = self.base.apply(p, xs, params, term.label)
            if constant:
                return y, ZERO
            dxs = parts(x[1], len(xs)) if isinstance(dom, Product) else (x[1],)
            dxs = tuple([ZERO if skip or is_zero(d) else dense(d) for skip, d in zip(flat, dxs, strict=True)])
            if all(isinstance(d, Zero) for d in dxs):
                return y, ZERO
            if p.differential is None:
                raise MissingDerivative(f"`{p.name}` has no derivative", "give it one with ccc.derivative_of")
            return y, recorded(p.differential(dxs, y, *xs, **params), y)

        return pushed

    def cond(self, test: Pushed, then: Pushed, orelse: Pushed) -> Pushed:
        return lambda x: self.filled(
            self.base.cond(test(x)[0], lambda: self.filled(then(x)), lambda: self.filled(orelse(x)))
        )

    def scan(self, body: Pushed, term: Scan) -> Pushed:
        lists = term.dom.parts[2]
        width, count = len(term.cod.parts[1].parts), len(lists.parts)  # type: ignore[attr-defined]

        def loop(x: Dual) -> Dual:
            (g, init, xs), dx = x
            dg, dinit, dxs = parts(dx, 3)

            def step(carry: Dual, elements: tuple[Any, ...]) -> tuple[Dual, tuple[Any, ...]]:
                (s, ds), es, des = carry, elements[:count], elements[count:]
                return self.flat(body(((g, s, es), (dg, ds, des))), width)

            sequences = (*xs, *parts(dxs, count))
            return self.nested(self.base.scan(step, self.filled((init, dinit)), sequences, 2 * width, term.reverse))

        return loop

    def unfold(self, test: Pushed, body: Pushed, term: Unfold) -> Pushed:
        width = len(term.cod.parts[1].parts)  # type: ignore[attr-defined]

        def loop(x: Dual) -> Dual:
            (g, init), dx = x
            dg, dinit = parts(dx, 2)
            return self.nested(self.base.iterate(
                lambda c: test(((g, c[0]), (dg, c[1])))[0],
                lambda c: self.flat(body(((g, c[0]), (dg, c[1]))), width), self.filled((init, dinit)), 2 * width,
            ))

        return loop

    def flat(self, x: Dual, width: int) -> tuple[Dual, tuple[Any, ...]]:
        """The state of a loop with its tangent, and its outputs followed by theirs."""
        (s, ys), dx = x
        ds, dys = parts(dx, 2)
        return self.filled((s, ds)), (*ys, *parts(dys, width))

    def nested(self, found: tuple[Dual, tuple[Any, ...]]) -> Dual:
        """The last state of a loop and its outputs, with their tangents."""
        (s, ds), columns = self.filled(found[0]), found[1]
        width = len(columns) // 2
        return (s, columns[:width]), (ds, columns[width:])

    def fix(self, body: Pushed, term: Fix) -> Pushed:
        function = Exponential(self.of(term.cod.dom), self.of(term.cod.cod))

        def knot(x: Dual) -> Dual:
            t, dt = x

            def unrolled(s: Dual) -> Dual:
                y, dy = self.filled(body((((t, recursive), s[0]), ((dt, dt), moving(term.cod.dom, s[1])))))
                return y, kept(term.cod.cod, dy)

            def given(s: Dual) -> Dual:
                x, dx = self.filled(s)
                return x, kept(term.cod.dom, dx)

            def found(s: Dual) -> Dual:
                y, dy = apply(given(s))
                return y, moving(term.cod.cod, dy)

            recursive = TangentClosure(t, lambda dt, s: found(s))
            apply = self.base.recursive(unrolled, f"{term.name}_differential", function)
            return recursive, dt

        return knot

    def filled(self, x: Dual) -> Dual:
        """The same with a tangent that is able to become numbers."""
        return x[0], add(x[1], self.base.zero_of(x[0]))


def moving(a: Object, d: Any) -> Any:
    """A tangent at a value of `a` with `ZERO` for what does not move, whose object is that of no value.

    >>> from ccc.objects import INT, REAL
    >>> moving(Product((Product((INT, INT)), REAL)), ((), 2.0))
    (ZERO, 2.0)
    """
    if is_discrete(a):
        return ZERO
    if not isinstance(a, Product) or not isinstance(d, tuple):
        return d
    inside: tuple[Any, ...] = d
    return tuple(map(moving, a.parts, inside))


def kept(a: Object, d: Any) -> Any:
    """A tangent at a value of `a` as a value of `tangents(a)`: nothing for what does not move.

    >>> from ccc.objects import INT, REAL
    >>> kept(Product((Product((INT, INT)), REAL)), ((ZERO, ZERO), 2.0))
    ((), 2.0)
    """
    if isinstance(a, Product) and is_discrete(a):
        return ()
    if not isinstance(a, Product) or not isinstance(d, tuple):
        return d
    inside: tuple[Any, ...] = d
    return tuple(map(kept, a.parts, inside))


def tangents(a: Object) -> Object:
    """The object of the tangents at values of `a`.

    >>> from ccc.objects import INT, REAL
    >>> print(tangents(Product((REAL, INT))))
    (R, 1)
    """
    if is_discrete(a):
        return UNIT
    return Product(tuple(map(tangents, a.parts))) if isinstance(a, Product) else a
