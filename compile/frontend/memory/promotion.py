"""Lists and dicts that were known item by item become those of the program, and statements are read again with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import CompileError, TypeMismatch, UnsupportedPython, mismatch
from ccc.compile.frontend import interrupts
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import dicts, list_changes
from ccc.compile.frontend.memory.aliasing import is_named
from ccc.compile.frontend.values import Frame, ListValue, RecordValue
from ccc.compile.program.lam import Var


def promoted(e: Elaboration, found: ListValue | RecordValue, why: str, place: Any) -> Var:
    """A list or dict as one of the program, for all that stands for it."""
    if isinstance(found, RecordValue):
        return dicts.promoted(e, found, why, place, None)
    return list_changes.promoted(e, found, why, place)


AGAIN_HERE = (interrupts.Grows, interrupts.ByKey, interrupts.ByItems, interrupts.InTurn)
"""For what a statement is read again, with what is known of it by then."""


def retried(e: Elaboration, run: Callable[[], Any], place: Any, frame: Frame) -> Any:
    """What `run` gives; where a branch in it changes the length of a list that was there before, the list becomes one
    of the program first."""
    tries, depth, asked = 0, len(e.frames), e.in_turn.count
    while tries < 16:
        block = e.recorder.block
        try:
            return undone(e, run, AGAIN_HERE, frame)
        except interrupts.InTurn as need:
            if not need.alone or e.stores is not None or not e.in_turn.learn(need.site, asked):
                raise
            del e.frames[depth:]
        except (interrupts.Grows, interrupts.ByKey, interrupts.ByItems) as need:
            tries += 1
            if isinstance(need, interrupts.ByKey):
                e.rows.by_key.add(need.node)
                continue
            if isinstance(need, interrupts.ByItems):
                if need.is_around(block):
                    raise
                e.rows.by_items.add(need.node)
                continue
            if not is_named(e, need.found):
                raise
            promoted(e, need.found, "changes its length in one branch", place)
    raise mismatch("CC006", "the lists and dicts of this branch do not settle", place,
                   help="give them the same structure in both branches")


def beginning(e: Elaboration, frame: Frame) -> Callable[[], None]:
    """How to come back to the state that reading is in."""
    block, env, active = e.recorder.block, dict(frame.env), len(e.active)
    start, updates, facts = len(block.lets), len(e.updates), e.facts.saved(block)
    pending, times = len(e.pending), dict(e.rows.times)
    under_way, unchanged = e.attempts.saved(), e.versions.saved()
    e.heap.begin_attempt()

    def back() -> None:
        e.heap.end_attempt(undo=True)
        under_way()
        unchanged()
        del block.lets[start:], e.updates[updates:], e.active[active:], e.pending[pending:]
        e.rows.times = times
        e.facts.restore(block, facts)
        e.recorder.block, frame.env = block, env

    return back


def undone(
    e: Elaboration, run: Callable[[], Any], where: type[BaseException] | tuple[type[BaseException], ...], frame: Frame
) -> Any:
    """What `run` gives; all that it has done is undone where it raises one of `where`."""
    back = beginning(e, frame)
    try:
        value = run()
    except where:
        back()
        raise
    except BaseException as error:
        e.heap.end_attempt(undo=not isinstance(error, interrupts.LEAVES))
        raise
    e.heap.end_attempt(undo=False)
    return value


AGAIN = ("CC010", "CC011", "CC060")
"""The codes of refusals for which a function is read again: with stores, or on a larger stack."""


def otherwise(
    e: Elaboration, run: Callable[[], Any], instead: Callable[[], Any], frame: Frame,
    where: tuple[type[Exception], ...] = (UnsupportedPython, TypeMismatch),
) -> Any:
    """What `run` gives, or what `instead` does where that is refused; what `run` was refused for, where both are, if
    that can be told."""
    depth = len(e.frames)
    try:
        return undone(e, run, where, frame)
    except where as error:
        del e.frames[depth:]
        if isinstance(error, interrupts.ByIndex) or any(
                found.code in AGAIN for found in getattr(error, "diagnostics", ())):
            raise
        try:
            return undone(e, instead, (CompileError, interrupts.NotAtOnce), frame)
        except (CompileError, interrupts.NotAtOnce) as other:
            del e.frames[depth:]
            raise (other if isinstance(error, interrupts.NotAtOnce) else error) from None
