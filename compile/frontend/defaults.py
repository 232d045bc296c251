"""The defaults of functions from outside, as values of the program."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Mapping
from typing import Any

from ccc.compile.diagnostics import is_installed
from ccc.compile.frontend.captures import Within
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.outside import watched
from ccc.compile.frontend.values import Frame

PLAIN = (bool, int, float, str, types.NoneType)
"""Of what defaults are that are known where a program is read, if the function is installed: users do not change it."""


def default(function: Any, index: Any) -> Any:
    """A reader's part: a default of a parameter."""
    return function.__defaults__[index]


def named_default(function: Any, name: Any) -> Any:
    """A reader's part: a default of a parameter that has to be named."""
    return function.__kwdefaults__[name]


class Defaults(Mapping[str, Any]):
    """The defaults of a function as values of the program: arrays among them are hidden arguments."""

    def __init__(self, e: Elaboration, function: types.FunctionType, node: ast.AST, frame: Frame | None) -> None:
        self.e = e
        self.function = function
        self.place = node, frame
        code = function.__code__
        given = function.__defaults__ or ()
        first = code.co_argcount - len(given)
        self.positions = {code.co_varnames[first + i]: i for i in range(len(given))}

    def __getitem__(self, name: str) -> Any:
        function = self.function
        key = (id(function), "default", name)
        i = self.positions.get(name)
        if i is None and name not in (function.__kwdefaults__ or {}):
            raise KeyError(name)

        owner = self.e.reader(function)
        again = Within(owner, default, i) if i is not None else Within(owner, named_default, name)
        value = again(self.e.root)
        if type(value) in PLAIN and is_installed(function):
            return value
        if isinstance(value, float) and again not in self.e.general:
            return watched(self.e, key, again)
        return self.e.read(name, key, value, again, *self.place)

    def __iter__(self) -> Iterator[str]:
        return iter([*self.positions, *(self.function.__kwdefaults__ or {})])

    def __len__(self) -> int:
        return len(list(iter(self)))
