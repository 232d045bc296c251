"""Plain functions: the category in which a term means the program itself.

    x |-> y

>>> from ccc.arrows import Prod, Id
>>> from ccc.denotation import functor
>>> from ccc.objects import REAL
>>> functor(Functions(), Prod((Id(REAL), Id(REAL))))(1.5)
(1.5, 1.5)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.arrows import Const, Curry, Fix, Prim, Scan, Unfold
from ccc.categories.pointwise import Pointwise
from ccc.objects import Exponential, Object, Product

Function = Callable[[Any], Any]


def arguments(x: Any, dom: Object) -> tuple[Any, ...]:
    """The arguments of a primitive: the components of a product, or the one value."""
    return x if isinstance(dom, Product) else (x,)


class Functions(Pointwise):
    """Values and functions between them, over a base.

    >>> from ccc.arrows import Curry, Proj
    >>> from ccc.denotation import functor
    >>> from ccc.objects import REAL
    >>> functor(Functions(), Curry(Proj(Product((REAL, REAL)), 0)))(1.5)(2.5)
    1.5
    """

    def terminal(self, a: Object) -> Function:
        return lambda x: ()

    def prod(self, *arrows: Function) -> Function:
        return lambda x: tuple([f(x) for f in arrows])

    def proj(self, a: Product, index: int) -> Function:
        return lambda x: x[index]

    def curry(self, body: Function, term: Curry) -> Function:
        return lambda t: lambda s: body((t, s))

    def eval(self, function: Exponential) -> Function:
        return lambda x: x[0](x[1])

    def const(self, term: Const) -> Function:
        return lambda x: self.base.const(term.value, term.cod)

    def primitive(self, term: Prim) -> Function:
        params = dict(term.params)
        return lambda x: self.base.apply(term.primitive, arguments(x, term.dom), params, term.label)

    def cond(self, test: Function, then: Function, orelse: Function) -> Function:
        return lambda x: self.base.cond(test(x), lambda: then(x), lambda: orelse(x))

    def unfold(self, test: Function, body: Function, term: Unfold) -> Function:
        width = len(term.cod.parts[1].parts)  # type: ignore[attr-defined]

        def loop(x: Any) -> Any:
            g, init = x
            return self.base.iterate(lambda s: test((g, s)), lambda s: body((g, s)), init, width)

        return loop

    def scan(self, body: Function, term: Scan) -> Function:
        width = len(term.cod.parts[1].parts)  # type: ignore[attr-defined]

        def loop(x: Any) -> Any:
            g, init, lists = x
            return self.base.scan(lambda s, e: body((g, s, e)), init, lists, width, term.reverse)

        return loop

    def fix(self, body: Function, term: Fix) -> Function:
        def knot(t: Any) -> Any:
            def recursive(s: Any) -> Any:
                return apply(s)

            apply = self.base.recursive(lambda s: body(((t, recursive), s)), term.name, term.cod)
            return recursive

        return knot
