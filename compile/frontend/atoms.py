"""Values as atoms of the program: one variable or constant for a value, a list of the program for what is iterated."""

from __future__ import annotations

import ast
import operator
from typing import Any

from ccc.compile.diagnostics import mismatch, unsupported, without_value
from ccc.compile.frontend import boxed, interrupts, members, reals, sums
from ccc.compile.frontend.attempts import NO_TURNS, TURNS
from ccc.compile.frontend.describing import as_array, described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import EndlessValue, IteratorValue, RangeValue
from ccc.compile.frontend.memory.interface import dicts, stored
from ccc.compile.frontend.parts import object_in, parts_in, refuse_without_value
from ccc.compile.frontend.values import (
    ITEMS,
    ChoiceValue,
    Frame,
    KnownSet,
    ListValue,
    Perhaps,
    RecordValue,
    TextValue,
    Unbound,
    closed,
)
from ccc.compile.program.lam import Node, Var
from ccc.coproducts import is_text
from ccc.objects import Array, Int, List, Real, Text
from ccc.primitives import effects, structure, texts


def leaf(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as one atom of the program: displays of lists are built."""
    if isinstance(value, Unbound) and not isinstance(value, Perhaps):
        raise without_value(value, "an item", e.place(node, frame))
    if members.is_member(value):
        value = with_texts(e, members.as_object(value))
    if sums.is_of_group(value):
        return sums.generalised(e, value)
    if boxed.boxable(value) or isinstance(value, ChoiceValue):
        return sums.as_one(e, value)
    if isinstance(value, ListValue):
        if not value.items:
            return value
        leaves = [e.item(v, node, frame) for v in value.items]
        if are_labelled(leaves):
            of = {"cls": list, "names": tuple(range(len(leaves)))}
            return e.rows.copied(value, e.always(structure.record, tuple(leaves), **of))
        return e.rows.copied(value, reals.listed(e, leaves))
    if isinstance(value, RangeValue):
        return e.sequence(value, node, frame)
    if isinstance(value, TextValue):
        return e.always(effects.text, value.values, form=value.form)
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return dicts.kept_map(e, value, node, frame)
    if isinstance(value, (Node, RecordValue)):
        if (whole := closed(value)) is not value and isinstance(whole, Var):
            return whole
        if isinstance(value, RecordValue):
            refuse_without_value(value, e.place(node, frame))
        parts = [e.item(v, node, frame) for v in parts_in(value) or ()]
        names = value.names if isinstance(value, Node) else tuple(value.fields)
        made = e.always(structure.record, tuple(parts), cls=value.cls, names=names)
        return e.rows.copied(value, made) if isinstance(value, RecordValue) else made
    if isinstance(value, tuple):
        return e.always(structure.pack, tuple([e.leaf(v, node, frame) for v in value]))
    return value


def are_labelled(items: list[Any]) -> bool:
    """True for texts and numbers side by side, as in `["rent", 700.0]`: a list of these is one item by item."""
    texts = [is_text(object_in(x)) for x in items]
    numbers = [isinstance(object_in(x), (Real, Int)) for x in items]
    return any(texts) and any(numbers) and all(map(operator.or_, texts, numbers))


def with_texts(e: Elaboration, value: RecordValue) -> RecordValue:
    """A record with texts of the program for those that are known: that of each member of an enumeration is alike."""
    return value.like([e.always(effects.text, (), form=(part,)) if isinstance(part, str) else part
                       for part in value.fields.values()])


def sequence(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Var:
    """Something iterable as a list of the program: of what stands in a store, what it holds."""
    value = stored.shown(e, value)
    if isinstance(value, RangeValue):
        return e.always(structure.span, value.bounds)
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return dicts.keys_list(e, value)
    if isinstance(value, (ListValue, tuple)):
        items = reals.alike_in(e, list(value.items if isinstance(value, ListValue) else value))
        try:
            return reals.listed(e, [e.leaf(v, node, frame) for v in items])
        except TypeError as error:
            if not any(isinstance(x, RecordValue) for x in items):
                raise
            raise mismatch("CC006", "objects that differ in type are read at an index that is not known",
                           e.place(node, frame), str(error), help="give their attributes one type each") from error
    if isinstance(value, Var) and isinstance(value.object, List):
        return value
    if isinstance(value, Var) and isinstance(value.object, Array):
        return structure.rows(value)
    value = e.always(effects.text, (), form=(value,)) if isinstance(value, str) else value
    if isinstance(value, Var) and isinstance(value.object, Text):
        return texts.letters(value)
    if isinstance(value, EndlessValue):
        raise endless(e, node, frame)
    if isinstance(value, KnownSet):
        raise unsupported("CC003", "the order of this set is not known", e.place(node, frame),
                          "the code has no constant that holds its items", help="iterate over `sorted(...)` of it")
    if isinstance(value, IteratorValue) and frame is not None:
        return sequence(e, e.call(list, [value], {}, node, frame), node, frame)
    e.attempts.lacks(value, NO_TURNS, *TURNS)
    raise mismatch("CC027", "this cannot be iterated", e.place(node, frame),
                   f"it is {described(value)}",
                   help=as_array(value, node) or "loop over a range, an array, a list or a tuple")


def endless(e: Elaboration, node: ast.AST, frame: Frame | None) -> Exception:
    """The refusal of an iterator without end."""
    return interrupts.WithoutEnd(e.place(node, frame))
