"""Which functions are copied for lists of known lengths, and what is known of a copy: see `specialised`."""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import (
    Absent,
    Apply,
    Block,
    Call,
    Lambda,
    Let,
    Lit,
    Program,
    Var,
    lets_in,
)
from ccc.objects import Bool, Boxed, Int, List, Object, Product, Real
from ccc.primitives import tapes


class Unsuitable(Exception):
    """A function that is not known by the length of its list."""


class Tape:
    """A tape whose parts are known one by one."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts


class Kept:
    """The tape that a call of a copy gave."""

    def __init__(self, copy: Copy, var: Var) -> None:
        self.copy = copy
        self.var = var


class Copy:
    """A function at lists of one length: its variable and block, what it gives, whether it takes the place of its
    calls, its tape and the type of that, and the copies of its pullbacks, by what they are copies of."""

    def __init__(self, name: str) -> None:
        self.tape = Boxed(name)
        self.block: Block
        self.variable: Var
        self.results: list[Any] = []
        self.parts: Any = None
        self.small = False
        self.pullbacks: dict[Var, Copy] = {}


class Family:
    """A recursive function with one list of numbers among its parameters, the type of its tapes, and its pullbacks."""

    def __init__(self, let: Let, place: int, tape: Boxed | None, pullbacks: list[Let]) -> None:
        self.let = let
        self.function = let.targets[0]
        self.place = place
        self.tape = tape
        self.pullbacks = {other.targets[0]: other for other in pullbacks}


def family_of(program: Program, let: Let) -> Family | None:
    """What a let of a program defines, if that is such a function."""
    if not isinstance(let.op, Lambda) or not calls_itself(let):
        return None
    body = let.op.body
    places = [i for i, p in enumerate(body.params) if is_numbers(p.object)]
    if len(places) != 1:
        return None
    roll = body.lets[-1] if body.lets else None
    if roll is None or not isinstance(roll.op, Apply) or roll.op.primitive is not tapes.roll:
        return Family(let, places[0], None, [])
    tape = roll.op.params["tape"]
    pullbacks = [other for other in program.block.lets if isinstance(other.op, Lambda) and other is not let
                 and other.op.body.params and other.op.body.params[0].object is tape]
    known = body.results[-1] is roll.targets[0] and all(map(calls_itself, pullbacks))
    return Family(let, places[0], tape, pullbacks) if known and only_unrolled(program, tape, pullbacks) else None


def calls_itself(let: Let) -> bool:
    """Whether a function is recursive; it makes no functions."""
    inside = [inner for block in let.op.blocks for inner in lets_in(block)]
    return any(isinstance(inner.op, Call) and inner.args[0] is let.targets[0] for inner in inside) and not any(
        isinstance(inner.op, Lambda) for inner in inside)


def is_numbers(a: Object) -> bool:
    return isinstance(a, List) and isinstance(a.item, (Int, Real, Bool))


def is_reals(a: Object) -> bool:
    return isinstance(a, List) and isinstance(a.item, Real)


def is_zero(x: Any) -> bool:
    return type(x) in (int, float) and x == 0


def is_absent(x: Any) -> bool:
    return isinstance(x, Lit) and isinstance(x.value, Absent)


def only_unrolled(program: Program, tape: Boxed, pullbacks: list[Let]) -> bool:
    """Whether nothing looks at tapes of a type but these pullbacks, part by part."""
    own = [let.op.blocks[0].params[0] for let in pullbacks]
    for let in lets_in(program.block):
        if isinstance(let.op, Apply) and any(holds(a.object, tape) for a in [*let.args, *let.targets]):
            unrolls = let.op.primitive is tapes.unroll and (let.args[0] in own or let.args[0].object is not tape)
            if not unrolls and let.op.primitive is not tapes.roll:
                return False
        if isinstance(let.op, Lambda) and any(holds(p.object, tape) and p not in own for p in let.op.body.params):
            return False
    return True


def holds(a: Object, tape: Boxed) -> bool:
    """Whether values of an object are tapes of a type, or lists or tuples of them."""
    parts = (a.item,) if isinstance(a, List) else a.parts if isinstance(a, Product) else ()
    return a is tape or any(holds(part, tape) for part in parts)


NONE = -1
"""The length that stands for no copy."""
