"""What a category is to this project: one method per combinator, over a base.

A category gets the arrows below a combinator as it made them itself, and returns its own arrow. It has no state but
its parameters and never mentions a primitive by name. `ccc.denotation.functor(k, term)` reads a term in it.
"""

from __future__ import annotations

from typing import Any, Protocol

from ccc.arrows import Const, Curry, Fix, Prim, Scan, Unfold
from ccc.objects import Exponential, Object, Product


class Category(Protocol):
    """A cartesian closed category with control, in which every term has a meaning.

    >>> from ccc.arrows import Id
    >>> from ccc.denotation import functor
    >>> from ccc.categories.functions import Functions
    >>> from ccc.objects import REAL
    >>> functor(Functions(), Id(REAL))(3.0)
    3.0
    """

    def identity(self, a: Object) -> Any: ...

    def compose(self, *arrows: Any) -> Any: ...

    def terminal(self, a: Object) -> Any: ...

    def prod(self, *arrows: Any) -> Any: ...

    def proj(self, a: Product, index: int) -> Any: ...

    def curry(self, body: Any, term: Curry) -> Any: ...

    def eval(self, function: Exponential) -> Any: ...

    def const(self, term: Const) -> Any: ...

    def primitive(self, term: Prim) -> Any: ...

    def cond(self, test: Any, then: Any, orelse: Any) -> Any: ...

    def iterate(self, test: Any, body: Any) -> Any: ...

    def unfold(self, test: Any, body: Any, term: Unfold) -> Any: ...

    def scan(self, body: Any, term: Scan) -> Any: ...

    def fix(self, body: Any, term: Fix) -> Any: ...
