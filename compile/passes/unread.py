"""What nothing reads goes, where it cannot raise: lets, and sequences that loops run along."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ccc.compile.program.lam import Apply, Block, Loop, Program, Var, blocks_in, bound_before
from ccc.compile.program.numbering import Numbering
from ccc.compile.program.shapes import Shapes
from ccc.compile.terms.readback import sweep
from ccc.objects import INT
from ccc.primitives.structure import span


def drop(program: Program, numbering: Numbering, shapes: Shapes) -> None:
    """Drop what nothing reads, sequences of loops included."""
    live(program, shapes)
    while unread_sequences(program.block, numbering):
        live(program, shapes)


def live(program: Program, shapes: Shapes | None = None) -> None:
    """Drop what nothing reads, where it cannot raise."""
    sweep(program.block, program.result, shapes)


def unread_sequences(block: Block, numbering: Numbering) -> bool:
    """Take sequences of which nothing is read out of loops that others make as long, and let loops along lists of which
    nothing is read be loops along the ranges that made them as long; True where there was one."""
    read: set[Any] = set()
    blocks = blocks_in(block)
    for here in blocks:
        read.update(here.results)
        for let in here.lets:
            read.update(let.args)
    found = False
    ranges = {let.targets[0] for here in blocks for let in here.lets
              if isinstance(let.op, Apply) and let.op.primitive is span and let.targets[0] in numbering.numbers}
    for let in [let for here in blocks for let in here.lets if isinstance(let.op, Loop)]:
        op = let.op
        assert isinstance(op, Loop)
        lengths = [numbering.lengths(numbering.of(a)) for a in let.args[op.carries :]]
        counts = Counter([part for parts in lengths for part in parts])
        kept = list(range(op.carries))
        for i, parts in enumerate(lengths, op.carries):
            alone = i == len(let.args) - 1 and len(kept) == op.carries
            if op.body.params[i] in read or alone or any(counts[part] == 1 for part in parts):
                kept.append(i)
            else:
                counts.subtract(parts)
        if len(kept) < len(let.args):
            let.args, op.body.params = [let.args[i] for i in kept], [op.body.params[i] for i in kept]
            found = True
        *_, param = op.body.params
        around = op.body.parent
        if len(kept) == op.carries + 1 and param not in read and let.args[-1] not in ranges and around is not None:
            of = numbering.lengths(numbering.of(let.args[-1]))
            seen = bound_before(let, around) if len(of) == 1 else ()
            made = next((v for v in seen if v in ranges and numbering.numbers[v] in of), None)
            if made is not None:
                let.args[-1], op.body.params[-1] = made, Var("", INT, op.body)
                found = True
    return found
