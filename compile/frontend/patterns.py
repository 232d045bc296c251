"""Indices of arrays as constant patterns and numbers."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.values import Frame, ListValue
from ccc.compile.program.lam import Var
from ccc.objects import Array, Int
from ccc.primitives.registry import find


def pattern_of(e: Elaboration, key: Any, node: ast.AST, frame: Frame) -> tuple[tuple[str, ...], list[Any]]:
    """The constant pattern of an index and its numbers."""
    codes: list[str] = []
    numbers: list[Any] = []
    for entry in key if isinstance(key, tuple) else (key,):
        if entry is None:
            codes.append("+")
        elif entry is Ellipsis:
            codes.append(".")
        elif isinstance(entry, slice):
            places = (entry.start, entry.stop, entry.step)
            codes.append("s" + "".join(str(i + 1) for i, p in enumerate(places) if p is not None))
            numbers += [p for p in places if p is not None]
        elif isinstance(entry, Var) and isinstance(entry.object, Array) and entry.object.axes != ():
            if entry.object.is_real:
                raise mismatch("CC027", "an index must be an integer or bool array", e.span(node, frame),
                               help="convert it with .astype(int)")
            codes.append("a")
            numbers.append(entry)
        elif isinstance(entry, ListValue) and entry.items:
            codes.append("a")
            numbers.append(find(np.array)(entry.items))  # type: ignore[misc]
        elif type(entry) is int or (isinstance(entry, Var) and isinstance(entry.object, Int)):
            codes.append("i")
            numbers.append(entry)
        else:
            raise mismatch("CC027", "this index is not an integer", e.span(node, frame), help="int(...) makes it one")
    return tuple(codes), numbers
