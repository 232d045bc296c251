"""Sparse matrices of SciPy: values are SciPy's, derivatives those of the same matrices made dense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import bends_agree, differences

import ccc
from ccc.compile.diagnostics import CompileError

sparse = pytest.importorskip("scipy.sparse")
spsolve = pytest.importorskip("scipy.sparse.linalg").spsolve
RNG = np.random.default_rng(0)
DENSE = np.where(RNG.uniform(size=(4, 4)) < 0.5, RNG.normal(size=(4, 4)), 0.0) + 3.0 * np.eye(4)
v, M = RNG.normal(size=4), RNG.normal(size=(4, 3))
MADE = [kind(DENSE) for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array)]
ROW, COL = np.nonzero(DENSE)


@pytest.mark.share(2)
@pytest.mark.parametrize("made", MADE, ids=lambda a: type(a).__name__)
def test_products_with_matrices_made_before(made: Any):
    def f(x: Any) -> Any:
        y = made @ x + x @ made + made.T @ (x**2) + made.dot(x) + made.transpose() @ x
        return np.sum(y**2) + np.sum((made @ (M * x[0])) ** 2) + made.shape[0] * x[0] + np.sum(made.toarray() @ x)

    slope = ccc.gradient(f, backend="numpy")
    assert ccc.compiled(f, backend="numpy")(v) == pytest.approx(f(v), rel=1e-13)
    np.testing.assert_allclose(slope(v), differences(f, v), rtol=1e-8)
    np.testing.assert_allclose(ccc.gradient(f, backend="native")(v), slope(v), rtol=1e-11)
    assert ccc.jvp(f, (v,), (M[:, 0],))[1] == pytest.approx(slope(v) @ M[:, 0], rel=1e-11)


def test_the_values_are_those_of_scipy():
    made = MADE[0]
    np.testing.assert_array_equal(ccc.compiled(lambda x: made @ x, backend="numpy")(v), made @ v)


@pytest.mark.parametrize("made", MADE[1:], ids=lambda a: type(a).__name__)
def test_systems_with_matrices_made_before(made: Any):
    f = lambda b: np.sum(v * spsolve(made, b) ** 2)  # noqa: E731
    dense = lambda b: np.sum(v * np.linalg.solve(DENSE, b) ** 2)  # noqa: E731
    assert ccc.compiled(f)(v) == pytest.approx(dense(v), rel=1e-12)
    np.testing.assert_allclose(ccc.gradient(f)(v), differences(dense, v), rtol=1e-8)


def test_numbers_of_a_matrix_made_in_a_program():
    def f(data: Any) -> Any:
        made = sparse.csc_matrix((data, (ROW, COL)), shape=(4, 4))
        return np.sum(M * spsolve(made, M) ** 2) + np.sum((made @ v) ** 2) + np.sum(spsolve(made, v * data[0]))

    data = DENSE[ROW, COL]
    slope = ccc.gradient(f, backend="numpy")
    u = np.cos(np.arange(float(len(data))))
    assert ccc.compiled(f, backend="numpy")(data) == pytest.approx(f(data), rel=1e-12)
    np.testing.assert_allclose(slope(data), differences(f, data), rtol=1e-7, atol=1e-8)
    bends_agree(f, data, u, atol=1e-7)
    assert ccc.jvp(f, (data,), (u,))[1] == pytest.approx(slope(data) @ u, rel=1e-10)


def parts(x: Any) -> Any:
    made = sparse.csr_matrix(np.reshape(x, (2, 2)))
    found = [
        sparse.kron(sparse.eye(2), made), sparse.bmat([[sparse.eye(2), None], [made, sparse.eye(2) * x[0]]]),
        sparse.hstack([made, made]), sparse.vstack([made, sparse.eye(1, 2)]), sparse.block_diag([made, made]),
        sparse.diags([x[:3], x[1], x[:2]], [-1, 0, 2], shape=(4, 4)), sparse.eye(3, 4, k=1, format="csr") * x[2],
        sparse.diags(x), sparse.coo_matrix((x, ([0, 1, 2, 2], [1, 1, 0, 3])))]
    return np.concatenate([np.ravel(a.toarray()) for a in found])


def by_steps(x: Any) -> Any:
    linear, made = sparse.linalg, sparse.csr_matrix(np.diag(x**2 + 3.0) + 0.1)
    d, one = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(2, 2)), sparse.identity(2)
    found = [linear.cg(made, x, rtol=1e-13)[0], linear.gmres(made, x, rtol=1e-13)[0],
             linear.factorized(made.tocsc())(x),
             spsolve((sparse.kron(d, one) + sparse.kron(one, d)).tocsc(), x)]
    return np.concatenate(found) * linear.norm(made)


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [parts, by_steps], ids=lambda f: f.__name__)
def test_parts_and_steps(f: Any):
    g = lambda x: np.sum(np.cos(np.arange(len(f(v)))) * f(x))  # noqa: E731
    np.testing.assert_allclose(ccc.compiled(f, backend="numpy")(v), f(v), rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(ccc.gradient(g, backend="numpy")(v), differences(g, v), rtol=1e-7, atol=1e-8)


def test_a_matrix_is_read_anew_at_each_call():
    made = sparse.csr_matrix(DENSE)
    slope = ccc.gradient(lambda x: np.sum(made @ x))
    np.testing.assert_allclose(slope(v), DENSE.sum(axis=0))
    made.data *= 2.0
    np.testing.assert_allclose(slope(v), 2.0 * DENSE.sum(axis=0))


def test_what_is_not_taken_is_refused_or_raises():
    made, complex_one = MADE[0], sparse.csr_matrix(DENSE * 1j)
    for f, text in [
        (lambda x: np.sum((made + x) @ x), "toarray"), (lambda x: np.sum(made.sum(axis=0) * x), "along an"),
        (lambda x: np.sum(complex_one @ x).real, "csr_matrix"), (lambda x: made.max() * x, "max"),
        (lambda x: np.sum(sparse.csr_matrix(x) @ x), "two axes"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(v)
    with pytest.raises(ValueError, match="dimension mismatch"):
        ccc.gradient(lambda x: np.sum(made @ x))(np.ones(3))


@pytest.mark.share(4)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("made", [MADE[0], MADE[3]], ids=lambda a: type(a).__name__)
def test_sums_products_and_factors(made: Any, backend: str):
    whole = np.abs(np.sin(np.arange(16.0).reshape(4, 4)))

    def sums(x: Any) -> Any:
        y = (made + made.T - 2.0 * made / x[1]) @ x + (made * x[0] - made @ made) @ x**2 + (-made) @ x
        return np.sum(y**2) + (made * x[0]).diagonal() @ x + (made * x[1]).trace() + (made * x[2]).mean()

    def products(x: Any) -> Any:
        y = made.T @ sparse.diags(x) @ made + made.multiply(x) + made.multiply(whole * x[0])
        y = y.toarray()
        return np.sum(np.sin(y)) + made.multiply(x[:, None]).sum() + np.sum(sparse.csr_matrix(np.outer(x, x)) @ x)

    def systems(x: Any) -> Any:
        chain = sparse.diags([-x[1:] ** 2, x**2 + 5.0, -x[1:]], [-1, 0, 1]).tocsc() - x[0] * sparse.identity(4)
        return np.sum(spsolve(chain, v) ** 2)

    for f in (sums, products, systems):
        value, slope = ccc.value_with_gradient(f, backend=backend)(v)
        assert value == pytest.approx(f(v), rel=1e-12)
        np.testing.assert_allclose(slope, differences(f, v), rtol=1e-7, atol=1e-8)


def test_an_array_multiplies_item_by_item_and_has_sums_along_axes():
    made = MADE[3]
    f = lambda x: np.sum((made * x).toarray() ** 2) + made.sum(axis=0) @ x + made.sum(axis=1) @ x**2  # noqa: E731
    assert ccc.compiled(f)(v) == pytest.approx(f(v), rel=1e-13)
    np.testing.assert_allclose(ccc.gradient(f)(v), differences(f, v), rtol=1e-8)
    g = lambda x: np.sum(np.sin(MADE[0] * x))  # noqa: E731 - a matrix times a vector
    np.testing.assert_allclose(ccc.gradient(g)(v), differences(g, v), rtol=1e-8)


def test_how_a_system_is_solved_is_no_part_of_its_derivative():
    a = sparse.csr_matrix(np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]]))

    def f(b: Any) -> Any:
        return np.sum(sparse.linalg.spsolve(a, b, permc_spec="MMD_AT_PLUS_A", use_umfpack=False) ** 2)

    b = np.array([0.3, 1.2, -0.4])
    assert np.isclose(ccc.compiled(f)(b), f(b), rtol=1e-14)
    inverse = np.linalg.inv(a.toarray())
    assert np.allclose(ccc.grad(f)(b), 2.0 * inverse.T @ inverse @ b, rtol=1e-12)
