"""Names in classes that begin with two underscores, which belong to the class: `self.__x` in `A` is `self._A__x`.

>>> print(ast.unparse(mangled(ast.parse("class A:\\n  def f(self): return self.__x + self.__len__()"))))
class A:
<BLANKLINE>
    def f(self):
        return self._A__x + self.__len__()
"""

from __future__ import annotations

import ast
from typing import TypeVar

from ccc.compile.frontend import global_names

T = TypeVar("T", bound=ast.AST)
MARK = "__"
"""What such names begin with."""
FIELDS = {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.keyword: "arg", ast.FunctionDef: "name",
          ast.ClassDef: "name"}
"""Where nodes have names."""


def parsed(text: str, name: str) -> ast.Module:
    """The syntax of a text, of a file of this name, with the names that Python gives to those.

    Raises what `ast.parse` does.
    """
    tree = ast.parse(text, name)
    tree = mangled(tree) if MARK in text else tree
    return global_names.as_attributes(tree) if global_names.DECLARED in text else tree


def mangled(tree: T, cls: str = "") -> T:
    """A syntax tree with the names that Python gives to those, changed in place; it stands in a class, or in none. The
    names of methods stay, which are those of their functions."""
    todo: list[tuple[ast.AST, str, bool]] = [(tree, cls, False)]
    while todo:
        node, cls, method = todo.pop()
        field = FIELDS.get(type(node))
        if cls and field is not None and not method and is_private(getattr(node, field)):
            setattr(node, field, f"_{cls}{getattr(node, field)}")
        if cls and isinstance(node, (ast.Nonlocal, ast.Global)):
            node.names = [f"_{cls}{name}" if is_private(name) else name for name in node.names]
        inside = node.name.lstrip("_") if isinstance(node, ast.ClassDef) else cls
        body = node.body if isinstance(node, ast.ClassDef) else []
        todo += [(part, cls, False) for part in ast.iter_child_nodes(node) if part not in body]
        todo += [(part, inside, isinstance(part, ast.FunctionDef)) for part in body]
    return tree


def is_private(name: str | None) -> bool:
    """Whether a name belongs to the class that it stands in.

    >>> [is_private(name) for name in ("__x", "__x__", "_x")]
    [True, False, False]
    """
    return name is not None and name.startswith(MARK) and not name.endswith(MARK) and "." not in name
