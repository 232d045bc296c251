"""Loops whose runs write to, and read from, different places of an array: their order is free.

    for i in range(p):
        for k in range(11):
            values[30 * i + k] = ...        30 i + [0, 10]
        values[30 * p + i] = ...            30 p + i

    for j in range(p):
        table[n, j] = 2.0 * table[n, j]     n, j: the second index differs

A place has an index for each axis. An index is a linear form in the number of the run and in sizes, and an interval for
the loops within, whose lengths are known. Two of them differ in any two runs where the distance between them is larger
than the intervals, or where all of the one are below all of the other.

Reference: Banerjee, Dependence Analysis for Supercomputing, 1988.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from ccc.compile.native.table import applies, known as facts
from ccc.compile.program.lam import Apply, Block, Let, Lit, Loop, Var
from ccc.compile.program.sharing import is_written
from ccc.objects import INT, Bool, Int, Real
from ccc.primitives import structure
from ccc.values import value


@value()
class Index:
    """`step` times the number of the run, and multiples of sizes, and an integer from `low` to `high`."""

    step: int = 0
    sizes: dict[Any, int] = field(default_factory=dict[Any, int])
    low: int = 0
    high: int = 0

    def __add__(self, other: Index) -> Index:
        sizes = Counter(self.sizes)
        for size, n in other.sizes.items():
            sizes[size] += n
        left = {size: n for size, n in sizes.items() if n}
        return Index(self.step + other.step, left, self.low + other.low, self.high + other.high)

    def __neg__(self) -> Index:
        return self.times(-1)

    def __sub__(self, other: Index) -> Index:
        return self + -other

    def __mul__(self, other: Index) -> Index | None:
        """The product, where one of the two is a number."""
        n, m = self.number(), other.number()
        return other.times(n) if n is not None else self.times(m) if m is not None else None

    def times(self, n: int) -> Index:
        ends = sorted([self.low * n, self.high * n])
        return Index(self.step * n, {size: n * m for size, m in self.sizes.items() if n * m}, *ends)

    def number(self) -> int | None:
        return self.low if not self.step and not self.sizes and self.low == self.high else None


def writes_apart(op: Loop, sequences: list[Any], k: int, uses: Counter[Var], around: Iterable[Var] = ()) -> bool:
    """Whether the runs of a loop read and write only places of the array that is carried as number `k`, each its own;
    `around` are numbers of runs of all loops from 0 on, of which those around this one stay as they are."""
    runs = next((i for i, x in enumerate(sequences) if range_of(x) is not None), None)
    if runs is None:
        return False
    start, stop = [index(x, {}) for x in range_of(sequences[runs]) or (None, None)]
    if start is None or stop is None:
        return False
    known: Known = {x: Index(0, {x: 1}) for x in around}
    known |= dict.fromkeys(op.body.params)
    known[op.body.params[op.carries + runs]] = start + Index(step=1)
    todo = [op.body]
    while todo:  # what is as long as it likes in each run
        block = todo.pop()
        for let in block.lets:
            if is_size(let):
                known[let.targets[0]] = None
            todo += let.op.blocks
    size = stop - start
    places = list(accesses(op.body, op.body.params[k], op.body.results[k], uses, known))
    return bool(places) and None not in places and any(
        all_differ([place[axis] for place in places if place], size)
        for axis in range(min([len(place) for place in places if place])))


def all_differ(found: list[Index | None], size: Index) -> bool:
    """Whether no two of these indices, which count from the front, are the same in different runs."""
    indices = [x for x in found if x is not None]
    if len(indices) < len(found) or any(
            x.step < 0 or x.low < 0 or any(n < 0 for n in x.sizes.values()) for x in indices):
        return False
    return all(differ(a, b, size) for i, a in enumerate(indices) for b in indices[i:])


def differ(a: Index, b: Index, size: Index) -> bool:
    """Whether two indices are different ones in different runs, of which there are `size`."""
    if a.step == b.step and a.sizes == b.sizes:
        return a.step > max(a.high - b.low, b.high - a.low)
    return below(a, b, size) or below(b, a, size)


def below(a: Index, b: Index, size: Index) -> bool:
    """Whether the one is always below the other."""
    last = Index(0, a.sizes, a.low, a.high) + size.times(a.step) - Index(0, {}, a.step, a.step)
    gap = Index(0, b.sizes, b.low, b.high) - last
    return gap.low > 0 and all(n >= 0 for n in gap.sizes.values())


Known = dict[Var, "Index | None"]
"""What integers are known to be; None where nothing is."""


def accesses(
    block: Block, now: Var, result: Any, uses: Counter[Var], known: Known
) -> Iterator[tuple[Index | None, ...] | None]:
    """The places of an array that a block reads or writes; None where it does more with it."""
    while now is not result:
        lets = [let for let in block.lets if now in let.args]
        if not lets or uses[now] != len(lets):
            yield None
            return
        *reads, let = lets
        for read in reads:
            number = isinstance(read.targets[0].object, (Bool, Int, Real))
            first = read.op.primitive.reads if number and isinstance(read.op, Apply) else None
            yield indices_of(read, first, now, known)
        op = let.op
        if isinstance(op, Loop) and now in let.args[: op.carries]:
            k = let.args.index(now)
            inner = dict(known)
            for param, x in zip(op.body.params[op.carries :], let.args[op.carries :], strict=True):
                ends = [index(end, known) for end in range_of(x) or ()]
                numbers = [end.number() for end in ends if end is not None]
                low, n = [*numbers, None, None][:2]
                inner[param] = None if low is None or n is None else Index(0, {}, low, max(n - 1, low))
            yield from accesses(op.body, op.body.params[k], op.body.results[k], uses, inner)
            now = let.targets[k]
        else:
            yield indices_of(let, op.primitive.writes if is_written(op) else None, now, known)  # type: ignore[attr-defined]
            now = let.targets[0]
    if uses[now] != 1:
        yield None


def indices_of(let: Let, first: int | None, array: Var, known: Known) -> tuple[Index | None, ...] | None:
    """The indices, from an argument on, at which a let reads or writes an array; None where it does something else."""
    op = let.op
    if first is None or not isinstance(op, Apply) or let.args[0] is not array:
        return None
    if set(op.params["pattern"]) != {"i"} or array in let.args[1:]:
        return None
    return tuple([index(x, known) for x in let.args[first:]])


def is_size(let: Let) -> bool:
    """Whether a let gives a size, which is not negative."""
    return isinstance(let.op, Apply) and let.op.primitive.axis is not None


def range_of(x: Any) -> tuple[Any, Any] | None:
    """The ends where a sequence is `range(n)` or `range(m, n)`."""
    let = x.definition if isinstance(x, Var) else None
    if isinstance(let, Let) and applies(let, structure.span) and len(let.args) < 3:
        return (Lit(0, INT), let.args[0]) if len(let.args) == 1 else (let.args[0], let.args[1])
    return None


def index(x: Any, known: Known) -> Index | None:
    """An integer as a linear form."""
    if isinstance(x, Lit):
        return Index(0, {}, x.value, x.value) if type(x.value) is int else None
    if not isinstance(x, Var):
        return None
    if x in known:
        return known[x]
    let = x.definition
    if not isinstance(let, Let) or not isinstance(let.op, Apply):
        return None
    if is_size(let):
        return Index(0, {x: 1})
    if facts(let).exact is None:
        return None
    given = [index(atom, known) for atom in let.args]
    return None if None in given else let.op.primitive.value(*given)
