"""Which variables lie in memory that a program gives: its results, and what is written over, shown or carried on to
become one. Where that is large, it has a piece of its own (`arena`), which the result takes with it.

    c = np.zeros((n, n));  for i in range(n): c[i] = row(i);  return c        the memory of c is that of the result
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ccc.compile.program.lam import Apply, Atom, Let, Program, Var, joined_from, leaves


def in_results(program: Program, overwritten: Mapping[Let, int]) -> set[Var]:
    """The variables whose memory may be that of a result; `overwritten` are the arguments that lets change in place."""
    found, todo = set[Var](), list[Atom](leaves(program.result))
    while todo:
        x = todo.pop()
        if isinstance(x, Var) and x not in found:
            found.add(x)
            todo += joined_from(x) or shown_as(x.definition, overwritten)
    return found


def shown_as(let: Let | None, overwritten: Mapping[Let, int]) -> Sequence[Atom]:
    """The arguments whose memory the result of a primitive may be in."""
    if let is None or not isinstance(let.op, Apply):
        return []
    memory = let.op.primitive.memory_of(let.op.params)
    return [let.args[i] for i in ([overwritten[let]] if let in overwritten else memory.of)]
