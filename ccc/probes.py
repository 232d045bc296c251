"""Pullbacks at first-order boundaries, and what can be asked at a boundary that holds a function.

    vjp(h : A => B)                      a |-> (h a, G[B] -> G[A])            A and B without functions
    vjp_probe(h : A => (B => C), a, [(b, gc), ...])                           the sum of the pullbacks of h at (a, b)
    functional_grad(h : (A => B) => C, g)                                     the calls of g, an AdditiveMap(A, G[B])

A cotangent of a function cannot be given by a caller: its type depends on how the closure was made. The two probes
are the same under every exponential.

>>> from ccc.combinators import curry, eval_, const, id_, primitive, prod
>>> from ccc.objects import REAL
>>> from ccc.primitives.arithmetic import mul, neg
>>> square = prod(id_(REAL), id_(REAL)) >> primitive(mul, REAL, REAL)
>>> value, pullback = vjp(square)(3.0)
>>> value, pullback(1.0)
(9.0, 6.0)
>>> vjp_probe(curry(primitive(mul, REAL, REAL)), 2.0, [(5.0, 1.0), (7.0, 1.0)])
12.0
>>> function = Exponential(REAL, REAL)
>>> at_three = prod(id_(function), const(function, 3.0)) >> eval_(function)
>>> functional_grad(at_three, square).fold(lambda a, gb: a * gb)
3.0

References: *The Differentiable Curry* ("How to define type (T => S)", "Artificial exponentials").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ccc.additive import ZERO, Zero, dense, parts, total
from ccc.arrows import Arrow
from ccc.base import HOST, Base
from ccc.categories.exponentials import FormalSum
from ccc.categories.reverse import Reverse
from ccc.denotation import functor
from ccc.directions import fitted
from ccc.errors import BoundaryMismatch, HigherOrderBoundary
from ccc.objects import Bool, Exponential, Int, List, Map, Object, Product, Source, Static, Text, functions_in
from ccc.primitives.zero_trees import zeros_like

Lifted = Callable[[Any], tuple[Any, Callable[[Any], Any]]]


def first_order(verb: str, **boundaries: Object) -> None:
    """Raises `HigherOrderBoundary`, naming every component that holds a function.

    >>> first_order("vjp", argument=Product((Product(()), Exponential(Product(()), Product(())))))
    Traceback (most recent call last):
    ccc.errors.HigherOrderBoundary: vjp needs first-order boundaries; argument[1]: 1 => 1 is a function
    """
    found = [place for path, a in boundaries.items() for place in functions_in(a, path)]
    if found:
        are = "is a function" if len(found) == 1 else "are functions"
        raise HigherOrderBoundary(f"{verb} needs first-order boundaries; {', '.join(found)} {are}",
                                  "apply the function inside, or use ccc.vjp_probe or ccc.functional_grad")


def materialised(ct: Any, value: Any, a: Object) -> Any:
    """The cotangent `ct` of `value` with numbers for its symbolic zeros; None where nothing is differentiable.

    >>> from ccc.objects import INT, REAL
    >>> materialised(ZERO, (2.0, 3), Product((REAL, INT)))
    (0.0, None)
    """
    if isinstance(a, Product):
        cts = parts(ct, len(a.parts))
        return tuple([materialised(g, x, part) for g, x, part in zip(cts, value, a.parts, strict=True)])
    if isinstance(a, (Bool, Int, Text, Source, Static)):
        return None
    ct = dense(ct)
    if isinstance(a, List):
        cts = [ZERO] * len(value) if isinstance(ct, Zero) else ct
        return [materialised(g, x, a.item) for g, x in zip(cts, value, strict=True)]
    if isinstance(a, Map):
        found: dict[Any, Any] = {} if isinstance(ct, Zero) else ct
        return {key: materialised(found.get(key, ZERO), x, a.item) for key, x in value.items()}
    return zeros_like(value) if isinstance(ct, Zero) else ct


def vjp(arrow: Arrow, *, exponential: Any = None, base: Base = HOST) -> Lifted:
    """The reverse derivative `x |-> (value, pullback)` of an arrow between first-order objects.

    >>> from ccc.combinators import curry, primitive
    >>> from ccc.objects import REAL
    >>> from ccc.primitives.arithmetic import mul
    >>> vjp(curry(primitive(mul, REAL, REAL)))
    Traceback (most recent call last):
    ccc.errors.HigherOrderBoundary: vjp needs first-order boundaries; result: R => R is a function

    Raises `HigherOrderBoundary` where the domain or the codomain holds a function; the probes take those.
    """
    first_order("vjp", argument=arrow.dom, result=arrow.cod)
    image: Lifted = functor(Reverse(exponential, base), arrow)

    def derivative(x: Any) -> tuple[Any, Callable[[Any], Any]]:
        value, pullback = image(x)
        return value, lambda ct: materialised(pullback(ct), x, arrow.dom)

    return derivative


def vjp_probe(
    arrow: Arrow, t: Any, probes: Iterable[tuple[Any, Any]], *, exponential: Any = None, base: Base = HOST
) -> Any:
    """For `h : A => (B => C)`, what the cotangents `gc` of the results at the arguments `b` mean for `t : A`.

    >>> from ccc.combinators import curry, primitive
    >>> from ccc.objects import REAL
    >>> from ccc.primitives.arithmetic import mul
    >>> vjp_probe(curry(primitive(mul, REAL, REAL)), 2.0, [])
    0.0

    Raises `HigherOrderBoundary` where A, B or C holds a function, `BoundaryMismatch` where `h` returns none.
    """
    if not isinstance(arrow.cod, Exponential):
        raise BoundaryMismatch(f"vjp_probe needs an arrow A => (B => C): found {arrow.dom} => {arrow.cod}",
                               "let it return a function")
    first_order("vjp_probe", argument=arrow.dom, probe=arrow.cod.dom, result=arrow.cod.cod)
    k = Reverse(exponential, base)
    image: Lifted = functor(k, arrow)
    application: Lifted = k.eval(arrow.cod)
    closure, pullback = image(t)
    cts: list[Any] = []
    for i, (b, gc) in enumerate(probes):
        value, at = application((closure, b))
        cts.append(parts(at(fitted(value, gc, f"value[{i}]", "cotangent") if base is HOST else gc), 2)[0])
    return materialised(pullback(total(cts)), t, arrow.dom)


def functional_grad(arrow: Arrow, g: Arrow, ct: Any = 1, *, exponential: Any = None, base: Base = HOST) -> FormalSum:
    """For `h : (A => B) => C`, the calls that `h` makes of `g : A => B`: a formal sum of (argument, cotangent of the
    result), the derivative of `h` in the direction "change g there".

    Raises `HigherOrderBoundary` where A, B or C holds a function, `BoundaryMismatch` where `h` and `g` do not fit.
    """
    if not isinstance(arrow.dom, Exponential) or (g.dom, g.cod) != (arrow.dom.dom, arrow.dom.cod):
        raise BoundaryMismatch(
            f"functional_grad needs h : (A => B) => C and g : A => B: found {arrow.dom} => {arrow.cod} and "
            f"{g.dom} => {g.cod}",
            "say by `at` what its argument is",
        )
    first_order("functional_grad", argument=g.dom, called=g.cod, result=arrow.cod)
    k = Reverse(exponential, base)
    closure, calls_in = k.exponential.supplied(functor(k, g))
    image: Lifted = functor(k, arrow)
    value, at = image(closure)
    calls = calls_in(at(fitted(value, ct, "value", "cotangent") if base is HOST else ct))
    return FormalSum() if isinstance(calls, Zero) else calls
