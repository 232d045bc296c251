"""The slides' combinators as constructors."""

from typing import Any

import pytest

from ccc.arrows import Curry, Eval, Id, Prod, Proj, Terminal
from ccc.categories.functions import Functions
from ccc.combinators import (
    const,
    cross,
    curry,
    eval_,
    fix,
    fold,
    id_,
    name,
    papply,
    papply_first_class,
    power,
    primitive,
    prod,
    proj,
    proj_left,
    proj_right,
    swap,
    terminal,
    uncurry,
)
from ccc.denotation import functor
from ccc.errors import BoundaryMismatch, InexactPrimitive
from ccc.objects import INT, REAL, UNIT, Exponential, Product, Real
from ccc.primitives.arithmetic import add, mul, neg, sub
from ccc.primitives.primitive import Primitive, elementwise

PAIR, FUNCTION = Product((REAL, REAL)), Exponential(REAL, REAL)
MUL, SUB, NEG = primitive(mul, REAL, REAL), primitive(sub, REAL, REAL), primitive(neg, REAL)


def run(arrow: Any, x: Any) -> Any:
    return functor(Functions(), arrow)(x)


def test_constructors_build_the_plain_terms() -> None:
    assert id_(REAL) == Id(REAL)
    assert terminal(REAL) == Terminal(REAL)
    assert prod(NEG, NEG) == Prod((NEG, NEG))
    assert (proj_left(PAIR), proj_right(PAIR), proj(PAIR, 1)) == (Proj(PAIR, 0), Proj(PAIR, 1), Proj(PAIR, 1))
    assert curry(MUL) == Curry(MUL)
    assert eval_(FUNCTION) == Eval(FUNCTION)


def test_fork_shares_its_argument_and_cross_does_not() -> None:
    assert run(prod(NEG, id_(REAL)), 2.0) == (-2.0, 2.0)
    assert run(cross(NEG, id_(REAL)), (2.0, 5.0)) == (-2.0, 5.0)


def test_swap_and_partial_application_keep_the_order_of_arguments() -> None:
    assert run(swap(PAIR), (1.0, 2.0)) == (2.0, 1.0)
    assert run(papply(SUB), 10.0)(3.0) == 3.0 - 10.0
    known = papply_first_class(Exponential(PAIR, REAL))
    assert run(known, (lambda x: x[0] - x[1], 10.0))(3.0) == 3.0 - 10.0


def test_curry_and_uncurry() -> None:
    assert run(curry(SUB), 10.0)(3.0) == 7.0
    assert run(uncurry(curry(SUB)), (10.0, 3.0)) == 7.0
    assert run(name(NEG), ())(3.0) == -3.0


def test_const_takes_the_object_of_its_value() -> None:
    assert const(UNIT, 2.0).cod == REAL
    assert const(UNIT, 2).cod == INT
    assert const(UNIT, 2, REAL).cod == REAL


def test_primitive_uses_its_type_rule() -> None:
    assert primitive(add, REAL, INT).cod == REAL
    assert primitive(add, INT, INT).cod == INT
    with pytest.raises(InexactPrimitive, match="`root` leaves the rationals"):
        primitive(Primitive("root", lambda x: x**0.5, elementwise, "root({})"), Real("fraction"))


def test_power_is_iterated_composition() -> None:
    assert power(NEG, 0) == id_(REAL)
    assert power(NEG, 1) == NEG
    assert power(NEG >> NEG, 2) == power(NEG, 4)


@pytest.mark.parametrize(("build", "message"), [
    (lambda: prod(), "prod needs at least one arrow; the arrow to the empty product is terminal(A)"),
    (lambda: proj_left(REAL), "proj_left needs a pair: found R"),
    (lambda: proj_right(Product((REAL, REAL, REAL))), "proj_right needs a pair: found (R, R, R)"),
    (lambda: proj(REAL, 0), "projection needs a product: found R"),
    (lambda: swap(UNIT), "proj_right needs a pair: found 1"),
    (lambda: eval_(REAL), "eval needs a function object S => R: found R"),
    (lambda: uncurry(NEG), "uncurry needs a function object S => R: found R"),
    (lambda: papply(NEG), "papply needs a pair: found R"),
    (lambda: papply_first_class(FUNCTION), "papply needs a pair: found R"),
    (lambda: power(MUL, 2), "power needs an arrow A => A: found (R, R) => R"),
    (lambda: curry(NEG), "curry needs an arrow from a pair: found R => R"),
    (lambda: fix(NEG), "fix needs a body ((T, (S => R)), S) => R: found R => R"),
    (lambda: fold(NEG >> terminal(REAL)), "scan needs a body (G, S, (E, ...)) => (S, (Y, ...)): found R => (1, 1)"),
])
def test_misfits_are_refused(build: Any, message: str) -> None:
    with pytest.raises(BoundaryMismatch) as error:
        build()
    (found,) = error.value.diagnostics
    assert found.message == message and found.code == "CC051" and found.help
    assert found.span is not None and found.span.file == __file__


def test_power_refuses_negative_exponents() -> None:
    with pytest.raises(ValueError, match="power needs n >= 0: found -1"):
        power(NEG, -1)
