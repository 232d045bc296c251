"""Builtins that are refused whatever they are given.

>>> MENDS[eval]
'write the expression out'
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.values import Frame

MENDS: dict[Any, str] = {
    eval: "write the expression out",
    exec: "write the statements out",
    locals: "read the name itself",
    globals: "read the name itself",
    open: "read and write files in the caller",
}
"""What to write instead."""


def refused(function: Any) -> Callable[..., Any]:
    """What is said where a builtin is called."""
    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        name, mend = function.__name__, MENDS[function]
        raise unsupported("CC003", f"`{name}` is not supported", e.place(node, frame), help=mend)

    return handler


HANDLERS = {function: refused(function) for function in MENDS}

__all__ = ["HANDLERS", "MENDS"]
