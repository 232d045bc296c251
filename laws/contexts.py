"""What a program can do with a value that holds functions: contexts that end in a first-order object.

Two arrows are equal up to ≅ where no context tells them apart. Six kinds are needed: a closure called at two points,
called twice at one point, never called, passed through a pair, captured by another closure, called inside its own
argument; and called once, where the argument comes from the world.

>>> from laws.choices import Randomly
>>> from laws.generate import FUNCTION, PAIR, Generator
>>> for what, context in contexts(Generator(Randomly(0)), PAIR, FUNCTION):
...     print(what)
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

from collections.abc import Callable
from fractions import Fraction

from ccc.arrows import Arrow, Const, Curry, Eval, Id, Prod, Proj, compose
from ccc.combinators import swap
from ccc.objects import Exponential, Object, Product
from laws.generate import NUMBER, Generator, is_first_order

Context = Callable[[Arrow], Arrow]


def contexts(draw: Generator, world: Object, a: Object) -> list[tuple[str, Context]]:
    """Contexts `(world => a) -> (world' => B)` with B first-order, and what each does."""
    if is_first_order(a):
        return [("as it is", lambda f: f)]
    both = Product((world, a))
    first, second = observer(draw, world, a), observer(draw, world, a)

    def of(use: Arrow) -> Context:
        return lambda f: compose(Prod((Id(world), f)), use)

    found = [
        ("called once", of(first)),
        ("called at two points", of(Prod((first, second)))),
        ("called twice at one point", of(Prod((first, first)))),
        ("never called", of(Proj(both, 0))),
        ("passed through a pair", of(compose(swap(both), swap(Product((a, world))), second))),
        ("captured and called twice", of(_captured(both, first))),
    ]
    if isinstance(a, Exponential):
        found.append(("called inside its own argument", of(_nested(draw, both, a))))
        if is_first_order(a.dom) and is_first_order(a.cod):
            found.append(("applied to an argument of its own", lambda f: _uncurried(f, a)))
    return found


def observer(draw: Generator, world: Object, a: Object) -> Arrow:
    """An arrow `(world, a) => B`, B first-order, that calls every function in `a` once.

    >>> from laws.choices import Replayed
    >>> from laws.generate import FUNCTION
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


def _uncurried(f: Arrow, a: Exponential) -> Arrow:
    both = Product((f.dom, a.dom))
    return compose(Prod((compose(Proj(both, 0), f), Proj(both, 1))), Eval(a))
