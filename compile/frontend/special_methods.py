"""Special methods of Python's and NumPy's classes that are asked for by name: `x.__add__(y)`, `key=xs.__getitem__`.

`operator` has a function for most of them, for others `builtins` or `math` have the one by which Python asks for it.

>>> called_by("__radd__"), called_by("__len__"), called_by("__init__")
((<built-in function add>, True), (<built-in function len>, False), None)
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import operator
import types
from typing import Any

from ccc.compile.frontend import records
from ccc.compile.frontend.describing import class_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.numpy_functions.table import refuse
from ccc.compile.frontend.values import Frame

OF_PYTHON = (int, float, bool)
"""The numbers whose methods take those of their own class alone."""


def called_by(name: str) -> tuple[Any, bool] | None:
    """The function that calls a special method, and whether its arguments are the other way round."""
    if not (name.startswith("__") and name.endswith("__")) or name == "__call__":
        return None
    for home, asked in ((operator, name), (builtins, name[2:-2]), (math, name[2:-2])):
        if asked in vars(home):
            return vars(home)[asked], False
    turned = vars(operator).get(f"__{name[3:]}") if name.startswith("__r") else None
    return None if turned is None else (turned, True)


def method(e: Elaboration, owner: Any, name: str, node: ast.AST, frame: Frame) -> Any:
    """What `owner.__name__` stands for; None where it is no special method that its class has of C."""
    cls = class_of(owner)
    if cls is None or cls.__module__ not in ("builtins", "numpy") or issubclass(cls, type):
        return None
    if name == "__class__":
        return e.call(type, [owner], {}, node, frame)
    written = inspect.getattr_static(cls, name, None)
    found = called_by(name)
    if found is None or not isinstance(written, (types.WrapperDescriptorType, types.MethodDescriptorType)) or (
            written.__objclass__ is object):
        return None
    function, turned = found
    pair = turned or (function in vars(operator).values() and not hasattr(builtins, name[2:-2]))
    if cls in OF_PYTHON and pair and len(inspect.signature(function).parameters) == 2:
        return records.partial(e, [of_own_class, function, turned, written.__objclass__, owner], {}, node, frame)
    return records.partial(e, [swapped, function, owner] if turned else [function, owner], {}, node, frame)


def swapped(function: Any, a: Any, b: Any) -> Any:
    return function(b, a)


def of_own_class(function: Any, turned: Any, cls: Any, a: Any, b: Any) -> Any:
    """What a method of a number of Python's gives, which other classes leave to the other operand."""
    if not isinstance(b, (int, float) if cls is float else cls):
        refuse("a method of a number gives NotImplemented for what is no number of its class", "write the operator")
    return function(cls(b), a) if turned else function(a, cls(b))
