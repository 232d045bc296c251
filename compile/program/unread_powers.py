"""Powers of Python's numbers that nothing reads and that may overflow: they stay, and raise what Python raises.

    y = x ** 2                  OverflowError where x is 1e200
    return x

Where a power is read the value shows that it was too large. What only a derivative does not read may go: a program is
looked at as its function was read, before it is differentiated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ccc.compile.program.called import calls_of
from ccc.compile.program.lam import (
    Apply,
    Branch,
    Lambda,
    Let,
    Loop,
    Program,
    Var,
    While,
    blocks_in,
    leaves,
    lets_in,
)
from ccc.compile.program.raises import can_raise, known_of
from ccc.primitives.facts import MAY
from ccc.primitives.primitive import Primitive
from ccc.primitives.raising import may_overflow


def keep(program: Program) -> None:
    """Let powers that nothing reads stay where they may overflow, and what they are computed from.

    >>> from ccc.compile.frontend.elaborate import program_of
    >>> def f(x):
    ...     y = (x + 1.0) ** 2 * 3.0
    ...     return x
    >>> [let.op.primitive.raises for let in program_of(f, (2.0,)).block.lets if let.op.primitive.powers]
    ['may']
    """
    lets = lets_in(program.block)
    if not any(overflows(let) for let in lets):
        return
    count = Counter(x for x in leaves(program.result) if isinstance(x, Var))
    count.update(x for let in lets for x in let.args if isinstance(x, Var))
    count.update(x for block in blocks_in(program.block) for x in block.results if isinstance(x, Var))
    calls = calls_of(program.block, program.result)
    gone: set[Let] = set()
    dropped: set[tuple[Let, int]] = set()
    todo = lets
    while todo:
        for let in todo:
            if goes(let, count):
                follow(let, count, gone)
        todo = [given for let in lets for given in handed_out_unread(let, count, calls, dropped)]


def handed_out_unread(
    let: Let, count: Counter[Var], calls: dict[Var, list[Let]], dropped: set[tuple[Let, int]]
) -> Iterator[Let]:
    """What gives the values that a branch, a loop or a nested function hands out and nobody reads, which do not count
    as read there; each once."""
    if isinstance(let.op, Lambda):
        asked = calls.get(let.targets[0]) or []
        unread = [
            i for i in range(len(let.op.body.results)) if asked and not any(count[call.targets[i]] for call in asked)
        ]
    elif isinstance(let.op, (Branch, Loop, While)):
        first = [] if isinstance(let.op, Branch) else let.op.blocks[-1].params[: let.op.carries]
        unread = [
            i
            for i, target in enumerate(let.targets)
            if not count[target] and not any(count[x] for x in first[i : i + 1])
        ]
    else:
        return
    for i in [i for i in unread if (let, i) not in dropped]:
        dropped.add((let, i))
        for block in let.op.blocks[-1:] if isinstance(let.op, While) else let.op.blocks:
            result = block.results[i]
            if isinstance(result, Var):
                count[result] -= 1
                if result.definition is not None:
                    yield result.definition


def follow(let: Let, count: Counter[Var], gone: set[Let]) -> None:
    """Let an operation go that nothing reads, and what is read by it alone, up to powers that may overflow."""
    todo = [let]
    while todo:
        let = todo.pop()
        if let in gone:
            continue
        gone.add(let)
        if overflows(let):
            let.op = Apply(aloud(let.application.primitive), let.application.params)
            continue
        if let.application.primitive.raises == MAY:
            continue
        for atom in let.args:
            if isinstance(atom, Var):
                count[atom] -= 1
                if atom.definition is not None and goes(atom.definition, count):
                    todo.append(atom.definition)


def goes(let: Let, count: Counter[Var]) -> bool:
    """Whether nothing reads what an operation gives, which has no effect and is not known to raise."""
    unread = isinstance(let.op, Apply) and not any(count[target] > 0 for target in let.targets)
    return unread and not let.application.primitive.effect and not can_raise(let.application, let.args)


def overflows(let: Let) -> bool:
    """Whether an operation is a power that may be too large."""
    return isinstance(let.op, Apply) and let.op.primitive.raises != MAY and may_overflow(
        let.op.primitive, [a.object for a in let.args], lambda: known_of(let.args))


def aloud(p: Primitive) -> Primitive:
    """A primitive that stays though nothing reads it, the same each time."""
    if "aloud" not in p.kept:
        p.kept["aloud"] = replace(p, of=p.plain, raises=MAY)
    return p.kept["aloud"]
