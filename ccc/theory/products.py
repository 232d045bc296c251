"""The laws of composition, of the terminal object and of products.

    id ; f = f        f ; terminal = terminal        prod(f, g) ; proj_left = f
                                                     prod(h ; proj_left, h ; proj_right) = h

>>> print(FUSION)
prod-fusion: h ; prod(f, g) = prod(h ; f, h ; g)

References: *The Differentiable Curry* ("CCC theorems (back in lambda-calculus speak)": forgetting, summing).
"""

from __future__ import annotations

from ccc.arrows import Arrow, Const, Id, Prod, Proj, Terminal, compose
from ccc.combinators import cross, primitive, proj_left, proj_right, swap
from ccc.objects import UNIT, Object, Product
from ccc.primitives.arithmetic import add
from ccc.theory.law import FO, NUMBER, A, B, C, Law, S, T, X, pair, then

ID_LEFT = Law("id-left", "id ; f = f", (("f", X, A),), lambda f: (then(Id(f.dom), f), f))
ID_RIGHT = Law("id-right", "f ; id = f", (("f", X, A),), lambda f: (then(f, Id(f.cod)), f))
ASSOCIATIVITY = Law(
    "associativity", "(f ; g) ; h = f ; (g ; h)", (("f", X, A), ("g", A, B), ("h", B, C)),
    lambda f, g, h: (then(then(f, g), h), then(f, then(g, h))),
)

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


def associate(a: Object, b: Object, c: Object) -> Arrow:
    """`((A, B), C) => (A, (B, C))`.

    >>> print(associate(A, B, C).cod)
    (A, (B, C))
    """
    whole = pair(pair(a, b), c)
    left = proj_left(whole)
    return Prod((compose(left, proj_left(left.cod)), Prod((compose(left, proj_right(left.cod)), proj_right(whole)))))


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
PROD_ASSOCIATIVE = Law(
    "prod-associative", "prod(prod(f, g), h) ; associate = prod(f, prod(g, h))", (*_FORK, ("h", X, C)),
    lambda f, g, h: (compose(Prod((Prod((f, g)), h)), associate(f.cod, g.cod, h.cod)), Prod((f, Prod((g, h))))),
)
FORGETTING = Law(
    "forgetting", "prod(id, g) ; proj_left ; f = f", _FORK,
    lambda f, g: (compose(Prod((Id(f.dom), g)), Proj(pair(f.dom, g.cod), 0), f), f),
)
SUMMING = Law(
    "summing", "prod(f, f) ; add = f ; prod(id, id) ; add", (("f", X, NUMBER),),
    lambda f: (
        compose(Prod((f, f)), primitive(add, NUMBER, NUMBER)),
        compose(f, Prod((Id(NUMBER), Id(NUMBER))), primitive(add, NUMBER, NUMBER)),
    ),
)

CATEGORY = (ID_LEFT, ID_RIGHT, ASSOCIATIVITY)
TERMINAL = (TERMINAL_NATURAL, TERMINAL_UNIQUE, TERMINAL_OF_UNIT, CONST_NATURAL)
PRODUCTS = (
    PROD_LEFT, PROD_RIGHT, PROD_MIDDLE, PROD_ETA, PROD_ID, FUSION, SWAP, PROD_ASSOCIATIVE, CROSS, SHARING, FORGETTING,
    SUMMING,
)
