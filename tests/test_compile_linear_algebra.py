"""NumPy's linear algebra and Fourier transforms in programs as users write them, against central differences:
gradients, products with the Hessian and tangents, in both targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

R = np.random.default_rng(3)
TALL, SQUARE, STACK = R.normal(size=(4, 3)), R.normal(size=(3, 3)) + 3.0 * np.eye(3), R.normal(size=(2, 4, 3))
FOUR = R.normal(size=(2, 3, 3, 2)) + 3.0 * np.eye(6).reshape(2, 3, 3, 2)
SIGNAL, IMAGE = R.normal(size=12), R.normal(size=(4, 6))
TURNING = np.array([[0.5, -2.0, 0.3], [1.5, 0.2, -0.4], [0.1, 0.6, 1.1]])
W = R.normal(size=(12, 12))
FILTER = R.normal(size=7) + 1j * R.normal(size=7)


# -- matrices --------------------------------------------------------------------------------------------------------


def low_rank(A):
    u, s, vt = np.linalg.svd(A, full_matrices=False)
    return np.sum((u[:, :2] * s[:2] @ vt[:2] - A) ** 2 * W[:4, :3])


def all_vectors(A):
    u, s, vt = np.linalg.svd(A)
    beyond = u[:, 3:] @ u[:, 3:].T
    return np.sum(beyond * W[:4, :4]) + np.sum(vt**2 * W[:3, :3]) + np.sum(s**3)


def values_of_stacks(A):
    return np.sum(np.linalg.svd(A, compute_uv=False) ** 3) + np.sum(np.linalg.svdvals(A) * W[:2, :3])


def whitened(X):
    w, v = np.linalg.eigh(X.T @ X / 4.0)
    return np.sum((X @ (v / np.sqrt(w)) @ v.T) ** 3 * W[:4, :3])


def one_triangle(A):
    w, v = np.linalg.eigh(A, UPLO="U")
    return np.sum(w**3) + np.sum(v**2 * W[:3, :3]) + np.sum(np.linalg.eigvalsh(A) * W[0, :3])


def upper_factor(A):
    return np.sum(np.linalg.cholesky(A @ A.T, upper=True) * W[:3, :3]) + np.sum(np.linalg.cholesky(A @ A.T + A) ** 2)


def fitted_by_qr(A):
    q, r = np.linalg.qr(A)
    return np.sum(np.linalg.solve(r, q.T @ W[0, :4]) ** 2)


def wide_factors(A):
    r: Any = np.linalg.qr(A.T, mode="r")
    return np.sum(np.linalg.qr(A.T).Q * W[:3, :3]) + np.sum(r**2 * W[:3, :4])


def fitted(A):
    x, residuals, rank, s = np.linalg.lstsq(A, A[:, 0] ** 2 + W[0, :4], rcond=None)
    return np.sum(x**2) * rank + np.sum(residuals) + np.sum(s)


def least_norm(A):
    return np.sum(np.linalg.lstsq(A.T, W[:3, :2])[0] ** 2)


def pseudo_inverses(A):
    return np.sum(np.linalg.pinv(A) * W[:3, :4]) + np.sum(np.linalg.pinv(A.T @ A, hermitian=True, rcond=1e-9) ** 2)


def tensors(A):
    return np.sum(np.linalg.tensorsolve(A, W[:2, :3]) ** 2) + np.sum(np.linalg.tensorinv(A, ind=2)[0] ** 2)


def chains(A):
    v = W[0, :4]
    return np.linalg.multi_dot([v, A, SQUARE, A.T, v]) + np.sum(np.linalg.multi_dot([A.T, A, SQUARE, A.T, v]) ** 2)


def contracted(A):
    s = np.sum(np.tensordot(A, A**2, axes=([0], [0])) * W[:3, :3]) + np.tensordot(A, A)
    return s + np.sum(np.vecdot(A, A**2) ** 2) + np.sum(np.linalg.vecdot(A, A**2, axis=0))  # pyright: ignore[reportCallIssue] - the stubs know -1


def crossed(A):
    B = A[::-1] ** 2
    s = np.sum(np.cross(A, B) * W[:4, :3]) + np.sum(np.linalg.cross(A.T, B.T, axis=0) ** 2)
    return s + np.sum(np.linalg.outer(A[0], A[:, 1]) * W[:3, :4])


def diagonals(A):
    stack = np.stack([A, A * 2.0])
    s = np.trace(A, 1) ** 2 + np.sum(np.linalg.trace(stack, offset=-1) ** 2) + np.sum(np.linalg.diagonal(stack) ** 3)
    return s + np.sum(np.trace(stack, axis1=2, axis2=1) ** 2) + np.sum(np.linalg.matrix_transpose(A) ** 2 * W[:3, :4])


def powers(A):
    s = np.linalg.slogdet(np.stack([A, A + SQUARE]))[1]
    return np.sum(np.linalg.matrix_power(A, -2) * W[:3, :3]) + np.sum(s**2) + np.linalg.det(A)


def norms_of_matrices(A):
    s = np.linalg.norm(A, 1) + np.linalg.norm(A, -1) ** 2 + np.linalg.norm(A, np.inf) + np.linalg.norm(A, -np.inf)
    stack = np.stack([A, A * A])
    s += np.sum(np.linalg.norm(stack, 2, axis=(0, 2), keepdims=True) ** 2) + np.linalg.norm(A, "nuc")
    return s + np.linalg.norm(A, -2) ** 2 + np.linalg.matrix_norm(A) + np.sum(np.linalg.norm(stack, "fro", (2, 0)))


def norms_of_vectors(A):
    s = np.linalg.norm(A[0], 1) + np.linalg.norm(A[1], np.inf) + np.linalg.norm(A[2], -np.inf) + np.linalg.norm(A, None)
    s += np.sum(np.linalg.norm(A, 3, axis=0) ** 2) + np.sum(np.linalg.norm(A, 1.5, axis=1, keepdims=True))
    s += np.linalg.norm(A[:, 0], 0) * np.linalg.norm(A[:, 0], -1)
    return s + np.linalg.vector_norm(A) + np.sum(np.linalg.vector_norm(np.stack([A, A * A]), axis=(0, 2), ord=4))


def condition_numbers(A):
    stack = np.stack([A, A + SQUARE])
    s = np.sum(np.linalg.cond(stack)) + np.linalg.cond(A, -2) + np.linalg.cond(A, 1)
    return s + np.linalg.cond(A, np.inf) + np.sum(np.linalg.cond(stack, "fro"))


def rank_as_number(A):
    return np.sum(A**2) * np.linalg.matrix_rank(A)


def growth(A):
    w = np.linalg.eigvals(A)
    return np.max(np.abs(w)) + np.max(w.real) ** 2 + np.sum(np.linalg.eigvals(np.stack([A, A @ A])).real ** 3)


def modes(A):
    w, v = np.linalg.eig(A)
    return np.sum(np.abs(v) ** 2 * W[:3, :3]) + np.sum(np.real(v**2) * W[3:6, :3]) + np.sum(np.imag(w) ** 2 * W[0, :3])


# -- Fourier transforms ----------------------------------------------------------------------------------------------


def filtered(x):
    return np.sum(np.fft.irfft(np.fft.rfft(x) * FILTER, n=12) ** 2 * W[0])


def low_pass(x):
    F = np.fft.rfft(x)
    F[3:] = 0.0
    return np.sum(np.fft.irfft(F, 12) ** 3) + np.sum(np.fft.irfft(np.where(np.arange(7) < 4, np.fft.rfft(x), 0.0)) ** 2)


def periodogram(x):
    return np.sum(np.abs(np.fft.rfft(x)) ** 2 * np.fft.rfftfreq(12, d=0.5)) / 12.0


def derivative(x):
    k = 2.0 * np.pi * np.fft.fftfreq(12)
    return np.sum(np.real(np.fft.ifft(1j * k * np.fft.fft(x))) ** 2 * W[0])


def convolved(x):
    return np.sum(np.fft.ifft(np.fft.fft(x, 20) * np.fft.fft(W[0], 20)).real ** 3)


def in_the_plane(X):
    F = np.fft.fftshift(np.fft.fft2(X, norm="ortho"), axes=1)
    back = np.fft.ifft2(np.fft.ifftshift(F * W[:4, :6], axes=1))
    return np.sum(np.abs(F) ** 2 * W[:4, :6]) + np.sum(back.imag**2) + np.sum(np.fft.irfft2(np.fft.rfft2(X)) ** 3)


def of_all_axes(X):
    F = np.fft.rfftn(X, s=(3, 5), axes=(0, 1))
    return np.sum(np.abs(np.fft.ifftn(F)) ** 2 * W[:3, :3]) + np.sum(np.fft.irfftn(np.fft.fftn(X)) ** 2)


def hermitian(x):
    return np.sum(np.fft.hfft(np.fft.rfft(x)) ** 2 * W[0]) + np.sum(np.fft.ihfft(x, norm="ortho").imag ** 3)


def spacing(x):
    return np.sum(np.fft.fftfreq(12, 1.0 + x[0] ** 2) * x)


def phases(x):
    F = np.fft.rfft(x)
    s = np.sum(np.angle(F[1:4]) * W[0, :3]) + np.sum(np.imag(np.sqrt(F + 9.0)))
    return s + np.sum(((F + 9.0) ** 0.5 / F[1]).real)


def goertzel(x):
    turns = np.exp(-2j * np.pi * 0.3 * np.arange(12))
    return np.abs(np.sum(x * turns)) ** 2 + np.abs(np.vdot(turns, np.fft.fft(x))) + np.linalg.norm(np.fft.fft(x))


def by_functions(x):
    F = np.fft.fft(x)
    s = np.sum(np.imag(np.add(x, F)) ** 2) + np.sum(np.imag(np.subtract(x, F)) ** 3) + np.sum(np.real(np.divide(x, F)))
    s = s + np.sum(np.abs(np.where(x > 0, x, F)) ** 2) + np.sum(np.real(np.multiply(x, F)))
    s = s + np.sum(np.abs(np.outer(F, x)))
    return s + np.sum(np.abs(np.cumsum(np.stack([F, x]), axis=1))) + np.abs(np.einsum("i,i->", F, F * 1j))


def products(X):
    F = np.fft.fft(X)
    rolled = np.roll(F, 1, axis=0)[:, ::2].T.reshape(-1)
    s = np.sum(np.abs(F @ W[:6, :3] + 1j) ** 2) + np.sum(np.abs(F @ np.fft.fft(X.T)) ** 2) / 9.0
    return s + np.abs(rolled.sum()) ** 2 + np.sum(np.abs(np.concatenate([F, -F.conj()])) ** 2) + np.mean(F).real


PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (low_rank, TALL), (all_vectors, TALL), (values_of_stacks, STACK), (whitened, TALL), (one_triangle, SQUARE),
    (upper_factor, SQUARE), (fitted_by_qr, TALL), (wide_factors, TALL), (fitted, TALL), (least_norm, TALL),
    (pseudo_inverses, TALL), (tensors, FOUR), (chains, TALL), (contracted, TALL), (crossed, TALL), (diagonals, TALL),
    (powers, SQUARE), (norms_of_matrices, TALL), (norms_of_vectors, TALL), (condition_numbers, SQUARE),
    (rank_as_number, TALL), (growth, TURNING), (modes, TURNING), (filtered, SIGNAL), (low_pass, SIGNAL),
    (periodogram, SIGNAL), (derivative, SIGNAL), (convolved, SIGNAL), (in_the_plane, IMAGE), (of_all_axes, IMAGE),
    (hermitian, SIGNAL), (spacing, SIGNAL), (phases, SIGNAL), (goertzel, SIGNAL),
    (by_functions, SIGNAL), (products, IMAGE),
]


def along(f: Callable[[Any], Any], x: Any, d: Any) -> tuple[float, float]:
    """The derivative of `f` along `d` by extrapolated central differences, and a bound of their error."""
    coarse, fine = [float((f(x + h * d) - f(x - h * d)) / (2 * h)) for h in (2e-4, 1e-4)]
    return (4 * fine - coarse) / 3, abs(fine - coarse) + 1e-11 * (1 + abs(float(f(x)))) / 1e-4


@pytest.mark.share(48)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda z: getattr(z, "__name__", ""))
def test_derivatives_agree_with_differences(f: Callable[..., Any], x: Any, backend: Any) -> None:
    d, e = R.normal(size=x.shape), R.normal(size=x.shape)
    gradient = ccc.gradient(f, backend=backend)
    value, found = ccc.value_and_grad(f, backend=backend)(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    best, error = along(f, x, d)
    assert abs(np.sum(found * d) - best) <= error
    tangent = ccc.jvp(f, (x,), (d,))[1]
    assert tangent == pytest.approx(np.sum(found * d), rel=1e-9, abs=1e-11)
    best, error = along(lambda y: np.sum(gradient(y) * e), x, d)
    assert abs(np.sum(ccc.hvp(f, backend=backend)(x, d) * e) - best) <= error


# -- conventions -----------------------------------------------------------------------------------------------------


def test_sums_of_equal_singular_values_have_their_slope() -> None:
    """Where values coincide or are 0, what is smooth of them has no NaN: the nuclear norm of an orthogonal matrix."""
    Q = np.linalg.qr(SQUARE)[0]
    np.testing.assert_allclose(ccc.gradient(lambda A: np.linalg.norm(A, "nuc"))(Q), Q, atol=1e-12)
    np.testing.assert_allclose(ccc.gradient(lambda A: np.sum(np.linalg.svdvals(A)))(2.0 * np.eye(3)), np.eye(3))
    deficient = np.outer([1.0, 2.0], [2.0, 1.0])
    found = ccc.gradient(lambda A: np.sum(np.linalg.svdvals(A) ** 2))(deficient)
    np.testing.assert_allclose(found, 2.0 * deficient, atol=1e-12)


def test_orthogonal_polar_factor_is_smooth_where_singular_values_coincide() -> None:
    def f(A: Any) -> Any:
        u, _, vt = np.linalg.svd(A)
        return np.sum((u @ vt) * W[:3, :3])

    found = ccc.gradient(f)(2.0 * np.eye(3))
    np.testing.assert_allclose(found, (W[:3, :3] - W[:3, :3].T) / 4.0, atol=1e-12)
    Q = np.linalg.qr(SQUARE)[0]
    np.testing.assert_allclose(ccc.gradient(f)(Q), (W[:3, :3] - Q @ W[:3, :3].T @ Q) / 2.0, atol=1e-12)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_projections_onto_eigenspaces_are_smooth_where_eigenvalues_coincide(backend: Any) -> None:
    """Those that differ by rounding count as equal: the vectors within an eigenspace are noise."""
    Q = np.linalg.qr(W[:4, :4])[0]

    def f(A: Any) -> Any:
        _, v = np.linalg.eigh((A + A.T) / 2.0)
        return np.sum(v[:, 2:] @ v[:, 2:].T * W[:4, :4])

    A, d = Q @ np.diag([1.0, 1.0, 3.0, 3.0]) @ Q.T, W[4:8, :4]
    best, error = along(f, A, d)
    assert abs(np.sum(ccc.gradient(f, backend=backend)(A) * d) - best) <= error


def test_norms_have_slope_zero_at_zero() -> None:
    assert not np.any(ccc.gradient(lambda x: np.sum(np.linalg.norm(x, 3, axis=0)))(np.zeros((3, 2))))
    assert not np.any(ccc.gradient(lambda x: np.linalg.norm(x, 1.5, axis=0))(np.zeros(3)))


def test_condition_numbers_of_singular_matrices_are_infinite() -> None:
    for f in (lambda A: np.linalg.cond(A), lambda A: np.linalg.cond(A, 1), lambda A: np.linalg.cond(0.0 * A)):
        assert ccc.value_and_grad(f)(np.zeros((2, 2)))[0] == np.inf


def test_the_derivative_is_that_of_the_triangle_that_is_read() -> None:
    for f, read in (
        (lambda A: np.sum(np.linalg.eigvalsh(A) ** 2), np.tril), (lambda A: np.linalg.cholesky(A)[1, 0], np.tril),
        (lambda A: np.sum(np.linalg.eigvalsh(A, UPLO="U") ** 2), np.triu),
        (lambda A: np.linalg.cholesky(A, upper=True)[0, 1], np.triu),
    ):
        found = ccc.gradient(f)(SQUARE @ SQUARE.T)
        assert np.any(found) and not np.any(found - read(found))


def test_matrix_norm_of_a_rank_deficient_least_squares() -> None:
    """Along matrices of the same rank the solution of least norm is smooth."""
    u, v = W[0, :4], W[1, :3]

    def f(t: Any) -> Any:
        return np.sum(np.linalg.lstsq(np.outer(u * t, v + t), W[2, :4], rcond=1e-9)[0] ** 2)

    best, error = along(f, 1.3, 1.0)
    assert abs(ccc.gradient(f)(1.3) - best) <= error


@pytest.mark.parametrize("f", [
    lambda x: np.array(np.fft.fft(x), dtype=float)[0], lambda x: np.fft.rfft(np.fft.fft(x))[0].real,
    lambda x: np.linalg.qr(np.outer(x, x), mode="raw")[0][0, 0],
    lambda x: np.linalg.svd(np.outer(x, x), hermitian=True)[0][0, 0],
    lambda x: np.linalg.det(np.outer(x, np.fft.fft(x))),
])
def test_what_has_no_derivative_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(ccc.CCCError):
        ccc.gradient(f)(SIGNAL)


def test_linear_over_the_complex_numbers_is_told_from_linear_over_the_reals() -> None:
    """`np.vdot` conjugates its first argument, `np.dot` does not."""
    x = SIGNAL

    def f(x: Any) -> Any:
        return np.vdot(np.fft.fft(x), x * 1j).imag + np.dot(np.fft.fft(x), np.fft.fft(x)).imag + np.dot(1j, x)[0].imag

    d = R.normal(size=12)
    best, error = along(f, x, d)
    assert abs(np.sum(ccc.gradient(f)(x) * d) - best) <= error


def test_complex_numbers_outside_are_read_anew() -> None:
    scale = 0.3 + 0.4j

    def f(x: Any) -> Any:
        return np.sum(np.abs(scale * x + 2.0) ** 2)

    gradient = ccc.gradient(f)
    for scale in (0.3 + 0.4j, 2j, 2.0):
        np.testing.assert_allclose(gradient(SIGNAL), 2.0 * ((scale * SIGNAL + 2.0) * np.conj(scale)).real)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_complex_numbers_through_control(backend: Any) -> None:
    """They are joined by branches, carried by loops and changed in place as their parts are."""

    def f(x: Any) -> Any:
        F = np.fft.rfft(x)
        F *= 2.0
        F[1] += 2j
        for k in range(2):
            F = F * F / 10.0 if x[k] > 0.0 else F * 1j
        z, n = 0j, 0
        while abs(z) < 2.0 and n < 20:
            z, n = z * z + (x[0] * 0.1 + 0.3 + 0.5j), n + 1
        return abs(z) + sum([abs(F[k]) for k in range(4)])

    d = R.normal(size=12)
    best, error = along(f, SIGNAL, d)
    assert abs(np.sum(ccc.gradient(f, backend=backend)(SIGNAL) * d) - best) <= error


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_complex_arguments_have_the_derivatives_along_their_parts(backend: Any) -> None:
    z = R.normal(size=5) + 1j * R.normal(size=5)
    found = ccc.gradient(lambda z: np.sum(np.abs(np.fft.fft(z)) ** 2), backend=backend)(z)
    np.testing.assert_allclose(found, 10.0 * z.conj())


def test_complex_results_are_those_of_numpy() -> None:
    value, tangent = ccc.jvp(np.fft.rfft, (SIGNAL,), (IMAGE.ravel()[:12],))
    np.testing.assert_allclose(value, np.fft.rfft(SIGNAL))
    np.testing.assert_allclose(tangent, np.fft.rfft(IMAGE.ravel()[:12]))


def test_float32_stays_float32() -> None:
    x = TALL.astype(np.float32)
    for f in (low_rank, fitted_by_qr):
        assert ccc.gradient(lambda A, f=f: f(A))(x).dtype == np.float32
    found = ccc.gradient(lambda x: np.sum(np.abs(np.fft.rfft(x)) ** 2))(SIGNAL.astype(np.float32))
    assert found.dtype == np.float32


def test_every_function_of_linalg_and_fft_stands_in_the_registry() -> None:
    from ccc.primitives.registry import find

    for module in (np.linalg, np.fft):
        functions = [getattr(module, name) for name in module.__all__]
        missing = [f.__name__ for f in functions if not isinstance(f, type) and find(f) is None]
        assert not missing


def test_eigenvectors_keep_the_entry_real_that_lapack_chose():
    """Entries of one size differ by rounding, so the largest one need not be the real one."""
    at = np.array([[0, 0, 1, 0], [0.3, 0, 0, 0], [0, 0, 0, 0.3], [0, -1.0, 0, 0]])
    direction = np.random.default_rng(3).normal(size=(4, 4))

    def sizes(a):
        v = np.linalg.eig(a)[1]
        return np.sum(np.abs(v[0] ** 2 * 3.0 + v[1] ** 2) ** 2)

    slope = np.sum(ccc.gradient(sizes)(at) * direction)
    assert slope == pytest.approx((sizes(at + 1e-6 * direction) - sizes(at - 1e-6 * direction)) / 2e-6, rel=1e-6)


def test_cofactors_of_many_matrices_have_all_digits_also_where_some_are_singular() -> None:
    a = np.random.default_rng(3).standard_normal((6, 4, 4))
    a[2], a[4] = 0.0, a[4] @ np.diag([0.0, 1.0, 1.0, 1.0])
    a[5] = np.eye(4) + 1e-9 * a[5] - np.outer(np.eye(4)[0], np.eye(4)[0])  # nearly singular
    minors = [[[(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(m, i, 0), j, 1)) for j in range(4)]
               for i in range(4)] for m in a]  # fmt: skip
    for backend in ("numpy", "native"):
        found = ccc.gradient(lambda a: np.sum(np.linalg.det(a)), backend=backend)(a)
        np.testing.assert_allclose(found, minors, rtol=1e-12, atol=1e-13)


def by_eigenvectors(a: np.ndarray) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum(np.log(w + 9.0)) + np.sum(v[:, -1] ** 4)


def by_singular_vectors(a: np.ndarray) -> Any:
    u, s, vt = np.linalg.svd(a)
    return np.sum(u[:, 0] ** 3) + s[0] * vt[0, 1]


def by_factors(a: np.ndarray) -> Any:
    q, r = np.linalg.qr(a)
    return np.sum(q[0] ** 3) + np.sum(r ** 2)


def by_complex_vectors(a: np.ndarray) -> Any:
    w, v = np.linalg.eig(a)
    return np.sum(np.abs(w)) + np.abs(v[0, 0])


def test_a_decomposition_is_computed_once() -> None:
    a = np.random.default_rng(4).standard_normal((5, 5))
    programs: dict[str, Any] = {
        "np.linalg.eigh": by_eigenvectors, "np.linalg.svd": by_singular_vectors, "np.linalg.qr": by_factors,
        "np.linalg.slogdet": lambda a: np.prod(np.linalg.slogdet(a)), "eig_parts": by_complex_vectors,
    }
    for name, f in programs.items():
        assert ccc.explain(ccc.gradient(f), a).code.count(f"{name}(") == 1, name


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_the_diagonal_of_what_is_an_array_or_a_number(backend: str):
    """Numbers that products of what a branch may make a number give, whose axes are not known: the cotangent of the
    matrix, and its own, were those of a diagonal that is read."""
    def last(x: Any, n: int) -> Any:
        found: list[Any] = []
        for j in range(n):
            found.append((x * j - (found[-1] * x if j > 0 else 0)) @ x)
        return np.sum(np.diag(found, 1) ** 3) + np.sum(np.diag(found) ** 2)

    x, v = np.array([0.5, 0.4, 0.3]), np.array([1.0, -2.0, 0.5])
    along = (last(x + 1e-6 * v, 3) - last(x - 1e-6 * v, 3)) / 2e-6
    assert ccc.gradient(last, wrt=0, backend=backend)(x, 3) @ v == pytest.approx(along, rel=1e-7)
    slope = lambda t: ccc.gradient(last, wrt=0)(x + t * v, 3)  # noqa: E731
    np.testing.assert_allclose(ccc.hvp(last, argnums=0, backend=backend)(x, 3, v),
                               (slope(1e-5) - slope(-1e-5)) / 2e-5, rtol=1e-6)
