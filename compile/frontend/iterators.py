"""`itertools`, `map`, `filter`, `zip` and `enumerate`: what can be iterated once, where it stands.

Endless iterators (`count`, `repeat`, `cycle`) are as long as what they are zipped with or cut to.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import operator
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import alternatives, cursors, handing
from ccc.compile.frontend.asked import again_as_object, have_turn, matter
from ccc.compile.frontend.atoms import endless
from ccc.compile.frontend.attempts import NO_TURNS, TURNS
from ccc.compile.frontend.definitions import defined, sequence
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.generators import fails, if_collected, raising, shows, site_of
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import (
    CALLS,
    EndlessValue,
    EnumerateValue,
    IteratorValue,
    OnceValue,
    RangeValue,
    TransposedValue,
    ZipValue,
    is_in_turn,
)
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.parameters import taken
from ccc.compile.frontend.sequences import items_of
from ccc.compile.frontend.values import Frame, ListValue, is_function
from ccc.compile.program.lam import Var
from ccc.objects import Array, Bool, Int, Real
from ccc.primitives import arithmetic, indexing, lists, structure


def once(
    cls: type, names: str, run: Callable[..., Any], **defaults: Any
) -> tuple[type, Callable[[Elaboration, list[Any], dict[str, Any], ast.AST, Frame], Any]]:
    """A class of iterators, and what gives the items of one: `run(e, node, frame, *arguments)`."""

    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        given = taken(cls.__name__, args, kwargs, names, e.place(node, frame), **defaults)
        return OnceValue(cls, run(e, node, frame, *given))

    return cls, handler


# -- zip and enumerate -----------------------------------------------------------------------------------------------


def zip_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`zip(xs, ys, ..., strict=)`."""
    if set(kwargs) - {"strict"}:
        raise mismatch("CC027", f"`zip` has no parameter `{next(iter(kwargs))}`", e.place(node, frame),
                       help="leave it out")
    strict = kwargs.get("strict", False)
    if type(strict) is not bool:
        raise unsupported("CC003", "`zip` needs a `strict` that is known", e.place(node, frame),
                          help="write True or False")
    if strict and len(args) > 1 and any(isinstance(a, EndlessValue) for a in args):
        raise mismatch("CC027", "an endless iterator in a strict `zip`", e.place(node, frame),
                       help="leave out `strict`")
    if args and isinstance(args[-1], TransposedValue):
        return OnceValue(zip, args[-1].columns)
    args = as_long_as_the_others(e, [iterable(e, a, node, frame) for a in args], node, frame)
    if strict and len(args) > 1:
        refuse_late(e, args, node, frame)
        args = [sequence(e, a, node, frame) for a in args]
        defined(e, "equal_lengths", args, node, frame)
    return ZipValue(tuple(args), site_of(node, frame)) if args else OnceValue(zip, ())


def refuse_late(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame) -> None:
    """Refuse the strict `zip` of a `for` whose error is caught: the lengths are compared before the first turn, and
    plain Python compares them behind the last."""
    items = list(map(known_items, args))
    known = [len(found) for found in items if found is not None]
    if hasattr(node, "of_loop") and e.attempts.catches(ValueError) and (
            len(known) < len(items) or len(set(known)) > 1):
        raise unsupported("CC003", "a loop along a strict `zip` in a `try` that catches its ValueError",
                          e.place(node, frame),
                          help="leave out `strict`, and raise a ValueError behind the loop where the lengths differ")


def iterable(e: Elaboration, xs: Any, node: ast.AST, frame: Frame) -> Any:
    """What an iterator is made of, which Python refuses at once where it is a number, a function or None."""
    if alternatives.is_uncertain(e, xs):
        return alternatives.able(e, xs, alternatives.not_iterable, node, frame)
    of = xs.object if isinstance(xs, Var) else None
    known = of is None and (xs is None or isinstance(xs, (int, float)) or is_function(xs))
    if known or isinstance(of, (Real, Int, Bool)):
        e.attempts.lacks(xs, NO_TURNS, *TURNS)
        raise mismatch("CC027", "this cannot be iterated", e.place(node, frame), f"it is {described(xs)}",
                       help="give a range, an array, a list or a tuple")
    return xs


def as_long_as_the_others(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame) -> list[Any]:
    """What is zipped, with endless iterators cut to the shortest of the others."""
    if not any(isinstance(a, EndlessValue) for a in args):
        return args
    args = [a if isinstance(a, EndlessValue) else items_of(e, a, node, frame) for a in args]
    lengths = [length_of(e, a, node, frame) for a in args if not isinstance(a, EndlessValue)]
    if not lengths:
        raise endless(e, node, frame)
    known = [n for n in lengths if isinstance(n, int)]
    shortest = min(known) if len(known) == len(lengths) else lengths[0] if len(lengths) == 1 else (
        arithmetic.smallest(*lengths))
    return [a.first(shortest) if isinstance(a, EndlessValue) else a for a in args]


def length_of(e: Elaboration, xs: Any, node: ast.AST, frame: Frame) -> Any:
    items = known_items(xs)
    return len(items) if items is not None else structure.length(e.sequence(xs, node, frame))


def map_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`map(function, xs, ...)`, computed where it stands."""
    if kwargs or len(args) < 2:
        raise mismatch("CC027", "`map` takes a function and sequences", e.place(node, frame),
                       help="give a function and sequences")
    function, *columns = args
    if isinstance(columns[0], TransposedValue):
        raise unsupported("CC003", "`map` of rows whose number is not known", e.place(node, frame),
                          help="loop over `zip(*rows)`: `[f(*column) for column in zip(*rows)]`")
    columns = [items_of(e, xs, node, frame) for xs in as_long_as_the_others(e, columns, node, frame)]
    name = "mapped" if len(columns) == 1 else "mapped_with"
    return OnceValue(map, defined(e, name, [function, *columns], node, frame))


def filter_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`filter(function, xs)`."""
    function, xs = taken("filter", args, kwargs, "function iterable /", e.place(node, frame))
    function = bool if function is None else function
    return OnceValue(filter, defined(e, "kept", [function, items_of(e, xs, node, frame)], node, frame))


def enumerate_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`enumerate(xs, start)`."""
    xs, start = taken("enumerate", args, kwargs, "/ iterable start", e.place(node, frame), start=0)
    return EnumerateValue(iterable(e, xs, node, frame), start, site_of(node, frame))


def zip_longest(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.zip_longest(xs, ys, ..., fillvalue=)`."""
    columns = [items_of(e, a, node, frame) for a in args]
    items, fill = [known_items(xs) for xs in columns], kwargs.get("fillvalue")
    if all(found is not None for found in items):
        rows = itertools.zip_longest(*[found for found in items if found is not None], fillvalue=fill)
        return OnceValue(itertools.zip_longest, tuple(rows))
    most = defined(e, "longest", columns, node, frame)
    return ZipValue(tuple([defined(e, "padded", [xs, most, fill], node, frame) for xs in columns]))


# -- itertools -------------------------------------------------------------------------------------------------------


def known(e: Elaboration, name: str, xs: Any, node: ast.AST, frame: Frame) -> list[Any]:
    """The items of what must be known one by one."""
    if isinstance(xs, RangeValue) and all(type(b) is int for b in xs.bounds):
        return list(range(*xs.bounds))
    items = known_items(xs)
    if items is None:
        raise unsupported("CC003", f"`{name}` needs items that are known one by one", e.place(node, frame),
                          f"this is {described(xs)}", help="write the loops out")
    return items


def new_list(e: Elaboration, xs: Any, node: ast.AST, frame: Frame) -> Any:
    """A list of its own of what is iterated."""
    found = items_of(e, xs, node, frame)
    from ccc.compile.frontend.comprehensions import copied

    return copied(e, found, node, frame)


def accumulate(e: Elaboration, node: ast.AST, frame: Frame, xs: Any, function: Any, initial: Any) -> Any:
    function = operator.add if function is None else function
    items = new_list(e, xs, node, frame)
    if initial is None:
        return defined(e, "accumulated", [items, function], node, frame)
    return defined(e, "accumulated_from", [items, function, initial], node, frame)


def chain(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.chain(xs, ys, ...)`."""
    if kwargs:
        raise mismatch("CC027", "`chain` takes sequences alone", e.place(node, frame), help="leave out the keywords")
    return OnceValue(itertools.chain, chained(e, args, node, frame))


def chained(e: Elaboration, parts: list[Any], node: ast.AST, frame: Frame) -> Any:
    columns = [items_of(e, xs, node, frame) for xs in parts]
    items = [known_items(xs) for xs in columns]
    if all(found is not None for found in items):
        return ListValue([x for found in items if found is not None for x in found])
    whole: Any = None
    for xs in columns:
        if known_items(xs) == []:
            continue
        more = new_list(e, xs, node, frame)
        more = e.sequence(more, node, frame)
        whole = more if whole is None else e.always(lists.concat, (whole, more))
    return whole


def chain_from(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.chain.from_iterable(rows)`."""
    (rows,) = taken("chain.from_iterable", args, kwargs, "iterable /", e.place(node, frame))
    found = known_items(items_of(e, rows, node, frame))
    if any(map(cursors.is_iterator, found or ())):
        raise again_as_object(e, node, frame)
    if found is not None:
        return OnceValue(itertools.chain, chained(e, found, node, frame))
    return OnceValue(itertools.chain, defined(e, "chained_rows", [sequence(e, rows, node, frame)], node, frame))


def pairwise(e: Elaboration, node: ast.AST, frame: Frame, xs: Any) -> Any:
    found = items_of(e, xs, node, frame)
    return ZipValue((found, cut(e, found, 1, None, None, node, frame)))


def cut(e: Elaboration, xs: Any, start: Any, stop: Any, step: Any, node: ast.AST, frame: Frame) -> Any:
    """`xs[start:stop:step]` of a sequence."""
    items = known_items(xs)
    bounds = (start, stop, step)
    if items is not None and all(b is None or type(b) is int for b in bounds):
        return ListValue(items[slice(*bounds)])
    given = [b for b in bounds if b is not None]
    places = "".join([str(i + 1) for i, b in enumerate(bounds) if b is not None])
    if isinstance(xs, Var) and isinstance(xs.object, Array):
        return indexing.index(xs, *given, pattern=("s" + places,))
    return e.always(lists.sliced, (e.sequence(xs, node, frame), *given), places=places)


def islice(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.islice(xs, stop)` and `islice(xs, start, stop, step)`."""
    if kwargs or not 2 <= len(args) <= 4:
        raise mismatch("CC027", "`islice` takes a sequence and one to three integers", e.place(node, frame),
                       help="give a sequence and one to three integers")
    xs, *bounds = args
    start, stop, step = (None, bounds[0], None) if len(bounds) == 1 else (*bounds, None)[:3]
    if any(type(b) is int and b < 0 for b in (start, stop, step)):
        raise mismatch("CC027", "ValueError: the bounds of islice() must not be negative", e.place(node, frame),
                       help="give bounds from 0 on")
    if isinstance(xs, EndlessValue):
        if stop is None:
            raise endless(e, node, frame)
        xs = xs.first(stop)
    return OnceValue(itertools.islice, cut(e, items_of(e, xs, node, frame), start, stop, step, node, frame))


def repeat(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.repeat(value, times)`."""
    value, times = taken("repeat", args, kwargs, "/ object times", e.place(node, frame), times=None)

    def first(n: Any) -> Any:
        return ListValue([value] * n) if type(n) is int else defined(e, "repeated", [value, n], node, frame)

    return EndlessValue(first, ("Repeating", [value])) if times is None else OnceValue(itertools.repeat, first(times))


def count(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.count(start, step)` of integers, which other numbers would round differently."""
    start, step = taken("count", args, kwargs, "/ start step", e.place(node, frame), start=0, step=1)
    if type(start) is not int or type(step) is not int:
        raise unsupported("CC003", "`count` needs integers that are known", e.place(node, frame),
                          help="compute the numbers from an index")
    kept = "Counting", [start, step]

    def first(n: Any) -> Any:
        if type(n) is int:
            return ListValue([start + i * step for i in range(n)])
        return defined(e, "counted", [start, step, n], node, frame)

    return EndlessValue(first, kept, RangeValue((start, start + step * LONG, step)) if step > 0 else None)


LONG = 2**48
"""More runs than any loop has."""


def groupby(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.groupby(xs, key)`: each group is an iterator."""
    xs, key = taken("groupby", args, kwargs, "/ iterable key", e.place(node, frame), key=None)
    found = new_list(e, xs, node, frame)
    items = known_items(found)
    keys = found if key is None else defined(e, "mapped", [key, found], node, frame)
    known_keys = known_items(keys)
    if items is None or known_keys is None or not all(isinstance(k, (int, float, str)) for k in known_keys):
        return cursors.made_of(e, "Groups", [keys, found], node, frame)
    groups = itertools.groupby(zip(known_keys, items, strict=True), lambda pair: pair[0])
    return OnceValue(itertools.groupby, tuple([
        (k, OnceValue(type(iter([])), ListValue([x for _, x in group]))) for k, group in groups]))


IN_BATCHES = getattr(itertools, "batched", None)
"""`itertools.batched`, where the running Python has it."""


def batched(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.batched(xs, n)`, whose batches are lists where the number of items is not known."""
    xs, n = taken("batched", args, kwargs, "/ iterable n", e.place(node, frame))
    found = new_list(e, xs, node, frame)
    items = known_items(found)
    if items is not None and type(n) is int and n > 0:
        return tuple([tuple(items[i:i + n]) for i in range(0, len(items), n)])
    return defined(e, "in_batches", [found, n], node, frame)


def cycle(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.cycle(xs)`."""
    (xs,) = taken("cycle", args, kwargs, "iterable /", e.place(node, frame))
    if matter(xs):
        raise again_as_object(e, node, frame)
    found = new_list(e, xs, node, frame)
    items = known_items(found)

    def first(n: Any) -> Any:
        if type(n) is int and items is not None:
            return ListValue(list(itertools.islice(itertools.cycle(items), n)))
        return defined(e, "cycled", [found, n], node, frame)

    return EndlessValue(first, ("Cycling", [found]))


def through(name: str, lists_second: bool = True) -> Callable[..., Any]:
    """A function and a sequence, by a definition of the prelude."""

    def run(e: Elaboration, node: ast.AST, frame: Frame, function: Any, xs: Any) -> Any:
        first = function if lists_second else items_of(e, function, node, frame)
        return defined(e, name, [first, items_of(e, xs, node, frame)], node, frame)

    return run


def iter_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`iter(xs)`, to be iterated where it stands, and `iter(function, last)`."""
    if len(args) == 2 and not kwargs:
        return cursors.made_of(e, "Called", args, node, frame)
    if len(args) != 1 or kwargs:
        raise mismatch("CC027", "`iter` takes a sequence, or a function and a last value", e.place(node, frame),
                       help="give a sequence")
    xs = iterable(e, args[0], node, frame)
    return xs if isinstance(xs, IteratorValue) else OnceValue(type(iter([])), xs)


def tee(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`itertools.tee(xs, n)`: iterators of what `xs` has left, each at a place of its own."""
    count = args[1] if len(args) == 2 else 2
    if kwargs or not 1 <= len(args) <= 2 or type(count) is not int or count < 0:
        raise mismatch("CC027", "`itertools.tee` takes an iterable, and how many iterators it gives",
                       e.place(node, frame), help="give an iterable and a number that is known")
    if matter(args[0]):
        raise again_as_object(e, node, frame)
    items = e.call(list, [args[0]], {}, node, frame)
    return tuple([OnceValue(type(iter([])), items) for _ in range(count)])


def next_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`next(iterator)` and `next(iterator, default)`: of an iterator that stands here its first item."""
    if args and len(args) <= 2 and not kwargs and cursors.is_iterator(args[0]):
        return cursors.next_of(e, args, node, frame)
    if not args or len(args) > 2 or kwargs or not isinstance(args[0], IteratorValue):
        raise mismatch("CC027", f"`next` needs an iterator, and {described(args[0]) if args else 'nothing'} is none",
                       e.place(node, frame), help="make one: `iter(...)`")
    from ccc.compile.frontend.iterated import read_in_turn, refuse_effects

    if is_in_turn(read_in_turn(args[0])):
        from ccc.compile.frontend import comprehensions

        return comprehensions.over_value(e, builtins.next, args[0], args[1:], {}, node, frame)
    refuse_effects(e, args[0], node, frame)
    xs = args[0].first(1) if isinstance(args[0], EndlessValue) else items_of(e, args[0], node, frame)
    items = known_items(xs)
    if items:
        return items[0]
    if items is not None and len(args) == 2:
        return args[1]
    name = "first_of" if len(args) == 1 else "first_or"
    return defined(e, name, [sequence(e, xs, node, frame), *args[1:]], node, frame)


def reading(handler: Callable[..., Any], function: Any = None) -> Callable[..., Any]:
    """An iterator that reads its arguments while it is iterated; `function` names one that can be read in turn."""

    def run(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        site = None if function is None else site_of(node, frame)
        if site is not None and site in e.in_turn:
            return taken_in_turn(e, function, args, kwargs, node, frame)
        lets = e.recorder.block.lets
        start = len(lets)
        found, changed = e.heap.noting(lambda: if_collected(lambda: handler(e, args, kwargs, node, frame), site))
        own = changed or shows(lets[start:])
        if not isinstance(found, OnceValue):
            if own or any(map(matter, args)):
                raise again_as_object(e, node, frame)
            return found
        asked = [x for xs in args for x in handing.held(xs)]
        found.sources, found.site = tuple(asked), site
        found.effects = CALLS if own or any(map(have_turn, asked)) else ""
        found.raises, found.fails = raising(lets[start:]), fails(lets[start:])
        if any(matter(xs, own) for xs in asked) or (function is None and found.effects):
            raise again_as_object(e, node, frame)
        return found

    return run


def taken_in_turn(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """`map`, `filter` and their like as the generators that they are."""
    from ccc.compile.frontend.iterated import read_in_turn

    turns = of_python("turns")
    args = [read_in_turn(a) if isinstance(a, IteratorValue) else a for a in args]
    if function is builtins.map and len(args) > 2:
        rows = e.call(builtins.zip, args[1:], {}, node, frame)
        return e.call(turns.mapped_with, [args[0], rows], kwargs, node, frame)
    return e.call(turns.instead_of(function, len(args)), args, kwargs, node, frame)


ITERATORS: dict[Any, Callable[..., Any]] = {
    builtins.map: reading(map_, builtins.map), builtins.filter: reading(filter_, builtins.filter),
    builtins.zip: zip_, builtins.enumerate: enumerate_,
    builtins.iter: iter_, builtins.next: next_,
    itertools.chain: reading(chain, itertools.chain),
    itertools.chain.from_iterable: reading(chain_from, itertools.chain.from_iterable),
    itertools.islice: reading(islice, itertools.islice), itertools.repeat: repeat, itertools.count: count,
    itertools.cycle: cycle, itertools.zip_longest: reading(zip_longest),
    itertools.groupby: reading(groupby),
    itertools.tee: tee,
} | {cls: reading(handler, cls) for cls, handler in [
    once(itertools.accumulate, "/ iterable func initial", accumulate, func=None, initial=None),
    once(itertools.pairwise, "iterable /", pairwise),
    once(itertools.starmap, "function iterable /", through("mapped_rows")),
    once(itertools.filterfalse, "function iterable /", through("dropped")),
    once(itertools.takewhile, "predicate iterable /", through("taken_while")),
    once(itertools.dropwhile, "predicate iterable /", through("dropped_while")),
    once(itertools.compress, "/ data selectors", through("compressed", lists_second=False)),
]} | ({IN_BATCHES: reading(batched)} if IN_BATCHES else {})
