"""Indices of arrays as constant patterns and numbers."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend.describing import is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import RangeValue
from ccc.compile.frontend.values import Frame, ListValue, plain_int
from ccc.compile.program.lam import Var
from ccc.objects import INT, UNIT, Array, Bool, Int, List
from ccc.primitives import creation, shaping
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.registry import find


def pattern_of(e: Elaboration, key: Any, node: ast.AST, frame: Frame) -> tuple[tuple[str, ...], list[Any]]:
    """The constant pattern of an index and its numbers."""
    codes: list[str] = []
    numbers: list[Any] = []
    key = e.handlers.whole(e, key, node, frame)  # a tuple of the program's may hold arrays that stand in stores
    if is_column(e, key) is not False:  # a list is one index, a tuple as many as it has items
        raise unsupported("CC003", "the length of a tuple that an array is indexed with must be known",
                          e.span(node, frame), help="write its items: `a[t[0], t[1]]`")
    for entry in map(plain_int, key if isinstance(key, tuple) else (key,)):
        if entry is None:
            codes.append("+")
        elif entry is Ellipsis:
            codes.append(".")
        elif isinstance(entry, slice):
            places = tuple(map(plain_int, (entry.start, entry.stop, entry.step)))
            codes.append("s" + "".join(str(i + 1) for i, p in enumerate(places) if p is not None))
            numbers += [p for p in places if p is not None]
        elif type(entry) is int or (isinstance(entry, Var) and isinstance(entry.object, Int)):
            codes.append("i")
            numbers.append(entry)
        else:
            codes.append("a")
            numbers.append(array_of_places(e, entry, node, frame))
    return tuple(codes), numbers


def dtype_of_places(entry: Any) -> tuple[str, ...]:
    """The dtype of an array of whole numbers in a list: of none, NumPy would make an array of floats."""
    a = entry.object if isinstance(entry, Var) else List(INT)
    while isinstance(a, List):
        a = a.item
    return ("int64",) if a == INT else ()


def array_of_places(e: Elaboration, entry: Any, node: ast.AST, frame: Frame) -> Any:
    """An array of places, or a mask: also a list, maybe of lists, and a truth value."""
    of_list = isinstance(entry, Var) and isinstance(entry.object, List)
    if of_list and entry.object == List(UNIT):
        entry = []
    elif of_list or isinstance(entry, RangeValue):
        entry = e.call(np.asarray, [entry, *dtype_of_places(entry)], {}, node, frame)
    if isinstance(entry, (ListValue, list, tuple)):
        entry = find(np.array)(listed(entry)) if listed(entry) else creation.zeros(0, known=("?",), dtype="int64")  # type: ignore[misc]
    elif isinstance(entry, (bool, np.bool_)) or (isinstance(entry, Var) and isinstance(entry.object, Bool)):
        entry = shaping.copy(entry) if isinstance(entry, Var) else np.array(entry)
    if not isinstance(entry, (Var, np.ndarray)) or not isinstance(kind_of(entry), Array):
        named = isinstance(entry, str)  # as if it were a dict or a table
        raise mismatch("CC027", "this index is not an integer", e.span(node, frame), help=(
            "index an array by integers, slices and masks" if named else "int(...) makes it one"))
    if kind_of(entry).is_real:  # type: ignore[attr-defined]
        raise mismatch("CC027", "an index must be an integer or bool array", e.span(node, frame),
                       help="make it one: np.array(..., dtype=int)" if of_list else "convert it with .astype(int)")
    return entry


def listed(entry: Any) -> Any:
    """The items of a list whose items are known, also of those in it."""
    items = entry.items if isinstance(entry, ListValue) else entry
    return list(map(listed, items)) if isinstance(items, (list, tuple)) else entry
