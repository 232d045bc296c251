"""What is raised while a function is elaborated, to be caught by what can go on otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ccc.compile.diagnostics import CompileError, Diagnostic, TypeMismatch, UnsupportedPython
from ccc.compile.frontend.values import ListValue
from ccc.compile.program.lam import Block, Var


class Ends(Exception):
    """The statement being elaborated surely raises: nothing behind it runs."""


class Begun(Exception):
    """More became known of the places of what the caller lends, before the function itself was read: so it is read with
    that."""


class Bottom(Exception):
    """A recursive call whose type is not known yet."""


class Grows(TypeMismatch):
    """A branch or loop changes a list or dict in a way that is not known; it is read again with one of the program."""

    def __init__(self, found: Any, place: Any) -> None:
        kind = "list" if isinstance(found, ListValue) else "dict"
        super().__init__(Diagnostic("CC006", f"a {kind} changes here in a way that is not known", place,
                                    help=f"make a new {kind}"))
        self.found = found


class Recurs(TypeMismatch):
    """A function calls itself on each way through it, wherever the objects stand that it is given."""

    def __init__(self, name: str, place: Any) -> None:
        super().__init__(Diagnostic("CC005", f"`{name}` never returns without calling itself", place,
                                    help="return a value for the smallest argument first"))


class WithoutEnd(UnsupportedPython):
    """All items are taken of an iterator without end; a generator that does so is read as one that runs in turn."""

    def __init__(self, place: Any) -> None:
        super().__init__(Diagnostic("CC003", "this iterator has no end", place,
                                    help="zip it with a sequence, or cut it by itertools.islice"))


class FirstRun(TypeMismatch):
    """The first run of a loop alone is given a number for an array, or one that others see and that it changes; it is
    read before the loop of the others."""

    def __init__(self, name: str, place: Any) -> None:
        super().__init__(Diagnostic("CC006", f"the first run of this loop gives {name} another type", place))


def reached(error: CompileError, way: Iterable[Any]) -> CompileError:
    """The refusal of a change that somebody else would see, with the values through which what changes is reached: a
    loop among whose first ones one is may read its first run before it."""
    error.way = frozenset(way)  # type: ignore[attr-defined]
    return error


class ByKey(Exception):
    """A loop along the values of a dict changes the dict; it is read again as one along the keys."""

    def __init__(self, node: ast.AST, place: Any) -> None:
        super().__init__(f"the loop at {place} changes the dict whose values it runs along")
        self.node = node


class ByItems(Exception):
    """A text or a constant that has to be known is made of the numbers that a loop counts, or it runs along items that
    share no type (then None); it is read again item by item."""

    def __init__(self, node: ast.AST, number: Var | None) -> None:
        super().__init__("the numbers of a loop have to be known")
        self.node = node
        self.number = number

    def is_around(self, block: Block) -> bool:
        """Whether the loop is around a block, and not in it."""
        return self.number is not None and any(self.number.home is around for around in block.ancestors())


class InTurn(BaseException):
    """A generator does more than yield, in turn with what consumes it; the function is read again with it as one that
    is run so, or the statement where that `alone` asks how it runs."""

    def __init__(self, site: Any, alone: bool = False) -> None:
        super().__init__("a generator runs in turn with what consumes it")
        self.site = site
        self.alone = alone


class ByIndex(TypeMismatch):
    """A loop along a list changes its elements; it is read again as one along the indices."""

    def __init__(self, xs: Var) -> None:
        super().__init__(Diagnostic("CC011", "a loop changes the elements that it runs along", None,
                                    help="loop over the indices"))
        self.xs = xs


class NotAtOnce(Exception):
    """The turns of a loop are not known one by one."""


class Borrowed(Exception):
    """A nested function changes an array that it was given, or needs a number of it to be known: it is inlined."""


class Raised(str):
    """How statements end that raise what a `try` around them may catch, by the class that it is caught as. Where it is
    no more than an instance of that class, it is not `exact`."""

    __slots__ = ("cls", "exact")

    def __new__(cls, kind: type, exact: bool = True) -> Raised:
        found = super().__new__(cls, f"raises {kind.__module__}.{kind.__qualname__}{'' if exact else ' or below'}")
        found.cls = kind
        found.exact = exact
        return found


class Caught(Exception):
    """The statement being elaborated surely raises what a `try` around it catches."""

    def __init__(self, kind: Raised, value: Any, block: Block) -> None:
        super().__init__(kind)
        self.kind = kind
        self.value = value
        self.block = block


class Escape(Exception):
    """The statement being elaborated raises on some paths what a `try` around it catches; on the others the expression
    `node` has the value `value`, or `again` says that it is read once more."""

    def __init__(self, paths: Any, block: Block, value: Any = None, again: bool = False) -> None:
        super().__init__()
        self.paths = paths
        self.block = block
        self.value = value
        self.again = again
        self.node: ast.AST | None = None
        self.part: tuple[Any, Any] | None = None


class AsStatement(Exception):
    """Part of an expression raises what a `try` around it catches: the expression is read as statements."""

    def __init__(self, node: ast.expr) -> None:
        super().__init__()
        self.node = node


class Divided(Exception):
    """What is done to one of several alternatives raises what a `try` around it catches: the statement under way goes
    on in two branches, by the test that tells the alternatives apart."""

    def __init__(self, test: Var, block: Block) -> None:
        super().__init__()
        self.test = test
        self.block = block


LEAVES = (Caught, Escape, AsStatement, Divided)
"""What leaves a statement without undoing what it did."""
