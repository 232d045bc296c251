"""Where a loop under way reads and writes, by the indices of its text for one item, see `row_loops`.

While it is written, `Writer.reaching` notes items, arrays and indices, and `Writer.below` what indices stay below; what
the lines of the loop touch besides, perhaps in vectors, is `row_loops.completed`, which takes it for anything.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ccc.compile.native.code import Address, Instruction, Operation
from ccc.compile.native.dtypes import BYTES
from ccc.compile.native.polynomials import ONE, Polynomial, names, plus, polynomial, put, renamed, times
from ccc.compile.native.row_loops import Rows, Touched, own_row
from ccc.compile.native.sizes import Sizes
from ccc.compile.native.under_way import Lowering

ROW, COLUMN = "%row", "%column"
"""The index of a row, and a place in it."""
PARTS = ("udiv", "urem")
"""What gives the row of a position, and its place in that."""


def along(m: Lowering, sizes: Sizes, now: str, axes: Sequence[str], text: Sequence[Instruction]) -> Rows | None:
    """The rows of a loop over the positions of arrays of some axes, by its text for one of them; of the sizes that are
    equal at its place."""
    long = [sizes.name(axis) for axis in axes if axis != "1"]
    if not long:
        return None
    scale: Polynomial = ONE
    for axis in long[1:]:
        scale = times(scale, polynomial(axis, m.w.makers))
    scale = renamed(scale, sizes.name)
    places: dict[str, Polynomial] = {now: plus(times({(ROW,): 1}, scale), {(COLUMN,): 1})}
    for line in text:
        if not isinstance(line, Operation) or line.op not in PARTS or line.operands[0] != now:
            continue
        if renamed(polynomial(line.operands[1], m.w.makers), sizes.name) == scale:
            places[line.name] = {(ROW if line.op == PARTS[0] else COLUMN,): 1}
    accesses = [(line.item, line.operands[0], line.operands[1]) for line in text if isinstance(line, Address)]
    return Rows(long[0], scale, touched(m, sizes, accesses, places, {COLUMN: scale}), sizes, m.at_first)


def by_rows(m: Lowering, rows: Sequence[str], count: str, accesses: Iterable[tuple[str, str, str]]) -> Rows:
    """The rows of a loop whose runs are rows, by the names of these and the items, arrays and indices that are read and
    written of one."""
    places: dict[str, Polynomial] = {row: {(ROW,): 1} for row in rows}
    sizes = m.sizes.known()
    return Rows(count, ONE, touched(m, sizes, accesses, places, {}), sizes, m.at_first)


def touched(
    m: Lowering, sizes: Sizes, accesses: Iterable[tuple[str, str, str]], places: Mapping[str, Polynomial],
    bounds: Mapping[str, Polynomial],
) -> dict[str, Touched]:
    """What is touched of each array, by its name. Some places are known, and what some indices stay below."""
    out: dict[str, Touched] = {}
    makers, below, name = m.w.makers, m.w.below, sizes.name
    atoms = ChainMap[str, Any](below, places)  # type: ignore[arg-type]

    def position(index: str) -> Polynomial:
        return put(polynomial(index, makers, atoms), lambda x: places.get(x) or polynomial(name(x), {}))

    for item, at, index in accesses:
        whole, bytes_ = position(index), BYTES.get(item, 0)
        while isinstance(line := makers.get(at), Address):
            at, before = line.operands
            bytes_ = bytes_ if line.item == item else 0
            whole = plus(whole, position(before))
        ends = {x: renamed(polynomial(below[x], makers), name) for x in names([whole]) if x in below}
        own = own_row(whole, ROW, {**ends, **bounds})
        old = out.setdefault(at, Touched(own, bytes_))
        if not bytes_ or old.bytes_ != bytes_ or old.row != own:
            old.row = None
    return out
