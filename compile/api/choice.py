"""`backend="auto"`: by what it is chosen between the reference and another target. The clock decides
(`ccc.compile.api.measuring`), or, with `CCC_AUTO=estimate` in the environment, estimates, as follows.

The calls of a program are NumPy's until they have taken as long as making machine code takes; from the next call on it
is machine code. So a function that is called once pays for no compiler, and one that is called often has paid at most
as much again as its calls so far. Where one call takes as long as making, the first is machine code.

Both times are estimated, not measured: what a call takes from the text and the sizes of the arguments, what making
takes from the length of the text that LLVM is given. So the number of the call is known at the first one, and is the
same whenever a script runs again. When arguments become twice as large, it is computed anew.

A program stays with NumPy that native code does not take, that is too short to gain, that sorts, copies or multiplies
large arrays, at which NumPy is as good, whose time goes into calls that native code leaves to NumPy one by one, or
whose making would take longer than `LONGEST`.

    Waiting(target, program, pullback, args)    counts calls: `over(args)` says when to look again,
                                                `settle(args)` gives the module when it is worth it

>>> from ccc.compile.native.native_target import making
>>> making(1000) < LONGEST < making(100_000)
True
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from ccc.compile.api.libraries import operations
from ccc.compile.api.measuring import Measuring
from ccc.compile.api.targets import AUTO, REFERENCE, TARGETS, candidate
from ccc.compile.api.uncollected import uncollected
from ccc.compile.program.lam import Let, Program, dispose
from ccc.compile.program.target import Module, NotTaken, Target, line_of
from ccc.compile.program.work import LARGEST, Work, size, work
from ccc.locks import Lock
from ccc.primitives.facts import EXTREMA, MOVEMENT, ORDER, PRODUCTS, SYSTEMS
from ccc.records import parts_of

RULE = "CCC_AUTO"
"""The variable of the environment that says "estimate" where no clock is to decide."""
LONGEST = 1.0
"""What making may take."""
LONG = "a program that takes too long to make"
SHORT = 4e-7
"""What a call of numbers takes that machine code does not shorten."""
ORDERS = 64
"""The items of arrays from which on NumPy's sorting is as fast."""
LARGE = 1 << 12
"""The items of arrays from which on NumPy's libraries are as fast, in a program without loops."""


BOXED = 5e-7
"""What a call out of machine code takes beside the call."""


def declined(program: Program, found: Work, args: Sequence[Any]) -> str:
    """Why a program stays with NumPy, whatever its machine code is like; "" where it does not."""
    if not found.loops and not found.unbounded and found.seconds < SHORT:
        return "a program as short as its call"
    if found.lets > LARGEST:
        return LONG
    if found.calls and found.seconds - found.apart < found.apart + BOXED * found.calls:
        return "a program most of whose time goes into calls out to NumPy"
    items = most_items(args)
    if items < ORDERS:
        return ""
    works = operations(program)
    if ORDER in works:
        return "a program that sorts arrays of this size"
    if found.loops or items < LARGE:
        return ""
    if PRODUCTS in works or SYSTEMS in works:  # which both targets leave to one library
        return "a program whose time goes into products of large matrices"
    if 2 * (works[MOVEMENT] + works[EXTREMA]) > works.total():  # which take NumPy no longer
        return "a program that copies large arrays"
    return ""


class Waiting:
    """A program that is computed in NumPy as long as that takes no longer than making it by the target.

    `count` is how many calls go by before that is looked at again, `calls` ends after them; `limit` is the size of
    arguments from which on it is looked at at once.
    """

    def __init__(self, target: Target, program: Program, pullback: bool, args: Sequence[Any]) -> None:
        self.target = target
        self.program = program
        self.pullback = pullback
        self.module: Module | None = None
        self.spent, self.lock = 0.0, Lock()
        self.estimate(args)

    def estimate(self, args: Sequence[Any]) -> None:
        """Count as if all further calls were like one with these arguments."""
        found = work(self.program, args, self.module.out if self.module else ())
        self.reason = declined(self.program, found, args)
        price = self.module.making() if self.module else self.target.making(found.lets)
        if self.module and price > LONGEST:
            self.reason = LONG
        self.call = max(found.seconds, 1e-8)
        self.count = max(0, int((price - self.spent) / self.call))
        self.calls: Any = repeat(None, self.count)
        self.limit = 2 * size(args)

    def over(self, args: Sequence[Any]) -> bool:
        """Whether it is to be looked at at this call; counts it if not."""
        return size(args) > self.limit or next(self.calls, self) is self

    def way(self, call: Callable[..., Any]) -> tuple[Callable[..., Any], Iterator[None], int]:
        """What computes calls until it is to be looked at: a function, what ends then, and the size of arguments."""
        return call, self.calls, self.limit

    @uncollected()
    def settled(self, other: Callable[..., Any], args: Sequence[Any]) -> tuple[Callable[..., Any], str] | None:
        """The function of the program, and why it is not the target's where it never will be; None to wait on."""
        target = self.target
        call, left_to = other, target.unavailable()
        try:
            if not left_to:
                found = self.settle(args)
                if found is not None:
                    call = found.function(other, args, tried=False)
                elif self.reason:
                    left_to = self.why()
                else:
                    return None
        except NotTaken as error:
            left_to = error.told(target.name)
        except RuntimeError as error:
            left_to = f"{target.compiler} does not take it: {error}"
        dispose(self.program)
        return call, left_to

    def settle(self, args: Sequence[Any]) -> Module | None:
        """The module where this call is to be the target's; None to wait on, or where there is a `reason` against."""
        with self.lock:
            self.spent += (self.count - self.calls.__length_hint__()) * self.call
            self.estimate(args)
            if not self.reason and not self.count and self.module is None:
                self.lower(args)
                self.estimate(args)
            next(self.calls, None)
            return None if self.count or self.reason else self.module

    def why(self) -> str:
        """Why the program stays with NumPy."""
        return f"{self.target.name} code is not worth it for {self.reason}"

    def lower(self, args: Sequence[Any], changes: list[Any] | None = None) -> None:
        """Write the program as the target does, for a first call with these arguments."""
        self.module = self.target.lower(self.program, self.pullback, args, changes)

    def first(self, args: Sequence[Any], changes: list[Any] | None = None) -> int:
        """The number of the call from which on the program is the target's, if all have these arguments."""
        calls = self.count
        if self.module is None:
            self.lower(args, changes)
            self.spent += calls * self.call
            self.estimate(args)
            calls += self.count
        return calls + 1


def most_items(args: Sequence[Any]) -> int:
    """The items of the largest array among arguments."""
    largest, todo = 0, list(args)
    while todo:
        x = todo.pop()
        if isinstance(x, np.ndarray):
            largest = max(largest, x.size)
        else:
            todo += () if type(x) is list and x and type(x[0]) is float else parts_of(x) or ()
    return largest


def measured() -> bool:
    """Whether the clock decides."""
    return os.environ.get(RULE) != "estimate"


def waiting_for(
    program: Program, pullback: bool, args: Sequence[Any], call: Callable[..., Any]
) -> tuple[Waiting | Measuring | None, str]:
    """What decides when a program, which `call` computes, is taken over by another target, for a first call with these
    arguments; or None, and why it never is."""
    target = candidate()
    if target is None:
        return None, "no other target is registered"
    reason = target.missing()
    if reason:
        return None, reason
    if measured():
        return Measuring(target, program, pullback, args, call), ""
    waiting = Waiting(target, program, pullback, args)
    return (None, waiting.why()) if waiting.reason else (waiting, "")


def chosen(
    program: Program, pullback: bool, backend: str, args: Sequence[Any], changes: list[Any] | None = None,
    known: Measuring | None = None,
) -> str:
    """Which target computes a program whose calls have these arguments, and why it is not the one that was asked for,
    or which calls it leaves to the reference; the program is not used again. What the passes of another target than
    the reference do goes to `changes`; `known` has timed calls of the program."""
    if backend == AUTO:
        return chosen_by_clock(program, pullback, args, changes, known) if measured() else estimated(
            program, pullback, args, changes)
    target = TARGETS[backend]
    if target is REFERENCE:
        return target.name
    if reason := target.unavailable():
        return left(reason)
    try:
        return target.name + calls_out(target.lower(program, pullback, args, changes).out)
    except NotTaken as error:
        return left(error.told(target.name))


def chosen_by_clock(
    program: Program, pullback: bool, args: Sequence[Any], changes: list[Any] | None, known: Measuring | None
) -> str:
    """What the clock says, or what it is going to be asked."""
    waiting, reason = waiting_for(program, pullback, args, not_called)
    if not isinstance(waiting, Measuring):
        return left(reason)
    try:
        waiting.write(program, args, changes)
    except NotTaken as error:
        return left(error.told(waiting.target.name))
    told = known.told(args) if known is not None else ""
    return (told or waiting.plan()) + calls_out(waiting.module.out if waiting.module else {})


def not_called(*args: Any) -> Any:
    """The function of a program that is explained only."""
    raise AssertionError(args)


def estimated(program: Program, pullback: bool, args: Sequence[Any], changes: list[Any] | None) -> str:
    """What estimates say: a target, or the number of the call from which on it is another."""
    waiting, reason = waiting_for(program, pullback, args, not_called)
    if not isinstance(waiting, Waiting):
        return left(reason)
    try:
        first = waiting.first(args, changes)
    except NotTaken as error:
        return left(error.told(waiting.target.name))
    out = calls_out(waiting.module.out if waiting.module else {})
    if waiting.reason:
        return left(waiting.why()) + out
    name = waiting.target.name
    return (name if first == 1 else f"{REFERENCE.name}, and {name} from call {first:,} on") + out


def left(reason: str) -> str:
    """That the reference computes a program, and why."""
    return f"{REFERENCE.name}: {reason}"


def calls_out(out: Mapping[Let, str]) -> str:
    """The calls that a target leaves to the reference: of what, at which line, and why."""
    lines = [f"  {let.application.primitive.name}{line_of(let)}: {reason}" for let, reason in out.items()]
    return "\n".join([f"\ncalls out to {REFERENCE.name}:", *dict.fromkeys(lines)]) if lines else ""
