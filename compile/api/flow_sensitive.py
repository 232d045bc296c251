"""Derivatives of values where they stand: `gradient_of(y, wrt=x)` in a function that is compiled."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.api.transforms import gradient
from ccc.compile.diagnostics import WrongArguments, telling
from ccc.compile.frontend import flows
from ccc.compile.frontend.parameters import taken
from ccc.compile.frontend.values import ListValue


@telling
def gradient_of(y: Any, *, wrt: Any) -> Any:
    """The gradient of a number with respect to what it was computed from, in a function that is compiled.

    >>> import ccc
    >>> def f(x):
    ...     y = x * x if x > 1.0 else x
    ...     return y + gradient_of(y, wrt=x)
    >>> ccc.compiled(f)(3.0), ccc.gradient(f)(3.0)
    (15.0, 8.0)

    `wrt` is a number, an array or a structure of them, or a tuple of such, for which there is a tuple; shapes and
    dtypes are theirs. What is differentiated is how `y` was computed from what `wrt` is at this place, through
    branches, loops and calls; all else is constant. Raises `CompileError` where `y` is no number, does not depend on
    `wrt`, or does so through draws, effects or earlier turns of a loop that is still running, and
    `WrongArguments` outside of a function that is compiled.

    Source: *Differentiable functions and differentiation APIs*, `#gradient(y, wrt: x)`.
    """
    raise WrongArguments("`gradient_of` stands in a function that is compiled",
                         help="call the function around it by `ccc.compiled(f)(...)`")


def _in_program(e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
    y, wrt = taken("gradient_of", args, kwargs, "y wrt", e.place(node, frame))
    begun = flows.begun_at(wrt)
    found = e.call(gradient(flows.function_of(e, y, begun, node, frame)), begun, {}, node, frame)
    several = isinstance(wrt, ListValue) or type(wrt) is tuple
    return (found,) if several and len(begun) == 1 else found


gradient_of.__ccc_inline__ = _in_program  # type: ignore[attr-defined]
