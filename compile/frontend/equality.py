"""`==` and `<` of objects whose class leaves them to `dataclass`, or to nobody: of their fields as a tuple."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import item_updates
from ccc.compile.frontend.names import located
from ccc.compile.frontend.parts import MISSING, class_attribute, defined, generated
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import Frame, OwnName, RecordValue
from ccc.compile.program.lam import Node, Var
from ccc.primitives import arithmetic

OPERATORS: dict[str, ast.cmpop] = {
    "__eq__": ast.Eq(), "__lt__": ast.Lt(), "__le__": ast.LtE(), "__gt__": ast.Gt(), "__ge__": ast.GtE(),
}
NAMES: dict[type, str] = {type(op): name for name, op in OPERATORS.items()} | {ast.NotEq: "__eq__"}
LEFT, RIGHT = OwnName("what is compared"), OwnName("what it is compared with")


def by_fields(e: Elaboration, op: ast.cmpop, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """A comparison that `dataclass` has written: of the fields that take part, where both are of one class;
    `NotImplemented` for others."""
    if not (isinstance(a, (RecordValue, Node)) and isinstance(b, (RecordValue, Node))):
        return NotImplemented
    cls = class_behind(a.cls)
    if cls is not class_behind(b.cls) or not generated(cls, NAMES[type(op)]):
        return NotImplemented
    if isinstance(op, ast.NotEq):
        return compared(e, ast.Eq(), a, b, node, frame, opposite=True)
    names = [f.name for f in dataclasses.fields(cls) if f.compare]

    def body(given: dict[str, Any]) -> Any:
        one, other = [tuple([part_of(e, x, name, node, frame) for name in names]) for x in given.values()]
        return compared(e, op, one, other, node, frame)

    name = NAMES[type(op)]
    return e.handlers.entered(e, (cls, name), name, {"self": a, "other": b}, body, node, frame, e.top)


def part_of(e: Elaboration, value: Any, name: str, node: ast.AST, frame: Frame) -> Any:
    return e.attribute(value, located(ast.Attribute(located(ast.Name("_"), node), name, ast.Load()), node), frame)


def compared(
    e: Elaboration, op: ast.cmpop, a: Any, b: Any, node: ast.AST, frame: Frame, opposite: bool = False
) -> Any:
    """`a op b` of any two values, as it would be written at a place."""
    inner = Frame("a comparison", frame.file, frame.function, frame)
    inner.local = frozenset([LEFT, RIGHT])
    inner.env.update({LEFT: a, RIGHT: b})
    made: ast.expr = ast.Compare(ast.Name(LEFT, ast.Load()), [op], [ast.Name(RIGHT, ast.Load())])
    made = ast.UnaryOp(ast.Not(), made) if opposite else made
    e.frames.append(inner)
    try:
        return e.expression(located(made, node), inner)
    finally:
        e.frames.pop()


def equal(e: Elaboration, op: Any, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """`==` of two records without a method of their own; `!=` of those with an `__eq__` is its opposite."""
    differ = isinstance(op, ast.NotEq)
    if differ and any(defined(x, "__eq__") for x in (a, b)):
        return compared(e, ast.Eq(), a, b, node, frame, opposite=True)
    if a is b:
        return not differ
    if not (isinstance(a, RecordValue) and isinstance(b, RecordValue) and a.cls is b.cls):
        return differ
    if a.cls is not dict and class_attribute(a.cls, "__eq__") is MISSING:
        same = item_updates.same_object(e, a, b, node, frame)
        return (arithmetic.logical_not(same) if differ else same) if isinstance(same, Var) else same is not differ
    found = by_fields(e, op, a, b, node, frame)
    if found is not NotImplemented:
        return found
    if a.cls is dict:
        if a.fields.keys() != b.fields.keys():
            return differ
        one, other = [tuple([x.fields[key] for key in a.fields]) for x in (a, b)]
        return compared(e, op, one, other, node, frame)
    raise unsupported("CC003", f"comparing two records of type `{a.cls.__name__}`", e.place(node, frame),
                      help="compare their fields")
