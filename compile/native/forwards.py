"""Loops that go backwards, though the order of their runs is free, go forwards: memory is read as it lies.

    for j in reversed(range(n)):                for j in range(n):
        dx[i + j] += dy[j] * w              →       dx[i + j] += dy[j] * w

The reverse of a loop that makes sums, or that writes items each elsewhere, is such a loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from ccc.compile.native.bounds import Bounds
from ccc.compile.native.fusion import acts, is_sum
from ccc.compile.native.scattering import writes_apart
from ccc.compile.program.lam import Block, Let, Loop, Var, blocks_in
from ccc.objects import Array, Int, Real


def turn(block: Block, uses: Counter[Var], bounds: Bounds, stay: Set[Let]) -> bool:
    """Let the loops of a program, but some, go forwards where their order is free; true where there are such loops."""
    changed = False
    for here in blocks_in(block):
        for let in here.lets:
            op = let.op
            alone = isinstance(op, Loop) and op.reverse and len(let.args) == op.carries + 1
            if isinstance(op, Loop) and alone and let not in stay and order_is_free(let, op, uses, bounds):
                op.reverse, changed = False, True
    return changed


def order_is_free(let: Let, op: Loop, uses: Counter[Var], bounds: Bounds) -> bool:
    """Whether all that a loop carries stays as it is, is a sum, or is an array of which each run has its own places."""
    body = op.body
    return not acts(let) and all(
        result is param
        or (isinstance(param.object, (Int, Real, Array)) and is_sum(body, param, result, uses))
        or writes_apart(op, let.args[op.carries :], k, uses, bounds.from_zero)
        for k, (param, result) in enumerate(zip(body.params[: op.carries], body.results, strict=False))
    )
