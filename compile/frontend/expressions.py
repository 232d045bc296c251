"""Expressions of Python: constants, names, operators, tuples, indexing, attributes, conditionals, lambdas, calls."""

from __future__ import annotations

import ast
import enum
import operator
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.compile.diagnostics import is_installed, mismatch, nearest, unsupported, without_value
from ccc.compile.frontend import (
    alternatives,
    cursors,
    decorated,
    definitions,
    dict_views,
    effects,
    frozen,
    known_objects,
    known_sets,
    outside_calls,
    records,
    sums,
    texts,
)
from ccc.compile.frontend.captures import Entry, Fixed, Within, item
from ccc.compile.frontend.comparing import SYMBOLS, beside_arrays, compare, constant_value, on_sum
from ccc.compile.frontend.conditions import boolean, condition, conditional
from ccc.compile.frontend.definitions import definition_of_method, of_slices
from ccc.compile.frontend.describing import as_array, class_of, described, is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Grows
from ccc.compile.frontend.iterables import drawn, known_items
from ccc.compile.frontend.library_calls import of_parts
from ccc.compile.frontend.memory.interface import dicts, kept, list_changes, lists, stored, updates
from ccc.compile.frontend.parts import MISSING, class_attribute, defined, opened
from ccc.compile.frontend.patterns import pattern_of
from ccc.compile.frontend.receivers_once import calls_on_the_way
from ccc.compile.frontend.statements import bind, closure
from ccc.compile.frontend.unrepeatable import is_random
from ccc.compile.frontend.values import (
    ChoiceValue,
    ClosureValue,
    Frame,
    IteratorValue,
    KnownSet,
    ListValue,
    MethodValue,
    RangeValue,
    RecordValue,
    Unbound,
    is_drawn,
    is_function,
    variables_in,
)
from ccc.compile.program.lam import Apply, Node, Var
from ccc.objects import Array, Int, List, Product
from ccc.primitives import (
    arithmetic,
    array_methods,
    bilinear,
    effects as shown,
    lists as list_primitives,
    registry,
    shaping,
    structure,
    texts as of_texts,
)
from ccc.primitives.primitive import Primitive
from ccc.records import is_unchanging
from ccc.sources import is_source

FIXED = frozenset({"math", "numpy", "operator"})
"""Modules whose attributes are taken as they are, without a look at each call."""

OPERATORS: dict[type, tuple[Any, Callable[[Any, Any], Any]]] = {
    ast.Add: (arithmetic.add, operator.add),
    ast.Sub: (arithmetic.sub, operator.sub),
    ast.Mult: (arithmetic.mul, operator.mul),
    ast.Div: (arithmetic.div, operator.truediv),
    ast.FloorDiv: (arithmetic.floordiv, operator.floordiv),
    ast.Mod: (arithmetic.mod, operator.mod),
    ast.Pow: (arithmetic.power, operator.pow),
    ast.MatMult: (bilinear.matmul, operator.matmul),
    ast.BitAnd: (arithmetic.bit_and, operator.and_),
    ast.BitOr: (arithmetic.bit_or, operator.or_),
    ast.BitXor: (arithmetic.bit_xor, operator.xor),
    ast.LShift: (arithmetic.left_shift, operator.lshift),
    ast.RShift: (arithmetic.right_shift, operator.rshift),
}


def constant(e: Elaboration, node: ast.Constant, frame: Frame) -> Any:
    if isinstance(node.value, complex):
        return of_parts(node.value.real, node.value.imag)
    return node.value


def name(e: Elaboration, node: ast.Name, frame: Frame) -> Any:
    return e.lookup(node.id, node, frame)


def known(*values: Any) -> bool:
    """True where nothing depends on the program's run."""
    return not any(variables_in(v) or isinstance(v, ClosureValue | MethodValue) for v in values)


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
    if isinstance(op, ast.Add) and texts.is_text(a) and texts.is_text(b) and not (type(a) is type(b) is str):
        return texts.added(e, a, b, node, frame)
    if isinstance(op, ast.Mod) and isinstance(a, str):
        return texts.percent(e, a, stored.whole(e, b, node, frame), node, frame)
    if isinstance(op, SET_OPERATORS) and (dict_views.view_of(e, a) or dict_views.view_of(e, b)):
        known = dict_views.combined(e, OPERATORS[type(op)][1], a, b)
        one, other = [dict_views.as_set(e, x, node, frame) for x in (a, b)] if known is None else (a, b)
        return operate(e, op, one, other, node, frame) if known is None else known
    if sums.is_sum(a) or sums.is_sum(b):
        return on_sum(e, a, b, lambda a, b: operate(e, op, a, b, node, frame), SYMBOLS[type(op)], node, frame)
    if records.overloads(op, a, b):
        one, other = [frozen.standing(e, x, node, frame) for x in (a, b)]
        return records.operate(e, op, one, other, node, frame)
    one, other = [frozen.standing(e, stored.shown(e, x), node, frame) for x in (a, b)]
    if one is not a or other is not b:
        return operate(e, op, one, other, node, frame)
    e.recorder.span = e.span(node, frame)
    primitive, plain = OPERATORS[type(op)]
    stored.meet_in(e, a, b)
    a, b = beside_arrays(e, a, b, node, frame, scalars=not isinstance(op, ast.Mult))  # a product would repeat
    several = isinstance(op, ast.Add) and lists.is_list(a) and lists.is_list(b)
    several = several or (isinstance(op, ast.Mult) and (lists.is_of_program(a) or lists.is_of_program(b)))
    if several or isinstance(a, ListValue | tuple) or isinstance(b, ListValue | tuple):
        return on_sequences(e, op, a, b, node, frame)
    if isinstance(a, frozenset) and isinstance(b, frozenset) and isinstance(op, SET_OPERATORS):
        return known_sets.combined(a, b, plain)
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
    left: Any = getattr(node, "left", getattr(node, "target", node))
    right: Any = getattr(node, "right", getattr(node, "value", node))
    for value, other, place, swapped in ((a, b, left, False), (b, a, right, True)):
        failing = alternatives.operand(SYMBOLS[type(op)], other, swapped)(value)
        if failing is not None and not e.recorder.surely_runs():
            effects.fail_with(e, *failing, node, frame)
        number(e, value, place, frame)
    found = primitive(arithmetic.base_of(a, b) if isinstance(op, ast.Pow) else a, b)
    if not frame.of_library:
        e.versions.entrywise.add(found)
    return found


def number(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> None:
    """Refuse what no primitive computes with."""
    if isinstance(value, Var):
        if isinstance(value.object, List | Product):
            raise mismatch("CC027", f"an operator met {described(value)}", e.span(node, frame),
                           help="convert it with np.array(...)")
    elif not isinstance(value, int | float):
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
        test = condition(e, node.operand, frame)
        return arithmetic.logical_not(test) if isinstance(test, Var) else not test
    return negated(e, e.expression(node.operand, frame), node, frame)


def negated(e: Elaboration, a: Any, node: ast.UnaryOp, frame: Frame) -> Any:
    """`-a`, `+a` or `~a`."""
    if alternatives.is_uncertain(e, a):
        fails = alternatives.of_none(f"bad operand type for unary {SIGNS[type(node.op)]}: 'NoneType'")
        return alternatives.dispatch(e, a, lambda x: negated(e, x, node, frame), fails, node, frame)
    a = frozen.standing(e, a, node, frame)
    if isinstance(a, RecordValue | Node):
        return records.negated(e, node.op, a, node, frame)
    if constant_value(a):
        plain = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
        return plain[type(node.op)](a)
    number(e, a, node.operand, frame)
    return {ast.USub: arithmetic.neg, ast.UAdd: arithmetic.pos, ast.Invert: arithmetic.invert}[type(node.op)](a)


def parts_of(e: Elaboration, nodes: list[ast.expr], frame: Frame) -> list[tuple[bool, Any]]:
    """The values of items or arguments, each with whether it stands behind a star."""
    return [(True, drawn(cursors.whole(e, e.iterated(p.value, frame), p, frame))) if isinstance(p, ast.Starred)
            else (False, cursors.as_object(e, e.expression(p, frame), p, frame)) for p in nodes]


def display_of_set(e: Elaboration, node: ast.Set, frame: Frame) -> Any:
    parts = parts_of(e, node.elts, frame)
    items = [known_items(value) if starred else [value] for starred, value in parts]
    if any(part is None for part in items):
        return e.call(set, [definitions.joined(e, parts, node, frame)], {}, node, frame)
    return known_sets.displayed(e, [x for part in items for x in part or ()], node, frame)


def display(e: Elaboration, node: ast.Tuple | ast.List, frame: Frame) -> Any:
    parts = parts_of(e, node.elts, frame)
    if any(starred and known_items(value) is None for starred, value in parts):
        found = definitions.joined(e, parts, node, frame)
        if isinstance(node, ast.Tuple):
            e.columns.add(found)
        return found
    items: list[Any] = []
    for (starred, value), part in zip(parts, node.elts, strict=True):
        known: Any = known_items(value) if starred else [value]
        items += [kept(e, item, part, frame) for item in known]
    return tuple(items) if isinstance(node, ast.Tuple) else ListValue(items)


def slice_(e: Elaboration, node: ast.Slice, frame: Frame) -> Any:
    return slice(*[None if p is None else e.expression(p, frame) for p in (node.lower, node.upper, node.step)])


def subscript(e: Elaboration, node: ast.Subscript, frame: Frame) -> Any:
    value = e.expression(node.value, frame)
    key = e.key(node.slice, frame)
    if alternatives.is_uncertain(e, value):
        return alternatives.dispatch(e, value, lambda x: item_of(e, x, key, node, frame), alternatives.NO_ITEMS, node,
                                     frame)
    if isinstance(value, enum.EnumType) and isinstance(key, str):
        return value[key]
    try:
        return item_of(e, value, key, node, frame)
    except (IndexError, KeyError) as error:  # of what is known
        if e.recorder.surely_runs() or not isinstance(error.args[0], str):
            raise
        effects.fail_with(e, type(error), error.args[0], node, frame)


def alias_of(cls: type, key: Any) -> Any:
    """A generic class with its parameters, as `Stack[float]`; None for what a class makes otherwise of them."""
    found: Any = cls[key] if hasattr(cls, "__class_getitem__") and not variables_in(key) else None  # type: ignore[index]
    return found if typing.get_origin(found) is cls else None


def item_of(e: Elaboration, value: Any, key: Any, node: ast.Subscript, frame: Frame) -> Any:
    """`value[key]`."""
    e.recorder.span = e.span(node, frame)
    value = e.loaded(value)
    if stored.is_container(value):
        return stored.item(e, value, key, node, frame)
    if isinstance(value, RecordValue) or defined(value, "__getitem__"):
        return records.item(e, value, key, node, frame)
    if isinstance(value, ListValue | tuple):
        return of_known(e, value, key, node, frame)
    e.told_apart(key)
    if isinstance(value, dict) and constant_value(key):
        return e.read(str(key), (id(value), "item", key), value[key], Within(Fixed(value), item, key), node, frame)
    if isinstance(value, RangeValue):
        value = e.sequence(value, node, frame)
    if (joined := of_slices(e, value, key, node, frame)) is not None:
        return joined
    if not isinstance(value, Var):
        if isinstance(value, type) and (alias := alias_of(value, key)) is not None:
            return alias
        if isinstance(value, str) and isinstance(key, slice) and not known(key.start, key.stop, key.step):
            return texts.item(e, e.always(shown.text, (), form=(value,)), key, node, frame)
        if isinstance(value, str) and isinstance(key, int | slice) and known(key):
            return value[key]
        if isinstance(value, str) and isinstance(key, Var) and isinstance(key.object, Int):
            return definitions.defined(e, "letter", [ListValue(list(value)), key], node, frame)
        if is_unchanging(value) and constant_value(key) and hasattr(value, "__getitem__"):
            return known_objects.item(value, key)
        raise mismatch("CC027", f"{described(value)} cannot be indexed here", e.span(node, frame),
                       help=as_array(value, node) or "index an array, a list, a tuple or a dict")
    if isinstance(value.object, Array):
        array, (pattern, numbers) = updates.through(e, value, pattern_of(e, key, node, frame))
        found = updates.at(e, array, pattern, numbers)
        if "a" in pattern and not frame.of_library:
            e.versions.entrywise.add(found)
        return shaping.copy(found) if updates.is_array(found) and is_made_by(value, shaping.flat) else found
    if isinstance(value.object, List):
        if isinstance(key, slice):
            found = list_changes.slice_of(e, value, key, node, frame)
            if is_column(e, value):
                e.columns.add(found)
            return found
        return list_changes.at(e, value, key)
    if isinstance(value.object, Product) and isinstance(key, int):
        return structure.part(value, index=key)
    if texts.is_text(value):
        return texts.item(e, value, key, node, frame)
    if issubclass(class_of(value) or object, np.generic) and adds_axes(key):
        return item_of(e, e.call(np.array, [value], {}, node, frame), key, node, frame)
    numpys = issubclass(class_of(value) or object, np.generic)
    failed = (IndexError, "invalid index to scalar variable.") if numpys else alternatives.NO_ITEMS(value)
    if failed is not None and e.stores is not None and not e.recorder.surely_runs():  # others may stand there too
        effects.fail_with(e, *failed, node, frame)
    raise mismatch("CC027", f"{described(value)} cannot be indexed", e.span(node, frame),
                   help="index an array, a list, a tuple or a dict")


def adds_axes(key: Any) -> bool:
    """Whether an index is made of new axes and `...` alone, which a number of NumPy's takes too."""
    return all(part is None or part is Ellipsis for part in (key if isinstance(key, tuple) else (key,)))


def is_made_by(value: Var, p: Primitive) -> bool:
    """Whether a variable is what a primitive gives."""
    let = value.definition
    return let is not None and isinstance(let.op, Apply) and let.op.primitive is p


def of_known(e: Elaboration, value: Any, key: Any, node: ast.AST, frame: Frame) -> Any:
    """An item or slice of a tuple or list display."""
    items = value.items if isinstance(value, ListValue) else value
    if isinstance(key, int | slice) and known(*([key] if isinstance(key, int) else [key.start, key.stop, key.step])):
        found = items[key]
        if isinstance(found, Unbound):
            raise without_value(found, f"[{key}]", e.place(node, frame))
        return ListValue(found) if isinstance(value, ListValue) and isinstance(key, slice) else found
    if isinstance(key, Var) and isinstance(key.object, Int) and not items:
        return list_changes.at(e, e.always(structure.listing, ()), key)
    if isinstance(key, Var) and isinstance(key.object, Int):
        if all(isinstance(v, RecordValue | Node) or is_function(v) for v in items):
            stored.meet(items)
            times = dict(e.rows.times)
            listed = e.sequence(value, node, frame)
            e.rows.times = times
            if isinstance(value, ListValue):
                e.rows.listed[listed] = value
            return opened(structure.item(listed, key))
        if isinstance(value, ListValue) and all(map(lists.is_list, items)) and not all(map(copied_by_value, items)):
            # the statement is read again with a list of the program
            raise Grows(value, e.place(node, frame))
        if all(type(v) is str for v in items):
            return structure.item(as_texts(e, items), key)
        if not all(map(copied_by_value, items)):
            raise unsupported("CC003", "this tuple needs an index that is known", e.span(node, frame),
                              help="use a list of numbers or an array")
        leaves = [e.leaf(v, node, frame) for v in items]
        made = e.always(structure.listing, tuple(leaves))
        if isinstance(value, ListValue):
            e.rows.listed[made] = value
        return opened(structure.item(made, key))
    if isinstance(key, slice) and isinstance(value, ListValue) and all(map(copied_by_value, items)):
        return list_changes.slice_of(e, e.sequence(value, node, frame), key, node, frame)
    if isinstance(key, slice) and isinstance(value, ListValue) and all(type(v) is str for v in items):
        return list_changes.slice_of(e, as_texts(e, items), key, node, frame)
    ends = (key.start, key.stop, key.step) if isinstance(key, slice) else (key,)
    if all(isinstance(end.object, Int) if isinstance(end, Var) else isinstance(end, int | None) for end in ends):
        raise unsupported("CC003", "the ends of a slice of such a list or tuple must be known", e.span(node, frame),
                          help="use a list of numbers or an array")
    raise mismatch("CC027", "this index is not an integer", e.span(node, frame), help="make it one: int(...)")


def as_texts(e: Elaboration, items: Sequence[str]) -> Var:
    """A list of the program with texts that are known."""
    return e.always(structure.listing, tuple([e.always(shown.text, (), form=(v,)) for v in items]))


def copied_by_value(value: Any) -> bool:
    """True for numbers, arrays, and tuples and records of them: nobody can change one where it is read."""
    if isinstance(value, RecordValue):
        return value.cls is not dict and all(map(copied_by_value, value.fields.values()))
    if isinstance(value, tuple):
        return all(map(copied_by_value, value))
    return isinstance(value, Var | int | float)


def attribute(e: Elaboration, node: ast.Attribute, frame: Frame) -> Any:
    return attribute_of(e, e.expression(node.value, frame), node, frame)


SUPPORTED = [*array_methods.ATTRIBUTES, *updates.METHODS, *array_methods.METHODS]


def instead_of(name: str, known: list[str], otherwise: str = "compute it by a function") -> str:
    """The mend for an attribute or method that a number or an array has not here."""
    if registry.find(getattr(np, name, None)) is not None:
        return f"use a function: np.{name}(...)"
    return nearest(name, known, otherwise)


def of_module(e: Elaboration, owner: types.ModuleType, node: ast.Attribute, frame: Frame) -> Any:
    """A name of a module, read again before each call where it may change."""
    if not hasattr(owner, node.attr):
        raise mismatch("CC007", f"module `{owner.__name__}` has no attribute `{node.attr}`", e.span(node, frame),
                       help=nearest(node.attr, dir(owner), "use a name that it has"))
    value = getattr(owner, node.attr)
    if owner.__name__.partition(".")[0] in FIXED:
        return value
    known = type(owner) is types.ModuleType and node.attr in owner.__dict__
    again = Entry(owner.__dict__, node.attr) if known else Within(Fixed(owner), getattr, node.attr)
    return e.read(node.attr, (id(owner), node.attr), value, again, node, frame)


def items_asked(owner: Any, name: str) -> list[Any] | None:
    """The items of a tuple whose own method has this name, which a list answers in the same words; None for others."""
    if name.startswith("__") or not hasattr(tuple, name):
        return None
    if type(owner) is tuple:
        return list(owner)
    if not isinstance(owner, RecordValue | Node) or stored.is_reference(owner) or (
            getattr(owner.cls, name, None) is not getattr(tuple, name)):
        return None
    return list(owner.fields.values()) if isinstance(owner, RecordValue) else list(owner)


def of_variable(e: Elaboration, owner: Var, node: ast.Attribute, frame: Frame) -> Any:
    """`owner.name` of a number, text or array of the program."""
    owned = class_of(owner)
    if owned is not None and not hasattr(owned, node.attr):
        raise mismatch("CC027", f"`{owned.__name__}` has no attribute `{node.attr}`", e.span(node, frame),
                       help=instead_of(node.attr, [n for n in SUPPORTED if hasattr(owned, n)]))
    if node.attr in array_methods.ATTRIBUTES:
        return array_methods.ATTRIBUTES[node.attr](owner)
    if node.attr in updates.METHODS and updates.is_array(owner):
        return updates.method(owner, node.attr)
    if node.attr in array_methods.METHODS:
        return MethodValue(owner, node.attr, array_methods.METHODS[node.attr])
    asked = of_texts.method(node.attr) if texts.is_text(owner) else None
    if asked is not None:
        return MethodValue(owner, node.attr, asked)
    definition = definition_of_method(node.attr) if owned is None or hasattr(owned, "dtype") else None
    if definition is not None:
        return MethodValue(owner, node.attr, definition)
    raise unsupported("CC020", f"`.{node.attr}` of {described(owner)} is not supported",
                      e.span(node, frame), help=instead_of(node.attr, [], "compute it outside of the function"))


def attribute_of(e: Elaboration, owner: Any, node: ast.Attribute, frame: Frame) -> Any:
    """`owner.name` of a value."""
    e.recorder.span = e.span(node, frame)
    owner = e.handlers.text(e, e.loaded(owner), node, frame)
    if stored.is_container(owner):
        return stored.attribute(e, owner, node.attr, node, frame)
    if alternatives.is_uncertain(e, owner) and not sums.is_sum(owner):
        alternatives.able(e, None, alternatives.without_attribute(node.attr), node, frame)
    if sums.is_sum(owner):
        return alternatives.attribute(e, owner, node, lambda value: attribute_of(e, value, node, frame), frame)
    if (items := items_asked(owner, node.attr)) is not None:
        return list_changes.attribute(e, ListValue(items), node, frame)
    if isinstance(owner, RecordValue | Node):
        return records.attribute(e, owner, node.attr, node, frame)
    if lists.is_list(owner):
        return list_changes.attribute(e, owner, node, frame)
    if isinstance(owner, records.SuperValue):
        return records.super_attribute(e, owner, node.attr, node, frame)
    if is_drawn(owner):
        from ccc.compile.frontend import draws

        return draws.method(e, owner, node.attr, node, frame)
    if isinstance(owner, Var):
        return of_variable(e, owner, node, frame)
    if isinstance(owner, types.ModuleType):
        return of_module(e, owner, node, frame)
    if node.attr == "__call__" and is_function(owner) and not isinstance(owner, type):
        return owner
    if isinstance(owner, type) and isinstance(class_attribute(owner, node.attr), classmethod | staticmethod):
        found = class_attribute(owner, node.attr)
        return records.through_class(e, owner, found, owner, node.attr, node, frame)
    if owner is object and node.attr == "__setattr__":
        return object.__setattr__
    if isinstance(owner, type | types.FunctionType) and hasattr(owner, node.attr):
        value = getattr(owner, node.attr)
        return e.read(node.attr, (id(owner), node.attr), value, Within(e.only(owner), getattr, node.attr), node, frame)
    if isinstance(owner, ClosureValue) and (known := decorated.described(owner, node.attr)) is not MISSING:
        return known
    if isinstance(owner, ClosureValue | ChoiceValue | MethodValue | tuple | RangeValue | IteratorValue):
        raise unsupported("CC003", f"`.{node.attr}` of {described(owner)} is not supported", e.span(node, frame),
                          help="use a function or an operator")
    if isinstance(owner, KnownSet) and hasattr(set, node.attr):
        raise unsupported("CC003", f"`.{node.attr}` of a set", e.span(node, frame),
                          help="use a dict, whose keys may vary")
    if not hasattr(owner, node.attr):
        raise mismatch("CC027", f"{described(owner)} has no attribute `{node.attr}`", e.span(node, frame),
                       help=nearest(node.attr, dir(owner), "compute it by a function"))
    return attribute_from_outside(e, owner, node, frame)


OF_MEMBERS = int | float | str | tuple | types.MethodType


def attribute_from_outside(e: Elaboration, owner: Any, node: ast.Attribute, frame: Frame) -> Any:
    """An attribute of an object that is no value of programs."""
    if isinstance(owner, enum.Enum) and isinstance(found := getattr(owner, node.attr), OF_MEMBERS):
        return found
    if is_unchanging(owner):
        return known_objects.attribute(owner, node.attr)
    if isinstance(owner, np.ufunc) or registry.is_holder(owner):
        return getattr(owner, node.attr)
    if isinstance(owner, slice) and node.attr in ("start", "stop", "step"):
        return getattr(owner, node.attr)
    given = frozen.from_outside(e, owner, node, frame)
    if given is not None:
        return records.attribute(e, given, node.attr, node, frame)
    if isinstance(owner, np.finfo | np.iinfo):
        found = getattr(owner, node.attr)
        return found.item() if isinstance(found, np.generic) else found
    if is_source(owner):
        from ccc.compile.frontend import draws

        return draws.method(e, draws.source_of(e, owner, node, frame), node.attr, node, frame)
    if isinstance(owner, (int, float, str, np.dtype)) or is_random(owner):
        return getattr(owner, node.attr)
    if isinstance(frame.at, ast.Expr) and outside_calls.of_method(frame.at.value, node):
        found = getattr(owner, node.attr)
        if outside_calls.is_foreign(found):
            return found
    raise unsupported("CC003", f"attributes of `{type(owner).__name__}` objects are not supported yet",
                      e.span(node, frame), help=as_array(owner, node, node.attr) or (
                          "use it in the caller" if is_installed(type(owner)) else
                          "make its class a dataclass, or pass the numbers as arguments"))


def lambda_(e: Elaboration, node: ast.Lambda, frame: Frame) -> ClosureValue:
    return closure(e, node, frame)


def call(e: Elaboration, node: ast.Call, frame: Frame) -> Any:
    """The result of a call; the calls on the way to a method are made once."""
    way = calls_on_the_way(node.func.value) if isinstance(node.func, ast.Attribute) else []
    return e.once.during(way, lambda: called(e, node, frame))


def called(e: Elaboration, node: ast.Call, frame: Frame) -> Any:
    mark = len(e.pending)
    function = e.expression(node.func, frame)
    args: list[Any] = []
    generator = node.args[0] if node.args else None
    if isinstance(generator, ast.GeneratorExp):
        from ccc.compile.frontend import comprehensions

        if comprehensions.consumes(function):
            others = [e.expression(part, frame) for part in node.args[1:]]
            named = {k.arg or "**": e.expression(k.value, frame) for k in node.keywords}
            return comprehensions.consumed(e, function, generator, others, named, node, frame)
    for i, part in enumerate(node.args):
        if isinstance(part, ast.Starred):
            inner = drawn(e.iterated(part.value, frame))
            if isinstance(inner, tuple | ListValue):
                args += inner.items if isinstance(inner, ListValue) else inner
                continue
            from ccc.compile.frontend import spreading

            names = [keyword.arg for keyword in node.keywords]
            rest = [(True, inner), *parts_of(e, node.args[i + 1 :], frame)]
            args = spreading.spread(e, function, args, names, rest, part, frame)
            break
        args.append(e.expression(part, frame))
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = e.expression(keyword.value, frame)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
            continue
        value = stored.shown(e, value)
        if not isinstance(value, RecordValue) or value.cls is not dict:
            raise unsupported("CC003", "`**` needs a dict whose keys are known here", e.span(keyword.value, frame),
                              help="name the arguments")
        twice = [key for key in value.fields if key in kwargs]
        if twice:
            raise mismatch("CC027", f"the argument `{twice[0]}` is given twice", e.span(keyword.value, frame),
                           help="give it once")
        kwargs.update(value.fields)
    e.recorder.span = e.span(node, frame)
    del e.pending[mark:]
    return e.call(function, args, kwargs, node, frame)


def walrus(e: Elaboration, node: ast.NamedExpr, frame: Frame) -> Any:
    value = kept(e, e.expression(node.value, frame), node, frame)
    bind(e, node.target, value, frame)
    return value


def comprehension(e: Elaboration, node: ast.ListComp | ast.DictComp | ast.GeneratorExp, frame: Frame) -> Any:
    from ccc.compile.frontend import comprehensions

    if isinstance(node, ast.GeneratorExp):
        return comprehensions.generator(e, node, frame)
    return (comprehensions.listed(e, node, frame) if isinstance(node, ast.ListComp)
            else comprehensions.of_dict(e, node, frame))


def refused(what: str, mend: str) -> Callable[[Elaboration, Any, Frame], Any]:
    def handler(e: Elaboration, node: ast.AST, frame: Frame) -> Any:
        raise unsupported("CC003", f"{what} not supported yet", e.span(node, frame), help=mend)

    return handler


def set_comprehension(e: Elaboration, node: ast.SetComp, frame: Frame) -> Any:
    """`{x for ...}`."""
    found = comprehension(e, ast.copy_location(ast.ListComp(node.elt, node.generators), node), frame)
    if e.stores is None and not (isinstance(found, ListValue) and all(map(dicts.is_known, found.items))):
        raise unsupported("CC003", "a set comprehension", e.span(node, frame),
                          help="use a dict, whose keys may vary")
    return e.call(set, [found], {}, node, frame)


EXPRESSIONS: dict[type, Callable[[Elaboration, Any, Frame], Any]] = {
    ast.Constant: constant,
    ast.Name: name,
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: compare,
    ast.BoolOp: boolean,
    ast.IfExp: conditional,
    ast.Tuple: display,
    ast.List: display,
    ast.Slice: slice_,
    ast.Subscript: subscript,
    ast.Attribute: attribute,
    ast.Lambda: lambda_,
    ast.Call: call,
    ast.NamedExpr: walrus,
    ast.ListComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: comprehension,
    ast.SetComp: set_comprehension,
    ast.Dict: dicts.display,
    ast.Set: display_of_set,
    ast.JoinedStr: effects.text,
    ast.Await: refused("`await` is", "call the function directly"),
    ast.Yield: refused("`yield` is", "collect the values in a tuple and return it"),
    ast.YieldFrom: refused("`yield from` is", "collect the values in a tuple and return it"),
}
