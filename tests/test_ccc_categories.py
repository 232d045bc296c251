"""Categories on the host base: every combinator in functions, reverse mode with each exponential, forward mode."""

from fractions import Fraction
from typing import Any

import pytest

import ccc
from ccc.additive import ZERO
from ccc.arrows import Arrow, Curry, Id, Scan
from ccc.base import Host
from ccc.categories.chad import CHAD, Linear
from ccc.categories.dialectica import Dialectica
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Closure, Delta, FormalSum, Opaque
from ccc.categories.forward import Forward
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.category import Category
from ccc.combinators import (
    cond,
    const,
    cross,
    curry,
    eval_,
    fix,
    fold,
    id_,
    iterate,
    name,
    papply,
    papply_first_class,
    power,
    primitive,
    prod,
    proj,
    proj_left,
    proj_right,
    scan,
    terminal,
)
from ccc.denotation import functor
from ccc.errors import CotangentMismatch, InexactPrimitive, MissingDerivative, MissingMeaning
from ccc.objects import BOOL, INT, REAL, UNIT, Exponential, Product
from ccc.primitives import tapes
from ccc.primitives.arithmetic import add, greater, less, mul, neg, sub
from ccc.primitives.primitive import Primitive, elementwise
from ccc.probes import vjp

HOST = Host(Fraction)
EXPONENTIALS = [AdditiveMap(), Delta(), AnyDerivative()]
every_exponential = pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
PAIR, FUNCTION = Product((REAL, REAL)), Exponential(REAL, REAL)
MUL, ADD, SUB, NEG = (primitive(p, *[REAL] * n) for p, n in ((mul, 2), (add, 2), (sub, 2), (neg, 1)))
LOOP = Product((REAL, REAL, Product((REAL,))))  # (g, s, (e,))
G, S, E = proj(LOOP, 0), proj(LOOP, 1), proj(LOOP, 2) >> proj(Product((REAL,)), 0)
STEP = prod(prod(G, S) >> MUL, E) >> ADD  # g * s + e


def derivative(arrow: Arrow, x: Any, ct: Any, exponential: Any) -> tuple[Any, Any]:
    value, pullback = vjp(arrow, exponential=exponential, base=HOST)(x)
    assert value == functor(Functions(HOST), arrow)(x)
    return value, pullback(ct)


def slope(arrow: Arrow, x: Any, dx: Any) -> Any:
    return functor(Forward(HOST), arrow)((x, dx))[1]


Q = Fraction


@every_exponential
def test_fold_is_horners_rule(exponential: Any) -> None:
    x, coefficients = Q(3, 2), [Q(5), Q(-1), Q(7)]
    value, cts = derivative(fold(STEP), (x, Q(2), (coefficients,)), Q(1), exponential)
    assert value == ((2 * x + 5) * x - 1) * x + 7
    assert cts == (6 * x**2 + 10 * x - 1, x**3, ([x**2, x, Q(1)],))


@every_exponential
def test_fold_over_nothing_is_the_identity(exponential: Any) -> None:
    assert derivative(fold(STEP), (Q(3), Q(2), ([],)), Q(5), exponential) == (2, (0, 5, ([],)))


@every_exponential
def test_reverse_scan_starts_at_the_end_and_writes_where_it_reads(exponential: Any) -> None:
    loop = Scan(prod(STEP, prod(prod(S, E) >> MUL)), reverse=True)
    (last, (ys,)), cts = derivative(
        loop, (Q(2), Q(3), ([Q(5), Q(7)],)), (Q(1), ([Q(10), Q(100)],)), exponential
    )
    assert (last, ys) == ((2 * 3 + 7) * 2 + 5, [13 * 5, 3 * 7])
    # last = 4 s + 2 b + a; y0 = (2 s + b) a; y1 = s b, and with g in general: last = g^2 s + g b + a, y0 = (g s + b) a
    a, b, g, s = Q(5), Q(7), Q(2), Q(3)
    assert cts == (2 * g * s + b + 10 * s * a, g * g + 10 * g * a + 100 * b,
                   ([1 + 10 * (g * s + b), g + 10 * a + 100 * s],))


def test_scan_with_several_lists_pads_the_longer_one() -> None:
    triple = Product((UNIT, REAL, PAIR))
    elements = proj(triple, 2)
    f = fold(prod(proj(triple, 1), elements >> MUL) >> ADD)
    _, pullback = vjp(f, base=HOST)(((), Q(0), ([Q(2), Q(3)], [Q(5), Q(7), Q(11)])))
    assert pullback(Q(1)) == ((), 1, ([5, 7], [2, 3, 0]))


@every_exponential
def test_while_loop_runs_its_tape_backwards(exponential: Any) -> None:
    state = Product((REAL, PAIR))
    n, s = proj_right(state) >> proj_left(PAIR), proj_right(state) >> proj_right(PAIR)
    test = prod(n, const(state, 0.0)) >> primitive(greater, REAL, REAL)
    body = prod(prod(n, const(state, 1.0)) >> SUB, prod(proj_left(state), prod(s, s) >> MUL) >> MUL)
    loop = iterate(test, body)
    assert derivative(loop, (Q(2), (Q(0), Q(3))), (Q(1), Q(7)), exponential) == ((0, 3), (0, (1, 7)))
    (_, last), cts = derivative(loop, (Q(2), (Q(2), Q(3))), (Q(0), Q(1)), exponential)
    assert last == 2 ** 3 * 3 ** 4
    assert cts == (3 * 2**2 * 3**4, (0, 2**3 * 4 * 3**3))


@every_exponential
def test_only_the_taken_branch_runs(exponential: Any) -> None:
    def refuse(*args: Any) -> Any:
        raise AssertionError("the other branch ran")

    never = primitive(Primitive("never", refuse, lambda p, args, params: REAL, "never({})", exact=True), REAL)
    positive = prod(id_(REAL), const(REAL, 0.0)) >> primitive(less, REAL, REAL)
    f = cond(positive, NEG, never)
    assert derivative(f, Q(-3), Q(2), exponential) == (3, -2)
    with pytest.raises(AssertionError):
        functor(Functions(HOST), f)(Q(3))


def power_of(n: int) -> Arrow:
    """`letrec f k = y if k < 1 else y * f (k - 1) in f n`, which is `y ** (n + 1)`."""
    captured = Product((REAL, FUNCTION))
    context = Product((captured, REAL))
    y, f, k = proj_left(context) >> proj_left(captured), proj_left(context) >> proj_right(captured), proj_right(context)
    one = const(context, 1.0)
    again = prod(f, prod(k, one) >> SUB) >> eval_(FUNCTION)
    body = cond(prod(k, one) >> primitive(less, REAL, REAL), y, prod(y, again) >> MUL)
    return prod(fix(body), const(REAL, float(n))) >> eval_(FUNCTION)


@every_exponential
@pytest.mark.parametrize("n", [0, 1, 5])
def test_gradient_through_recursion_is_exact(exponential: Any, n: int) -> None:
    y = Q(-2, 3)
    assert derivative(power_of(n), y, Q(1), exponential) == (y ** (n + 1), (n + 1) * y**n)
    assert slope(power_of(n), y, Q(1)) == (n + 1) * y**n


@every_exponential
def test_recursive_closure_captured_by_another_closure(exponential: Any) -> None:
    """The self reference is used inside a new closure, so its cotangent travels through that one's environment."""
    captured = Product((REAL, FUNCTION))
    context = Product((captured, REAL))
    inner = Product((context, REAL))
    y, k = proj_left(context) >> proj_left(captured), proj_right(context)
    one = const(context, 1.0)
    # \z. z * self (k - 1), captured and called at y
    closed = proj_left(inner) >> proj_left(context) >> proj_right(captured)
    less_one = prod(proj_left(inner) >> proj_right(context), const(inner, 1.0)) >> SUB
    closure = curry(prod(proj_right(inner), prod(closed, less_one) >> eval_(FUNCTION)) >> MUL)
    body = cond(prod(k, one) >> primitive(less, REAL, REAL), y, prod(closure, y) >> eval_(FUNCTION))
    f = prod(fix(body), const(REAL, 4.0)) >> eval_(FUNCTION)
    assert derivative(f, Q(3), Q(1), exponential) == (3**5, 5 * 3**4)
    assert slope(f, Q(3), Q(1)) == 5 * 3**4


def test_the_self_reference_of_any_derivative_is_boxed_in_its_own_space() -> None:
    seen: list[Any] = []

    def watch(ct: Any, y: Any, x: Any) -> tuple[Any, ...]:
        seen.append(ct)
        return (ct,)

    watched = primitive(
        Primitive("watch", lambda x: x, lambda p, args, params: args[0], "watch({})", watch, exact=True), FUNCTION
    )
    captured = Product((REAL, FUNCTION))
    context = Product((captured, REAL))
    k = proj_right(context)
    again = prod(proj_left(context) >> proj_right(captured) >> watched, prod(k, const(context, 1.0)) >> SUB)
    body = cond(prod(k, const(context, 1.0)) >> primitive(less, REAL, REAL),
                proj_left(context) >> proj_left(captured), again >> eval_(FUNCTION))
    recursive = fix(body)
    closure, pullback = functor(Reverse(AnyDerivative(), HOST), recursive)(Q(7))
    delta, _ = closure.apply(Q(2))[1](Q(1))
    assert seen == [Opaque(closure.space, Q(1))] * 2
    assert pullback(delta) == 1


@every_exponential
def test_partial_application_of_arrows_and_of_values(exponential: Any) -> None:
    f = prod(proj_left(PAIR), prod(proj_right(PAIR), proj_right(PAIR)) >> MUL) >> MUL  # (t, s) |-> t * s^2
    static = cross(papply(f), id_(REAL)) >> eval_(FUNCTION)
    assert derivative(static, (Q(3), Q(5)), Q(1), exponential) == (45, (30, 9))
    binary = Exponential(PAIR, REAL)
    known = prod(prod(terminal(PAIR) >> name(f), proj_left(PAIR)) >> papply_first_class(binary), proj_right(PAIR))
    assert derivative(known >> eval_(FUNCTION), (Q(3), Q(5)), Q(1), exponential) == (45, (30, 9))


def test_additive_map_pulls_back_formal_sums() -> None:
    closure, pullback = functor(Reverse(AdditiveMap(), HOST), curry(MUL))(Q(2))
    assert isinstance(closure, Closure)
    assert closure(Q(5)) == 10
    assert closure.apply(Q(5))[1](Q(3)) == 6
    assert pullback(FormalSum((Q(5), Q(1))) + FormalSum((Q(7), Q(10)))) == 75
    assert pullback(ZERO) is ZERO


def test_delta_is_the_environment_and_nothing_more() -> None:
    closure, pullback = functor(Reverse(Delta(), HOST), curry(MUL))(Q(2))
    assert closure.apply(Q(5))[1](Q(3)) == (15, 6)
    assert pullback(Q(15)) == 15
    closed, _ = functor(Reverse(Delta(), HOST), name(NEG))(())
    assert closed.environment == ()


def test_a_formal_sum_of_100_000_terms_folds() -> None:
    total: Any = FormalSum((1, 1))
    for _ in range(100_000):
        total = total + FormalSum((1, 1))
    assert total.fold(lambda s, m: s * m) == 100_001


def test_a_chain_of_10_000_arrows_runs_in_every_category() -> None:
    chain = power(NEG, 10_000)
    assert functor(Functions(), chain)(2.0) == 2.0
    assert vjp(chain)(2.0)[1](1.0) == 1.0
    assert functor(Forward(), chain)((2.0, 1.0)) == (2.0, 1.0)


@every_exponential
def test_discrete_values_get_no_cotangent(exponential: Any) -> None:
    f = prod(proj_left(Product((REAL, INT))), proj_right(Product((REAL, INT)))) >> primitive(mul, REAL, INT)
    assert derivative(f, (Q(3), 4), Q(1), exponential) == (12, (4, None))
    flag = prod(id_(REAL), const(REAL, 0.0)) >> primitive(less, REAL, REAL)
    assert flag.cod == BOOL
    assert derivative(flag, Q(3), None, exponential) == (False, 0)


def test_a_primitive_without_derivative_is_named_when_its_derivative_is_asked_for() -> None:
    opaque = primitive(Primitive("opaque", lambda x: x, elementwise, "opaque({})"), REAL)
    value, pullback = vjp(opaque)(2.0)
    assert value == 2.0
    with pytest.raises(MissingDerivative, match="`opaque` has no derivative"):
        pullback(1.0)
    assert vjp(prod(opaque, id_(REAL)) >> proj_right(PAIR))(2.0)[1](1.0) == 1.0
    with pytest.raises(MissingDerivative, match="`opaque` has no derivative"):
        functor(Forward(), opaque)((2.0, 1.0))


def test_exact_scalars_refuse_what_leaves_the_rationals() -> None:
    inexact = primitive(Primitive("root", lambda x: x**0.5, elementwise, "root({})"), REAL)
    with pytest.raises(InexactPrimitive, match="`root` leaves the rationals"):
        functor(Functions(HOST), inexact)(Q(2))


def test_forward_mode_takes_tangents_of_closures_from_their_environments() -> None:
    f = cross(curry(MUL), id_(REAL)) >> eval_(FUNCTION)
    assert slope(f, (Q(3), Q(5)), (Q(1), Q(10))) == 35
    assert slope(fold(STEP), (Q(3), Q(2), ([Q(7)],)), (Q(1), Q(10), ([Q(100)],))) == 2 + 30 + 100
    assert slope(scan(prod(STEP, prod(S))), (Q(3), Q(2), ([Q(7)],)), (Q(1), Q(10), ([Q(100)],))) == (132, ([10],))


def test_tangents_that_are_zero_stay_symbolic() -> None:
    f = cross(NEG, NEG)
    assert slope(f, (Q(3), Q(5)), (Q(1), ZERO)) == (-1, ZERO)


def test_linear_maps_of_chad_refuse_what_is_not_of_their_spaces():
    pair = Product((REAL, REAL))
    _, pullback = functor(CHAD(), Curry(Id(pair)))(2.0)
    for ct, spaces in ((1.0, "AdditiveMap(R, (R, R))"), ((1.0, 2.0), "AdditiveMap(R, (R, R))")):
        with pytest.raises(CotangentMismatch, match="is no cotangent of the space") as refused:
            pullback(ct)
        assert spaces in str(refused.value)
    _, swapped = functor(CHAD(), Id(pair))((2.0, 3.0))
    for wrong in (1.0, (1.0,), ((1.0, 2.0), 3.0)):
        with pytest.raises(CotangentMismatch):
            swapped(wrong)


def test_linear_maps_of_chad_meet_in_one_space():
    one, two = [lambda x, a=a: (x, Linear(a, a, lambda ct: ct)) for a in (REAL, Product((REAL, REAL)))]
    with pytest.raises(CotangentMismatch, match="met"):
        CHAD().compose(one, two)(1.0)
    with pytest.raises(CotangentMismatch, match="met"):
        CHAD().prod(one, two)(1.0)


def test_the_halves_of_dialectica_keep_nothing_for_each_other():
    ran: list[float] = []

    def body(x: Any) -> Any:
        ran.append(x)
        return x[0] * x[1], lambda ct: (ct * x[1], ct * x[0])

    made = Dialectica().curry(body, Curry(Id(Product((REAL, REAL)))))
    function = made.value(2.0)
    assert (function(3.0), ran) == (6.0, [(2.0, 3.0)])
    assert (function.reverse(3.0, 1.0), made.reverse(2.0, FormalSum((3.0, 1.0))), len(ran)) == (2.0, 3.0, 3)


def test_a_function_on_a_tape_that_nobody_touched_has_the_zero_cotangent():
    closure, _ = functor(Reverse(AnyDerivative()), Curry(Id(Product((REAL, REAL)))))(2.0)
    pullback = tapes.roll.pullback
    assert pullback is not None and pullback((None, 1.0), None, closure, 2.5, tape=tapes.Boxed("f")) == (ZERO, 1.0)


class OfPairs:
    """A category without loops, which is no class derived from one of ours."""

    def identity(self, a: Any) -> Any:
        return lambda x: x

    def compose(self, *arrows: Any) -> Any:
        def run(x: Any) -> Any:
            for f in arrows:
                x = f(x)
            return x

        return run

    def prod(self, *arrows: Any) -> Any:
        return lambda x: tuple([f(x) for f in arrows])

    def proj(self, a: Any, index: int) -> Any:
        return lambda x: x[index]

    def terminal(self, a: Any) -> Any:
        return lambda x: ()

    def const(self, term: Any) -> Any:
        return lambda x: term.value

    def primitive(self, term: Any) -> Any:
        return lambda x: term.primitive.value(*x)


class Derived(OfPairs, Category):
    """The same, derived from `Category`, whose methods say nothing."""


class Broken(OfPairs):
    def primitive(self, term: Any) -> Any:
        return self.table[term.primitive.name]  # type: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("k", [OfPairs(), Derived()])  # type: ignore[reportAbstractUsage]
def test_a_combinator_that_a_category_lacks_is_named(k: Any):
    def powers(x: float, n: int) -> float:
        y = x
        for _ in range(n):
            y = y * x
        return y

    assert functor(k, ccc.arrow(lambda x, y: x * y, 1.0, 1.0))((2.0, 3.0)) == 6.0
    with pytest.raises(MissingMeaning, match=f"`{type(k).__name__}` does not say what `scan` means"):
        functor(k, ccc.arrow(powers, 1.0, 2))


def test_what_a_category_lacks_of_its_own_is_its_own_error():
    with pytest.raises(AttributeError, match="table"):
        functor(Broken(), ccc.arrow(lambda x, y: x * y, 1.0, 1.0))
