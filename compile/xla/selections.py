"""Selections by a mask, whose size nobody knows before the program runs: the whole array and the mask, since XLA has no
arrays of unknown sizes.

What acts item by item on selections gives a selection; a reduction leaves out what is not selected; a write under the
mask chooses item by item. Two selections go together where their masks are the same, which the run looks at unless it
is one mask. What is computed where nothing is selected is never read; where it would raise, it is computed again with
an item that is selected in the place of those that are not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np

from ccc.compile.program.target import NotTaken
from ccc.compile.xla.facade import NP
from ccc.compile.xla.forms import entry, form_of_selections
from ccc.compile.xla.frames import Run
from ccc.compile.xla.of_arrays import Masked, masked
from ccc.compile.xla.values import Selected, is_traced
from ccc.primitives import (
    bilinear,
    broadcasting,
    creation,
    indexing,
    inplace,
    reductions,
    shaping,
    structure,
    updating,
    zero_trees,
)
from ccc.primitives.primitive import Primitive, elementwise

Computed = Callable[[list[Any]], Any]
"""What a primitive gives for arguments that are no selections."""
ROWS = np.array([-1.5, -0.25]), np.array([2.5, 1.25, 0.5])
"""Items at which it is tried whether others change what comes of them."""


def of_selections(e: Run, p: Primitive, args: list[Any], params: dict[str, Any], computed: Computed) -> Any:
    """What a primitive gives where selections are among its arguments. Raises `NotTaken` where that is not known."""
    own = entry(p).of
    if own is not None:
        return own(e, computed, *args, **params)
    if p.type_rule is elementwise:
        return each(e, args, computed)
    if len(args) == 1:
        return reduced(e, p, args[0], params, computed)
    raise NotTaken(f"`{p.name}` of a selection by a mask, whose size is known only when it runs")


def each(e: Run, args: list[Any], computed: Computed) -> Selected:
    """Item by item."""
    mask = common(e, args)
    before = e.frame
    rest = max([x.rest for x in args if isinstance(x, Selected)])
    args = [x if isinstance(x, Selected) else beside(x, rest) for x in args]
    found = computed([x.whole if isinstance(x, Selected) else x for x in args])
    if e.frame is not before:  # which may be for what is not selected
        e.frame = before
        found = computed([x.filled() if isinstance(x, Selected) else x for x in args])
    return Selected(found, mask)


def common(e: Run, args: Sequence[Any]) -> Any:
    """The mask of all selections."""
    first, *others = [x.mask for x in args if isinstance(x, Selected)]
    for mask in others:
        if mask is not first:
            if mask.shape != first.shape:
                raise NotTaken("selections by masks of several sizes")
            e.failing(jnp.any(mask != first))
    return first


def beside(x: Any, rest: int) -> Any:
    """A number, or an array of as many axes as a selection has beside its first: one that has its first too would have
    to fit to the size, which one item does."""
    if np.ndim(x) == rest + 1 and np.shape(x)[0] == 1:
        x = jnp.reshape(x, np.shape(x)[1:])
    if np.ndim(x) > rest:
        raise NotTaken("a selection by a mask beside an array")
    return x


def reduced(e: Run, p: Primitive, x: Selected, params: dict[str, Any], computed: Computed) -> Any:
    """A reduction along all axes, or the one that is selected from."""
    if params.get("axis") not in (None, 0):
        raise NotTaken("a reduction of a selection by a mask along its other axes")
    x = x.flat()
    if is_unchanged(p, params, lambda x: 0.0):
        return computed([jnp.where(x.over(), x.whole, jnp.zeros((), x.whole.dtype))])
    if is_unchanged(p, params, lambda x: x[0]):
        e.failing(~jnp.any(x.mask))
        return computed([x.filled()])
    if not takes_where(p.value):
        raise NotTaken(f"`{p.name}` of a selection by a mask, whose size is known only when it runs")
    return getattr(NP, p.value.__name__)(x.whole, where=x.over(), **params)


def is_unchanged(p: Primitive, params: dict[str, Any], more: Callable[[Any], float]) -> bool:
    """Whether a reduction gives the same of items with one more among them, wherever that stands.

    >>> [is_unchanged(p, {}, lambda x: 0.0) for p in (reductions.sum_, reductions.max_, reductions.argmax)]
    [True, False, False]
    >>> [is_unchanged(p, {}, lambda x: x[0]) for p in (reductions.sum_, reductions.max_, reductions.argmax)]
    [False, True, False]
    """
    try:
        return all(np.array_equal(p.value(x, **params), p.value(np.insert(x, k, more(x)), **params))
                   for x in ROWS for k in range(len(x) + 1))
    except (TypeError, ValueError, ArithmeticError):
        return False


@cache
def takes_where(f: Callable[..., Any]) -> bool:
    """Whether it is a reduction of NumPy's that can leave items out."""
    try:
        return f.__module__ == "numpy" and "where" in inspect.signature(f).parameters
    except (AttributeError, TypeError, ValueError):
        return False


@form_of_selections(reductions.count)
def count(e: Run, computed: Computed, x: Selected, axis: Any = None, ddof: Any = 0) -> Any:
    """How many items there are, at least 1."""
    if axis not in (None, 0):
        raise NotTaken("a reduction of a selection by a mask along its other axes")
    n = jnp.sum(x.mask) * (x.whole.size // max(1, x.mask.size) if axis is None else 1)
    return jnp.where(n > ddof, n - ddof, 1)


@form_of_selections(shaping.dim, shaping.size, structure.length)
def dim(e: Run, computed: Computed, x: Selected, axis: int | None = None) -> Any:
    """A size: how many are selected, or one that is known."""
    rest = x.whole.shape[x.mask.ndim :]
    if axis is not None and axis % (1 + len(rest)):
        return rest[axis % (1 + len(rest)) - 1]
    n = jnp.sum(x.mask, dtype="int64")
    if axis == 0:
        e.counts(n, x.mask)
        return n
    return n * int(np.prod(rest)) if rest else dim(e, computed, x, 0)


@form_of_selections(bilinear.dot, bilinear.matmul)
def product(e: Run, computed: Computed, a: Any, b: Any) -> Any:
    """A sum of products of two rows of items."""
    if not isinstance(a, Selected) or not isinstance(b, Selected) or a.whole.ndim != 1 or b.whole.ndim != 1:
        raise NotTaken("a product of matrices with a selection by a mask")
    common(e, (a, b))
    return computed([jnp.where(x.mask, x.whole, 0) for x in (a, b)])


def made(e: Run, p: Primitive, args: Sequence[Any], params: dict[str, Any]) -> Selected | None:
    """A new array of as many items as a mask selects; None for any other."""
    mask = e.counted_by(args[0]) if args and p.shape is creation.zeros.shape and is_traced(args[0]) else None
    if mask is None or any(map(is_traced, args[1:])):
        return None
    whole = jnp.asarray(p.value(mask.size, *args[1:], **params))
    return Selected(whole.reshape(mask.shape + whole.shape[1:]), mask)


@form_of_selections(zero_trees.zeros_like, creation.zeros_like, creation.ones_like, zero_trees.spread_zero)
def like(e: Run, computed: Computed, x: Selected) -> Selected:
    return Selected(computed([x.whole]), x.mask)


@form_of_selections(shaping.copy)
def copy(e: Run, computed: Computed, x: Selected, **params: Any) -> Selected:
    return x


@form_of_selections(shaping.astype)
def astype(e: Run, computed: Computed, x: Selected, **params: Any) -> Selected:
    return Selected(computed([x.filled()]), x.mask)


@form_of_selections(broadcasting.broadcast_like)
def broadcast(e: Run, computed: Computed, x: Any, like: Any) -> Selected:
    """A number at all places of a selection."""
    if isinstance(x, Selected):
        return x
    return Selected(computed([beside(x, like.rest), like.whole]), like.mask)


@form_of_selections(broadcasting.unbroadcast)
def unbroadcast(e: Run, computed: Computed, ct: Any, x: Any) -> Any:
    """The cotangent of a selection, or of a number that was taken to all its places."""
    if isinstance(ct, Selected) and isinstance(x, Selected):
        common(e, (ct, x))
        return ct
    if isinstance(x, Selected):
        return Selected(jnp.broadcast_to(beside(ct, x.rest), x.whole.shape), x.mask)
    if np.size(x) != 1:
        raise NotTaken("a selection by a mask beside an array")
    return computed([jnp.where(ct.over(), ct.whole, 0), x])


@form_of_selections(reductions.expanded)
def expanded(e: Run, computed: Computed, ct: Any, x: Selected, axis: Any) -> Selected:
    if isinstance(ct, Selected) or axis != 0:
        raise NotTaken("a reduction of a selection by a mask along its other axes")
    return Selected(computed([ct, x.flat().whole]).reshape(x.whole.shape), x.mask)


@form_of_selections(reductions.spread_ties)
def spread_ties(
    e: Run, computed: Computed, ct: Any, y: Any, x: Selected, axis: Any = None, keepdims: bool = False
) -> Selected:
    """The cotangent of an extremum, in equal shares at its ties."""
    if axis is not None or isinstance(ct, Selected):
        raise NotTaken("an extremum of a selection by a mask along an axis")
    ties = (x.whole == y) & x.over()
    number = jnp.maximum(jnp.sum(ties, dtype=x.whole.dtype), 1)
    return Selected(jnp.where(ties, ct / number, 0).astype(x.whole.dtype), x.mask)


@form_of_selections(inplace.updated)
def updated(e: Run, computed: Computed, new: Any, old: Any, spread: bool = False) -> Any:
    """A value as it stands in a selection that it is written to."""
    if isinstance(new, Selected) and isinstance(old, Selected):
        common(e, (new, old))
        return new
    if not isinstance(old, Selected) or not spread:
        raise NotTaken("a selection by a mask in the place of an array")
    return Selected(jnp.broadcast_to(beside(new, old.rest), old.whole.shape), old.mask)


@form_of_selections(updating.set_at)
def write(e: Run, computed: Computed, x: Any, v: Any, *numbers: Any, pattern: Any) -> Any:
    """An array with the items of a selection where its mask holds."""
    at, v = written(e, x, v, numbers, pattern)
    return at.back(jnp.where(at.over, v, at.part))


@form_of_selections(indexing.add_at)
def add(e: Run, computed: Computed, x: Any, v: Any, *numbers: Any, pattern: Any) -> Any:
    at, v = written(e, x, v, numbers, pattern)
    return at.back(jnp.where(at.over, at.part + v, at.part))


def written(e: Run, x: Any, v: Any, numbers: Sequence[Any], pattern: Any) -> tuple[Masked, Any]:
    """The part of an array that is written to, and what is written."""
    at = None if isinstance(x, Selected) or not isinstance(v, Selected) else masked(e, x, pattern, numbers)
    if at is None or v.whole.shape != at.part.shape:
        raise NotTaken("items of a selection by a mask that are written elsewhere")
    common(e, (v, Selected(v.whole, at.mask)))
    return at, v.whole.astype(at.part.dtype)


__all__ = ["made", "of_selections"]
