"""The costs of the two curries, counted: closures called often, chained, nested and recursive."""

from fractions import Fraction
from typing import Any

import pytest

from ccc.arrows import Arrow
from ccc.base import Host
from ccc.categories.chad import CHAD
from ccc.categories.dialectica import Dialectica
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Delta
from ccc.categories.reverse import Reverse
from ccc.combinators import cond, const, curry, eval_, fix, id_, primitive, prod, proj_left, proj_right
from ccc.laws.counting import Cost, Meter, cost
from ccc.objects import REAL, Exponential, Object, Product
from ccc.primitives.arithmetic import less, mul, neg, sub
from ccc.probes import vjp

HOST = Host(Fraction)
PAIR, FUNCTION = Product((REAL, REAL)), Exponential(REAL, REAL)


def called_often(meter: Meter, n: int) -> Arrow:
    """`let g = \\s. t * s in g (g (... (g s)))`."""
    context = Product((FUNCTION, REAL))
    call = eval_(FUNCTION)
    once = prod(proj_left(context), call)
    f = prod(proj_left(PAIR) >> curry(primitive(meter.counted(mul), REAL, REAL)), proj_right(PAIR))
    for _ in range(n):
        f = f >> once
    return f >> proj_right(context)


def chain(meter: Meter, depth: int) -> Arrow:
    """`h_0 = \\s. t * s` and `h_i = \\s. - h_(i-1) s`, which captures `h_(i-1)`; then `h_depth s`."""
    step = curry(eval_(FUNCTION) >> primitive(meter.counted(neg), REAL))
    h = proj_left(PAIR) >> curry(primitive(meter.counted(mul), REAL, REAL))
    for _ in range(depth):
        h = h >> step
    return prod(h, proj_right(PAIR)) >> eval_(FUNCTION)


def nesting(meter: Meter, depth: int) -> Arrow:
    """`h_(i-1)` is created inside the body of `h_i`, which is `\\s. - h_(i-1) s`."""
    body = primitive(meter.counted(mul), REAL, REAL)
    for _ in range(depth):
        body = prod(proj_left(PAIR) >> curry(body), proj_right(PAIR)) >> eval_(FUNCTION)
        body = body >> primitive(meter.counted(neg), REAL)
    return body


def recursion(first: Any, second: Any) -> Arrow:
    """`letrec f n = y if n < 1 else y * -f (n - 1) in f n` of (y, n); `first` is `*`, `second` is `-`."""
    captured = Product((REAL, FUNCTION))
    context: Object = Product((captured, REAL))
    y, f = proj_left(context) >> proj_left(captured), proj_left(context) >> proj_right(captured)
    n = proj_right(context)
    test = prod(n, const(context, 1.0)) >> primitive(less, REAL, REAL)
    before = prod(n, const(context, 1.0)) >> primitive(sub, REAL, REAL)
    again = prod(f, before) >> eval_(FUNCTION) >> primitive(second, REAL)
    body = cond(test, y, prod(y, again) >> primitive(first, REAL, REAL))
    return prod(proj_left(PAIR) >> fix(body), proj_right(PAIR)) >> eval_(FUNCTION)


POINT = (Fraction(2), Fraction(3))


def measured(arrow: Arrow, exponential: Any, meter: Meter, x: Any = POINT) -> Cost:
    return cost(arrow, x, Fraction(1), meter, exponential=exponential, base=HOST)


@pytest.mark.share(4)
@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_one_closure_called_n_times(n: int) -> None:
    meter = Meter()
    f = called_often(meter, n)
    assert measured(f, AdditiveMap(), meter) == Cost(n, n, 2 * n)
    assert measured(f, Delta(), meter) == Cost(n, 0, n)


@pytest.mark.parametrize("d", [0, 1, 2, 7])
def test_chain_of_closures(d: int) -> None:
    meter = Meter()
    f = chain(meter, d)
    assert measured(f, AdditiveMap(), meter) == Cost(d + 1, (d + 1) * (d + 2) // 2, (d + 1) * (d + 4) // 2)
    assert measured(f, Delta(), meter) == Cost(d + 1, 0, d + 1)


@pytest.mark.parametrize("d", [0, 1, 2, 3, 7])
def test_nesting_of_closures_the_outermost_of_which_is_the_program(d: int) -> None:
    meter = Meter()
    f = nesting(meter, d)
    assert measured(f, AdditiveMap(), meter) == Cost(d + 1, 2 ** (d + 1) - d - 2, 2 ** (d + 1) - 1)
    assert measured(f, Delta(), meter) == Cost(d + 1, 0, d + 1)


@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_recursive_closure(n: int) -> None:
    meter = Meter()
    f = recursion(meter.counted(mul), meter.counted(neg))
    x = (Fraction(2), Fraction(n))
    assert measured(f, AdditiveMap(), meter, x) == Cost(2 * n, n * n + n, n * n + 3 * n)
    assert measured(f, Delta(), meter, x) == Cost(2 * n, 0, 2 * n)


@pytest.mark.parametrize("exponential", [AdditiveMap(), Delta(), AnyDerivative()], ids=lambda e: e.name)
def test_recursive_closure_has_the_exact_gradient(exponential: Any) -> None:
    y = Fraction(2, 3)
    for n in range(6):  # f = (-1)^n y^(n+1)
        value, pullback = vjp(recursion(mul, neg), exponential=exponential, base=HOST)((y, Fraction(n)))
        assert value == (-1) ** n * y ** (n + 1)
        assert pullback(Fraction(5)) == (5 * (-1) ** n * (n + 1) * y**n, 0)


def test_any_derivative_costs_what_delta_costs() -> None:
    meter = Meter()
    for f in (called_often(meter, 5), chain(meter, 5), nesting(meter, 5)):
        assert measured(f, AnyDerivative(), meter) == measured(f, Delta(), meter)


def test_id_is_free() -> None:
    assert measured(id_(PAIR), Delta(), Meter()) == Cost(0, 0, 0)


@pytest.mark.parametrize("depth", range(6))
def test_chad_costs_what_formal_sums_cost_and_dialectica_runs_bodies_once_more(depth: int):
    def counted(category: Any) -> Cost:
        meter = Meter()
        return cost(nesting(meter, depth), (Fraction(2), Fraction(3)), Fraction(1), meter, category=category)

    assert counted(CHAD(HOST)) == counted(Reverse(AdditiveMap(), HOST))
    found = counted(Dialectica(HOST))
    assert found.forward == depth + 1
    assert found.rerun + found.backward == 6 * 2**depth - depth - 4
