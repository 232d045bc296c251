"""Objects of libraries with some arguments given, as `norm(loc, scale)`: made by the program, or before it.

Either is a record of the arguments. A method of it is that of the object, with these arguments behind its own. What is
no frozen object but taken apart all the same, as a spline, is a record of the class that stands for it here.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import types
from typing import Any

from ccc.compile.diagnostics import counted, mismatch
from ccc.compile.frontend import guards
from ccc.compile.frontend.captures import Fixed, Within
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.numpy_functions import table
from ccc.compile.frontend.values import Frame, RecordValue
from ccc.compile.program.lam import Var
from ccc.primitives import registry
from ccc.primitives.frozen import FROZEN


def made(cls: type, args: Any, kwargs: dict[str, Any]) -> RecordValue:
    """What an object gives that is called with these arguments."""
    return RecordValue(cls, {"args": tuple(args), "kwds": RecordValue(dict, dict(kwargs))})


def from_outside(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> RecordValue | None:
    """What the program froze before, whose arguments are read anew at each call; None for other objects."""
    table.found(value)  # a library's own module says how its objects are taken apart
    return taken_apart(e, value, Fixed(value), (id(value),), node, frame)


def taken_apart(
    e: Elaboration, value: Any, reader: Any, place: tuple[Any, ...], node: ast.AST, frame: Frame | None
) -> RecordValue | None:
    """The record of an object that `reader` reads, which is known by its `place`. An argument that is taken apart
    itself, as the spline of a fit, may be another object at each call: it is known by its arguments."""
    found = registry.arguments_of(value)
    if found is None:
        return None
    of, args, kwds = found

    def read(name: str, label: Any, x: Any) -> Any:
        again = Within(reader, registry.argument, label)
        within = taken_apart(e, x, again, (*place, label), node, frame)
        if within is not None:
            return within
        if of not in FROZEN and isinstance(x, int | str | None):  # as a degree: it decides what is computed
            e.guards[*place, label] = guards.Guard(again, x)
            return x
        return e.read(name, (*place, label), x, again, node, frame)

    given = [read(f"arg{i}", i, x) for i, x in enumerate(args)]
    named = {name: read(name, name, x) for name, x in kwds.items()}
    return made(FROZEN[of], given, named) if of in FROZEN else RecordValue(of, named)


def standing(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What stands for an operand that a library made before, as a sparse matrix; all else is itself."""
    if isinstance(value, Var | RecordValue | int | float | complex | str | tuple | list | type(None)):
        return value
    found = from_outside(e, value, node, frame)
    return value if found is None else found


def method(value: RecordValue, name: str) -> types.MethodType | None:
    """A method of a frozen object; None for attributes that are none."""
    found = getattr(getattr(value.cls, "of", None), name, None)
    return types.MethodType(called, (found, value)) if isinstance(found, types.MethodType) else None


def by_place(function: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments in their places which were given by name, as far as these follow each other: those before others that
    are only given by place, `f(x=1.0)` of `f(x, *args)`, and all where there are none."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of what is not written in Python
        return args, kwargs
    placed = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    names = list(itertools.takewhile(kwargs.__contains__, placed[len(args):]))
    return [*args, *[kwargs[name] for name in names]], {k: x for k, x in kwargs.items() if k not in names}


def places(function: Any) -> tuple[str, ...]:
    """The names of the parameters that may be given by place."""
    return tuple([p.name for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD])


def called(
    owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    function, value = owner
    args, kwargs = by_place(function, args, kwargs)
    names = list(inspect.signature(function).parameters)
    own = names.index("args") if "args" in names else len(names)
    if len(args) > own:  # where the parameters that are frozen stand
        here = getattr(value.cls.like, function.__name__, None)
        named = () if here is None else places(here)[1:]
        if len(args) > len(named):
            raise mismatch("CC027", f"`{function.__name__}` of a frozen distribution takes {counted(own)} by place",
                           e.place(node, frame), help="give the others by their names")
        args, kwargs = args[:own], {**dict(zip(named[own:], args[own:], strict=False)), **kwargs}
    return e.call(function, [*args, *value.fields["args"]], {**kwargs, **value.fields["kwds"].fields}, node, frame)
