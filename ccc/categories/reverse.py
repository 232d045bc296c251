"""Reverse mode: arrows that carry pullbacks, `T => S  =  T -> (S, G[S] -> G[T])`.

    id           x |-> (x, g |-> g)
    f ; g        x |-> let (y, pf) = f x; (z, pg) = g y in (z, g |-> pf (pg g))
    prod f g     x |-> let (a, pf) = f x; (b, pg) = g x in ((a, b), (ga, gb) |-> pf ga + pg gb)
    proj_left    (a, b) |-> (a, ga |-> (ga, 0))
    curry, eval  the exponential's: `Delta`, `AdditiveMap` or `AnyDerivative`

The cotangent of a function, and with it `curry` and `eval`, is a parameter: the exponential.

>>> from ccc.arrows import Id, Prod
>>> from ccc.denotation import functor
>>> from ccc.objects import REAL
>>> value, pullback = functor(Reverse(), Prod((Id(REAL), Id(REAL))))(3.0)
>>> value, pullback((1.0, 10.0))
((3.0, 3.0), 11.0)

References: *The Differentiable Curry* ("Then implement T => S and combinators", "Results (I)", "Results (II)").
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO, Components, Zero, add, dense, is_zero, parts, total
from ccc.arrows import Arrow, Const, Curry, Fix, Prim, Scan, Unfold
from ccc.base import HOST, Base, Traced, padded, recorded
from ccc.categories import paths
from ccc.categories.exponentials import empty_sum, exponential_of
from ccc.categories.functions import arguments
from ccc.categories.pointwise import Pointwise
from ccc.errors import BoundaryMismatch, CCCError, MissingDerivative
from ccc.objects import Exponential, Object, Product, is_discrete
from ccc.semirings import Monoid, Semiring

Pullback = Callable[[Any], Any]
Lifted = Callable[[Any], tuple[Any, Pullback]]


def discard(ct: Any) -> Any:
    """The pullback of a constant."""
    return ZERO


class Reverse(Pointwise):
    """Functions with pullbacks, over a base, with an exponential or a word for one (`Delta` unless another is given).

    >>> from ccc.arrows import Curry, Proj
    >>> from ccc.denotation import functor
    >>> from ccc.objects import REAL
    >>> closure, pullback = functor(Reverse(), Curry(Proj(Product((REAL, REAL)), 0)))(1.5)
    >>> closure(2.5), pullback(1.0)
    (1.5, 1.0)

    With `L`, a semiring or a commutative monoid, its elements stand where cotangents are, and `weight` says by what one
    that a primitive passes on is multiplied (`ccc.semirings`):

    >>> import ccc, math
    >>> k = Reverse(L=ccc.semirings.TROPICAL, weight=lambda use: 5.0 if use.name == "mul" else 1.0)
    >>> value, asks = ccc.interpret(lambda x, y: x * (x + y) + math.sin(y), k)(2.0, 0.0)
    >>> value, asks(0.0)
    (4.0, (6.0, 2.0))

    Raises `MissingDerivative` where a pullback reaches a primitive that has none.
    """

    own_curry: bool = False  # whether it says itself what `curry` and `eval` are, and takes no exponential

    def __init__(self, exponential: Any = None, base: Base = HOST, *, L: Any = None,
                 weight: Callable[[Any], Any] | None = None) -> None:
        super().__init__(base)
        self.exponential = exponential_of(exponential)
        self.L = L
        self.weight = weight
        if L is not None and not isinstance(L, Monoid):
            raise BoundaryMismatch(f"{reprlib.repr(L)} is no semiring and no monoid",
                                   "give one of ccc.semirings, or make one: ccc.semirings.Semiring(...)")
        if weight is not None and not isinstance(L, Semiring):
            raise BoundaryMismatch("weights are multiplied, and there is nothing that multiplies them",
                                   "give a semiring as L: Reverse(L=ccc.semirings.NUMBERS, weight=...)")

    @property
    def differentiates(self) -> bool:
        """Whether its cotangents are derivatives."""
        return self.L is None

    def behind(self, term: Arrow, x: Any) -> tuple[Any, Pullback]:
        """The value of a term, and what all numbers in its argument are asked where something is asked of the value.

        >>> import ccc
        >>> k = Reverse(L=ccc.semirings.NUMBERS)
        >>> value, asks = k.behind(ccc.arrow(lambda xs: (xs[0] * xs[1], xs[1]), [2.0, 3.0]), [2.0, 3.0])
        >>> value, asks((1, 1)), asks((1, None))
        ((6.0, 3.0), [1, 2], [1, 1])

        What is asked has the structure of the value, and the answer that of the argument, with None where nothing is;
        of arrays both are arrays of objects, of the same shape. Raises `BoundaryMismatch` for an argument that has not
        the structure of the domain, and where there is no `L`.
        """
        if self.L is None:
            raise BoundaryMismatch("without `L` the pullbacks of `Reverse` give derivatives",
                                   "take ccc.value_with_pullback(f), or Reverse(L=...)")
        return paths.behind(self, term, x)

    @property
    def instead(self) -> str:
        """What gives the pullbacks, which are of whole programs."""
        return "take ccc.value_with_pullback(f)" if type(self) is Reverse else (
            "read the term in it: ccc.functor(category, ccc.arrow(f, *args))")

    def identity(self, a: Object) -> Lifted:
        return lambda x: (x, lambda ct: ct)

    def compose(self, *arrows: Lifted) -> Lifted:
        def composite(x: Any) -> tuple[Any, Pullback]:
            pullbacks: list[Pullback] = []
            for f in arrows:
                x, pb = f(x)
                pullbacks.append(pb)

            def composite_pullback(ct: Any) -> Any:
                for pb in reversed(pullbacks):
                    if isinstance(ct, Zero):
                        return ZERO
                    ct = pb(ct)
                return ct

            return x, composite_pullback

        return composite

    def terminal(self, a: Object) -> Lifted:
        return lambda x: ((), discard)

    def prod(self, *arrows: Lifted) -> Lifted:
        size = len(arrows)

        def fork(x: Any) -> tuple[Any, Pullback]:
            ys, pullbacks = zip(*[f(x) for f in arrows], strict=True)

            def fork_pullback(ct: Any) -> Any:
                cts = parts(ct, size)
                found = [pb(g) for pb, g in zip(pullbacks, cts, strict=True) if not isinstance(g, Zero)]
                return found[0] if len(found) == 1 else total(found)

            return ys, fork_pullback

        return fork

    def proj(self, a: Product, index: int) -> Lifted:
        size = len(a.parts)

        def proj_pullback(ct: Any) -> Any:
            return Components(size, {index: ct})

        return lambda x: (x[index], proj_pullback)

    def curry(self, body: Lifted, term: Curry) -> Lifted:
        return self.exponential.curry(body, term)

    def eval(self, function: Exponential) -> Lifted:
        return self.exponential.eval()

    def const(self, term: Const) -> Lifted:
        return lambda x: (self.base.const(term.value, term.cod), discard)

    def primitive(self, term: Prim) -> Lifted:
        return self.derivative(term) if self.L is None else paths.primitive(self, term)

    def derivative(self, term: Prim) -> Lifted:
        """A primitive with the pullback of its derivative."""
        p, params, dom = term.primitive, dict(term.params), term.dom
        domains = arguments(dom.parts if isinstance(dom, Product) else dom, dom)
        flat = [is_discrete(a) for a in domains]
        constant = all(flat) or is_discrete(term.cod)

        def of_program(x: Any) -> tuple[Any, Pullback]:
            y, pullback = p.program.reverse(self, arguments(x, dom))
            return y, pullback if isinstance(dom, Product) else lambda ct: pullback(ct)[0]

        def lifted(x: Any) -> tuple[Any, Pullback]:
            xs = arguments(x, dom)
            y = self.base.apply(p, xs, params, term.label)
            if constant or (isinstance(y, Traced) and not any(isinstance(x, Traced) for x in xs)):
                return y, discard  # of literals, and a rule may not be defined at them

            def primitive_pullback(ct: Any) -> Any:
                if is_zero(ct):
                    return ZERO
                if p.pullback is None:
                    help = "give it one with ccc.derivative_of"
                    raise MissingDerivative(f"`{p.name}` has no derivative", help).at(term.label.span)
                outer, self.base.deriving = self.base.deriving, term.label.place
                try:
                    cts = p.pullback(dense(ct), y, *xs, **params)
                except CCCError as error:
                    error.at(term.label.span)
                    raise
                finally:
                    self.base.deriving = outer
                cts = [ZERO if skip else recorded(g, x) for skip, g, x in zip(flat, cts, xs, strict=True)]
                return tuple(cts) if isinstance(dom, Product) else cts[0]

            return y, primitive_pullback

        return lifted if p.program is None or not p.program.known or constant else of_program

    def cond(self, test: Lifted, then: Lifted, orelse: Lifted) -> Lifted:
        def branch(x: Any) -> tuple[Any, Pullback]:
            def filled(f: Lifted) -> tuple[Any, Pullback]:
                y, pb = f(x)
                return y, lambda ct: add(pb(ct), self.base.zero_of(x))

            return self.base.cond(test(x)[0], lambda: filled(then), lambda: filled(orelse))

        return branch

    def scan(self, body: Lifted, term: Scan) -> Lifted:
        lists = term.dom.parts[2]
        width, count = len(term.cod.parts[1].parts), len(lists.parts)  # type: ignore[attr-defined]

        def loop(x: Any) -> tuple[Any, Pullback]:
            g, init, xs = x

            def step(s: Any, e: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
                (after, ys), pb = body((g, s, e))
                return after, (*ys, self.at(pb, s, init, 3))

            last, (*ys, tape) = self.base.scan(step, init, xs, width + 1, term.reverse)
            back = self.back(g, init, last, tape, width, not term.reverse, count)

            def loop_pullback(ct: Any) -> Any:
                ct_g, ct_init, cts = back(ct)
                if count > 1:
                    cts = tuple([padded(c, like) for c, like in zip(cts, xs, strict=True)])
                return ct_g, add(ct_init, self.base.zero_of(init)), cts

            return (last, tuple(ys)), loop_pullback

        return loop

    def unfold(self, test: Lifted, body: Lifted, term: Unfold) -> Lifted:
        width = len(term.cod.parts[1].parts)  # type: ignore[attr-defined]

        def loop(x: Any) -> tuple[Any, Pullback]:
            g, init = x

            def step(s: Any) -> tuple[Any, tuple[Any, ...]]:
                (after, ys), pb = body((g, s))
                return after, (*ys, self.at(pb, s, init, 2))

            last, (*ys, tape) = self.base.iterate(lambda s: test((g, s))[0], step, init, width + 1)
            back = self.back(g, init, last, tape, width, True)
            return (last, tuple(ys)), lambda ct: back(ct)[:2]

        return loop

    def at(self, pb: Pullback, s: Any, init: Any, size: int) -> Pullback:
        """The pullback of one run of a loop that began with the state `init`, to `size` cotangents, the second of which
        is one of the state `s` before this run."""
        zero = self.base.zero_of(s, init)
        return pb if zero is ZERO else lambda ct: add(pb(ct), (ZERO, zero, *[ZERO] * (size - 2)))

    def back(self, g: Any, init: Any, last: Any, tape: Any, width: int, reverse: bool, count: int = 0) -> Pullback:
        """The loop along the pullbacks of all runs, to the cotangents of the context, of the first state and of `count`
        sequences."""

        def step(carry: Any, elements: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
            ct_g, ct_s = carry
            pb, *gys = elements
            dg, ds, *de = parts(pb((ct_s, tuple(gys))), 3 if count else 2)
            cts = parts(de[0], count) if de else ()
            return (add(ct_g, dg), add(self.base.zero_of(init), ds)), tuple(map(dense, cts))

        def loop_pullback(ct: Any) -> Any:
            ct_last, ct_ys = parts(ct, 2)
            start = (empty_sum(self.base.zero_of(g)), add(self.base.zero_of(last), ct_last))
            sequences = (tape, *map(dense, parts(ct_ys, width)))
            (ct_g, ct_init), cts = self.base.scan(step, start, sequences, count, reverse)
            return ct_g, ct_init, cts

        return loop_pullback

    def fix(self, body: Lifted, term: Fix) -> Lifted:
        return self.exponential.fix(body, term, self.base)
