"""Systems of equations and the factors of their matrices: what is known of a matrix decides how it is solved, and a
matrix is factored once, for its transpose as well, which is what derivatives solve with.

A factor is known in the block that computed it: outside of it JAX has no such value.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax.linalg import lu, triangular_solve

from ccc.compile.xla.facade import settled
from ccc.compile.xla.forms import derived_call, form, in_jax, leaves_numbers
from ccc.compile.xla.frames import Run
from ccc.primitives import decompositions, matrices, shaping
from ccc.primitives.primitive import Primitive


class Factors:
    """Of matrices, by the values of JAX: of which they are transposes, which are lower triangles, and the factors."""

    def __init__(self) -> None:
        self.transposes: dict[int, tuple[Any, Any, bool]] = {}
        self.triangles: dict[int, Any] = {}
        self.factors: dict[int, tuple[Any, Any, Any]] = {}

    def copied(self) -> Factors:
        """The same, to which more can be added."""
        found = Factors()
        found.transposes, found.triangles, found.factors = (
            dict(self.transposes), dict(self.triangles), dict(self.factors))
        return found

    def turned(self, found: Any, x: Any) -> None:
        """A matrix is the transpose of another."""
        base, transposed = self.base(x)
        self.transposes[id(found)] = found, base, not transposed

    def base(self, a: Any) -> tuple[Any, bool]:
        """The matrix from which one was made by transposing, and whether it is its transpose."""
        _, base, transposed = self.transposes.get(id(a), (a, a, False))
        return base, transposed

    def solved(self, e: Run, a: Any, b: Any) -> Any:
        """The solution of a square system for one or several columns. Python raises where a pivot is zero."""
        a, transposed = self.base(a)
        rows = b if b.ndim == 2 else b[:, None]
        if id(a) in self.triangles:
            return _triangular(a, rows, True, transposed).reshape(b.shape)
        if id(a) not in self.factors:
            both, _, order = lu(a)
            e.failing(jnp.diagonal(both) == 0)
            self.factors[id(a)] = a, both, order
        _, both, order = self.factors[id(a)]
        if not transposed:
            rows = _triangular(both, rows[order], True, unit=True)
            return _triangular(both, rows, False).reshape(b.shape)
        rows = _triangular(both, _triangular(both, rows, False, True), True, True, unit=True)
        return jnp.zeros_like(rows).at[order].set(rows, unique_indices=True, mode="promise_in_bounds").reshape(b.shape)


def _triangular(a: Any, b: Any, lower: bool, transposed: bool = False, unit: bool = False) -> Any:
    return triangular_solve(a, b, left_side=True, lower=lower, transpose_a=transposed, unit_diagonal=unit)


def _is_one(a: Any) -> bool:
    """Whether it is one square matrix of real numbers that JAX has."""
    return isinstance(a, jax.Array) and a.ndim == 2 and a.shape[0] == a.shape[1] > 0 and a.dtype.kind == "f"


def _elsewhere(e: Run, p: Primitive, args: list[Any]) -> Any:
    found = derived_call(p, args, (), {})
    e.failing(leaves_numbers(p, args, found))
    return found


@form(matrices.solve)
def solve(e: Run, a: Any, b: Any) -> Any:
    """The solution of a system."""
    if not (_is_one(a) and np.ndim(b) in (1, 2) and np.shape(b)[0] == len(a) and jnp.result_type(a, b) == a.dtype):
        return _elsewhere(e, matrices.solve, [a, b])
    return e.matrices.solved(e, a, jnp.asarray(b, a.dtype))


@form(decompositions.between_inverses)
def between_inverses(e: Run, x: Any, a: Any) -> Any:
    """A matrix between the inverse of another and its transpose."""
    if not (_is_one(a) and _is_one(x) and x.shape == a.shape and x.dtype == a.dtype):
        return _elsewhere(e, decompositions.between_inverses, [x, a])
    return e.matrices.solved(e, a, e.matrices.solved(e, a, x).T).T


@form(decompositions.cholesky_cotangent)
def cholesky_cotangent(e: Run, ct: Any, y: Any) -> Any:
    """What arrives at a triangle of a matrix from its factor."""
    if not (_is_one(ct) and _is_one(y) and ct.shape == y.shape and ct.dtype == y.dtype):
        return _elsewhere(e, decompositions.cholesky_cotangent, [ct, y])
    y = jnp.tril(y)
    inner = jnp.tril(y.T @ jnp.tril(ct))
    inner = inner - 0.5 * jnp.diag(jnp.diag(inner))
    found = e.matrices.solved(e, y.T, e.matrices.solved(e, y.T, inner).T).T
    return jnp.tril(found + found.T) - jnp.diag(jnp.diag(found))


@form(matrices.cofactor)
def cofactor(e: Run, a: Any) -> Any:
    """The matrix of cofactors, by singular values: which matrices are regular is known only when it runs."""
    found = settled(in_jax(matrices.cofactor_by_singular_values)(a))
    e.failing(leaves_numbers(matrices.cofactor, [a], found))
    return found


@form(decompositions.cholesky)
def cholesky(e: Run, a: Any, upper: bool = False) -> Any:
    """The triangular factor of a symmetric matrix; JAX gives no numbers where there is none."""
    found = derived_call(decompositions.cholesky, [a], (), {"upper": upper})
    e.failing(jnp.isnan(jnp.diagonal(found, axis1=-2, axis2=-1)))
    if _is_one(found) and not upper:
        e.matrices.triangles[id(found)] = found
    return found


def _transposing(*primitives: Primitive) -> None:
    """What may give the transpose of a matrix."""
    def give(e: Run, p: Primitive, x: Any, **params: Any) -> Any:
        found = derived_call(p, [x], (), params)
        if _is_one(x) and p.value(np.empty((0, 1)), **params).shape == (1, 0):
            e.matrices.turned(found, x)
        return found

    for p in primitives:
        form(p)(lambda e, x, p=p, **params: give(e, p, x, **params))


_transposing(shaping.transpose, shaping.swapaxes)
