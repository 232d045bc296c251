"""Comparisons of Python: of numbers and arrays, of tuples item by item, of classes, `is` and `in`."""

from __future__ import annotations

import ast
import enum
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import (
    alternatives,
    branches,
    conditions,
    cursors,
    definitions,
    effects,
    members,
    protocols,
    record_operators,
    records,
    sums,
)
from ccc.compile.frontend.attempts import TURNS, stands_at
from ccc.compile.frontend.captures import Fixed, Within
from ccc.compile.frontend.describing import class_of, described, is_column
from ccc.compile.frontend.dict_views import as_set, is_a_set
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import drawn
from ccc.compile.frontend.iterator_values import RangeValue
from ccc.compile.frontend.memory.interface import dicts, item_updates, kept, lists, stored
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.outside import watched
from ccc.compile.frontend.parts import MISSING, class_attribute, defined
from ccc.compile.frontend.record_operators import SYMBOLS
from ccc.compile.frontend.regions import is_items, is_tuple
from ccc.compile.frontend.texts import is_text
from ccc.compile.frontend.values import (
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    MethodValue,
    Mutable,
    RecordValue,
    TypeValue,
    number_chosen,
    plain_int,
    variables_in,
)
from ccc.compile.frontend.viewed_dicts import view_of
from ccc.compile.program.lam import Var
from ccc.objects import Array, Bool, Int, Real, Text
from ccc.primitives import adaptors, arithmetic, creation, elementary_numpy, texts as of_texts
from ccc.records import Nones, is_unchanging

COMPARISONS: dict[type, tuple[Any, Callable[[Any, Any], Any]]] = {
    ast.Lt: (arithmetic.less, operator.lt),
    ast.LtE: (arithmetic.less_equal, operator.le),
    ast.Gt: (arithmetic.greater, operator.gt),
    ast.GtE: (arithmetic.greater_equal, operator.ge),
    ast.Eq: (arithmetic.equal, operator.eq),
    ast.NotEq: (arithmetic.not_equal, operator.ne),
}

def on_sum(
    e: Elaboration, a: Any, b: Any, use: Callable[[Any, Any], Any], symbol: str, node: ast.AST, frame: Frame
) -> Any:
    """An operator of two values, one of which may be None or one of several records. What it makes for one of these may
    meet what it makes for another, so a list of the program is at a place."""
    text = alternatives.UNORDERED if symbol in ("<", "<=", ">", ">=") else alternatives.UNSUPPORTED
    if sums.is_sum(a):
        fails = alternatives.never if symbol in ("==", "!=") else alternatives.operand(symbol, b, False, text)
        return alternatives.dispatch(e, a, lambda x: kept(e, use(x, b), node, frame), fails, node, frame)
    fails = alternatives.never if symbol in ("==", "!=") else alternatives.operand(symbol, a, True, text)
    return alternatives.dispatch(e, b, lambda x: kept(e, use(a, x), node, frame), fails, node, frame)


def beside_arrays(
    e: Elaboration, a: Any, b: Any, node: ast.AST, frame: Frame, scalars: bool = True
) -> tuple[Any, Any]:
    """Two operands, of which a list or a tuple beside an array, or beside a scalar of NumPy's, becomes an array."""
    if not (of_numpy(a, scalars) or of_numpy(b, scalars)):
        return a, b
    a, b = [e.call(np.asarray, [x], {}, node, frame) if isinstance(x, (ListValue, tuple)) or lists.is_list(x) else x
            for x in (a, b)]
    return a, b


def of_numpy(value: Any, scalars: bool) -> bool:
    """True for an array, with `scalars` also for a real number that is surely a scalar of NumPy's."""
    if not isinstance(value, Var):
        return False
    if isinstance(value.object, Array):
        return value.object.axes is not None
    kind = value.object.kind if scalars and isinstance(value.object, Real) else "float"
    return kind.startswith("float") and kind != "float"


def compare(e: Elaboration, node: ast.Compare, frame: Frame) -> Any:
    return conditions.comparisons(e, node, lambda op, a, b: comparison(e, op, a, b, node, frame), frame)


def identical(e: Elaboration, a: Any, b: Any, node: ast.Compare, frame: Frame) -> Any:
    """Whether two values are one object."""
    a, b = [e.versions.places.get(x, x) if isinstance(x, Var) else x for x in (a, b)]
    for one, other in ((a, b), (b, a)):
        if isinstance(one, TypeValue):
            return alternatives.compared_types(e, one, other, node, frame)
        if sums.is_sum(one) and other is None:
            return sums.is_one_of(e, one, [type(None)])
    if members.is_member(a) and members.is_member(b):
        return members.alike(a, b) and comparison(e, ast.Eq(), members.name_of(a), members.name_of(b), node, frame)
    if a is not b and (sums.is_sum(a) or sums.is_sum(b)):
        return on_sum(e, a, b, lambda a, b: identical(e, a, b, node, frame), "==", node, frame)
    if stored.is_reference(a) or stored.is_reference(b):
        if any(isinstance(x, Mutable) and x.shared and class_of(x) is class_of(y) for x, y in ((a, b), (b, a))):
            raise item_updates.unknown_object(e, node, frame)
        return a is b or stored.same(e, a, b)
    if a is not b and isinstance(a, ListValue) and isinstance(b, ListValue) and a.shared and b.shared:
        raise item_updates.unknown_object(e, node, frame)
    if a is not b and type(a) is tuple and type(b) is tuple and a and b:
        raise unsupported("CC003", "`is` between tuples", e.span(node, frame), help="use ==")
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Var) and isinstance(other, bool):  # bools of NumPy's are no singletons
            return one.object == Bool() and inverted(one, not other)
    if isinstance(a, FUNCTIONS) and isinstance(b, FUNCTIONS):
        return same_function(e, a, b, node, frame)
    if isinstance(a, Var) or isinstance(b, Var):
        number = any(isinstance(x, Var) and isinstance(x.object, Int) for x in (a, b))
        member = any(isinstance(x, enum.Enum) and not (number and isinstance(x, int)) for x in (a, b))
        if a is not b and not member and not any(x is None or x is NotImplemented for x in (a, b)):
            raise unsupported("CC003", "`is` between values that are not known", e.span(node, frame), help="use ==")
        return a is b
    return a is b or (isinstance(a, RecordValue) and isinstance(b, RecordValue)
                      and item_updates.same_object(e, a, b, node, frame))


def equal_trees(a: Any, b: Any) -> bool:
    """Whether two trees are equal, which is asked of their parts again: a function of the program."""
    return bool(a == b)


def equal_lists(a: Any, b: Any) -> bool:
    """Whether two lists of trees are equal, item by item."""
    if len(a) != len(b):
        return False
    for x, y in zip(a, b, strict=True):  # noqa: SIM110
        if x != y:
            return False
    return True


def at_nodes(a: Any, b: Any, frame: Frame) -> bool:
    """Whether two trees, or alternatives of them, are those of which `equal_trees`, a function that calls itself,
    compares the nodes."""
    given = [frame.env.get(name) for name in ("a", "b")] if frame.function is equal_trees else [None]
    return None not in given and all(x is y or isinstance(x, RecordValue) for x, y in zip((a, b), given, strict=True))


def of_nodes(a: Any, b: Any, frame: Frame) -> Callable[[Any, Any], bool] | None:
    """The function of the program that compares two trees, or lists of trees; None for other values."""
    if sums.has_trees(a) and sums.has_trees(b):
        return equal_lists
    trees = (sums.is_tree(a) or is_opened(a, b)) and (sums.is_tree(b) or is_opened(b, a))
    return equal_trees if trees and not at_nodes(a, b, frame) else None


def is_opened(a: Any, tree: Any) -> bool:
    """True for a node, seen as one of the alternatives of a tree, that has trees in it: its parts, compared one by one,
    might be the tree again."""
    return (isinstance(a, RecordValue) and sums.is_tree(tree) and a.cls in sums.alternatives(tree.object)
            and any(map(sums.is_tree, variables_in(a))))


def comparison(e: Elaboration, op: ast.cmpop, a: Any, b: Any, node: ast.Compare, frame: Frame) -> Any:
    a, b = e.handlers.text(e, a, node, frame), e.handlers.text(e, b, node, frame)
    e.told_apart(a, b)
    if isinstance(op, (ast.Is, ast.IsNot)):
        return inverted(identical(e, a, b, node, frame), isinstance(op, ast.IsNot))
    a, b = members.plain_beside(number_chosen(a), number_chosen(b))
    if isinstance(op, (ast.In, ast.NotIn)):
        found = contains(e, a, b, node, frame)
        if isinstance(found, Var):
            return found if isinstance(op, ast.In) else arithmetic.logical_not(found)
        return found if isinstance(op, ast.In) else not found
    for one, other in ((a, b), (b, a)):
        if isinstance(one, TypeValue) and isinstance(op, (ast.Eq, ast.NotEq)):
            return inverted(alternatives.compared_types(e, one, other, node, frame), isinstance(op, ast.NotEq))
    views = view_of(e, a), view_of(e, b)
    if any(views):
        return of_views(e, op, a, b, views, node, frame)
    if isinstance(op, (ast.Eq, ast.NotEq)) and (by_node := of_nodes(a, b, frame)) is not None:
        trees = [sums.as_sum(e, x, y.object) if isinstance(x, RecordValue) else x for x, y in ((a, b), (b, a))]
        return inverted(e.call(by_node, trees, {}, node, frame), isinstance(op, ast.NotEq))
    if sums.is_sum(a) or sums.is_sum(b):
        symbol = {ast.Eq: "==", ast.NotEq: "!="}.get(type(op)) or SYMBOLS[type(op)]
        return on_sum(e, a, b, lambda a, b: comparison(e, op, a, b, node, frame), symbol, node, frame)
    if Nones in (type(a), type(b)):
        raise unsupported("CC003", "comparing an array of None is not supported here", e.span(node, frame),
                          help="test the array itself: `z is None`")
    if (a is None or b is None) and isinstance(op, (ast.Eq, ast.NotEq)):
        return with_none(op, a, b)
    named = any(members.is_member(x) and not isinstance(x, (int, str)) for x in (a, b))
    if isinstance(op, (ast.Eq, ast.NotEq)) and named and not (
            records.defined(a, "__eq__") or records.defined(b, "__eq__")):
        both = members.is_member(a) and members.is_member(b)
        return inverted(both and identical(e, a, b, node, frame), isinstance(op, ast.NotEq))
    if stored.is_reference(a) or stored.is_reference(b):
        return through(e, op, a, b, node, frame)
    if isinstance(op, (ast.Eq, ast.NotEq)) and a is not b and all(map(dicts.is_dict, (a, b))) and any(
            dicts.map_in(x) is not None for x in (a, b)):
        found = definitions.defined(e, "have_same_items", [a, b], node, frame)
        return inverted(found, isinstance(op, ast.NotEq))
    if record_operators.overloads(op, a, b):
        return record_operators.operate(e, op, a, b, node, frame)
    plain = COMPARISONS[type(op)][1]
    a, b = beside_arrays(e, a, b, node, frame)
    if constant_value(a) and constant_value(b):
        return effects.as_in_python(e, lambda: plain(a, b), node, frame)
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return plain(frozenset(a), frozenset(b))
    if lists.is_of_program(a) or lists.is_of_program(b):
        sequences = beside_list(e, op, a, b, node, frame)
        if not isinstance(sequences, tuple):
            return sequences
        a, b = sequences
    if isinstance(a, ListValue) and isinstance(b, ListValue):
        a, b = tuple(a.items), tuple(b.items)
    if isinstance(a, tuple) and isinstance(b, tuple):
        a, b = apart(a, b)
        items = {ast.Eq: "equal_items", ast.NotEq: "unequal_items"}.get(type(op))
        if items:
            return definitions.defined(e, items, [a, b], node, frame)
        return definitions.defined(e, "lexically", [a, b, plain], node, frame)
    return of_numbers(e, op, a, b, node, frame)


def with_none(op: ast.Eq | ast.NotEq, a: Any, b: Any) -> Any:
    """Whether a value equals None, or each item of an array."""
    other = b if a is None else a
    if isinstance(other, Var) and isinstance(other.object, Array):
        zeros = creation.zeros_like(other)
        return (elementary_numpy.less if isinstance(op, ast.Eq) else elementary_numpy.equal)(zeros, zeros)
    return isinstance(op, ast.NotEq) is not (a is b)


def of_numbers(e: Elaboration, op: ast.cmpop, a: Any, b: Any, node: ast.Compare, frame: Frame) -> Any:
    """The same of numbers, arrays and texts; what else there is in Python is refused, or raises where it does there."""
    if isinstance(op, (ast.Eq, ast.NotEq)) and are_unlike(a, b):
        return isinstance(op, ast.NotEq)
    if isinstance(op, (ast.Eq, ast.NotEq)) and all(isinstance(x, FUNCTIONS) for x in (a, b)):
        return inverted(same_function(e, a, b, node, frame), isinstance(op, ast.NotEq))
    texts = any(isinstance(x, Var) and isinstance(x.object, Text) for x in (a, b))
    for value, other, swapped in ((a, b, False), (b, a, True)):
        if value is None and not e.recorder.surely_runs():
            failing = alternatives.operand(SYMBOLS[type(op)], other, swapped, alternatives.UNORDERED)(value)
            assert failing is not None
            effects.fail_with(e, *failing, node, frame)
        if not isinstance(value, (Var, int, float)) and not (texts and isinstance(value, str)):
            raise unsupported("CC003", f"comparing {described(value)} is not supported here", e.span(node, frame),
                              help="compare numbers, part by part")
    if any(isinstance(x, Var) and isinstance(x.object, Array) for x in (a, b)):
        a, b = adaptors.real_array(plain_int(a)), adaptors.real_array(plain_int(b))
    return COMPARISONS[type(op)][0](plain_int(a), plain_int(b))


def are_unlike(a: Any, b: Any) -> bool:
    """True for two values of classes whose objects are never equal in Python: `act == "relu"` of a function, `pad ==
    "same"` of a tuple."""
    kinds = {family(a), family(b)}
    counted = any(isinstance(x, Var) and isinstance(x.object, (Int, Bool)) for x in (a, b))
    if counted and kinds & {"tuple", "list"}:  # an integer of NumPy's is compared with each item
        return False
    return len(kinds) == 2 and None not in kinds


def family(value: Any) -> str | None:
    """Of which classes the values are that a value may be equal to; None where others may be."""
    if is_text(value):
        return "text"
    if type(value) is tuple:
        return "tuple"
    if isinstance(value, ListValue) or lists.is_list(value):
        return "list"
    if isinstance(value.object if isinstance(value, Var) else value, (bool, int, float, Bool, Int, Real)):
        return "number"
    return "function" if isinstance(value, (MethodValue, *FUNCTIONS)) else None


FUNCTIONS = (ClosureValue, ChoiceValue, types.FunctionType, types.BuiltinFunctionType, np.ufunc)
"""Functions that equal themselves alone."""


def same_function(e: Elaboration, a: Any, b: Any, node: ast.Compare, frame: Frame) -> Any:
    """Whether two functions are one object. What was made of a value of the program is another one than what that was
    made of, though of the same definition."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, ChoiceValue) and one is not other:
            then, orelse = [same_function(e, part, other, node, frame) for part in (one.then, one.orelse)]
            return branches.either(e, one.test, lambda x=then: x, lambda x=orelse: x, node, frame)
    both = [(x.frame.file, stands_at(x.node)) for x in (a, b) if isinstance(x, ClosureValue)]
    first, second = [x.itself if isinstance(x, ClosureValue) else x for x in (a, b)]
    known = a is b or None not in (first, second) or len(both) < 2 or both[0] != both[1]
    if not known:
        raise unsupported("CC003", "whether two functions are one is not known", e.span(node, frame),
                          "both are of one definition", help="keep a number beside each function, and compare that")
    return a is b or (first is second and first is not None)


def beside_list(e: Elaboration, op: ast.cmpop, a: Any, b: Any, node: ast.Compare, frame: Frame) -> Any:
    """A list of the program, which is a tuple in Python or is none, and what it is compared with, as another such list;
    or whether the two are equal, which a list and a tuple are not."""
    if not all(isinstance(x, (tuple, ListValue)) or lists.is_of_program(x) for x in (a, b)):
        return a, b
    tuples = [type(x) is tuple or is_column(e, x) for x in (a, b)]
    if None in tuples:
        raise unsupported("CC003", f"comparing {described(a)} with {described(b)} is not supported here",
                          e.span(node, frame), "one of them may be a tuple",
                          help="make lists of both: `list(...)`")
    if tuples[0] is not tuples[1]:
        if isinstance(op, (ast.Eq, ast.NotEq)):
            return isinstance(op, ast.NotEq)
        names = ["tuple" if x else "list" for x in tuples]
        effects.fail_with(e, TypeError, alternatives.UNORDERED.format(SYMBOLS[type(op)], *names), node, frame)
    return tuple([e.sequence(x, node, frame) if isinstance(x, (tuple, ListValue)) else x for x in (a, b)])


def of_views(e: Elaboration, op: ast.cmpop, a: Any, b: Any, views: Any, node: ast.Compare, frame: Frame) -> Any:
    """A comparison with the keys, values or items of a dict: with sets it is one of sets, and nothing else is equal."""
    equality = isinstance(op, (ast.Eq, ast.NotEq))
    if equality and not (is_a_set(e, a) and is_a_set(e, b)):
        return inverted(a is b, isinstance(op, ast.NotEq))
    if equality and all(view is not None and view[1] == "items" for view in views):
        return comparison(e, op, views[0][0], views[1][0], node, frame)
    return comparison(e, op, as_set(e, a, node, frame), as_set(e, b, node, frame), node, frame)


def through(e: Elaboration, op: ast.cmpop, a: Any, b: Any, node: ast.Compare, frame: Frame) -> Any:
    """A comparison of what references lead to."""
    if record_operators.overloads(op, a, b):
        return record_operators.operate(e, op, a, b, node, frame)
    one = a is b if is_tuple(a) or is_tuple(b) else stored.same(e, a, b)
    if isinstance(op, (ast.Eq, ast.NotEq)) and (one is True or not any(map(compares_parts, (a, b)))):
        return inverted(one, isinstance(op, ast.NotEq))
    return comparison(e, op, stored.shown(e, a), stored.shown(e, b), node, frame)


def compares_parts(value: Any) -> bool:
    """True for references to what is equal where its parts are."""
    return stored.is_container(value) or class_attribute(class_of(value) or object, "__eq__") is not MISSING


def apart(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Two tuples without the items at one place that are one object: Python does not ask these whether they are equal,
    which a NaN is not to itself, and an array says entry by entry."""
    same = [i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x is y]
    left, right = [tuple([x for i, x in enumerate(items) if i not in same]) for items in (a, b)]
    return left, right


def inverted(test: Any, negative: bool) -> Any:
    """A test or its opposite."""
    if not negative:
        return test
    return arithmetic.logical_not(test) if isinstance(test, Var) else not test


CONSTANTS = int | float | str | bytes | type | np.dtype | enum.Enum


def constant_value(value: Any) -> bool:
    """True for what never changes: numbers, strings, None, dates, classes, functions, tuples of them."""
    if isinstance(value, tuple):
        return all(map(constant_value, value))
    functions = types.FunctionType | types.BuiltinFunctionType | np.ufunc
    known = is_unchanging(value) and type(value) is not Nones
    return value is None or isinstance(value, (CONSTANTS, functions)) or known


def contains(e: Elaboration, a: Any, b: Any, node: ast.AST, frame: Frame) -> bool:
    """`a in b` where it is known."""
    if alternatives.is_uncertain(e, b):
        fails = alternatives.without_rule(operator.contains, [b, None], 0, {})
        return alternatives.dispatch(e, b, lambda x: contains(e, a, x, node, frame), fails, node, frame)
    if defined(b, "__contains__"):
        return conditions.truth(e, records.special(e, b, "__contains__", [a], {}, node, frame), node, frame)
    b = drawn(protocols.iterated(e, b, node, frame))
    if cursors.is_iterator(b):
        return e.call(of_python("iterators").is_still_in, [a, b], {}, node, frame)
    if dicts.is_dict(b):
        return dicts.contains(e, a, b, node, frame)
    if isinstance(b, RangeValue) and all(isinstance(x, int) for x in b.bounds):
        b = range(*b.bounds)
    if isinstance(b, ListValue):
        b = tuple(b.items)
    if constant_value(a) and (constant_value(b) or isinstance(b, range)):
        return a in b
    if constant_value(a) and isinstance(b, (dict, frozenset, set)):
        return watched(e, (id(b), "in", a), Within(Fixed(b), operator.contains, a))
    among = dicts.among_keys(e, a, b, node, frame)
    if among is not None:
        return among
    numbers = isinstance(a, Var) and isinstance(a.object, (Int, Bool, Real, Text))
    if numbers and isinstance(b, (tuple, frozenset)) and constant_value(tuple(b)):
        return dicts.one_of(e, a, b)
    if is_text(a) and is_text(b):
        return of_texts.within(a, b)
    if is_items(b) or lists.is_list(b):
        return definitions.defined(e, "contained", [a, ListValue(list(b)) if isinstance(b, tuple) else b], node, frame)
    e.attempts.lacks(b, "argument of type '{}' is not iterable", "__contains__", *TURNS)
    raise unsupported("CC003", "`in` is not supported on values that are not known", e.span(node, frame),
                      help="compare with == and join the tests")
