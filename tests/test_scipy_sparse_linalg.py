"""Factors, eigenvalues, exponentials and operators of `scipy.sparse.linalg`: values are SciPy's, derivatives those of
differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

sparse: Any = pytest.importorskip("scipy.sparse")
linalg: Any = pytest.importorskip("scipy.sparse.linalg")
P, U = np.array([1.2, 0.7]), np.array([1.0, -0.5])
ONES, B = np.ones(10), np.cos(np.arange(10.0))


def chain(p: Any) -> Any:
    return sparse.diags([p[0] + 0.3 * np.arange(10.0) * p[1], -ONES[1:], -ONES[1:]], [0, 1, -1]).tocsr()


def tall(p: Any) -> Any:
    return sparse.csr_matrix((np.arange(1.0, 8.0) * p[0] + p[1] ** 2, (
        [0, 1, 2, 3, 4, 5, 5], [0, 1, 2, 3, 1, 0, 2])), shape=(6, 4))


def heat(p: Any) -> Any:
    step = sparse.identity(10) + 0.1 * p[0] * chain(p)
    factors, u = linalg.splu(step.tocsc()), B * p[1]
    for _ in range(3):
        u = factors.solve(u)
    return np.sum(factors.solve(u, "T") ** 2) * factors.shape[0]


def lowest(p: Any) -> Any:
    w, v = linalg.eigsh(chain(p), k=3, which="SA", v0=ONES)
    return np.sum(w * np.arange(3.0)) + np.sum(v[:, 0] ** 4) + (v[2, 1] * v[3, 1]) * w[0]


def near(p: Any) -> Any:
    return np.sum(linalg.eigsh(chain(p).tocsc(), k=2, sigma=1.0, v0=ONES, return_eigenvectors=False) ** 2)


def singular(p: Any) -> Any:
    u, s, vh = linalg.svds(tall(p), k=2, v0=np.ones(4))
    return np.sum(s**3) + u[0, 1] ** 2 * vh[1, 2] ** 2 + np.sum(linalg.svds(tall(p), 1, v0=np.ones(4),
                                                                            return_singular_vectors=False))


def exponential(p: Any) -> Any:
    two = np.stack([B, B**2 * p[1]], axis=1)
    return np.sum(linalg.expm_multiply(-p[0] * chain(p), B) ** 2) + np.sum(linalg.expm_multiply(chain(p), two)[3])


def operator(p: Any) -> Any:
    made = linalg.LinearOperator((10, 10), matvec=lambda v: p[0] * 4.0 * v + 0.3 * p[1] * (
        np.roll(v, 1) + np.roll(v, -1)))
    x, _ = linalg.cg(made, B * p[1], rtol=1e-12)
    y, _ = linalg.gmres(made, B, rtol=1e-12)
    return np.sum(x**2) + y[3] + np.sum(made @ B) * made.matvec(B)[2] + made.dot(B)[1]


CASES: list[Callable[[Any], Any]] = [heat, lowest, near, singular, exponential, operator]


@pytest.mark.parametrize("f", CASES)
def test_values_and_derivatives(f: Any):
    slopes_agree(f, P, U, 1e-3, 1e-7)


@pytest.mark.share(4)
@pytest.mark.parametrize("f", [lowest, singular, exponential])
def test_second_derivatives_and_machine_code(f: Any):
    bends_agree(f, P, U, 1e-3, rtol=1e-5)
    np.testing.assert_allclose(
        ccc.gradient(f, backend="native")(P), ccc.gradient(f, backend="numpy")(P), rtol=1e-9)


def test_what_is_not_taken_is_refused():
    for f, text in [
        (lambda p: linalg.eigs(chain(p), k=2)[0][0].real, "eigs has no derivative"),
        (lambda p: linalg.eigsh(chain(p), k=2, M=chain(p))[0][0], "M=None"),
        (lambda p: linalg.svds(tall(p), k=2, return_singular_vectors="u")[0][0, 0], "return_singular_vectors"),
        (lambda p: np.sum(linalg.LinearOperator((2, 2), matvec=lambda v: v * p[0]) @ np.eye(2)), "for vectors"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(P)
