"""The laws of control: branches commute with what comes before and after them, loops and recursion unroll.

    cond(p, f, g) ; h = cond(p, f ; h, g ; h)        fold f (g, s, [a, b]) = f (g, f (g, s, a), b)
    fix f = prod(id, fix f) ; curry f
    iterate(p, f) = cond(p, prod(proj_left, f) ; iterate(p, f), proj_right)

Loops over numbers stand for all loops. A loop or a recursion of a law burns fuel, so that it ends.

>>> print(FIX_UNROLL)
fix-unroll: fix f = prod(id, fix f) ; curry f
"""

from __future__ import annotations

from ccc.arrows import Arrow, Cond, Const, Curry, Eval, Fix, Id, Iterate, Prod, Proj, Scan, Unfold, compose
from ccc.combinators import cross, fold, power, primitive, proj, proj_left, proj_right, uncurry
from ccc.objects import BOOL, Exponential, List, Object, Product
from ccc.primitives.arithmetic import logical_not
from ccc.primitives.structure import listing
from ccc.theory.law import NUMBER, UP_TO_OBSERVATION, A, B, Law, R, S, Sides, T, X, pair, then

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

COND_NESTED = Law(
    "cond-nested", "cond(p, cond(p, f, g), h) = cond(p, f, h)", (*_BRANCHES, ("h", X, A)),
    lambda p, f, g, h: (Cond(p, Cond(p, f, g), h), Cond(p, f, h)),
)
COND_NOT = Law(
    "cond-not", "cond(p ; not, f, g) = cond(p, g, f)", _BRANCHES,
    lambda p, f, g: (Cond(compose(p, primitive(logical_not, BOOL)), f, g), Cond(p, g, f)),
)
COND_PROD = Law(
    "cond-prod", "prod(cond(p, f, g), cond(p, h, k)) = cond(p, prod(f, h), prod(g, k))",
    (*_BRANCHES, ("h", X, B), ("k", X, B)),
    lambda p, f, g, h, k: (Prod((Cond(p, f, g), Cond(p, h, k))), Cond(p, Prod((f, h)), Prod((g, k)))),
)
COND_CURRY = Law(
    "cond-curry", "curry(cond(proj_left ; p, f, g)) = cond(p, curry f, curry g)",
    (("p", T, BOOL), ("f", pair(T, S), R), ("g", pair(T, S), R)),
    lambda p, f, g: (Curry(Cond(compose(proj_left(f.dom), p), f, g)), Cond(p, Curry(f), Curry(g))),
    frozenset({"AdditiveMap", "Delta"}),
)

_LOOP = Product((X, NUMBER, Product((NUMBER,))))  # (G, S, (E,)) of a loop over numbers


def _lists(*elements: Arrow) -> Arrow:
    """The one-component product of the list of these numbers."""
    first, *others = elements
    return Prod((compose(Prod(elements) if others else first, primitive(listing, *[e.cod for e in elements])),))


def _over(f: Arrow, *elements: Arrow) -> Arrow:
    """`(g, s) |-> fold f (g, s, ([e, ...],))` with the elements computed from (g, s)."""
    dom = elements[0].dom if elements else pair(proj(f.dom, 0).cod, proj(f.dom, 1).cod)
    numbers = _lists(*elements) if elements else Prod((Const(dom, [], List(NUMBER)),))
    return compose(Prod((proj_left(dom), proj_right(dom), numbers)), fold(f))


def _before(h: Arrow, item: Object) -> Arrow:
    """`(t, s, (x,)) |-> (h t, s, (x,))`."""
    dom = Product((h.dom, NUMBER, Product((item,))))
    return Prod((compose(Proj(dom, 0), h), Proj(dom, 1), Proj(dom, 2)))


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
FOLD_APPEND = Law(
    "fold-append", "fold f (g, s, [a, b]) = fold f (g, fold f (g, s, [a]), [b])",
    (("f", _LOOP, NUMBER), ("a", pair(X, NUMBER), NUMBER), ("b", pair(X, NUMBER), NUMBER)),
    lambda f, a, b: (
        _over(f, a, b), compose(Prod((proj_left(a.dom), _over(f, a), _lists(b))), fold(f)),
    ),
)
FOLD_NATURAL = Law(
    "fold-natural", "cross(h, id, id) ; fold f = fold (cross(h, id, id) ; f)",
    (("h", T, X), ("f", _LOOP, NUMBER)),
    lambda h, f: (
        compose(_before(h, List(NUMBER)), fold(f)), fold(compose(_before(h, NUMBER), f)),
    ),
)
FOLD_REVERSE = Law(
    "fold-reverse", "fold_reverse f (g, s, [a, b]) = fold f (g, s, [b, a])",
    (("f", _LOOP, NUMBER), ("a", pair(X, NUMBER), NUMBER), ("b", pair(X, NUMBER), NUMBER)),
    lambda f, a, b: (
        compose(Prod((proj_left(a.dom), proj_right(a.dom), _lists(a, b))), fold(f, reverse=True)), _over(f, b, a)
    ),
)


def _scan_outputs(f: Arrow, a: Arrow, b: Arrow, reverse: bool = False) -> Sides:
    """Both outputs of a scan over [a, b], and the list of them computed step by step."""
    first = _step(f, b if reverse else a, proj_right(a.dom))
    second = _step(f, a if reverse else b, compose(first, proj(f.cod, 0)))
    steps = (second, first) if reverse else (first, second)
    ys = [compose(step, proj(f.cod, 1), proj(proj(f.cod, 1).cod, 0)) for step in steps]
    by_hand = Prod((compose(second, proj(f.cod, 0)), _lists(*ys)))
    return compose(Prod((proj_left(a.dom), proj_right(a.dom), _lists(a, b))), Scan(f, reverse)), by_hand


SCAN_UNROLL = Law(
    "scan-unroll", "scan f (g, s, [a, b]) = (s2, [y1, y2])  where (s1, y1) = f (g, s, a), (s2, y2) = f (g, s1, b)",
    (("f", _LOOP, pair(NUMBER, Product((NUMBER,)))), ("a", pair(X, NUMBER), NUMBER), ("b", pair(X, NUMBER), NUMBER)),
    _scan_outputs,
)

SCAN_REVERSE = Law(
    "scan-reverse",
    "scan_reverse f (g, s, [a, b]) = (s2, [y2, y1])  where (s1, y1) = f (g, s, b), (s2, y2) = f (g, s1, a)",
    (("f", _LOOP, pair(NUMBER, Product((NUMBER,)))), ("a", pair(X, NUMBER), NUMBER), ("b", pair(X, NUMBER), NUMBER)),
    lambda f, a, b: _scan_outputs(f, a, b, reverse=True),
)
SCAN_FOLD = Law(
    "scan-fold", "scan f ; proj_left = fold (f ; proj_left)", (("f", _LOOP, pair(NUMBER, Product((NUMBER,)))),),
    lambda f: (compose(Scan(f), proj(Scan(f).cod, 0)), fold(compose(f, proj(f.cod, 0)))),
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
ITERATE_NONE = Law(
    "iterate-none", "iterate(false, f) = proj_right", (("f", pair(X, A), A),),
    lambda f: (Iterate(Const(f.dom, False, BOOL), f), proj_right(f.dom)),
)


def _unfold(f: Arrow, y: Arrow) -> Arrow:
    """The loop that burns fuel, from the step `f` and the output `y`, both `(g, (fuel, s)) => R`."""
    return Unfold(goes_on(_fuel_of(f.dom)), Prod((_burning(f), Prod((y,)))))


def _unfold_twice(f: Arrow, y: Arrow) -> Sides:
    """Two rounds from `(g, s)`, and their outputs computed one by one."""
    dom = pair(proj_left(f.dom).cod, NUMBER)

    def at(state: Arrow, *fuel: bool) -> Arrow:
        return Prod((proj_left(dom), Prod((Const(dom, fuel, FUEL), state))))

    start = at(proj_right(dom), True, True, False)
    middle = at(compose(start, f), True, False, False)
    by_hand = Prod((compose(middle, f), _lists(compose(start, y), compose(middle, y))))
    made = compose(start, _unfold(f, y))
    return Prod((compose(made, proj(made.cod, 0), proj_right(_FUELLED)), compose(made, proj(made.cod, 1)))), by_hand


UNFOLD_UNROLL = Law(
    "unfold-unroll", "unfold(p, prod(f, y)) twice round = (f ; f, [y, f ; y])",
    (("f", pair(X, _FUELLED), NUMBER), ("y", pair(X, _FUELLED), NUMBER)), _unfold_twice,
)
UNFOLD_ITERATE = Law(
    "unfold-iterate", "unfold(p, prod(f, y)) ; proj_left = iterate(p, f)",
    (("f", pair(X, _FUELLED), NUMBER), ("y", pair(X, _FUELLED), NUMBER)),
    lambda f, y: (
        compose(_unfold(f, y), proj(_unfold(f, y).cod, 0)), Iterate(goes_on(_fuel_of(f.dom)), _burning(f)),
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
FIX_NATURAL = Law(
    "fix-natural", "g ; fix f = fix(cross(cross(g, id), id) ; f)",
    (("g", X, T), ("base", pair(T, _FUELLED), R), ("step", pair(pair(T, _FUELLED), R), R)),
    lambda g, base, step: _fix_after(g, recursive_body(base, step)),
    UP_TO_OBSERVATION,
)
FIX_APPLIED = Law(
    "fix-applied", "cross(fix f, id) ; eval = prod(prod(proj_left, proj_left ; fix f), proj_right) ; f",
    (("base", pair(T, _FUELLED), R), ("step", pair(pair(T, _FUELLED), R), R)),
    lambda base, step: _fix_applied(recursive_body(base, step)),
)


def _fix_after(g: Arrow, body: Arrow) -> Sides:
    recursive = Fix(body)
    before = cross(cross(g, Id(recursive.cod)), Id(recursive.cod.dom))
    return compose(g, recursive), Fix(compose(before, body))


def _fix_applied(body: Arrow) -> Sides:
    recursive = Fix(body)
    dom = pair(recursive.dom, recursive.cod.dom)
    here = Prod((proj_left(dom), compose(proj_left(dom), recursive)))
    return uncurry(recursive), compose(Prod((here, proj_right(dom))), body)


BRANCHES = (
    COND_FUSION, COND_AFTER, COND_SAME, COND_TRUE, COND_FALSE, COND_NESTED, COND_NOT, COND_PROD, COND_CURRY,
)
LOOPS = (
    FOLD_NIL, FOLD_CONS, FOLD_APPEND, FOLD_REVERSE, FOLD_NATURAL, SCAN_UNROLL, SCAN_REVERSE, SCAN_FOLD, ITERATE_UNROLL,
    ITERATE_NONE, UNFOLD_UNROLL, UNFOLD_ITERATE, POWER,
)
RECURSION = (FIX_UNROLL, FIX_APPLIED, FIX_NATURAL)
