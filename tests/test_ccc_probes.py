"""First-order boundaries, and the probes at boundaries that hold functions."""

import functools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

import ccc
from ccc.arrows import Arrow
from ccc.base import Host
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Delta
from ccc.combinators import const, cross, curry, eval_, id_, primitive, prod, proj_left, proj_right, terminal
from ccc.errors import BoundaryMismatch, HigherOrderBoundary
from ccc.objects import INT, REAL, Exponential, List, Product
from ccc.primitives.arithmetic import add, mul, neg
from ccc.probes import functional_grad, vjp, vjp_probe

EXPONENTIALS = [AdditiveMap(), Delta(), AnyDerivative()]
Q = REAL
PAIR, FUNCTION = Product((Q, Q)), Exponential(Q, Q)
MUL, ADD, NEG = primitive(mul, Q, Q), primitive(add, Q, Q), primitive(neg, Q)
SQUARE = prod(id_(Q), id_(Q)) >> MUL
HOST = Host(Fraction)


@pytest.mark.parametrize(("arrow", "message"), [
    (curry(MUL), "vjp needs first-order boundaries; result: R => R is a function"),
    (eval_(FUNCTION), "vjp needs first-order boundaries; argument[0]: R => R is a function"),
    (id_(List(FUNCTION)), "vjp needs first-order boundaries; "
     "argument[...]: R => R, result[...]: R => R are functions"),
])
def test_a_boundary_that_holds_a_function_is_refused_by_name(arrow: Arrow, message: str) -> None:
    with pytest.raises(HigherOrderBoundary) as error:
        vjp(arrow)
    assert str(error.value) == message


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_vjp_of_a_closure_in_the_middle(exponential: Any) -> None:
    f = cross(curry(MUL), id_(Q)) >> eval_(FUNCTION)
    value, pullback = vjp(f, exponential=exponential, base=HOST)((Fraction(2), Fraction(7)))
    assert (value, pullback(Fraction(1, 3))) == (14, (Fraction(7, 3), Fraction(2, 3)))


def test_zeros_are_numbers_at_the_boundary() -> None:
    value, pullback = vjp(prod(proj_left(PAIR), terminal(PAIR)))((2.0, 3.0))
    assert (value, pullback((5.0, ()))) == ((2.0, ()), (5.0, 0.0))
    assert vjp(id_(Product((INT, Q))))((2, 3.0))[1]((None, 4.0)) == (None, 4.0)


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_vjp_probe_is_the_same_under_every_exponential(exponential: Any) -> None:
    h = cross(SQUARE, NEG) >> curry(prod(prod(proj_left(Product((PAIR, Q))) >> MUL, proj_right(Product((PAIR, Q))))
                                         >> MUL, proj_right(Product((PAIR, Q)))) >> ADD)
    t = (Fraction(2), Fraction(-3))  # b |-> t0^2 * -t1 * b + b
    probes = [(Fraction(5), Fraction(1)), (Fraction(5), Fraction(1)), (Fraction(7), Fraction(1, 2))]
    expected = sum(b * g for b, g in probes)
    assert vjp_probe(h, t, probes, exponential=exponential, base=HOST) == (-2 * t[0] * t[1] * expected,
                                                                          -t[0] ** 2 * expected)
    assert vjp_probe(h, t, [], exponential=exponential, base=HOST) == (0, 0)


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_functional_grad_lists_the_calls(exponential: Any) -> None:
    at_two_and_four = prod(*[prod(id_(FUNCTION), const(FUNCTION, x)) >> eval_(FUNCTION) for x in (2.0, 4.0)]) >> MUL
    twice = prod(id_(FUNCTION), const(FUNCTION, 3.0)) >> eval_(FUNCTION)
    again = prod(id_(FUNCTION), twice) >> eval_(FUNCTION)
    calls = functional_grad(at_two_and_four, SQUARE, exponential=exponential, base=HOST)
    assert sorted(calls.terms()) == [(2, 16), (4, 4)]
    inner = functional_grad(again, SQUARE, exponential=exponential, base=HOST)
    assert sorted(inner.terms()) == [(3, 18), (9, 1)]


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_functional_grad_of_a_function_never_called_is_empty(exponential: Any) -> None:
    calls = functional_grad(const(FUNCTION, 3.0), SQUARE, exponential=exponential)
    assert list(calls.terms()) == []


def test_probes_refuse_functions_elsewhere_and_misfits() -> None:
    with pytest.raises(HigherOrderBoundary, match=r"vjp_probe needs .* result: R => R is a function"):
        vjp_probe(curry(curry(proj_right(Product((PAIR, Q))))), 1.0, [])
    with pytest.raises(BoundaryMismatch, match=r"vjp_probe needs an arrow A => \(B => C\): found R => R"):
        vjp_probe(NEG, 1.0, [])
    with pytest.raises(BoundaryMismatch, match="functional_grad needs h"):
        functional_grad(NEG, NEG)
    with pytest.raises(HigherOrderBoundary, match=r"functional_grad needs .* result: R => R is a function"):
        functional_grad(id_(FUNCTION), NEG)


@dataclass
class Scaled:
    by: float

    def __call__(self, b: float) -> float:
        return self.by * b * b


def chosen(x: float) -> Any:
    return (lambda b: b * x) if x < 3.0 else (lambda b: b)


def carried(x: float) -> Any:
    def follow(g: Any) -> Any:
        return lambda s: g(s) * x + s

    f: Any = lambda s: s  # noqa: E731
    for _ in [0.0, 1.0, 2.0]:
        f = follow(f)
    return f


def known(x: float) -> Any:
    return math.sin


RETURNING: list[Any] = [
    chosen, carried, known, lambda x: Scaled(x * x), lambda x: Scaled(x * x).__call__,
    lambda x: functools.partial(lambda a, b: a * b * b, x * 2.0),
]


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
@pytest.mark.parametrize("f", RETURNING, ids=range(len(RETURNING)))
def test_whatever_can_be_called_is_probed_as_a_function(f: Any, exponential: Any) -> None:
    def paired(x: float) -> float:
        return 2.0 * f(x)(1.5) - f(x)(0.5)

    expected = (paired(0.7 + 1e-6) - paired(0.7 - 1e-6)) / 2e-6
    found = ccc.vjp_probe(f, 0.7, [(1.5, 2.0), (0.5, -1.0)], exponential=exponential)
    assert found == pytest.approx(expected, abs=1e-8)


def test_a_function_beside_other_results_is_no_result_to_probe() -> None:
    with pytest.raises(BoundaryMismatch, match="needs a function as the whole result"):
        ccc.vjp_probe(lambda x: (x, lambda b: b * x), 0.7, [(1.0, 2.0)])
