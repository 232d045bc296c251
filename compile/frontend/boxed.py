"""Functions as values of the program, where which function it is shows only when it runs.

A function that a loop carries, a list holds or a recursion gives or is given becomes a record of what it captured;
each piece of code has a class of its own, so that a function is one of a sum (`ccc.compile.frontend.sums`). To call it
is to ask which one it is, in a function of the program that calls itself where functions are made of functions. So its
cotangent is that of what it captured, with the class of its code for a tag.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration, Kept
from ccc.compile.frontend.names import binds_behind, binds_once, free_names
from ccc.compile.frontend.parts import IN_A_LIST, is_cell, is_shared, seal
from ccc.compile.frontend.pieces import ITSELF, Piece, leaves
from ccc.compile.frontend.settling import read_by_items
from ccc.compile.frontend.values import (
    NOT_YET,
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    RecordValue,
    Unbound,
    variables_in,
)
from ccc.compile.program.lam import Var
from ccc.coproducts import NoSum
from ccc.objects import List, Map, Object, Record
from ccc.primitives import structure
from ccc.records import Code


def boxable(value: Any) -> bool:
    """True for functions that can be values of the program."""
    if isinstance(value, types.MethodType):
        return isinstance(value.__func__, types.FunctionType) and isinstance(value.__self__, (RecordValue, tuple))
    return isinstance(value, ClosureValue | types.FunctionType | types.BuiltinFunctionType | np.ufunc | type(np.sum))


def captured(e: Elaboration, function: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The identity of the code of a function, what it captured that is known, and what is of the program."""
    if isinstance(function, types.MethodType):
        held = dict(leaves(function.__self__))
        known = {name: value for name, value in held.items() if is_known(value)}
        return function.__func__, known, {name: value for name, value in held.items() if name not in known}
    if not isinstance(function, ClosureValue):
        return function, {}, {}
    found: dict[str, Any] = {f"default_{name}": value for name, value in function.defaults.items()}
    anew: list[tuple[Frame, str]] = []
    for name in sorted(free_names(function.node)):
        frame: Frame | None = function.frame
        while frame is not None and name not in frame.local:
            frame = frame.outer
        if frame is None:
            continue
        if isinstance(frame.env.get(name, NOT_YET), Unbound):
            if anew:
                break
            raise unsupported("CC003", f"a function that is kept reads `{name}`, which may have no value yet",
                              e.span(function.node, function.frame), help=f"bind `{name}` before the function")
        if is_shared(frame.env.get(name)):
            found[name] = frame.env[name]
            continue
        if name in frame.cells or (frame in e.frames and may_be_bound_anew(frame, name)):
            anew.append((frame, name))
        found[name] = ITSELF if frame.env[name] is function else frame.env[name]
    if anew:
        refuse_anew(e, function, anew)
    known = {name: value for name, value in found.items() if is_known(value)}
    return id(function.node), known, {name: value for name, value in found.items() if name not in known}


def refuse_anew(e: Elaboration, function: ClosureValue, anew: list[tuple[Frame, str]]) -> None:
    """Refuse to keep a function that reads variables which may be others when it is called; where there are stores, the
    variables stand in some from the next reading on. A short loop is read item by item first."""
    frame, name = anew[0]
    if e.stores is None:
        read_by_items(e, variables_in(frame.env[name]))
    for one in anew:
        share(e, *one)
    raise unsupported("CC003", f"a function that is kept reads `{name}`, which may be bound anew before it is called",
                      e.span(function.node, function.frame),
                      help=f"for the value that it has there, write `{name}={name}` among the parameters; Python reads "
                           "the last one")


def share(e: Elaboration, frame: Frame, name: str) -> None:
    """Let functions that are kept share a variable from the next reading on, where there are stores."""
    if e.stores is not None and frame.site is not None:
        e.stores.regions.share(str(e.place(frame.site, frame)), name)


def may_be_bound_anew(frame: Frame, name: str) -> bool:
    """True where an activation under way may bind a name behind the statement that it is at."""
    if binds_once(frame.node, name):
        return False
    under_way = frame.at is not None and isinstance(frame.node, ast.FunctionDef)
    return not under_way or binds_behind(frame.node, name, frame.at)  # type: ignore[arg-type]


def is_known(value: Any) -> bool:
    """True for what is part of the code: known functions, texts, None, classes."""
    if isinstance(value, bool):
        return True
    if isinstance(value, (Var, int, float, tuple, RecordValue, ListValue, ClosureValue, ChoiceValue)):
        return False
    return not (isinstance(value, types.MethodType) and boxable(value))


def refuse_changed(e: Elaboration, function: Any) -> None:
    """Refuse to keep a function with an attribute that has changed: it is kept by what it captured. One that is known
    may not change from here on."""
    for name, held in function.attributes.items() if isinstance(function, ClosureValue) else ():
        if is_cell(held) and not (is_known(held.fields[name]) or isinstance(held.fields[name], int | float)):
            raise unsupported("CC003", f"a function that is kept has an attribute that changes, `{name}`",
                              e.span(function.node, function.frame), help=IN_A_LIST.format(name))
        seal(held, "a function that is kept")


def piece_of(e: Elaboration, function: Any) -> tuple[Piece, dict[str, Any]]:
    """The piece of code of a function, and what it captured."""
    refuse_changed(e, function)
    code, known, parts = captured(e, function)
    key = (code, tuple([(n, v if isinstance(v, (str, bool)) else id(v)) for n, v in known.items()]), tuple(parts))
    piece = e.pieces.get(key)
    if piece is None:
        piece = e.pieces[key] = Piece(e.recorder, function, tuple(parts), known)
        if e.stores is not None:  # it stays of one class from one reading to the next
            piece.of_class(e.stores.regions.codes.setdefault(key, piece.cls))
    return piece, parts


def object_in(e: Elaboration, function: Any, part: Callable[[Any], Object]) -> Record:
    """The object of a function as a record of what it captured. Raises `NoSum` for what cannot be one."""
    if not boxable(function):
        raise NoSum("a function of this kind")
    piece, parts = piece_of(e, function)
    return Record(tuple([part(v) for v in parts.values()]), piece.cls, tuple(parts))


def record_of(e: Elaboration, function: Any, part: Callable[[Any], Any]) -> Var:
    """A function as a record of what it captured."""
    piece, parts = piece_of(e, function)
    for name, value in parts.items():
        seal(value, "a function that is kept")
        if isinstance(value, Var) and isinstance(value.object, (List, Map)):
            e.held.append(Kept(value, name, e.recorder.block, len(e.updates)))
    return e.always(structure.record, tuple([part(v) for v in parts.values()]), cls=piece.cls, names=tuple(parts))


def is_code(a: Object) -> bool:
    """True for the object of a function."""
    return isinstance(a, Record) and issubclass(a.cls, Code)
