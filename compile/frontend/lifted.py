"""What definitions say of functions that a library is given, `lifted` and `hosted`; a program has no such calls.

A function is closed by making what it captures an argument like others, so that a rule of the library gives it a
cotangent. The library itself runs as it is, and calls the closed function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO
from ccc.categories.rules import Checkpoint
from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import opaque
from ccc.compile.frontend.custom import Standing, name_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.inner_programs import Part
from ccc.compile.frontend.values import Frame, atom_of
from ccc.compile.program.lam import Var
from ccc.objects import Object
from ccc.primitives.facts import MAY, NEW
from ccc.primitives.primitive import Primitive


def lifted(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None) -> Any:
    """`lifted(f, *xs)`: `f` at arguments like these as a function that takes what it captures behind them, and the
    tuple of that."""
    function, *xs = args
    call = Standing(e, name_of(function), xs, {}, node, frame)
    made: list[Part] = []

    def elaborate() -> list[Var]:
        made[:] = [call.part(lambda xs, named: e.call(function, xs, named, node, frame), None)]
        return made[0].captured

    call.settled(elaborate)
    (body,) = made
    if len(body.results) != 1:
        raise unsupported("CC020", f"`{call.name}` has to give a number or an array here", call.place,
                          help="let it give one array: np.array([...])")
    call.declare(body, Checkpoint(body.values(call.captured), body.results))
    return call.primitive, tuple(call.captured)


def hosted(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None) -> Any:
    """`hosted(run, like, *xs)`: what Python's `run(*xs)` gives, a value like `like`; it has no derivative."""
    run, like, *xs = args
    call = Standing(e, name_of(run), xs, kwargs, node, frame)
    return e.always(host(f"hosted_{call.name}", opaque.calling(call, run), atom_of(like).object), tuple(call.atoms()))


def host(name: str, value: Callable[..., Any], result: Object) -> Primitive:
    """A primitive that calls a function of Python's, whose result is a constant of derivatives."""
    return Primitive(name, value, lambda p, args, params: result, lambda *xs: f"{name}({', '.join(xs)})",
                     lambda ct, y, *xs: (ZERO,) * len(xs), lambda ds, y, *xs: ZERO, memory=NEW, raises=MAY)
