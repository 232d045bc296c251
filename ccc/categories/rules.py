"""Primitives that stand for programs, and what they mean in a category other than what their body would mean.

    Custom      the body, with a derivative given as a program: x |-> (y, ct |-> cts)
    Checkpoint  the body, which the pullback computes once more instead of keeping what it computed

A custom derivative is a "primitive equipped with a pullback", where the pullback is a program of the language: reverse
mode runs it as it stands, so what it computes has derivatives itself. Forward mode needs the transpose of the pullback,
which is linear; and the transpose of a linear program is its pullback in reverse mode.

>>> from ccc.arrows import Curry, Id, Prim, Prod, Proj, compose
>>> from ccc.objects import REAL, Product
>>> from ccc.primitives import arithmetic
>>> pair = Product((REAL, REAL))
>>> double = compose(Prod((Proj(pair, 1), Proj(pair, 1))), Prim(arithmetic.add, pair, REAL))
>>> rule = Prod((Prod((Id(REAL),)), Curry(double)))
>>> Custom("double", Id(REAL), rule, (REAL,), (0,)).reverse(Reverse(), (3.0,))[1](1.0)
(2.0,)

References: *The Differentiable Curry* ("AD by lifting primitives equipped with pullbacks").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.additive import ZERO, Zero, dense, is_zero, parts
from ccc.arrows import Arrow, Curry, Fix, Prim
from ccc.base import Effectful, Part, Traced
from ccc.categories.exponentials import Closure, Delta
from ccc.categories.functions import Functions, arguments
from ccc.categories.reverse import Lifted, Reverse, discard
from ccc.denotation import functor
from ccc.errors import CCCError, MissingDerivative, NotLinear
from ccc.objects import Object, Product, Source, holds_source, is_discrete
from ccc.primitives import structure, zero_trees
from ccc.primitives.barriers import again

Pulled = tuple[Any, Callable[[Any], Any]]


def given(base: Any, part: Part, run: Callable[[], Any]) -> Any:
    """What a part of a derivative that a user gave gives, on a base.

    >>> from ccc.base import HOST
    >>> given(HOST, "rule", lambda: 1.0)
    1.0
    """
    return base.given(part, run) if isinstance(base, Effectful) else run()


def drawn_again(name: str) -> CCCError:
    """The refusal of a draw where what has drawn is run once more, which would change its values and the stream."""
    return MissingDerivative(
        f"random numbers cannot be drawn where the program runs a body once more (`{name}`): they would be others",
        "draw before and pass what is drawn, or use exponential='delta'",
    )


def bare(values: Sequence[Any]) -> Any:
    """Several values as a tuple, one as itself: how terms take arguments and give results.

    >>> bare([1.0]), bare([1.0, 2.0])
    (1.0, (1.0, 2.0))
    """
    return values[0] if len(values) == 1 else tuple(values)


class Kept:
    """Values, with the sources of random numbers among them in the state that they are in now."""

    def __init__(self, base: Any, xs: Sequence[Any], objects: Sequence[Object]) -> None:
        self.base = base
        self.xs = xs
        self.held = [i for i, a in enumerate(objects) if holds_source(a)]
        if any(not is_discrete(objects[i]) for i in self.held):
            raise drawn_again("kept_sources")
        self.kept = ()
        if self.held:
            from ccc.primitives.drawing import kept_sources

            self.kept = base.apply(kept_sources, tuple([xs[i] for i in self.held]), {}, None)

    def anew(self) -> list[Any]:
        """The values, with sources that give what those kept would."""
        found = list(self.xs)
        if self.held:
            from ccc.primitives.drawing import again_from

            copies = self.base.apply(again_from, (self.kept,), {}, None)
            for n, i in enumerate(self.held):
                found[i] = self.base.apply(structure.part, (copies,), {"index": n}, None)
        return found


def cotangents_of(results: Sequence[Object], ct: Any) -> list[Any]:
    """The cotangent of the one value that several results are as those of the results."""
    if len(results) == 1:
        return [ct]
    if isinstance(ct, Traced):
        return [ZERO if is_discrete(a) else structure.part(ct, index=i) for i, a in enumerate(results)]
    return list(parts(ct, len(results)))


class Checkpoint:
    """A body from the arguments of the primitive to its results, recomputed by its pullback; `raises` says whether it
    may raise, `jumps` in which arguments it draws integers."""

    @property
    def known(self) -> bool:
        """Whether it has a derivative yet."""
        return True

    def __init__(self, body: Arrow, results: Sequence[Object]) -> None:
        self.body = body
        self.results = tuple(results)
        self.raises = False
        self.jumps: Sequence[Any] = ()

    def one(self, ys: Sequence[Any]) -> Any:
        """The results as the one value of the primitive."""
        return ys[0] if len(self.results) == 1 else structure.pack(*ys)

    def several(self, y: Any) -> tuple[Any, ...]:
        """What a term gives as a tuple of results."""
        return (y,) if len(self.results) == 1 else tuple(y)

    def tangent(self, dys: Sequence[Any], ys: Sequence[Any]) -> Any:
        """Tangents of the results as that of the one value."""
        if len(self.results) == 1 or all(isinstance(d, Zero) for d in dys):
            return dys[0] if len(self.results) == 1 else ZERO
        return structure.pack(*[zero_trees.filled(dense(d), y) for d, y in zip(dys, ys, strict=True)])

    def value(self, base: Any, xs: Sequence[Any]) -> Any:
        """The value, on a base."""
        return self.one(self.several(functor(Functions(base), self.body)(bare(xs))))

    def reverse(self, category: Any, xs: Sequence[Any]) -> Pulled:
        """The value, and the pullback to the arguments, which draws what the value drew."""
        base, dom = category.base, self.body.dom
        kept = Kept(base, xs, (dom,) if len(xs) == 1 else dom.parts if isinstance(dom, Product) else ())

        def run(ct: Any) -> Any:
            anew = [again(x) if isinstance(x, Traced) and not isinstance(x.object, Source) else x for x in kept.anew()]
            _, pb = functor(category, self.body)(bare(anew))
            return pb(bare(cotangents_of(self.results, ct)))

        def pullback(ct: Any) -> tuple[Any, ...]:
            if is_zero(ct):
                return (ZERO,) * len(xs)
            found = given(base, "again", lambda: run(ct))
            return (found,) if len(xs) == 1 else parts(found, len(xs))

        return self.value(category.base, xs), pullback

    def forward(self, category: Any, xs: Sequence[Any], dxs: Sequence[Any]) -> tuple[Any, Any]:
        """The value and its tangent."""
        y, dy = functor(category, self.body)((bare(xs), bare(dxs)))
        ys = self.several(y)
        return self.one(ys), self.tangent([dy] if len(ys) == 1 else parts(dy, len(ys)), ys)


class Known(Closure):
    """A function of a rule in both readings: `around` is that of the rule, `apply` that of its pullback."""

    __slots__ = ("around",)

    def __init__(self, function: Closure, around: Lifted) -> None:
        super().__init__(function.environment, function.apply, function.space, function.zero)
        self.around = around


class Around(Reverse):
    """Reverse mode as a rule is read of which only the pullback is transposed: what is computed around that is computed
    once, as it stands, and gets no cotangent. A rule may call its own function, whose rule is not run for that."""

    def primitive(self, term: Prim) -> Lifted:
        params = dict(term.params)
        return lambda x: (self.base.apply(term.primitive, arguments(x, term.dom), params, term.label), discard)

    def curry(self, body: Lifted, term: Curry) -> Lifted:
        lifted = super().curry(functor(Reverse(self.exponential, self.base), term.body), term)

        def new_f(t: Any) -> tuple[Any, Callable[[Any], Any]]:
            function, pullback = lifted(t)
            return Known(function, lambda s: body((t, s))), pullback

        return new_f

    def eval(self, function: Any) -> Lifted:
        def applied(x: Any) -> tuple[Any, Callable[[Any], Any]]:
            g, s = x
            return g.around(s) if isinstance(g, Known) else g.apply(s)

        return applied

    def fix(self, body: Lifted, term: Fix) -> Lifted:
        return super().fix(functor(Reverse(self.exponential, self.base), term.body), term)


class Custom(Checkpoint):
    """A body with a derivative of its own: `rule` is a term from the arguments to the tuple of results and a function
    from the cotangents of the real ones to those of the arguments at the positions `given`. The body is that rule where
    it is known by its rule `alone`, and has done then what the rule does beside. Forward mode is that of the body where
    the rule `schedules` what the body does."""

    def __init__(
        self, name: str, body: Any, rule: Any, results: Sequence[Object], given: Sequence[int], alone: bool = False,
        schedules: bool = False,
    ) -> None:
        super().__init__(body, results)
        self.name = name
        self.rule = rule
        self.given = tuple(given)
        self.alone = alone
        self.schedules = schedules

    @property
    def known(self) -> bool:
        """False inside the program that becomes the rule."""
        return self.rule is not None

    def real(self, values: Sequence[Any]) -> list[Any]:
        """Those of the results that have a derivative."""
        return [v for v, a in zip(values, self.results, strict=True) if not is_discrete(a)]

    def ruled(self, category: Any, xs: Sequence[Any]) -> Any:
        """What the rule gives, in a category."""
        rule = functor(category, self.rule)
        return rule(bare(xs)) if self.alone else given(category.base, "rule", lambda: rule(bare(xs)))

    def reverse(self, category: Any, xs: Sequence[Any]) -> Pulled:
        ys, pulled = self.ruled(Functions(category.base), xs)

        def pullback(ct: Any) -> tuple[Any, ...]:
            cts: list[Any] = [ZERO] * len(xs)
            if is_zero(ct):
                return tuple(cts)
            seeds = [zero_trees.filled(dense(c), y) for c, y in zip(cotangents_of(self.results, ct), ys, strict=True)]
            found = given(category.base, "pullback", lambda: pulled(bare(self.real(seeds))))
            for i, x in zip(self.given, (found,) if len(self.given) == 1 else found, strict=True):
                cts[i] = x
            return tuple(cts)

        return self.one(ys), pullback

    def forward(self, category: Any, xs: Sequence[Any], dxs: Sequence[Any]) -> tuple[Any, Any]:
        if self.schedules:
            return super().forward(category, xs, dxs)
        base = category.base
        (ys, pulled), _ = self.ruled(Around(Delta(), base), xs)
        seeds = [base.apply(zero_trees.zeros_like, (y,), {}, None) for y in self.real(ys)]

        def transposed() -> tuple[Any, ...]:
            _, pb = pulled.apply(bare(seeds))
            moved = parts(pb(bare([dxs[i] for i in self.given])), 2)[1]
            return tuple(map(dense, [moved] if len(seeds) == 1 else parts(moved, len(seeds))))

        moved = given(base, "transpose", transposed)
        if any(isinstance(d, Traced) and d.reads(seeds) for d in moved):
            raise NotLinear(f"the pullback of `{self.name}` is not linear in the cotangent: it has no forward mode",
                            "take it in reverse mode: ccc.value_with_pullback")
        found = iter(moved)
        return self.one(ys), self.tangent([ZERO if is_discrete(a) else next(found) for a in self.results], ys)
