"""Whether what is added to an array can be computed while the array changes: it has to lie elsewhere.

Each value is followed to where its memory comes from. The arguments of the program are one origin, since they may share
memory; of the arguments of a function nothing is known.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.layout import Arr, Lazy, Lst, Word
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Apply, Branch, Let, Loop, Var, While
from ccc.objects import Array, Bool, Int, Real

ARGUMENTS = "arguments"
ANYWHERE = "anywhere"


def apart(m: Lowering, x: Any, v: Any) -> bool:
    """Whether what waits to be the value of `v` reads no memory of `x`, and nothing else waits for it, if it is not to
    be computed again for that."""
    if not isinstance(x, Var) or not isinstance(v, Var) or (m.module.uses[v] != 1 and v not in m.module.again):
        return False
    if not isinstance(m.values.get(v), Lazy) or isinstance(m.values[v], Member):
        return False
    return reads_elsewhere(m, origins(m, x), v)


def reads_elsewhere(m: Lowering, own: Set[Any], v: Var) -> bool:
    """Whether what waits to be the value of a variable reads no memory that comes from these origins.

    What it is made of counts as it was then: what of that is in memory by now, it still computes from what that is of.
    """
    seen, todo = set[tuple[Var, int]](), [(v, m.values.get(v))]
    while todo:
        var, found = todo.pop()
        if isinstance(found, Num) or (var, id(found)) in seen:
            continue
        seen.add((var, id(found)))
        if isinstance(found, (Arr, Member)) or (isinstance(found, Lst) and isinstance(found.layout, Word)):
            theirs = origins(m, var)
            if ANYWHERE in own | theirs or own & theirs:
                return False
        elif isinstance(found, Lazy) and var in m.captured:
            todo += m.captured[var]
        else:
            return False
    return True


def is_sole(m: Lowering, x: Any) -> bool:
    """Whether a value is read once, and is in memory that nothing else leads to: made for it, or for what is read once
    to be shown as it, or written over."""
    while isinstance(x, Var) and m.module.uses[x] == 1 and isinstance(x.definition, Let):
        let = x.definition
        if isinstance(m.values.get(x), Lazy):  # its reader has put it into memory
            return True
        if not isinstance(let.op, Apply):
            return False
        memory = let.op.primitive.memory_of(let.op.params)
        if let in m.module.overwritten:
            x = let.args[m.module.overwritten[let]]
        elif not memory.shares:
            return True
        elif len(memory.of) == 1:
            x = let.args[memory.of[0]]
        else:
            return False
    return False


def lie_apart(m: Lowering, x: Any, v: Any) -> bool:
    """Whether two arrays of the program, which are in memory, surely share none."""
    if not isinstance(x, Var) or not isinstance(v, Var):
        return False
    own, theirs = origins(m, x), origins(m, v)
    return ANYWHERE not in own | theirs and not own & theirs


def origins(m: Lowering, start: Var) -> Set[Any]:
    """Where the memory of a value comes from: the operations that made it."""
    found, seen, todo = set[Any](), set[Var](), [start]
    while todo:
        var = todo.pop()
        if var in seen or (isinstance(var.object, (Real, Int, Bool))):
            continue
        seen.add(var)
        made, more = sources(m, var)
        found.add(made)
        todo += [a for a in more if isinstance(a, Var)]
    return found - {None}


def sources(m: Lowering, var: Var) -> tuple[Any, list[Any]]:
    """An origin of a variable itself, or None, and the atoms that it may share memory with."""
    let, home = var.definition, var.home
    if let is None:
        owner = home.owner if home is not None else None
        if owner is None:
            return ARGUMENTS, []
        if not isinstance(owner.op, (Loop, While)) or home is None or var not in owner.op.body.params:
            return ANYWHERE, []
        i = owner.op.body.params.index(var)
        return None, [owner.args[i], *(owner.op.body.results[i : i + 1] if i < owner.op.carries else [])]
    op = let.op
    if isinstance(op, Apply):
        if let in m.module.overwritten:
            return var, let.args[:1]
        shares = op.primitive.memory_of(op.params).shares
        return var, list(let.args) if shares or not isinstance(var.object, Array) else []
    if not isinstance(op, (Branch, Loop, While)) or var not in let.targets:
        return ANYWHERE, []
    i = let.targets.index(var)
    if isinstance(op, Branch):
        return None, [block.results[i] for block in op.blocks]
    return var, [op.body.results[i], *(let.args[i : i + 1] if i < op.carries else [])]
