"""Cost: beside a value stands how many operations, or bytes, it took to compute it and all that was computed with it.

    id           (x, n) |-> (x, n)
    terminal     nothing costs nothing
    f ; g        the sum of both, as prod f g
    curry, eval  a function costs nothing where it is made, and what its body costs where it is called
    loops        the sum over all runs, their tests included

So counts are a function of the arguments: of sizes, of how often loops run, of which branches are taken. What is
counted are real numbers; tests, whole numbers and what moves numbers are no operations.

>>> import ccc
>>> import numpy as np
>>> ccc.interpret(lambda a, x: np.tanh(a @ x), Cost())((np.ones((3, 4)), 0.0), (np.ones(4), 0.0))[1]
15.0
>>> def f(x):
...     for _ in range(5):
...         x = x * x + 1.0
...     return x
>>> ccc.interpret(f, Cost())((0.5, 0.0))[1], ccc.interpret(ccc.gradient(f), Cost())((0.5, 0.0))[1]
(10.0, 20.0)

It is no cartesian category: what is dropped has been paid for. Which laws it has and which not, as `prod-left`, is on
record, and `python3 -m laws ccc:Cost` says what differs from that.

Reference: Andreas Griewank and Andrea Walther, *Evaluating Derivatives* (2008), chapters 3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ccc.arrows import Const, Curry, Fix, Prim, Scan, Unfold
from ccc.categories.functions import arguments
from ccc.categories.layered import STILL, kind
from ccc.categories.pointwise import Pointwise
from ccc.denotation import functor
from ccc.errors import MissingMeaning
from ccc.objects import REAL, Array, Exponential, Object, Product, Real, is_discrete
from ccc.primitives import elementary_math, structure
from ccc.primitives.adaptors import np_size
from ccc.primitives.arithmetic import to_float
from ccc.primitives.facts import ENTRIES, EXTREMA, ORDER, PRODUCTS, SIZES, SUMS

Counted = tuple[Any, Any]
Counting = Callable[[Counted], Counted]
WORD = 8.0


class Cost(Pointwise):
    """Values with the number of operations on real numbers, or with that of `bytes` of real numbers that are written.

    >>> import ccc
    >>> ccc.interpret(lambda x: x * x if x > 1.0 else x, Cost())((0.5, 0.0))
    (0.5, 0.0)
    >>> ccc.interpret(lambda x: x * x + x, Cost(bytes=True))((0.5, 0.0))
    (0.75, 16.0)

    A product of arrays counts its products of numbers, a sum along axes its terms. An argument `(x, n)` has cost n
    before. Raises `MissingMeaning` at what is neither elementwise, a sum, a product nor a movement.
    """

    def __init__(self, *, bytes: bool = False) -> None:
        super().__init__()
        self.bytes = bytes

    def of(self, a: Object) -> Object:
        return Product((a, REAL))

    def begun(self, value: Any) -> Counted:
        """A value that has cost nothing yet, as laws draw it."""
        return value, 0.0

    def apart(self, x: Counted, size: int) -> list[Counted]:
        """The parts of a value, of which each has cost what all have."""
        return [(part, x[1]) for part in x[0]]

    def together(self, xs: Sequence[Counted]) -> Counted:
        """Values as a tuple of them."""
        return tuple([value for value, _ in xs]), sum([n for _, n in xs])

    def terminal(self, a: Object) -> Counting:
        return lambda x: ((), 0.0)

    def prod(self, *arrows: Counting) -> Counting:
        def fork(x: Counted) -> Counted:
            found = [f((x[0], 0.0)) for f in arrows]
            return tuple([y for y, _ in found]), sum([n for _, n in found], x[1])

        return fork

    def proj(self, a: Product, index: int) -> Counting:
        return lambda x: (x[0][index], x[1])

    def curry(self, body: Counting, term: Curry) -> Counting:
        return lambda t: (lambda s: body(((t[0], s[0]), s[1])), t[1])

    def eval(self, function: Exponential) -> Counting:
        return lambda x: x[0][0]((x[0][1], x[1]))

    def const(self, term: Const) -> Counting:
        return lambda x: (self.base.const(term.value, term.cod), x[1])

    # -- primitives --------------------------------------------------------------------------------------------

    def primitive(self, term: Prim) -> Counting:
        p, params = term.primitive, dict(term.params)

        def counted(x: Counted) -> Counted:
            xs = arguments(x[0], term.dom)
            if p.program is not None:
                y, n = functor(self, p.program.body)(x)
                return (y if len(p.program.results) == 1 else structure.pack(*y)), n
            y = self.base.apply(p, xs, params, term.label)
            return y, x[1] + self.price(term, xs, y)

        return counted

    def price(self, term: Prim, xs: Sequence[Any], y: Any) -> Any:
        """What one application costs."""
        work = term.primitive.work
        if is_discrete(term.cod) or work == SIZES:
            return 0.0
        if self.bytes:
            return WORD * size(y)
        if work in STILL:
            return 0.0
        if work == ENTRIES:
            return size(y)
        if work in (SUMS, EXTREMA, ORDER):
            return sum([size(x) for x in xs], 0.0)
        if work == PRODUCTS and len(xs) == 2:  # of sizes m k, k n and m n
            product = size(xs[0]) * size(xs[1]) * size(y)
            return math.sqrt(product) if isinstance(product, float) else elementary_math.sqrt(product)
        raise MissingMeaning(f"`Cost` does not say what `{term.primitive.name}` costs",
                             "derive a category from it that has a `price` for it")

    # -- control -----------------------------------------------------------------------------------------------

    def cond(self, test: Counting, then: Counting, orelse: Counting) -> Counting:
        def branch(x: Counted) -> Counted:
            holds, n = test(x)
            return self.base.cond(holds, lambda: then((x[0], n)), lambda: orelse((x[0], n)))

        return branch

    def scan(self, body: Counting, term: Scan) -> Counting:
        width = outputs(term.cod)

        def loop(x: Counted) -> Counted:
            (g, init, lists), before = x

            def step(state: Counted, elements: tuple[Any, ...]) -> tuple[Counted, Any]:
                (after, ys), n = body(((g, state[0], elements), state[1]))
                return (after, n), ys

            (last, n), columns = self.base.scan(step, (init, before), lists, width, term.reverse)
            return (last, columns), n

        return loop

    def unfold(self, test: Counting, body: Counting, term: Unfold) -> Counting:
        width = outputs(term.cod)

        def loop(x: Counted) -> Counted:
            (g, init), before = x

            def tested(state: Counted) -> Counted:
                return test(((g, state[0]), state[1]))

            def step(state: Counted) -> tuple[Counted, Any]:
                (after, ys), n = body(((g, state[0]), tested(state)[1]))
                return (after, n), ys

            state, columns = self.base.iterate(lambda s: tested(s)[0], step, (init, before), width)
            return (state[0], columns), tested(state)[1]

        return loop

    def fix(self, body: Counting, term: Fix) -> Counting:
        function = Exponential(self.of(term.cod.dom), self.of(term.cod.cod))

        def knot(t: Counted) -> Counted:
            def recursive(s: Counted) -> Counted:
                return apply(s)

            apply = self.base.recursive(lambda s: body((((t[0], recursive), s[0]), s[1])), term.name, function)
            return recursive, t[1]

        return knot


def outputs(cod: Object) -> int:
    """How many sequences a loop gives, beside its last state."""
    assert isinstance(cod, Product)
    ys = cod.parts[1]
    return len(ys.parts) if isinstance(ys, Product) else 0


def size(x: Any) -> Any:
    """How many real numbers a value is, as a real number; a structure of several none of its own.

    >>> import numpy as np
    >>> size(np.ones((2, 3))), size(1.0), size([1.0])
    (6.0, 1.0, 0.0)
    """
    a = kind(x)
    if isinstance(a, Array) and a.is_real:
        return to_float(np_size(x))
    return 1.0 if isinstance(a, Real) else 0.0
