"""`product`, `combinations`, `permutations` and `combinations_with_replacement`, which take all that they run along
when they are made.

Where items are not known one by one, selections are made of their places. How many items one has is always known.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.builtin import SHORT
from ccc.compile.frontend.definitions import defined
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import OnceValue, RangeValue
from ccc.compile.frontend.iterators import known, new_list
from ccc.compile.frontend.parameters import taken
from ccc.compile.frontend.sequences import items_of
from ccc.compile.frontend.settling import needed, settled
from ccc.compile.frontend.values import Frame
from ccc.compile.program.lam import Var
from ccc.primitives import structure


def product(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.product(xs, ys, ..., repeat=)`."""
    repeated = needed(e, kwargs.get("repeat", 1))
    if type(repeated) is not int or set(kwargs) - {"repeat"}:
        raise unsupported("CC003", "`product` needs a `repeat` that is known", e.place(node, frame),
                          help="write the number")
    if "repeat" in kwargs and not is_written(node):
        args = [short(e, xs, lambda one: itertools.product(one, repeat=max(repeated, 0) * len(args))) for xs in args]
    columns = [items_of(e, xs, node, frame) for xs in args] * repeated
    items = [known_items(xs) for xs in columns]
    if all(found is not None for found in items):
        return OnceValue(itertools.product, tuple(itertools.product(*[found for found in items if found is not None])))
    found = defined(e, "singles", columns[:1], node, frame)
    for xs in columns[1:]:
        found = defined(e, "further", [found, xs], node, frame)
    return OnceValue(itertools.product, found)


FURTHER = {
    itertools.combinations: "places_behind", itertools.combinations_with_replacement: "places_from",
    itertools.permutations: "other_places",
}
"""How a selection goes on, by the definitions of which."""


def selections(cls: Any) -> Callable[[Elaboration, list[Any], dict[str, Any], ast.AST, Frame], Any]:
    """`combinations`, `permutations` and `combinations_with_replacement`: of places, where items are not known one by
    one."""
    defaults = {"r": None} if cls is itertools.permutations else {}

    def run(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        xs, r = taken(cls.__name__, args, kwargs, "/ iterable r", e.place(node, frame), **defaults)
        r = needed(e, r)
        if r is not None and type(r) is not int:
            raise unsupported("CC003", f"`{cls.__name__}` needs a length that is known", e.place(node, frame),
                              help="write the number")
        if r is not None and not is_written(node):
            xs = short(e, xs, lambda one: cls(one, max(r, 0)))
        return OnceValue(cls, selected(e, cls, items_of(e, xs, node, frame), r, node, frame))

    return run


def selected(e: Elaboration, cls: Any, found: Any, r: int | None, node: ast.AST, frame: Frame) -> Any:
    """All selections of `r` items."""
    if r is None or known_items(found) is not None:
        items = known(e, cls.__name__, found, node, frame)
        return tuple(cls(items, r) if r is not None else cls(items))
    if r == 0:
        return ((),)
    items = new_list(e, found, node, frame)
    n = structure.length(e.sequence(items, node, frame))
    places = defined(e, "first_places", [n], node, frame)
    for _ in range(r - 1):
        places = defined(e, FURTHER[cls], [places, n], node, frame)
    return defined(e, "at_places", [items, places], node, frame)


def is_written(node: ast.AST) -> bool:
    """Whether a call has a number as its last argument where it is written."""
    given = [*node.args, *[k.value for k in node.keywords]] if isinstance(node, ast.Call) else []
    return bool(given) and isinstance(given[-1], ast.Constant)


def short(e: Elaboration, xs: Any, select: Callable[[range], Iterable[Any]]) -> Any:
    """A range with the bounds that it has in the call, where few selections of its numbers are made: of several lengths
    they meet in one list, perhaps, and then each has to be known."""
    if not isinstance(xs, RangeValue):
        return xs
    bounds = [settled(e, b) if isinstance(b, Var) else b for b in xs.bounds]
    whole = range(*bounds) if all(type(b) is int for b in bounds) else None  # type: ignore[arg-type]
    if whole is None or len(whole) > SHORT or len([*itertools.islice(select(whole), SHORT + 1)]) > SHORT:
        return xs
    return RangeValue(tuple(bounds))


POOLS: dict[Any, Callable[..., Any]] = {itertools.product: product} | {cls: selections(cls) for cls in FURTHER}
