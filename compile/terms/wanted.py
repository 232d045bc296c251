"""Which part of which parameter is differentiated: the parameter, and the way from it into its structure.

The parts of tuples and records are leaves of a program, so that nothing is computed for the others; an item of a list
is read of the cotangent of the list.

>>> reach({"layers": [1.0, 2.0]}, (Step("layers"), Step(1))), text_of("p", (Step("w", attribute=True), Step(0)))
(2.0, 'p.w[0]')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ccc.additive import ZERO, Contribution, Zero, dense, parts
from ccc.compile.program.lam import Node, Tree
from ccc.objects import List, Object, Product, Record
from ccc.paired import PAIRS
from ccc.primitives import boundary, lists, structure, zero_trees


class Step(NamedTuple):
    """A step into a structure: by an index or key, or by the name of an attribute."""

    key: Any
    attribute: bool = False

    def __str__(self) -> str:
        return f".{self.key}" if self.attribute else f"[{self.key!r}]"


Steps = tuple[Step, ...]


class Part(NamedTuple):
    """A part of a parameter; without steps all of it."""

    parameter: int
    steps: Steps = ()


def text_of(name: str, steps: Steps) -> str:
    """A part as Python writes it."""
    return name + "".join(map(str, steps))


def reach(value: Any, steps: Steps) -> Any:
    """The part of a value.

    Raises what Python raises where there is none.
    """
    for step in steps:
        value = getattr(value, step.key) if step.attribute else value[step.key]
    return value


def position(names: Any, step: Step) -> int:
    """Where a part stands among those of a tuple, or of a record with names; from the end where it is negative."""
    return step.key if names is None or (not step.attribute and step.key not in names) else names.index(step.key)


def known(tree: Tree, steps: Steps) -> tuple[Any, Steps]:
    """The part of a tree, as far as its structure is known, and the steps that are left in the value of a leaf.

    >>> known(((1, 2), 3), (Step(0), Step(1))), known((1, 2), (Step(0), Step(1)))
    ((2, ()), (1, (Step(key=1, attribute=False),)))
    """
    while steps and isinstance(tree, tuple):
        tree, steps = tree[position(tree.names if isinstance(tree, Node) else None, steps[0])], steps[1:]
    return tree, steps


def object_at(a: Object, steps: Steps) -> Object:
    """The object of a part of a value."""
    for step in steps:
        if isinstance(a, List):
            a = a.item
        elif isinstance(a, Product):
            a = a.parts[position(a.names if isinstance(a, Record) else None, step)]
    return a


def read(x: Any, step: Step) -> Any:
    """A part of a value of a program."""
    a = x.object
    if isinstance(a, Record):
        i = position(a.names, step)
        return structure.field(x, cls=a.cls, name=a.names[i], index=i)
    return structure.part(x, index=step.key % len(a.parts)) if isinstance(a, Product) else structure.item(x, step.key)


def pulled(ct: Any, tree: Tree, steps: Steps) -> tuple[Any, Any]:
    """The cotangent of a part, of that of the whole, and the part of the tree."""
    while steps and isinstance(tree, tuple):
        i = position(tree.names if isinstance(tree, Node) else None, steps[0])
        ct, tree, steps = parts(ct, len(tree))[i], tree[i], steps[1:]
    for step in steps:
        inner = read(tree, step)
        if not isinstance(ct, Zero):
            a = tree.object  # type: ignore[union-attr]
            whole = dense(ct.dense() if hasattr(ct, "dense") else ct)
            ct = structure.field_cotangent(whole, inner, name=a.names[position(a.names, step)]) if isinstance(
                a, Record) else read(whole, step)
        tree = inner
    return ct if isinstance(ct, Zero) or not steps else boundary.conform(ct, tree), tree


def tangent_at(tree: Tree, steps: Steps, make: Callable[[Any, Steps], tuple[Any, Any]]) -> tuple[Any, Any]:
    """The tangent of a tree of which only a part moves, and what else `make` gives of the part and of the steps that
    are left in it."""
    if not steps or not isinstance(tree, tuple):
        return make(tree, steps)
    i = position(tree.names if isinstance(tree, Node) else None, steps[0]) % len(tree)
    d, made = tangent_at(tree[i], steps[1:], make)
    return tuple([d if k == i else ZERO for k, _ in enumerate(tree)]), made


def moved(x: Any, steps: Steps, d: Any) -> Any:
    """The tangent of a value of which only a part moves."""
    if not steps:
        return d
    step, a = steps[0], x.object
    inner = moved(read(x, step), steps[1:], d)
    if isinstance(a, List):
        return lists.set_item(zero_trees.zeros_like(x), inner, step.key)
    i, still = position(a.names if isinstance(a, Record) else None, step) % len(a.parts), zero_trees.zeros_like(x)
    names: Sequence[Any] = a.names if isinstance(a, Record) else range(len(a.parts))
    found = [inner if k == i else read(still, Step(name)) for k, name in enumerate(names)]
    return structure.record(*found, cls=a.cls, names=a.names) if isinstance(a, Record) else structure.pack(*found)


def conjugated(tree: tuple[Any, ...], cts: Sequence[Any]) -> Sequence[Any]:
    """The cotangents of the parts of a tuple or record, as they are handed out, of those at hand, and the other way
    round. That of a complex number x + iy is handed out as x' - iy', so the pullback of a function with a complex
    derivative multiplies by it.

    Source: the conventions of `jax.vjp` and `jax.grad`.
    """
    if not isinstance(tree, Node) or tree.cls not in PAIRS:
        return cts
    real, imag = cts
    return real, imag if isinstance(imag, Zero) else -dense(imag.dense() if isinstance(imag, Contribution) else imag)
