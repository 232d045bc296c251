"""What a value of a program is computed from, variable by variable, also while the program is being recorded.

>>> from ccc.compile.frontend.elaborate import program_of
>>> program = program_of(lambda x, y: (x * 2.0, y), (1.0, 1.0))
>>> x, y = [tree for _, tree in program.params]
>>> depends([program.result[0]], [x]), depends([program.result[0]], [y])
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ccc.compile.program.lam import Apply, Block, Branch, Lambda, Let, Loop, Var, While, free_variables


def depends(results: Iterable[Any], on: Iterable[Any]) -> bool:
    """True where a result may be computed from one of the variables; that they have its size does not count."""
    wanted = {v for v in on if isinstance(v, Var)}
    seen: set[Var] = set()
    todo: list[Any] = list(results)
    while todo:
        var = todo.pop()
        if not isinstance(var, Var) or var in seen:
            continue
        if var in wanted:
            return True
        seen.add(var)
        todo += parameter(var, var.home) if var.definition is None else defined(var, var.definition)
    return False


def parameter(var: Var, home: Block | None) -> list[Any]:
    """What a parameter of a block is computed from."""
    owner = home.owner if home is not None else None
    if home is None or owner is None or not isinstance(owner.op, (Loop, While)):
        return []
    i = home.params.index(var)
    if i >= owner.op.carries:
        return [owner.args[i]]
    return [owner.args[i], owner.op.body.results[i], *(owner.op.test.results if isinstance(owner.op, While) else [])]


def defined(var: Var, let: Let) -> list[Any]:
    """What the target of a let is computed from."""
    op = let.op
    if isinstance(op, Branch):
        i = let.targets.index(var)
        return [let.args[0], op.then.results[i], op.orelse.results[i]]
    if isinstance(op, (Loop, While)):
        i = let.targets.index(var)
        test = op.test.results if isinstance(op, While) else []
        return [op.body.results[i], *let.args[i : i + 1 if i < op.carries else i], *test]
    if isinstance(op, Apply):
        return [a for i, a in enumerate(let.args) if i not in op.primitive.sizes]
    return [*let.args, *(free_variables(op.body, {}) if isinstance(op, Lambda) else [])]
