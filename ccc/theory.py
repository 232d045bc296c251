"""The laws of a cartesian closed category with control, as data: stated once, executed by `laws/`.

    product      prod(f, g) ; proj_left = f        prod(h ; proj_left, h ; proj_right) = h        and fusion
    closed       cross(curry f, id) ; eval = f     curry(cross(h, id) ; eval) = h                 and naturality
    terminal     every f : T => 1 is terminal
    control      cond, fold, scan, iterate and fix unfold

A law says for which arrows it holds (`arrows`, with objects that may be variables) and what its two sides are. Laws
hold strictly (equal values, equal pullbacks) or up to ≅, the equality that a program can observe: under `Delta` the
cotangent of a closure is part of its value, and uniqueness of `curry` holds up to ≅ only.

>>> print(CURRY_ETA)
curry-eta: curry(cross(h, id) ; eval) = h
>>> sorted(CURRY_ETA.strict), sorted(CURRY_BETA.strict)
(['AdditiveMap'], ['AdditiveMap', 'AnyDerivative', 'Delta'])
>>> left, right = CURRY_BETA.pattern()
>>> print(left, ":", left.dom, "to", left.cod)
prod(proj_left o curry(f), proj_right) o eval : (T, S) to R

References: *The Differentiable Curry* ("Results (I)": "Thm: we get a CCC", "CCC theorems (back in lambda-calculus
speak)", "Results (II)": "we get a weak CCC. Open: do we get a strong CCC?").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccc.arrows import Arrow, Chain, Cond, Const, Curry, Eval, Fix, Id, Iterate, Prod, Proj, Scan, Terminal, compose
from ccc.combinators import (
    cross,
    fold,
    name,
    papply,
    papply_first_class,
    power,
    primitive,
    proj,
    proj_left,
    proj_right,
    swap,
    uncurry,
)
from ccc.objects import BOOL, UNIT, Exponential, List, Object, Product, Real
from ccc.primitives.structure import listing

Sides = tuple[Arrow, Arrow]
EXPONENTIALS = ("AdditiveMap", "Delta", "AnyDerivative")


@dataclass(frozen=True, slots=True, repr=False)
class Variable(Object):
    """An object of which a law says nothing, or, where `first_order`, only that no function is inside."""

    name: str
    first_order: bool = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, repr=False)
class Metavariable(Arrow):
    """An arrow of which a law says nothing but its type."""

    name: str
    dom: Object
    cod: Object

    def into(self, k: Any, *children: Any) -> Any:
        if not hasattr(k, "metavariable"):
            raise NotImplementedError(f"the arrow {self.name} of a law stands for any arrow; instantiate the law")
        return k.metavariable(self.name)


@dataclass(frozen=True, slots=True)
class Law:
    """An equation between arrows that holds for all arrows of the stated types.

    `sides` builds both sides from arrows of these types; `constants` are of first-order objects and come after the
    arrows. `strict` names the exponentials under which the law is strict; under the others it holds
    up to ≅.

    >>> SWAP.name, SWAP.statement
    ('prod-swap', 'prod(f, g) ; swap = prod(g, f)')
    """

    name: str
    statement: str
    arrows: tuple[tuple[str, Object, Object], ...]
    sides: Callable[..., Sides]
    strict: frozenset[str] = frozenset(EXPONENTIALS)
    constants: tuple[tuple[str, Object], ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.statement}"

    def pattern(self) -> Sides:
        """Both sides with metavariables for the arrows, in which a rewriter reads the law."""
        arrows = [Metavariable(arrow, dom, cod) for arrow, dom, cod in self.arrows]
        return self.sides(*arrows, *[Const(UNIT, constant, a) for constant, a in self.constants])


T, S, R, U = Variable("T"), Variable("S"), Variable("R"), Variable("U")
X, A, B, C = Variable("X"), Variable("A"), Variable("B"), Variable("C")
FO = Variable("F", first_order=True)
NUMBER = Real("fraction")
UP_TO_OBSERVATION = frozenset({"AdditiveMap"})


def pair(a: Object, b: Object) -> Product:
    """The binary product.

    >>> print(pair(T, S))
    (T, S)
    """
    return Product((a, b))


def then(f: Arrow, g: Arrow) -> Arrow:
    """The composite exactly as written: neither flattened nor freed of identities, as the category laws need it."""
    return Chain((f, g))


# -- category ----------------------------------------------------------------------------------------------------

ID_LEFT = Law("id-left", "id ; f = f", (("f", X, A),), lambda f: (then(Id(f.dom), f), f))
ID_RIGHT = Law("id-right", "f ; id = f", (("f", X, A),), lambda f: (then(f, Id(f.cod)), f))
ASSOCIATIVITY = Law(
    "associativity", "(f ; g) ; h = f ; (g ; h)", (("f", X, A), ("g", A, B), ("h", B, C)),
    lambda f, g, h: (then(then(f, g), h), then(f, then(g, h))),
)

# -- terminal ----------------------------------------------------------------------------------------------------

TERMINAL_NATURAL = Law(
    "terminal-natural", "f ; terminal = terminal", (("f", X, A),),
    lambda f: (compose(f, Terminal(f.cod)), Terminal(f.dom)),
)
TERMINAL_UNIQUE = Law("terminal-unique", "f = terminal", (("f", X, UNIT),), lambda f: (f, Terminal(f.dom)))
TERMINAL_OF_UNIT = Law(
    "terminal-of-unit", "terminal ; f = terminal ; f", (("f", UNIT, A), ("g", X, UNIT)),
    lambda f, g: (compose(g, f), compose(Terminal(g.dom), f)),
)
CONST_NATURAL = Law(
    "const-natural", "f ; const c = const c", (("f", X, A),),
    lambda f, c: (compose(f, Const(f.cod, c.value, c.cod)), Const(f.dom, c.value, c.cod)), constants=(("c", FO),),
)

# -- products ----------------------------------------------------------------------------------------------------

_FORK = (("f", X, A), ("g", X, B))
PROD_LEFT = Law(
    "prod-left", "prod(f, g) ; proj_left = f", _FORK,
    lambda f, g: (compose(Prod((f, g)), Proj(pair(f.cod, g.cod), 0)), f),
)
PROD_RIGHT = Law(
    "prod-right", "prod(f, g) ; proj_right = g", _FORK,
    lambda f, g: (compose(Prod((f, g)), Proj(pair(f.cod, g.cod), 1)), g),
)
PROD_MIDDLE = Law(
    "prod-middle", "prod(f, g, h) ; proj 1 = g", (*_FORK, ("h", X, C)),
    lambda f, g, h: (compose(Prod((f, g, h)), Proj(Product((f.cod, g.cod, h.cod)), 1)), g),
)
PROD_ETA = Law(
    "prod-eta", "prod(h ; proj_left, h ; proj_right) = h", (("h", X, pair(A, B)),),
    lambda h: (Prod((compose(h, proj_left(h.cod)), compose(h, proj_right(h.cod)))), h),
)
PROD_ID = Law(
    "prod-id", "prod(proj_left, proj_right) ; f = f", (("f", pair(A, B), C),),
    lambda f: (compose(Prod((proj_left(f.dom), proj_right(f.dom))), f), f),
)
FUSION = Law(
    "prod-fusion", "h ; prod(f, g) = prod(h ; f, h ; g)", (("h", X, A), ("f", A, B), ("g", A, C)),
    lambda h, f, g: (compose(h, Prod((f, g))), Prod((compose(h, f), compose(h, g)))),
)
SWAP = Law(
    "prod-swap", "prod(f, g) ; swap = prod(g, f)", _FORK,
    lambda f, g: (compose(Prod((f, g)), swap(pair(f.cod, g.cod))), Prod((g, f))),
)
SHARING = Law(
    "sharing", "prod(f, f) ; h = f ; prod(id, id) ; h", (("f", X, A), ("h", pair(A, A), B)),
    lambda f, h: (compose(Prod((f, f)), h), compose(f, Prod((Id(f.cod), Id(f.cod))), h)),
)
CROSS = Law(
    "cross-compose", "cross(f, g) ; cross(h, k) = cross(f ; h, g ; k)",
    (("f", X, A), ("g", T, B), ("h", A, C), ("k", B, S)),
    lambda f, g, h, k: (compose(cross(f, g), cross(h, k)), cross(compose(f, h), compose(g, k))),
)

# -- functions ---------------------------------------------------------------------------------------------------

CURRY_BETA = Law(
    "curry-beta", "cross(curry f, id) ; eval = f", (("f", pair(T, S), R),), lambda f: (uncurry(Curry(f)), f)
)
CURRY_ETA = Law(
    "curry-eta", "curry(cross(h, id) ; eval) = h", (("h", T, Exponential(S, R)),),
    lambda h: (Curry(uncurry(h)), h), UP_TO_OBSERVATION,
)
CURRY_NATURAL = Law(
    "curry-natural", "curry(cross(g, id) ; f) = g ; curry f", (("g", X, T), ("f", pair(T, S), R)),
    lambda g, f: (Curry(compose(cross(g, Id(f.dom.parts[1])), f)), compose(g, Curry(f))), UP_TO_OBSERVATION,
)
CURRY_EVAL = Law(
    "curry-eval", "h ; curry eval = h", (("h", T, Exponential(S, R)),),
    lambda h: (compose(h, Curry(Eval(h.cod))), h), frozenset({"AdditiveMap", "Delta"}),
)
PARTIAL_APPLICATION = Law(
    "partial-application", "prod(a ; curry f, b) ; eval = prod(a, b) ; f",
    (("f", pair(T, S), R), ("a", X, T), ("b", X, S)),
    lambda f, a, b: (
        compose(Prod((compose(a, Curry(f)), b)), Eval(Exponential(f.dom.parts[1], f.cod))), compose(Prod((a, b)), f)
    ),
)
EXPANDED_APPLICATION = Law(
    "expanded-application", "prod(curry(cross(a, id) ; f), b) ; eval = prod(a, b) ; f",
    (("f", pair(T, S), R), ("a", X, T), ("b", X, S)),
    lambda f, a, b: (
        compose(
            Prod((Curry(compose(cross(a, Id(b.cod)), f)), b)), Eval(Exponential(b.cod, f.cod))
        ),
        compose(Prod((a, b)), f),
    ),
)
PAPPLY = Law(
    "papply", "cross(papply f, id) ; eval = swap ; f", (("f", pair(T, S), R),),
    lambda f: (uncurry(papply(f)), compose(swap(pair(*reversed(f.dom.parts))), f)),
)
PAPPLY_FIRST_CLASS = Law(
    "papply-first-class", "prod(prod(h, s) ; papply, t) ; eval = prod(h, prod(t, s)) ; eval",
    (("h", X, Exponential(pair(T, S), R)), ("s", X, S), ("t", X, T)),
    lambda h, s, t: (
        compose(Prod((compose(Prod((h, s)), papply_first_class(h.cod)), t)), Eval(Exponential(t.cod, h.cod.cod))),
        compose(Prod((h, Prod((t, s)))), Eval(h.cod)),
    ),
)
NAME = Law(
    "name", "prod(terminal ; name f, g) ; eval = g ; f", (("f", S, R), ("g", X, S)),
    lambda f, g: (
        compose(Prod((compose(Terminal(g.dom), name(f)), g)), Eval(Exponential(f.dom, f.cod))), compose(g, f)
    ),
)
UNUSED_CLOSURE = Law(
    "unused-closure", "prod(curry f, id) ; proj_right = id", (("f", pair(T, S), R),),
    lambda f: (
        compose(Prod((Curry(f), Id(f.dom.parts[0]))), proj_right(pair(Curry(f).cod, f.dom.parts[0]))),
        Id(f.dom.parts[0]),
    ),
)
FORGOTTEN_CLOSURE = Law(
    "forgotten-closure", "curry f ; terminal = terminal", (("f", pair(T, S), R),),
    lambda f: (compose(Curry(f), Terminal(Curry(f).cod)), Terminal(f.dom.parts[0])),
)

# -- control -----------------------------------------------------------------------------------------------------

_BRANCHES = (("p", X, BOOL), ("f", X, A), ("g", X, A))
COND_FUSION = Law(
    "cond-before", "h ; cond(p, f, g) = cond(h ; p, h ; f, h ; g)",
    (("h", T, X), *_BRANCHES),
    lambda h, p, f, g: (compose(h, Cond(p, f, g)), Cond(compose(h, p), compose(h, f), compose(h, g))),
)
COND_AFTER = Law(
    "cond-after", "cond(p, f, g) ; h = cond(p, f ; h, g ; h)", (*_BRANCHES, ("h", A, B)),
    lambda p, f, g, h: (compose(Cond(p, f, g), h), Cond(p, compose(f, h), compose(g, h))),
)
COND_SAME = Law(
    "cond-same", "cond(p, f, f) = f", (("p", X, BOOL), ("f", X, A)), lambda p, f: (Cond(p, f, f), f)
)
COND_TRUE = Law(
    "cond-true", "cond(true, f, g) = f", (("f", X, A), ("g", X, A)),
    lambda f, g: (Cond(Const(f.dom, True, BOOL), f, g), f),
)
COND_FALSE = Law(
    "cond-false", "cond(false, f, g) = g", (("f", X, A), ("g", X, A)),
    lambda f, g: (Cond(Const(f.dom, False, BOOL), f, g), g),
)

_LOOP = Product((X, NUMBER, Product((NUMBER,))))  # (G, S, (E,)) of a loop over numbers


def _lists(*elements: Arrow) -> Arrow:
    """The one-component product of the list of these numbers."""
    return Prod((compose(Prod(elements), primitive(listing, *[e.cod for e in elements])),))


def _over(f: Arrow, *elements: Arrow) -> Arrow:
    """`(g, s) |-> fold f (g, s, ([e, ...],))` with the elements computed from (g, s)."""
    dom = elements[0].dom if elements else pair(proj(f.dom, 0).cod, proj(f.dom, 1).cod)
    numbers = _lists(*elements) if elements else Prod((Const(dom, [], List(NUMBER)),))
    return compose(Prod((proj_left(dom), proj_right(dom), numbers)), fold(f))


def _step(f: Arrow, element: Arrow, state: Arrow) -> Arrow:
    """`(g, s) |-> f (g, state, (e,))`."""
    return compose(Prod((proj_left(state.dom), state, Prod((element,)))), f)


FOLD_NIL = Law("fold-nil", "fold f (g, s, []) = s", (("f", _LOOP, NUMBER),), lambda f: (
    _over(f), proj_right(pair(f.dom.parts[0], NUMBER))))
FOLD_CONS = Law(
    "fold-cons", "fold f (g, s, [a, b]) = f (g, f (g, s, a), b)",
    (("f", _LOOP, NUMBER), ("a", pair(X, NUMBER), NUMBER), ("b", pair(X, NUMBER), NUMBER)),
    lambda f, a, b: (_over(f, a, b), _step(f, b, _step(f, a, proj_right(a.dom)))),
)
FOLD_REVERSE = Law(
    "fold-reverse", "fold_reverse f (g, s, [a, b]) = fold f (g, s, [b, a])",
    (("f", _LOOP, NUMBER), ("a", pair(X, NUMBER), NUMBER), ("b", pair(X, NUMBER), NUMBER)),
    lambda f, a, b: (
        compose(Prod((proj_left(a.dom), proj_right(a.dom), _lists(a, b))), fold(f, reverse=True)), _over(f, b, a)
    ),
)


def _scan_outputs(f: Arrow, a: Arrow, b: Arrow) -> Sides:
    """Both outputs of a scan over [a, b], and the list of them computed step by step."""
    first = _step(f, a, proj_right(a.dom))
    second = _step(f, b, compose(first, proj(f.cod, 0)))
    ys = [compose(step, proj(f.cod, 1), proj(proj(f.cod, 1).cod, 0)) for step in (first, second)]
    by_hand = Prod((compose(second, proj(f.cod, 0)), _lists(*ys)))
    return compose(Prod((proj_left(a.dom), proj_right(a.dom), _lists(a, b))), Scan(f)), by_hand


SCAN_UNROLL = Law(
    "scan-unroll", "scan f (g, s, [a, b]) = (s2, [y1, y2])  where (s1, y1) = f (g, s, a), (s2, y2) = f (g, s1, b)",
    (("f", _LOOP, pair(NUMBER, Product((NUMBER,)))), ("a", pair(X, NUMBER), NUMBER), ("b", pair(X, NUMBER), NUMBER)),
    _scan_outputs,
)

FUEL = Product((BOOL, BOOL, BOOL))  # what a loop or a recursion that ends burns: it goes on while the first is true
_FUELLED = pair(FUEL, NUMBER)


def goes_on(fuel: Arrow) -> Arrow:
    """The test that there is fuel left."""
    return compose(fuel, Proj(FUEL, 0))


def burnt(fuel: Arrow) -> Arrow:
    """The fuel left after a step."""
    return Prod((compose(fuel, Proj(FUEL, 1)), compose(fuel, Proj(FUEL, 2)), Const(fuel.dom, False, BOOL)))


def _fuel_of(dom: Object) -> Arrow:
    """The fuel in `(g, (fuel, s))`."""
    return compose(proj_right(dom), proj_left(_FUELLED))


def _burning(f: Arrow) -> Arrow:
    """The body `(g, (fuel, s)) |-> (less fuel, f (g, (fuel, s)))` of a loop that ends."""
    return Prod((burnt(_fuel_of(f.dom)), f))


ITERATE_UNROLL = Law(
    "iterate-unroll", "iterate(p, f) = cond(p, prod(proj_left, f) ; iterate(p, f), proj_right)",
    (("f", pair(X, _FUELLED), NUMBER),),
    lambda f: (
        Iterate(goes_on(_fuel_of(f.dom)), _burning(f)),
        Cond(
            goes_on(_fuel_of(f.dom)),
            compose(Prod((proj_left(f.dom), _burning(f))), Iterate(goes_on(_fuel_of(f.dom)), _burning(f))),
            proj_right(f.dom),
        ),
    ),
)
POWER = Law(
    "power", "power(f, 3) = f ; power(f, 2)", (("f", X, X),), lambda f: (power(f, 3), then(f, power(f, 2)))
)


def recursive_body(base: Arrow, step: Arrow) -> Arrow:
    """A recursion that ends: `((t, self), s) |-> step ((t, s), self s') if s has fuel else base (t, s)`, where `s'` is
    `s` with less fuel."""
    t, s = proj_left(base.dom).cod, proj_right(base.dom).cod
    function = Exponential(s, base.cod)
    context = pair(pair(t, function), s)
    captured, argument = proj_left(context), proj_right(context)
    here = Prod((compose(captured, proj_left(pair(t, function))), argument))
    later = Prod((burnt(_fuel_of(context)), compose(argument, proj_right(s))))
    again = compose(Prod((compose(captured, proj_right(pair(t, function))), later)), Eval(function))
    return Cond(goes_on(_fuel_of(context)), compose(Prod((here, again)), step), compose(here, base))


def _unrolled(body: Arrow) -> Sides:
    recursive = Fix(body)
    return recursive, compose(Prod((Id(recursive.dom), recursive)), Curry(body))


FIX_UNROLL = Law(
    "fix-unroll", "fix f = prod(id, fix f) ; curry f",
    (("base", pair(T, _FUELLED), R), ("step", pair(pair(T, _FUELLED), R), R)),
    lambda base, step: _unrolled(recursive_body(base, step)),
    UP_TO_OBSERVATION,
)

THEORY: tuple[Law, ...] = (
    ID_LEFT, ID_RIGHT, ASSOCIATIVITY,
    TERMINAL_NATURAL, TERMINAL_UNIQUE, TERMINAL_OF_UNIT, CONST_NATURAL,
    PROD_LEFT, PROD_RIGHT, PROD_MIDDLE, PROD_ETA, PROD_ID, FUSION, SWAP, SHARING, CROSS,
    CURRY_BETA, CURRY_ETA, CURRY_NATURAL, CURRY_EVAL, PARTIAL_APPLICATION, EXPANDED_APPLICATION, PAPPLY,
    PAPPLY_FIRST_CLASS, NAME, UNUSED_CLOSURE, FORGOTTEN_CLOSURE,
    COND_FUSION, COND_AFTER, COND_SAME, COND_TRUE, COND_FALSE,
    FOLD_NIL, FOLD_CONS, FOLD_REVERSE, SCAN_UNROLL, ITERATE_UNROLL, POWER, FIX_UNROLL,
)
