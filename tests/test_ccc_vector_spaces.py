"""Classes of users that were made vector spaces: as cotangents on the host, in programs, and in generated code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import ccc
from ccc.additive import ZERO, add, total
from ccc.base import HOST
from ccc.compile.api.wrapper import WrongArguments
from ccc.errors import NotAVectorSpace
from ccc.objects import INT, REAL, Object, Space
from ccc.objects_of_values import object_of
from ccc.primitives.arithmetic import mul
from ccc.primitives.primitive import Primitive, linear

EXPONENTIALS = [ccc.Delta, ccc.AdditiveMap, ccc.AnyDerivative]
CALLS: list[str] = []


class Polynomial:
    """A polynomial by its coefficients, which are as many as it likes: its zero has none."""

    def __init__(self, *coefficients: float) -> None:
        self.coefficients = coefficients

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.coefficients == other.coefficients

    def __hash__(self) -> int:
        return hash(self.coefficients)

    def __repr__(self) -> str:
        return f"Polynomial{self.coefficients}"


def plus(p: Polynomial, q: Polynomial) -> Polynomial:
    CALLS.append("add")
    n = max(len(p.coefficients), len(q.coefficients))
    a, b = [[*x.coefficients, *[0.0] * (n - len(x.coefficients))] for x in (p, q)]
    return Polynomial(*[x + y for x, y in zip(a, b, strict=True)])


def nothing(p: Polynomial) -> Polynomial:
    CALLS.append("zero")
    return Polynomial()


SAMPLES = [Polynomial(), Polynomial(1.0), Polynomial(0.5, 2.0, -1.0)]
ccc.vector_space(Polynomial, zero=nothing, add=plus, samples=SAMPLES)
POLYNOMIAL = Space(Polynomial)


def _real(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return REAL


def _polynomial(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return POLYNOMIAL


def _evaluated(p: Polynomial, x: float) -> float:
    return sum([c * x**i for i, c in enumerate(p.coefficients)])


def _derived(p: Polynomial) -> Polynomial:
    return Polynomial(*[i * c for i, c in enumerate(p.coefficients)][1:])


def _powers(ct: float, x: float, n: int) -> Polynomial:
    return Polynomial(*[ct * x**i for i in range(n)])


def _evaluate_pullback(ct: Any, y: Any, p: Any, x: Any) -> tuple[Any, ...]:
    return powers(ct, x, terms(p)), ct * evaluate(derived(p), x)


def _evaluate_differential(ds: tuple[Any, ...], y: Any, p: Any, x: Any) -> Any:
    dp, dx = ds
    return add(dp if dp is ZERO else evaluate(dp, x), dx if dx is ZERO else dx * evaluate(derived(p), x))


def _powers_pullback(g: Any, y: Any, ct: Any, x: Any, n: Any) -> tuple[Any, ...]:
    return evaluate(g, x), ct * evaluate(derived(g), x), ZERO


terms = Primitive("terms", lambda p: len(p.coefficients), lambda p, args, params: INT, "terms({})",
                  lambda ct, y, p: (ZERO,), lambda ds, y, p: ZERO)
derived = linear("derived", _derived, _polynomial, "derived({})", lambda ct, y, p: (raised(ct, p),))
raised = linear("raised", lambda ct, p: Polynomial(0.0, *[(i + 1) * c for i, c in enumerate(ct.coefficients)]),
                _polynomial, "raised({}, {})", lambda g, y, ct, p: (derived(g), ZERO))
evaluate = Primitive("evaluate", _evaluated, _real, "evaluate({}, {})", _evaluate_pullback, _evaluate_differential)
powers = Primitive("powers", _powers, _polynomial, "powers({}, {}, {})", _powers_pullback)
P = Polynomial(1.0, -2.0, 0.5)


# -- on the host -----------------------------------------------------------------------------------------------------


def test_sums_and_zeros_are_those_of_the_class() -> None:
    CALLS.clear()
    assert add(Polynomial(1.0), Polynomial(2.0, 3.0)) == Polynomial(3.0, 3.0)
    assert total([Polynomial(1.0), ZERO, Polynomial(0.0, 1.0)]) == Polynomial(1.0, 1.0)
    assert add((Polynomial(1.0), 2.0), (Polynomial(1.0), ZERO)) == (Polynomial(2.0), 2.0)
    assert CALLS == ["add"] * 3
    assert object_of(P) == POLYNOMIAL and object_of([P, P]).item == POLYNOMIAL  # type: ignore[attr-defined]


@pytest.mark.parametrize("exponential", EXPONENTIALS)
def test_terms(exponential: Any) -> None:
    at_two = ccc.prod(ccc.id_(POLYNOMIAL), ccc.const(POLYNOMIAL, 2.0)) >> ccc.primitive(evaluate, POLYNOMIAL, REAL)
    square = ccc.prod(at_two, at_two) >> ccc.primitive(mul, REAL, REAL)
    value, pullback = ccc.functor(ccc.Reverse(exponential(), HOST), square)(P)
    assert value == 1.0 and pullback(1.0) == Polynomial(-2.0, -4.0, -8.0)


# -- in programs -------------------------------------------------------------------------------------------------------


def once(p: Any, x: float) -> Any:
    return evaluate(p, x)


def twice(p: Any, x: float) -> Any:
    return evaluate(p, x) * evaluate(p, 2.0) + evaluate(derived(p), x)


def looped(p: Any, x: float) -> Any:
    s = 0.0
    for i in range(3):
        s = s + evaluate(p, x * i) * x
    return s


def branching(p: Any, x: float) -> Any:
    return evaluate(p, x) if x > 0 else x * x


def in_a_closure(p: Any, x: float) -> Any:
    f = lambda y: evaluate(p, y) * y  # noqa: E731
    return f(x) + f(2.0 * x)


def in_a_list(p: Any, x: float) -> Any:
    ps = [p, derived(p), p]
    s = 0.0
    for q in ps:
        s = s + evaluate(q, x)
    return s * evaluate(ps[0], x)


PROGRAMS = [once, twice, looped, branching, in_a_closure, in_a_list]


def moved(p: Polynomial, i: int, h: float) -> Polynomial:
    return Polynomial(*[c + h * (i == j) for j, c in enumerate(p.coefficients)])


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("exponential", EXPONENTIALS)
def test_gradients_have_the_class(f: Any, exponential: Any) -> None:
    value, (dp, dx) = ccc.value_with_gradient(f, exponential=exponential())(P, 1.5)
    assert value == f(P, 1.5) and type(dp) is Polynomial
    h = 1e-5
    for i in range(3):
        slope = (f(moved(P, i, h), 1.5) - f(moved(P, i, -h), 1.5)) / (2 * h)
        assert dp.coefficients[i] == pytest.approx(slope, rel=1e-7)
    assert dx == pytest.approx((f(P, 1.5 + h) - f(P, 1.5 - h)) / (2 * h), rel=1e-7)


@pytest.mark.parametrize("f", PROGRAMS)
def test_forward_and_second_order(f: Any) -> None:
    dp, dx = Polynomial(0.3, -0.2, 0.7), 0.4
    _, differential = ccc.value_with_differential(f)(P, 1.5)
    gp, gx = ccc.gradient(f)(P, 1.5)
    expected = sum(a * b for a, b in zip(gp.coefficients, dp.coefficients, strict=True)) + gx * dx
    assert differential(dp, dx) == pytest.approx(expected, rel=1e-12)
    second = ccc.gradient(lambda p, x: ccc.gradient(f, wrt="x")(p, x))(P, 1.5)
    h = 1e-5
    ahead, behind = ccc.gradient(f)(P, 1.5 + h), ccc.gradient(f)(P, 1.5 - h)
    for found, a, b in zip(second[0].coefficients, ahead[0].coefficients, behind[0].coefficients, strict=True):
        assert found == pytest.approx((a - b) / (2 * h), rel=1e-6, abs=1e-9)
    assert second[1] == pytest.approx((ahead[1] - behind[1]) / (2 * h), rel=1e-6)


def test_what_nobody_reads_has_the_zero_of_the_class() -> None:
    CALLS.clear()
    assert ccc.gradient(lambda p, x: x * x)(P, 1.5) == (Polynomial(), 3.0)
    assert ccc.gradient(branching)(P, -1.5) == (Polynomial(), -3.0)
    assert "zero" in CALLS


def test_pullbacks_of_values_of_the_class() -> None:
    value, pullback = ccc.value_with_pullback(lambda p: derived(p))(P)
    assert value == Polynomial(-2.0, 1.0) and pullback(Polynomial(1.0, 10.0)) == Polynomial(0.0, 1.0, 20.0)
    with pytest.raises(WrongArguments, match="of the class Polynomial"):
        pullback(1.0)


OUTSIDE = Polynomial(2.0, 1.0)


def test_one_from_outside_is_read_anew() -> None:
    global OUTSIDE
    f = ccc.gradient(lambda x: evaluate(OUTSIDE, x))
    before, OUTSIDE = OUTSIDE, Polynomial(0.0, 7.0)
    assert f(1.0) == 7.0
    OUTSIDE = before
    assert f(1.0) == 1.0


# -- dataclasses -------------------------------------------------------------------------------------------------------


@ccc.vector_space(zero=lambda v: Vector(0.0, 0.0), add=lambda v, w: Vector(v.x + w.x, v.y + w.y))  # type: ignore
@dataclass
class Vector:
    x: float
    y: float

    def dot(self, other: Vector) -> float:
        return self.x * other.x + self.y * other.y


def test_a_dataclass_stays_a_product_of_its_fields() -> None:
    def f(v: Vector, n: int) -> float:
        vs = [v]
        for i in range(n):
            vs.append(Vector(vs[i].y, vs[i].x))
        return sum(w.dot(v) for w in vs) + vs[n].x * 3.0

    for exponential in EXPONENTIALS:
        assert ccc.gradient(f, exponential=exponential())(Vector(1.0, 2.0), 1) == (Vector(6.0, 9.0), None)
    assert ccc.gradient(lambda v, x: x * x)(Vector(1.0, 2.0), 3.0) == (Vector(0.0, 0.0), 6.0)


# -- the laws ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("zero", "plus_", "message"), [
    (lambda p: Polynomial(1.0), plus, r"0 \+ a = a fails"),
    (nothing, lambda p, q: p, r"a \+ b = b \+ a fails"),
    (nothing, lambda p, q: 1.0, r"a \+ b = b \+ a fails"),
])
def test_what_is_no_vector_space(zero: Any, plus_: Any, message: str) -> None:
    with pytest.raises(NotAVectorSpace, match=message):
        ccc.vector_space(Polynomial, zero=zero, add=plus_, samples=SAMPLES)
    assert add(Polynomial(1.0), Polynomial(1.0)) == Polynomial(2.0)


def test_not_of_built_in_classes() -> None:
    with pytest.raises(NotAVectorSpace, match="a class of one's own"):
        ccc.vector_space(float, zero=lambda x: 0.0, add=lambda x, y: x + y)
    with pytest.raises(NotAVectorSpace, match="of another class"):
        ccc.vector_space(Polynomial, zero=nothing, add=plus, samples=[1.0])
