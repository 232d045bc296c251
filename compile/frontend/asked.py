"""Which iterators of Python's library have to ask for each item when they are asked themselves."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.generators import KEPT, site_of
from ccc.compile.frontend.interrupts import InTurn
from ccc.compile.frontend.iterator_values import CALLS, IteratorValue, OnceValue
from ccc.compile.frontend.values import Frame


def again_as_object(e: Elaboration, node: ast.AST, frame: Frame) -> BaseException:
    """What has an iterator of Python's library read as an object from the beginning; a refusal where it is none."""
    if (KEPT, site_of(node, frame)) not in e.in_turn:
        return InTurn((KEPT, site_of(node, frame)))
    return unsupported("CC003", f"an iterator {CALLS}", e.place(node, frame),
                       "Python makes each item when its turn comes",
                       help="make a list first, `list(...)`, if it may be called for all items at once")


def have_turn(xs: Any) -> bool:
    """Whether the turns of the items of what is iterated matter."""
    if not isinstance(xs, IteratorValue):
        return False
    from ccc.compile.frontend.iterated import have_turns

    return have_turns([xs])


def matter(xs: Any, calls: bool = True) -> bool:
    """Whether an iterator that asks another one has to ask for each item in its turn: where it `calls` what prints or
    changes something, also of one that does so or may raise."""
    if not isinstance(xs, IteratorValue):
        return False
    from ccc.compile.frontend.iterated import side_by_side

    found = [part for part in side_by_side(xs) if isinstance(part, OnceValue)]
    return any(part.effects not in (("",) if calls else ("", CALLS)) or (calls and part.fails) or matter(
        part.items, calls) for part in found)
