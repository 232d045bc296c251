"""Functions that are values of the program, applied: its arguments, and pullbacks and differentials."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import (
    counted,
    mismatch,
)
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.values import (
    Frame,
    LinearValue,
    atom_of,
    variables_in,
)
from ccc.compile.program.lam import Call, Var
from ccc.compile.terms.plan import Kind
from ccc.objects import Exponential, Product, Real
from ccc.wording import in_words


def linear(
    e: Elaboration, function: LinearValue, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a pullback or differential."""
    if len(args) == function.takes and not kwargs:
        return function.apply(args, node, frame)
    if function.kind is Kind.PULLBACK:
        raise mismatch("CC027", "a pullback takes one cotangent, that of the value", e.place(node, frame),
                       help="give a tuple where the value is one")
    count = counted(function.takes, "tangent")
    raise mismatch("CC027", f"this differential takes {count}, one for each differentiated argument",
                   e.place(node, frame), f"{len(args)} were given", help="give 0.0 for one that does not move")


def apply_variable(e: Elaboration, function: Var, args: list[Any], node: ast.AST, frame: Frame | None) -> Any:
    """Apply a function that is an argument of the program."""
    a = function.object
    assert isinstance(a, Exponential)
    value = args[0] if len(args) == 1 else tuple(args)
    wanted = list(a.dom.parts) if isinstance(a.dom, Product) else [a.dom]
    given = variables_in(value) if not isinstance(value, (int, float)) else [value]
    atoms = [atom_of(float(x) if isinstance(x, int) and isinstance(w, Real) else x)
             for x, w in zip(given, wanted, strict=False)]
    if [x.object for x in atoms] != wanted:
        raise mismatch("CC027", f"a function of {in_words(a.dom)} got {described(value)}",
                       e.place(node, frame), help="give values of the types that it takes")
    let = e.recorder.emit(Call(), [function, *atoms])
    if isinstance(a.cod, Product):
        return tuple([e.recorder.target(let, "", part) for part in a.cod.parts])
    return e.recorder.target(let, "", a.cod)
