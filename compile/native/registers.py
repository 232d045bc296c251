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

from ccc.compile.program.lam import Apply, Block, Let, Lit, Loop, Var, blocks_in
from ccc.objects import REAL, Array, Real
from ccc.primitives import arithmetic, indexing


def hold(block: Block, uses: Counter[Var], inside: set[Let]) -> bool:
    """Let the loops of a program add up in numbers what they add to one item, or to each of some; whether any does. The
    lets in `inside` name items that are there; new ones are put in."""
    changed = False
    for here in reversed(blocks_in(block)):
        lets: list[Let] = []
        for let in here.lets:
            lets.append(let)
            if isinstance(let.op, Loop):
                for k in reversed(range(let.op.carries)):
                    added = items(let.op, k, uses, inside)
                    if added:
                        behind = held(let, let.op, k, added, here)
                        lets += behind
                        inside.update(behind)
                        changed = True
        here.lets = lets
    return changed


def items(op: Loop, k: int, uses: Counter[Var], inside: set[Let]) -> list[Let]:
    """The additions to items that stay the same, the first one first, which are all that a loop does with the array it
    carries as number `k`; [] where it does more."""
    body = op.body
    array, now = body.params[k], body.results[k]
    if not isinstance(array.object, Array) or array.object.dtype != "float64":
        return []
    found: list[Let] = []
    bound = body.binds()
    while now is not array:
        let = now.definition if isinstance(now, Var) and now.home is body else None
        if not isinstance(let, Let) or not isinstance(let.op, Apply) or let.op.primitive is not indexing.add_at:
            return []
        known = let in inside and bound.isdisjoint(let.args[2:])
        whole = len(let.args) - 2 == len(array.object.axes or ())
        real = isinstance(let.args[1].object, Real) and let.args[1].object.kind in ("float", "float64")
        if not (known and whole and real and uses[let.targets[0]] == 1):
            return []
        found.insert(0, let)
        now = let.args[0]
    return found if uses[array] == 1 else []


def held(loop: Let, op: Loop, k: int, added: list[Let], home: Block) -> list[Let]:
    """Let a loop carry a number for each item instead of the array; gives what adds these to it behind the loop."""
    body = op.body
    array, whole, target = loop.args[k], body.params[k].object, loop.targets[k]
    sums: dict[Let, Let] = {}
    behind: list[Let] = []
    inits, params, results, targets = list[Any](), list[Var](), list[Any](), list[Var]()
    for let in added:
        _, value, *index = let.args
        number = Var(body.params[k].name, value.object, body)
        sums[let] = Let(Apply(arithmetic.add, {}), [number, value], let.span, let.adjoint)
        inits.append(Lit(0.0, REAL))
        params.append(number)
        results.append(sums[let].target("", value.object, body))
        targets.append(Var("", value.object, home, loop))
        behind.append(Let(let.op, [array, targets[-1], *index], let.span, let.adjoint))
        array = behind[-1].target(target.name, whole, home)
    behind[-1].targets, target.definition = [target], behind[-1]
    body.lets = [sums.get(let, let) for let in body.lets]
    for parts, new in ((loop.args, inits), (body.params, params), (body.results, results), (loop.targets, targets)):
        parts[k : k + 1] = new
    op.carries += len(added) - 1
    return behind
