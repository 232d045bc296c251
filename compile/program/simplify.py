"""Values that need no code, or less: what a derivative multiplies by one, negates twice or computes from constants.

Each rule has a name, is read from left to right, and says whether it is exact: then both sides are the same number, bit
for bit. One function tries those of a primitive in their order. They are asked about what derivatives compute, and
never about an operation that a user wrote: so values keep the bits of plain Python whatever a rule does.

>>> for rule in RULES:
...     print(f"{rule.name}: {rule.says}{'' if rule.exact else ' (not exact)'}")
spread-factor: broadcast_like(c, x) * x = c * x
times-one: 1.0 * x = x
times-minus-one: -1.0 * x = -x
negated-factor: -x * y = -(x * y)
negated-term: x + -y = x - y
sum-of-negated: unbroadcast(-x, y) = -unbroadcast(x, y) (not exact)
negation: -(-x * y) = x * y, -(-x) = x
quotient: over0(x, y) = x / y where y > 0 (not exact)
unit: unit(x, y) = x / y where y > 0
product: times0(x, y) = x * y where y is finite (not exact)
one-strong: both0(x, y) = times0(y, x) where x is finite (not exact)
real-power: where_real(d, a, n) = d where a >= 0

What is not exact may change the sign of a zero, or that of which one factor is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ccc.compile.program import ranges
from ccc.compile.program.lam import Apply, Branch, Lit, Loop, Var, While
from ccc.objects import Array, Int, Real, is_discrete
from ccc.primitives import arithmetic, broadcasting, guarded
from ccc.primitives.primitive import Primitive
from ccc.values import slotted


class Same:
    """A key that is equal for one object alone, which it keeps alive."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def identity(x: Any) -> Any:
    """A key that is equal for values which are surely the same."""
    if isinstance(x, Var):
        return x
    if isinstance(x, float):
        return (float, x, math.copysign(1.0, x)) if x == x else (float, "nan")
    return (type(x), x) if isinstance(x, (int, str, Fraction, bool)) else Same(x)


@slotted
class Rule:
    """A law read from left to right: `rewrite` gives the right side where arguments of `of` are a left side, else
    None."""

    name: str
    says: str
    of: Primitive
    rewrite: Callable[..., Any]
    exact: bool = True


def simplified(p: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """A value equal to `p(*args, **params)` that needs no code, or less; None where there is none. What has constants
    alone is computed."""
    if not any(isinstance(x, Var) for x in args):
        return _folded(p, args, params)
    for rule in _OF.get(p, ()):
        found = rule.rewrite(*args)
        if found is not None:
            return found
    return None


def _spread_factor(x: Any, y: Any) -> Any:
    """One of two numbers that were spread stays an array: their product has its shape."""
    a = _unspread(x, y)
    if a is not x:
        return a * y
    b = _unspread(y, x)
    return None if b is y else x * b


def _times_one(x: Any, y: Any) -> Any:
    for one, other in ((x, y), (y, x)):
        if type(one) is float and one == 1.0 and _real(other) and not _perhaps_int(other):
            return other
    return None


def _times_minus_one(x: Any, y: Any) -> Any:
    for one, other in ((y, x), (x, y)):
        if type(one) is float and one == -1.0 and _real(other):
            return -other
    return None


def _sum_of_negated(x: Any, like: Any) -> Any:
    inner = _opposite(x) if _real(x) and _real(like) else None  # a mask has no negative
    return None if inner is None else -broadcasting.unbroadcast(inner, like)


def _strong(x: Any, y: Any) -> bool:
    """Whether `x` is real, and `y` of a type that has the limits which `ranges` knows."""
    return (_real(x) or type(x) is float) and _double(y)


def _quotient(x: Any, y: Any) -> Any:
    return x / y if _strong(x, y) and ranges.positive(y) else None


def _product(x: Any, y: Any) -> Any:
    return x * y if _strong(x, y) and ranges.finite(y) else None


def _one_strong(x: Any, y: Any) -> Any:
    return guarded.times0(y, x) if _strong(x, y) and ranges.finite(x) else None


def _real_power(d: Any, a: Any, n: Any) -> Any:
    return d if ranges.not_negative(a) else None


def _opposite(x: Any) -> Any:
    """y where x is -y; None where it is not."""
    p, args = ranges.definition(x)
    return args[0] if p is arithmetic.neg and isinstance(args[0], Var) else None


def _negated_factor(a: Any, b: Any) -> Any:
    """-(x * b) for (-x) * b: what adds it up becomes a difference."""
    for one, other in ((a, b), (b, a)):
        inner = _opposite(one) if _real(one) else None
        if inner is not None and (_real(other) or type(other) is float):
            return -(inner * other)
    return None


def _difference(a: Any, b: Any) -> Any:
    """a - y for a + -y; not where a loop makes a sum of it."""
    for one, other in ((a, b), (b, a)):
        inner = _opposite(other) if _real(other) else None
        if inner is not None and isinstance(one, Var) and one.definition is not None and one.object == inner.object:
            return one - inner
    return None


def _negated(x: Any) -> Any:
    """-x where x is -y or -y * z."""
    p, args = ranges.definition(x)
    if p is arithmetic.mul and _real(x):
        for a, b in (args, args[::-1]):
            inner = _opposite(a)
            if inner is not None:
                return inner * (b.value if isinstance(b, Lit) else b)
    return _opposite(x)


def _unspread(x: Any, other: Any) -> Any:
    """The scalar that was broadcast to the shape of `other`, which it is multiplied by."""
    let = x.definition if isinstance(x, Var) and isinstance(other, Var) else None
    if let is None or not isinstance(let.op, Apply) or let.op.primitive is not broadcasting.broadcast_like:
        return x
    a, b = x.object, other.object
    same = isinstance(a, Array) and a == b and a.axes is not None and "?" not in a.axes
    scalar, _ = let.args
    return (scalar.value if isinstance(scalar, Lit) else scalar) if same and not isinstance(scalar.object, Array) else x


def _real(x: Any) -> bool:
    return isinstance(x, Var) and isinstance(x.object, (Real, Array)) and not is_discrete(x.object)


def _double(x: Any) -> bool:
    """Whether numbers are far from the limits of their type if they are far from those of doubles."""
    return not isinstance(x, Var) or getattr(x.object, "dtype", "float64") == "float64"


def _perhaps_int(x: Any) -> bool:
    """True for a real that is an int where one branch was taken, a loop did not run, or an int is the largest."""
    todo, seen = [x], {x}
    while todo:
        for s in _sources(todo.pop()):
            if isinstance(s.object, Int):
                return True
            if isinstance(s, Var) and s not in seen:
                seen.add(s)
                todo.append(s)
    return False


def _sources(x: Var) -> list[Any]:
    """What a real is where it is one of several things."""
    let = x.definition
    if let is None or not isinstance(x.object, Real):
        return []
    if isinstance(let.op, Branch):
        return [block.results[let.targets.index(x)] for block in let.op.blocks if block.results]
    if isinstance(let.op, (Loop, While)) and let.targets.index(x) < let.op.carries:
        return [let.args[let.targets.index(x)]]
    return let.args if isinstance(let.op, Apply) and let.op.primitive.chooses else []


def _folded(p: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    if not p.exact or not args or not all(type(x) in (int, float, Fraction) for x in args):
        return None
    try:
        value = p.value(*args, **params)
    except (ArithmeticError, ValueError):
        return None
    return value if type(value) in (int, float, Fraction) else None


RULES = (
    Rule("spread-factor", "broadcast_like(c, x) * x = c * x", arithmetic.mul, _spread_factor),
    Rule("times-one", "1.0 * x = x", arithmetic.mul, _times_one),
    Rule("times-minus-one", "-1.0 * x = -x", arithmetic.mul, _times_minus_one),
    Rule("negated-factor", "-x * y = -(x * y)", arithmetic.mul, _negated_factor),
    Rule("negated-term", "x + -y = x - y", arithmetic.add, _difference),
    Rule("sum-of-negated", "unbroadcast(-x, y) = -unbroadcast(x, y)", broadcasting.unbroadcast, _sum_of_negated,
         exact=False),
    Rule("negation", "-(-x * y) = x * y, -(-x) = x", arithmetic.neg, _negated),
    Rule("quotient", "over0(x, y) = x / y where y > 0", guarded.over0, _quotient, exact=False),
    Rule("unit", "unit(x, y) = x / y where y > 0", guarded.unit, _quotient),
    Rule("product", "times0(x, y) = x * y where y is finite", guarded.times0, _product, exact=False),
    Rule("one-strong", "both0(x, y) = times0(y, x) where x is finite", guarded.both0, _one_strong, exact=False),
    Rule("real-power", "where_real(d, a, n) = d where a >= 0", guarded.where_real, _real_power),
)  # fmt: skip
"""All rules; of those of one primitive, the first that holds is taken."""

_OF = {p: tuple([rule for rule in RULES if rule.of is p]) for p in {rule.of: None for rule in RULES}}
