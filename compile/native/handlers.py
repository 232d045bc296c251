"""All modules that say how primitives are lowered: importing this one knows them all."""

from __future__ import annotations

from ccc.compile.native import (
    along,
    calls,
    choices,
    cholesky,
    conforming,
    contractions,
    cotangents,
    diagonals,
    elementary_calls,
    indices,
    lists,
    loops,
    maps,
    new_arrays,
    orders,
    products,
    rearranging,
    reductions,
    repeats,
    reshaping,
    rolled,
    scalars,
    scans,
    sequences,
    strong_zeros,
    sums,
    systems,
    tapes,
    texts,
    totals,
    transforms,
    truths,
    whole_numbers,
)
from ccc.compile.native.table import TABLE

MODULES = (
    along, calls, choices, cholesky, conforming, contractions, cotangents, diagonals, elementary_calls,
    indices, lists, loops, maps, new_arrays, orders, products, rearranging, reductions, repeats, reshaping, rolled,
    scalars, scans, sequences, strong_zeros, sums, systems, tapes, texts, totals, transforms, truths, whole_numbers,
)  # fmt: skip

__all__ = ["MODULES", "TABLE"]
