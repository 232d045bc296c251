"""How arrows between values in layers are compared, and what may stand for numbers there.

A category that derives from `ccc.Layered` says in `element` what stands for drawn numbers; the rest follows. Where an
element `holds` several numbers, as an interval does, a program observes what an arrow is sound for: two arrows are ≅
where what each gives holds what plain functions give, though one be wider, as where a test is asked twice that is not
decided.

>>> from ccc.categories.layered import Layered
>>> from ccc.laws.choices import Replayed
>>> from ccc.laws.generate import PAIR
>>> LayeredComparison(Layered(), Generator(Replayed([]))).point(PAIR)
((Fraction(1, 1), Fraction(1, 1)), (Fraction(0, 1), Fraction(0, 1)))
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cache
from typing import Any

from ccc.arrows import Arrow, Id, Prim, compose
from ccc.categories.functions import Functions
from ccc.categories.layered import Layered
from ccc.denotation import functor
from ccc.errors import MissingMeaning
from ccc.laws.contexts import Context, contexts
from ccc.laws.equality import Comparison, Difference
from ccc.laws.generate import Generator as Generator, is_first_order
from ccc.objects import Bool, List, Object, Product, Real

FIRST = ", which is its first layer where `member` and `holds` of the category do not say otherwise,"


@cache
def asked(cls: type[Layered]) -> type[Layered]:
    """The categories of a class, whose tables say nothing of numbers at which an entry has no value.

    >>> class Ratios(Layered):
    ...     operations = {"add": lambda x, y: (x[0] + y[0], x[1] / (x[0] + y[0]))}
    >>> from ccc.combinators import primitive
    >>> from ccc.laws.generate import NUMBER
    >>> from ccc.primitives.arithmetic import add
    >>> functor(asked(Ratios)(), primitive(add, NUMBER, NUMBER))(((1, -1), (1, 1)))
    Traceback (most recent call last):
    ...
    ccc.errors.MissingMeaning: what `Ratios` says of `add` has no value there: division by zero
    """
    class Asked(cls):
        def operation(self, term: Prim, *xs: Any) -> Any:
            try:
                return super().operation(term, *xs)
            except (ArithmeticError, ValueError) as error:
                if not self.names(term.primitive):
                    raise
                name = term.primitive.name
                raise MissingMeaning(f"what `{cls.__name__}` says of `{name}` has no value there: {error}") from None

    Asked.__name__ = cls.__name__
    return Asked


class LayeredComparison(Comparison):
    """Equality of functions on values in layers."""

    def __init__(self, k: Layered, *args: Any, **options: Any) -> None:
        k = copy.copy(k)
        k.__class__ = asked(type(k))
        super().__init__(k, *args, **options)

    def point(self, a: Object) -> Any:
        """What stands for a drawn value of a first-order object."""
        if self.given_point is not None:
            return self.given_point(a, self.draw)
        if isinstance(a, Product):
            return self.k.together([self.point(part) for part in a.parts])
        if isinstance(a, List):
            return self.listed([self.point(a.item) for _ in range(self.draw.below(4))])
        return self.k.element(self.number) if isinstance(a, Real) else self.k.alone(self.draw.point(a))

    @property
    def holding(self) -> bool:
        """Whether an element stands for several numbers."""
        return type(self.k).holds is not Layered.holds

    def values(self, v: Any, u: Any, a: Object, point: Any) -> Difference | None:
        if isinstance(a, Bool):
            v, u = [(x[0], x[0]) if x[1:2] in ((), ((),)) else x for x in (v, u)]
        return super().values(v, u, a, point)

    def identical(self, left: Arrow, world: Arrow) -> bool:
        return not self.holding and super().identical(left, world)

    def observed(
        self, left: Arrow, right: Arrow, world: Arrow, uses: Sequence[Context] | None = None
    ) -> Difference | None:
        if not self.holding:
            return super().observed(left, right, world, uses)
        sides = [side if isinstance(world, Id) else compose(world, side) for side in (left, right)]
        if is_first_order(left.cod):
            return self.unsound(*sides)
        for use in contexts(self.draw, world.dom, left.cod) if uses is None else uses:
            found = self.unsound(*map(use.around, sides))
            if found is not None:
                return found.where(use.what)
        return None

    def listed(self, items: list[Any]) -> Any:
        """Items in layers as the layers of a list."""
        return tuple([list(layer) for layer in zip(*items, strict=True)]) or ([],) * self.k.layers

    def has_parts(self, value: Any) -> bool:
        return True

    # -- soundness ---------------------------------------------------------------------------------------------

    def member(self, x: Any, a: Object) -> Any:
        """A value for which an element of a first-order object stands."""
        if isinstance(a, Product):
            return tuple([self.member(part, b) for part, b in zip(self.k.apart(x, len(a.parts)), a.parts, strict=True)])
        if isinstance(a, List):
            return [self.member(item, a.item) for item in zip(*x, strict=True)]
        return self.k.member(x, self.draw.below) if isinstance(a, Real) else x[0]

    def missed(self, x: Any, value: Any, a: Object) -> bool:
        """Whether an element does not stand for a value."""
        if isinstance(a, Product):
            parts = zip(self.k.apart(x, len(a.parts)), value, a.parts, strict=True)
            return any(self.missed(part, v, b) for part, v, b in parts)
        if isinstance(a, List):
            return any(self.missed(item, v, a.item) for item, v in zip(zip(*x, strict=True), value, strict=True))
        if isinstance(a, Real):
            return not self.k.holds(x, value)
        surely, possibly = x[0], x[0] if x[1:2] in ((), ((),)) else x[1]
        return value not in (surely, possibly)

    def exactly(self, value: Any, a: Object) -> Any:
        """What stands for a value of a first-order object as narrowly as the category has it."""
        if isinstance(a, Product):
            return self.k.together([self.exactly(v, part) for v, part in zip(value, a.parts, strict=True)])
        if isinstance(a, List):
            return self.listed([self.exactly(v, a.item) for v in value])
        return self.k.element(lambda: value) if isinstance(a, Real) else self.k.alone(value)

    def unsound(self, *sides: Arrow) -> Difference | None:
        """Where one of some arrows takes a value, for which an element stands, to what does not stand for that to
        which plain functions take it by the first of them."""
        x = self.point(sides[0].dom)
        return self.unsound_at(x, self.member(x, sides[0].dom), *sides)

    def unsound_at(self, x: Any, value: Any, *sides: Arrow) -> Difference | None:
        """The same for an element and a value."""
        expected = functor(Functions(self.numbers.base), sides[0])(value)
        for f in sides:
            y = self.read(f)(x)
            if self.missed(y, expected, f.cod):
                what = "what is found does not hold the value" + ("" if self.holding else FIRST)
                return Difference(what, (x, value), None, y, expected)
        return None
