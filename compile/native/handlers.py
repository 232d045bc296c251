"""All modules that say how primitives are lowered: importing this one knows them all, but for those of packages that
a program may import (`with_guests`)."""

from __future__ import annotations

from importlib import import_module

from ccc.compile.native import (
    along,
    calls,
    choices,
    cholesky,
    conforming,
    contractions,
    cotangents,
    counting,
    diagonals,
    digamma,
    elementary_calls,
    histograms,
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
from ccc.later import has_run

MODULES = (
    along, calls, choices, cholesky, conforming, contractions, cotangents, counting, diagonals, digamma,
    elementary_calls, histograms, indices, lists, loops, maps, new_arrays, orders, products, rearranging, reductions,
    repeats, reshaping, rolled, scalars, scans, sequences, strong_zeros, sums, systems, tapes, texts, totals,
    transforms, truths, whole_numbers,
)  # fmt: skip

GUESTS = {"ccc.primitives.scipy_special": "ccc.compile.native.special"}
"""By the modules of primitives that are loaded where a program calls them: those that lower them."""


def with_guests() -> None:
    """Know, too, how the primitives are lowered that programs have loaded by now."""
    for primitives, module in GUESTS.items():
        if has_run(primitives):
            import_module(module)


__all__ = ["MODULES", "TABLE"]
