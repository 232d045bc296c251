"""The rule of a primitive: its slope is that of its value, its two modes are transposes, and it has a derivative again.

    <pb w, v> = <w, dy>        (f (x + h v) - f (x - h v)) / 2 h  ->  dy        pb (a + b) = pb a + pb b

>>> from ccc.primitives.arithmetic import mul
>>> subject, checks = rule_checks(mul, (), {}, None)
>>> subject.name, len(checks)
('the rule of mul', 6)

References: Nicholas Higham, *Accuracy and Stability of Numerical Algorithms*, section 1.14.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, add, dense, parts
from ccc.arrows import Arrow, Prim
from ccc.categories.exponentials import Delta
from ccc.categories.forward import Forward
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.combinators import primitive
from ccc.denotation import functor
from ccc.errors import CCCError
from ccc.laws.checks import Check, Discarded, Judged, unproved
from ccc.laws.elementwise import AVAILABLE, every_proof, primitives, rule_proof
from ccc.laws.equality import Difference, PlainPullbackComparison
from ccc.laws.errors import NotJudged
from ccc.laws.generate import Generator
from ccc.laws.scalars import RATIONALS
from ccc.laws.staging import derivative
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Proof
from ccc.objects import REAL, Array, Bool, Exponential, Int, List, Object, Product, Real, functions_in
from ccc.primitives.primitive import Primitive

STEPS = (2.0**-8, 2.0**-12, 2.0**-16)
ROUNDING = 2.0**-46


@dataclass(frozen=True, slots=True)
class Application:
    """A primitive at arguments, with a direction and a cotangent."""

    arrow: Arrow
    x: Any
    v: Any
    w: float

    def named(self) -> list[tuple[str, Any]]:
        """The primitive and its arguments."""
        return [("f", self.arrow), ("x", self.x)]


def rule_checks(
    p: Primitive, objects: Sequence[Object], params: dict[str, Any], point: Callable[[Generator], Any] | None
) -> tuple[Subject, list[Check]]:
    """The checks of a rule, and what they are reported of.

    Raises `NotJudged` where objects hold functions.
    """
    if not isinstance(p, Primitive):
        raise NotJudged(f"`{getattr(p, '__name__', type(p).__name__)}` is no primitive",
                        "compare a function's derivative with `ccc.check_derivative(f, ...)`")
    arrow = primitive(p, *(objects or (REAL,) * arity(p)), **params)
    if any(True for a in (arrow.dom, arrow.cod) for _ in functions_in(a, "argument")):
        raise NotJudged(f"`{p.name}` takes or gives a function: its laws are those of a combinator",
                        "judge its category: `laws.check(...)`")

    def draw(generator: Generator, i: int) -> Application:
        x = point(generator) if point is not None else value_of(arrow.dom, generator)
        return Application(arrow, x, value_of(arrow.dom, generator), generator.below(2000) / 1000 - 1 or 0.5)

    facts = (
        ("rule-slope", "dy is the limit of differences of the value", _slope),
        ("rule-transpose", "<pb w, v> = <w, dy>", _transpose),
        ("rule-linear", "pb (a + b) = pb a + pb b", _linear),
        ("rule-pure", "the pullback called again gives the same", _pure),
        ("rule-zero", "a cotangent of numbers 0 is pulled back to numbers 0", _zero),
        ("rule-second", "the gradient of <w, f> has the slope of its differences", _second),
    )
    checks = [
        Check(name, "rule", statement, draw, _defined(judge), prove=_proved(p) if name in FOLLOWING else unproved)
        for name, statement, judge in facts
    ]
    return Subject(Reverse(), name=f"the rule of {p.name}", kind="pullbacks"), checks


FOLLOWING = frozenset({"rule-slope", "rule-transpose", "rule-linear"})  # from pullback and differential being slopes


def _proved(p: Primitive) -> Callable[[Subject], Proof | None]:
    return lambda subject: rule_proof(p)


def any_rule(generator: Generator, i: int) -> Application:
    """An elementwise primitive at real numbers, one after another; at times one of several arguments is 2, of which
    rules may know more.

    >>> from ccc.laws.choices import Replayed
    >>> print(any_rule(Generator(Replayed([])), 0).arrow)
    abs
    """
    p = elementwise_arrows()[i % len(elementwise_arrows())]
    x = value_of(p.dom, generator)
    if isinstance(x, tuple) and generator.chance(40):
        at = generator.below(len(x))
        x = (*x[:at], 2.0, *x[at + 1 :])
    return Application(p, x, value_of(p.dom, generator), generator.below(2000) / 1000 - 1 or 0.5)


@cache
def elementwise_arrows() -> tuple[Arrow, ...]:
    """The elementwise primitives with a formula, as arrows of real numbers."""
    arrows: list[Arrow] = []
    for p in primitives():
        if p.name == "np.float32":  # whose values are too far apart for differences
            continue
        try:
            arrows.append(primitive(p, *(REAL,) * arity(p)))
        except (TypeError, CCCError):  # of any number of arguments, or one is no real number
            continue
    return tuple(arrows)


def arity(p: Primitive) -> int:
    """How many arguments a primitive takes, as its pullback says.

    >>> from ccc.primitives.arithmetic import mul, neg
    >>> arity(mul), arity(neg)
    (2, 1)

    Raises `NotJudged` where it takes any number.
    """
    if isinstance(p.value, np.ufunc):
        return p.value.nin
    try:
        parameters = inspect.signature(p.value).parameters.values()
        if all(parameter.kind is not parameter.VAR_POSITIONAL for parameter in parameters):
            return len(parameters)
    except ValueError:  # a function of C that says nothing
        pass
    slots = p.source.count("{}") if isinstance(p.source, str) else 0
    if not slots:
        raise NotJudged(f"`{p.name}` takes any number of arguments",
                        "say at which objects to check it: `laws.check_rule(rule, REAL, REAL)`")
    return slots


def value_of(a: Object, generator: Generator) -> Any:
    """A value of an object over floats, near one.

    >>> from ccc.laws.choices import Randomly
    >>> 0.5 <= value_of(REAL, Generator(Randomly(0))) <= 1.5
    True
    """
    def number() -> float:
        return 0.5 + generator.below(4096) / 4096

    match a:
        case Product(items):
            return tuple([value_of(item, generator) for item in items])
        case Array(dtype, axes):
            shape = [1 if axis == "1" else 3 for axis in (axes or ("n",))]
            return np.array([number() for _ in range(math.prod(shape))], dtype).reshape(shape)
        case List(item):
            return [value_of(item, generator) for _ in range(2)]
        case Bool():
            return generator.chance(50)
        case Int():
            return generator.below(4)
        case Real() | Exponential():
            return number()
        case _:
            raise NotJudged(f"no values of {a} are known", "draw the arguments yourself: `point=lambda draw: ...`")


def _defined(judge: Callable[[Application], Difference | None]) -> Callable[[Any, Application], Judged]:
    """The judgement where the primitive is defined at the arguments."""

    def judged(comparison: Any, example: Application) -> Judged:
        try:
            with np.errstate(all="ignore"):
                y = functor(Functions(), example.arrow)(example.x)
        except (ValueError, ArithmeticError) as error:
            raise Discarded from error
        if not all(map(math.isfinite, numbers_in(y))):
            raise Discarded
        with np.errstate(all="ignore"):
            return Judged(judge(example))

    return judged


def numbers_in(y: Any) -> list[float]:
    """The real numbers in a value or cotangent, from left to right.

    >>> numbers_in((1.0, [2.0, True], np.ones(2)))
    [1.0, 2.0, 1.0, 1.0]
    """
    y = dense(y)
    if isinstance(y, (tuple, list)):
        return [number for part in y for number in numbers_in(part)]  # type: ignore[arg-type]
    if isinstance(y, np.ndarray):
        return [float(number) for number in y.ravel()] if y.dtype.kind == "f" else []
    return [float(y)] if isinstance(y, (float, np.floating)) else []


def paired(ct: Any, v: Any) -> float:
    """<ct, v>, where either may hold symbolic zeros.

    >>> paired((2.0, ZERO), (3.0, 4.0))
    6.0
    """
    ct, v = dense(ct), dense(v)
    if isinstance(ct, Zero) or isinstance(v, Zero) or ct is None or v is None or isinstance(v, (bool, int)):
        return 0.0
    if isinstance(v, tuple):
        return math.fsum([paired(c, d) for c, d in zip(parts(ct, len(v)), v, strict=True)])  # type: ignore[arg-type]
    if isinstance(v, list):
        return math.fsum([paired(c, d) for c, d in zip(ct, v, strict=True)])  # type: ignore[arg-type]
    return float(np.sum(np.asarray(ct) * np.asarray(v)))


def ones(y: Any, w: float) -> Any:
    """The cotangent `w` at every real number of a value."""
    if isinstance(y, (tuple, list)):
        return type(y)([ones(part, w) for part in y])  # type: ignore[arg-type]
    if isinstance(y, np.ndarray):
        return np.full(y.shape, w, y.dtype) if y.dtype.kind == "f" else ZERO
    return type(y)(w) if isinstance(y, (float, np.floating)) else ZERO


def moved(x: Any, v: Any, h: float) -> Any:
    """`x + h v`, at every real number."""
    if isinstance(x, (tuple, list)):
        return type(x)([moved(a, b, h) for a, b in zip(x, v, strict=True)])  # type: ignore[arg-type]
    if isinstance(x, np.ndarray):
        return x + h * v if x.dtype.kind == "f" else x
    return x + h * v if isinstance(x, (float, np.floating)) else x


def limit(f: Callable[[float], float]) -> tuple[float, float]:
    """The slope of `f` at 0 from central differences, and a bound of its error: what the last refinement changed, and
    rounding.

    >>> slope, error = limit(lambda h: (1.0 + h) ** 2)
    >>> abs(slope - 2.0) <= error < 1e-6
    True
    """
    found: list[float] = []
    scale = 0.0
    for h in STEPS:
        a, b = f(h), f(-h)
        scale = max(scale, abs(a), abs(b))
        found.append((a - b) / (2 * h))
    sharper = [(256 * fine - coarse) / 255 for coarse, fine in pairwise(found)]
    error = 4 * abs(sharper[1] - sharper[0]) + 4 * abs(found[-1] - sharper[1]) + ROUNDING * (1 + scale) / STEPS[-1]
    return sharper[1], error


def _gradient(example: Application, x: Any, k: Any = None) -> tuple[Any, Any]:
    y, pb = functor(k or Reverse(), example.arrow)(x)
    return y, pb(ones(y, example.w))


def _slope(example: Application, k: Any = None) -> Difference | None:
    x, v, w, f = example.x, example.v, example.w, functor(Functions(), example.arrow)
    y, ct = _gradient(example, x, k)
    try:
        expected, error = limit(lambda h: paired(ones(y, w), f(moved(x, v, h))))
    except (ValueError, ArithmeticError) as undefined:
        raise Discarded from undefined
    if not math.isfinite(error):
        raise Discarded
    found = paired(ct, v)
    close = abs(found - expected) <= error + 1e-9 * abs(expected)
    return None if close else Difference(f"<pb {w}, {v}> is not the slope of the value", x, w, found, expected)


def _transpose(example: Application) -> Difference | None:
    x, v, w = example.x, example.v, example.w
    y, ct = _gradient(example, x)
    _, dy = functor(Forward(), example.arrow)((x, v))
    left, right = paired(ct, v), paired(dy, ones(y, w))
    scale = 1 + sum(map(abs, numbers_in(ct))) + sum(map(abs, numbers_in(dy)))
    close = abs(left - right) <= ROUNDING * 64 * scale
    return None if close else Difference("<pb w, v> is not <w, dy>", (x, v), w, left, right)


def _linear(example: Application) -> Difference | None:
    y, pb = functor(Reverse(), example.arrow)(example.x)
    a, b = ones(y, example.w), ones(y, 2.0)
    left, right = numbers_in(pb(add(a, b))), numbers_in(add(pb(a), pb(b)))
    scale = 1 + sum(map(abs, left)) + sum(map(abs, right))
    close = len(left) == len(right) and all(abs(p - q) <= ROUNDING * scale for p, q in zip(left, right, strict=True))
    return None if close else Difference("the pullback is not additive", example.x, (a, b), left, right)


def _pure(example: Application) -> Difference | None:
    y, pb = functor(Reverse(), example.arrow)(example.x)
    a, b = ones(y, example.w), ones(y, 5.0)
    first, _, again = numbers_in(pb(a)), pb(b), numbers_in(pb(a))
    return None if first == again else Difference("the pullback changes when called again", example.x, a, first, again)


def _zero(example: Application) -> Difference | None:
    y, pb = functor(Reverse(), example.arrow)(example.x)
    found = numbers_in(pb(ones(y, 0.0)))
    return None if not any(found) else Difference("a cotangent of 0 is not pulled back to 0", example.x, 0, found, 0)


def _second(example: Application) -> Difference | None:
    """The slope of the gradient along `v`: the pullback computed on dual numbers, against its differences."""
    x, v, w = example.x, example.v, example.w
    y = functor(Functions(), example.arrow)(x)
    if not isinstance(y, float) or not all(isinstance(part, float) for part in (x if isinstance(x, tuple) else (x,))):
        raise Discarded
    try:
        expected, error = limit(lambda h: paired(_gradient(example, moved(x, v, h))[1], v))
    except (ValueError, ArithmeticError) as undefined:
        raise Discarded from undefined
    if not math.isfinite(error):
        raise Discarded
    _, dct = functor(Forward(), derivative(example.arrow, Delta()))(((x, w), (v, ZERO)))
    found = paired(dct, v)
    close = abs(found - expected) <= error + 1e-9 * abs(expected)
    return None if close else Difference("the gradient has another slope", x, v, found, expected)


def _elementwise(comparison: Any, example: Application) -> Judged:
    """The pullback of a primitive against differences, its differential against the pullback; not at its poles."""

    def judge(example: Application) -> Difference | None:
        if isinstance(comparison, PlainPullbackComparison):
            return _slope_of_users(example, comparison.k)
        if not all(map(math.isfinite, numbers_in(_gradient(example, example.x)[1]))):
            raise Discarded
        return _slope(example) if isinstance(comparison.k, Reverse) else _transpose(example)

    return _defined(judge)(comparison, example)


def _slope_of_users(example: Application, k: Any) -> Difference | None:
    """The same where the rules are not this project's, and need not be there for all primitives."""
    name = example.arrow.primitive.name if isinstance(example.arrow, Prim) else ""
    try:
        return _slope(example, k)
    except (KeyError, AttributeError) as error:
        if name and name in str(error):
            raise Discarded(f"no rule of `{name}`") from None
        raise


def _of_numbers(subject: Subject) -> bool:
    """True for derivatives by the rules of this project, which sympy reads, and by those of users."""
    if not subject.known:
        return subject.kind == "pullbacks" and subject.point is None
    return AVAILABLE and subject.numbers is RATIONALS and subject.kind != "values"


RULES: tuple[Check, ...] = (
    Check("elementwise-rules", "primitives", "pullback and differential of elementwise primitives are the derivative",
          any_rule, _elementwise, frozenset({"primitive"}), applies=_of_numbers,
          prove=lambda subject: every_proof() if subject.known else None),
)
