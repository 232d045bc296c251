"""Expressions of Python: constants, names, operators, tuples, indexing, attributes, conditionals, lambdas, calls."""

from __future__ import annotations

import ast
import enum
import typing
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, unsupported, without_value
from ccc.compile.frontend import (
    alternatives,
    conditions,
    cursors,
    definitions,
    effects,
    handing,
    interrupts,
    joined_texts,
    known_objects,
    known_sets,
    members,
    patterns,
    python_functions,
    records,
    sums,
    texts,
)
from ccc.compile.frontend.attempts import NO_ITEMS
from ccc.compile.frontend.attributes import attribute
from ccc.compile.frontend.captures import Fixed, Within, item
from ccc.compile.frontend.comparing import compare, constant_value
from ccc.compile.frontend.definitions import of_slices
from ccc.compile.frontend.describing import as_array, class_of, described, is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import drawn, known_items
from ccc.compile.frontend.iterator_values import RangeValue
from ccc.compile.frontend.library_calls import of_parts
from ccc.compile.frontend.memory.interface import dict_making, dicts, kept, list_changes, lists, stored, undone, updates
from ccc.compile.frontend.operators import binary, known, unary
from ccc.compile.frontend.parameters import unknown_keys
from ccc.compile.frontend.parts import defined, opened
from ccc.compile.frontend.receivers_once import calls_on_the_way
from ccc.compile.frontend.regions import is_items
from ccc.compile.frontend.statements import bind, closure
from ccc.compile.frontend.values import (
    ITEMS,
    ClosureValue,
    Frame,
    ListValue,
    RecordValue,
    Unbound,
    is_function,
    number_chosen,
    variables_in,
)
from ccc.compile.program.lam import Apply, Node, Var
from ccc.later import deferred
from ccc.objects import Array, Bool, Int, List, Product
from ccc.primitives import effects as shown, shaping, structure
from ccc.primitives.primitive import Primitive
from ccc.records import is_unchanging


def constant(e: Elaboration, node: ast.Constant, frame: Frame) -> Any:
    if isinstance(node.value, complex):
        return of_parts(node.value.real, node.value.imag)
    return node.value


def name(e: Elaboration, node: ast.Name, frame: Frame) -> Any:
    if not e.attempts.steps:
        return e.lookup(node.id, node, frame)
    return e.attempts.named(node, lambda: e.lookup(node.id, node, frame))


def starred_values(
    e: Elaboration, nodes: list[ast.expr], frame: Frame, handed: bool = False
) -> list[tuple[bool, Any]]:
    """The values of items or arguments, each with whether it stands behind a star; iterators that are `handed` on stay
    what they are."""
    item = Elaboration.expression if handed else expression_kept
    return [(True, drawn(cursors.whole(e, behind_star(e, p, frame), p, frame))) if isinstance(p, ast.Starred)
            else (False, item(e, p, frame)) for p in nodes]


def expression_kept(e: Elaboration, node: ast.expr, frame: Frame) -> Any:
    """The value of an expression, which is kept: an iterator as the object that knows how far it is."""
    return cursors.as_object(e, e.expression(node, frame), node, frame)


def behind_star(e: Elaboration, node: ast.Starred, frame: Frame) -> Any:
    """What `*value` takes its items of: a list that is written there is nothing that keeps them."""
    handing.on(node.value)
    return e.iterated(node.value, frame)


def display_of_set(e: Elaboration, node: ast.Set, frame: Frame) -> Any:
    parts = starred_values(e, node.elts, frame)
    items = [known_items(value) if starred else [value] for starred, value in parts]
    if any(part is None for part in items):
        return e.call(set, [definitions.joined(e, parts, node, frame), False], {}, node, frame)
    return known_sets.displayed(e, [x for part in items for x in part or ()], node, frame)


def display(e: Elaboration, node: ast.Tuple | ast.List, frame: Frame) -> Any:
    return handing.listed(e, lambda: displayed(e, node, frame), node, frame)


def displayed(e: Elaboration, node: ast.Tuple | ast.List, frame: Frame) -> Any:
    """What the items of a tuple or list make, written one by one."""
    handed = handing.is_on(node) and not any(isinstance(p, ast.Starred) for p in node.elts)
    parts = starred_values(e, node.elts, frame, handed)
    if any(starred and known_items(value) is None for starred, value in parts):
        found = definitions.joined(e, parts, node, frame)
        if isinstance(node, ast.Tuple):
            e.columns.add(found)
        return found
    items: list[Any] = []
    for (starred, value), part in zip(parts, node.elts, strict=True):
        known: Any = known_items(value) if starred else [value]
        items += [kept(e, item, part, frame) if handed else e.kept(item, part, frame) for item in known]
    return tuple(items) if isinstance(node, ast.Tuple) else ListValue(items)


def slice_(e: Elaboration, node: ast.Slice, frame: Frame) -> Any:
    return slice(*[None if p is None else e.expression(p, frame) for p in (node.lower, node.upper, node.step)])


def subscript(e: Elaboration, node: ast.Subscript, frame: Frame) -> Any:
    value = e.expression(node.value, frame)
    key = e.key(node.slice, frame)
    if alternatives.is_uncertain(e, value):
        return alternatives.dispatch(e, value, lambda x: item_of(e, x, key, node, frame), alternatives.no_item_at(key),
                                     node, frame)
    if isinstance(value, enum.EnumType):
        return value[key] if isinstance(key, str) else definitions.defined(
            e, "member_named", [key, tuple(value)], node, frame)
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
    key = number_chosen(key)
    value = texts.of_program(e, value)
    if isinstance(value, ListValue) or is_items(value):
        return of_known(e, value, key, node, frame)
    e.told_apart(key)
    if isinstance(value, dict) and constant_value(key):
        return e.read(str(key), (id(value), "item", key), value[key], Within(Fixed(value), item, key), node, frame)
    of = {"of": "range object"} if isinstance(value, RangeValue) else {"of": "tuple"} if is_column(e, value) else {}
    if isinstance(value, RangeValue):
        value = e.sequence(value, node, frame)
    if (joined := of_slices(e, value, key, node, frame)) is not None:
        return joined
    if not isinstance(value, Var):
        if isinstance(value, type) and (alias := alias_of(value, key)) is not None:
            return alias
        if isinstance(value, str) and isinstance(key, slice) and not known(key.start, key.stop, key.step):
            return texts.item(e, e.always(shown.text, (), form=(value,)), key, node, frame)
        if isinstance(value, str) and isinstance(key, (int, slice)) and known(key):
            return value[key]
        if isinstance(value, str) and isinstance(key, Var) and isinstance(key.object, Int):
            return definitions.defined(e, "letter", [ListValue(list(value)), key], node, frame)
        if (is_unchanging(value) or type(value) is bytes) and constant_value(key) and hasattr(value, "__getitem__"):
            return known_objects.item(value, key)
        e.attempts.lacks(value, NO_ITEMS, "__getitem__")
        raise mismatch("CC027", f"{described(value)} cannot be indexed here", e.span(node, frame),
                       help=as_array(value, node) or "index an array, a list, a tuple or a dict")
    if isinstance(value.object, Array):
        array, (pattern, numbers) = updates.through(e, value, patterns.pattern_of(e, key, node, frame))
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
        return list_changes.at(e, value, key, **of)
    if isinstance(value.object, Product) and isinstance(key, int):
        return structure.part(value, index=key)
    if texts.is_text(value):
        return texts.item(e, value, key, node, frame)
    if issubclass(class_of(value) or object, np.generic) and needs_no_axis(key):
        return item_of(e, e.call(np.array, [value], {}, node, frame), key, node, frame)
    numpys = issubclass(class_of(value) or object, np.generic)
    failed = (IndexError, "invalid index to scalar variable.") if numpys else alternatives.NO_ITEMS(value)
    if failed is not None and e.stores is not None and not e.recorder.surely_runs():  # others may stand there too
        effects.fail_with(e, *failed, node, frame)
    e.attempts.lacks(value, NO_ITEMS)
    raise mismatch("CC027", f"{described(value)} cannot be indexed", e.span(node, frame),
                   help="index an array, a list, a tuple or a dict")


def needs_no_axis(key: Any) -> bool:
    """Whether an index is made of new axes, `...` and truth values alone, which a number of NumPy's takes too."""
    return all(part is None or part is Ellipsis or is_truth_value(part)
               for part in (key if isinstance(key, tuple) else (key,)))


def is_truth_value(part: Any) -> bool:
    """Whether a part of an index is a bool, or an array of one without axes: it masks what has no axes either."""
    return isinstance(part.object, Bool) if isinstance(part, Var) else isinstance(part, (bool, np.bool_))


def is_made_by(value: Var, p: Primitive) -> bool:
    """Whether a variable is what a primitive gives."""
    let = value.definition
    return let is not None and isinstance(let.op, Apply) and let.op.primitive is p


def of_known(e: Elaboration, value: Any, key: Any, node: ast.AST, frame: Frame) -> Any:
    """An item or slice of a tuple or list display."""
    items = value.items if isinstance(value, ListValue) else value
    if isinstance(key, (int, slice)) and known(*([key] if isinstance(key, int) else [key.start, key.stop, key.step])):
        found = items[key]
        if isinstance(found, Unbound):
            raise without_value(found, f"[{key}]", e.place(node, frame))
        return ListValue(found) if isinstance(value, ListValue) and isinstance(key, slice) else found
    if isinstance(key, Var) and isinstance(key.object, Int) and not items:
        return list_changes.at(e, e.always(structure.listing, ()), key)
    if isinstance(key, Var) and isinstance(key.object, Int):
        items = list(map(members.as_objects, items))
        of = {} if isinstance(value, ListValue) else {"of": "tuple"}
        if all(isinstance(v, (RecordValue, Node)) or is_function(v) or sums.is_sum(v) for v in items):
            stored.meet(items)
            times = dict(e.rows.times)
            listed = e.sequence(value, node, frame)
            e.rows.times = times
            if isinstance(value, ListValue):
                e.rows.listed[listed] = value
            return opened(structure.item(listed, key, **of))
        if isinstance(value, ListValue) and all(map(lists.is_list, items)) and not all(map(copied_by_value, items)):
            # the statement is read again with a list of the program
            raise interrupts.Grows(value, e.place(node, frame))
        if all(type(v) is str for v in items):
            return structure.item(as_texts(e, items), key, **of)
        if not all(map(copied_by_value, items)):
            raise unsupported("CC003", "this tuple needs an index that is known", e.span(node, frame),
                              help="use a list of numbers or an array")
        leaves = [e.leaf(v, node, frame) for v in items]
        made = e.always(structure.listing, tuple(leaves))
        if isinstance(value, ListValue):
            e.rows.listed[made] = value
        return opened(structure.item(made, key, **of))
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
    return isinstance(value, (Var, int, float))


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
    if isinstance(generator, ast.GeneratorExp) and python_functions.of(function).into:
        from ccc.compile.frontend import comprehensions

        others = [e.expression(part, frame) for part in node.args[1:]]
        named = {k.arg or "**": e.expression(k.value, frame) for k in node.keywords}
        return comprehensions.consumed(e, function, generator, others, named, node, frame)
    hands_on = python_functions.of(function).hands_on
    for i, part in enumerate(node.args):
        handing.on(part, hands_on)
        if isinstance(part, ast.Starred):
            inner = drawn(behind_star(e, part, frame))
            if isinstance(inner, (tuple, ListValue)):
                args += inner.items if isinstance(inner, ListValue) else inner
                continue
            from ccc.compile.frontend import spreading

            names = [keyword.arg for keyword in node.keywords]
            rest = [(True, inner), *starred_values(e, node.args[i + 1 :], frame)]
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
        if isinstance(value, RecordValue) and value.cls is not dict and hasattr(value.cls, "keys"):
            value = stored.shown(e, e.call(dict, [value], {}, keyword.value, frame))
        items = dicts.map_in(value)
        if items is not None and dicts.holds_nothing(items):
            continue
        unknown = isinstance(value, RecordValue) and ITEMS in value.fields and len(node.keywords) > 1
        if not isinstance(value, RecordValue) or value.cls is not dict or unknown:
            raise unknown_keys(e.span(keyword.value, frame))
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


def from_its_beginning(handler: Callable[[Elaboration, Any, Frame], Any]) -> Callable[[Elaboration, Any, Frame], Any]:
    """The handler of an expression that is read as statements, from its beginning, where it raises what a `try`
    catches: what it did until then is undone."""
    def read(e: Elaboration, node: ast.AST, frame: Frame) -> Any:
        if not e.attempts.is_statement(node):
            return handler(e, node, frame)
        return undone(e, lambda: handler(e, node, frame), interrupts.LEAVES, frame)

    return read


def answered(handler: Callable[[Elaboration, Any, Frame], Any]) -> Callable[[Elaboration, Any, Frame], Any]:
    """The handler of an expression that may be a question, whose answer is noted where it is known: the same program
    for other arguments may answer another way."""
    def read(e: Elaboration, node: ast.AST, frame: Frame) -> Any:
        found = handler(e, node, frame)
        if (found is True or found is False) and not frame.of_library:
            e.answers.add((e.span(node, frame), found))
        return found

    return read


EXPRESSIONS: dict[type, Callable[[Elaboration, Any, Frame], Any]] = {
    ast.Constant: constant,
    ast.Name: name,
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: answered(compare),
    ast.BoolOp: from_its_beginning(deferred(conditions, "boolean")),
    ast.IfExp: from_its_beginning(deferred(conditions, "conditional")),
    ast.Tuple: display,
    ast.List: display,
    ast.Slice: slice_,
    ast.Subscript: subscript,
    ast.Attribute: attribute,
    ast.Lambda: lambda_,
    ast.Call: answered(call),
    ast.NamedExpr: walrus,
    ast.ListComp: from_its_beginning(comprehension),
    ast.GeneratorExp: from_its_beginning(comprehension),
    ast.DictComp: from_its_beginning(comprehension),
    ast.SetComp: from_its_beginning(set_comprehension),
    ast.Dict: deferred(dict_making, "display"),
    ast.Set: display_of_set,
    ast.JoinedStr: deferred(joined_texts, "text"),
    ast.Await: refused("`await` is", "call the function directly"),
    ast.Yield: refused("`yield` is", "collect the values in a tuple and return it"),
    ast.YieldFrom: refused("`yield from` is", "collect the values in a tuple and return it"),
}
