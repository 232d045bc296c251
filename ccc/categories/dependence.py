"""Dependence: beside a value stand marks, one of each input, that are 1 where the derivative in it need not vanish.

The marks of one run are the sparsity of a Jacobian, or a superset of it: of a primitive that is not known to be
elementwise, linear, or to move numbers, each item of the result is taken to be made of all items of its arguments. A
branch depends on its arms and not on its test, as derivatives do.

>>> import ccc
>>> ccc.interpret(lambda x, y: (x * y, y + 1.0), Dependence(2))((3.0, 1.0, 0.0), (4.0, 0.0, 1.0))
((12.0, 5.0), (1.0, 0.0), (1.0, 1.0))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO, dense
from ccc.arrows import Prim
from ccc.categories.layered import Layered, Layers, as_before
from ccc.primitives import structure
from ccc.primitives.adaptors_reductions import np_max
from ccc.primitives.elementary_numpy import exp, maximum
from ccc.primitives.facts import ENTRIES, PRODUCTS, SUMS
from ccc.primitives.guarded import signum


class Dependence(Layered):
    """Values with marks of the `inputs` that they depend on; the i-th input has mark 1 in the i-th layer.

    >>> import ccc
    >>> ccc.interpret(lambda x: x - x, Dependence(1))((2.0, 1.0))
    (0.0, 1.0)
    """

    def __init__(self, inputs: int = 1) -> None:
        super().__init__()
        self.layers = inputs + 1

    def element(self, number: Callable[[], Any]) -> Layers:
        first = number()
        return (first, *[type(first)(number() > 0) for _ in range(self.layers - 1)])

    def operation(self, term: Prim, *xs: Layers) -> Any:
        p, params, values = term.primitive, dict(term.params), tuple([x[0] for x in xs])
        y = self.base.apply(p, values, params, term.label)
        zero = self.base.apply(structure.zeros_like, (y,), {}, None)
        found = [y]
        for k in range(1, self.layers):
            marks = {i: xs[i][k] for i in self.moving(term, [x[k] for x in xs])}
            found.append(as_before(self.marked(p, zero, marks, values, params), zero) if marks else zero)
        return found

    def ones(self, x: Any) -> Any:
        """As many ones as there are numbers."""
        return exp(self.base.apply(structure.zeros_like, (x,), {}, None))

    def marked(self, p: Any, zero: Any, marks: dict[int, Any], values: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The marks of a result, as large as its zero, for those of arguments. What is linear moves or adds up marks,
        which cannot cancel, as it does numbers."""
        groups = p.linear_of(params).groups(len(values))
        if p.work == SUMS and any(set(marks) <= set(group) for group in groups):
            ds = tuple([marks.get(i, ZERO) for i in range(len(values))])
            return maximum(zero, signum(dense(p.differential(ds, zero, *values, **params))))
        for i, mark in marks.items():
            if p.work == PRODUCTS and (i,) in groups:
                at = [mark if j == i else self.ones(x) for j, x in enumerate(values)]
                mark = signum(self.base.apply(p, tuple(at), params, None))
            elif p.work != ENTRIES:
                mark = np_max(mark)
            zero = maximum(zero, mark)
        return zero
