"""The syntax of the project's own files, read and walked once for all tests that look at it."""

import ast
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax of a file."""
    return ast.parse(path.read_text("utf-8"), str(path))


@cache
def nodes(tree: ast.Module) -> list[ast.AST]:
    """All nodes of a file's syntax, in the order of `ast.walk`."""
    return list(ast.walk(tree))
