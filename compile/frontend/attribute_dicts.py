"""The dicts of the attributes of objects: `vars(x)` and `x.__dict__`."""

from __future__ import annotations

import ast
import functools
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.parts import MISSING, class_attribute
from ccc.compile.frontend.values import ITEMS, AttributesValue, Frame, RecordValue
from ccc.registered import registered


def of(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> AttributesValue:
    """The attributes of an object by their names, as it has them whenever they are read."""
    if not isinstance(value, RecordValue) or ITEMS in value.fields or not is_all(value.cls):
        raise unsupported("CC003", f"`vars` of {described(value)}", e.place(node, frame),
                          "what it holds beside its known attributes is not known",
                          help="read the attributes one by one")
    return AttributesValue(value)


def is_all(cls: type) -> bool:
    """Whether the dict of an object holds its known attributes and nothing else."""
    if cls is dict or registered(cls) is not None or class_attribute(cls, "__slots__") is not MISSING:
        return False
    found = [x for base in cls.__mro__ for x in vars(base).values()]
    return not any(isinstance(x, functools.cached_property) for x in found)
