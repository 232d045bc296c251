"""What a program can do with a value that holds functions: contexts that end in a first-order object.

Two arrows are equal up to ≅ where no context tells them apart. Six kinds are needed: a closure called at two points,
called twice at one point, never called, passed through a pair, captured by another closure, called inside its own
argument; and called once, where the argument comes from the world.

>>> from ccc.laws.choices import Randomly
>>> from ccc.laws.generate import FUNCTION, PAIR, Generator
>>> for context in contexts(Generator(Randomly(0)), PAIR, FUNCTION):
...     print(context.what)
called once
called at two points
called twice at one point
never called
passed through a pair
captured and called twice
called inside its own argument
applied to an argument of its own
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ccc.arrows import Arrow, Const, Curry, Eval, Id, Prod, Proj, compose
from ccc.combinators import swap
from ccc.laws.generate import NUMBER, Generator, is_first_order
from ccc.objects import Exponential, Object, Product


@dataclass(frozen=True, slots=True)
class Context:
    """A use `(w, f w) |-> b` of a value `f w : a` computed from a world. Where `extended`, the world is a pair of which
    `f` sees the left half, so the use is of `((w, s), f w)`."""

    what: str
    world: Object
    use: Arrow
    extended: bool = False

    def around(self, f: Arrow) -> Arrow:
        """The arrow `f : world => a` in the context.

        >>> context = Context("never called", NUMBER, Proj(Product((NUMBER, NUMBER)), 0))
        >>> print(context.around(Id(NUMBER)))
        prod(id, id) o proj_left
        """
        seen = compose(Proj(self.world, 0), f) if isinstance(self.world, Product) and self.extended else f
        return compose(Prod((Id(self.world), seen)), self.use)


def contexts(draw: Generator, world: Object, a: Object) -> list[Context]:
    """Contexts of `world => a` that end in first-order objects; none where `a` is first-order itself."""
    if is_first_order(a):
        return []
    both = Product((world, a))
    first, second = observer(draw, world, a), observer(draw, world, a)
    found = [
        Context("called once", world, first),
        Context("called at two points", world, Prod((first, second))),
        Context("called twice at one point", world, Prod((first, first))),
        Context("never called", world, Proj(both, 0)),
        Context("passed through a pair", world, compose(swap(both), swap(Product((a, world))), second)),
        Context("captured and called twice", world, _captured(both, first)),
    ]
    if isinstance(a, Exponential):
        found.append(Context("called inside its own argument", world, _nested(draw, both, a)))
        if is_first_order(a.dom) and is_first_order(a.cod):
            extended = Product((world, a.dom))
            whole = Product((extended, a))
            argument = compose(Proj(whole, 0), Proj(extended, 1))
            use = compose(Prod((Proj(whole, 1), argument)), Eval(a))
            found.append(Context("applied to an argument of its own", extended, use, extended=True))
    return found


def observer(draw: Generator, world: Object, a: Object) -> Arrow:
    """An arrow `(world, a) => B`, B first-order, that calls every function in `a` once.

    >>> from ccc.laws.choices import Replayed
    >>> from ccc.laws.generate import FUNCTION
    >>> print(observer(Generator(Replayed([])), NUMBER, FUNCTION))
    prod(proj_right, proj_left) o eval
    """
    both = Product((world, a))
    if is_first_order(a):
        return Proj(both, 1)
    if isinstance(a, Product):
        return Prod(tuple([
            compose(Prod((Proj(both, 0), compose(Proj(both, 1), Proj(a, i)))), observer(draw, world, part))
            for i, part in enumerate(a.parts)
        ]))
    assert isinstance(a, Exponential)
    argument = compose(Proj(both, 0), draw.arrow(world, a.dom, 1))
    called = compose(Prod((Proj(both, 1), argument)), Eval(a))
    if is_first_order(a.cod):
        return called
    return compose(Prod((Proj(both, 0), called)), observer(draw, world, a.cod))


def _captured(both: Object, call: Arrow) -> Arrow:
    """A closure that captures everything, called twice."""
    inner = Curry(compose(Proj(Product((both, NUMBER)), 0), call))
    once = compose(Prod((Id(inner.cod), Const(inner.cod, Fraction(1), NUMBER))), Eval(inner.cod))
    return compose(inner, Prod((once, once)))


def _nested(draw: Generator, both: Product, a: Exponential) -> Arrow:
    """`(w, h) |-> h (back (w, h (argument w)))`, observed."""
    world, function = Proj(both, 0), Proj(both, 1)
    first = compose(Prod((function, compose(world, draw.arrow(world.cod, a.dom, 1)))), Eval(a))
    if a.dom == a.cod:
        back: Arrow = first
    else:
        back = compose(Prod((world, first)), draw.arrow(Product((world.cod, a.cod)), a.dom, 1))
    second = compose(Prod((function, back)), Eval(a))
    return compose(Prod((world, second)), observer(draw, world.cod, a.cod))

