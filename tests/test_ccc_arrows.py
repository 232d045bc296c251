"""Arrow terms: typed on construction, values, shared, and traversed without recursion."""

from typing import Any

import pytest

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
    Label,
    Prim,
    Prod,
    Proj,
    Scan,
    Terminal,
    compose,
    postorder,
)
from ccc.categories.functions import Functions
from ccc.denotation import functor
from ccc.errors import BoundaryMismatch
from ccc.objects import BOOL, INT, REAL, UNIT, Exponential, List, Object, Product
from ccc.primitives.arithmetic import mul, neg

PAIR, FUNCTION = Product((REAL, REAL)), Exponential(REAL, REAL)
MUL, NEG = Prim(mul, PAIR, REAL), Prim(neg, REAL, REAL)
TRUE = Const(PAIR, True, BOOL)
FOLD_BODY = Product((UNIT, REAL, Product((REAL,))))
REC = Product((Product((UNIT, FUNCTION)), REAL))


@pytest.mark.parametrize(("arrow", "dom", "cod"), [
    (Id(PAIR), PAIR, PAIR),
    (Terminal(PAIR), PAIR, UNIT),
    (Prod((NEG, Id(REAL), Terminal(REAL))), REAL, Product((REAL, REAL, UNIT))),
    (Proj(PAIR, 1), PAIR, REAL),
    (MUL >> NEG, PAIR, REAL),
    (Curry(MUL), REAL, FUNCTION),
    (Eval(FUNCTION), Product((FUNCTION, REAL)), REAL),
    (Cond(TRUE, MUL, Proj(PAIR, 0)), PAIR, REAL),
    (Iterate(TRUE, MUL), PAIR, REAL),
    (Scan(Prod((Proj(FOLD_BODY, 1), Proj(FOLD_BODY, 2)))), Product((UNIT, REAL, Product((List(REAL),)))),
     Product((REAL, Product((List(REAL),))))),
    (Fix(Proj(REC, 1)), UNIT, FUNCTION),
])
def test_boundaries_are_computed(arrow: Arrow, dom: Object, cod: Object) -> None:
    assert (arrow.dom, arrow.cod) == (dom, cod)


@pytest.mark.parametrize(("build", "message"), [
    (lambda: NEG >> MUL, "arrows do not compose: R => R, then (R, R) => R"),
    (lambda: Chain((NEG, MUL)), "arrows do not compose: R => R, then (R, R) => R"),
    (lambda: Prod((NEG, MUL)), "prod needs one domain: found R and (R, R)"),
    (lambda: Proj(PAIR, 2), "projection 2 needs a product that long: found (R, R)"),
    (lambda: Proj(PAIR, -1), "projection -1 needs a product that long: found (R, R)"),
    (lambda: Curry(NEG), "curry needs an arrow from a pair: found R => R"),
    (lambda: Cond(TRUE, MUL, NEG), "the branches of cond need the domain of its test: found R, wanted (R, R)"),
    (lambda: Cond(TRUE, MUL, Id(PAIR)), "the branches of cond need one codomain: found (R, R), wanted R"),
    (lambda: Cond(MUL, MUL, MUL), "the test of cond must give bool: found R"),
    (lambda: Iterate(TRUE, NEG), "iterate needs a body (G, S) => S: found R => R"),
    (lambda: Iterate(TRUE, Id(PAIR)), "iterate must give back the state it takes: found (R, R), wanted R"),
    (lambda: Iterate(MUL, MUL), "the test of iterate must give bool: found R"),
    (lambda: Iterate(Const(REAL, True, BOOL), MUL), "the test of iterate needs the domain of its body: found R, "
     "wanted (R, R)"),
    (lambda: Scan(MUL), "scan needs a body (G, S, (E, ...)) => (S, (Y, ...)): found (R, R) => R"),
    (lambda: Scan(Prod((Proj(FOLD_BODY, 0), Proj(FOLD_BODY, 2)))), "scan must give back the state it takes: "
     "found 1, wanted R"),
    (lambda: Fix(MUL), "fix needs a body ((T, (S => R)), S) => R: found (R, R) => R"),
    (lambda: Fix(Terminal(REC)), "fix needs the function it defines in its context: found R => R, wanted R => 1"),
    (lambda: compose(), "compose needs at least one arrow; the identity on A is Id(A)"),
])
def test_misfits_are_refused_with_both_boundaries(build: Any, message: str) -> None:
    with pytest.raises(BoundaryMismatch) as error:
        build()
    (found,) = error.value.diagnostics
    assert found.message == message and found.code == "CC051" and found.help
    assert found.span is not None and found.span.file == __file__


def test_composites_are_flat_and_identities_vanish() -> None:
    left, right = (NEG >> NEG) >> NEG, NEG >> (NEG >> NEG)
    assert left == right == Chain((NEG, NEG, NEG))
    assert Id(REAL) >> NEG == NEG >> Id(REAL) == NEG
    assert compose(Id(REAL), Id(REAL)) == Id(REAL)


def test_terms_are_values_and_labels_do_not_count() -> None:
    assert Curry(MUL) == Curry(Prim(mul, PAIR, REAL, label=Label("r1")), Label("f"))
    assert len({Curry(MUL), Curry(MUL), NEG}) == 2
    with pytest.raises(AttributeError):
        NEG.dom = INT  # type: ignore[misc]


def test_postorder_gives_children_first_and_shared_nodes_once() -> None:
    f = Prod((NEG, NEG)) >> MUL
    nodes = list(postorder(f))
    assert nodes[-1] is f
    assert sum(node is NEG for node in nodes) == 1


def test_sharing_in_a_term_is_sharing_in_its_image() -> None:
    made: list[Any] = []

    class Counting(Functions):
        def primitive(self, term: Prim) -> Any:
            made.append(term)
            return super().primitive(term)

    f: Arrow = NEG
    for _ in range(40):
        f = Prod((f, f)) >> MUL
    functor(Counting(), f)
    assert made.count(NEG) == 1


def test_traversals_do_not_recurse() -> None:
    f: Arrow = NEG
    for _ in range(20_000):
        f = Prod((f, Id(REAL))) >> MUL
    assert sum(1 for _ in postorder(f)) > 40_000
    functor(Functions(), f)
    assert repr(f).startswith("let\n")
    del f


def nested_conditionals(depth: int, last: float) -> Arrow:
    """Conditionals in each other's arms, with a shared test."""
    test, x = Const(REAL, True, BOOL), Id(REAL)
    term: Arrow = Const(REAL, last, REAL)
    for _ in range(depth):
        term = Cond(test, x, term)
    return term


def test_deeply_nested_terms_are_compared():
    deep = nested_conditionals(100_000, 1.0)
    assert deep == nested_conditionals(100_000, 1.0)
    assert hash(deep) == hash(nested_conditionals(100_000, 1.0))
    assert deep != nested_conditionals(100_000, 2.0)
    assert deep != nested_conditionals(99_999, 1.0)


def test_what_terms_share_is_compared_once():
    def doubled(depth: int) -> Arrow:
        term: Arrow = Const(REAL, True, BOOL)
        for _ in range(depth):
            term = Cond(term, term, term)
        return term

    assert doubled(200) == doubled(200)
    assert len({doubled(200), doubled(200), doubled(199)}) == 2


def test_labels_do_not_tell_terms_apart():
    assert Const(REAL, 1.0, REAL, Label("a")) == Const(REAL, 1.0, REAL, Label("b"))
    assert Id(REAL) != Terminal(REAL)
    assert Id(REAL) != 1
