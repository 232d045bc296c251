"""Values that need no code: what a derivative rule multiplies by one, negates twice or computes from constants."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ccc.objects import Array, Int, Real, is_discrete
from ccc.primitives import arithmetic, broadcasting
from compile.lam import Apply, Branch, Lit, Loop, Var, While


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
    """A value equal to `p(*args, **params)` that needs no code: 1.0 * x, x / 1.0, -(-x), what has constants alone."""
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
    elif p is arithmetic.neg and args[0].definition is not None:
        op = args[0].definition.op
        if isinstance(op, Apply) and op.primitive is arithmetic.neg:
            inner = args[0].definition.args[0]
            return inner if isinstance(inner, Var) else None
    return None


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
    elif isinstance(let.op, Apply) and let.op.primitive in (arithmetic.largest, arithmetic.smallest):
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
