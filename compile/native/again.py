"""Arrays that are computed again where they are read, since that takes no longer than to read them.

    d = x[:, None] - y[None, :]         s = np.sum(d * d);  dx = np.sum(d * w, axis=1)
    z = x - np.mean(x, axis=0)          s = np.sum(z * z, axis=0);  u = z * g
    d = x[1:] - x[:-1];  e = d[1:]      s = np.sum(e * e);  t = e * w

A sum, difference or product of few arrays of its own size, of numbers, and of arrays that are smaller, is such an
array, and so is a slice of one. To write an array takes about two readings, so that to read those it is made of is less
where they are `n` and it is read `k` times if n (k - 1) < k + 2; and it drives no others out of the cache. Those that
read it do so item by item, in its block.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ccc.compile.passes.readers import FLOATS
from ccc.compile.program.lam import Apply, Block, Let, Lit, Var, blocks_in
from ccc.compile.program.sharing import are_slices
from ccc.objects import Array, Bool, Int, Real
from ccc.primitives import indexing
from ccc.primitives.facts import ENTRIES, SUMS
from ccc.primitives.primitive import elementwise
from ccc.values import value

MOST = 3
"""Operations on an item that are made again."""


@value()
class Made:
    """What an item is computed of: which arrays in memory are read for it, and how many operations it takes."""

    of: frozenset[Var]
    operations: int


def computed_again(block: Block, uses: Mapping[Var, int], changing: Iterable[Let]) -> Mapping[Var, Made]:
    """The arrays of a program of which nothing is stored although they may be read several times; `changing` are the
    lets that write into memory that is there."""
    found, changes = dict[Var, Made](), set(changing)
    for here in blocks_in(block):
        counts = reads(here, uses)
        for let in here.lets:
            made = made_of(let, found, uses) if let.targets and let not in changes else None
            if made is None or made.operations > MOST:
                continue
            count = counts.get(let.targets[0], 0)
            if count and len(made.of) * (count - 1) < count + 2:
                found[let.targets[0]] = made
    return found


def reads(block: Block, uses: Mapping[Var, int]) -> Mapping[Var, int]:
    """How often the arrays of a block are read, item by item and there, perhaps by way of slices; of those that are
    read otherwise nothing."""
    by, found = dict[Var, list[int]](), dict[Var, int]()
    for let in reversed(block.lets):
        for var in let.targets:
            here = by.get(var, [])
            if 0 not in here and len(here) == uses[var]:
                found[var] = sum(here)
        for atom in let.args:
            if isinstance(atom, Var):
                again = found.get(let.targets[0], 0) if is_slice(let) else int(by_items(let, atom))
                by.setdefault(atom, []).append(again)
    return found


def made_of(let: Let, found: Mapping[Var, Made], uses: Mapping[Var, int]) -> Made | None:
    """What an item of a sum, difference or product is computed of, or of a slice of what is computed again; None of
    anything else, and where it is computed of what is not there."""
    if is_slice(let):
        return found.get(let.args[0])  # type: ignore[arg-type]
    if not is_cheap(let):
        return None
    of, operations = set[Var](), 1
    for atom in let.args:
        a, whole = atom.object, let.targets[0].object
        if isinstance(atom, Lit) or isinstance(a, (Real, Int, Bool)):
            continue
        if not isinstance(a, Array) or not isinstance(whole, Array) or a.axes is None or whole.axes is None:
            return None
        ends = zip(reversed(a.axes), reversed(whole.axes), strict=False)
        if len(a.axes) < len(whole.axes) or any(one == "1" != other for one, other in ends):
            continue  # it is small
        assert isinstance(atom, Var)
        made = found.get(atom)
        if made is None:
            stored = where_stored(atom, uses)
            if stored is None:
                return None
            made = Made(frozenset([stored]), 0)
        of |= made.of
        operations += made.operations
    return Made(frozenset(of), operations)


def where_stored(var: Var, uses: Mapping[Var, int]) -> Var | None:
    """The array in memory that an array is, or is a part of: a parameter, or what is read several times; None where it
    may be nowhere."""
    made: Any = var.definition
    if not isinstance(made, Let):
        return var
    if isinstance(made.op, Apply) and made.op.primitive.memory_of(made.op.params).how == "view":
        return where_stored(made.args[0], uses) if isinstance(made.args[0], Var) else None
    return var if uses[var] > 1 else None


def is_slice(let: Let) -> bool:
    """Whether a let gives what slices of one step say of an array."""
    op = let.op
    return isinstance(op, Apply) and op.primitive is indexing.index and are_slices(op.params["pattern"])


def is_cheap(let: Let) -> bool:
    """Whether a let gives an array of floats, which is a sum, difference or product."""
    op, a = let.op, let.targets[0].object
    if not isinstance(op, Apply) or op.params or op.primitive.effect or op.primitive.type_rule is not elementwise:
        return False
    if op.primitive.work != ENTRIES or len(op.primitive.linear_of(op.params).arguments(len(let.args))) < len(let.args):
        return False
    return isinstance(a, Array) and a.dtype in FLOATS and bool(a.axes)


def by_items(let: Let, var: Var) -> bool:
    """Whether a let reads each item of an argument once, in their order."""
    op = let.op
    if not isinstance(op, Apply) or op.primitive.effect:
        return False
    p = op.primitive
    if p.writes is not None and p.adds:  # a sum into a part of another array
        return [atom for atom in let.args if atom is var] == [let.args[1]]
    return (p.type_rule is elementwise and p.memory_of(op.params).how == "new") or (
        p.work == SUMS and isinstance(let.targets[0].object, (Array, Real)))
