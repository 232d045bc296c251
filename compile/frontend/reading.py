"""How the ints of a call are read: as floats where the function does not need integers, outside and inside programs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import reals, shown_integers, truncations
from ccc.compile.frontend.elaborate import Elaborated, elaborate
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.integers import (
    Reading,
    holds_integers,
    is_leaf,
    mixes,
    moving,
    readable,
    reader_of,
    settled as settled_integers,
    with_reals,
)
from ccc.compile.frontend.parts import mapped, parts_in
from ccc.compile.frontend.values import Frame
from ccc.compile.program.lam import Node, Program, Var, dispose
from ccc.compile.terms.wanted import Part
from ccc.errors import DirectionMismatch
from ccc.objects import INT, REAL, UNIT, Array, Int, Map, Object, Real
from ccc.objects_of_values import object_of
from ccc.primitives import arithmetic
from ccc.records import like, parts_of
from ccc.recursive_classes import group_of


class Programs(Protocol):
    """Who reads the programs of functions, and what becomes of those that are looked at."""

    def read(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Elaborated: ...
    def done(self, elaborated: Elaborated) -> None: ...


class Fresh:
    """Each program is read anew."""

    def read(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Elaborated:
        return elaborate(function, args, kwargs, writes=True, settles=True)

    def done(self, elaborated: Elaborated) -> None:
        dispose(elaborated.program)


FRESH = Fresh()


def among_reals(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], programs: Programs = FRESH
) -> tuple[Reading | None, Elaborated | None]:
    """How a function that is not differentiated reads ints that stand among the reals of lists: as floats where it has
    derivatives inside; and its program where that is known."""
    values = [*args, *kwargs.values()]
    mixed = [mixes(x, object_of(x)) for x in values]
    if not any(mixed):
        return None, None
    found = programs.read(function, args, kwargs)
    readers = [reader_of(tree, {}, mix) for mix, (_, tree) in zip(mixed, found.program.params, strict=False)]
    return (Reading(readers) if found.differentiates else None), found


def read_by(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], wanted: Sequence[Part], programs: Programs = FRESH
) -> tuple[Reading | None, Elaborated | None]:
    """How a function reads the ints in these parts of arguments, and its program for that where it is known."""
    values, positions = [*args, *kwargs.values()], {i for i, _ in wanted}
    objects = [object_of(x) if i in positions else UNIT for i, x in enumerate(values)]
    mixed = [mixes(x, a) for x, a in zip(values, objects, strict=True)]
    if not any(mixed) and not any(map(holds_integers, objects)):
        return None, None
    try:
        whole = programs.read(function, args, kwargs)
    except CompileError:  # whatever else floats would be refused for, or raise and catch, is another program
        return None, None
    params = whole.program.params

    def at(places: Any) -> Reading:
        return Reading([reader_of(tree, places, mixed[i]) if i in positions else None
                        for i, (_, tree) in enumerate(params[: len(values)])])

    def attempt(places: Any) -> Elaborated | None:
        found = programs.read(function, *at(places)(args, kwargs))
        return found if truncations.is_same(found.program, whole.program) else None

    places, found = settled_integers(*readable(whole.program, whole.looked_at, wanted), attempt)
    reading = at(places)
    if not any(reading.readers):
        return None, whole
    if found is not None:
        found.of_integers = whole.writes
        if shown_integers.show_integers(found.program, whole.program):
            found.key, found.shows_integers = None, True  # the program is no longer one for floats
    programs.done(whole)
    return reading, found


def as_float(x: Any) -> Any:
    if isinstance(x, Var) and isinstance(x.object, Int):
        return arithmetic.to_float(x)
    if type(x) is int:
        return float(x)
    parts = None if isinstance(x, (Node, Var)) or group_of(type(x)) is not None else parts_of(x)
    return x if parts is None else like(x, list(map(as_float, parts)))


def refusing(path: str, a: Object = INT) -> Callable[[Any], None]:
    """A function that raises where a tangent of what has no derivative is not zero."""
    text = moving(path, a).diagnostics[0].message

    def check(d: Any) -> None:
        if np.any(d != 0):
            raise DirectionMismatch(text)

    return check


def at_rest(e: Elaboration, before: Any, x: Any, d: Any, path: str, node: ast.AST, frame: Frame | None) -> Any:
    """A tangent in a program, with zeros for None where an integer is read as a real; refused where it is not zero and
    the integer is needed."""
    parts, ds = parts_in(x), parts_in(d)
    if parts is not None and ds is not None and len(parts) == len(ds):
        was, inner = iter(parts_in(before) or parts), iter(parts)
        return mapped(d, lambda name, part: at_rest(
            e, next(was), next(inner), part, f"{path}[{name!r}]", node, frame))
    a = object_of(x) if isinstance(x, int) else x.object if isinstance(x, Var) else UNIT
    if is_leaf(a):
        if type(d) in (int, float) and d != 0:
            raise moving(path, a)
        if isinstance(d, Var) and isinstance(d.object, (Real, Int, Array)):
            e.call(refusing(path, a), [d], {}, node, frame)
        return d
    integer = (isinstance(before, Var) and before.object == INT) or type(before) is int
    return 0.0 if d is None and integer else d


def integers_in(value: Any) -> list[Any]:
    """The leaves of a value of a program that are or hold integers."""
    parts = parts_in(value)
    if parts is not None:
        return [leaf for part in parts for leaf in integers_in(part)]
    if isinstance(value, Var):
        return [value] if holds_integers(value.object) and not isinstance(value.object, Map) else []
    return [value] if type(value) is int else []


def read_inside(
    e: Elaboration, args: Sequence[Any], kwargs: dict[str, Any], wanted: Sequence[Part],
    program_at: Callable[[tuple[Any, ...], dict[str, Any]], tuple[Program, Sequence[Any]]],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a derivative inside a program, with reals for those integers among the differentiated ones that
    the function does not need. `program_at` gives its program at arguments, and what that has looked at; where any are
    integers, it has been asked at those that are given."""
    values, count, positions = [*args, *kwargs.values()], len(args), dict.fromkeys([i for i, _ in wanted])
    if not any(integers_in(values[i]) for i in positions):
        return tuple(args), kwargs

    def given(values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return tuple(values[:count]), dict(zip(kwargs, values[count:], strict=True))

    def read(value: Any, tree: Any, places: Any) -> Any:
        parts = parts_in(value)
        if parts is not None:
            pairs = iter(tree if isinstance(tree, tuple) else ())
            return mapped(value, lambda _, part: read(part, next(pairs, None), places))
        if tree not in places:
            return value
        return reals.fitted(value, REAL) if type(value) is int else reals.converted(
            e, value, with_reals(value.object, places[tree]))

    def at(places: Any) -> list[Any]:
        return [read(value, tree, places) for value, (_, tree) in zip(values, params, strict=False)]

    def attempt(places: Any) -> list[Any] | None:
        found = at(places)
        return found if truncations.is_same(program_at(*given(found))[0], program) else None

    program, looked_at = program_at(*given(values))
    params = program.params
    _, found = settled_integers(*readable(program, looked_at, wanted), attempt)
    found = values if found is None else found
    left = [leaf for i in positions for leaf in integers_in(found[i])]
    e.looked_at += [leaf for leaf in left if isinstance(leaf, Var)]
    return given(found)
