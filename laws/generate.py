"""Generated objects, typed arrows, points and instances of laws, over exact rationals.

Arrows use every combinator, also `curry`, `eval`, `cond`, loops and closures that capture, ignore, share or call what
is in scope. Numbers come from a wide range and two captured values differ, so that swapped or doubled parts show.

>>> from random import Random
>>> generator = Generator(Random(1))
>>> f = generator.arrow(Product((NUMBER, NUMBER)), Exponential(NUMBER, NUMBER), 2)
>>> print(f.dom, "to", f.cod)
(R[fraction], R[fraction]) to R[fraction] => R[fraction]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import strategies as st

from ccc.arrows import Arrow, Cond, Const, Curry, Eval, Id, Prod, Proj, Terminal, compose
from ccc.combinators import fold, primitive
from ccc.objects import BOOL, UNIT, Bool, Exponential, List, Object, Product, Real
from ccc.primitives.arithmetic import add, less, mul, neg, sub
from ccc.primitives.structure import listing
from ccc.theory import NUMBER, Law, Variable

PAIR = Product((NUMBER, NUMBER))
FUNCTION = Exponential(NUMBER, NUMBER)
FIRST_ORDER: tuple[Object, ...] = (NUMBER, PAIR, Product((NUMBER, PAIR)), UNIT, Product((PAIR, BOOL)))
HIGHER_ORDER: tuple[Object, ...] = (
    FUNCTION,
    Exponential(PAIR, NUMBER),
    Exponential(NUMBER, PAIR),
    Exponential(NUMBER, FUNCTION),
    Exponential(FUNCTION, NUMBER),
    Product((NUMBER, FUNCTION)),
)


def is_first_order(a: Object) -> bool:
    """True where no function is inside.

    >>> is_first_order(PAIR), is_first_order(Product((PAIR, FUNCTION)))
    (True, False)
    """
    if isinstance(a, Product):
        return all(map(is_first_order, a.parts))
    return is_first_order(a.item) if isinstance(a, List) else not isinstance(a, Exponential)


def paths(a: Object) -> Iterator[Arrow]:
    """The projections of `a` to its components at any depth, itself included.

    >>> [str(path) for path in paths(PAIR)]
    ['id', 'proj_left', 'proj_right']
    """
    yield Id(a)
    if isinstance(a, Product):
        for i in range(len(a.parts)):
            for path in paths(a.parts[i]):
                yield compose(Proj(a, i), path)


@dataclass(frozen=True, slots=True)
class Instance:
    """A law at generated arrows; `world` is a generalised element `W => X` of their domain, W first-order."""

    law: Law
    arrows: tuple[Arrow, ...]
    left: Arrow
    right: Arrow
    world: Arrow

    def __str__(self) -> str:
        names = [name for name, *_ in (*self.law.arrows, *self.law.constants)]
        where = [f"{name} = {arrow}" for name, arrow in zip(names, self.arrows, strict=True)]
        return "\n".join([str(self.law), *where, f"at {self.world}"])


class Generator:
    """Everything drawn from one source of randomness; equal seeds give equal draws.

    >>> Generator(Random(3)).point(PAIR) == Generator(Random(3)).point(PAIR)
    True
    """

    def __init__(self, random: Random) -> None:
        self.random = random

    # -- points and cotangents

    def number(self) -> Fraction:
        return Fraction(self.random.choice((-1, 1)) * self.random.randint(1, 9999), self.random.choice((1, 2, 3, 7)))

    def point(self, a: Object) -> Any:
        """A value of a first-order object."""
        if isinstance(a, Product):
            return tuple(self.point(part) for part in a.parts)
        if isinstance(a, Bool):
            return self.random.random() < 0.7
        if isinstance(a, List):
            return [self.point(a.item) for _ in range(self.random.randint(0, 3))]
        return self.number()

    # -- objects

    def object(self, order: int) -> Object:
        return self.random.choice(FIRST_ORDER if order == 0 or self.random.random() < 0.6 else HIGHER_ORDER)

    # -- arrows

    def arrow(self, a: Object, b: Object, depth: int) -> Arrow:
        """An arrow `a => b`; `depth` bounds the nesting of combinators."""
        if depth <= 0:
            return self.leaf(a, b)
        ways: list[Callable[[Object, Object, int], Arrow]] = [self.by_structure] * 4
        ways += [self.let, self.composite, self.choice, self.redex, self.leaf]
        if any(path.cod.cod == b for path in paths(a) if isinstance(path.cod, Exponential)):
            ways += [self.application] * 4
        if isinstance(b, Real):
            ways += [self.sum_of_list, self.by_structure]
        return self.random.choice(ways)(a, b, depth - 1)

    def leaf(self, a: Object, b: Object, depth: int = 0) -> Arrow:
        """A projection if there is one, else the smallest arrow of the type."""
        known = [path for path in paths(a) if path.cod == b]
        if known and self.random.random() < 0.9:
            return self.random.choice(known)
        if isinstance(b, Real):
            return Const(a, self.number(), b)
        return self.by_structure(a, b, 0)

    def by_structure(self, a: Object, b: Object, depth: int) -> Arrow:
        if isinstance(b, Product):
            return Prod(tuple(self.arrow(a, part, depth) for part in b.parts)) if b.parts else Terminal(a)
        if isinstance(b, Exponential):
            return Curry(self.arrow(Product((a, b.dom)), b.cod, depth))
        if isinstance(b, List):
            items = Prod(tuple(self.arrow(a, b.item, depth) for _ in range(2)))
            return compose(items, primitive(listing, b.item, b.item))
        both = Prod((self.arrow(a, NUMBER, depth), self.arrow(a, NUMBER, depth)))
        if isinstance(b, Bool):
            return compose(both, primitive(less, NUMBER, NUMBER))
        if self.random.random() < 0.1:
            return compose(self.arrow(a, NUMBER, depth), primitive(neg, NUMBER))
        return compose(both, primitive(self.random.choice((mul, mul, mul, add, sub)), NUMBER, NUMBER))

    def composite(self, a: Object, b: Object, depth: int) -> Arrow:
        middle = self.object(1)
        return compose(self.arrow(a, middle, depth), self.arrow(middle, b, depth))

    def let(self, a: Object, b: Object, depth: int) -> Arrow:
        bound = self.object(1)
        return compose(Prod((Id(a), self.arrow(a, bound, depth))), self.arrow(Product((a, bound)), b, depth))

    def choice(self, a: Object, b: Object, depth: int) -> Arrow:
        return Cond(self.arrow(a, BOOL, min(depth, 1)), self.arrow(a, b, depth), self.arrow(a, b, depth))

    def redex(self, a: Object, b: Object, depth: int) -> Arrow:
        function = Exponential(self.object(1), b)
        return compose(Prod((self.arrow(a, function, depth), self.arrow(a, function.dom, depth))), Eval(function))

    def application(self, a: Object, b: Object, depth: int) -> Arrow:
        """The call of a function in scope."""
        f = self.random.choice([p for p in paths(a) if isinstance(p.cod, Exponential) and p.cod.cod == b])
        function = f.cod
        assert isinstance(function, Exponential)
        return compose(Prod((f, self.arrow(a, function.dom, depth))), Eval(function))

    def sum_of_list(self, a: Object, b: Object, depth: int) -> Arrow:
        """A loop over a list of numbers, with the whole context in scope."""
        step = self.arrow(Product((a, NUMBER, Product((NUMBER,)))), NUMBER, min(depth, 1))
        numbers = self.by_structure(a, List(NUMBER), min(depth, 1))
        return compose(Prod((Id(a), self.arrow(a, NUMBER, depth), Prod((numbers,)))), fold(step))

    # -- laws

    def instance(self, law: Law, *, order: int = 1, depth: int = 2) -> Instance:
        """The law at generated arrows. Objects hold functions where `order` is 1."""
        env: dict[Variable, Object] = {}
        arrows = [
            self.arrow(self.instantiated(a, env, order), self.instantiated(b, env, order), depth)
            for _, a, b in law.arrows
        ]
        for _, a in law.constants:
            b = self.instantiated(a, env, order)
            arrows.append(Const(UNIT, self.point(b), b))
        left, right = law.sides(*arrows)
        return Instance(law, tuple(arrows), left, right, self.world(left.dom))

    def instantiated(self, a: Object, env: dict[Variable, Object], order: int) -> Object:
        """`a` with objects for its variables, new ones for those not in `env`."""
        if isinstance(a, Variable):
            if a not in env:
                env[a] = self.object(0 if a.first_order else order)
            return env[a]
        if isinstance(a, Product):
            return Product(tuple(self.instantiated(part, env, order) for part in a.parts))
        if isinstance(a, Exponential):
            return Exponential(self.instantiated(a.dom, env, order), self.instantiated(a.cod, env, order))
        return List(self.instantiated(a.item, env, order)) if isinstance(a, List) else a

    def world(self, a: Object) -> Arrow:
        """A generalised element of `a`: the identity where no function is inside, else closures that capture."""
        return Id(a) if is_first_order(a) else self.arrow(PAIR, a, 2)


def generators() -> st.SearchStrategy[Generator]:
    """Generators for hypothesis, which shrinks what they draw."""
    return st.randoms(use_true_random=False).map(Generator)


def objects(order: int = 1) -> st.SearchStrategy[Object]:
    """Objects; those of order 0 hold no functions."""
    return st.sampled_from(FIRST_ORDER if order == 0 else FIRST_ORDER + HIGHER_ORDER)


def arrows(a: Object, b: Object, *, depth: int = 3) -> st.SearchStrategy[Arrow]:
    """Typed arrows `a => b`."""
    return generators().map(lambda generator: generator.arrow(a, b, depth))


def points(a: Object) -> st.SearchStrategy[Any]:
    """Points of a first-order object, in exact rationals."""
    return generators().map(lambda generator: generator.point(a))
