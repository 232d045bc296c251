"""Values that need no code: what a derivative rule multiplies by one, negates twice or computes from constants."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ccc.compile.program import ranges
from ccc.compile.program.lam import Apply, Branch, Lit, Loop, Var, While
from ccc.objects import Array, Int, Real, is_discrete
from ccc.primitives import arithmetic, broadcasting, guarded


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
    return (type(x), x) if isinstance(x, int | str | Fraction | bool) else Same(x)


def simplified(p: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """A value equal to `p(*args, **params)` that needs no code, or less: 1.0 * x, -(-x), x + -y, what has constants
    alone, products and quotients in which no zero has to be strong."""
    if not any(isinstance(x, Var) for x in args):
        return _folded(p, args, params)
    if p is arithmetic.mul:
        a, b = [_unspread(x, y) for x, y in (args, args[::-1])]
        if a is not args[0] or b is not args[1]:
            return a * b
        if type(a) is float and a == 1.0 and _real(b) and not _perhaps_int(b):
            return b
        if type(b) is float and b == 1.0 and _real(a) and not _perhaps_int(a):
            return a
        if type(b) is float and b == -1.0 and _real(a):
            return -a
        if type(a) is float and a == -1.0 and _real(b):
            return -b
        return _negation_of(a, b)
    elif p is arithmetic.add:
        return _difference(*args)
    elif p is broadcasting.unbroadcast:
        inner = _opposite(args[0]) if all(map(_real, args)) else None  # a mask has no negative
        return None if inner is None else -p(inner, args[1])
    elif p is arithmetic.neg:
        return _negated(args[0])
    elif p in (guarded.over0, guarded.unit, guarded.times0, guarded.both0) and (
        (_real(args[0]) or type(args[0]) is float) and _double(args[1])
    ):
        if p in (guarded.over0, guarded.unit) and ranges.positive(args[1]):
            return args[0] / args[1]
        if p is guarded.times0 and ranges.finite(args[1]):
            return args[0] * args[1]
        if p is guarded.both0 and ranges.finite(args[0]):
            return guarded.times0(args[1], args[0])
    return None


def _opposite(x: Any) -> Any:
    """y where x is -y; None where it is not."""
    p, args = ranges.definition(x)
    return args[0] if p is arithmetic.neg and isinstance(args[0], Var) else None


def _negation_of(a: Any, b: Any) -> Any:
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
    return isinstance(x, Var) and isinstance(x.object, Real | Array) and not is_discrete(x.object)


def _double(x: Any) -> bool:
    """Whether numbers are far from the limits of their type if they are far from those of doubles."""
    return not isinstance(x, Var) or getattr(x.object, "dtype", "float64") == "float64"


def _perhaps_int(x: Any) -> bool:
    """True for a real that is an int where one branch was taken, a loop did not run, or an int is the largest."""
    let = x.definition
    if let is None or not isinstance(x.object, Real):
        return False
    sources = []
    if isinstance(let.op, Branch):
        sources = [block.results[let.targets.index(x)] for block in let.op.blocks if block.results]
    elif isinstance(let.op, Loop | While) and let.targets.index(x) < let.op.carries:
        sources = [let.args[let.targets.index(x)]]
    elif isinstance(let.op, Apply) and let.op.primitive.chooses:
        sources = let.args
    return any(isinstance(s.object, Int) or (isinstance(s, Var) and _perhaps_int(s)) for s in sources)


def _folded(p: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    if not p.exact or not args or not all(type(x) in (int, float, Fraction) for x in args):
        return None
    try:
        value = p.value(*args, **params)
    except (ArithmeticError, ValueError):
        return None
    return value if type(value) in (int, float, Fraction) else None
