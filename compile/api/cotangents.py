"""Cotangents as users give them: taken apart and checked against the structure and the shapes of the value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.compile.api.kept import Code
from ccc.compile.api.linear import direction
from ccc.compile.diagnostics import WrongArguments
from ccc.compile.numpy_source.places import annotate
from ccc.compile.program.lam import Node, leaves
from ccc.compile.terms import derive
from ccc.directions import outline
from ccc.objects import (
    Array,
    List,
    Map,
    Object,
    Real,
    Space,
)
from ccc.records import apart_as, class_in_words


def pullback_function(code: Code, function: Any, value: Any, aux: bool = False) -> Callable[[Any], Any]:
    """The pullback as users call it: one cotangent with the structure and the shapes of the value, or of the first part
    of a pair."""
    objects = code.result[0] if aux else code.result
    shapes = shapes_of(objects, value[0] if aux else value)

    def user_pullback(ct: Any) -> Any:
        cts: list[Any] = []
        _flatten(objects, ct, shapes, cts, "cotangent")
        try:
            return function(*cts)
        except Exception as error:
            annotate(error)
            raise

    return user_pullback


def shapes_of(tree: Any, value: Any) -> Any:
    """The sizes of the arrays and lists in a value, which is not kept for them."""
    if isinstance(tree, tuple):
        return [shapes_of(part, inner) for part, inner in zip(tree, parts_given(tree, value, "value"), strict=True)]
    if isinstance(tree, Real):
        return None
    return outline(float(value) if type(value) is int and isinstance(tree, Array) else value)  # a branch gave the int


def _flatten(tree: Any, ct: Any, shapes: Any, into: list[Any], path: str) -> None:
    if isinstance(tree, tuple):
        given = parts_given(tree, ct, path)
        for (name, part), inner, shape in zip(derive.named_parts(tree), given, shapes, strict=True):
            _flatten(part, inner, shape, into, path + name)
        return
    if tree is not None:
        into.append(_checked(tree, ct, shapes, path))


LIKE_THE_VALUE = "give a cotangent like the value"


def parts_given(tree: tuple[Any, ...], ct: Any, path: str) -> Sequence[Any]:
    """The parts of a cotangent that a user gives for a tuple or record; None is zero for a part of nothing."""
    if isinstance(tree, Node) and not any(x is not None for x in leaves(tree)) and ct is None:
        return [None] * len(tree)
    if not isinstance(tree, Node) or tree.cls is list:
        what = f"a {'list' if isinstance(tree, Node) else 'tuple'} of {len(tree)}"
        if not isinstance(ct, (tuple, list)) or len(ct) != len(tree):
            raise WrongArguments(f"{path}: the value is {what}, so must its cotangent be", help=f"give {what}")
        return ct
    found = apart_as(tree.cls, ct)
    if found is None or found[0] is not tree.cls or set(found[1]) != set(tree.names):
        keys = f"dict with the keys {', '.join(map(repr, tree.names))}"
        what = keys if tree.cls is dict else class_in_words(tree.cls)
        raise WrongArguments(f"{path}: the value is a {what}, so must its cotangent be; found {type(ct).__name__}",
                             help=LIKE_THE_VALUE)
    given = dict(zip(found[1], found[2], strict=True))
    return [given[name] for name in tree.names]


_KINDS: dict[str, Callable[[Any], Any]] = {
    "float": float, **{np.dtype(kind).name: kind for kind in (np.float16, np.float32, np.float64, np.longdouble)},
}


def _same_number(x: Any) -> Any:
    return x


def _checked(a: Object, ct: Any, shape: Any, path: str) -> Any:
    if isinstance(a, Real):
        if isinstance(ct, bool) or not isinstance(ct, (int, float, np.number, Fraction)):
            raise WrongArguments(f"{path}: the value is a number, so must its cotangent be; "
                                 f"found {type(ct).__name__}", help=LIKE_THE_VALUE)
        if type(ct) is float and a.kind == "float":
            return ct
        return float(ct) if isinstance(ct, int) and a.kind == "any" else _KINDS.get(a.kind, _same_number)(ct)
    place = path.replace("cotangent", "value", 1)
    if isinstance(a, (Array, List)):
        return direction(shape, ct, place, "cotangent")
    if isinstance(a, Map):
        if not isinstance(ct, dict) or not set(ct) <= set(shape):  # type: ignore[reportUnknownArgumentType]
            raise WrongArguments(f"{path}: the value is a dict, so must its cotangent be, with keys of the value",
                                 help=LIKE_THE_VALUE)
        return {k: direction(shape[k], inner, f"{place}[{k!r}]", "cotangent") for k, inner in ct.items()}  # type: ignore[reportUnknownVariableType]
    if isinstance(a, Space) and not isinstance(ct, a.cls):
        raise WrongArguments(f"{path}: the value is of the class {a.cls.__name__}, so must its cotangent be; "
                             f"found {type(ct).__name__}", help=LIKE_THE_VALUE)
    return ct
