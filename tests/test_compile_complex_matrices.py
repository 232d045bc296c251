"""Factors, eigenvalues and singular values of complex matrices: derivatives are those that differences find, with the
phases of vectors that LAPACK gives, in both orders, targets and precisions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import UnsupportedPython

rng = np.random.default_rng(7)


def drawn(*shape: int) -> Any:
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


SQUARE, TALL, WIDE, STACK = drawn(3, 3), drawn(5, 3), drawn(2, 4), drawn(2, 3, 3)
W = drawn(6, 6)


def read(*found: Any) -> Any:
    """A real number of all entries, which sees their phases."""
    total = 0.0
    for x in found:
        weights = W[:np.shape(x)[-2], :np.shape(x)[-1]] if np.ndim(x) > 1 else W[0, :np.shape(x)[-1]]
        total = total + np.sum(np.real(weights * x)) + np.sum(np.abs(x) ** 3)
    return total


LINALG = {
    "qr": (lambda a: read(*np.linalg.qr(a)), (SQUARE, TALL, WIDE, STACK)),
    "qr r": (lambda a: read(np.linalg.qr(a, "r")), (TALL,)),
    "eig": (lambda a: read(*np.linalg.eig(a)), (SQUARE, STACK)),
    "eigvals": (lambda a: read(np.linalg.eigvals(a)), (SQUARE,)),
    "eigh": (lambda a: read(*np.linalg.eigh(a)), (SQUARE, STACK)),
    "eigh U": (lambda a: read(*np.linalg.eigh(a, "U")), (SQUARE,)),
    "svd": (lambda a: read(*np.linalg.svd(a)), (SQUARE, STACK)),
    "svd reduced": (lambda a: read(*np.linalg.svd(a, full_matrices=False)), (TALL, WIDE)),
    "svd values": (lambda a: read(np.linalg.svd(a, compute_uv=False)), (TALL,)),
    "svd whole": (lambda a: projected(*np.linalg.svd(a)), (TALL, WIDE)),
    "slogdet": (lambda a: read(*[np.reshape(part, (-1,)) for part in tuple(np.linalg.slogdet(a))]), (SQUARE, STACK)),
    "lstsq": (lambda a: read(np.linalg.lstsq(a, a[:, 0] * a[:, 1] + 1j)[0]) + np.linalg.lstsq(a, W[:5])[1][0], (TALL,)),
    "cond": (lambda a: np.linalg.cond(a) + np.linalg.cond(a, "fro") + np.linalg.cond(a, 1) + np.linalg.cond(a, -2),
             (SQUARE,)),
    "norm": (lambda a: np.linalg.norm(a, 2) + np.linalg.norm(a, "nuc") * np.linalg.norm(a, -2, (1, 0)), (TALL,)),
    "norms": (lambda a: np.linalg.matrix_norm(a) + np.linalg.matrix_norm(a, ord=2) + np.linalg.vector_norm(a, ord=3),
              (TALL,)),
    "products": (lambda a: read(np.linalg.multi_dot([a, a, W[0, :3]]), np.vecdot(a, 1j * a + 1), np.cross(a, 2 * a),
                                np.tensordot(a, W[:3, :3] * a, 1),
                                np.linalg.vecdot(a, a * a, axis=0)), (SQUARE,)),  # type: ignore[reportCallIssue]
    "rank": (lambda a: read(a) * np.linalg.matrix_rank(a), (TALL,)),
}


def projected(u: Any, s: Any, vh: Any) -> Any:
    """What does not ask for the basis that is chosen of further vectors."""
    k = np.shape(s)[0]
    further, behind = u[:, k:], vh[k:]
    return read(u[:, :k], s, vh[:k], further @ np.conj(further.T), np.conj(behind.T) @ behind)


CASES = [(name, i) for name, (_, at) in LINALG.items() for i in range(len(at))]


@pytest.mark.share(18)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("name", "i"), CASES)
def test_slopes_are_those_of_differences(name: str, i: int, backend: Any):
    f, at = LINALG[name][0], LINALG[name][1][i]
    value, found = ccc.value_with_gradient(f, backend=backend)(at)
    assert value == pytest.approx(f(at), rel=1e-12)
    for unit in (1.0, 1j):
        direction = unit * rng.normal(size=at.shape)
        slope = float(np.real(np.sum(found * direction)))
        h = 1e-5
        assert slope == pytest.approx((f(at + h * direction) - f(at - h * direction)) / (2 * h), rel=1e-6, abs=1e-7)


@pytest.mark.share(18)
@pytest.mark.parametrize(("name", "i"), CASES)
def test_second_derivatives_are_those_of_first_ones(name: str, i: int):
    f, at = LINALG[name][0], LINALG[name][1][i]
    direction = rng.normal(size=at.shape) + 1j * rng.normal(size=at.shape)
    first = ccc.derivative(lambda t: f(at + t * direction))
    assert first(0.0) == pytest.approx(float(np.real(np.sum(ccc.gradient(f)(at) * direction))), rel=1e-9, abs=1e-9)
    h = 1e-5
    expected = (first(h) - first(-h)) / (2 * h)
    assert ccc.derivative(first)(0.0) == pytest.approx(expected, rel=1e-5, abs=1e-5)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", ["qr", "eig", "eigh", "svd", "slogdet"])
def test_single_precision_stays_so(name: str):
    f, at = LINALG[name][0], LINALG[name][1][0]
    found = ccc.gradient(f)(at.astype(np.complex64))
    assert found.dtype == np.complex64
    np.testing.assert_allclose(found, ccc.gradient(f)(at), rtol=2e-3, atol=2e-3)


def test_equal_values_count_as_not_turning():
    def spread(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        return np.sum(np.real(v @ (np.exp(w)[:, None] * np.conj(v.T))) * np.eye(3))  # of the trace of exp(a)

    np.testing.assert_allclose(ccc.gradient(spread)(np.eye(3) + 0j), np.e * np.eye(3), atol=1e-12)
    values = ccc.gradient(lambda a: np.sum(np.abs(np.linalg.eig(a)[0]) ** 2))(np.eye(3) * (1 + 1j))
    np.testing.assert_allclose(values, 2 * (1 - 1j) * np.eye(3), atol=1e-12)
    sizes = ccc.gradient(lambda a: np.sum(np.linalg.svd(a)[1] ** 2))(np.eye(3) * 1j)
    np.testing.assert_allclose(sizes, 2 * np.conj(np.eye(3) * 1j), atol=1e-12)


def test_what_does_not_ask_for_phases_holds_where_they_jump():
    """Of a diagonal matrix the entries are zero of which LAPACK makes real numbers."""
    def purity(a: Any) -> Any:
        v = np.linalg.eigh(a)[1]
        return np.sum(np.abs(v[:, 0] * W[0, :3]) ** 2) + np.abs(np.conj(v[:, 1]) @ (W[:3, :3] @ v[:, 1])) ** 2

    at = np.diag([1.0, 2.5, 4.0]) + 0j
    direction = drawn(3, 3)
    slope = np.real(np.sum(ccc.gradient(purity)(at) * direction))
    h = 1e-6
    assert slope == pytest.approx((purity(at + h * direction) - purity(at - h * direction)) / (2 * h), rel=1e-6)


def test_what_has_no_rule_is_refused():
    with pytest.raises(UnsupportedPython, match="mode='reduced'"):
        ccc.gradient(lambda a: read(np.linalg.qr(a, "complete")[0]))(TALL)
    with pytest.raises(UnsupportedPython, match="hermitian=False"):
        ccc.gradient(lambda a: read(np.linalg.svd(a, hermitian=True)[0]))(SQUARE)
