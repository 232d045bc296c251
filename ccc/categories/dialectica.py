"""Dialectica: an arrow is a function and, apart from it, what answers for its argument when its result is asked.

    W[S => T] = (W[S] -> W[T]) x (W[S] x C[T] -> M C[S])        C[S => T] = W[S] x C[T]

Witnesses W are values and counters C cotangents, of which M makes formal sums; at numbers a formal sum is added up,
which makes it reverse mode. Nothing that the first half computes is kept for the second: who asks runs the program
again.

    value (f ; g) x = value g (value f x)        reverse (f ; g) (x, r) = reverse f (x, reverse g (value f x, r))

>>> from ccc.arrows import Curry, Id
>>> from ccc.denotation import functor
>>> from ccc.objects import REAL, Product
>>> made = functor(Dialectica(), Curry(Id(Product((REAL, REAL)))))
>>> function, reverse = made.value(2.0), lambda calls: made.reverse(2.0, calls)
>>> function.value(3.0), function.reverse(3.0, (1.0, 10.0)), reverse(FormalSum((3.0, (1.0, 10.0))))
((2.0, 3.0), 10.0, 1.0)

References: Marie Kerjean and Pierre-Marie Pédrot, *∂ is for Dialectica* (2024); Pierre-Marie Pédrot, *A functional
functional interpretation* (2014).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO, Zero, is_zero, parts, total
from ccc.arrows import Const, Curry, Fix, Prim, Scan, Unfold
from ccc.base import HOST, Base
from ccc.categories.exponentials import AdditiveMap, Closure, FormalSum, Space
from ccc.categories.reverse import Lifted, Pullback, Reverse
from ccc.objects import Exponential, Object, Product

Value = Callable[[Any], Any]
Answer = Callable[[Any, Any], Any]


class Witness(Closure):
    """A function value: what it gives, and what it answers at an argument for a counter of the result."""

    __slots__ = ("reverse", "value")

    def __init__(self, environment: Any, value: Value, reverse: Answer, space: Any = None) -> None:
        super().__init__(environment, lambda s: (value(s), lambda gr: reverse(s, gr)), space)
        self.value = value
        self.reverse = reverse

    def __call__(self, s: Any) -> Any:
        return self.value(s)


class Asked:
    """An arrow: a function, and the answers. Called, it is the function with a pullback."""

    __slots__ = ("reverse", "value")

    def __init__(self, value: Value, reverse: Answer) -> None:
        self.value = value
        self.reverse = reverse

    def __call__(self, x: Any) -> tuple[Any, Pullback]:
        return self.value(x), lambda ct: ZERO if is_zero(ct) else self.reverse(x, ct)


def halves(f: Any) -> Any:
    """The two halves of an arrow or of a function value, which are taken apart where they come as one."""
    if isinstance(f, (Asked, Witness)):
        return f
    run = f.apply if isinstance(f, Closure) else f
    return Asked(lambda x: run(x)[0], lambda x, ct: run(x)[1](ct))


class Dialectica(Reverse):
    """Functions and their answers, over a base; loops and recursion are those of reverse mode.

    >>> from ccc.arrows import Id, Prod
    >>> from ccc.denotation import functor
    >>> from ccc.objects import REAL
    >>> f = functor(Dialectica(), Prod((Id(REAL), Id(REAL))))
    >>> f.value(3.0), f.reverse(3.0, (1.0, 10.0))
    ((3.0, 3.0), 11.0)
    """

    own_curry = True

    def __init__(self, base: Base = HOST) -> None:
        super().__init__(AdditiveMap(), base)

    def identity(self, a: Object) -> Asked:
        return Asked(lambda x: x, lambda x, ct: ct)

    def compose(self, *arrows: Any) -> Asked:
        fs = [halves(f) for f in arrows]

        def value(x: Any) -> Any:
            for f in fs:
                x = f.value(x)
            return x

        def reverse(x: Any, ct: Any) -> Any:
            xs = [x]
            for f in fs[:-1]:
                xs.append(f.value(xs[-1]))
            for f, at in zip(reversed(fs), reversed(xs), strict=True):
                if isinstance(ct, Zero):
                    return ZERO
                ct = f.reverse(at, ct)
            return ct

        return Asked(value, reverse)

    def terminal(self, a: Object) -> Asked:
        return Asked(lambda x: (), lambda x, ct: ZERO)

    def prod(self, *arrows: Any) -> Asked:
        fs = [halves(f) for f in arrows]

        def reverse(x: Any, ct: Any) -> Any:
            cts = zip(fs, parts(ct, len(fs)), strict=True)
            return total([f.reverse(x, part) for f, part in cts if not isinstance(part, Zero)])

        return Asked(lambda x: tuple([f.value(x) for f in fs]), reverse)

    def proj(self, a: Product, index: int) -> Asked:
        return halves(super().proj(a, index))

    def const(self, term: Const) -> Asked:
        return halves(super().const(term))

    def primitive(self, term: Prim) -> Asked:
        return halves(super().primitive(term))

    def curry(self, body: Any, term: Curry) -> Asked:
        f = halves(body)

        def made(t: Any) -> Witness:
            return Witness(t, lambda s: f.value((t, s)), lambda s, gr: parts(f.reverse((t, s), gr), 2)[1], Space(term))

        def reverse(t: Any, calls: Any) -> Any:
            if isinstance(calls, Zero):
                return ZERO
            return calls.fold(lambda s, gr: parts(f.reverse((t, s), gr), 2)[0], t)

        return Asked(made, reverse)

    def eval(self, function: Exponential) -> Asked:
        def reverse(x: Any, gr: Any) -> Any:
            f, s = x
            return FormalSum((s, gr)), halves(f).reverse(s, gr)

        return Asked(lambda x: x[0](x[1]), reverse)

    def cond(self, test: Any, then: Any, orelse: Any) -> Asked:
        arms = [halves(f) for f in (then, orelse)]

        def chosen(x: Any, run: Callable[[Any], Any]) -> Any:
            return self.base.cond(halves(test).value(x), lambda: run(arms[0]), lambda: run(arms[1]))

        return Asked(
            lambda x: chosen(x, lambda f: f.value(x)),
            lambda x, ct: chosen(x, lambda f: total([f.reverse(x, ct), self.base.zero_of(x)])),
        )

    def unfold(self, test: Lifted, body: Lifted, term: Unfold) -> Asked:
        return halves(super().unfold(test, body, term))

    def scan(self, body: Lifted, term: Scan) -> Asked:
        return halves(super().scan(body, term))

    def fix(self, body: Lifted, term: Fix) -> Asked:
        return halves(super().fix(body, term))
