"""Integers of every dtype of NumPy's: in registers and in memory they have 64 bits, in two's complement.

    i * i          of int8: the product of 64 bits, and what its last 8 bits say
    s * a + c      of uint64: the last 64 bits are those of the product and sum of numbers with a sign
    s >> 11        of uint64: another instruction; and s < t compares numbers moved by 2**63
    w[labels]      any that is no uint64 is what it is, in 64 bits

So operations compute as for int64, and a result of a shorter dtype is cut to its bits. A number of uint64 is its bits,
whatever sign these would say: what depends on that is done only where it is known how (`Facts`), else it goes out.
Python's own integers do not wrap: an overflow of theirs spoils the result, and so does one that a dtype cannot hold.

>>> holds(np.dtype("uint8"), 255), holds(np.dtype("int8"), 255)
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from ccc.compile.native import conversions
from ccc.compile.native.arrays import lazy
from ccc.compile.native.dtypes import FLOATING, INTEGERS, LONG, REALS
from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import Facts, known
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, Writer
from ccc.compile.program.lam import Atom, Let, Lit
from ccc.objects import Array, Bool, Int, List, Object, Product, Real
from ccc.primitives.facts import FILLING, MOVEMENT, SIZES, STORAGE
from ccc.primitives.primitive import Primitive

KEEPING = (MOVEMENT, FILLING, STORAGE, SIZES)
"""The work that leaves numbers as they are."""
SIGN = str(-(2**63))
Operation = Callable[..., Num]


def dtype_in(a: Object) -> np.dtype[Any] | None:
    """The dtype of the integers of an object; None for Python's own, and for what is no integer.

    >>> dtype_in(Array("uint8", ("n",))), dtype_in(Int()), dtype_in(Int("int32"))
    (dtype('uint8'), None, dtype('int32'))
    """
    name = a.dtype if isinstance(a, Array) else a.kind if isinstance(a, Int) else ""
    return np.dtype(name) if name in INTEGERS else None


def holds(dtype: np.dtype[Any], n: int) -> bool:
    """Whether a dtype has an integer."""
    ends = np.iinfo(dtype)
    return ends.min <= n <= ends.max


def is_short(dtype: np.dtype[Any] | None) -> bool:
    """Whether integers of a dtype have fewer bits than registers."""
    return dtype is not None and dtype.itemsize < 8


def is_other(dtype: np.dtype[Any] | None) -> TypeGuard[np.dtype[Any]]:
    """Whether they are of a dtype that is not the one of registers, int64."""
    return dtype is not None and (is_short(dtype) or dtype.name == LONG)


def is_unsigned(a: Object) -> bool:
    """Whether integers of an object are of uint64, which registers hold as their bits."""
    found = dtype_in(a)
    return found is not None and found.name == LONG


def cut(w: Writer, x: str, dtype: np.dtype[Any] | None) -> str:
    """What the last bits of an integer say in a dtype."""
    if dtype is None or not is_short(dtype):
        return x
    bits = 8 * dtype.itemsize
    if dtype.kind == "u":
        return w.binary("and", "i64", x, str(2**bits - 1))
    return w.binary("ashr", "i64", w.binary("shl", "i64", x, str(64 - bits)), str(64 - bits))


def outside(w: Writer, x: str, dtype: np.dtype[Any]) -> str:
    """Whether an integer with a sign is none of a dtype."""
    if dtype.name == LONG:
        return w.compare("slt", x, "0")
    return w.compare("ne", cut(w, x, dtype), x)


def real_of(w: Writer, x: Num) -> Num:
    """A number of uint64 as a double."""
    return Num("double", w.cast("uitofp", "i64", x.text, "double"))


def moved(w: Writer, x: Num) -> Num:
    """Bits that stand, with a sign, in the order of the numbers of uint64, or these again."""
    return Num("i64", w.binary("xor", "i64", conversions.as_int(w, x), SIGN))


def operated(let: Let, f: Operation, facts: Facts) -> Operation:
    """An operation on numbers, for integers of the dtypes of a let.

    Raises `NotNative` where it is not known what it does to those of uint64.
    """
    wants, objects = let.targets[0].object, [a.object for a in let.args]
    dtype, unsigned = dtype_in(wants), [is_unsigned(a) for a in objects]
    own = dtype if is_other(dtype) else None
    if own is None and not any(unsigned):
        return f
    if any(unsigned) and not _is_real(wants):
        f = _unsigned(let, f, facts, unsigned)
    elif any(unsigned):
        f = _in_reals(f, unsigned)
    return _fitted(f, list(let.args), own) if own is not None else f


def _is_real(a: Object) -> bool:
    return isinstance(a, Real) or (isinstance(a, Array) and a.dtype in REALS)


def _in_reals(f: Operation, unsigned: list[bool]) -> Operation:
    def g(w: Writer, strict: bool, *xs: Num) -> Num:
        return f(w, strict, *[real_of(w, x) if long else x for x, long in zip(xs, unsigned, strict=True)])

    return g


def _unsigned(let: Let, f: Operation, facts: Facts, unsigned: list[bool]) -> Operation:
    if facts.unsigned is not None:
        return facts.unsigned
    if facts.bits:
        return f
    others = [a for a, long in zip(let.args, unsigned, strict=True) if not long]
    alone = all(map(_surely_fits, others))
    if facts.orders and not alone and all(_is_real(a.object) for a in others):
        return _in_reals(f, unsigned)
    if not facts.orders or not alone:
        raise NotNative(f"`{let.application.primitive.name}` of uint64")
    chosen = is_unsigned(let.targets[0].object)

    def g(w: Writer, strict: bool, *xs: Num) -> Num:
        found = f(w, False, *[moved(w, x) for x in xs])
        return moved(w, found) if chosen else found

    return g


def _surely_fits(x: Atom) -> bool:
    """Whether an integer is surely one of uint64: a constant, or one of a shorter dtype without a sign."""
    dtype = dtype_in(x.object)
    if isinstance(x, Lit) and isinstance(x.object, Int):
        return int(x.value) >= 0
    return isinstance(x.object, Bool) or (dtype is not None and dtype.kind == "u")


def _fitted(f: Operation, args: list[Atom], own: np.dtype[Any]) -> Operation:
    """An operation whose result is cut to a dtype. Python's own integers take part in that dtype, or raise."""
    limited = [isinstance(a.object, Int) and dtype_in(a.object) is None for a in args]

    def g(w: Writer, strict: bool, *xs: Num) -> Num:
        for x, atom, python in zip(xs, args, limited, strict=True):
            if python and isinstance(atom, Lit) and not holds(own, int(atom.value)):
                w.spoil("true")
            elif python and not isinstance(atom, Lit) and x.type == "i64":
                w.spoil(outside(w, x.text, own))
        found = f(w, False, *xs)
        return Num("i64", cut(w, conversions.as_int(w, found), own))

    return g


def converted(w: Writer, x: Num, want: np.dtype[Any], whole: Operation) -> Num:
    """A number as one of a dtype of integers, as NumPy casts it; a real that the dtype does not hold spoils."""
    if x.type in FLOATING:
        found = whole(w, False, x).text
        if is_other(want):
            w.spoil(outside(w, found, want))
        return Num("i64", found)
    return Num("i64", cut(w, conversions.as_int(w, x), want))


def check(let: Let, facts: Facts) -> None:
    """Raise `NotNative` where a let that is no operation on numbers would do something else with integers of a dtype
    than with those of int64."""
    if not let.targets:
        return
    objects, dtype = [a.object for a in let.args], dtype_in(let.targets[0].object)
    p: Primitive = let.application.primitive
    name, work = p.name, p.work
    moves = work in (MOVEMENT, FILLING)
    first = next((place for place in (p.reads, p.writes, facts.sizes) if place is not None), None)
    indices = objects[first:] if first is not None else []
    if any(map(is_unsigned, indices)):
        raise NotNative(f"`{name}` at places of uint64")
    given = [a for i, a in enumerate(objects[:first]) if i not in p.sizes]  # of others no item is read
    if work not in KEEPING and any(map(has_unsigned, objects)):
        raise NotNative(f"`{name}` of lists of uint64")
    if any(map(is_unsigned, given)) and not facts.bits and not (
            moves and is_unsigned(let.targets[0].object) and all(is_unsigned(a) or not _is_number(a) for a in given)):
        raise NotNative(f"`{name}` of uint64")
    if not is_other(dtype) or facts.bits:
        return
    if p.writes is not None and (p.adds or any(dtype_in(a) != dtype for a in given)):
        raise NotNative(f"`{name}` of integers of several dtypes")
    if moves and facts.fill is None and all(dtype_in(a) != dtype for a in given):
        raise NotNative(f"`{name}` that makes {dtype.name}")


def cut_all(m: Lowering, let: Let, found: Any) -> Any:
    """What a let gives, each integer cut to its dtype; what only moves items gives such as they are."""
    dtype = dtype_in(let.targets[0].object) if let.targets else None
    if not is_short(dtype) or let.application.primitive.work == MOVEMENT or known(let).fill is not None:
        return found
    if isinstance(found, Num):
        return Num("i64", cut(m.w, conversions.as_int(m.w, found), dtype))
    return lazy(m, "int64", found.axes, [found], lambda x: Num("i64", cut(m.w, conversions.as_int(m.w, x), dtype)))


def has_unsigned(a: Object) -> bool:
    """Whether a list or tuple holds numbers of uint64."""
    parts = (a.item,) if isinstance(a, List) else a.parts if isinstance(a, Product) else ()
    return any(is_unsigned(x) or has_unsigned(x) for x in parts)


def _is_number(a: Object) -> bool:
    return isinstance(a, (Int, Real, Array))
