"""What is raised while a function is elaborated, to be caught by what can go on otherwise."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import Diagnostic, TypeMismatch
from ccc.compile.frontend.values import ListValue
from ccc.compile.program.lam import Block, Var


class Ends(Exception):
    """The statement being elaborated surely raises: nothing behind it runs."""


class Bottom(Exception):
    """A recursive call whose type is not known yet."""


class Grows(TypeMismatch):
    """A branch or loop changes a list or dict in a way that is not known; it is read again with one of the program."""

    def __init__(self, found: Any, place: Any) -> None:
        kind = "list" if isinstance(found, ListValue) else "dict"
        super().__init__(Diagnostic("CC006", f"a {kind} changes here in a way that is not known", place,
                                    help=f"make a new {kind}"))
        self.found = found


class ByKey(Exception):
    """A loop along the values of a dict changes the dict; it is read again as one along the keys."""

    def __init__(self, node: ast.AST, place: Any) -> None:
        super().__init__(f"the loop at {place} changes the dict whose values it runs along")
        self.node = node


class ByItems(Exception):
    """A text that has to be known is made of the numbers that a loop counts; it is read again item by item."""

    def __init__(self, node: ast.AST, number: Var) -> None:
        super().__init__("the numbers of a loop have to be known")
        self.node = node
        self.number = number

    def is_around(self, block: Block) -> bool:
        """Whether the loop is around a block, and not in it."""
        return any(self.number.home is around for around in block.ancestors())


class ByIndex(TypeMismatch):
    """A loop along a list changes its elements; it is read again as one along the indices."""

    def __init__(self, xs: Var) -> None:
        super().__init__(Diagnostic("CC011", "a loop changes the elements that it runs along", None,
                                    help="loop over the indices"))
        self.xs = xs


class Borrowed(Exception):
    """A nested function changes an array that it was given, or needs a number of it to be known: it is inlined."""
