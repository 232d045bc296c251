"""CHAD: reverse mode whose pullbacks are linear maps with types, `T => S  =  T -> S x (G[S] -o G[T])`.

    G[R] = R        G[S x T] = G[S] x G[T]        G[S => T] = !S (x) G[T]

A linear map knows between which spaces it goes, and every cotangent that it takes or gives is held to them; G is a
function of the type alone. A cotangent of a function is an element of a copower: it is made as `!s (x) gr`, and only a
linear map consumes it, as formal sums are folded. So this is the curry of `AdditiveMap`, with types.

>>> from ccc.arrows import Curry, Id
>>> from ccc.denotation import functor
>>> from ccc.objects import REAL, Product
>>> closure, pullback = functor(CHAD(), Curry(Id(Product((REAL, REAL)))))(2.0)
>>> print(pullback)
AdditiveMap(R, (R, R)) -o R
>>> value, pb = closure.apply(3.0)
>>> print(pb, "|", value, pb((1.0, 10.0)))
(R, R) -o R | (2.0, 3.0) 10.0

References: Matthijs Vákár and Tom Smeding, *CHAD: Combinatory Homomorphic Automatic Differentiation* (2022), sections 4
to 7.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from typing import Any

from ccc.additive import ZERO, Components, Contribution, Zero, is_zero, parts, total
from ccc.arrows import Const, Curry, Fix, Prim, Scan, Unfold
from ccc.base import HOST, Base
from ccc.categories.exponentials import AdditiveMap, Closure, FormalSum, Space, Sums
from ccc.categories.reverse import Lifted, Pullback, Reverse
from ccc.errors import CotangentMismatch
from ccc.objects import UNIT, Exponential, List, Object, Product, Real

G = AdditiveMap().cotangent


class Linear:
    """A linear map between two spaces, `dom -o cod`; a space may be unknown (None).

    >>> from ccc.objects import REAL
    >>> print(Linear(REAL, Product((REAL, REAL)), lambda ct: (ct, ct)))
    R -o (R, R)

    Raises `CotangentMismatch` for a cotangent that is not of its space.
    """

    __slots__ = ("cod", "dom", "run")

    def __init__(self, dom: Object | None, cod: Object | None, run: Pullback) -> None:
        self.dom = dom
        self.cod = cod
        self.run = run

    def __call__(self, ct: Any) -> Any:
        return ZERO if isinstance(ct, Zero) else held(self.run(held(ct, self.dom)), self.cod)

    def __str__(self) -> str:
        return f"{self.dom} -o {self.cod}"


def held(ct: Any, space: Object | None) -> Any:
    """The cotangent, which is one of the space.

    >>> from ccc.objects import REAL
    >>> held((1.0, 2.0), Product((REAL, REAL)))
    (1.0, 2.0)

    Raises `CotangentMismatch` where it is not.
    """
    if isinstance(ct, (Zero, Contribution)) or space is None:
        return ct
    if isinstance(space, Product):
        size = len(space.parts)
        fits = (isinstance(ct, tuple) and len(ct) == size) or (isinstance(ct, Components) and ct.size == size)  # type: ignore[arg-type]
        if fits and isinstance(ct, tuple):
            for part, inner in zip(ct, space.parts, strict=True):  # type: ignore[arg-type]
                held(part, inner)
    elif isinstance(space, Sums):
        fits = isinstance(ct, FormalSum)
    else:
        fits = not isinstance(space, (Real, List)) or not isinstance(ct, (tuple, Components, FormalSum))
    if not fits:
        raise CotangentMismatch(f"CHAD: {ct!r} is no cotangent of the space {space}")
    return ct


def typed(a: Object, b: Object, lifted: Lifted) -> Lifted:
    """The arrow from `a` to `b` whose pullback is a linear map G[b] -o G[a]."""
    dom, cod = G(b), G(a)

    def arrow(x: Any) -> tuple[Any, Linear]:
        y, pullback = lifted(x)
        return y, Linear(dom, cod, pullback)

    return arrow


def linear(pullback: Pullback) -> Linear:
    """A pullback as a linear map; one that does not say so goes between unknown spaces."""
    return pullback if isinstance(pullback, Linear) else Linear(None, None, pullback)


def met(a: Object | None, b: Object | None) -> Object | None:
    """The one space that both are, as far as it is known.

    Raises `CotangentMismatch` where they are two.
    """
    if a is not b and a is not None and b is not None and a != b:
        raise CotangentMismatch(f"CHAD: linear maps of the spaces {a} and {b} met")
    return b if a is None else a


class CHAD(Reverse):
    """Functions with linear maps for pullbacks, over a base.

    >>> from ccc.arrows import Id, Prod
    >>> from ccc.denotation import functor
    >>> from ccc.objects import REAL
    >>> value, pullback = functor(CHAD(), Prod((Id(REAL), Id(REAL))))(3.0)
    >>> print(value, pullback, pullback((1.0, 10.0)))
    (3.0, 3.0) (R, R) -o R 11.0

    Raises `CotangentMismatch` where linear maps do not meet.
    """

    own_curry = True

    def __init__(self, base: Base = HOST) -> None:
        super().__init__(AdditiveMap(), base)

    def identity(self, a: Object) -> Lifted:
        return typed(a, a, super().identity(a))

    def compose(self, *arrows: Lifted) -> Lifted:
        def composite(x: Any) -> tuple[Any, Linear]:
            maps: list[Linear] = []
            for f in arrows:
                x, pb = f(x)
                maps.append(linear(pb))
            for outer, inner in pairwise(maps):
                met(outer.dom, inner.cod)

            def run(ct: Any) -> Any:
                for pb in reversed(maps):
                    ct = pb(ct)
                return ct

            return x, Linear(maps[-1].dom, maps[0].cod, run)

        return composite

    def terminal(self, a: Object) -> Lifted:
        return typed(a, UNIT, super().terminal(a))

    def prod(self, *arrows: Lifted) -> Lifted:
        size = len(arrows)

        def fork(x: Any) -> tuple[Any, Linear]:
            ys, pullbacks = zip(*[f(x) for f in arrows], strict=True)
            maps = list(map(linear, pullbacks))
            doms = tuple([pb.dom for pb in maps if pb.dom is not None])
            cod = reduce(met, [pb.cod for pb in maps])
            return ys, Linear(
                Product(doms) if len(doms) == size else None, cod,
                lambda ct: total([pb(part) for pb, part in zip(maps, parts(ct, size), strict=True)]),
            )

        return fork

    def proj(self, a: Product, index: int) -> Lifted:
        return typed(a, a.parts[index], super().proj(a, index))

    def const(self, term: Const) -> Lifted:
        return typed(term.dom, term.cod, super().const(term))

    def primitive(self, term: Prim) -> Lifted:
        return typed(term.dom, term.cod, super().primitive(term))

    def curry(self, body: Lifted, term: Curry) -> Lifted:
        """λ: its pullback takes `!s (x) gr` to what the body, run again at s, makes of gr for the environment."""
        spaces = G(term.cod), G(term.dom), G(term.cod.cod), G(term.cod.dom)

        def made(t: Any) -> tuple[Any, Linear]:
            def apply(s: Any) -> tuple[Any, Linear]:
                r, pb = body((t, s))
                return r, Linear(*spaces[2:], lambda gr: parts(pb(gr), 2)[1])

            def consumed(calls: Any) -> Any:
                return calls.fold(lambda s, gr: parts(body((t, s))[1](gr), 2)[0], t)

            return Closure(t, apply, Space(term)), Linear(*spaces[:2], consumed)

        return made

    def eval(self, function: Exponential) -> Lifted:
        """A call: what the function gets is `!s (x) gr`."""
        dom, cod = G(function.cod), G(Product((function, function.dom)))

        def applied(x: Any) -> tuple[Any, Linear]:
            f, s = x
            r, pb = f.apply(s)
            return r, Linear(dom, cod, lambda gr: (ZERO, ZERO) if is_zero(gr) else (FormalSum((s, gr)), pb(gr)))

        return applied

    def cond(self, test: Lifted, then: Lifted, orelse: Lifted) -> Lifted:
        branch = super().cond(test, then, orelse)

        def chosen(x: Any) -> tuple[Any, Linear]:
            y, pb = branch(x)
            return y, linear(pb)

        return chosen

    def iterate(self, test: Lifted, body: Lifted) -> Lifted:
        return Reverse(self.exponential, self.base).iterate(test, body)

    def unfold(self, test: Lifted, body: Lifted, term: Unfold) -> Lifted:
        return typed(term.dom, term.cod, super().unfold(test, body, term))

    def scan(self, body: Lifted, term: Scan) -> Lifted:
        return typed(term.dom, term.cod, super().scan(body, term))

    def fix(self, body: Lifted, term: Fix) -> Lifted:
        return typed(term.dom, term.cod, super().fix(body, term))
