"""Generated objects, typed arrows, points and instances of laws, over exact rationals.

Arrows use every combinator that the category has, also `curry`, `eval`, `cond`, loops, recursion and closures that
capture, ignore, share or call what is in scope. Numbers come from a wide range and two captured values differ, so that
swapped or doubled parts show. Every decision is a choice, 0 being the simplest, so examples shrink.

>>> from ccc.laws.choices import Randomly
>>> generator = Generator(Randomly(1))
>>> f = generator.arrow(Product((NUMBER, NUMBER)), Exponential(NUMBER, NUMBER), 2)
>>> print(f.dom, "to", f.cod)
(R[fraction], R[fraction]) to R[fraction] => R[fraction]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import BuiltinFunctionType
from typing import Any, TypeVar

from ccc.arrows import Arrow, Cond, Const, Curry, Eval, Fix, Id, Iterate, Prod, Proj, Terminal, Unfold, compose
from ccc.combinators import fold, primitive
from ccc.laws.choices import Choices, Marks, marked
from ccc.objects import BOOL, UNIT, Bool, Exponential, List, Object, Product, Real
from ccc.primitives.arithmetic import add, less, neg
from ccc.primitives.facts import ENTRIES, Linearity
from ccc.primitives.registry import PRIMITIVES
from ccc.primitives.structure import listing
from ccc.theory.control import FUEL, burnt, goes_on, recursive_body
from ccc.theory.law import NUMBER, Law, Variable

T = TypeVar("T")
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
COMBINATORS = ("terminal", "prod", "proj", "curry", "eval", "const", "primitive", "cond", "iterate", "unfold", "scan",
               "fix")
EVERYTHING = frozenset(COMBINATORS)
FUELLED = Product((FUEL, NUMBER))
OPERATIONS = tuple([p for p in PRIMITIVES
                    if p.exact and p.work == ENTRIES and isinstance(p.linear, Linearity) and p.linear.of == (0, 1)
                    and isinstance(p.value, BuiltinFunctionType)])
"""Python's own sums and products of two numbers."""


@lru_cache(maxsize=1024)
def is_first_order(a: Object) -> bool:
    """True where no function is inside.

    >>> is_first_order(PAIR), is_first_order(Product((PAIR, FUNCTION)))
    (True, False)
    """
    if isinstance(a, Product):
        return all(map(is_first_order, a.parts))
    return is_first_order(a.item) if isinstance(a, List) else not isinstance(a, Exponential)


def inside(a: Object) -> Iterator[Object]:
    """An object and all those that it is made of.

    >>> [str(b) for b in inside(Product((NUMBER, Exponential(NUMBER, BOOL))))]
    ['(R[fraction], R[fraction] => bool)', 'R[fraction]', 'R[fraction] => bool', 'R[fraction]', 'bool']
    """
    yield a
    parts: tuple[Object, ...] = ()
    if isinstance(a, Product):
        parts = a.parts
    elif isinstance(a, Exponential):
        parts = (a.dom, a.cod)
    elif isinstance(a, List):
        parts = (a.item,)
    for part in parts:
        yield from inside(part)


@lru_cache(maxsize=1024)
def paths(a: Object) -> tuple[Arrow, ...]:
    """The projections of `a` to its components at any depth, itself included.

    >>> [str(path) for path in paths(PAIR)]
    ['id', 'proj_left', 'proj_right']
    """
    found: list[Arrow] = [Id(a)]
    if isinstance(a, Product):
        for i, part in enumerate(a.parts):
            found += [compose(Proj(a, i), path) for path in paths(part)]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Instance:
    """A law at generated arrows; `world` is a generalised element `W => X` of their domain, W first-order, and `uses`
    are the contexts in which the sides are compared, those of a new draw where there are none."""

    law: Law
    arrows: tuple[Arrow, ...]
    left: Arrow
    right: Arrow
    world: Arrow
    uses: tuple[Any, ...] | None = None

    def named(self) -> list[tuple[str, Arrow]]:
        """The arrows of the law by their names, the world last where it is not the identity."""
        names = [name for name, *_ in (*self.law.arrows, *self.law.constants)]
        found = list(zip(names, self.arrows, strict=True))
        return found if isinstance(self.world, Id) else [*found, ("world", self.world)]

    def __str__(self) -> str:
        return "\n".join([str(self.law), *[f"{name} = {arrow}" for name, arrow in self.named()]])


class Generator(Marks):
    """Everything drawn from one source of choices, with the combinators in `features`; equal choices give equal draws.

    >>> from ccc.laws.choices import Randomly
    >>> Generator(Randomly(3)).point(PAIR) == Generator(Randomly(3)).point(PAIR)
    True
    """

    def __init__(self, choices: Choices, features: frozenset[str] = EVERYTHING) -> None:
        super().__init__(choices)
        self.below = choices.below
        self.features = features

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; the first is the simplest."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True so often; False is simpler."""
        return self.below(100) >= 100 - percent

    # -- points ------------------------------------------------------------------------------------------------

    def number(self) -> Fraction:
        sign = self.pick((1, -1))
        return Fraction(sign * (1 + self.below(9999)), self.pick((1, 2, 3, 7)))

    def point(self, a: Object) -> Any:
        """A value of a first-order object."""
        if isinstance(a, Product):
            return tuple([self.point(part) for part in a.parts])
        if isinstance(a, Bool):
            return self.chance(70)
        if isinstance(a, List):
            return [self.point(a.item) for _ in range(self.below(4))]
        return self.number()

    # -- objects -----------------------------------------------------------------------------------------------

    def object(self, order: int) -> Object:
        """An object; those of order 0 hold no functions."""
        pool = FIRST_ORDER if "cond" in self.features else FIRST_ORDER[:4]
        if order > 0 and self.features >= {"curry", "eval"} and self.chance(40):
            pool = HIGHER_ORDER
        return self.pick(pool)

    # -- arrows ------------------------------------------------------------------------------------------------

    @marked
    def arrow(self, a: Object, b: Object, depth: int) -> Arrow:
        """An arrow `a => b`; `depth` bounds the nesting of combinators."""
        if depth <= 0:
            return self.leaf(a, b, 0)
        return self.pick(self.ways(a, b))(a, b, depth - 1)

    def ways(self, a: Object, b: Object) -> list[Callable[[Object, Object, int], Arrow]]:
        """How an arrow `a => b` may be made, each as often as it is listed."""
        has = self.features
        ways: list[Callable[[Object, Object, int], Arrow]] = [self.leaf, *[self.by_structure] * 4, self.composite]
        ways.append(self.let)
        if "cond" in has:
            ways.append(self.choice)
        if has >= {"curry", "eval"}:
            ways.append(self.redex)
            if any(path.cod.cod == b for path in paths(a) if isinstance(path.cod, Exponential)):
                ways += [self.application] * 4
        if isinstance(b, Real):
            ways.append(self.by_structure)
            if "scan" in has:
                ways.append(self.sum_of_list)
            if has >= {"cond", "iterate"} and is_first_order(a):
                ways.append(self.loop)
        return ways

    def leaf(self, a: Object, b: Object, depth: int) -> Arrow:
        """A projection if there is one, else the smallest arrow of the type."""
        known = [path for path in paths(a) if path.cod == b]
        if known and not self.chance(10):
            return self.pick(known)
        if isinstance(b, Real):
            return Const(a, self.number(), b)
        return self.by_structure(a, b, 0)

    def by_structure(self, a: Object, b: Object, depth: int) -> Arrow:
        """What the constructor of `b` suggests: a pair, a λ, a list, arithmetic."""
        if isinstance(b, Product):
            return Prod(tuple([self.arrow(a, part, depth) for part in b.parts])) if b.parts else Terminal(a)
        if isinstance(b, Exponential):
            return Curry(self.arrow(Product((a, b.dom)), b.cod, depth))
        if isinstance(b, List):
            items = Prod(tuple([self.arrow(a, b.item, depth) for _ in range(2)]))
            return compose(items, primitive(listing, b.item, b.item))
        if isinstance(b, Real) and self.chance(10):
            return compose(self.arrow(a, NUMBER, depth), primitive(neg, NUMBER))
        both = Prod((self.arrow(a, NUMBER, depth), self.arrow(a, NUMBER, depth)))
        operation = less if isinstance(b, Bool) else self.pick(OPERATIONS)
        return compose(both, primitive(operation, NUMBER, NUMBER))

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
        f = self.pick([p for p in paths(a) if isinstance(p.cod, Exponential) and p.cod.cod == b])
        function = f.cod
        assert isinstance(function, Exponential)
        return compose(Prod((f, self.arrow(a, function.dom, depth))), Eval(function))

    def sum_of_list(self, a: Object, b: Object, depth: int) -> Arrow:
        """A loop over a list of numbers, with the whole context in scope."""
        step = self.arrow(Product((a, NUMBER, Product((NUMBER,)))), NUMBER, min(depth, 1))
        numbers = self.by_structure(a, List(NUMBER), min(depth, 1))
        return compose(Prod((Id(a), self.arrow(a, NUMBER, depth), Prod((numbers,)))), fold(step))

    def loop(self, a: Object, b: Object, depth: int) -> Arrow:
        """A `while`, one with outputs or a recursion, that ends after two rounds at most, at times by a test of what is
        in scope."""
        fuel = Prod((*[self.flag(a, percent) for percent in (50, 30)], Const(a, False, BOOL)))
        start = Prod((fuel, self.arrow(a, NUMBER, min(depth, 1))))
        context = Product((a, FUELLED))
        kinds = [self.while_, *([self.unfolding] if self.features >= {"unfold", "scan"} else []),
                 *([self.recursion] if self.features >= {"fix", "curry", "eval"} else [])]
        return compose(Prod((Id(a), start)), self.pick(kinds)(a, context))

    def flag(self, a: Object, percent: int) -> Arrow:
        """A truth value: one that is known, and true so often, or a test."""
        known = self.chance(percent)
        return self.arrow(a, BOOL, 1) if self.chance(50) else Const(a, known, BOOL)

    def while_(self, a: Object, context: Product) -> Arrow:
        """The number of the last state, at times one that is chosen by a truth value of it."""
        test, rest = burning(context)
        loop = Iterate(test, Prod((rest, self.arrow(context, NUMBER, 1))))
        if self.chance(50):
            return compose(loop, Proj(FUELLED, 1))
        whole = Product((context, FUELLED))
        flag = compose(Proj(whole, 1), self.leaf(FUELLED, BOOL, 0))
        chosen = Cond(flag, self.leaf(whole, NUMBER, 0), self.leaf(whole, NUMBER, 0))
        return compose(Prod((Id(context), loop)), chosen)

    def unfolding(self, a: Object, context: Product) -> Arrow:
        """The sum of the outputs of an `unfold`, from its last state."""
        test, rest = burning(context)
        step = Prod((rest, self.arrow(context, NUMBER, 1)))
        outputs = Prod((self.arrow(context, NUMBER, 1),))
        made = Unfold(test, Prod((step, outputs)))
        loop = Product((UNIT, NUMBER, Product((NUMBER,))))
        item = compose(Proj(loop, 2), Proj(Product((NUMBER,)), 0))
        total = fold(compose(Prod((Proj(loop, 1), item)), primitive(add, NUMBER, NUMBER)))
        last = compose(Proj(made.cod, 0), Proj(FUELLED, 1))
        return compose(made, Prod((Terminal(made.cod), last, Proj(made.cod, 1))), total)

    def recursion(self, a: Object, context: Product) -> Arrow:
        """A recursion that captures what is in scope, at times with a number that is known, or computed of that."""
        captured: Arrow = Id(a)
        if self.chance(50):
            number = Const(a, self.point(NUMBER), NUMBER) if self.chance(50) else self.arrow(a, NUMBER, 1)
            captured = Prod((Id(a), number))
        inner = Product((captured.cod, FUELLED))
        base, step = self.arrow(inner, NUMBER, 1), self.arrow(Product((inner, NUMBER)), NUMBER, 1)
        call = Prod((compose(Proj(context, 0), captured, Fix(recursive_body(base, step))), Proj(context, 1)))
        return compose(call, Eval(Exponential(FUELLED, NUMBER)))

    # -- laws --------------------------------------------------------------------------------------------------

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
            return Product(tuple([self.instantiated(part, env, order) for part in a.parts]))
        if isinstance(a, Exponential):
            return Exponential(self.instantiated(a.dom, env, order), self.instantiated(a.cod, env, order))
        return List(self.instantiated(a.item, env, order)) if isinstance(a, List) else a

    def world(self, a: Object) -> Arrow:
        """A generalised element of `a`: the identity where no function is inside, else closures that capture."""
        return Id(a) if is_first_order(a) else self.arrow(PAIR, a, 2)


def burning(context: Product) -> tuple[Arrow, Arrow]:
    """The test of a loop on `(g, (fuel, s))` that there is fuel, and the fuel of the next round.

    >>> test, rest = burning(Product((NUMBER, FUELLED)))
    >>> print(test.cod, rest.cod)
    bool (bool, bool, bool)
    """
    fuel = compose(Proj(context, 1), Proj(FUELLED, 0))
    return goes_on(fuel), burnt(fuel)
