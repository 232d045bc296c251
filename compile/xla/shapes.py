"""The structure that two branches, or all turns of a loop, have in common, and values brought into it.

A value that one branch does not make is zero there; the number 0, which is the zero of everything, takes the shape of
what it meets.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ccc.compile.program.lam import Absent
from ccc.compile.program.target import NotTaken
from ccc.compile.xla.values import Grown, Stacked, as_object, is_traced
from ccc.objects import UNIT, List, Object


class Unequal(NotTaken):
    """Values that are to be one are of several sizes."""


ANY_LIST = List(UNIT)
"""Lists whose items are left as they are."""
UNEQUAL = "values of several sizes in the branches of an `if` or the turns of a loop"


def is_absent(x: Any) -> bool:
    """Whether a value was not made, or says nothing."""
    return x is None or isinstance(x, Absent)


def is_zero(x: Any) -> bool:
    """Whether a value is the number 0, and known to be."""
    return isinstance(x, (int, float, np.number)) and not isinstance(x, bool) and x == 0


def merged(a: Any, b: Any, obj: Object, first: Any = None) -> Any:
    """The shapes that both have; `first` is what stands before a loop, whose shapes `a` are."""
    if is_absent(a):
        return shaped(b, obj)
    if is_absent(b):
        return shaped(a, obj)
    zero = is_zero(a) or is_zero(first), is_zero(b)
    left, right = shaped(a, obj), shaped(b, obj)
    if zero[0] and not zero[1]:
        return right
    if zero[1] and not zero[0]:
        return left
    if isinstance(left, Stacked) and isinstance(right, Stacked) and differ(left, right):
        left, right = longest(left, right), longest(right, left)
    one, other = jax.tree_util.tree_flatten(left), jax.tree_util.tree_flatten(right)
    if one[1] != other[1] or any(x.shape != y.shape for x, y in zip(one[0], other[0], strict=True)):
        raise Unequal(UNEQUAL)
    both = zip(one[0], other[0], strict=True)
    return jax.tree_util.tree_unflatten(
        one[1], [jax.ShapeDtypeStruct(x.shape, jnp.promote_types(x.dtype, y.dtype)) for x, y in both])


def differ(a: Stacked, b: Stacked) -> bool:
    """Whether lists have several lengths, of which one may be known only when the program runs."""
    return a.is_counted or b.is_counted or a.length != b.length


def longest(a: Stacked, b: Stacked) -> Stacked:
    """The shapes of a list whose length is a number of the program, with memory for the longer of two."""
    sizes = [len(leaf.shape) and leaf.shape[0] for x in (a, b) for leaf in jax.tree_util.tree_leaves(x.rows)]
    most = max(sizes, default=0)
    rows = jax.tree_util.tree_map(lambda s: jax.ShapeDtypeStruct((most, *s.shape[1:]), s.dtype), a.rows)
    return Stacked(rows, jax.ShapeDtypeStruct((), np.dtype("int64")))


def shaped(x: Any, obj: Object) -> Any:
    """The shapes of a value, or of shapes, as its object says."""
    if is_absent(x):
        return None
    if is_traced(x):
        return jax.eval_shape(lambda: as_object(x, obj))
    leaves, tree = jax.tree_util.tree_flatten(x)
    if leaves and all(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves):
        return jax.eval_shape(lambda *xs: as_object(jax.tree_util.tree_unflatten(tree, xs), obj), *leaves)
    return jax.eval_shape(lambda: as_object(x, obj))


def fitted(x: Any, shape: Any) -> Any:
    """A value in a structure: in its dtypes, zeros for what was not made, broadcast where it is the number 0.

    Raises `Unequal` where it does not fit.
    """
    if is_absent(x):
        return jax.tree_util.tree_map(lambda s: jnp.zeros(s.shape, s.dtype), shape)
    leaves, tree = jax.tree_util.tree_flatten(shape)
    if is_zero(x) and len(leaves) != 1:
        return jax.tree_util.tree_map(lambda s: jnp.zeros(s.shape, s.dtype), shape)
    if isinstance(x, list) and isinstance(shape, Stacked):
        x = as_object(x, ANY_LIST)
    if isinstance(x, Stacked) and isinstance(shape, Stacked) and shape.is_counted:
        x = x.counted(jax.tree_util.tree_leaves(shape.rows)[0].shape[0])
    found, structure = jax.tree_util.tree_flatten(x)
    if structure != tree:
        raise Unequal(UNEQUAL)
    fits = []
    for value, s in zip(found, leaves, strict=True):
        if np.shape(value) != s.shape and not is_zero(x):
            raise Unequal(UNEQUAL)
        fits.append(jnp.broadcast_to(jnp.asarray(value, s.dtype), s.shape))
    return jax.tree_util.tree_unflatten(tree, fits)


def same(a: list[Any], b: list[Any]) -> bool:
    """Whether shapes are the same."""
    a, b = [x for x in a if not isinstance(x, Grown)], [x for x in b if not isinstance(x, Grown)]
    left, right = jax.tree_util.tree_flatten(a), jax.tree_util.tree_flatten(b)
    return left[1] == right[1] and [(x.shape, x.dtype) for x in left[0]] == [(x.shape, x.dtype) for x in right[0]]
