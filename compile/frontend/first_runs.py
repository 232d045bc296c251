"""A loop whose first run alone is given a number where the others are given an array, or an array that others see.

    y = 0.0                                 y = 0.0 + w[0] * x[0:n]
    for k in range(len(w)):                 for k in range(1, len(w)):
        y = y + w[k] * x[k : k + n]             y = y + w[k] * x[k : k + n]

What is a number or an array has no rank that is known. So the first run is read before the loop, if there is one in the
call that code is made for: that there is one is a condition of the code then (`ccc.compile.frontend.settling`). The
same holds for a `while` whose test is known to hold first, and for loops that a statement leaves.

    for _ in range(n):
        x += 0.1 * y                        changes the array of the caller in the first run alone
        x = np.sin(x)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import CompileError, TypeMismatch, UnsupportedPython
from ccc.compile.frontend import conditions, interrupts, loops, settling, steady
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import ON, Paths
from ccc.compile.frontend.iterator_values import EnumerateValue, RangeValue, ZipValue
from ccc.compile.frontend.memory.interface import otherwise
from ccc.compile.frontend.paths import then
from ccc.compile.frontend.values import Frame
from ccc.compile.program.lam import Apply, Lit, Var
from ccc.objects import Array, List, Real
from ccc.primitives import arithmetic, indexing, lists, structure


def loop(e: Elaboration, node: ast.For, over: Any, frame: Frame) -> None:
    """A `for` that nothing leaves early, with its first run before it where that alone is given a number."""
    if not splits(over):
        loops.loop(e, node, over, frame)
        return
    perhaps_apart(e, lambda first: loops.loop(e, node, over, frame, first=first), lambda: surely_runs(e, over),
                  lambda: apart(e, node, over, frame), frame)


def perhaps_apart(
    e: Elaboration, whole: Callable[[Callable[[], bool]], Any], runs: Callable[[], bool], apart: Callable[[], Any],
    frame: Frame,
) -> Any:
    """What `whole` gives, or `apart` where it raises `FirstRun` since its first run alone is given a number. It is
    asked again, and raises that no more, where there is no such run in all calls, or `apart` is refused."""
    needed, errors = list[interrupts.FirstRun](), list[CompileError]()

    def tried() -> Any:
        try:
            return whole(runs)
        except interrupts.FirstRun as need:
            needed.append(need)
            raise

    def noted(run: Callable[[], Any]) -> Any:
        try:
            return run()
        except CompileError as error:
            errors.extend([] if isinstance(error, interrupts.FirstRun) else [error])
            raise

    def instead() -> Any:
        if not needed:
            raise interrupts.NotAtOnce
        return otherwise(e, lambda: noted(apart), lambda: noted(lambda: whole(lambda: False)), frame,
                         (UnsupportedPython, TypeMismatch, interrupts.NotAtOnce))

    try:
        return otherwise(e, tried, instead, frame)
    except CompileError as error:
        raise (errors[-1] if errors else error) from None


def while_(
    e: Elaboration, node: ast.While, frame: Frame, whole: Callable[[Callable[[], bool]], Paths]
) -> Paths:
    """The ends of a `while`, with its first run before it where that alone is given a number, and there surely is
    one."""

    def parted() -> Paths:
        if not surely_true(e, node.test, frame):
            raise interrupts.NotAtOnce
        return then(e, steady.turn(e, node, frame), lambda: whole(lambda: False), node, frame)

    return perhaps_apart(e, whole, lambda: True, parted, frame)


def left(
    e: Elaboration, node: ast.For, over: Any, frame: Frame, whole: Callable[[Any, Callable[[], bool]], Paths]
) -> Paths:
    """The ends of a `for` that a statement may leave, the same way."""

    def parted() -> Paths:
        updates = len(e.updates)
        others = rest(over)
        e.bind(node.target, item(over), frame)
        ends = steady.turn(e, node, frame)
        if len(e.updates) > updates and not isinstance(over, RangeValue):
            raise interrupts.NotAtOnce
        return then(e, ends, lambda: whole(others, lambda: False), node, frame)

    if not splits(over):
        return whole(over, lambda: False)
    return perhaps_apart(e, lambda first: whole(over, first), lambda: surely_runs(e, over), parted, frame)


def surely_true(e: Elaboration, test: ast.expr, frame: Frame) -> bool:
    """Whether a test holds in all calls that the code is for: it is known, or compares a number with one that is."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return all([surely_true(e, part, frame) for part in test.values])
    found = conditions.condition(e, test, frame)
    let = found.definition if isinstance(found, Var) else None
    if let is None:
        return not isinstance(found, Var) and bool(found)
    p = let.op.primitive if isinstance(let.op, Apply) else None
    if p is arithmetic.less:
        low, high = let.args
    elif p is arithmetic.greater:
        high, low = let.args
    else:
        return False
    if isinstance(low, Lit) and type(low.value) is int:
        return settling.no_less(e, high, low.value + 1)
    return isinstance(high, Lit) and type(high.value) is int and settling.no_less(e, low, 1 - high.value, factor=-1)


def apart(e: Elaboration, node: ast.For, over: Any, frame: Frame) -> None:
    """The first run, then the loop of the others. Raises `FirstRun` where the first may change what comes next."""
    updates = len(e.updates)
    e.bind(node.target, item(over), frame)
    frame.env = steady.turn(e, node, frame).names(ON)
    if len(e.updates) > updates and not isinstance(over, RangeValue):
        raise interrupts.FirstRun("what it runs along", e.span(node, frame))
    loops.loop(e, node, rest(over), frame)


def splits(over: Any) -> bool:
    """Whether the first item can be told from the others."""
    if isinstance(over, ZipValue):
        return all(map(splits, over.parts))
    if isinstance(over, EnumerateValue):
        return splits(over.part)
    if isinstance(over, RangeValue):
        bounds = range_of(over)
        return type(bounds[2]) is int and any(type(b) is int for b in bounds[:2])
    if not isinstance(over, Var):
        return False
    a = over.object
    return bool(a.axes) if isinstance(a, Array) else isinstance(a, List) and isinstance(a.item, (Array, Real))


def range_of(over: RangeValue) -> tuple[Any, Any, Any]:
    """The start, the stop and the step."""
    bounds = over.bounds
    return (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds


def surely_runs(e: Elaboration, over: Any) -> bool:
    """Whether there is a first item in all calls that the code is for."""
    if isinstance(over, ZipValue):
        return all([surely_runs(e, part) for part in over.parts])
    if isinstance(over, EnumerateValue):
        return surely_runs(e, over.part)
    if not isinstance(over, RangeValue):
        return settling.no_less(e, over, 1, items=True)
    start, stop, step = range_of(over)
    low, high = (start, stop) if step > 0 else (stop, start)
    if type(low) is int:
        return high > low if type(high) is int else settling.no_less(e, high, low + 1)
    return settling.no_less(e, low, 1 - high, factor=-1)


def item(over: Any) -> Any:
    """The first item."""
    if isinstance(over, ZipValue):
        return tuple(map(item, over.parts))
    if isinstance(over, EnumerateValue):
        return over.start, item(over.part)
    if isinstance(over, RangeValue):
        return range_of(over)[0]
    return structure.item(over, 0) if is_list(over) else indexing.index(over, 0, pattern=("i",))


def rest(over: Any) -> Any:
    """All items but the first."""
    if isinstance(over, ZipValue):
        return ZipValue(tuple(map(rest, over.parts)))
    if isinstance(over, EnumerateValue):
        return EnumerateValue(rest(over.part), arithmetic.add(over.start, 1))
    if isinstance(over, RangeValue):
        start, stop, step = range_of(over)
        return RangeValue((arithmetic.add(start, step), stop, step))
    return lists.sliced(over, 1, places="1") if is_list(over) else indexing.index(over, 1, pattern=("s1",))


def is_list(over: Any) -> bool:
    return isinstance(over, Var) and isinstance(over.object, List)
