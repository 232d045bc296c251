"""Two equalities of arrows: strict, and ≅, which is what a program can observe.

    strictly   equal values and equal pullbacks; functions are compared by what they do, formal sums modulo
               (s, a) + (s, b) = (s, a + b) and (s, 0) = 0; under Delta the cotangent space of a closure counts too
    ≅          a ; f ; c and a ; g ; c are equal for generalised elements `a` of the domain (first-order worlds) and
               contexts `c` to first-order objects; between first-order objects the two coincide

>>> from ccc.arrows import Id
>>> from random import Random
>>> from ccc.categories.reverse import Reverse
>>> from laws.generate import NUMBER, Generator
>>> comparison = Comparison(Reverse(base=EXACT), Generator(Random(0)))
>>> comparison.strictly(Id(NUMBER), Id(NUMBER), Id(NUMBER)) is None
True

References: *The Differentiable Curry* ("Need a notion of ≅ that respects 0 and +").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ccc.additive import ZERO, Components, Contribution, Zero, add, parts
from ccc.arrows import Arrow, Const, Curry, Eval, Id, Prod, Proj, compose, functor
from ccc.base import Host
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Closure, FormalSum, Opaque
from ccc.categories.functions import Functions
from ccc.objects import Exponential, List, Object, Product, Real
from laws.generate import NUMBER, Generator, is_first_order

EXACT = Host(Fraction)
Context = Callable[[Arrow], Arrow]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two arrows differ: what was compared, at which point, for which cotangent, and what was found."""

    what: str
    point: Any
    seed: Any
    left: Any
    right: Any

    def __str__(self) -> str:
        seed = "" if self.seed is None else f", cotangent {self.seed}"
        return f"{self.what} at {self.point}{seed}: {self.left} and {self.right}"


def same_cotangent(a: Any, b: Any) -> bool:
    """Equality of cotangents: a symbolic zero equals the numbers 0, a formal sum its normal form.

    >>> same_cotangent(FormalSum((1, 2)) + FormalSum((1, -2)), ZERO), same_cotangent((ZERO, 1), (0, 1))
    (True, True)
    """
    a = a.dense() if isinstance(a, Contribution) else a
    b = b.dense() if isinstance(b, Contribution) else b
    if isinstance(a, Zero) or isinstance(b, Zero):
        return _vanishes(b if isinstance(a, Zero) else a)
    if isinstance(a, FormalSum) and isinstance(b, FormalSum):
        return not _normal([*a.terms(), *[(s, _negated(m)) for s, m in b.terms()]])
    if isinstance(a, Opaque) and isinstance(b, Opaque):
        return a.space == b.space and same_cotangent(a.payload, b.payload)
    if isinstance(a, tuple | Components) and isinstance(b, tuple | Components):
        n = a.size if isinstance(a, Components) else len(a)  # type: ignore[arg-type]
        m = b.size if isinstance(b, Components) else len(b)  # type: ignore[arg-type]
        return n == m and all(map(same_cotangent, parts(a, n), parts(b, n)))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_cotangent, a, b))  # type: ignore[arg-type]
    return type(a) is type(b) and bool(a == b)


def _vanishes(ct: Any) -> bool:
    if isinstance(ct, Contribution):
        ct = ct.dense()
    if isinstance(ct, tuple | list):
        return all(map(_vanishes, ct))  # type: ignore[arg-type]
    if isinstance(ct, Components):
        return all(map(_vanishes, ct.entries.values()))
    if isinstance(ct, FormalSum):
        return not _normal(list(ct.terms()))
    if isinstance(ct, Opaque):
        return _vanishes(ct.payload)
    return isinstance(ct, Zero) or bool(ct == 0)


def _negated(ct: Any) -> Any:
    if isinstance(ct, tuple | list):
        return type(ct)(map(_negated, ct))  # type: ignore[arg-type]
    if isinstance(ct, Components):
        return Components(ct.size, {i: _negated(part) for i, part in ct.entries.items()})
    if isinstance(ct, FormalSum):
        result: Any = ZERO
        for s, m in ct.terms():
            result = add(result, FormalSum((s, _negated(m))))
        return result
    if isinstance(ct, Opaque):
        return Opaque(ct.space, _negated(ct.payload))
    return -ct


def _normal(terms: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The terms of a formal sum with equal keys merged and zeros dropped."""
    merged: list[tuple[Any, Any]] = []
    for s, m in terms:
        for i, (key, weight) in enumerate(merged):
            if _same_key(s, key):
                merged[i] = (key, add(weight, m))
                break
        else:
            merged.append((s, m))
    return [(s, m) for s, m in merged if not _vanishes(m)]


KEY_PROBES = (Fraction(3, 7), Fraction(-11, 2))


def _same_key(a: Any, b: Any) -> bool:
    """Equality of arguments; functions are equal where they agree on what they may be asked here."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_key, a, b))  # type: ignore[arg-type]
    if isinstance(a, Closure) and isinstance(b, Closure):
        if a is b:
            return True
        results = [(a.apply(s), b.apply(s)) for s in KEY_PROBES] if _takes_numbers(a) and _takes_numbers(b) else []
        return bool(results) and all(
            _same_key(r, q) and same_cotangent(pb(_ones(r)), qb(_ones(q))) for (r, pb), (q, qb) in results
        )
    return type(a) is type(b) and bool(a == b)


def _takes_numbers(closure: Closure) -> bool:
    dom = closure.space.body.dom if closure.space is not None else None
    return isinstance(dom, Product) and isinstance(dom.parts[-1], Real)


def _ones(r: Any) -> Any:
    if isinstance(r, tuple):
        return tuple(map(_ones, r))  # type: ignore[arg-type]
    return Fraction(1) if isinstance(r, Fraction) else ZERO


def shape(v: Any) -> Any:
    """The shape of the cotangent space of a value: under Delta, a closure has that of its environment.

    >>> shape((Fraction(1), True, Closure((Fraction(2), ()), lambda s: s)))
    ('R', (), ('R', ()))
    """
    if isinstance(v, tuple):
        return tuple(map(shape, v))  # type: ignore[arg-type]
    if isinstance(v, list):
        return [shape(item) for item in v]  # type: ignore[arg-type]
    if isinstance(v, Closure):
        return shape(v.environment)
    return "R" if isinstance(v, Fraction) else ()


class Comparison:
    """Equality of arrows in one category, at drawn points, arguments, contexts and cotangents."""

    def __init__(self, k: Any, generator: Generator) -> None:
        self.k = k
        self.draw = generator

    # -- strictly

    def strictly(self, left: Arrow, right: Arrow, world: Arrow) -> Difference | None:
        """The first difference found between two arrows as arrows of the category, or None."""
        w = self.draw.point(world.dom)
        if isinstance(self.k, Functions):
            x = functor(self.k, world)(w)
            return self.values(functor(self.k, left)(x), functor(self.k, right)(x), left.cod, w)
        x, _ = functor(self.k, world)(w)
        return self.lifted(functor(self.k, left)(x), functor(self.k, right)(x), left.cod, w)

    def lifted(self, left: Any, right: Any, cod: Object, point: Any) -> Difference | None:
        """A difference of two (value, pullback), the pullbacks being into one space."""
        (v, pb), (u, qb) = left, right
        found = self.values(v, u, cod, point)
        if found is not None:
            return found
        for seed in self.seeds(v, cod):
            a, b = pb(seed), qb(seed)
            if not same_cotangent(a, b):
                return Difference("pullbacks differ", point, seed, a, b)
        return None

    def values(self, v: Any, u: Any, a: Object, point: Any) -> Difference | None:
        if isinstance(a, Product):
            for x, y, part in zip(v, u, a.parts, strict=True):
                found = self.values(x, y, part, point)
                if found is not None:
                    return found
            return None
        if isinstance(a, Exponential):
            return self.functions(v, u, a, point)
        return None if v == u else Difference("values differ", point, None, v, u)

    def functions(self, v: Any, u: Any, a: Exponential, point: Any) -> Difference | None:
        if isinstance(v, Closure) and not isinstance(self.k.exponential, AdditiveMap):
            spaces = [(c.space if isinstance(self.k.exponential, AnyDerivative) else 0, shape(c)) for c in (v, u)]
            if spaces[0] != spaces[1]:
                return Difference("closures have different cotangent spaces", point, None, *spaces)
        for _ in range(2):
            s = self.value(a.dom)
            if isinstance(v, Closure):
                found = self.lifted(v.apply(s), u.apply(s), a.cod, (point, s))
            else:
                found = self.values(v(s), u(s), a.cod, (point, s))
            if found is not None:
                return found
        return None

    def value(self, a: Object) -> Any:
        """A value of any object in this category."""
        if is_first_order(a):
            return self.draw.point(a)
        image = functor(self.k, self.draw.arrow(NUMBER, a, 2))(self.draw.number())
        return image if isinstance(self.k, Functions) else image[0]

    def seeds(self, v: Any, a: Object) -> list[Any]:
        """Cotangents of `v`: a basis, 0, all ones and random ones; at functions random ones."""
        random = [self.cotangent(v, a) for _ in range(2)]
        return [*basis(v), ZERO, _ones(v), *random] if is_first_order(a) else [ZERO, *random]

    def cotangent(self, v: Any, a: Object) -> Any:
        if self.draw.random.random() < 0.1:
            return ZERO
        if isinstance(a, Product):
            return tuple(self.cotangent(x, part) for x, part in zip(v, a.parts, strict=True))
        if isinstance(a, List):
            return [self.cotangent(x, a.item) for x in v]
        if isinstance(a, Exponential):
            return self.function_cotangent(v, a)
        return self.draw.number() if isinstance(a, Real) else ZERO

    def function_cotangent(self, v: Closure, a: Exponential) -> Any:
        """A formal sum of two calls, or a cotangent of the environment."""
        if isinstance(self.k.exponential, AdditiveMap):
            calls: Any = ZERO
            for _ in range(2):
                s = self.value(a.dom)
                calls = add(calls, FormalSum((s, self.cotangent(v.apply(s)[0], a.cod))))
            return calls
        ct = self.environment_cotangent(v.environment)
        return self.k.exponential.pack(ct, v.space)

    def environment_cotangent(self, v: Any) -> Any:
        if isinstance(v, tuple):
            return tuple(map(self.environment_cotangent, v))  # type: ignore[arg-type]
        if isinstance(v, Closure):
            return self.k.exponential.pack(self.environment_cotangent(v.environment), v.space)
        return self.draw.number() if isinstance(v, Fraction) else ZERO

    # -- up to ≅

    def observed(self, left: Arrow, right: Arrow, world: Arrow) -> Difference | None:
        """The first difference that a context can observe between `world ; left` and `world ; right`, or None."""
        for what, context in contexts(self.draw, world.dom, left.cod):
            found = self.first_order(context(compose(world, left)), context(compose(world, right)), what)
            if found is not None:
                return found
        return None

    def first_order(self, left: Arrow, right: Arrow, what: str) -> Difference | None:
        found = self.strictly(left, right, Id(left.dom))
        if found is None:
            return None
        return Difference(f"{found.what} in the context `{what}`", found.point, found.seed, found.left, found.right)


def basis(v: Any) -> Iterator[Any]:
    """The basis cotangents of a first-order value.

    >>> list(basis((Fraction(2), (Fraction(3), True))))
    [(Fraction(1, 1), ZERO), (ZERO, (Fraction(1, 1), ZERO))]
    """
    if isinstance(v, tuple | list):
        for i, part in enumerate(v):  # type: ignore[arg-type]
            for seed in basis(part):
                yield type(v)([seed if j == i else ZERO for j in range(len(v))])  # type: ignore[arg-type]
    elif isinstance(v, Fraction):
        yield Fraction(1)


def observer(draw: Generator, world: Object, a: Object) -> Arrow:
    """An arrow `(world, a) => B`, B first-order, that calls every function in `a` once."""
    both = Product((world, a))
    if is_first_order(a):
        return Proj(both, 1)
    if isinstance(a, Product):
        return Prod(tuple(
            compose(Prod((Proj(both, 0), compose(Proj(both, 1), Proj(a, i)))), observer(draw, world, part))
            for i, part in enumerate(a.parts)
        ))
    assert isinstance(a, Exponential)
    argument = compose(Proj(both, 0), draw.arrow(world, a.dom, 1))
    called = compose(Prod((Proj(both, 1), argument)), Eval(a))
    return compose(Prod((Proj(both, 0), called)), observer(draw, world, a.cod))


def contexts(draw: Generator, world: Object, a: Object) -> list[tuple[str, Context]]:
    """What a program may do with a value of `a`, computed from a first-order world: contexts to first-order objects."""
    if is_first_order(a):
        return [("as it is", lambda f: f)]
    both = Product((world, a))
    first, second = observer(draw, world, a), observer(draw, world, a)
    found: list[tuple[str, Context]] = [
        ("called once", lambda f: compose(Prod((Id(world), f)), first)),
        ("called at two points", lambda f: compose(Prod((Id(world), f)), Prod((first, second)))),
        ("called twice at one point", lambda f: compose(Prod((Id(world), f)), Prod((first, first)))),
        ("never called", lambda f: compose(Prod((Id(world), f)), Proj(both, 0))),
        ("captured and called twice", lambda f: compose(Prod((Id(world), f)), _captured(both, first))),
    ]
    if isinstance(a, Exponential):
        found += _called(a)
    return found


def _captured(both: Object, call: Arrow) -> Arrow:
    """A closure that captures everything, called twice."""
    inner = Curry(compose(Proj(Product((both, NUMBER)), 0), call))
    once = compose(Prod((Id(inner.cod), Const(inner.cod, Fraction(1), NUMBER))), Eval(inner.cod))
    return compose(inner, Prod((once, once)))


def _called(a: Exponential) -> list[tuple[str, Context]]:
    """Contexts that take the argument from the world."""
    if not is_first_order(a.dom) or not is_first_order(a.cod):
        return []

    def uncurried(f: Arrow) -> Arrow:
        both = Product((f.dom, a.dom))
        return compose(Prod((compose(Proj(both, 0), f), Proj(both, 1))), Eval(a))

    def in_its_argument(f: Arrow) -> Arrow:
        both = Product((f.dom, a.dom))
        function = compose(Proj(both, 0), f)
        inner = compose(Prod((function, Proj(both, 1))), Eval(a))
        return compose(Prod((function, inner)), Eval(a))

    found: list[tuple[str, Context]] = [("uncurried", uncurried)]
    if a.dom == a.cod:
        found.append(("called inside its own argument", in_its_argument))
    return found
