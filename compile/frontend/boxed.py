"""Functions as values of the program, where which function it is shows only when it runs.

A function that a loop carries, a list holds or a recursion gives or is given becomes a record of what it captured;
each piece of code has a class of its own, so that a function is one of a sum (`ccc.compile.frontend.sums`). To call it
is to ask which one it is, in a function of the program that calls itself where functions are made of functions. So its
cotangent is that of what it captured, with the class of its code for a tag.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.names import binds_once, free_names
from ccc.compile.frontend.values import (
    NOT_YET,
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    RecordValue,
    Unbound,
    is_function,
)
from ccc.compile.program.lam import Block, Node, Var
from ccc.coproducts import NoSum
from ccc.objects import Object, Record
from ccc.primitives import structure
from ccc.records import Code

Elaboration = Any
ITSELF = object()


class Piece:
    """A piece of code and the known things that it captured: what a class of functions is made of."""

    def __init__(self, e: Elaboration, function: Any, names: tuple[str, ...], known: dict[str, Any]) -> None:
        self.e: Any = e
        self.function: Any = function
        self.known = known
        name = getattr(function, "name", None) or getattr(function, "__name__", "function")
        label = "function" if not str(name).isidentifier() else str(name)
        fields = [(n, Any) for n in names]
        self.cls = dataclasses.make_dataclass(label, fields, bases=(Code,), namespace={"piece": self}, eq=False)
        self.cls.__module__ = "functions of a program"

    def close(self) -> None:
        """Forget the elaboration, which is over: the class may be remembered for long."""
        self.e = self.function = None
        self.known = {}

    def opened(self, parts: dict[str, Any]) -> Any:
        """The function that captured these values."""
        function = self.function
        if isinstance(function, types.MethodType):
            return types.MethodType(function.__func__, parts["self"])
        if not isinstance(function, ClosureValue):
            return function
        frame = Frame(function.frame.name, function.frame.file, function.frame.function, None)
        found = ClosureValue(function.node, frame, {}, self.e.recorder.block)
        for name, value in {**self.known, **parts}.items():
            value = found if value is ITSELF else value
            if name.startswith("default_"):
                found.defaults[name[len("default_"):]] = value
            else:
                frame.env[name] = value
        frame.local = frozenset(frame.env)
        return found


def boxable(value: Any) -> bool:
    """True for functions that can be values of the program."""
    if isinstance(value, types.MethodType):
        return isinstance(value.__func__, types.FunctionType) and isinstance(value.__self__, RecordValue | Node)
    return isinstance(value, ClosureValue | types.FunctionType | types.BuiltinFunctionType | np.ufunc | type(np.sum))


def captured(e: Elaboration, function: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The identity of the code of a function, what it captured that is known, and what is of the program."""
    if isinstance(function, types.MethodType):
        return function.__func__, {}, {"self": function.__self__}
    if not isinstance(function, ClosureValue):
        return function, {}, {}
    found: dict[str, Any] = {f"default_{name}": value for name, value in function.defaults.items()}
    for name in sorted(free_names(function.node)):
        frame: Frame | None = function.frame
        while frame is not None and name not in frame.local:
            frame = frame.outer
        if frame is None:
            continue
        if isinstance(frame.env.get(name, NOT_YET), Unbound):
            raise unsupported("CC003", f"a function that is kept reads `{name}`, which may have no value yet",
                              e.span(function.node, function.frame), help=f"bind `{name}` before the function")
        if name in frame.cells or (frame in e.frames and not binds_once(frame.node, name)):
            raise unsupported(
                "CC003", f"a function that is kept reads `{name}`, which may be bound anew before it is called",
                e.span(function.node, function.frame), help=f"write `{name}={name}` among its parameters")
        found[name] = ITSELF if frame.env[name] is function else frame.env[name]
    known = {name: value for name, value in found.items() if is_known(value)}
    return id(function.node), known, {name: value for name, value in found.items() if name not in known}


def is_known(value: Any) -> bool:
    """True for what is part of the code: known functions, texts, None, classes."""
    if isinstance(value, bool):
        return True
    if isinstance(value, Var | int | float | tuple | RecordValue | ListValue | ClosureValue | ChoiceValue):
        return False
    return not (isinstance(value, types.MethodType) and boxable(value))


def piece_of(e: Elaboration, function: Any) -> tuple[Piece, dict[str, Any]]:
    """The piece of code of a function, and what it captured."""
    code, known, parts = captured(e, function)
    key = (code, tuple([(n, v if isinstance(v, str | bool) else id(v)) for n, v in known.items()]), tuple(parts))
    piece = e.pieces.get(key)
    if piece is None:
        piece = e.pieces[key] = Piece(e, function, tuple(parts), known)
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
    return e.always(structure.record, tuple([part(v) for v in parts.values()]), cls=piece.cls, names=tuple(parts))


def is_code(a: Object) -> bool:
    """True for the object of a function."""
    return isinstance(a, Record) and issubclass(a.cls, Code)


def settled(e: Elaboration, block: Block, value: Any) -> Any:
    """What a recursive function gives, with its functions as values of the program."""
    from ccc.compile.frontend import sums
    from ccc.compile.frontend.records import parts_in, remade

    if isinstance(value, ClosureValue | ChoiceValue):
        try:
            return e.within(block, lambda: sums.as_one(e, value))
        except NoSum as error:
            raise unsupported("CC022", "a recursive function gives a function that cannot be kept: "
                                       f"{error}", e.recorder.span, help="give numbers, and make the function "
                                                                         "of them where it is called") from error
    parts = parts_in(value)
    if parts is None:
        return value
    found = [settled(e, block, part) for part in parts]
    return value if all(x is y for x, y in zip(found, parts, strict=True)) else remade(value, found, "another call")


def call(
    e: Elaboration, function: Var, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of calling one of several functions."""
    from ccc.compile.frontend import sums
    from ccc.compile.frontend.recursion import entered

    classes = tuple(sorted([a.cls.__name__ + str(id(a.cls)) for a in sums.left(e, function).values() if is_code(a)]))  # type: ignore[attr-defined]
    if len(classes) < len(sums.left(e, function)):
        fails = lambda f: None if is_function(f) or isinstance(f, RecordValue) else (  # noqa: E731
            TypeError, f"'{sums.class_name(f)}' object is not callable")
        return sums.dispatch(e, function, lambda f: e.call(f, args, kwargs, node, frame), fails, node, frame)
    given: dict[str, Any] = {"function": function, **{f"argument {i}": a for i, a in enumerate(args)}}
    given |= {f"named {name}": value for name, value in kwargs.items()}

    def body(values: dict[str, Any]) -> Any:
        inner = [values[f"argument {i}"] for i in range(len(args))]
        named = {name: values[f"named {name}"] for name in kwargs}
        value = values["function"]
        value = sums.narrowed(e, value) if sums.is_sum(value) else value
        use = lambda f: e.call(f, list(inner), dict(named), node, frame)  # noqa: E731
        return sums.dispatch(e, value, use, sums.never, node, frame) if sums.is_sum(value) else use(value)

    return entered(e, ("one of", classes), "call", given, body, node, frame, e.top)
