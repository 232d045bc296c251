"""What a category of derivatives owes besides equations of arrows: additive and pure pullbacks that transpose the
derivative, cotangents that are commutative monoids, exponentials that agree.

    pb 0 = 0,  pb (a + b) = pb a + pb b          <pb w, v> = <w, J v>          (a + b) + c = a + (b + c),  a + b = b + a

>>> [check.name for check in OBLIGATIONS if check.section == "cotangents"]
['sum-associative', 'sum-commutative', 'sum-unit', 'formal-sums', 'boxes']

References: *The Differentiable Curry* ("Need a notion of ≅ that respects 0 and +", "Dependent types? Swift is not
dependently-typed…").
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from ccc.additive import ZERO, add, parts
from ccc.arrows import Arrow, Curry, Id
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, FormalSum, Opaque
from ccc.categories.forward import Forward
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.denotation import functor
from ccc.errors import CotangentMismatch
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.cotangents import nothing_of, same_cotangent
from ccc.laws.equality import Comparison, Difference, PullbackComparison
from ccc.laws.generate import EVERYTHING, NUMBER, PAIR, Generator, is_first_order
from ccc.laws.pullbacks import adequate, inner, linear, perturbed, pure, split
from ccc.laws.scalars import EXACT, RATIONALS
from ccc.laws.subjects import Subject
from ccc.objects import Exponential, Product


@dataclass(frozen=True, slots=True)
class Sample:
    """An arrow, and a generalised element of its domain."""

    arrow: Arrow
    world: Arrow

    def named(self) -> list[tuple[str, Arrow]]:
        """The arrow, and the element where it is not the identity."""
        return [("f", self.arrow), *([] if isinstance(self.world, Id) else [("world", self.world)])]


def any_arrow(generator: Generator, i: int) -> Sample:
    """Any arrow; every second one between objects that may hold functions.

    >>> from ccc.laws.choices import Replayed
    >>> print(any_arrow(Generator(Replayed([])), 0).arrow)
    id
    """
    a, b = generator.object(i % 2), generator.object(1)
    return Sample(generator.arrow(a, b, 3), generator.world(a))


LOOPS = frozenset({"iterate", "unfold", "scan", "fix"})


def without_loops(generator: Generator, i: int) -> Sample:
    """An arrow of the combinators that neither loop nor recur."""
    return any_arrow(Generator(generator, generator.features - LOOPS), i)


def first_order(generator: Generator, i: int) -> Sample:
    """An arrow between first-order objects."""
    a, b = generator.object(0), generator.object(0)
    return Sample(generator.arrow(a, b, 4), Id(a))


def to_function(generator: Generator, i: int) -> Sample:
    """An arrow from a first-order object to functions of first-order objects."""
    a, cod = generator.object(0), Exponential(generator.pick((NUMBER, PAIR)), NUMBER)
    return Sample(generator.arrow(a, cod, 3), Id(a))


def _exact(comparison: Comparison) -> None:
    if comparison.numbers is not RATIONALS:
        raise Discarded  # dual numbers and probes are of exact rationals


# -- pullbacks -------------------------------------------------------------------------------------------------------


def _linear(comparison: Any, sample: Sample) -> Judged:
    return Judged(linear(comparison, sample.arrow, sample.world))


def _pure(comparison: Any, sample: Sample) -> Judged:
    return Judged(pure(comparison, sample.arrow, sample.world))


def _adequate(comparison: Any, sample: Sample) -> Judged:
    _exact(comparison)
    return Judged(adequate(comparison, sample.arrow))


def _transposed(comparison: Any, sample: Sample) -> Judged:
    """Reverse mode against forward mode."""
    x, f = comparison.point(sample.arrow.dom), sample.arrow
    v = comparison.numbers.read(comparison.draw.point(f.dom))
    y, dy = functor(Forward(comparison.numbers.base), f)((x, _smooth(v)))
    value, pb = comparison.read(f)(x)
    if value != y:
        return Judged(Difference("the values of the two modes differ", x, None, value, y))
    seed = comparison.cotangent(value, f.cod)
    left, right = inner(pb(seed), v), _paired(seed, dy)
    return Judged(None if left == right else Difference("<pb w, v> is not <w, dy>", (x, v), seed, left, right))


def _paired(ct: Any, dy: Any) -> Any:
    """<ct, dy> where either may hold symbolic zeros."""
    if ct is ZERO or dy is ZERO:
        return 0
    if isinstance(dy, (tuple, list)):
        return sum(map(_paired, parts(ct, len(dy)) if isinstance(dy, tuple) else ct, dy))  # type: ignore[arg-type]
    if isinstance(ct, tuple):
        return sum(map(_paired, ct, parts(dy, len(ct))))  # type: ignore[arg-type]
    return ct * dy


def of_sums(comparison: Any) -> Any:
    """The category with formal sums as cotangents of functions; ours where a reverse mode is not ours, or has its own
    curry."""
    if not isinstance(comparison.k, Reverse) or comparison.k.own_curry:
        return Reverse(AdditiveMap(), comparison.numbers.base)
    found = comparison.k.over(comparison.k.base)
    found.exponential = AdditiveMap()
    return found


def _agrees(comparison: Any, sample: Sample) -> Judged:
    """The exponential against AdditiveMap, which is free of choices."""
    f = sample.arrow
    reference = PullbackComparison(of_sums(comparison), comparison.draw)
    x = comparison.point(f.dom)
    return Judged(comparison.lifted(comparison.read(f)(x), reference.read(f)(x), f.cod, x))


def _factors(comparison: Any, sample: Sample) -> Judged:
    """The pullback of a function's calls through its environment, against that of their formal sum."""
    h, k = sample.arrow, comparison.k
    reference = of_sums(comparison)
    assert isinstance(h.cod, Exponential)
    t = comparison.point(h.dom)
    calls = [(comparison.point(h.cod.dom), comparison.number()) for _ in range(2 + comparison.draw.below(12))]
    calls.append(calls[0])
    found = [_through(category, h, t, calls) for category in (k, reference)]
    if same_cotangent(*found):
        return Judged()
    return Judged(Difference("the calls mean different cotangents", t, calls, *found))


def _through(k: Any, h: Arrow, t: Any, calls: list[tuple[Any, Any]]) -> Any:
    closure, pb = functor(k, h)(t)
    application = k.eval(h.cod)
    total: Any = ZERO
    for s, gr in calls:
        total = add(total, parts(application((closure, s))[1](gr), 2)[0])
    return pb(total)


def _combined(comparison: Any, sample: Sample) -> Judged:
    """Additivity of what the category has: pullbacks or tangents."""
    if isinstance(comparison, PullbackComparison):
        return _linear(comparison, sample)
    if not is_first_order(sample.arrow.dom):
        raise Discarded  # a tangent of a function is one of what it captured
    return _tangents_linear(comparison, sample)


# -- tangents --------------------------------------------------------------------------------------------------------


def _tangents_linear(comparison: Any, sample: Sample) -> Judged:
    f = comparison.read(sample.arrow)
    x = comparison.point(sample.arrow.dom)
    v, w = comparison.tangent(x), comparison.tangent(x)
    (_, a), (_, b), (_, both), (_, none) = [f((x, d)) for d in (v, w, add(v, w), ZERO)]
    if not same_cotangent(both, add(a, b)):
        return Judged(Difference("the tangent is not additive", x, (v, w), both, add(a, b)))
    return Judged(None if same_cotangent(none, ZERO) else Difference("0 is not pushed to 0", x, None, none, ZERO))


def _tangents_adequate(comparison: Any, sample: Sample) -> Judged:
    _exact(comparison)
    f = sample.arrow
    x, v = comparison.draw.point(f.dom), comparison.draw.point(f.dom)
    y, dy = split(functor(Functions(EXACT), f)(perturbed(x, v)))
    value, tangent = comparison.read(f)((x, _smooth(v)))
    if value != y:
        return Judged(Difference("values differ", x, None, value, y))
    return Judged(None if same_cotangent(tangent, dy) else Difference("tangents differ", (x, v), None, tangent, dy))


def _smooth(v: Any) -> Any:
    """A tangent: nothing where the value is discrete."""
    if isinstance(v, (tuple, list)):
        return type(v)([_smooth(part) for part in v])  # type: ignore[arg-type]
    return ZERO if isinstance(v, bool) else v


# -- cotangents as monoids -------------------------------------------------------------------------------------------


def _three(comparison: Any, sample: Sample) -> tuple[Any, list[Any]]:
    point, v, _ = comparison.image(sample.arrow, sample.world)
    return point, [comparison.cotangent(v, sample.arrow.cod) for _ in range(3)]


def _law_of_sums(what: str, sides: Callable[[Any, Any, Any], tuple[Any, Any]]) -> Callable[[Any, Sample], Judged]:
    def judge(comparison: Any, sample: Sample) -> Judged:
        point, (a, b, c) = _three(comparison, sample)
        left, right = sides(a, b, c)
        return Judged(None if same_cotangent(left, right) else Difference(what, point, (a, b, c), left, right))

    return judge


def _formal_sums(comparison: Any, sample: Sample) -> Judged:
    """What the pullback of `curry` makes of formal sums respects the quotient: zeros, merged keys, order."""
    f, k = sample.arrow, comparison.k
    assert isinstance(f.cod, Exponential)
    t, _, pb = comparison.image(f, sample.world)
    s, r = comparison.point(f.cod.dom), comparison.point(f.cod.dom)
    a, b = comparison.number(), comparison.number()
    assert isinstance(k.exponential, AdditiveMap)
    sums = [
        ("(s, 0) is not 0", FormalSum((s, comparison.numbers.read(Fraction(0)))), ZERO),
        ("(s, a) + (s, b) is not (s, a + b)", FormalSum((s, a)) + FormalSum((s, b)), FormalSum((s, a + b))),
        ("(s, a) + (s, a) is not (s, a + a)", FormalSum((s, a)) + FormalSum((s, a)), FormalSum((s, a + a))),
        ("the order of a sum matters", FormalSum((s, a)) + FormalSum((r, b)), FormalSum((r, b)) + FormalSum((s, a))),
        ("the empty sum is not 0", FormalSum(), ZERO),
    ]
    for what, left, right in sums:
        if not same_cotangent(pb(left), pb(right)) or not same_cotangent(left, right):
            return Judged(Difference(what, t, (s, r), pb(left), pb(right)))
    return Judged(_long_sum(comparison, f.cod, t, pb))


def _long_sum(comparison: Any, a: Exponential, t: Any, pb: Callable[[Any], Any]) -> Difference | None:
    """A sum of many pairs, however it is nested, is pulled back to the sum of what each of them is."""
    size = 2 + comparison.draw.below(4 if comparison.draw.chance(25) else 40)
    pairs = [FormalSum((comparison.point(a.dom), comparison.number())) for _ in range(size)]
    expected: Any = ZERO
    for pair in pairs:
        expected = add(expected, pb(pair))
    halves = list(pairs)
    while len(halves) > 1:
        halves = [add(*halves[i : i + 2]) if halves[i + 1 :] else halves[i] for i in range(0, len(halves), 2)]
    nested = (("from the left", reduce(add, pairs)), ("from the right", reduce(lambda x, y: add(y, x), pairs[::-1])),
              ("in halves", halves[0]))
    for how, total in nested:
        if not same_cotangent(pb(total), expected):
            return Difference(f"a sum of {size} pairs, {how}, is not the sum of each", t, total, pb(total), expected)
    return None


def _boxes(comparison: Any, sample: Sample) -> Judged:
    """The opaque zero is a unit and equals a box of zeros, and boxes of different closures are not mixed."""
    closure, pb = comparison.read(sample.arrow)(comparison.point(sample.arrow.dom))
    payload = comparison.environment_cotangent(closure.environment)
    box = Opaque(closure.space, payload)
    zero = comparison.k.exponential.zero(nothing_of(payload), closure.space)
    other = Opaque("another closure", payload)
    facts = [
        ("0 + box is not the box", same_cotangent(add(ZERO, box), box)),
        ("a box of 0 + box is not the box", same_cotangent(add(zero, box), box)),
        ("box + 0 is not the box", same_cotangent(add(box, ZERO), box)),
        ("a box of 0 is not 0", zero == ZERO and operator.eq(ZERO, zero)),
        ("a box of 0 is not pulled back to 0", same_cotangent(pb(zero), ZERO)),
        ("0 is not pulled back to 0", same_cotangent(pb(ZERO), ZERO)),
        ("boxes are not added inside", same_cotangent(add(box, box), Opaque(closure.space, add(payload, payload)))),
        ("boxes of two closures were added", _mismatch(lambda: add(box, other))),
        ("the box of another closure was opened", _mismatch(lambda: pb(other))),
    ]
    wrong = next((what for what, holds in facts if not holds), None)
    return Judged(None if wrong is None else Difference(wrong, sample.world.dom, None, box, zero))


def _mismatch(run: Callable[[], Any]) -> bool:
    try:
        run()
    except CotangentMismatch:
        return True
    return False


def _closure(generator: Generator, i: int) -> Sample:
    a = generator.object(0)
    return Sample(Curry(generator.arrow(Product((a, generator.pick((NUMBER, PAIR)))), NUMBER, 3)), Id(a))


def _of(kind: str) -> Callable[[Subject], bool]:
    return lambda subject: subject.kind == kind


def _derivative(kind: str) -> Callable[[Subject], bool]:
    """True for derivatives of numbers: those of this project, and those of users whose elements are numbers."""
    return lambda subject: (
        subject.kind == kind and subject.point is None and getattr(subject.category, "differentiates", True))


def _ours(subject: Subject) -> bool:
    """True where closures are those of this project."""
    return subject.kind == "pullbacks" and isinstance(subject.category, Reverse)


def _exponential(cls: type) -> Callable[[Subject], bool]:
    return lambda subject: subject.kind == "pullbacks" and type(subject.exponential) is cls


def _sound(comparison: Any, sample: Sample) -> Judged:
    return Judged(comparison.unsound(sample.arrow))


OBLIGATIONS: tuple[Check, ...] = (
    Check("sound", "soundness", "if x stands for v, then f x stands for f v", first_order, _sound,
          applies=lambda subject: subject.kind == "layers" and subject.category.of_numbers),
    Check("pullback-linear", "pullbacks", "pb 0 = 0 and pb (a + b) = pb a + pb b", any_arrow, _linear,
          applies=_of("pullbacks")),
    Check("combinators-linear", "pullbacks", "without loops and recursion derivatives are additive, with 0 at 0",
          without_loops, _combined, EVERYTHING - LOOPS,
          applies=lambda subject: subject.kind in ("pullbacks", "tangents")),
    Check("pullback-pure", "pullbacks", "a pullback called again, or between calls of another, gives the same",
          any_arrow, _pure, applies=_of("pullbacks")),
    Check("pullback-adequate", "pullbacks", "<pb w, v> = <w, J v>, J from dual numbers", first_order, _adequate,
          applies=_derivative("pullbacks")),
    Check("pullback-transpose", "pullbacks", "<pb w, v> = <w, dy>, dy from forward mode", first_order, _transposed,
          applies=_derivative("pullbacks")),
    Check("exponentials-agree", "pullbacks", "between first-order objects all exponentials are equal", first_order,
          _agrees, EVERYTHING, applies=_derivative("pullbacks")),
    Check("calls-factor", "pullbacks", "a cotangent of calls, through any exponential, is that of their formal sum",
          to_function, _factors, EVERYTHING, applies=_ours),
    Check("tangent-linear", "tangents", "d 0 = 0 and d (v + w) = d v + d w", first_order, _tangents_linear,
          applies=_of("tangents")),
    Check("tangent-adequate", "tangents", "dy = J v, J from dual numbers", first_order, _tangents_adequate,
          applies=_derivative("tangents")),
    Check("sum-associative", "cotangents", "(a + b) + c = a + (b + c)", any_arrow,
          _law_of_sums("+ is not associative", lambda a, b, c: (add(add(a, b), c), add(a, add(b, c)))),
          applies=_of("pullbacks")),
    Check("sum-commutative", "cotangents", "a + b = b + a", any_arrow,
          _law_of_sums("+ is not commutative", lambda a, b, c: (add(a, b), add(b, a))), applies=_of("pullbacks")),
    Check("sum-unit", "cotangents", "a + 0 = a = 0 + a", any_arrow,
          _law_of_sums("0 is no unit", lambda a, b, c: ((add(a, ZERO), add(ZERO, a)), (a, a))),
          applies=_of("pullbacks")),
    Check("formal-sums", "cotangents", "(s, 0) = 0, (s, a) + (s, b) = (s, a + b), in any order", _closure, _formal_sums,
          frozenset({"curry"}), applies=_exponential(AdditiveMap)),
    Check("boxes", "cotangents", "0 is a box of 0; boxes of one closure are added, those of two refused", _closure,
          _boxes, frozenset({"curry"}), applies=_exponential(AnyDerivative)),
)
