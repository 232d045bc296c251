"""What is known of a number from how it was computed: that it is not negative, far from zero, or finite.

All three are of every entry of an array, and but for NaN. They look a few definitions back.

>>> from ccc.compile.program.lam import Lit
>>> from ccc.objects import REAL
>>> positive(Lit(2.0, REAL)), positive(Lit(-2.0, REAL)), not_negative(Lit(0.0, REAL)), finite(Lit(1e300, REAL))
(True, False, True, False)
"""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Apply, Lit, Var
from ccc.primitives.reductions import count
from ccc.primitives.shaping import dim, ndim, size
from ccc.primitives.structure import length

DEPTH = 8
"""How many definitions back."""
SMALLEST, LARGEST = 1e-30, 1e30
"""What is far from zero, and what is far from infinity: `DEPTH` such numbers have a finite product."""
EXPONENTIALS = frozenset({"math.exp", "np.exp", "math.exp2", "np.exp2"})
HYPERBOLIC = frozenset({"math.cosh", "np.cosh"})
MAGNITUDES = EXPONENTIALS | HYPERBOLIC | {"abs", "np.absolute", "square", "np.square", "math.sqrt", "np.sqrt"}
SIZES = frozenset({length.name, dim.name, size.name, ndim.name, count.name})
WAVES = frozenset({"math.tanh", "np.tanh", "math.sin", "np.sin", "math.cos", "np.cos"})
SAME = frozenset({"np.expand_dims", "np.reshape", "np.ravel", "np.transpose", "broadcast_like", "np.squeeze"})
"""What has the entries of its first argument, and no others."""


def definition(x: Any) -> tuple[str, tuple[Any, ...]]:
    """The name of the primitive that gives a variable, and what it is applied to."""
    let = x.definition if isinstance(x, Var) else None
    if let is None or not isinstance(let.op, Apply):
        return "", ()
    return let.op.primitive.name, tuple(let.args)


def constant(x: Any) -> float | None:
    value = x.value if isinstance(x, Lit) else x
    return float(value) if type(value) in (int, float) else None


def positive(x: Any, depth: int = DEPTH) -> bool:
    """Whether it is at least `SMALLEST`, or infinite."""
    value = constant(x)
    if value is not None or not depth:
        return value is not None and value >= SMALLEST
    name, args = definition(x)
    if name == "add":
        a, b = args
        return any(positive(p, depth - 1) and not_negative(q, depth - 1) for p, q in ((a, b), (b, a)))
    if name in EXPONENTIALS:
        return not_negative(args[0], depth - 1)
    return name in HYPERBOLIC or softened(x) or (name in SAME and positive(args[0], depth - 1))


def softened(x: Any) -> bool:
    """Whether it is the sum of exp(a - m), where m is the largest of a along the same axis: one of them is exp(0)."""
    name, args = definition(x)
    return name == "np.sum" and plain(x) and shifted(args[0]) == (axes_of(x),)


def shifted(x: Any) -> tuple[Any, ...]:
    """The axis along which x is exp(a - m), where m is the largest of a; nothing where it is not."""
    name, args = definition(x)
    if name not in EXPONENTIALS:
        return ()
    name, args = definition(args[0])
    if name != "sub":
        return ()
    a, top = args
    name, inner = definition(top)
    spread = axes_of(top) if name == "np.expand_dims" else None
    if spread is not None:
        top = inner[0]
        name, inner = definition(top)
    if name != "np.max" or inner != (a,) or not plain(top):
        return ()
    axis = axes_of(top)
    aligned = axis in (None, 0) or top.definition.op.params.get("keepdims") is True
    return (axis,) if (aligned if spread is None else spread == axis) else ()


def plain(x: Any) -> bool:
    """Whether a reduction takes all entries along its axis, and nothing else."""
    return len(x.definition.args) == 1 and x.definition.op.params.keys() <= {"axis", "keepdims"}


def axes_of(x: Any) -> Any:
    """The axis along which a variable was computed."""
    return x.definition.op.params.get("axis")


def not_negative(x: Any, depth: int = DEPTH) -> bool:
    """Whether it is at least zero."""
    value = constant(x)
    if value is not None or not depth:
        return value is not None and value >= 0.0
    name, args = definition(x)
    if name in MAGNITUDES or name in SIZES or (name == "mul" and args[0] is args[1]):
        return True
    if name in ("power", "np.power") and constant(args[1]) in (2.0, 4.0):
        return True
    if name in ("add", "mul"):
        return all(not_negative(a, depth - 1) for a in args)
    return (name in SAME or name == "np.sum") and not_negative(args[0], depth - 1)


def finite(x: Any, depth: int = DEPTH) -> bool:
    """Whether it is not infinite: of at most `LARGEST`, times `LARGEST` for each quotient."""
    value = constant(x)
    if value is not None or not depth:
        return value is not None and abs(value) <= LARGEST
    name, args = definition(x)
    if name == "div":
        return finite(args[0], depth - 1) and positive(args[1], depth - 1)
    return name in WAVES or bool(shifted(x)) or (name in ("neg", *SAME) and finite(args[0], depth - 1))
