"""Arrays that are computed again where they are read, since that takes no longer than to read them.

    d = x[:, None] - y[None, :]         s = np.sum(d * d);  dx = np.sum(d * w, axis=1)
    z = x - np.mean(x, axis=0)          s = np.sum(z * z, axis=0);  u = z * g

A sum, difference or product of one array of its own size at most, and of numbers and arrays that are smaller, is such
an array: to read it would take what it takes to read that one, and it is neither written nor does it drive others out
of the cache. Those that read it do so item by item, in its block.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ccc.compile.passes.readers import FLOATS
from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Var, blocks_in
from ccc.objects import Array, Bool, Int, Real
from ccc.primitives.facts import ENTRIES, SUMS
from ccc.primitives.primitive import elementwise

NUMBERS = (Real, Int, Bool)


def computed_again(block: Block, uses: Mapping[Var, int], changing: Iterable[Let]) -> Mapping[Var, int]:
    """The arrays of a program of which nothing is stored although they are read several times, with how many arrays of
    their size are read for them; `changing` are the lets that write into memory that is there."""
    found, changes = dict[Var, int](), set(changing)
    for here in blocks_in(block):
        readers: dict[Var, list[Let]] = {}
        for let in here.lets:
            for atom in let.args:
                if isinstance(atom, Var):
                    readers.setdefault(atom, []).append(let)
        for let in here.lets:
            var = let.targets[0] if let.targets else None
            if var is None or uses[var] < 2 or not is_cheap(let) or let in changes:
                continue
            by, most = readers.get(var, []), sum([reads(atom, var, found, uses) for atom in let.args])
            if most <= 1 and len(by) == uses[var] and all(by_items(other) and other not in changes for other in by):
                found[var] = most
    return found


def is_cheap(let: Let) -> bool:
    """Whether a let gives an array of floats, which is a sum, difference or product."""
    op, a = let.op, let.targets[0].object
    if not isinstance(op, Apply) or op.params or op.primitive.effect or op.primitive.type_rule is not elementwise:
        return False
    linear = op.primitive.work == ENTRIES and op.primitive.linear_of(op.params).groups(len(let.args))
    everywhere = linear and {i for group in linear for i in group} == {*range(len(let.args))}
    return bool(everywhere) and isinstance(a, Array) and a.dtype in FLOATS and bool(a.axes)


def by_items(let: Let) -> bool:
    """Whether a let reads each item of its arguments once, in their order."""
    op = let.op
    if not isinstance(op, Apply) or op.primitive.effect:
        return False
    p = op.primitive
    return (p.type_rule is elementwise and p.memory_of(op.params).how == "new") or (
        p.work == SUMS and isinstance(let.targets[0].object, (Array, Real)))


def reads(atom: Atom, var: Var, found: Mapping[Var, int], uses: Mapping[Var, int]) -> int:
    """How many arrays of the size of a variable are read for an item of an argument of it; 2 where it is not there."""
    a, whole = atom.object, var.object
    if isinstance(atom, Lit) or isinstance(a, NUMBERS):
        return 0
    if not isinstance(a, Array) or not isinstance(whole, Array) or a.axes is None or whole.axes is None:
        return 2
    assert isinstance(atom, Var)
    ends = zip(reversed(a.axes), reversed(whole.axes), strict=False)
    small = len(a.axes) < len(whole.axes) or any(one == "1" != other for one, other in ends)
    return 0 if small else found[atom] if atom in found else 1 if is_stored(atom, uses) else 2


def is_stored(var: Var, uses: Mapping[Var, int]) -> bool:
    """Whether an array surely is in memory: a parameter, or part of one, or what is read several times."""
    made: Any = var.definition
    if not isinstance(made, Let):
        return True
    if isinstance(made.op, Apply) and made.op.primitive.memory_of(made.op.params).how == "view":
        return isinstance(made.args[0], Var) and is_stored(made.args[0], uses)
    return uses[var] > 1
