"""Variables of a module that a function declares `global`: where it writes one, it assigns an attribute of the module.

>>> print(ast.unparse(as_attributes(ast.parse("def f(x):\\n  global n\\n  n += x\\n  return n"))))
def f(x):
    pass
    ....n += x
    return n
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from typing import cast

DECLARED = "global"
"""What a text with such variables holds."""
NESTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def as_attributes(tree: ast.Module) -> ast.Module:
    """A syntax tree whose functions assign attributes where they wrote variables of a module, changed in place. What
    stands for the module is `...`: a function says in which one it stands."""
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        declared = {name for node in own_nodes(function) if isinstance(node, ast.Global) for name in node.names}
        if declared:
            Attributes(declared).inside(function)
    return tree


def own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions and classes in it."""
    todo: list[ast.AST] = [*function.body]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, NESTED):
            todo += ast.iter_child_nodes(node)


class Attributes(ast.NodeTransformer):
    """Writes attributes for the variables of these names."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def inside(self, function: ast.FunctionDef) -> None:
        """Change the body of a function."""
        for i, statement in enumerate(function.body):
            function.body[i] = cast(ast.stmt, self.visit(statement))

    def visit(self, node: ast.AST) -> ast.AST:
        """The node that stands in the place of this one."""
        if isinstance(node, NESTED):
            return node
        if isinstance(node, ast.Global):
            return ast.copy_location(ast.Pass(), node)
        if isinstance(node, ast.Name) and node.id in self.names and not isinstance(node.ctx, ast.Load):
            module = ast.copy_location(ast.Constant(...), node)
            return ast.copy_location(ast.Attribute(module, node.id, node.ctx), node)
        return self.generic_visit(node)


def module_of(function: types.FunctionType) -> types.ModuleType | None:
    """The module whose variables a function reads, if it is known by its name.

    >>> module_of(module_of).__name__
    'ccc.compile.frontend.global_names'
    """
    found = sys.modules.get(function.__globals__.get("__name__", ""))
    return found if found is not None and vars(found) is function.__globals__ else None
