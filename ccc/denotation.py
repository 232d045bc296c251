"""What a term denotes in a category: `functor(k, term)`, which every reading of a term goes through.

>>> from ccc.arrows import Prod, Id
>>> from ccc.categories.functions import Functions
>>> from ccc.objects import REAL
>>> functor(Functions(), Prod((Id(REAL), Id(REAL))))(2.0)
(2.0, 2.0)

References: *The Differentiable Curry* ("Then implement T => S and combinators").
"""

from __future__ import annotations

from typing import Any

from ccc.arrows import Arrow
from ccc.errors import BoundaryMismatch, MissingMeaning


def functor(k: Any, arrow: Arrow, known: dict[int, Any] | None = None) -> Any:
    """The arrow of the category `k` that the term denotes: one iterative pass, sharing kept.

    What is `known` of terms, by their identity, is not made again and grows; the terms have to live as long as it.

    >>> from ccc.arrows import Prod, Id
    >>> from ccc.categories.functions import Functions
    >>> from ccc.objects import REAL
    >>> functor(Functions(), Prod((Id(REAL), Id(REAL))))(2.0)
    (2.0, 2.0)

    Raises `MissingMeaning` where the category has no method for a combinator of the term.
    """
    if not isinstance(arrow, Arrow):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BoundaryMismatch(f"functor reads a term, found {type(arrow).__name__}", "make one of a function: "
                               "ccc.arrow(f, float)")
    image: dict[int, Any] = {} if known is None else known
    todo = [arrow]
    while todo:
        node = todo[-1]
        if id(node) in image:
            todo.pop()
            continue
        images: list[Any] = []
        for child in node.children:
            found = image.get(id(child), todo)
            if found is todo:  # it has none yet
                if child.children:
                    todo.append(child)
                    continue
                found = image[id(child)] = _said(k, child)
            images.append(found)
        if todo[-1] is node:
            todo.pop()
            image[id(node)] = _said(k, node, *images)
    return image[id(arrow)]


def _said(k: Any, node: Arrow, *images: Any) -> Any:
    """What a category says of a node; the methods of `Category` itself say nothing."""
    try:
        found = node.into(k, *images)
    except AttributeError as error:
        if error.obj is not k or error.name != _method_of(node, *images):
            raise
        found = None
    if found is None:
        name = _method_of(node, *images)
        raise MissingMeaning(f"`{type(k).__name__}` does not say what `{name}` means",
                             f"give it a method `{name}`, or derive it from ccc.Layered").at(_span_of(node))
    return found


def _method_of(node: Arrow, *images: Any) -> str:
    """The name of the method that a node asks a category for."""
    asked = _Asked()
    node.into(asked, *images)
    return asked.name


def _span_of(node: Arrow) -> Any:
    """Where a node stands in the source, or else one that it is made of; None where that is not known."""
    todo = [node]
    while todo:
        node = todo.pop()
        span = getattr(getattr(node, "label", None), "span", None)
        if span is not None:
            return span
        todo += reversed(node.children)
    return None


class _Asked:
    name: str = ""

    def __getattr__(self, name: str) -> Any:
        self.name = name
        return lambda *args: None  # type: ignore[reportUnknownLambdaType]
