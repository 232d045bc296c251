"""The state of a loop while it is recorded: a tree whose leaves are values, zeros, or slots for what is carried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO, Components, parts
from ccc.categories.exponentials import FormalSum, Opaque
from ccc.categories.pointwise import FunctionValue
from ccc.errors import CannotStage


class Slot:
    """Marks a leaf of a loop's state that is carried."""

    __slots__ = ()


def leaves_in(tree: Any, sums: bool = False) -> list[Any]:
    """The leaves from left to right, with `sums` also formal sums; functions cannot be carried."""
    if isinstance(tree, tuple):
        return [leaf for part in tree for leaf in leaves_in(part, sums)]
    if isinstance(tree, Opaque):
        return leaves_in(tree.payload, sums)
    if isinstance(tree, FunctionValue) or (isinstance(tree, FormalSum) and not sums):
        raise CannotStage("a function that changes from one run of a loop to the next")
    return [tree]


def rebuilt(tree: Any, leaf: Callable[[Any], Any]) -> Any:
    """The tree with every leaf replaced, from left to right."""
    if isinstance(tree, tuple):
        return tuple([rebuilt(part, leaf) for part in tree])
    if isinstance(tree, Opaque):
        return Opaque(tree.space, rebuilt(tree.payload, leaf))
    return leaf(tree)


def shaped(tree: Any, like: Any, sums: bool = False) -> Any:
    """`tree` in the shape of `like`: sparse products spelt out, zeros spread."""
    if isinstance(like, tuple):
        return tuple([shaped(x, y, sums) for x, y in zip(parts(tree, len(like)), like, strict=True)])
    if isinstance(like, Opaque):
        return Opaque(like.space, shaped(tree.payload if isinstance(tree, Opaque) else tree, like.payload, sums))
    if isinstance(tree, tuple) and not leaves_in(tree, sums=True):  # of what does not move at all
        return ZERO
    if isinstance(tree, (tuple, Components, Opaque)) or (isinstance(tree, FormalSum) and not sums):
        raise CannotStage("a loop that accumulates formal sums of calls")
    return tree
