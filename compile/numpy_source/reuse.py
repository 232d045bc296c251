"""Operations on entries whose result takes the memory of an operand that nothing reads any more.

    t2 = t - y        t -= y                        where t is an array of the result's shape that ends here
    t2 = y - t        np.subtract(y, t, out=t)
    t2 = np.exp(t)    np.exp(t, out=t)

The numbers are the same to the last bit. Fresh memory costs more than the arithmetic once arrays leave the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ccc.compile.numpy_source.whole import may_be_whole, owner_of
from ccc.compile.program.lam import Apply, Atom, BlockKind, Let, Lit, Loop, Var, While
from ccc.objects import Array, Int, Real
from ccc.primitives.primitive import REMEMBERED, Primitive
from ccc.primitives.results import gives_array


@lru_cache(maxsize=REMEMBERED)
def symbol_of(p: Primitive) -> str:
    """The operator of an augmented assignment that computes a primitive of two numbers or arrays; "" for others."""
    parts = p.source.split() if p.ufunc is not None and isinstance(p.source, str) else []
    return f"{parts[1]}=" if len(parts) == 3 and parts[0] == parts[2] == "{}" else ""


@lru_cache(maxsize=REMEMBERED)
def function_of(p: Primitive) -> str:
    """The function of NumPy that computes a primitive and takes `out=`; "" where there is none."""
    if p.ufunc is not None:
        return f"np.{p.ufunc.__name__}"
    takes = isinstance(p.value, np.ufunc) and p.value.signature is None and p.value.nout == 1
    return f"np.{p.value.__name__}" if takes and getattr(np, p.value.__name__, None) is p.value else ""


Sure = dict[Atom, tuple[bool, int]]
"""Whether values surely are arrays, and how many definitions were looked through for that."""


def reused(let: Let, positions: Sequence[int], whole: dict[Var, bool], sure: Sure) -> int | None:
    """The position of the operand whose memory the result may take, given the positions of one that ends here."""
    op, y = let.op, let.targets[0].object
    if not isinstance(op, Apply) or not function_of(op.primitive):
        return None
    if not isinstance(y, Array) or y.dtype != "float64" or not y.axes or "?" in y.axes:
        return None
    for a in let.args:
        other = a.object
        array = isinstance(other, Array) and other.dtype == "float64" and other.axes
        if not array and not isinstance(other, (Int, Real)):
            return None
    i = positions[0]
    a = let.args[i]
    if a.object != y or may_be_whole(a, whole) or may_hold_ints(a):
        return None
    return i if augmented(op.primitive, i) or surely_array(a, sure) else None


def may_hold_ints(a: Atom, depth: int = 8) -> bool:
    """Whether an array of floats may be one of ints when the program runs, made of numbers that may be either."""
    if not isinstance(a.object, Array):
        return isinstance(a.object, Int) or (isinstance(a.object, Real) and a.object.kind == "any")
    let = a.definition if isinstance(a, Var) and depth else None
    if let is None or not isinstance(let.op, Apply):
        return False
    return bool(let.args) and all(may_hold_ints(x, depth - 1) for x in let.args)


def augmented(p: Primitive, i: int) -> bool:
    """Whether an augmented assignment says it, which numbers that stand for arrays of zeros have as well."""
    return bool(symbol_of(p)) and (i == 0 or p.commutative)


def surely_array(a: Atom, sure: Sure | None = None, depth: int = 8) -> bool:
    """Whether a value is no number that stands for an array of zeros; what was found is noted in `sure`."""
    if isinstance(a, Lit):
        return isinstance(a.value, np.ndarray)
    if not isinstance(a.object, Array) or not a.object.axes or not depth:
        return False
    sure = {} if sure is None else sure
    found, looked = sure.get(a, (False, 0))
    if not found and looked < depth:
        found = _surely_array(a, sure, depth)
        sure[a] = found, depth
    return found


def _surely_array(a: Var, sure: Sure, depth: int) -> bool:
    let = a.definition
    if let is None:
        taped = source_of(a)
        return surely_array(taped, sure, depth - 1) if taped is not None else (
            a.home is not None and a.home.kind is BlockKind.TOP)
    if not isinstance(let.op, Apply):
        return False
    known = [surely_array(x, sure, depth - 1) for x in let.args]
    return gives_array(let.op.primitive, tuple([x.object for x in let.args]), let.op.params, known)


def source_of(param: Var) -> Atom | None:
    """What an earlier loop kept, for an element that a loop reads."""
    loop = owner_of(param)
    if loop is None or not isinstance(loop.op, Loop) or param not in loop.op.body.params[loop.op.carries :]:
        return None
    xs = loop.args[loop.op.body.params.index(param)]
    made = xs.definition if isinstance(xs, Var) else None
    if not isinstance(xs, Var) or made is None or not isinstance(made.op, (Loop, While)):
        return None
    return None if xs in made.targets[: made.op.carries] else made.op.body.results[made.targets.index(xs)]


def overwriting(p: Primitive, args: Sequence[str], i: int) -> str:
    """The statement that writes the result of an operation on entries into an operand; "" for other primitives."""
    if augmented(p, i):
        return f"{args[i]} {symbol_of(p)} {args[1 - i]}"
    return f"{function}({', '.join(args)}, out={args[i]})" if (function := function_of(p)) else ""
