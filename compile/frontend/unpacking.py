"""What a value has for each of several names that it is unpacked into, or what Python raises."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend import alternatives, effects
from ccc.compile.frontend.attempts import TURNS
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import list_changes, stored
from ccc.compile.frontend.names import written
from ccc.compile.frontend.parts import opened
from ccc.compile.frontend.regions import is_items
from ccc.compile.frontend.values import Frame, ListValue
from ccc.compile.program.lam import Var
from ccc.objects import Array, List, Product
from ccc.primitives import indexing, lists as list_primitives, structure

NOT_UNPACKED = alternatives.of_none("cannot unpack non-iterable NoneType object")


AT_LEAST = """
if len(xs) < least:
    raise ValueError(f'not enough values to unpack (expected at least {least}, got {len(xs)})')
"""


def around(e: Elaboration, xs: Var, before: int, behind: int, node: ast.AST, frame: Frame) -> tuple[Any, ...]:
    """The first and the last items of a list of the program, and a list of those between."""
    from ccc.compile.frontend.comprehensions import inner_frame

    inner = inner_frame(frame, [])
    inner.local |= {"xs", "least", "len", "ValueError"}
    inner.env.update(xs=xs, least=before + behind, len=len, ValueError=ValueError)
    e.frames.append(inner)
    try:
        e.attempts.part(lambda: e.run(written(AT_LEAST, node), inner))
    finally:
        e.frames.pop()
    stop = [-behind] if behind else []
    between = e.always(list_primitives.sliced, (xs, before, *stop), places="12" if stop else "1")
    first, last = [[list_changes.at(e, xs, k) for k in places] for places in (range(before), range(-behind, 0))]
    return (*first, between, *last)


def fail_to_unpack(e: Elaboration, count: int, names: list[str], node: ast.AST, frame: Frame) -> None:
    """Raise what Python raises of so many values for these names, if the program may come here."""
    if not e.recorder.surely_runs():
        try:
            exec(f"[{', '.join(names)}] = [None] * {count}", {})
        except ValueError as error:
            effects.fail_with(e, ValueError, str(error), node, frame)


def unpacked(e: Elaboration, value: Any, count: int, node: ast.AST, frame: Frame) -> tuple[Any, ...]:
    if alternatives.is_uncertain(e, value):
        value = alternatives.able(e, value, NOT_UNPACKED, node, frame)
    value = stored.shown(e, value)
    if isinstance(value, ListValue):
        value = tuple(value.items)
    if isinstance(value, Var) and isinstance(value.object, Product):
        value = tuple([structure.part(value, index=i) for i in range(len(value.object.parts))])
    if is_items(value):
        if len(value) != count:
            fail_to_unpack(e, len(value), ["_"] * count, node, frame)
            raise mismatch("CC027", f"{len(value)} values for {count} names", e.span(node, frame),
                           help="name each value")
        return value
    if isinstance(value, Var) and isinstance(value.object, Array) and value.object.axes != ():
        e.always(structure.check_length, (value,), count=count)
        return tuple([indexing.index(value, i, pattern=("i",)) for i in range(count)])
    if isinstance(value, Var) and isinstance(value.object, List):
        e.always(structure.check_length, (value,), count=count)
        return tuple([opened(structure.item(value, i)) for i in range(count)])
    if isinstance(value, str) and len(value) == count:
        return tuple(value)
    e.attempts.lacks(value, "cannot unpack non-iterable {} object", *TURNS)
    raise mismatch("CC027", f"this cannot be unpacked into {count} names", e.span(node, frame),
                   help="unpack as many values as there are names")
