"""The combinators of *The Differentiable Curry* as constructors of arrow terms, binary as on paper.

    id          : T => T                              eval       : ((S => R), S) => R
    compose f g : T => R                              curry f    : T => (S => R)        of f : (T, S) => R
    prod f g    : X => (A, B)   of f : X => A, g : X => B        (the fork of the slides)
    cross f g   : (X, Y) => (A, B)   of f : X => A, g : Y => B   (the other reading of `prod` there)

    prod(f, g) >> proj_left  = f        cross(curry(f), id) >> eval = f        curry(cross(h, id) >> eval) = h

>>> from ccc.denotation import functor
>>> from ccc.categories.reverse import Reverse
>>> from ccc.objects import REAL, Product
>>> from ccc.primitives.arithmetic import add, mul
>>> pair = Product((REAL, REAL))
>>> x_w_b = Product((pair, REAL))
>>> f = prod(proj_left(x_w_b) >> primitive(mul, REAL, REAL), proj_right(x_w_b)) >> primitive(add, REAL, REAL)
>>> print(f)
prod(proj_left o mult, proj_right) o add
>>> value, pullback = functor(Reverse(), f)(((2.0, 3.0), 4.0))
>>> value, pullback(1.0)
(10.0, ((3.0, 2.0), 1.0))

References: *The Differentiable Curry* ("Recipe for AD: compile first to CCC algebra", "Then implement T => S and
combinators", "Not just theory, curry is a Swift IL (SIL) instruction");
composition is in diagram order, and `eval` takes the function first.
"""

from __future__ import annotations

from typing import Any

from ccc.arrows import (
    Arrow,
    Chain,
    Cond,
    Const,
    Curry,
    Eval,
    Fix,
    Id,
    Iterate,
    Prim,
    Prod,
    Proj,
    Scan,
    Terminal,
    compose,
)
from ccc.errors import BoundaryMismatch, CCCError
from ccc.objects import UNIT, Exponential, Object, Product
from ccc.objects_of_values import object_of
from ccc.primitives.primitive import Primitive

__all__ = [
    "compose", "cond", "const", "cross", "curry", "eval_", "fix", "fold", "id_", "iterate", "name", "papply",
    "papply_first_class", "power", "primitive", "prod", "proj", "proj_left", "proj_right", "scan", "swap", "terminal",
    "uncurry",
]


def id_(a: Object) -> Arrow:
    """The identity `A => A`.

    >>> from ccc.objects import REAL
    >>> print(id_(REAL))
    id
    """
    return Id(a)


def terminal(a: Object) -> Arrow:
    """The unique arrow `A => 1`, also called bang.

    >>> from ccc.objects import REAL
    >>> print(terminal(REAL).cod)
    1
    """
    return Terminal(a)


def prod(*arrows: Arrow) -> Arrow:
    """`prod (f : X => A, g : X => B) : X => (A, B)`, the fork `x |-> (f x, g x)`.

    >>> from ccc.objects import REAL
    >>> print(prod(id_(REAL), terminal(REAL)).cod)
    (R, 1)

    Raises `BoundaryMismatch` where the domains differ or there is no arrow at all.
    """
    if not arrows:
        raise BoundaryMismatch("prod needs at least one arrow; the arrow to the empty product is terminal(A)")
    return Prod(arrows)


def cross(f: Arrow, g: Arrow) -> Arrow:
    """`cross (f : X => A, g : Y => B) : (X, Y) => (A, B)`, which is `prod(proj_left >> f, proj_right >> g)`.

    >>> from ccc.objects import REAL
    >>> print(cross(terminal(REAL), id_(REAL)))
    prod(proj_left o terminal, proj_right)
    """
    both = Product((f.dom, g.dom))
    return Prod((compose(Proj(both, 0), f), compose(Proj(both, 1), g)))


def proj(a: Object, index: int) -> Arrow:
    """The projection of a product of any length to its component `index`, counted from 0.

    >>> from ccc.objects import REAL
    >>> print(proj(Product((REAL, REAL, REAL)), 1))
    proj_left o proj_right

    Raises `BoundaryMismatch` where there is no such component.
    """
    return Proj(_product(a, "projection"), index)


def proj_left(a: Object) -> Arrow:
    """`proj_left : (A, B) => A` of the pair object `a`.

    >>> from ccc.objects import REAL
    >>> print(proj_left(Product((REAL, UNIT))).cod)
    R

    Raises `BoundaryMismatch` where `a` is no pair.
    """
    return Proj(_pair(a, "proj_left"), 0)


def proj_right(a: Object) -> Arrow:
    """`proj_right : (A, B) => B` of the pair object `a`.

    >>> from ccc.objects import REAL
    >>> print(proj_right(Product((REAL, UNIT))).cod)
    1

    Raises `BoundaryMismatch` where `a` is no pair.
    """
    return Proj(_pair(a, "proj_right"), 1)


def swap(a: Object) -> Arrow:
    """`swap : (A, B) => (B, A)` of the pair object `a`.

    >>> from ccc.objects import REAL
    >>> print(swap(Product((REAL, UNIT))).cod)
    (1, R)
    """
    return Prod((proj_right(a), proj_left(a)))


def curry(f: Arrow) -> Arrow:
    """`curry (f : (T, S) => R) : T => (S => R)`.

    >>> from ccc.objects import REAL
    >>> print(curry(id_(Product((REAL, UNIT)))).cod)
    1 => (R, 1)

    Raises `BoundaryMismatch` where the domain of `f` is no pair.
    """
    return Curry(f)


def eval_(function: Object) -> Arrow:
    """`eval : ((S => R), S) => R` of the exponential `S => R`, function first.

    >>> from ccc.objects import REAL
    >>> print(eval_(Exponential(REAL, UNIT)).dom)
    (R => 1, R)

    Raises `BoundaryMismatch` where the object is no exponential.
    """
    return Eval(_exponential(function, "eval"))


def uncurry(h: Arrow) -> Arrow:
    """`uncurry (h : T => (S => R)) : (T, S) => R`, which is `cross(h, id) >> eval`: what `curry` takes back.

    >>> from ccc.objects import REAL
    >>> print(uncurry(curry(id_(Product((REAL, UNIT))))))
    prod(proj_left o curry(id), proj_right) o eval

    Raises `BoundaryMismatch` where the codomain of `h` is no exponential.
    """
    function = _exponential(h.cod, "uncurry")
    return compose(cross(h, Id(function.dom)), Eval(function))


def name(f: Arrow) -> Arrow:
    """`name (f : S => R) : 1 => (S => R)`: a closed arrow as a function value, whose environment is the unit.

    >>> from ccc.objects import REAL
    >>> print(name(id_(REAL)))
    curry(proj_right)
    """
    return Curry(compose(Proj(Product((UNIT, f.dom)), 1), f))


def papply(f: Arrow) -> Arrow:
    """`papply (f : (T, S) => R) : S => (T => R)`, partial application of a known arrow: `curry(swap >> f)`.

    >>> from ccc.objects import REAL
    >>> print(papply(id_(Product((REAL, UNIT)))).cod)
    R => (R, 1)

    Raises `BoundaryMismatch` where the domain of `f` is no pair.
    """
    t, s = _pair(f.dom, "papply").parts
    return Curry(compose(swap(Product((s, t))), f))


def papply_first_class(function: Object) -> Arrow:
    """`papply : (((T, S) => R), S) => (T => R)` of the exponential `(T, S) => R`, partial application of a value.

    >>> from ccc.objects import REAL
    >>> h = papply_first_class(Exponential(Product((REAL, UNIT)), REAL))
    >>> print(h.dom, "to", h.cod)
    ((R, 1) => R, 1) to R => R

    Raises `BoundaryMismatch` where the object is no function of a pair.
    """
    known = _exponential(function, "papply")
    t, s = _pair(known.dom, "papply").parts
    captured = Product((known, s))
    context = Product((captured, t))
    arguments = Prod((Proj(context, 1), compose(Proj(context, 0), Proj(captured, 1))))
    return Curry(compose(Prod((compose(Proj(context, 0), Proj(captured, 0)), arguments)), Eval(known)))


def const(a: Object, value: Any, b: Object | None = None) -> Arrow:
    """The constant arrow `A => B` at `value`; `b` is by default the object that the value inhabits.

    >>> from ccc.objects import REAL
    >>> print(const(UNIT, 2.0), "to", const(UNIT, 2.0).cod)
    const(2.0) to R
    """
    return Const(a, value, object_of(value) if b is None else b)


def primitive(p: Primitive, *objects: Object, **params: Any) -> Arrow:
    """The primitive `p` as an arrow from `objects`, typed by its own rule; several make its domain a product.

    >>> from ccc.objects import REAL
    >>> from ccc.primitives.arithmetic import mul, neg
    >>> print(primitive(mul, REAL, REAL).dom, primitive(neg, REAL).dom)
    (R, R) R

    Raises `InexactPrimitive` for exact scalars where `p` leaves the rationals, and `BoundaryMismatch` where it does not
    take these objects.
    """
    dom = objects[0] if len(objects) == 1 and not isinstance(objects[0], Product) else Product(objects)
    try:
        cod = p.type_of(objects, params)
    except CCCError:
        raise
    except (TypeError, ValueError, IndexError) as error:
        raise BoundaryMismatch(f"`{p.name}` does not take {dom}: {error}",
                               "give as many objects as it has arguments, of the types that it takes") from None
    return Prim(p, dom, cod, tuple(params.items()))


def cond(test: Arrow, then: Arrow, orelse: Arrow) -> Arrow:
    """`cond (p : X => bool, f : X => R, g : X => R) : X => R`; only the taken branch runs.

    >>> from ccc.objects import BOOL
    >>> print(cond(id_(BOOL), const(BOOL, 1.0), const(BOOL, 2.0)))
    cond(id, const(1.0), const(2.0))

    Raises `BoundaryMismatch` where the three do not fit.
    """
    return Cond(test, then, orelse)


def iterate(test: Arrow, body: Arrow) -> Arrow:
    """`iterate (p : (G, S) => bool, f : (G, S) => S) : (G, S) => S`, the while loop.

    >>> from ccc.objects import BOOL
    >>> pair = Product((UNIT, BOOL))
    >>> print(iterate(proj_right(pair), const(pair, False)))
    iterate(proj_right, const(False))

    Raises `BoundaryMismatch` where test and body do not fit.
    """
    return Iterate(test, body)


def scan(body: Arrow, *, reverse: bool = False) -> Arrow:
    """`scan (f : (G, S, (E, ...)) => (S, (Y, ...))) : (G, S, ([E], ...)) => (S, ([Y], ...))`.

    >>> from ccc.objects import REAL
    >>> triple = Product((UNIT, REAL, Product((REAL,))))
    >>> print(scan(prod(proj(triple, 1), proj(triple, 2))).cod)
    (R, ([R],))

    Raises `BoundaryMismatch` where the body is no such arrow.
    """
    return Scan(body, reverse)


def fold(step: Arrow, *, reverse: bool = False) -> Arrow:
    """`fold (f : (G, S, (E, ...)) => S) : (G, S, ([E], ...)) => S`: a scan with no outputs.

    >>> from ccc.objects import REAL
    >>> from ccc.primitives.arithmetic import add
    >>> triple = Product((UNIT, REAL, Product((REAL,))))
    >>> step = prod(proj(triple, 1), proj(triple, 2) >> proj(Product((REAL,)), 0)) >> primitive(add, REAL, REAL)
    >>> from ccc.denotation import functor
    >>> from ccc.categories.functions import Functions
    >>> functor(Functions(), fold(step))(((), 0.5, ([1.0, 2.0],)))
    3.5
    """
    loop = Scan(Prod((step, Terminal(step.dom))), reverse)
    return compose(loop, Proj(loop.cod, 0))


def fix(body: Arrow) -> Arrow:
    """`fix (f : ((T, (S => R)), S) => R) : T => (S => R)`: the closure that may call itself.

    >>> from ccc.objects import REAL
    >>> print(fix(proj_right(Product((Product((UNIT, Exponential(REAL, REAL))), REAL)))))
    fix(proj_right)

    Raises `BoundaryMismatch` where the body does not take the function it defines.
    """
    return Fix(body)


def power(f: Arrow, n: int) -> Arrow:
    """`f >> f >> ... >> f`, n times; the identity for 0.

    >>> from ccc.objects import REAL
    >>> from ccc.primitives.arithmetic import neg
    >>> print(power(primitive(neg, REAL), 3), "|", power(primitive(neg, REAL), 0))
    neg o neg o neg | id

    Raises `BoundaryMismatch` where `f` does not end where it starts, `ValueError` where n is negative.
    """
    if f.dom != f.cod:
        raise BoundaryMismatch(f"power needs an arrow A => A: found {f.dom} => {f.cod}")
    if n < 0:
        raise ValueError(f"power needs n >= 0: found {n}")
    steps = f.steps if isinstance(f, Chain) else (f,)
    return compose(Id(f.dom), *(steps * n))


def _product(a: Object, what: str) -> Product:
    if not isinstance(a, Product):
        raise BoundaryMismatch(f"{what} needs a product: found {a}")
    return a


def _pair(a: Object, what: str) -> Product:
    if not isinstance(a, Product) or len(a.parts) != 2:
        raise BoundaryMismatch(f"{what} needs a pair: found {a}")
    return a


def _exponential(a: Object, what: str) -> Exponential:
    if not isinstance(a, Exponential):
        raise BoundaryMismatch(f"{what} needs a function object S => R: found {a}")
    return a
