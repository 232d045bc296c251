"""Draws: methods of sources of random numbers, and sources that a program makes.

A source is a variable of the program, which stands for the very object of Python. A method with a definition is read by
it (`numpy_functions.draws`), every other one is called as it is, once and in order, as what is printed is.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, nearest, unsupported
from ccc.compile.frontend.captures import Fixed
from ccc.compile.frontend.definitions import by_definition
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import RangeValue
from ccc.compile.frontend.memory.interface import array_writers, list_changes
from ccc.compile.frontend.numpy_functions.draws import LEGACY, METHODS, drawn as numpy_drawn, refused, reordered
from ccc.compile.frontend.unrepeatable import makes_bits, makes_generator, makes_python_source
from ccc.compile.frontend.values import Frame, ListValue, MethodValue, is_drawn
from ccc.compile.program.lam import Var
from ccc.objects import UNIT, Array, Bool, Int, List, Real
from ccc.primitives.drawing import GIVEN, Known, Places, draw, made_random, made_source, refusal


def source_of(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Var:
    """The variable for a source that the program has met."""
    found = e.read("source", (id(value), "source"), value, Fixed(value), node, frame)
    assert isinstance(found, Var)
    return found


class Bits:
    """What `np.random.PCG64(seed)` gives, by the source of the generator that is made of it."""

    __slots__ = ("source",)

    def __init__(self, source: Var) -> None:
        self.source = source


def made(e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
    """The source that a seed makes; `default_rng` of a source is that source."""
    name, where = function.__name__, e.place(node, frame)
    given = [*args, *kwargs.values()]
    if makes_generator(function) or (len(given) == 1 and isinstance(given[0], Bits)):
        if len(given) == 1 and isinstance(given[0], Bits) and name in ("Generator", "default_rng"):
            return given[0].source
        raise unsupported("CC032", f"`{name}` of this is not known here", where,
                          help="write `np.random.default_rng(seed)`, or `np.random.Generator(np.random.PCG64(seed))`")
    if not given or given == [None]:
        raise unsupported("CC032", f"`{name}` without a seed draws other numbers at each call", where,
                          "a derivative is that of one function", help="give it a seed, or make it before")
    if len(given) == 1 and is_drawn(given[0]) and name == "default_rng":
        return given[0]
    if len(given) > 1 or not set(kwargs) <= {"seed", "x"}:
        raise mismatch("CC027", f"`{name}` takes one seed", where, help="give one number")
    form, xs = formed(e, {"seed": given[0]}, node, frame)
    if makes_python_source(function):
        return e.always(made_random, tuple(xs), form=form)
    source = e.always(made_source, tuple(xs), of=name, form=form)
    return Bits(source) if makes_bits(function) else source


NO_DRAWS = frozenset({"get_state", "set_state", "getstate", "setstate", "spawn", "bytes", "randbytes"})
"""Methods that give no numbers."""

# -- methods ---------------------------------------------------------------------------------------------------------


def method(e: Elaboration, owner: Var, name: str, node: ast.AST, frame: Frame) -> MethodValue:
    """A method of a source."""
    cls = owner.object.cls  # type: ignore[attr-defined]
    found = getattr(cls, name, None)
    if found is None:
        raise mismatch("CC027", f"`{cls.__name__}` has no attribute `{name}`", e.span(node, frame),
                       help=nearest(name, dir(cls), "use a method that it has"))
    if not callable(found) or name.startswith("_") or name in NO_DRAWS:
        raise unsupported("CC003", f"`.{name}` of a source of random numbers is not supported", e.span(node, frame),
                          help="use it in the caller")
    return MethodValue(owner, name, found)


def called(
    e: Elaboration, owner: Var, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a method of a source."""
    out = kwargs.get("out")
    if out is not None:
        named = {k: v for k, v in kwargs.items() if k != "out"}
        if name != "permuted" and not args and "size" not in named:
            named["size"] = e.call(np.shape, [out], {}, node, frame)
        found = called(e, owner, name, args, named, node, frame)
        return array_writers.with_out(e, None, [owner, *args], out, found, node, frame)
    cls = owner.object.cls  # type: ignore[attr-defined]
    if makes_python_source(cls):
        return called_as_python(e, owner, name, args, kwargs, node, frame)
    if name == "shuffle" and frame is not None and shuffled(e, owner, args, kwargs, node, frame):
        return None
    definition = METHODS.get(name) if cls.__name__ == "Generator" else LEGACY.get(name, METHODS.get(name))
    if definition is not None and frame is not None:
        return by_definition(e, definition, [owner, *args], kwargs, node, frame)
    return drawn(e, owner, name, bound(cls, name, args, kwargs, e.place(node, frame)), node, frame)


def called_as_python(
    e: Elaboration, owner: Var, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a method of a source of Python's."""
    from ccc.compile.frontend.numpy_functions.draws_of_python import METHODS as OF_PYTHON

    definition = OF_PYTHON.get(name)
    if definition is not None and frame is not None:
        return by_definition(e, definition, [owner, *args], kwargs, node, frame)
    cls = owner.object.cls  # type: ignore[attr-defined]
    return drawn(e, owner, name, bound(cls, name, args, kwargs, e.place(node, frame)), node, frame)


def shuffled(
    e: Elaboration, owner: Var, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> bool:
    """Give an array, or a list of unknown length, another order; false for what is neither."""
    named = bound(owner.object.cls, "shuffle", args, kwargs, e.place(node, frame))  # type: ignore[attr-defined]
    x = named["x"]
    if not (isinstance(x, Var) and isinstance(x.object, (Array, List))):
        return False
    found = by_definition(e, reordered, [owner], named, node, frame)
    if isinstance(x.object, Array):
        e.call(np.copyto, [x, found], {}, node, frame)
    else:
        list_changes.renew(e, x, found, "cannot shuffle", node, frame)
    return True


def bound(cls: type, name: str, args: list[Any], kwargs: dict[str, Any], where: Any) -> dict[str, Any]:
    """The arguments of a method by the names of its parameters."""
    found = inspect.signature(getattr(cls, name))
    try:
        given = found.bind(None, *args, **kwargs).arguments
    except TypeError as error:
        raise mismatch("CC027", f"`{name}`: {error}", where,
                       help=f"its parameters are ({', '.join([*found.parameters][1:])})") from error
    return dict(list(given.items())[1:])


def drawn(
    e: Elaboration, owner: Var, name: str, named: dict[str, Any], node: ast.AST, frame: Frame | None,
    primitive: Any = draw,
) -> Any:
    """What NumPy's own method gives."""
    form, xs = formed(e, named, node, frame)
    try:
        found = e.always(primitive, (owner, *xs), method=name, form=form)
    except TypeError as error:
        raise mismatch("CC027", f"`{name}`: {error}", e.place(node, frame), help="give it what NumPy takes") from error
    return None if found.object == UNIT else found


def formed(
    e: Elaboration, named: dict[str, Any], node: ast.AST, frame: Frame | None
) -> tuple[tuple[tuple[str, Any], ...], list[Any]]:
    """The form of a call, and what is to be given."""
    xs: list[Any] = []
    form = tuple([(key, template(e, key, value, xs, node, frame)) for key, value in named.items()])
    return form, xs


def template(e: Elaboration, key: str, value: Any, xs: list[Any], node: ast.AST, frame: Frame | None) -> Any:
    """The form of an argument; what it is made of goes to `xs`."""
    if key == "size" and isinstance(value, (tuple, ListValue)):
        items = value.items if isinstance(value, ListValue) else value
        return tuple([template(e, "", item, xs, node, frame) for item in items])
    if isinstance(value, RangeValue) and len(value.bounds) == 1:
        return Places(template(e, "", value.bounds[0], xs, node, frame))
    if isinstance(value, (tuple, ListValue)) or (isinstance(value, Var) and isinstance(value.object, List)):
        value = e.call(np.asarray, [value], {}, node, frame)
    if isinstance(value, Var) and isinstance(value.object, (Bool, Int, Real, Array)):
        if key in ("", "size") and not isinstance(value.object, Int):
            raise unsupported("CC003", "the size of a draw is a whole number or a tuple of such", e.place(node, frame),
                              help="write size=(n, m)")
        xs.append(value)
        return GIVEN
    if isinstance(value, Var) or not isinstance(value, bool | int | float | str | type | np.dtype | None):
        raise unsupported("CC003", f"{described(value)} cannot be given to a draw", e.place(node, frame),
                          help="give numbers, arrays and what is known")
    return Known(value.name if isinstance(value, np.dtype) else value)


# -- what definitions call -------------------------------------------------------------------------------------------


def by_numpy(primitive: Any) -> Callable[..., Any]:
    """The handler of what a definition asks NumPy for."""

    def run(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None) -> Any:
        owner, name = args
        named = {key: value for key, value in kwargs.items() if value is not None or key != "size"}
        return drawn(e, owner, name, named, node, frame, primitive)

    return run


LIBRARY = {numpy_drawn: by_numpy(draw), refused: by_numpy(refusal)}
"""The handlers of what definitions call."""
