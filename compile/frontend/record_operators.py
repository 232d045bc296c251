"""Operators of records, by the methods of their classes."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import alternatives, effects, equality
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import dict_making, dict_methods, updates
from ccc.compile.frontend.parts import class_attribute, defined
from ccc.compile.frontend.records import described, special
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import Frame, RecordValue

NAMES: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitOr: "or", ast.BitAnd: "and", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}
COMPARED: dict[type, tuple[str, str]] = {
    ast.Lt: ("__lt__", "__gt__"), ast.LtE: ("__le__", "__ge__"), ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"), ast.Eq: ("__eq__", "__eq__"), ast.NotEq: ("__ne__", "__ne__"),
}
SYMBOLS: dict[type, str] = {
    **updates.SYMBOLS, ast.Pow: "** or pow()", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}
UNARY: dict[type, str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}


def overloads(op: Any, a: Any, b: Any) -> bool:
    """True where an operator of two values is a method of one of them."""
    if isinstance(op, ast.operator):
        name = NAMES[type(op)]
        return defined(a, f"__{name}__") or defined(b, f"__r{name}__") or any(
            isinstance(x, RecordValue) for x in (a, b))
    if type(op) not in COMPARED:
        return False
    return any(isinstance(x, RecordValue) for x in (a, b)) or any(defined(x, COMPARED[type(op)][0]) for x in (a, b))


def operate(e: Elaboration, op: Any, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """`a op b` by the methods of their classes, in Python's order."""
    if isinstance(op, ast.operator):
        names = f"__{NAMES[type(op)]}__", f"__r{NAMES[type(op)]}__"
    else:
        names = COMPARED[type(op)]
    both = all(isinstance(x, RecordValue) and x.cls is dict for x in (a, b))
    for value in (a, b) if isinstance(op, (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd)) else ():
        dict_methods.refuse_counter(e, value, f"is an operand of `{SYMBOLS[type(op)]}`", node, frame)
    if both and isinstance(op, ast.BitOr):
        return dict_making.united(e, a, b, node, frame)
    for value, name, other in in_turn(op, a, b, names):
        if defined(value, name):
            found = special(e, value, name, [other], {}, node, frame)
            if found is not NotImplemented:
                return found
    if isinstance(op, (ast.Eq, ast.NotEq)):
        return equality.equal(e, op, a, b, node, frame)
    if not isinstance(op, ast.operator):
        found = equality.by_fields(e, op, a, b, node, frame)
        if found is not NotImplemented:
            return found
    if isinstance(a, frozenset) and isinstance(b, RecordValue) and getattr(b.cls, "__ccc_class__", None) is set:
        raise unsupported("CC003", "sets are supported where their items are known", e.place(node, frame),
                          help="use a dict, whose keys may vary")
    if not e.recorder.surely_runs():
        text = alternatives.UNSUPPORTED if isinstance(op, ast.operator) else alternatives.UNORDERED
        text = text.format(SYMBOLS[type(op)], *map(alternatives.class_name, (a, b)))
        effects.fail_with(e, TypeError, text, node, frame)
    raise mismatch("CC027", f"no `{names[0]}` for {described(a)} and {described(b)}", e.place(node, frame),
                   help="define it, or write the fields out")


def in_turn(op: Any, a: Any, b: Any, names: tuple[str, str]) -> list[tuple[Any, str, Any]]:
    """Whose method is asked first, and whose then: an object of a class below that of the left one is asked first, by
    an operator only where its class has a reflected method of its own; two of one class are asked once by one."""
    order = [(a, names[0], b), (b, names[1], a)]
    left, right = class_behind(getattr(a, "cls", None)), class_behind(getattr(b, "cls", None))
    if not (isinstance(left, type) and isinstance(right, type)):
        return order
    if left is right:
        return order[:1] if isinstance(op, ast.operator) else order
    own = not isinstance(op, ast.operator) or class_attribute(left, names[1]) is not class_attribute(right, names[1])
    return order[::-1] if issubclass(right, left) and own else order


def negated(e: Elaboration, op: ast.unaryop, value: Any, node: ast.AST, frame: Frame) -> Any:
    """`-value`, `+value`, `~value`."""
    return special(e, value, UNARY[type(op)], [], {}, node, frame)
