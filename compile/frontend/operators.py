"""Operators: of numbers and arrays, of sequences and columns, and signs."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend import (
    alternatives,
    conditions,
    dict_views,
    effects,
    frozen,
    known_objects,
    known_sets,
    record_operators,
    settling,
    sums,
    texts,
)
from ccc.compile.frontend.comparing import beside_arrays, constant_value, on_sum
from ccc.compile.frontend.describing import as_array, described, is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import list_changes, lists, stored
from ccc.compile.frontend.record_operators import SYMBOLS
from ccc.compile.frontend.values import (
    ClosureValue,
    Frame,
    ListValue,
    MethodValue,
    RecordValue,
    number_chosen,
    variables_in,
)
from ccc.compile.frontend.viewed_dicts import view_of
from ccc.compile.program.lam import Node, Var
from ccc.later import deferred
from ccc.objects import Array, Int, List, Product, Real
from ccc.primitives import arithmetic, bilinear, lists as list_primitives

OPERATORS: dict[type, tuple[Any, Callable[[Any, Any], Any]]] = {
    ast.Add: (arithmetic.add, operator.add),
    ast.Sub: (arithmetic.sub, operator.sub),
    ast.Mult: (arithmetic.mul, operator.mul),
    ast.Div: (arithmetic.div, operator.truediv),
    ast.FloorDiv: (arithmetic.floordiv, operator.floordiv),
    ast.Mod: (arithmetic.mod, operator.mod),
    ast.Pow: (arithmetic.power, operator.pow),
    ast.MatMult: (deferred(bilinear, "matmul"), operator.matmul),
    ast.BitAnd: (arithmetic.bit_and, operator.and_),
    ast.BitOr: (arithmetic.bit_or, operator.or_),
    ast.BitXor: (arithmetic.bit_xor, operator.xor),
    ast.LShift: (arithmetic.left_shift, operator.lshift),
    ast.RShift: (arithmetic.right_shift, operator.rshift),
}


def known(*values: Any) -> bool:
    """True where nothing depends on the program's run."""
    return not any(variables_in(v) or isinstance(v, (ClosureValue, MethodValue)) for v in values)


def binary(e: Elaboration, node: ast.BinOp, frame: Frame) -> Any:
    """An operator; chains such as `a + b + c + ...` of any length are followed from the left."""
    chain: list[ast.BinOp] = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    value = e.expression(chain[-1].left, frame)
    for place in reversed(chain):
        value = e.guarded(lambda e, n, f, a=value: operate(e, n.op, a, e.expression(n.right, f), n, f), place, frame)
    return value


SET_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)


def operate(e: Elaboration, op: ast.operator, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """`a op b` of two values; the node is where they stand."""
    if is_computed_with(a) and is_computed_with(b):
        unknown = type(a) is Var or type(b) is Var
        return recorded(e, op, a, b, node, frame) if unknown else on_numbers(e, op, a, b, node, frame)
    a, b = number_chosen(a), number_chosen(b)
    if isinstance(op, ast.Add) and texts.is_text(a) and texts.is_text(b) and not (type(a) is type(b) is str):
        return texts.added(e, a, b, node, frame)
    if isinstance(op, ast.Mult) and (times := texts.repeated(e, a, b)) is not None:
        return times
    if isinstance(op, ast.Mod) and isinstance(a, str):
        return texts.percent(e, a, b, node, frame)
    if isinstance(op, SET_OPERATORS) and (view_of(e, a) or view_of(e, b)):
        known = dict_views.combined(e, OPERATORS[type(op)][1], a, b)
        one, other = [dict_views.as_set(e, x, node, frame) for x in (a, b)] if known is None else (a, b)
        return operate(e, op, one, other, node, frame) if known is None else known
    if sums.is_sum(a) or sums.is_sum(b):
        return on_sum(e, a, b, lambda a, b: operate(e, op, a, b, node, frame), SYMBOLS[type(op)], node, frame)
    if record_operators.overloads(op, a, b):
        one, other = [frozen.standing(e, x, node, frame) for x in (a, b)]
        return record_operators.operate(e, op, one, other, node, frame)
    one, other = [frozen.standing(e, stored.shown(e, x), node, frame) for x in (a, b)]
    if one is not a or other is not b:
        return operate(e, op, one, other, node, frame)
    stored.meet_in(e, a, b)
    a, b = beside_arrays(e, a, b, node, frame, scalars=not isinstance(op, ast.Mult))  # a product would repeat
    several = isinstance(op, ast.Add) and lists.is_list(a) and lists.is_list(b)
    several = several or (isinstance(op, ast.Mult) and (lists.is_of_program(a) or lists.is_of_program(b)))
    if several or isinstance(a, (ListValue, tuple)) or isinstance(b, (ListValue, tuple)):
        return on_sequences(e, op, a, b, node, frame)
    if isinstance(a, frozenset) and isinstance(b, frozenset) and isinstance(op, SET_OPERATORS):
        return known_sets.combined(a, b, OPERATORS[type(op)][1])
    return on_numbers(e, op, a, b, node, frame)


def is_computed_with(value: Any) -> bool:
    """True for a real number, known or not, or an array, which is nothing else besides."""
    return type(value) is float or (type(value) is Var and type(value.object) in COMPUTED)


COMPUTED = (Real, Array)


def on_numbers(e: Elaboration, op: ast.operator, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """`a op b` by the primitive of the operator, or by Python of what is known."""
    e.recorder.span = e.span(node, frame)
    primitive, plain = OPERATORS[type(op)]
    a, b = known_objects.beside_reals(a, b), known_objects.beside_reals(b, a, isinstance(op, ast.Pow))
    if constant_value(a) and constant_value(b):
        try:
            return plain(a, b)
        except (ArithmeticError, ValueError):
            return e.always(primitive, (a, b))
        except TypeError as error:
            if e.recorder.surely_runs():
                raise
            effects.fail_with(e, TypeError, str(error), node, frame)
    check_operands(e, op, a, b, node, frame)
    return recorded(e, op, a, b, node, frame)


def recorded(e: Elaboration, op: ast.operator, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """What the primitive of an operator gives of numbers and arrays, not all of them known."""
    e.recorder.span = e.span(node, frame)
    primitive, _ = OPERATORS[type(op)]
    found = primitive(arithmetic.base_of(a, b) if isinstance(op, ast.Pow) else a, b)
    if not frame.of_library:
        e.versions.entrywise.add(found)
    return found


def check_operands(e: Elaboration, op: ast.operator, a: Any, b: Any, node: ast.AST, frame: Frame) -> None:
    """Refuse operands that no primitive computes with; where the program may not come here, it raises."""
    left: Any = getattr(node, "left", getattr(node, "target", node))
    right: Any = getattr(node, "right", getattr(node, "value", node))
    for value, other, place, swapped in ((a, b, left, False), (b, a, right, True)):
        failing = alternatives.operand(SYMBOLS[type(op)], other, swapped)(value)
        if failing is not None and not e.recorder.surely_runs():
            effects.fail_with(e, *failing, node, frame)
        number(e, value, place, frame)


def number(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> None:
    """Refuse what no primitive computes with."""
    if isinstance(value, Var):
        if isinstance(value.object, (List, Product)):
            raise mismatch("CC027", f"an operator met {described(value)}", e.span(node, frame),
                           help="convert it with np.array(...)")
    elif not isinstance(value, (int, float)):
        raise mismatch("CC027", f"an operator met {described(value)}", e.span(node, frame),
                       help=as_array(value, node) or "use numbers and arrays")


def on_sequences(e: Elaboration, op: ast.operator, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    if isinstance(op, ast.Add) and isinstance(a, tuple) and isinstance(b, tuple):
        return a + b
    if isinstance(op, ast.Add) and isinstance(a, ListValue) and isinstance(b, ListValue):
        return ListValue(a.items + b.items)
    if is_column(e, a) or is_column(e, b):
        return on_columns(e, op, a, b, node, frame)
    if isinstance(op, ast.Add) and lists.is_list(a) and lists.is_list(b):
        return list_changes.joined(e, a, b, node, frame)
    if isinstance(op, ast.Mult):
        xs, n = (a, b) if isinstance(a, tuple) or lists.is_list(a) else (b, a)
        if isinstance(xs, tuple) and isinstance(n, Var):  # as sizes, `(2,) * n`
            n = settled if (settled := settling.settled(e, n)) is not None else n
        if lists.is_of_program(xs) and isinstance(n, int):
            return list_changes.repeated(e, xs, n, node, frame)
        if isinstance(n, int):
            return xs * n if isinstance(xs, tuple) else ListValue(xs.items * n)
        if lists.is_list(xs) and isinstance(n, Var) and isinstance(n.object, Int):
            return list_changes.repeated(e, xs, n, node, frame)
    raise mismatch("CC027", "this operator does not apply to a tuple or list", e.span(node, frame),
                   help="convert it with np.array(...)")


def on_columns(e: Elaboration, op: ast.operator, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """What an operator gives of tuples of which one is a list of the program."""
    found: Any = None
    if isinstance(op, ast.Add) and all(is_column(e, x) or type(x) is tuple for x in (a, b)):
        found = e.always(list_primitives.concat, tuple([e.sequence(x, node, frame) for x in (a, b)]))
    elif isinstance(op, ast.Mult):
        xs, n = (a, b) if is_column(e, a) else (b, a)
        whole = isinstance(n, int) or (isinstance(n, Var) and isinstance(n.object, Int))
        found = list_changes.repeated(e, xs, n, node, frame) if whole else None
    if found is None:
        raise mismatch("CC027", "this operator does not apply to a tuple", e.span(node, frame),
                       help="make a list of it, `list(...)`, or an array")
    e.columns.add(found)
    return found


SIGNS: dict[type, str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}


def unary(e: Elaboration, node: ast.UnaryOp, frame: Frame) -> Any:
    if isinstance(node.op, ast.Not):
        test = conditions.condition(e, node.operand, frame)
        return arithmetic.logical_not(test) if isinstance(test, Var) else not test
    return negated(e, e.expression(node.operand, frame), node, frame)


def negated(e: Elaboration, a: Any, node: ast.UnaryOp, frame: Frame) -> Any:
    """`-a`, `+a` or `~a`."""
    if alternatives.is_uncertain(e, a):
        fails = alternatives.of_none(f"bad operand type for unary {SIGNS[type(node.op)]}: 'NoneType'")
        return alternatives.dispatch(e, a, lambda x: negated(e, x, node, frame), fails, node, frame)
    a = frozen.standing(e, number_chosen(a), node, frame)
    if isinstance(a, (RecordValue, Node)):
        return record_operators.negated(e, node.op, a, node, frame)
    if constant_value(a):
        plain = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
        return plain[type(node.op)](a)
    number(e, a, node.operand, frame)
    return {ast.USub: arithmetic.neg, ast.UAdd: arithmetic.pos, ast.Invert: arithmetic.invert}[type(node.op)](a)
