"""Lists, ranges and closures among the values that JAX traces, and values as the objects of variables say.

A number is an array without axes, an array is itself, a record is itself. A list that a program holds as one is a
Python list of its items, or `Stacked`: the items as rows of arrays, as loops take and give them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ccc.compile.program.lam import Absent, Block, Var
from ccc.compile.program.target import NotTaken
from ccc.objects import Array, Bool, Int, List, Object, Product, Real
from ccc.records import inside, like, parts_of

PLAIN = {"float": "float64", "int": "int64", "bool": "bool", "bool_": "bool", "any": "float64"}
"""The dtypes of Python's numbers."""


class Traced:
    """What is made of values of JAX and is no array: lists and functions."""


@jax.tree_util.register_pytree_node_class
class Stacked(Traced):
    """A list of items of one structure: the items as rows of arrays, of which the first `length` count."""

    def __init__(self, rows: Any, length: Any) -> None:
        self.rows, self.length = rows, length

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        return ((self.rows, self.length), None) if self.is_counted else ((self.rows,), self.length)

    @classmethod
    def tree_unflatten(cls, length: Any, parts: Sequence[Any]) -> Stacked:
        return cls(parts[0], length if length is not None else parts[1])

    def at(self, i: Any) -> Any:
        """The item at a place that there is."""
        return jax.tree_util.tree_map(lambda rows: rows[i], self.rows)

    @property
    def is_counted(self) -> bool:
        """Whether its length is known only when the program runs."""
        return not isinstance(self.length, int)

    def counted(self, capacity: int) -> Stacked:
        """The same with memory for so many items, its length a number of the program."""
        def longer(rows: Any) -> Any:
            return jnp.zeros((capacity, *rows.shape[1:]), rows.dtype).at[: len(rows)].set(rows)

        return Stacked(jax.tree_util.tree_map(longer, self.rows), jnp.asarray(self.length, "int64"))


class Grown(Traced):
    """A list that a loop makes longer and does not read: what one turn puts at its end."""

    def __init__(self, items: Sequence[Any] = ()) -> None:
        self.items = list(items)


@jax.tree_util.register_pytree_node_class
class Selected(Traced):
    """What a mask selects of an array, whose size nobody knows before the program runs: all of the array, and the mask
    of its first axes. What is not selected is never read."""

    def __init__(self, whole: Any, mask: Any) -> None:
        self.whole, self.mask = whole, mask

    def tree_flatten(self) -> tuple[tuple[Any, ...], None]:
        return (self.whole, self.mask), None

    @classmethod
    def tree_unflatten(cls, _: None, parts: Sequence[Any]) -> Selected:
        return cls(*parts)

    @property
    def rest(self) -> int:
        """How many axes a selection has beside its first."""
        return self.whole.ndim - self.mask.ndim

    def flat(self) -> Selected:
        """The same by a mask of one axis."""
        rows = self.whole.reshape((self.mask.size, *self.whole.shape[self.mask.ndim :]))
        return Selected(rows, self.mask.reshape(-1))

    def over(self) -> Any:
        """The mask in the axes of the array."""
        return self.mask.reshape(self.mask.shape + (1,) * self.rest)

    def filled(self) -> Any:
        """The array, an item that is selected in the place of those that are not."""
        rows = self.flat().whole
        return jnp.where(self.over(), self.whole, rows[jnp.argmax(self.mask)]) if len(rows) else self.whole


@jax.tree_util.register_pytree_node_class
class Span(NamedTuple):
    """A range whose ends are known only when the program runs."""

    start: Any
    step: Any
    length: Any

    def tree_flatten(self) -> tuple[tuple[Any, ...], None]:
        return tuple(self), None

    @classmethod
    def tree_unflatten(cls, _: None, parts: Sequence[Any]) -> Span:
        return cls(*parts)

    def at(self, i: Any) -> Any:
        """The number at a place that there is."""
        return self.start + i * self.step


@jax.tree_util.register_pytree_node_class
class Closure(Traced):
    """A function of the program: its block, and what it captures; of that, what JAX traces are its leaves."""

    def __init__(self, block: Block, captured: dict[Var, Any]) -> None:
        self.block, self.captured = block, captured

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        traced = tuple([var for var, value in self.captured.items() if is_traced(value)])
        known = Known(self.block, {v: x for v, x in self.captured.items() if v not in traced}, traced)
        return tuple([self.captured[var] for var in traced]), known

    @classmethod
    def tree_unflatten(cls, known: Known, parts: Sequence[Any]) -> Closure:
        return cls(known.block, {**known.captured, **dict(zip(known.traced, parts, strict=True))})


class Known:
    """What of a closure JAX does not trace; closures of one block are of one structure."""

    __slots__ = ("block", "captured", "traced")

    def __init__(self, block: Block, captured: dict[Var, Any], traced: tuple[Var, ...]) -> None:
        self.block, self.captured, self.traced = block, captured, traced

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self.block is other.block and self.traced == other.traced and all(
            [are_one(x, other.captured.get(var)) for var, x in self.captured.items()])

    def __hash__(self) -> int:
        return hash((id(self.block), self.traced))


def are_one(a: Any, b: Any) -> bool:
    """Whether two values that JAX does not compute are one and the same: what was traced for one is for the other."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (np.ndarray, np.generic, float)):
        x, y = np.asarray(a), np.asarray(b)
        return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    parts, others = parts_of(a), parts_of(b)
    if parts is None or others is None:
        return bool(a == b)
    record, other = inside(a), inside(b)
    named = record is None or other is None or record[:2] == other[:2]
    return named and len(parts) == len(others) and all(map(are_one, parts, others))


def is_traced(value: Any) -> bool:
    """Whether JAX computes a value, or a part of it, or a function of the program is in it."""
    if isinstance(value, (jax.Array, Span, Traced)):
        return True
    parts = parts_of(value)
    return parts is not None and any(map(is_traced, parts))


def dtype_of(a: Object) -> str | None:
    """The dtype of the numbers of an object; None for what is no number and no array."""
    if isinstance(a, Array):
        return a.dtype
    return PLAIN.get(a.kind, a.kind) if isinstance(a, (Real, Int, Bool)) else None


def refused(a: Object) -> str:
    """What of an object XLA does not take; "" where it takes it."""
    if isinstance(a, Product):
        return next(filter(None, map(refused, a.parts)), "")
    if isinstance(a, List):
        return refused(a.item)
    dtype = dtype_of(a)
    if dtype is None or dtype in ("fraction", "longdouble", "object"):
        return f"values of the type {a}"
    return ""


def as_object(value: Any, a: Object) -> Any:
    """A value as its object says: numbers and arrays of JAX in their dtype, lists stacked where they can be."""
    dtype = dtype_of(a)
    if isinstance(value, Absent):
        if dtype is None or isinstance(a, Array):
            raise NotTaken("a value that is there on some ways only")
        return jnp.zeros((), dtype)
    if isinstance(value, Selected):
        return value if dtype is None or value.whole.dtype == dtype else Selected(value.whole.astype(dtype), value.mask)
    if dtype is not None and not isinstance(value, Stacked):
        return value if value is None or is_of(value, dtype) else jnp.asarray(value, dtype)
    if isinstance(a, List) and isinstance(value, (list, range, np.ndarray)):
        return stacked([as_object(item, a.item) for item in value])
    if isinstance(a, Product) and value is not None:
        parts = parts_of(value)
        if parts is not None and len(parts) == len(a.parts):
            return like(value, list(map(as_object, parts, a.parts)))
    return value


def is_of(x: Any, dtype: str) -> bool:
    """Whether a value is an array of JAX of this dtype, which stays as it is."""
    return isinstance(x, jax.Array) and x.dtype == dtype and not getattr(x, "weak_type", False)


def stacked(items: list[Any], stack: Callable[[Sequence[Any]], Any] = jnp.stack) -> Any:
    """A list as rows where its items have one structure and one shape, or else itself."""
    leaves = [jax.tree_util.tree_flatten(item) for item in items]
    if not items or not leaves[0][0] or any(tree != leaves[0][1] for _, tree in leaves):
        return items
    if not all(isinstance(x, (jax.Array, np.ndarray, np.generic, int, float, complex)) for x in leaves[0][0]):
        return items
    kinds = [[(np.shape(x), jnp.result_type(x)) for x in found] for found, _ in leaves]
    if any(kind != kinds[0] for kind in kinds):
        return items
    rows = [stack(column) for column in zip(*[found for found, _ in leaves], strict=True)]
    return Stacked(jax.tree_util.tree_unflatten(leaves[0][1], rows), len(items))


def items_of(value: Any) -> list[Any]:
    """The items of a list one by one. Raises `NotTaken` where their number is not known."""
    if isinstance(value, Stacked):
        if value.is_counted:
            raise NotTaken("a list whose length is known only when it runs")
        return [value.at(i) for i in range(value.length)]
    if isinstance(value, Span):
        raise NotTaken("a range whose length is known only when it runs")
    return list(value)


def length_of(value: Any) -> Any:
    """The length of a list: a number, known or traced."""
    return value.length if hasattr(value, "length") else len(value)


def lengthened(xs: Any, put: list[Any], n: int, reverse: bool) -> Any:
    """A list to which each turn of a loop added items."""
    if reverse:
        put = jax.tree_util.tree_map(lambda rows: rows[::-1], put)
    rows = jax.tree_util.tree_map(
        lambda *columns: jnp.stack(columns, 1).reshape((n * len(columns), *columns[0].shape[1:])), *put)
    if isinstance(xs, Stacked) and xs.is_counted:
        raise NotTaken("a list whose length is known only when it runs, made longer in a loop")
    items = Stacked(rows, n * len(put))
    return items if length_of(xs) == 0 else stacked([*items_of(xs), *items_of(items)])


def cut(xs: Any, part: slice) -> Any:
    """Part of a list, a range or the rows of an array, as `zip` goes along the shortest of several."""
    if not isinstance(xs, Stacked):
        return xs[part]
    return Stacked(jax.tree_util.tree_map(lambda rows: rows[part], xs.rows), part.stop - part.start)


def shape_of(value: Any, a: Any) -> Any:
    """The shapes of a value as a loop carries it."""
    return jax.eval_shape(lambda: as_object(value, a))


def are_small(xs: range) -> bool:
    """Whether all numbers of a range are such as JAX has."""
    return len(xs) > 0 and all([abs(end) < 2**62 for end in (xs[0], xs[-1], xs.stop)])


def as_rows(xs: Any, item: Any) -> Any:
    """What a loop goes along, stacked where its items are of one shape."""
    if isinstance(xs, Stacked):
        return xs
    if isinstance(xs, (jax.Array, np.ndarray)):
        return Stacked(jnp.asarray(xs), len(xs))
    if isinstance(xs, range) and are_small(xs):
        return Stacked(jnp.asarray(np.arange(xs.start, xs.stop, xs.step), "int64"), len(xs))
    return stacked([as_object(x, item) for x in xs])
