"""Terms as programs: recursion over pairs of pairs, constants that closures capture, rationals in branches."""

from fractions import Fraction

import pytest

from ccc.additive import parts
from ccc.arrows import Arrow, Cond, Const, Eval, Fix, Id, Prod, Proj, compose
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Delta
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.combinators import primitive
from ccc.denotation import functor
from ccc.laws.generate import NUMBER, PAIR
from ccc.laws.scalars import EXACT
from ccc.laws.staging import derivative, derivative_program, emitted
from ccc.objects import BOOL, Exponential, Object, Product
from ccc.primitives.arithmetic import less, mul

STATE = Product((PAIR, NUMBER))
EXPONENTIALS = [AdditiveMap(), Delta(), AnyDerivative()]


def halving(environment: Object, factor: Arrow) -> Arrow:
    """`rec ((a, b), n) = a * b if n < 1 else factor * rec ((b, a), n / 2)`, called at `((x, x * x), 4)`."""
    function = Exponential(STATE, NUMBER)
    whole = Product((Product((environment, function)), STATE))
    captured, state = Proj(whole, 0), Proj(whole, 1)
    pair, n = compose(state, Proj(STATE, 0)), compose(state, Proj(STATE, 1))
    a, b = compose(pair, Proj(PAIR, 0)), compose(pair, Proj(PAIR, 1))
    half = compose(Prod((n, Const(whole, Fraction(1, 2), NUMBER))), primitive(mul, NUMBER, NUMBER))
    again = compose(
        Prod((compose(captured, Proj(captured.cod, 1)), Prod((Prod((b, a)), half)))),  # type: ignore[arg-type]
        Eval(function),
    )
    scaled = compose(
        Prod((compose(captured, Proj(captured.cod, 0), factor), again)),  # type: ignore[arg-type]
        primitive(mul, NUMBER, NUMBER),
    )
    done = compose(Prod((n, Const(whole, Fraction(1), NUMBER))), primitive(less, NUMBER, NUMBER))
    assert done.cod == BOOL
    return Fix(Cond(done, compose(Prod((a, b)), primitive(mul, NUMBER, NUMBER)), scaled))


def started(environment: Arrow, recursive: Arrow) -> Arrow:
    square = compose(Prod((Id(NUMBER), Id(NUMBER))), primitive(mul, NUMBER, NUMBER))
    start = Prod((Prod((Id(NUMBER), square)), Const(NUMBER, Fraction(4), NUMBER)))
    assert isinstance(recursive.cod, Exponential)
    return compose(Prod((compose(environment, recursive), start)), Eval(recursive.cod))


@pytest.mark.share(6)
@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
@pytest.mark.parametrize(
    ("environment", "degree"), [(Id(NUMBER), 6), (Const(NUMBER, Fraction(3), NUMBER), 3)], ids=["captured", "constant"]
)
def test_a_recursion_over_pairs_of_pairs_is_derived(exponential: Delta, environment: Arrow, degree: int):
    f = started(environment, halving(NUMBER, Id(NUMBER)))
    x, ct = Fraction(2, 3), Fraction(5)
    scale = 1 if degree == 6 else 27
    assert functor(Functions(EXACT), f)(x) == scale * x**degree
    expected = ct * scale * degree * x ** (degree - 1)
    assert functor(Reverse(exponential, EXACT), f)(x)[1](ct) == expected
    found = functor(Functions(EXACT), derivative(f, exponential))((x, ct))
    assert found == expected and isinstance(found, Fraction)
    assert emitted(derivative_program(f, exponential))(x, ct) == expected


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_a_branch_that_leaves_out_a_rational_gives_it_the_rational_zero(exponential: Delta):
    x = Proj(PAIR, 0)
    f = Cond(primitive(less, NUMBER, NUMBER), x, primitive(mul, NUMBER, NUMBER))
    for at, expected in [((Fraction(1), Fraction(2)), (1, 0)), ((Fraction(3), Fraction(2)), (2, 3))]:
        found = parts(functor(Functions(EXACT), derivative(f, exponential))((at, Fraction(1))), 2)
        assert found == expected and all(isinstance(part, Fraction) for part in found)
