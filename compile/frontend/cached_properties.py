"""Cached properties: what Python computes once and keeps in the object."""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import guards
from ccc.compile.frontend.captures import Reader, Within
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import row_provenance
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import Frame, RecordValue


def read(e: Elaboration, value: Any, found: Any, name: str, node: ast.AST, frame: Frame | None) -> Any:
    """What an object from outside keeps, as long as it keeps that, else what the property gives: an attribute of an
    object that is made here, from now on; of others, and in loops, it is computed anew, and nothing that they have may
    be assigned behind it."""
    if (key := outside(e, value)) is not None:
        again: Reader = e.guards[key, "shape"].read.owner  # type: ignore[attr-defined]
        own = vars(again(e.root))
        e.guards[key, "keeps", name] = guards.Guard(Within(again, keeps, name), name in own)
        if name in own:
            reread = Within(again, kept_of, name)
            return e.read(f"{value.cls.__name__}_{name}", (key, name), own[name], reread, node, frame)
    made = e.kept(e.call(found.func, [value], {}, node, frame), node, frame)
    block = e.recorder.block
    if isinstance(value, RecordValue) and not value.shared and not e.heap.older(block, value) and (
            row_provenance.around(block) in (None, e.top)):
        value.fields[name] = made
    else:
        e.cached.append((class_behind(value.cls), name))
    return made


def outside(e: Elaboration, value: Any) -> Any:
    """The key of an object that was read from outside; None of others."""
    return next((key for key, known in e.outside_values.items() if known is value and (key, "shape") in e.guards), None)


def keeps(value: Any, name: str) -> bool:
    """A reader's part: whether an object keeps what a cached property gave."""
    return name in vars(value)


def kept_of(value: Any, name: str) -> Any:
    """A reader's part: what it keeps."""
    return vars(value)[name]


def refuse_stale(e: Elaboration, owner: Any, node: ast.AST, frame: Frame) -> None:
    """Refuse to assign an attribute where a cached property that was read would be another one now."""
    cls = class_behind(owner.cls)
    found = [f"{of.__name__}.{name}" for of, name in e.cached if issubclass(cls, of)]
    begun = [f.function.__name__ in ("__init__", "__post_init__") and owner in f.env.values()
             for f in e.frames if isinstance(f.function, types.FunctionType)]
    if found and not any(begun):
        raise unsupported("CC011", f"an attribute is assigned behind the cached property `{found[0]}`",
                          e.span(node, frame), "Python keeps what was computed first",
                          help="make it a property, or make a new object")
