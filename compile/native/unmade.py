"""Variables whose sizes are not those of what a loop begins with: they may stand for what no run of it has made yet,
and so have no sizes, or are made with other sizes in each run (`resized`).

    r = absent
    for _ in t from r:          the first run finds nothing in r; behind the loop it is what the last run made
        -> a @ x

What is one of several, an item of a list, or has the sizes of another one, has no sizes where that has none.
"""

from __future__ import annotations

from collections.abc import Iterable

from ccc.compile.program.lam import Absent, Apply, Atom, Block, Lit, Var, blocks_in, joined_from


def unmade(block: Block, changing: Iterable[Var] = ()) -> set[Var]:
    """All such variables of a program, given those that change their sizes by themselves."""
    readers: dict[Var, list[Var]] = {}
    todo = [*changing]
    for here in blocks_in(block):
        for var in [*here.params, *[target for let in here.lets for target in let.targets]]:
            for source in sized_by(var):
                if isinstance(source, Var):
                    readers.setdefault(source, []).append(var)
                elif isinstance(source, Lit) and isinstance(source.value, Absent):
                    todo.append(var)
    found: set[Var] = set()
    while todo:
        var = todo.pop()
        if var not in found:
            found.add(var)
            todo += readers.get(var, [])
    return found


def sized_by(var: Var) -> list[Atom]:
    """What a variable is one of, or an item of, or has the sizes of."""
    joined = joined_from(var)
    if joined is not None:
        return joined
    let = var.definition
    if let is None or not isinstance(let.op, Apply):
        return []
    like = let.op.primitive.like_of(let.op.params)
    return [] if like is None else [let.args[like]]
