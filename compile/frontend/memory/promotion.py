"""Lists and dicts that were known item by item become those of the program, and statements are read again with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import ByItems, ByKey, Grows
from ccc.compile.frontend.memory import dicts, list_changes
from ccc.compile.frontend.memory.lists import stands_for
from ccc.compile.frontend.values import Frame, ListValue, RecordValue
from ccc.compile.program.lam import Var


def promoted(e: Elaboration, found: ListValue | RecordValue, why: str, place: Any) -> Var:
    """A list or dict as one of the program, for all that stands for it."""
    if isinstance(found, RecordValue):
        return dicts.promoted(e, found, why, place, None)
    return list_changes.promoted(e, found, why, place)


def retried(e: Elaboration, run: Callable[[], Any], place: Any, frame: Frame) -> Any:
    """What `run` gives; where a branch in it changes the length of a list that was there before, the list becomes one
    of the program first."""
    for _ in range(16):
        block, env, active = e.recorder.block, dict(frame.env), len(e.active)
        start, updates, facts = len(block.lets), len(e.updates), e.facts.saved(block)
        pending, times = len(e.pending), dict(e.rows.times)
        e.heap.begin_attempt()
        try:
            value = run()
        except (Grows, ByKey, ByItems) as need:
            e.heap.end_attempt(undo=True)
            del block.lets[start:], e.updates[updates:], e.active[active:], e.pending[pending:]
            e.rows.times = times
            e.facts.restore(block, facts)
            e.recorder.block, frame.env = block, env
            if isinstance(need, ByKey):
                e.rows.by_key.add(need.node)
                continue
            if isinstance(need, ByItems):
                if need.is_around(block):
                    raise
                e.rows.by_items.add(need.node)
                continue
            if not stands_for(e, need.found):
                raise
            promoted(e, need.found, "changes its length in one branch", place)
        except BaseException:
            e.heap.end_attempt(undo=True)
            raise
        else:
            e.heap.end_attempt(undo=False)
            return value
    raise mismatch("CC006", "the lists and dicts of this branch do not settle", place,
                   help="give them the same structure in both branches")
