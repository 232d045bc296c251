"""Tangents and cotangents that a program gives to its derivatives: each has the structure of what it belongs to.

    dx : the objects of x, reals for integers, of any sizes     refused while compiling where it is not
    sizes of dx = sizes of x                                    compared where the program runs

An array may be given for a list of its rows, and a list for an array. What is no number, an integer or a text, has no
tangent, and what is given for it is not looked at; neither are the keys of dicts that are known only when it runs.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ccc.compile.diagnostics import WrongArguments
from ccc.compile.frontend import reals
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.parts import item_by_item, mapped, parts_in
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, RecordValue
from ccc.compile.program.lam import Node, Var
from ccc.objects import UNIT, Array, Bool, Int, List, Map, Object, Product, Real, Record, array, is_discrete
from ccc.primitives import structure
from ccc.primitives.barriers import check_like
from ccc.records import path_to

NUMBERS = (Real, Int, Bool)


class Unknown(Exception):
    """A value that is not made of numbers, arrays, lists and tuples."""


def shown(e: Elaboration, value: Any) -> Any:
    """A value to compare cotangents with: its lists are lists of the program, which nobody changes; None where it
    cannot be told."""
    try:
        return listed(e, value)
    except Unknown:
        return None


def listed(e: Elaboration, value: Any) -> Any:
    if isinstance(value, ListValue):
        items = [listed(e, item) for item in value.items]
        if (found := item_by_item(items)) is not None:
            return found
        if any(not isinstance(item, (Var, int, float)) for item in items):
            raise Unknown
        return reals.listed(e, items)
    if isinstance(value, (tuple, RecordValue)):
        return mapped(value, lambda _, part: listed(e, part))
    return value


def as_one_list(e: Elaboration, d: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A direction of a list whose items have a common type, though its own may have none."""
    return e.leaf(ListValue(list(d)), node, frame) if isinstance(d, Node) and d.cls is list else d


def like_the_value(e: Elaboration, x: Any, d: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A direction that fits `x`, in lists where that has lists."""
    if isinstance(x, (tuple, RecordValue)) and (parts := parts_in(d)) is not None:
        inner, given = iter(parts_in(x) or ()), iter(parts)
        return mapped(d, lambda name, _: like_the_value(e, next(inner), next(given), node, frame))
    return d if isinstance(x, (tuple, RecordValue)) else as_one_list(e, d, node, frame)


class Fitting:
    """The directions given at one place of a program; `word` is "tangent" or "cotangent"."""

    def __init__(self, e: Elaboration, word: str, node: ast.AST, frame: Frame | None) -> None:
        self.e = e
        self.word = word
        self.place = node, frame

    def fitted(self, x: Any, d: Any, path: str) -> Any:
        """The direction `d` as one of `x`, which may be a tuple or record; refused where it does not fit."""
        if isinstance(x, (tuple, RecordValue)):
            return self.of_parts(x, d, path)
        a = reals.objects_of(x)
        if is_discrete(a):
            return None
        d = as_one_list(self.e, d, *self.place)
        if isinstance(d, ListValue):
            d = self.e.item(d, *self.place)
        if isinstance(a, Array) and isinstance(d, Var) and isinstance(d.object, List):
            d = self.e.call(np.array, [d], {}, *self.place)
        found = reals.objects_of(d) if isinstance(d, (Var, int, float)) else None
        perhaps = isinstance(a, Real) and isinstance(found, Array) and found.axes is None
        if found is None or not (perhaps or agree(found, a)):
            raise self.refused(x, d, path)
        if isinstance(a, List) and isinstance(d, Var) and isinstance(d.object, Array):
            d = structure.rows(d)
        d = reals.converted(self.e, d, a)
        if d is not x and has_sizes(a, reals.objects_of(d)):
            self.e.always(check_like, (d, x), word=self.word, path=path)
        return d

    def of_parts(self, x: Any, d: Any, path: str) -> Any:
        """The direction of a tuple or record, part by part."""
        names = names_in(x)
        if isinstance(d, ListValue) and (names is None or x.cls is list):
            d = tuple(d.items) if names is None else Node.of(list, names, d.items)
        given: Any = parts_in(d)
        if d is None and all(is_discrete(reals.objects_of(part)) for part in parts_in(x) or ()):
            return None
        known = names_in(d)
        if given is None or len(given) != len(parts_in(x) or ()) or set(names or ()) != set(known or ()):
            raise self.refused(x, d, path)
        if names is None or known is None:
            return mapped(x, lambda i, part: self.fitted(part, given[i], f"{path}[{i}]"))
        if x.cls is not getattr(d, "cls", None):
            raise self.refused(x, d, path)
        if ITEMS in names:
            return d
        of = dict(zip(known, given, strict=True))
        labels = {name: path + path_to(x.cls, name) for name in names}
        return mapped(x, lambda name, part: self.fitted(part, of[name], labels[name]))

    def refused(self, x: Any, d: Any, path: str) -> WrongArguments:
        wanted, found = shortly(x), shortly(d)
        return WrongArguments(f"the {self.word} of `{path}` is {found}, `{path}` is {wanted}",
                              help=f"give a {self.word} that is {wanted}")


def names_in(value: Any) -> tuple[Any, ...] | None:
    """The names of the parts of a record; None for a tuple."""
    if isinstance(value, RecordValue):
        return tuple(value.fields)
    return value.names if isinstance(value, Node) else None


def shortly(value: Any) -> str:
    return f"a tuple of {len(value)}" if isinstance(value, tuple) and names_in(value) is None else described(value)


def agree(d: Object, a: Object) -> bool:
    """Whether directions of an object may belong to values of another one, if the sizes fit.

    >>> agree(Int(), Real()), agree(array("float64", ("n", "n")), array("float64", ("n",)))
    (True, False)
    """
    match a:
        case Real():
            return isinstance(d, NUMBERS) or (isinstance(d, Array) and d.axes == ())
        case Array(_, axes):
            if isinstance(d, NUMBERS):
                return not axes
            return isinstance(d, Array) and (axes is None or d.axes is None or len(axes) == len(d.axes))
        case List(item):
            if isinstance(d, Array):
                return bool(d.axes) and not isinstance(item, List) and agree(row_of(d), item)
            return isinstance(d, List) and (UNIT in (d.item, item) or agree(d.item, item))
        case Map(key, item):
            return isinstance(d, Map) and (UNIT in (d.item, item) or (d.key == key and agree(d.item, item)))
        case Record(parts, cls, names):
            return isinstance(d, Record) and d.cls is cls and d.names == names and all(map(agree, d.parts, parts))
        case Product(parts):
            return type(d) is Product and len(d.parts) == len(parts) and all(map(agree, d.parts, parts))
        case _:
            return is_discrete(a) or d == a


def row_of(a: Array) -> Object:
    """The object of the rows of an array."""
    assert a.axes
    return array(a.dtype, a.axes[1:]) if len(a.axes) > 1 else Real(a.dtype)


def has_sizes(a: Object, d: Object) -> bool:
    """Whether values of these objects may have other sizes."""
    if isinstance(a, Array) and isinstance(d, Array) and a.axes is not None and a.axes == d.axes:
        return any(axis != "1" for axis in a.axes)
    return isinstance(a, (Array, List)) or isinstance(d, Array)
