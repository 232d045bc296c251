"""Library functions by their definition in Python: `ccc.compile.frontend.prelude` is read where one of them is called.

What a definition does stands at the place of the call, so a message about it points at the program of the user.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
from typing import Any

from ccc.compile.frontend import comprehensions, prelude
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import GOES_ON
from ccc.compile.frontend.names import local_names
from ccc.compile.frontend.values import Frame, IteratorValue, OnceValue, RangeValue


@functools.cache
def definitions() -> dict[str, ast.FunctionDef]:
    """The functions of the prelude by name."""
    tree = ast.parse(inspect.getsource(prelude))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def defined(e: Elaboration, name: str, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    """The result of a function of the prelude, read as if it stood at `node`."""
    definition = definitions()[name]
    inner = Frame(name, frame.file, getattr(prelude, name), None, None, (node, frame))
    inner.local = local_names(definition)
    spec = definition.args
    inner.env.update(zip([a.arg for a in spec.args], args, strict=spec.vararg is None))
    if spec.vararg is not None:
        inner.env[spec.vararg.arg] = tuple(args[len(spec.args):])
    body = [moved(statement, node) for statement in definition.body if not is_text(statement)]
    e.frames.append(inner)
    try:
        found = e.run(body, inner)
        return None if found is GOES_ON else found
    finally:
        e.frames.pop()


def moved(statement: ast.stmt, node: ast.AST) -> ast.stmt:
    """A copy of a statement that stands at `node`."""
    made = copy.deepcopy(statement)
    for part in ast.walk(made):
        if isinstance(part, ast.expr | ast.stmt | ast.arg | ast.keyword):
            ast.copy_location(part, node)
    return made


def is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def sequence(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """What is iterated, as what can be indexed: of a range or an iterator, the list of what it gives."""
    if isinstance(value, OnceValue):
        return sequence(e, value.items, node, frame)
    if isinstance(value, IteratorValue | RangeValue):
        return comprehensions.copied(e, value, node, frame)
    return value
