"""Calls of Python's own functions that their arguments' classes show to fail, where the program may not come there.

    def f(x, k):
        point = Point(x)
        return abs(point) if k else x        TypeError: bad operand type for abs(): 'Point', where k is true
"""

from __future__ import annotations

from typing import Any

from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import alternatives, calls, effects, python_functions
from ccc.compile.frontend.describing import class_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import Frame, ListValue, RecordValue
from ccc.compile.program.lam import Node, Var
from ccc.objects import Bool, Int, List, Map, Real, Text
from ccc.primitives.primitive import sample
from ccc.records import made

UNKNOWN = object()


def call(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Frame | None
) -> Any:
    """The result of calling any value; where a function of numbers cannot take values of these classes, what Python
    raises, if the program comes here."""
    if frame is None or kwargs or not python_functions.of(function).by_class:
        return calls.call(e, function, args, kwargs, node, frame)
    try:
        return calls.call(e, function, args, kwargs, node, frame)
    except (CompileError, TypeError):
        given = [stand_in(x) for x in args]
        error = None if UNKNOWN in given else alternatives.raised_by(function, given, {})
        if not isinstance(error, TypeError):
            raise
        effects.fail_with(e, TypeError, str(error), node, frame)


def stand_in(value: Any) -> Any:
    """A value of the class that one has; `UNKNOWN` where that is not known.

    >>> stand_in(ListValue([1.0])), stand_in((1.0,)), stand_in(None), stand_in(Var("x", Int()))
    ([], (), None, 1)
    """
    if isinstance(value, Var) and isinstance(value.object, (Bool, Int, Real, Text)):
        return sample(value.object)
    if isinstance(value, ListValue) or (isinstance(value, Var) and isinstance(value.object, List)):
        return []
    if isinstance(value, Var):
        return {} if isinstance(value.object, Map) else UNKNOWN
    if isinstance(value, (RecordValue, Node)):
        cls = class_of(value)
        if cls is None or cls is not class_behind(value.cls):
            return UNKNOWN
        return cls() if cls in (dict, list, tuple) else made(cls, (), ())
    return () if isinstance(value, tuple) else value if isinstance(value, str | int | float | None) else UNKNOWN


__all__ = ["call", "stand_in"]
