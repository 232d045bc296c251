"""Tests: the truth of a value, `and`, `or`, conditional expressions, chained comparisons, `assert`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import outside_sets, records, settling, sums
from ccc.compile.frontend.alternatives import dispatch, never
from ccc.compile.frontend.branches import either
from ccc.compile.frontend.effects import fail
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Ends
from ccc.compile.frontend.iterator_values import RangeValue
from ccc.compile.frontend.joins import Join
from ccc.compile.frontend.memory.interface import kept, stored
from ccc.compile.frontend.parts import defined
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.sums import is_one_of, left
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, RecordValue, TextValue, number_chosen
from ccc.compile.program.lam import Block, BlockKind, Var
from ccc.objects import Bool, Record
from ccc.primitives import arithmetic, structure


def truth(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """A test as a bool: known, or a variable."""
    value = e.loaded(number_chosen(value))
    if sums.is_sum(value):
        return truth_of_sum(e, value, node, frame)
    if isinstance(value, Var):
        return value if isinstance(value.object, Bool) else arithmetic.truth(value)
    if isinstance(value, ListValue):
        return bool(value.items)
    if type(value) is set:
        return bool(outside_sets.items_of(e, value, node, frame))
    if isinstance(value, RecordValue) and value.cls is dict:
        m = value.fields.get(ITEMS)
        return bool(value.fields) if m is None else arithmetic.truth(structure.length(m))
    if stored.is_container(value):
        value = stored.shown(e, value)
        return arithmetic.truth(structure.length(value)) if isinstance(value, Var) else truth(e, value, node, frame)
    for method in ("__bool__", "__len__"):
        if defined(value, method):
            return truth(e, records.special(e, value, method, [], {}, node, frame), node, frame)
    if isinstance(value, TextValue) and not any(isinstance(part, str) and part for part in value.form):
        raise unsupported("CC003", "the truth of a text with values in it is not known", e.span(node, frame),
                          help="test the values themselves")
    if isinstance(value, RangeValue):
        count = structure.length(e.sequence(value, node, frame))
        return arithmetic.truth(count)
    return bool(value)


def truth_of_sum(e: Elaboration, var: Var, node: ast.AST, frame: Frame) -> Any:
    """The truth of a sum: a record is true, None is not."""
    there = left(e, var)
    plain = [tag for tag, a in there.items() if isinstance(a, Record) and not any(
        hasattr(class_behind(a.cls), name) for name in ("__bool__", "__len__"))]
    if set(there) - set(plain) <= {type(None)}:
        return is_one_of(e, var, plain)
    return dispatch(e, var, lambda value: truth(e, value, node, frame), never, node, frame)


def condition(e: Elaboration, test: ast.expr, frame: Frame) -> Any:
    """An expression of which only the truth is asked: known, or a variable."""
    mark = len(e.pending)
    value = boolean(e, test, frame, condition) if isinstance(test, ast.BoolOp) else e.expression(test, frame)
    outer, e.recorder.span = e.recorder.span, e.span(test, frame)
    found = truth(e, value, test, frame)
    e.recorder.span = outer
    del e.pending[mark:]
    return found


def conditional(e: Elaboration, node: ast.IfExp, frame: Frame) -> Any:
    test = settling.tested(e, condition(e, node.test, frame), node, frame)
    if not isinstance(test, Var):
        return e.expression(node.body if test else node.orelse, frame)
    then, orelse = [lambda part=part: kept(e, e.expression(part, frame), part, frame)
                    for part in (node.body, node.orelse)]
    return either(e, test, then, orelse, node, frame)


Operand = Callable[[Elaboration, ast.expr, Frame], Any]


def boolean(e: Elaboration, node: ast.BoolOp, frame: Frame, operand: Operand | None = None) -> Any:
    """`and`, `or`: the right side is evaluated only where Python would. Gives what `operand` gives for one of them."""
    return boolean_from(e, node, 0, frame, operand or (lambda e, part, frame: e.expression(part, frame)))


def boolean_from(e: Elaboration, node: ast.BoolOp, start: int, frame: Frame, operand: Operand) -> Any:
    conjunction = isinstance(node.op, ast.And)
    for i in range(start, len(node.values)):
        value = operand(e, node.values[i], frame)
        if i == len(node.values) - 1:
            return value
        test = truth(e, value, node.values[i], frame)
        if isinstance(test, Var):
            rest = partial(boolean_from, e, node, i + 1, frame, operand)
            return short(e, test, value, conjunction, rest, node, frame)
        if bool(test) is not conjunction:
            return value
    raise AssertionError("an `and` or `or` without operands")


def short(
    e: Elaboration, test: Var, value: Any, conjunction: bool, rest: Callable[[], Any], node: ast.AST, frame: Frame
) -> Any:
    """`value and rest()`, or `value or rest()`."""
    arms = (rest, lambda: value)
    then, orelse = [lambda arm=arm: kept(e, arm(), node, frame) for arm in (arms if conjunction else arms[::-1])]
    return either(e, test, then, orelse, node, frame)


def comparisons(
    e: Elaboration, node: ast.Compare, compare: Callable[[ast.cmpop, Any, Any], Any], frame: Frame
) -> Any:
    """`a < b < c`: what stands in the middle is computed once, what follows a false comparison not at all."""
    return comparisons_from(e, node, 0, e.expression(node.left, frame), compare, frame)


def comparisons_from(
    e: Elaboration, node: ast.Compare, start: int, left: Any, compare: Callable[[ast.cmpop, Any, Any], Any],
    frame: Frame,
) -> Any:
    for i in range(start, len(node.ops)):
        right = e.expression(node.comparators[i], frame)
        e.recorder.span = e.span(node, frame)
        outcome = compare(node.ops[i], left, right)
        if i == len(node.ops) - 1:
            return outcome
        test = truth(e, outcome, node, frame)
        if isinstance(test, Var):
            def rest(i: int = i, right: Any = right) -> Any:
                return comparisons_from(e, node, i + 1, right, compare, frame)

            return short(e, test, outcome, True, rest, node, frame)
        if not test:
            return outcome
        left = right
    raise AssertionError("a comparison without operands")


def assert_(e: Elaboration, node: ast.Assert, frame: Frame) -> None:
    """`assert`: the message is computed only where the test fails."""
    def broken() -> None:
        fail(e, AssertionError, [] if node.msg is None else [e.expression(node.msg, frame)], node, frame)

    test = condition(e, node.test, frame)
    if not isinstance(test, Var):
        if not test:
            broken()
            raise Ends
        return
    blocks = Block(BlockKind.BRANCH, e.recorder.block), Block(BlockKind.BRANCH, e.recorder.block)
    joining = Join(e, test, blocks, e.span(node, frame))
    before = frame.env
    frame.env = dict(before)
    e.inside(blocks[1], broken)
    frame.env = before
    joining.finish()
    sums.assume(e, test, True)
