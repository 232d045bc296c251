"""What definitions say of functions that a library is given, `lifted`, `hosted` and `constant`; a program has no such
calls.

A function is closed by making what it captures an argument like others, so that a rule of the library gives it a
cotangent. The library itself runs as it is, and calls the closed function.
"""

from __future__ import annotations

import ast
from typing import Any

from ccc.additive import ZERO
from ccc.categories.rules import Checkpoint
from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.custom import name_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.inner_programs import Part
from ccc.compile.frontend.standing import Standing
from ccc.compile.frontend.values import Frame, atom_of
from ccc.compile.program.lam import Var
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
    """`hosted(run, like, *xs)`: what Python's `run(*xs)` gives, a value like `like`. It has no rule: the derivative is
    that of the function around it, and where that was lost, to take the result for a constant were silently wrong."""
    return host(e, args, kwargs, node, frame, None)


def constant(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None) -> Any:
    """`constant(run, like, *xs)`: the same as a constant of derivatives."""
    return host(e, args, kwargs, node, frame, ZERO)


def host(
    e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None, moves: Any
) -> Any:
    """What a function of Python's gives, by a primitive whose derivative is `moves`, None for one without."""
    from ccc.compile.frontend import opaque

    run, like, *xs = args
    call = Standing(e, name_of(run), xs, kwargs, node, frame)
    name, result = f"hosted_{call.name}", atom_of(like).object
    rules: Any = (None, None) if moves is None else (lambda ct, y, *xs: (moves,) * len(xs), lambda ds, y, *xs: moves)
    primitive = Primitive(
        name, opaque.calling(call, run), lambda p, args, params: result, lambda *xs: f"{name}({', '.join(xs)})", *rules,
        memory=NEW, raises=MAY,
    )
    return e.always(primitive, tuple(call.atoms()))
