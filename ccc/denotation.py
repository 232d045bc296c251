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
from ccc.errors import BoundaryMismatch


def functor(k: Any, arrow: Arrow, known: dict[int, Any] | None = None) -> Any:
    """The arrow of the category `k` that the term denotes: one iterative pass, sharing kept.

    What is `known` of terms, by their identity, is not made again and grows; the terms have to live as long as it.

    >>> from ccc.arrows import Prod, Id
    >>> from ccc.categories.functions import Functions
    >>> from ccc.objects import REAL
    >>> functor(Functions(), Prod((Id(REAL), Id(REAL))))(2.0)
    (2.0, 2.0)
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
                found = image[id(child)] = child.into(k)
            images.append(found)
        if todo[-1] is node:
            todo.pop()
            image[id(node)] = node.into(k, *images)
    return image[id(arrow)]
