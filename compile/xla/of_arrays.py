"""The forms of what reads and changes parts of arrays: a place that there is not is seen by a flag, since JAX takes the
nearest one."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ccc.compile.program.target import NotTaken
from ccc.compile.xla.blocks import block_of, inside
from ccc.compile.xla.forms import Fails, derived_call, form
from ccc.compile.xla.frames import Run
from ccc.compile.xla.meshes import divided, varying
from ccc.compile.xla.values import Selected, Stacked, is_traced
from ccc.primitives import (
    bilinear,
    broadcasting,
    guarded,
    indexing,
    inplace,
    products,
    rearranging,
    reductions,
    running,
    shaping,
    updating,
    zero_trees,
)
from ccc.primitives.indexing import Pattern, key_of
from ccc.primitives.primitive import Primitive


def key(e: Run, x: Any, pattern: Pattern, numbers: Sequence[Any]) -> Any:
    """The index, its places looked at. Raises `Fails` where there is no such place."""
    given, shape = iter(numbers), np.shape(x)
    taken = sum(_axes(code, n) for code, n in _advanced(pattern, numbers))
    if taken > len(shape):
        raise Fails
    axis = 0
    for code in pattern:
        if code == ".":
            axis += len(shape) - taken
        elif code == "+":
            continue
        elif code in "ia":
            n = next(given)
            if _is_mask(n):
                if np.shape(n) != shape[axis : axis + np.ndim(n)]:
                    raise Fails
                axis += np.ndim(n)
                continue
            _check(e, n, shape[axis])
            axis += 1
        else:
            for _ in code[1:]:
                next(given)
            axis += 1
    return key_of(pattern, [np.asarray(n) if isinstance(n, list) else n for n in numbers])


def _advanced(pattern: Pattern, numbers: Sequence[Any]) -> list[tuple[str, Any]]:
    given, found = iter(numbers), []
    for code in pattern:
        found.append((code, next(given) if code in "ia" else None))
        if code[0] == "s":
            for _ in code[1:]:
                next(given)
    return found


def _axes(code: str, n: Any) -> int:
    if code in ".+":
        return 0
    return np.ndim(n) if _is_mask(n) else 1


def _is_mask(n: Any) -> bool:
    return hasattr(n, "dtype") and np.issubdtype(n.dtype, np.bool_)


def _check(e: Run, n: Any, size: int) -> None:
    if not is_traced(n):
        places = np.asarray(n)
        if places.size and (places.min() < -size or places.max() >= size):
            raise Fails
        return
    if np.size(n):
        inside(e, n, -size, size - 1)


class Masked:
    """The part of an array that a mask of its first axes selects from, where that is known only when it runs: what of
    the array the rest of an index names, and the mask."""

    def __init__(self, e: Run, x: Any, mask: Any, pattern: Pattern, numbers: Sequence[Any]) -> None:
        self.e, self.x, self.mask, self.pattern, self.numbers = e, x, mask, ("s",) * mask.ndim + pattern, numbers
        self.part = read(e, x, *numbers, pattern=self.pattern) if pattern else x

    @property
    def over(self) -> Any:
        """The mask in all axes of the part."""
        return self.mask.reshape(self.mask.shape + (1,) * (self.part.ndim - self.mask.ndim))

    def back(self, part: Any) -> Any:
        """The array with another part there."""
        return write(self.e, self.x, part, *self.numbers, pattern=self.pattern) if len(
            self.pattern) > self.mask.ndim else part


def masked(e: Run, x: Any, pattern: Pattern, numbers: Sequence[Any]) -> Masked | None:
    """The part that a mask selects from which is known only when it runs; None where no index is one."""
    if not any([_is_mask(n) and is_traced(n) for n in numbers]):
        return None
    mask, *others = numbers
    if pattern[0] != "a" or not _is_mask(mask) or "a" in pattern[1:]:
        raise NotTaken("an index with a mask and arrays, known only when it runs")
    x, mask = jnp.asarray(x), jnp.asarray(mask)
    if mask.shape != x.shape[: mask.ndim]:
        raise Fails
    return Masked(e, x, mask, pattern[1:], others)


def changed(e: Run, x: Any, v: Any, pattern: Pattern, numbers: Sequence[Any], change: Any) -> Any:
    """An array changed alike wherever a mask holds that is known only when it runs; None for other indices."""
    at = masked(e, x, pattern, numbers)
    if at is None:
        return None
    if np.ndim(v) > at.part.ndim - at.mask.ndim:
        raise NotTaken("items for a mask that is known only when it runs")
    return at.back(jnp.where(at.over, change(at.part, jnp.asarray(v, at.part.dtype)), at.part))


@form(indexing.index, updating.take_at)
def read(e: Run, x: Any, *numbers: Any, pattern: Pattern) -> Any:
    """Part of an array."""
    at = masked(e, x, pattern, numbers)
    if at is not None:
        return Selected(at.part, at.mask)
    x, places = jnp.asarray(x), key(e, x, pattern, numbers)
    block = block_of(e, x.shape, pattern, numbers)
    return x[places] if block is None else block.read(x)


@form(updating.set_at)
def write(e: Run, x: Any, v: Any, *numbers: Any, pattern: Pattern) -> Any:
    """An array with other items at some places."""
    x = jnp.asarray(x)
    found = changed(e, x, v, pattern, numbers, lambda part, v: v)
    if found is not None:
        return found
    places = key(e, x, pattern, numbers)
    block = block_of(e, x.shape, pattern, numbers)
    if block is not None:
        return block.write(x, v)
    if "a" in pattern and any(is_traced(n) for n in numbers) and np.ndim(v):
        e.failing(_repeated(x, places))  # which write is the last, JAX does not say
    return x.at[places].set(jnp.asarray(v, x.dtype))


def _repeated(x: Any, places: Any) -> Any:
    """Whether an index names a place twice."""
    return jnp.any(jnp.zeros(x.shape, "int32").at[places].add(1) > 1)


@form(indexing.add_at)
def add(e: Run, x: Any, v: Any, *numbers: Any, pattern: Pattern) -> Any:
    """An array to whose items at some places something is added."""
    x = jnp.asarray(x)
    found = changed(e, x, v, pattern, numbers, operator.add)
    if found is not None:
        return found
    places = key(e, x, pattern, numbers)
    block = block_of(e, x.shape, pattern, numbers)
    return x.at[places].add(jnp.asarray(v, x.dtype)) if block is None else block.add(x, v, e.is_blank(x))


@form(updating.last_writes)
def last(e: Run, x: Any, *numbers: Any, pattern: Pattern) -> Any:
    """1 where the last write to a place is; where places are repeated Python computes."""
    places = key(e, x, pattern, numbers)
    x = jnp.asarray(x)
    shape = jax.eval_shape(lambda: x[places])
    e.failing(_repeated(x, places))
    return jnp.ones(shape.shape, x.dtype)


@form(broadcasting.unbroadcast)
def unbroadcast(e: Run, ct: Any, x: Any) -> Any:
    """A cotangent summed to the shape of what it is the cotangent of."""
    if not isinstance(x, (jax.Array, np.ndarray, float, int, np.generic)):
        raise NotTaken("a cotangent of several parts that is summed")
    shape, ct = np.shape(x), jnp.asarray(ct)
    if ct.shape == shape:
        return ct
    if ct.ndim < len(shape):
        ct = ct.reshape((1,) * (len(shape) - ct.ndim) + ct.shape)
    extra = ct.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        [i + extra for i, n in enumerate(shape) if n == 1 and ct.shape[i + extra] != 1])
    return jnp.sum(ct, axis=axes).reshape(shape)


@form(broadcasting.broadcast_like)
def broadcast(e: Run, x: Any, like: Any) -> Any:
    """A value in the shape of another."""
    if not isinstance(like, (jax.Array, np.ndarray, float, int, np.generic)):
        raise NotTaken("a value of several parts that is spread")
    x, shape = jnp.asarray(x), np.shape(like)
    if x.ndim > len(shape):
        x = x.reshape(x.shape[x.ndim - len(shape) :])
    return jnp.broadcast_to(x, shape)


@form(zero_trees.zeros_like)
def zeros(e: Run, x: Any) -> Any:
    """The zero cotangent of a value."""
    def zero(leaf: Any) -> Any:
        if isinstance(leaf, Stacked):  # whose length, which may be a number of JAX, stays
            return Stacked(zeros(e, leaf.rows), leaf.length)
        return e.blank(jnp.zeros(np.shape(leaf), jnp.result_type(leaf))) if _real(leaf) else None

    return jax.tree_util.tree_map(zero, x, is_leaf=lambda leaf: isinstance(leaf, Stacked))


@form(shaping.copy)
def copy(e: Run, x: Any, **params: Any) -> Any:
    return jnp.asarray(x)


@form(zero_trees.spread_zero)
def spread_zero(e: Run, x: Any) -> Any:
    return jnp.zeros(np.shape(x), getattr(x, "dtype", float))


def _real(leaf: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(leaf), jnp.inexact))


def _by_sizes(p: Primitive) -> None:
    """What raises at sizes alone, which are looked at while JAX traces."""
    form(p)(lambda e, *args, **params: derived_call(p, list(args), (), params))


_by_sizes(reductions.expanded)
_by_sizes(reductions.mean_ties)


def _transposed(onto: Primitive, p: Primitive) -> None:
    """The transpose of a function that moves items."""
    def give(e: Run, ct: Any, x: Any, *places: Any, **params: Any) -> Any:
        def moved(x: Any) -> Any:
            return derived_call(p, [x, *places], (), params)

        ct = jnp.asarray(ct)
        (found,) = jax.linear_transpose(moved, jax.ShapeDtypeStruct(np.shape(x), ct.dtype))(ct)
        return found

    form(onto)(give)


for _onto, _p in rearranging.TRANSPOSES.items():
    _transposed(_onto, _p)


@form(inplace.updated)
def updated(e: Run, new: Any, old: Any, spread: bool = False) -> Any:
    """A value as it stands in an array that it is written to."""
    new, shape = jnp.asarray(new), np.shape(old)
    if new.shape == shape:
        return new
    if not shape:
        raise NotTaken("an array that is written to one without axes")
    if not spread or np.broadcast_shapes(new.shape, shape) != shape:
        raise Fails
    return jnp.broadcast_to(new, shape)


def strong(d: Any, found: Any) -> Any:
    """A result, zero where `d` is."""
    return jnp.where(jnp.asarray(d) == 0, jnp.zeros((), jnp.asarray(found).dtype), found)


@form(guarded.times0)
def times0(e: Run, d: Any, x: Any) -> Any:
    return strong(d, jnp.multiply(d, x))


@form(guarded.over0)
def over0(e: Run, d: Any, x: Any) -> Any:
    return strong(d, jnp.divide(d, x))


@form(guarded.both0)
def both0(e: Run, d: Any, x: Any) -> Any:
    return strong(x, strong(d, jnp.multiply(d, x)))


@form(guarded.unit)
def unit(e: Run, x: Any, length: Any) -> Any:
    return strong(length, jnp.divide(x, length))


@form(guarded.where_real)
def where_real(e: Run, d: Any, a: Any, n: Any) -> Any:
    """The derivative of a power, which is none where that is complex."""
    e.failing((jnp.asarray(a) < 0) & jnp.isfinite(a) & (jnp.asarray(n) % 1 != 0) & (jnp.asarray(d) != 0))
    return d


@form(guarded.weight)
def weight(e: Run, a: Any, b: Any) -> Any:
    return jax.nn.sigmoid(jnp.where(jnp.equal(a, b), 0.0, jnp.subtract(a, b)))


@form(reductions.spread_ties)
def spread_ties(e: Run, ct: Any, y: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The cotangent of an extremum, in equal shares at its ties."""
    full, extremum = (ct, y) if axis is None or keepdims else (jnp.expand_dims(ct, axis), jnp.expand_dims(y, axis))
    x = jnp.asarray(x)
    ties = x == extremum
    number = jnp.maximum(jnp.sum(ties, axis=axis, keepdims=axis is not None, dtype=x.dtype), 1)
    return jnp.where(ties, full / number, 0).astype(x.dtype)


@form(running.running_max)
def running_max(e: Run, x: Any, axis: int) -> Any:
    return jax.lax.cummax(jnp.asarray(x), axis=axis % np.ndim(x))


@form(running.running_min)
def running_min(e: Run, x: Any, axis: int) -> Any:
    return jax.lax.cummin(jnp.asarray(x), axis=axis % np.ndim(x))


FEW = 4
"""Matrices with so few columns are multiplied column by column, which XLA fuses with what is around it."""


@form(bilinear.matmul)
def matmul(e: Run, a: Any, b: Any) -> Any:
    """A product; that of few columns, as the sum of outer products, without a call of a library."""
    if np.ndim(a) == np.ndim(b) == 2 and np.shape(a)[1] == np.shape(b)[0] and 0 < np.shape(b)[0] <= FEW:
        a, b = jnp.asarray(a), jnp.asarray(b)
        return functools.reduce(jnp.add, [a[:, k, None] * b[k] for k in range(len(b))])
    return derived_call(bilinear.matmul, [a, b], (), {})


@form(products.recurrence)
def recurrence(e: Run, b: Any, a: Any, reverse: bool = False) -> Any:
    """A running sum with factors along the last axis, one item after the other."""
    rows, factors = jnp.moveaxis(jnp.asarray(b), -1, 0), jnp.moveaxis(jnp.asarray(a), -1, 0)
    if not len(rows):
        return jnp.asarray(b)
    rows, factors = (rows[::-1], factors[::-1][:-1]) if reverse else (rows, factors[1:])

    def turn(z: Any, items: Any) -> Any:
        z = items[0] + items[1] * z
        return z, z

    start = varying(rows[0], divided((rows, factors)))
    found = jnp.concatenate([start[None], jax.lax.scan(turn, start, (rows[1:], factors))[1]])
    return jnp.moveaxis(found[::-1] if reverse else found, 0, -1)


@form(guarded.share)
def share(e: Run, d: Any, y: Any, x: Any, *others: Any) -> Any:
    """What of `d` belongs to `x` where `y` was chosen among it and the others."""
    ties = 1 + sum([(jnp.asarray(other) == y).astype("int32") for other in others])
    return jnp.where(jnp.asarray(x) == y, jnp.asarray(d) / jnp.asarray(ties, jnp.asarray(d).dtype), 0)
