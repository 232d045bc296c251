"""Every law in every category, over generated arrows in exact rationals; and what pullbacks owe besides."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from ccc.additive import ZERO, Components, add
from ccc.arrows import Arrow
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Delta, FormalSum, Opaque
from ccc.categories.forward import Forward
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.combinators import cross, curry, id_, primitive, prod, proj_left, proj_right, terminal, uncurry
from ccc.denotation import functor
from ccc.errors import CotangentMismatch
from ccc.laws.catalogue import chosen
from ccc.laws.checking import run
from ccc.laws.checks import Check
from ccc.laws.choices import Randomly
from ccc.laws.cotangents import same_cotangent
from ccc.laws.equality import EXACT, PullbackComparison
from ccc.laws.generate import FIRST_ORDER, FUNCTION, HIGHER_ORDER, PAIR, Generator
from ccc.laws.pullbacks import adequate, inner, linear, pure
from ccc.laws.strategies import arrows, generators, objects, points
from ccc.laws.subjects import name_of, over_floats, standard
from ccc.objects import REAL, Exponential, Product
from ccc.primitives.arithmetic import add as plus, mul
from ccc.primitives.primitive import Primitive, elementwise
from ccc.probes import vjp, vjp_probe
from ccc.theory import THEORY
from ccc.theory.functions import CURRY_ETA, CURRY_NATURAL
from ccc.theory.law import NUMBER, Law
from ccc.theory.products import SHARING

EXAMPLES = [16, pytest.param(40, marks=pytest.mark.nightly)]
REVERSE = [Reverse(exponential, EXACT) for exponential in (AdditiveMap(), Delta(), AnyDerivative())]
MUL, ADD = primitive(mul, NUMBER, NUMBER), primitive(plus, NUMBER, NUMBER)


def generator_of(n: int) -> Generator:
    return Generator(Randomly("test", n))


@pytest.mark.share(8)
@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("check", chosen(None), ids=lambda check: check.name)
def test_law(check: Check, examples: int) -> None:
    """As strong as the theory says, no weaker and, where it says up to ≅, no stronger."""
    for verdict in run(check, standard(), examples=examples):
        assert verdict, str(verdict)
        assert not (verdict.expected == "up to ≅" and verdict.outcome in ("tested", "proved")), str(verdict)


@pytest.mark.parametrize("check", chosen(["category", "products", "functions"]), ids=lambda check: check.name)
def test_law_on_floats(check: Check) -> None:
    for verdict in run(check, over_floats(), examples=6):
        assert verdict.holds, str(verdict)


def test_law_names_are_distinct() -> None:
    assert len({law.name for law in THEORY}) == len(THEORY)


@pytest.mark.parametrize("law", THEORY, ids=lambda law: law.name)
def test_both_sides_of_a_law_have_one_type(law: Law) -> None:
    left, right = law.pattern()
    assert (left.dom, left.cod) == (right.dom, right.cod)


# -- where Delta fails strictly, and only strictly -----------------------------------------------------------------

IDENTITY_VALUE = terminal(NUMBER) >> curry(proj_right(Product((Product(()), NUMBER))))  # t |-> (x |-> x)
SQUARED = Product((NUMBER, NUMBER))
X_Y_Y = prod(proj_left(SQUARED), prod(proj_right(SQUARED), proj_right(SQUARED)) >> MUL) >> MUL
SUMMED = Product((PAIR, NUMBER))
SUM_TIMES = prod(proj_left(SUMMED) >> ADD, proj_right(SUMMED)) >> MUL
DOUBLED = prod(id_(NUMBER), id_(NUMBER)) >> curry(SUM_TIMES)  # t |-> (x |-> (t + t) * x)
FAILURES = [
    ("eta", *CURRY_ETA.sides(IDENTITY_VALUE)),
    ("naturality", *CURRY_NATURAL.sides(proj_left(PAIR), X_Y_Y)),
    ("sharing through the environment", *CURRY_ETA.sides(DOUBLED)),
]


@pytest.mark.parametrize(("name", "left", "right"), FAILURES, ids=[name for name, *_ in FAILURES])
def test_delta_fails_strictly_and_holds_as_far_as_programs_observe(name: str, left: Arrow, right: Arrow) -> None:
    for k in REVERSE:
        comparison = PullbackComparison(k, generator_of(0))
        found = comparison.strictly(left, right, id_(left.dom))
        if k.exponential.name == "AdditiveMap":
            assert found is None
        else:
            assert found is not None
            assert found.what == "closures have different cotangent spaces"
        assert comparison.observed(left, right, id_(left.dom)) is None


def test_the_two_sides_of_eta_have_the_spaces_of_the_slides() -> None:
    k = Reverse(Delta(), EXACT)
    expanded, plain = CURRY_ETA.sides(IDENTITY_VALUE)
    closures = [functor(k, side)(Fraction(2))[0] for side in (expanded, plain)]
    assert [closure.environment for closure in closures] == [Fraction(2), ()]
    assert closures[0].apply(Fraction(5))[1](Fraction(1)) == (ZERO, 1)


def test_looking_into_delta_tells_equal_programs_apart() -> None:
    """A gradient step on the environment of a closure is no arrow: it breaks eta where programs could see it."""
    t, lr, x = Fraction(2), Fraction(1, 10), Fraction(3)
    k = Reverse(Delta(), EXACT)
    slopes: list[Fraction] = []
    for side in (DOUBLED, CURRY_ETA.sides(DOUBLED)[0]):
        closure, _ = functor(k, side)(t)
        delta, _ = closure.apply(x)[1](Fraction(1))
        if isinstance(closure.environment, tuple):
            a, b = closure.environment
            da, db = delta
            slopes.append(a - lr * da + b - lr * db)
        else:
            slopes.append(2 * (closure.environment - lr * delta))
    assert slopes == [Fraction(17, 5), Fraction(14, 5)]


# -- what pullbacks owe ------------------------------------------------------------------------------------------


def drawn(n: int, cods: tuple[Any, ...] = FIRST_ORDER + HIGHER_ORDER) -> tuple[Generator, Arrow, Arrow]:
    generator = generator_of(n)
    a, b = generator.object(n % 2), generator.pick(cods)
    return generator, generator.arrow(a, b, 3), generator.world(a)


@pytest.mark.parametrize("owed", [linear, pure], ids=lambda owed: owed.__name__)
@pytest.mark.parametrize("k", REVERSE, ids=name_of)
def test_pullbacks_are(owed: Any, k: Any) -> None:
    for n in range(120):
        generator, arrow, world = drawn(n)
        found = owed(PullbackComparison(k, generator), arrow, world)
        assert found is None, f"{arrow}\n{found}"


@pytest.mark.parametrize("k", REVERSE, ids=name_of)
def test_pullbacks_are_transposes_of_derivatives(k: Any) -> None:
    for n in range(150):
        generator = generator_of(n)
        arrow = generator.arrow(generator.object(0), generator.pick(FIRST_ORDER), 4)
        found = adequate(PullbackComparison(k, generator), arrow)
        assert found is None, f"{arrow}\n{found}"


def test_compositions_of_maps_whose_jacobians_do_not_commute() -> None:
    f = prod(MUL, ADD)  # (a, b) |-> (a b, a + b)
    g = prod(prod(proj_right(PAIR), proj_right(PAIR)) >> MUL, proj_left(PAIR))  # (a, b) |-> (b^2, a)
    _, pullback = vjp(f >> g, base=EXACT)((Fraction(2), Fraction(5)))
    assert pullback((Fraction(1), Fraction(10))) == (2 * 7 + 10 * 5, 2 * 7 + 10 * 2)


def test_the_exponentials_agree_and_forward_mode_is_the_transpose() -> None:
    forward = Forward(EXACT)
    for n in range(150):
        generator = generator_of(n)
        a, b = generator.object(0), generator.pick(FIRST_ORDER)
        arrow = generator.arrow(a, b, 4)
        x, v = generator.point(a), generator.point(a)
        results = [vjp(arrow, exponential=k.exponential, base=EXACT)(x) for k in REVERSE]
        plain = functor(Functions(EXACT), arrow)(x)
        assert all(value == plain for value, _ in results)
        y, dy = functor(forward, arrow)((x, v))
        assert y == plain
        seed = PullbackComparison(REVERSE[0], generator).cotangent(plain, b)
        cts = [pullback(seed) for _, pullback in results]
        assert cts[0] == cts[1] == cts[2]
        assert inner(cts[0], v) == _paired(seed, dy)


def _paired(ct: Any, dy: Any) -> Any:
    """<ct, dy> where either may hold symbolic zeros."""
    if ct is ZERO or dy is ZERO or isinstance(dy, bool):
        return 0
    if isinstance(dy, tuple):
        return sum(map(_paired, ct, dy))
    return ct * dy


@pytest.mark.parametrize("exponential", [Delta(), AnyDerivative()], ids=lambda e: e.name)
def test_probes_of_the_simply_typed_curry_factor_through_environments(exponential: Any) -> None:
    for n in range(60):
        generator = generator_of(n)
        h = generator.arrow(PAIR, FUNCTION, 3)
        t = generator.point(PAIR)
        probes = [(generator.number(), generator.number()) for _ in range(3)]
        probes.append(probes[0])
        assert vjp_probe(h, t, probes, exponential=exponential, base=EXACT) == vjp_probe(
            h, t, probes, exponential=AdditiveMap(), base=EXACT
        )


@settings(max_examples=10, deadline=None, derandomize=True)
@given(generators(), objects(order=0), objects(), st.data())
def test_curry_undoes_uncurry_for_every_generated_arrow(generator: Generator, a: Any, b: Any, data: Any) -> None:
    h = data.draw(arrows(a, Exponential(NUMBER, b), depth=2))
    for k in REVERSE:
        assert PullbackComparison(k, generator).observed(curry(uncurry(h)), h, id_(a)) is None


@settings(max_examples=25, deadline=None, derandomize=True)
@given(points(PAIR), arrows(PAIR, NUMBER, depth=3))
def test_a_point_and_an_arrow_from_hypothesis(x: Any, f: Arrow) -> None:
    assert len({vjp(f, exponential=k.exponential, base=EXACT)(x)[1](Fraction(1)) for k in REVERSE}) == 1


# -- zero --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", REVERSE, ids=name_of)
def test_an_unused_closure_contributes_zero(k: Any) -> None:
    f = prod(curry(MUL), id_(NUMBER)) >> proj_right(Product((FUNCTION, NUMBER)))
    assert functor(k, f)(Fraction(3))[1](Fraction(5)) == 5
    _, pullback = functor(k, prod(curry(MUL), id_(NUMBER)))(Fraction(3))
    assert same_cotangent(pullback((ZERO, ZERO)), ZERO)
    assert pullback((ZERO, Fraction(0))) == 0


def _undefined_slope(ct: Any, y: Any, x: Any) -> tuple[Any, ...]:
    return (ct * float("inf"),)


def test_a_discarded_arrow_with_an_infinite_slope_does_no_harm() -> None:
    steep = Primitive("steep", lambda x: x, elementwise, "steep({})", _undefined_slope)
    f = prod(id_(REAL), primitive(steep, REAL)) >> proj_left(Product((REAL, REAL)))
    assert vjp(f)(0.0)[1](1.0) == 1.0


# -- the monoids of cotangents -----------------------------------------------------------------------------------

BOX, OTHER = "one", "another"
MONOIDS: dict[str, tuple[Any, Any, Any]] = {
    "numbers": (Fraction(1, 2), Fraction(3), Fraction(-7, 5)),
    "pairs": ((Fraction(1), ZERO), (ZERO, Fraction(2)), (Fraction(3), Fraction(4))),
    "partial pairs": (Components(2, {0: Fraction(1)}), (Fraction(5), ZERO), Components(2, {1: Fraction(2)})),
    "formal sums": (FormalSum((1, Fraction(2))), FormalSum((1, Fraction(-2))), FormalSum((4, Fraction(1)))),
    "boxes": (Opaque(BOX, Fraction(1)), Opaque(BOX, (ZERO)), Opaque(BOX, Fraction(2))),
    "pairs of boxes": ((Opaque(BOX, Fraction(1)), Fraction(0)), (ZERO, Fraction(0)), (ZERO, Fraction(1))),
    "lists": ([Fraction(1), ZERO], [ZERO, ZERO], [Fraction(2), Fraction(3)]),
}


@pytest.mark.parametrize("name", MONOIDS)
def test_cotangents_are_a_commutative_monoid(name: str) -> None:
    a, b, c = MONOIDS[name]
    assert same_cotangent(add(add(a, b), c), add(a, add(b, c)))
    assert same_cotangent(add(a, b), add(b, a))
    assert same_cotangent(add(a, ZERO), a)
    assert same_cotangent(add(ZERO, a), a)
    assert not same_cotangent(add(a, c), a)


def test_formal_sums_merge_but_do_not_forget() -> None:
    twice = FormalSum((3, Fraction(1))) + FormalSum((3, Fraction(1)))
    assert same_cotangent(twice, FormalSum((3, Fraction(2))))
    assert not same_cotangent(twice, FormalSum((3, Fraction(1))))
    assert same_cotangent(FormalSum((3, Fraction(0))), ZERO)
    assert twice.fold(lambda s, m: s * m) == 6


def test_any_derivative_zero_equals_a_box_of_zero_both_ways() -> None:
    box = Opaque(BOX, (Fraction(0), ZERO))
    assert box == ZERO
    assert (box == ZERO) is True  # the reflected comparison
    assert Opaque(BOX, Fraction(0)) != Opaque(OTHER, Fraction(0))
    assert Opaque(BOX, (Opaque(OTHER, Fraction(0)), ZERO)) == ZERO
    assert Opaque(BOX, Fraction(1)) != ZERO
    assert box + ZERO is box
    assert ZERO + box is box


@pytest.mark.parametrize(("a", "b"), [
    (Opaque(BOX, Fraction(1)), Opaque(OTHER, Fraction(1))),
    (Opaque(BOX, Fraction(1)), FormalSum((1, Fraction(1)))),
    (FormalSum((1, Fraction(1))), Fraction(1)),
    ((Opaque(BOX, 1), ZERO), (Opaque(OTHER, 1), ZERO)),
    ((Fraction(1), ZERO), (ZERO, ZERO, ZERO)),
    ((Fraction(1), ZERO), Fraction(1)),
    (Fraction(1), (Fraction(1), ZERO)),
    ([Fraction(1)], [Fraction(1), ZERO]),
])
def test_cotangents_of_different_spaces_are_not_added(a: Any, b: Any) -> None:
    with pytest.raises(CotangentMismatch):
        add(a, b)


def test_any_derivative_unboxes_only_its_own() -> None:
    k = Reverse(AnyDerivative(), EXACT)
    first, second = (functor(k, curry(MUL))(Fraction(2)) for _ in range(2))
    other = functor(k, curry(ADD))(Fraction(2))
    box, _ = first[0].apply(Fraction(3))[1](Fraction(1))
    assert first[1](box) == 3
    with pytest.raises(CotangentMismatch, match="a cotangent of an unnamed closure reached an unnamed closure"):
        other[1](box)
    with pytest.raises(CotangentMismatch, match="Fraction is not a boxed cotangent"):
        first[1](Fraction(1))
    assert second[1](ZERO) is ZERO


def test_spaces_are_stable_when_a_term_is_read_or_run_again() -> None:
    term = curry(MUL)
    k = Reverse(AnyDerivative(), EXACT)
    box, _ = functor(k, term)(Fraction(2))[0].apply(Fraction(3))[1](Fraction(1))
    assert functor(k, term)(Fraction(2))[1](box) == 3


def test_sharing_sums_what_both_uses_contribute() -> None:
    left, right = SHARING.sides(cross(id_(NUMBER), id_(NUMBER)) >> MUL, ADD)
    for side in (left, right):
        assert vjp(side, base=EXACT)((Fraction(2), Fraction(5)))[1](Fraction(1)) == (10, 4)
