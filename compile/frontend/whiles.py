"""Loops that a statement may leave, and `while`.

A `for` that is never left stays a loop over its sequences (`ccc.compile.frontend.loops`). One with `break` or `return`
becomes a `while` that reads its elements by their index; what left it is told by bools that it carries: `going`, and
one for each further way out. What only the way out binds (a returned value, a name bound before `break`) is carried
too, absent until then.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import CompileError, TypeMismatch, UnsupportedPython
from ccc.compile.frontend import (
    alternatives,
    cursors,
    first_runs,
    handing,
    interrupts,
    left_loops,
    pushing,
    steady,
    trying,
    unrolling,
)
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import BREAK, DONE, LEFT, ON, RETURN, Paths, Renamed, exits
from ccc.compile.frontend.iterables import known_items, surely_runs
from ccc.compile.frontend.iterated import Along, by_key, refuse_effects
from ccc.compile.frontend.iterator_values import EndlessValue, OnceValue, RangeValue, is_in_turn
from ccc.compile.frontend.memory.interface import otherwise, retried, walking
from ccc.compile.frontend.paths import then
from ccc.compile.frontend.values import ITEMS, Frame, RecordValue
from ccc.compile.program.lam import Var
from ccc.objects import UNIT, List
from ccc.primitives import structure


def for_(e: Elaboration, node: ast.For, frame: Frame) -> Paths:
    def run() -> Paths:
        node.iter.of_loop = True  # type: ignore[attr-defined]
        handing.on(node.iter)
        handing.read_by(node.target, node)
        over = e.iterated(node.iter, frame)
        if not alternatives.is_of_several(e, over):
            return along_one(over)
        over = alternatives.able(e, over, alternatives.not_iterable, node, frame)
        use = lambda one: along_one(e.handlers.iterated(e, one, node.iter, frame))  # noqa: E731
        return alternatives.paths(e, over, use, node, frame)

    def along_one(over: Any) -> Paths:
        over = pushing.in_turn(e, over, node.body, frame)
        if (is_in_turn(over) and pushing.is_asked(e, over, node.iter, frame)) or (
                isinstance(over, EndlessValue) and over.numbers is None):
            over = cursors.as_object(e, over, node.iter, frame)
        if cursors.is_iterator(over):
            return trying.beside_loop(e, lambda: cursors.loop(e, node, over, frame))
        if is_in_turn(over):
            lazy: Any = over
            return trying.beside_loop(e, lambda: pushing.loop(e, node, lazy, frame))
        refuse_effects(e, over, node.iter, frame)
        watch = walking.Watch(e, over, node, frame)

        def along() -> Paths:
            if not watch.by_index:
                return run_along(e, node, over, frame)
            walk = left_loops.Rereading(e, over, node.iter, frame)
            ends = perhaps(e, left_loops.LeftLoop(e, node, frame, walk, False).elaborate, False, frame)
            return completed(e, node, ends, frame)

        try:
            ends = steady.Steady(e, over, node, frame).along(along)
        except CompileError:
            watch.refused()
            raise
        if not watch.by_index:
            watch.done()
        return ends

    return retried(e, run, e.span(node, frame), frame)


def run_along(e: Elaboration, node: ast.For, over: Any, frame: Frame) -> Paths:
    """The ends of a `for` over what has been computed."""
    over = by_key(e, over, node.iter)
    if isinstance(over, EndlessValue) and over.numbers is not None and exits(node.body) & {BREAK, RETURN}:
        over = over.numbers
    along = Along(e, over, node.iter, frame)
    while isinstance(over, OnceValue):
        over = over.items
    if isinstance(over, RecordValue) and ITEMS in over.fields:
        over = e.sequence(over, node.iter, frame)
    leaving = exits(node.body) & {BREAK, RETURN} or e.attempts.active
    if known_items(over) is not None:
        ends = unrolling.along_items(e, node, along, 0, frame)
    elif never_runs(over):
        ends = Paths([DONE], frame.env)
    elif leaving and (empty := without_items(over)):
        for xs in empty:  # their type says nothing that the body could be compiled for
            e.always(structure.check_length, (xs,), count=0)
        ends = Paths([DONE], frame.env)
    else:
        ends = otherwise(e, lambda: perhaps(e, lambda: looped(e, node, over, frame), surely_runs(over), frame),
                         lambda: unrolling.number_by_number(e, node, over, frame), frame)
    along.check()
    return completed(e, node, ends, frame)


def looped(e: Elaboration, node: ast.For, over: Any, frame: Frame) -> Paths:
    """The ends of a `for` that stays a loop, without its `else`."""
    if exits(node.body) & {BREAK, RETURN} or e.attempts.active:
        return first_runs.left(e, node, over, frame, lambda over, first: left_loops.LeftLoop(
            e, node, frame, left_loops.Walk(e, over, node.iter, frame), surely_runs(over), first).elaborate())
    first_runs.loop(e, node, over, frame)
    return Paths([DONE], frame.env)


def perhaps(e: Elaboration, run: Callable[[], Paths], certain: bool, frame: Frame) -> Paths:
    """The ends of a loop; while it is not known what a call of the function itself gives, those of no run at all."""
    block, start, env = e.recorder.block, len(e.recorder.block.lets), dict(frame.env)
    facts, under_way = e.facts.saved(block), e.attempts.saved()
    try:
        return run()
    except interrupts.Bottom:
        if certain:
            raise
        del block.lets[start:]
        under_way()
        e.facts.restore(block, facts)
        frame.env = env
        return Paths([DONE], env)


def never_runs(over: Any) -> bool:
    """True for a range that is known to be empty."""
    return isinstance(over, RangeValue) and all(type(b) is int for b in over.bounds) and not range(*over.bounds)


def without_items(over: Any) -> list[Var]:
    """The lists without items in what is iterated."""
    return [xs for xs in left_loops.iterated(over) if xs.object == List(UNIT)]


def while_(e: Elaboration, node: ast.While, frame: Frame) -> Paths:
    if isinstance(node.test, ast.Constant) and not node.test.value:
        return completed(e, node, Paths([DONE], frame.env), frame)
    forever = isinstance(node.test, ast.Constant)

    def as_loop() -> Paths:
        return perhaps(e, lambda: first_runs.while_(e, node, frame, lambda first: left_loops.LeftLoop(
            e, node, frame, None, False, first).elaborate()), forever, frame)

    def in_turn() -> Paths:
        return unrolling.turn_by_turn(e, node, frame)

    if e.at_once or unrolling.goes_through_text(node, frame):
        ends = otherwise(e, in_turn, as_loop, frame, (UnsupportedPython, TypeMismatch, interrupts.NotAtOnce))
    else:
        ends = otherwise(e, as_loop, lambda: otherwise(
            e, in_turn, lambda: unrolling.at_once(e, in_turn), frame, (interrupts.NotAtOnce,)), frame)
    return completed(e, node, ends, frame)


def completed(e: Elaboration, node: ast.For | ast.While, ends: Paths, frame: Frame) -> Paths:
    """The ends of a loop followed by its `else`, which runs where nothing left the loop."""
    ends = Renamed(ends, {DONE: ON, BREAK: LEFT})
    if node.orelse:
        ends = trying.beside_loop(e, lambda: then(
            e, ends, lambda: e.ends_of(node.orelse, frame), node, frame))
    return Renamed(ends, {LEFT: ON})
