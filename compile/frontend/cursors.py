"""Iterators with a name: objects with `__next__`, those of the user's classes and those that stand for `iter(xs)`,
`zip(xs, ys)` and their like where one of these is kept, given to a function, or asked for one item after the other.

A `for` along one is the `while` that asks it for the next item. What takes all items (`list`, `sum`) takes what it has
left; what takes items in its turn (`zip`, `enumerate`, `map`) is another such object.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import types
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import closing, generators, interrupts, protocols, python_functions, records
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import Paths
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import (
    TAKEN,
    EndlessValue,
    EnumerateValue,
    IteratorValue,
    OnceValue,
    RangeValue,
    ZipValue,
    is_in_turn,
)
from ccc.compile.frontend.liveness import liveness
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.names import located, own_parts, read_names
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.parts import class_attribute, defined
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import class_behind, kind_of
from ccc.compile.frontend.source import outer_value, source_of
from ccc.compile.frontend.values import Frame, ListValue, OwnName, RecordValue
from ccc.compile.frontend.viewed_dicts import iterated_view
from ccc.compile.program.lam import Node, Var


def is_iterator(value: Any) -> bool:
    """True for an object with `__next__`."""
    return isinstance(value, (RecordValue, Node)) and defined(value, "__next__")


# -- what stands for an iterator of Python's ---------------------------------------------------------------------------


def as_object(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """The object that stands for an iterator, or the value itself: of an iterator that cannot be kept, as what it has
    read may change meanwhile, and of everything else."""
    if not isinstance(value, IteratorValue) or frame is None:
        return value
    if isinstance(value, generators.GeneratorValue) and (found := resumed(e, value, node, frame)) is not None:
        return found
    if is_in_turn(value):
        return value
    if isinstance(value, EndlessValue):
        return made_of(e, *value.kept, node, frame)
    if isinstance(value, OnceValue) and value.cls in (type(iter([])), *TAKEN) and not value.sources:
        return iterator_of(e, value.items, node, frame)
    parts = value.parts if isinstance(value, ZipValue) else (value.part,) if isinstance(value, EnumerateValue) else (
        value.sources[1:] if isinstance(value, OnceValue) and value.cls in (map, filter) else None)
    site = getattr(value, "site", None)
    raises = isinstance(value, OnceValue) and not isinstance(value, generators.GeneratorValue) and bool(
        value.raises or value.fails or value.effects)
    if parts is not None and not raises and all(stays(e, part) for part in parts):
        return in_turn(e, value, list(parts), node, frame)
    kept = (generators.KEPT, site)
    if not isinstance(value, generators.GeneratorValue) and site is not None and kept not in e.in_turn:
        raise interrupts.InTurn(kept, alone=True)
    if not isinstance(value, generators.GeneratorValue) or not all(map(generators.is_constant, value.sources)):
        return value
    from ccc.compile.frontend.iterated import read_in_turn, refuse_effects

    refuse_effects(e, read_in_turn(value), node, frame)
    return made_of(e, "Iterator", [e.call(list, [value], {}, node, frame)], node, frame)


def resumed(e: Elaboration, value: generators.GeneratorValue, node: ast.AST, frame: Frame) -> Any:
    """The object that asks a generator for one item after the other; None where it has to be read in another way."""
    from ccc.compile.frontend.iterated import read_in_turn
    from ccc.compile.frontend.resuming import resuming

    made = resuming(value.node)
    if value.acts and (made is None or not closing.is_closed(e, node, frame)):
        raise unsupported("CC004", "a generator that does something where it is dropped is kept", e.place(node, frame),
                          "what stands in its `finally` or behind its `with` runs when nothing leads to it any more",
                          help="write it where it is looped over, or make a list of what it yields: `list(...)`")
    if made is None:
        return None
    if value.called is not None and (generators.KEPT, value.called) not in e.in_turn:
        raise interrupts.InTurn((generators.KEPT, value.called), alone=True)
    read_in_turn(value)  # what was done while all items were collected is undone
    return value.run(made)


def from_the_beginning(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame,
    call: Callable[..., Any],
) -> Any:
    """An iterator of Python's library, kept from the beginning, as the object that it is; `NotImplemented` for others.
    `call` reads a definition as it reads what a user writes."""
    turns = of_python("turns")
    if not (isinstance(function, Hashable) and (function in LAZY or function in turns.INSTEAD)):
        return NotImplemented
    where, kwargs = python_functions.of(function).iterates, not_strict(kwargs)
    found = [begun(e, a, node, frame) for a in args[where]]
    args = [*args[:where.start or 0], *found, *args[len(args[:where.stop]):]]
    if function in LAZY and not kwargs:
        return LAZY[function](e, args, node, frame)

    def asked(definition: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return as_object(e, call(e, definition, args, kwargs, node, frame), node, frame)

    if function is itertools.chain and not kwargs:
        first = args or [begun(e, (), node, frame)]
        return functools.reduce(lambda rest, one: asked(turns.chained, [one, rest], {}), first[-2::-1], first[-1])
    return asked(turns.instead_of(function, len(args)), args, kwargs)


def not_strict(kwargs: dict[str, Any]) -> dict[str, Any]:
    """What `zip` is given by name, but that it may end with the shortest."""
    return {name: value for name, value in kwargs.items() if name != "strict" or value is not False}


def begun(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """`iter(value)` of what may change meanwhile."""
    if stored.is_container(value):
        return made_of(e, "Keys" if is_dict(value) else "Iterator", [value], node, frame)
    return iterator_of(e, protocols.iterated(e, value, node, frame), node, frame)


def in_turn(e: Elaboration, value: Any, parts: list[Any], node: ast.AST, frame: Frame) -> Any:
    """The object for `zip`, `enumerate`, `map` or `filter` of these."""
    if isinstance(value, EnumerateValue):
        return made_of(e, "Numbered", [iterator_of(e, parts[0], node, frame), value.start], node, frame)
    if isinstance(value, ZipValue):
        return zipped(e, parts, node, frame)
    name = "Mapped" if value.cls is map else "Kept"
    return made_of(e, name, [value.sources[0], zipped(e, parts, node, frame)], node, frame)


def stays(e: Elaboration, part: Any) -> bool:
    """True for what an iterator may read later: the thing itself, and not a copy of what stands in a store."""
    if isinstance(part, OnceValue):
        return part.cls is type(iter([])) and not part.sources and stays(e, part.items)
    if isinstance(part, (ZipValue, EnumerateValue)):
        return all(stays(e, inner) for inner in (part.parts if isinstance(part, ZipValue) else (part.part,)))
    return isinstance(part, (tuple, RangeValue, EndlessValue)) or is_iterator(part) or (
        e.stores is None and isinstance(part, (Var, ListValue)))


def as_arguments(e: Elaboration, node: ast.AST, frame: Frame | None) -> Callable[[Any], Any]:
    """How a function that does not read an iterator first is given one."""
    return lambda value: as_object(e, value, node, frame)


def iterator_of(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """`iter(value)` as an object."""
    if is_iterator(value):
        return value
    view = (value, "keys") if is_dict(value) else iterated_view(e, value)
    if view is not None:
        return made_of(e, view[1].capitalize(), [view[0]], node, frame)
    if isinstance(value, IteratorValue):
        return as_object(e, value, node, frame)
    if isinstance(value, RangeValue):
        value = e.call(list, [value], {}, node, frame)
    return made_of(e, "Iterator", [value], node, frame)


def is_dict(value: Any) -> bool:
    """True for a dict, in a store too."""
    return (isinstance(value, RecordValue) and value.cls is dict) or kind_of(value) in (StoredAs.DICT, StoredAs.RECORD)


def made_of(e: Elaboration, name: str, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    """An object of one of the classes for such iterators."""
    return e.call(getattr(of_python("iterators"), name), args, {}, node, frame)


# -- what is made of one -----------------------------------------------------------------------------------------------


def given(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> tuple[list[Any], Any]:
    """The arguments of a builtin that iterates, and the iterator that it makes of iterators among them."""
    facts = python_functions.of(function)
    if facts.again and frame is not None:
        args = given_again(e, args, facts, node, frame)
        if not facts.iterating:
            return args, NotImplemented
    if frame is None or not any(map(is_iterator, args)) or not (
            getattr(function, "__module__", None) == itertools.__name__ or facts.iterating):
        return args, NotImplemented
    where = range(len(args))[facts.places(len(args))]
    if facts.takes == "all" and where:
        found = [rest(e, a, node, frame) if i in where and is_iterator(a) else a for i, a in enumerate(args)]
        return found, NotImplemented
    if function is builtins.enumerate:
        args, kwargs = [*args, *[kwargs[name] for name in ("iterable", "start") if name in kwargs]], {}
    if function in LAZY and not not_strict(kwargs):
        return args, LAZY[function](e, args, node, frame)
    if facts.takes == "some":
        return args, NotImplemented
    if isinstance(function, Hashable) and function in of_python("turns").INSTEAD:
        from ccc.compile.frontend.asked import again_as_object

        raise again_as_object(e, node, frame)
    raise unsupported("CC003", f"`{getattr(function, '__name__', 'this')}` of an iterator that has a name",
                      e.place(node, frame), "it takes some of the items, and leaves the others",
                      help="make a list first, `list(...)`, or write the loop out")


def given_again(
    e: Elaboration, args: list[Any], facts: python_functions.Facts, node: ast.AST, frame: Frame
) -> list[Any]:
    """The arguments of what gives items again: iterators among these are objects, which know how far they are."""
    if not facts.iterating:
        return [as_object(e, a, node, frame) for a in args]
    where = range(len(args))[facts.places(len(args))]
    return [e.call(list, [a], {}, node, frame) if i in where and not is_in_turn(a) and any(
        isinstance(item, IteratorValue) for item in known_items(a) or ()) else a for i, a in enumerate(args)]


def rest(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """All that an iterator has left, as a list."""
    if class_behind(value.cls) is of_python("iterators").Groups:
        raise unsupported("CC003", "what `groupby` gives is taken as a whole", e.place(node, frame),
                          "a group is empty when the next one is taken",
                          help="loop over it: `[(key, list(group)) for key, group in groupby(...)]`")
    if defined(value, "__ccc_rest__"):
        return records.special(e, value, "__ccc_rest__", [], {}, node, frame)
    return e.call(of_python("iterators").rest_of, [value], {}, node, frame)


def whole(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """What is taken of a value as a whole, each item in its turn: of an iterator all that it has left."""
    if isinstance(value, IteratorValue):
        from ccc.compile.frontend.iterated import take_turns

        take_turns(e, [value], node, frame, False)
        return e.call(list, [value], {}, node, frame) if is_in_turn(value) else value
    return e.handlers.iterated(e, rest(e, value, node, frame), node, frame) if is_iterator(value) else value


def is_known(over: Any) -> bool:
    """True for an iterator of what is known item by item that is at a known place."""
    return isinstance(over, RecordValue) and over.cls is of_python("iterators").Iterator and (
        known_items(over.fields["items"]) is not None and type(over.fields["at"]) is int)


def zipped(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    """`zip` of iterators, each asked in its turn."""
    found = made_of(e, "Alone", [iterator_of(e, args[0], node, frame)], node, frame)
    for a in args[1:]:
        found = made_of(e, "Beside", [found, iterator_of(e, a, node, frame)], node, frame)
    return found


def numbered(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    return made_of(e, "Numbered", [args[0], args[1] if len(args) > 1 else 0], node, frame)


def behind_function(name: str) -> Callable[..., Any]:
    """An iterator of a function and iterators."""

    def run(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame) -> Any:
        return made_of(e, name, [args[0], zipped(e, args[1:], node, frame)], node, frame)

    return run


def cut(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    return made_of(e, "First" if len(args) == 2 else "Part", args, node, frame)


LAZY: dict[Any, Callable[..., Any]] = {
    builtins.zip: zipped, builtins.enumerate: numbered, builtins.map: behind_function("Mapped"),
    builtins.filter: behind_function("Kept"), itertools.islice: cut,
    itertools.takewhile: behind_function("TakenWhile"), builtins.iter: lambda e, args, node, frame: args[0],
}


def next_of(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    """`next(iterator)` and `next(iterator, default)`."""
    if len(args) == 2:
        return e.call(of_python("iterators").next_or, args, {}, node, frame)
    return records.special(e, args[0], "__next__", [], {}, node, frame)


# -- loops -------------------------------------------------------------------------------------------------------------

ALONG, ENDED, ITEM = "what is iterated", "the loop has ended", "the next item"


@lru_cache(maxsize=1024)
def steps(node: ast.For, way: str) -> ast.While:
    """The loop that asks an iterator for its items; one that is `asked` says whether it has more, and an `endless` one
    always has."""
    following = ast.Call(ast.Attribute(ast.Name(along_of(node), ast.Load()), "__next__", ast.Load()), [], [])
    test: ast.expr = ast.Constant(True)
    take: list[ast.stmt] = [ast.Assign([node.target], following)]
    if way == "asked":
        test = ast.Call(ast.Attribute(ast.Name(along_of(node), ast.Load()), "__ccc_more__", ast.Load()), [], [])
    elif way == "trying":
        stop: Any = StopIteration
        ending: list[ast.stmt] = [ast.Assign([ast.Name(named(ENDED, node), ast.Store())], ast.Constant(True))]
        handler = ast.ExceptHandler(ast.Constant(stop), None, [*(ending if node.orelse else []), ast.Break()])
        item = named(ITEM, node)
        take = [ast.Try([ast.Assign([ast.Name(item, ast.Store())], following)], [handler], [], []),
                ast.Assign([node.target], ast.Name(item, ast.Load()))]
    again = getattr(node, "goes_on", None)
    if again is not None:
        name, marks = again
        runs, *enters = [ast.Compare(ast.Name(name, ast.Load()), [ast.Eq()], [ast.Constant(k)]) for k in (0, *marks)]
        take = [ast.If(runs, take, [])]
        test = test if way != "asked" else ast.BoolOp(ast.Or(), [*enters, test])
    made = ast.While(test, [*take, *node.body], node.orelse if way == "asked" else [])
    for part in ast.walk(made):
        if isinstance(part, (ast.expr, ast.stmt, ast.ExceptHandler)) and not hasattr(part, "lineno"):
            ast.copy_location(part, node.iter)
            part.stands_for = node  # type: ignore[attr-defined]
    return made


@lru_cache(maxsize=1024)
def orelse(node: ast.For, ended: OwnName) -> list[ast.stmt]:
    """What follows where the iterator has ended."""
    made = located(ast.If(ast.Name(ended, ast.Load()), node.orelse, []), node)
    made.stands_for = node
    return [made]


def way_along(over: Any) -> str:
    """How the end of an iterator is found: one whose `__next__` neither raises nor runs what may has none."""
    if defined(over, "__ccc_more__"):
        return "asked"
    cls = class_behind(over.cls)
    method = class_attribute(cls, "__next__")
    if not isinstance(method, types.FunctionType):
        return "trying"
    parts = own_parts(source_of(method).node)
    stays = all(not isinstance(part, ast.Raise) and runs_nothing(part, method, cls) for part in parts)
    return "endless" if stays else "trying"


def runs_nothing(part: ast.AST, method: types.FunctionType, cls: type) -> bool:
    """Whether a part of a method neither calls functions of the user's nor reads what a descriptor gives."""
    if isinstance(part, ast.Call):
        return python_functions.of(outer_value(part.func, method)).of_numbers
    if not isinstance(part, ast.Attribute) or not isinstance(part.ctx, ast.Load):
        return True
    if isinstance(outer_value(part.value, method), types.ModuleType):
        return True
    of_self = isinstance(part.value, ast.Name) and method.__code__.co_varnames[:1] == (part.value.id,)
    return of_self and not hasattr(class_attribute(cls, part.attr), "__get__")


def named(name: str, node: ast.For) -> OwnName:
    """A name of this loop alone: the loops of a comprehension stand at one place, with targets of their own."""
    return OwnName(f"{name} {node.target.lineno} {node.target.col_offset}")


def along_of(node: ast.For) -> OwnName:
    return named(ALONG, node)


def loop(e: Elaboration, node: ast.For, over: Any, frame: Frame) -> Paths:
    """The ends of a loop along an iterator."""
    way = way_along(over)
    names: dict[str, Any] = {along_of(node): over}
    ended = named(ENDED, node)
    if way == "trying" and node.orelse:
        names[ended] = False
    frame.local |= {*names, named(ITEM, node)}
    frame.env.update(names)
    made = steps(node, way)
    if frame.node is not None:
        live = liveness(frame.node)
        for part in [inner for inner in ast.walk(made) if getattr(inner, "stands_for", None) is node]:
            part.rest = live.within(node) | live.behind(node) | read_names(made)  # type: ignore[attr-defined]
    ends = e.ends_of([made, *(orelse(node, ended) if ended in names else [])], frame)
    for env in (frame.env, ends.env, *ends.extras.values()):
        for name in (*names, named(ITEM, node)):
            env.pop(name, None)
    return ends


__all__ = ["as_arguments", "as_object", "given", "is_iterator", "loop", "made_of", "next_of", "whole"]
