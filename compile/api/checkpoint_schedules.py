"""Long loops in little memory: `checkpointed_loop`, whose pullback keeps few states and computes the others again.

With s states kept, n steps need at least t(n, s) steps besides those that are reversed, and the binomial schedule needs
no more: where C(s + r - 1, s) < n <= C(s + r, s),

    t(n, s) = r n - C(s + r, s + 1)

so r is how often a step is computed at most, and s = r = O(log n) keep the whole cost within a logarithm.

>>> steps_again(10, 3), steps_again(10, 9), steps_again(1000, 8)
(15, 9, 4285)

Source: Griewank and Walther, *Revolve: an implementation of checkpointing for the reverse or adjoint mode of
computational differentiation* (2000).
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.categories.rules import Checkpoint
from ccc.compile.api.jacobians import zero
from ccc.compile.api.solvers import leaves_in
from ccc.compile.api.tape_memory import NUMBER, bytes_in
from ccc.compile.api.transforms import pullback
from ccc.compile.diagnostics import Diagnostic, TypeMismatch, WrongArguments
from ccc.compile.frontend import custom, standing
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.inner_programs import Part
from ccc.compile.frontend.memory.interface import lists
from ccc.compile.frontend.opaque import opened
from ccc.compile.frontend.parts import mapped, parts_in
from ccc.compile.frontend.reals import widened
from ccc.compile.frontend.values import atom_of
from ccc.compile.program.lam import Lit, Var
from ccc.coproducts import join
from ccc.objects import INT, Array, Int, Real


def steps_again(n: int, slots: int) -> int:
    """How many steps are computed without being reversed, of `n` steps with so many states kept."""
    r = 0
    while math.comb(slots + r, slots) < n:
        r += 1
    return r * n - math.comb(slots + r, slots + 1)


def split(steps: Any, slots: Any) -> Any:
    """How many of two or more steps stand before the next state that is kept.

    >>> split(10, 3), split(10, 1), split(2, 5)
    (4, 9, 1)
    """
    r, most = 0, 1
    while most < steps:
        r = r + 1
        most = most * (r + slots) // r
    once_less = most * r // (slots + r)  # what can be reversed where no step is computed that often
    return min(once_less, steps - once_less * slots // (slots + r - 1))


# -- in programs -------------------------------------------------------------------------------------------------------


class Step:
    """The body of a loop as a closed function: of the number of the step, the leaves of the state, and what the body
    captured, to the leaves of the next state."""

    def __init__(self, primitive: Any) -> None:
        self.primitive = primitive

    def __call__(self, i: Any, x: Any, captured: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        i, x, captured = args
        found = opened(e, e.always(self.primitive, (i, *x, *captured)))
        return found if len(x) > 1 else (found,)


class Zeros:
    """The zeros of numbers and arrays."""

    def __call__(self, xs: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        return tuple([0.0 if isinstance(x.object, Real) else zero(e, x, node, frame) for x in args[0]])


class Sums:
    """The sums of cotangents, None for what has none."""

    def __call__(self, xs: Any, ys: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        return tuple([None if x is None else e.call(operator.add, [x, y], {}, node, frame)
                      for x, y in zip(*args, strict=True)])


zeros, added = Zeros(), Sums()


def forth(step: Any, captured: Any, x: Any, first: Any, end: Any) -> Any:
    for i in range(first, end):
        x = step(i, x, captured)
    return x


def looped(step: Any, captured: Any, x: Any, n: Any, slots: Any) -> Any:
    """The state after `n` steps."""
    return forth(step, captured, x, 0, n)


def by_schedule(step: Any, captured: Any, x: Any, n: Any, slots: Any) -> Any:
    """The derivative of `looped`: the states from which the first way back begins are kept on the way there, and that
    before the last step."""
    kept, begun, left, at, state = [x], [0], slots, 0, x
    while n - at > 1 and left > 0:
        after = at + split(n - at, left)
        state = forth(step, captured, state, at, after)
        kept.append(state)
        begun.append(after)
        at, left = after, left - 1

    def back(x: Any, first: Any, end: Any, left: Any, ct: Any) -> Any:
        sums = zeros(captured)
        while end - first > 1:
            middle = first + split(end - first, left)
            ct, moved = back(forth(step, captured, x, first, middle), middle, end, left - 1, ct)
            sums, end = added(sums, moved), middle
        ct, moved = pullback(lambda x, captured: step(first, x, captured))(x, captured)(ct)
        return ct, added(sums, moved)

    def pulled(ct: Any) -> Any:
        sums, end = zeros(captured), n
        for k in range(len(begun)):
            j = len(begun) - 1 - k
            if end > begun[j]:
                ct, moved = back(kept[j], begun[j], end, slots - j, ct)
                sums = added(sums, moved)
            end = begun[j]
        return None, sums, ct, None, None

    return forth(step, captured, state, at, n), pulled


by_schedule.schedules = True  # type: ignore[attr-defined]
custom.RULES[looped] = by_schedule


def enough(n: Any) -> Any:
    """As many states as halving keeps."""
    slots = 1
    while 2**slots < n:
        slots = slots + 1
    return slots


class Bytes:
    """How many bytes numbers and arrays have."""

    def __call__(self, xs: Any) -> Any:
        return bytes_in(xs, {})

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        total: Any = 0
        for x in args[0]:
            a = atom_of(x).object
            item = np.dtype(a.dtype).itemsize if isinstance(a, Array) else 4 if a == Real("float32") else NUMBER
            count = e.call(np.size, [x], {}, node, frame) if isinstance(a, Array) else 1
            total = e.call(operator.add, [total, e.call(operator.mul, [count, item], {}, node, frame)], {}, node, frame)
        return total


bytes_of = Bytes()


def fitting(x: Any, n: Any, memory_limit: Any) -> Any:
    """As many states, each as large as one, as so many bytes hold, `n` at most."""
    size = bytes_of(x)
    if size > memory_limit:
        raise ValueError("one state of checkpointed_loop needs more bytes than memory_limit")
    return n if size * n <= memory_limit else memory_limit // size


def begun(e: Any, x: Any, a: Any) -> Any:
    """A number that a loop begins with, as one of the object that holds those of all steps."""
    return Lit(float(x.value), a) if isinstance(x, Lit) and x.object == INT != a else widened(e, x, a)


class Stepped(standing.Standing):
    """A step, whose parameters hold the states of all steps."""

    objects: list[Any]

    def parameters(self, block: Any) -> tuple[list[Any], dict[str, Any]]:
        return [self.e.recorder.param(block, "i" if n == 0 else "state", a) for n, a in enumerate(self.objects)], {}


class Body:
    """The body of a loop between states of one structure."""

    def __init__(self, body: Any, state: Any) -> None:
        self.body, self.state = body, state
        self.x = tuple(map(atom_of, self.leaves(state)))
        self.objects = [x.object for x in self.x]
        self.__name__ = custom.name_of(body)

    def leaves(self, state: Any) -> list[Any]:
        return [leaf for leaf in leaves_in(state) if isinstance(leaf, (Var, float, int))]

    def structure(self, leaves: Any) -> Any:
        """A state of these leaves."""
        rest = iter(leaves)

        def filled(value: Any) -> Any:
            if parts_in(value) is not None:
                return mapped(value, lambda _, part: filled(part))
            return next(rest) if isinstance(value, (Var, float, int)) else value

        return filled(self.state)

    def closed(self, e: Any, node: ast.AST, frame: Any) -> tuple[Step, tuple[Any, ...]]:
        """The body as a step, and what it captures; the state begins with what holds the states of all steps."""
        while True:
            call, wide = self.read(e, node, frame)
            if wide == self.objects:
                self.x = tuple([begun(e, x, a) for x, a in zip(self.x, wide, strict=True)])
                return Step(call.primitive), tuple(call.captured)
            self.objects = wide

    def read(self, e: Any, node: ast.AST, frame: Any) -> tuple[standing.Standing, list[Any]]:
        """The body as a primitive, and what holds the leaves before and after it."""
        call = Stepped(e, self.__name__, self.x, {}, node, frame)
        call.objects = [INT, *self.objects]
        wide: list[Any] = []
        made: list[Part] = []

        def run(args: list[Any], kwargs: dict[str, Any]) -> Any:
            after = e.call(self.body, [args[0], self.structure(args[1:])], kwargs, node, frame)
            found = list(map(atom_of, self.leaves(after)))
            pairs = zip(args[1:], found, strict=True) if len(found) == len(self.x) else ()
            wide[:] = [join(x.object, y.object) for x, y in pairs]
            if not wide or None in wide:
                text = f"a step of the loop makes {described(after)} of {described(self.state)}"
                raise TypeMismatch(Diagnostic("CC027", text, e.place(node, frame), (),
                                              "begin with a state like those that the steps give: 0.0 for a float"))
            return tuple([widened(e, y, a) for y, a in zip(found, wide, strict=True)])

        def elaborate() -> list[Var]:
            made[:] = [call.part(run, None)]
            return made[0].captured

        call.settled(elaborate)
        (body,) = made
        call.declare(body, Checkpoint(body.values(call.captured), body.results))
        return call, wide


def checkpointed_loop(
    body: Callable[..., Any], state: Any, n: int, slots: int | None = None, memory_limit: int | None = None
) -> Any:
    """The state after `n` steps `state = body(i, state)`; a pullback keeps `slots` of all states and computes the rest.

    >>> from ccc.compile.api.transforms import gradient
    >>> def grown(x, rate):
    ...     return checkpointed_loop(lambda i, x: x + rate * x * (1.0 - x), x, 100, slots=5)
    >>> def plain(x, rate):
    ...     for _ in range(100):
    ...         x = x + rate * x * (1.0 - x)
    ...     return x
    >>> [round(x, 10) for x in gradient(grown)(0.1, 0.02)] == [round(x, 10) for x in gradient(plain)(0.1, 0.02)]
    True

    The state is a number, an array, or a tuple, dict or object of them; steps keep its structure, shapes and dtypes.
    What `body` reads from around it is differentiated. Without `slots` as many states are kept as halving needs, about
    log2 n; with a `memory_limit`, as many as take no more bytes, beside the first state and the tape of one step. No
    schedule computes fewer steps with as many states. Derivatives of higher order tape what the pullback does. Raises
    `TypeMismatch` where a step gives a state of another type, `WrongArguments` for `slots` or a `memory_limit` that are
    no int above 0 known before the loop runs, `ValueError` where one state needs more bytes than `memory_limit`, and
    what `body` raises.

    Source: *Revolve* (Griewank and Walther, 2000).
    """
    if memory_limit is not None:
        fitting(state, n, memory_limit)
    for i in range(n):
        state = body(i, state)
    return state


def _in_program(e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
    given = {**dict(zip(("body", "state", "n", "slots", "memory_limit"), args, strict=False)), **kwargs}
    n = given["n"]
    loop = Body(given["body"], standing.as_argument(e, given["state"], node, frame))
    slots, limit = given.get("slots"), given.get("memory_limit")
    if limit is not None:
        if type(limit) is not int or limit < 1 or slots is not None:
            raise WrongArguments("checkpointed_loop keeps the states that `slots` counts or `memory_limit` holds",
                                 help="write checkpointed_loop(body, state, n, memory_limit=1_000_000)")
        slots = e.call(fitting, [loop.x, n, limit], {}, node, frame)
    elif slots is None:
        slots = e.call(enough, [n], {}, node, frame)
    elif type(slots) is not int or slots < 1:
        raise WrongArguments("checkpointed_loop keeps as many states as an int says that is known, one at least",
                             help="write checkpointed_loop(body, state, n, slots=8), or leave `slots` out")
    step, captured = loop.closed(e, node, frame)
    if not isinstance(atom_of(n).object, Int) or any(map(lists.is_list, [*captured, *loop.leaves(loop.state)])):
        raise WrongArguments("checkpointed_loop takes the number of its steps, an int, and states without lists",
                             help="write checkpointed_loop(body, state, n), with arrays: np.array(xs)")
    return loop.structure(e.call(looped, [step, captured, loop.x, n, slots], {}, node, frame))


checkpointed_loop.__ccc_inline__ = _in_program  # type: ignore[attr-defined]

__all__ = ["checkpointed_loop"]
