"""Which matrices have columns that loops read again and again (`columns`)."""

from __future__ import annotations

from ccc.compile.native.table import applies, known
from ccc.compile.program.lam import Apply, Block, Lambda, Let, Loop, Var, While
from ccc.objects import Array
from ccc.primitives import indexing

AGAIN = 2
"""Loops so deep within what makes a matrix are taken to read a column more than once."""

PATTERNS = (("s", "i"), ("s", "s12"))
"""The indices `X[:, j]` and `X[:, i:j]`, of which the latter may be one column."""


def read_again(whole: Block) -> dict[Var, bool]:
    """The matrices of which columns are read by loops within loops, and whether by an index."""
    found: dict[Var, bool] = {}
    places: dict[Block | None, tuple[int, Block]] = {}
    todo = [(whole, 0, whole)]
    while todo:
        here, depth, function = todo.pop()
        places[here] = depth, function
        for let in here.lets:
            op = let.op
            x = let.args[0] if isinstance(op, Apply) and let.args else None
            if isinstance(x, Var) and reads_columns(let, x):
                home, its_function = places.get(x.home, (depth, None))
                if its_function is function and depth - home >= AGAIN:
                    found[x] = found.get(x, False) or applies(let, indexing.index)
            deeper = depth + isinstance(op, (Loop, While))
            todo += [(inner, 0, inner) if isinstance(op, Lambda) else (inner, deeper, function) for inner in op.blocks]
    return found


def reads_columns(let: Let, x: Var) -> bool:
    """Whether a let may read a matrix of reals by its columns."""
    a, op = x.object, let.op
    by_index = applies(let, indexing.index) and op.params["pattern"] in PATTERNS  # type: ignore[attr-defined]
    if not by_index and not known(let).columns:
        return False
    return isinstance(a, Array) and a.dtype == "float64" and a.axes is not None and len(a.axes) == 2
