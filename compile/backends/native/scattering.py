"""Loops whose runs write to different places of an array: their order is free.

    for i in range(p):
        for k in range(11):
            values[30 * i + k] = ...        30 i + [0, 10]
        values[30 * p + i] = ...            30 p + i

A place is a linear form in the number of the run and in sizes, and an interval for the loops within, whose lengths are
known. Two runs write to different places where the distance between them is larger than the intervals, or where all
places of the one are below all of the other.

Reference: Banerjee, Dependence Analysis for Supercomputing, 1988.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from compile.lam import Apply, Block, Let, Lit, Loop, Var

SIZES = ("len", "dim")
"""What gives integers that are not negative."""


@dataclass(frozen=True)
class Place:
    """`step` times the number of the run, and multiples of sizes, and an integer from `low` to `high`."""

    step: int = 0
    sizes: dict[Any, int] = field(default_factory=dict[Any, int])
    low: int = 0
    high: int = 0

    def plus(self, other: Place, sign: int = 1) -> Place:
        sizes = Counter(self.sizes)
        for size, n in other.sizes.items():
            sizes[size] += sign * n
        low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
        left = {size: n for size, n in sizes.items() if n}
        return Place(self.step + sign * other.step, left, self.low + low, self.high + high)

    def times(self, n: int) -> Place:
        ends = sorted([self.low * n, self.high * n])
        return Place(self.step * n, {size: n * m for size, m in self.sizes.items() if n * m}, *ends)

    def number(self) -> int | None:
        return self.low if not self.step and not self.sizes and self.low == self.high else None


def writes_apart(op: Loop, sequences: list[Any], k: int, uses: Counter[Var], around: Iterable[Var] = ()) -> bool:
    """Whether the runs of a loop only write to the array that is carried as number `k`, each elsewhere; `around` are
    numbers of runs of all loops from 0 on, of which those around this one stay as they are."""
    runs = next((i for i, x in enumerate(sequences) if range_of(x) is not None), None)
    if runs is None:
        return False
    known: Known = {x: Place(0, {x: 1}) for x in around}
    known |= dict.fromkeys(op.body.params)
    known[op.body.params[op.carries + runs]] = Place(step=1)
    todo = [op.body]
    while todo:  # what is as long as it likes in each run
        block = todo.pop()
        for let in block.lets:
            if isinstance(let.op, Apply) and let.op.primitive.name in SIZES:
                known[let.targets[0]] = None
            todo += let.op.blocks
    size = place(range_of(sequences[runs]), {})
    found = list(writes(op.body, op.body.params[k], op.body.results[k], uses, known))
    if size is None or None in found or not found:
        return False
    places = [x for x in found if x is not None]
    if any(x.step < 0 or x.low < 0 or any(n < 0 for n in x.sizes.values()) for x in places):
        return False
    return all(differ(a, b, size) for i, a in enumerate(places) for b in places[i:])


def differ(a: Place, b: Place, size: Place) -> bool:
    """Whether two places are different ones in different runs, of which there are `size`."""
    if a.step == b.step and a.sizes == b.sizes:
        return a.step > max(a.high - b.low, b.high - a.low)
    return below(a, b, size) or below(b, a, size)


def below(a: Place, b: Place, size: Place) -> bool:
    """Whether the one is always below the other."""
    last = Place(0, a.sizes, a.low, a.high).plus(size.times(a.step)).plus(Place(0, {}, a.step, a.step), -1)
    gap = Place(0, b.sizes, b.low, b.high).plus(last, -1)
    return gap.low > 0 and all(n >= 0 for n in gap.sizes.values())


Known = dict[Var, "Place | None"]
"""What integers are known to be; None where nothing is."""


def writes(block: Block, now: Var, result: Any, uses: Counter[Var], known: Known) -> Iterator[Place | None]:
    """The places that a block writes to in an array; None where it does more with it."""
    while now is not result:
        let = next((let for let in block.lets if now in let.args), None)
        if let is None or uses[now] != 1:
            yield None
            return
        op = let.op
        if isinstance(op, Apply) and op.primitive.name == "set_at" and op.params["pattern"] == ("i",) and (
                let.args[0] is now):
            yield place(let.args[2], known)
            now = let.targets[0]
        elif isinstance(op, Loop) and now in let.args[: op.carries]:
            k = let.args.index(now)
            inner = dict(known)
            for param, x in zip(op.body.params[op.carries :], let.args[op.carries :], strict=True):
                stop = place(range_of(x), known)
                n = None if stop is None else stop.number()
                inner[param] = None if n is None else Place(0, {}, 0, max(n - 1, 0))
            yield from writes(op.body, op.body.params[k], op.body.results[k], uses, inner)
            now = let.targets[k]
        else:
            yield None
            return
    if uses[now] != 1:
        yield None


def range_of(x: Any) -> Any:
    """The atom `n` where a sequence is `range(n)`."""
    let = x.definition if isinstance(x, Var) else None
    if isinstance(let, Let) and isinstance(let.op, Apply) and let.op.primitive.name == "range" and len(let.args) == 1:
        return let.args[0]
    return None


def place(x: Any, known: Known) -> Place | None:
    """An integer as a linear form."""
    if isinstance(x, Lit):
        return Place(0, {}, x.value, x.value) if type(x.value) is int else None
    if not isinstance(x, Var):
        return None
    if x in known:
        return known[x]
    let = x.definition
    if not isinstance(let, Let) or not isinstance(let.op, Apply):
        return None
    name = let.op.primitive.name
    if name in SIZES:
        return Place(0, {x: 1})
    if name not in ("add", "sub", "mul"):
        return None
    a, b = [place(atom, known) for atom in let.args]
    if a is None or b is None:
        return None
    if name != "mul":
        return a.plus(b, 1 if name == "add" else -1)
    n, m = a.number(), b.number()
    return b.times(n) if n is not None else a.times(m) if m is not None else None
