"""`map`, `filter`, `reversed`, `sorted` and `type` of Python, over what is known item by item."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from ccc.objects import Array, List
from ccc.primitives import arithmetic, indexing, lists
from compile import branches
from compile.builtin import class_of, only_argument
from compile.diagnostics import mismatch, unsupported
from compile.joins import described
from compile.lam import Var
from compile.loops import known_items
from compile.values import Frame, ListValue, RangeValue

Elaboration = Any


def items_of(e: Elaboration, name: str, value: Any, node: ast.AST, frame: Frame) -> list[Any]:
    """The items of a sequence, which must be known one by one."""
    items = known_items(value)
    if items is None and isinstance(value, RangeValue) and all(type(b) is int for b in value.bounds):
        items = list(range(*value.bounds))
    if items is None:
        raise unsupported("CC003", f"`{name}` needs items that are known one by one", e.place(node, frame),
                          help="use a comprehension or a loop")
    return items


def map_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`map(function, xs, ...)`, computed where it stands."""
    function, *sequences = args
    columns = [items_of(e, "map", xs, node, frame) for xs in sequences]
    return tuple([e.call(function, list(row), {}, node, frame) for row in zip(*columns, strict=False)])


def filter_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`filter(function, xs)` where each test is known."""
    function, xs = args
    kept: list[Any] = []
    for item in items_of(e, "filter", xs, node, frame):
        test = branches.truth(e, item if function is None else e.call(function, [item], {}, node, frame), node, frame)
        if isinstance(test, Var):
            raise unsupported("CC003", "`filter` needs a test that is known", e.place(node, frame),
                              help="use a loop that appends under `if`")
        kept += [item] if test else []
    return tuple(kept)


def reversed_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`reversed(xs)` of ranges, lists, tuples and arrays."""
    value = only_argument("reversed", args, kwargs, e.place(node, frame))
    if isinstance(value, RangeValue) and len(value.bounds) < 3:
        bounds: Any = value.bounds
        start, stop = bounds if len(bounds) == 2 else (0, bounds[0])
        return RangeValue((less_one(stop), less_one(start), -1))
    if isinstance(value, Var) and isinstance(value.object, Array):
        return indexing.index(value, -1, pattern=("s3",))
    if isinstance(value, Var) and isinstance(value.object, List):
        return e.always(lists.sliced, (value, -1), places="3")
    return tuple(reversed(items_of(e, "reversed", value, node, frame)))


def less_one(bound: Any) -> Any:
    return arithmetic.sub(bound, 1) if isinstance(bound, Var) else bound - 1


def sorted_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`sorted(xs, key=, reverse=)` where the keys are known."""
    xs = only_argument("sorted", args, {}, e.place(node, frame))
    items = items_of(e, "sorted", xs, node, frame)
    key, backwards = kwargs.get("key"), kwargs.get("reverse", False)
    keys = items if key is None else [e.call(key, [item], {}, node, frame) for item in items]
    if set(kwargs) - {"key", "reverse"} or not all(isinstance(k, int | float | str) for k in [*keys, backwards]):
        raise unsupported("CC003", "`sorted` needs keys that are known", e.place(node, frame),
                          help="np.sort, or sort in the caller")
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(backwards))
    return ListValue([items[i] for i in order])


def type_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`type(value)`."""
    value = only_argument("type", args, kwargs, e.place(node, frame))
    found = class_of(value)
    if found is None:
        raise mismatch("CC027", f"the type of {described(value)} is not known while compiling", e.place(node, frame))
    return found


SEQUENCES: dict[Any, Callable[..., Any]] = {
    builtins.map: map_, builtins.filter: filter_, builtins.reversed: reversed_, builtins.sorted: sorted_,
    builtins.type: type_,
}
