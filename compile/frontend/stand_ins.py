"""Classes that are read in place of Python's own (`numpy_functions.table.class_for`) stay inside of
programs: what the caller gets is of Python's classes, or is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.program.lam import FunctionLeaf, Node, Tree
from ccc.objects import Coproduct, List, Map, Object, Product, Record


def refuse_stand_ins(trees: Iterable[Tree], classes: Iterable[type], place: Any) -> None:
    """Refuse trees that the caller gets, and objects of these classes, where one stands for one of Python's."""
    for cls in [*classes, *[cls for tree in trees for cls in classes_in(tree)]]:
        original = getattr(cls, "__ccc_class__", None)
        if original is not None and not hasattr(cls, "__ccc_stands_for__"):
            by = "dict" if issubclass(original, dict) else "sorted" if issubclass(original, set) else (
                "list" if hasattr(original, "__iter__") else "str")
            raise unsupported("CC003", f"a `{original.__name__}` cannot be given to the caller", place,
                              help=f"give `{by}(...)` of it")


def classes_in(tree: Tree) -> Iterator[type]:
    """The classes of what is in a tree, and in the values at its leaves."""
    todo: list[Any] = [tree]
    while todo:
        here = todo.pop()
        if isinstance(here, (Node, Record)):
            yield here.cls
        if isinstance(here, tuple):
            todo += here
        elif isinstance(here, Object):
            todo += here.parts if isinstance(here, Product) else here.alternatives if isinstance(here, Coproduct) else (
                [here.item] if isinstance(here, (List, Map)) else ())
        elif here is not None and not isinstance(here, FunctionLeaf):
            todo.append(here.object)
