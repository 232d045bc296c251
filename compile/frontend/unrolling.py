"""Loops whose turns are known one by one: the body is read once for each.

A `while` is a loop of the program where it can be one. Where it is refused as such, as one that goes from one state of
a machine to the next, and its test is known at each turn, it is read turn by turn. One whose test reads a known text
is read so first: what it makes of the text is known then, too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend import steady
from ccc.compile.frontend.conditions import condition
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import DONE, NEXT, ON, RAISE, Paths, Renamed
from ccc.compile.frontend.interrupts import NotAtOnce
from ccc.compile.frontend.iterated import Along
from ccc.compile.frontend.iterator_values import RangeValue
from ccc.compile.frontend.paths import then
from ccc.compile.frontend.values import Frame, RecordValue
from ccc.compile.program.lam import Var

MOST, LONGEST = 1024, 64
"""So many turns of loops that are refused otherwise are read one by one in all; as many a range may have."""


def along_items(e: Elaboration, node: ast.For, along: Along, start: int, frame: Frame) -> Paths:
    """The body once for each item of what is known item by item."""
    i = start
    while i < len(items := along.items(i)):
        e.bind(node.target, items[i], frame)
        i += 1
        ends = steady.turn(e, node, frame)
        if not ends.flows:
            return then(e, ends, lambda i=i: along_items(e, node, along, i, frame), node, frame)
        frame.env = ends.names(ON)
    return Paths([DONE], frame.env)


def goes_through_text(node: ast.While, frame: Frame) -> bool:
    """Whether the test of a loop reads a text that is known, or compares with one."""
    return any(isinstance(known_at(part, frame), str) for part in ast.walk(node.test) if isinstance(part, ast.expr))


def known_at(node: ast.expr, frame: Frame) -> Any:
    """A constant, what a name of a function stands for, or an attribute of what that is; None for all else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute):
        owner = known_at(node.value, frame)
        return owner.fields.get(node.attr) if isinstance(owner, RecordValue) else None
    here: Frame | None = frame
    while here is not None and isinstance(node, ast.Name):
        if node.id in here.local:
            return here.env.get(node.id)
        here = here.outer
    return None


def turn_by_turn(e: Elaboration, node: ast.While, frame: Frame) -> Paths:
    """The body once for each turn of a loop whose test is known. Raises `NotAtOnce` where one is not, or where it is
    not known how a turn ends."""
    while True:
        counted(e)
        found = condition(e, node.test, frame)
        if isinstance(found, Var):
            raise NotAtOnce
        if not found:
            return Paths([DONE], frame.env)
        ends = Renamed(e.ends_of(node.body, frame), {NEXT: ON})
        if len(ends.kinds - {RAISE}) > 1:
            raise NotAtOnce
        if not ends.flows:
            return ends
        frame.env = ends.names(ON)


def at_once(e: Elaboration, run: Callable[[], Paths]) -> Paths:
    """The turns of a loop, with those of the loops in it read turn by turn too, so that what these change is known."""
    e.at_once = True
    try:
        return run()
    finally:
        e.at_once = False


def number_by_number(e: Elaboration, node: ast.For, over: Any, frame: Frame) -> Paths:
    """The body once for each number of a range that is known and short. Raises `NotAtOnce` for all else."""
    if not isinstance(over, RangeValue) or not all(type(b) is int for b in over.bounds):
        raise NotAtOnce
    whole = range(*over.bounds)  # type: ignore[arg-type]
    if whole[LONGEST:]:
        raise NotAtOnce
    items = tuple(whole)
    for _ in items:
        counted(e)
    return along_items(e, node, Along(e, items, node.iter, frame), 0, frame)


def counted(e: Elaboration) -> None:
    e.turns += 1
    if e.turns > MOST:
        raise NotAtOnce


__all__ = ["along_items", "at_once", "number_by_number", "turn_by_turn"]
