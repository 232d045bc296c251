"""The dicts of the attributes of objects: `vars(x)` and `x.__dict__`."""

from __future__ import annotations

import ast
import functools
from typing import Any

from ccc.compile.diagnostics import unsupported, without_value
from ccc.compile.frontend import presence
from ccc.compile.frontend.captures import Fixed, Within
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.guards import Guard
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.parts import MISSING, class_attribute
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import ITEMS, AttributesValue, Frame, RecordValue, Unbound
from ccc.compile.program.lam import Var
from ccc.records import is_plain, names_of
from ccc.registered import registered


def of(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> AttributesValue:
    """The attributes of an object by their names, as it has them whenever they are read."""
    found = stored.shown(e, value)
    presence.refuse_inner(e, found, "__dict__", node, frame)
    if not isinstance(found, RecordValue) or ITEMS in found.fields or not is_all(found.cls):
        raise unsupported("CC003", f"`vars` of {described(value)}", e.place(node, frame),
                          "what it holds beside its known attributes is not known",
                          help="read the attributes one by one")

    def read() -> RecordValue:
        there = now(e, value, found)
        if any(presence.is_inner(there, name) for name in there.fields):
            there = RecordValue(there.cls, {n: x for n, x in there.fields.items() if not presence.is_inner(there, n)})
        for name, part in there.fields.items():
            if isinstance(part, Unbound):
                raise without_value(part, f".{name}", e.place(node, frame))
        return there

    read()
    return AttributesValue(value, read)


def names(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> list[str] | None:
    """The names that `dir` gives of an object or of a class; None where they are not known."""
    found = stored.shown(e, value)
    of_python = isinstance(value, type)
    cls = value if of_python else class_behind(found.cls) if isinstance(found, RecordValue) else None
    if not isinstance(cls, type) or "__ccc_class__" in vars(cls) or any("__dir__" in vars(c) for c in cls.__mro__[:-1]):
        return None
    if "<locals>" not in cls.__qualname__:  # a local class is made anew, of the same statement
        e.guards["dir", cls] = Guard(Within(Fixed(cls), names_in, None), names_in(cls))
    if of_python:
        return dir(cls) if type(cls).__dir__ is type.__dir__ else None
    return sorted({*dir(cls), *of(e, value, node, frame).fields}) if is_plain(cls) or names_of(cls) else None


def names_in(cls: type, label: Any = None) -> tuple[str, ...]:
    """The names in a class and its bases."""
    return tuple(dir(cls))


def now(e: Elaboration, value: Any, found: RecordValue) -> RecordValue:
    """What an object is now; of one in a store, outside of where its place is known, what it was found as: no name
    leads to it from there."""
    at = value[0] if stored.is_reference(value) else None
    inside = not isinstance(at, Var) or at.home is None or at.home in list(e.recorder.block.ancestors())
    return stored.shown(e, value) if inside else found


def is_all(cls: type) -> bool:
    """Whether the dict of an object holds its known attributes and nothing else."""
    if cls is dict or registered(cls) is not None or class_attribute(cls, "__slots__") is not MISSING:
        return False
    found = [x for base in cls.__mro__ for x in vars(base).values()]
    return not any(isinstance(x, functools.cached_property) for x in found)
