"""Which sums into windows of one array follow each other: those are written at once (`added_windows`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ccc.compile.program.lam import Apply, Block, Let, Var, blocks_in
from ccc.compile.program.sharing import are_slices
from ccc.primitives import indexing
from ccc.primitives.primitive import elementwise

MOST = 16
"""So many windows are written at once."""


def in_a_row(block: Block, uses: Counter[Var], changed: Iterable[Let]) -> dict[Let, list[Let]]:
    """The lets that add to windows of an array which the next one of them adds to as well, with nothing between that
    changes memory: all of such a row, by each."""
    changes, found = set(changed), dict[Let, list[Let]]()
    for here in blocks_in(block):
        row: list[Let] = []
        for let in here.lets:
            if let in changes and adds_to_window(let):
                last = row[-1].targets[0] if row else None
                if last is None or let.args[0] is not last or uses[last] != 1 or len(row) == MOST:
                    row = []
                row.append(let)
                found[let] = row
            elif let in changes or not isinstance(let.op, Apply):
                row = []
    return {let: row for let, row in found.items() if len(row) > 1}


def adds_to_window(let: Let) -> bool:
    """Whether a let adds to what slices of one step say of an array."""
    if not isinstance(let.op, Apply) or let.op.primitive is not indexing.add_at:
        return False
    return are_slices(let.op.params["pattern"])


def only_stored(block: Block, uses: Counter[Var]) -> set[Var]:
    """The values that are read once, to be written or added to a part of an array."""
    return {v for here in blocks_in(block) for let in here.lets if isinstance(let.op, Apply)
            and let.op.primitive.writes is not None
            for v in let.args[1:2] if isinstance(v, Var) and v.home is here and uses[v] == 1}


def read_together(block: Block, uses: Counter[Var]) -> set[Var]:
    """The values that one elementwise operation reads alone, several times: `t` of `t + t`."""
    found = set[Var]()
    for here in blocks_in(block):
        for let in here.lets:
            if len(let.args) > 1 and isinstance(let.op, Apply) and let.op.primitive.type_rule is elementwise:
                times = Counter([a for a in let.args if isinstance(a, Var) and a.home is here])
                found.update([v for v, n in times.items() if n > 1 and uses[v] == n])
    return found
