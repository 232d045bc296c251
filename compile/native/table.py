"""What machine code knows of the primitives: one entry for each, made where it is said how it becomes machine code.

    @handles(reductions.argmax, above=True)          its let: given the lowering, the let, the values of its arguments,
    def place(m, let, x, above): ...                 and what stands beside the primitive

    @operation(elementary_numpy.square)              what it does to numbers in registers, and to each item of arrays:
    def square(w, strict, a): ...                    given the writer, whether it is strict, and the numbers

What passes ask of a primitive is a fact of its own (`ccc.primitives.facts`) or, where only machine code asks, one of
these `Facts`, which stand beside it in the same place. A primitive within `np.errstate` has the same entry.

>>> from ccc.primitives import arithmetic
>>> from ccc.compile.native import scalars
>>> entry(arithmetic.mul).number is scalars.mul, entry(arithmetic.mul).facts.zeros
(True, (0, 1))
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from ccc.compile.program.lam import Apply, Let
from ccc.primitives.primitive import Primitive
from ccc.values import slotted, value

Handler = Callable[..., Any]
ALWAYS: Literal["always"] = "always"
IN_ARMS: Literal["in arms"] = "in arms"


@value()
class Facts:
    """What passes of machine code ask of a primitive.

    `exact` computes it, a sum, difference, product or negative, of integers that do not overflow. Where an argument
    among `zeros` has a zero, so has the result, whatever finite numbers the others have there. A new array has the
    sizes that stand from argument `sizes` on, and all its items are `fill`. One that reads `columns` of its first
    argument reads each again in each call. One that is `structural` looks at no item of a list. One of `sameness` tells
    of texts, too, whether two are the same. Of numbers of uint64, which registers hold as their bits, one that is
    computed of `bits` alone gives what it gives of numbers with a sign, one that `orders` compares or chooses them, and
    `unsigned` is the operation for others. Of items of an array and one number, `by_number` is the operation. One that
    moves items by the order of its last argument moves its first ones `by_order`, where that is known. One that chooses
    gives its second argument where `by_test` holds of that and the first. Where one that `ends` stands, the code
    leaves, and what computes the result then raises or prints: ALWAYS, or IN_ARMS of branches, since elsewhere it is
    all that happens.
    """

    exact: Callable[..., str] | None = None
    zeros: tuple[int, ...] = ()
    sizes: int | None = None
    fill: float | None = None
    columns: bool = False
    structural: bool = False
    sameness: bool = False
    bits: bool = False
    orders: bool = False
    unsigned: Handler | None = None
    by_number: Handler | None = None
    by_order: tuple[Primitive, int] | None = None
    by_test: Primitive | None = None
    ends: Literal["", "always", "in arms"] = ""


NOTHING = Facts()


@slotted
class Entry:
    """How the lets of a primitive, and numbers, are lowered, and what passes ask of it."""

    lower: Handler | None = None
    number: Handler | None = None
    facts: Facts = NOTHING


TABLE: dict[Primitive, Entry] = {}


def entry(p: Primitive) -> Entry:
    """The entry of a primitive, which is empty where it has no machine code."""
    return TABLE.get(p.plain) or Entry()


def states(*primitives: Primitive, facts: Facts) -> list[Entry]:
    """Say what passes know of primitives; gives their entries."""
    found = [TABLE.setdefault(p.plain, Entry()) for p in primitives]
    for each in found if facts is not NOTHING else ():
        each.facts = facts
    return found


def handles(*primitives: Primitive, facts: Facts = NOTHING, **given: Any) -> Callable[[Handler], Handler]:
    """Say what lowers the lets of primitives; `given` is what else it is given for these.

    Raises `ValueError` where another handler does.
    """

    def add(f: Handler) -> Handler:
        for p, each in zip(primitives, states(*primitives, facts=facts), strict=True):
            if each.lower is not None:
                raise ValueError(f"two handlers lower `{p.name}`")
            each.lower = partial(f, **given) if given else f
        return f

    return add


def operation(*primitives: Primitive, facts: Facts = NOTHING) -> Callable[[Handler], Handler]:
    """Say which primitives an operation on numbers serves."""

    def add(f: Handler) -> Handler:
        for each in states(*primitives, facts=facts):
            each.number = f
        return f

    return add


def known(let: Any) -> Facts:
    """What is known of the primitive that a let applies; nothing of other lets, and of what is none."""
    return entry(let.op.primitive).facts if isinstance(let, Let) and isinstance(let.op, Apply) else NOTHING


def applies(let: Any, *primitives: Primitive) -> bool:
    """Whether something is a let that applies one of some primitives."""
    if not isinstance(let, Let) or not isinstance(let.op, Apply):
        return False
    return let.op.primitive.plain in primitives
