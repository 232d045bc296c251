"""Arithmetic, comparisons and conversions: Python's operators and built-in functions on numbers and arrays.

    d(a + b) = da + db      d(a * b) = da * b + a * db      d(a / b) = da / b - (a / b) * db / b

At kinks the slope of least norm is taken: `abs` has slope 0 at 0, `max` and `min` share equally among equals. Rounding
is locally constant; so are `a // b` and, up to jumps, `a % b - a`.

>>> mul.pullback(1.0, 6.0, 2.0, 3.0), absolute.pullback(1.0, 0.0, 0.0), largest.pullback(1.0, 2.0, 2.0, 2.0)
((3.0, 2.0), (0.0,), (0.5, 0.5))
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.additive import Zero, total
from ccc.coproducts import join
from ccc.errors import UnknownObject
from ccc.objects import INT, REAL, Array, Bool, Int, List, Map, Object, Product, Real, Static
from ccc.primitives import domains
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import (
    divides_by_zero,
    first_not_single,
    goes_beyond,
    not_finite,
    several,
    several_or_not_finite,
    shifts_back,
    zero,
)
from ccc.primitives.facts import (
    AT_ZERO,
    DOWN,
    ENTRIES,
    MAGNITUDE,
    NEVER,
    NEW,
    NOWHERE,
    Refusal,
    jointly,
    may_be,
    separately,
)
from ccc.primitives.guarded import POWER, over0, share, signum, times0
from ccc.primitives.pointwise import flat, operation
from ccc.primitives.primitive import Primitive, by_sampling
from ccc.primitives.sizes import added, at_least, at_most
from ccc.wording import in_words

add = operation("add", operator.add, "{} + {}", lambda d, y, a, b: d, lambda d, y, a, b: d, exact=True, precedence=60,
                commutative=True, overwrites=0, linear=jointly(0, 1), adds=(0, 1), adding=True, raises=goes_beyond,
                ufunc=np.add, shape=lambda args, params: added(args[0].number, args[1].number, 1))
sub = operation("sub", operator.sub, "{} - {}", lambda d, y, a, b: d, lambda d, y, a, b: -d, exact=True, precedence=60,
                linear=jointly(0, 1), adds=(0,), raises=goes_beyond, ufunc=np.subtract,
                shape=lambda args, params: added(args[0].number, args[1].number, -1))
mul = operation(
    "mul", operator.mul, "{} * {}", lambda d, y, a, b: d * b, lambda d, y, a, b: d * a, exact=True, precedence=70,
    commutative=True, linear=separately(0, 1), adding=True, raises=goes_beyond, ufunc=np.multiply,
)
neg = operation("neg", operator.neg, "-{}", lambda d, y, a: -d, exact=True, precedence=80, linear=jointly(0),
    raises=NEVER, ufunc=np.negative)
pos = operation("pos", operator.pos, "+{}", lambda d, y, a: d, exact=True, precedence=80, linear=jointly(0),
    raises=NEVER)


def _never_zero(b: Any) -> bool:
    """True where the primal would have raised for `b == 0`: divisors that are Python's own. One that is known to be
    zero stands behind such a raise, which a program may have caught."""
    kind = kind_of(b)
    return isinstance(kind, (Real, Int)) and kind.kind in ("float", "fraction", "int") and not (
        isinstance(b, (int, float)) and b == 0)


def numerator_slope(d: Any, y: Any, a: Any, b: Any) -> Any:
    """`d / b`, the slope of `a / b` in `a`."""
    return d / b if _never_zero(a) and _never_zero(b) else over0(d, b)


def denominator_slope(d: Any, y: Any, a: Any, b: Any) -> Any:
    """`-d * (a / b) / b`, the slope of `a / b` in `b`."""
    return -(d * y / b) if _never_zero(a) and _never_zero(b) else -over0(times0(d, y), b)


def _of_python(objects: Sequence[Object], params: dict[str, Any]) -> bool:
    """Numbers that surely are Python's own."""
    return all(isinstance(a, (Real, Int, Bool)) and a.kind in ("float", "int", "bool") for a in objects)


BY_ZERO = Refusal(ZeroDivisionError, lambda a, b: equal(b, 0), _of_python)
"""What Python's own numbers raise where one of them is divided by zero."""
div = operation("div", operator.truediv, "{} / {}", numerator_slope, denominator_slope, exact=True, precedence=70,
                linear=jointly(0), raises=divides_by_zero, refusal=BY_ZERO, ufunc=np.divide, poles=(NOWHERE, AT_ZERO))
power = operation("power", operator.pow, "{} ** {}", *POWER, exact=True, precedence=90,
    raises=domains.power, powers=True)
absolute = operation("abs", operator.abs, "abs({})", lambda d, y, a: d * signum(a), exact=True,
                     bounds=MAGNITUDE, raises=NEVER, turns=AT_ZERO)
floordiv = flat("floordiv", operator.floordiv, "{} // {}", exact=True, precedence=70, whole=True,
    raises=divides_by_zero, refusal=BY_ZERO, poles=(NOWHERE, AT_ZERO))
mod = operation(
    "mod", operator.mod, "{} % {}", lambda d, y, a, b: d, lambda d, y, a, b: -times0(d, floordiv(a, b)),
    exact=True, precedence=70, whole=True, raises=divides_by_zero, refusal=BY_ZERO, remainder=DOWN,
)

less = flat("less", operator.lt, "{} < {}", exact=True, precedence=40, raises=NEVER)
less_equal = flat("less_equal", operator.le, "{} <= {}", exact=True, precedence=40, raises=NEVER)
greater = flat("greater", operator.gt, "{} > {}", exact=True, precedence=40, raises=NEVER)
greater_equal = flat("greater_equal", operator.ge, "{} >= {}", exact=True, precedence=40, raises=NEVER)
equal = flat("equal", operator.eq, "{} == {}", exact=True, precedence=40, commutative=True, raises=NEVER)
not_equal = flat("not_equal", operator.ne, "{} != {}", exact=True, precedence=40, commutative=True, raises=NEVER)
bit_and = flat("and", operator.and_, "{} & {}", exact=True, precedence=50, commutative=True, raises=goes_beyond)
bit_xor = flat("xor", operator.xor, "{} ^ {}", exact=True, precedence=48, commutative=True, raises=goes_beyond)
bit_or = flat("or", operator.or_, "{} | {}", exact=True, precedence=46, commutative=True, raises=goes_beyond)
invert = flat("invert", operator.invert, "~{}", exact=True, precedence=80, raises=NEVER)
left_shift = flat("lshift", operator.lshift, "{} << {}", exact=True, precedence=55, raises=shifts_back)
right_shift = flat("rshift", operator.rshift, "{} >> {}", exact=True, precedence=55, raises=shifts_back)


def _bool_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return Bool()


def _of_number(p: Primitive, args: tuple[Object, ...]) -> None:
    """Refuse to convert what holds several values, or is none of the program."""
    if isinstance(args[0], Static) and isinstance(args[0].value, str):
        p.value(args[0].value)  # raises what Python raises of a text that says no number
    if isinstance(args[0], (List, Map, Product, Static)):
        text = f"{p.name}() needs a number: found {in_words(args[0])}"
        knows = isinstance(args[0], Static) and args[0].value is not None  # what its class makes of it is not asked
        raise UnknownObject(text, "make the number outside") if knows else TypeError(text)


def _int_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    _of_number(p, args)
    return INT


def _float_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    _of_number(p, args)
    return REAL


logical_not = flat("not", operator.not_, "not {}", exact=True, precedence=35, type_rule=_bool_type, memory=NEW,
    raises=several)
both = flat("both", lambda a, b: a and b, "{} and {}", exact=True, precedence=34, type_rule=_bool_type, memory=NEW,
    raises=first_not_single)
truth = flat("truth", bool, "bool({})", exact=True, type_rule=_bool_type, memory=NEW, raises=several)
to_int = flat("int", int, "int({})", exact=True, type_rule=_int_type, memory=NEW, raises=several_or_not_finite)
to_float = operation("float", float, "float({})", lambda d, y, a: d, type_rule=_float_type, memory=NEW,
                     linear=jointly(0), raises=several)
to_float64 = operation("np.float64", np.float64, "np.float64({})", lambda d, y, a: d, type_rule=by_sampling,
                       memory=may_be(0), linear=jointly(0), raises=NEVER)
to_float32 = operation("np.float32", np.float32, "np.float32({})", lambda d, y, a: d, type_rule=by_sampling,
                       memory=may_be(0), linear=jointly(0), raises=NEVER)
rounded = flat("round", round, "round({})", exact=True, type_rule=by_sampling, memory=NEW, raises=not_finite)
rounded_to = flat("round_to", round, "round({}, {})", exact=True, type_rule=by_sampling, memory=NEW, raises=NEVER)


def base_of(a: Any, b: Any) -> Any:
    """What `a ** b` raises: an int becomes a float where it is raised to a negative int that is known.

    >>> base_of(2, -1), base_of(2, 1), base_of(np.int64(2), -1)
    (2.0, 2, np.int64(2))
    """
    whole = kind_of(a) in (INT, Bool()) and type(b) is int and b < 0
    return to_float(a) if whole else a


def _weight_sum(x: Any) -> Any:
    if np.any(x == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return np.positive(x)


weight_sum = operation("weight_sum", _weight_sum, "weight_sum({})", lambda d, y, x: d, memory=NEW,
                       linear=jointly(0), raises=zero)
"""A sum of weights, which raises `ZeroDivisionError` where it is zero, as `np.average` does."""


# -- the largest and the smallest of several scalars ------------------------------------------------------------


def _choice_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    found = args[0]
    for a in args:
        if isinstance(a, Array):
            raise TypeError(f"`{p.name}` compares scalars: found an array; write np.{p.name}imum")
        joined = join(found, a)
        if joined is None:
            raise TypeError(f"`{p.name}` needs numbers of one kind: found {in_words(found)} and {in_words(a)}")
        found = joined
    return found


def _choice_pullback(ct: Any, y: Any, *xs: Any) -> tuple[Any, ...]:
    return tuple([share(ct, y, x, *xs[:i], *xs[i + 1 :]) for i, x in enumerate(xs)])


def _choice_differential(ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
    return total([
        share(d, y, x, *xs[:i], *xs[i + 1 :])
        for i, (d, x) in enumerate(zip(ds, xs, strict=True)) if not isinstance(d, Zero)
    ])


largest = Primitive("max", max, _choice_type, lambda *xs: f"max({', '.join(xs)})", _choice_pullback,
                    _choice_differential, exact=True, chooses=True, memory=NEW, work=ENTRIES, raises=NEVER,
                    increasing=True, shape=lambda args, params: at_least([a.number for a in args]))
smallest = Primitive("min", min, _choice_type, lambda *xs: f"min({', '.join(xs)})", _choice_pullback,
                     _choice_differential, exact=True, chooses=True, memory=NEW, work=ENTRIES, raises=NEVER,
                     increasing=True, shape=lambda args, params: at_most([a.number for a in args]))
