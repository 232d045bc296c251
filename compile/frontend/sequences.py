"""`reversed`, `sorted`, `min`, `max` and `sum`: of what is known item by item, of lists of any length
and of arrays.

`sorted` is the permutation that its keys ask for; where they are numbers of the program, so is the permutation, and the
cotangent of the result is permuted back.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend import alternatives, branches, classes_at_run, conditions, prelude, records, sums
from ccc.compile.frontend.atoms import endless
from ccc.compile.frontend.builtin import SHORT, class_looked_at, folded, only_argument, short_range
from ccc.compile.frontend.definitions import defined, sequence
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import drawn, known_items
from ccc.compile.frontend.iterator_values import EndlessValue, IteratorValue, OnceValue, RangeValue
from ccc.compile.frontend.kinds_met import classes_of as classes_of_number, in_kinds, is_of_several
from ccc.compile.frontend.library_calls import adapted
from ccc.compile.frontend.memory.interface import change, list_changes, stored
from ccc.compile.frontend.parameters import taken
from ccc.compile.frontend.parts import class_attribute, generated, opened, seal
from ccc.compile.frontend.values import Frame, KnownSet, ListValue, RecordValue, TypeValue, told_by
from ccc.compile.program.lam import Var
from ccc.objects import Array, Bool, Int, List, Real, Record
from ccc.primitives import arithmetic, folds, indexing, lists as list_primitives, registry, structure


def items_of(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """What is iterated as a tuple or list: of a short range the integers themselves."""
    if isinstance(value, EndlessValue):
        raise endless(e, node, frame)
    known = short_range(value)
    return sequence(e, value, node, frame) if known is None else ListValue(known)


def reversed_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`reversed(xs)` of ranges, lists, tuples and arrays."""
    value = only_argument("reversed", args, kwargs, e.place(node, frame))
    if isinstance(value, IteratorValue):
        raise mismatch("CC027", "an iterator cannot be reversed", e.place(node, frame), help="make it a list first")
    return OnceValue(reversed, backwards(e, value, node, frame), [value])


def backwards(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """A sequence from its end."""
    if isinstance(value, RangeValue) and len(value.bounds) < 3:
        bounds: Any = value.bounds
        start, stop = bounds if len(bounds) == 2 else (0, bounds[0])
        return RangeValue((less_one(stop), less_one(start), -1))
    value = items_of(e, value, node, frame)
    if isinstance(value, Var) and isinstance(value.object, Array):
        return indexing.index(value, -1, pattern=("s3",))
    if isinstance(value, Var) and isinstance(value.object, List):
        return e.always(list_primitives.sliced, (value, -1), places="3")
    items = known_items(value)
    if items is None:
        raise mismatch("CC027", f"{described(value)} cannot be reversed", e.place(node, frame),
                       help="reverse a list, a tuple or an array")
    return ListValue(items[::-1])


def less_one(bound: Any) -> Any:
    return arithmetic.sub(bound, 1) if isinstance(bound, Var) else bound - 1


# -- orders ----------------------------------------------------------------------------------------------------------


def sorted_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`sorted(xs, key=, reverse=)`."""
    xs = only_argument("sorted", args, {}, e.place(node, frame))
    return in_order(e, "sorted", xs, kwargs, node, frame)


def in_order(e: Elaboration, name: str, xs: Any, kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """The items in the order of their keys, as a new list."""
    key, reverse = taken(name, [], kwargs, "/ key reverse", e.place(node, frame), key=None, reverse=False)
    reverse = conditions.truth(e, reverse, node, frame)
    if isinstance(reverse, Var):
        def turned(way: bool) -> Any:
            return in_order(e, name, xs, {"key": key, "reverse": way}, node, frame)

        return branches.either(e, reverse, lambda: turned(True), lambda: turned(False), node, frame)
    if isinstance(xs, KnownSet) and key is None:  # whose order does not count
        return ListValue(sorted(xs, reverse=bool(reverse)))
    xs = items_of(e, xs, node, frame)
    items = known_items(xs)
    keys = xs if key is None else defined(e, "mapped", [key, xs], node, frame)
    known = decisive(known_items(keys))
    if items is not None and known is not None:
        order = sorted(range(len(items)), key=known.__getitem__, reverse=bool(reverse))
        return ListValue([items[i] for i in order])
    permutation = order_of(e, keys, bool(reverse), node, frame)
    seal(tuple(items or ()), "a list in another order")  # which of them stands where is not known
    if items is None or len(items) > SHORT:
        return defined(e, "ordered", [e.sequence(xs, node, frame), permutation], node, frame)
    whole = e.sequence(xs, node, frame)
    return ListValue([opened(structure.item(whole, structure.item(permutation, i))) for i in range(len(items))])


def decisive(keys: list[Any] | None) -> list[Any] | None:
    """What of known keys decides about their order: numbers and texts, or as tuples begin where they all differ."""
    if keys is None or all(isinstance(k, (int, float, str)) for k in keys):
        return keys
    first = [k[0] if type(k) is tuple and k else None for k in keys]
    fine = all(isinstance(k, (int, float, str)) and k == k for k in first) and len(set(first)) == len(first)
    return first if fine else None


def order_of(e: Elaboration, keys: Any, reverse: bool, node: ast.AST, frame: Frame) -> Any:
    """The places of keys in their order: what references lead to says itself what is less."""
    if stored.holds_reference(keys) or say_what_is_less(keys):
        return e.sequence(defined(e, "order_by_less", [keys, reverse], node, frame), node, frame)
    found = e.sequence(keys, node, frame)
    return e.always(list_primitives.order, (found,), **({"reverse": True} if reverse else {}))


def say_what_is_less(keys: Any) -> bool:
    """Whether keys are objects of a class with an `__lt__` that is written in Python, and not made for its fields."""
    items = known_items(keys)
    of: list[Any] = items if items is not None else []
    if items is None and isinstance(keys, Var) and isinstance(keys.object, List):
        of = [keys.object.item]
    classes = [x.cls for x in of if isinstance(x, (RecordValue, Record)) and isinstance(x.cls, type)]
    return any(isinstance(class_attribute(cls, "__lt__"), types.FunctionType) and not generated(cls, "__lt__")
               for cls in classes)


def sort(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`xs.sort(key=, reverse=)`."""
    if args:
        raise mismatch("CC027", "`.sort` takes `key` and `reverse` by name", e.place(node, frame),
                       help="name them: key=..., reverse=...")
    if stored.is_reference(owner):
        new = in_order(e, "sort", stored.shown(e, owner), kwargs, node, frame)
        stored.set_item(e, owner, slice(None, None, None), new, node, frame)
        return
    if isinstance(owner, list_changes.Place):
        new = in_order(e, "sort", list_changes.current(e, owner), kwargs, node, frame)
        list_changes.store(e, owner, new, "cannot sort")
        return
    new = in_order(e, "sort", ListValue(list(owner.items)), kwargs, node, frame)
    change(e, owner, "sorting a list", node, frame)
    if isinstance(new, ListValue):
        owner.items = new.items
    else:
        length = len(owner.items)
        owner.items = [opened(structure.item(new, i)) for i in range(length)]


# -- the largest and the smallest --------------------------------------------------------------------------------------


def extreme(function: Any, keyed: str) -> Callable[..., Any]:
    """`max` or `min` with all their arguments."""

    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        missing: Any = object()
        key, default = taken(function.__name__, [], kwargs, "/ key default", e.place(node, frame),
                             key=None, default=missing)
        if not args:
            raise mismatch("CC027", f"`{function.__name__}` takes a sequence or several values", e.place(node, frame),
                           help="give values")
        items: Any = ListValue(list(args)) if len(args) > 1 else items_of(e, args[0], node, frame)
        known = known_items(items)
        if default is not missing:
            if known is not None:
                return default if not known else handler(e, [items], {"key": key}, node, frame)
            chosen = chooser(handler, key)
            return defined(e, "unless_empty", [items, chosen, default], node, frame)
        if known is None or not known:
            from ccc.compile.frontend import extremes

            defined(e, "refuse_empty", [items, extremes.of_nothing(function)], node, frame)
        if key is None and known is not None and len(known) == 1:
            return known[0]
        if key is None and known is not None and all(map(is_scalar, known)):
            found = folded(e, function, known, {})
            return found if found is not NotImplemented else plain(e, function, known, node, frame)
        if key is None and known is None and is_scalar_list(items):
            from ccc.compile.frontend import extremes

            return extremes.extreme(e, function, e.sequence(items, node, frame), node, frame)
        return defined(e, keyed, [items, prelude.identity if key is None else key], node, frame)

    return handler


def chooser(handler: Callable[..., Any], key: Any) -> Any:
    """A choice by a key as a function of the sequence."""
    def chosen(
        owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
    ) -> Any:
        return handler(e, args, {"key": key}, node, frame)

    records.COMPILED.add(chosen)
    return types.MethodType(chosen, ())


def plain(e: Elaboration, function: Any, items: list[Any], node: ast.AST, frame: Frame) -> Any:
    """`max(a, b, ...)` of numbers."""
    return adapted(e, registry.BUILTINS[function], items, {}, function.__name__, node, frame)


def is_scalar(value: Any) -> bool:
    """True for numbers, and for arrays that `max` and `min` refuse by themselves."""
    return isinstance(value, (int, float)) or scalar_object(value) or (
        isinstance(value, Var) and isinstance(value.object, Array))


def is_scalar_list(xs: Any) -> bool:
    """True for lists and arrays of numbers."""
    if not isinstance(xs, Var):
        return False
    a = xs.object
    return isinstance(a, Array) or (isinstance(a, List) and isinstance(a.item, (Real, Int, Bool)))


# -- sums ------------------------------------------------------------------------------------------------------------


def sum_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`sum(xs, start)`: additions from the left; of floats as Python's own `sum` where that compensates."""
    xs, start = taken("sum", args, kwargs, "iterable / start", e.place(node, frame), start=0)
    xs = drawn(xs)
    items = known_items(xs)
    from ccc.compile.frontend import comprehensions

    if comprehensions.COMPENSATED and sums_floats([start, *items] if items is not None else [start], xs):
        whole = e.sequence(sequence(e, xs, node, frame), node, frame)
        return e.always(folds.sum_, (whole, start))
    if items is None:
        return comprehensions.over_value(e, builtins.sum, xs, [start], {}, node, frame)
    result: Any = start
    for item in items:
        result = e.operate(ast.Add(), result, item, node, frame)
    return result


def sums_floats(known: list[Any], xs: Any) -> bool:
    """True for sums of numbers with a float of Python among them."""
    if isinstance(xs, RangeValue) or not all(isinstance(x, (int, float)) or scalar_object(x) for x in known):
        return False
    items = xs.object.item if isinstance(xs, Var) and isinstance(xs.object, List) else None
    if items is not None and not isinstance(items, (Real, Int, Bool)):
        return False
    kinds = [items.kind] if isinstance(items, Real) else []
    kinds += [x.object.kind for x in known if isinstance(x, Var) and isinstance(x.object, Real)]
    return any(k in ("float", "any") for k in kinds) or any(isinstance(x, float) for x in known)


def scalar_object(value: Any) -> bool:
    return isinstance(value, Var) and isinstance(value.object, (Real, Int, Bool))


# -- classes ---------------------------------------------------------------------------------------------------------


def type_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`type(value)`."""
    value = only_argument("type", args, kwargs, e.place(node, frame))
    if sums.is_sum(value) or told_by(value) is not None:
        return alternatives.type_of(e, value, node, frame)
    classes_at_run.refuse_made(e, value, node, frame)
    if classes_at_run.at_run(e, value, node, frame):
        return TypeValue(value)
    found = class_looked_at(e, value)
    if isinstance(value, Var) and isinstance(value.object, Real):
        found, *others = classes_of_number(value)
        if others and is_of_several(value):
            return TypeValue(value)
        found = None if others else found
    if found is None:
        raise mismatch("CC027", f"the type of {in_kinds(value)} is not known while compiling", e.place(node, frame),
                       help="write the class itself, or ask in the caller")
    return found


SEQUENCES: dict[Any, Callable[..., Any]] = {
    builtins.reversed: reversed_, builtins.sorted: sorted_,
    builtins.type: type_, builtins.sum: sum_, builtins.max: extreme(max, "greatest"),
    builtins.min: extreme(min, "least"),
}
