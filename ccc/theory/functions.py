"""The laws of exponentials: `curry` and `eval` are inverse to each other, and what follows for partial application.

    cross(curry f, id) ; eval = f        curry(cross(h, id) ; eval) = h        curry(cross(g, id) ; f) = g ; curry f

Under `Delta` the second and the third hold up to ≅ only: the two sides capture different environments.

>>> sorted(CURRY_ETA.strict), sorted(CURRY_BETA.strict)
(['AdditiveMap'], ['AdditiveMap', 'AnyDerivative', 'Delta'])

References: *The Differentiable Curry* ("Results (I)": "Thm: we get a CCC", "CCC theorems (back in lambda-calculus
speak)", "Results (II)": "we get a weak CCC. Open: do we get a strong CCC?").
"""

from __future__ import annotations

from ccc.arrows import Curry, Eval, Id, Prod, Terminal, compose
from ccc.combinators import cross, name, papply, papply_first_class, proj_left, proj_right, swap, uncurry
from ccc.objects import Exponential
from ccc.theory.law import UP_TO_OBSERVATION, Law, R, S, T, U, X, pair

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
LET = Law(
    "let", "prod(id, e) ; f = prod(curry f, e) ; eval", (("f", pair(T, S), R), ("e", T, S)),
    lambda f, e: (
        compose(Prod((Id(e.dom), e)), f), compose(Prod((Curry(f), e)), Eval(Exponential(e.cod, f.cod)))
    ),
)
TRIMMING = Law(
    "trimming", "curry(cross(proj_left, id) ; f) = proj_left ; curry f", (("f", pair(T, S), R), ("g", T, U)),
    lambda f, g: (
        Curry(compose(cross(proj_left(pair(g.dom, g.cod)), Id(f.dom.parts[1])), f)),
        compose(proj_left(pair(g.dom, g.cod)), Curry(f)),
    ), UP_TO_OBSERVATION,
)

FUNCTIONS = (
    CURRY_BETA, CURRY_ETA, CURRY_NATURAL, CURRY_EVAL, LET, TRIMMING, PARTIAL_APPLICATION, EXPANDED_APPLICATION, PAPPLY,
    PAPPLY_FIRST_CLASS, NAME, UNUSED_CLOSURE, FORGOTTEN_CLOSURE,
)
