"""Stores that a loop makes for nobody: what its turns write to one place each, and no later turn looks at, is written
once behind the loop.

The derivative of `x[i] = ...` takes the cotangent of that place and leaves zero there. XLA would copy the whole array
in each turn, since it does not order such a read before the write. The places of one axis are an item of a range plus a
constant: a turn's place is seen by no later one where the range goes up and no other place is behind it, or down and
none is ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ccc.compile.program.lam import Apply, Atom, Let, Lit, Loop, Var, free_variables
from ccc.compile.program.sharing import is_written
from ccc.compile.xla.of_arrays import write

Place = tuple[Var, int]


class Store(NamedTuple):
    """A store that is made behind a loop: what is carried, the let, the axis of its index, and the places there."""

    carry: int
    let: Let
    code: int
    places: range


def unseen(op: Loop, along: Sequence[Any], shapes: Sequence[Any]) -> list[Store]:
    """The stores of a loop that no later turn looks at, where it goes along ranges that are known; `shapes` are those
    of what it carries."""
    items = op.body.params[op.carries :]
    ranges = {item: xs for item, xs in zip(items, along, strict=True) if isinstance(xs, range) and abs(xs.step) == 1}
    if not ranges:
        return []
    places = offsets(op, ranges)
    found = [store for i in range(op.carries) for store in of_carry(op, i, ranges, places)]
    return [store for store in found if store.places.stop <= np.shape(shapes[store.carry])[store.code]]


def offsets(op: Loop, ranges: dict[Var, range]) -> dict[Atom, Place]:
    """The integers of a body that are items of ranges plus constants."""
    found: dict[Atom, Place] = {item: (item, 0) for item in ranges}
    for let in op.body.lets:
        p = let.op.primitive if isinstance(let.op, Apply) else None
        i = next((i for i in (p.adds if p is not None else ()) if let.args[i] in found), None)
        others = [] if p is None or i is None else [x.value if isinstance(x, Lit) else x for x in let.args]
        if i is None or any(type(x) is not int for k, x in enumerate(others) if k != i):
            continue
        item, by = found[let.args[i]]
        found[let.targets[0]] = item, p.value(*[by if k == i else x for k, x in enumerate(others)])  # type: ignore
    return found


def of_carry(op: Loop, i: int, ranges: dict[Var, range], places: dict[Atom, Place]) -> list[Store]:
    """Those to one array, all accesses to which are reads and writes of parts."""
    accesses = accesses_of(op, i)
    made = {target for let in op.body.lets for target in let.targets} | set(op.body.params)
    found = []
    for number, let in enumerate(accesses):
        code = moving_code(let, places, made)
        if code is None:
            continue
        item, by = places[let.args[2 + code]]
        xs = ranges[item]
        up = (xs.step > 0) != op.reverse
        low, high = min(xs, default=0) + by, max(xs, default=-1) + by
        passed = [is_passed(other, code, (item, by), up, xs, places, k > number)
                  for k, other in enumerate(accesses) if k != number]
        if low >= 0 and all(passed):
            found.append(Store(i, let, code, range(low, high + 1)))
    return found


def moving_code(let: Let, places: dict[Atom, Place], made: set[Var]) -> int | None:
    """Which number of its index another one is in each turn, of a store of what is alike in all turns."""
    assert isinstance(let.op, Apply)
    if not is_written(let.op) or {*let.op.params["pattern"]} != {"i"} or let.args[1] in made:
        return None
    numbers = let.args[2:]
    moving = [code for code, at in enumerate(numbers) if at in places]
    return moving[0] if len(moving) == 1 and not any([at in made for at in numbers if at not in places]) else None


def accesses_of(op: Loop, i: int) -> list[Let]:
    """The reads and writes of parts of what is carried, in order; none where it is used otherwise."""
    versions: list[Atom] = [op.body.params[i]]
    found: list[Let] = []
    for let in op.body.lets:
        inside = [var for block in let.op.blocks for var in free_variables(block, {})]
        if not any([v in let.args or v in inside for v in versions]):
            continue
        p = let.op.primitive if isinstance(let.op, Apply) else None
        part = p is not None and (p.reads is not None or p.writes is not None)
        if p is None or not part or let.args[0] is not versions[-1] or any([v in let.args[1:] for v in versions]):
            return []  # or of an older state, behind a write
        if p.writes is not None:
            versions.append(let.targets[0])
        found.append(let)
    results = [k for k, atom in enumerate(op.body.results) if atom in versions]
    return found if results == [i] and op.body.results[i] is versions[-1] else []


def is_passed(
    let: Let, code: int, store: Place, up: bool, xs: range, places: dict[Atom, Place], behind: bool
) -> bool:
    """Whether an access looks at no place that a store has been made to: it is elsewhere in later turns, and in the
    same one where it is behind the store."""
    assert isinstance(let.op, Apply)
    p, pattern = let.op.primitive, let.op.params["pattern"]
    first = p.writes if p.writes is not None else p.reads or 0
    if len(pattern) <= code or any([one != "i" for one in pattern[: code + 1]]):
        return False
    item, by = places.get(let.args[first + code], (None, 0))
    if item is not store[0] or min(xs, default=0) + by < 0:
        return False
    ahead = by - store[1] if up else store[1] - by
    return ahead > 0 if behind else ahead >= 0


def made(e: Any, store: Store, x: Any) -> Any:
    """The array with what was to be stored, at all places at once."""
    assert isinstance(store.let.op, Apply)
    _, v, *numbers = [e.value(atom) if isinstance(atom, Lit) or atom in e.values else None for atom in store.let.args]
    numbers[store.code : store.code + 1] = [store.places.start, store.places.stop]
    pattern = list(store.let.op.params["pattern"])
    pattern[store.code] = "s12"
    return write(e, x, v, *numbers, pattern=tuple(pattern))
