"""What a loop of unknown length gives in its turns, as its derivative reads it backwards: kept, or computed again.

    Written        all of it, in memory for a number of items; where that is too few, the run counts how many there are
    Checkpoints    at most so many states, at places whose distance doubles as they fill up; the turns between them run
                   again, from the last to the first, and what they give has memory for at most so many turns

The second needs a fixed memory for any number of turns n. With S states and memory for T turns the last T turns do not
run again, the others once up to n = S·T, and about log2(n / (S·T)) times beyond, while there are states left.

Source: Wang, Moin and Iaccarino, *Minimal repetition dynamic checkpointing algorithm for unsteady adjoint calculation*
(2009); Griewank, *Achieving logarithmic growth of temporal and spatial complexity in reverse automatic differentiation*
(1992).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ccc.compile.program.lam import Loop, Var, While, free_variables
from ccc.compile.xla.frames import START, Frame
from ccc.compile.xla.values import Closure, Span, Stacked, Traced, as_object

USUAL = 1 << 16
"""So many bytes are taken where nobody knows how many turns there are."""
RESERVED = 32
"""At most so many states are free when the reverse begins."""


# -- both ways to keep ------------------------------------------------------------------------------------------------


class Written:
    """Memory for all items, written turn by turn."""

    def __init__(self, memory: Any, known: bool = False) -> None:
        self.start, self.known = memory, known

    def turned(self, kept: Any, k: Any, state: Any, items: Any) -> Any:
        """What is kept after one turn more: `state` is what it began with, `items` what it gave."""
        return put(kept, items, k)

    def lists(self, kept: Any, n: Any) -> list[Any]:
        """The lists of what all turns gave."""
        return [Stacked(rows, n) for rows in kept]

    def needed(self, n: Any) -> Any:
        """For how many items there has to be memory."""
        return n if self.start and not self.known else 0


class Checkpoints:
    """Memory for some states, and later for what some turns give."""

    def __init__(self, e: Any, op: While | Loop, rows: list[Any], shapes: Any, items: Any) -> None:
        self.op, self.rows = op, rows
        states = max(3, number_of(e, shapes))
        reserved = max(1, min(states // 4, RESERVED))
        self.most = (states - reserved) // 2 * 2
        self.states = self.most + reserved
        self.turns = max(1, number_of(e, items))
        self.closure = closure_of(e, op)
        places = jnp.arange(self.states), jnp.asarray(1, "int32"), jnp.asarray(0)
        self.start = e.memory_of(items, self.turns), e.memory_of(shapes, self.states), *places

    def turned(self, kept: Any, k: Any, state: Any, items: Any) -> Any:
        """What is kept after one turn more: where all places are taken, every second one is free again."""
        memory, states, order, stride, used = kept
        most, half = self.most, self.most // 2
        full = (k % stride == 0) & (used == most)
        sparser = jnp.concatenate([order[:most:2], order[1:most:2], order[most:]])
        order, stride = jnp.where(full, sparser, order), jnp.where(full, 2 * stride, stride)
        used = jnp.where(full, half, used)
        due = k % stride == 0
        place = jnp.where(due, order[jnp.minimum(used, self.states - 1)], self.states)
        return put(memory, items, k % self.turns), put(states, state, place), order, stride, used + due

    def lists(self, kept: Any, n: Any) -> list[Any]:
        """The lists of what all turns gave, which are computed when they are read."""
        again = Again(self.op, self.turns, self.closure, self.rows, kept, n)
        return [Replayed(again, i) for i in range(len(self.op.body.results) - self.op.carries)]

    def needed(self, n: Any) -> Any:
        return 0


def number_of(e: Any, shapes: Any) -> int:
    """For how many values of these shapes there is memory: half of the limit where it counts, or else not much."""
    one = max(size(shapes), 1)
    few = max(e.capacity, USUAL // one)
    most = few if e.limit is None else e.limit // 2 // one
    return min(few, most) if e.inside else most


def size(shapes: Any) -> int:
    """How many bytes arrays of these shapes have."""
    return sum([x.size * x.dtype.itemsize for x in jax.tree_util.tree_leaves(shapes)])


def put(memory: Any, items: Any, place: Any) -> Any:
    """Write items to memory; what has no place there is dropped, and counted as needed."""
    return jax.tree_util.tree_map(lambda rows, x: rows.at[place].set(x, mode="drop"), memory, items)


def closure_of(e: Any, op: While | Loop) -> Closure:
    """What the blocks of a loop read of those around it."""
    free = dict.fromkeys([var for block in op.blocks for var in free_variables(block, e.free)])
    return Closure(op.body, {var: e.values[var] for var in free})


# -- lists that are computed when they are read -----------------------------------------------------------------------


@jax.tree_util.register_pytree_node_class
class Again:
    """A loop that can run again from some of its states: `kept` is what `Checkpoints` keeps, `turns` for how many turns
    there is memory."""

    def __init__(self, op: While | Loop, turns: int, closure: Closure, rows: Any, kept: Any, n: Any) -> None:
        self.op, self.turns, self.closure, self.rows, self.kept, self.n = op, turns, closure, rows, kept, n

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        known = self.n if isinstance(self.n, int) else None
        return (self.closure, self.rows, self.kept, None if known is not None else self.n), (self.op, self.turns, known)

    @classmethod
    def tree_unflatten(cls, known: Any, parts: Sequence[Any]) -> Again:
        op, turns, n = known
        closure, rows, kept, counted = parts
        return cls(op, turns, closure, rows, kept, counted if n is None else n)

    def turn(self, e: Any, state: list[Any], k: Any) -> tuple[list[Any], list[Any], Frame]:
        """One turn: the state after it, what it gives, and what it finds out."""
        body, carries = self.op.body, self.op.carries
        params = body.params[carries:]
        given = [as_object(xs.at(k), p.object) for xs, p in zip(self.rows, params, strict=True)]
        found, frame = e.apart(body, [*state, *given])
        return found[:carries], [
            as_object(x, atom.object) for x, atom in zip(found[carries:], body.results[carries:], strict=True)], frame

    def first(self) -> list[Any]:
        """The state before the first turn, which is always kept."""
        _, states, order, *_ = self.kept
        return at(states, order[0])


@jax.tree_util.register_pytree_node_class
class Replayed(Traced):
    """The list of what a loop gives at one place in each turn."""

    def __init__(self, again: Again, i: int) -> None:
        self.again, self.i = again, i

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        return (self.again,), self.i

    @classmethod
    def tree_unflatten(cls, i: int, parts: Sequence[Any]) -> Replayed:
        return cls(parts[0], i)

    @property
    def length(self) -> Any:
        """How many turns there were."""
        return self.again.n


def at(rows: Any, i: Any) -> Any:
    """The items at a place."""
    return jax.tree_util.tree_map(lambda xs: xs[i], rows)


@contextmanager
def seeing(e: Any, captured: dict[Var, Any]) -> Iterator[None]:
    """A run in which these variables are what they were, and which says nothing."""
    before = {var: e.values[var] for var in captured if var in e.values}
    saying, e.saying = e.saying, Mute()
    e.values.update(captured)
    try:
        yield
    finally:
        e.values.update(before)
        e.saying = saying


class Mute:
    """Says nothing: it was said before."""

    def says(self, say: Any, values: Any) -> None:
        pass


def written(e: Any, xs: Replayed) -> Stacked:
    """The list with all its items in memory, for what reads it otherwise than from its end."""
    again, capacity = xs.again, xs.length if isinstance(xs.length, int) else e.capacity

    with seeing(e, again.closure.captured):
        first = again.first()
        shapes = jax.eval_shape(lambda state: again.turn(e, state, 0)[1][xs.i], first)

        def step(state: Any) -> Any:
            k, carried, memory = state
            after, items, _ = again.turn(e, carried, k)
            return k + 1, like(e, after, carried), put(memory, items[xs.i], k)

        n, _, memory = jax.lax.while_loop(
            lambda state: state[0] < again.n, step, (jnp.asarray(0, "int32"), first, e.memory_of(shapes, capacity)))
    if not isinstance(xs.length, int):
        e.joins(Frame(False, n), [Frame(False, n)])
    return Stacked(memory, xs.length)


def like(e: Any, values: list[Any], shapes: list[Any]) -> list[Any]:
    """The state after a turn in the structure of the one before."""
    return [e.fitted(x, shape) for x, shape in zip(values, shapes, strict=True)]


# -- the reverse ------------------------------------------------------------------------------------------------------


def read_backwards(op: Loop, along: Sequence[Any]) -> Again | None:
    """The loop that runs again for one that goes back along what it gave; None where that is not so."""
    lists = [xs for xs in along if isinstance(xs, Replayed)]
    if not lists or not op.reverse or len(op.body.results) > op.carries:
        return None
    again = lists[0].again
    known = [isinstance(xs, Span) or (isinstance(xs, Replayed) and xs.again.op is again.op) for xs in along]
    return again if all(known) else None


class Place(NamedTuple):
    """Where the reverse stands: the turns from `end` on are done, of the states so many as `top` says are before it."""

    top: Any
    end: Any
    places: Any
    states: Any


def back(e: Any, op: Loop, carries: list[Any], along: Sequence[Any], again: Again) -> list[Any]:
    """A loop that goes back along what another one gave, whose turns run again a few at a time."""
    refuse_others(e, along, again)
    memory, kept_states, order, stride, used = again.kept
    there = jnp.maximum(jnp.asarray(again.n, "int32") - again.turns, 0)  # from here on all is in memory
    count = len(order)

    def given(items: list[Any], k: Any) -> list[Any]:
        return [as_object(items[xs.i] if isinstance(xs, Replayed) else xs.at(k), param.object)
                for xs, param in zip(along, op.body.params[op.carries :], strict=True)]

    with seeing(e, again.closure.captured):
        one = jax.eval_shape(lambda state: again.turn(e, state, 0)[1], again.first())
    shapes = e.carried(op.body, carries, jax.eval_shape(lambda items: given(items, 0), one))
    start = like(e, carries, shapes)
    frames: list[Frame] = []

    def forward(state: list[Any], begin: Any, end: Any, base: Any, memory: Any) -> tuple[list[Any], Any]:
        """The turns from one to another; what those from `base` on give is kept."""
        def turn(s: Any) -> Any:
            k, carried, memory = s
            with seeing(e, again.closure.captured):
                after, items, _ = again.turn(e, carried, k)
            place = jnp.where(k < base, again.turns, k % again.turns)
            return k + 1, like(e, after, carried), put(memory, items, place)

        return jax.lax.while_loop(lambda s: s[0] < end, turn, (begin, state, memory))[1:]

    def reverse(carried: list[Any], frame: Frame, base: Any, number: Any, memory: Any) -> tuple[list[Any], Frame]:
        """The turns of the reverse from `base + number` down to `base`."""
        def turn(s: Any) -> Any:
            j, carried, frame = s
            found, more = e.apart(op.body, [*carried, *given(at(memory, (base + j) % again.turns), base + j)])
            frames.append(more)
            return j - 1, like(e, found[: op.carries], shapes), e.told(frame.joined(more))

        return jax.lax.while_loop(lambda s: (s[0] >= 0) & ~s[2].failed, turn, (number - 1, carried, frame))[1:]

    def step(s: Any) -> Any:
        at_, carried, frame, memory = s
        begin, length = at_.places[at_.top], at_.end - at_.places[at_.top]
        free = count - 1 - at_.top
        known = at_.end > there
        is_long = (length > again.turns) & (free > 0) & ~known
        ahead = jnp.where(length <= (free + 1) * again.turns, again.turns, length // 2)
        stop = jnp.where(known, begin, jnp.where(is_long, begin + ahead, at_.end))
        base = jnp.where(is_long, stop, jnp.maximum(begin, jnp.where(known, there, at_.end - again.turns)))
        state, memory = forward(at(at_.states, order[at_.top]), begin, stop, base, memory)
        carried, frame = reverse(carried, frame, base, jnp.where(is_long, 0, at_.end - base), memory)
        slot = jnp.where(is_long, order[jnp.minimum(at_.top + 1, count - 1)], count)
        places = at_.places.at[jnp.where(is_long, at_.top + 1, count)].set(stop, mode="drop")
        top = jnp.where(is_long, at_.top + 1, jnp.where(base == begin, at_.top - 1, at_.top))
        done = jnp.where(is_long, at_.end, base)
        return Place(top, done, places, put(at_.states, state, slot)), carried, frame, memory

    places = jnp.arange(count, dtype="int32") * stride
    begin = Place(used - 1, jnp.asarray(again.n, "int32"), places, kept_states)
    _, last, frame, _ = jax.lax.while_loop(
        lambda s: (s[0].end > 0) & ~s[2].failed, step, (begin, start, e.told(START), memory))
    e.joins(frame, frames)
    return last


def refuse_others(e: Any, along: Sequence[Any], again: Again) -> None:
    """Fail where a loop goes along what another run gave, or a range of another length."""
    for xs in along:
        if isinstance(xs, Replayed) and xs.again is not again:
            e.failing(differ(xs.again, again))  # two runs of one loop
        if isinstance(xs, Span):
            e.failing(jnp.asarray(xs.length) != again.n)


def differ(a: Again, b: Again) -> Any:
    """Whether two runs of a loop are not the same."""
    one, other = jax.tree_util.tree_leaves(a), jax.tree_util.tree_leaves(b)
    found = jnp.asarray(len(one) != len(other))
    for x, y in zip(one, other, strict=False):
        if x is not y:
            found = found | ~jnp.array_equal(x, y, equal_nan=jnp.issubdtype(jnp.result_type(x), jnp.inexact))
    return found


# -- the same array at several places ---------------------------------------------------------------------------------


@jax.tree_util.register_pytree_node_class
class Shared:
    """A value whose arrays are handed on once each, wherever they stand in it."""

    def __init__(self, arrays: Sequence[Any], structure: Any, places: tuple[int, ...]) -> None:
        self.arrays, self.structure, self.places = arrays, structure, places

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        return tuple(self.arrays), (self.structure, self.places)

    @classmethod
    def tree_unflatten(cls, known: Any, parts: Sequence[Any]) -> Shared:
        return cls(parts, *known)

    def whole(self) -> Any:
        """The value."""
        if len(self.places) == len(self.arrays):  # each stands at one place
            return self.structure.unflatten(self.arrays)
        return self.structure.unflatten([self.arrays[i] for i in self.places])


def shared(x: Any) -> Shared:
    """A value, its arrays once each."""
    leaves, structure = jax.tree_util.tree_flatten(x)
    arrays = list({id(leaf): leaf for leaf in leaves}.values())
    number = {id(leaf): i for i, leaf in enumerate(arrays)}
    return Shared(arrays, structure, tuple([number[id(leaf)] for leaf in leaves]))
