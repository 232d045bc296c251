"""An item of an array that all runs of a loop add to is a number while the loop runs.

    for j in range(n):                          s = 0.0
        dw[a, b] += x[j] * y[j]                 for j in range(n):
                                        →           s += x[j] * y[j]
                                                dw[a, b] += s

The number is in a register, and sums of numbers are made several runs at once. Only items that are surely there are:
a loop that does not run would name them otherwise.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ccc.objects import REAL, Array, Real
from ccc.primitives import arithmetic, indexing
from compile.lam import Apply, Block, Let, Lit, Loop, Var, blocks_in


def hold(block: Block, uses: Counter[Var], inside: set[Let]) -> bool:
    """Let the loops of a program add up in numbers what they add to one item; whether any does. The lets in `inside`
    name items that are there; new ones are put in."""
    changed = False
    for here in reversed(blocks_in(block)):
        lets: list[Let] = []
        for let in here.lets:
            lets.append(let)
            if isinstance(let.op, Loop):
                for k, added in [(k, one_item(let.op, k, uses, inside)) for k in range(let.op.carries)]:
                    if added is not None:
                        lets.append(held(let, let.op, k, added, here))
                        inside.add(lets[-1])
                        changed = True
        here.lets = lets
    return changed


def one_item(op: Loop, k: int, uses: Counter[Var], inside: set[Let]) -> Let | None:
    """The addition to one item that is all that a loop does with the array it carries as number `k`."""
    body = op.body
    array, result = body.params[k], body.results[k]
    let = result.definition if isinstance(result, Var) and result.home is body else None
    if not isinstance(array.object, Array) or array.object.dtype != "float64" or not isinstance(let, Let):
        return None
    if not isinstance(let.op, Apply) or let.op.primitive is not indexing.add_at or let not in inside:
        return None
    known = body.binds().isdisjoint(let.args[2:])
    whole = len(let.args) - 2 == len(array.object.axes or ())
    alone = let.args[0] is array and uses[array] == 1 and uses[let.targets[0]] == 1
    real = isinstance(let.args[1].object, Real) and let.args[1].object.kind in ("float", "float64")
    return let if known and whole and alone and real else None


def held(loop: Let, op: Loop, k: int, added: Let, home: Block) -> Let:
    """Let a loop carry a number instead of the array; gives what adds it to the array behind the loop."""
    body = op.body
    array, value, *index = added.args
    real, zero = value.object, Lit(0.0, REAL)
    behind = Let(added.op, [loop.args[k], zero, *index], added.span, added.adjoint)
    number = Var(array.name if isinstance(array, Var) else "", real, body)
    sum_ = Let(Apply(arithmetic.add, {}), [number, value], added.span, added.adjoint)
    body.results[k] = sum_.target("", real, body)
    body.lets = [sum_ if let is added else let for let in body.lets]
    body.params[k], loop.args[k] = number, zero
    target: Any = loop.targets[k]
    behind.targets, target.definition = [target], behind
    loop.targets[k] = Var("", real, home, loop)
    behind.args[1] = loop.targets[k]
    return behind
