"""Dependence: beside a value stand marks, one of each input, that are 1 where the derivative in it need not vanish.

The marks of one run are the sparsity of a Jacobian, or a superset of it: of a primitive that is not known to be
elementwise, linear, or to move numbers, each item of the result is taken to be made of all items of its arguments. A
branch depends on its arms and not on its test, as derivatives do.

>>> import ccc
>>> ccc.interpret(lambda x, y: (x * y, y + 1.0), Dependence(2))((3.0, 1.0, 0.0), (4.0, 0.0, 1.0))
((12.0, 5.0), (1.0, 0.0), (1.0, 1.0))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ccc.additive import ZERO, Zero, dense
from ccc.arrows import Prim
from ccc.categories.layered import Layered, Layers, as_before, goes_by_items, kind
from ccc.objects import Array, List, is_discrete
from ccc.primitives import zero_trees
from ccc.primitives.adaptors_reductions import np_max
from ccc.primitives.arithmetic import absolute
from ccc.primitives.elementary_numpy import exp, maximum, sin
from ccc.primitives.guarded import signum
from ccc.primitives.products import cumsum

ROOTS = [math.sqrt(n) for n in range(2, 320) if all([n % d for d in range(2, n)])]
"""Roots of more prime numbers than arrays have axes: no sum of some of them times fractions is zero."""


class Dependence(Layered):
    """Values with marks of the `inputs` that they depend on; the i-th input has mark 1 in the i-th layer.

    >>> import ccc
    >>> ccc.interpret(lambda x: x - x, Dependence(1))((2.0, 1.0))
    (0.0, 1.0)
    """

    tangents = True

    def __init__(self, inputs: int = 1) -> None:
        super().__init__()
        self.layers = inputs + 1

    def element(self, number: Callable[[], Any]) -> Layers:
        first = number()
        return (first, *[type(first)(number() > 0) for _ in range(self.layers - 1)])

    def operation(self, term: Prim, *xs: Layers) -> Any:
        p, params, values = term.primitive, dict(term.params), tuple([x[0] for x in xs])
        y = self.base.apply(p, values, params, term.label)
        zero = self.base.apply(zero_trees.zeros_like, (y,), {}, None)
        found = [y]
        for k in range(1, self.layers):
            marks = {i: xs[i][k] for i in self.moving(term, [x[k] for x in xs])}
            found.append(as_before(self.marked(term, zero, marks, values), zero) if marks else zero)
        return found

    def places(self, x: Any, first: int) -> Any:
        """A positive algebraic number at each place of an argument, no two of which are equal, here or in another one:
        a sum of different roots times whole numbers."""
        ones, a = exp(self.base.apply(zero_trees.zeros_like, (x,), {}, None)), kind(x)
        found = ones * (ROOTS[0] * (first + 1.0))
        for axis in range(len(a.axes or ()) if isinstance(a, Array) else 0):
            found = found + cumsum(ones, axis=axis) * ROOTS[1 + axis]
        return found

    def marked(self, term: Prim, zero: Any, marks: dict[int, Any], values: tuple[Any, ...]) -> Any:
        """The marks of a result, as large as its zero, for those of arguments.

        Where a primitive is linear it tells itself, of marks times sines of the places that they stand at: of different
        algebraic numbers these are independent over the algebraic numbers (Lindemann and Weierstrass), so no sum of
        some of them with factors that are algebraic is zero, unless by rounding.
        """
        p, params = term.primitive, dict(term.params)
        if goes_by_items(term):
            for mark in marks.values():
                zero = maximum(zero, mark)
            return zero
        left = dict(marks)
        for group in p.linear_of(params).groups(len(values)):
            together = {i: left.pop(i) for i in group if i in left}
            if together:
                zero = maximum(zero, self.linearly(term, together, group, values))
        for mark in left.values():
            zero = maximum(zero, np_max(mark))
        return zero

    def linearly(self, term: Prim, marks: dict[int, Any], group: Sequence[int], values: tuple[Any, ...]) -> Any:
        """The marks of a result that is linear in a group of arguments, of which these have some; the other ones that
        it is linear in are no zeros."""
        p, params = term.primitive, dict(term.params)
        others = p.linear_of(params).arguments(len(values)) - set(group)
        at = [self.places(x, i) if i in others and not is_discrete(kind(x)) else x for i, x in enumerate(values)]
        ds = [self.weighted(marks[i], x, i) if i in marks else ZERO for i, x in enumerate(values)]
        y = self.base.apply(p, tuple(at), params, None)
        found = dense(p.differential(tuple(ds), y, *at, **params))
        return 0.0 if isinstance(found, Zero) else signum(absolute(found))

    def weighted(self, mark: Any, x: Any, first: int) -> Any:
        """Marks, with factors of which none is zero."""
        return mark if isinstance(kind(x), List) else mark * sin(self.places(x, first))
