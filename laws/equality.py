"""Two equalities of arrows: strict, and ≅, which is what a program can observe.

    strictly   equal values and equal pullbacks; functions are compared by what they do, formal sums modulo
               (s, a) + (s, b) = (s, a + b) and (s, 0) = 0; under Delta the cotangent space of a closure counts too
    ≅          a ; f ; c and a ; g ; c are equal for generalised elements `a` of the domain (first-order worlds) and
               contexts `c` to first-order objects; between first-order objects the two coincide

How arrows are compared depends on what they are: values and functions (`Comparison`), values with pullbacks
(`PullbackComparison`), values with tangents (`TangentComparison`).

>>> from ccc.arrows import Id
>>> from ccc.categories.reverse import Reverse
>>> from ccc.laws.choices import Randomly
>>> from ccc.laws.generate import NUMBER, Generator
>>> comparison = PullbackComparison(Reverse(base=EXACT), Generator(Randomly(0)))
>>> comparison.strictly(Id(NUMBER), Id(NUMBER), Id(NUMBER)) is None
True

References: *The Differentiable Curry* ("Need a notion of ≅ that respects 0 and +").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ccc.additive import ZERO, Components, add, parts
from ccc.arrows import Arrow, Id, Prod
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Closure, FormalSum, Opaque
from ccc.categories.forward import TangentClosure
from ccc.denotation import functor
from ccc.laws.contexts import Context, contexts
from ccc.laws.cotangents import basis, numbers, same_cotangent, shape
from ccc.laws.generate import NUMBER, Generator, is_first_order
from ccc.laws.scalars import EXACT as EXACT, RATIONALS, SCALARS, Numbers
from ccc.objects import Exponential, List, Object, Product, Real


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two arrows differ: what was compared, at which point, for which cotangent, and what was found."""

    what: str
    point: Any
    seed: Any
    left: Any
    right: Any

    def where(self, context: str) -> Difference:
        """The same, with the use of a function that shows it."""
        return replace(self, what=f"{self.what} where the function is {context}")

    def __str__(self) -> str:
        seed = "" if self.seed is None else f", cotangent {written(self.seed)}"
        return f"{self.what} at {written(self.point)}{seed}: {written(self.left)} and {written(self.right)}"


def written(x: Any) -> str:
    """A value as a reader of mathematics writes it.

    >>> from fractions import Fraction
    >>> written((Fraction(1, 2), ZERO, [Fraction(3)]))
    '(1/2, 0, [3])'
    """
    if isinstance(x, tuple) and type(x) is tuple:
        return f"({', '.join(map(written, x))}{',' if len(x) == 1 else ''})"
    if isinstance(x, list):
        return f"[{', '.join(map(written, x))}]"
    if isinstance(x, Components):
        return written(tuple(parts(x, x.size)))
    if isinstance(x, Opaque):
        return f"box {written(x.payload)}"
    if isinstance(x, (Closure, TangentClosure)):
        return f"a closure over {written(x.environment)}"
    if isinstance(x, FormalSum):
        return " + ".join([f"{{{written(s)} ↦ {written(m)}}}" for s, m in x.terms()]) or "{}"
    return "0" if x is ZERO else str(x)


Equal = Callable[[Any, Any], bool]


class Comparison:
    """Equality of arrows that are functions `x |-> y`, and the questions that all categories share.

    `point` draws an element of a first-order object for a category whose values are not numbers, `same` compares two
    results of its arrows, or two arrows that cannot be called.
    """

    def __init__(
        self, k: Any, generator: Generator, numbers: Numbers = RATIONALS, *,
        point: Callable[[Object, Generator], Any] | None = None, same: Equal | None = None,
    ) -> None:
        self.k = k
        self.draw = generator
        self.numbers = numbers
        self.given_point = point
        self.same: Equal = same or (lambda v, u: bool(v == u))
        self.asks_strictly = True  # whether anything depends on a strict difference where none is observed
        self.images: dict[int, Any] = {}
        self.terms: list[Arrow] = []

    def read(self, arrow: Arrow) -> Any:
        """The arrow in the category; what terms have in common is read once."""
        known = self.images.get(id(arrow))
        if known is not None:
            return known
        self.terms.append(arrow)
        return functor(self.k, arrow, self.images)

    # -- what is drawn -----------------------------------------------------------------------------------------

    def point(self, a: Object) -> Any:
        """A point of a first-order object, in the numbers of the category."""
        if self.given_point is not None:
            return self.given_point(a, self.draw)
        value = self.numbers.read(self.draw.point(a))
        return self.k.begun(value) if hasattr(self.k, "begun") else value

    def number(self) -> Any:
        return self.numbers.read(self.draw.number())

    def value(self, a: Object) -> Any:
        """A value of any object in this category."""
        if is_first_order(a):
            return self.point(a)
        return functor(self.k, self.draw.arrow(NUMBER, a, 2))(self.point(NUMBER))

    # -- strictly ----------------------------------------------------------------------------------------------

    def strictly(self, left: Arrow, right: Arrow, world: Arrow) -> Difference | None:
        """The first difference found between two arrows as arrows of the category, or None."""
        return self.compared(self.read(left), self.read(right), left.cod, world)

    def compared(
        self, f: Any, g: Any, cod: Object, world: Arrow, uses: Sequence[str] = ()
    ) -> Difference | None:
        """A difference of two arrows of the category, at a point of the world; the components of what they give are
        `uses` of a function, if these are named."""
        if not callable(f):
            return None if self.same(f, g) else Difference("the arrows differ", world.dom, None, f, g)
        w = self.point(world.dom)
        x = w if isinstance(world, Id) else self.read(world)(w)
        return self.values_in(uses, f(x), g(x), cod, w)

    def values_in(self, uses: Sequence[str], v: Any, u: Any, a: Object, point: Any) -> Difference | None:
        """A difference of two values of `a`, which are results of `uses` if these are named."""
        if not uses:
            return self.values(v, u, a, point)
        assert isinstance(a, Product)
        n = len(a.parts)
        for use, x, y, part in zip(uses, self.apart(v, n), self.apart(u, n), a.parts, strict=True):
            found = self.values(x, y, part, point)
            if found is not None:
                return found.where(use)
        return None

    def values(self, v: Any, u: Any, a: Object, point: Any) -> Difference | None:
        """A difference of two values of `a`."""
        if isinstance(a, Product) and self.has_parts(v) and self.has_parts(u):
            n = len(a.parts)
            for x, y, part in zip(self.apart(v, n), self.apart(u, n), a.parts, strict=True):
                found = self.values(x, y, part, point)
                if found is not None:
                    return found
            return None
        if isinstance(a, Exponential):
            return self.functions(v, u, a, point)
        return None if self.same(v, u) else Difference("values differ", point, None, v, u)

    def functions(self, v: Any, u: Any, a: Exponential, point: Any) -> Difference | None:
        """A difference of two function values, at drawn arguments."""
        application = self.k.eval(a)
        for _ in range(2):
            s = self.value(a.dom)
            one, other = [application(self.together((w, s))) for w in (v, u)]
            found = self.values(one, other, a.cod, (point, s))
            if found is not None:
                return found
        return None

    def has_parts(self, value: Any) -> bool:
        """Whether a value of a product is one of its parts, as it is."""
        return isinstance(value, tuple)

    def apart(self, value: Any, n: int) -> Any:
        """The parts of a value of a product of so many."""
        return self.k.apart(value, n) if hasattr(self.k, "apart") else value

    def together(self, parts: tuple[Any, ...]) -> Any:
        """The value of a product that has these parts."""
        return self.k.together(parts) if hasattr(self.k, "together") else parts

    # -- up to ≅ -----------------------------------------------------------------------------------------------

    def observed(
        self, left: Arrow, right: Arrow, world: Arrow, uses: Sequence[Context] | None = None
    ) -> Difference | None:
        """The first difference that a context can observe between `world ; left` and `world ; right`, or None."""
        k, cod = self.k, left.cod
        f, g = self.read(left), self.read(right)
        if not isinstance(world, Id):
            f, g = k.compose(self.read(world), f), k.compose(self.read(world), g)
        if is_first_order(cod):
            return self.compared(f, g, cod, Id(world.dom))
        uses = contexts(self.draw, world.dom, cod) if uses is None else uses
        within, beyond = [c for c in uses if not c.extended], [c for c in uses if c.extended]
        return self.side_by_side(f, g, world.dom, within) or self.applied(f, g, beyond)

    def side_by_side(self, f: Any, g: Any, world: Object, uses: Sequence[Context]) -> Difference | None:
        """A difference that one of the contexts shows, all of which use one value."""
        use = Prod(tuple([context.use for context in uses]))
        one, other = [self.k.compose(self.k.prod(self.k.identity(world), h), self.read(use)) for h in (f, g)]
        return self.compared(one, other, use.cod, Id(world), [context.what for context in uses])

    def applied(self, f: Any, g: Any, uses: Sequence[Context]) -> Difference | None:
        """A difference that shows where the world has an argument for the function."""
        k = self.k
        for context in uses:
            a = context.world
            assert isinstance(a, Product)
            first = k.proj(a, 0)
            one, other = [
                k.compose(k.prod(k.identity(a), k.compose(first, h)), self.read(context.use)) for h in (f, g)
            ]
            found = self.compared(one, other, context.use.cod, Id(a))
            if found is not None:
                return found.where(context.what)
        return None

    def identical(self, left: Arrow, world: Arrow) -> bool:
        """True where strict equality is equality up to ≅: between first-order objects."""
        return isinstance(world, Id) and is_first_order(left.cod)


class PullbackComparison(Comparison):
    """Equality of arrows `x |-> (y, pullback)`."""

    def value(self, a: Object) -> Any:
        return self.point(a) if is_first_order(a) else super().value(a)[0]

    def image(self, arrow: Arrow, world: Arrow) -> tuple[Any, Any, Any]:
        """A point of the world, and the value and the pullback of the arrow there."""
        w = self.point(world.dom)
        x, _ = self.read(world)(w)
        return w, *self.read(arrow)(x)

    def compared(
        self, f: Any, g: Any, cod: Object, world: Arrow, uses: Sequence[str] = ()
    ) -> Difference | None:
        w = self.point(world.dom)
        x = w if isinstance(world, Id) else self.read(world)(w)[0]
        return self.lifted(f(x), g(x), cod, w, uses)

    def lifted(self, left: Any, right: Any, cod: Object, point: Any, uses: Sequence[str] = ()) -> Difference | None:
        """A difference of two (value, pullback), the pullbacks being into one space."""
        (v, pb), (u, qb) = left, right
        found = self.values_in(uses, v, u, cod, point)
        if found is not None:
            return found
        for seed, use in self.seeds_in(uses, v, cod):
            a, b = pb(seed), qb(seed)
            if not same_cotangent(a, b):
                found = Difference("pullbacks differ", point, seed, a, b)
                return found.where(use) if use else found
        return None

    def seeds_in(self, uses: Sequence[str], v: Any, a: Object) -> list[tuple[Any, str]]:
        """Cotangents of `v`, with the use that they are of: one of all uses at once, and of two of them alone."""
        if not uses:
            return [(seed, "") for seed in self.seeds(v, a)]
        every = self.cotangent(v, a)
        cts, n = parts(every, len(uses)), len(uses)
        alone = [(Components(n, {i: cts[i]}), uses[i]) for i in (self.draw.below(n), self.draw.below(n))]
        return [*alone, (every, "used in all ways at once")]

    def functions(self, v: Any, u: Any, a: Exponential, point: Any) -> Difference | None:
        exponential = getattr(self.k, "exponential", None)
        if isinstance(v, Closure) and isinstance(u, Closure) and not isinstance(exponential, AdditiveMap):
            names = [written(c) for c in (v, u)]
            if shape(v) != shape(u):
                return Difference("closures have different cotangent spaces", point, None, *names)
            if isinstance(exponential, AnyDerivative) and v.space != u.space:
                return Difference("closures of two λs have different cotangent spaces", point, None, *names)
        application = self.k.eval(a)
        for _ in range(2):
            s = self.value(a.dom)
            found = self.lifted(application((v, s)), application((u, s)), a.cod, (point, s))
            if found is not None:
                return found
        return None

    # -- cotangents --------------------------------------------------------------------------------------------

    def seeds(self, v: Any, a: Object) -> list[Any]:
        """Cotangents of `v`: 0, one of a basis and a random one; at functions random ones."""
        if not is_first_order(a):
            return [ZERO, *[self.cotangent(v, a) for _ in range(2)]]
        units = list(basis(v))
        return [ZERO, *([self.draw.pick(units)] if units else []), self.cotangent(v, a)]

    def cotangent(self, v: Any, a: Object) -> Any:
        """A cotangent of the value `v` of the object `a`."""
        if self.draw.chance(10):
            return ZERO
        if isinstance(a, Product):
            return tuple([self.cotangent(x, part) for x, part in zip(v, a.parts, strict=True)])
        if isinstance(a, List):
            return [self.cotangent(x, a.item) for x in v]
        if isinstance(a, Exponential):
            return self.function_cotangent(v, a)
        return self.number() if isinstance(a, Real) else ZERO

    def function_cotangent(self, v: Any, a: Exponential) -> Any:
        """What calls of a function contribute to it; where an exponential can `pack` the cotangent of an environment,
        any such cotangent."""
        if hasattr(getattr(self.k, "exponential", None), "pack") and isinstance(v, Closure):
            return self.k.exponential.pack(self.environment_cotangent(v.environment), v.space)
        application = self.k.eval(a)
        calls: Any = ZERO
        for _ in range(2):
            r, pb = application((v, self.value(a.dom)))
            calls = add(calls, parts(pb(self.cotangent(r, a.cod)), 2)[0])
        return calls

    def environment_cotangent(self, v: Any) -> Any:
        if isinstance(v, tuple):
            return tuple(map(self.environment_cotangent, v))  # type: ignore[arg-type]
        if isinstance(v, list):
            return [self.environment_cotangent(x) for x in v]  # type: ignore[arg-type]
        if isinstance(v, Closure):
            return self.k.exponential.pack(self.environment_cotangent(v.environment), v.space)
        return self.number() if isinstance(v, SCALARS) else ZERO

    def zeros(self, v: Any, a: Object) -> list[Any]:
        """The zeros that a pullback has to take to zero: the symbol, and zeros that are numbers."""
        return [ZERO, numbers(ZERO, v)] if is_first_order(a) else [ZERO]


class PlainPullbackComparison(PullbackComparison):
    """The same for a reverse mode that is not this project's, whose cotangents are numbers and tuples of them: it is
    given no symbols for zero. The zero of a function is what a call of it asks for where nobody asks for its result."""

    def cotangent(self, v: Any, a: Object) -> Any:
        return self.filled(super().cotangent(v, a), v, a)

    def seeds(self, v: Any, a: Object) -> list[Any]:
        return [self.filled(seed, v, a) for seed in super().seeds(v, a)]

    def seeds_in(self, uses: Sequence[str], v: Any, a: Object) -> list[tuple[Any, str]]:
        return [(self.filled(seed, v, a), use) for seed, use in super().seeds_in(uses, v, a)]

    def zeros(self, v: Any, a: Object) -> list[Any]:
        return [self.filled(ZERO, v, a)]

    def filled(self, ct: Any, v: Any, a: Object) -> Any:
        """A cotangent of the value `v` of the object `a` with what the category has for zeros in place of symbols."""
        if isinstance(a, Product):
            cts = parts(ct, len(a.parts))
            return tuple([self.filled(c, x, part) for c, x, part in zip(cts, v, a.parts, strict=True)])
        if isinstance(a, List):
            cts = [ZERO] * len(v) if ct is ZERO else ct
            return [self.filled(c, x, a.item) for c, x in zip(cts, v, strict=True)]
        if ct is not ZERO:
            return ct
        if not isinstance(a, Exponential):
            return self.numbers.read(Fraction(0)) if isinstance(a, Real) else 0
        r, pb = self.k.eval(a)((v, self.value(a.dom)))
        return parts(pb(self.filled(ZERO, r, a.cod)), 2)[0]


class TangentComparison(Comparison):
    """Equality of arrows `(x, dx) |-> (y, dy)`."""

    def value(self, a: Object) -> Any:
        """A value with its tangent."""
        if is_first_order(a):
            v = self.point(a)
            return v, self.tangent(v)
        return functor(self.k, self.draw.arrow(NUMBER, a, 2))((self.number(), self.number()))

    def tangent(self, v: Any) -> Any:
        if isinstance(v, (tuple, list)):
            return type(v)([self.tangent(x) for x in v])  # type: ignore[arg-type]
        return self.number() if isinstance(v, SCALARS) and not self.draw.chance(10) else ZERO

    def compared(
        self, f: Any, g: Any, cod: Object, world: Arrow, uses: Sequence[str] = ()
    ) -> Difference | None:
        w = self.value(world.dom)
        x = w if isinstance(world, Id) else self.read(world)(w)
        if not uses:
            return self.duals(f(x), g(x), cod, w)
        assert isinstance(cod, Product)
        (v, dv), (u, du) = f(x), g(x)
        n = len(uses)
        for use, a, *dual in zip(uses, cod.parts, v, parts(dv, n), u, parts(du, n), strict=True):
            found = self.duals((dual[0], dual[1]), (dual[2], dual[3]), a, w)
            if found is not None:
                return found.where(use)
        return None

    def duals(self, left: Any, right: Any, a: Object, point: Any) -> Difference | None:
        """A difference of two values with tangents."""
        (v, dv), (u, du) = left, right
        if isinstance(a, Product):
            n = len(a.parts)
            for x, dx, y, dy, part in zip(v, parts(dv, n), u, parts(du, n), a.parts, strict=True):
                found = self.duals((x, dx), (y, dy), part, point)
                if found is not None:
                    return found
            return None
        if isinstance(a, Exponential):
            if shape(v) != shape(u):
                return Difference("closures have different tangent spaces", point, None, written(v), written(u))
            application = self.k.eval(a)
            for _ in range(2):
                s, ds = self.value(a.dom)
                one, other = application(((v, s), (dv, ds))), application(((u, s), (du, ds)))
                found = self.duals(one, other, a.cod, (point, s))
                if found is not None:
                    return found
            return None
        if v != u:
            return Difference("values differ", point, None, v, u)
        return None if same_cotangent(dv, du) else Difference("tangents differ", point, None, dv, du)
