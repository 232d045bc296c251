"""The forms of Python's own functions of numbers, and of what lists and records are made of."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ccc.compile.program.target import NotTaken
from ccc.compile.xla.forms import Fails, form
from ccc.compile.xla.frames import Run
from ccc.compile.xla.handing import out, plain
from ccc.compile.xla.of_arrays import zeros
from ccc.compile.xla.values import Grown, Span, Stacked, as_object, is_traced, items_of, length_of, stacked
from ccc.objects import UNIT, List, Object
from ccc.primitives import (
    arithmetic,
    barriers,
    boundary,
    effects,
    elementary_math,
    folds,
    joining,
    lists,
    structure,
    sums,
    widening,
    zero_trees,
)
from ccc.primitives.primitive import Primitive
from ccc.records import like, part_if_any, parts_of

NOT_WHOLE = 2.0**62
"""Integers from here on are Python's alone."""


@form(arithmetic.truth)
def truth(e: Run, x: Any) -> Any:
    if isinstance(x, (list, Stacked, Span)):
        return jnp.asarray(length_of(x)) != 0
    if np.ndim(x):
        raise NotTaken("the truth of an array")
    return jnp.asarray(x) != 0


@form(arithmetic.logical_not)
def negation(e: Run, x: Any) -> Any:
    return ~truth(e, x)


@form(arithmetic.both)
def both(e: Run, a: Any, b: Any) -> Any:
    return truth(e, a) & truth(e, b)


@form(arithmetic.to_float)
def to_float(e: Run, x: Any) -> Any:
    return jnp.asarray(x, "float64").reshape(())


@form(arithmetic.to_int)
def to_int(e: Run, x: Any) -> Any:
    x = jnp.asarray(x)
    if jnp.issubdtype(x.dtype, jnp.inexact):
        e.failing(~(jnp.abs(x) < NOT_WHOLE))
        x = jnp.trunc(x)
    return x.astype("int64").reshape(())


@form(arithmetic.rounded)
def rounded(e: Run, x: Any) -> Any:
    x = jnp.asarray(x)
    e.failing(~jnp.all(jnp.abs(x) < NOT_WHOLE))
    return jnp.round(x)


def _first_by(is_better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The first of the best, as Python compares them."""
    def give(e: Run, *xs: Any) -> Any:
        found = jnp.asarray(xs[0])
        for x in xs[1:]:
            found = jnp.where(is_better(jnp.asarray(x), found), x, found)
        return found

    return give


form(arithmetic.largest)(_first_by(operator.gt))
form(arithmetic.smallest)(_first_by(operator.lt))


@form(arithmetic.floordiv)
def floordiv(e: Run, a: Any, b: Any) -> Any:
    _by_zero(e, b)
    return jnp.floor_divide(a, b)


@form(arithmetic.mod)
def mod(e: Run, a: Any, b: Any) -> Any:
    _by_zero(e, b)
    return jnp.mod(a, b)


def _by_zero(e: Run, b: Any) -> None:
    """Python raises for a divisor 0; NumPy gives what it gives, which the same program computes then."""
    e.failing(jnp.any(jnp.asarray(b) == 0))


@form(barriers.stop, barriers.again, widening.widen, boundary.own, lists.as_floats)
def same(e: Run, x: Any) -> Any:
    return x


@form(boundary.conform, boundary.of_kind, barriers.shaped)
def second(e: Run, x: Any, like: Any, **params: Any) -> Any:
    """A value as the second one is, where it has its structure and sizes."""
    if (is_traced(x) or is_traced(like)) and not alike(x, like):
        raise NotTaken("a cotangent of another structure")
    return x


def alike(x: Any, like: Any) -> bool:
    """Whether two values have one structure, and the same sizes in it."""
    found, of = jax.tree_util.tree_flatten(x), jax.tree_util.tree_flatten(like)
    return found[1] == of[1] and all(np.shape(a) == np.shape(b) for a, b in zip(found[0], of[0], strict=True))


@form(barriers.check_like)
def check_like(e: Run, d: Any, x: Any, **params: Any) -> Any:
    if not alike(d, x):
        raise Fails
    return ()


@form(barriers.unit_seed)
def unit_seed(e: Run, y: Any) -> Any:
    if y is None or np.ndim(y):
        raise Fails
    return 1.0


# -- structures ------------------------------------------------------------------------------------------------------


def _as_python(*primitives: Primitive) -> None:
    """What is done to structures, whatever is in them."""
    for p in primitives:
        form(p)(lambda e, *args, p=p, **params: p.value(*args, **params))


_as_python(structure.pack, structure.part, structure.record, structure.field, structure.listing,
           structure.touched_field)


@form(structure.field_cotangent)
def field_cotangent(e: Run, ct: Any, x: Any, name: Any) -> Any:
    """The cotangent of a part, zero where that of the record has none."""
    found = part_if_any(ct, name)
    return zeros(e, x) if found is None else found


@form(structure.length)
def length(e: Run, xs: Any) -> Any:
    return length_of(xs)


@form(structure.span)
def span(e: Run, *ends: Any) -> Any:
    """A range with an end that is known only when it runs."""
    start, stop, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    if is_traced(step):
        raise NotTaken("a range whose step is known only when it runs")
    size = (jnp.asarray(stop, "int64") - start + step - (1 if step > 0 else -1)) // step
    return Span(jnp.asarray(start, "int64"), jnp.asarray(step, "int64"), jnp.maximum(size, 0))


@form(structure.item)
def item(e: Run, xs: Any, i: Any) -> Any:
    """An item of a list."""
    if isinstance(xs, (list, tuple)) and not is_traced(i):
        if not -len(xs) <= i < len(xs):
            raise Fails
        return xs[i]
    xs = _rows(xs)
    n = length_of(xs)
    if not is_traced(i) and isinstance(n, int):
        if not -n <= i < n:
            raise Fails
        return xs.at(int(i) % n)
    e.failing((jnp.asarray(i) < -n) | (jnp.asarray(i) >= n))
    if isinstance(n, int) and not n:
        raise Fails
    return xs.at(jnp.where(jnp.asarray(i) < 0, i + n, i))


def _rows(xs: Any) -> Any:
    if isinstance(xs, (jax.Array, np.ndarray)):
        return Stacked(jnp.asarray(xs), len(xs))
    if isinstance(xs, range):
        return Span(jnp.asarray(xs.start, "int64"), jnp.asarray(xs.step, "int64"), len(xs))
    xs = as_object(list(xs), List(UNIT)) if isinstance(xs, (list, tuple)) else xs
    if isinstance(xs, list):
        raise NotTaken("an item of a list whose items have several sizes, at a place known only when it runs")
    return xs


def _written(e: Run, xs: Any, i: Any, change: Any) -> Any:
    if isinstance(xs, list) and not is_traced(i):
        if not -len(xs) <= i < len(xs):
            raise Fails
        found = list(xs)
        found[i] = change(found[i])
        return found
    rows = _rows(xs)
    if not isinstance(rows, Stacked):
        raise NotTaken("an item that is put into a range")
    n = rows.length
    e.failing((jnp.asarray(i) < -n) | (jnp.asarray(i) >= n))
    place = jnp.where(jnp.asarray(i) < 0, i + n, i)
    new = change(rows.at(place))
    if jax.tree_util.tree_structure(new) != jax.tree_util.tree_structure(rows.at(0)):
        raise NotTaken("an item of another structure")
    return Stacked(jax.tree_util.tree_map(
        lambda column, x: column.at[place].set(jnp.asarray(x, column.dtype)), rows.rows, new), n)


@form(lists.set_item)
def set_item(e: Run, xs: Any, x: Any, i: Any, *old: Any, **params: Any) -> Any:
    if params or not isinstance(i, (int, np.integer, jax.Array)):
        raise NotTaken("items that are put into a list")
    return _written(e, xs, i, lambda old: x)


@form(structure.add_item)
def add_item(e: Run, xs: Any, ct: Any, i: Any) -> Any:
    return _written(e, xs, i, lambda old: add_trees(e, old, ct))


@form(zero_trees.add_trees)
def add_trees(e: Run, a: Any, b: Any) -> Any:
    """The sum of two cotangents, of which None and the number 0 are zeros."""
    if a is None or _zero(a):
        return b
    if b is None or _zero(b):
        return a
    if isinstance(a, Stacked) and isinstance(b, Stacked):
        return Stacked(jax.tree_util.tree_map(jnp.add, a.rows, b.rows), a.length)
    if isinstance(a, (Stacked, list)) and isinstance(b, (Stacked, list)):
        return [add_trees(e, x, y) for x, y in zip(items_of(a), items_of(b), strict=True)]
    parts, others = parts_of(a), parts_of(b)
    if parts is not None and others is not None:
        return like(a, [add_trees(e, x, y) for x, y in zip(parts, others, strict=True)])
    if parts is not None or others is not None:
        raise NotTaken("cotangents of several structures that are added")
    return jnp.asarray(a) + jnp.asarray(b)


def _zero(x: Any) -> bool:
    return isinstance(x, (int, float)) and x == 0


@form(structure.rows)
def rows(e: Run, x: Any) -> Any:
    return Stacked(jnp.asarray(x), len(x))


@form(structure.stack_rows)
def stack_rows(e: Run, cts: Any, x: Any) -> Any:
    """The rows of a cotangent as an array."""
    found = cts if isinstance(cts, Stacked) else stacked([as_object(ct, UNIT) for ct in cts])
    if isinstance(found, list):
        if found:
            raise NotTaken("rows of several sizes")
        return jnp.zeros(np.shape(x), x.dtype)
    if not isinstance(found.length, int):
        raise NotTaken("a list whose length is known only when it runs, as an array")
    given = jnp.asarray(found.rows, x.dtype)
    if len(given) == len(x):
        return given.reshape(np.shape(x))
    return jnp.zeros(np.shape(x), x.dtype).at[: len(given)].set(given)


@form(structure.cut)
def cut(e: Run, cts: Any, like: Any) -> Any:
    n, m = length_of(cts), length_of(like)
    if n is m or (isinstance(n, int) and n == m):
        return cts
    if isinstance(cts, Stacked) and isinstance(n, int) and isinstance(m, int):
        return Stacked(jax.tree_util.tree_map(lambda x: x[:m], cts.rows), min(n, m))
    raise NotTaken("part of a list whose length is known only when it runs")


@form(lists.append)
def append(e: Run, xs: Any, x: Any) -> Any:
    """A list with one item more."""
    if isinstance(xs, Grown):
        return Grown([*xs.items, x])
    if isinstance(xs, Stacked) and xs.is_counted:
        room = len(jax.tree_util.tree_leaves(xs.rows)[0])
        e.failing(xs.length >= room)
        return Stacked(jax.tree_util.tree_map(
            lambda rows, new: rows.at[xs.length].set(jnp.asarray(new, rows.dtype), mode="drop"), xs.rows, x),
            xs.length + 1)
    return [*items_of(xs), x]


@form(lists.without_last)
def without_last(e: Run, xs: Any) -> Any:
    if not isinstance(xs, Stacked):
        return xs[:-1]
    if xs.is_counted:
        return Stacked(xs.rows, jnp.maximum(xs.length - 1, 0))
    return Stacked(jax.tree_util.tree_map(lambda rows: rows[:-1], xs.rows), max(xs.length - 1, 0))


@form(joining.to_list)
def to_list(e: Run, ct: Any, xs: Any) -> Any:
    """The rows of a cotangent, as a list of arrays or numbers has them."""
    n = length_of(xs)
    rows = xs.rows if isinstance(xs, Stacked) else None
    if not isinstance(n, int) or not isinstance(rows, jax.Array) or np.shape(rows) != np.shape(ct):
        raise NotTaken("an array as a list of lists")
    return Stacked(jnp.asarray(ct, rows.dtype), n)


@form(arithmetic.to_float64)
def float64(e: Run, x: Any) -> Any:
    return jnp.asarray(x, "float64")


@form(arithmetic.to_float32)
def float32(e: Run, x: Any) -> Any:
    return jnp.asarray(x, "float32")


def _whole(of_jax: Any) -> Any:
    def give(e: Run, x: Any) -> Any:
        e.failing(~(jnp.abs(x) < NOT_WHOLE))
        return of_jax(x)

    return give


form(elementary_math.floor)(_whole(jnp.floor))
form(elementary_math.ceil)(_whole(jnp.ceil))
form(elementary_math.trunc)(_whole(jnp.trunc))


@form(joining.from_list)
def from_list(e: Run, xs: Any) -> Any:
    """The array of a list, nested or not."""
    if isinstance(xs, Stacked) and isinstance(xs.length, int):
        return from_list(e, xs.rows) if isinstance(xs.rows, Stacked) else xs.rows
    return jnp.array([from_list(e, x) if isinstance(x, (list, Stacked)) else x for x in items_of(xs)])


@form(joining.stack_list)
def stack_list(e: Run, xs: Any, axis: int = 0) -> Any:
    return jnp.moveaxis(from_list(e, xs), 0, axis)


@form(folds.sum_)
def sum_of(e: Run, xs: Any, start: Any) -> Any:
    """Python's sum, one after another; of floats it compensates, which is the more exact."""
    found = jnp.asarray(start)
    for x in items_of(xs) if length_of(xs) is not None else ():
        found = found + x
        if jnp.issubdtype(found.dtype, jnp.integer):
            e.failing(jnp.abs(found.astype("float64")) > NOT_WHOLE)
    return found


@form(sums.is_kind, sums.is_type, sums.inject, sums.project, sums.as_cotangent,
      sums.arrived)
def of_sums(e: Run, *args: Any, **params: Any) -> Any:
    raise NotTaken("a value of one of several types")


@form(structure.check_length)
def check_length(e: Run, xs: Any, count: Any) -> Any:
    n = length_of(xs)
    if is_traced(n) or is_traced(count):
        e.failing(jnp.asarray(n) != count)
    elif n != count:
        raise Fails
    return ()


@form(structure.pad)
def pad(e: Run, cts: Any, xs: Any) -> Any:
    """The cotangents of the first items of a list, and zeros for the others."""
    n, m = length_of(cts), length_of(xs)
    if is_traced(n) or is_traced(m):
        if n is m:
            return cts
        raise NotTaken("part of a list whose length is known only when it runs")
    if n >= m:
        return cts
    return stacked([*items_of(cts), *[zeros(e, x) for x in items_of(xs)[n:]]])


@form(effects.show)
def show(e: Run, *values: Any, objects: list[Object], **params: Any) -> Any:
    """What is printed, of values as Python has them."""
    def say(*found: Any) -> None:
        effects.show.value(*[out(x, a, plain) for x, a in zip(found, objects, strict=True)], **params)

    e.says(say, [as_object(x, a) if is_traced(x) else x for x, a in zip(values, objects, strict=True)])
    return ()


@form(effects.fail, effects.attempt)
def raised(e: Run, *args: Any, **params: Any) -> Any:
    """What raises wherever it is reached."""
    raise Fails
