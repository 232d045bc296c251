"""What is handed in and out: arguments as JAX takes them, results as NumPy and Python have them, or as JAX has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.core
import jax.numpy as jnp
import numpy as np

from ccc.compile.program.lam import Lit, Tree, valued
from ccc.compile.program.target import NotTaken
from ccc.compile.xla.values import Selected, Span, Stacked, as_object, dtype_of, is_of, items_of, stacked
from ccc.objects import Array, Bool, Int, List, Object, Product, Real, Static
from ccc.records import like, mapped, parts_of

RAISES = "Python raises here: call it outside of what JAX traces to see what, and where"
ONE = Array, Real, Int, Bool
"""The objects of one number or array."""
Number = Callable[[Any, Object], Any]
"""What makes of a number or array that which is handed out."""


def is_unknown(x: Any) -> bool:
    """Whether a value stands for numbers that nobody knows yet, since JAX traces what computes with it."""
    return isinstance(x, jax.core.Tracer)


def numbers_in(x: Any) -> list[Any]:
    """The leaves of a value, from left to right."""
    found: list[Any] = []
    mapped(found.append, x)
    return found


def leaf(x: Any, a: Object) -> Any:
    """An argument as JAX takes it: numbers as arrays without axes, lists as rows where they can be. What is none of
    JAX's stays NumPy's, which costs nothing: it goes to the device when it is called. So stay weak types, which the
    program makes strong: that would be a call of its own for each number."""
    if isinstance(x, np.ndarray):
        return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))
    if isinstance(a, List):
        dtype = dtype_of(a.item)
        if dtype is not None and {*map(type, x)} <= NUMBERS and len(x):
            return Stacked(np.asarray(x, dtype), len(x))
        return stacked([leaf(item, a.item) for item in x], where_they_are)
    if isinstance(a, Product):
        parts = parts_of(x)
        return x if parts is None else like(x, list(map(leaf, parts, a.parts)))
    dtype = dtype_of(a)
    if x is None or isinstance(x, jax.Array):
        return x if x is None or x.dtype == dtype else as_object(x, a)
    return as_object(x, a) if dtype is None else np.asarray(x, dtype)


NUMBERS = {float, int, bool}


def where_they_are(column: Sequence[Any]) -> Any:
    """Numbers or arrays as rows, of NumPy's as long as none is JAX's."""
    return jnp.stack(column) if any([isinstance(x, jax.Array) for x in column]) else np.stack(column)


def handed(found: Any, tree: Tree, number: Number) -> Any:
    """A result as users get it."""
    if isinstance(tree, tuple):
        return valued(tree, [handed(x, part, number) for x, part in zip(found, tree, strict=True)])
    if tree is None or found is None:
        return tree.value if isinstance(tree, Lit) and isinstance(tree.object, Static) else None
    return out(found, tree.object, number)  # type: ignore[union-attr]


def out(x: Any, a: Object, number: Number) -> Any:
    """One value as users get it. Raises `NotTaken` for a list whose length nobody knows yet."""
    if x is None:
        return None
    if isinstance(x, Selected):
        if is_unknown(x.mask):
            raise NotTaken("a selection by a mask among the results")
        x = np.asarray(x.whole)[np.asarray(x.mask)]
    if isinstance(a, ONE):
        return number(x, a)
    if isinstance(a, List):
        if isinstance(x, Stacked) and x.is_counted:
            if is_unknown(x.length):
                raise NotTaken("a list among the results whose length is known only when it runs")
            x = Stacked(x.rows, int(x.length))
        if isinstance(x, Span):
            if is_unknown(x.length):
                raise NotTaken("a range among the results whose length is known only when it runs")
            x = range(int(x.start), int(x.start + x.step * x.length), int(x.step))
        if isinstance(x, Stacked):  # all rows at once, not one by one on the device
            x = apart(x, number)
        return [out(item, a.item, number) for item in items_of(x)]
    if isinstance(a, Product):
        parts = parts_of(x)
        return x if parts is None else like(x, [out(part, of, number) for part, of in zip(parts, a.parts, strict=True)])
    return x


def apart(xs: Stacked, number: Number) -> list[Any]:
    """The items of a list whose length is known."""
    leaves, structure = jax.tree_util.tree_flatten(xs.rows)
    with jax.enable_x64(True):
        columns = [list(np.asarray(rows) if number is plain else rows)[: xs.length] for rows in leaves]
    return [jax.tree_util.tree_unflatten(structure, item) for item in zip(*columns, strict=True)]


CLASSES = {"float": float, "any": np.float64, "int": int, "bool": bool, "bool_": np.bool_}
"""The classes of Python's numbers."""


def plain(x: Any, a: Object) -> Any:
    """A number or array as Python and NumPy have it."""
    if isinstance(a, Array):
        return np.array(x, a.dtype)
    x = np.asarray(x)
    if isinstance(a, Real) and x.ndim:
        return np.array(x)
    cls = CLASSES.get(a.kind)  # type: ignore[attr-defined]
    return cls(x.item()) if cls is not None else np.dtype(a.kind).type(x[()])  # type: ignore[attr-defined]


def kept(x: Any, a: Object) -> Any:
    """A number or array as JAX has it, where it is."""
    dtype = None if isinstance(a, Real) and np.ndim(x) else dtype_of(a)
    if dtype is not None and is_of(x, dtype):
        return x
    with jax.enable_x64(True):
        return jnp.asarray(x, dtype)


def on_host(x: Any) -> Any:
    """A value with NumPy's arrays and numbers in the place of JAX's."""
    def leaf(x: Any) -> Any:
        if not isinstance(x, jax.Array):
            return x
        if not (x.is_fully_addressable or x.is_fully_replicated):
            raise RuntimeError(f"{RAISES}; its arrays are on several machines")
        return np.asarray(x)[()]

    return mapped(leaf, x)


def on_device(x: Any) -> Any:
    """A value with JAX's arrays in the place of numbers and arrays."""
    with jax.enable_x64(True):
        numbers = np.ndarray | np.generic | float | int
        return mapped(lambda x: jnp.asarray(np.asarray(x)) if isinstance(x, numbers) else x, x)
