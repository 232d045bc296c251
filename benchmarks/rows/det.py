"""The determinant by expansion into minors: a recursion.

JAX and CasADi trace the recursion call by call, so they have only small matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs.det import determinant as primal

EVAL = "det"
SIZES = {"5": (5,), "8": (8,)}
SMALL = (4,)
WRT = (0,)
MOST_TRACED = 6


def given(ell: int) -> dict[str, Any]:
    return {"A": np.random.default_rng(0).random(ell * ell).tolist(), "ell": ell}


def arguments(ell: int) -> tuple[Any, ...]:
    return evals.det_arguments(given(ell))


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, None, backend)}


def minors(entries: Any, row: int, columns: tuple[int, ...]) -> Any:
    """The determinant of a list of rows, from a row on, in some columns; by any library."""
    if len(columns) == 1:
        return entries[row][columns[0]]
    total = 0.0
    for j, column in enumerate(columns):
        total = total + (-1.0) ** j * entries[row][column] * minors(entries, row + 1, columns[:j] + columns[j + 1 :])
    return total


def traced(A: Any, entries: Any) -> Any:
    if A.shape[0] > MOST_TRACED:
        raise ValueError(f"the recursion over {A.shape[0]} rows is too much to trace")
    return minors(entries, 0, tuple(range(A.shape[0])))


def jax() -> Mapping[str, Any]:
    import jax

    def determinant(A: Any) -> Any:
        return traced(A, [list(row) for row in A])

    return {"primal": jax.jit(determinant), "gradient": jax.jit(jax.grad(determinant))}


def torch() -> Mapping[str, Any]:
    from benchmarks import with_torch

    def determinant(A: Any) -> Any:
        return minors([row.unbind() for row in A.unbind()], 0, tuple(range(len(A))))

    return {"primal": with_torch.value(determinant), "gradient": with_torch.gradient(determinant, WRT)}


def autograd() -> Mapping[str, Any]:
    from autograd import grad

    def determinant(A: Any) -> Any:
        return minors(A, 0, tuple(range(len(A))))

    return {"primal": determinant, "gradient": grad(determinant)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    def determinant(A: Any) -> Any:
        return traced(A, [casadi.horzsplit(row) for row in casadi.vertsplit(A)])

    symbol = casadi.SX
    return {
        "primal": with_casadi.value(determinant, symbol),
        "gradient": with_casadi.gradient(determinant, WRT, symbol),
    }
