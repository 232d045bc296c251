"""All modules that say how primitives are lowered: importing this one knows them all."""

from __future__ import annotations

from ccc.compile.native import (
    along,
    calls,
    conforming,
    contractions,
    cotangents,
    indices,
    lists,
    loops,
    new_arrays,
    orders,
    products,
    rearranging,
    reductions,
    repeats,
    reshaping,
    rolled,
    scans,
    sequences,
    sums,
    systems,
    tapes,
    totals,
    transforms,
)
from ccc.compile.native.table import TABLE

MODULES = (
    along, calls, conforming, contractions, cotangents, indices, lists, loops, new_arrays, orders, products,
    rearranging, reductions, repeats, reshaping, rolled, scans, sequences, sums, systems, tapes,
    totals, transforms,
)  # fmt: skip

__all__ = ["MODULES", "TABLE"]
